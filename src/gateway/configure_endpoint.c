/* configure_endpoint.c - the MCP endpoints of a configuration, and what their servers offer.
 *
 * An existing server changes in one step, after everything else has been validated; its sessions
 * remain. A server that is no longer served offers nothing, so that plugins can be unloaded. */
#include "gateway/configure_section.h"
#include "gateway/shape.h"
#include "gateway/upstreams.h"

#include <haft/skill.h>
#include <stdio.h>
#include <string.h>

#include "base/struct.h"
#include "engine/call/search_call.h"
#include "skill/set.h"

/* ---- endpoints ---- */

static struct endpoint_offer *offer_add(haft_arena *arena, struct mcp *mcp, haft_server *server,
                                        struct endpoint_offer ***link)
{
    struct endpoint_offer *offer = haft_arena_zalloc(arena, 1, sizeof *offer);

    if (!offer)
        return NULL;
    offer->mcp = mcp;
    offer->server = server;
    **link = offer;
    *link = &offer->next;
    return offer;
}

static bool generation_has_server(const struct generation *generation, const struct mcp *mcp)
{
    const struct served *served = generation->endpoints;

    while (served && served->mcp != mcp)
        served = served->next;
    return served;
}

/* The first endpoint has the path of the command line. */
static const char *configure_path(const haft_gateway *gateway, const char *path)
{
    return gateway->first_path && !gateway->adding->endpoints ? gateway->first_path : path;
}

/* Upstreams change what they offer also after the configuration has been read. */
static bool served_keep_patterns(const struct generation *generation, const struct mcp *mcp,
                                 const struct endpoint_offer *offer)
{
    struct served *served = generation->endpoints;

    while (served->mcp != mcp)
        served = served->next;
    served->upstreams =
        haft_arena_copy(generation->arena, offer->upstreams, strlen(offer->upstreams));
    served->tools = haft_arena_copy(generation->arena, offer->tools, strlen(offer->tools));
    return served->upstreams && served->tools;
}

static int configure_endpoint(const struct configuration *configuration, haft_mcp_options options,
                              const char *tools, const char *upstreams, const char *place,
                              haft_arena *arena, struct endpoint_offer ***link,
                              haft_reason *reterr_reason)
{
    haft_gateway *gateway = configuration->gateway;
    struct endpoint_offer *offer;
    struct mcp *mcp;

    options.endpoint = configure_path(gateway, options.endpoint);
    mcp = hf_mcp_find_or_add(gateway, &options);
    if (!mcp)
        return hf_configure_refuse(gateway, HAFT_EINVAL, place, reterr_reason);
    offer = offer_add(arena, mcp, mcp->server, link);
    if (!offer)
        return HAFT_ENOMEM;
    offer->tools = tools;
    offer->routes = options.routes;
    offer->upstreams = upstreams;
    offer->is_new = !generation_has_server(gateway->now, mcp);
    if (!served_keep_patterns(gateway->adding, mcp, offer))
        return HAFT_ENOMEM;
    snprintf(offer->place, sizeof offer->place, "%s", place);
    return 0;
}

static int offer_set_search(struct endpoint_offer *offer, const search_entry *entry,
                            haft_arena *arena)
{
    haft_search *search = haft_arena_alloc(arena, sizeof *search);

    if (!search)
        return HAFT_ENOMEM;
    *search = (haft_search)HAFT_INIT(haft_search, .above = (unsigned)entry->above,
                                     .pinned = entry->pinned, .results = (unsigned)entry->results);
    offer->search = search;
    return 0;
}

static bool section_has_upstream(const gateway_section *section, const char *name, size_t size)
{
    for (size_t i = 0; i < section->n_upstreams; i++)
        if (strlen(section->upstreams_keys[i]) == size &&
            !memcmp(section->upstreams_keys[i], name, size))
            return true;
    return false;
}

/* A word of an endpoint's list without * and ? is the name of an upstream.  A wrong one would be noticed by missing
 * tools only, or, after a minus, by tools that were to be left out. */
static int configure_check_upstreams(const gateway_section *section, const char *list,
                                     const char *place, haft_reason *reterr_reason)
{
    char where[64];
    size_t size;

    for (list += strspn(list, " ,-"); *list; list += strspn(list, " ,-")) {
        size = strcspn(list, " ,");
        if (strcspn(list, "*?") >= size && !section_has_upstream(section, list, size)) {
            snprintf(where, sizeof where, "%s.upstreams", place);
            return hf_error_set(reterr_reason, HAFT_EINVAL, where, "unknown upstream %.*s",
                                (int)(size < 60 ? size : 60), list);
        }
        list += size;
    }
    return 0;
}

