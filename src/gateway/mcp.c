/* mcp.c - MCP endpoints of a gateway, and routes that are tools there.
 *
 * A route that is called as a tool is invoked like by any handler: its arguments are written as the
 * path, the query, the headers and the body that they would come from, so its policies and its
 * handler cannot tell the difference. */
#include <string.h>

#include "base/defaults.h"
#include "base/percent.h"
#include "base/struct.h"
#include "gateway/gateway.h"
#include "gateway/invoke.h"

enum { ERROR_BODY = 4096 };

/* ---- arguments to a request ---- */

static void put_scalar(haft_buffer *buffer, yyjson_val *value)
{
    haft_buffer text;

    if (yyjson_is_str(value)) {
        percent_encode(buffer, yyjson_get_str(value), yyjson_get_len(value));
        return;
    }
    haft_buffer_init(&text, buffer->allocator, buffer->limit);
    haft_json_write(value, &text);
    if (text.status)
        buffer->status = text.status;
    percent_encode(buffer, text.data ? text.data : "", text.size);
    haft_buffer_finish(&text);
}

static void put_pair(haft_buffer *buffer, const struct field *field, yyjson_val *value,
                     char *separator)
{
    if (yyjson_is_null(value))
        return;
    haft_buffer_add(buffer, separator, 1);
    *separator = '&';
    percent_encode(buffer, field->name, field->size);
    haft_buffer_add(buffer, "=", 1);
    put_scalar(buffer, value);
}

static void put_target(haft_buffer *buffer, const struct route *route, yyjson_val *arguments)
{
    const struct template *path = &route->path_template;
    char separator = '?';

    for (size_t i = 0; i < path->n; i++) {
        haft_buffer_add(buffer, "/", 1);
        if (path->variable[i])
            put_scalar(buffer, yyjson_obj_get(arguments, path->segments[i]));
        else
            percent_encode(buffer, path->segments[i], strlen(path->segments[i]));
    }
    if (!path->n)
        haft_buffer_add(buffer, "/", 1);
    for (size_t i = 0; i < route->n_fields; i++) {
        const struct field *field = &route->fields[i];
        yyjson_val *value = yyjson_obj_getn(arguments, field->name, field->size), *item;
        size_t index, n;

        if (field->origin != ORIGIN_QUERY || !value)
            continue;
        if (!yyjson_is_arr(value))
            put_pair(buffer, field, value, &separator);
        else
            yyjson_arr_foreach(value, index, n, item)
                put_pair(buffer, field, item, &separator);
    }
    haft_buffer_add(buffer, "", 1);
}

/* What is left is the body's: also what no field is for, when the schema lets that pass. */
static void put_body(haft_buffer *buffer, const struct route *route, yyjson_val *arguments)
{
    yyjson_val *key, *value;
    size_t index, n;
    bool any = false;

    haft_buffer_add(buffer, "{", 1);
    yyjson_obj_foreach(arguments, index, n, key, value) {
        const struct field *field = NULL;

        for (size_t i = 0; i < route->n_fields && !field; i++)
            if (yyjson_equals_strn(key, route->fields[i].name, route->fields[i].size))
                field = &route->fields[i];
        if (field && field->origin != ORIGIN_BODY)
            continue;
        if (any)
            haft_buffer_add(buffer, ",", 1);
        haft_json_write(key, buffer);
        haft_buffer_add(buffer, ":", 1);
        haft_json_write(value, buffer);
        any = true;
    }
    haft_buffer_add(buffer, "}", 1);
}

static int header_lines(haft_call *call, const struct route *route, yyjson_val *arguments,
                        haft_invoke_options *options)
{
    haft_header *lines = haft_arena_zalloc(call->arena, route->n_fields + 1, sizeof *lines);

    if (!lines)
        return HAFT_ENOMEM;
    options->headers = lines;
    for (size_t i = 0; i < route->n_fields; i++) {
        const struct field *field = &route->fields[i];
        yyjson_val *value = yyjson_obj_getn(arguments, field->name, field->size);
        haft_buffer text;
        const char *copy = yyjson_get_str(value);

        if (field->origin != ORIGIN_HEADER || !value || yyjson_is_null(value))
            continue;
        if (!copy) {
            haft_buffer_init(&text, call->server->allocator, 1 << 16);
            haft_json_write(value, &text);
            copy = text.status ? NULL : haft_arena_copy(call->arena, text.data, text.size);
            haft_buffer_finish(&text);
        }
        if (!copy)
            return HAFT_ENOMEM;
        lines[options->n_headers++] = (haft_header){field->as, copy};
    }
    return 0;
}

