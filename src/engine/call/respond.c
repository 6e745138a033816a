/* respond.c - writes responses.
 *
 * A result is written directly into the owner's buffer, between the JSON-RPC members and those that
 * modern clients expect after it; one buffer serves every response. */
#include <string.h>

#include "engine/call/respond.h"

enum { SHORT_ERROR = 1023, RESPOND_HTTP_OK = 200 };

/* Sends an error without allocating, so that the client does not wait forever; only an id that does
 * not fit is omitted. */
static void send_without_memory(haft_call *call)
{
    char room[SHORT_ERROR + 1];
    haft_buffer text = {.data = room, .capacity = sizeof room, .limit = SHORT_ERROR};

    hf_rpc_put_error(&text, call->request.id, RPC_INTERNAL_ERROR, NULL, NULL);
    if (text.status) {
        haft_buffer_clear(&text);
        hf_rpc_put_error(&text, NULL, RPC_INTERNAL_ERROR, NULL, NULL);
    }
    hf_owner_give(call->owner, &(haft_outgoing){.text = text.data,
                                                .size = text.size,
                                                .kind = HAFT_OUT_RESPONSE,
                                                .tag = call->request.tag,
                                                .error_code = RPC_INTERNAL_ERROR,
                                                .http_status = 503});
    haft_buffer_clear(&call->owner->out);
}

void hf_respond_written(haft_call *call, int error_code)
{
    int status = call->error.http_status ? call->error.http_status : RESPOND_HTTP_OK;
    struct owner *owner = call->owner;
    haft_buffer *out = &owner->out;

    /* A request must get some response, even if writing failed. */
    if (out->status && !owner->closed) {
        bool big = out->status == HAFT_ETOOBIG;

        hf_server_log(call->server, HAFT_ERROR, "cannot write a response: %s",
                      haft_strerror(out->status));
        haft_buffer_clear(out);
        error_code = RPC_INTERNAL_ERROR;
        hf_rpc_put_error(out, call->request.id, error_code,
                         big ? "Internal error: the result is too large" : NULL, NULL);
    }
    call->answered = true;
    if (call->request.batch) {
        struct batch *batch = call->request.batch;

        call->request.batch = NULL;
        batch->left--;
        hf_batch_collect(owner, batch, error_code);
        hf_batch_send(owner, batch);
    } else if (owner->closed) {
        haft_buffer_clear(out);
    } else if (out->status) {
        send_without_memory(call);
    } else {
        hf_owner_give(owner, &(haft_outgoing){.text = out->data,
                                              .size = out->size,
                                              .kind = HAFT_OUT_RESPONSE,
                                              .tag = call->request.tag,
                                              .error_code = error_code,
                                              .http_status = status,
                                              .scopes = call->error.scopes});
        hf_buffer_trim(out, SPARE_BYTES);
    }
}

haft_buffer *hf_respond_begin(haft_call *call)
{
    haft_buffer *out = &call->owner->out;

    buffer_literal(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    hf_rpc_put_id(out, call->request.id);
    buffer_literal(out, ",\"result\":{");
    return out;
}

void hf_respond_end(haft_call *call, bool any, const char *type)
{
    haft_buffer *out = &call->owner->out;
    const haft_buffer *meta = &call->result_meta;
    const struct text *tail = &call->server->modern_tail;
    bool modern = hf_revision_rows[call->revision].modern;

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
    hf_respond_written(call, 0);
}

void hf_respond_empty(haft_call *call)
{
    hf_respond_begin(call);
    hf_respond_end(call, false, NULL);
}

void hf_respond_error(haft_call *call, int code, const char *message, const char *data)
{
    haft_buffer_clear(&call->owner->out);
    hf_rpc_put_error(&call->owner->out, call->request.id, code, message, data);
    hf_respond_written(call, code);
}

void hf_respond_errorf(haft_call *call, int code, const char *format, ...)
{
    char *message;
    va_list args;

    va_start(args, format);
    message = haft_arena_vprintf(call->arena, format, args);
    va_end(args);
    hf_respond_error(call, code, message, NULL);
}
