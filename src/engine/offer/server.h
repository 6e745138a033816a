/* engine/offer/server.h - a server: what it offers, and what everybody who serves it shares. */
#ifndef HAFT_SRC_ENGINE_OFFER_SERVER_H
#define HAFT_SRC_ENGINE_OFFER_SERVER_H

#include <haft/pipeline.h>

#include "engine/offer/catalogue.h"
#include "engine/offer/log.h"

enum {
    UPDATES = 64,
    MAX_WATCHERS = 8,
    MAX_STAGES = 32,
    STAGES_BEFORE = 3,
    STAGES_BEHIND = 1,
    SECTIONS_MAX = 16
};

/* In the order that calls come to them. */
struct stages {
    const haft_stage *list[STAGES_BEFORE + MAX_STAGES + STAGES_BEHIND];
    size_t n;
};

/* Somebody who wants to know when something has changed: a session. */
struct follower {
    struct follower *next, *previous;
    void (*wake)(struct follower *follower); /* from any thread, with the lock held */
};

struct watcher {
    haft_event_function *function;
    void *context;
};

/* What runs calls in processes of their own.  The engine knows only that it is there. */
struct isolation {
    int (*run)(struct isolation *isolation, haft_call *call); /* a status as a handler's */
    void (*renew)(struct isolation *isolation);               /* what is offered has changed */
    void (*release)(struct isolation *isolation);
};

/* What the stage that counts cannot see for itself: a call that begins to wait for a thread or its turn, or
 * has done so; arguments that were not right and have been made so; a client that is met, or leaves after so
 * many milliseconds. */
struct observer {
    void (*queued)(const haft_call *call, bool queued);
    void (*repaired)(const haft_call *call, size_t n);
    void (*introduced)(haft_server *server);
    void (*left)(haft_server *server, int64_t ms);
};

/* How far what is offered has come; sessions compare it with what they have announced. */
struct server_changes {
    atomic_uint version_number;     /* changes with the catalogue */
    atomic_uint lists[OFFER_LISTS]; /* how often each list has changed */
    atomic_uint n_updates;          /* resources that have been updated, ever */
    char *updates[UPDATES];         /* the latest of them, in a ring */
    atomic_uint offered;            /* bits of lists that have ever held something */
};

struct server_stages {
    struct stages all;
    struct stages before, ready, after; /* of them, those with something to do there */
};

struct server_watching {
    struct watcher watchers[MAX_WATCHERS];
    size_t n_watchers;
    bool timed; /* somebody wants to know how long calls take */
};

/* What src/stage has of a server. */
struct server_metering {
    _Atomic(struct limiter *) limiter; /* NULL until something is limited */
    struct metrics *metrics;           /* NULL when nothing is counted */
    const struct observer *observer;   /* what it wants to hear; NULL for nothing */
    /* Of those that count together; one may come while others are read. */
    _Atomic(struct haft_server *) counted_next;
    atomic_ullong received, sent; /* bytes of messages, while something is counted */
    atomic_llong heard;           /* when the latest came, in milliseconds; 0 for never */
    atomic_llong streams;         /* subscriptions and event streams of clients that listen */
    haft_audit_mode audit_mode;
};

struct server_limits {
    size_t direct_from;     /* the size of a message whose arguments are worth reading from text */
    atomic_uint timeout_ms; /* these are as in the options, but can be changed while serving */
    atomic_bool lenient;
    atomic_uint client_calls, client_per_ms;
};

/* Tools that run in processes of their own. */
struct server_isolation {
    _Atomic(struct isolation *) runner; /* of src/process; NULL when there is none */
    atomic_uint n;                      /* tools, ever */
    struct item *items;                 /* those that are there, offered or not; under the lock */
};

struct server_keys {
    unsigned char seal[32];
    bool has_seal;
    unsigned char digest[16]; /* made of it: for digests of arguments */
    /* Servers of one program that have the same key: the first of them, and the next. */
    haft_server *family, *beside;
};

/* What the process of the server does around it. */
struct server_process {
    /* Gives up what a process that is about to run handlers can do without; NULL for nothing.  The
     * reason may be NULL. */
    int (*confine)(void *context, haft_reason *reterr_reason);
    void *confine_context;
    /* Writes what is still on its way somewhere, within a moment, before the process ends in the
     * midst of calls; NULL for nothing.  From any thread. */
    void (*leave)(void *context);
    void *leave_context;
};

struct haft_server {
    haft_server_options options;
    const haft_allocator *allocator;
    haft_arena *arena; /* names, custom methods, forms */
    const char *name, *version;
    struct text info;        /* {"name":...,"version":...} */
    struct text modern_tail; /* what ends every modern result */
    haft_reason error;
    haft_buffer
        held; /* of the log, while nobody takes it: a digit for the level, the text, a NUL */

    atomic_flag lock; /* for the members below; held for a moment only */
    struct catalogue *catalogue;
    struct server_changes changes;
    haft_visibility visibility;
    struct server_stages stages;
    struct server_watching watching;
    struct server_metering metering;
    struct server_limits limits;
    const struct haft_section *sections[SECTIONS_MAX]; /* of src/config */
    size_t n_sections;
    struct haft_gateway *gateway; /* of src/gateway, that it belongs to; NULL for none, */
    const char *endpoint;         /* and its path there */
    struct custom_method *methods;
    struct form *forms;
    struct follower *followers;
    uint64_t n_sessions; /* ever */
    atomic_uint_least64_t n_spans;
    struct server_isolation isolation;
    struct server_keys keys;
    struct server_process process;
};

void hf_server_lock(haft_server *server);
void hf_server_unlock(haft_server *server);

/* A server without what is attached to it by the rooms above (src/stage/server.c); NULL without memory, or
 * with options that are refused. */
haft_server *hf_server_make(const char *name, const char *version,
                            const haft_server_options *options);
void hf_server_unmake(haft_server *server);

/* Changes limits while calls come in. */
void hf_server_set_timeout(haft_server *server, unsigned ms);
void hf_server_set_lenient(haft_server *server, bool lenient);
void hf_server_set_client_rate(haft_server *server, haft_rate rate);

/* With the lock held: adds one who follows, and takes it away (follower.c). */
void hf_follower_link(haft_server *server, struct follower *follower);
void hf_follower_unlink(haft_server *server, struct follower *follower);
/* Tells all of them that there is something to announce. */
void hf_server_wake(haft_server *server);

/* As hf_struct_view, for a struct of that type; what is refused is logged and kept for haft_server_error. */
int hf_server_view(haft_server *server, const char *type, const void *given, size_t own,
                   haft_arena *arena, const void **ret_view);

/* Has a server that was given no key to seal states with make one of the loop's random bytes.  0, or
 * what `random` returned; a loop without it (or NULL) has nothing to give. */
int hf_server_make_seal_key(haft_server *server, const haft_loop *loop);

#endif
