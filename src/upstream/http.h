/* upstream/http.h - HTTP APIs as upstreams: requests to one or several targets.
 *
 * Everything here is on the outbound thread, except for what says otherwise.  hf_http_upstream_send sends a request:
 * it waits for its turn, obtains a token, chooses a target whose breaker is closed, repeats what may be
 * repeated, and ends with one result. */
#ifndef HAFT_SRC_UPSTREAM_HTTP_H
#define HAFT_SRC_UPSTREAM_HTTP_H

#include <haft/http.h>

#include "auth/web_url.h"
#include "http/client/client.h"
#include "upstream/breaker.h"
#include "upstream/http_entry.h"
#include "upstream/retry.h"
#include "upstream/upstream.h"

struct http_upstream;
struct http_sending;

/* ---- results ---- */

/* Why there is no response; the HTTP status of a route that fails so; text for people and models. */
#define HTTP_FAULTS(X)                                                                             \
    X(HTTP_FAULT_NONE, 200, "no error")                                                            \
    X(HTTP_FAULT_MEMORY, 503, "out of memory")                                                     \
    X(HTTP_FAULT_CANCELLED, 503, "the request was cancelled")                                      \
    X(HTTP_FAULT_RESOLVE, 502, "could not resolve the host name")                                  \
    X(HTTP_FAULT_ADDRESS, 502, "connecting to this address is not allowed")                        \
    X(HTTP_FAULT_CONNECT, 502, "could not connect")                                                \
    X(HTTP_FAULT_TLS, 502, "the TLS handshake failed")                                             \
    X(HTTP_FAULT_TIMEOUT, 504, "timed out")                                                        \
    X(HTTP_FAULT_CLOSED, 502, "the connection was closed before the end of the answer")            \
    X(HTTP_FAULT_TOO_LARGE, 502, "the answer exceeds the limit")                                   \
    X(HTTP_FAULT_GARBAGE, 502, "the answer is not valid HTTP")                                     \
    X(HTTP_FAULT_REDIRECT, 502, "the answer is a redirect that is not followed")                   \
    X(HTTP_FAULT_BREAKER, 503, "it failed repeatedly and is not called for a while")               \
    X(HTTP_FAULT_UNHEALTHY, 503, "no target is healthy")                                           \
    X(HTTP_FAULT_BUSY, 503, "too many calls are waiting")                                          \
    X(HTTP_FAULT_CREDENTIALS, 502, "no access token was issued")                                   \
    X(HTTP_FAULT_REQUEST, 500, "the request cannot be sent")                                       \
    X(HTTP_FAULT_STOPPED, 503, "it has been stopped")

enum http_fault {
#define HTTP_FAULT_(name, status, text) name,
    HTTP_FAULTS(HTTP_FAULT_)
#undef HTTP_FAULT_
        HTTP_FAULT_COUNT
};

/* Valid during on_end. */
struct http_result {
    enum http_fault fault; /* HTTP_FAULT_NONE: there is a response, with any status */
    const char *text;      /* why not; without data of the request except its host */
    int64_t retry_ms;      /* time after which a call may succeed; 0 if unknown */
    bool maybe_handled;    /* the server may have executed it */
    int status;
    const haft_header *headers;
    size_t n_headers;
    const char *body; /* followed by a NUL */
    size_t size;
};

/* The status for a client of a route, and the text of a fault. */
int hf_http_fault_status(enum http_fault fault);
const char *hf_http_fault_text(enum http_fault fault);

/* ---- credentials (http_credential.c, http_token.c) ---- */

enum http_credential_kind {
    HTTP_CREDENTIAL_HEADER, /* `name` and `value` of a header, */
    HTTP_CREDENTIAL_QUERY,  /* of a parameter of the query, */
    HTTP_CREDENTIAL_COOKIE, /* or of a cookie */
    HTTP_CREDENTIAL_OAUTH   /* a token that is fetched */
};

/* A token of client credentials. */
struct http_token {
    const http_oauth_entry *options;
    const char *url, *secret;
    bool guarded;          /* the URL is not from the configuration */
    haft_arena *arena;     /* holds `header`; NULL if there is no token */
    const char *header;    /* value of Authorization */
    uint64_t since, until; /* when it came and has to be renewed, by the loop's time */
    http_request *request; /* that fetches one; NULL if none does */
    haft_buffer form, answer;
    haft_reason failure;                     /* of the latest attempt, */
    uint64_t again;                          /* and when there may be another */
    struct http_sending *waiting, *settling; /* by next_waiting; those that are being told */
    struct http_upstream *http;
    struct http_token *next; /* of the upstream */
};

