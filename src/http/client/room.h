/* http/client/room.h - the internal interface of the HTTP client.
 *
 * Two facts shape it. libcurl must not be called from its own callbacks, while a user's callback
 * may do anything: so requests made while libcurl is on the stack (`depth`) are recorded, and
 * executed when libcurl has returned (hf_http_client_settle). And libuv's handles outlive the call
 * that closes them: so a client is freed by the last of its handles. */
#ifndef HAFT_SRC_HTTP_CLIENT_ROOM_H
#define HAFT_SRC_HTTP_CLIENT_ROOM_H

#include <curl/curl.h>

#include "http/client/client.h"
#include "http/client/direct.h"

/* A socket that libcurl waits for. The watch of a connection that has been used remains until the
 * connection closes. */
struct http_watch {
    uv_poll_t poll;
    http_client *client;
    curl_socket_t socket;
    const CURL *easy; /* handle that waited last */
    int events;       /* 0 if nothing waits */
    int polled;       /* events that libuv reports */
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

/* A handle of libcurl. It remains set up for the next request, and so does the context of its
 * callbacks. */
struct http_handle {
    CURL *easy;
    http_request *request; /* the one it is used for */
    bool prepared;         /* it has the options that are the same for every request; */
    bool at_main;          /* the client's main URL, */
    bool has_method;       /* the name of a method, */
    bool at_socket;        /* the path of a Unix socket, */
    bool decodes;          /* and content codings */
    bool connects;         /* libcurl has begun to connect, and does not wait for room */
    char reason[CURL_ERROR_SIZE];
};

struct http_request {
    http_client *client;
    http_request *next, **at; /* among those in flight, or those that are over */
    http_stream *stream;      /* it is the connection of; NULL for none */
    bool direct;              /* libcurl only connects for it */
    struct http_exchange exchange;
    struct http_handle *handle; /* NULL when libcurl has nothing to do with it, or no longer */
    CURL *easy;                 /* that of the handle */
    struct curl_slist *lines;   /* headers, in one block with their text */
    size_t lines_size;
    struct http_request_options options; /* without method, URL and headers */
    enum http_phase phase;
    enum http_error failure; /* detected by us; takes precedence over libcurl's error, */
    const char *why;         /* with its reason; NULL if there is none */
    uint64_t since, until;   /* start of the phase, or last data; end of the total time */

    bool added; /* added to the multi handle */
    bool over;  /* on_end has been called */
    bool paused;
    unsigned pass;  /* the latest in which it was looked after */
    bool due;       /* the loop has to add it, to resume it or to continue it */
    bool head_only; /* the answer has no body, whatever its headers say */
    bool with_body, is_post;
    bool reads_body; /* by our callback, in pieces */
    bool refused_address;

    size_t body_sent; /* bytes of the request's body passed to libcurl */
    bool issued;      /* may have been sent to the current target; */
    bool was_issued;  /* to any target */
    bool repeated;    /* by libcurl */
    bool not_again;   /* libcurl was prevented from sending it again */

    /* The response: headers in `head` as "name\0value\0". */
    char *head;
    size_t head_size, head_capacity;
    struct http_field *fields; /* created from it when it is complete */
    size_t fields_room, n_fields, head_bytes, head_lines;
    int status;
    bool in_head; /* the status line has been received */
    bool has_length, has_coding;
    uint64_t length;
    size_t received;

