/* client/client.h - the state of a client, and what its files use of each other.
 *
 * All callbacks of the program, except `watch`, come from one place: hf_client_pump, which processes received
 * messages and then reports requests that have ended.  So no function of the client is interrupted
 * by a callback, and a callback may end the client: what it consists of is freed by the outermost
 * hf_client_leave. */
#ifndef HAFT_SRC_CLIENT_H
#define HAFT_SRC_CLIENT_H

#include <haft/client.h>

#include "client/document.h"
#include "client/due.h"
#include "client/list.h"
#include "client/negotiate.h"
#include "client/request.h"
#include "engine/session/session.h"
#include "protocol/meta.h"

enum { CLIENT_ERROR_TEXT = 512, CLIENT_ANSWER_LIMIT = 16 << 20 };

/* Questions of the server that have not been answered. */
struct client_questions {
    struct haft_question *first, *last;
    unsigned open;      /* those that the program has */
    haft_time since;    /* when the first of these was put */
    haft_time total;    /* how long there were such ones before that */
    haft_time answered; /* when one was last answered */
};

struct haft_client {
    haft_client_options options; /* their strings are behind the struct */
    size_t size;                 /* with these */
    const haft_allocator *allocator;
    haft_transport transport;
    haft_session *session; /* session of memory.c; NULL with another transport */
    enum revision revision;
    struct documents documents; /* received messages */
    struct dues dues;
    struct client_requests requests;
    struct negotiation negotiation;
    struct lists lists;
    struct subscriptions *subscriptions; /* NULL before the first */
    struct client_questions questions;
    struct document *results; /* the latest result of a function that waits */
    haft_arena *scratch;      /* for the message being written */
    haft_buffer out, params;  /* the message being written, its parameters */
    haft_time now;            /* memory.c: the time */
    size_t strays;
    unsigned depth; /* functions that are using it */
    int sent;       /* memory.c: the session's status for the latest message */
    int http_status;
    unsigned explained; /* how often `error` was set */
    void (*destroy)(haft_client *client);
    bool busy;    /* messages are being processed, or a callback sees one */
    bool waiting; /* the transport waits, and may call the program */
    bool closed;  /* the server has disconnected, */
    bool lost;    /* which the program has not been told */
    bool ending;  /* it will be freed */
    char error[CLIENT_ERROR_TEXT];
};

/* ---- client.c ---- */

/* How src/connect creates a client. */
struct client_start {
    bool probe; /* ask the server for its revisions, unless the options name one */
    /* Called once, from hf_client_pump, when the negotiation has ended.  May be NULL. */
    void (*ready)(void *context, haft_client *client, int status);
    void *context;
};

/* Creates a client, and begins to negotiate; sends its first message.  Returns NULL, with the
 * transport closed, if memory runs out or the options are invalid. */
haft_client *hf_client_start(const haft_transport *transport, const haft_client_options *options,
                             const struct client_start *start, haft_receiver *ret_receiver,
                             haft_reason *reterr_reason);

/* Waits until the negotiation has ended.  Returns its status; haft_client_error has the reason. */
int hf_client_settle(haft_client *client);
/* Checks the revision and the capabilities. Returns 0, or an error with the reason. */
int hf_client_options_check(const haft_client_options *options, haft_reason *reterr_reason);

/* Ends all requests with HAFT_ECANCELLED, and then the client: at once or, in a callback, when the
 * outermost function of the client returns.  `close` of the transport is called then. */
void hf_client_end(haft_client *client);

/* Whether each request of this client has a separate connection, with headers. */
static inline bool client_has_headers(const haft_client *client)
{
    return client->transport.let_go;
}

static inline bool client_is_modern(const haft_client *client)
{
    return hf_revision_rows[client->revision].modern;
}

/* ---- life.c ---- */

/* Brackets whatever may call the program.  hf_client_leave returns false if the client is gone. */
void hf_client_enter(haft_client *client);
bool hf_client_leave(haft_client *client);

/* Sets the text of haft_client_error, or none. */
static inline void client_explain_nothing(haft_client *client)
{
    client->error[0] = '\0';
    client->http_status = 0;
}

void hf_client_explain(haft_client *client, int http_status, const char *format, ...)
    HAFT_PRINTF_(3, 4);

/* For a function of the program: returns 0 if `missing`, the name of an argument that is NULL, is NULL,
 * and HAFT_EINVAL with the reason otherwise; also without a client. */
int hf_client_needs(haft_client *client, const char *function, const char *missing);

/* Explains why the text is not a JSON object, and returns HAFT_EINVAL; 0 if it is one. */
int hf_client_refuse_json(haft_client *client, const char *subject, const char *what,
                          const char *text);

/* Calls `watch` of the options. */
void hf_client_show(haft_client *client, bool sent, const char *text, size_t size);

/* ---- inbox.c ---- */

