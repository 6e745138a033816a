/* http/client/client.h - HTTP requests to other servers, on the caller's libuv loop.
 *
 * One client for all outgoing HTTP of haft: collectors, identity providers, upstreams, MCP servers.
 * It is libcurl's multi interface on the caller's loop, with limits that are all on by default, and
 * with a guarantee that libcurl does not give: a request that may have been executed is never sent
 * again.
 *
 * It is an optional part (haft/part.h), so that a program without outgoing requests loads neither
 * libcurl nor OpenSSL: the functions are in a table, which part/http_client.h returns.
 *
 *     const struct http_client_functions *http = hf_http_client_open("--otlp", &reason);
 *     http_client *client = hf_http_client_new(http, loop, NULL, &reason);
 *
 *     http->start(client, &(struct http_request_options){.url = url, .on_end = on_end}, &reason);
 *
 * HTTP/1.1 only: with HTTP/2, a server whose responses are not read could fill a window of
 * megabytes, and libcurl has another replay mechanism.
 *
 * All functions of a client and of its requests must be called on the thread of its loop, and all
 * callbacks are called there. Every function but `create` may be called from every callback,
 * including `destroy`. */
#ifndef HAFT_SRC_HTTP_CLIENT_H
#define HAFT_SRC_HTTP_CLIENT_H

#include <haft/base.h>
#include <sys/socket.h>
#include <uv.h>

typedef struct http_client http_client;
typedef struct http_request http_request;
typedef struct http_stream http_stream; /* a connection without HTTP on it */

/* ---- results of a request ---- */

#define HTTP_ERRORS(X)                                                                             \
    X(HTTP_OK, "no error")                                                                         \
    X(HTTP_NO_MEMORY, "out of memory")                                                             \
    X(HTTP_CANCELLED, "the request was cancelled")                                                 \
    X(HTTP_RESOLVE_FAILED, "could not resolve the host name")                                      \
    X(HTTP_ADDRESS_REFUSED, "connecting to this address is not allowed")                           \
    X(HTTP_CONNECT_FAILED, "could not connect")                                                    \
    X(HTTP_PROXY_FAILED, "the proxy did not connect to the server")                                \
    X(HTTP_TLS_FAILED, "the TLS handshake failed")                                                 \
    X(HTTP_CONNECT_TIMEOUT, "timed out connecting")                                                \
    X(HTTP_TLS_TIMEOUT, "timed out during the TLS handshake")                                      \
    X(HTTP_ANSWER_TIMEOUT, "timed out waiting for the answer")                                     \
    X(HTTP_IDLE_TIMEOUT, "timed out because no bytes were transferred for too long")               \
    X(HTTP_TOTAL_TIMEOUT, "timed out because the request took too long in all")                    \
    X(HTTP_CLOSED, "the connection was closed before the answer")                                  \
    X(HTTP_TRUNCATED, "the connection was closed before the end of the answer")                    \
    X(HTTP_HEAD_TOO_BIG, "the headers of the answer exceed the limit")                             \
    X(HTTP_BODY_TOO_BIG, "the body of the answer exceeds the limit")                               \
    X(HTTP_BAD_ANSWER, "the answer is not valid HTTP")                                             \
    X(HTTP_LOST, "the connection was lost")                                                        \
    X(HTTP_REDIRECT_REFUSED, "the answer is a redirect, which haft does not follow here")          \
    X(HTTP_FAILED, "libcurl failed")

enum http_error {
#define HTTP_ERROR_(name, text) name,
    HTTP_ERRORS(HTTP_ERROR_)
#undef HTTP_ERROR_
        HTTP_ERROR_COUNT
};

struct http_field {
    const char *name, *value;
};

/* The final response, without redirects and 1xx. Valid during on_head. */
struct http_head {
    int status;
    const struct http_field *fields; /* in order, including repeated names */
    size_t n_fields;
};

