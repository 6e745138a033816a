/* websocket/websocket.h - one WebSocket connection (RFC 6455) without I/O, in either role.
 *
 * Bytes that were received go in by hf_websocket_receive; bytes to send are taken by
 * hf_websocket_output and hf_websocket_sent; the time comes in as a number.  The handshake before
 * it is handshake.h; client.h and server.h put both onto a loop.
 *
 * wslay reads and writes the frames.  Messages are assembled here: wslay's own layer for that asks
 * malloc several times for each message, without a limit that holds for fragments, and checks no
 * close reason that arrives in two pieces.
 *
 * There are no extensions: no permessage-deflate, so that a reserved bit is an error.
 *
 * All functions of a connection are for one thread at a time.  Every function but
 * hf_websocket_receive may be called from its callbacks. */
#ifndef HAFT_SRC_WEBSOCKET_H
#define HAFT_SRC_WEBSOCKET_H

#include <haft/base.h>
#include <haft/loop.h>

typedef struct websocket websocket;

enum websocket_role { WEBSOCKET_SERVER, WEBSOCKET_CLIENT };

/* Codes of RFC 6455, 7.4.1, and of its registry, that are used here. */
enum websocket_code {
    WEBSOCKET_NORMAL = 1000,
    WEBSOCKET_GOING_AWAY = 1001,
    WEBSOCKET_PROTOCOL_ERROR = 1002,
    WEBSOCKET_NO_CODE = 1005,  /* the peer gave none; never sent */
    WEBSOCKET_ABNORMAL = 1006, /* the connection ended without a close frame; never sent */
    WEBSOCKET_INVALID_TEXT = 1007,
    WEBSOCKET_TOO_BIG = 1009,
    WEBSOCKET_INTERNAL_ERROR = 1011
};

enum { WEBSOCKET_REASON = 123 /* bytes that a close reason may have */ };

/* How a connection ended.  Valid during on_end. */
struct websocket_end {
    int code;           /* of the peer's close frame, if `by_peer`; otherwise what was sent, or
                           WEBSOCKET_ABNORMAL if nothing could be */
    const char *reason; /* of that frame, or what failed; UTF-8 with a NUL, "" for none */
    bool by_peer;       /* the peer has closed the connection, or has failed it */
    bool clean;         /* both sides have sent a close frame */
};

struct websocket_options {
    enum websocket_role role;
    const haft_allocator *allocator; /* NULL for malloc; wslay takes 4 KiB of malloc once */
    size_t max_message;              /* bytes of a message that is received: 16 MiB */
    size_t max_fragments;            /* frames of a message that is received: 16,384 */
    size_t max_queued;               /* bytes to send that were not taken: 16 MiB */
    unsigned close_ms;               /* for the peer's answer to our close frame: 5,000 */
    /* Fills in random bytes for masks: 0, or not 0 for none.  A client must have it. */
    int (*random)(void *context, void *ret_bytes, size_t size);

    /* Each may be NULL.  A message has a NUL behind it; text is valid UTF-8.  on_end comes once, as
     * the last, unless the connection is freed before; the remaining output should still be sent,
     * and the transport closed. */
    void (*on_message)(void *context, bool is_text, const char *bytes, size_t size);
    void (*on_pong)(void *context, const char *bytes, size_t size);
    void (*on_end)(void *context, const struct websocket_end *end);
    void *context;
};

/* Makes a connection that is open: its handshake is over.  Returns NULL without memory, or for a
 * client without `random`.  hf_websocket_free accepts NULL, and calls nothing. */
websocket *hf_websocket_new(const struct websocket_options *options);
void hf_websocket_free(websocket *ws);

/* Takes bytes that were received.  Returns 0, or HAFT_ECLOSED when the connection has ended: then
 * nothing more is read. */
int hf_websocket_receive(websocket *ws, const char *bytes, size_t size, haft_time now);

/* The bytes to send, valid until the next function is called; 0 bytes when there are none.  Then
 * how many of them were sent. */
const char *hf_websocket_output(const websocket *ws, size_t *ret_size);
void hf_websocket_sent(websocket *ws, size_t size);

/* Queue a message, or a ping with up to 125 bytes.  Return 0; HAFT_ECLOSED after a close frame was
 * sent or the connection ended; HAFT_ETOOBIG when more than max_queued bytes would wait, or a ping
 * is too long; HAFT_EUTF8 for text that is not UTF-8; HAFT_ENOMEM.  Nothing is queued then. */
int hf_websocket_send(websocket *ws, bool is_text, const char *bytes, size_t size);
int hf_websocket_ping(websocket *ws, const char *bytes, size_t size);

/* Begins to close: sends a close frame, after which only the peer's is waited for, close_ms long. 
 * A reason that is too long is cut; code 0 sends neither.  Returns 0; HAFT_ECLOSED if it was closed
 * before; HAFT_EINVAL for a code that must not be sent, or a reason that is not UTF-8. */
int hf_websocket_close(websocket *ws, int code, const char *reason, haft_time now);

/* The transport has ended: so has the connection, with WEBSOCKET_ABNORMAL unless it had ended. */
void hf_websocket_lost(websocket *ws, const char *reason);

/* Ends a connection whose peer has not answered the close frame in time.  Returns when to call
 * again; INT64_MAX for never. */
haft_time hf_websocket_tick(websocket *ws, haft_time now);

/* Whether messages can be sent; whether on_end has come. */
bool hf_websocket_is_open(const websocket *ws);
bool hf_websocket_has_ended(const websocket *ws);
/* When bytes were last received, for pings; 0 for never. */
haft_time hf_websocket_heard(const websocket *ws);

#endif
