/* remote.c - requests and responses, independent of the transport. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "remote_link.h"

enum { REMOTE_ARENA_LIMIT = 1 << 30, PARAMS_LIMIT = 64 << 20, REMOTE_MAX_ROUNDS = 16 };

/* ---- waiting ---- */

static void on_timer(uv_timer_t *timer)
{
    struct remote *remote = timer->data;

    remote->expired = true;
    uv_stop(&remote->loop);
}

static void on_signal(uv_signal_t *handle, int number)
{
    struct remote *remote = handle->data;

    (void)number;
    /* After the third interrupt, the program exits without an orderly shutdown. */
    if (++remote->interrupted > 2)
        _exit(EXIT_INTERRUPTED);
    uv_stop(handle->loop);
}

void remote_start_timer(struct remote *remote, uint64_t wait)
{
    remote->expired = false;
    uv_update_time(&remote->loop);
    uv_timer_start(&remote->timer, on_timer, wait, 0);
}

bool remote_run(struct remote *remote, uint64_t wait, bool (*is_done)(void *context), void *context)
{
    remote_start_timer(remote, wait);
    while (!is_done(context) && !remote->expired && remote->interrupted < 2)
        uv_run(&remote->loop, UV_RUN_ONCE);
    uv_timer_stop(&remote->timer);
    return is_done(context);
}

static bool remote_is_flushed(void *context)
{
    struct remote *remote = context;

    return remote->transport->is_flushed(remote->wire);
}

/* Notifies the server of the cancellation; a modern HTTP server notices the closed stream. */
static void remote_cancel(struct remote *remote, const char *method, const char *reason)
{
    char room[128];
    haft_buffer params = {.data = room, .capacity = sizeof room, .limit = sizeof room - 1};
    struct json_writer w = json_members(&params, false);

    remote->transport->forget(remote->wire, remote->id);
    if (!strcmp(method, "initialize") ||
        (!remote->options.child && hf_revision_rows[remote->revision].modern))
        return;
    hf_json_integer(json_key(&w, "requestId"), remote->id);
    hf_json_text(json_key(&w, "reason"), reason);
    haft_buffer_add(&params, "", 1);
    if (!params.status && !remote_notify(remote, "notifications/cancelled", room))
        remote_run(remote, CLOSE_WAIT, remote_is_flushed, remote);
}

int remote_exchange(struct remote *remote, const struct remote_request *request, uint64_t wait)
{
    int status;

    remote->id++;
    remote->outcome = WAITING;
    remote->result = remote->error = NULL;
    remote->http_status = 0;
    remote->session_gone = false;
    if (remote->loss.id)
        remote->loss = (struct loss){0};
    status = remote_send_request(remote, request);
    remote_start_timer(remote, wait);
    while (!status && remote->outcome == WAITING) {
        status = remote_take_all(remote);
        if (status || remote->outcome != WAITING)
            break;
        if (remote->interrupted) {
            remote_cancel(remote, request->method, "interrupted");
            status = remote_fail(remote, EXIT_INTERRUPTED, "interrupted");
        } else if (remote->expired) {
            remote_cancel(remote, request->method, "timed out");
            status = remote_fail(remote, EXIT_TIME, "%s timed out after %llu s", request->method,
                                 (unsigned long long)(wait + 999) / 1000);
        } else {
            uv_run(&remote->loop, UV_RUN_ONCE);
        }
    }
    uv_timer_stop(&remote->timer);
    if (!status && (remote->outcome == LOST || remote->outcome == REFUSED))
        status = remote->code;
    return status;
}

/* ---- requests ---- */

int remote_malformed(struct remote *remote, const char *method, const char *whole,
                     const haft_reason *reason)
{
    return remote_fail(remote, EXIT_PROTOCOL, "the server's answer to %s is malformed: %s %s",
                       method, *reason->path ? reason->path : whole, reason->text);
}

int remote_check_result(struct remote *remote, const char *method, const struct shape *shape)
{
    haft_reason reason;

    return hf_shape_check(shape, remote->result, "", &reason)
               ? remote_malformed(remote, method, "the result", &reason)
               : 0;
}

