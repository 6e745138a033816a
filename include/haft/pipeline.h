/* haft/pipeline.h - what every call of a tool passes, whatever carried it: stages.
 *
 *     static int only_at_day(haft_call *call, void *data)
 *     {
 *         return is_day() ? 0 : haft_refuse(call, "Closed at night.");
 *     }
 *     static const haft_stage opening_hours = HAFT_INIT(haft_stage, .name = "opening hours", .tools = "order_*",
 *                                              .before = only_at_day);
 *     haft_stage_add(server, &opening_hours);
 *
 * A call goes through the stages in the order they were added, and its result back through them in
 * the other direction.  A stage can look at the call, change its arguments, keep something with it,
 * answer in the handler's place, look at the result and add to it. */
#ifndef HAFT_PIPELINE_H
#define HAFT_PIPELINE_H

#include <haft/server.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a call ended.  What clients get in each case is in docs/pipeline.md. */
#define HAFT_OUTCOMES(X)                                                                           \
    X(HAFT_OUTCOME_OK, "ok")                                                                       \
    X(HAFT_OUTCOME_ERROR, "error")               /* the handler, or a stage, said so */            \
    X(HAFT_OUTCOME_INVALID, "invalid_arguments") /* the handler was not called */                  \
    X(HAFT_OUTCOME_NOT_FOUND, "not_found")                                                         \
    X(HAFT_OUTCOME_DISABLED, "disabled")                                                           \
    X(HAFT_OUTCOME_RATE_LIMITED, "rate_limited")                                                   \
    X(HAFT_OUTCOME_TIMED_OUT, "timed_out")                                                         \
    X(HAFT_OUTCOME_CANCELLED, "cancelled")                                                         \
    X(HAFT_OUTCOME_INPUT, "input_required") /* the client was asked, and calls again */            \
    X(HAFT_OUTCOME_FAILED, "failed")        /* the handler gave up, or its result does not fit */  \
    X(HAFT_OUTCOME_INTERNAL, "internal")    /* the server could not get as far as the handler */

#define HAFT_OUTCOME_(name, text) name,
typedef enum haft_outcome { HAFT_OUTCOMES(HAFT_OUTCOME_) HAFT_OUTCOME_COUNT_ } haft_outcome;
#undef HAFT_OUTCOME_

const char *haft_outcome_name(haft_outcome outcome);

/* What `before` and `ready` return: 0 to go on, this when they have answered (by haft_text,
 * haft_error ...), HAFT_PENDING when they say so later by haft_continue, or an error as a handler
 * would.  Anything else fails the call, with a line in the log. */
enum { HAFT_STOP = 3 };

/* Continues a call that something in front of its handler has held by returning HAFT_PENDING.
 * `status` is what would have been returned otherwise: 0, HAFT_STOP or an error; anything else fails
 * the call.
 *
 * It is called exactly once for each HAFT_PENDING that was returned, from any thread, also before
 * the function that returns HAFT_PENDING has returned.  It needs no memory and cannot fail.  The
 * call belongs to whoever holds it until then, who may use it from one thread at a time, all but
 * haft_call_set_arguments, and not afterwards.  Nothing else waits meanwhile, and the call's deadline is
 * running, as it has been since its message came.  A call that was cancelled, timed out or lost its client in the meantime has ended for
 * the client (haft_call_cancelled tells), but its memory is still there, and haft_continue is required
 * as ever: it then only releases what was kept. */
void haft_continue(haft_call *call, int status);

typedef struct haft_stage {
    size_t struct_size; /* its sizeof */
    const char *name;
    const char *tools; /* those it is for, "list_*,-*_delete"; NULL for all */
    /* A tool has been found; its arguments have not been looked at. */
    int (*before)(haft_call *call, void *data);
    /* The arguments are right; the handler is next. */
    int (*ready)(haft_call *call, void *data);
    /* The call is over, once for every call, also for one that was refused, cancelled or timed out.
     * Until then more may be added to a result; not to one that timed out, whose handler may be
     * running: what is allocated or kept with such a call here is apart from what the handler has,
     * and NULL without memory. */
    void (*after)(haft_call *call, haft_outcome outcome, void *data);
    void *data;
} haft_stage;

/* Adds a stage, before the server serves; it must outlive the server.  At most 32. */
int haft_stage_add(haft_server *server, const haft_stage *stage);

/* The stages in their order, from 0 on; NULL past the last.  Those that every server has are
 * among them: "deadline", "visibility" and "rate limit" before all others, "validation" behind
 * them. */
const haft_stage *haft_stage_at(const haft_server *server, size_t index);

/* Marks the result as an error with this text, and returns HAFT_STOP. */
int haft_refuse(haft_call *call, const char *format, ...) HAFT_PRINTF_(2, 3);

/* Other arguments in the place of those that came, for a stage's `before`: a JSON object, which is
 * then checked as any other, and is what haft_call_arguments, the handler and the audit have.  0; an
 * error when it is no such; HAFT_EINVAL once the arguments have been checked. */
int haft_call_set_arguments(haft_call *call, const char *json, size_t size);

/* The blocks that the client gets, an array, for a stage's `after`; of an error they have its text.
 * Empty when there are none or they are written later, as for HAFT_OUTCOME_FAILED.  NULL without
 * memory, and for HAFT_OUTCOME_TIMED_OUT. */
haft_value *haft_result_content(haft_call *call);

/* Something that a stage keeps with a call for later ones, or for the handler.  The key is compared
 * as text and must live as long as the call.  0 or HAFT_ENOMEM; NULL when there is none. */
int haft_call_set(haft_call *call, const char *key, void *value);
void *haft_call_get(const haft_call *call, const char *key);

