/* haft/http.h - MCP over HTTP: every revision on one endpoint.
 *
 * There are three ways to serve HTTP, the most automatic one first:
 *
 *     haft_http_serve(server, &options)        a process that serves until a signal arrives
 *     haft_http_new(server, &options, loop)    the same inside a libuv loop of the program
 *     haft_endpoint_new(server, &options)      requests in, responses out: for another HTTP server
 *
 * An HTTP server listens on loopback by default.  It refuses to listen on other addresses if it
 * serves anything without authentication, unless the option `insecure` says that this is
 * intended. */
#ifndef HAFT_HTTP_H
#define HAFT_HTTP_H

#include <haft/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Establishes who clients are: haft/authenticate.h. */
typedef struct haft_authenticator haft_authenticator;

/* ---- the endpoint, without sockets ------------------------------------------------- */

/* Options of an endpoint.  Zero means the default in each description. */
typedef struct haft_endpoint_options {
    size_t struct_size; /* set by HAFT_INIT or HAFT_WITH */
    const char *path;   /* "/mcp", with and without a slash at its end */
    /* in addition to localhost, 127.0.0.1 and [::1]; "*" for any; ends with NULL */
    const char *const *allowed_hosts;
    const char *const *allowed_origins; /* in addition to those of the hosts; ends with NULL */
    const char *cors_origin;            /* "*" or an origin: sends CORS headers; NULL sends none */
    bool legacy_sse;                    /* also serve /sse and /messages for 2024-11-05 clients */
    size_t max_sessions;                /* sessions of clients before 2026-07-28: 10,000 */
    unsigned session_idle_ms;           /* 30 minutes without a request end such a session */
    size_t max_events; /* events kept for a client that reconnects: 256, and 1 MiB */
    /* Where legacy sessions and their events are kept; must outlive the endpoint.  NULL: the
     * server's store, or else memory of its own. */
    haft_store *store;
    /* Number of this endpoint among several, below 256: it is in the ids of its sessions, in two
     * hexadecimal digits after those of `replica`. */
    unsigned number;
    /* NULL: handlers run on the thread that handles requests, and there are no legacy sessions. */
    const haft_loop *loop;
    /* Establishes who clients are: others are answered with 401.  The headers Authorization, DPoP and
     * X-API-Key are not passed on.  NULL: the program that embeds the endpoint does, in
     * request->principal. */
    haft_authenticator *authenticator;
    /* Number of this process among several, below 65,536: the ids of its sessions begin with it, in
     * four hexadecimal digits, so that a load balancer can send each request to its session. */
    unsigned replica;
} haft_endpoint_options;

/* An HTTP request. */
typedef struct haft_request {
    const char *method; /* "POST" */
    const char *path;   /* path, percent-decoded once, without the query */
    const char *target; /* path as it was received; NULL if it is not known */
    const char *query;  /* query as it was received, without the question mark; "" for none */
    const haft_header *headers; /* headers in the order of the request; names may repeat */
    size_t n_headers;           /* number of headers */
    const char *body;           /* body; may be NULL if it is empty */
    size_t body_size;           /* bytes of the body */
    const char *peer;           /* address of the client, "192.0.2.7"; NULL if it has none */
    const char *principal;      /* authenticated identity of the client; NULL if it is not known */
    /* Internal: NULL in a request that a program makes, unchanged in a copy. */
    const struct haft_header_index *index_; /* headers that the library reads itself */
    const void *via_;                       /* gateway that the request came through */
    /* More about the client than the principal, which must be the same; NULL: nothing is known. */
    const haft_identity *identity;
    /* SHA-256 of the client's certificate, in base64url; NULL if there is none. */
    const char *certificate;
    /* The request comes from a proxy that is trusted to name the client's certificate in a header. */
    bool proxied;
} haft_request;

/* An HTTP response.  Headers of the transfer (Content-Length, Transfer-Encoding, Connection) are
 * not among its headers.  A header with a line end in it is not sent. */
typedef struct haft_response {
    int status;                 /* status code, such as 200 */
    const haft_header *headers; /* headers; names may repeat */
    size_t n_headers;           /* number of headers */
    const char *body;           /* body; the library adds a NUL to the bodies that it makes */
    size_t size;                /* bytes of the body */
} haft_response;

/* Functions that send a response.  What they get is valid until they return.  They must not call
 * the endpoint before they return. */
typedef struct haft_responder {
    void (*respond)(void *context, const haft_response *response); /* sends a complete response */
    /* sends the head of a stream; `write` and `end` follow */
    void (*stream)(void *context, const haft_response *head);
    void (*write)(void *context, const char *bytes, size_t size); /* sends bytes of a stream */
    void (*end)(void *context);                                   /* ends a stream */
} haft_responder;

