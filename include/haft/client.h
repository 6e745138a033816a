/* haft/client.h - a client: it uses the tools, resources and prompts of a server.
 *
 * The server is in the same process (haft_client_new, here), or somewhere else: haft_client_connect
 * of haft/connect.h starts a program, or connects to a URL.  The functions below are the same for
 * all of them.
 *
 *     haft_client *client = haft_client_new(server, NULL);
 *     haft_result result;
 *
 *     haft_client_call(client, "search", "{\"query\":\"mug\"}", &result);
 *     printf("%s\n", result.text);
 *     haft_client_free(client);
 *
 * In the same process, all messages are JSON text that goes through a haft_session, written and
 * parsed on both sides, so a test sees what a remote client would see.  Handlers run on the calling
 * thread.  There is no I/O, no thread and, unless the options have one, no clock: time passes when
 * the program says so.  Handlers of isolated tools run in processes of their own, in real time,
 * while the calling thread waits.
 *
 * haft_client_open makes the same client for a server at the other end of a haft_transport.
 *
 * A client belongs to one thread, and calls its callbacks there.  Callbacks may use the client unless
 * their description forbids it, and may free it; functions that wait return HAFT_PENDING in them.  What
 * a result points to lives until the client's next request or, in a callback, until the callback
 * returns. */
#ifndef HAFT_CLIENT_H
#define HAFT_CLIENT_H

#include <haft/engine.h>
#include <haft/json.h>
#include <haft/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A client. */
typedef struct haft_client haft_client;

/* Answers a question of the server during a call.  `method` is elicitation/create,
 * sampling/createMessage or roots/list.  The function writes the result, a JSON object, to
 * `ret_result` and returns 0; any other value refuses to answer.  It must not use the client. */
typedef int haft_client_answer(void *context, const char *method, haft_value *params,
                               haft_buffer *ret_result);

/* A question of the server that has not been answered. */
typedef struct haft_question haft_question;

/* Receives a question of the server, with a request or not.  The function answers it with one of
 * the haft_question functions below, at once or later, on the client's thread.  It returns 0, or
 * any other value to refuse to answer.  It may use the client, except for functions that wait. */
typedef int haft_client_ask(void *context, haft_question *question);

/* Receives a notification; params is NULL if there are none.  It must not use the client. */
typedef void haft_client_notified(void *context, const char *method, haft_value *params);

/* Sees every message; `sent` is true for messages of the client.  It must not use the client. */
typedef void haft_client_watch(void *context, bool sent, const char *text, size_t size);

/* Reports that the server is gone: all requests and subscriptions have ended, and the client can only
 * be freed.  Called once at most, also if no request waits, after the requests have been reported; not
 * if the program frees the client, or if the server was never there.  haft_client_error has the
 * reason.  A client over HTTP connects again, and is not lost. */
typedef void haft_client_lost(void *context, haft_client *client, int status);

/* Returns the time in milliseconds.  It may sleep briefly. */
typedef haft_time haft_client_clock(void *context);