    char *location; /* absolute URL of a redirect to follow; libcurl's memory */
    bool keeps_method, keeps_headers;
    unsigned redirects;
};

/* What a client knows of libcurl. */
struct http_libcurl {
    unsigned version;
    bool due;   /* its timer has expired */
    bool nudge; /* it may have forgotten to try another address */
};

struct http_client {
    const struct http_client_uv *uv;
    const haft_allocator *allocator;
    struct http_client_options options;
    char *texts; /* strings of the options */
    size_t texts_size;
    uv_loop_t *loop;
    CURLM *multi; /* NULL until first use */
    struct http_libcurl libcurl;
    uv_timer_t curl_timer, wait_timer;
    uv_idle_t soon;      /* for immediate work: a timer of 0 ms could starve the loop */
    uint64_t wait_at;    /* when wait_timer expires; UINT64_MAX if it is not set */
    unsigned handles;    /* open libuv handles */
    unsigned depth;      /* nesting of calls into libcurl */
    uint64_t idle_since; /* when the last request ended */
    bool destroyed, closed;
    bool broken;      /* libcurl or libuv refused to work: all requests end, and it begins again */
    unsigned waiting; /* requests that wait to be added or resumed, at most */
    unsigned pass;    /* through those; one that has more to do at once waits for the next */
    struct http_watch *watches;
    unsigned n_passing; /* watches that do not stay */
    http_request *requests, *over;
    struct http_handle *spare[HTTP_SPARE]; /* for reuse */
    unsigned n_spare;
    CURLU
    *main_url; /* the first that libcurl could parse, and most probably that of all requests; */
    char main_text[512]; /* its text */
    unsigned n_requests;
    struct http_pool pool;
};

/* ---- client.c ---- */

http_client *hf_http_client_create(uv_loop_t *loop, const struct http_client_options *options,
                                   haft_reason *reterr_reason);
void hf_http_client_destroy(http_client *client);

/* Returns the multi handle; NULL without memory. */
CURLM *hf_http_client_multi(http_client *client);

/* Does deferred work and processes finished transfers. Does nothing inside libcurl. */
void hf_http_client_settle(http_client *client);

/* Evaluates the timeouts at that time or earlier; settles from the loop as soon as possible. */
void hf_http_client_wait_until(http_client *client, uint64_t ms);
void hf_http_client_settle_soon(http_client *client);
/* Has the loop add this request to libcurl, or resume or continue it. */
void hf_http_client_do_soon(http_request *request);

/* Gives a request a handle, without options or prepared; none without memory. And takes it back. */
void hf_http_client_take_handle(http_request *request);
void hf_http_client_keep_handle(http_request *request);
/* Prepares its handle, which is not added, for another response; false without memory. */
bool hf_http_client_renew_handle(http_request *request);

/* A libuv handle has closed. */
void hf_http_client_handle_closed(http_client *client);

int hf_http_client_refuse(haft_reason *reterr_reason, int code, const char *path, const char *text);

/* ---- watch.c ---- */

int hf_http_watch_socket(CURL *easy, curl_socket_t socket, int what, void *context, void *assigned);
int hf_http_watch_time(CURLM *multi, long ms, void *context);
/* Marks the connection of this handle as used; libcurl's callback for closing such a connection. */
void hf_http_watch_keep(http_client *client, const CURL *easy);
int hf_http_watch_socket_closes(void *context, curl_socket_t socket);
/* Lets libcurl do what is due: its timer has expired, or requests were added. Settle afterwards. */
void hf_http_watch_due(http_client *client);
/* A connection was closed, or not opened: has libcurl try the next address soon. */
void hf_http_watch_attempt_over(http_client *client);
void hf_http_watch_nudge(http_client *client);
void hf_http_watch_close_all(http_client *client);

/* ---- request.c ---- */

http_request *hf_http_request_start(http_client *client, const struct http_request_options *options,
                                    haft_reason *reterr_reason);
/* Starts one that is not direct, whatever its options are. */
http_request *hf_http_request_start_libcurl(http_client *client,
                                            const struct http_request_options *options,
                                            haft_reason *reterr_reason);
void hf_http_request_cancel(http_request *request);
void hf_http_request_pause(http_request *request);
void hf_http_request_resume(http_request *request);

/* Passes it to libcurl. On failure ends the request and returns false. */
bool hf_http_request_add(http_request *request);
/* Removes it from libcurl. */
void hf_http_request_remove(http_request *request);
/* Ends it, exactly once, and frees it unless libcurl is on the stack. */
void hf_http_request_finish(http_request *request, enum http_error error);
void hf_http_request_release(http_request *request);
/* Frees what is kept for the next request. */
void hf_http_request_release_spare(http_client *client);

/* Starts another phase. */
void hf_http_request_enter(http_request *request, enum http_phase phase);

/* When the earliest of its timeouts expires, and its error. */
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

/* Sets all libcurl options of a new request, or those that a prepared handle lacks. Returns 0,
 * HAFT_ENOMEM or HAFT_EINVAL. */
int hf_http_setup(http_request *request, const struct http_request_options *options);
/* Sets those of a handle that only connects to a place.  Returns as above. */
int hf_http_setup_connection(http_request *request, const struct http_place *place);
/* Has libcurl connect and stop there; false without memory. */
bool hf_http_setup_connect_only(CURL *easy);
/* Whether requests of this method have a length even without a body. */
bool hf_http_setup_method_sends(const char *method);
/* Whether it is the client's main URL, which has been checked. */
bool hf_http_setup_is_main(const http_client *client, const char *url);
/* Removes what a handle that has ended in order knows of its request. Returns whether it is prepared
 * for another. */
bool hf_http_setup_forget(CURL *easy);
/* Frees the headers. */
void hf_http_setup_release(http_request *request);
/* Sets the method, and how the body is sent, if there is one. */
CURLcode hf_http_setup_method(http_request *request, const char *method, bool with_body);

/* ---- response.c ---- */

/* Adds text to the headers, which are "name\0value\0"; false without memory. */
bool hf_http_response_keep(http_request *request, const char *text, size_t size);
/* The rest return false when the request fails, or is over.  A header has been added, without the last
 * NUL; the header section is complete; so much of headers or trailers has arrived; part of the body. */
bool hf_http_response_end_field(http_request *request, size_t name_at, size_t value_at);
bool hf_http_response_end_head(http_request *request, long status);
bool hf_http_response_count(http_request *request, size_t size, size_t lines);
bool hf_http_response_take_body(http_request *request, const char *bytes, size_t size);

/* libcurl's callbacks for lines of the head, and for the body. */
size_t hf_http_response_on_line(char *line, size_t one, size_t size, void *context);
size_t hf_http_response_on_body(char *bytes, size_t one, size_t size, void *context);
/* Forgets the response. */
void hf_http_response_clear(http_request *request);

/* ---- redirect.c ---- */

/* Checks a complete head for a redirect to follow after the body. A redirect that may not be
 * followed sets the failure. */
bool hf_http_redirect_wanted(http_request *request);
/* Follows the redirect. On failure ends the request and returns false. */
bool hf_http_redirect_follow(http_request *request);

/* ---- check.c ---- */

/* Whether the text is valid in a request. */
bool hf_http_check_method(const char *method);
bool hf_http_check_name(const char *name, size_t size);
bool hf_http_check_value(const char *value, size_t size);
bool hf_http_check_url(const char *url, size_t limit);
/* Whether the value of a header is empty for its reader. */
bool hf_http_check_is_blank(const char *value);
/* Whether only the client may write headers of this name. */
bool hf_http_check_is_framing(const char *name);
/* Reads the whole text as an unsigned decimal number; returns false otherwise. */
bool hf_http_check_number(const char *text, uint64_t *ret_number);

/* ---- error.c ---- */

const char *hf_http_error_text(enum http_error error);
/* Maps libcurl's code to an error of this request. */
enum http_error hf_http_error_of(const http_request *request, CURLcode code);

#endif
