/* http/client/direct.h - requests that libcurl only connects for.
 *
 * libcurl needs more processor time for a request than the system does for its bytes.  For the requests of
 * which it would do nothing else (hf_http_direct_suits) it opens the connection, and haft writes and parses
 * HTTP/1.1 itself.  Such a connection is no longer libcurl's: it belongs to the pool of the client, by the
 * place that it leads to.
 *
 *     place.c        where connections lead: the parts of a URL, taken apart once
 *     direct_head.c  writes the request line and the headers
 *     direct_send.c  sends them with the body
 *     pool.c         connections: in use, idle, and the requests that wait for one
 *     answer.c       parses the response, with llhttp
 *     direct.c       the exchange of one request and its response */
#ifndef HAFT_SRC_HTTP_CLIENT_DIRECT_H
#define HAFT_SRC_HTTP_CLIENT_DIRECT_H

#include <llhttp.h>

#include "http/client/client.h"

enum { HTTP_SPARE = 16 };

/* Exists as long as a request or a connection has it.  Its strings are in one block with it. */
struct http_place {
    struct http_place *next, **at;
    size_t size;
    unsigned users;               /* requests in flight that go there */
    unsigned waiting;             /* those that wait for a connection */
    unsigned connections;         /* being opened, in use or idle */
    struct http_connection *idle; /* the most recently used first */
    const char *origin;           /* "http://HOST" or "http://HOST:PORT" */
    const char *unix_socket;      /* NULL: none */
    const char *url;          /* the first that led here, and most probably that of all requests; */
    const char *path, *query; /* its parts; query may be NULL */
};

struct http_connection {
    uv_poll_t poll;
    http_client *client;
    struct http_place *place; /* NULL: closed */
    http_request *request;    /* that has it; NULL: idle or closed */
    int socket;
    int polled; /* events that libuv reports */
    uv_poll_cb on_ready;
    bool used; /* by an earlier request */
    uint64_t idle_since;
    struct http_connection *next, **at; /* among the idle ones of its place; at is NULL if not */
};

/* What a client has for requests without libcurl. */
struct http_pool {
    bool proxy_in_environment; /* libcurl may find a proxy there */
    struct http_place *places;
    unsigned n_direct;      /* requests in flight */
    unsigned n_connections; /* being opened, in use or idle */
    unsigned n_opening;     /* by libcurl */
    bool taking;            /* libcurl is to leave this socket open: */
    int taken;
    unsigned left_to_libcurl;                    /* for its own requests */
    unsigned limit_of_libcurl;                   /* with what it opens for direct requests */
    http_request *first_waiting, **last_waiting; /* for a connection */
    bool serve;                                  /* one of them may be able to have one */
    bool share;                                  /* there may be more or less for libcurl */
    bool retry;                                  /* there is more, which libcurl does not know */
    http_request *spare_requests[HTTP_SPARE];    /* for reuse, with their memory */
    unsigned n_spare_requests;
};

/* What the parser has stopped for. */
enum answer_event { ANSWER_NOTHING, ANSWER_HEAD, ANSWER_PAUSE, ANSWER_END };

/* What a request is that goes without libcurl. */
struct http_exchange {
    struct http_place *place;           /* NULL: it goes through libcurl, or is over */
    struct http_connection *connection; /* NULL: it has none yet, or no longer */
    http_request *next, **at; /* among those that wait for a connection; at is NULL if not */
    bool opening;             /* libcurl opens a connection for it */
    bool fresh;               /* only a new connection will do */
    bool unsendable;          /* the server takes no more of it */
    size_t sent;              /* of its head and its body */
    char *head;               /* request line and headers */
    size_t head_size, head_room;

    llhttp_t parser;
    enum answer_event event;
    size_t name_at, value_at; /* of the current header, in the head of the request */
    bool begun;               /* part of the current response, which may be a 1xx, has arrived */
    bool closes;              /* the server has said that it closes the connection */
    bool keeps_alive;         /* the server will take another request */
    bool stopped;             /* the parser has stopped for a pause; */
    char *held;               /* what had been received */
    size_t held_size;
};