/* What a program gives its handlers, by its own type.
 *
 *     HAFT_SERVER_CONTEXT(backends, struct backends)
 *
 * makes `struct backends *backends(const haft_call *)`, which is what the server was given as
 * `.data`, and `backends_data(&value)`, which is that of the right type only.
 *
 *     HAFT_CALL_CONTEXT(user, struct user)
 *
 * makes `struct user *user(const haft_call *)`, NULL when there is none, and `int
 * user_set(haft_call *, struct user *)`: haft_call_get and haft_call_set under that name. */
#define HAFT_SERVER_CONTEXT(name, Type)                                                            \
    HAFT_MAYBE_UNUSED_ static inline Type *name(const haft_call *call)                             \
    {                                                                                              \
        return (Type *)haft_server_data(call);                                                     \
    }                                                                                              \
    HAFT_MAYBE_UNUSED_ static inline void *name##_data(Type *value)                                \
    {                                                                                              \
        return value;                                                                              \
    }

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

/* What happens in a server.  The first four are the steps by which a tool is registered; `status`
 * says whether one was taken, and `reason` why not.  A call that started ends with exactly one of
 * the kinds after it. */
#define HAFT_EVENTS(X)                                                                             \
    X(HAFT_EVENT_ACCEPTED, "tool accepted")   /* name and handler are right */                     \
    X(HAFT_EVENT_COMPILED, "tool compiled")   /* so are its schemas; it can be listed */           \
    X(HAFT_EVENT_STORED, "tool stored")       /* it can be called */                               \
    X(HAFT_EVENT_ANNOUNCED, "tool announced") /* clients are being told */                         \
    X(HAFT_EVENT_UPDATED, "tool updated")                                                          \
    X(HAFT_EVENT_REMOVED, "tool removed")                                                          \
    X(HAFT_EVENT_ENABLED, "tool enabled")                                                          \
    X(HAFT_EVENT_DISABLED, "tool disabled") /* or hidden */                                        \
    X(HAFT_EVENT_CALL_STARTED, "call started")                                                     \
    X(HAFT_EVENT_CALL_FINISHED, "call finished")                                                   \
    X(HAFT_EVENT_CALL_FAILED, "call failed") /* `outcome` says how */                              \
    X(HAFT_EVENT_CALL_TIMED_OUT, "call timed out")                                                 \
    X(HAFT_EVENT_CALL_RATE_LIMITED, "call rate limited")                                           \
    X(HAFT_EVENT_CLIENT_CONNECTED, "client connected") /* it has said who it is */                 \
    X(HAFT_EVENT_CLIENT_GONE, "client gone")

#define HAFT_EVENT_(name, text) name,
typedef enum haft_event_kind { HAFT_EVENTS(HAFT_EVENT_) HAFT_EVENT_COUNT_ } haft_event_kind;
#undef HAFT_EVENT_

const char *haft_event_name(haft_event_kind kind);

/* What does not belong to the kind, or is not known, is NULL or 0.  Valid until the function
 * returns. */
typedef struct haft_event {
    haft_event_kind kind;
    const char *tool;       /* of a call: as it was asked for, which may not exist */
    int status;             /* of a step of registration: 0, or the error that ended it */
    const char *reason;     /* of that error */
    const char *request_id; /* as text */
    const char *client;     /* by its own name */
    const char *principal;
    const char *trace_id;
    haft_outcome outcome; /* of a call that is over */
    double ms;            /* since it came */
} haft_event;

/* Is called on the thread where the thing happens, by several at once, and no lock is held.  The
 * end of a call is told after its answer has been given away, so nobody waits for the function but
 * what comes next on that thread: it looks, counts, or hands over, and does not block.  It has
 * nothing of the call to change and nothing to return; it may use the server, but not to call its
 * tools. */
typedef void haft_event_function(void *context, const haft_event *event);

/* Before the server serves; at most 8. */
int haft_event_watch(haft_server *server, haft_event_function *function, void *context);

/* ---- stages that come with haft ------------------------------------------------- */

/* Rates are limited by haft_tool.rate and haft_server_options.client_rate.  A server that has a store counts in its
 * namespace "rate": the group is the client ("p" and the principal; else "a" and the address, or "6" and the first 64
 * bits of an IPv6 address in hexadecimal; or, where clients have no addresses, "s" and a number of the session), the
 * key the tool's name, or "" for calls of any tool.  A call that a rate refuses is counted by neither. */

/* Gets a line of JSON for every call, without its end: time, id, client, principal, revision, tool,
 * outcome, milliseconds, bytes of the result, the ids of trace and span, and the arguments.  Called
 * on the thread of the call's session. */
typedef void haft_audit_function(void *context, const char *line, size_t size);
int haft_audit_add(haft_server *server, haft_audit_function *write, void *context);

/* What a line says of the arguments.  In either, what the schema marks as secret is "***". */
typedef enum haft_audit_mode {
    HAFT_AUDIT_DIGEST,   /* under a key made of the seal key: tells only which calls are equal */
    HAFT_AUDIT_ARGUMENTS /* themselves, up to 4 KiB; the digest of more */
} haft_audit_mode;

/* Of all audits of the server; HAFT_AUDIT_DIGEST until it is set.  Before the server serves. */
void haft_audit_set_mode(haft_server *server, haft_audit_mode mode);

/* Counts calls by tool and outcome, how long they took, sessions, bytes, and what was repaired;
 * before the server serves. */
int haft_metrics_enable(haft_server *server);
/* Appends the counts in Prometheus' text format.  HAFT_ENOTFOUND when nothing is counted. */
int haft_metrics_write(haft_server *server, haft_buffer *buffer);

#ifdef __cplusplus
}
#endif
#endif
