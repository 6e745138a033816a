/* plugin/plugin.h - a shared object that has been loaded: counted, and unloaded when nothing uses
 * it. */
#ifndef HAFT_SRC_PLUGIN_H
#define HAFT_SRC_PLUGIN_H

#include <haft/plugin.h>
#include <sys/stat.h>

#include "engine/offer/server.h"

struct plugin {
    struct module module; /* of its items, and of whoever has it loaded */
    const haft_allocator *allocator;
    const haft_plugin *definition; /* the next, */
    haft_plugin own;               /* with all members, also of a shorter one */
    void *handle;
    int fd;           /* of the copy that is loaded */
    struct stat file; /* that it is a copy of, as it was */
    bool started;
};

/* Loads a file and starts it.  0, or an error with the reason, whose path is the file. */
int hf_plugin_open(haft_server *server, const char *path, struct plugin **ret_plugin,
                   haft_reason *reterr_reason);

/* Whether the file is the one that was loaded, as far as can be seen without reading it. */
bool hf_plugin_is_of(const struct plugin *plugin, const char *path);

/* Routes and policies; NULL for none. */
const struct haft_gateway_part *hf_plugin_part(const struct plugin *plugin);

/* ---- the plugins of a gateway (plugins.c) ---- */

/* As haft_plugins_new, for plugins that may have routes.  The gateway adds these, and offers what the
 * plugins have where it wants to.  `server` is that of the routes. */
haft_plugins *hf_plugins_new_for_gateway(haft_server *server);

/* The routes and policies of the i-th of the plugins that are being prepared, or are in force: NULL
 * in *ret_part for one without any.  False past the last. */
bool hf_plugins_part_at(const haft_plugins *plugins, size_t i, const char **ret_path,
                        const struct haft_gateway_part **ret_part);

/* Its module: what is in the plugin must be held by it. */
struct module *hf_plugins_module_at(const haft_plugins *plugins, size_t i);

/* Whether others are being prepared than are in force. */
bool hf_plugins_differ(const haft_plugins *plugins);

/* Makes the items that the plugins being prepared, or in force, have for a server and that it does not
 * offer yet, and marks those that it offers and that are to leave (item.leaving).  Of the tools, it has those
 * whose names match `tools`; NULL: it has nothing of plugins.  *ret_items is in the arena, with room for so
 * many more, and NULL without memory; the items are the caller's, also on failure. */
int hf_plugins_compare(const haft_plugins *plugins, haft_server *server, const char *tools,
                       haft_arena *arena, size_t more, struct item ***ret_items, size_t *ret_n,
                       haft_reason *reterr_reason);

#endif
