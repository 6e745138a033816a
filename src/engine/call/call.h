/* engine/call/call.h - a call, from its request to its answer (call.c).
 *
 * It belongs to the thread of its owner.  While its handler or a stage may run on another thread
 * (call_is_shared), nobody else touches its arena and its result; members that any thread may use
 * are atomic. */
#ifndef HAFT_SRC_ENGINE_CALL_CALL_H
#define HAFT_SRC_ENGINE_CALL_CALL_H

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

/* What is known of a client: of a legacy one since it has introduced itself, of a modern one by each
 * of its requests. */
struct client_info {
    const char *name, *version; /* NULL for unknown */
    size_t name_size;           /* there may be a NUL in it */
    struct text quoted;         /* the name as JSON; NULL for whoever wants it to quote it */
    yyjson_val *capabilities;
    int log_level; /* the lowest it wants; -1 for none */
};

/* The most that a call may have in its arena. */
enum { CALL_ARENA = 64 << 20 };

/* What brought the call. */
struct request {
    void *tag;
    struct batch *batch;
    struct message message;
    const haft_headers *headers; /* of the request that brought it; while it is being received */
    yyjson_val *id;
    const char *method;
    yyjson_val *params, *meta;
    const char *principal; /* who the client is; NULL when that is not known */
    const char *peer;      /* its address: "" for an unknown one, NULL where there are none */
    const haft_trace *trace;
};

struct call_arguments {
    yyjson_val *json; /* NULL when they came straight: see hf_call_arguments */
    struct direct direct;
    _Atomic(struct materialized *) materialized; /* those as JSON, once somebody has asked */
};

/* What the handler gets, and how it is run. */
struct call_handler {
    const void *in;
    void *out;
    int (*execute)(haft_call *call);   /* the handler, with what it needs */
    void (*complete)(haft_call *call); /* writes the result */
    _Atomic(void *) user_data;
    const struct text *variables; /* of a template: name, value, name, value */
    size_t n_variables;
};

/* What it has given so far, beside the buffers of the call. */
struct call_result {
    bool is_error;
    bool checked;            /* against its schema */
    bool responded;          /* by what is no result: there is none to check */
    const char *role;        /* of a prompt's next block */
    const char *description; /* of a prompt's result */
    size_t n_values;         /* of a completion */
};

/* An error instead of a result. */
struct call_error {
    int code; /* of JSON-RPC; 0 for none */
    const char *message, *data;
    int http_status; /* 0 for the usual one */
};

/* What stages and watchers have of a call, and know of its end. */
struct call_stages {
    bool staged;            /* its stages are told how it ends */
    bool after_ran;         /* and have been */
    unsigned walked;        /* stages that it has been through: `before` of them, then `ready` */
    haft_outcome outcome;   /* that has been settled before the end: HAFT_OUTCOME_OK for none */
    int64_t retry_after_ms; /* of one that a rate limit refused */
    bool counted;           /* as one that is in flight, */
    bool queued;            /* and as one that waits to be run */
    bool reported;          /* watchers know that it has started, and not that it has ended */
    _Atomic(struct kept *) kept;
    struct late late;
    struct rate_ask *rate_ask; /* of src/stage: what the store has been asked; NULL before that */
};

struct call_time {
    uint64_t started;       /* by the server's clock, */
    uint64_t elapsed;       /* and how long it took, once it is over */
    haft_time deadline;     /* 0 for none */
    unsigned allowed_ms;    /* from when it was set */
    _Atomic(haft_time) now; /* as of the latest tick: the handler may look at it from elsewhere */
    uint64_t ends; /* the deadline by the server's clock, in a process of its own; 0 for none */
};

struct call_progress {
    yyjson_val *token; /* NULL when nobody has asked for it */
    double value;      /* the latest that was sent, */
    bool any;          /* if one was */
};

/* Its ways between threads. */
struct call_posts {
    bool finished;      /* haft_finish or haft_continue has come */
    haft_posted finish; /* room for it, and for haft_continue, which comes before it */
    /* Goes on after haft_continue with the status that was given, on the owner's thread.  A call
     * of inner.c has no such thread: there it is called on the one that called haft_continue. */
    void (*resume)(haft_call *call, int status);
    haft_posted errand; /* room for its way to another thread and back */
};

/* Its turn, with a tool that has a cap. */
struct call_line {
    haft_call *behind; /* the next in line */
    bool running;      /* it counts among those that run */
    atomic_bool turn;
};

