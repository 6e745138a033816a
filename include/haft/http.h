/* haft/http.h - MCP over HTTP: every revision on one endpoint.
 *
 * Three ways in, from the most to the least that is done for you:
 *
 *     haft_http_serve(server, &options)        a process that serves until a signal comes
 *     haft_http_new(server, &options, loop)    the same inside a libuv loop of yours
 *     haft_endpoint_new(server, &options)      requests in, responses out: for an HTTP stack of yours
 *
 * HTTP listens on loopback unless told otherwise.  Off loopback it refuses to start if it serves
 * anything without authentication, unless `insecure` says that somebody else takes care of it. */
#ifndef HAFT_HTTP_H
#define HAFT_HTTP_H

#include <haft/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the endpoint: no sockets ------------------------------------------------- */

/* Zero means the stated default. */
typedef struct haft_endpoint_options {
    size_t struct_size;                 /* its sizeof */
    const char *path;                   /* "/mcp"; with and without a slash at its end */
    const char *const *allowed_hosts;   /* besides localhost, 127.0.0.1 and [::1]; "*" for any */
    const char *const *allowed_origins; /* besides those of the hosts; both lists end with NULL */
    const char *cors_origin;            /* "*" or an origin: sends CORS headers; NULL sends none */
    bool legacy_sse;                    /* /sse and /messages for 2024-11-05 clients */
    size_t max_sessions;                /* of legacy clients: 10,000 */
    unsigned session_idle_ms;           /* 30 minutes */
    size_t max_events;                  /* kept of a session for a client that comes back: 256, and
                                           1 MiB */
    /* Where legacy sessions and their events are kept; must outlive the endpoint.  NULL: the server's, or else memory
     * of its own. */
    haft_store *store;
    unsigned number;       /* of this endpoint among several, below 256: the ids of its
                                           sessions begin with it, in two digits */
    const haft_loop *loop; /* NULL: handlers run where requests come in, and there are
                                           no legacy sessions */
} haft_endpoint_options;

/* A request, here and wherever else the library shows one. */
typedef struct haft_request {
    const char *method;         /* "POST" */
    const char *path;           /* decoded once, without the query */
    const char *target;         /* the path as it came; NULL when that is not known */
    const char *query;          /* as it came, without the question mark; "" for none */
    const haft_header *headers; /* in the order in which they came, several of one name too */
    size_t n_headers;
    const char *body;
    size_t body_size;
    const char *peer;      /* the client's address, "192.0.2.7"; NULL when it has none */
    const char *principal; /* who the client is, when that is known; NULL otherwise */
    /* The library's own: NULL in a request that you make, and as it was in a copy. */
    const struct haft_header_index *index_; /* the headers that the library reads itself */
    const void *via_;                       /* the gateway that it came through */
} haft_request;

/* A response.  There may be several headers of one name; those about the transfer (Content-Length,
 * Transfer-Encoding, Connection) are not among them.  One that has a line end in it is not sent. */
typedef struct haft_response {
    int status; /* 200 ... */
    const haft_header *headers;
    size_t n_headers;
    const char *body; /* one that the library has made has a NUL after it */
    size_t size;
} haft_response;

/* How a response goes out.  What is pointed to lives until the function returns.  None of them may
 * come back to the endpoint before it returns. */
typedef struct haft_responder {
    void (*respond)(void *context, const haft_response *response);
    void (*stream)(void *context, const haft_response *head); /* `write` and `end` follow */
    void (*write)(void *context, const char *bytes, size_t size);
    void (*end)(void *context);
} haft_responder;

typedef struct haft_endpoint haft_endpoint;
typedef struct haft_exchange haft_exchange; /* a request that has not been answered to its end */

haft_endpoint *haft_endpoint_new(haft_server *server, const haft_endpoint_options *options);
/* Everything that runs must have come back: haft_endpoint_idle. */
void haft_endpoint_free(haft_endpoint *endpoint);

/* Takes in a request.  NULL when it has been answered already; else what to say when its client is
 * gone, valid until `respond` or `end`. */
haft_exchange *haft_endpoint_handle(haft_endpoint *endpoint, const haft_request *request,
                                    const haft_responder *responder, void *context, haft_time now);
void haft_exchange_gone(haft_exchange *exchange);

/* Deadlines, announcements, keep-alive comments, idle sessions: call it now and then. */
void haft_endpoint_tick(haft_endpoint *endpoint, haft_time now);

