/* mcp.c - MCP endpoints of a gateway, and their servers. */
#include <string.h>

#include "base/defaults.h"
#include "base/struct.h"
#include "gateway/gateway.h"
#include "gateway/invoke.h"
#include "gateway/shape.h"

static const char mcp_default_name[] = "MCP Custom Server", mcp_default_version[] = "0.0.0";

static int mcp_fill(haft_gateway *gateway, struct mcp *mcp, const haft_mcp_options *options)
{
    int status;

    mcp->server->gateway = gateway;
    mcp->server->endpoint = mcp->path;
    mcp->forward = (haft_stage)HAFT_INIT(haft_stage, .name = "forward",
                                         .before = hf_invoke_keep_headers, .data = gateway);
    status = hf_stage_use_first(mcp->server, &mcp->forward);
    hf_stage_use_innermost(mcp->server, &hf_shape_stage);
    for (const haft_tool *const *tool = options->tools; tool && *tool && !status; tool++)
        status = haft_add(mcp->server, *tool);
    if (status && !gateway->error.code)
        gateway->error = *haft_server_error(mcp->server);
    return status;
}

/* The path is copied, because it outlives its source. */
static struct mcp *mcp_new(haft_gateway *gateway, const haft_mcp_options *options)
{
    struct mcp *mcp = haft_arena_zalloc(gateway->arena, 1, sizeof *mcp);

    if (mcp)
        mcp->path = haft_arena_copy(gateway->arena, options->endpoint, strlen(options->endpoint));
    if (mcp && mcp->path)
        mcp->server = haft_server_new_with(options->name, options->version, options->server);
    if (!mcp || !mcp->server) {
        hf_gateway_refuse(gateway, HAFT_ENOMEM, options->endpoint, "out of memory");
        return NULL;
    }
    if (mcp_fill(gateway, mcp, options)) {
        haft_server_free(mcp->server);
        return NULL;
    }
    *gateway->last_server = mcp;
    gateway->last_server = &mcp->next;
    return mcp;
}

/* Reports and returns whether something else is at the path. */
static bool mcp_path_is_taken(haft_gateway *gateway, const char *path)
{
    struct template segments;
    haft_reason reason;

    if (hf_template_read(gateway->adding->arena, path, &segments, &reason) || segments.n_variables)
        return hf_gateway_refuse(gateway, HAFT_EINVAL, path,
                                 "the path of an endpoint must not contain variables");
    for (const struct served *other = gateway->adding->endpoints; other; other = other->next)
        if (!strcmp(other->mcp->path, path))
            return hf_gateway_refuse(gateway, HAFT_EEXISTS, path,
                                     "an endpoint with this path exists already");
    for (const struct route *route = gateway->adding->routes; route; route = route->next)
        if (!strcmp(route->path, path))
            return hf_gateway_refuse(gateway, HAFT_EEXISTS, path, "route %s already has this path",
                                     route->id);
    return false;
}

/* Reads the options, with all members and defaults; returns false if they are rejected. */
static bool mcp_read_options(haft_gateway *gateway, const haft_mcp_options *given,
                             haft_mcp_options *ret_options, haft_server_options *ret_server)
{
    if (!hf_struct_read(ret_options, sizeof *ret_options, given)) {
        hf_gateway_refuse(gateway, HAFT_EINVAL, "haft_mcp_options", STRUCT_UNSIZED);
        return false;
    }
    if (!hf_struct_read(ret_server, sizeof *ret_server,
                        ret_options->server ? ret_options->server : gateway->options.server)) {
        hf_gateway_refuse(gateway, HAFT_EINVAL, "haft_server_options", STRUCT_UNSIZED);
        return false;
    }
    if (gateway->upstreams) /* whose resources may change */
        ret_server->resource_subscriptions = true;
    ret_options->server = ret_server;
    ret_options->endpoint = ret_options->endpoint ? ret_options->endpoint : DEFAULT_ENDPOINT;
    ret_options->name = ret_options->name ? ret_options->name : mcp_default_name;
    ret_options->version = ret_options->version ? ret_options->version : mcp_default_version;
    return !mcp_path_is_taken(gateway, ret_options->endpoint);
}

