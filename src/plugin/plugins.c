/* plugins.c - the plugins of a server: which files, and what they offer.
 *
 * A line-up is all of it at one moment.  A new one is made beside the one in force, up to the
 * compiled tools, so that everything that can be wrong is known before anything is changed; then
 * the catalogue is changed in one step, and the old line-up let go of. */
#include "plugin/plugin.h"

#include <stdio.h>
#include <string.h>

enum { ARENA_LIMIT = 16 << 20, PLUGINS_MAX = 1024, INDEX = 32 };

/* Who wants a plugin; both may. */
enum { BY_PROGRAM = 1, BY_FILE = 2 };

struct seat {
    const char *path;
    unsigned wanted; /* bits */
    bool asked;      /* its file is looked at, even if it is loaded */
    bool fresh;      /* it is not in the line-up before this one */
    struct plugin *plugin;
};

struct lineup {
    haft_arena *arena;
    struct seat *seats;
    size_t n, room;
    struct item **items; /* of the fresh ones, until they are offered */
    size_t n_items;
    const struct lineup *before; /* the one that it is to replace */
};

struct haft_plugins {
    haft_server *server;
    const haft_allocator *allocator;
    struct lineup *now;
    haft_section section;
};

/* ---- line-ups ---- */

static void lineup_drop_items(struct lineup *lineup)
{
    for (size_t i = 0; i < lineup->n_items; i++)
        item_drop(lineup->items[i]);
    lineup->n_items = 0;
}

static void lineup_free(struct lineup *lineup)
{
    if (!lineup)
        return;
    lineup_drop_items(lineup);
    for (size_t i = 0; i < lineup->n; i++)
        if (lineup->seats[i].plugin)
            hold_drop(&lineup->seats[i].plugin->hold);
    haft_arena_free(lineup->arena);
}

