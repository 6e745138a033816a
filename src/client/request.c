/* request.c - requests from their beginning to their end.
 *
 * A request whose result goes to a callback is put into a list when it ends, and reported by
 * hf_client_pump. */
#include "client/client.h"

#include <stdio.h>
#include <string.h>

#include "base/list.h"

static void request_expire(haft_client *client, struct due *due, haft_time now);

/* ---- deadlines ---- */

/* How long a request may take, even with progress. */
static unsigned request_max(const haft_client *client, const struct client_request *request)
{
    unsigned max_ms = client->options.max_ms;

    return max_ms > request->timeout_ms ? max_ms : request->timeout_ms;
}

/* The time of its end, or an earlier one. */
static haft_time request_limit(const haft_client *client, const struct client_request *request,
                               haft_time at, haft_time now)
{
    haft_time end = request->end ? request->end + hf_question_time(client, now) : at;

    return end < at ? end : at;
}

void hf_request_restart(haft_client *client, struct client_request *request)
{
    haft_time now;

    if (!request->timeout_ms || !hf_due_has_time(client) || request->held)
        return;
    now = hf_due_now(client);
    hf_due_set(client, &request->due,
               request_limit(client, request, now + request->timeout_ms, now));
}

static void request_start_time(haft_client *client, struct client_request *request)
{
    if (request->timeout_ms && hf_due_has_time(client)) {
        haft_time now = hf_due_now(client);

        request->end = now - hf_question_time(client, now) + request_max(client, request);
    }
    hf_request_restart(client, request);
}

void hf_request_hold(haft_client *client, struct client_request *request, bool held)
{
    if (request->held == held)
        return;
    request->held = held;
    hf_due_remove(client, &request->due);
    if (request->end)
        request_start_time(client, request);
}

/* The time does not run while the program has a question of the server.  An answer begins it again,
 * within the maximum. */
static void request_expire(haft_client *client, struct due *due, haft_time now)
{
    struct client_request *request =
        (struct client_request *)((char *)due - offsetof(struct client_request, due));
    const struct client_questions *questions = &client->questions;
    haft_time answered =
        questions->answered
            ? request_limit(client, request, questions->answered + request->timeout_ms, now)
            : 0;
    unsigned seconds = request->timeout_ms / 1000;
    char reason[96];

    if (request->task) {
        client->requests.tasks->expire(client, request, now);
        return;
    }
    if (questions->open || answered > now) {
        hf_due_set(client, due, questions->open ? now + request->timeout_ms : answered);
        return;
    }
    if (seconds && request_limit(client, request, now + 1, now) <= now)
        seconds = request_max(client, request) / 1000;
    snprintf(reason, sizeof reason, "timed out after %u %s",
             seconds ? seconds : request->timeout_ms, seconds ? "s" : "ms");
    hf_request_cancel(client, request, HAFT_ETIMEOUT, reason);
}

/* ---- sending ---- */

/* Reads the parameters into client->scratch. */
static yyjson_val *request_read_params(haft_client *client, const struct client_request *request,
                                       int *ret_status)
{
    yyjson_val *params, *arguments;

    haft_arena_reset(client->scratch);
    params = hf_outgoing_params(client, request_params(request), ret_status);
    arguments = yyjson_obj_get(params, "arguments");
    if (request->flags & REQUEST_TOOL && arguments && !yyjson_is_obj(arguments))
        *ret_status = HAFT_EINVAL;
    return params;
}