int remote_check_error(struct remote *remote, const char *method)
{
    haft_reason reason;

    return hf_shape_check(&hf_shape_error, remote->error, "", &reason)
               ? remote_malformed(remote, method, "the error", &reason)
               : 0;
}

static int tell_error(struct remote *remote, const char *method)
{
    int status = remote_check_error(remote, method);

    return status ? status
                  : remote_fail(remote, EXIT_PROTOCOL, "%s (%d)",
                                yyjson_get_str(yyjson_obj_get(remote->error, "message")),
                                remote_error_code(remote));
}

/* Whether a question is supported, and its form is valid. */
static int check_question(struct remote *remote, const char *method, yyjson_val *key,
                          yyjson_val *question)
{
    yyjson_val *params = yyjson_obj_get(question, "params");
    const char *asked = yyjson_get_str(yyjson_obj_get(question, "method"));
    char path[sizeof((haft_reason *)0)->path];
    haft_reason reason;

    if (!remote_can_ask(remote, asked, params))
        return remote_fail(remote, EXIT_PROTOCOL,
                           "the server requested %s, which haft does not support", asked);
    snprintf(path, sizeof path, "inputRequests.%.64s.params", yyjson_get_str(key));
    return hf_shape_check(&hf_shape_form, params, path, &reason)
               ? remote_malformed(remote, method, "", &reason)
               : 0;
}

/* Answers the questions in an incomplete result; writes the members for the next round. */
static int answer_inputs(struct remote *remote, const char *method, haft_buffer *out)
{
    yyjson_val *state = yyjson_obj_get(remote->result, "requestState"), *key;
    yyjson_obj_iter questions = yyjson_obj_iter_with(rpc_object(remote->result, "inputRequests"));
    struct json_writer w = json_members(out, true);
    int status = remote_check_result(remote, method, &hf_shape_input_required);

    if (status)
        return status;
    hf_json_begin_object(json_key(&w, "inputResponses"));
    while ((key = yyjson_obj_iter_next(&questions))) {
        yyjson_val *question = yyjson_obj_iter_get_val(key);

        status = check_question(remote, method, key, question);
        if (status)
            return status;
        hf_json_name(&w, yyjson_get_str(key), yyjson_get_len(key));
        status = remote->options.elicit(remote->options.context, remote,
                                        rpc_object(question, "params"), hf_json_slot(&w));
        if (status)
            return status;
    }
    hf_json_end_object(&w);
    if (yyjson_is_str(state))
        hf_json_value(json_key(&w, "requestState"), state);
    return out->status ? remote_fail(remote, EXIT_LOCAL, "cannot write the answer: %s",
                                     haft_strerror(out->status))
                       : 0;
}

/* Sends a request; if the server has forgotten the session, sends it once more in a new one. */
static int ask_once(struct remote *remote, const struct remote_request *request)
{
    int status = remote_exchange(remote, request, remote->options.timeout);

    if (remote->session_gone && status != EXIT_INTERRUPTED) {
        status = remote_negotiate(remote);
        if (!status)
            status = remote_exchange(remote, request, remote->options.timeout);
    }
    if (!status)
        status = remote->error ? tell_error(remote, request->method)
                               : remote_check_result(remote, request->method, &hf_shape_result);
    return status;
}