/* An empty one with room for so many plugins; NULL without memory. */
static struct lineup *lineup_new(const haft_allocator *allocator, size_t room)
{
    haft_arena *arena = haft_arena_new(allocator, ARENA_LIMIT);
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

/* Names a plugin, which may be named already; NULL without memory. */
static struct seat *lineup_name(struct lineup *lineup, const char *path, unsigned wanted,
                                bool asked)
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

/* ---- what a plugin offers ---- */

/* The definitions of one kind: pointers that end with NULL. */
struct offers {
    haft_offer kind;
    const char *what;
    const void *list;
};

static void offers_of(const haft_plugin *definition, struct offers ret_offers[SHELVES])
{
    ret_offers[0] = (struct offers){HAFT_OFFER_TOOL, "tool", definition->tools};
    ret_offers[1] = (struct offers){HAFT_OFFER_RESOURCE, "resource", definition->resources};
    ret_offers[2] = (struct offers){HAFT_OFFER_TEMPLATE, "template", definition->templates};
    ret_offers[3] = (struct offers){HAFT_OFFER_PROMPT, "prompt", definition->prompts};
}

/* Whatever they point to; NULL at the end. */
static const void *offer_at(const struct offers *offers, size_t i)
{
    const void *definition = NULL;

    if (offers->list)
        memcpy(&definition, (const char *)offers->list + i * sizeof definition, sizeof definition);
    return definition;
}

static size_t plugins_count(const haft_plugin *definition)
{
    struct offers offers[SHELVES];
    size_t n = 0;

    offers_of(definition, offers);
    for (int i = 0; i < SHELVES; i++)
        for (size_t k = 0; offer_at(&offers[i], k); k++)
            n++;
    return n;
}

static int make_item(haft_server *server, haft_offer kind, const void *definition,
                     struct hold *hold, struct item **ret_item)
{
    if (kind == HAFT_OFFER_TOOL)
        return tool_item(server, definition, hold, ret_item);
    if (kind == HAFT_OFFER_PROMPT)
        return prompt_item(server, definition, hold, ret_item);
    return resource_item(server, kind, definition, hold, ret_item);
}

static int make_items(struct haft_plugins *plugins, struct lineup *lineup, const struct seat *seat,
                      haft_reason *reterr_reason)
{
    haft_server *server = plugins->server;
    struct offers offers[SHELVES];

    offers_of(seat->plugin->definition, offers);
    for (int i = 0; i < SHELVES; i++) {
        const void *definition;

        for (size_t k = 0; (definition = offer_at(&offers[i], k)) != NULL; k++) {
            int status = make_item(server, offers[i].kind, definition, &seat->plugin->hold,
                                   &lineup->items[lineup->n_items]);

            if (status)
                return error_set(reterr_reason, status, seat->path, "%s %s: %s", offers[i].what,
                                 server->error.path, server->error.text);
            lineup->n_items++;
        }
    }
    return 0;
}

/* ---- making one ---- */

static int refuse_memory(const char *path, haft_reason *reterr_reason)
{
    return error_set(reterr_reason, HAFT_ENOMEM, path, "out of memory");
}

/* Loads what is not loaded, or no longer as its file is. */
static int lineup_load(struct haft_plugins *plugins, struct lineup *lineup,
                       haft_reason *reterr_reason)
{
    for (size_t i = 0; i < lineup->n; i++) {
        struct seat *seat = &lineup->seats[i], *old = seat_of(plugins->now, seat->path);
        int status;

        if (old && (!seat->asked || plugin_is_of(old->plugin, seat->path))) {
            seat->plugin = old->plugin;
            hold_take(&seat->plugin->hold);
            continue;
        }
        seat->fresh = true;
        status = plugin_open(plugins->server, seat->path, &seat->plugin, reterr_reason);
        if (status)
            return status;
    }
    return 0;
}

static int lineup_make_items(struct haft_plugins *plugins, struct lineup *lineup,
                             haft_reason *reterr_reason)
{
    size_t n = 0;
    int status = 0;

    for (size_t i = 0; i < lineup->n; i++)
        if (lineup->seats[i].fresh)
            n += plugins_count(lineup->seats[i].plugin->definition);
    lineup->items = haft_arena_zalloc(lineup->arena, n + 1, sizeof(struct item *));
    if (!lineup->items)
        return refuse_memory("", reterr_reason);
    for (size_t i = 0; i < lineup->n && !status; i++)
        if (lineup->seats[i].fresh)
            status = make_items(plugins, lineup, &lineup->seats[i], reterr_reason);
    return status;
}

/* Says which of the plugins in force have no place in the new line-up; or, NULL, that all have. */
static void mark_leaving(const struct haft_plugins *plugins, const struct lineup *lineup)
{
    for (size_t i = 0; plugins->now && i < plugins->now->n; i++) {
        const struct seat *seat = &plugins->now->seats[i],
                          *next = lineup ? seat_of(lineup, seat->path) : seat;

        seat->plugin->hold.leaving = !next || next->plugin != seat->plugin;
    }
}

static int refuse_clash(const struct lineup *lineup, const struct item *item,
                        haft_reason *reterr_reason)
{
    const char *path = "";

    for (size_t i = 0; i < lineup->n; i++)
        if (item->hold == &lineup->seats[i].plugin->hold)
            path = lineup->seats[i].path;
    return error_set(reterr_reason, HAFT_EEXISTS, path, "%s is already there", item->name);
}

/* Makes the named ones ready; on failure the line-up is freed. */
static int lineup_prepare(struct haft_plugins *plugins, struct lineup *lineup,
                          haft_reason *reterr_reason)
{
    const struct item *clash = NULL;
    int status = lineup_load(plugins, lineup, reterr_reason);

    lineup->before = plugins->now;
    if (!status)
        status = lineup_make_items(plugins, lineup, reterr_reason);
    if (!status) {
        mark_leaving(plugins, lineup);
        status = catalogue_try_trade(plugins->server, lineup->items, lineup->n_items, &clash);
        mark_leaving(plugins, NULL);
        if (status)
            refuse_clash(lineup, clash, reterr_reason);
    }
    if (status)
        lineup_free(lineup);
    return status;
}

/* ---- putting it in force ---- */

static void plugins_log_changes(const struct haft_plugins *plugins, const struct lineup *old,
                                const struct lineup *now)
{
    haft_server *server = plugins->server;

    for (size_t i = 0; i < now->n; i++) {
        const haft_plugin *plugin = now->seats[i].plugin->definition;

        if (now->seats[i].fresh)
            server_log(server, HAFT_NOTICE, "plugin %s%s%s%s%s: %s", now->seats[i].path,
                       plugin->name ? ", " : "", plugin->name ? plugin->name : "",
                       plugin->version ? " " : "", plugin->version ? plugin->version : "",
                       seat_of(old, now->seats[i].path) ? "replaced" : "loaded");
    }
    for (size_t i = 0; old && i < old->n; i++)
        if (!seat_of(now, old->seats[i].path))
            server_log(server, HAFT_NOTICE, "plugin %s: removed", old->seats[i].path);
}

/* Takes over the line-up, whether it succeeds or not. */
static int lineup_commit(struct haft_plugins *plugins, struct lineup *lineup,
                         haft_reason *reterr_reason)
{
    struct lineup *old = plugins->now;
    const struct item *clash = NULL;
    int status;

    if (lineup->before != old) {
        lineup_free(lineup);
        return error_set(reterr_reason, HAFT_EBUSY, "", "the plugins have changed meanwhile");
    }
    mark_leaving(plugins, lineup);
    status = catalogue_trade(plugins->server, lineup->items, lineup->n_items, &clash);
    if (status) {
        mark_leaving(plugins, NULL);
        if (clash)
            refuse_clash(lineup, clash, reterr_reason);
        else
            refuse_memory("", reterr_reason);
        lineup_free(lineup);
        return status;
    }
    lineup_drop_items(lineup);
    plugins_log_changes(plugins, old, lineup);
    lineup->before = NULL;
    plugins->now = lineup;
    lineup_free(old);
    return 0;
}

/* ---- for the program ---- */

/* Refused as haft_add does it, too. */
static int plugins_refuse(const struct haft_plugins *plugins, const haft_reason *reason,
                          haft_reason *reterr_reason)
{
    if (reterr_reason)
        *reterr_reason = *reason;
    return server_refuse(plugins->server, reason->code, reason->path, "%s", reason->text);
}

/* A line-up with those of the one in force that somebody wants, and room for more. */
static int lineup_again(const struct haft_plugins *plugins, unsigned wanted, bool asked,
                        size_t more, struct lineup **ret_lineup, haft_reason *reterr_reason)
{
    const struct lineup *now = plugins->now;
    size_t n = now ? now->n : 0;
    struct lineup *lineup;

    if (more > PLUGINS_MAX || n > PLUGINS_MAX - more)
        return error_set(reterr_reason, HAFT_ETOOBIG, "", "there are at most %d plugins",
                         PLUGINS_MAX);
    lineup = lineup_new(plugins->allocator, n + more);
    if (!lineup)
        return refuse_memory("", reterr_reason);
    for (size_t i = 0; i < n; i++) {
        unsigned both = now->seats[i].wanted & wanted;

        if (!both || lineup_name(lineup, now->seats[i].path, both, asked))
            continue;
        lineup_free(lineup);
        return refuse_memory(now->seats[i].path, reterr_reason);
    }
    *ret_lineup = lineup;
    return 0;
}

/* Puts these besides those that the file wants, or all that are there, and the whole in force. */
static int plugins_arrange(struct haft_plugins *plugins, unsigned besides, const char *const *paths,
                           size_t n, haft_reason *reterr_reason)
{
    haft_reason reason = {0};
    struct lineup *lineup = NULL;
    int status = lineup_again(plugins, besides, false, n, &lineup, &reason);

    for (size_t i = 0; i < n && !status; i++)
        if (!lineup_name(lineup, paths[i], BY_PROGRAM, true))
            status = refuse_memory(paths[i], &reason);
    if (status)
        lineup_free(lineup);
    else
        status = lineup_prepare(plugins, lineup, &reason);
    if (!status)
        status = lineup_commit(plugins, lineup, &reason);
    return status ? plugins_refuse(plugins, &reason, reterr_reason) : 0;
}

int haft_plugins_load(haft_plugins *plugins, const char *path, haft_reason *reterr_reason)
{
    return plugins_arrange(plugins, BY_PROGRAM | BY_FILE, &path, 1, reterr_reason);
}

int haft_plugins_set(haft_plugins *plugins, const char *const *paths, size_t n,
                     haft_reason *reterr_reason)
{
    return plugins_arrange(plugins, BY_FILE, paths, n, reterr_reason);
}

/* ---- the section of a configuration ---- */

/* The reason of a plugin, whose path is a file, as that of the member that names it. */
static int refuse_member(yyjson_val *files, haft_reason *reason)
{
    haft_reason whole = *reason;
    char index[INDEX] = "";
    yyjson_val *file;
    size_t i, n;

    yyjson_arr_foreach(files, i, n, file)
        if (yyjson_equals_str(file, whole.path))
            snprintf(index, sizeof index, "%zu", i);
    return error_set(reason, whole.code, index, "%s%s%s", whole.path, *whole.path ? ": " : "",
                     whole.text);
}

static int name_files(struct lineup *lineup, yyjson_val *files, haft_reason *reterr_reason)
{
    char index[INDEX];
    yyjson_val *file;
    size_t i, n;

    yyjson_arr_foreach(files, i, n, file) {
        snprintf(index, sizeof index, "%zu", i);
        if (!yyjson_get_len(file) || strlen(yyjson_get_str(file)) != yyjson_get_len(file))
            return error_set(reterr_reason, HAFT_EINVAL, index, "expected the name of a file");
        if (!lineup_name(lineup, yyjson_get_str(file), BY_FILE, true))
            return refuse_memory(index, reterr_reason);
    }
    return 0;
}

static int plugins_prepare(void *context, haft_value *files, void **ret_prepared,
                           haft_reason *reterr_reason)
{
    struct haft_plugins *plugins = context;
    struct lineup *lineup;
    int status;

    if (files && !yyjson_is_arr(files))
        return error_set(reterr_reason, HAFT_EINVAL, "", "expected a list of files");
    status =
        lineup_again(plugins, BY_PROGRAM, true, yyjson_arr_size(files), &lineup, reterr_reason);
    if (status)
        return status;
    status = name_files(lineup, files, reterr_reason);
    if (status) {
        lineup_free(lineup);
        return status;
    }
    status = lineup_prepare(plugins, lineup, reterr_reason);
    if (status)
        return refuse_member(files, reterr_reason);
    *ret_prepared = lineup;
    return 0;
}

static void plugins_commit(void *context, void *prepared)
{
    struct haft_plugins *plugins = context;
    haft_reason reason = {0};

    if (lineup_commit(plugins, prepared, &reason))
        plugins_refuse(plugins, &reason, NULL);
}

static void discard(void *context, void *prepared)
{
    (void)context;
    lineup_free(prepared);
}

/* ---- life ---- */

haft_plugins *haft_plugins_new(haft_server *server)
{
    const haft_allocator *allocator = server->allocator;
    struct haft_plugins *plugins = allocator->alloc(allocator->context, sizeof *plugins);

    if (!plugins)
        return NULL;
    *plugins = (struct haft_plugins){.server = server, .allocator = allocator};
    plugins->section = (haft_section){.name = "plugins",
                                      .prepare = plugins_prepare,
                                      .commit = plugins_commit,
                                      .discard = discard,
                                      .context = plugins};
    return plugins;
}

const haft_section *haft_plugins_section(haft_plugins *plugins)
{
    return &plugins->section;
}

void haft_plugins_free(haft_plugins *plugins)
{
    if (!plugins)
        return;
    lineup_free(plugins->now);
    plugins->allocator->release(plugins->allocator->context, plugins, sizeof *plugins);
}
