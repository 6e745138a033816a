/* haft/transport.h - what carries messages to one peer and back.
 *
 * A server's session and a client use a transport in the same way, so it is written once for both
 * roles: they call the functions of haft_transport, and the transport calls those of the
 * haft_receiver that they give it.
 *
 *     haft_transport transport = frames_transport(&frames);
 *
 *     session = haft_session_new(server, HAFT_WITH(haft_session_options, .transport = &transport));
 *     frames.receiver = haft_session_receiver(session);
 *
 * or, at the other end, haft_client_open (haft/client.h) and haft_client_receiver.  Everything
 * happens on one thread, the session's or the client's. */
#ifndef HAFT_TRANSPORT_H
#define HAFT_TRANSPORT_H

#include <haft/loop.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum haft_outgoing_kind {
    HAFT_OUT_RESPONSE,     /* to the message of `tag` */
    HAFT_OUT_NOTIFICATION, /* about the call of `tag`, or about the server when tag is NULL */
    HAFT_OUT_REQUEST /* a client's; or a server's question in the middle of the call of `tag` */
} haft_outgoing_kind;

/* One message to send: JSON without a line end.  Valid until the function returns. */
typedef struct haft_outgoing {
    const char *text;
    size_t size;
    haft_outgoing_kind kind;
    void *tag;       /* what came with the message that this is about; NULL for a client's */
    int error_code;  /* of an error response; 0 for everything else */
    int http_status; /* that suits it, where there is HTTP around it */
} haft_outgoing;

/* What a transport does for a session or a client, which copies this. */
typedef struct haft_transport {
    size_t struct_size; /* its sizeof */
    /* Sends a message, or keeps a copy until it can.  It does not wait, and must not call the
     * receiver before it returns.  A transport that cannot send any more reports that by `closed`.
     * A server's that keeps too much takes in nothing until its client has read some; a client's
     * goes on reading, or both would wait for each other. */
    void (*send)(void *context, const haft_outgoing *message);
    /* There is no message: the connection of `tag` may be let go while the call goes on, by
     * haft_call_close_stream; or, when it is `over`, nothing will come, for the client has cancelled the
     * call.  NULL: a connection is for more than one message. */
    void (*let_go)(void *context, void *tag, bool over);
    /* Takes in what has come, waiting at most so many milliseconds for the first of it, and returns
     * the time.  For clients, whose calls wait (haft_client_wait); NULL: nothing is waited for. */
    haft_time (*wait)(void *context, unsigned milliseconds);
    /* The session or the client is gone: it calls nothing any more, and must not be called.  Called
     * once; may be NULL. */
    void (*close)(void *context);
    void *context;
} haft_transport;

/* What a session or a client wants to be told.  `tag` names one of several connections, where a
 * transport has them, and comes back with what is sent about the message; else it is NULL. */
typedef struct haft_receiver {
    /* One message.  0, or HAFT_ENOMEM: a session has then answered as far as that is possible. */
    int (*message)(void *context, const char *text, size_t size, void *tag, haft_time now);
    /* One that was too long to be read, and of that size as far as is known. */
    void (*too_long)(void *context, size_t size, void *tag);
    /* Nothing more comes from the connection of `tag`, and nobody reads there; or, when that is
     * NULL, from the peer.  A session ends then, and calls `close` when its last call has come back;
     * a client's requests fail with HAFT_ECLOSED. */
    void (*closed)(void *context, void *tag);
    void *context;
} haft_receiver;

#ifdef __cplusplus
}
#endif
#endif
