/* upstream/upstream.h - what a gateway calls: HTTP APIs, programs, and other MCP servers.
 *
 * An upstream offers tools, resources and prompts.  All its I/O, and everything that changes in it, is
 * on the thread of the set's outbound loop (outbound.h); handlers of its tools pass their calls there
 * and return HAFT_PENDING.  It is a module: its items hold it, calls hold the items, and a
 * configuration holds those that it names. */
#ifndef HAFT_SRC_UPSTREAM_H
#define HAFT_SRC_UPSTREAM_H

#include <haft/call.h>
#include <haft/json.h>

#include "engine/offer/server.h"
#include "upstream/outbound.h"

struct upstream;
struct supervisor;

/* The upstreams of a gateway: what they share. */
struct upstream_set {
    const haft_allocator *allocator;
    haft_server *server;      /* the gateway's own, for its log */
    struct outbound outbound; /* started by the first upstream that is started */
    struct supervisor
        *supervisor;       /* of child processes; NULL until one is needed; outbound thread */
    const char *directory; /* that relative file names begin from; NULL: the current one */
    /* Variables of the environment that the configuration being read names (hf_expand_names): they may hold secrets,
     * and are for what names them only.  Set while upstreams are made; NULL for none. */
    const char *named;
    /* Called on the outbound thread when the items of an upstream have changed: the gateway asks for them
     * again (upstream_kind.items) and announces one change. */
    void (*changed)(void *context, struct upstream *upstream);
    /* Called on the outbound thread when a resource of an upstream has been updated.  May be NULL. */
    void (*updated)(void *context, struct upstream *upstream, const char *uri);
    void *context;
    const struct upstream_kind *instead; /* in place of every kind, for tests; NULL for none */
    atomic_bool ending; /* set before the last upstreams are stopped: their calls must end */
    uv_mutex_t
        offers_lock; /* of the gateway: held while what servers offer of upstreams is changed */
    uv_mutex_t lock;
    uv_cond_t settled; /* the state of an upstream has changed */
};

/* Items of an upstream for a server; owned by the caller. */
struct upstream_items {
    haft_arena *arena;
    struct item **list;
    size_t n, room;
};

/* State of an upstream, for people: /readyz, metrics, the log. */
enum upstream_state {
    UPSTREAM_STARTING, /* not known yet */
    UPSTREAM_READY,
    UPSTREAM_FAILING, /* the breaker is open, or it is being connected again */
    UPSTREAM_STOPPED
};

struct upstream_kind {
    const char *name;         /* "http", "command", "mcp": the member of the entry */
    const haft_type *options; /* declared type of that member */
    unsigned declares;        /* bits of lists that it may have later: servers declare them */
    /* Creates an upstream, without I/O except for files that the options name.  `options` and what they
     * point to are in upstream->arena.  Returns 0, or an error with the reason, whose path is relative
     * to the member. */
    int (*make)(struct upstream *upstream, const void *options, haft_reason *reterr_reason);
    /* Takes over what another upstream of the kind offers, which it is to replace, until it knows better; on the thread
     * of a reload.  Without memory it offers nothing until then.  NULL: nothing. */
    void (*inherit)(struct upstream *upstream, struct upstream *before);
    /* Begins to connect, to check health and so on; on the outbound thread, at most once.  NULL: nothing. */
    void (*start)(struct upstream *upstream);
    /* Ends everything; on the outbound thread, once for one that was started.  Calls in flight go on, because a
     * reload must not fail them, unless the set is ending: then they are answered at once.  Parts that must wait for
     * these or for callbacks hold the module.  NULL: nothing. */
    void (*stop)(struct upstream *upstream);
    /* Creates the items that it offers now, for a server.  On any thread, one at a time for each upstream, not
     * between start and stop only; what it reads is guarded by upstream->lock.  Returns 0, HAFT_ENOMEM, or an error with the
     * reason. */
    int (*items)(struct upstream *upstream, haft_server *server, struct upstream_items *items,
                 haft_reason *reterr_reason);
    /* Whether two items of one upstream whose definitions are equal are also called in the same way.  NULL:
     * always. */
    bool (*same)(const struct item *left, const struct item *right);
    /* Puts copies of those of a client's headers that it passes on into the list, which has room for all; NULL: only
     * counts them.  Returns their number or HAFT_ENOMEM.  NULL: it passes none on. */
    int (*forward)(const struct upstream *upstream, const haft_header *headers, size_t n,
                   haft_arena *arena, haft_header *list);
    bool passes_meta; /* it passes the client's own _meta on */
    /* Frees what is not in the arena, also of one whose `make` failed; on any thread.  NULL: nothing. */
    void (*release)(struct upstream *upstream);
};

