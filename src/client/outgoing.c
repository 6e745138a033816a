/* outgoing.c - writes messages, with the headers that belong to them, and sends them.
 *
 * A modern request identifies the client in its _meta; members in the caller's own _meta are
 * kept. */
#include <string.h>

#include "client/client.h"
#include "client/mirror.h"
#include "client/task.h"

enum { OUTGOING_HEADERS = 3 }; /* the revision, the method and its subject */

/* ---- about the client ---- */

void hf_client_put_info(const haft_client *client, struct json_writer *w)
{
    hf_json_begin_object(w);
    hf_json_text(json_key(w, "name"), client->options.name);
    hf_json_text(json_key(w, "version"), client->options.version);
    hf_json_end_object(w);
}

const char *hf_client_capabilities(const haft_client *client)
{
    const struct revision_row *row = &hf_revision_rows[client->revision];

    if (client->options.capabilities)
        return client->options.capabilities;
    if (!client->options.answer && !client->options.ask)
        return "{}";
    if (row->modes)
        return "{\"elicitation\":{\"form\":{},\"url\":{}},\"sampling\":{\"tools\":{}},\"roots\":{}}";
    return row->elicitation ? "{\"elicitation\":{},\"sampling\":{},\"roots\":{}}"
                            : "{\"sampling\":{},\"roots\":{}}";
}

/* Whether a request of this method declares the extension: it may become a task, or be about one. */
static bool outgoing_offers_tasks(const haft_client *client, const char *method)
{
    return !client->options.no_tasks &&
           (!strcmp(method, "tools/call") || !strncmp(method, "tasks/", 6) ||
            !strcmp(method, "subscriptions/listen"));
}

static void outgoing_put_members(struct json_writer *w, yyjson_val *object, const char *except);

/* Adds the extension to the capabilities, once. */
static void outgoing_declare_tasks(haft_client *client, const char *capabilities)
{
    haft_buffer *declared = &client->negotiation.declared;
    struct json_writer w = {.out = declared};
    yyjson_val *theirs =
        haft_json_read(capabilities, strlen(capabilities), JSON_MAX_DEPTH, client->scratch, NULL);

    haft_buffer_clear(declared);
    if (!yyjson_is_obj(theirs))
        return;
    hf_json_begin_object(&w);
    outgoing_put_members(&w, theirs, "extensions");
    hf_json_begin_object(json_key(&w, "extensions"));
    outgoing_put_members(&w, rpc_object(theirs, "extensions"), CLIENT_TASK_EXTENSION);
    hf_json_begin_object(json_key(&w, CLIENT_TASK_EXTENSION));
    hf_json_end_object(&w);
    hf_json_end_object(&w);
    hf_json_end_object(&w);
}

static void outgoing_put_capabilities(haft_client *client, struct json_writer *w,
                                      const char *method)
{
    const haft_buffer *declared = &client->negotiation.declared;
    const char *capabilities = hf_client_capabilities(client);

    if (!outgoing_offers_tasks(client, method)) {
        hf_json_raw(w, capabilities, strlen(capabilities));
        return;
    }
    if (!declared->size || declared->status)
        outgoing_declare_tasks(client, capabilities);
    if (declared->status)
        client->out.status = declared->status;
    else if (declared->size)
        hf_json_raw(w, declared->data, declared->size);
    else /* what the program declares is not an object */
        hf_json_raw(w, capabilities, strlen(capabilities));
}

/* ---- parameters ---- */

/* Writes members of _meta that the caller has not set. */
static void outgoing_put_meta(haft_client *client, struct json_writer *w, yyjson_val *theirs,
                              const struct client_request *request)
{
    bool modern = client_is_modern(client), written = request->written.members;

    if (modern && !yyjson_obj_get(theirs, META_VERSION))
        hf_json_text(json_key(w, META_VERSION), hf_revision_rows[client->revision].name);
    if (modern && !written && !yyjson_obj_get(theirs, META_CLIENT_CAPABILITIES))
        outgoing_put_capabilities(client, json_key(w, META_CLIENT_CAPABILITIES),
                                  request->text.data);
    if (modern && !yyjson_obj_get(theirs, META_CLIENT_INFO))
        hf_client_put_info(client, json_key(w, META_CLIENT_INFO));
    if (modern && !written && client->options.log_level && !yyjson_obj_get(theirs, META_LOG_LEVEL))
        hf_json_text(json_key(w, META_LOG_LEVEL), client->options.log_level);
    if ((client->options.progress || request->progress) && !yyjson_obj_get(theirs, META_PROGRESS))
        hf_json_integer(json_key(w, META_PROGRESS), request->wire_id);
}

