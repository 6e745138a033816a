/* websocket/client.h - WebSocket connections to other servers, on a libuv loop of the caller's.
 *
 *     const struct http_client_functions *http = hf_http_client_open("--url", &reason);
 *     http_client *client = hf_http_client_new(http, loop, &tls_and_proxy, &reason);
 *     struct websocket_client_options options = {.http = http, .client = client, .loop = loop,
 *                                                .url = "wss://home.example/api/websocket",
 *                                                .on_open = on_open, .on_message = on_message,
 *                                                .on_end = on_end};
 *
 *     websocket_client *ws = hf_websocket_client_open(&options, &reason);
 *
 * TLS, certificates, proxies and which addresses may be connected to are options of the HTTP client
 * (http/client/client.h), which must outlive the connection; when it is destroyed, the connection ends.
 *
 * All functions are for the thread of the loop.  Every function may be called from every callback. */
#ifndef HAFT_SRC_WEBSOCKET_CLIENT_H
#define HAFT_SRC_WEBSOCKET_CLIENT_H

#include "http/client/client.h"
#include "websocket/websocket.h"

typedef struct websocket_client websocket_client;

/* How a connection ended, or why there was none.  Valid during on_end. */
struct websocket_client_end {
    bool opened;             /* on_open had been called */
    enum http_error error;   /* of the connection; HTTP_OK if the failure is another */
    int status;              /* of a server that did not switch to WebSocket, such as 401; else 0 */
    const char *excerpt;     /* the beginning of its body; "" for none */
    struct websocket_end ws; /* of a connection that had been opened, or WEBSOCKET_ABNORMAL */
    const char *text;        /* all of it in a sentence, in printable ASCII or UTF-8 */
};

/* Zero means the stated default. */
struct websocket_client_options {
    const struct http_client_functions *http;
    http_client *client;
    uv_loop_t *loop; /* of the client */
    const haft_allocator *allocator;
    const char *url; /* ws, wss, http or https, in printable ASCII without user and password */
    const char *unix_socket;           /* connect to this instead of the URL's host: none */
    const struct haft_header *headers; /* of the handshake, besides its own */
    size_t n_headers;

    unsigned connect_ms, tls_ms; /* each 10,000 */
    unsigned handshake_ms;       /* from the connection to the server's answer: 10,000 */
    unsigned
        ping_ms; /* without a byte from the server, until it is pinged: 30,000; UINT_MAX never */
    unsigned pong_ms;   /* until it must have answered: 10,000 */
    unsigned close_ms;  /* until it must have answered a close frame: 5,000 */
    size_t max_message; /* bytes of a message that is received: 16 MiB */
    size_t max_queued;  /* bytes that wait to be sent: 16 MiB */

    /* Each may be NULL.  on_end comes once, as the last, and never before hf_websocket_client_open has
     * returned; the connection is not valid after it. */
    void (*on_open)(void *context);
    void (*on_message)(void *context, bool is_text, const char *bytes, size_t size);
    void (*on_end)(void *context, const struct websocket_client_end *end);
    void *context;
};

/* Connects.  The strings and headers of the options are not used after it has returned.  Returns NULL on failure, with the reason: HAFT_EINVAL, HAFT_ETOOBIG, HAFT_EBUSY, HAFT_ENOMEM. */
websocket_client *hf_websocket_client_open(const struct websocket_client_options *options,
                                           haft_reason *reterr_reason);

/* As hf_websocket_send; HAFT_EBUSY before on_open. */
int hf_websocket_client_send(websocket_client *client, bool is_text, const char *bytes,
                             size_t size);

/* Begins to close: on_end comes from the loop, after the server's answer, or close_ms later; soon if the
 * connection is not open yet.  Returns as hf_websocket_close. */
int hf_websocket_client_close(websocket_client *client, int code, const char *reason);

/* Ends it at once, without a close frame and without on_end.  Accepts NULL. */
void hf_websocket_client_free(websocket_client *client);

#endif
