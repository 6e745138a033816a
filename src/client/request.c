/* request.c - writes and sends requests, and waits for them.
 *
 * A modern request identifies the client in its _meta; members in the caller's own _meta are
 * kept. */
#include <string.h>

#include "client/client.h"

/* ---- writing ---- */

/* Writes members of _meta that the caller has not set. */
static void put_own_meta(haft_client *client, struct json_writer *w, yyjson_val *theirs, int64_t id)
{
    if (client->modern && !yyjson_obj_get(theirs, META_VERSION))
        hf_json_text(json_key(w, META_VERSION), hf_revision_rows[client->revision].name);
    if (client->modern && !yyjson_obj_get(theirs, META_CLIENT_CAPABILITIES))
        hf_json_raw(json_key(w, META_CLIENT_CAPABILITIES), client->capabilities,
                    strlen(client->capabilities));
    if (client->modern && !yyjson_obj_get(theirs, META_CLIENT_INFO))
        hf_client_put_info(client, json_key(w, META_CLIENT_INFO));
    if (client->modern && client->options.log_level && !yyjson_obj_get(theirs, META_LOG_LEVEL))
        hf_json_text(json_key(w, META_LOG_LEVEL), client->options.log_level);
    if (client->options.progress && !yyjson_obj_get(theirs, META_PROGRESS))
        hf_json_integer(json_key(w, META_PROGRESS), id);
}

static void request_put_members(struct json_writer *w, yyjson_val *object, const char *except)
{
    yyjson_val *key, *value;
    size_t i, n;

    if (!object)
        return;
    yyjson_obj_foreach(object, i, n, key, value)
        if (!except || !yyjson_equals_str(key, except))
            hf_json_value(hf_json_name(w, yyjson_get_str(key), yyjson_get_len(key)), value);
}

/* Writes the parameters with _meta; `id` is 0 for notifications, which have none. */
static void request_put_params(haft_client *client, struct json_writer *w, yyjson_val *params,
                               int64_t id, const haft_buffer *responses, const yyjson_val *state)
{
    yyjson_val *theirs = rpc_object(params, "_meta");

    hf_json_begin_object(json_key(w, "params"));
    request_put_members(w, params, "_meta");
    if (responses)
        hf_json_raw(json_key(w, "inputResponses"), responses->data, responses->size);
    if (state)
        hf_json_value(json_key(w, "requestState"), state);
    if (theirs || (id && (client->modern || client->options.progress))) {
        hf_json_begin_object(json_key(w, "_meta"));
        if (id)
            put_own_meta(client, w, theirs, id);
        request_put_members(w, theirs, NULL);
        hf_json_end_object(w);
    }
    hf_json_end_object(w);
}

/* Parses the parameters; NULL with *ret_status set if they are not an object. */
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
    struct json_writer w = {.out = &client->out};
    int status;
    yyjson_val *params = read_params(client, asked->params, &status);

    if (status)
        return status;
    haft_buffer_clear(&client->out);
    hf_rpc_begin_request(&w, asked->wire_id, asked->method);
    request_put_params(client, &w, params, asked->wire_id, responses, state);
    hf_json_end_object(&w);
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
    struct json_writer w;
    yyjson_val *value;
    int status;

    if (!client || !method)
        return HAFT_EINVAL;
    haft_arena_reset(client->scratch);
    value = read_params(client, params, &status);
    if (status)
        return status;
    w = (struct json_writer){.out = &client->out};
    haft_buffer_clear(&client->out);
    hf_rpc_begin_notification(&w, method);
    if (params)
        request_put_params(client, &w, value, 0, NULL, NULL);
    hf_json_end_object(&w);
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
    struct json_writer w;

    if (!asked)
        return HAFT_ENOTFOUND;
    w = (struct json_writer){.out = &client->out};
    haft_buffer_clear(&client->out);
    hf_rpc_begin_notification(&w, "notifications/cancelled");
    hf_json_begin_object(json_key(&w, "params"));
    hf_json_integer(json_key(&w, "requestId"), asked->wire_id);
    hf_json_end_object(&w);
    hf_json_end_object(&w);
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

/* ---- methods ---- */

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
#define begin_params(client, params, key, text)                                                    \
    request_begin_params(client, params, JSON_KEY(key), sizeof JSON_KEY(key) - 1, text)