/* ---- a response to a result ---- */

static bool begins(const char *text, const char *start)
{
    return text && !strncmp(text, start, strlen(start));
}

static int answer(haft_call *call, const struct route *route, const char *target,
                  const haft_response *response)
{
    const char *type = haft_response_header(response, "Content-Type");
    size_t size = response->size < ERROR_BODY ? response->size : ERROR_BODY;
    bool json = begins(type, "application/json") || begins(type, "application/problem+json");
    haft_contents contents = {.mime_type = type, .bytes = response->body, .size = response->size};

    if (!haft_response_ok(response))
        return haft_error(call, "HTTP %d %s%s%.*s", response->status,
                          haft_status_text(response->status), size ? "\n" : "",
                          (int)haft_utf8_valid(response->body, size), response->body);
    if (route->item->output || (json && response->size))
        return haft_json(call, response->body, response->size);
    if (!response->size)
        return haft_text(call, "HTTP %d %s", response->status, haft_status_text(response->status));
    if (begins(type, "image/"))
        return haft_image(call, type, response->body, response->size);
    if (begins(type, "audio/"))
        return haft_audio(call, type, response->body, response->size);
    if (haft_utf8_valid(response->body, response->size) == response->size)
        return haft_text_bytes(call, response->body, response->size);
    /* A path alone is no URI, which the contents of a resource must have. */
    contents.uri = haft_call_printf(call, "route:%s", target);
    return contents.uri ? haft_embed(call, &contents) : HAFT_ENOMEM;
}

static int call_route(haft_call *call, const void *in, void *out)
{
    const struct route *route = haft_tool_data(call);
    yyjson_val *arguments = haft_call_arguments(call);
    const haft_allocator *allocator = call->server->allocator;
    haft_invoke_options options = {.headers = NULL};
    haft_response response;
    haft_buffer target, body;
    int status;

    (void)in;
    (void)out;
    haft_buffer_init(&target, allocator, call->server->options.max_message);
    haft_buffer_init(&body, allocator, call->server->options.max_message);
    put_target(&target, route, arguments);
    if (route->has_body)
        put_body(&body, route, arguments);
    options.body = body.data;
    options.body_size = body.size;
    status = target.status ? target.status : body.status;
    if (!status)
        status = header_lines(call, route, arguments, &options);
    if (!status)
        status = haft_invoke(call, route->method, target.data, &options, &response);
    if (!status)
        status = answer(call, route, target.data, &response);
    haft_buffer_finish(&target);
    haft_buffer_finish(&body);
    return status;
}

int haft_route_tool(haft_gateway *gateway, haft_server *server, const char *route_id)
{
    const struct route *route = route_named(gateway, route_id);
    haft_tool *tool;
    int status;

    if (!route)
        return gateway_refuse(gateway, HAFT_ENOTFOUND, route_id, "there is no route of that id");
    if (server->gateway != gateway)
        return gateway_refuse(gateway, HAFT_EINVAL, route_id, "the server is not the gateway's");
    if (!route->item->input && route->path_template.n_variables)
        return gateway_refuse(gateway, HAFT_EINVAL, route_id,
                              "it has no input, so nothing says what its path is made of");
    tool = haft_arena_alloc(gateway->arena, sizeof *tool);
    if (!tool)
        return gateway_refuse(gateway, HAFT_ENOMEM, route_id, "out of memory");
    *tool = route->tool;
    tool->input = tool->output = NULL;
    tool->input_schema = route->item->input;
    tool->output_schema = route->item->output;
    tool->call = call_route;
    tool->data = (void *)(uintptr_t)route;
    tool->rate = (haft_rate){.calls = 0};
    tool->quick = route->info->quick && !atomic_load(&route->policies)->blocks;
    status = haft_add(server, tool);
    if (status)
        error_set(&gateway->error, status, haft_server_error(server)->path, "%s",
                  haft_server_error(server)->text);
    return status;
}