struct http_credential {
    enum http_credential_kind kind;
    const char *name, *value;
    const char *password; /* of a name and password, whose value is base64; NULL for others */
    struct http_token *token;
};

struct import_scheme;

/* Makes credentials of every request from `auth`; and one for a security scheme, from `security`: NULL
 * with code 0 if the configuration has none. */
int hf_http_credentials_make(struct http_upstream *http, haft_reason *reterr_reason);
int hf_http_credential_of(struct http_upstream *http, const struct import_scheme *scheme,
                          struct http_credential **ret_credential, haft_reason *reterr_reason);

/* Overwrites what is secret of a credential with asterisks in a text that came from an upstream. */
void hf_http_credential_mask(const struct http_credential *credential, char *text, size_t size);
/* The same for the values of headers that the configuration sets. */
void hf_http_headers_mask(const http_headers_entry *headers, char *text, size_t size);

/* Returns 0 if the token can be sent now; HAFT_PENDING: the sending waits, and hf_http_sending_granted
 * follows; or an error, with token->failure, if it could not be obtained a moment ago. */
int hf_http_token_ready(struct http_token *token, struct http_sending *sending);
/* A request that was sent at this time of the loop was refused: the next one fetches another token, unless
 * there is a newer one. */
void hf_http_token_refused(struct http_token *token, uint64_t sent_at);
void hf_http_token_leave(struct http_token *token, struct http_sending *sending);
void hf_http_token_finish(struct http_token *token);

/* ---- targets (http_target.c) ---- */

struct http_target {
    struct http_upstream *http;
    const char *url; /* without a slash at its end */
    bool guarded;    /* the URL is not from the configuration: only public addresses */
    unsigned weight, pending;
    int current; /* of round robin */
    struct breaker breaker;
    bool unhealthy;
    unsigned bad_checks;
    http_request *check; /* that is going on */
    uint64_t check_at;
};

int hf_http_targets_make(struct http_upstream *http, haft_reason *reterr_reason);
/* Chooses a target for a request, other than `last` if possible; NULL with the fault and how long to wait. */
struct http_target *hf_http_target_choose(struct http_upstream *http,
                                          const struct http_target *last,
                                          enum http_fault *reterr_fault, int64_t *reterr_wait_ms);
/* Starts the checks that are due, and returns when the next one is; UINT64_MAX: never. */
uint64_t hf_http_targets_check(struct http_upstream *http);
/* Reports the state of the upstream, after a breaker or a check has changed. */
void hf_http_targets_report(struct http_upstream *http);

/* ---- a request (http_send.c, http_request.c) ---- */

enum http_sending_state {
    HTTP_SENDING_NEW,
    HTTP_SENDING_QUEUED,  /* waits for its turn */
    HTTP_SENDING_TOKEN,   /* waits for a token */
    HTTP_SENDING_SENT,    /* waits for the response */
    HTTP_SENDING_DELAYED, /* waits to be sent again */
    HTTP_SENDING_OVER
};

/* What to send; set by the caller, and valid until on_end. */
struct http_message {
    const char *method;
    const char *target; /* path and query, encoded, below the base URL */
    const haft_header *headers;
    size_t n_headers;
    const char *body;
    size_t body_size;
    const struct http_credential *const *credentials; /* besides those of every request */
    size_t n_credentials;
    const char *traceparent, *tracestate; /* or NULL */
};

/* A request; owned by the caller until on_end. */
struct http_sending {
    struct upstream *upstream;
    struct http_message message;
    haft_arena *arena; /* for what it needs until on_end */
    int64_t time_left; /* milliseconds; -1: only that of the options */
    void (*on_end)(struct http_sending *sending, const struct http_result *result);
    void *context;

    /* of http_send.c */
    enum http_sending_state state;
    struct http_sending *previous, *next; /* of all that are going on */
    struct http_sending *next_waiting;    /* in the queue, or for a token */
    struct http_target *target;
    http_request *request;
    bool probe, counted, refused; /* of the breaker; among the running ones; a token was refused */
    unsigned retries, redirects;
    uint64_t deadline, due, sent_at; /* by the loop's time */
    bool maybe_handled;              /* an attempt may have been executed */
    const char *elsewhere;           /* URL of a redirect */
    bool elsewhere_guarded;
    haft_buffer body;
    int status;
    haft_header *headers;
    size_t n_headers;
    const char *method; /* changed by redirects */
};

