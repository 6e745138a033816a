/* client/request.h - requests of the client, from the program's function to their end. */
#ifndef HAFT_SRC_CLIENT_REQUEST_H
#define HAFT_SRC_CLIENT_REQUEST_H

#include <string.h>

#include "client/document.h"
#include "client/due.h"

enum client_request_state {
    REQUEST_QUEUED, /* waits for the negotiation or for others */
    REQUEST_TOOLS,  /* waits for the list of tools */
    REQUEST_SENT,
    REQUEST_ASKING, /* waits for answers of the program */
    REQUEST_TASK,   /* waits for the end of a task */
    REQUEST_ENDED
};

/* How a request differs from those of the program. */
enum {
    REQUEST_EARLY = 1,   /* of the negotiation: sent before it has ended */
    REQUEST_URGENT = 2,  /* sent at once, whatever else is in flight */
    REQUEST_ENDLESS = 4, /* has no deadline */
    REQUEST_TOOL = 8,    /* the arguments must be an object */
    /* what the program wants, and what has become of it */
    REQUEST_WANTS_TASK = 16, /* a task, if the tool permits it */
    REQUEST_AS_TASK = 32,    /* was sent with the wish for a task */
    REQUEST_RENEWED = 64,    /* was repeated in a new session; */
    REQUEST_RETRIED = 128    /* otherwise */
};

struct client_task;
struct client_request;

/* What other files do with requests that have become tasks, so that these do not depend on task.c. */
struct client_task_methods {
    /* Turns a request into the task that a result creates; `value` is the task. */
    void (*begin)(haft_client *client, struct client_request *request, struct document *document,
                  yyjson_val *value);
    /* A notification that may be about a task, or progress of a call that has become one. */
    void (*notified)(haft_client *client, const char *method, yyjson_val *params);
    /* The due of the request has expired. */
    void (*expire)(haft_client *client, struct client_request *request, haft_time now);
    /* Sends the answers that the program has given and that have not been sent. */
    void (*answer)(haft_client *client, struct client_request *request);
    /* Sends tasks/cancel, unless the task is not the client's. */
    int (*cancel)(haft_client *client, const struct client_request *request);
    /* The request ends: frees its task. */
    void (*drop)(haft_client *client, struct client_request *request);
};
extern const struct client_task_methods hf_client_task_methods;

/* Parameters that haft has written itself, for the revision of the server, so that they are sent as they are.
 * `_meta` is their last member.  It has the capabilities and the level of the log, if the revision has
 * them there, and no other member of the protocol. */
struct client_written {
    size_t members; /* where those before `_meta` end; 0: the program has written the parameters */
    size_t meta;    /* where those of `_meta` begin */
};

struct client_request {
    struct client_request *by_id, *by_wire; /* next in the bucket of a table */
    struct client_request *previous, *next; /* in the list of its state */
    int64_t id;                             /* id for the caller */
    int64_t wire_id;                        /* id of the latest round; 0 if nothing was sent */
    enum client_request_state state;
    unsigned flags, rounds, timeout_ms;
    bool held;     /* waits for a login */
    bool was_sent; /* its first id has been used */
    bool counted;  /* is one of those in flight */
    bool asking;   /* its questions are being put */
    struct due due;
    haft_time end; /* even with progress; without the time that the program has had questions */
    haft_client_done *done;
    haft_client_progress *progress;
    haft_client_task_begun *begun;
    void *context;
    struct client_task *task; /* what it has become; or NULL */
    haft_buffer text;         /* method and params, each with a NUL; of a failed one the reason */
    struct client_written written; /* where params can be sent as they are, until they are sent */
    struct document *round;        /* of the questions that are being answered */
    yyjson_val *asked;             /* the result that asks them */
    unsigned unanswered;
    struct document *answer;
    yyjson_val *message;
    int status, http_status;
};

struct client_requests {
    struct client_request **by_id, **by_wire; /* tables of `buckets` chains */
    size_t buckets, n;
    struct client_request *first, *last;             /* queued */
    struct client_request *first_tools, *last_tools; /* that wait for the list of tools */
    struct client_request *first_ended, *last_ended; /* to be reported */
    struct client_request *spare;
    unsigned n_spare, in_flight;
    const struct client_task_methods *tasks;
    bool flushing; /* hf_request_flush is at it, or must not be */
    int64_t next_id, latest;
};

/* A request that has not been sent; NULL without memory. */
struct client_request *hf_request_make(haft_client *client, const haft_client_exchange *exchange,
                                       unsigned flags);
/* Begins a request: sends it, or queues it.  Returns its id or an error. */
int64_t hf_request_begin(haft_client *client, const haft_client_exchange *exchange, unsigned flags);
/* The same with parameters that haft has written. */
int64_t hf_request_begin_written(haft_client *client, const haft_client_exchange *exchange,
                                 unsigned flags, struct client_written written);
/* Sends it (again), with a new id; 0 or an error, and then it has not changed. */
int hf_request_send(haft_client *client, struct client_request *request,
                    const haft_buffer *responses, const yyjson_val *state);
/* Sends a request that had been sent once more, when that is possible. */
void hf_request_repeat(haft_client *client, struct client_request *request);
/* Sends what waited, as far as there is room. */
void hf_request_flush(haft_client *client);
/* Those that waited for the list of tools can be sent. */
void hf_request_tools_known(haft_client *client);

/* Ends a request with a response, or with an error. */
void hf_request_answer(haft_client *client, struct client_request *request,
                       struct document *document, yyjson_val *message);
void hf_request_fail(haft_client *client, struct client_request *request, int status,
                     int http_status, const char *format, ...) HAFT_PRINTF_(5, 6);
/* Fails all that are not of the flags; those that were sent, or all. */
void hf_request_fail_all(haft_client *client, bool sent, int status, const char *text);
/* Tells the server, and fails it. */
int hf_request_cancel(haft_client *client, struct client_request *request, int status,
                      const char *reason);
/* The time does not run while it is held. */
void hf_request_hold(haft_client *client, struct client_request *request, bool held);
/* Begins the time for an answer again. */
void hf_request_restart(haft_client *client, struct client_request *request);

/* Copies the outcome of one that has ended to *ret_result, and frees it.  The caller gets the
 * document. */
int hf_request_take(haft_client *client, struct client_request *request, haft_result *ret_result,
                    struct document **ret_document);
/* Reports one that has ended; false if there is none. */
bool hf_request_report(haft_client *client);

/* ---- request_table.c ---- */

/* A request with an id; NULL without memory. */
struct client_request *hf_request_new(haft_client *client);
/* Changes the id of its latest round; 0 for none. */
void hf_request_set_wire(haft_client *client, struct client_request *request, int64_t wire_id);
/* Takes it out of everything but the table of ids. */
void hf_request_detach(haft_client *client, struct client_request *request);
void hf_request_forget(haft_client *client, struct client_request *request);
void hf_requests_finish(haft_client *client);
struct client_request *hf_request_find(const haft_client *client, int64_t id);
/* By the id of its latest round. */
struct client_request *hf_request_on_wire(const haft_client *client, int64_t wire_id);

static inline const char *request_params(const struct client_request *request)
{
    return request->text.data + strlen(request->text.data) + 1;
}

#endif
