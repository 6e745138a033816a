/* store/sqlite/sqlite.h - a durable store on SQLite, an optional part (part/sqlite.h opens it). */
#ifndef HAFT_SRC_STORE_SQLITE_H
#define HAFT_SRC_STORE_SQLITE_H

#include <haft/sqlite.h>

/* What the part needs from libhaft. */
struct sqlite_host {
    void *(*alloc)(haft_arena *arena, size_t size);
    /* limits of a namespace, with the defaults of the library */
    haft_store_space (*limits)(const haft_store_space *spaces, size_t n, const char *name);
};

struct sqlite_functions {
    /* haft_sqlite_store_new, with complete options. */
    haft_store *(*open)(const struct sqlite_host *host, const char *file,
                        const haft_sqlite_options *options, haft_reason *reterr_reason);
};

#endif