int remote_ask(struct remote *remote, const struct remote_request *request, yyjson_val **ret_result)
{
    struct remote_request next = *request;
    haft_buffer params;
    int status = 0;

    haft_buffer_init(&params, NULL, PARAMS_LIMIT);
    for (int round = 0;; round++) {
        yyjson_val *type;

        status = ask_once(remote, &next);
        if (status)
            break;
        type = yyjson_obj_get(remote->result, "resultType");
        if (!type || yyjson_is_null(type) || yyjson_equals_str(type, "complete")) {
            if (request->shape)
                status = remote_check_result(remote, request->method, request->shape);
            break;
        }
        if (!yyjson_equals_str(type, "input_required") || !request->params ||
            round == REMOTE_MAX_ROUNDS) {
            status = remote_fail(remote, EXIT_PROTOCOL,
                                 round == REMOTE_MAX_ROUNDS
                                     ? "the server asked for input too many times"
                                     : "the server returned an unknown type of result");
            break;
        }
        haft_buffer_clear(&params);
        haft_buffer_puts(&params, request->params);
        status = answer_inputs(remote, request->method, &params);
        if (status)
            break;
        haft_buffer_add(&params, "", 1);
        next.params = params.data;
        if (params.status) {
            status = remote_fail(remote, EXIT_LOCAL, "%s", haft_strerror(params.status));
            break;
        }
    }
    haft_buffer_finish(&params);
    if (!status)
        *ret_result = remote->result;
    return status;
}

/* ---- opening and closing ---- */

static int open_signals(struct remote *remote)
{
    uv_signal_t *handles[] = {&remote->interrupt, &remote->terminate};
    const int numbers[] = {SIGINT, SIGTERM};

    if (uv_loop_init(&remote->loop))
        return EXIT_LOCAL;
    remote->handles = 1;
    uv_timer_init(&remote->loop, &remote->timer);
    uv_timer_init(&remote->loop, &remote->pause);
    remote->timer.data = remote;
    for (size_t i = 0; i < 2; i++) {
        if (uv_signal_init(&remote->loop, handles[i]))
            return EXIT_LOCAL;
        remote->handles++;
        handles[i]->data = remote;
        uv_signal_start(handles[i], on_signal, numbers[i]);
    }
    return 0;
}

int remote_open(struct remote **ret_remote, const struct remote_options *options)
{
    struct remote *remote = calloc(1, sizeof *remote);
    int status;

    *ret_remote = remote;
    if (!remote)
        return EXIT_LOCAL;
    remote->options = *options;
    remote->last = &remote->first;
    remote->revision = REV_NEWEST;
    remote->arena = haft_arena_new(NULL, REMOTE_ARENA_LIMIT);
    if (!remote->arena || open_signals(remote))
        return remote_fail(remote, EXIT_LOCAL, "out of memory");
    status = options->child ? wire_open_process(remote, &remote->wire, &remote->transport)
                            : wire_open_http(remote, &remote->wire, &remote->transport);
    return status ? status : remote_negotiate(remote);
}

static void close_loop(struct remote *remote)
{
    if (!remote->handles)
        return;
    uv_close((uv_handle_t *)&remote->timer, NULL);
    uv_close((uv_handle_t *)&remote->pause, NULL);
    if (remote->handles > 1)
        uv_close((uv_handle_t *)&remote->interrupt, NULL);
    if (remote->handles > 2)
        uv_close((uv_handle_t *)&remote->terminate, NULL);
    while (uv_run(&remote->loop, UV_RUN_DEFAULT))
        ;
    uv_loop_close(&remote->loop);
}

void remote_close(struct remote *remote)
{
    if (!remote)
        return;
    remote->outcome = ANSWERED; /* nothing is pending any more */
    if (remote->wire)
        remote->transport->close(remote->wire);
    close_loop(remote);
    while (remote->first) {
        struct incoming *incoming = remote->first;

        remote->first = incoming->next;
        free(incoming);
    }
    haft_arena_free(remote->arena);
    free(remote);
}

const char *remote_why(const struct remote *remote)
{
    return remote ? remote->why : "out of memory";
}

int remote_error_code(const struct remote *remote)
{
    return (int)yyjson_get_sint(yyjson_obj_get(remote->error, "code"));
}

enum revision remote_revision(const struct remote *remote)
{
    return remote->revision;
}

bool remote_has_headers(const struct remote *remote)
{
    return !remote->options.child && hf_revision_rows[remote->revision].modern;
}

yyjson_val *remote_server_info(const struct remote *remote)
{
    return remote->server_info;
}

yyjson_val *remote_capabilities(const struct remote *remote)
{
    return remote->capabilities;
}
