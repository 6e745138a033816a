/* plugin/lineup.h - a line-up: all plugins of a server, or of a gateway's servers, at one moment.
 *
 * A new line-up is prepared beside the active one, including compiled tools, so that all errors are
 * found before anything changes; then the catalogues are changed, and the old line-up is
 * released. */
#ifndef HAFT_SRC_PLUGIN_LINEUP_H
#define HAFT_SRC_PLUGIN_LINEUP_H

#include "plugin/plugin.h"

struct seat {
    const char *path;
    unsigned wanted; /* bits */
    bool asked;      /* check its file, even if it is loaded */
    bool fresh;      /* not in the previous line-up */
    struct plugin *plugin;
};

/* A server that offers items of plugins. */
struct target {
    struct target *next;
    haft_server *server;
    const char *tools; /* patterns of the tools to offer; NULL for all */
    bool nothing;      /* it offers none any more */
};

/* New items for one target, until they are offered. */
struct offering {
    struct target *target;
    struct item **items;
    size_t n;
};

struct lineup {
    haft_arena *arena;
    struct seat *seats;
    size_t n, room;
    struct offering *offerings; /* one for each target that existed when it was created */
    size_t n_offerings;
    const struct lineup *before; /* the line-up that it replaces */
};

/* How plugins with routes are handled. */
enum routes { ROUTES_REFUSED, ROUTES_ADDED };

struct haft_plugins {
    haft_server *server; /* for its log */
    const haft_allocator *allocator;
    struct target *targets, **last_target;
    size_t n_targets;
    struct target own; /* the server, unless it belongs to a gateway */
    enum routes routes;
    struct lineup *now;
    struct lineup *coming; /* prepared by the configuration section, not yet active; or NULL */
    haft_section section;
};

/* Creates an empty line-up with room for `room` plugins; NULL without memory. */
struct lineup *hf_lineup_new(const haft_allocator *allocator, size_t room);
void hf_lineup_free(struct lineup *lineup);

/* Adds a plugin, or finds it if already added; NULL without memory. */
struct seat *hf_lineup_name(struct lineup *lineup, const char *path, unsigned wanted, bool asked);

/* Prepares the added plugins; on failure the line-up is freed. */
int hf_lineup_prepare(struct haft_plugins *plugins, struct lineup *lineup,
                      haft_reason *reterr_reason);
/* Activates the line-up. Takes ownership of it, also on failure. */
int hf_lineup_commit(struct haft_plugins *plugins, struct lineup *lineup,
                     haft_reason *reterr_reason);

/* Creates items of the line-up that the server does not offer, and marks offered items of plugins
 * that must be removed: those not in the line-up, and those that the target excludes. `offering`
 * has a target; its items are created in the arena, with room for `more` more. */
int hf_lineup_compare(const struct haft_plugins *plugins, const struct lineup *lineup,
                      haft_arena *arena, size_t more, struct offering *offering,
                      haft_reason *reterr_reason);

/* Returns HAFT_ENOMEM. */
int hf_lineup_refuse_memory(const char *path, haft_reason *reterr_reason);

#endif
