/* engine/call/call.h - a call, from its request to its response (call.c).
 *
 * A call belongs to its owner's thread. While its handler or a stage may run on another thread
 * (call_is_shared), nobody else accesses its arena and its result; members that any thread may use
 * are atomic. */
#ifndef HAFT_SRC_ENGINE_CALL_CALL_H
#define HAFT_SRC_ENGINE_CALL_CALL_H

#include <haft/access.h>

#include "engine/call/arguments.h"
#include "engine/call/content.h"
#include "engine/call/owner.h"
#include "engine/call/post.h"
#include "engine/call/question.h"
#include "engine/call/stage.h"
#include "engine/call/state.h"
#include "protocol/message.h"
#include "protocol/revision.h"
#include "protocol/rpc.h"

typedef struct haft_gateway_request haft_gateway_request;

/* Information about a client: from `initialize` for a legacy client, from each request for a modern
 * one. */
struct client_info {
    const char *name, *version; /* NULL if unknown */
    size_t name_size;           /* the name may contain NUL */
    struct text quoted;         /* the name as JSON; NULL data if it has not been quoted yet */
    yyjson_val *capabilities;
    int log_level; /* minimum level of messages; -1 for none */
};

/* The limit of a call's arena. */
enum { CALL_ARENA = 64 << 20 };

/* Access rules whose conditions hold for the client. */
struct call_guard {
    uint64_t holds; /* bits; if `known` */
    bool known;
};

/* The request that started the call. */
struct request {
    void *tag;
    struct batch *batch;
    struct message message;
    const haft_headers *headers;  /* headers of the request, while it is being received */
    const haft_header *forwarded; /* those that the handler passes on (forward.h) */
    size_t n_forwarded;
    yyjson_val *id;
    const char *method;
    yyjson_val *params, *meta;
    const char *principal;  /* identity of the client; NULL if unknown */
    haft_identity identity; /* more about it, if there is a principal */
    struct call_guard guard;
    const char *peer; /* address of the client: "" if unknown, NULL if the transport has
                            * none */
    const haft_trace *trace;
};

struct call_arguments {
    yyjson_val *json; /* NULL if decoded directly: see hf_call_arguments */
    bool redirected;  /* from call_tool to the tool that it named; `json` is for that */
    struct direct direct;
    _Atomic(struct materialized *) materialized; /* the same as JSON, once requested */
};

/* The function that a handler wants to have called when its call is cancelled (cancel.c). */
struct call_cancel {
    atomic_bool lock; /* of the function, also while it runs */
    haft_cancel_function *function;
    void *context;
    atomic_bool listed; /* in the list of the outermost call */
    haft_call *next;    /* in that list */
    /* of the outermost call: */
    atomic_bool list_lock;
    haft_call *first;
};

/* The handler's input, and how it runs. */
struct call_handler {
    const void *in;
    void *out;
    int (*execute)(haft_call *call);   /* runs the handler with its input */
    void (*complete)(haft_call *call); /* writes the result */
    _Atomic(void *) user_data;
    struct call_cancel cancel;
    const struct text *variables; /* variables of a template: name, value, name, value */
    size_t n_variables;
};

/* The result so far, apart from the call's buffers. */
struct call_result {
    bool is_error;
    bool checked;            /* validated against its schema */
    bool lenient;            /* one that does not match its schema is logged and sent: others
                              * made it, and the client can do more with it than with an error */
    bool responded;          /* a route has set the whole response, so there is no result to
                              * validate */
    bool passed;             /* of another server: an error keeps its structured content */
    const char *role;        /* role of a prompt's next block */
    const char *description; /* description of a prompt's result */
    size_t n_values;         /* number of values of a completion */
};

/* An error in place of a result. */
struct call_error {
    int code; /* JSON-RPC code; 0 if there is no error */
    const char *message, *data;
    int http_status;    /* 0 for the default */
    const char *scopes; /* that the call requires, if they are the reason; otherwise NULL */
};