/* The server is going away: subscriptions end with their result, new requests are answered 503. */
void haft_endpoint_shut_down(haft_endpoint *endpoint);
bool haft_endpoint_idle(const haft_endpoint *endpoint);

/* ---- whoever answers requests --------------------------------------------------- */

/* A loop of the HTTP server, for those who serve on it. */
typedef struct haft_http_loop {
    void *uv;              /* a uv_loop_t; everything happens on its thread */
    unsigned number, n;    /* of this loop, and how many there are */
    haft_server *server;   /* that the HTTP server was made for: its log, its memory */
    const haft_loop *loop; /* for endpoints and sessions of the app's own; outlives the app.  `wake`
                              has `tick` called soon */
} haft_http_loop;

/* A program's own part of an HTTP server, beside MCP.  Every loop has one that is opened for it and
 * knows nothing of the others; its functions are called on the loop's thread. */
typedef struct haft_app {
    size_t struct_size; /* its sizeof */
    /* NULL, with the reason, when it cannot be: the server does not start then. */
    void *(*open)(void *data, const haft_http_loop *loop, haft_reason *reterr_reason);
    /* It is idle.  Handles of its own on the loop are closed now, and may take until the loop comes
     * around; may be NULL. */
    void (*close)(void *app);
    /* As haft_endpoint_handle: NULL when it has been answered, else what to give to `gone`. */
    void *(*handle)(void *app, const haft_request *request, const haft_responder *responder,
                    void *context, haft_time now);
    /* The client is gone: the responder must not be used any more. */
    void (*gone)(void *app, void *exchange);
    void (*tick)(void *app, haft_time now); /* several times a second; may be NULL */
    void (*shut_down)(void *app);           /* no request comes any more; may be NULL */
    void (*abandon)(void *app);             /* waiting is over: cancel everything; may be NULL */
    bool (*idle)(const void *app);          /* nothing is at work; NULL: always */
    void *data;
    /* The client has closed its side of the connection, and may still read.  False when that ends
     * the request: `gone` is called.  It may be asked more than once; NULL: the answer is written. */
    bool (*half_closed)(const void *app, const void *exchange);
    /* Whether pages of this origin may send this request, besides those that the server's options
     * allow.  The responses to them, also to their preflights, are the app's then, as it writes them.
     * NULL: they may not. */
    bool (*allows_origin)(const void *app, const haft_request *request, const char *origin,
                          size_t size);
    /* What it serves to anybody, without authentication: "route GET /x", for a message; NULL when
     * there is nothing.  The text lives as long as the app.  NULL: all of it. */
    const char *(*unauthenticated)(void *app);
} haft_app;

/* Where something is served.  The longest path that fits a request has it. */
typedef struct haft_http_mount {
    size_t struct_size;  /* its sizeof */
    const char *path;    /* "/admin/mcp" */
    haft_server *server; /* an MCP endpoint, at this very path; or */
    const haft_app *app; /* this, at the path and everything below it */
    size_t max_sessions; /* of the endpoint: as in haft_http_options */
    unsigned session_idle_ms;
    bool legacy_sse; /* at most one endpoint can have it */
} haft_http_mount;

/* A request that waits for admit, with a copy of it. */
typedef struct haft_admission {
    haft_request request;
} haft_admission;

/* For an `admit` that returns HAFT_PENDING: takes the very request that it was given, and returns what
 * to continue with, once and from any thread, also before `admit` has returned; NULL without memory.
 * The copy lives until then, also when the client has left.  A request that is not continued within
 * the server's timeout_ms is answered 504, and must still be continued. */
haft_admission *haft_admission_hold(const haft_request *request);
/* 0 admits it, as the principal, which is copied and may be NULL; an error: 500. */
void haft_admission_continue(haft_admission *admission, int status, const char *principal);
/* Answers it instead, as a responder does.  Everything is copied. */
void haft_admission_answer(haft_admission *admission, const haft_response *response);

/* ---- the server: libuv --------------------------------------------------------- */

