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

/* As haft_plugins_new, for plugins that may have routes, which the gateway adds; nothing is offered
 * before hf_plugins_offer says where.  `server` is that of the routes. */
haft_plugins *hf_plugins_new_for_gateway(haft_server *server);

/* The routes and policies of the i-th of the plugins that are being prepared, or are in force: NULL
 * in *ret_part for one without any.  False past the last. */
bool hf_plugins_part_at(const haft_plugins *plugins, size_t i, const char **ret_path,
                        const struct haft_gateway_part **ret_part);

/* Offers what the plugins have, now and from now on, at another server, which must outlive them or
 * be freed with them; of the tools those whose names match `tools`.  0, or an error with the
 * reason. */
int hf_plugins_offer(haft_plugins *plugins, haft_server *server, const char *tools,
                     haft_reason *reterr_reason);

/* From now on no plugin with routes comes or goes. */
void hf_plugins_fix_routes(haft_plugins *plugins);

#endif