/* State of a call's stages and watchers. */
struct call_stages {
    bool staged;            /* its stages must be notified of its end */
    bool after_ran;         /* they have been notified */
    unsigned walked;        /* number of stages passed: `before`, then `ready` */
    haft_outcome outcome;   /* outcome determined before the end; HAFT_OUTCOME_OK if none */
    int64_t retry_after_ms; /* of a call refused by a rate limit */
    bool counted;           /* counted as in flight */
    bool queued;            /* counted as waiting to run */
    bool reported;          /* watchers know of its start, and not yet of its end */
    _Atomic(struct kept *) kept;
    struct late late;
    struct rate_ask *rate_ask; /* of src/stage: pending request to the store; NULL if there is
                                * none */
};

struct call_time {
    uint64_t started;       /* start, by the server's clock */
    uint64_t elapsed;       /* duration, once it is over */
    haft_time deadline;     /* 0 if there is none */
    unsigned allowed_ms;    /* time allowed when the deadline was set */
    _Atomic(haft_time) now; /* time of the latest tick; handlers may read it on other threads */
    uint64_t ends; /* deadline by the server's clock, in a separate process; 0 if there is none */
};

struct call_progress {
    yyjson_val *token; /* NULL if the client did not request progress */
    double value;      /* latest value sent, */
    bool any;          /* if one was sent */
};

/* Messages between threads. */
struct call_posts {
    atomic_bool notified; /* the client has been sent something before the response */
    bool finished;        /* haft_finish or haft_continue has been called */
    haft_posted finish;   /* message for it, or for haft_continue, which comes earlier */
    /* Continues after haft_continue with the given status, on the owner's thread. A call of inner.c
     * has no such thread: there it runs on the thread that called haft_continue. */
    void (*resume)(haft_call *call, int status);
    haft_posted errand; /* message for transfer to another thread and back */
};

/* State in the queue of a tool with a limit. */
struct call_line {
    haft_call *behind; /* next call in the queue */
    bool running;      /* counted as running */
    atomic_bool turn;
};

/* The task that a call runs for (src/task). */
struct call_task {
    const char *id;
    const void *saved; /* NULL if there is nothing */
    size_t saved_size;
    size_t max_saved; /* bytes that `save` accepts */
    /* The handler reports progress; the text may be empty. NULL: to the client, as in any call. */
    void (*progress)(struct call_task *task, double done, double total, const char *text);
    int (*save)(struct call_task *task, const void *bytes, size_t size);
};

/* Calls without a message (inner.c). */
struct call_inner {
    haft_call *parent;   /* the call that made it; NULL for calls from outside; see hf_inner_hold */
    atomic_uint looking; /* threads that use the parent */
    unsigned depth;      /* nesting below the call from outside */
    atomic_uint inside;  /* in that call: number of nested calls so far */
    haft_gateway_request *req; /* of src/gateway: the request that it answers; NULL if there is
                                * none */
    /* Responds to invalid arguments; NULL for the response of a tool. */
    int (*on_invalid)(haft_call *call, const haft_issues *issues);
    void (*done)(haft_call *call); /* called in place of responding, on the thread that it came
                                    * from */
    struct call_task *task;        /* NULL if there is none */
};

/* Its links among the calls of its owner. */
struct call_link {
    haft_call *previous; /* in the list of calls in flight */
    bool linked;         /* is in that list */
    bool held;           /* is being received, and the receiver releases it */
    bool let_go;         /* has been concluded while being received */
};

struct haft_call {
    /* members that are kept when the call is reused */
    haft_call *next;     /* in flight, or spare */
    struct owner *owner; /* outlives the call */
    haft_server *server;
    haft_arena *arena;
    haft_buffer structured;  /* JSON; empty if there is none */
    haft_buffer result_meta; /* members, separated by commas */
    size_t spare_bytes;      /* spare calls: total size of these buffers */

