/* link.c - connects to the server, and reconnects. */
#include <arpa/inet.h>
#include <netdb.h>

#include "store/redis/room.h"

/* A name that is being resolved; it outlives its link until libuv has finished. */
struct redis_resolve {
    uv_getaddrinfo_t request;
    struct redis_link *link; /* NULL when the link has given it up */
    struct redis_lane *lane;
};

static void link_connect(struct redis_link *link);

/* ---- the end of a connection ---- */

/* Gives up the socket and the name that is being resolved, without a trace. */
static void link_disconnect(struct redis_link *link)
{
    struct redis_socket *socket = link->socket;

    if (link->resolve)
        link->resolve->link = NULL;
    link->resolve = NULL;
    link->socket = NULL;
    if (socket)
        hf_redis_socket_close(socket);
}

static void link_note_failure(struct redis_link *link, const char *why, bool was_ready)
{
    struct redis_store *store = link->lane->store;
    bool counts = link->role == LINK_COMMANDS;
    bool fails = !was_ready && !link->failing;
    char text[REDIS_ERROR];

    if (link->at.port)
        snprintf(text, sizeof text, "%.60s:%u: %.80s", link->at.host, link->at.port, why);
    else
        snprintf(text, sizeof text, "%.60s: %.80s", link->at.host, why);
    link->failing |= fails;
    hf_redis_note(store, counts && was_ready ? -1 : 0, counts && fails ? 1 : 0, text);
}

/* Time until the next attempt: at once after a connection that worked, then longer and longer. */
static uint64_t link_delay(struct redis_link *link, bool was_ready)
{
    const haft_redis_options *options = &link->lane->store->options;
    uint64_t delay = options->min_reconnect_ms;

    if (was_ready)
        return hf_redis_lane_random(link->lane, (uint32_t)delay + 1);
    for (unsigned i = 0; i < link->attempts && delay < options->max_reconnect_ms; i++)
        delay *= 2;
    if (delay > options->max_reconnect_ms)
        delay = options->max_reconnect_ms;
    link->attempts += link->attempts < 32;
    return delay / 2 + hf_redis_lane_random(link->lane, (uint32_t)(delay / 2) + 1);
}

static void link_on_timer(uv_timer_t *timer)
{
    struct redis_link *link = timer->data;
    struct redis_lane *lane = link->lane;
    char why[64];

    if (link->state == LINK_PAUSED) {
        link_connect(link);
    } else if (link->state != LINK_READY) {
        snprintf(why, sizeof why, "no connection within %u ms", lane->store->options.connect_ms);
        hf_redis_link_fail(link, why);
    }
    hf_redis_lane_deliver(lane);
}

void hf_redis_link_fail(struct redis_link *link, const char *why)
{
    bool was_ready = link->state == LINK_READY;

    if (link->closed || link->state == LINK_PAUSED || link->state == LINK_UNUSED)
        return;
    link->state = LINK_PAUSED;
    link_note_failure(link, why, was_ready);
    hf_redis_link_end_jobs(link);
    link_disconnect(link);
    if (link->asks_sentinel)
        link->sentinel++;
    if (link->role != LINK_MOVED)
        link->has_address = false;
    link->asks_sentinel = false;
    link->lane->store->host->timer_start(&link->timer, link_on_timer, link_delay(link, was_ready),
                                         0);
}

/* ---- connecting ---- */

/* Connects to an address, or to a Unix socket. */
static void link_open(struct redis_link *link, const char *address)
{
    struct redis_store *store = link->lane->store;
    redisContext *context = link->at.port ? redisConnectNonBlock(address, (int)link->at.port)
                                          : redisConnectUnixNonBlock(link->at.host);
    char why[REDIS_ERROR];

    link->socket = context && !context->err ? hf_redis_socket_new(link, context) : NULL;
    if (!link->socket) {
        snprintf(why, sizeof why, "%s", context && context->err ? context->errstr : "no memory");
        if (context)
            redisFree(context);
        hf_redis_link_fail(link, why);
        return;
    }
    link->state = LINK_GREETING;
    if (store->tls && !link->asks_sentinel &&
        hf_redis_tls_start(store->tls, context, link->at.host, &link->socket->tls)) {
        hf_redis_link_fail(link, "cannot start TLS");
        return;
    }
    if (link->role == LINK_CHANNELS && link->at.port)
        redisEnableKeepAlive(context); /* nothing else notices that a silent server is gone */
    hf_redis_link_greet(link);
}