/* Zero means the stated default. */
typedef struct haft_http_options {
    size_t struct_size; /* its sizeof */
    /* "HOST:PORT", "[HOST]:PORT" or "unix:PATH": "127.0.0.1:8808"; port 0 takes a free one. */
    const char *address;
    const char *path; /* "/mcp"; "" for no endpoint of the server's own, only what is mounted */
    /* As in haft_endpoint_options. */
    const char *const *allowed_hosts;
    const char *const *allowed_origins;
    const char *cors_origin;
    bool legacy_sse;
    const haft_http_mount *mounts; /* besides the server's own endpoint */
    size_t n_mounts;
    /* Sees every request before it is handed on, and may say whose it is (request->principal, for
     * as long as the request is handled).  0 to admit it, HAFT_STOP after having answered,
     * HAFT_PENDING after haft_admission_hold, or an error: 500, with a line in the log, as for anything
     * else.  Called on the loops' threads; NULL: no need. */
    int (*admit)(void *context, haft_request *request, const haft_responder *responder,
                 void *responder_context);
    void *admit_context;
    /* Requests that are answered, of one client and of all together; others get 429.  A client is
     * its principal, else its address (of IPv6, the network of 64 bits).  Probes and /metrics are
     * not counted.  Zero for any number; a minute when per_ms is 0.  They are counted in the server's store,
     * if it has one: the request waits for the answer. */
    haft_rate rate;
    haft_rate total_rate;
    const char *metrics_path; /* "/metrics", of a server that counts (haft_metrics_enable) */
    bool metrics_for_all;     /* answer it to other machines, too, and through proxies */
    bool insecure;            /* may listen off loopback although something has no authentication */
    int fd;                   /* a listening socket to take over; 0 for none */
    /* Of haft_http_serve: loops, each with its own connections: 1, at most 64. */
    unsigned threads;
    unsigned workers;       /* threads that run handlers, for each loop: 4 */
    size_t max_queue;       /* calls that wait for one: 1,024 */
    size_t max_connections; /* 4,096 */
    size_t max_per_address; /* connections of one address that is not this machine: 256 */
    size_t max_headers;     /* bytes of a request's head: 16 KiB, with at most 100 headers */
    size_t max_url;         /* 8 KiB */
    size_t max_unsent;      /* bytes of a stream not taken before its reader is dropped: 1 MiB */
    unsigned header_ms;     /* for the head of a request to arrive: 10,000 */
    unsigned body_ms;       /* for its body: 30,000 */
    unsigned idle_ms;       /* between requests: 60,000 */
    unsigned drain_ms;      /* for calls in flight when a signal comes: 10,000 */
    /* As in haft_endpoint_options; the sessions are those of all loops together. */
    size_t max_sessions;
    unsigned session_idle_ms;
    haft_store *store;      /* of all endpoints */
    haft_log_function *log; /* of a server that has none: warnings and worse to standard error */
    void *log_context;
    void (*ready)(void *context, const char *url); /* listening now, at this address */
    void *ready_context;
    /* Called at SIGHUP, on the thread of haft_http_serve, while others serve.  NULL: it ends as at
     * SIGTERM. */
    void (*reload)(void *context);
    void *reload_context;
    /* Proxies that are believed when they say in Forwarded or X-Forwarded-For whom they ask for:
     * addresses, networks like "10.0.0.0/8", or "unix" for those that come over a Unix socket; ends
     * with NULL.  The client's address is then the last one that is not a proxy's. */
    const char *const *trusted_proxies;
} haft_http_options;

/* Serves until SIGTERM, SIGINT or SIGHUP; calls in flight are finished within drain_ms.  0; or an
 * error when it could not begin, with the reason in *reterr_reason (which may be NULL).  It does
 * not return, but ends the process, when handlers still run after drain_ms (status 1), and at a
 * second signal N (status 128 + N). */
int haft_http_serve(haft_server *server, const haft_http_options *options,
                    haft_reason *reterr_reason);

/* The same inside a loop of yours, on its thread.  `loop` is a uv_loop_t. */
typedef struct haft_http haft_http;

haft_http *haft_http_new(haft_server *server, const haft_http_options *options, void *loop,
                         haft_reason *reterr_reason);
/* Where it listens: "http://127.0.0.1:8808/mcp". */
const char *haft_http_url(const haft_http *http);

/* Stops accepting, lets calls in flight finish within `ms`, cancels the rest, closes everything
 * when they have come back, and calls `closed`; it is gone then. */
void haft_http_close(haft_http *http, unsigned ms, void (*closed)(void *context), void *context);

#ifdef __cplusplus
}
#endif
#endif