static int configure_entry(const struct configuration *configuration,
                           const gateway_section *section, const endpoint_entry *entry, size_t i,
                           haft_arena *arena, struct endpoint_offer ***link,
                           haft_reason *reterr_reason)
{
    haft_mcp_options options =
        HAFT_INIT(haft_mcp_options, .name = entry->name, .version = entry->version,
                  .endpoint = entry->endpoint, .routes = entry->routes,
                  .policies = hf_configure_join(arena, entry->policies, entry->n_policies));
    struct endpoint_offer **added = *link;
    char place[32];
    int status;

    if (!options.policies)
        return HAFT_ENOMEM;
    snprintf(place, sizeof place, "endpoints.%zu", i);
    status = configure_check_upstreams(section, entry->upstreams, place, reterr_reason);
    if (status)
        return status;
    status = configure_endpoint(configuration, options, entry->tools, entry->upstreams, place,
                                arena, link, reterr_reason);
    if (!status)
        (*added)->skills = entry->skills;
    return !status && entry->has_search ? offer_set_search(*added, &entry->search, arena) : status;
}

/* The program's endpoints have the policies that it set. */
static int configure_own_endpoints(const haft_gateway *gateway, const gateway_section *section,
                                   haft_arena *arena, struct endpoint_offer ***link)
{
    struct generation *adding = gateway->adding;

    for (const struct served *own = gateway->own->endpoints; own; own = own->next) {
        struct served *served = haft_arena_zalloc(adding->arena, 1, sizeof *served);
        struct endpoint_offer *offer = offer_add(arena, own->mcp, own->mcp->server, link);

        if (!served || !offer)
            return HAFT_ENOMEM;
        offer->tools = own == gateway->own->endpoints && !section->n_endpoints ? "*" : NULL;
        offer->upstreams = offer->tools;
        *served = (struct served){.mcp = own->mcp,
                                  .policies = own->policies,
                                  .upstreams = offer->upstreams,
                                  .tools = offer->tools};
        *adding->last_endpoint = served;
        adding->last_endpoint = &served->next;
    }
    return 0;
}

/* Servers that this configuration does not name offer nothing. */
static int configure_retired(const haft_gateway *gateway, haft_arena *arena,
                             struct endpoint_offer ***link)
{
    for (struct mcp *mcp = gateway->servers; mcp; mcp = mcp->next)
        if (!generation_has_server(gateway->adding, mcp) &&
            !offer_add(arena, mcp, mcp->server, link))
            return HAFT_ENOMEM;
    return 0;
}

static int configure_named(const struct configuration *configuration,
                           const gateway_section *section, haft_arena *arena,
                           struct endpoint_offer ***link, haft_reason *reterr_reason)
{
    haft_gateway *gateway = configuration->gateway;
    haft_mcp_options endpoint;
    int status = 0;

    for (size_t i = 0; i < section->n_endpoints && status != HAFT_ENOMEM; i++) {
        haft_reason reason = {.code = 0};
        int one = configure_entry(configuration, section, &section->endpoints[i], i, arena, link,
                                  &reason);

        status = hf_configure_collect(gateway, status, one, &reason, reterr_reason);
    }
    if (section->n_endpoints || gateway->own->endpoints)
        return status;
    if (!hf_struct_read(&endpoint, sizeof endpoint, configuration->endpoint))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "haft_mcp_options", STRUCT_UNSIZED);
    return configure_endpoint(configuration, endpoint, "*", "*", "", arena, link, reterr_reason);
}

int hf_configure_endpoints(const struct configuration *configuration,
                           const gateway_section *section, haft_arena *arena,
                           struct endpoint_offer **ret_offers, haft_reason *reterr_reason)
{
    const haft_gateway *gateway = configuration->gateway;
    struct endpoint_offer **link = ret_offers;
    int status = configure_own_endpoints(gateway, section, arena, &link);

    if (!status)
        status = configure_named(configuration, section, arena, &link, reterr_reason);
    if (!status)
        status = configure_retired(gateway, arena, &link);
    if (!status && !offer_add(arena, NULL, gateway->server, &link))
        status = HAFT_ENOMEM;
    return status;
}

/* ---- offered items ---- */

static bool routes_have(const struct generation *generation, const struct item *item)
{
    const struct route *route = generation->routes;

    while (route && route->item != item)
        route = route->next;
    return route;
}

static size_t routes_count(const struct generation *generation)
{
    size_t n = 0;

    for (const struct route *route = generation->routes; route; route = route->next)
        n++;
    return n;
}

/* The routes' server has the routes; they keep their items. */
static int offer_compare_routes(const haft_gateway *gateway, struct endpoint_offer *offer,
                                haft_arena *arena)
{
    const struct generation *now = gateway->now, *then = gateway->adding;

    offer->items = haft_arena_zalloc(arena, routes_count(then) + 1, sizeof(struct item *));
    if (!offer->items)
        return HAFT_ENOMEM;
    for (const struct route *route = now->routes; route; route = route->next)
        route->item->leaving = !routes_have(then, route->item);
    for (const struct route *route = then->routes; route; route = route->next)
        if (!routes_have(now, route->item))
            offer->items[offer->n++] = route->item;
    return 0;
}