/* An MCP endpoint. */
typedef struct haft_endpoint haft_endpoint;
typedef struct haft_exchange haft_exchange; /* a request that has not been answered completely */

/* Creates an endpoint of a server, which must outlive it. options may be NULL.  Returns NULL if
 * memory runs out or an option is invalid. */
haft_endpoint *haft_endpoint_new(haft_server *server, const haft_endpoint_options *options);
/* Frees an endpoint.  No call may be running: haft_endpoint_idle must return true.  Accepts
 * NULL. */
void haft_endpoint_free(haft_endpoint *endpoint);

/* Handles a request. haft_endpoint_handle returns NULL if the request has been answered completely;
 * otherwise an exchange, valid until `respond` or `end` is called. haft_exchange_gone reports that
 * the client of an exchange has left. */
haft_exchange *haft_endpoint_handle(haft_endpoint *endpoint, const haft_request *request,
                                    const haft_responder *responder, void *context, haft_time now);
void haft_exchange_gone(haft_exchange *exchange);

/* Handles deadlines, announcements, keep-alive comments and idle sessions.  Call it several times a
 * second. */
void haft_endpoint_tick(haft_endpoint *endpoint, haft_time now);

/* Shut down an endpoint: subscriptions end with their results, and new requests are answered with
 * 503. haft_endpoint_idle returns whether no call is running. */
void haft_endpoint_shut_down(haft_endpoint *endpoint);
bool haft_endpoint_idle(const haft_endpoint *endpoint);

/* ---- apps: other parts of an HTTP server --------------------------------------------------- */

/* A loop of the HTTP server, for an app on it. */
typedef struct haft_http_loop {
    void *uv;            /* the uv_loop_t; everything happens on its thread */
    unsigned number, n;  /* number of this loop; number of loops */
    haft_server *server; /* server that the HTTP server was made for: its log, its memory */
    /* For endpoints and sessions of the app; outlives the app.  Its `wake` makes the loop call
     * `tick` soon. */
    const haft_loop *loop;
    unsigned replica; /* as in haft_endpoint_options */
} haft_http_loop;

/* A part of an HTTP server next to MCP.  Every loop opens one, which is independent of the others;
 * its functions are called on the loop's thread. */
typedef struct haft_app {
    size_t struct_size; /* set by HAFT_INIT or HAFT_WITH */
    /* Opens the app for a loop.  Returns it, or NULL with the reason: the server then does not
     * start. */
    void *(*open)(void *data, const haft_http_loop *loop, haft_reason *reterr_reason);
    /* Closes the app, which is idle.  It must close its own handles on the loop now; they may take
     * until the next iteration.  May be NULL. */
    void (*close)(void *app);
    /* Handles a request.  Returns NULL if it has been answered completely, otherwise a pointer for
     * `gone`. */
    void *(*handle)(void *app, const haft_request *request, const haft_responder *responder,
                    void *context, haft_time now);
    /* Reports that the client has left: the responder must not be used any more. */
    void (*gone)(void *app, void *exchange);
    void (*tick)(void *app, haft_time now); /* called several times a second; may be NULL */
    void (*shut_down)(void *app);           /* no further request will come; may be NULL */
    void (*abandon)(void *app);    /* the grace period is over: cancel everything; may be NULL */
    bool (*idle)(const void *app); /* returns whether no request is in progress; NULL: always */
    void *data;                    /* first argument of open */
    /* Reports that the client has closed its side of the connection, and may still read.  Returns
     * false to end the request: `gone` is then called.  It may be called more than once.  NULL: the
     * response is sent. */
    bool (*half_closed)(const void *app, const void *exchange);
    /* Returns whether pages of this origin may send this request, in addition to the server's
     * options.  The app then writes the responses to them and to their preflight requests.  NULL:
     * they may not. */
    bool (*allows_origin)(const void *app, const haft_request *request, const char *origin,
                          size_t size);
    /* Returns something that the app serves without authentication, such as "route GET /x", for a
     * message; NULL if there is nothing.  The text lives as long as the app.  If the function is
     * NULL, everything is unauthenticated. */
    const char *(*unauthenticated)(void *app);
    /* Returns the path of the protected resource that a path belongs to, for an app with an
     * authenticator: tokens and metadata name it.  *ret_server is set to the server whose tools it
     * offers, if there is one; "" is the path of the only resource.  Returns NULL for the mount's
     * path.  NULL: that is the only resource. */
    const char *(*resource)(void *app, const char *path, haft_server **ret_server);
    /* Returns whether clients send access tokens that the app itself checks: the server then does
     * not listen for other machines without TLS.  NULL: they do not. */
    bool (*takes_tokens)(const void *app);
} haft_app;

