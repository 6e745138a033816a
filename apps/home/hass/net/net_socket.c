/* net_socket.c - the WebSocket of the link over the network.
 *
 * The client above pings, in Home Assistant's own way; here only the close frame has a time limit. */
#include <limits.h>
#include <stdio.h>

#include "hass/net/net.h"
#include "websocket/client.h"

enum { NET_CLOSE_MS = 1000 };

/* ---- from any thread ---- */

int net_socket_open(void *context, void (*message)(void *who, const char *text, size_t size),
                    void (*closed)(void *who, const char *reason), void *who)
{
    struct net_link *link = context;
    const char *why;
    uint64_t id;

    if (!net_link_start(link, &why))
        return HAFT_EFAIL;
    uv_mutex_lock(&link->lock);
    link->message = message;
    link->closed = closed;
    link->who = who;
    id = ++link->opened;
    uv_mutex_unlock(&link->lock);
    return net_link_post(link, NET_OPEN, id, NULL, 0) ? 0 : HAFT_ENOMEM;
}

/* A close that got lost would never be reported as `closed`: this needs no memory. */
void net_socket_close(void *context)
{
    struct net_link *link = context;

    uv_mutex_lock(&link->lock);
    link->close = link->opened;
    if (link->runs && !link->stopping)
        uv_async_send(&link->wakeup);
    uv_mutex_unlock(&link->lock);
}

void net_socket_send(void *context, const char *text, size_t size)
{
    struct net_link *link = context;
    char *copy = size ? hass_alloc(link->allocator, size) : NULL;

    if (copy) {
        memcpy(copy, text, size);
        if (net_link_post(link, NET_SEND, 0, copy, size))
            return;
        hass_release_secret(link->allocator, copy, size);
    }
    net_socket_close(link); /* a message must not be lost unnoticed */
}

/* ---- on the loop's thread ---- */

static void net_socket_on_message(void *context, bool is_text, const char *bytes, size_t size)
{
    struct net_link *link = context;

    if (is_text)
        link->message(link->who, bytes, size);
}

static void net_socket_on_end(void *context, const struct websocket_client_end *end)
{
    struct net_link *link = context;

    link->socket = NULL;
    link->closed(link->who, end->text);
}

void net_socket_do_open(struct net_link *link, uint64_t id)
{
    static const char path[] = "/api/websocket";
    char url[8192];
    struct websocket_client_options options = {.http = link->http,
                                               .client = link->client,
                                               .loop = &link->loop,
                                               .allocator = link->allocator,
                                               .url = url,
                                               .ping_ms = UINT_MAX,
                                               .close_ms = NET_CLOSE_MS,
                                               .max_message = NET_MAX_BODY,
                                               .on_message = net_socket_on_message,
                                               .on_end = net_socket_on_end,
                                               .context = link};
    haft_reason reason = {.text = "the URL is too long"};
    int size = snprintf(url, sizeof url, "%s%s", link->base, path);

    link->socket_id = id;
    if (size > 0 && (size_t)size < sizeof url)
        link->socket = hf_websocket_client_open(&options, &reason);
    if (!link->socket)
        link->closed(link->who, reason.text);
}

void net_socket_do_send(struct net_link *link, const char *text, size_t size)
{
    if (link->socket && hf_websocket_client_send(link->socket, true, text, size))
        net_socket_do_close(link);
}

void net_socket_do_close(struct net_link *link)
{
    if (link->socket)
        hf_websocket_client_close(link->socket, WEBSOCKET_NORMAL, "");
}

void net_socket_do_drop(struct net_link *link)
{
    hf_websocket_client_free(link->socket);
    link->socket = NULL;
}
