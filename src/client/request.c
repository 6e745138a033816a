/* request.c - requests: written, sent, waited for.
 *
 * A modern request says in its _meta who the client is; what the caller has in its own _meta
 * stays. */
#include <string.h>

#include "client/client.h"

/* ---- writing ---- */

/* Members of the envelope that the caller has not written itself. */
static void put_own_meta(haft_client *client, haft_buffer *out, yyjson_val *theirs, int64_t id)
{
    const char *comma = "";

    if (client->modern && !yyjson_obj_get(theirs, META_VERSION)) {
        haft_buffer_printf(out, "\"" META_VERSION "\":\"%s\"",
                           hf_revision_rows[client->revision].name);
        comma = ",";
    }
    if (client->modern && !yyjson_obj_get(theirs, META_CLIENT_CAPABILITIES)) {
        haft_buffer_printf(out, "%s\"" META_CLIENT_CAPABILITIES "\":", comma);
        haft_buffer_puts(out, client->capabilities);
        comma = ",";
    }
    if (client->modern && !yyjson_obj_get(theirs, META_CLIENT_INFO)) {
        haft_buffer_printf(out, "%s\"" META_CLIENT_INFO "\":{\"name\":", comma);
        haft_buffer_json_string(out, client->name, strlen(client->name));
        haft_buffer_puts(out, ",\"version\":");
        haft_buffer_json_string(out, client->version, strlen(client->version));
        haft_buffer_add(out, "}", 1);
        comma = ",";
    }
    if (client->modern && client->options.log_level && !yyjson_obj_get(theirs, META_LOG_LEVEL)) {
        haft_buffer_printf(out, "%s\"" META_LOG_LEVEL "\":\"%s\"", comma,
                           client->options.log_level);
        comma = ",";
    }
    if (client->options.progress && !yyjson_obj_get(theirs, META_PROGRESS)) {
        haft_buffer_printf(out, "%s\"" META_PROGRESS "\":", comma);
        haft_buffer_json_integer(out, id);
    }
}

static void request_put_member(haft_buffer *out, const yyjson_val *key, const yyjson_val *value)
{
    char last = out->size ? out->data[out->size - 1] : '{';

    if (last != '{')
        haft_buffer_add(out, ",", 1);
    haft_json_write(key, out);
    haft_buffer_add(out, ":", 1);
    haft_json_write(value, out);
}

static void request_put_members(haft_buffer *out, yyjson_val *object, const char *except)
{
    yyjson_val *key, *value;
    size_t i, n;

    if (!object)
        return;
    yyjson_obj_foreach(object, i, n, key, value)
        if (!except || !yyjson_equals_str(key, except))
            request_put_member(out, key, value);
}

/* The parameters with the envelope; `id` 0 for those of a notification, which have none. */
static void request_put_params(haft_client *client, yyjson_val *params, int64_t id,
                               const haft_buffer *responses, const yyjson_val *state)
{
    haft_buffer *out = &client->out;
    yyjson_val *theirs = rpc_object(params, "_meta");

    haft_buffer_puts(out, ",\"params\":{");
    request_put_members(out, params, "_meta");
    if (responses) {
        haft_buffer_puts(out, out->data && out->data[out->size - 1] == '{'
                                  ? "\"inputResponses\":"
                                  : ",\"inputResponses\":");
        haft_buffer_add(out, responses->data, responses->size);
    }
    if (state) {
        haft_buffer_puts(out, ",\"requestState\":");
        haft_json_write(state, out);
    }
    if (theirs || (id && (client->modern || client->options.progress))) {
        haft_buffer_puts(out, out->data && out->data[out->size - 1] == '{' ? "\"_meta\":{"
                                                                           : ",\"_meta\":{");
        if (id)
            put_own_meta(client, out, theirs, id);
        request_put_members(out, theirs, NULL);
        haft_buffer_add(out, "}", 1);
    }
    haft_buffer_add(out, "}", 1);
}

static void put_head(haft_buffer *out, int64_t id, const char *method)
{
    haft_buffer_clear(out);
    haft_buffer_puts(out, "{\"jsonrpc\":\"2.0\",");
    if (id) {
        haft_buffer_puts(out, "\"id\":");
        haft_buffer_json_integer(out, id);
        haft_buffer_add(out, ",", 1);
    }
    haft_buffer_puts(out, "\"method\":");
    haft_buffer_json_string(out, method, strlen(method));
}

/* The parameters as a value: NULL and *ret_status set when they are no object. */
static yyjson_val *read_params(haft_client *client, const char *params, int *ret_status)
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

