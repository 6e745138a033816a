/* http_send.c - a request to an HTTP upstream, from the queue to its result.
 *
 * A sending is in exactly one state at a time, and every wait ends at its deadline.  A request that may
 * have been executed is sent again only if its method is idempotent. */
#include <strings.h>

#include "base/list.h"
#include "upstream/http.h"

/* ---- the end ---- */

/* Takes it out of the queue. */
static void sending_leave_queue(struct http_upstream *http, struct http_sending *sending)
{
    struct http_sending **place = &http->sendings.first;

    while (*place && *place != sending)
        place = &(*place)->next_waiting;
    if (!*place)
        return;
    *place = sending->next_waiting;
    if (http->sendings.last == &sending->next_waiting)
        http->sendings.last = place;
    http->sendings.n_queued--;
}

static void sending_leave_tokens(struct http_upstream *http, struct http_sending *sending)
{
    for (struct http_token *token = http->tokens; token; token = token->next)
        hf_http_token_leave(token, sending);
}

/* Lets those run whose turn has come. */
static void sendings_move(struct http_upstream *http)
{
    struct http_lists *lists = &http->sendings;

    if (lists->moving)
        return;
    lists->moving = true;
    while (lists->first && lists->n_running < (size_t)http->options->max_running) {
        struct http_sending *sending = lists->first;

        sending_leave_queue(http, sending);
        hf_http_sending_run(sending);
    }
    lists->moving = false;
}

/* The sending may be gone when this returns. */
static void sending_conclude(struct http_sending *sending, const struct http_result *result)
{
    struct http_upstream *http = http_upstream_of(sending->upstream);
    haft_buffer body = sending->body;

    hf_module_take(&http->upstream->module);
    if (sending->state == HTTP_SENDING_QUEUED)
        sending_leave_queue(http, sending);
    if (sending->state == HTTP_SENDING_TOKEN)
        sending_leave_tokens(http, sending);
    sending->state = HTTP_SENDING_OVER;
    LIST_TAKE(http->sendings.all, sending, previous, next);
    http->sendings.n_running -= sending->counted;
    sending->on_end(sending, result);
    haft_buffer_finish(&body);
    sendings_move(http);
    if (http->open && http->stopping && !http->sendings.all)
        hf_http_close(http);
    hf_module_drop(&http->upstream->module);
}

void hf_http_sending_fail(struct http_sending *sending, enum http_fault fault, const char *text,
                          int64_t retry_ms, bool maybe_handled)
{
    sending_conclude(sending,
                     &(struct http_result){.fault = fault,
                                           .text = text && *text ? text : hf_http_fault_text(fault),
                                           .retry_ms = retry_ms,
                                           .maybe_handled = maybe_handled,
                                           .status = 0,
                                           .body = "",
                                           .headers = NULL});
}

/* The i-th credential that it sends; NULL after the last. */
static const struct http_credential *sending_credential(const struct http_sending *sending,
                                                        size_t i)
{
    const struct http_upstream *http = http_upstream_of(sending->upstream);

    if (i < http->n_credentials)
        return http->credentials[i];
    i -= http->n_credentials;
    return i < sending->message.n_credentials ? sending->message.credentials[i] : NULL;
}

static void sending_mask_text(const struct http_sending *sending, char *text, size_t size)
{
    const struct http_credential *one;

    for (size_t i = 0; (one = sending_credential(sending, i)); i++)
        hf_http_credential_mask(one, text, size);
    hf_http_headers_mask(&http_upstream_of(sending->upstream)->options->headers, text, size);
}

/* Clients see what is in an answer, which may repeat the request: URLs in headers often do, and so do the
 * bodies of redirects and errors.  Other bodies are the API's own. */
static void sending_mask(const struct http_sending *sending)
{
    bool success = sending->status >= 200 && sending->status <= 299;

    for (size_t i = 0; i < sending->n_headers; i++) {
        char *value = (char *)(uintptr_t)sending->headers[i].value; /* this sending's own copy */

        if (strcasecmp(sending->headers[i].name, "Content-Type") != 0)
            sending_mask_text(sending, value, strlen(value));
    }
    if (!success)
        sending_mask_text(sending, sending->body.data, sending->body.size);
}

void hf_http_sending_succeed(struct http_sending *sending)
{
    haft_buffer *body = &sending->body;

    haft_buffer_add(body, "", 1);
    if (body->status) {
        hf_http_sending_fail(sending, HTTP_FAULT_MEMORY, NULL, 0, true);
        return;
    }
    sending_mask(sending);
    sending_conclude(sending, &(struct http_result){.fault = HTTP_FAULT_NONE,
                                                    .text = "",
                                                    .maybe_handled = true,
                                                    .status = sending->status,
                                                    .headers = sending->headers,
                                                    .n_headers = sending->n_headers,
                                                    .body = body->data,
                                                    .size = body->size - 1});
}