int hf_request_send(haft_client *client, struct client_request *request,
                    const haft_buffer *responses, const yyjson_val *state)
{
    int64_t before = request->wire_id;
    haft_header *mirrors = NULL;
    haft_reason reason = {.code = 0};
    yyjson_val *params;
    size_t n = 0;
    int status;

    if (request->written.members && !client_has_headers(client) && !hf_tool_matters(client)) {
        params = NULL; /* nothing depends on them */
        status = 0;
    } else {
        params = request_read_params(client, request, &status);
    }
    if (!status && params && !strcmp(request->text.data, "tools/call")) {
        status = hf_tool_prepare(client, params, &mirrors, &n, &reason);
        request->flags &= ~(unsigned)REQUEST_AS_TASK;
        /* Otherwise the list is asked for first, and has taken the memory of `params`. */
        if (!status && hf_tool_is_task(client, params, request->flags & REQUEST_WANTS_TASK))
            request->flags |= REQUEST_AS_TASK;
    }
    if (status) {
        if (status != HAFT_PENDING)
            hf_client_explain(client, 0, "%s: %s", request->text.data,
                              reason.code ? reason.text
                              : status == HAFT_EINVAL
                                  ? "the parameters or arguments are not a JSON object"
                                  : haft_strerror(status));
        return status;
    }
    hf_request_set_wire(client, request,
                        request->was_sent ? client->requests.next_id++ : request->id);
    request->was_sent = true;
    status = hf_outgoing_request(client, request, params, responses, state, mirrors, n);
    request->written.members = 0;
    if (!status)
        return 0;
    hf_client_explain(client, 0, "%s: %s", request->text.data, haft_strerror(status));
    hf_request_set_wire(client, request, before);
    return status;
}

static bool request_may_go(const haft_client *client, const struct client_request *request)
{
    if (request->flags & REQUEST_EARLY)
        return true;
    if (client->negotiation.phase != NEGOTIATE_READY)
        return false;
    return request->flags & REQUEST_URGENT ||
           client->requests.in_flight < client->options.max_in_flight;
}

/* Sends a request that is in no list, or lets it wait for the list of tools. */
static int request_dispatch(haft_client *client, struct client_request *request)
{
    struct client_requests *all = &client->requests;
    int status;

    request->state = REQUEST_SENT;
    if (!(request->flags & (REQUEST_EARLY | REQUEST_URGENT)) && !request->counted) {
        request->counted = true;
        all->in_flight++;
    }
    status = hf_request_send(client, request, NULL, NULL);
    if (!status)
        return 0;
    if (request->counted)
        all->in_flight--;
    request->counted = false;
    if (status != HAFT_PENDING)
        return status;
    request->written.members = 0;
    request->state = REQUEST_TOOLS;
    LIST_APPEND(all->first_tools, all->last_tools, request, previous, next);
    return 0;
}

void hf_request_flush(haft_client *client)
{
    struct client_requests *all = &client->requests;

    if (all->flushing)
        return;
    all->flushing = true;
    while (all->first && request_may_go(client, all->first) && !client->ending) {
        struct client_request *request = all->first;
        int status;

        LIST_REMOVE(all->first, all->last, request, previous, next);
        status = request_dispatch(client, request);
        if (status)
            hf_request_fail(client, request, status, 0, "%s", client->error);
    }
    all->flushing = false;
}

static void request_queue_first(haft_client *client, struct client_request *request)
{
    struct client_requests *all = &client->requests;

    request->state = REQUEST_QUEUED;
    request->previous = NULL;
    request->next = all->first;
    if (all->first)
        all->first->previous = request;
    else
        all->last = request;
    all->first = request;
}

void hf_request_tools_known(haft_client *client)
{
    struct client_requests *all = &client->requests;

    while (all->last_tools) {
        struct client_request *request = all->last_tools;

        LIST_REMOVE(all->first_tools, all->last_tools, request, previous, next);
        request_queue_first(client, request);
    }
    hf_request_flush(client);
    if (!client->lists.tools)
        client->lists.kinds[HAFT_OFFER_TOOL].asked = false; /* a later call tries again */
}

void hf_request_repeat(haft_client *client, struct client_request *request)
{
    hf_request_set_wire(client, request, 0);
    if (request->counted)
        client->requests.in_flight--;
    request->counted = false;
    request_queue_first(client, request);
    hf_request_flush(client);
}