enum answer_state { ANSWER_MORE, ANSWER_PAUSED, ANSWER_DONE, ANSWER_FAILED };

/* ---- place.c ---- */

/* The place whose first URL is the request's, which has been checked; NULL for none. */
struct http_place *hf_http_place_known(const http_client *client,
                                       const struct http_request_options *options);
/* Gives the request its place, and writes its head.  Returns 0, HAFT_ENOMEM, or HAFT_EINVAL if libcurl cannot
 * parse the URL, or if it should have the request. */
int hf_http_place_enter(http_request *request, const struct http_request_options *options);
void hf_http_place_leave(http_request *request);
/* Frees it, unless a request or a connection has it. */
void hf_http_place_release(http_client *client, struct http_place *place);

/* ---- direct_head.c ---- */

/* Writes the head of a request; false without memory. */
bool hf_http_head_write(http_request *request, const struct http_request_options *options,
                        const char *path, const char *query);

/* ---- direct_send.c ---- */

/* The number of bytes that it has not sent and can send. */
size_t hf_http_send_unsent(const http_request *request);
/* Sends what the socket takes.  Returns false if the server cannot be sent anything. */
bool hf_http_send(http_request *request);

/* ---- pool.c ---- */

/* Whether there may be another connection to this place, which the caller then counts.  Closes one that is
 * idle, if it must. */
bool hf_http_pool_has_room(http_client *client, const struct http_place *place);
void hf_http_pool_count(http_client *client, struct http_place *place);
void hf_http_pool_discount(http_client *client, struct http_place *place);
/* Makes a connection of a socket, for a request that was counted.  Returns NULL on failure; the socket is then
 * the caller's. */
struct http_connection *hf_http_pool_add(http_request *request, int socket, uv_poll_cb on_ready);
/* Returns an idle connection that works; NULL for none. */
struct http_connection *hf_http_pool_take(http_client *client, struct http_place *place);
/* The connection is free: for the request that has waited longest, or for a later one. */
void hf_http_pool_put(struct http_connection *connection);
void hf_http_pool_close(struct http_connection *connection);
/* Has libuv report these events; false on failure. */
bool hf_http_pool_watch(struct http_connection *connection, int events);
/* A request waits for a connection, or no longer; those that can have one get it. */
void hf_http_pool_wait(http_request *request);
void hf_http_pool_stop_waiting(http_request *request);
void hf_http_pool_serve(http_client *client);
/* When the first idle connection must be closed; closes those that have been idle for too long. */
uint64_t hf_http_pool_due(const http_client *client);
void hf_http_pool_expire(http_client *client, uint64_t now);
/* Tells libcurl how many connections are left for it; gives it the requests again that wait for one, if there are
 * more than before. */
void hf_http_pool_share(http_client *client);
void hf_http_pool_retry(http_client *client);

/* ---- answer.c ---- */

void hf_http_answer_begin(http_request *request);
/* Parses received bytes, and calls the request's callbacks.  *ret_used of them were parsed. */
enum answer_state hf_http_answer_feed(http_request *request, const char *bytes, size_t size,
                                      size_t *ret_used);
/* The server has closed the connection in order.  Returns whether the response is complete. */
bool hf_http_answer_closed(http_request *request);

/* ---- direct.c ---- */

/* Whether a request goes without libcurl. */
bool hf_http_direct_suits(const http_client *client, const struct http_request_options *options);
/* Sends it, or has it wait for a connection.  Calls no callback. */
void hf_http_direct_start(http_request *request);
/* Sends it on this connection.  False: the connection was closed, and nothing sent. */
bool hf_http_direct_use(http_request *request, struct http_connection *connection);
/* Finds it a connection, or has one opened; false if there is no room for one. */
bool hf_http_direct_seek(http_request *request);
/* libcurl has connected; it is paused, or resumed; the loop continues it; it is over. */
void hf_http_direct_connected(http_request *request);
void hf_http_direct_watch(http_request *request);
void hf_http_direct_continue(http_request *request);
void hf_http_direct_stop(http_request *request);
/* Frees its memory. */
void hf_http_direct_release(http_request *request);

#endif
