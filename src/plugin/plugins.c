/* plugins.c - the plugins of a server, or of a gateway's servers, as named by the program and its
 * configuration. */
#include "plugin/lineup.h"

#include <stdio.h>
#include <string.h>

enum { PLUGINS_MAX = 1024, INDEX = 32 };

/* Who requested a plugin; both may. */
enum { BY_PROGRAM = 1, BY_FILE = 2 };

/* ---- for the program ---- */

/* Also rejects it like haft_add. */
static int plugins_refuse(const struct haft_plugins *plugins, const haft_reason *reason,
                          haft_reason *reterr_reason)
{
    if (reterr_reason)
        *reterr_reason = *reason;
    return hf_server_refuse(plugins->server, reason->code, reason->path, "%s", reason->text);
}

/* Copies the active line-up, as far as its plugins are still requested, with room for more. */
static int plugins_lineup_again(const struct haft_plugins *plugins, unsigned wanted, bool asked,
                                size_t more, struct lineup **ret_lineup, haft_reason *reterr_reason)
{
    const struct lineup *now = plugins->now;
    size_t n = now ? now->n : 0;
    struct lineup *lineup;

    if (more > PLUGINS_MAX || n > PLUGINS_MAX - more)
        return hf_error_set(reterr_reason, HAFT_ETOOBIG, "", "at most %d plugins can be loaded",
                            PLUGINS_MAX);
    lineup = hf_lineup_new(plugins->allocator, n + more);
    if (!lineup)
        return hf_lineup_refuse_memory("", reterr_reason);
    for (size_t i = 0; i < n; i++) {
        unsigned both = now->seats[i].wanted & wanted;

        if (!both || hf_lineup_name(lineup, now->seats[i].path, both, asked))
            continue;
        hf_lineup_free(lineup);
        return hf_lineup_refuse_memory(now->seats[i].path, reterr_reason);
    }
    *ret_lineup = lineup;
    return 0;
}

