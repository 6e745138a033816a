/* haft/client.h - a client of a server in the same process, for tests and examples, or of a server
 * behind a transport.
 *
 *     haft_client *client = haft_client_new(server, NULL);
 *     haft_result result;
 *
 *     haft_client_call(client, "search", "{\"query\":\"mug\"}", &result);
 *     printf("%s\n", result.text);
 *     haft_client_free(client);
 *
 * All messages are JSON text that goes through a haft_session, written and parsed on both sides, so
 * a test sees what a remote client would see.  Handlers run on the calling thread.  There is no
 * I/O, no thread and, unless the options have one, no clock: time passes when the program says so.
 * Handlers of isolated tools run in processes of their own, in real time, while the calling thread
 * waits.
 *
 * haft_client_open makes the same client for a server at the other end of a haft_transport.  What
 * this page says about the process and its time does not apply to it.
 *
 * A client belongs to one thread.  What a result points to lives until the client's next
 * request. */
#ifndef HAFT_CLIENT_H
#define HAFT_CLIENT_H

#include <haft/engine.h>
#include <haft/json.h>

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

/* Receives a notification; params is NULL if there are none.  It must not use the client. */
typedef void haft_client_notified(void *context, const char *method, haft_value *params);

/* Sees every message; `sent` is true for messages of the client. */
typedef void haft_client_watch(void *context, bool sent, const char *text, size_t size);

/* Returns the time in milliseconds.  It may sleep briefly. */
typedef haft_time haft_client_clock(void *context);

/* Options of a client.  Zero means the default in each description. */
typedef struct haft_client_options {
    size_t struct_size;         /* set by HAFT_INIT or HAFT_WITH */
    const char *revision;       /* 2026-07-28. Older ones are negotiated by `initialize` */
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
     * once or comes later; 30 s behind a transport. */
    unsigned timeout_ms;
    const haft_allocator *allocator; /* malloc */
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
 * NULL means {}.  Returns HAFT_PENDING if no answer has arrived yet (haft_client_wait);
 * HAFT_ECLOSED if the server is gone; HAFT_EINVAL if the arguments are not a JSON object; or
 * HAFT_ENOMEM. */
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

/* Lists everything of a kind; all pages are combined.  Returns as haft_client_call. */
int haft_client_list(haft_client *client, haft_offer kind, haft_result *ret_result);

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
 * HAFT_PENDING; HAFT_ENOTFOUND if no request with this id is waiting; HAFT_ECLOSED; HAFT_ENOMEM; or
 * HAFT_ETOOBIG if a message over the transport's limit came instead. */
int haft_client_wait(haft_client *client, int64_t id, unsigned milliseconds,
                     haft_result *ret_result);

/* Sends a notification.  Returns 0, HAFT_ENOMEM, HAFT_ECLOSED or HAFT_EINVAL. */
int haft_client_notify(haft_client *client, const char *method, const char *params);

/* Cancels a request: it will not be answered.  Returns 0, HAFT_ENOTFOUND if no request with this id
 * is waiting, HAFT_ENOMEM or HAFT_ECLOSED. */
int haft_client_cancel(haft_client *client, int64_t id);

#ifdef __cplusplus
}
#endif
#endif
