/* lineup.c - prepares a line-up of plugins, and activates it. */
#include "plugin/lineup.h"

#include <string.h>

enum { LINEUP_ARENA_LIMIT = 16 << 20 };

/* ---- line-ups ---- */

static void offering_drop_items(struct offering *offering)
{
    for (size_t i = 0; i < offering->n; i++)
        hf_item_drop(offering->items[i]);
    offering->n = 0;
}

static void lineup_drop_items(struct lineup *lineup)
{
    for (size_t i = 0; i < lineup->n_offerings; i++)
        offering_drop_items(&lineup->offerings[i]);
}

void hf_lineup_free(struct lineup *lineup)
{
    if (!lineup)
        return;
    lineup_drop_items(lineup);
    for (size_t i = 0; i < lineup->n; i++)
        if (lineup->seats[i].plugin)
            hf_module_drop(&lineup->seats[i].plugin->module);
    haft_arena_free(lineup->arena);
}

struct lineup *hf_lineup_new(const haft_allocator *allocator, size_t room)
{
    haft_arena *arena = haft_arena_new(allocator, LINEUP_ARENA_LIMIT);
    struct lineup *lineup = arena ? haft_arena_zalloc(arena, 1, sizeof *lineup) : NULL;

    if (lineup) {
        lineup->arena = arena;
        lineup->room = room;
        lineup->seats = haft_arena_zalloc(arena, room + 1, sizeof *lineup->seats);
    }
    if (lineup && lineup->seats)
        return lineup;
    haft_arena_free(arena);
    return NULL;
}

static struct seat *seat_of(const struct lineup *lineup, const char *path)
{
    for (size_t i = 0; lineup && i < lineup->n; i++)
        if (!strcmp(lineup->seats[i].path, path))
            return &lineup->seats[i];
    return NULL;
}

struct seat *hf_lineup_name(struct lineup *lineup, const char *path, unsigned wanted, bool asked)
{
    struct seat *seat = seat_of(lineup, path);

    if (!seat && lineup->n < lineup->room) {
        seat = &lineup->seats[lineup->n];
        seat->path = haft_arena_copy(lineup->arena, path, strlen(path));
        if (!seat->path)
            return NULL;
        lineup->n++;
    }
    if (seat) {
        seat->wanted |= wanted;
        seat->asked |= asked;
    }
    return seat;
}

/* ---- offered items ---- */

/* The definitions of one kind: a NULL-terminated array of pointers. */
struct offers {
    haft_offer kind;
    const char *what;
    const void *list;
};

static void offers_of(const haft_plugin *definition, struct offers ret_offers[OFFER_LISTS])
{
    ret_offers[0] = (struct offers){HAFT_OFFER_TOOL, "tool", definition->tools};
    ret_offers[1] = (struct offers){HAFT_OFFER_RESOURCE, "resource", definition->resources};
    ret_offers[2] = (struct offers){HAFT_OFFER_TEMPLATE, "template", definition->templates};
    ret_offers[3] = (struct offers){HAFT_OFFER_PROMPT, "prompt", definition->prompts};
}

/* The i-th definition; NULL at the end. */
static const void *offer_at(const struct offers *offers, size_t i)
{
    const void *definition = NULL;

    if (offers->list)
        memcpy(&definition, (const char *)offers->list + i * sizeof definition, sizeof definition);
    return definition;
}

static size_t offers_count(const haft_plugin *definition)
{
    struct offers offers[OFFER_LISTS];
    size_t n = 0;

    offers_of(definition, offers);
    for (int i = 0; i < OFFER_LISTS; i++)
        for (size_t k = 0; offer_at(&offers[i], k); k++)
            n++;
    return n;
}

static int offer_make_item(haft_server *server, haft_offer kind, const void *definition,
                           struct module *module, struct item **ret_item)
{
    if (kind == HAFT_OFFER_TOOL)
        return hf_tool_item(server, definition, module, ret_item);
    if (kind == HAFT_OFFER_PROMPT)
        return hf_prompt_item(server, definition, module, ret_item);
    return hf_resource_item(server, kind, definition, module, ret_item);
}

static bool target_takes(const struct target *target, haft_offer kind, const void *definition)
{
    const haft_tool *tool = definition;

    return kind != HAFT_OFFER_TOOL || !target->tools || !tool->name ||
           hf_glob_list_allows(target->tools, tool->name);
}

/* Whether the plugin's item of that kind and name is offered. */
static bool offering_has(const struct catalogue *catalogue, const struct module *module,
                         haft_offer kind, const void *definition)
{
    const struct offer_list *offers = &catalogue->lists[kind];

    for (size_t i = 0; i < offers->n; i++) {
        const struct item *item = offers->entries[i].item;

        if (item->module == module &&
            (item->given == definition || (item->base && item->base->given == definition)))
            return true;
    }
    return false;
}