/* ---- endpoints ---- */

int mcp_add_routes(haft_gateway *gateway, haft_server *server, const char *ids)
{
    int status = 0;

    for (const struct route *route = gateway->routes; route && ids && !status; route = route->next)
        if (glob_list_allows(ids, route->id))
            status = haft_route_tool(gateway, server, route->id);
    return status;
}

static int fill(haft_gateway *gateway, struct mcp *mcp, const haft_mcp_options *options)
{
    const struct policy_list *policies;
    int status = policies_find(gateway, mcp->path, options->policies, &policies);

    mcp->server->gateway = gateway;
    mcp->server->endpoint = mcp->path;
    mcp->forward = (haft_stage)HAFT_INIT(haft_stage, .name = "forward",
                                         .before = invoke_keep_headers, .data = gateway);
    if (!status) {
        atomic_store(&mcp->policies, policies);
        status = stage_use_first(mcp->server, &mcp->forward);
    }
    for (const haft_tool *const *tool = options->tools; tool && *tool && !status; tool++)
        status = haft_add(mcp->server, *tool);
    if (status && !gateway->error.code)
        gateway->error = *haft_server_error(mcp->server);
    return status ? status : mcp_add_routes(gateway, mcp->server, options->routes);
}

haft_server *haft_mcp_add(haft_gateway *gateway, const haft_mcp_options *options)
{
    haft_mcp_options own;
    haft_server_options server;
    struct template path;
    struct mcp *mcp;
    haft_reason reason;

    if (!gateway)
        return NULL;
    gateway->error = (haft_reason){.code = 0};
    if (!struct_read(&own, sizeof own, options)) {
        gateway_refuse(gateway, HAFT_EINVAL, "haft_mcp_options", STRUCT_UNSIZED);
        return NULL;
    }
    options = &own;
    own.server = own.server ? own.server : gateway->options.server;
    if (!struct_read(&server, sizeof server, own.server)) {
        gateway_refuse(gateway, HAFT_EINVAL, "haft_server_options", STRUCT_UNSIZED);
        return NULL;
    }
    mcp = haft_arena_zalloc(gateway->arena, 1, sizeof *mcp);
    if (!mcp) {
        gateway_refuse(gateway, HAFT_ENOMEM, "", "out of memory");
        return NULL;
    }
    mcp->path = options->endpoint ? options->endpoint : DEFAULT_ENDPOINT;
    if (template_read(gateway->arena, mcp->path, &path, &reason) || path.n_variables) {
        gateway_refuse(gateway, HAFT_EINVAL, mcp->path, "an endpoint is a path without variables");
        return NULL;
    }
    for (const struct mcp *other = gateway->endpoints; other; other = other->next)
        if (!strcmp(other->path, mcp->path)) {
            gateway_refuse(gateway, HAFT_EEXISTS, mcp->path, "there is an endpoint already");
            return NULL;
        }
    for (const struct route *route = gateway->routes; route; route = route->next)
        if (!strcmp(route->path, mcp->path)) {
            gateway_refuse(gateway, HAFT_EEXISTS, mcp->path, "the route %s is there", route->id);
            return NULL;
        }
    mcp->server = haft_server_new_with(options->name ? options->name : "MCP Custom Server",
                                       options->version ? options->version : "0.0.0", &server);
    if (!mcp->server)
        gateway_refuse(gateway, HAFT_ENOMEM, mcp->path, "there is no memory for a server");
    if (!mcp->server || fill(gateway, mcp, options)) {
        haft_server_free(mcp->server);
        return NULL;
    }
    *gateway->last_endpoint = mcp;
    gateway->last_endpoint = &mcp->next;
    return mcp->server;
}

haft_server *haft_gateway_endpoint(const haft_gateway *gateway, size_t i, const char **ret_path)
{
    const struct mcp *mcp = gateway->endpoints;

    for (; mcp && i; i--)
        mcp = mcp->next;
    if (mcp)
        *ret_path = mcp->path;
    return mcp ? mcp->server : NULL;
}
