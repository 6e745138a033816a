/* respond.c - answers on the wire.
 *
 * A result is written straight into the session's buffer, between what comes before it and what a
 * modern client wants after it; one buffer serves every answer. */
#include <string.h>

#include "engine/call/respond.h"

enum { SHORT_ERROR = 1023 };

/* There is no memory for an answer, nor for an error: this takes none.  Who has asked must not wait
 * for ever; only an id that does not fit is left out. */
static void send_without_memory(haft_call *call)
{
    char room[SHORT_ERROR + 1];
    haft_buffer text = {.data = room, .capacity = sizeof room, .limit = SHORT_ERROR};

    rpc_put_error(&text, call->request.id, RPC_INTERNAL_ERROR, NULL, NULL);
    if (text.status) {
        haft_buffer_clear(&text);
        rpc_put_error(&text, NULL, RPC_INTERNAL_ERROR, NULL, NULL);
    }
    owner_give(call->owner, &(haft_outgoing){text.data, text.size, HAFT_OUT_RESPONSE,
                                             call->request.tag, RPC_INTERNAL_ERROR, 503});
    haft_buffer_clear(&call->owner->out);
}

/* Sends the response in owner->out and marks the call as answered. */
static void send_response(haft_call *call, int error_code)
{
    haft_buffer *out = &call->owner->out;

    /* Whatever could not be written, that there was a request must not be forgotten. */
    if (out->status && !call->owner->closed) {
        bool big = out->status == HAFT_ETOOBIG;

        server_log(call->server, HAFT_ERROR, "an answer could not be written: %s",
                   haft_strerror(out->status));
        haft_buffer_clear(out);
        error_code = RPC_INTERNAL_ERROR;
        rpc_put_error(out, call->request.id, error_code,
                      big ? "Internal error: the result is too large" : NULL, NULL);
    }
    call->answered = true;
    if (call->request.batch) {
        struct batch *batch = call->request.batch;

        call->request.batch = NULL;
        batch->left--;
        batch_collect(call->owner, batch, error_code);
        batch_send(call->owner, batch);
    } else if (out->status && !call->owner->closed) {
        send_without_memory(call);
    } else {
        owner_send_as(call->owner, HAFT_OUT_RESPONSE, call->request.tag, error_code,
                      call->error.http_status ? call->error.http_status : 200);
    }
}

void respond_written(haft_call *call, int error_code)
{
    send_response(call, error_code);
}

haft_buffer *respond_begin(haft_call *call)
{
    haft_buffer *out = &call->owner->out;

    buffer_literal(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    rpc_put_id(out, call->request.id);
    buffer_literal(out, ",\"result\":{");
    return out;
}

void respond_end(haft_call *call, bool any)
{
    respond_end_as(call, any, NULL);
}

void respond_end_as(haft_call *call, bool any, const char *type)
{
    haft_buffer *out = &call->owner->out;
    const haft_buffer *meta = &call->result_meta;
    const struct text *tail = &call->server->modern_tail;
    bool modern = revision_row(call->revision)->modern;

    if (modern) {
        if (any)
            buffer_literal(out, ",");
        buffer_literal(out, "\"resultType\":");
        if (type)
            haft_buffer_json_string(out, type, strlen(type));
        else
            buffer_literal(out, "\"complete\"");
    }
    if (modern || meta->size) {
        if (any || modern)
            buffer_literal(out, ",");
        buffer_literal(out, "\"_meta\":{");
        if (modern)
            buffer_add(out, tail->data, tail->size);
        if (modern && meta->size)
            buffer_literal(out, ",");
        buffer_add(out, meta->data, meta->size);
        buffer_literal(out, "}");
    }
    buffer_literal(out, "}}");
    send_response(call, 0);
}

void respond_empty(haft_call *call)
{
    respond_begin(call);
    respond_end(call, false);
}

void respond_error(haft_call *call, int code, const char *message, const char *data)
{
    haft_buffer_clear(&call->owner->out);
    rpc_put_error(&call->owner->out, call->request.id, code, message, data);
    send_response(call, code);
}

void respond_errorf(haft_call *call, int code, const char *format, ...)
{
    char *message;
    va_list args;

    va_start(args, format);
    message = haft_arena_vprintf(call->arena, format, args);
    va_end(args);
    respond_error(call, code, message, NULL);
}