/* Valid during on_end. */
struct http_end {
    enum http_error error;
    int status;         /* status of the response; 0 if no head was received */
    const char *text;   /* message of `error`, with the reason if known; printable, and without data
                         * of the request except its host */
    bool maybe_handled; /* the server may have executed it; false: it was certainly not sent */
};

/* ---- options; zero means the stated default ---- */

struct http_client_options {
    const haft_allocator *allocator;
    unsigned max_requests;    /* in flight: 256 */
    unsigned max_connections; /* in all, idle ones included: 64 */
    unsigned max_per_host;    /* 8; further requests wait, within their connect_ms */
    unsigned idle_ms;         /* time that an unused connection is kept: 60,000 */

    const char *ca_file, *ca_dir;    /* trust only these; default: those of the system */
    const char *certificate, *key;   /* client certificate and key, in PEM; default: none */
    const char *key_password;        /* default: none */
    bool skip_verification;          /* of the server's certificate and name */
    const char *proxy;               /* http://HOST:PORT; default: none, regardless of the
                                      * environment */
    bool proxy_from_environment;     /* http_proxy and the like apply if `proxy` is not set */
    const char *user_agent;          /* "haft/VERSION" */
    const struct http_client_uv *uv; /* set by hf_http_client_new */
    bool no_direct;                  /* libcurl has every request: for tests and measurements */

    /* Whether to connect to this address: called before every connect, with the resolved address
     * (of the proxy, if there is one). NULL permits any. */
    bool (*allow_address)(void *context, const struct sockaddr *address, socklen_t size);
    void *allow_context;
};

struct http_request_options {
    const char *method;      /* "GET" */
    const char *url;         /* http or https, printable ASCII, without user and password */
    const char *unix_socket; /* connect to this instead of the URL's host; default: none */
    const struct http_field *headers; /* copied; framing headers are rejected */
    size_t n_headers;
    const void *body; /* not copied: must remain valid until on_end; HEAD has none */
    size_t body_size;

    size_t max_url;    /* 8 KiB */
    size_t max_send;   /* of the request's headers: 64 KiB; there are at most 100 of them */
    size_t max_body;   /* request body: 64 MiB */
    size_t max_head;   /* response headers, including 1xx, redirects and trailers: 64 KiB */
    size_t max_fields; /* number of these: 200 */
    size_t max_answer; /* decoded response body: 16 MiB; SIZE_MAX for no limit */

    unsigned connect_ms; /* until there is a connection, new or free: 10,000 */
    unsigned tls_ms;     /* TLS handshake: 10,000 */
    unsigned answer_ms;  /* from the last byte of the request to the complete response headers:
                          * 30,000 */
    unsigned idle_ms;    /* between bytes of a body, in either direction, unless paused: 30,000 */
    unsigned total_ms;   /* whole request: 300,000; UINT_MAX for no limit */

    unsigned max_redirects;  /* redirects to follow within the same origin: 0 */
    bool redirect_elsewhere; /* also to other origins: without the headers above, and never with a
                              * body or from https to http */
    bool may_repeat; /* send it again if a reused connection closes before the response, although it
                      * may have been executed */
    bool decode;     /* request and decode compression */

    /* Each may be NULL. on_end is called exactly once for a started request, as the last
     * callback. */
    void (*on_head)(void *context, const struct http_head *head);
    void (*on_body)(void *context, const char *bytes, size_t size);
    void (*on_end)(void *context, const struct http_end *end);
    void *context;
};

/* A connection to the host of a URL, through proxy and TLS as for a request, for another protocol than
 * HTTP.  The limits of requests and of connections to a host include it. */
struct http_stream_options {
    const char *url;         /* http or https; its path is not used */
    const char *unix_socket; /* connect to this instead of the URL's host: none */
    size_t max_unsent;       /* bytes that wait to be sent: 16 MiB */
    unsigned connect_ms;     /* to a connection: 10,000 */
    unsigned tls_ms;         /* for the TLS handshake: 10,000 */

