/* remote_message.c - what is heard: put down by the wires, and taken when the loop has come back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "remote_link.h"

enum { RESULT_LIMIT = 1 << 20, REMOTE_MESSAGE_MAX_DEPTH = 512 };

/* ---- what the wires tell ---- */

void remote_incoming(struct remote *remote, const char *text, size_t size)
{
    struct incoming *incoming = malloc(sizeof *incoming + size);

    if (!incoming) {
        remote_lost(remote, 0, EXIT_LOCAL, "out of memory");
        return;
    }
    incoming->next = NULL;
    incoming->size = size;
    memcpy(incoming->text, text, size);
    *remote->last = incoming;
    remote->last = &incoming->next;
    uv_stop(&remote->loop);
}

/* Takes effect when everything that was heard before has been looked at: an answer may be among
 * it. */
static void put_down(struct remote *remote, struct loss loss, const char *format, va_list args)
{
    if (remote->loss.outcome != WAITING || (loss.id && loss.id != remote->id))
        return;
    remote->loss = loss;
    uv_stop(&remote->loop);
    vsnprintf(remote->loss.why, sizeof remote->loss.why, format, args);
}

void remote_lost(struct remote *remote, int64_t id, int code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    put_down(remote, (struct loss){.outcome = LOST, .id = id, .code = code}, format, args);
    va_end(args);
}

void remote_refused(struct remote *remote, int64_t id, int http_status, const char *format, ...)
{
    struct loss loss = {
        .outcome = REFUSED, .id = id, .code = EXIT_CONNECTION, .http_status = http_status};
    va_list args;

    va_start(args, format);
    put_down(remote, loss, format, args);
    va_end(args);
}

int remote_fail(struct remote *remote, int code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(remote->why, sizeof remote->why, format, args);
    va_end(args);
    return remote->code = code;
}

/* ---- what the server asks ---- */

bool remote_can_ask(const struct remote *remote, const char *method, yyjson_val *params)
{
    yyjson_val *mode = yyjson_obj_get(params, "mode");

    return method && !strcmp(method, "elicitation/create") && remote->options.elicit &&
           (!mode || yyjson_equals_str(mode, "form"));
}

static int remote_message_answer(struct remote *remote, const struct rpc_message *message)
{
    bool elicits = !strcmp(message->method, "elicitation/create") && remote->options.elicit;
    haft_buffer result;
    int status = 0;

    haft_buffer_init(&result, NULL, RESULT_LIMIT);
    if (remote_can_ask(remote, message->method, message->params) &&
        !hf_shape_check(&hf_shape_form, message->params, "", NULL))
        status = remote->options.elicit(remote->options.context, remote, message->params, &result);
    else if (!strcmp(message->method, "ping"))
        haft_buffer_puts(&result, "{}");
    if (!status)
        status = remote_reply(remote, message->id, &result,
                              elicits ? RPC_INVALID_PARAMS : RPC_METHOD_NOT_FOUND);
    haft_buffer_finish(&result);
    return status;
}

/* ---- what is heard ---- */

/* What was heard ends the request at once. */
static void break_off(struct remote *remote, int code, const char *format, ...) HAFT_PRINTF_(3, 4);
static void break_off(struct remote *remote, int code, const char *format, ...)
{
    va_list args;

    if (remote->outcome != WAITING)
        return;
    remote->outcome = LOST;
    remote->code = code;
    va_start(args, format);
    vsnprintf(remote->why, sizeof remote->why, format, args);
    va_end(args);
}

/* An error that names no request is about the only one that there is. */
static void remote_message_take_response(struct remote *remote, const struct rpc_message *message)
{
    int64_t id = yyjson_get_sint(message->id);
    bool ours = yyjson_is_int(message->id) && id >= 1 && id <= remote->id;

    if (!message->id || yyjson_is_null(message->id) ? message->error != NULL
                                                    : ours && id == remote->id) {
        if (remote->outcome != WAITING)
            return;
        remote->outcome = ANSWERED;
        remote->result = message->result;
        remote->error = message->error;
    } else if (!ours) {
        haft_buffer text;

        haft_buffer_init(&text, NULL, sizeof remote->why);
        if (message->id)
            hf_rpc_put_id(&text, message->id);
        haft_buffer_add(&text, "", 1);
        break_off(remote, EXIT_PROTOCOL, "the server answered a request that haft did not send%s%s",
                  message->id && !text.status ? ": id " : "",
                  message->id && !text.status ? text.data : "");
        haft_buffer_finish(&text);
    }
}