/* Queues a received message. */
void hf_client_keep(haft_client *client, const char *text, size_t size, void *tag);
/* Processes all received messages, and reports requests that have ended. */
void hf_client_pump(haft_client *client);
/* In `notify` and `ask`: the id of the request whose connection the message came with; 0 if all requests
 * have the same. */
int64_t hf_client_cause(const haft_client *client);
haft_receiver hf_client_receiver(haft_client *client);

/* ---- wait.c ---- */

/* Lets the transport wait, and processes what came. Returns the time. */
haft_time hf_client_let_pass(haft_client *client, unsigned milliseconds);
/* Waits until the function returns true or, if that is limited, the time is over; otherwise until
 * the program must answer a question first.  In a callback it does not wait.  Returns whether the
 * function did. */
bool hf_client_wait_for(haft_client *client, bool (*is_done)(const haft_client *, const void *),
                        const void *context, unsigned milliseconds, bool limited);

/* As haft_client_begin, with parameters that haft has written itself (hf_request_begin_written). */
int64_t hf_client_begin_written(haft_client *client, const haft_client_exchange *exchange,
                                struct client_written written);

/* Begins a request, and waits until it has ended. */
int hf_client_exchange(haft_client *client, const haft_client_exchange *exchange,
                       haft_result *ret_result);

/* ---- outgoing.c ---- */

/* Writes its name and version as the next value. */
void hf_client_put_info(const haft_client *client, struct json_writer *w);
/* The capabilities that it declares, as JSON. */
const char *hf_client_capabilities(const haft_client *client);
/* Parses parameters into client->scratch; NULL with *ret_status set if they are not an object. */
yyjson_val *hf_outgoing_params(haft_client *client, const char *params, int *ret_status);
/* Writes a request to client->out, and sends it.  `responses` and `state` are for a further round,
 * or NULL; `mirrors` has n_mirrors additional headers. */
int hf_outgoing_request(haft_client *client, const struct client_request *request,
                        yyjson_val *params, const haft_buffer *responses, const yyjson_val *state,
                        const haft_header *mirrors, size_t n_mirrors);
/* Sends a notification; params may be NULL. */
int hf_outgoing_notification(haft_client *client, const char *method, yyjson_val *params);
/* Tells the server that the client does not wait for a request any more. */
int hf_outgoing_cancel(haft_client *client, const struct client_request *request,
                       const char *reason);
/* Sends client->out. */
int hf_client_deliver(haft_client *client, haft_outgoing_kind kind);

/* ---- memory.c ---- */

/* Creates the session, and the transport to it. Returns false without memory. */
bool hf_memory_open(haft_client *client, haft_server *server, enum revision revision);
/* Advances the client's simulated time. */
void hf_memory_advance(haft_client *client, unsigned milliseconds);

/* ---- question.c ---- */

/* For how long the program has had a question, up to now. */
haft_time hf_question_time(const haft_client *client, haft_time now);

/* Puts a request of a legacy server to the program, or answers it. */
void hf_question_take(haft_client *client, struct document *document, yyjson_val *message);
/* The server takes a question back. */
void hf_question_cancelled(haft_client *client, const yyjson_val *id);
/* Ends the questions of a request that has ended; all of them if it is NULL. */
void hf_question_drop(haft_client *client, const struct client_request *request);

/* ---- round.c ---- */

/* Puts the questions of a result that requires input to the program.  Returns false if the result
 * is for the caller of the request. */
bool hf_round_begin(haft_client *client, struct client_request *request, struct document *document,
                    yyjson_val *result);
/* ---- entry.c ---- */

/* Appends an object with a value for each member of a form. */
int hf_entry_defaults(yyjson_val *schema, haft_buffer *out);
/* Checks the content of a form.  Returns 0, HAFT_EINVAL with the reason, or HAFT_ENOMEM. */
int hf_entry_check(yyjson_val *schema, yyjson_val *content, haft_arena *arena,
                   const haft_allocator *allocator, haft_reason *reterr_reason);

/* ---- subscribe.c ---- */

/* A notification of the server that may be about a subscription. */
void hf_subscribe_notified(haft_client *client, const char *method, yyjson_val *params);
/* A session has begun, `again` or for the first time: subscribes to everything. */
void hf_subscribe_renew(haft_client *client, bool again);
/* If the session is gone, begins another one later, for the subscriptions. */
void hf_subscribe_revive(haft_client *client);
/* Reports everything that may have changed meanwhile; false if there is nothing to report. */
bool hf_subscribe_report(haft_client *client);
void hf_subscribe_finish(haft_client *client);

/* ---- call.c ---- */

/* Returns 0, or HAFT_EINVAL with the reason if a task cannot have that id, or if it cannot be awaited. */
int hf_client_task_check(haft_client *client, const char *function, const char *task);

/* ---- result.c ---- */

/* Takes a response apart; *ret_result lives in the document.  Returns 0 or HAFT_ENOMEM. */
int hf_result_read(struct document *document, yyjson_val *message, haft_result *ret_result);

#endif
