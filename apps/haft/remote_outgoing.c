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

void remote_put_client_info(struct json_writer *w)
{
    hf_json_begin_object(w);
    hf_json_text(json_key(w, "name"), "haft");
    hf_json_text(json_key(w, "version"), HAFT_VERSION);
    hf_json_end_object(w);
}

/* The newest revision describes the client with each request. */
static void put_meta(struct remote *remote, const struct remote_request *request,
                     struct json_writer *w)
{
    const char *capabilities = remote_client_capabilities(remote);
    bool modern = hf_revision_rows[remote->revision].modern;

    if (!modern && !request->with_progress)
        return;
    hf_json_begin_object(json_key(w, "_meta"));
    if (modern) {
        hf_json_text(json_key(w, META_VERSION), hf_revision_rows[remote->revision].name);
        remote_put_client_info(json_key(w, META_CLIENT_INFO));
        hf_json_raw(json_key(w, META_CLIENT_CAPABILITIES), capabilities, strlen(capabilities));
    }
    if (modern && remote->options.logs)
        hf_json_text(json_key(w, META_LOG_LEVEL), "info");
    if (request->with_progress)
        hf_json_integer(json_key(w, META_PROGRESS), remote->id);
    hf_json_end_object(w);
}

int remote_send_request(struct remote *remote, const struct remote_request *request)
{
    bool bare =
        !request->params && !request->with_progress && !hf_revision_rows[remote->revision].modern;
    struct outgoing outgoing;
    haft_buffer text;
    struct json_writer w = {.out = &text};
    int status;

    haft_buffer_init(&text, NULL, LETTER_LIMIT);
    hf_rpc_begin_request(&w, remote->id, request->method);
    if (!bare) {
        hf_json_begin_object(json_key(&w, "params"));
        if (request->params)
            hf_json_raw_members(&w, request->params, strlen(request->params));
        put_meta(remote, request, &w);
        hf_json_end_object(&w);
    }
    hf_json_end_object(&w);
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
    struct json_writer w = {.out = &text};
    int status;

    haft_buffer_init(&text, NULL, LETTER_LIMIT);
    hf_rpc_begin_notification(&w, method);
    if (params) {
        hf_json_begin_object(json_key(&w, "params"));
        hf_json_raw_members(&w, params, strlen(params));
        hf_json_end_object(&w);
    }
    hf_json_end_object(&w);
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
    struct json_writer w = {.out = &text};
    int status;

    haft_buffer_init(&text, NULL, LETTER_LIMIT);
    if (result->size) {
        hf_rpc_begin_response(&w, id);
        hf_json_raw(json_key(&w, "result"), result->data, result->size);
        hf_json_end_object(&w);
    } else {
        hf_rpc_put_error(&text, id, code, NULL, NULL);
    }
    outgoing.text = text.data;
    outgoing.size = text.size;
    status = send_outgoing(remote, &outgoing, text.status ? text.status : result->status);
    haft_buffer_finish(&text);
    return status;
}