/* Adds a server to the generation being prepared. */
static int mcp_serve(haft_gateway *gateway, struct mcp *mcp, const char *policies)
{
    struct served *served = haft_arena_zalloc(gateway->adding->arena, 1, sizeof *served);

    if (!served)
        return hf_gateway_refuse(gateway, HAFT_ENOMEM, mcp->path, "out of memory");
    served->mcp = mcp;
    if (hf_policies_find(gateway, mcp->path, policies, &served->policies))
        return HAFT_EINVAL;
    *gateway->adding->last_endpoint = served;
    gateway->adding->last_endpoint = &served->next;
    return 0;
}

static int mcp_add_routes(haft_gateway *gateway, haft_server *server, const char *ids)
{
    int status = 0;

    for (const struct route *route = gateway->adding->routes; route && ids && !status;
         route = route->next)
        if (hf_glob_list_allows(ids, route->id))
            status = haft_route_tool(gateway, server, route->id);
    return status;
}

/* Removes the last server again. */
static void mcp_remove_last(haft_gateway *gateway, struct mcp *mcp)
{
    struct mcp **link = &gateway->servers;

    while (*link != mcp)
        link = &(*link)->next;
    *link = NULL;
    gateway->last_server = link;
    haft_server_free(mcp->server);
}

haft_server *haft_mcp_add(haft_gateway *gateway, const haft_mcp_options *given)
{
    haft_mcp_options options;
    haft_server_options server;
    struct mcp *mcp;

    if (!gateway)
        return NULL;
    gateway->error = (haft_reason){.code = 0};
    mcp = mcp_read_options(gateway, given, &options, &server) ? mcp_new(gateway, &options) : NULL;
    if (!mcp)
        return NULL;
    if (!mcp_add_routes(gateway, mcp->server, options.routes) &&
        !mcp_serve(gateway, mcp, options.policies))
        return mcp->server;
    mcp_remove_last(gateway, mcp);
    return NULL;
}

static bool mcp_is(const struct mcp *mcp, const haft_mcp_options *options)
{
    return mcp->configured && !mcp->stale && !strcmp(mcp->path, options->endpoint) &&
           !strcmp(mcp->server->name, options->name) &&
           !strcmp(mcp->server->version, options->version);
}

struct mcp *hf_mcp_find_or_add(haft_gateway *gateway, const haft_mcp_options *given)
{
    haft_mcp_options options;
    haft_server_options server;
    struct mcp *mcp = gateway->servers;

    gateway->error = (haft_reason){.code = 0};
    if (!mcp_read_options(gateway, given, &options, &server))
        return NULL;
    while (mcp && !mcp_is(mcp, &options))
        mcp = mcp->next;
    if (!mcp)
        mcp = mcp_new(gateway, &options);
    if (!mcp)
        return NULL;
    mcp->configured = true;
    return mcp_serve(gateway, mcp, options.policies) ? NULL : mcp;
}

/* Of the generation being prepared, if there is one, so that the caller can configure its servers.
 * Servers and paths live as long as the gateway. */
haft_server *haft_gateway_endpoint(const haft_gateway *given, size_t i, const char **ret_path)
{
    haft_gateway *gateway = (haft_gateway *)(uintptr_t)given;
    struct generation *held = gateway->adding == gateway->own ? hf_generation_hold(gateway) : NULL;
    const struct served *served = held ? held->endpoints : gateway->adding->endpoints;
    haft_server *server = NULL;

    for (; served && i; i--)
        served = served->next;
    if (served) {
        *ret_path = served->mcp->path;
        server = served->mcp->server;
    }
    hf_generation_drop(held);
    return server;
}