/* Skips those in the catalogue, which may be NULL. */
static int offering_fill(struct offering *offering, const struct seat *seat,
                         const struct catalogue *catalogue, haft_reason *reterr_reason)
{
    haft_server *server = offering->target->server;
    struct offers offers[OFFER_LISTS];

    offers_of(seat->plugin->definition, offers);
    for (int i = 0; i < OFFER_LISTS; i++) {
        const void *definition;

        for (size_t k = 0; (definition = offer_at(&offers[i], k)) != NULL; k++) {
            int status;

            if (!target_takes(offering->target, offers[i].kind, definition) ||
                (catalogue &&
                 offering_has(catalogue, &seat->plugin->module, offers[i].kind, definition)))
                continue;
            status = offer_make_item(server, offers[i].kind, definition, &seat->plugin->module,
                                     &offering->items[offering->n]);
            if (status)
                return hf_error_set(reterr_reason, status, seat->path, "%s %s: %s", offers[i].what,
                                    server->error.path, server->error.text);
            offering->items[offering->n]->given = definition;
            offering->n++;
        }
    }
    return 0;
}

/* ---- preparing ---- */

int hf_lineup_refuse_memory(const char *path, haft_reason *reterr_reason)
{
    return hf_error_set(reterr_reason, HAFT_ENOMEM, path, "out of memory");
}

/* Loads plugins that are not loaded, or whose files have changed. */
static int lineup_load(struct haft_plugins *plugins, struct lineup *lineup,
                       haft_reason *reterr_reason)
{
    for (size_t i = 0; i < lineup->n; i++) {
        struct seat *seat = &lineup->seats[i], *old = seat_of(plugins->now, seat->path);
        int status;

        if (old && (!seat->asked || hf_plugin_is_of(old->plugin, seat->path))) {
            seat->plugin = old->plugin;
            hf_module_take(&seat->plugin->module);
            continue;
        }
        seat->fresh = true;
        status = hf_plugin_open(plugins->server, seat->path, &seat->plugin, reterr_reason);
        if (status)
            return status;
    }
    return 0;
}

static int lineup_check_routes(const struct haft_plugins *plugins, const struct lineup *lineup,
                               haft_reason *reterr_reason)
{
    for (size_t i = 0; i < lineup->n && plugins->routes == ROUTES_REFUSED; i++)
        if (hf_plugin_part(lineup->seats[i].plugin))
            return hf_error_set(reterr_reason, HAFT_EINVAL, lineup->seats[i].path,
                                "it adds routes or policies, and this program is not a gateway");
    return 0;
}

/* Creates the items of new plugins. */
static int offering_make(const struct lineup *lineup, struct offering *offering,
                         haft_reason *reterr_reason)
{
    size_t n = 0;
    int status = 0;

    for (size_t i = 0; i < lineup->n; i++)
        if (lineup->seats[i].fresh)
            n += offers_count(lineup->seats[i].plugin->definition);
    offering->items = haft_arena_zalloc(lineup->arena, n + 1, sizeof(struct item *));
    if (!offering->items)
        return hf_lineup_refuse_memory("", reterr_reason);
    for (size_t i = 0; i < lineup->n && !status; i++)
        if (lineup->seats[i].fresh)
            status = offering_fill(offering, &lineup->seats[i], NULL, reterr_reason);
    return status;
}

static int lineup_make_items(struct haft_plugins *plugins, struct lineup *lineup,
                             haft_reason *reterr_reason)
{
    struct target *target = plugins->targets;
    int status = 0;

    lineup->offerings =
        haft_arena_zalloc(lineup->arena, plugins->n_targets + 1, sizeof *lineup->offerings);
    if (!lineup->offerings)
        return hf_lineup_refuse_memory("", reterr_reason);
    for (; target && !status; target = target->next) {
        struct offering *offering = &lineup->offerings[lineup->n_offerings++];

        offering->target = target;
        status = offering_make(lineup, offering, reterr_reason);
    }
    return status;
}

/* Marks the active plugins that are not in the new line-up; NULL: unmarks all. */
static void lineup_mark_leaving(const struct haft_plugins *plugins, const struct lineup *lineup)
{
    for (size_t i = 0; plugins->now && i < plugins->now->n; i++) {
        const struct seat *seat = &plugins->now->seats[i],
                          *next = lineup ? seat_of(lineup, seat->path) : seat;

        seat->plugin->module.leaving = !next || next->plugin != seat->plugin;
    }
}

static int lineup_refuse_clash(const struct lineup *lineup, const struct item *item,
                               haft_reason *reterr_reason)
{
    const char *path = "";

    for (size_t i = 0; i < lineup->n; i++)
        if (item->module == &lineup->seats[i].plugin->module)
            path = lineup->seats[i].path;
    return hf_error_set(reterr_reason, HAFT_EEXISTS, path, "%s is already registered", item->name);
}

/* Whether every target can accept the new items. */
static int lineup_try(const struct haft_plugins *plugins, const struct lineup *lineup,
                      haft_reason *reterr_reason)
{
    const struct item *clash = NULL;
    int status = 0;

    lineup_mark_leaving(plugins, lineup);
    for (size_t i = 0; i < lineup->n_offerings && !status; i++) {
        const struct offering *offering = &lineup->offerings[i];

        status =
            hf_catalogue_try_swap(offering->target->server, offering->items, offering->n, &clash);
    }
    lineup_mark_leaving(plugins, NULL);
    if (status && clash)
        return lineup_refuse_clash(lineup, clash, reterr_reason);
    return status ? hf_lineup_refuse_memory("", reterr_reason) : 0;
}

