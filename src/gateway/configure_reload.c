/* configure_reload.c - applies a configuration to a gateway, at start-up and while it serves.
 *
 * It is prepared beside the active one: a generation, the offers of servers, and the objects for
 * every loop, so that all errors are found, and all memory is allocated, before anything
 * changes. */
#include "gateway/configure_section.h"

#include <stdio.h>
#include <string.h>

#include "config/expand.h"
#include "gateway/inflight.h"
#include "gateway/shape.h"
#include "gateway/upstreams.h"

enum { RECONFIGURATION_ARENA = 64 << 20, RECONFIGURATION_PLACE = 200 };

struct reconfiguration {
    haft_arena *arena;             /* holds everything but the generation */
    const char *text;              /* text of the section */
    struct generation *generation; /* NULL if the active one remains */
    struct endpoint_offer *offers;
    struct turnover *turnovers;
};

/* ---- what must not change ---- */

/* Whether something would lose its authentication. Whether an address may be used without
 * authentication is checked at start-up. */
static bool reconfiguration_opens(const struct policy_list *now, const struct policy_list *then)
{
    return hf_policies_authenticate(now) && !hf_policies_authenticate(then);
}

static int refuse_open(const char *what, haft_reason *reterr_reason)
{
    return hf_error_set(reterr_reason, HAFT_EINVAL, "",
                        "removing the authentication of %s requires a restart", what);
}

static int check_endpoints(const haft_gateway *gateway, const struct generation *then,
                           haft_reason *reterr_reason)
{
    int all = 0;

    for (const struct served *served = then->endpoints; served; served = served->next) {
        const struct served *now = gateway->now->endpoints;
        char what[RECONFIGURATION_PLACE];
        haft_reason reason;

        while (now && strcmp(now->mcp->path, served->mcp->path) != 0)
            now = now->next;
        if (!now || !reconfiguration_opens(now->policies, served->policies))
            continue;
        snprintf(what, sizeof what, "endpoint %s", served->mcp->path);
        all =
            hf_configure_collect(gateway, all, refuse_open(what, &reason), &reason, reterr_reason);
    }
    return all;
}

static int check_routes(const haft_gateway *gateway, const struct generation *then,
                        haft_reason *reterr_reason)
{
    int all = 0;

    for (const struct route *route = then->routes; route; route = route->next) {
        const struct route *now = gateway->now->routes;
        char what[RECONFIGURATION_PLACE];
        haft_reason reason;

        while (now &&
               (strcmp(now->method, route->method) != 0 || strcmp(now->path, route->path) != 0))
            now = now->next;
        if (!now || !reconfiguration_opens(now->policies, route->policies))
            continue;
        snprintf(what, sizeof what, "route %s %s", route->method, route->path);
        all =
            hf_configure_collect(gateway, all, refuse_open(what, &reason), &reason, reterr_reason);
    }
    return all;
}

static int check_authentication(const haft_gateway *gateway, const struct generation *then,
                                haft_reason *reterr_reason)
{
    char what[RECONFIGURATION_PLACE];
    haft_reason reason;
    int status = check_endpoints(gateway, then, reterr_reason);
    int routes = check_routes(gateway, then, &reason);

    status = hf_configure_collect(gateway, status, routes, &reason, reterr_reason);
    if (!status && gateway->closed && hf_generation_is_open(then, what, sizeof what))
        status = hf_error_set(
            reterr_reason, HAFT_EINVAL, "",
            "%s is reachable from other machines without authentication; add a policy such as api-key, or restart with --insecure",
            what);
    return status;
}

/* ---- preparing ---- */

static int generation_fill(const struct configuration *configuration,
                           struct reconfiguration *change, const gateway_section *section,
                           haft_value *value, haft_reason *reterr_reason)
{
    haft_gateway *gateway = configuration->gateway;
    struct generation *generation = change->generation;
    int status = hf_configure_hold_plugins(configuration, generation);

    generation->policies = gateway->own->policies;
    generation->kinds = gateway->own->kinds;
    if (!status)
        status = hf_configure_add_parts(configuration, hf_part_add_policies, reterr_reason);
    if (!status)
        status = hf_configure_policies(gateway, section, reterr_reason);
    if (!status)
        status = hf_upstreams_configure(configuration, section, value, reterr_reason);
    if (!status)
        status = hf_shaping_configure(configuration, section, value, reterr_reason);
    if (!status)
        status = hf_configure_routes(configuration, section, reterr_reason);
    if (!status)
        status = hf_protected_check_routes(generation, reterr_reason);
    if (!status)
        status = hf_configure_endpoints(configuration, section, change->arena, &change->offers,
                                        reterr_reason);
    if (!status)
        status = hf_protected_check(gateway, generation, reterr_reason);
    if (!status && gateway->now != gateway->own)
        status = check_authentication(gateway, generation, reterr_reason);
    return status;
}

/* Whether the active generation has the same sources. */
static bool generation_stays(const struct configuration *configuration, const char *text)
{
    const struct generation *now = configuration->gateway->now;

    return now->text && !strcmp(now->text, text) && hf_configure_holds_plugins(configuration, now);
}