    /* members that are zeroed on reuse, from here on */
    struct call_link link;
    struct catalogue *catalogue;
    struct item *item;
    const struct entry *entry; /* of a tool: the item's entry in the catalogue */
    struct request request;
    struct call_arguments args;
    enum revision revision;
    struct client_info client;
    struct call_handler handler;
    struct call_result result;
    struct content content;
    struct call_error error;

    enum call_state state;
    int status; /* status of the handler */
    atomic_bool cancelled;
    bool answered; /* has been answered, or never will be: further output is dropped */
    struct call_stages stages;
    struct call_time time;
    struct call_progress progress;
    struct call_posts posts;
    struct asking asking;
    struct call_line line;
    struct call_inner inner;
};

/* Changes the state of a call. Debug builds log a transition that is not in the table, and make
 * it. */
static inline void call_move(haft_call *call, enum call_state to)
{
#if !defined NDEBUG
    hf_call_check_move(call, to);
#endif
    call->state = to;
}

/* Whether another thread may be writing to the call's result and memory: its handler, or a
 * stage. */
static inline bool call_is_shared(const haft_call *call)
{
    return call->state == CALL_HELD || call->state == CALL_RUNNING || call->state == CALL_PENDING;
}

/* Creates a call for a message, or reuses a spare one; NULL without memory. */
haft_call *hf_call_new(struct owner *owner);
void hf_call_release(haft_call *call);
void hf_call_link(haft_call *call);

/* Runs the handler, here or on another thread, or queues the call; also for a call whose turn has
 * come (hf_cap_has_turn). `execute` and `complete` must be set. */
void hf_call_start(haft_call *call);

/* Ends a call whose handler was pending. */
void hf_call_finish(haft_call *call, int status);

/* Runs the handler of an isolated tool in a separate process and waits for it. Returns 0, an error,
 * or CALL_LATE. */
int hf_call_run_isolated(haft_call *call);
/* Validates a handler's return value: returns it, or logs it and returns HAFT_EINVAL if it is not a
 * haft status. A number returned by mistake must not pass as an answer. */
int hf_call_understand(haft_call *call, int status);

/* The status of a handler's process that was killed at its deadline. */
enum { CALL_LATE = -1000 };

/* Responds to a call whose deadline has passed. */
void hf_call_time_out(haft_call *call);

/* Discards the result so far, before the handler is called again. */
void hf_call_clear_result(haft_call *call);

/* Sets the deadline `milliseconds` from now; 0 for the default of the tool or the server. */
void hf_call_allow(haft_call *call, unsigned milliseconds);

/* Formats the id for logs and events; "0" if there is none. */
void hf_call_put_id(const haft_call *call, char ret_text[RPC_ID_TEXT]);

/* The client no longer waits for the response: cancels the handler and suppresses output. A call
 * that only waited for the client or its turn ends at once. */
void hf_call_give_up(haft_call *call);

/* Cancels a call and those that were made within it, and tells their handlers. May be called from any
 * thread that may use the call. */
void hf_call_cancel(haft_call *call);
/* The handler has finished: its function is not running, and is not called any more. */
void hf_call_uncancel(haft_call *call);

/* Whether the client no longer waits for a response. */
bool hf_call_is_unwanted(haft_call *call);

/* Concludes a call, whatever ended it: notifies the stages, once; responds with `answer` (NULL:
 * with its own error or result), unless it has been answered or the client no longer waits;
 * notifies watchers, once; and releases the call. If its handler or a stage still uses it, these
 * release it later. An owner that keeps its calls (inner.c) responds and frees them itself. */
void hf_call_conclude(haft_call *call, haft_outcome outcome, void (*answer)(haft_call *call));

/* The handler of a call has asked its client, and is not called again: tells its module. */
void hf_call_unanswered(haft_call *call);

/* Ends a call that no handler or stage uses any more: sends the handler's questions to the client,
 * or concludes the call by its status and outcome. */
void hf_call_end(haft_call *call);
void hf_call_free_spare(struct owner *owner);

#endif
