/* hass/net/net.h - inside the link over the network: a thread with a loop, and its jobs. */
#ifndef HOME_HASS_NET_H
#define HOME_HASS_NET_H

#include <uv.h>

#include "hass/memory.h"
#include "hass/net_link.h"
#include "part/http_client.h"

enum { NET_MAX_BODY = 16 << 20 };

/* What other threads want of the loop, in their order. */
enum net_wish { NET_REQUEST, NET_CANCEL, NET_OPEN, NET_SEND };

struct net_job {
    struct net_job *next;
    enum net_wish wish;
    uint64_t id;   /* of a request, of the one to cancel, or of a socket */
    void *subject; /* a struct net_exchange, or text to send */
    size_t size;
};

struct net_link {
    const haft_allocator *allocator;
    char *base, *token, *bearer, *ca_file; /* URL without a slash at its end; "Bearer ..." */
    uv_mutex_t lock;
    struct net_job *jobs, **jobs_end;
    uint64_t next_id;
    uint64_t opened, close; /* ids of the latest socket, and of one to close; 0 for none */
    bool runs, stopping;    /* the thread does; it must end */
    uv_thread_t thread;
    uv_loop_t loop;
    uv_async_t wakeup;
    const struct http_client_functions *http;
    http_client *client;
    struct net_exchange *exchanges;  /* in flight, on the loop's thread */
    struct websocket_client *socket; /* on the loop's thread; NULL for none */
    uint64_t socket_id;              /* of the latest that the loop opened */
    void (*message)(void *who, const char *text, size_t size);
    void (*closed)(void *who, const char *reason);
    void *who;
};

/* Passes a job to the loop; false without memory, or when the link ends. */
bool net_link_post(struct net_link *link, enum net_wish wish, uint64_t id, void *subject,
                   size_t size);
/* Starts the thread, if it does not run; false with a reason if it cannot. */
bool net_link_start(struct net_link *link, const char **reterr_why);

/* ---- net_rest.c; those that begin with net_rest_do run on the loop's thread ---- */

void *net_rest_request(void *context, const struct link_request *request,
                       void (*done)(void *who, const struct link_response *response), void *who);
void net_rest_cancel(void *context, void *handle);
void net_rest_do_start(struct net_link *link, struct net_exchange *exchange);
void net_rest_do_cancel(struct net_link *link, uint64_t id);
/* Ends a request that was never started. */
void net_rest_drop(struct net_link *link, struct net_exchange *exchange, const char *text);

/* ---- net_socket.c; the same ---- */

int net_socket_open(void *context, void (*message)(void *who, const char *text, size_t size),
                    void (*closed)(void *who, const char *reason), void *who);
void net_socket_send(void *context, const char *text, size_t size);
void net_socket_close(void *context);
void net_socket_do_open(struct net_link *link, uint64_t id);
void net_socket_do_send(struct net_link *link, const char *text, size_t size);
void net_socket_do_close(struct net_link *link);
/* Ends it at once, at the end of the link. */
void net_socket_do_drop(struct net_link *link);

#endif
