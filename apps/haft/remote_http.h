/* remote_http.h - one HTTP request of the wire.
 *
 * remote_http.c knows what the protocol wants of HTTP; the HTTP client of the library sends it. */
#ifndef HAFT_REMOTE_HTTP_H
#define HAFT_REMOTE_HTTP_H

#include "client/sse.h"
#include "part/http_client.h"
#include "remote_link.h"

enum kind {
    ASKING,    /* a request, which has an answer */
    TELLING,   /* what has none */
    RESUMING,  /* the rest of a stream that was lost */
    LISTENING, /* a stream for what the server says of its own accord */
    LEAVING    /* the end of the session */
};

struct exchange {
    struct exchange *next;
    struct http *http;
    http_request *request; /* NULL before it is started */
    enum kind kind;
    int64_t id;
    int status;      /* of the response; 0 before it begins */
    bool in_session; /* it named one */
    bool is_stream;  /* the response is a stream of events */
    bool is_json;
    bool dropped;      /* nobody waits for it any more */
    int failure;       /* of reading the response: a haft_status */
    haft_arena *arena; /* its headers and body */
    haft_buffer body;  /* of the response */
    struct sse sse;
};

struct http {
    struct remote *remote;
    const struct http_client_functions *functions;
    http_client *client;
    const char *url;           /* without user name and password */
    const char *authorization; /* these, as a header's value; NULL for none */
    struct exchange *exchanges;
    char *session; /* NULL for none */
    /* the stream that was lost last */
    int64_t lost_id;  /* of its request */
    char *last_event; /* the latest that came of it; NULL for none */
    uint64_t pause;   /* milliseconds, as the server had it; 0: it did not say */
};

/* Starts a request of that kind; the letter is what is posted.  0, or an exit code. */
int http_begin(struct http *http, enum kind kind, const struct outgoing *outgoing);

/* A request's stream is over: asks for the rest of it soon, unless the answer comes out of what was
 * heard.  False when that cannot be. */
bool resume_later(struct exchange *exchange);

#endif
