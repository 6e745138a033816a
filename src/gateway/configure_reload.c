/* configure_reload.c - another section "gateway" while the gateway serves.
 *
 * Policies, and where they apply, can change.  A generation is all of that, made beside what is in
 * force, so that everything that can be wrong is known before anything is changed.  A request keeps
 * to the policies that it began with; nothing says when the last of them has ended, so generations
 * that were in force are kept until the gateway is freed. */
#include "gateway/configure_section.h"

#include <stdio.h>
#include <string.h>

#include "gateway/policies.h"

enum { CONFIGURE_RELOAD_ARENA_LIMIT = 64 << 20, CONFIGURE_RELOAD_PLACE = 160 };

/* Other policies, and where they apply: all that can change.  It is made beside what is in force,
 * and kept until the gateway is freed, as requests may be in it. */
struct generation {
    struct generation *before; /* of those that have been in force */
    haft_arena *arena;         /* everything is in it */
    const char *text;          /* the section */
    bool fits;                 /* false: it needs a restart */
    struct policy *policies;   /* those of the section before the lasting ones */
    const struct policy_list **routes, **endpoints; /* in the order of the gateway's */
};

static size_t count_routes(const haft_gateway *gateway)
{
    size_t n = 0;

    for (const struct route *route = gateway->routes; route; route = route->next)
        n++;
    return n;
}

static size_t count_endpoints(const haft_gateway *gateway)
{
    size_t n = 0;

    for (const struct mcp *mcp = gateway->endpoints; mcp; mcp = mcp->next)
        n++;
    return n;
}

static struct generation *generation_new(const haft_gateway *gateway)
{
    haft_arena *arena = haft_arena_new(gateway->allocator, CONFIGURE_RELOAD_ARENA_LIMIT);
    struct generation *generation = arena ? haft_arena_zalloc(arena, 1, sizeof *generation) : NULL;

    if (generation) {
        generation->arena = arena;
        generation->routes =
            haft_arena_zalloc(arena, count_routes(gateway) + 1, sizeof *generation->routes);
        generation->endpoints =
            haft_arena_zalloc(arena, count_endpoints(gateway) + 1, sizeof *generation->endpoints);
    }
    if (generation && generation->routes && generation->endpoints)
        return generation;
    haft_arena_free(arena);
    return NULL;
}

void hf_generation_free(const struct configuration *configuration, struct generation *generation)
{
    if (!generation)
        return;
    hf_policies_drop(generation->policies, configuration->lasting);
    haft_arena_free(generation->arena);
}

/* A route that never blocks may be a tool that never does: it takes no policy that may. */
static bool generation_blocks(const struct route *route, const struct policy_list *list)
{
    return route->info->quick && list->blocks && !atomic_load(&route->policies)->blocks;
}

/* Whether something would be open that was not.  Whether the address may be used without
 * authentication is looked at when the program starts. */
static bool generation_opens(const struct policy_list *now, const struct policy_list *then)
{
    return hf_policies_authenticate(now) && !hf_policies_authenticate(then);
}

static int generation_find_endpoints(const struct configuration *configuration,
                                     struct generation *generation, const gateway_section *section,
                                     haft_reason *reterr_reason)
{
    haft_gateway *gateway = configuration->gateway;
    size_t i = 0;

    for (const struct mcp *mcp = gateway->endpoints; mcp; mcp = mcp->next, i++) {
        const char *names = configuration->endpoint ? configuration->endpoint->policies : NULL;
        size_t at = i - configuration->n_own;
        char place[CONFIGURE_RELOAD_PLACE] = "";

        if (i < configuration->n_own) /* the program's, with lasting policies */
            continue;
        if (at < section->n_endpoints) {
            names = hf_configure_join(gateway->arena, section->endpoints[at].policies,
                                      section->endpoints[at].n_policies);
            snprintf(place, sizeof place, "endpoints.%zu", at);
            if (!names)
                return HAFT_ENOMEM;
        }
        if (hf_policies_find(gateway, mcp->path, names, &generation->endpoints[i]))
            return hf_configure_refuse(gateway, HAFT_EINVAL, place, reterr_reason);
        if (generation_opens(atomic_load(&mcp->policies), generation->endpoints[i]))
            generation->fits = false;
    }
    return 0;
}

