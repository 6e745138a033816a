/* engine/server.h - the server's own view of what it offers.
 *
 * What is offered lies on four shelves.  A catalogue is all shelves at one moment: immutable,
 * counted, and replaced as a whole, so that a call keeps what it found while tools come and go. */
#ifndef HAFT_SRC_SERVER_H
#define HAFT_SRC_SERVER_H

#include <haft/engine.h>
#include <haft/pipeline.h>
#include <stdatomic.h>

#include "json/json.h"
#include "protocol/meta.h"
#include "protocol/revision.h"
#include "protocol/rpc.h"
#include "schema/model/node.h"

enum { SHELVES = 4, LEGACY = 0, MODERN = 1 };
enum { MAX_HEADER_DEPTH = 16 }; /* of an argument that is also a header */

struct text {
    const char *data;
    size_t size;
};

struct uri_template;
struct form;

/* What the definitions and handlers of some items live in, when that can go while the server stays:
 * a shared object.  It is counted; its items hold it, and calls hold those. */
struct hold {
    atomic_uint refs;
    void (*release)(struct hold *hold); /* nothing of it is in use any more, by anybody */
    struct form *forms;                 /* of its types */
    bool leaving; /* catalogue_trade is to take its items out; for whoever calls that */
};

void hold_init(struct hold *hold, void (*release)(struct hold *hold));
/* Both do nothing with NULL. */
struct hold *hold_take(struct hold *hold);
void hold_drop(struct hold *hold);

/* How many calls of a tool may run, and those that wait; under the server's lock. */
struct cap {
    unsigned max_running, max_waiting, running, n_waiting;
    haft_call *first, *last; /* in line */
};

/* What runs calls in processes of their own.  The engine knows only that it is there. */
struct isolation {
    int (*run)(struct isolation *isolation, haft_call *call); /* a status as a handler's */
    void (*renew)(struct isolation *isolation);               /* what is offered has changed */
    void (*release)(struct isolation *isolation);
};

/* One offered thing, as it was added.  Its texts, and what it compiled, live in its arena. */
struct item {
    atomic_uint refs;
    haft_arena *arena;
    struct item *base; /* it is this one under another name, and holds it */
    struct hold *hold; /* what it was defined in; NULL for the program */
    const char *name;  /* what it is found by: a tool's or prompt's name, a resource's address */
    size_t name_size;
    struct text quoted;  /* the name as JSON */
    struct text rest[2]; /* as it is listed after its name, for legacy and for modern clients */

    const haft_tool *tool;
    const haft_resource *resource;
    const haft_prompt *prompt;
    const struct uri_template *uri_template;
    const haft_schema *input, *output; /* compiled; NULL for none */
    haft_schema *owned[2];             /* of those, the ones to free */
    bool wraps; /* the output is no object: legacy clients get {"result": ...} */
    int (*call)(haft_call *call, const void *in, void *out);
    haft_json_handler *handler; /* of a tool put together at run time */
    void *data;
    bool quick;
    haft_hint lenient; /* UNSET: as the server is */
    /* Whether arguments are read from text (straight.c): until somebody asks for them as JSON.  NULL
     * when they cannot be. */
    atomic_bool *straight;
    unsigned timeout_ms;
    _Atomic(void *) counts; /* of src/stage: where its calls are counted */
    unsigned isolate; /* a number of its own when its calls run in processes; 0 when they do not */
    /* The server that lists it for those processes; NULL when none does. */
    haft_server *isolated_in;
    struct item *isolated_next;
    struct cap *cap; /* NULL for none */
};

struct entry {
    struct item *item;
    bool off;      /* the program has switched it off */
    bool disabled; /* it has, or whoever runs the server hides it */
};

struct shelf {
    struct entry *entries; /* in the order they were added */
    size_t n, n_enabled;
    uint32_t *slots; /* index + 1 by hash of the name */
    size_t n_slots;
};

struct catalogue {
    atomic_uint refs;
    const haft_allocator *allocator;
    struct shelf shelves[SHELVES];
    size_t size; /* of this and its tables, in one piece */
};

/* A method of the program's own. */
struct custom_method {
    struct custom_method *next;
    const char *name;
    haft_json_handler *handler;
    void *data;
};

/* A compiled form for elicitation, kept by its type; lives in its schema's arena. */
struct form {
    struct form *next;
    const haft_type *type;
    haft_schema *schema;
    const char *json;
};

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

struct watcher {
    haft_event_function *function;
    void *context;
};