/* Options of a client.  Zero means the default in each description.  Strings are copied. */
typedef struct haft_client_options {
    size_t struct_size; /* set by HAFT_INIT or HAFT_WITH */
    /* 2026-07-28 in the same process and behind a transport, where older ones are negotiated by
     * `initialize`; with haft_client_connect the newest that the server supports. */
    const char *revision;
    const char *name, *version; /* "client", "1.0.0" */
    const char *capabilities;   /* JSON object: {}, or everything that `answer` can be asked */
    /* Minimum level of log messages, such as "debug".  By default the client does not ask for any;
     * a server sends all of them to a client of an older revision that does not ask. */
    const char *log_level;
    const char *principal;        /* identity of the client, for the server */
    haft_client_answer *answer;   /* answers questions of the server; NULL refuses them */
    haft_client_notified *notify; /* receives notifications; may be NULL */
    haft_client_watch *watch;     /* sees all messages; may be NULL */
    /* Clock of the client.  By default the client has its own time, which advances only with
     * haft_client_advance and haft_client_wait. */
    haft_client_clock *clock;
    void *context; /* first argument of the functions above */
    bool progress; /* ask for progress with every request */
    /* How long a request waits for its answer: 0 in the same process, where the answer is there at
     * once or comes later; 30 s behind a transport.  Progress starts it again. */
    unsigned timeout_ms;
    const haft_allocator *allocator; /* malloc */
    /* Answers questions of the server, perhaps later; used instead of `answer`. */
    haft_client_ask *ask;
    unsigned max_ms; /* time for a request with progress: 600,000 */
    /* Requests at a time: 32, or any number in the same process; further ones wait, within their
     * timeout. */
    unsigned max_in_flight;
    unsigned max_rounds;  /* rounds of questions of one request: 16 */
    unsigned max_pages;   /* pages of a list: 64 */
    size_t max_message;   /* bytes of a message of the server: 64 MiB */
    bool manual_rounds;   /* a result that asks for input is returned as it is */
    bool no_cache;        /* do not keep lists for as long as the server permits */
    bool check_arguments; /* check arguments of a tool against its schema before they are sent */
    bool check_results;   /* check structured content against the tool's output schema */
    /* What haft_client_discovery returned for this server before: the client does not ask again
     * which revision the server supports. */
    const char *discovery;
    haft_client_lost *lost; /* receives the end of the server; may be NULL */
    /* More about the client, for a server in the same process: haft/access.h.  `principal` is not used
     * then. */
    const struct haft_identity *identity;
    /* A call that the server answers with a task is returned as it is: haft_result_task.  By default
     * the client waits for the end of the task. */
    bool manual_tasks;
    bool no_tasks; /* do not offer the server to answer calls with tasks */
    /* How long a call waits for its task, after which it cancels it: until the server's time to live of
     * the task has passed, but at most 24 hours. */
    unsigned task_timeout_ms;
} haft_client_options;

/* Creates a client of a server, which must outlive it, and frees a client. options may be NULL.
 * haft_client_new returns NULL if memory runs out or the revision is unknown or refused; requests
 * with a NULL client return HAFT_EINVAL. haft_client_free accepts NULL. */
haft_client *haft_client_new(haft_server *server, const haft_client_options *options);
void haft_client_free(haft_client *client);

/* Creates a client of the server at the other end of a transport.  *ret_receiver is set before the
 * first message is sent: the transport calls its functions until `close`.  `principal` and `clock`
 * of the options are not used.  Returns NULL, with the transport closed, for the reasons of
 * haft_client_new, or if the server does not answer the handshake of an older revision in time. */
haft_client *haft_client_open(const haft_transport *transport, const haft_client_options *options,
                              haft_receiver *ret_receiver);

/* The outcome of a request. */
typedef struct haft_result {
    bool is_error;             /* whether it is an error of the tool or of the protocol */
    int error_code;            /* code of a protocol error; otherwise 0 */
    const char *error_message; /* message of a protocol error; otherwise "" */
    haft_value *error_data;    /* data of a protocol error; otherwise NULL */
    /* Text of all text blocks, separated by line ends; the message of a protocol error. */
    const char *text;
    /* Array of a tool's blocks, a prompt's messages, or of what was read, listed or completed.
     * NULL for none. */
    haft_value *content;
    haft_value *structured; /* structured content of a tool; NULL for none */
    haft_value *value;      /* complete result; NULL after a protocol error */
} haft_result;

/* Call a tool, read a resource or get a prompt.  Each sends one request, answers questions of the
 * server, and returns 0 with *ret_result filled in, also if the result is an error.  JSON that is
 * NULL means {}.  Returns HAFT_PENDING if no answer has arrived yet (haft_client_wait), which
 * happens only without a timeout or without a function to wait, in a callback, or if `ask` has kept
 * a question, which the program must answer first; HAFT_ETIMEOUT; HAFT_ECLOSED if the
 * server is gone; HAFT_EDENIED if it refuses access; HAFT_EPROTOCOL if its answer is not valid;
 * HAFT_ETOOBIG; HAFT_EINVAL if the arguments are not a JSON object; or HAFT_ENOMEM.
 * haft_client_error has the reason. */