/* Sends it.  on_end is called once, possibly before this returns. */
void hf_http_upstream_send(struct http_sending *sending);
/* Ends it with HTTP_FAULT_CANCELLED; on_end has been called then. */
void hf_http_upstream_cancel(struct http_sending *sending);
/* Sends it now, for one whose turn has come; and with the tokens that it needs (http_attempt.c). */
void hf_http_sending_run(struct http_sending *sending);
void hf_http_sending_attempt(struct http_sending *sending);
/* End it, with a fault, whose text may be NULL, or with the response; it may be gone then. */
void hf_http_sending_fail(struct http_sending *sending, enum http_fault fault, const char *text,
                          int64_t retry_ms, bool maybe_handled);
void hf_http_sending_succeed(struct http_sending *sending);
/* Gives up its tokens, which were refused; false if it has none, or has done so before. */
bool hf_http_sending_renew(struct http_sending *sending);
/* A token was obtained, or not: then with the reason. */
void hf_http_sending_granted(struct http_sending *sending, const haft_reason *reason);
/* Sends what has waited long enough, and returns when something is due next; UINT64_MAX: never. */
uint64_t hf_http_sendings_due(struct http_upstream *http);

/* URL and headers of a sending for the HTTP client, in its arena. Returns 0, HAFT_ENOMEM, or an error. */
struct http_outgoing {
    const char *url;
    struct http_field *fields;
    size_t n_fields;
};
int hf_http_outgoing_make(const struct http_sending *sending, struct http_outgoing *ret_outgoing);
/* Checks the rules for headers in the options. */
int hf_http_headers_check(const http_headers_entry *headers, haft_reason *reterr_reason);
/* Copies the headers of a client's request that may be passed on, to `list`, which has room for them all.  Returns how
 * many, or HAFT_ENOMEM.  On any thread. */
int hf_http_headers_forward(const struct upstream *upstream, const haft_header *headers, size_t n,
                            haft_arena *arena, haft_header *list);

/* ---- the upstream (http.c) ---- */

struct http_lists {
    struct http_sending *all, *first, **last; /* all that are going on; the queue */
    size_t n_queued, n_running;
    bool moving; /* the queue moves on */
};

/* Paths of the files of the options `tls`; NULL for none. */
struct http_files {
    const char *ca_file, *certificate, *key, *key_password;
};

struct http_tool; /* of openapi.c */

struct http_upstream {
    struct upstream *upstream;
    const http_entry *options;
    const struct http_client_functions *functions;
    http_client *client,
        *guarded; /* the latter for hosts that the configuration does not name; NULL until needed */
    struct http_target *targets;
    size_t n_targets;
    struct breaker_rules breaker;
    struct retry_rules retry;
    struct retry_budget budget;
    struct http_lists sendings;
    struct http_credential **credentials; /* of every request */
    size_t n_credentials;
    struct http_token *tokens;
    struct http_files tls;
    uv_timer_t *timer;   /* while it is open */
    uint64_t due;        /* when the timer fires */
    bool open, stopping; /* from start to close; from stop on */
    struct http_tool *tools;
    size_t n_tools;
    struct import **imports;
    size_t n_imports;
    const char *server; /* of the OpenAPI document: base URL if there is none in the options */
};

static inline struct http_upstream *http_upstream_of(const struct upstream *upstream)
{
    return upstream->data;
}

/* Time of the outbound loop. */
uint64_t hf_http_now(const struct http_upstream *http);
/* Has the timer fire at this time of the loop, if it would not fire earlier. */
void hf_http_arm(struct http_upstream *http, uint64_t due);
/* Closes it, when it is stopping and no sending is left; and opens it again for a call that was admitted before the stop
 * and begins after it, unless the set is ending.  The latter returns 0, HAFT_ECLOSED or an error. */
void hf_http_close(struct http_upstream *http);
int hf_http_open_again(struct http_upstream *http);
/* The HTTP client for hosts that the configuration does not name; NULL with the reason. */
http_client *hf_http_guarded(struct http_upstream *http, haft_reason *reterr_reason);

/* Whether to connect to an address of a host that the configuration does not name: only if
 * it is public (address.c). */
bool hf_http_allow_address(void *context, const struct sockaddr *address, socklen_t size);

/* ---- tools (openapi.c) ---- */

int hf_http_tools_make(struct http_upstream *http, haft_reason *reterr_reason);
int hf_http_tools_items(struct upstream *upstream, haft_server *server,
                        struct upstream_items *items, haft_reason *reterr_reason);
void hf_http_tools_free(struct http_upstream *http);

#endif