/* Warnings that have been logged about items that are not offered: one for each name, and no more names
 * than this has room for. */
enum { UPSTREAM_WARNINGS = 32 };
struct upstream_warnings {
    uint64_t names[UPSTREAM_WARNINGS]; /* hashes */
    size_t n;
    bool full, excess; /* the lines about more names and about too many items have been logged */
};

/* What every upstream has; `data` is the kind's own. */
struct upstream {
    struct module module; /* must be first */
    const struct upstream_kind *kind;
    struct upstream_set *set;
    haft_arena *arena;  /* filled by `make`; does not change afterwards */
    const char *name;   /* key in the configuration */
    const char *prefix; /* begins the names of its items; NULL for none */
    const char
        *tools; /* patterns of the names of tools, without prefix, that are offered; NULL for all */
    const char *text; /* definition that it was made from */
    uv_mutex_t lock;  /* for what `items` reads, and for `state` */
    enum upstream_state state;
    haft_reason failure;   /* why it is failing */
    bool started, stopped; /* outbound thread */
    bool lost;             /* another upstream has a name of its items; set->offers_lock */
    struct upstream_warnings warned; /* set->offers_lock */
    void *data;
    struct outbound_task start_task, stop_task;
};

/* Creates an upstream from a kind and its decoded options.  `text` is what tells it from others.  The caller
 * holds a reference.  Returns 0, or an error with the reason. */
struct upstream_definition {
    const char *name, *prefix, *tools, *text;
    const struct upstream_kind *kind;
    haft_value *options; /* the member of the entry, secrets filled in */
};
int hf_upstream_new(struct upstream_set *set, const struct upstream_definition *definition,
                    struct upstream **ret_upstream, haft_reason *reterr_reason);

/* Start it and stop it, from any thread; each once.  hf_upstream_stop holds it until it has stopped. */
int hf_upstream_start(struct upstream *upstream, haft_reason *reterr_reason);
void hf_upstream_stop(struct upstream *upstream);

/* Sets the state, with the reason if it fails, and logs a change; on the outbound thread. */
void hf_upstream_set_state(struct upstream *upstream, enum upstream_state state,
                           const haft_reason *reason);

/* Returns the state, and why it fails; on any thread. */
enum upstream_state hf_upstream_state(struct upstream *upstream, haft_reason *ret_failure);

/* Whether a tool with this name, without prefix, is offered. */
bool hf_upstream_offers(const struct upstream *upstream, const char *tool);
/* The same for a tool with another name that patterns may mean. */
bool hf_upstream_offers_either(const struct upstream *upstream, const char *tool,
                               const char *other);

/* Adds an item.  Takes ownership of it, also on failure: HAFT_ENOMEM. */
int hf_upstream_items_add(struct upstream_items *items, struct item *item);

/* The upstream of an item; NULL if it is of none. */
struct upstream *hf_upstream_of(const struct item *item);

/* Keeps the headers that the upstream of a call gets, while the call has all of them.  Returns 0 or HAFT_ENOMEM. */
int hf_upstream_keep_headers(haft_call *call);

/* ---- for `make`: files and secrets that the options name; all in upstream->arena ---- */

/* The path of a file; relative ones begin at the configuration's directory.  NULL without memory. */
const char *hf_upstream_path(const struct upstream *upstream, const char *file);
/* The same for a file that is read later, by a library: it must be readable now.  Returns 0, or an error with the
 * reason. */
int hf_upstream_file(const struct upstream *upstream, const char *file, const char **ret_path,
                     haft_reason *reterr_reason);
/* Reads a file of at most `limit` bytes; a NUL follows the text. */
int hf_upstream_read(const struct upstream *upstream, const char *file, size_t limit,
                     struct text *ret_text, haft_reason *reterr_reason);
/* Returns a secret as it is written in the configuration, where "@FILE" is the text of a file without
 * its line end.  NULL stays NULL. */
int hf_upstream_secret(const struct upstream *upstream, const char *written,
                       const char **ret_secret, haft_reason *reterr_reason);

/* ---- the set ---- */

/* Sets up and ends a set.  The latter waits until all upstreams have stopped. */
int hf_upstream_set_init(struct upstream_set *set, haft_server *server);
/* Lets the process of a server borrow the outbound loop. */
void hf_upstream_set_offer_loop(struct upstream_set *set, haft_server *server);
/* Waits until none of them is starting, or the time is over. */
void hf_upstream_set_wait(struct upstream_set *set, struct upstream *const *upstreams, size_t n,
                          unsigned ms);
void hf_upstream_set_finish(struct upstream_set *set);

/* The kinds; each in its own file. */
extern const struct upstream_kind hf_upstream_http, hf_upstream_command, hf_upstream_mcp;

#endif
