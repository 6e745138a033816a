/* haft/client.h - a client: of a server in the same process, for tests and examples, or of one behind
 * a transport.
 *
 *     haft_client *client = haft_client_new(server, NULL);
 *     haft_result result;
 *
 *     haft_client_call(client, "search", "{\"query\":\"mug\"}", &result);
 *     printf("%s\n", result.text);
 *     haft_client_free(client);
 *
 * Everything that is said is JSON text that goes through a haft_session, written and read on both
 * sides: a test sees what a client at the end of a wire would see.  Handlers run on the thread
 * that calls; there is no I/O, no thread and, unless one is given, no clock: time passes when it
 * is told to.  Handlers of isolated tools run in processes of their own, by the clock, while that
 * thread waits.
 *
 * haft_client_open makes the same client for a server somewhere else, at the other end of a
 * haft_transport; there, what is said of this process and its time does not apply.
 *
 * A client is one thread's.  What a result points to lives until the client's next request. */
#ifndef HAFT_CLIENT_H
#define HAFT_CLIENT_H

#include <haft/engine.h>
#include <haft/json.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haft_client haft_client;

/* Answers what the server asks in the middle of a call: `method` is elicitation/create,
 * sampling/createMessage or roots/list.  Writes the result, a JSON object, to `ret_result` and
 * returns 0; anything else refuses to answer.  Must not use the client. */
typedef int haft_client_answer(void *context, const char *method, haft_value *params,
                               haft_buffer *ret_result);

/* Gets every notification; params is NULL when there are none.  Must not use the client. */
typedef void haft_client_notified(void *context, const char *method, haft_value *params);

/* Sees every message as it goes by; `sent` by the client. */
typedef void haft_client_watch(void *context, bool sent, const char *text, size_t size);

/* Milliseconds.  It may sleep a little. */
typedef haft_time haft_client_clock(void *context);

/* Zero means the stated default. */
typedef struct haft_client_options {
    size_t struct_size;         /* its sizeof */
    const char *revision;       /* 2026-07-28.  An older one is agreed on by `initialize` */
    const char *name, *version; /* "client", "1.0.0" */
    const char *capabilities;   /* a JSON object: {}, or all that `answer` can be asked */
    /* Of the messages that the client wants: "debug", ...  By default it asks for none; a server
     * sends all of them to an older client that does not ask. */
    const char *log_level;
    const char *principal;      /* who the client is, for the server */
    haft_client_answer *answer; /* every question is refused */
    haft_client_notified *notify;
    haft_client_watch *watch;
    /* By default the client's own time, which stands still but for haft_client_advance and
     * haft_client_wait. */
    haft_client_clock *clock;
    void *context; /* of the functions above */
    bool progress; /* ask for progress with every request */
    /* How long a request waits for its answer: not at all in the same process, where it is there
     * already or late; 30 s behind a transport. */
    unsigned timeout_ms;
    const haft_allocator *allocator; /* malloc */
} haft_client_options;

/* A client of the server, which must outlive it.  NULL without memory, or when the revision is not
 * known or refused; every request of such a one is HAFT_EINVAL. */
haft_client *haft_client_new(haft_server *server, const haft_client_options *options);
void haft_client_free(haft_client *client);

/* A client of the server at the other end of the transport.  *ret_receiver is set before anything is
 * sent: it is what the transport calls, until `close`.  `principal` and `clock` of the options are not
 * used.  NULL, with the transport closed, as for haft_client_new, or when the server does not answer the
 * handshake of an older revision in time. */
haft_client *haft_client_open(const haft_transport *transport, const haft_client_options *options,
                              haft_receiver *ret_receiver);

/* How a request ended. */
typedef struct haft_result {
    bool is_error;             /* a tool's error, or an error of the protocol */
    int error_code;            /* of the protocol; 0 for none */
    const char *error_message; /* "" for none */
    haft_value *error_data;    /* NULL for none */
    /* The text in it, blocks separated by line ends; of an error its message. */
    const char *text;
    /* An array: a tool's blocks, a prompt's messages, what was read, listed or completed.  NULL for
     * none. */
    haft_value *content;
    haft_value *structured; /* a tool's structured content; NULL for none */
    haft_value *value;      /* the whole result; NULL after an error of the protocol */
} haft_result;

/* Each sends one request, answers what the server asks meanwhile, and returns 0 with *ret_result
 * filled in, whether it is an error or not; HAFT_PENDING when no answer has come yet
 * (haft_client_wait); HAFT_ECLOSED when none will, because the server is gone; or HAFT_ENOMEM,
 * HAFT_EINVAL (params that are no JSON object).  JSON that is
 * NULL is {}. */
int haft_client_call(haft_client *client, const char *tool, const char *arguments,
                     haft_result *ret_result);
int haft_client_read(haft_client *client, const char *uri, haft_result *ret_result);
int haft_client_get(haft_client *client, const char *prompt, const char *arguments,
                    haft_result *ret_result);

/* Values for an argument of a prompt, or for a variable of a template; `others` are those that are
 * filled in already, a JSON object of strings or NULL. */
int haft_client_complete(haft_client *client, haft_offer kind, const char *name,
                         const char *argument, const char *value, const char *others,
                         haft_result *ret_result);

/* All pages together. */
int haft_client_list(haft_client *client, haft_offer kind, haft_result *ret_result);

/* Any method. */
int haft_client_request(haft_client *client, const char *method, const char *params,
                        haft_result *ret_result);

/* ---- one step at a time ---- */

/* Sends a request and returns its id, from 1 up; HAFT_ENOMEM, HAFT_ECLOSED or HAFT_EINVAL. */
int64_t haft_client_send(haft_client *client, const char *method, const char *params);

/* The id of the latest request, for one that is pending. */
int64_t haft_client_latest(const haft_client *client);

/* The answer to a request, waiting at most so many milliseconds.  With the client's own time it
 * goes from one deadline to the next, in no time.  0, HAFT_PENDING, HAFT_ENOTFOUND for an id that
 * is not waited for, HAFT_ECLOSED, HAFT_ENOMEM, or HAFT_ETOOBIG when a message over the transport's
 * limit came instead. */
int haft_client_wait(haft_client *client, int64_t id, unsigned milliseconds,
                     haft_result *ret_result);

/* A notification.  0, HAFT_ENOMEM, HAFT_ECLOSED or HAFT_EINVAL. */
int haft_client_notify(haft_client *client, const char *method, const char *params);

/* Takes a request back: it will not be answered. */
int haft_client_cancel(haft_client *client, int64_t id);

#ifdef __cplusplus
}
#endif
#endif