/* Somebody who wants to know when something has changed: a session. */
struct follower {
    struct follower *next, *previous;
    void (*wake)(struct follower *follower); /* from any thread, with the lock held */
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
    atomic_uint version_number;   /* changes with the catalogue */
    atomic_uint changes[SHELVES]; /* how often each shelf has changed */
    atomic_uint n_updates;        /* resources that have been updated, ever */
    char *updates[UPDATES];       /* the latest of them, in a ring */
    atomic_uint offered;          /* bits of shelves that have ever held something */
    haft_visibility visibility;
    struct stages stages;
    struct stages before, ready, after; /* of them, those with something to do there */
    struct watcher watchers[MAX_WATCHERS];
    size_t n_watchers;
    bool timed;                        /* somebody wants to know how long calls take */
    _Atomic(struct limiter *) limiter; /* of src/stage; NULL until something is limited */
    struct metrics *metrics;           /* of src/stage; NULL when nothing is counted */
    const struct observer *observer;   /* what it wants to hear; NULL for nothing */
    struct haft_server *counted_next;  /* of those that count together */
    atomic_ullong received, sent;      /* bytes of messages, while something is counted */
    haft_audit_mode audit_mode;
    size_t straight_from;   /* the size of a message whose arguments are worth reading from text */
    atomic_uint timeout_ms; /* these are as in the options, but can be changed while serving */
    atomic_bool lenient;
    atomic_uint client_calls, client_per_ms;
    const struct haft_section *sections[SECTIONS_MAX]; /* of src/config */
    size_t n_sections;
    struct haft_gateway *gateway; /* of src/gateway, that it belongs to; NULL for none, */
    const char *endpoint;         /* and its path there */
    struct custom_method *methods;
    struct form *forms;
    struct follower *followers;
    uint64_t n_sessions; /* ever */
    atomic_uint_least64_t n_spans;
    _Atomic(struct isolation *) isolation; /* of src/process; NULL when there is none */
    atomic_uint n_isolated;                /* tools, ever */
    struct item *isolated; /* those that are there, offered or not; under the lock */
    unsigned char seal_key[32];
    bool has_seal_key;
    unsigned char digest_key[16]; /* made of it: for digests of arguments */
    /* Gives up what a process that is about to run handlers can do without; NULL for nothing.  The
     * reason may be NULL. */
    int (*confine)(void *context, haft_reason *reterr_reason);
    void *confine_context;
    /* Servers of one program that have the same key: the first of them, and the next. */
    haft_server *family, *beside;
    /* Writes what is still on its way somewhere, within a moment, before the process ends in the
     * midst of calls; NULL for nothing.  From any thread. */
    void (*leave)(void *context);
    void *leave_context;
};

void server_lock(haft_server *server);
void server_unlock(haft_server *server);

/* A counted reference to what is offered now. */
struct catalogue *catalogue_take(haft_server *server);
void catalogue_drop(struct catalogue *catalogue);

struct catalogue *catalogue_empty(const haft_allocator *allocator);

/* The entry of that name; NULL when there is none. */
struct entry *shelf_find(const struct shelf *shelf, const char *name, size_t size);

/* An item with an arena of its own; NULL without memory. */
struct item *item_new(haft_server *server, struct hold *hold);
/* The same with a name; without memory it has been refused. */
struct item *item_new_named(haft_server *server, const char *name, struct hold *hold);
/* Renders what is listed after the item's name, the same for every client. */
int item_render(haft_server *server, struct item *item,
                void (*put_rest)(haft_buffer *buffer, const struct item *item));
bool item_set_name(struct item *item, const char *name);
void item_drop(struct item *item);
haft_offer item_kind(const struct item *item);

/* Lists an isolated tool for the processes that are forked from now on, until it is gone.  They are
 * forked before it is offered, and may be asked for one that is offered no longer. */
void item_list_isolated(haft_server *server, struct item *item);
/* The one of that number; NULL when there is none. */
struct item *item_isolated(haft_server *server, uint64_t number);

/* Puts an item on a shelf, or in the place of the one called `instead`.  Takes over the reference,
 * whether it succeeds or not. */
int shelf_put(haft_server *server, haft_offer kind, struct item *item, const char *instead);

/* The item of a definition: checked, compiled and rendered, but not offered yet (tool.c,
 * resource.c, prompt.c).  0, or an error that has been refused. */
int tool_item(haft_server *server, const haft_tool *tool, struct hold *hold,
              struct item **ret_item);
int resource_item(haft_server *server, haft_offer kind, const haft_resource *resource,
                  struct hold *hold, struct item **ret_item);
int prompt_item(haft_server *server, const haft_prompt *prompt, struct hold *hold,
                struct item **ret_item);

/* Puts the items on their shelves and takes away everything whose hold is leaving, in one step.  An
 * item goes where one of its name was, and is switched off if that was.  0, HAFT_ENOMEM, or
 * HAFT_EEXISTS with the one whose name is taken; then nothing has changed.  The items stay the
 * caller's. */