/* A server that is not in use any more has no patterns. */
static int offer_compare_upstreams(haft_gateway *gateway, const struct endpoint_offer *offer,
                                   struct upstream_items *items, haft_reason *reterr_reason)
{
    const struct upstream_offer patterns = {
        .server = offer->server, .upstreams = offer->upstreams, .tools = offer->tools};
    haft_reason reason = {.code = 0};
    int status = hf_upstreams_compare(gateway->adding, &patterns, NULL, items, &reason);
    char place[64];

    if (!status)
        return 0;
    snprintf(place, sizeof place, "upstreams.%.40s", reason.path);
    return hf_error_set(reterr_reason, status, place, "%s", reason.text);
}

/* Moves items to the offer, which has room for them. */
static void offer_append(struct endpoint_offer *offer, struct upstream_items *items)
{
    for (size_t i = 0; i < items->n; i++)
        offer->items[offer->n++] = items->list[i];
    items->n = 0;
}

static int offer_compare(const struct configuration *configuration, struct endpoint_offer *offer,
                         haft_arena *arena, haft_reason *reterr_reason)
{
    haft_gateway *gateway = configuration->gateway;
    struct upstream_items of_upstreams = {.arena = arena};
    haft_reason reason = {.code = 0};
    int status, upstreams;

    if (!offer->mcp)
        return offer_compare_routes(gateway, offer, arena);
    upstreams = offer_compare_upstreams(gateway, offer, &of_upstreams, reterr_reason);
    status = hf_plugins_compare(configuration->plugins, offer->server, offer->tools, arena,
                                routes_count(gateway->adding) + of_upstreams.n + SEARCH_TOOLS,
                                &offer->items, &offer->n, &reason);
    if (offer->items)
        offer_append(offer, &of_upstreams);
    hf_upstreams_drop_items(&of_upstreams);
    if (upstreams)
        return upstreams;
    if (status)
        return hf_error_set(reterr_reason, status, offer->place, "%s: %s", reason.path,
                            reason.text);
    status = hf_route_tools_compare(gateway, offer->server, offer->routes, offer->items, &offer->n);
    if (status)
        return hf_configure_refuse(gateway, status, offer->place, reterr_reason);
    status = hf_search_compare(offer->server, offer->search, offer->items, &offer->n);
    return status ? hf_error_set(reterr_reason, status, offer->place, "search: %s",
                                 haft_server_error(offer->server)->text)
                  : 0;
}

/* Applies the command line's settings to a new server. */
static int offer_adopt(const struct configuration *configuration, struct endpoint_offer *offer,
                       haft_reason *reterr_reason)
{
    haft_reason reason = {.code = 0};
    int status;

    if (!offer->is_new || !configuration->adopt || offer->mcp->adopted)
        return 0;
    status = configuration->adopt(configuration->adopt_context, offer->server, offer->mcp->path,
                                  &reason);
    if (status)
        return hf_error_set(reterr_reason, status, offer->place, "%s: %s", reason.path,
                            reason.text);
    offer->mcp->adopted = true;
    return 0;
}

/* The upstream, other than that of `clash`, that offers an item of the same name; NULL if there is none.  It may be
 * offering it already.  The generation being prepared has it. */
static const struct upstream *offer_rival(const struct endpoint_offer *offer,
                                          const struct item *clash)
{
    const struct upstream *own = hf_upstream_of(clash), *rival = NULL;
    struct catalogue *catalogue = hf_catalogue_take(offer->server);
    const struct entry *entry =
        hf_offer_list_find(&catalogue->lists[hf_item_kind(clash)], clash->name, clash->name_size);

    if (entry && !entry->item->leaving && hf_upstream_of(entry->item) != own)
        rival = hf_upstream_of(entry->item);
    for (size_t i = 0; i < offer->n && !rival; i++)
        if (hf_upstream_of(offer->items[i]) != own && !strcmp(offer->items[i]->name, clash->name))
            rival = hf_upstream_of(offer->items[i]);
    hf_catalogue_drop(catalogue);
    return rival;
}

static int offer_refuse_clash(const struct endpoint_offer *offer, const struct item *clash,
                              haft_reason *reterr_reason)
{
    const struct upstream *upstream = hf_upstream_of(clash), *rival = offer_rival(offer, clash);

    if (upstream && rival)
        return hf_error_set(reterr_reason, HAFT_EEXISTS, offer->place,
                            "%s is already registered: the upstreams %s and %s both offer it; "
                            "change the prefix of one, or leave it out with \"tools\"",
                            clash->name, rival->name, upstream->name);
    if (upstream)
        return hf_error_set(reterr_reason, HAFT_EEXISTS, offer->place,
                            "%s of the upstream %s is already registered", clash->name,
                            upstream->name);
    return hf_error_set(reterr_reason, HAFT_EEXISTS, offer->place, "%s is already registered%s",
                        clash->name, search_of_item(clash) ? "; tool search needs this name" : "");
}