static struct json_writer request_begin_params(haft_client *client, haft_buffer *params,
                                               const char *key, size_t size, const char *text)
{
    struct json_writer w = {.out = params};

    haft_buffer_init(params, client->allocator, client->out.limit);
    hf_json_begin_object(&w);
    hf_json_text_member(&w, key, size, text);
    return w;
}

/* {"name":NAME,"arguments":ARGUMENTS} */
static int request_named(haft_client *client, const char *method, const char *name,
                         const char *arguments, haft_result *ret_result)
{
    haft_buffer params;
    struct json_writer w;

    if (!client || !name)
        return HAFT_EINVAL;
    w = begin_params(client, &params, "name", name);
    if (arguments)
        hf_json_raw(json_key(&w, "arguments"), arguments, strlen(arguments));
    hf_json_end_object(&w);
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
    struct json_writer w;

    if (!client || !uri)
        return HAFT_EINVAL;
    w = begin_params(client, &params, "uri", uri);
    hf_json_end_object(&w);
    return request_built(client, "resources/read", &params, ret_result);
}

int haft_client_complete(haft_client *client, haft_offer kind, const char *name,
                         const char *argument, const char *value, const char *others,
                         haft_result *ret_result)
{
    bool prompt = kind == HAFT_OFFER_PROMPT;
    haft_buffer params;
    struct json_writer w = {.out = &params};

    if (!client || !name || !argument || !value)
        return HAFT_EINVAL;
    haft_buffer_init(&params, client->allocator, client->out.limit);
    hf_json_begin_object(&w);
    hf_json_begin_object(json_key(&w, "ref"));
    hf_json_text(json_key(&w, "type"), prompt ? "ref/prompt" : "ref/resource");
    hf_json_text(prompt ? json_key(&w, "name") : json_key(&w, "uri"), name);
    hf_json_end_object(&w);
    hf_json_begin_object(json_key(&w, "argument"));
    hf_json_text(json_key(&w, "name"), argument);
    hf_json_text(json_key(&w, "value"), value);
    hf_json_end_object(&w);
    if (others) {
        hf_json_begin_object(json_key(&w, "context"));
        hf_json_raw(json_key(&w, "arguments"), others, strlen(others));
        hf_json_end_object(&w);
    }
    hf_json_end_object(&w);
    return request_built(client, "completion/complete", &params, ret_result);
}

/* ---- lists ---- */

static const char *const list_methods[OFFER_LISTS] = {
    [HAFT_OFFER_TOOL] = "tools/list",
    [HAFT_OFFER_RESOURCE] = "resources/list",
    [HAFT_OFFER_TEMPLATE] = "resources/templates/list",
    [HAFT_OFFER_PROMPT] = "prompts/list",
};

/* Requests the page after the cursor; adds its entries to the open array. */
static int list_page(haft_client *client, const char *method, const char *cursor,
                     struct json_writer *items, haft_result *ret_result)
{
    haft_buffer params;
    struct json_writer w;
    yyjson_val *item;
    size_t i, n;
    int status;

    if (cursor) {
        w = begin_params(client, &params, "cursor", cursor);
        hf_json_end_object(&w);
        status = request_built(client, method, &params, ret_result);
    } else {
        status = haft_client_request(client, method, NULL, ret_result);
    }
    if (status || ret_result->is_error)
        return status;
    yyjson_arr_foreach(ret_result->content, i, n, item)
        hf_json_value(items, item);
    return items->out->status;
}

int haft_client_list(haft_client *client, haft_offer kind, haft_result *ret_result)
{
    haft_buffer *items;
    struct json_writer w;
    const char *cursor = NULL;
    int status;

    if (!client)
        return HAFT_EINVAL;
    items = &client->items;
    w = (struct json_writer){.out = items};
    haft_buffer_clear(items);
    hf_json_begin_array(&w);
    do {
        status = list_page(client, list_methods[kind], cursor, &w, ret_result);
        if (status || ret_result->is_error)
            return status;
        cursor = yyjson_get_str(yyjson_obj_get(ret_result->value, "nextCursor"));
    } while (cursor);
    hf_json_end_array(&w);
    if (items->status)
        return items->status;
    ret_result->content =
        haft_json_read(items->data, items->size, JSON_MAX_DEPTH, client->results, NULL);
    return ret_result->content ? 0 : HAFT_ENOMEM;
}
