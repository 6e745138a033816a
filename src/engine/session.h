/* engine/session.h - one peer, and the calls that are in flight for it. */
#ifndef HAFT_SRC_SESSION_H
#define HAFT_SRC_SESSION_H

#include "engine/owner.h"
#include "engine/state.h"

enum { CLIENT_NAME = 65 };
typedef struct haft_visit haft_visit;

/* A question that a handler has put, and its answer. */
struct question {
    struct question *next;
    const char *key;
    const char *method; /* elicitation/create, ... */
    const char *params; /* JSON */
    yyjson_val *answer; /* NULL until it has come */
    int64_t request_id; /* legacy: of the request that asks it; 0 before it is sent */
    bool fresh;         /* put in this round */
    bool opens;         /* it has an address to open */
};

/* What a call asks the client. */
struct asking {
    struct question *questions;
    const char *state; /* of the handler's own: haft_call_set_state */
    unsigned rounds;
};

/* Something for the session's thread to do about a call. */
enum posted_kind {
    POSTED_NOTICE,  /* send a notification */
    POSTED_FINISH,  /* haft_finish: end it */
    POSTED_CONTINUE /* haft_continue: go on with it */
};

struct haft_posted {
    haft_posted *next; /* for whoever carries it */
    haft_call *call;
    enum posted_kind kind;
    bool ran;   /* the runtime's: the handler has been run, haft_call_done is next */
    int status; /* that haft_finish or haft_continue was given */
    char *text; /* of the notification */
    size_t size;
    bool counts; /* it is about progress: */
    double progress;
};

/* What is known of a client: of a legacy one since it has introduced itself, of a modern one by each
 * of its requests. */
struct client {
    const char *name, *version; /* NULL for unknown */
    size_t name_size;           /* there may be a NUL in it */
    struct text quoted;         /* the name as JSON; NULL for whoever wants it to quote it */
    yyjson_val *capabilities;
    int log_level; /* the lowest it wants; -1 for none */
};

/* The most that a call may have in its arena. */
enum { CALL_ARENA = 64 << 20 };

/* Arguments that were decoded from their text (straight.c). */
struct straight {
    const struct item *of; /* the tool they are for; NULL once that is another, or they are */
    const void *in;        /* what its handler gets */
    const char *text;      /* they, with a NUL for the quote at the end of a string; NULL: not so */
    size_t size;
};

/* A count that the rate store was asked for. */
struct rate_answer {
    bool asked;
    int allowed; /* as haft_rate_answer was given, once it was */
    int64_t wait;
};

/* What `after` stages have of a call whose handler, or another stage, may still be at work. */
struct late {
    _Atomic(const void *) thread; /* that the stages run on, while they do; NULL otherwise */
    haft_arena *arena;            /* made by the first who wants memory */
    struct kept *kept;
};

struct haft_call {
    /* what stays when the call is used again */
    haft_call *next;     /* in flight, or spare */
    struct owner *owner; /* outlives it */
    haft_server *server;
    haft_arena *arena;
    haft_buffer content;     /* blocks, separated by commas */
    haft_buffer structured;  /* JSON, empty for none */
    haft_buffer result_meta; /* members, separated by commas */
    size_t spare_bytes;      /* of a spare one: what all of these hold */

    /* what is zero at first: from here on */
    haft_call *previous; /* in flight */
    struct catalogue *catalogue;
    struct item *item;
    const struct entry *entry; /* of a tool: where the item stands in the catalogue */
    void *tag;
    struct batch *batch;

    /* the message */
    yyjson_val *root;
    struct rpc_message message;  /* the same taken apart, unless it is an array */
    const haft_headers *headers; /* of the request that brought it; while it is being received */
    int http_status;             /* of an error; 0 for the usual one */
    yyjson_val *id;
    const char *method;
    yyjson_val *params, *meta, *progress_token;
    yyjson_val *arguments; /* NULL when they came straight: see call_arguments */
    struct straight straight;
    _Atomic(struct spelled *) spelled; /* those as JSON, once somebody has asked */
    enum revision revision;
    struct client client;
    const char *principal; /* who the client is; NULL when that is not known */
    const char *peer;      /* its address: "" for an unknown one, NULL where there are none */

