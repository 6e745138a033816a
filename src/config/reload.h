/* config/reload.h - settings that are in force, and others in their place while the server serves.
 *
 * New settings are read beside the old ones.  Only when all of them are right is anything changed;
 * what cannot change while serving stays as it is, and the log says so.  API keys are read again in
 * any case. */
#ifndef HAFT_SRC_RELOAD_H
#define HAFT_SRC_RELOAD_H

#include "config/app.h"

struct reload {
    haft_server *server;       /* of the command line */
    const struct app *app;     /* what is served in its place; NULL for none */
    const struct given *given; /* on the command line, which counts every time */
    size_t n_given;
    const struct settings *started; /* what the server was started with; not ours */
    struct settings current;        /* what can change; its arena is NULL when that is as it was */
    struct logger *logger;          /* NULL when the program has its own */
    struct audit_file *audit;
    haft_authenticator *authenticator; /* of the HTTP server; NULL for none */
};

/* Reads everything again; a function for haft_http_options.reload. */
void hf_reload_now(void *reload);
void hf_reload_finish(struct reload *reload);
/* The settings in force. */
const struct settings *hf_reload_settings(const struct reload *reload);

#endif