/* A server in use keeps its skills until the configuration is active; the new directory must be valid now. */
static int offer_prepare_skills(const struct endpoint_offer *offer, haft_reason *reterr_reason)
{
    haft_reason reason = {.code = 0};
    int status;

    if (!offer->is_new) {
        status = hf_server_try_skills(offer->server, offer->skills, &reason);
    } else {
        status = hf_server_set_skills(offer->server, offer->skills);
        reason = *haft_server_error(offer->server);
    }
    return status ? hf_error_set(reterr_reason, status, offer->place, "skills: %s: %s", reason.path,
                                 reason.text)
                  : 0;
}

static void offer_use_skills(haft_gateway *gateway, const struct endpoint_offer *offer)
{
    if (!offer->is_new && hf_server_set_skills(offer->server, offer->skills))
        hf_server_log(gateway->server, HAFT_ERROR,
                      "endpoint %s: cannot offer the skills below %s; it keeps those that it has",
                      offer->mcp->path, offer->skills ? offer->skills : "no directory");
}

static int offer_prepare(const struct configuration *configuration, struct endpoint_offer *offer,
                         haft_arena *arena, haft_reason *reterr_reason)
{
    const struct item *clash = NULL;
    int status = offer_adopt(configuration, offer, reterr_reason);

    if (!status)
        status = offer_compare(configuration, offer, arena, reterr_reason);
    if (!status && offer->mcp)
        status = offer_prepare_skills(offer, reterr_reason);
    if (status)
        return status;
    status = hf_catalogue_plan_shaped(offer->server, offer->items, offer->n,
                                      offer->mcp ? configuration->gateway->adding->shaping : NULL,
                                      &offer->plan, &clash);
    if (!status && offer->plan.to)
        status = hf_shaping_check(offer->plan.to, reterr_reason);
    if (!status && offer->is_new)
        status = hf_catalogue_use(&offer->plan);
    return status == HAFT_EEXISTS ? offer_refuse_clash(offer, clash, reterr_reason) : status;
}

int hf_offers_prepare(const struct configuration *configuration, haft_arena *arena,
                      struct endpoint_offer *offers, haft_reason *reterr_reason)
{
    int all = 0;

    for (; offers && all != HAFT_ENOMEM; offers = offers->next) {
        haft_reason reason = {.code = 0};
        int status = offer_prepare(configuration, offers, arena, &reason);

        all = hf_configure_collect(configuration->gateway, all, status, &reason, reterr_reason);
    }
    return all;
}

/* Items of routes belong to the routes. */
static void offer_drop_items(struct endpoint_offer *offer)
{
    for (size_t i = 0; i < offer->n && offer->mcp; i++)
        hf_item_drop(offer->items[i]);
    offer->n = 0;
}

void hf_offers_use(const struct configuration *configuration, struct endpoint_offer *offers,
                   struct generation *generation)
{
    haft_gateway *gateway = configuration->gateway;

    for (; offers; offers = offers->next) {
        int status = hf_catalogue_use(&offers->plan);

        if (status && offers->mcp) {
            offers->mcp->stale = !generation_has_server(generation, offers->mcp);
            hf_server_log(gateway->server, HAFT_ERROR, "endpoint %s: cannot update its offers: %s",
                          offers->mcp->path, haft_strerror(status));
        }
        if (offers->mcp) {
            offer_use_skills(gateway, offers);
            hf_route_tools_move(gateway, offers->server, generation);
        }
        offer_drop_items(offers);
    }
}

static void offer_unmark(const struct endpoint_offer *offer, bool leaving)
{
    struct catalogue *catalogue = hf_catalogue_take(offer->server);

    for (int i = 0; i < OFFER_LISTS; i++)
        for (size_t k = 0; k < catalogue->lists[i].n; k++) {
            struct item *item = catalogue->lists[i].entries[k].item;

            item->leaving = leaving && item->module;
        }
    hf_catalogue_drop(catalogue);
}

void hf_offers_discard(struct endpoint_offer *offers)
{
    for (; offers; offers = offers->next) {
        const struct item *clash;

        hf_catalogue_plan_drop(&offers->plan);
        if (offers->is_new) /* they are the configuration's as well */
            offers->mcp->stale |= hf_server_set_skills(offers->server, NULL) != 0;
        offer_unmark(offers, offers->is_new);
        if (offers->is_new)
            offers->mcp->stale |= hf_catalogue_swap(offers->server, NULL, 0, &clash) != 0;
        offer_drop_items(offers);
    }
}
