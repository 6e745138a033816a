/* plugin/plugin.h - a shared object that has been loaded: counted, and unloaded when nothing uses
 * it. */
#ifndef HAFT_SRC_PLUGIN_H
#define HAFT_SRC_PLUGIN_H

#include <haft/plugin.h>
#include <sys/stat.h>

#include "engine/server.h"

struct plugin {
    struct hold hold; /* of its items, and of whoever has it loaded */
    const haft_allocator *allocator;
    const haft_plugin *definition;
    void *handle;
    int fd;           /* of the copy that is loaded */
    struct stat file; /* that it is a copy of, as it was */
    bool started;
};

/* Loads a file and starts it.  0, or an error with the reason, whose path is the file. */
int plugin_open(haft_server *server, const char *path, struct plugin **ret_plugin,
                haft_reason *reterr_reason);

/* Whether the file is the one that was loaded, as far as can be seen without reading it. */
bool plugin_is_of(const struct plugin *plugin, const char *path);

#endif