    /* what the handler gets and gives */
    const void *in;
    void *out;
    int (*execute)(haft_call *call);             /* the handler, with what it needs */
    void (*complete)(haft_call *call);           /* writes the result */
    size_t n_blocks, last_block, last_block_end; /* of the latest one */
    bool block_annotated, block_has_meta;
    bool is_error;
    bool checked;            /* the result has been, against its schema */
    const char *role;        /* of a prompt's next block */
    const char *description; /* of a prompt's result */
    size_t n_values;         /* of a completion */
    _Atomic(void *) user_data;
    _Atomic(struct kept *) kept; /* by stages */
    struct late late;
    int64_t retry_after_ms; /* of one that a rate limit refused */
    haft_outcome outcome;   /* that has been settled before the end: HAFT_OUTCOME_OK for none */
    bool after_ran;         /* the stages have been told how it ended */
    bool counted;           /* as one that is in flight, */
    bool queued;            /* and as one that waits to be run */
    bool told;              /* watchers know that it has started, and not that it has ended */
    uint64_t started;       /* by the server's clock, */
    uint64_t elapsed;       /* and how long it took, once it is over */
    const haft_trace *trace;
    const struct text *variables; /* of a template: name, value, name, value */
    size_t n_variables;

    /* where it stands */
    enum call_state state;
    bool staged;     /* its stages are told how it ends */
    unsigned walked; /* stages that it has been through: `before` of them, then `ready` */
    int status;      /* of the handler */
    int error_code;  /* a JSON-RPC error instead of a result; 0 for none */
    const char *error_message, *error_data;
    atomic_bool cancelled;
    bool answered;      /* or never to be: what is still to come is dropped */
    bool linked;        /* among the session's calls */
    bool held;          /* it is being received: whoever does that lets it go, */
    bool let_go;        /* because it is over */
    bool finished;      /* haft_finish or haft_continue has come */
    haft_posted finish; /* room for it, and for haft_continue, which comes before it */
    /* Goes on after haft_continue with the status that was given, on the session's thread.  A call
     * of inner.c has no such thread: there it is called on the one that called haft_continue. */
    void (*resume)(haft_call *call, int status);
    haft_posted errand; /* room for its way to another thread and back */
    double progress;
    bool has_progress;
    haft_time deadline;     /* 0 for none */
    unsigned allowed_ms;    /* from when it was set */
    _Atomic(haft_time) now; /* as of the latest tick: the handler may look at it from elsewhere */

    struct asking asking;
    struct rate_answer rates[2]; /* of src/stage: for calls of any tool, and of this one */

    /* its turn, with a tool that has a cap */
    haft_call *behind; /* the next in line */
    bool running;      /* it counts among those that run */
    atomic_bool turn;

    uint64_t ends; /* the deadline by the server's clock, in a process of its own; 0 for none */
    /* calls within calls (inner.c) */
    haft_call *parent;   /* that made it; NULL for one that came from outside.  See inner_hold */
    atomic_uint looking; /* threads that look at the parent */
    unsigned depth;      /* below the one that came from outside */
    atomic_uint inside;  /* of that one: calls made below it, ever */
    haft_visit *visit;   /* of src/gateway: the request that it answers; NULL for none */
    /* Answers bad arguments; NULL: as a tool's. */
    int (*misfit)(haft_call *call, const haft_issues *issues);
    bool responded;                /* by what is no result: there is none to check */
    void (*done)(haft_call *call); /* instead of answering, on the thread that it came from */
};

/* A modern client's subscription. */
struct listen {
    struct listen *next;
    haft_arena *arena;
    yyjson_val *id;
    void *tag;
    unsigned shelves; /* bits: changes it wants to know of */
    yyjson_val *uris; /* an array; NULL for none */
};

struct subscription {
    struct subscription *next;
    size_t size;
    char uri[];
};

struct haft_session {
    struct owner owner; /* first: see session_of */
    struct follower follower;
    struct catalogue *catalogue;
    unsigned version_number;
    unsigned announced;                   /* the version whose changes have been */
    unsigned changes[SHELVES], n_updates; /* announced so far */