/* ---- beginning ---- */

/* Writes the method and the parameters, each with a NUL. */
static int request_write(haft_client *client, struct client_request *request,
                         const haft_client_exchange *exchange)
{
    haft_buffer *text = &request->text;
    struct json_writer w = {.out = text};
    int status = 0;

    haft_buffer_puts(text, exchange->tool ? "tools/call" : exchange->method);
    haft_buffer_add(text, "", 1);
    if (exchange->tool) {
        hf_json_begin_object(&w);
        hf_json_text(json_key(&w, "name"), exchange->tool);
        if (exchange->arguments)
            hf_json_raw(json_key(&w, "arguments"), exchange->arguments,
                        strlen(exchange->arguments));
        hf_json_end_object(&w);
    } else {
        haft_buffer_puts(text, exchange->params ? exchange->params : "{}");
    }
    haft_buffer_add(text, "", 1);
    if (text->status)
        return text->status == HAFT_EUTF8 ? HAFT_EINVAL : text->status;
    if (request_may_go(client, request))
        return 0; /* they are checked when they are sent */
    request_read_params(client, request, &status);
    return status;
}

static int request_first(haft_client *client, struct client_request *request,
                         const haft_client_exchange *exchange)
{
    struct client_requests *all = &client->requests;
    int status = request_write(client, request, exchange);

    if (status)
        return status;
    if (!(request->flags & REQUEST_ENDLESS))
        request_start_time(client, request);
    if (client->negotiation.phase == NEGOTIATE_LOST && !(request->flags & REQUEST_EARLY))
        hf_negotiate_renew(client);
    if (request->state == REQUEST_ENDED)
        return 0; /* with the others, because there is no new session */
    if (request_may_go(client, request) && !all->first)
        return request_dispatch(client, request);
    if (request->flags & (REQUEST_EARLY | REQUEST_URGENT) && request_may_go(client, request))
        return request_dispatch(client, request);
    request->written.members = 0; /* the revision may be another one then */
    request->state = REQUEST_QUEUED;
    LIST_APPEND(all->first, all->last, request, previous, next);
    return 0;
}

struct client_request *hf_request_make(haft_client *client, const haft_client_exchange *exchange,
                                       unsigned flags)
{
    struct client_request *request = hf_request_new(client);

    if (!request)
        return NULL;
    request->flags =
        flags | (exchange->tool ? REQUEST_TOOL : 0) | (exchange->as_task ? REQUEST_WANTS_TASK : 0);
    request->due.expire = request_expire;
    request->timeout_ms = exchange->timeout_ms ? exchange->timeout_ms : client->options.timeout_ms;
    request->done = exchange->done;
    request->progress = exchange->progress;
    request->begun = exchange->begun;
    request->context = exchange->context;
    request->state = REQUEST_SENT; /* in no list */
    return request;
}

int64_t hf_request_begin(haft_client *client, const haft_client_exchange *exchange, unsigned flags)
{
    return hf_request_begin_written(client, exchange, flags, (struct client_written){0, 0});
}

int64_t hf_request_begin_written(haft_client *client, const haft_client_exchange *exchange,
                                 unsigned flags, struct client_written written)
{
    struct client_request *request;
    int64_t id;
    int status;

    if (client->closed || client->ending)
        return HAFT_ECLOSED;
    request = hf_request_make(client, exchange, flags);
    if (!request)
        return HAFT_ENOMEM;
    id = request->id;
    request->written = written;
    status = request_first(client, request, exchange);
    if (!status)
        return id;
    request->done = NULL;
    hf_request_forget(client, request);
    return status;
}

/* ---- ending ---- */

