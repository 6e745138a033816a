/* http/client/room.h - what the files of the HTTP client share.
 *
 * Two facts shape it.  libcurl must not be entered from one of its own callbacks, and a user's
 * callback may do anything: so what a callback asks for while libcurl is on the stack (`depth`) is
 * noted, and done when libcurl has returned (hf_http_client_settle).  And libuv's handles outlive the
 * call that closes them: so a client is released by the last of its handles. */
#ifndef HAFT_SRC_HTTP_CLIENT_ROOM_H
#define HAFT_SRC_HTTP_CLIENT_ROOM_H

#include <curl/curl.h>

#include "http/client/client.h"

enum { HTTP_SPARE = 16 };

/* A socket that libcurl waits for.  That of a connection which has answered stays until it is closed,
 * and stops and starts with every request. */
struct http_watch {
    uv_poll_t poll;
    http_client *client;
    curl_socket_t socket;
    const CURL *easy; /* the latest that waited */
    int events;       /* 0: nobody waits */
    bool closed;
    bool stays;
    struct http_watch *next, **at;
};

/* Where a request stands, which says what it waits for. */
enum http_phase {
    PHASE_CONNECT,
    PHASE_TLS,
    PHASE_SEND,
    PHASE_ANSWER,
    PHASE_BODY,
    PHASE_STREAM /* a stream is connected */
};

struct http_request {
    http_client *client;
    http_request *next, **at; /* among those in flight, or those that are over */
    http_stream *stream;      /* it is the connection of; NULL for none */
    CURL *easy;
    struct curl_slist *lines;            /* of headers */
    struct http_request_options options; /* method, URL and headers are not kept */
    enum http_phase phase;
    enum http_error failure; /* found by us; it takes precedence over what libcurl says, */
    const char *why;         /* and so does this; NULL: nothing more to say */
    uint64_t since, until;   /* when the phase began, or bytes came; when the total time is over */

    bool added; /* to the multi handle */
    bool over;  /* on_end has been called */
    bool paused;
    unsigned pass;  /* the latest in which it was looked after */
    bool resumed;   /* to be done; of a stream, it has something to do */
    bool head_only; /* the answer has no body, whatever its headers say */
    bool with_body, is_post;
    bool reads_body; /* by our callback, piece by piece */
    bool refused_address;

    size_t body_sent; /* of the request's body, given to libcurl */
    bool issued;      /* it may have been sent, to where it is being sent now; */
    bool was_issued;  /* to wherever */
    bool not_again;   /* libcurl was kept from sending it a second time */

    /* The answer: fields in `head` as "name\0value\0". */
    char *head;
    size_t head_size, head_capacity;
    struct http_field *fields; /* made of it when it is complete */
    size_t n_fields, head_bytes, head_lines;
    int status;
    bool in_head; /* the status line has come */
    bool has_length, has_coding;
    uint64_t length;
    size_t received;

    char *location; /* to be followed, in full; libcurl's memory */
    bool keeps_method, keeps_headers;
    unsigned redirects;

    char reason[CURL_ERROR_SIZE];
};

struct http_client {
    const struct http_client_uv *uv;
    const haft_allocator *allocator;
    struct http_client_options options;
    char *texts; /* of the options */
    size_t texts_size;
    uv_loop_t *loop;
    CURLM *multi; /* NULL until it is needed */
    uv_timer_t curl_timer, wait_timer;
    uv_idle_t soon; /* for what is due at once: a timer of 0 ms could keep the loop from all else */
    bool curl_due;  /* libcurl is, then */
    uint64_t wait_at;    /* when wait_timer is due; UINT64_MAX: it is not */
    unsigned handles;    /* of libuv's that are open */
    unsigned depth;      /* how often libcurl is on the stack */
    uint64_t idle_since; /* when the last request ended */
    bool destroyed, closed;
    bool broken;   /* libcurl or libuv refused to work: all requests end, and it is begun anew */
    bool waiting;  /* some request waits to be added or resumed */
    unsigned pass; /* through those; one that has more to do at once waits for the next */
    struct http_watch *watches;
    http_request *requests, *over;
    CURL *spare[HTTP_SPARE]; /* handles for the next requests, reset */
    unsigned n_spare;
    unsigned n_requests;
};

/* ---- client.c ---- */

http_client *hf_http_client_create(uv_loop_t *loop, const struct http_client_options *options,
                                   haft_reason *reterr_reason);
void hf_http_client_destroy(http_client *client);

/* The multi handle; NULL without memory. */
CURLM *hf_http_client_multi(http_client *client);