int haft_client_call(haft_client *client, const char *tool, const char *arguments,
                     haft_result *ret_result);
int haft_client_read(haft_client *client, const char *uri, haft_result *ret_result);
int haft_client_get(haft_client *client, const char *prompt, const char *arguments,
                    haft_result *ret_result);

/* Asks for values for an argument of a prompt, or for a variable of a template.  `others` is a JSON
 * object of strings with the arguments that are already known, or NULL.  Returns as
 * haft_client_call. */
int haft_client_complete(haft_client *client, haft_offer kind, const char *name,
                         const char *argument, const char *value, const char *others,
                         haft_result *ret_result);

/* Lists everything of a kind; all pages are combined.  A list that the client may keep is not
 * requested again in that time, unless it reports a change.  Returns as haft_client_call. */
int haft_client_list(haft_client *client, haft_offer kind, haft_result *ret_result);

/* Returns why the latest list of tools does not have a tool that the server lists, and sets *ret_tool
 * to its name; NULL if there are no more than `index` of them.  Over HTTP a tool is left out whose
 * `x-mcp-header` is invalid.  The strings live until the list is fetched again. */
const char *haft_client_skipped(const haft_client *client, size_t index, const char **ret_tool);

/* Sends a request of any method.  Returns as haft_client_call. */
int haft_client_request(haft_client *client, const char *method, const char *params,
                        haft_result *ret_result);

/* ---- one step at a time ---- */

/* Sends a request without waiting.  Returns its id, which is positive, or HAFT_ENOMEM, HAFT_ECLOSED
 * or HAFT_EINVAL. */
int64_t haft_client_send(haft_client *client, const char *method, const char *params);

/* Returns the id of the latest request, for one that returned HAFT_PENDING. */
int64_t haft_client_latest(const haft_client *client);

/* Waits at most that many milliseconds for the answer to a request.  With the client's own time it
 * advances from one deadline to the next without delay.  Returns 0 with *ret_result filled in;
 * HAFT_PENDING; HAFT_ENOTFOUND if no request with this id is waiting, which includes one that has
 * been reported to its callback; or an error as haft_client_call. */
int haft_client_wait(haft_client *client, int64_t id, unsigned milliseconds,
                     haft_result *ret_result);

/* Receives messages for that many milliseconds, and calls the callbacks below.  For clients that have
 * no loop of the program.  Returns 0; HAFT_PENDING if the transport cannot wait; HAFT_ECLOSED; or
 * HAFT_EINVAL. */
int haft_client_run(haft_client *client, unsigned milliseconds);

/* ---- callbacks ---- */

/* Reports how a request ended: status is 0 with a result, which may be an error of the server, or
 * HAFT_ECANCELLED or an error as of haft_client_call, with NULL; haft_client_error has the reason.
 * Called exactly once, also if the client is freed. */
typedef void haft_client_done(void *context, haft_client *client, int status,
                              const haft_result *result);

/* Reports progress of a request.  total is 0 if it is unknown; message is "" if there is none. */
typedef void haft_client_progress(void *context, double progress, double total,
                                  const char *message);

/* Reports that a request has become a task, with the id of the task and what the server says about
 * it, a JSON object; they live until the function returns.  A program that keeps the id can return to
 * the task later, also in another process: haft_client_task_wait. */
typedef void haft_client_task_begun(void *context, haft_client *client, const char *task,
                                    haft_value *value);

/* A request whose result goes to a callback.  Zero means the default in each description. */
typedef struct haft_client_exchange {
    size_t struct_size;             /* set by HAFT_INIT or HAFT_WITH */
    const char *method, *params;    /* any method with its parameters, a JSON object; */
    const char *tool, *arguments;   /* or a tool, as for haft_client_call */
    unsigned timeout_ms;            /* timeout_ms of the client */
    haft_client_done *done;         /* NULL: haft_client_wait returns the result */
    haft_client_progress *progress; /* NULL does not request progress */
    void *context;                  /* first argument of the callbacks */
    /* Instead of a method or a tool: the id of a task whose end is awaited, as by
     * haft_client_task_wait. */
    const char *task;
    /* Ask a server of 2025-11-25 for a task, if the tool permits it.  A newer server decides by
     * itself. */
    bool as_task;
    haft_client_task_begun *begun; /* NULL: the program need not know */
} haft_client_exchange;

