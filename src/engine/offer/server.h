/* engine/offer/server.h - a server: its catalogue and the state shared by all its sessions. */
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
    STAGES_INNERMOST = 1,
    SECTIONS_MAX = 16
};

/* In the order in which calls pass them. */
struct stages {
    const haft_stage *list[STAGES_BEFORE + MAX_STAGES + STAGES_BEHIND + STAGES_INNERMOST];
    size_t n;
};

/* An object that is notified of changes: a session. */
struct follower {
    struct follower *next, *previous;
    void (*wake)(struct follower *follower); /* called on any thread, with the lock held */
};

struct watcher {
    haft_event_function *function;
    void *context;
};

/* Runs calls in separate processes. The engine knows only this interface. */
struct isolation {
    int (*run)(struct isolation *isolation, haft_call *call); /* returns a status like a handler */
    void (*renew)(struct isolation *isolation);               /* the offered items have changed */
    void (*release)(struct isolation *isolation);
};

struct tasks;
struct task_watch;

/* What src/task adds to a server that has tasks. */
/* Tasks of a process: those that it owns, and how many it has created and ended so far. */
struct task_counts {
    unsigned long long queued, running, waiting;
    unsigned long long created, completed, failed, cancelled;
};

struct task_hooks {
    /* A call of a tool has passed its stages, or, if `late`, its handler has called haft_task_begin.
     * Returns whether the call is taken over: it becomes a task, or has been refused. */
    bool (*take)(struct tasks *tasks, haft_call *call, bool late);
    /* Whether haft_task_begin makes the call a task. */
    bool (*may_take)(struct tasks *tasks, haft_call *call);
    void (*handle)(struct tasks *tasks, haft_call *call); /* methods tasks/... */
    /* Calls `then` when it is known which of the task ids of a call the client may watch; the others
     * have been removed from the array. */
    void (*admit_ids)(struct tasks *tasks, haft_call *call, yyjson_val *ids,
                      void (*then)(haft_call *call));
    /* Watches tasks; `wake` is called on any thread when there is news. NULL without memory. */
    struct task_watch *(*watch)(struct tasks *tasks, yyjson_val *ids, void (*wake)(void *context),
                                void *context);
    /* Returns the next news: a task as tasks/get describes it, as members of an object; NULL at
     * the end. It is valid until the next call. */
    const char *(*news)(struct task_watch *watch, size_t *ret_size);
    void (*unwatch)(struct task_watch *watch);
    /* Adds a task of an experimental client to the watch of its session, which is created if it is
     * NULL: then each change of the state is news, in the form of that revision. Returns the watch;
     * NULL without memory. */
    struct task_watch *(*follow)(struct tasks *tasks, struct task_watch *watch, const char *id,
                                 void (*wake)(void *context), void *context);
    void (*start)(struct tasks *tasks); /* the server begins to serve */
    /* Begins no further task, and gives up those that another process can run. */
    void (*leave)(struct tasks *tasks, unsigned ms);
    /* The same, and waits for handlers until that time is over; then ends their tasks. */
    void (*stop)(struct tasks *tasks, unsigned ms);
    void (*count)(struct tasks *tasks, struct task_counts *counts); /* adds to the counts */
    /* Stops at once, and ends the threads, so that no handler runs any more. */
    void (*join)(struct tasks *tasks);
    void (*free)(struct tasks *tasks);
};

struct server_tasks {
    const struct task_hooks *hooks; /* NULL if there are no tasks */
    struct tasks *service;          /* of src/task */
};

/* Notifications that the metrics stage needs besides its stage callbacks: a call starts or stops
 * waiting for a thread or its turn; invalid arguments were repaired; a client connected, or
 * disconnected after so many milliseconds. */
struct observer {
    void (*queued)(const haft_call *call, bool queued);
    void (*repaired)(const haft_call *call, size_t n);
    void (*introduced)(haft_server *server);
    void (*left)(haft_server *server, int64_t ms);
};

/* An extension of the protocol that a room above attaches, declared in `capabilities.extensions`. It
 * lives as long as the server. */
struct extension {
    struct extension *next;
    const char *name, *settings; /* the settings are a JSON object */
    /* Reads again what it has from files, on SIGHUP; may be NULL. */
    void (*reload)(struct extension *extension);
    void (*release)(struct extension *extension); /* before the server is freed; may be NULL */
};

