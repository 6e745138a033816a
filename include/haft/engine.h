/* haft/engine.h - the protocol without I/O: messages in, messages out, time passed in.
 *
 * A session is one peer: a pipe, a socket, a test.  Whoever owns it gives it every message that
 * comes and sends every message that it hands out; nothing in it reads, writes, waits or looks at a
 * clock.  A session belongs to one thread at a time.  Several sessions may share a server.
 *
 *     haft_transport lines = HAFT_INIT(haft_transport, .send = write_line);
 *     haft_session *session = haft_session_new(server, HAFT_WITH(haft_session_options, .transport = &lines));
 *
 *     while (read_line(&line))
 *         haft_session_receive(session, line.text, line.size, NULL, now());
 *     haft_session_free(session); */
#ifndef HAFT_ENGINE_H
#define HAFT_ENGINE_H

#include <haft/transport.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haft_session haft_session;

typedef struct haft_session_options {
    size_t struct_size;              /* its sizeof */
    const haft_transport *transport; /* `send` at least */
    const haft_loop *loop;           /* NULL: handlers run where messages are received */
    const char *revision;  /* for messages of a client that has not said which: 2025-11-25 */
    const char *principal; /* who the client is, when that is known: seals are bound to it */
    /* The client's address, "192.0.2.7", where clients have one: sessions of one address share the
     * rates that it is allowed.  NULL: each session has its own. */
    const char *peer;
    bool modern; /* every request must describe itself, as 2026-07-28 has it */
    bool shared; /* the messages of many clients come here: their ids may be the same, and
                    nothing is remembered from one to the next */
} haft_session_options;

/* NULL without memory. */
haft_session *haft_session_new(haft_server *server, const haft_session_options *options);

/* Cancels what is in flight.  While other threads still run calls the session lives on in silence,
 * and is gone when the last of them is done. */
void haft_session_free(haft_session *session);

/* Takes in one message.  0, or HAFT_ENOMEM: it is then answered as far as that is possible. */
int haft_session_receive(haft_session *session, const char *text, size_t size, void *tag,
                         haft_time now);

/* ---- messages that come by HTTP ---- */

/* A message that has been read. */
typedef struct haft_incoming haft_incoming;

typedef enum haft_incoming_kind {
    HAFT_INCOMING_UNREADABLE, /* not JSON */
    HAFT_INCOMING_INVALID,
    HAFT_INCOMING_ARRAY,
    HAFT_INCOMING_REQUEST,
    HAFT_INCOMING_NOTIFICATION,
    HAFT_INCOMING_RESPONSE
} haft_incoming_kind;

/* A header of HTTP, of a request or a response.  Neither is NULL; a value has no blanks around it. */
typedef struct haft_header {
    const char *name, *value;
} haft_header;

/* The value of the first of that name, whatever its case; NULL when there is none. */
const char *haft_header_find(const haft_header *headers, size_t n, const char *name);

/* What the HTTP request that brought a message says about it.  A modern request must agree with its
 * headers. */
typedef struct haft_headers {
    const haft_header *list; /* in the order in which they came */
    size_t n;
    const struct haft_header_index *index_; /* of the request (haft/http.h) */
    const void *via_;
    const char *principal; /* who has sent it, when that is known; NULL: the session's */
    /* The address that it came from; "" for one that is not known; NULL: the session's.  Clients
     * without a principal are counted by it. */
    const char *peer;
} haft_headers;

/* Takes in one message that an HTTP request has brought.  Returns 1 if there is, or will be, an answer; 0
 * if there is none; HAFT_EINVAL if the message is invalid and cannot be answered; or HAFT_ENOMEM. */
int haft_session_receive_http(haft_session *session, const char *text, size_t size,
                              const haft_headers *headers, void *tag, haft_time now);

/* The same in two steps, for those who must know what a message is before they know whose it is. */

/* Reads a message; NULL without memory.  It is processed or dropped, once. */
haft_incoming *haft_incoming_read(haft_session *session, const char *text, size_t size, void *tag,
                                  haft_time now);
haft_incoming_kind haft_incoming_kind_of(const haft_incoming *message);
bool haft_incoming_is(const haft_incoming *message, const char *method);
bool haft_incoming_is_modern(const haft_incoming *message); /* by what it says itself */
void haft_incoming_drop(haft_incoming *message);

/* Takes the message in for this session, which may be another one of the same server on the same
 * thread.  Returns what haft_session_receive_http returns. */
int haft_incoming_process(haft_incoming *message, haft_session *session,
                          const haft_headers *headers);

/* A message that was too long to be read: it is answered without having been seen. */
void haft_session_too_long(haft_session *session, size_t size, void *tag);

/* What a transport tells the session, as functions: haft_session_receive, haft_session_too_long, and
 * haft_session_cancel or, without a tag, haft_session_free. */
haft_receiver haft_session_receiver(haft_session *session);

/* Nobody waits for what is about `tag` any more. */
void haft_session_cancel(haft_session *session, const void *tag);

/* Ends what has passed its deadline, and sends what the server announced.  Returns when it wants to
 * be called again; -1 when nothing waits. */
haft_time haft_session_tick(haft_session *session, haft_time now);

/* Gives back the memory that is kept for the next message: there will not be one soon. */
void haft_session_trim(haft_session *session);

/* Calls that have not been answered. */
size_t haft_session_in_flight(const haft_session *session);

/* Ends the streams of subscriptions with their result: the server is going away. */
void haft_session_shut_down(haft_session *session);

/* ---- for `run` and `post` of a loop ---- */

void haft_call_run(haft_call *call);  /* on the other thread */
void haft_call_done(haft_call *call); /* on the session's */
void haft_session_deliver(haft_session *session, haft_posted *posted);

#ifdef __cplusplus
}
#endif
#endif
