/* haft/transport.h - the interface between a session or a client and whatever carries its messages.
 *
 * A server's session and a client use a transport in the same way, so a transport is written once
 * for both roles: they call the functions of haft_transport, and the transport calls the functions
 * of the haft_receiver that it gets from them.
 *
 *     haft_transport transport = frames_transport(&frames);
 *
 *     session = haft_session_new(server, HAFT_WITH(haft_session_options, .transport = &transport));
 *     frames.receiver = haft_session_receiver(session);
 *
 * A client uses haft_client_open (haft/client.h) instead.  All functions are called on one thread,
 * that of the session or of the client. */
#ifndef HAFT_TRANSPORT_H
#define HAFT_TRANSPORT_H

#include <haft/loop.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A header of an HTTP request or response. */
typedef struct haft_header {
    /* name and value; neither is NULL, and the value has no white space around it */
    const char *name, *value;
} haft_header;

/* Returns the value of the first header of that name, in any case; NULL if there is none. */
const char *haft_header_find(const haft_header *headers, size_t n, const char *name);

/* Kinds of messages to send. */
typedef enum haft_outgoing_kind {
    HAFT_OUT_RESPONSE,     /* response to the message of `tag` */
    HAFT_OUT_NOTIFICATION, /* about the call of `tag`; about the server if tag is NULL */
    HAFT_OUT_REQUEST /* request of a client, or question of a server during the call of `tag` */
} haft_outgoing_kind;

/* One message to send.  Valid until `send` returns. */
typedef struct haft_outgoing {
    const char *text;        /* JSON without a line end */
    size_t size;             /* bytes of text */
    haft_outgoing_kind kind; /* kind of message */
    /* Tag of the message that this one is about.  For a request of a client a tag of its own, by
     * which `let_go`, `message` and `failed` identify it; NULL for other messages of a client. */
    void *tag;
    int error_code;     /* code of an error response; otherwise 0 */
    int http_status;    /* matching status code for a transport over HTTP */
    const char *method; /* of a client's request or notification; NULL for a response */
    /* Headers that belong to a client's message over HTTP: the revision, the method, its subject and
     * repeated arguments.  Their values are encoded as the protocol requires.  Only for transports
     * with `let_go`. */
    const haft_header *headers;
    size_t n_headers;
    /* Scopes that a refused request requires, separated by spaces, for WWW-Authenticate (status 403);
     * otherwise NULL. */
    const char *scopes;
} haft_outgoing;

/* Why a request of a client has not been answered. */
typedef struct haft_failure {
    int status;      /* HAFT_ECLOSED, HAFT_ETOOBIG, HAFT_EPROTOCOL, HAFT_EDENIED or another error */
    int http_status; /* status of an HTTP response; otherwise 0 */
    const char *text;   /* what happened, for people; without secrets */
    bool maybe_handled; /* the server may have executed the request */
    bool session_gone;  /* the server no longer knows the session */
} haft_failure;

/* Functions of a transport.  Sessions and clients copy the struct. */
typedef struct haft_transport {
    size_t struct_size; /* set by HAFT_INIT or HAFT_WITH */
    /* Sends a message, or keeps a copy until it can.  Must not block, and must not call the
     * receiver before it returns.  A transport that can no longer send reports that by the
     * receiver's `closed`.  If a server's transport holds too much unsent data, it stops reading
     * until its client has read some; a client's transport continues to read, because otherwise
     * both would wait for each other. */
    void (*send)(void *context, const haft_outgoing *message);
    /* Reports that no message will be sent on the connection of `tag` for now.  If `over` is false,
     * the call continues without the connection (haft_call_close_stream); if it is true, there will
     * be no response, because the client cancelled the call or has received it.  NULL: a connection
     * carries more than one message. */
    void (*let_go)(void *context, void *tag, bool over);
    /* Receives messages, waits at most that many milliseconds for the first one, and returns the
     * time.  For clients, which wait for responses (haft_client_wait).  NULL: the client does not
     * wait. */
    haft_time (*wait)(void *context, unsigned milliseconds);
    /* Called once, when the session or the client is freed: it makes no further calls, and the
     * transport must not call it.  May be NULL. */
    void (*close)(void *context);
    void *context; /* first argument of the functions */
    /* The following are for clients, and may be NULL.  Reports the revision in use: when `initialize`
     * was answered, before `notifications/initialized` is sent; and in a revision without it, when the
     * server has said that it supports it. */
    void (*negotiated)(void *context, const char *revision);
    /* Forgets the connection and makes a new one, as if nothing had been sent: a new process, a new
     * session.  Returns 0 or an error. */
    int (*restart)(void *context);
    /* Also receives messages of the server that belong to no request, if that needs a
     * connection (a stream by GET). */
    void (*listen)(void *context, bool listen);
    /* Returns the time, without waiting or receiving.  NULL: requests have no deadlines, and waiting
     * functions return HAFT_PENDING. */
    haft_time (*now)(void *context);
    /* Requests a call of the receiver's `tick` at that time. */
    void (*set_timer)(void *context, haft_time at);
} haft_transport;

/* Functions that a transport calls to report messages to a session or a client.  `tag` identifies
 * one of several connections; messages about it carry the same tag.  A transport with one
 * connection passes NULL. */
typedef struct haft_receiver {
    /* Receives one message.  Returns 0, or HAFT_ENOMEM: a session has then answered if that was
     * possible. */
    int (*message)(void *context, const char *text, size_t size, void *tag, haft_time now);
    /* Reports a message that was too long to read, with its size as far as it is known. */
    void (*too_long)(void *context, size_t size, void *tag);
    /* Reports that the connection of `tag`, or the peer if tag is NULL, is gone.  Without a peer a
     * session ends, and calls `close` after its last call; requests of a client fail with
     * HAFT_ECLOSED. */
    void (*closed)(void *context, void *tag);
    void *context; /* first argument of the functions */
    /* Reports that the request of `tag`, or every request if tag is NULL, will not be answered.  Only
     * for clients. */
    void (*failed)(void *context, void *tag, const haft_failure *failure);
    /* Reports that the request of `tag` waits for access (a login), or no longer: its deadline does
     * not run meanwhile.  Only for clients. */
    void (*held)(void *context, void *tag, bool held);
    /* Checks deadlines, at the time that `set_timer` was called with.  Only for clients. */
    void (*tick)(void *context, haft_time now);
} haft_receiver;

#ifdef __cplusplus
}
#endif
#endif