/* Passes the changes of this process on to others (endpoint/relay.c). It is counted: a caller takes it
 * with hf_server_take_relay, and drops it. */
struct change_relay {
    atomic_uint refs;
    void (*lists)(struct change_relay *relay, unsigned lists); /* bits of lists that have changed */
    void (*resource)(struct change_relay *relay, const char *uri);
    void (*release)(struct change_relay *relay); /* the last reference has been dropped */
};

/* Version counters; sessions compare them with what they have announced. */
struct server_changes {
    atomic_uint version_number;             /* changes with the catalogue */
    atomic_uint lists[OFFER_LISTS];         /* how often each list has changed */
    atomic_uint n_updates;                  /* number of resource updates so far */
    char *updates[UPDATES];                 /* the latest of them, as a ring */
    atomic_uint offered;                    /* bits of lists that have ever been non-empty */
    _Atomic(struct extension *) extensions; /* declared to clients, besides those of the options */
    struct change_relay *relay;             /* NULL if it tells no other process; under the lock */
};

struct server_stages {
    struct stages all;
    struct stages before, ready, after; /* the stages with a callback for each phase */
    const haft_stage *innermost;        /* after all of them, around the handler; NULL for none */
};

struct server_watching {
    struct watcher watchers[MAX_WATCHERS];
    size_t n_watchers;
    bool timed; /* a stage needs the duration of calls */
};

/* What the store is used for (stage/store_state.h). */
enum store_use { STORE_RATES, STORE_REPLAY, STORE_SESSIONS, STORE_CHANGES, STORE_USES };

struct store_state {
    atomic_uint failing;                 /* bits of uses whose latest request failed */
    _Atomic(uint64_t) since[STORE_USES]; /* when they began to fail, of the server's clock */
    atomic_ullong refused[STORE_USES], local[STORE_USES]; /* decisions without the store */
};

/* Data of src/stage. */
struct server_metering {
    _Atomic(struct limiter *) limiter; /* NULL until something is limited */
    struct metrics *metrics;           /* NULL if nothing is counted */
    const struct observer *observer;   /* its notifications; NULL if none */
    /* The list of servers counted together; may grow while it is read. */
    _Atomic(struct haft_server *) counted_next;
    atomic_ullong received, sent; /* bytes of messages, while something is counted */
    atomic_llong heard;           /* when the latest came, in milliseconds; 0 for never */
    atomic_llong streams;         /* subscriptions and event streams of clients that listen */
    haft_audit_mode audit_mode;
    /* Write the states of the upstreams that the server calls, as metrics and as a member of a JSON
     * object; on any thread.  NULL if it calls none. */
    void (*put_upstream_metrics)(void *context, haft_buffer *out);
    void (*put_upstreams)(void *context, struct json_writer *w);
    void *upstreams_context;
    struct store_state store;
    haft_store *own_store; /* of states that have been used, in this process; NULL for none */
};

struct server_limits {
    size_t direct_from;     /* minimum size of a message whose arguments are decoded from text */
    atomic_uint timeout_ms; /* these are from the options, but can change while serving */
    atomic_bool lenient;
    atomic_uint client_calls, client_per_ms;
};

/* Tools that run in separate processes. */
struct server_isolation {
    _Atomic(struct isolation *) runner; /* of src/process; NULL if there is none */
    atomic_uint n;                      /* number of tools so far */
    struct item *items;                 /* existing tools, offered or not; under the lock */
};

struct server_keys {
    unsigned char seal[32], other[32]; /* under the lock; the other one only unseals */
    bool has_seal, has_other;
    bool single_use;          /* states are distinguishable, because each may be used once */
    unsigned char digest[16]; /* derived from it: for digests of arguments */
    /* Servers of one program with the same key: the first, and the next. */
    haft_server *family, *beside;
};

/* Callbacks of the server's process. */
struct server_process {
    /* Gives up privileges that a process running handlers does not need; NULL if there are none.
     * The reason may be NULL. */
    int (*confine)(void *context, haft_reason *reterr_reason);
    void *confine_context;
    /* Flushes pending output quickly, before the process exits with calls in flight; may be
     * NULL. Called on any thread. */
    void (*leave)(void *context);
    void *leave_context;
    /* Lends a libuv loop (uv_loop_t) that the process has for other work to a server with one thread, which
     * runs it until it ends, and returns it on the same thread.  May be NULL, or return NULL: the server then
     * makes a loop. */
    void *(*lend_loop)(void *context);
    void (*return_loop)(void *context);
    void *loop_context;
};

