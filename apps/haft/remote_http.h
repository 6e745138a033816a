/* remote_http.h - one HTTP request of the wire, and the loop that carries them.
 *
 * remote_http.c knows what the protocol wants of HTTP; remote_curl.c lets libcurl run on the loop. */
#ifndef HAFT_REMOTE_HTTP_H
#define HAFT_REMOTE_HTTP_H

#include <curl/curl.h>

#include "client/sse.h"
#include "remote_link.h"

/* libcurl's transfers on a libuv loop. */
struct carrier {
    uv_loop_t *loop;
    CURLM *multi;
    uv_timer_t timer;
    unsigned open;                                          /* handles that are not closed yet */
    void (*done)(void *context, CURL *easy, CURLcode code); /* a transfer has ended */
    void *context;
};

int carrier_open(struct carrier *carrier, uv_loop_t *loop);
/* No transfer may be left. */
void carrier_close(struct carrier *carrier);

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
    CURL *easy;
    struct curl_slist *headers;
    enum kind kind;
    int64_t id;
    bool in_session;        /* it named one */
    bool judged, is_stream; /* its status and type have been looked at; it is a stream of events */
    bool is_json;
    int failure; /* of reading what came: a haft_status */
    haft_buffer body;
    struct sse sse;
    char reason[64]; /* of the status line */
    char message[CURL_ERROR_SIZE];
};

struct http {
    struct remote *remote;
    struct carrier carrier;
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