/* Something that is served at a path.  The longest matching path handles a request. */
typedef struct haft_http_mount {
    size_t struct_size;       /* set by HAFT_INIT or HAFT_WITH */
    const char *path;         /* "/admin/mcp" */
    haft_server *server;      /* an MCP endpoint at exactly this path; or */
    const haft_app *app;      /* an app at this path and everything below it */
    size_t max_sessions;      /* of the endpoint: as in haft_http_options */
    unsigned session_idle_ms; /* of the endpoint: as in haft_http_options */
    bool legacy_sse;          /* of the endpoint; at most one can have it */
    /* As in haft_endpoint_options, for the endpoint or the app.  NULL: an endpoint has that of the
     * HTTP server, and an app has none. */
    haft_authenticator *authenticator;
} haft_http_mount;

/* A request that waits for the decision of `admit`. */
typedef struct haft_admission {
    haft_request request; /* copy of the request */
} haft_admission;

/* Holds a request, for an `admit` that returns HAFT_PENDING; it takes the request that `admit` was
 * given.  Returns an admission that must be continued or answered exactly once, from any thread,
 * also before `admit` has returned; NULL if memory runs out.  The copy lives until then, also if
 * the client has left.  A request that is not continued within the server's timeout_ms is answered
 * with 504, and must still be continued. */
haft_admission *haft_admission_hold(const haft_request *request);
/* Admits a held request if status is 0, with a principal that is copied and may be NULL; for an
 * error it is answered with 500.  May be called from any thread. */
void haft_admission_continue(haft_admission *admission, int status, const char *principal);
/* Answers a held request with a response, which is copied.  May be called from any thread. */
void haft_admission_answer(haft_admission *admission, const haft_response *response);

/* ---- the server, on libuv --------------------------------------------------------- */