/* Makes additions to the gateway go to the new generation. */
static int reconfiguration_fill(const struct configuration *configuration,
                                struct reconfiguration *change, haft_value *value,
                                haft_reason *reterr_reason)
{
    haft_gateway *gateway = configuration->gateway;
    gateway_section section;
    int status = hf_configure_read(configuration, value, change->arena, &section, reterr_reason);

    if (status)
        return status;
    change->generation = hf_generation_new(gateway);
    if (!change->generation)
        return HAFT_ENOMEM;
    change->generation->text =
        haft_arena_copy(change->generation->arena, change->text, strlen(change->text));
    if (!change->generation->text)
        return HAFT_ENOMEM;
    gateway->adding = change->generation;
    status = generation_fill(configuration, change, &section, value, reterr_reason);
    if (!status)
        status = hf_offers_prepare(configuration, change->arena, change->offers, reterr_reason);
    return status ? status : hf_turnovers_make(gateway, change->generation, &change->turnovers);
}

int hf_reconfiguration_prepare(const struct configuration *configuration, haft_value *value,
                               struct reconfiguration **ret_change, haft_reason *reterr_reason)
{
    const haft_gateway *gateway = configuration->gateway;
    haft_arena *arena = haft_arena_new(gateway->allocator, RECONFIGURATION_ARENA);
    struct reconfiguration *change = arena ? haft_arena_zalloc(arena, 1, sizeof *change) : NULL;
    const char *named = change && value ? hf_expand_names(value, arena) : NULL;
    int status = HAFT_ENOMEM;

    if (!change || (value && !named)) {
        haft_arena_free(arena);
        return status;
    }
    change->arena = arena;
    if (value) {
        value = hf_expand_variables(value, arena, reterr_reason);
        if (!value) {
            haft_arena_free(arena);
            return reterr_reason->code;
        }
    }
    change->text = hf_configure_write(arena, value);
    if (change->text && generation_stays(configuration, change->text) &&
        !hf_plugins_differ(configuration->plugins)) {
        haft_arena_free(arena);
        return 0;
    }
    uv_mutex_lock(&gateway->upstreams->offers_lock);
    gateway->upstreams->named = named;
    if (change->text)
        status = reconfiguration_fill(configuration, change, value, reterr_reason);
    gateway->upstreams->named = NULL;
    if (status)
        hf_reconfiguration_discard(configuration, change);
    else
        *ret_change = change;
    return status;
}

void hf_reconfiguration_discard(const struct configuration *configuration,
                                struct reconfiguration *change)
{
    haft_gateway *gateway = configuration->gateway;

    if (!change)
        return;
    gateway->adding = gateway->own;
    hf_turnovers_free(gateway, change->turnovers);
    hf_offers_discard(change->offers);
    hf_generation_drop(change->generation);
    haft_arena_free(change->arena);
    uv_mutex_unlock(&gateway->upstreams->offers_lock);
}

/* ---- activating ---- */

static void log_endpoints(haft_gateway *gateway, const struct generation *one,
                          const struct generation *other, const char *what)
{
    for (const struct served *served = one->endpoints; served; served = served->next) {
        const struct served *same = other->endpoints;

        while (same && same->mcp != served->mcp)
            same = same->next;
        if (!same)
            hf_server_log(gateway->server, HAFT_NOTICE, "endpoint %s: %s", served->mcp->path, what);
    }
}

static void log_routes(haft_gateway *gateway, const struct generation *one,
                       const struct generation *other, const char *what)
{
    for (const struct route *route = one->routes; route; route = route->next) {
        const struct route *same = other->routes;

        while (same && (same->item != route->item || strcmp(same->path, route->path) != 0))
            same = same->next;
        if (!same)
            hf_server_log(gateway->server, HAFT_NOTICE, "route %s %s: %s", route->method,
                          route->path, what);
    }
}

static void log_turnover(haft_gateway *gateway, const struct generation *now,
                         const struct generation *then)
{
    const struct mcp *first = then->endpoints ? then->endpoints->mcp : NULL;

    log_endpoints(gateway, now, then, "removed");
    log_endpoints(gateway, then, now, "added");
    log_routes(gateway, now, then, "removed");
    log_routes(gateway, then, now, "added");
    if (gateway->legacy_sse && first != gateway->legacy)
        hf_server_log(
            gateway->server, HAFT_WARNING,
            "http.legacy_sse: /sse and /messages move to another endpoint only after a restart");
    hf_server_log(gateway->server, HAFT_NOTICE, "gateway: now using the new configuration");
}

void hf_reconfiguration_commit(const struct configuration *configuration,
                               struct reconfiguration *change)
{
    haft_gateway *gateway = configuration->gateway;
    struct generation *generation, *before;
    bool first = gateway->now == gateway->own;

    if (!change)
        return;
    generation = change->generation;
    before = hf_generation_hold(gateway);
    gateway->adding = gateway->own;
    if (gateway->now != gateway->own)
        log_turnover(gateway, gateway->now, generation);
    generation_take(generation);
    hf_generation_use(gateway, generation, change->turnovers);
    hf_offers_use(configuration, change->offers, generation);
    haft_arena_free(change->arena);
    uv_mutex_unlock(&gateway->upstreams->offers_lock);
    if (!first)
        hf_upstreams_turn_over(gateway, before, generation);
    else if (!configuration->upstreams_wait)
        hf_upstreams_start(gateway);
    hf_generation_drop(before);
    hf_generation_drop(generation);
}