int catalogue_trade(haft_server *server, struct item *const *items, size_t n,
                    const struct item **reterr_item);
/* Whether that can be done, but for memory. */
int catalogue_try_trade(haft_server *server, struct item *const *items, size_t n,
                        const struct item **reterr_item);

/* What the stage that counts cannot see for itself: a call that begins to wait for a thread or its turn, or
 * has done so; arguments that were not right and have been made so; a client that is met, or leaves after so
 * many milliseconds. */
struct observer {
    void (*queued)(const haft_call *call, bool queued);
    void (*repaired)(const haft_call *call, size_t n);
    void (*met)(haft_server *server);
    void (*left)(haft_server *server, int64_t ms);
};

/* A server without what is attached to it by the rooms above (src/stage/server.c); NULL without memory, or
 * with options that are refused. */
haft_server *server_make(const char *name, const char *version, const haft_server_options *options);
void server_unmake(haft_server *server);

/* Whether a name is one that clients can use: refuses, or warns, when it is not (lint.c). */
int lint_name(haft_server *server, haft_offer kind, const char *name);
/* The same of a tool's schemas. */
int lint_tool(haft_server *server, const struct item *item);

/* Changes limits while calls come in. */
void server_set_timeout(haft_server *server, unsigned ms);
void server_set_lenient(haft_server *server, bool lenient);
void server_set_client_rate(haft_server *server, haft_rate rate);

/* With the lock held: adds one who follows, and takes it away (follower.c). */
void follower_link(haft_server *server, struct follower *follower);
void follower_unlink(haft_server *server, struct follower *follower);
/* Tells all of them that there is something to announce. */
void server_wake(haft_server *server);

/* Refuses with a reason: logged, and kept for haft_server_error. */
int server_refuse(haft_server *server, int code, const char *path, const char *format, ...)
    HAFT_PRINTF_(4, 5);

/* Has a server that was given no key to seal states with make one of the loop's random bytes.  0, or
 * what `random` returned; a loop without it (or NULL) has nothing to give. */
int server_make_seal_key(haft_server *server, const haft_loop *loop);

/* ---- the log (log.c) ---- */

/* Whether somebody takes it. */
bool server_has_log(const haft_server *server);

/* Gives the log to a function from now on, and what was held for one.  NULL: nobody takes it any
 * more. */
void server_set_log(haft_server *server, haft_log_function *log, void *context);
void server_set_record(haft_server *server, haft_record_function *record, void *context);
void server_log(haft_server *server, haft_level level, const char *format, ...) HAFT_PRINTF_(3, 4);
/* The same of a record that is about something. */
void log_put(haft_server *server, const haft_record *record);
/* How much of a line of that room vsnprintf has written. */
size_t log_written(int size, size_t room);

/* The form of a declared type (form.c); NULL when it cannot be one, which is logged.  It lives as
 * long as the hold that the type is in, or as the server. */
const struct form *form_of(haft_server *server, struct hold *hold, const haft_type *type);
void forms_free(struct form *forms);
/* Why a JSON Schema is no form; NULL when it is one, with whether several can be chosen from a list
 * in it, which forms have since 2025-11-25. */
const char *form_check(yyjson_val *schema, haft_arena *arena, bool *ret_selects);

/* How a tool's schema is listed (wrap.c): as it is; as an object's; as an object's with properties;
 * as that of the one property of an object. */
enum listed_as { AS_IT_IS, AS_OBJECT, AS_ARGUMENTS, AS_RESULT };

/* 0 or an error. */
int put_listed(haft_buffer *buffer, const haft_schema *schema, enum listed_as as,
               const haft_allocator *allocator);

/* A buffer's text in an arena, with the buffer finished; NULL data without memory. */
struct text text_of(haft_arena *arena, haft_buffer *buffer);

/* Members of a listed thing that all kinds have: writes `,"key":"text"` when there is one. */
void put_text_member(haft_buffer *buffer, const char *key, const char *text);
/* Valid JSON that a definition brings, on one line, as messages are; its parts are as they came. */
void put_json_line(haft_buffer *buffer, const char *json);
/* The same as such a member. */
void put_json_member(haft_buffer *buffer, const char *key, const char *json);
void put_icons(haft_buffer *buffer, const haft_icon *icons, size_t n);
/* `,"annotations":{...}`, as for haft_block_annotate; false when there is something wrong with them. */
bool content_put_annotations(haft_buffer *content, const char *audience, double priority,
                             const char *last_modified);

/* `_meta` and other JSON that a definition brings: an object, or a reason against it. */
int check_json_object(haft_server *server, const char *name, const char *what, const char *json,
                      haft_arena *arena);

/* Icons: each has an address, and is for "light" or "dark" when it says which. */
int check_icons(haft_server *server, const char *name, const haft_icon *icons, size_t n);

#endif
