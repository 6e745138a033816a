/* connect/http.h - a server at a URL: Streamable HTTP, or HTTP+SSE of 2024-11-05.
 *
 * Every message is a separate POST. The answer to a request is one JSON document or a stream of
 * events; a stream that breaks is resumed by GET. Another GET opens a stream for messages that
 * belong to no request. With HTTP+SSE all answers come on one stream, and POSTs go to the URL that
 * the stream names first.
 *
 * An exchange is one message with all that becomes of it: waiting for its turn, for access, the HTTP
 * request, the pause before a stream is resumed. It ends once, and is then kept for the next. */
#ifndef HAFT_SRC_CONNECT_HTTP_H
#define HAFT_SRC_CONNECT_HTTP_H

#include "auth/authorizer.h"
#include "client/sse.h"
#include "connect/link.h"
#include "part/http_client.h"
#include "protocol/revision.h"

enum { HTTP_SESSION_LIMIT = 1024, HTTP_TEXT = 400 };

enum http_exchange_kind {
    EXCHANGE_REQUEST, /* a request, which has an answer */
    EXCHANGE_MESSAGE, /* a notification or a response, which has none */
    EXCHANGE_LISTEN,  /* a stream of messages that belong to no request */
    EXCHANGE_EVENTS,  /* the stream of HTTP+SSE */
    EXCHANGE_DELETE   /* the end of the session */
};

enum http_exchange_state {
    EXCHANGE_WAITING, /* for another exchange */
    EXCHANGE_ACCESS,  /* for the authorizer */
    EXCHANGE_RUNNING, /* the HTTP request */
    EXCHANGE_PAUSED,  /* until its stream is resumed, at `due` */
    EXCHANGE_POSTED,  /* the answer comes on the stream of HTTP+SSE */
    EXCHANGE_FAILED   /* to be reported, at `due` */
};

/* The response that is being received. */
struct http_answer {
    int status; /* 0: no head yet */
    bool is_stream, is_json;
    bool was_stream;           /* it, or one before it */
    int failure;               /* of sending or reading it: a haft_status, */
    const char *why;           /* and its text; NULL: that of the status */
    haft_buffer body;          /* of a response that is not a stream */
    struct http_field *fields; /* headers of a challenge */
    size_t n_fields;
    const char *location; /* where it redirects to; NULL: it does not */
    unsigned redirects;   /* that were followed */
};

struct http_exchange {
    struct http_exchange *previous, *next;
    struct http_link *http;
    enum http_exchange_kind kind;
    enum http_exchange_state state;
    void *tag;             /* NULL: the client does not wait for it */
    http_request *request; /* NULL unless it is running */
    uint64_t due;          /* 0: never */
    bool is_initialize;    /* its message is that request, */
    bool is_initialized;   /* or that notification */
    unsigned session;      /* the number of the one that it named; 0: none */
    bool busy;             /* a callback of the client is on the stack */
    bool dropped;          /* it ends as soon as it is not busy */
    bool answered;         /* only the end of its stream is missing */
    bool held;             /* the client knows that it waits for access */
    unsigned tries;        /* to resume, since the latest event; */
    bool resuming;         /* the next HTTP request resumes it */
    unsigned challenges;   /* that the authorizer has answered */
    haft_arena *arena;     /* holds the message, and what follows */
    const char *body;
    size_t body_size;
    struct http_field *fields; /* headers of the message */
    size_t n_fields;
    const char *url;       /* where it was redirected to; NULL: it was not */
    const char *operation; /* for the authorizer */
    struct http_field access[AUTHORIZER_FIELDS];
    size_t n_access;
    struct authorizer_wait wait;
    struct http_answer answer;
    struct sse sse;
};

/* Where the server is. */
struct http_place {
    const char *url;           /* without user name and password */
    const char *shown;         /* for messages: without the query as well */
    const char *unix_socket;   /* NULL for none */
    const char *authorization; /* user name and password, as a header's value; NULL for none */
};