struct haft_server {
    haft_server_options options;
    const haft_allocator *allocator;
    haft_arena *arena; /* names, custom methods, stages; under the lock once it is shared */
    const char *name, *version;
    struct text info;        /* {"name":...,"version":...} */
    struct text modern_tail; /* end of every modern result */
    haft_reason error;
    haft_buffer held; /* log records without a receiver: a digit for the level, the text, a NUL */

    atomic_flag lock; /* for the members below; held only briefly */
    struct catalogue *catalogue;
    struct server_changes changes;
    struct server_stages stages;
    struct server_watching watching;
    struct server_metering metering;
    struct server_limits limits;
    const struct haft_section *sections[SECTIONS_MAX]; /* of src/config */
    size_t n_sections;
    struct program_options *program_options; /* of src/config; NULL for none */
    struct haft_gateway *gateway; /* owned by src/gateway: the gateway it belongs to, or NULL, */
    const char *endpoint;         /* and its path there */
    struct custom_method *methods;
    struct form *forms;
    struct follower *followers;
    uint64_t n_sessions; /* number of sessions so far */
    atomic_uint_least64_t n_spans;
    struct server_isolation isolation;
    struct server_keys keys;
    struct server_process process;
    struct server_tasks tasks;
};

void hf_server_lock(haft_server *server);
void hf_server_unlock(haft_server *server);

/* Zeroed memory, and a copy of a text, that live as long as the server; NULL if memory runs out. May
 * be called from any thread, without the lock held. */
void *hf_server_zalloc(haft_server *server, size_t size);
char *hf_server_copy(haft_server *server, const char *text);

/* Creates a server without the parts that the rooms above attach (src/stage/server.c); NULL without
 * memory or if the options are rejected. */
haft_server *hf_server_make(const char *name, const char *version,
                            const haft_server_options *options);
void hf_server_unmake(haft_server *server);

/* Declares an extension to clients that connect from now on. */
void hf_server_declare(haft_server *server, struct extension *extension);

/* Change limits while serving. */
void hf_server_set_timeout(haft_server *server, unsigned ms);
void hf_server_set_lenient(haft_server *server, bool lenient);
void hf_server_set_client_rate(haft_server *server, haft_rate rate);

/* Add and remove a follower, with the lock held (follower.c). */
void hf_follower_link(haft_server *server, struct follower *follower);
void hf_follower_unlink(haft_server *server, struct follower *follower);
/* Notifies all followers that there is something to announce. */
void hf_server_wake(haft_server *server);

/* ---- change.c: changes, here and in other processes ---- */

/* Report a change that another process has made, to clients and not to further processes. */
void hf_server_note_lists(haft_server *server, unsigned lists);
void hf_server_note_resource(haft_server *server, const char *uri);
/* Reports that anything may have changed: every list, and every resource with a subscriber. */
void hf_server_note_all(haft_server *server);
/* Tells other processes that lists of this one have changed. */
void hf_server_tell_lists(haft_server *server, unsigned lists);

/* The relay, to be dropped afterwards; NULL if there is none. */
struct change_relay *hf_server_take_relay(haft_server *server);
void hf_relay_drop(struct change_relay *relay);

/* Like hf_struct_view, for a struct of that type; an arena that is NULL is the server's, which
 * several threads may use. Errors are logged and kept for haft_server_error. */
int hf_server_view(haft_server *server, const char *type, const void *given, size_t own,
                   haft_arena *arena, const void **ret_view);

/* Copies the seal keys, of which there are at most two. Returns their number. */
enum { SEAL_KEYS = 2, SEAL_KEY = 32 };
int hf_server_copy_seal_keys(haft_server *server, unsigned char ret_keys[SEAL_KEYS][SEAL_KEY]);
/* Gives a server the seal keys of another one. */
void hf_server_share_seal_keys(haft_server *server, haft_server *with);

/* Generates the seal key of a server that was not given one, from the loop's random bytes. Returns
 * 0 or the error of `random`; does nothing if the loop has no `random` or is NULL. */
int hf_server_make_seal_key(haft_server *server, const haft_loop *loop);

#endif