int hf_request_write(haft_client *client, const struct asked *asked, const haft_buffer *responses,
                     const yyjson_val *state)
{
    int status;
    yyjson_val *params = read_params(client, asked->params, &status);

    if (status)
        return status;
    put_head(&client->out, asked->wire_id, asked->method);
    request_put_params(client, params, asked->wire_id, responses, state);
    haft_buffer_add(&client->out, "}", 1);
    return client->out.status;
}

/* ---- sending ---- */

static struct asked *make_request(haft_client *client, const char *method, const char *params)
{
    size_t method_size = strlen(method) + 1, params_size = strlen(params) + 1;
    size_t size = sizeof(struct asked) + method_size + params_size;
    struct asked *asked = client->allocator->alloc(client->allocator->context, size);
    char *texts;

    if (!asked)
        return NULL;
    texts = (char *)(asked + 1);
    memcpy(texts, method, method_size);
    memcpy(texts + method_size, params, params_size);
    *asked = (struct asked){.next = client->asked,
                            .id = client->next_id,
                            .wire_id = client->next_id,
                            .size = size,
                            .method = texts,
                            .params = texts + method_size};
    client->next_id++;
    client->asked = asked;
    return asked;
}

int64_t haft_client_send(haft_client *client, const char *method, const char *params)
{
    struct asked *asked;
    int64_t id;
    int status;

    if (!client || !method)
        return HAFT_EINVAL;
    haft_arena_reset(client->results);
    haft_arena_reset(client->scratch);
    asked = make_request(client, method, params ? params : "{}");
    if (!asked)
        return HAFT_ENOMEM;
    id = client->latest = asked->id;
    client->status = 0;
    status = hf_request_write(client, asked, NULL, NULL);
    if (!status)
        status = hf_client_deliver(client, HAFT_OUT_REQUEST);
    if (!status)
        return id;
    haft_buffer_clear(&client->out);
    hf_client_forget(client, asked);
    return status;
}

int64_t haft_client_latest(const haft_client *client)
{
    return client->latest;
}

int haft_client_notify(haft_client *client, const char *method, const char *params)
{
    yyjson_val *value;
    int status;

    if (!client || !method)
        return HAFT_EINVAL;
    haft_arena_reset(client->scratch);
    value = read_params(client, params, &status);
    if (status)
        return status;
    put_head(&client->out, 0, method);
    if (params)
        request_put_params(client, value, 0, NULL, NULL);
    haft_buffer_add(&client->out, "}", 1);
    return hf_client_deliver(client, HAFT_OUT_NOTIFICATION);
}

static struct asked *request_find(const haft_client *client, int64_t id)
{
    struct asked *asked = client ? client->asked : NULL;

    while (asked && asked->id != id)
        asked = asked->next;
    return asked;
}

int haft_client_cancel(haft_client *client, int64_t id)
{
    struct asked *asked = request_find(client, id);
    haft_buffer *out = &client->out;

    if (!asked)
        return HAFT_ENOTFOUND;
    put_head(out, 0, "notifications/cancelled");
    haft_buffer_puts(out, ",\"params\":{\"requestId\":");
    haft_buffer_json_integer(out, asked->wire_id);
    haft_buffer_puts(out, "}}");
    hf_client_forget(client, asked);
    return hf_client_deliver(client, HAFT_OUT_NOTIFICATION);
}

/* ---- waiting ---- */

int haft_client_wait(haft_client *client, int64_t id, unsigned milliseconds,
                     haft_result *ret_result)
{
    struct asked *asked = request_find(client, id);
    haft_time now, end;
    int status;

    if (!asked)
        return HAFT_ENOTFOUND;
    hf_client_pump(client);
    if (!asked->answer && client->transport.wait) {
        now = hf_client_let_pass(client, 0);
        for (end = now + milliseconds; !asked->answer && !client->closed && now < end;)
            now = hf_client_let_pass(client, (unsigned)(end - now));
    }
    if (!asked->answer)
        return client->status ? client->status : client->closed ? HAFT_ECLOSED : HAFT_PENDING;
    haft_arena_reset(client->results);
    status = hf_result_read(client, asked->answer->text, asked->answer->size, ret_result);
    hf_client_forget(client, asked);
    return status;
}

int haft_client_request(haft_client *client, const char *method, const char *params,
                        haft_result *ret_result)
{
    int64_t id = haft_client_send(client, method, params);

    return id < 0 ? (int)id : haft_client_wait(client, id, client->options.timeout_ms, ret_result);
}

/* ---- the methods ---- */

static int request_built(haft_client *client, const char *method, haft_buffer *params,
                         haft_result *ret_result)
{
    int status;

    haft_buffer_add(params, "", 1);
    status = params->status ? params->status
                            : haft_client_request(client, method, params->data, ret_result);
    haft_buffer_finish(params);
    return status;
}