static void outgoing_put_members(struct json_writer *w, yyjson_val *object, const char *except)
{
    yyjson_val *key, *value;
    size_t i, n;

    if (!object)
        return;
    yyjson_obj_foreach(object, i, n, key, value)
        if (!except || !yyjson_equals_str(key, except))
            hf_json_value(hf_json_name(w, yyjson_get_str(key), yyjson_get_len(key)), value);
}

/* Writes the wish for a task, and for how long the client would wait for it. */
static void outgoing_put_task(const haft_client *client, struct json_writer *w)
{
    hf_json_begin_object(json_key(w, "task"));
    if (client->options.task_timeout_ms)
        hf_json_integer(json_key(w, "ttl"), client->options.task_timeout_ms);
    hf_json_end_object(w);
}

/* Writes the members of `_meta` of parameters that haft has written. */
static void outgoing_put_written_meta(struct json_writer *w, const struct client_request *request)
{
    const char *begin = request_params(request) + request->written.meta;
    const char *end = request->text.data + request->text.size - sizeof "}}"; /* with the NUL */

    hf_json_raw_members(w, begin, (size_t)(end - begin));
}

/* Writes the parameters of a request with _meta, or of a notification, whose request is NULL. */
static void outgoing_put_params(haft_client *client, struct json_writer *w, yyjson_val *params,
                                const struct client_request *request, const haft_buffer *responses,
                                const yyjson_val *state)
{
    bool written = request && request->written.members;
    yyjson_val *theirs = written ? NULL : rpc_object(params, "_meta");
    bool ours =
        request && (client_is_modern(client) || client->options.progress || request->progress);

    hf_json_begin_object(json_key(w, "params"));
    if (written)
        hf_json_raw_members(w, request_params(request) + 1, request->written.members - 1);
    else
        outgoing_put_members(w, params, "_meta");
    if (responses)
        hf_json_raw(json_key(w, "inputResponses"), responses->data, responses->size);
    if (state)
        hf_json_value(json_key(w, "requestState"), state);
    if (request && request->flags & REQUEST_AS_TASK)
        outgoing_put_task(client, w);
    if (theirs || ours || written) {
        hf_json_begin_object(json_key(w, "_meta"));
        if (ours)
            outgoing_put_meta(client, w, theirs, request);
        if (written)
            outgoing_put_written_meta(w, request);
        else
            outgoing_put_members(w, theirs, NULL);
        hf_json_end_object(w);
    }
    hf_json_end_object(w);
}

yyjson_val *hf_outgoing_params(haft_client *client, const char *params, int *ret_status)
{
    haft_reason reason = {.code = HAFT_EINVAL};
    yyjson_val *value = haft_json_read(params ? params : "{}", params ? strlen(params) : 2,
                                       JSON_MAX_DEPTH, client->scratch, &reason);

    *ret_status = 0;
    if (yyjson_is_obj(value))
        return value;
    *ret_status = !value && reason.code == HAFT_ENOMEM ? HAFT_ENOMEM : HAFT_EINVAL;
    return NULL;
}

/* ---- headers ---- */

/* The member of the parameters that names the subject of a request, for proxies. */
static yyjson_val *outgoing_subject(const char *method, yyjson_val *params)
{
    static const struct {
        const char *method, *member;
    } rows[] = {{"tools/call", "name"},  {"prompts/get", "name"},    {"resources/read", "uri"},
                {"tasks/get", "taskId"}, {"tasks/update", "taskId"}, {"tasks/cancel", "taskId"}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].method, method))
            return rpc_string(params, rows[i].member);
    return NULL;
}

/* Writes the headers of a message; `method` is NULL for a response.  Returns their number, or 0 with
 * *ret_status set. */
static size_t outgoing_headers(haft_client *client, const char *method, yyjson_val *params,
                               haft_header *headers, int *ret_status)
{
    const struct revision_row *row = &hf_revision_rows[client->revision];
    yyjson_val *version = rpc_string(rpc_object(params, "_meta"), META_VERSION);
    yyjson_val *subject = method && row->modern ? outgoing_subject(method, params) : NULL;
    size_t n = 0;

    *ret_status = 0;
    if (row->header && !(method && !strcmp(method, "initialize")))
        headers[n++] = (haft_header){"MCP-Protocol-Version",
                                     row->modern && version ? yyjson_get_str(version) : row->name};
    if (row->modern && method)
        headers[n++] = (haft_header){"Mcp-Method", method};
    if (subject) {
        const char *value =
            hf_mirror_encode(yyjson_get_str(subject), yyjson_get_len(subject), client->scratch);

        *ret_status = value ? 0 : HAFT_ENOMEM;
        headers[n++] = (haft_header){"Mcp-Name", value};
    }
    return *ret_status ? 0 : n;
}