/* 0, or an exit code that ends the request. */
static int take_message(struct remote *remote, yyjson_val *root)
{
    struct rpc_message message;

    hf_rpc_read(root, &message);
    switch (message.kind) {
    case RPC_RESPONSE:
        remote_message_take_response(remote, &message);
        return 0;
    case RPC_REQUEST:
        /* The newest revision has no requests of servers, and no answers of clients. */
        return hf_revision_rows[remote->revision].modern ? 0
                                                         : remote_message_answer(remote, &message);
    case RPC_NOTIFICATION:
        if (remote->options.notified)
            remote->options.notified(remote->options.context, message.method, message.params);
        return 0;
    case RPC_INVALID:
        break;
    }
    /* An error of a request that could not be read has no id. */
    message.error = rpc_object(root, "error");
    message.id = NULL;
    if (message.error && !yyjson_is_int(yyjson_obj_get(root, "id"))) {
        remote_message_take_response(remote, &message);
        return 0;
    }
    break_off(remote, EXIT_PROTOCOL, "invalid message from the server: %s",
              message.why ? message.why : "it is not JSON-RPC");
    return 0;
}

/* The beginning of what is not JSON, with nothing in it that a terminal would obey. */
static void tell_garbage(struct remote *remote, const struct incoming *incoming, const char *reason)
{
    char start[61];
    size_t n = incoming->size < sizeof start - 1 ? incoming->size : sizeof start - 1;

    for (size_t i = 0; i < n; i++)
        start[i] = incoming->text[i] >= 0x20 && incoming->text[i] < 0x7F ? incoming->text[i] : '?';
    start[n] = '\0';
    break_off(remote, EXIT_PROTOCOL, "invalid message from the server: %s: %s%s", reason, start,
              n < incoming->size ? "..." : "");
}

/* Some old revisions send several messages as an array. */
static int remote_message_take(struct remote *remote, const struct incoming *incoming)
{
    arena_mark mark = hf_arena_save(remote->arena);
    bool waited = remote->outcome == WAITING;
    haft_reason reason = {0};
    yyjson_val *root = haft_json_read(incoming->text, incoming->size, REMOTE_MESSAGE_MAX_DEPTH,
                                      remote->arena, &reason);
    int status = 0;

    if (!root && reason.code == HAFT_ENOMEM) {
        break_off(remote, EXIT_LOCAL, "out of memory");
    } else if (!root) {
        tell_garbage(remote, incoming, reason.text);
    } else if (yyjson_is_arr(root)) {
        size_t i, n;
        yyjson_val *one;

        yyjson_arr_foreach(root, i, n, one) {
            if (!status)
                status = take_message(remote, one);
        }
    } else {
        status = take_message(remote, root);
    }
    /* What an answer points to stays; everything else is over. */
    if (!(waited && remote->outcome == ANSWERED))
        hf_arena_rewind(remote->arena, mark);
    return status;
}

int remote_take_all(struct remote *remote)
{
    int status = 0;

    while (remote->first && !status && remote->outcome == WAITING) {
        struct incoming *incoming = remote->first;

        remote->first = incoming->next;
        if (!remote->first)
            remote->last = &remote->first;
        status = remote_message_take(remote, incoming);
        free(incoming);
    }
    if (!remote->first && !status && remote->outcome == WAITING &&
        remote->loss.outcome != WAITING) {
        remote->outcome = remote->loss.outcome;
        remote->code = remote->loss.code;
        remote->http_status = remote->loss.http_status;
        memcpy(remote->why, remote->loss.why, sizeof remote->why);
    }
    return status;
}
