/* values.c - the input of a route as values, and the corresponding request.
 *
 * The request is generated when it is read, such that input.c would read the same values
 * from it. Input that no request can represent, or that would be read differently, is passed as
 * text from the start. */
#include <string.h>

#include "base/percent.h"
#include "gateway/values.h"

/* ---- which values can be passed ---- */

static const struct field *values_field(const struct route *route, yyjson_val *key)
{
    for (size_t i = 0; i < route->n_fields; i++)
        if (yyjson_equals_strn(key, route->fields[i].name, route->fields[i].size))
            return &route->fields[i];
    return NULL;
}

/* Null is not sent, a NUL is rejected, and so is an empty segment or "..". */
static bool values_fit_scalar(yyjson_val *value, enum origin origin)
{
    const char *text = yyjson_get_str(value);

    if (!text)
        return !yyjson_is_null(value);
    if (strlen(text) != yyjson_get_len(value))
        return false;
    return origin != ORIGIN_PATH || (*text && !hf_segment_is_upward(text));
}

static bool values_fit_field(yyjson_val *value, enum origin origin)
{
    yyjson_val *item;
    size_t index, n;

    if (!yyjson_is_arr(value))
        return values_fit_scalar(value, origin);
    yyjson_arr_foreach(value, index, n, item)
        if (!values_fit_scalar(item, origin))
            return false;
    return n; /* an empty list is not sent either */
}

bool hf_values_fit(const struct route *route, yyjson_val *input)
{
    yyjson_val *key, *value;
    size_t index, n;

    if (!route->item->input || !yyjson_is_obj(input))
        return false;
    yyjson_obj_foreach(input, index, n, key, value) {
        const struct field *field = values_field(route, key);

        if (!field && !route->has_body)
            return false; /* it would not be sent */
        if (!field || field->origin == ORIGIN_BODY)
            continue;
        if (!values_fit_field(value, field->origin))
            return false;
    }
    return true;
}

yyjson_val *hf_values_copy(haft_arena *arena, const yyjson_val *input)
{
    size_t size = (size_t)(unsafe_yyjson_get_next((yyjson_val *)(uintptr_t)input) - input);
    yyjson_val *copy = haft_arena_alloc(arena, size * sizeof *copy);

    if (!copy)
        return NULL;
    memcpy(copy, input, size * sizeof *copy);
    for (size_t i = 0; i < size; i++) {
        if (!yyjson_is_str(&copy[i]) && !yyjson_is_raw(&copy[i]))
            continue;
        copy[i].uni.str = haft_arena_copy(arena, unsafe_yyjson_get_str(&copy[i]),
                                          unsafe_yyjson_get_len(&copy[i]));
        if (!copy[i].uni.str)
            return NULL;
    }
    return copy;
}

const char *hf_values_text(haft_call *call, yyjson_val *value)
{
    haft_buffer text;
    const char *copy = yyjson_get_str(value);

    if (copy)
        return copy;
    haft_buffer_init(&text, call->server->allocator, 1 << 16);
    haft_json_write(value, &text);
    copy = text.status ? NULL : haft_arena_copy(call->arena, text.data, text.size);
    haft_buffer_finish(&text);
    return copy;
}

/* ---- the request ---- */

static void put_scalar(haft_buffer *buffer, yyjson_val *value)
{
    haft_buffer text;

    if (yyjson_is_str(value)) {
        hf_percent_encode(buffer, yyjson_get_str(value), yyjson_get_len(value));
        return;
    }
    haft_buffer_init(&text, buffer->allocator, buffer->limit);
    haft_json_write(value, &text);
    if (text.status)
        buffer->status = text.status;
    hf_percent_encode(buffer, text.data ? text.data : "", text.size);
    haft_buffer_finish(&text);
}

static void put_pair(haft_buffer *buffer, const struct field *field, yyjson_val *value)
{
    if (yyjson_is_null(value))
        return;
    if (buffer->size)
        haft_buffer_add(buffer, "&", 1);
    hf_percent_encode(buffer, field->name, field->size);
    haft_buffer_add(buffer, "=", 1);
    put_scalar(buffer, value);
}

