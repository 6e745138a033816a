/* mcp.c - MCP endpoints of a gateway, and routes that are tools there.
 *
 * A route that is called as a tool is invoked like by any handler: its arguments are its input, and
 * written as the path, the query, the headers and the body that they would come from only when a policy
 * or the handler looks at these. */
#include <string.h>

#include "base/defaults.h"
#include "base/struct.h"
#include "gateway/gateway.h"
#include "gateway/invoke.h"
#include "gateway/values.h"

enum { ERROR_BODY = 4096 };

/* ---- a response to a result ---- */

static bool mcp_begins(const char *text, const char *start)
{
    return text && !strncmp(text, start, strlen(start));
}

static int mcp_answer(haft_call *call, const struct route *route, yyjson_val *arguments,
                      const haft_response *response)
{
    const char *type = haft_response_header(response, "Content-Type");
    size_t size = response->size < ERROR_BODY ? response->size : ERROR_BODY;
    bool json =
        mcp_begins(type, "application/json") || mcp_begins(type, "application/problem+json");
    haft_contents contents = {.mime_type = type, .bytes = response->body, .size = response->size};

    if (!haft_response_ok(response))
        return haft_error(call, "HTTP %d %s%s%.*s", response->status,
                          haft_status_text(response->status), size ? "\n" : "",
                          (int)haft_utf8_valid(response->body, size), response->body);
    if (route->item->output || (json && response->size))
        return haft_json(call, response->body, response->size);
    if (!response->size)
        return haft_text(call, "HTTP %d %s", response->status, haft_status_text(response->status));
    if (mcp_begins(type, "image/"))
        return haft_image(call, type, response->body, response->size);
    if (mcp_begins(type, "audio/"))
        return haft_audio(call, type, response->body, response->size);
    if (haft_utf8_valid(response->body, response->size) == response->size)
        return haft_text_bytes(call, response->body, response->size);
    /* A path alone is no URI, which the contents of a resource must have. */
    contents.uri = hf_values_uri(call, route, arguments);
    return contents.uri ? haft_embed(call, &contents) : HAFT_ENOMEM;
}

static int call_route(haft_call *call, const void *in, void *out)
{
    const struct route *route = haft_tool_data(call);
    yyjson_val *arguments = haft_call_arguments(call);
    haft_response response;
    int status = hf_invoke_route(call, route, arguments, &response);

    (void)in;
    (void)out;
    return status ? status : mcp_answer(call, route, arguments, &response);
}

int haft_route_tool(haft_gateway *gateway, haft_server *server, const char *route_id)
{
    const struct route *route = hf_route_named(gateway, route_id);
    haft_tool *tool;
    int status;

    if (!route)
        return hf_gateway_refuse(gateway, HAFT_ENOTFOUND, route_id, "there is no route of that id");
    if (server->gateway != gateway)
        return hf_gateway_refuse(gateway, HAFT_EINVAL, route_id, "the server is not the gateway's");
    if (!route->item->input && route->path_template.n_variables)
        return hf_gateway_refuse(gateway, HAFT_EINVAL, route_id,
                                 "it has no input, so nothing says what its path is made of");
    tool = haft_arena_alloc(gateway->arena, sizeof *tool);
    if (!tool)
        return hf_gateway_refuse(gateway, HAFT_ENOMEM, route_id, "out of memory");
    *tool = route->tool;
    tool->input = tool->output = NULL;
    tool->input_schema = route->item->input;
    tool->output_schema = route->item->output;
    tool->call = call_route;
    tool->data = (void *)(uintptr_t)route;
    /* What limits the route limits it also here. */
    tool->rate = (haft_rate){.calls = 0};
    tool->max_running = tool->max_waiting = 0;
    tool->isolate = false;
    tool->quick = route->info->quick && !atomic_load(&route->policies)->blocks;
    status = haft_add(server, tool);
    if (status)
        hf_error_set(&gateway->error, status, haft_server_error(server)->path, "%s",
                     haft_server_error(server)->text);
    return status;
}

/* ---- endpoints ---- */

int hf_mcp_add_routes(haft_gateway *gateway, haft_server *server, const char *ids)
{
    int status = 0;

    for (const struct route *route = gateway->routes; route && ids && !status; route = route->next)
        if (hf_glob_list_allows(ids, route->id))
            status = haft_route_tool(gateway, server, route->id);
    return status;
}

static int mcp_fill(haft_gateway *gateway, struct mcp *mcp, const haft_mcp_options *options)
{
    const struct policy_list *policies;
    int status = hf_policies_find(gateway, mcp->path, options->policies, &policies);

    mcp->server->gateway = gateway;
    mcp->server->endpoint = mcp->path;
    mcp->forward = (haft_stage)HAFT_INIT(haft_stage, .name = "forward",
                                         .before = hf_invoke_keep_headers, .data = gateway);
    if (!status) {
        atomic_store(&mcp->policies, policies);
        status = hf_stage_use_first(mcp->server, &mcp->forward);
    }
    for (const haft_tool *const *tool = options->tools; tool && *tool && !status; tool++)
        status = haft_add(mcp->server, *tool);
    if (status && !gateway->error.code)
        gateway->error = *haft_server_error(mcp->server);
    return status ? status : hf_mcp_add_routes(gateway, mcp->server, options->routes);
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
    if (!hf_struct_read(&own, sizeof own, options)) {
        hf_gateway_refuse(gateway, HAFT_EINVAL, "haft_mcp_options", STRUCT_UNSIZED);
        return NULL;
    }
    options = &own;
    own.server = own.server ? own.server : gateway->options.server;
    if (!hf_struct_read(&server, sizeof server, own.server)) {
        hf_gateway_refuse(gateway, HAFT_EINVAL, "haft_server_options", STRUCT_UNSIZED);
        return NULL;
    }
    mcp = haft_arena_zalloc(gateway->arena, 1, sizeof *mcp);
    if (!mcp) {
        hf_gateway_refuse(gateway, HAFT_ENOMEM, "", "out of memory");
        return NULL;
    }
    mcp->path = options->endpoint ? options->endpoint : DEFAULT_ENDPOINT;
    if (hf_template_read(gateway->arena, mcp->path, &path, &reason) || path.n_variables) {
        hf_gateway_refuse(gateway, HAFT_EINVAL, mcp->path,
                          "an endpoint is a path without variables");
        return NULL;
    }
    for (const struct mcp *other = gateway->endpoints; other; other = other->next)
        if (!strcmp(other->path, mcp->path)) {
            hf_gateway_refuse(gateway, HAFT_EEXISTS, mcp->path, "there is an endpoint already");
            return NULL;
        }
    for (const struct route *route = gateway->routes; route; route = route->next)
        if (!strcmp(route->path, mcp->path)) {
            hf_gateway_refuse(gateway, HAFT_EEXISTS, mcp->path, "the route %s is there", route->id);
            return NULL;
        }
    mcp->server = haft_server_new_with(options->name ? options->name : "MCP Custom Server",
                                       options->version ? options->version : "0.0.0", &server);
    if (!mcp->server)
        hf_gateway_refuse(gateway, HAFT_ENOMEM, mcp->path, "there is no memory for a server");
    if (!mcp->server || mcp_fill(gateway, mcp, options)) {
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