/* {"KEY":"TEXT" */
static void begin_params(haft_client *client, haft_buffer *params, const char *key,
                         const char *text)
{
    haft_buffer_init(params, client->allocator, client->out.limit);
    haft_buffer_printf(params, "{\"%s\":", key);
    haft_buffer_json_string(params, text, strlen(text));
}

/* {"name":NAME,"arguments":ARGUMENTS} */
static int request_named(haft_client *client, const char *method, const char *name,
                         const char *arguments, haft_result *ret_result)
{
    haft_buffer params;

    if (!client || !name)
        return HAFT_EINVAL;
    begin_params(client, &params, "name", name);
    if (arguments) {
        haft_buffer_puts(&params, ",\"arguments\":");
        haft_buffer_puts(&params, arguments);
    }
    haft_buffer_add(&params, "}", 1);
    return request_built(client, method, &params, ret_result);
}

int haft_client_call(haft_client *client, const char *tool, const char *arguments,
                     haft_result *ret_result)
{
    return request_named(client, "tools/call", tool, arguments, ret_result);
}

int haft_client_get(haft_client *client, const char *prompt, const char *arguments,
                    haft_result *ret_result)
{
    return request_named(client, "prompts/get", prompt, arguments, ret_result);
}

int haft_client_read(haft_client *client, const char *uri, haft_result *ret_result)
{
    haft_buffer params;

    if (!client || !uri)
        return HAFT_EINVAL;
    begin_params(client, &params, "uri", uri);
    haft_buffer_add(&params, "}", 1);
    return request_built(client, "resources/read", &params, ret_result);
}

int haft_client_complete(haft_client *client, haft_offer kind, const char *name,
                         const char *argument, const char *value, const char *others,
                         haft_result *ret_result)
{
    bool prompt = kind == HAFT_OFFER_PROMPT;
    haft_buffer params;

    if (!client || !name || !argument || !value)
        return HAFT_EINVAL;
    haft_buffer_init(&params, client->allocator, client->out.limit);
    haft_buffer_puts(&params, prompt ? "{\"ref\":{\"type\":\"ref/prompt\",\"name\":"
                                     : "{\"ref\":{\"type\":\"ref/resource\",\"uri\":");
    haft_buffer_json_string(&params, name, strlen(name));
    haft_buffer_puts(&params, "},\"argument\":{\"name\":");
    haft_buffer_json_string(&params, argument, strlen(argument));
    haft_buffer_puts(&params, ",\"value\":");
    haft_buffer_json_string(&params, value, strlen(value));
    haft_buffer_add(&params, "}", 1);
    if (others) {
        haft_buffer_puts(&params, ",\"context\":{\"arguments\":");
        haft_buffer_puts(&params, others);
        haft_buffer_add(&params, "}", 1);
    }
    haft_buffer_add(&params, "}", 1);
    return request_built(client, "completion/complete", &params, ret_result);
}

/* ---- lists ---- */

static const char *const list_methods[OFFER_LISTS] = {
    [HAFT_OFFER_TOOL] = "tools/list",
    [HAFT_OFFER_RESOURCE] = "resources/list",
    [HAFT_OFFER_TEMPLATE] = "resources/templates/list",
    [HAFT_OFFER_PROMPT] = "prompts/list",
};

/* One page after the cursor; its entries are added to client->items. */
static int list_page(haft_client *client, const char *method, const char *cursor,
                     haft_result *ret_result)
{
    haft_buffer *items = &client->items, params;
    yyjson_val *item;
    size_t i, n;
    int status;

    if (cursor) {
        begin_params(client, &params, "cursor", cursor);
        haft_buffer_add(&params, "}", 1);
        status = request_built(client, method, &params, ret_result);
    } else {
        status = haft_client_request(client, method, NULL, ret_result);
    }
    if (status || ret_result->is_error)
        return status;
    yyjson_arr_foreach(ret_result->content, i, n, item) {
        if (items->size > 1)
            haft_buffer_add(items, ",", 1);
        haft_json_write(item, items);
    }
    return items->status;
}

int haft_client_list(haft_client *client, haft_offer kind, haft_result *ret_result)
{
    haft_buffer *items;
    const char *cursor = NULL;
    int status;

    if (!client)
        return HAFT_EINVAL;
    items = &client->items;
    haft_buffer_clear(items);
    haft_buffer_add(items, "[", 1);
    do {
        status = list_page(client, list_methods[kind], cursor, ret_result);
        if (status || ret_result->is_error)
            return status;
        cursor = yyjson_get_str(yyjson_obj_get(ret_result->value, "nextCursor"));
    } while (cursor);
    haft_buffer_add(items, "]", 1);
    if (items->status)
        return items->status;
    ret_result->content =
        haft_json_read(items->data, items->size, JSON_MAX_DEPTH, client->results, NULL);
    return ret_result->content ? 0 : HAFT_ENOMEM;
}