/* Options of an HTTP server.  Zero means the default in each description. */
typedef struct haft_http_options {
    size_t struct_size; /* set by HAFT_INIT or HAFT_WITH */
    /* "HOST:PORT", "[HOST]:PORT", "PORT", ":PORT" or "unix:PATH": "127.0.0.1:8808"; port 0 takes a
     * free one.  A port alone is on 127.0.0.1 and, if the machine has it, on ::1. */
    const char *address;
    const char *path;                   /* "/mcp"; "" for no endpoint of the server, only mounts */
    const char *const *allowed_hosts;   /* as in haft_endpoint_options */
    const char *const *allowed_origins; /* as in haft_endpoint_options */
    const char *cors_origin;            /* as in haft_endpoint_options */
    bool legacy_sse;                    /* as in haft_endpoint_options */
    const haft_http_mount *mounts;      /* in addition to the server's own endpoint */
    size_t n_mounts;                    /* number of mounts */
    /* Sees every request before it is handled, after the authenticator and without the credentials
     * that it has checked, and may set request->principal and request->identity, which must live as
     * long as the request is handled.  An identity of another principal is not used.  Returns 0 to admit it, HAFT_STOP after it has answered,
     * HAFT_PENDING after haft_admission_hold, or an error: 500.  Any other value is also answered
     * with 500 and logged.  Called on the threads of the loops.  NULL: all requests are
     * admitted. */
    int (*admit)(void *context, haft_request *request, const haft_responder *responder,
                 void *responder_context);
    void *admit_context; /* first argument of admit */
    /* Rate limit of one client; requests over it are answered with 429.  A client is its principal,
     * or else its address (for IPv6, the network of 64 bits).  Health probes and /metrics are not
     * counted.  Zero: no limit; per_ms 0: a minute.  Requests are counted in the server's store if
     * it has one, and wait for its answer. */
    haft_rate rate;
    haft_rate total_rate;     /* rate limit of all clients together, as above */
    const char *metrics_path; /* "/metrics", of a server with haft_metrics_enable */
    bool metrics_for_all;     /* serve metrics also to other machines and through proxies */
    /* May listen on other addresses than loopback without authentication, or with an authenticator
     * but neither TLS nor trusted proxies. */
    bool insecure;
    int fd;           /* a listening socket to take over; 0 for none */
    unsigned threads; /* Loops of haft_http_serve, each with its own connections: 1, at most 64. */
    unsigned workers; /* threads that run handlers, for each loop: 4 */
    size_t max_queue; /* calls that wait for a thread: 1,024 */
    size_t max_connections;   /* open connections: 4,096 */
    size_t max_per_address;   /* connections of one address other than loopback: 256 */
    size_t max_headers;       /* bytes of a request's head: 16 KiB, with at most 100 headers */
    size_t max_url;           /* bytes of a request's target: 8 KiB */
    size_t max_unsent;        /* unsent bytes of a stream before its client is dropped: 1 MiB */
    unsigned header_ms;       /* time limit for the head of a request: 10,000 */
    unsigned body_ms;         /* time limit for its body: 30,000 */
    unsigned idle_ms;         /* time limit between requests: 60,000 */
    unsigned drain_ms;        /* time for calls in flight after a signal: 10,000 */
    size_t max_sessions;      /* as in haft_endpoint_options, for all loops together: 10,000 */
    unsigned session_idle_ms; /* as in haft_endpoint_options: 30 minutes */
    /* Store of all endpoints, as in haft_endpoint_options; must outlive what is mounted too. */
    haft_store *store;
    haft_log_function *log; /* log of a server that has none: warnings and above to stderr */
    void *log_context;      /* first argument of log */
    void (*ready)(void *context, const char *url); /* called when it listens, with its URL */
    void *ready_context;                           /* first argument of ready */
    /* Called at SIGHUP, on the thread of haft_http_serve, while other threads serve.  NULL: ends as
     * at SIGTERM, unless the server uses TLS. */
    void (*reload)(void *context);
    void *reload_context; /* argument of reload */
    /* Proxies whose Forwarded or X-Forwarded-For headers are trusted: addresses, networks like
     * "10.0.0.0/8", or "unix" for a Unix socket; ends with NULL.  The client's address is then the
     * last one that is not a proxy's. */
    const char *const *trusted_proxies;
    haft_authenticator *authenticator; /* of all endpoints, as in haft_endpoint_options */
    /* PEM files of certificates, each with its chain, and of their private keys: the server uses
     * TLS 1.2 and 1.3, and its URL begins with https.  The name that a client asks for chooses
     * among several, and the first is for all others.  They end with NULL; keys that are missing
     * at the end are in the files of their certificates.  haft_http_serve reads the files again at
     * SIGHUP, before `reload`; haft_http_reload_tls does it in the program's loop.  The names must
     * live until then.  Needs libhaft-crypto. */
    const char *const *tls_certificates, *const *tls_keys;
    const char *tls_client_ca; /* clients must have a certificate of these authorities (PEM file) */
    bool tls_client_optional;  /* clients may also have none */
    unsigned replica;          /* as in haft_endpoint_options */
    /* Answer /readyz with 503 while the store does not answer; it is otherwise 200, and names what
     * is degraded. */
    bool needs_store;
    /* haft_http_serve: after a signal, goes on for so long while /readyz is answered with 503, so that a
     * load balancer stops sending requests before connections are refused: 0. */
    unsigned drain_notice_ms;
} haft_http_options;

/* Serves until SIGTERM, SIGINT or SIGHUP; calls in flight have drain_ms to finish. options may be
 * NULL.  Returns 0, or an error if it could not start, with the reason in *reterr_reason (which may
 * be NULL).  It ends the process instead of returning if handlers still run after drain_ms (status
 * 1), and at a second signal N (status 128 + N). */
int haft_http_serve(haft_server *server, const haft_http_options *options,
                    haft_reason *reterr_reason);

/* An HTTP server inside a libuv loop of the program.  Its functions are called on the thread of the
 * loop. */
typedef struct haft_http haft_http;

/* Starts an HTTP server in a loop, which is a uv_loop_t. options may be NULL.  Returns NULL with
 * the reason in *reterr_reason (which may be NULL).  Free it with haft_http_close. */
haft_http *haft_http_new(haft_server *server, const haft_http_options *options, void *loop,
                         haft_reason *reterr_reason);
/* Returns the URL of the server's endpoint: "http://127.0.0.1:8808/mcp", or "http://localhost:8808/mcp"
 * if it listens on both addresses of loopback.  It lives as long as the HTTP server. */
const char *haft_http_url(const haft_http *http);

/* Reads the files of tls_certificates, tls_keys and tls_client_ca again; connections that begin later
 * use them, and all others go on as before.  Returns 0, or an error with the reason in
 * *reterr_reason (which may be NULL): the certificates stay as they were. */
int haft_http_reload_tls(haft_http *http, haft_reason *reterr_reason);

/* Stops accepting connections, gives calls in flight `ms` milliseconds to finish, cancels the rest,
 * closes everything when they have returned, frees the HTTP server and calls `closed`. */
void haft_http_close(haft_http *http, unsigned ms, void (*closed)(void *context), void *context);

#ifdef __cplusplus
}
#endif
#endif