/* ---- sending ---- */

static int outgoing_send(haft_client *client, haft_outgoing *message)
{
    haft_buffer *out = &client->out;
    int status = out->status ? out->status : client->closed ? HAFT_ECLOSED : 0;

    if (!status) {
        hf_client_show(client, true, out->data, out->size);
        client->sent = 0;
        message->text = out->data;
        message->size = out->size;
        client->transport.send(client->transport.context, message);
        status = client->sent;
    }
    haft_buffer_clear(out);
    return status;
}

int hf_client_deliver(haft_client *client, haft_outgoing_kind kind)
{
    haft_header headers[OUTGOING_HEADERS];
    haft_outgoing message = {.kind = kind, .headers = headers};
    int status = 0;

    if (client_has_headers(client))
        message.n_headers = outgoing_headers(client, NULL, NULL, headers, &status);
    return outgoing_send(client, &message);
}

int hf_outgoing_request(haft_client *client, const struct client_request *request,
                        yyjson_val *params, const haft_buffer *responses, const yyjson_val *state,
                        const haft_header *mirrors, size_t n_mirrors)
{
    const char *method = request->text.data;
    haft_outgoing message = {
        .kind = HAFT_OUT_REQUEST, .tag = (void *)(intptr_t)request->wire_id, .method = method};
    struct json_writer w = {.out = &client->out};
    int status = 0;

    haft_buffer_clear(&client->out);
    hf_rpc_begin_request(&w, request->wire_id, method);
    outgoing_put_params(client, &w, params, request, responses, state);
    hf_json_end_object(&w);
    if (client_has_headers(client)) {
        haft_header *headers =
            haft_arena_zalloc(client->scratch, OUTGOING_HEADERS + n_mirrors, sizeof *headers);

        if (!headers)
            return HAFT_ENOMEM;
        message.headers = headers;
        message.n_headers = outgoing_headers(client, method, params, headers, &status);
        if (status)
            return status;
        if (n_mirrors)
            memcpy(headers + message.n_headers, mirrors, n_mirrors * sizeof *mirrors);
        message.n_headers += n_mirrors;
    }
    return outgoing_send(client, &message);
}

int hf_outgoing_notification(haft_client *client, const char *method, yyjson_val *params)
{
    haft_header headers[OUTGOING_HEADERS];
    haft_outgoing message = {.kind = HAFT_OUT_NOTIFICATION, .method = method, .headers = headers};
    struct json_writer w = {.out = &client->out};
    int status = 0;

    haft_buffer_clear(&client->out);
    hf_rpc_begin_notification(&w, method);
    if (params)
        outgoing_put_params(client, &w, params, NULL, NULL, NULL);
    hf_json_end_object(&w);
    if (client_has_headers(client))
        message.n_headers = outgoing_headers(client, method, params, headers, &status);
    return status ? status : outgoing_send(client, &message);
}

/* A modern server notices that the connection of the request ends.  The handshake cannot be
 * cancelled. */
int hf_outgoing_cancel(haft_client *client, const struct client_request *request,
                       const char *reason)
{
    haft_header headers[OUTGOING_HEADERS];
    haft_outgoing message = {
        .kind = HAFT_OUT_NOTIFICATION, .method = "notifications/cancelled", .headers = headers};
    struct json_writer w = {.out = &client->out};
    int status = 0;

    if (client->transport.let_go && !client->closed)
        client->transport.let_go(client->transport.context, (void *)(intptr_t)request->wire_id,
                                 true);
    if ((client->transport.let_go && client_is_modern(client)) ||
        !strcmp(request->text.data, "initialize"))
        return 0;
    haft_buffer_clear(&client->out);
    hf_rpc_begin_notification(&w, message.method);
    hf_json_begin_object(json_key(&w, "params"));
    hf_json_integer(json_key(&w, "requestId"), request->wire_id);
    if (reason)
        hf_json_text(json_key(&w, "reason"), reason);
    hf_json_end_object(&w);
    hf_json_end_object(&w);
    if (client_has_headers(client))
        message.n_headers = outgoing_headers(client, message.method, NULL, headers, &status);
    return outgoing_send(client, &message);
}
