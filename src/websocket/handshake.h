/* websocket/handshake.h - how an HTTP/1.1 connection becomes a WebSocket (RFC 6455, section 4), without
 * I/O.  No extension and no subprotocol is offered or accepted. */
#ifndef HAFT_SRC_WEBSOCKET_HANDSHAKE_H
#define HAFT_SRC_WEBSOCKET_HANDSHAKE_H

#include <haft/http.h>
#include <llhttp.h>

enum {
    WEBSOCKET_NONCE = 16,    /* random bytes of a client */
    WEBSOCKET_ACCEPT = 28,   /* characters of the answer to them */
    WEBSOCKET_EXCERPT = 1024 /* bytes of a refusal's body that are kept */
};

/* ---- the server's side ---- */

/* Whether a request asks for a WebSocket: it has "Upgrade: websocket". */
bool hf_websocket_is_asked(const haft_request *request);

/* Checks a request for a WebSocket.  Returns 0, and writes the value of Sec-WebSocket-Accept with a NUL;
 * otherwise the status to answer with (400, 405, 426) and why. */
int hf_websocket_accept(const haft_request *request, char ret_accept[WEBSOCKET_ACCEPT + 1],
                        const char **reterr_why);

/* ---- the client's side ---- */

struct websocket_request {
    const char *host;           /* value of Host: "example.org:8123" */
    const char *target;         /* "/api/websocket?a=b" */
    const haft_header *headers; /* besides those of the handshake, which must not be here */
    size_t n_headers;
    unsigned char nonce[WEBSOCKET_NONCE]; /* random */
};

/* A handshake in progress.  Nothing of it is allocated. */
struct websocket_handshake {
    llhttp_t parser;
    char accept[WEBSOCKET_ACCEPT + 1]; /* the expected one */
    char name[32], value[128];         /* of the header that is being read, as far as it fits */
    size_t name_size, value_size;
    size_t head_size; /* bytes received until the head was complete */
    unsigned seen;    /* of the headers, what matters */
    bool has_head, is_complete;
    int status; /* of the answer; 0 before it */
    char excerpt[WEBSOCKET_EXCERPT + 1];
    size_t excerpt_size; /* the beginning of a refusal's body, with a NUL behind it */
    const char *why;     /* it has failed; NULL if not */
};

/* Begins, and appends the request's head.  Returns 0; HAFT_EINVAL for a host, target or header that cannot
 * be sent, with the reason; HAFT_ENOMEM or HAFT_ETOOBIG of the buffer. */
int hf_websocket_handshake_begin(struct websocket_handshake *handshake,
                                 const struct websocket_request *request, haft_buffer *out,
                                 haft_reason *reterr_reason);

/* Takes bytes of the answer.  Returns 1 when the connection is a WebSocket, with how many bytes were
 * used: the rest are frames; 0 when more is needed; HAFT_ECLOSED when it has failed: `why` says it, and
 * `status` and `excerpt` what the server answered. */
int hf_websocket_handshake_receive(struct websocket_handshake *handshake, const char *bytes,
                                   size_t size, size_t *ret_used);

/* The connection has ended before that: sets `why`. */
void hf_websocket_handshake_end(struct websocket_handshake *handshake);

#endif