/* Sends a request without waiting, as haft_client_send does.  `done` is not called before it
 * returns. */
int64_t haft_client_begin(haft_client *client, const haft_client_exchange *exchange);

/* Fetches a list, as haft_client_list, without waiting.  `done` gets it, once, not before the function
 * returns; also if the client is freed.  Returns 0, HAFT_ENOMEM, HAFT_ECLOSED or HAFT_EINVAL. */
int haft_client_list_begin(haft_client *client, haft_offer kind, haft_client_done *done,
                           void *context);

/* Sends a notification.  Returns 0, HAFT_ENOMEM, HAFT_ECLOSED or HAFT_EINVAL. */
int haft_client_notify(haft_client *client, const char *method, const char *params);

/* Cancels a request: it will not be answered, and its callback gets HAFT_ECANCELLED.  Returns 0, HAFT_ENOTFOUND if no request with this id
 * is waiting, HAFT_ENOMEM or HAFT_ECLOSED. */
int haft_client_cancel(haft_client *client, int64_t id);

/* ---- tasks ---- */

/* A server may answer a call with a task: the call goes on, and the client asks for its state now and
 * then.  By default the client does that until the task has ended, puts the questions of the task to
 * `ask` or `answer`, reports its status as progress, and returns the result of the tool as if there were
 * no task.  The request fails with HAFT_ECANCELLED if somebody has cancelled the task, and with
 * HAFT_ETIMEOUT after task_timeout_ms.  A question that the program refuses ends the request with the
 * task as its result, as with manual_tasks.  haft_client_cancel cancels the task; haft_client_free leaves
 * it running.
 *
 * With manual_tasks, or with an id of an earlier time, the functions below work with a task. */

/* Return the id of the task that a result is about, and its status: "working", "input_required",
 * "completed", "failed" or "cancelled"; NULL if the result is not a task.  result->value has the other
 * members.  They live as long as the result. */
const char *haft_result_task(const haft_result *result);
const char *haft_result_task_status(const haft_result *result);

/* Ask for the state of a task, answer its questions, or cancel it.  `responses` is a JSON object with an
 * answer for each key of the task's `inputRequests`, or for some of them.  The result of
 * haft_client_task_get is the task.  Cancelling is a wish: the task may still complete.  Return as
 * haft_client_call; a task that the server does not know, or no longer knows, is an error of the protocol
 * with the code -32602.  Without waiting: haft_client_begin with the methods tasks/get, tasks/update and
 * tasks/cancel. */
int haft_client_task_get(haft_client *client, const char *task, haft_result *ret_result);
int haft_client_task_update(haft_client *client, const char *task, const char *responses,
                            haft_result *ret_result);
int haft_client_task_cancel(haft_client *client, const char *task, haft_result *ret_result);

/* Waits for the end of a task, with questions and progress, and returns the result of the tool, as
 * haft_client_call.  A task that does not end in time is not cancelled, nor is it by
 * haft_client_cancel.  Without waiting: haft_client_begin with `task`.  HAFT_EINVAL if the client knows no
 * time. */
int haft_client_task_wait(haft_client *client, const char *task, haft_result *ret_result);

/* ---- declared types ---- */

/* Calls a tool with arguments of a declared C type, and decodes its structured content into another
 * one.  *ret_value is set, and lives as long as the result, if the function returns 0 and
 * ret_result->is_error is false.  `arguments` and `ret_value` may be NULL.  Returns as
 * haft_client_call; HAFT_EINVAL if the arguments do not match `in`; or HAFT_EPROTOCOL if there is no
 * structured content or it does not match `out`. */
