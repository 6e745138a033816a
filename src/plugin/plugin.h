/* plugin/plugin.h - a loaded shared object, reference counted, and unloaded when nothing uses
 * it. */
#ifndef HAFT_SRC_PLUGIN_H
#define HAFT_SRC_PLUGIN_H

#include <haft/plugin.h>
#include <sys/stat.h>

#include "engine/offer/server.h"

struct plugin {
    struct module module; /* held by its items, and by those who loaded it */
    const haft_allocator *allocator;
    const haft_plugin *definition; /* points to `own` */
    haft_plugin own;               /* with all members, even if the plugin's struct is shorter */
    void *handle;
    int fd;           /* descriptor of the loaded copy */
    struct stat file; /* the original file, when it was copied */
    bool started;
};

/* Loads and starts a plugin. Returns 0, or an error with the reason, whose path is the file. */
int hf_plugin_open(haft_server *server, const char *path, struct plugin **ret_plugin,
                   haft_reason *reterr_reason);

/* Whether the file appears unchanged since it was loaded, without reading it. */
bool hf_plugin_is_of(const struct plugin *plugin, const char *path);

/* Routes and policies; NULL if there are none. */
const struct haft_gateway_part *hf_plugin_part(const struct plugin *plugin);

/* ---- the plugins of a gateway (plugins.c) ---- */

/* Like haft_plugins_new, for plugins that may have routes. The gateway adds these, and decides
 * where to offer items of plugins. `server` is that of the routes. */
haft_plugins *hf_plugins_new_for_gateway(haft_server *server);

/* The routes and policies of the i-th plugin that is being prepared, or is active; *ret_part is
 * NULL if it has none. Returns false after the last. */
bool hf_plugins_part_at(const haft_plugins *plugins, size_t i, const char **ret_path,
                        const struct haft_gateway_part **ret_part);

/* Its module, which users of the plugin's contents must hold. */
struct module *hf_plugins_module_at(const haft_plugins *plugins, size_t i);

/* Whether the plugins being prepared differ from the active ones. */
bool hf_plugins_differ(const haft_plugins *plugins);

/* Creates the items of the plugins being prepared, or active, that a server does not offer yet, and
 * marks offered items that must be removed (item.leaving). It gets the tools whose names match
 * `tools`; NULL: nothing of plugins. *ret_items is in the arena, with room for `more` more, and
 * NULL without memory; the caller owns the items, also on failure. */
int hf_plugins_compare(const haft_plugins *plugins, haft_server *server, const char *tools,
                       haft_arena *arena, size_t more, struct item ***ret_items, size_t *ret_n,
                       haft_reason *reterr_reason);

#endif