    /* of a legacy client that has introduced itself */
    bool initialized;
    unsigned declared; /* bits: shelves that it was told of then */
    enum revision revision;
    haft_arena *client_arena;
    struct client client;
    struct subscription *subscriptions;
    size_t n_subscriptions;

    struct listen *listens;
    size_t n_listens;
    const char *principal; /* of the message that is being received */
    unsigned held;         /* something is: it is not freed meanwhile */
    haft_time met_at;
    bool met; /* the client has said who it is, as: */
    char met_name[CLIENT_NAME];
};

/* The session of a call that came by a message. */
static inline haft_session *session_of(const haft_call *call)
{
    return (haft_session *)call->owner;
}

/* ---- calls (call.c) ---- */

/* Moves a call.  Debug builds log a move that is not in the table, and make it. */
static inline void call_move(haft_call *call, enum call_state to)
{
#if !defined NDEBUG
    call_check_move(call, to);
#endif
    call->state = to;
}

/* Whether another thread may be writing to the call's result and memory: its handler, or a stage. */
static inline bool call_is_shared(const haft_call *call)
{
    return call->state == CALL_HELD || call->state == CALL_RUNNING || call->state == CALL_PENDING;
}

/* A call for a message, from the spare ones when there is one; NULL without memory. */
haft_call *call_new(struct owner *owner);
void call_release(haft_call *call);
void call_link(haft_call *call);

/* Makes the handler run, here or elsewhere.  `execute` and `complete` are set. */
void call_start(haft_call *call);
/* The same of one whose turn has come. */
void call_launch(haft_call *call);

/* Ends a call whose handler was pending. */
void call_finish(haft_call *call, int status);

/* What a handler returned: as it is, or HAFT_EINVAL and a line in the log when haft has no such
 * status.  A number by mistake must not pass for an answer. */
int call_understand(haft_call *call, int status);

/* What a handler's process came to that had to be ended at its deadline. */
enum { CALL_LATE = -1000 };

/* Answers a call whose deadline has passed. */
void call_time_out(haft_call *call);

/* ---- caps (cap.c) ---- */

/* 1 when the call may run now, 0 when it waits in line, or HAFT_EBUSY. */
int cap_enter(haft_call *call);
/* It runs no more: the next in line may. */
void cap_leave(haft_call *call);
/* It leaves the line without having run. */
void cap_withdraw(haft_call *call);
/* Whether its turn has come; it counts as running then. */
bool cap_has_turn(haft_call *call);

/* ---- to another process and back (carry.c) ---- */

/* Writes what the handler needs. */
void carry_write_call(haft_call *call, haft_buffer *out);
/* Makes a call of that, for an owner that has nothing else; NULL with *ret_status set. */
haft_call *carry_read_call(struct owner *owner, const char *text, size_t size, int *ret_status);
/* Writes what the handler came to. */
void carry_write_result(haft_call *call, int status, haft_buffer *out);
/* Reads that, from a process that may have lost its mind, into the call.  What the handler
 * returned, or HAFT_ECRASHED when it makes no sense. */
int carry_read_result(haft_call *call, const char *text, size_t size);
/* The same of a notification that it wants sent: a negative result when it makes no sense. */
int carry_read_notice(haft_call *call, const char *text, size_t size);

/* Clears what a handler has answered so far: it is called again. */
void call_clear_result(haft_call *call);

/* Sets the deadline so far ahead; 0 for what the tool or the server says. */
void call_allow(haft_call *call, unsigned milliseconds);

/* The id as logs and events have it; "0" for none. */
void call_put_id(const haft_call *call, char ret_text[RPC_ID_TEXT]);

/* Nobody waits for the answer any more: the handler is told, and nothing more is sent.  A call that
 * only waited for the client or its turn is gone. */
void call_give_up(haft_call *call);

/* Whether nobody waits for an answer. */
bool call_is_unwanted(haft_call *call);

/* Concludes a call, whatever ended it: the stages are told, once; it is answered by `answer` unless
 * it has been or nobody waits; watchers are told, once; and it is released, unless its handler or a
 * stage still has it, who then only release it. */
void call_conclude(haft_call *call, haft_outcome outcome, void (*answer)(haft_call *call));

/* The same of one that nobody has any more, as its status and its outcome say. */
void call_end(haft_call *call);