/* With the gateway's arena and policies those of the generation. */
static int generation_fill(const struct configuration *configuration, struct generation *generation,
                           const gateway_section *section, haft_reason *reterr_reason)
{
    haft_gateway *gateway = configuration->gateway;
    int status = hf_configure_policies(gateway, section, reterr_reason);
    size_t i = 0;

    if (!status)
        status = hf_configure_check_routes(gateway, section, reterr_reason);
    for (const struct route *route = gateway->routes; route && !status; route = route->next, i++) {
        status = hf_configure_route(gateway, route, section, &generation->routes[i], reterr_reason);
        if (!status && (generation_blocks(route, generation->routes[i]) ||
                        generation_opens(atomic_load(&route->policies), generation->routes[i])))
            generation->fits = false;
    }
    return status ? status
                  : generation_find_endpoints(configuration, generation, section, reterr_reason);
}

static int generation_make(const struct configuration *configuration, struct generation *generation,
                           haft_value *value, haft_reason *reterr_reason)
{
    haft_gateway *gateway = configuration->gateway;
    haft_arena *arena = gateway->arena;
    struct policy *policies = gateway->policies;
    gateway_section section;
    const char *shape;
    int status =
        hf_configure_read(configuration, value, generation->arena, &section, reterr_reason);

    if (status)
        return status;
    shape = hf_configure_shape(generation->arena, &section);
    if (!shape)
        return HAFT_ENOMEM;
    generation->fits = !strcmp(shape, configuration->shape);
    if (!generation->fits)
        return 0;
    gateway->arena = generation->arena;
    gateway->replaced = policies;
    gateway->policies = configuration->lasting;
    status = generation_fill(configuration, generation, &section, reterr_reason);
    generation->policies = gateway->policies;
    gateway->arena = arena;
    gateway->replaced = NULL;
    gateway->policies = policies;
    return status;
}

bool hf_generation_use(struct configuration *configuration, struct generation *generation)
{
    haft_gateway *gateway = configuration->gateway;
    size_t i = 0;

    if (!generation->fits)
        return false;
    for (struct route *route = gateway->routes; route; route = route->next)
        atomic_store(&route->policies, generation->routes[i++]);
    i = 0;
    for (struct mcp *mcp = gateway->endpoints; mcp; mcp = mcp->next, i++)
        if (generation->endpoints[i])
            atomic_store(&mcp->policies, generation->endpoints[i]);
    gateway->policies = generation->policies;
    generation->before = configuration->generations;
    configuration->generations = generation;
    configuration->text = generation->text;
    return true;
}

int hf_generation_prepare(const struct configuration *configuration, haft_value *value,
                          void **ret_prepared, haft_reason *reterr_reason)
{
    struct generation *generation = generation_new(configuration->gateway);
    int status = HAFT_ENOMEM;

    if (!generation)
        return status;
    generation->text = hf_configure_write(generation->arena, value);
    if (generation->text && !strcmp(generation->text, configuration->text)) {
        hf_generation_free(configuration, generation);
        return 0;
    }
    if (generation->text)
        status = generation_make(configuration, generation, value, reterr_reason);
    if (status)
        hf_generation_free(configuration, generation);
    else
        *ret_prepared = generation;
    return status;
}

/* ---- the end ---- */

void hf_generations_free(struct configuration *configuration)
{
    struct generation *before;

    for (struct generation *each = configuration->generations; each; each = before) {
        before = each->before;
        haft_arena_free(each->arena);
    }
    configuration->generations = NULL;
}

void hf_configuration_drop_policies(struct configuration *configuration)
{
    if (!configuration)
        return;
    for (struct generation *each = configuration->generations; each; each = each->before)
        hf_policies_drop(each->policies, configuration->lasting);
    if (configuration->generations)
        configuration->gateway->policies = configuration->first;
}
