/* haft/engine.h - sessions: the protocol without I/O, with messages and the time as input and
 * messages as output.
 *
 * A session is the server's side of one peer: a pipe, a socket, a test.  Its owner passes every
 * incoming message to it and sends every message that it produces.  A session does not read, write,
 * wait or look at a clock.  It belongs to one thread at a time.  Several sessions may share a
 * server.
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

/* A session with one peer. */
typedef struct haft_session haft_session;

/* Options of a session.  Zero means the default in each description. */
typedef struct haft_session_options {
    size_t struct_size;              /* set by HAFT_INIT or HAFT_WITH */
    const haft_transport *transport; /* where messages go; must have `send` */
    const haft_loop *loop;           /* NULL: handlers run on the thread that receives messages */
    const char *revision;            /* revision of a client that does not state one: 2025-11-25 */
    const char *principal; /* identity of the client, if known; sealed state is bound to it */
    /* Address of the client, "192.0.2.7", if it has one: sessions of one address share its rate
     * limits.  NULL: each session has its own. */
    const char *peer;
    bool modern; /* every request must describe itself, as in 2026-07-28 */
    /* The session receives messages of many clients: their ids may be equal, and it keeps no state
     * between messages. */
    bool shared;
    /* More about the client than the principal, which must be the same; NULL: nothing is known. */
    const struct haft_identity *identity;
} haft_session_options;

/* Creates a session of a server, which must outlive it.  The options and the structs of transport
 * and loop are copied; the strings must live as long as the session.  Returns NULL if memory runs
 * out, a struct has no size, or there is no transport. */
haft_session *haft_session_new(haft_server *server, const haft_session_options *options);

/* Cancels calls in flight and frees the session.  If other threads still run its calls, the session
 * sends nothing more and is freed after the last of them.  Accepts NULL. */
void haft_session_free(haft_session *session);

/* Processes one message that arrived at time `now`.  `tag` comes back with messages about it.
 * Returns 0, or HAFT_ENOMEM: the session has then answered if that was possible. */
int haft_session_receive(haft_session *session, const char *text, size_t size, void *tag,
                         haft_time now);

/* ---- messages over HTTP ---- */

/* A message that has been parsed but not processed. */
typedef struct haft_incoming haft_incoming;

/* Kinds of incoming messages. */
typedef enum haft_incoming_kind {
    HAFT_INCOMING_UNREADABLE,   /* not valid JSON */
    HAFT_INCOMING_INVALID,      /* not a JSON-RPC message */
    HAFT_INCOMING_ARRAY,        /* a batch, which only 2025-03-26 has */
    HAFT_INCOMING_REQUEST,      /* a request */
    HAFT_INCOMING_NOTIFICATION, /* a notification */
    HAFT_INCOMING_RESPONSE      /* a response */
} haft_incoming_kind;

/* An identified client: haft/access.h. */
typedef struct haft_identity haft_identity;

/* The headers and the origin of the HTTP request that carried a message.  A message of 2026-07-28
 * must agree with its headers. */
typedef struct haft_headers {
    const haft_header *list;                /* headers in the order of the request */
    size_t n;                               /* number of headers */
    const struct haft_header_index *index_; /* of the request (haft/http.h) */
    const void *via_;
    const char *principal; /* identity of the sender, if known; NULL: that of the session */
    /* Address of the sender; "" if it is not known; NULL: that of the session.  Rate limits of
     * clients without a principal are counted by address. */
    const char *peer;
    /* More about the sender than the principal, which must be the same; NULL: nothing is known. */
    const haft_identity *identity;
} haft_headers;

/* Processes one message of an HTTP request.  Returns 1 if there is or will be an answer; 0 if not;
 * HAFT_EINVAL if the message is invalid and cannot be answered; or HAFT_ENOMEM. */
int haft_session_receive_http(haft_session *session, const char *text, size_t size,
                              const haft_headers *headers, void *tag, haft_time now);

/* Parse a message and inspect it before it is processed, for a caller that chooses the session by
 * the message. haft_incoming_read returns NULL if memory runs out.  Each message must be processed
 * (haft_incoming_process) or dropped, once. */
haft_incoming *haft_incoming_read(haft_session *session, const char *text, size_t size, void *tag,
                                  haft_time now);
haft_incoming_kind haft_incoming_kind_of(const haft_incoming *message); /* what it is */
bool haft_incoming_is(const haft_incoming *message,
                      const char *method);                  /* whether it has this method */
bool haft_incoming_is_modern(const haft_incoming *message); /* as in 2026-07-28 */
void haft_incoming_drop(haft_incoming *message);            /* frees it */

/* Processes a parsed message in a session, which may be another one than it was read with, of the
 * same server and on the same thread.  Frees the message.  Returns as haft_session_receive_http. */
int haft_incoming_process(haft_incoming *message, haft_session *session,
                          const haft_headers *headers);

/* Answers a message that was too long to read. */
void haft_session_too_long(haft_session *session, size_t size, void *tag);

/* Returns the functions that a transport calls: haft_session_receive, haft_session_too_long, and
 * haft_session_cancel or, without a tag, haft_session_free. */
haft_receiver haft_session_receiver(haft_session *session);

/* Cancels the calls of a tag, because nobody waits for them. */
void haft_session_cancel(haft_session *session, const void *tag);

/* Ends calls whose deadline has passed and sends announcements of the server.  Returns the time at
 * which it should be called again; -1 if nothing is waiting. */
haft_time haft_session_tick(haft_session *session, haft_time now);

/* Frees the memory that the session keeps for the next message.  Call it when no message is
 * expected soon. */
void haft_session_trim(haft_session *session);

/* Returns the number of calls without an answer. */
size_t haft_session_in_flight(const haft_session *session);

/* Ends subscription streams with their results, because the server shuts down. */
void haft_session_shut_down(haft_session *session);

/* ---- for the functions of a haft_loop ---- */

/* Run a call or deliver work, for `run` and `post` of a haft_loop. */
void haft_call_run(haft_call *call);  /* runs the handler, on the other thread */
void haft_call_done(haft_call *call); /* completes the call, on the session's thread */
void haft_session_deliver(haft_session *session,
                          haft_posted *posted); /* does posted work, on the session's thread */

#ifdef __cplusplus
}
#endif
#endif