/* Adds these to the plugins that the file requests, or to all, and activates the result. */
static int plugins_arrange(struct haft_plugins *plugins, unsigned besides, const char *const *paths,
                           size_t n, haft_reason *reterr_reason)
{
    haft_reason reason = {0};
    struct lineup *lineup = NULL;
    int status = plugins_lineup_again(plugins, besides, false, n, &lineup, &reason);

    for (size_t i = 0; i < n && !status; i++)
        if (!hf_lineup_name(lineup, paths[i], BY_PROGRAM, true))
            status = hf_lineup_refuse_memory(paths[i], &reason);
    if (status)
        hf_lineup_free(lineup);
    else
        status = hf_lineup_prepare(plugins, lineup, &reason);
    if (!status)
        status = hf_lineup_commit(plugins, lineup, &reason);
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

/* Converts the error of a plugin, whose path is a file, to one of the member that names it. */
static int plugins_refuse_member(yyjson_val *files, haft_reason *reason)
{
    haft_reason whole = *reason;
    char index[INDEX] = "";
    yyjson_val *file;
    size_t i, n;

    yyjson_arr_foreach(files, i, n, file)
        if (yyjson_equals_str(file, whole.path))
            snprintf(index, sizeof index, "%zu", i);
    return hf_error_set(reason, whole.code, index, "%s%s%s", whole.path, *whole.path ? ": " : "",
                        whole.text);
}

static int plugins_name_files(struct lineup *lineup, yyjson_val *files, haft_reason *reterr_reason)
{
    char index[INDEX];
    yyjson_val *file;
    size_t i, n;

    yyjson_arr_foreach(files, i, n, file) {
        snprintf(index, sizeof index, "%zu", i);
        if (!yyjson_get_len(file) || strlen(yyjson_get_str(file)) != yyjson_get_len(file))
            return hf_error_set(reterr_reason, HAFT_EINVAL, index, "expected a file name");
        if (!hf_lineup_name(lineup, yyjson_get_str(file), BY_FILE, true))
            return hf_lineup_refuse_memory(index, reterr_reason);
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
        return hf_error_set(reterr_reason, HAFT_EINVAL, "", "expected a list of files");
    status = plugins_lineup_again(plugins, BY_PROGRAM, true, yyjson_arr_size(files), &lineup,
                                  reterr_reason);
    if (status)
        return status;
    status = plugins_name_files(lineup, files, reterr_reason);
    if (status) {
        hf_lineup_free(lineup);
        return status;
    }
    status = hf_lineup_prepare(plugins, lineup, reterr_reason);
    if (status)
        return plugins_refuse_member(files, reterr_reason);
    plugins->coming = lineup;
    *ret_prepared = lineup;
    return 0;
}

static void plugins_commit(void *context, void *prepared)
{
    struct haft_plugins *plugins = context;
    haft_reason reason = {0};

    plugins->coming = NULL;
    if (hf_lineup_commit(plugins, prepared, &reason))
        plugins_refuse(plugins, &reason, NULL);
}

static void plugins_discard(void *context, void *prepared)
{
    struct haft_plugins *plugins = context;

    plugins->coming = NULL;
    hf_lineup_free(prepared);
}

/* ---- for a gateway ---- */

bool hf_plugins_part_at(const haft_plugins *plugins, size_t i, const char **ret_path,
                        const struct haft_gateway_part **ret_part)
{
    const struct lineup *lineup = plugins->coming ? plugins->coming : plugins->now;

    if (!lineup || i >= lineup->n)
        return false;
    *ret_path = lineup->seats[i].path;
    *ret_part = hf_plugin_part(lineup->seats[i].plugin);
    return true;
}

int hf_plugins_compare(const haft_plugins *plugins, haft_server *server, const char *tools,
                       haft_arena *arena, size_t more, struct item ***ret_items, size_t *ret_n,
                       haft_reason *reterr_reason)
{
    const struct lineup *lineup = plugins->coming ? plugins->coming : plugins->now;
    struct target target = {.server = server, .tools = tools, .nothing = !tools};
    struct offering offering = {.target = &target};
    int status = hf_lineup_compare(plugins, lineup, arena, more, &offering, reterr_reason);

    *ret_items = offering.items;
    *ret_n = offering.n;
    return status;
}

struct module *hf_plugins_module_at(const haft_plugins *plugins, size_t i)
{
    const struct lineup *lineup = plugins->coming ? plugins->coming : plugins->now;

    return &lineup->seats[i].plugin->module;
}

bool hf_plugins_differ(const haft_plugins *plugins)
{
    const struct lineup *now = plugins->now, *coming = plugins->coming;

    if (!coming || !now || coming->n != now->n)
        return coming && (now || coming->n);
    for (size_t i = 0; i < now->n; i++)
        if (now->seats[i].plugin != coming->seats[i].plugin)
            return true;
    return false;
}

static void target_add(struct haft_plugins *plugins, struct target *target)
{
    *plugins->last_target = target;
    plugins->last_target = &target->next;
    plugins->n_targets++;
}

/* ---- life ---- */

haft_plugins *hf_plugins_new_for_gateway(haft_server *server)
{
    const haft_allocator *allocator = server->allocator;
    struct haft_plugins *plugins = allocator->alloc(allocator->context, sizeof *plugins);

    if (!plugins)
        return NULL;
    *plugins =
        (struct haft_plugins){.server = server, .allocator = allocator, .routes = ROUTES_ADDED};
    plugins->last_target = &plugins->targets;
    plugins->section = (haft_section)HAFT_INIT(haft_section, .name = "plugins",
                                               .prepare = plugins_prepare, .commit = plugins_commit,
                                               .discard = plugins_discard, .context = plugins);
    return plugins;
}

haft_plugins *haft_plugins_new(haft_server *server)
{
    struct haft_plugins *plugins = hf_plugins_new_for_gateway(server);

    if (!plugins)
        return NULL;
    plugins->routes = ROUTES_REFUSED;
    plugins->own.server = server;
    target_add(plugins, &plugins->own);
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
    hf_lineup_free(plugins->now);
    plugins->allocator->release(plugins->allocator->context, plugins, sizeof *plugins);
}
