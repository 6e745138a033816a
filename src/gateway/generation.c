/* generation.c - everything that a gateway serves at one time.
 *
 * A generation is prepared beside the active one, and replaces it as a whole. References are held
 * by the gateway (the active one), by every loop (the one for its new requests) and by every
 * request (the one it started with). The last reference frees it, on any thread. */
#include <string.h>

#include "endpoint/guard.h"
#include "gateway/gateway.h"

enum { GENERATION_ARENA_LIMIT = 256 << 20 };

static void generation_release(struct module *module)
{
    struct generation *generation = (struct generation *)module;

    for (const struct route *route = generation->routes; route; route = route->next)
        hf_item_drop(route->item);
    hf_policies_free(generation);
    for (size_t i = 0; i < generation->n_plugins; i++)
        hf_module_drop(generation->plugins[i]);
    for (size_t i = 0; i < generation->n_upstreams; i++)
        hf_module_drop((struct module *)generation->upstreams[i]);
    hf_module_drop((struct module *)generation->shaping);
    haft_arena_free(generation->arena);
}

struct generation *hf_generation_new(haft_gateway *gateway)
{
    haft_arena *arena = haft_arena_new(gateway->allocator, GENERATION_ARENA_LIMIT);
    struct generation *generation = arena ? haft_arena_zalloc(arena, 1, sizeof *generation) : NULL;

    if (!generation) {
        haft_arena_free(arena);
        return NULL;
    }
    hf_module_init(&generation->module, generation_release);
    generation->gateway = gateway;
    generation->arena = generation->router.arena = arena;
    generation->last_route = &generation->routes;
    generation->last_endpoint = &generation->endpoints;
    return generation;
}

struct generation *hf_generation_hold(haft_gateway *gateway)
{
    struct generation *generation;

    uv_mutex_lock(&gateway->lock);
    generation = gateway->now;
    generation_take(generation);
    uv_mutex_unlock(&gateway->lock);
    return generation;
}

void hf_generation_drop(struct generation *generation)
{
    if (generation)
        hf_module_drop(&generation->module);
}

const struct served *hf_generation_endpoint(const struct generation *generation, const char *path)
{
    const haft_gateway *gateway = generation->gateway;
    bool legacy =
        gateway->legacy_sse && (hf_path_is(path, "/sse") || hf_path_is(path, "/messages"));
    const struct served *served = generation->endpoints;

    while (served && !hf_path_is(path, served->mcp->path) &&
           !(legacy && served->mcp == gateway->legacy))
        served = served->next;
    return served;
}