int hf_lineup_prepare(struct haft_plugins *plugins, struct lineup *lineup,
                      haft_reason *reterr_reason)
{
    int status = lineup_load(plugins, lineup, reterr_reason);

    lineup->before = plugins->now;
    if (!status)
        status = lineup_check_routes(plugins, lineup, reterr_reason);
    if (!status)
        status = lineup_make_items(plugins, lineup, reterr_reason);
    if (!status)
        status = lineup_try(plugins, lineup, reterr_reason);
    if (status)
        hf_lineup_free(lineup);
    return status;
}

/* ---- activating ---- */

static void lineup_log_changes(const struct haft_plugins *plugins, const struct lineup *old,
                               const struct lineup *now)
{
    haft_server *server = plugins->server;

    for (size_t i = 0; i < now->n; i++) {
        const haft_plugin *plugin = now->seats[i].plugin->definition;

        if (now->seats[i].fresh)
            hf_server_log(server, HAFT_NOTICE, "plugin %s%s%s%s%s: %s", now->seats[i].path,
                          plugin->name ? ", " : "", plugin->name ? plugin->name : "",
                          plugin->version ? " " : "", plugin->version ? plugin->version : "",
                          seat_of(old, now->seats[i].path) ? "replaced" : "loaded");
    }
    for (size_t i = 0; old && i < old->n; i++)
        if (!seat_of(now, old->seats[i].path))
            hf_server_log(server, HAFT_NOTICE, "plugin %s: removed", old->seats[i].path);
}

/* Replaces leaving items by new ones, at every target. On failure nothing has changed at that
 * target and those after it; with a single target, nothing at all. */
static int lineup_swap(const struct lineup *lineup, haft_reason *reterr_reason)
{
    const struct item *clash = NULL;
    int status = 0;

    for (size_t i = 0; i < lineup->n_offerings && !status; i++) {
        const struct offering *offering = &lineup->offerings[i];

        status = hf_catalogue_swap(offering->target->server, offering->items, offering->n, &clash);
    }
    if (status && clash)
        return lineup_refuse_clash(lineup, clash, reterr_reason);
    return status ? hf_lineup_refuse_memory("", reterr_reason) : 0;
}

int hf_lineup_commit(struct haft_plugins *plugins, struct lineup *lineup,
                     haft_reason *reterr_reason)
{
    struct lineup *old = plugins->now;
    int status;

    if (lineup->before != old) {
        hf_lineup_free(lineup);
        return hf_error_set(reterr_reason, HAFT_EBUSY, "", "the plugins changed in the meantime");
    }
    lineup_mark_leaving(plugins, lineup);
    status = lineup_swap(lineup, reterr_reason);
    if (status) {
        lineup_mark_leaving(plugins, NULL);
        hf_lineup_free(lineup);
        return status;
    }
    lineup_drop_items(lineup);
    lineup_log_changes(plugins, old, lineup);
    lineup->before = NULL;
    plugins->now = lineup;
    hf_lineup_free(old);
    return 0;
}

/* ---- for a gateway ---- */

static const struct seat *seat_of_module(const struct lineup *lineup, const struct module *module)
{
    for (size_t i = 0; lineup && i < lineup->n; i++)
        if (&lineup->seats[i].plugin->module == module)
            return &lineup->seats[i];
    return NULL;
}

static void lineup_mark_items(const struct haft_plugins *plugins, const struct lineup *lineup,
                              const struct target *target, const struct catalogue *catalogue)
{
    for (int i = 0; i < OFFER_LISTS; i++)
        for (size_t k = 0; k < catalogue->lists[i].n; k++) {
            struct item *item = catalogue->lists[i].entries[k].item;
            const void *tool = item->tool;

            if (item->module && seat_of_module(plugins->now, item->module))
                item->leaving = target->nothing || !seat_of_module(lineup, item->module) ||
                                (tool && !target_takes(target, HAFT_OFFER_TOOL, tool));
        }
}

int hf_lineup_compare(const struct haft_plugins *plugins, const struct lineup *lineup,
                      haft_arena *arena, size_t more, struct offering *offering,
                      haft_reason *reterr_reason)
{
    struct catalogue *catalogue = hf_catalogue_take(offering->target->server);
    size_t n = more;
    int status = 0;

    for (size_t i = 0; lineup && i < lineup->n; i++)
        n += offers_count(lineup->seats[i].plugin->definition);
    offering->items = haft_arena_zalloc(arena, n + 1, sizeof(struct item *));
    if (!offering->items)
        status = hf_lineup_refuse_memory("", reterr_reason);
    else
        lineup_mark_items(plugins, lineup, offering->target, catalogue);
    for (size_t i = 0; lineup && i < lineup->n && !status && !offering->target->nothing; i++)
        status = offering_fill(offering, &lineup->seats[i], catalogue, reterr_reason);
    hf_catalogue_drop(catalogue);
    return status;
}