static void request_end(haft_client *client, struct client_request *request, int status)
{
    struct client_requests *all = &client->requests;

    hf_request_detach(client, request);
    if (request->task)
        all->tasks->drop(client, request);
    if (request->round)
        hf_question_drop(client, request);
    hf_document_drop(client, request->round);
    request->round = NULL;
    request->state = REQUEST_ENDED;
    request->status = status;
    if (request->done)
        LIST_APPEND(all->first_ended, all->last_ended, request, previous, next);
    hf_request_flush(client);
}

void hf_request_answer(haft_client *client, struct client_request *request,
                       struct document *document, yyjson_val *message)
{
    request->answer = hf_document_keep(document);
    request->message = message;
    haft_buffer_clear(&request->text);
    request_end(client, request, 0);
}

void hf_request_fail(haft_client *client, struct client_request *request, int status,
                     int http_status, const char *format, ...)
{
    char text[CLIENT_ERROR_TEXT], *note = client->documents.note;
    va_list args;

    if (request->state == REQUEST_ENDED)
        return; /* with all others, while something was sent about it */
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    haft_buffer_clear(&request->text);
    haft_buffer_puts(&request->text, text);
    if (*note && (status == HAFT_ETIMEOUT || status == HAFT_ECLOSED)) {
        haft_buffer_puts(&request->text, "; ");
        haft_buffer_puts(&request->text, note);
        *note = '\0';
    }
    haft_buffer_add(&request->text, "", 1);
    request->http_status = http_status;
    request_end(client, request, status);
}

void hf_request_fail_all(haft_client *client, bool sent, int status, const char *text)
{
    struct client_requests *all = &client->requests;
    bool flushing = all->flushing;

    all->flushing = true;
    for (size_t i = 0; i < all->buckets; i++) {
        struct client_request *request = all->by_id[i];

        while (request) {
            if (request->state != REQUEST_ENDED && (!sent || request->state == REQUEST_SENT))
                hf_request_fail(client, request, status, 0, "%s", text);
            request = request->by_id;
        }
    }
    all->flushing = flushing;
    hf_request_flush(client);
}

int hf_request_cancel(haft_client *client, struct client_request *request, int status,
                      const char *reason)
{
    bool told = status == HAFT_ECANCELLED;
    int sent = request->task ? client->requests.tasks->cancel(client, request)
               : request->state == REQUEST_SENT
                   ? hf_outgoing_cancel(client, request, told ? NULL : reason)
                   : 0;
    char method[64];

    snprintf(method, sizeof method, "%s", request->text.data);
    hf_request_fail(client, request, status, 0, "%s%s%s", told ? "" : method, told ? "" : " ",
                    reason);
    return sent;
}

/* ---- reporting ---- */

int hf_request_take(haft_client *client, struct client_request *request, haft_result *ret_result,
                    struct document **ret_document)
{
    int status = request->status;

    *ret_document = NULL;
    if (!status) {
        *ret_document = request->answer;
        request->answer = NULL;
        status = hf_result_read(*ret_document, request->message, ret_result);
    }
    if (status)
        hf_client_explain(client, request->http_status, "%s",
                          request->text.size && !request->text.status ? request->text.data
                                                                      : haft_strerror(status));
    else if (ret_result->error_code)
        hf_client_explain(client, 0, "%s (%d)", ret_result->text, ret_result->error_code);
    else if (ret_result->is_error)
        hf_client_explain(client, 0, "%s", ret_result->text);
    else
        client_explain_nothing(client);
    hf_request_forget(client, request);
    return status;
}

bool hf_request_report(haft_client *client)
{
    struct client_request *request = client->requests.first_ended;
    haft_client_done *done;
    struct document *document;
    haft_result result;
    void *context;
    int status;

    if (!request)
        return false;
    done = request->done;
    context = request->context;
    client->documents.message = request->message;
    status = hf_request_take(client, request, &result, &document);
    client->documents.current = document;
    done(context, client, status, status ? NULL : &result);
    client->documents.current = NULL;
    hf_document_drop(client, document);
    return true;
}