/* Calls that no message brought (inner.c). */
struct call_inner {
    haft_call *parent;   /* that made it; NULL for one that came from outside.  See hf_inner_hold */
    atomic_uint looking; /* threads that look at the parent */
    unsigned depth;      /* below the one that came from outside */
    atomic_uint inside;  /* of that one: calls made below it, ever */
    haft_gateway_request *req; /* of src/gateway: the request that it answers; NULL for none */
    /* Answers bad arguments; NULL: as a tool's. */
    int (*on_invalid)(haft_call *call, const haft_issues *issues);
    void (*done)(haft_call *call); /* instead of answering, on the thread that it came from */
};

/* Its place among the calls of its owner. */
struct call_link {
    haft_call *previous; /* in flight */
    bool linked;         /* it is in flight */
    bool held;           /* it is being received: whoever does that releases it, */
    bool let_go;         /* because it has been concluded */
};

struct haft_call {
    /* what stays when the call is used again */
    haft_call *next;     /* in flight, or spare */
    struct owner *owner; /* outlives it */
    haft_server *server;
    haft_arena *arena;
    haft_buffer structured;  /* JSON, empty for none */
    haft_buffer result_meta; /* members, separated by commas */
    size_t spare_bytes;      /* of a spare one: what all of these hold */

    /* what is zero at first: from here on */
    struct call_link link;
    struct catalogue *catalogue;
    struct item *item;
    const struct entry *entry; /* of a tool: where the item stands in the catalogue */
    struct request request;
    struct call_arguments args;
    enum revision revision;
    struct client_info client;
    struct call_handler handler;
    struct call_result result;
    struct content content;
    struct call_error error;

    enum call_state state;
    int status; /* of the handler */
    atomic_bool cancelled;
    bool answered; /* or never to be: what is still to come is dropped */
    struct call_stages stages;
    struct call_time time;
    struct call_progress progress;
    struct call_posts posts;
    struct asking asking;
    struct call_line line;
    struct call_inner inner;
};

/* Moves a call.  Debug builds log a move that is not in the table, and make it. */
static inline void call_move(haft_call *call, enum call_state to)
{
#if !defined NDEBUG
    hf_call_check_move(call, to);
#endif
    call->state = to;
}

/* Whether another thread may be writing to the call's result and memory: its handler, or a stage. */
static inline bool call_is_shared(const haft_call *call)
{
    return call->state == CALL_HELD || call->state == CALL_RUNNING || call->state == CALL_PENDING;
}

/* A call for a message, from the spare ones when there is one; NULL without memory. */
haft_call *hf_call_new(struct owner *owner);
void hf_call_release(haft_call *call);
void hf_call_link(haft_call *call);

/* Makes the handler run, here or elsewhere, or puts the call in line: also of one whose turn has come
 * (hf_cap_has_turn).  `execute` and `complete` are set. */
void hf_call_start(haft_call *call);

/* Ends a call whose handler was pending. */
void hf_call_finish(haft_call *call, int status);

/* Runs the handler of an isolated tool in a process of its own, and waits for it: 0, or an error, or
 * CALL_LATE. */
int hf_call_run_isolated(haft_call *call);
/* What a handler returned: as it is, or HAFT_EINVAL and a line in the log when haft has no such
 * status.  A number by mistake must not pass for an answer. */
int hf_call_understand(haft_call *call, int status);

/* What a handler's process came to that had to be ended at its deadline. */
enum { CALL_LATE = -1000 };

/* Answers a call whose deadline has passed. */
void hf_call_time_out(haft_call *call);

/* Clears what a handler has answered so far: it is called again. */
void hf_call_clear_result(haft_call *call);

/* Sets the deadline so far ahead; 0 for what the tool or the server says. */
void hf_call_allow(haft_call *call, unsigned milliseconds);

/* The id as logs and events have it; "0" for none. */
void hf_call_put_id(const haft_call *call, char ret_text[RPC_ID_TEXT]);

/* Nobody waits for the answer any more: the handler is told, and nothing more is sent.  A call that
 * only waited for the client or its turn is gone. */
void hf_call_give_up(haft_call *call);

/* Whether nobody waits for an answer. */
bool hf_call_is_unwanted(haft_call *call);

/* Concludes a call, whatever ended it: the stages are told, once; it is answered by `answer`, NULL
 * for its own error or result, unless it has been or nobody waits; watchers are told, once; and it is
 * released, unless its handler or a stage still has it, who then only release it.  An owner that keeps
 * its calls (inner.c) answers and frees them itself. */
void hf_call_conclude(haft_call *call, haft_outcome outcome, void (*answer)(haft_call *call));

/* Nobody has it any more: it asks the client if its handler wants that, or is concluded as its status
 * and its outcome say. */
void hf_call_end(haft_call *call);
void hf_call_free_spare(struct owner *owner);

#endif