static void put_path(haft_buffer *buffer, const struct route *route, yyjson_val *arguments)
{
    const struct template *path = &route->path_template;

    for (size_t i = 0; i < path->n; i++) {
        haft_buffer_add(buffer, "/", 1);
        if (path->variable[i])
            put_scalar(buffer, yyjson_obj_get(arguments, path->segments[i]));
        else
            hf_percent_encode(buffer, path->segments[i], strlen(path->segments[i]));
    }
    if (!path->n)
        haft_buffer_add(buffer, "/", 1);
}

static void put_query(haft_buffer *buffer, const struct route *route, yyjson_val *arguments)
{
    for (size_t i = 0; i < route->n_fields; i++) {
        const struct field *field = &route->fields[i];
        yyjson_val *value = yyjson_obj_getn(arguments, field->name, field->size), *item;
        size_t index, n;

        if (field->origin != ORIGIN_QUERY || !value)
            continue;
        if (!yyjson_is_arr(value))
            put_pair(buffer, field, value);
        else
            yyjson_arr_foreach(value, index, n, item)
                put_pair(buffer, field, item);
    }
}

/* The remaining members form the body, including unknown ones if the schema permits them. */
static void put_body(haft_buffer *buffer, const struct route *route, yyjson_val *arguments)
{
    struct json_writer w = {.out = buffer};
    yyjson_val *key, *value;
    size_t index, n;

    hf_json_begin_object(&w);
    if (arguments)
        yyjson_obj_foreach(arguments, index, n, key, value) {
            const struct field *field = values_field(route, key);

            if (!field || field->origin == ORIGIN_BODY)
                hf_json_value(hf_json_name(&w, yyjson_get_str(key), yyjson_get_len(key)), value);
        }
    hf_json_end_object(&w);
}

/* Adds the fields that are headers. */
static int put_headers(haft_gateway_request *req, yyjson_val *arguments,
                       struct header_list *headers)
{
    const struct route *route = req->route;
    int status = 0;

    for (size_t i = 0; i < route->n_fields && !status; i++) {
        const struct field *field = &route->fields[i];
        yyjson_val *value = yyjson_obj_getn(arguments, field->name, field->size);
        const char *text;

        if (field->origin != ORIGIN_HEADER || !value || yyjson_is_null(value))
            continue;
        text = hf_values_text(req->call, value);
        status =
            text ? hf_header_list_set(req->call->arena, headers, field->as, text) : HAFT_ENOMEM;
    }
    return status;
}

static const char *values_print(haft_call *call, const struct route *route, yyjson_val *input,
                                void put(haft_buffer *buffer, const struct route *route,
                                         yyjson_val *arguments))
{
    haft_buffer text;
    const char *copy = NULL;

    haft_buffer_init(&text, call->server->allocator, call->server->options.max_message);
    put(&text, route, input);
    if (!text.status)
        copy = haft_arena_copy(call->arena, text.size ? text.data : "", text.size);
    haft_buffer_finish(&text);
    return copy;
}

const char *hf_values_uri(haft_call *call, const struct route *route, yyjson_val *input)
{
    const char *path = values_print(call, route, input, put_path),
               *query = values_print(call, route, input, put_query);

    return path && query ? haft_call_printf(call, "route:%s%s%s", path, *query ? "?" : "", query)
                         : NULL;
}

int hf_values_write_request(haft_gateway_request *req)
{
    haft_call *call = req->call;
    haft_request *request = &req->request;
    struct header_list headers = {.n = 0};
    const char *target, *query, *body;
    int status;

    if (!req->input || req->written)
        return 0;
    target = values_print(call, req->route, req->input, put_path);
    query = values_print(call, req->route, req->input, put_query);
    body = req->route->has_body ? values_print(call, req->route, req->input, put_body) : "";
    status = target && query && body
                 ? hf_header_list_take(call->arena, &headers, request->headers, request->n_headers)
                 : HAFT_ENOMEM;
    if (!status)
        status = put_headers(req, req->input, &headers);
    if (!status && *body && !haft_header_find(headers.list, headers.n, "content-type"))
        status = hf_header_list_add(call->arena, &headers, "content-type", "application/json");
    if (!status && !(request->path = hf_percent_decoded(call->arena, target)))
        status = HAFT_ENOMEM;
    if (status)
        return status;
    request->target = target;
    request->query = query;
    request->body = body;
    request->body_size = strlen(body);
    request->headers = headers.list;
    request->n_headers = headers.n;
    req->written = true;
    return 0;
}