struct http_link {
    struct connect_link link;
    struct http_place place;
    const struct http_client_functions *functions;
    http_client *client;
    haft_authorizer *authorizer; /* NULL for none */
    struct http_exchange *first, *last, *spare;
    unsigned n_spare;
    unsigned n_initialized; /* exchanges with that notification */
    bool waits;             /* some exchange may wait for another */
    uv_timer_t timer;       /* for the earliest `due` */
    enum revision revision;
    bool legacy; /* `initialize` was answered */
    char session[HTTP_SESSION_LIMIT + 1];
    unsigned n_sessions;  /* that the server has named */
    bool listens;         /* a stream is wanted, */
    bool listen_refused;  /* which the server does not offer */
    uint64_t listen_wait; /* requests wait for it until then */
    bool events;          /* HTTP+SSE is in use */
    char *endpoint;       /* its URL for messages; NULL before the stream has named it */
    size_t endpoint_size;
    bool ending; /* the client is gone */
    bool ended;
    uint64_t end_at; /* when everything is given up */
};

/* ---- http_place.c ---- */

/* Reads the URL of a target. Returns 0, HAFT_ENOMEM, or HAFT_EINVAL with the reason. */
int hf_http_place_read(struct http_place *place, const char *url, haft_arena *arena,
                       haft_reason *reterr_reason);

/* Appends the URL that `reference` means, seen from `base`; false if it has another origin or invalid
 * characters. */
bool hf_http_place_resolve(const char *base, const char *reference, size_t size,
                           haft_buffer *ret_url);

/* ---- http_exchange.c ---- */

/* An exchange of that kind, the last of the list; NULL without memory. */
struct http_exchange *hf_http_exchange_new(struct http_link *http, enum http_exchange_kind kind);
/* Sends it as soon as possible. */
void hf_http_exchange_begin(struct http_exchange *exchange);
/* The method and the URL of its HTTP request. */
const char *hf_http_exchange_method(const struct http_exchange *exchange);
const char *hf_http_exchange_url(const struct http_exchange *exchange);
/* Sends it again: its request was refused, and not executed. */
void hf_http_exchange_again(struct http_exchange *exchange);
/* Enters a state that ends after that time. */
void hf_http_exchange_wait(struct http_exchange *exchange, enum http_exchange_state state,
                           uint64_t milliseconds);
/* Ends it without a report, and frees it. */
void hf_http_exchange_drop(struct http_exchange *exchange);
void hf_http_exchange_free(struct http_exchange *exchange);

/* ---- http_access.c ---- */

/* Obtains headers for a request. Returns 0, HAFT_PENDING, or an error that has been reported. */
int hf_http_access_headers(struct http_exchange *exchange);
/* The server has refused it: asks the authorizer. Returns false if there is none. */
bool hf_http_access_challenged(struct http_exchange *exchange);
void hf_http_access_cancel(struct http_exchange *exchange);

/* ---- http_answer.c ---- */

void hf_http_answer_on_head(void *context, const struct http_head *head);
void hf_http_answer_on_body(void *context, const char *bytes, size_t size);
void hf_http_answer_on_end(void *context, const struct http_end *end);

/* Reports that a request failed, and ends the exchange. */
void hf_http_answer_fail(struct http_exchange *exchange, const haft_failure *failure);

/* ---- http_events.c ---- */

/* Takes bytes of a stream. Returns 0 or the status of a failure. */
int hf_http_events_feed(struct http_exchange *exchange, const char *bytes, size_t size);
/* A stream is over: if it can be resumed, waits until then and returns true. */
bool hf_http_events_resume(struct http_exchange *exchange);
/* Resets the parser before a stream is read; keeps the id of the latest event. */
void hf_http_events_reset(struct http_exchange *exchange);
/* Opens the stream of HTTP+SSE for an exchange whose POST was refused; it is sent again later. */
bool hf_http_events_fall_back(struct http_exchange *exchange);
/* Forgets the URL that a stream of HTTP+SSE has named. */
void hf_http_events_forget(struct http_link *http);
/* The stream of HTTP+SSE is over. */
void hf_http_events_ended(struct http_exchange *exchange, const struct http_end *end);

/* ---- http.c ---- */

/* Whether it has to wait for another exchange. */
bool hf_http_link_blocks(const struct http_link *http, const struct http_exchange *exchange);
/* Begins what waited, and ends the link if it is time. */
void hf_http_link_go_on(struct http_link *http);
/* Sets the timer. */
void hf_http_link_schedule(struct http_link *http);
/* Opens the listening stream if it is wanted and not open. */
void hf_http_link_listen(struct http_link *http);

#endif