    /* on_bytes must be there.  on_end comes exactly once for a stream that was opened, as the last; its
     * error is HTTP_OK when the server has closed the connection in order. */
    void (*on_open)(void *context);
    void (*on_bytes)(void *context, const char *bytes, size_t size);
    void (*on_writable)(void *context); /* bytes had to wait, and all have been sent */
    void (*on_end)(void *context, const struct http_end *end);
    void *context;
};

/* ---- functions ---- */

struct http_client_functions {
    /* Creates a client. Returns NULL on failure, with the reason. The options are copied, with
     * their strings, but not the allocator, which must be set. The loop must outlive the client. */
    http_client *(*create)(uv_loop_t *loop, const struct http_client_options *options,
                           haft_reason *reterr_reason);

    /* Ends every request with HTTP_CANCELLED before it returns, closes all connections, and frees
     * the client. Its handles close when the loop runs next; the loop can be closed after that.
     * NULL is ignored. */
    void (*destroy)(http_client *client);

    /* Starts a request. Returns it, or NULL with the reason: HAFT_EINVAL, HAFT_ETOOBIG for
     * something over a limit, HAFT_EBUSY for too many requests, HAFT_ENOMEM, HAFT_ECLOSED if the
     * client is being freed; no callback is then called. No callback is called before it returns.
     * The request is valid until its on_end returns. */
    http_request *(*start)(http_client *client, const struct http_request_options *options,
                           haft_reason *reterr_reason);

    /* Ends a request with HTTP_CANCELLED, after calling on_end. Does nothing if called from
     * on_end. */
    void (*cancel)(http_request *request);

    /* Pausing suspends on_body and reading from the server until the request is resumed. Resuming
     * calls no callbacks itself: data comes from the loop. Idle time does not pass while paused. */
    void (*pause)(http_request *request);
    void (*resume)(http_request *request);

    /* The message of an error. */
    const char *(*error_text)(enum http_error error);

    /* Opens a stream.  Returns it, or NULL with the reason, as `start` does; no callback comes before it
     * returns.  It is valid until its on_end returns. */
    http_stream *(*open_stream)(http_client *client, const struct http_stream_options *options,
                                haft_reason *reterr_reason);
    /* Sends bytes, which are copied.  Returns 0; HAFT_EBUSY before on_open, HAFT_ECLOSED from on_end,
     * HAFT_ETOOBIG when too much waits, HAFT_ENOMEM: nothing is sent then.  on_end reports a later
     * failure. */
    int (*stream_send)(http_stream *stream, const char *bytes, size_t size);
    size_t (*stream_unsent)(const http_stream *stream); /* bytes that wait to be sent */
    /* No on_bytes until it is resumed: the server is no longer read. */
    void (*stream_pause)(http_stream *stream);
    void (*stream_resume)(http_stream *stream);
    /* Closes it at once: on_end, with HTTP_CANCELLED, has been called when it returns.  What waits is not
     * sent.  Does nothing when called from on_end. */
    void (*stream_close)(http_stream *stream);
};

/* The libuv functions that the part needs, from the program's copy, since a program may link libuv
 * statically. */
struct http_client_uv {
    int (*timer_init)(uv_loop_t *loop, uv_timer_t *timer);
    int (*timer_start)(uv_timer_t *timer, uv_timer_cb callback, uint64_t ms, uint64_t repeat);
    int (*timer_stop)(uv_timer_t *timer);
    int (*idle_init)(uv_loop_t *loop, uv_idle_t *idle);
    int (*idle_start)(uv_idle_t *idle, uv_idle_cb callback);
    int (*idle_stop)(uv_idle_t *idle);
    int (*poll_init)(uv_loop_t *loop, uv_poll_t *poll, uv_os_sock_t socket);
    int (*poll_start)(uv_poll_t *poll, int events, uv_poll_cb callback);
    int (*poll_stop)(uv_poll_t *poll);
    void (*close)(uv_handle_t *handle, uv_close_cb callback);
    void (*ref)(uv_handle_t *handle);
    void (*unref)(uv_handle_t *handle);
    void (*update_time)(uv_loop_t *loop);
    uint64_t (*now)(const uv_loop_t *loop);
};

#endif
