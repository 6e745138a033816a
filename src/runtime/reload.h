/* runtime/reload.h - settings that are in force, and others in their place while the server serves.
 *
 * New settings are read beside the old ones.  Only when all of them are right is anything changed; what
 * cannot change while serving stays as it is, and the log says so. */
#ifndef HAFT_SRC_RELOAD_H
#define HAFT_SRC_RELOAD_H

#include "runtime/audit_file.h"
#include "runtime/log.h"
#include "runtime/settings.h"

struct reload {
    haft_server *server;
    const struct given *given; /* on the command line, which counts every time */
    size_t n_given;
    const struct settings *started; /* what the server was started with; not ours */
    struct settings current;        /* what can change; its arena is NULL when that is as it was */
    struct logger *logger;          /* NULL when the program has its own */
    struct audit_file *audit;
};

/* Applies to a server what can change, before it serves; the rest is in its options by then. */
int settings_apply(const struct settings *settings, haft_server *server);

/* Reads everything again; a function for haft_http_options.reload. */
void reload_now(void *reload);
void reload_finish(struct reload *reload);

#endif
