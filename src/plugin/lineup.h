/* plugin/lineup.h - all plugins of a server, or of a gateway's servers, at one moment.
 *
 * A new line-up is made beside the one in force, up to the compiled tools, so that everything that
 * can be wrong is known before anything is changed; then the catalogues are changed, and the old
 * line-up is let go of. */
#ifndef HAFT_SRC_PLUGIN_LINEUP_H
#define HAFT_SRC_PLUGIN_LINEUP_H

#include "plugin/plugin.h"

struct seat {
    const char *path;
    unsigned wanted; /* bits */
    bool asked;      /* its file is looked at, even if it is loaded */
    bool fresh;      /* it is not in the line-up before this one */
    struct plugin *plugin;
};

/* A server that offers what plugins have. */
struct target {
    struct target *next;
    haft_server *server;
    const char *tools; /* which: a list of patterns; NULL for all */
    bool nothing;      /* of it is offered there any more */
};

/* What is new for one target, until it is offered there. */
struct offering {
    struct target *target;
    struct item **items;
    size_t n;
};

struct lineup {
    haft_arena *arena;
    struct seat *seats;
    size_t n, room;
    struct offering *offerings; /* one for each target that was there when it was made */
    size_t n_offerings;
    const struct lineup *before; /* the one that it is to replace */
};

/* What becomes of plugins with routes. */
enum routes { ROUTES_REFUSED, ROUTES_ADDED };

struct haft_plugins {
    haft_server *server; /* that the log is of */
    const haft_allocator *allocator;
    struct target *targets, **last_target;
    size_t n_targets;
    struct target own; /* the server, unless it is a gateway's */
    enum routes routes;
    struct lineup *now;
    struct lineup *coming; /* prepared by the section, and not in force yet; NULL for none */
    haft_section section;
};

/* An empty one with room for so many plugins; NULL without memory. */
struct lineup *hf_lineup_new(const haft_allocator *allocator, size_t room);
void hf_lineup_free(struct lineup *lineup);

/* Names a plugin, which may be named already; NULL without memory. */
struct seat *hf_lineup_name(struct lineup *lineup, const char *path, unsigned wanted, bool asked);

/* Makes the named ones ready; on failure the line-up is freed. */
int hf_lineup_prepare(struct haft_plugins *plugins, struct lineup *lineup,
                      haft_reason *reterr_reason);
/* Puts it in force.  Takes over the line-up, whether it succeeds or not. */
int hf_lineup_commit(struct haft_plugins *plugins, struct lineup *lineup,
                     haft_reason *reterr_reason);

/* Makes what a line-up has and the server does not offer, and marks what the server offers of plugins
 * and is to leave: what the line-up has not, and what the target does not take.  `offering` has a
 * target; its items are made in the arena, with room for so many more. */
int hf_lineup_compare(const struct haft_plugins *plugins, const struct lineup *lineup,
                      haft_arena *arena, size_t more, struct offering *offering,
                      haft_reason *reterr_reason);

/* Returns HAFT_ENOMEM. */
int hf_lineup_refuse_memory(const char *path, haft_reason *reterr_reason);

#endif