/* The handler is done with it, or will not be called: it ends, or asks the client. */
void call_settle(haft_call *call);
void call_free_spare(struct owner *owner);

/* The call from outside that this one goes back to: itself, unless it was made within another.  It
 * alone is told the time. */
haft_call *call_root(const haft_call *call);

/* The level of that name; -1 when there is none. */
int level_named(const yyjson_val *name);

enum revision session_revision(const haft_session *session);

/* Ends the session's life when it is closed and nothing runs for it any more. */
void session_collect(haft_session *session);

/* ---- answers (respond.c) ---- */

/* Starts and ends a response in owner->out.  Between them the members of the result are written,
 * each but the first with a comma before it; `any` tells the end whether there were any. */
haft_buffer *respond_begin(haft_call *call);
void respond_end(haft_call *call, bool any);
/* The same with a resultType of the handler's own; NULL for "complete".  Only modern clients see
 * it. */
void respond_end_as(haft_call *call, bool any, const char *type);
void respond_empty(haft_call *call);
void respond_error(haft_call *call, int code, const char *message, const char *data);
/* The same of a formatted text in the call's arena. */
void respond_errorf(haft_call *call, int code, const char *format, ...) HAFT_PRINTF_(3, 4);

/* The answer to a call that has passed its deadline: nothing of what its handler may be writing is
 * touched. */
void respond_timeout(haft_call *call, unsigned milliseconds);

/* Sends a response that stands in owner->out. */
void respond_written(haft_call *call, int error_code);

/* A notification about a call, from whatever thread.  One about progress is sent only if it goes
 * forward; `progress` is NULL for others. */
void call_notify(haft_call *call, const haft_buffer *message, const double *progress);

/* Does what was posted, on the thread of the call's owner. */
void post_deliver(haft_posted *posted);

/* ---- methods (method.c and those that bring one) ---- */

struct method {
    const char *name;
    unsigned revisions; /* bits */
    int shelf;          /* that must ever have held something, for a modern client; -1 for none */
    void (*handle)(haft_call *call);
    bool remembers; /* something for later messages: nothing for clients without a session */
};

/* Whether the server itself handles that method, in any revision. */
bool method_is_reserved(const char *name);
/* The method of that name in that revision; NULL when there is none. */
const struct method *method_find(const char *name, size_t size, enum revision revision);

void handle_initialize(haft_call *call);
void handle_discover(haft_call *call);
void handle_ping(haft_call *call);
void handle_set_level(haft_call *call);
void handle_list(haft_call *call);
void handle_tool_call(haft_call *call);
/* A call of a tool has been answered with an error before anything was done about it: those who
 * follow calls hear of it. */
void tool_call_refused(haft_call *call, haft_outcome outcome);
void handle_resource_read(haft_call *call);
void handle_prompt_get(haft_call *call);
void handle_complete(haft_call *call);
void handle_subscribe(haft_call *call);
void handle_unsubscribe(haft_call *call);
void handle_listen(haft_call *call);

/* ---- announcements (announce.c) ---- */

/* Takes what is offered now in the place of what was when the session looked last. */
void session_refresh(haft_session *session);

/* Sends what the server has announced and this session has not told yet. */
void session_announce(haft_session *session);
/* Ends the subscription of that id, or all; gracefully: with a result. */
void session_end_listens(haft_session *session, const yyjson_val *id, bool graceful);
void session_end_tagged(haft_session *session, const void *tag);

/* ---- stages (stage.c) ---- */

/* Those that every server has (tool_call.c); between two of them is the one that limits rates. */
extern const haft_stage visibility_stage, validation_stage, deadline_stage;
enum { BUILT_IN_STAGES = STAGES_BEFORE + STAGES_BEHIND };
/* Sets them, in the order that calls come to them. */
void stages_init(haft_server *server, const haft_stage *const built_in[BUILT_IN_STAGES]);

/* The name of the tool that was asked for, which may not exist. */
const char *call_tool(const haft_call *call);

/* Walk over the stages of a call, on from where the walk was held: each is called again after
 * haft_continue, and a walk that is done is not walked again.  0 when it is done, HAFT_STOP, an
 * error, or HAFT_PENDING: then haft_continue goes to call->resume, perhaps already. */