void hf_http_upstream_cancel(struct http_sending *sending)
{
    struct http_upstream *http = http_upstream_of(sending->upstream);

    if (sending->request)
        http->functions->cancel(sending->request); /* its on_end ends the sending */
    else if (sending->state != HTTP_SENDING_OVER)
        hf_http_sending_fail(sending, HTTP_FAULT_CANCELLED, NULL, 0, sending->maybe_handled);
}

/* ---- what is due ---- */

static bool sending_act(struct http_sending *sending, uint64_t now)
{
    bool waits = sending->state == HTTP_SENDING_QUEUED || sending->state == HTTP_SENDING_TOKEN;

    if (sending->state == HTTP_SENDING_DELAYED && sending->due <= now) {
        hf_http_sending_run(sending);
        return true;
    }
    if (waits && sending->deadline <= now) {
        hf_http_sending_fail(sending, HTTP_FAULT_TIMEOUT,
                             sending->state == HTTP_SENDING_QUEUED
                                 ? "timed out waiting for other calls to end"
                                 : "timed out waiting for an access token",
                             0, false);
        return true;
    }
    return false;
}

uint64_t hf_http_sendings_due(struct http_upstream *http)
{
    uint64_t now = hf_http_now(http), next = UINT64_MAX;
    struct http_sending *sending = http->sendings.all;

    while (sending) {
        if (sending_act(sending, now)) {
            sending = http->sendings.all; /* any may be gone */
            next = UINT64_MAX;
            continue;
        }
        if (sending->state == HTTP_SENDING_DELAYED && sending->due < next)
            next = sending->due;
        if ((sending->state == HTTP_SENDING_QUEUED || sending->state == HTTP_SENDING_TOKEN) &&
            sending->deadline < next)
            next = sending->deadline;
        sending = sending->next;
    }
    return next;
}

/* ---- beginning ---- */

static void sending_queue(struct http_upstream *http, struct http_sending *sending)
{
    struct http_lists *lists = &http->sendings;

    if (lists->n_queued >= (size_t)http->options->max_waiting) {
        hf_http_sending_fail(sending, HTTP_FAULT_BUSY, NULL, 0, false);
        return;
    }
    sending->state = HTTP_SENDING_QUEUED;
    sending->next_waiting = NULL;
    *lists->last = sending;
    lists->last = &sending->next_waiting;
    lists->n_queued++;
    hf_http_arm(http, sending->deadline);
}

void hf_http_upstream_send(struct http_sending *sending)
{
    struct http_upstream *http = http_upstream_of(sending->upstream);
    int64_t total = http->options->timeouts.total_ms;
    int status = 0;

    if (sending->time_left >= 0 && sending->time_left < total)
        total = sending->time_left;
    sending->state = HTTP_SENDING_NEW;
    sending->method = sending->message.method;
    sending->deadline = hf_http_now(http) + (uint64_t)total;
    haft_buffer_init(&sending->body, http->upstream->set->allocator,
                     (size_t)http->options->max_response + 1);
    LIST_PUSH(http->sendings.all, sending, previous, next);
    hf_retry_earn(&http->budget, &http->retry);
    if (!http->open)
        status = hf_http_open_again(http);
    if (status)
        hf_http_sending_fail(sending,
                             status == HAFT_ENOMEM ? HTTP_FAULT_MEMORY : HTTP_FAULT_STOPPED, NULL,
                             0, false);
    else if (sending->message.body_size > (size_t)http->options->max_request)
        hf_http_sending_fail(sending, HTTP_FAULT_REQUEST, "the request's body exceeds the limit", 0,
                             false);
    else if (http->sendings.first || http->sendings.n_running >= (size_t)http->options->max_running)
        sending_queue(http, sending);
    else
        hf_http_sending_run(sending);
}

/* ---- tokens ---- */

void hf_http_sending_granted(struct http_sending *sending, const haft_reason *reason)
{
    if (reason)
        hf_http_sending_fail(sending, HTTP_FAULT_CREDENTIALS, reason->text, 0, false);
    else
        hf_http_sending_run(sending);
}

void hf_http_sending_run(struct http_sending *sending)
{
    struct http_upstream *http = http_upstream_of(sending->upstream);
    const struct http_credential *one;

    http->sendings.n_running += !sending->counted;
    sending->counted = true;
    sending->state = HTTP_SENDING_TOKEN;
    /* A host that the configuration does not name gets no token. */
    for (size_t i = 0; !sending->elsewhere_guarded && (one = sending_credential(sending, i)); i++) {
        int status = one->token ? hf_http_token_ready(one->token, sending) : 0;

        if (status == HAFT_PENDING) {
            hf_http_arm(http, sending->deadline);
            return;
        }
        if (status) {
            hf_http_sending_granted(sending, &one->token->failure);
            return;
        }
    }
    hf_http_sending_attempt(sending);
}

bool hf_http_sending_renew(struct http_sending *sending)
{
    const struct http_credential *one;
    bool any = false;

    if (sending->refused || sending->elsewhere_guarded)
        return false;
    for (size_t i = 0; (one = sending_credential(sending, i)); i++)
        if (one->token) {
            hf_http_token_refused(one->token, sending->sent_at);
            any = true;
        }
    sending->refused = true;
    return any;
}