/* Whatever was put off, and whatever libcurl has finished.  Does nothing inside libcurl. */
void hf_http_client_settle(http_client *client);

/* Looks at the waits again at that time, if not before; settles as soon as the loop gets to it. */
void hf_http_client_wait_until(http_client *client, uint64_t ms);
void hf_http_client_settle_soon(http_client *client);

/* A handle of libcurl's for a request, without options; NULL without memory.  And back. */
CURL *hf_http_client_take_easy(http_client *client);
void hf_http_client_keep_easy(http_client *client, CURL *easy);

/* One handle of libuv's is closed. */
void hf_http_client_handle_closed(http_client *client);

int hf_http_client_refuse(haft_reason *reterr_reason, int code, const char *path, const char *text);

/* ---- watch.c ---- */

int hf_http_watch_socket(CURL *easy, curl_socket_t socket, int what, void *context, void *assigned);
int hf_http_watch_time(CURLM *multi, long ms, void *context);
/* The connection of this handle has answered; and libcurl's way to close such a one. */
void hf_http_watch_keep(http_client *client, const CURL *easy);
int hf_http_watch_socket_closes(void *context, curl_socket_t socket);
/* libcurl has waited for as long as it wanted to. */
void hf_http_watch_due(http_client *client);
void hf_http_watch_close_all(http_client *client);

/* ---- request.c ---- */

http_request *hf_http_request_start(http_client *client, const struct http_request_options *options,
                                    haft_reason *reterr_reason);
void hf_http_request_cancel(http_request *request);
void hf_http_request_pause(http_request *request);
void hf_http_request_resume(http_request *request);

/* Hands it to libcurl.  False, with the request over, when that fails. */
bool hf_http_request_add(http_request *request);
/* Takes it away from libcurl. */
void hf_http_request_remove(http_request *request);
/* Ends it, exactly once, and releases it unless libcurl is on the stack. */
void hf_http_request_finish(http_request *request, enum http_error error);
void hf_http_request_release(http_request *request);

/* From now on it waits for something else. */
void hf_http_request_enter(http_request *request, enum http_phase phase);

/* When the earliest of its waits is over, and which that is. */
uint64_t hf_http_request_deadline(const http_request *request, enum http_error *ret_error);

/* ---- stream.c ---- */

http_stream *hf_http_stream_open(http_client *client, const struct http_stream_options *options,
                                 haft_reason *reterr_reason);
int hf_http_stream_send(http_stream *stream, const char *bytes, size_t size);
size_t hf_http_stream_unsent(const http_stream *stream);
void hf_http_stream_pause(http_stream *stream);
void hf_http_stream_resume(http_stream *stream);
void hf_http_stream_close(http_stream *stream);

/* libcurl has connected. */
void hf_http_stream_connected(http_stream *stream);
/* Reads and writes what it can. */
void hf_http_stream_continue(http_stream *stream);
/* Its request is over, and libcurl about to close the socket. */
void hf_http_stream_stop(http_stream *stream);

/* ---- setup.c ---- */

/* Tells libcurl everything about a new request.  0, or HAFT_ENOMEM, HAFT_EINVAL. */
int hf_http_setup(http_request *request, const struct http_request_options *options);
/* The method, and how the body is sent, if there is one. */
CURLcode hf_http_setup_method(http_request *request, const char *method, bool with_body);

/* ---- response.c ---- */

size_t hf_http_response_on_line(char *line, size_t one, size_t size, void *context);
size_t hf_http_response_on_body(char *bytes, size_t one, size_t size, void *context);
void hf_http_response_clear(http_request *request);

/* ---- redirect.c ---- */

/* Looks at a complete head: whether it is a redirect that is to be followed, after the body.  A
 * redirect that may not be followed sets the failure. */
bool hf_http_redirect_wanted(http_request *request);
/* Asks there.  False, with the request over, when that fails. */
bool hf_http_redirect_follow(http_request *request);

/* ---- check.c ---- */

/* Whether the text may stand in a request. */
bool hf_http_check_method(const char *method);
bool hf_http_check_name(const char *name, size_t size);
bool hf_http_check_value(const char *value, size_t size);
bool hf_http_check_url(const char *url, size_t limit);
/* Whether the client alone writes headers of this name. */
bool hf_http_check_is_framing(const char *name);
/* A decimal number without a sign, of all of the text; false otherwise. */
bool hf_http_check_number(const char *text, uint64_t *ret_number);

/* ---- error.c ---- */

const char *hf_http_error_text(enum http_error error);
/* What libcurl's code means for this request. */
enum http_error hf_http_error_of(const http_request *request, CURLcode code);

#endif
