/* haft/pipeline.h - stages around every call of a tool, whatever the transport, and events.
 *
 *     static int only_at_day(haft_call *call, void *data)
 *     {
 *         return is_day() ? 0 : haft_refuse(call, "Closed at night.");
 *     }
 *     static const haft_stage opening_hours = HAFT_INIT(haft_stage, .name = "opening hours", .tools = "order_*",
 *                                              .before = only_at_day);
 *     haft_stage_add(server, &opening_hours);
 *
 * A call goes through the stages in the order in which they were added, and its result goes back
 * through them in reverse.  A stage can inspect the call, change its arguments, keep data with it,
 * answer instead of the handler, inspect the result and add to it. */
#ifndef HAFT_PIPELINE_H
#define HAFT_PIPELINE_H

#include <haft/server.h>

#ifdef __cplusplus
extern "C" {
#endif

/* List of the outcomes of a call, as X(name, text). docs/pipeline.md describes what clients get in
 * each case. */
#define HAFT_OUTCOMES(X)                                                                           \
    X(HAFT_OUTCOME_OK, "ok")                     /* the handler succeeded */                       \
    X(HAFT_OUTCOME_ERROR, "error")               /* the handler or a stage reported an error */    \
    X(HAFT_OUTCOME_INVALID, "invalid_arguments") /* bad arguments; the handler did not run */      \
    X(HAFT_OUTCOME_NOT_FOUND, "not_found")       /* the server has no such tool */                 \
    X(HAFT_OUTCOME_DISABLED, "disabled")         /* the tool is disabled or hidden */              \
    X(HAFT_OUTCOME_RATE_LIMITED, "rate_limited") /* the client exceeded a rate limit */            \
    X(HAFT_OUTCOME_TIMED_OUT, "timed_out")       /* the deadline passed */                         \
    X(HAFT_OUTCOME_CANCELLED, "cancelled")       /* the client cancelled the call or left */       \
    X(HAFT_OUTCOME_INPUT, "input_required") /* the client was asked for input and calls again */   \
    X(HAFT_OUTCOME_FAILED, "failed")        /* the handler failed, or its result is invalid */     \
    X(HAFT_OUTCOME_INTERNAL, "internal")    /* the server could not run the handler */             \
    X(HAFT_OUTCOME_FORBIDDEN, "forbidden")  /* the client lacks a scope that the tool requires */  \
    X(HAFT_OUTCOME_TASK, "task")            /* the call became a task, which has its own outcome */

#define HAFT_OUTCOME_(name, text) name,
/* How a call ended, one of HAFT_OUTCOMES. */
typedef enum haft_outcome { HAFT_OUTCOMES(HAFT_OUTCOME_) HAFT_OUTCOME_COUNT_ } haft_outcome;
#undef HAFT_OUTCOME_

/* Returns the name of an outcome, such as "ok", a constant. */
const char *haft_outcome_name(haft_outcome outcome);

/* What `before` and `ready` of a stage, and policies, return after they have answered the call (with
 * haft_text, haft_error ...).  They return 0 to continue, HAFT_PENDING to decide later with
 * haft_continue, or an error as a handler would.  Any other value fails the call, with a line in the
 * log. */
enum {
    HAFT_STOP = 3 /* the call has been answered */
};

/* Continues a call that a stage or policy has held by returning HAFT_PENDING.  `status` is what the
 * function would have returned otherwise: 0, HAFT_STOP or an error; any other value fails the call.
 *
 * It must be called exactly once for each HAFT_PENDING.  It may be called from any thread, also
 * before the function that returns HAFT_PENDING has returned.  It needs no memory and cannot fail.
 * Until then the call belongs to the holder, which may use it from one thread at a time, except for
 * haft_call_set_arguments; afterwards the holder must not use it.  No thread waits meanwhile, and
 * the call's deadline runs from the arrival of its message.  If the call was cancelled, timed out
 * or lost its client meanwhile, it has ended for the client (haft_call_cancelled returns true), but
 * its memory still exists and haft_continue is still required; it then only frees the call. */
void haft_continue(haft_call *call, int status);

/* A stage around calls.  Functions that are NULL are skipped.  They run on the thread of the call's
 * session. */
typedef struct haft_stage {
    size_t struct_size; /* set by HAFT_INIT or HAFT_WITH */
    const char *name;   /* name for logs and haft_stage_at */
    const char *tools;  /* patterns of tool names, "list_*,-*_delete"; NULL for all tools */
    /* Called when a tool has been found, before its arguments are checked. */
    int (*before)(haft_call *call, void *data);
    /* Called when the arguments have been checked, before the handler runs. */
    int (*ready)(haft_call *call, void *data);
    /* Called exactly once at the end of every call, also of one that was refused, cancelled or
     * timed out.  It may add to a result, except to that of a call that timed out, whose handler
     * may still run: memory that is allocated or kept with such a call here is separate from the
     * handler's, and NULL if memory runs out. */
    void (*after)(haft_call *call, haft_outcome outcome, void *data);
    void *data; /* last argument of the functions */
} haft_stage;

/* Adds a stage, before the server serves.  It must outlive the server.  At most 32 can be added.
 * Returns 0 or an error, with the reason in haft_server_error. */
int haft_stage_add(haft_server *server, const haft_stage *stage);

/* Returns a stage by its position, from 0; NULL after the last.  The stages of every server are
 * among them: "deadline", "visibility" and "rate limit" come before all others, "validation" after
 * them, and "shaping" last, at endpoints of a gateway. */
const haft_stage *haft_stage_at(const haft_server *server, size_t index);

/* Marks the result as an error with this text, and returns HAFT_STOP, or an error if memory runs
 * out. */
int haft_refuse(haft_call *call, const char *format, ...) HAFT_PRINTF_(2, 3);

/* Replaces the arguments of a call with a JSON object, in `before` of a stage.  The new arguments
 * are checked like any others; haft_call_arguments, the handler and the audit log get them.  The
 * text is copied.  Returns 0; an error if it is not a JSON object; HAFT_EINVAL if the arguments
 * have already been checked. */
int haft_call_set_arguments(haft_call *call, const char *json, size_t size);

/* Returns the blocks that the client gets, an array, in `after` of a stage; those of an error have
 * its text.  The array is empty if there are no blocks or they are written later, as for
 * HAFT_OUTCOME_FAILED.  Returns NULL if memory runs out, and for HAFT_OUTCOME_TIMED_OUT. */
haft_value *haft_result_content(haft_call *call);

/* Keep a pointer with a call, for later stages or the handler.  The key is compared as text and
 * must live as long as the call. haft_call_set returns 0 or HAFT_ENOMEM; haft_call_get returns NULL
 * if the key is not set. */
int haft_call_set(haft_call *call, const char *key, void *value);
void *haft_call_get(const haft_call *call, const char *key);

/* Declares typed access to the `data` of a server.
 *
 *     HAFT_SERVER_CONTEXT(backends, struct backends)
 *
 * defines `struct backends *backends(const haft_call *)`, which returns the `.data` of the server's
 * options, and `backends_data(&value)`, which converts a pointer of that type only, for `.data`. */
#define HAFT_SERVER_CONTEXT(name, Type)                                                            \
    HAFT_MAYBE_UNUSED_ static inline Type *name(const haft_call *call)                             \
    {                                                                                              \
        return (Type *)haft_server_data(call);                                                     \
    }                                                                                              \
    HAFT_MAYBE_UNUSED_ static inline void *name##_data(Type *value)                                \
    {                                                                                              \
        return value;                                                                              \
    }

/* Declares typed access to data that a stage keeps with a call.
 *
 *     HAFT_CALL_CONTEXT(user, struct user)
 *
 * defines `struct user *user(const haft_call *)`, which returns NULL if it is not set, and `int
 * user_set(haft_call *, struct user *)`: haft_call_get and haft_call_set with the name as key. */
#define HAFT_CALL_CONTEXT(name, Type)                                                              \
    HAFT_MAYBE_UNUSED_ static inline Type *name(const haft_call *call)                             \
    {                                                                                              \
        return (Type *)haft_call_get(call, #name);                                                 \
    }                                                                                              \
    HAFT_MAYBE_UNUSED_ static inline int name##_set(haft_call *call, Type *value)                  \
    {                                                                                              \
        return haft_call_set(call, #name, value);                                                  \
    }

/* ---- events ----------------------------------------------------------------------- */

/* List of the events in a server, as X(name, text).  The first four are the steps of registering a
 * tool; `status` says whether a step succeeded, and `reason` why not.  A call that started ends
 * with exactly one of the later call events. */
#define HAFT_EVENTS(X)                                                                             \
    X(HAFT_EVENT_ACCEPTED, "tool accepted")        /* its name and handler are valid */            \
    X(HAFT_EVENT_COMPILED, "tool compiled")        /* its schemas are valid; it can be listed */   \
    X(HAFT_EVENT_STORED, "tool stored")            /* it can be called */                          \
    X(HAFT_EVENT_ANNOUNCED, "tool announced")      /* clients are being notified */                \
    X(HAFT_EVENT_UPDATED, "tool updated")          /* it has a new definition */                   \
    X(HAFT_EVENT_REMOVED, "tool removed")          /* it is no longer offered */                   \
    X(HAFT_EVENT_ENABLED, "tool enabled")          /* it is offered again */                       \
    X(HAFT_EVENT_DISABLED, "tool disabled")        /* it is disabled or hidden */                  \
    X(HAFT_EVENT_CALL_STARTED, "call started")     /* a call has arrived */                        \
    X(HAFT_EVENT_CALL_FINISHED, "call finished")   /* a call succeeded */                          \
    X(HAFT_EVENT_CALL_FAILED, "call failed")       /* a call failed; `outcome` says how */         \
    X(HAFT_EVENT_CALL_TIMED_OUT, "call timed out") /* the deadline of a call passed */             \
    X(HAFT_EVENT_CALL_RATE_LIMITED, "call rate limited") /* a rate limit refused a call */         \
    X(HAFT_EVENT_CLIENT_CONNECTED, "client connected")   /* a client has introduced itself */      \
    X(HAFT_EVENT_CLIENT_GONE, "client gone")             /* its session has ended */

#define HAFT_EVENT_(name, text) name,
/* Kinds of events, those of HAFT_EVENTS. */
typedef enum haft_event_kind { HAFT_EVENTS(HAFT_EVENT_) HAFT_EVENT_COUNT_ } haft_event_kind;
#undef HAFT_EVENT_

/* Returns the name of an event, such as "call started", a constant. */
const char *haft_event_name(haft_event_kind kind);

/* An event.  Members that its kind does not use, or that are not known, are NULL or 0.  Valid until
 * the function returns. */
typedef struct haft_event {
    haft_event_kind kind;   /* kind of event */
    const char *tool;       /* name of the tool; of a call, as requested: it may not exist */
    int status;             /* result of a registration step: 0, or the error that ended it */
    const char *reason;     /* reason of that error */
    const char *request_id; /* id of the request, as text */
    const char *client;     /* name that the client gives itself */
    const char *principal;  /* authenticated identity of the client */
    const char *trace_id;   /* id of the trace, 32 hexadecimal digits */
    haft_outcome outcome;   /* outcome of a call that has ended */
    double ms;              /* milliseconds since the call arrived */
} haft_event;

/* Receives events.  It is called on the thread of the event, by several threads at once, and the
 * library holds no lock.  The end of a call is reported after its answer has been passed on, so the
 * function delays only later work of that thread; it must not block.  It may use the server, but
 * must not call its tools. */
typedef void haft_event_function(void *context, const haft_event *event);

/* Adds a function that receives events, before the server serves.  At most 8 can be added.  Returns
 * 0 or an error. */
int haft_event_watch(haft_server *server, haft_event_function *function, void *context);

/* ---- built-in stages: rate limits, audit, metrics ------------------------------------------------- */

/* haft_tool.rate and haft_server_options.client_rate limit rates.  A server with a store counts in the
 * namespace "rate".  The group is the client: "p" and the principal; otherwise "a" and the address, or
 * "6" and the first 64 bits of an IPv6 address in hexadecimal; or, if clients have no addresses, "s"
 * and the number of the session.  The key is the tool's name, or "" for calls of any tool.  A call that
 * one limit refuses is counted by neither. */

/* Receives one line of JSON per call, without a line end: time, id, client, principal, revision,
 * tool, outcome, milliseconds, bytes of the result, trace and span ids, and the arguments.
 * haft_audit_add adds such a function, before the server serves, and returns 0 or an error.  The
 * function is called on the thread of the call's session. */
typedef void haft_audit_function(void *context, const char *line, size_t size);
int haft_audit_add(haft_server *server, haft_audit_function *write, void *context);

/* What audit lines contain of the arguments.  In both modes, values that the schema marks as secret
 * are "***". */
typedef enum haft_audit_mode {
    /* A digest with a key made from the seal key: it only shows which calls have equal
     * arguments. */
    HAFT_AUDIT_DIGEST,
    HAFT_AUDIT_ARGUMENTS /* the arguments, up to 4 KiB; a digest of longer ones */
} haft_audit_mode;

/* Sets the mode of all audit functions of a server, before it serves; the default is
 * HAFT_AUDIT_DIGEST. */
void haft_audit_set_mode(haft_server *server, haft_audit_mode mode);

/* Makes the state that a client brings back to an unfinished call valid for one use: a call of a tool
 * with a state that has been used is refused before its handler runs.  Used states are remembered in
 * the server's store, so this holds for all its replicas; haft_server_options.store_replay says what
 * happens while the store does not answer.  A client whose call fails after that has to begin again.
 * Call it before the server serves.  Returns 0, or an error if memory runs out. */
int haft_single_use_enable(haft_server *server);

/* Starts counting calls by tool and outcome, their durations, sessions, bytes and converted
 * arguments, before the server serves.  Returns 0 or an error. */
int haft_metrics_enable(haft_server *server);
/* Appends the metrics in the text format of Prometheus.  Returns 0, an error of the buffer, or
 * HAFT_ENOTFOUND if metrics are not enabled.  May be called from any thread. */
int haft_metrics_write(haft_server *server, haft_buffer *buffer);

#ifdef __cplusplus
}
#endif
#endif