int stages_before(haft_call *call);
int stages_ready(haft_call *call);
/* What haft_continue was given: 0 when the walk goes on, HAFT_STOP or an error. */
int stages_continue(haft_call *call, int status);
/* The stage that was called last; only while one holds the call. */
const haft_stage *stages_holder(const haft_call *call);

/* For haft_continue: the stage that holds the call is called again. */
enum { STAGE_REPEAT = -1001 };
/* Since the call came in; 0 without a clock. */
uint64_t call_nanoseconds(const haft_call *call);

/* From here to its end on this thread, `after` stages have memory of their own (view.c). */
void late_begin(haft_call *call);
void late_end(haft_call *call);
/* Whether the caller is such a stage. */
bool late_is_here(const haft_call *call);
/* The arena for what the caller wants to keep with the call; NULL without memory. */
haft_arena *call_memory(haft_call *call);

/* Tells the stages, once. */
void stages_after(haft_call *call, haft_outcome outcome);

/* ---- traces (trace.c) ---- */

/* Reads what the request says about its trace, while its headers are there. */
void trace_read(haft_call *call);

/* ---- headers (headers.c) ---- */

/* Each is true when the headers are right, or there are none to be; else it has answered. */
bool headers_have_version(haft_call *call);
bool headers_agree_on_version(haft_call *call, yyjson_val *version);
bool headers_agree_on_method(haft_call *call, const struct rpc_message *message);
bool headers_agree_on_arguments(haft_call *call);

/* ---- arguments from text (straight.c) ---- */

/* As json_parse, into the call's root, but for large arguments that the tool's schema can read from
 * text: these are in call->straight. */
int straight_parse(haft_session *session, haft_call *call, const char *text, size_t size,
                   size_t *reterr_offset, const char **reterr_reason);

/* The arguments as JSON, on any thread; NULL when there are none, or no memory for it. */
yyjson_val *call_arguments(haft_call *call);

/* Those that came straight, as the client sent them; NULL without memory. */
yyjson_val *straight_sent(haft_call *call);

/* From here on they are JSON, as they mostly are.  False when there is none. */
bool straight_undo(haft_call *call);

/* Gives back what that has taken. */
void straight_release(haft_call *call);

/* ---- questions (question.c, input.c) ---- */

/* A question that a handler has put elsewhere; an answer that it had is none.  False when it cannot
 * be one. */
bool question_put(haft_call *call, const char *key, const char *method, yyjson_val *params);
/* An answer for the handler to find, in the place of one that is there.  False without memory. */
bool question_give(haft_call *call, yyjson_val *key, yyjson_val *answer);
/* What a retry brings along: answers and state.  False when it was refused and answered. */
bool input_restore(haft_call *call);
/* The handler has returned HAFT_AGAIN. */
void input_ask(haft_call *call);
/* The answer of a legacy client. */
void input_answer(struct owner *owner, const struct rpc_message *message);
/* Takes back what a legacy client has been asked and has not answered. */
void input_withdraw(haft_call *call, const char *reason);
/* Why a handler returned HAFT_ECAPABILITY. */
void input_refuse(haft_call *call);

/* ---- results (content.c, tool_call.c and others) ---- */

/* A text block of a tool's result, of text that is valid UTF-8. */
int content_put_text(haft_call *call, const char *text, size_t size);
/* The same of a block that is an object already. */
int content_put_block(haft_call *call, yyjson_val *block);

/* A member of the result's `_meta`: between the two, its JSON is put into the same buffer.  The end
 * gets what the begin returned, and takes away one of that key among those in the first `among`
 * bytes; or, when something went wrong, the new one, and returns what it was. */
size_t meta_begin(haft_buffer *meta, const char *key, size_t size);
int meta_end(haft_buffer *meta, size_t start, size_t among);

/* Members of a tool's or resource's result: content, structuredContent, isError. */
void complete_tool(haft_call *call);
int tool_check(haft_call *call);
/* Decodes the arguments and runs the handler, in the process that the call was carried to. */
int tool_execute(haft_call *call);
/* The handler, and the check of what it gives. */
int tool_handle(haft_call *call);
void put_cache_hints(haft_call *call, haft_buffer *out);
void complete_custom(haft_call *call);

#endif
