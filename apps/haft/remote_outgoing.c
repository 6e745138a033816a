/* remote_outgoing.c - messages as they are written, and put on the wire. */
#include <string.h>

#include "remote_link.h"

enum { LETTER_LIMIT = 64 << 20 };

static int send_outgoing(struct remote *remote, const struct outgoing *outgoing, int built)
{
    if (built)
        return remote_fail(remote, EXIT_LOCAL, "cannot write the message: %s",
                           haft_strerror(built));
    return remote->transport->send(remote->wire, outgoing);
}

const char *remote_client_capabilities(const struct remote *remote)
{
    return remote->options.elicit && hf_revision_rows[remote->revision].elicitation
               ? "{\"elicitation\":{}}"
               : "{}";
}

/* The newest revision describes the client with each request. */
static void put_meta(struct remote *remote, const struct remote_request *request, haft_buffer *out)
{
    bool modern = hf_revision_rows[remote->revision].modern;

    if (!modern && !request->with_progress)
        return;
    haft_buffer_printf(out, "%s\"_meta\":{", request->params ? "," : "");
    if (modern)
        haft_buffer_printf(out,
                           "\"" META_VERSION "\":\"%s\",\"" META_CLIENT_INFO
                           "\":{\"name\":\"haft\",\"version\":\"" HAFT_VERSION
                           "\"},\"" META_CLIENT_CAPABILITIES "\":%s",
                           hf_revision_rows[remote->revision].name,
                           remote_client_capabilities(remote));
    if (modern && remote->options.logs)
        haft_buffer_puts(out, ",\"" META_LOG_LEVEL "\":\"info\"");
    if (request->with_progress)
        haft_buffer_printf(out, "%s\"" META_PROGRESS "\":%lld", modern ? "," : "",
                           (long long)remote->id);
    haft_buffer_puts(out, "}");
}

int remote_send_request(struct remote *remote, const struct remote_request *request)
{
    bool bare =
        !request->params && !request->with_progress && !hf_revision_rows[remote->revision].modern;
    struct outgoing outgoing;
    haft_buffer text;
    int status;

    haft_buffer_init(&text, NULL, LETTER_LIMIT);
    haft_buffer_printf(&text, "{\"jsonrpc\":\"2.0\",\"id\":%lld,\"method\":\"%s\"",
                       (long long)remote->id, request->method);
    if (!bare) {
        haft_buffer_puts(&text, ",\"params\":{");
        haft_buffer_puts(&text, request->params ? request->params : "");
        put_meta(remote, request, &text);
        haft_buffer_puts(&text, "}");
    }
    haft_buffer_puts(&text, "}");
    outgoing = (struct outgoing){.text = text.data,
                                 .size = text.size,
                                 .id = remote->id,
                                 .method = request->method,
                                 .name = request->name,
                                 .parameters = request->parameters};
    status = send_outgoing(remote, &outgoing, text.status);
    haft_buffer_finish(&text);
    return status;
}

int remote_notify(struct remote *remote, const char *method, const char *params)
{
    struct outgoing outgoing = {.method = method};
    haft_buffer text;
    int status;

    haft_buffer_init(&text, NULL, LETTER_LIMIT);
    haft_buffer_printf(&text, "{\"jsonrpc\":\"2.0\",\"method\":\"%s\"", method);
    if (params)
        haft_buffer_printf(&text, ",\"params\":{%s}", params);
    haft_buffer_puts(&text, "}");
    outgoing.text = text.data;
    outgoing.size = text.size;
    status = send_outgoing(remote, &outgoing, text.status);
    haft_buffer_finish(&text);
    return status;
}

int remote_reply(struct remote *remote, const yyjson_val *id, const haft_buffer *result, int code)
{
    struct outgoing outgoing = {0};
    haft_buffer text;
    int status;

    haft_buffer_init(&text, NULL, LETTER_LIMIT);
    if (result->size) {
        haft_buffer_puts(&text, "{\"jsonrpc\":\"2.0\",\"id\":");
        hf_rpc_put_id(&text, id);
        haft_buffer_puts(&text, ",\"result\":");
        haft_buffer_add(&text, result->data, result->size);
        haft_buffer_puts(&text, "}");
    } else {
        hf_rpc_put_error(&text, id, code, NULL, NULL);
    }
    outgoing.text = text.data;
    outgoing.size = text.size;
    status = send_outgoing(remote, &outgoing, text.status ? text.status : result->status);
    haft_buffer_finish(&text);
    return status;
}