static void link_on_resolved(uv_getaddrinfo_t *request, int status, struct addrinfo *addresses)
{
    struct redis_resolve *resolve = request->data;
    struct redis_link *link = resolve->link;
    struct redis_lane *lane = resolve->lane;
    char text[INET6_ADDRSTRLEN] = "";

    if (link) {
        link->resolve = NULL;
        if (!status && addresses &&
            !getnameinfo(addresses->ai_addr, addresses->ai_addrlen, text, sizeof text, NULL, 0,
                         NI_NUMERICHOST))
            link_open(link, text);
        else
            hf_redis_link_fail(link, "the host name cannot be resolved");
    }
    lane->store->host->freeaddrinfo(addresses);
    redis_release(lane->store, resolve, sizeof *resolve);
    if (!lane->closing)
        hf_redis_lane_deliver(lane);
    hf_redis_lane_handle_closed(lane);
}

/* hiredis would block while it resolves a name. */
static void link_resolve(struct redis_link *link)
{
    struct redis_lane *lane = link->lane;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct redis_resolve *resolve = redis_alloc(lane->store, sizeof *resolve);

    if (resolve) {
        resolve->request.data = resolve;
        resolve->link = link;
        resolve->lane = lane;
    }
    if (!resolve || lane->store->host->getaddrinfo(lane->loop, &resolve->request, link_on_resolved,
                                                   link->at.host, NULL, &hints)) {
        redis_release(lane->store, resolve, sizeof *resolve);
        hf_redis_link_fail(link, "no memory");
        return;
    }
    lane->handles++;
    link->resolve = resolve;
}

static bool link_is_numeric(const char *host)
{
    struct in6_addr address;

    return inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1;
}

static void link_connect(struct redis_link *link)
{
    const struct redis_store *store = link->lane->store;
    const struct redis_url *url = &store->url;

    link->asks_sentinel = !link->has_address && url->master[0];
    if (!link->has_address)
        link->at = url->hosts[link->asks_sentinel ? link->sentinel % url->n_hosts : 0];
    link->state = LINK_RESOLVING;
    store->host->timer_start(&link->timer, link_on_timer, store->options.connect_ms, 0);
    if (!link->at.port || link_is_numeric(link->at.host))
        link_open(link, link->at.host);
    else
        link_resolve(link);
}

void hf_redis_link_reconnect(struct redis_link *link)
{
    link_disconnect(link);
    link_connect(link);
}

/* ---- functions for others ---- */

int hf_redis_link_init(struct redis_link *link, struct redis_lane *lane, enum link_role role)
{
    link->lane = lane;
    link->role = role;
    link->sent_end = &link->sent;
    link->unsent_end = &link->unsent;
    link->timer.data = link;
    if (lane->store->host->timer_init(lane->loop, &link->timer))
        return HAFT_ENOMEM;
    lane->handles++;
    lane->store->host->unref((uv_handle_t *)&link->timer);
    return 0;
}

void hf_redis_link_use(struct redis_link *link)
{
    if (link->state == LINK_UNUSED && !link->closed)
        link_connect(link);
}

void hf_redis_link_flush(struct redis_link *link)
{
    if (link->socket && link->socket->dirty)
        hf_redis_socket_write(link->socket);
}

void hf_redis_link_read(struct redis_link *link)
{
    if (link->state == LINK_READY)
        hf_redis_socket_read(link->socket);
}

static void redis_link_closed(uv_handle_t *handle)
{
    struct redis_link *link = handle->data;
    struct redis_lane *lane = link->lane;

    if (link->role == LINK_MOVED)
        redis_release(lane->store, link, sizeof *link);
    hf_redis_lane_handle_closed(lane);
}

void hf_redis_link_close(struct redis_link *link)
{
    struct redis_store *store = link->lane->store;
    bool counts = link->role == LINK_COMMANDS;

    link->closed = true;
    hf_redis_note(store, counts && link->state == LINK_READY ? -1 : 0,
                  counts && link->failing ? -1 : 0, NULL);
    link->state = LINK_PAUSED;
    hf_redis_link_end_jobs(link);
    link_disconnect(link);
    store->host->close((uv_handle_t *)&link->timer, redis_link_closed);
}