int haft_client_call_typed(haft_client *client, const char *tool, const haft_schema *in,
                           const void *arguments, const haft_schema *out, void *ret_value,
                           haft_result *ret_result);

/* ---- questions of the server ---- */

/* elicitation/create, sampling/createMessage or roots/list, and its parameters, which live until
 * the question is answered; NULL if there are none. */
const char *haft_question_method(const haft_question *question);
haft_value *haft_question_params(const haft_question *question);

/* Answer a question, once: haft_question_accept with the content of a form, a JSON object, or NULL
 * for its default values; haft_question_decline and haft_question_cancel a form or a URL;
 * haft_question_answer any question, with the complete result; haft_question_refuse with an error.
 * Return 0 and end the question; HAFT_EINVAL if the content does not match the form, with the
 * question still open; HAFT_ECLOSED if the request or the client has ended meanwhile, which ends the
 * question; or HAFT_ENOMEM, with the question still open.  A question that `ask` has kept must be
 * answered in any case, also after haft_client_free, because that frees it. */
int haft_question_accept(haft_question *question, const char *content);
int haft_question_decline(haft_question *question);
int haft_question_cancel(haft_question *question);
int haft_question_answer(haft_question *question, const char *result);
int haft_question_refuse(haft_question *question, int code, const char *message);

/* Appends an object with a value for each member of a form: its default or, if it is required and
 * has none, the first value that its schema permits.  Returns 0, HAFT_ETOOBIG if the form has more
 * than 1,000 members, or an error of the buffer. */
int haft_question_defaults(const haft_question *question, haft_buffer *ret_content);

/* ---- subscriptions ---- */

/* What a subscription is about. */
typedef struct haft_topics {
    size_t struct_size;             /* set by HAFT_INIT or HAFT_WITH */
    bool tools, resources, prompts; /* changes of these lists */
    /* URIs of resources whose changes are reported, NULL-terminated; may be NULL */
    const char *const *uris;
    /* Called once with the context of the subscription, possibly before haft_client_subscribe
     * returns: without an error when the server has accepted the subscription, with the server's
     * error if it refuses it, or with a status if an older server did not answer.  Changes before
     * that may go unreported.  The value is what a server of 2026-07-28 has agreed to send.  May be
     * NULL. */
    haft_client_done *answered;
} haft_topics;

/* Reports a change: of a list, with uri NULL, or of the resource with that URI.  After a lost
 * connection was renewed, everything is reported once.  The client has already dropped what it
 * kept of the list. */
typedef void haft_client_changed(void *context, haft_client *client, haft_offer kind,
                                 const char *uri);

/* A subscription. */
typedef struct haft_subscription haft_subscription;

/* Subscribes to changes until haft_subscription_free or the end of the client.  Older servers are
 * asked with resources/subscribe, and send changes of lists without being asked.  Returns NULL if
 * memory runs out or the server offers none of the topics. */
haft_subscription *haft_client_subscribe(haft_client *client, const haft_topics *topics,
                                         haft_client_changed *changed, void *context);
void haft_subscription_free(haft_subscription *subscription);

/* ---- about the server ---- */

/* The revision in use, and what the server has said about itself; NULL if it has not.  They live until
 * the client begins another session, which it may do by itself in any of its functions when a server
 * has forgotten the session. */
const char *haft_client_revision(const haft_client *client);
haft_value *haft_client_server_info(const haft_client *client);
haft_value *haft_client_capabilities(const haft_client *client);
const char *haft_client_instructions(const haft_client *client);

/* Appends what the client knows about the server, as JSON, for haft_client_options.discovery.
 * Returns 0, HAFT_EINVAL before the revision is known, or an error of the buffer. */
int haft_client_discovery(const haft_client *client, haft_buffer *ret_text);

/* Describes why the latest request failed, in words on one line and with the HTTP status if there is
 * one (0 otherwise); in a callback, the request that it reports.  Never contains secrets. */
const char *haft_client_error(const haft_client *client, int *ret_http_status);

#ifdef __cplusplus
}
#endif
#endif
