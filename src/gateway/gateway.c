/* gateway.c - creates and frees a gateway. */
#include "gateway/configure.h"

#include <string.h>

#include "base/defaults.h"
#include "base/struct.h"
#include "gateway/upstreams.h"
#include "loop/executor.h"

enum {
    GATEWAY_ARENA_LIMIT = 256 << 20,
    DEFAULT_INVOKE_DEPTH = 8,
    DEFAULT_INVOKES = 64,
    GATEWAY_MAX_WAITING = 256 /* requests of haft_invoke_all that wait for a thread */
};

static const char *const default_forward[] = {"accept-language", "traceparent", "tracestate", NULL};

haft_server *haft_gateway_server(haft_gateway *gateway)
{
    return gateway->server;
}

static void gateway_set_defaults(haft_gateway_options *options)
{
    options->forward = options->forward ? options->forward : default_forward;
    options->max_depth = options->max_depth ? options->max_depth : DEFAULT_INVOKE_DEPTH;
    options->max_invokes = options->max_invokes ? options->max_invokes : DEFAULT_INVOKES;
    options->workers = options->workers ? options->workers : DEFAULT_WORKERS;
}

static bool install(haft_gateway *gateway)
{
    const haft_gateway_options *options = &gateway->options;

    gateway->arena = haft_arena_new(gateway->allocator, GATEWAY_ARENA_LIMIT);
    gateway->server = haft_server_new_with("routes", "0.0.0", options->server);
    gateway->own = gateway->arena ? hf_generation_new(gateway) : NULL;
    gateway->has_lock = !uv_mutex_init(&gateway->lock);
    if (!gateway->own || !gateway->server || !gateway->has_lock)
        return false;
    gateway->server->gateway = gateway;
    gateway->now = gateway->adding = gateway->own;
    generation_take(gateway->now);
    if (hf_policies_install(gateway))
        return false;
    if (options->executor)
        gateway->executor = *options->executor;
    else if (!options->one_thread) {
        gateway->workers =
            hf_executor_new(gateway->allocator, options->workers, GATEWAY_MAX_WAITING);
        if (!gateway->workers)
            return false;
        gateway->executor = hf_executor_interface(gateway->workers);
    }
    return true;
}

haft_gateway *haft_gateway_new(const haft_gateway_options *options)
{
    haft_gateway_options own;
    haft_server_options server;
    const haft_allocator *allocator;
    haft_gateway *gateway;

    if (!hf_struct_read(&own, sizeof own, options) ||
        !hf_struct_read(&server, sizeof server, own.server))
        return NULL;
    allocator = hf_allocator_or_default(server.allocator);
    gateway = allocator->alloc(allocator->context, sizeof *gateway);
    if (!gateway)
        return NULL;
    memset(gateway, 0, sizeof *gateway);
    gateway->options = own;
    gateway->allocator = allocator;
    gateway->last_server = &gateway->servers;
    gateway_set_defaults(&gateway->options);
    if (!install(gateway)) {
        haft_gateway_free(gateway);
        return NULL;
    }
    return gateway;
}

/* Tasks must not use upstreams that have ended. */
static void gateway_join_tasks(const haft_gateway *gateway)
{
    for (const struct mcp *mcp = gateway->servers; mcp; mcp = mcp->next)
        if (mcp->server && mcp->server->tasks.hooks)
            mcp->server->tasks.hooks->join(mcp->server->tasks.service);
}

void haft_gateway_free(haft_gateway *gateway)
{
    const haft_allocator *allocator;

    if (!gateway)
        return;
    allocator = gateway->allocator;
    gateway_join_tasks(gateway);
    hf_upstreams_end(gateway);
    hf_executor_free(gateway->workers);
    hf_executor_free(gateway->verifiers);
    for (struct mcp *mcp = gateway->servers; mcp; mcp = mcp->next)
        haft_server_free(mcp->server);
    hf_generation_drop(gateway->now);
    hf_generation_drop(gateway->own);
    haft_server_free(gateway->server);
    hf_configuration_finish(gateway->configuration); /* last: unloads plugins */
    if (gateway->has_lock)
        uv_mutex_destroy(&gateway->lock);
    haft_arena_free(gateway->arena);
    allocator->release(allocator->context, gateway, sizeof *gateway);
}
