/* link.c - connects to the server, and reconnects. */
#include <arpa/inet.h>
#include <net/if.h>
#include <netdb.h>

#include "store/redis/room.h"

/* A name that is being resolved, or has been while its link paused.  Resolving may take longer than the
 * time for connecting, so attempts to connect share it; it outlives its link until libuv has finished. */
struct redis_resolve {
    uv_getaddrinfo_t request;
    struct redis_link *link; /* NULL when the link has given it up */
    struct redis_lane *lane;
    char host[REDIS_HOST];
    bool done, is_late; /* an attempt to connect has waited in vain */
    struct addrinfo *addresses;
};

static void link_connect(struct redis_link *link);

/* ---- the end of a connection ---- */

static void link_close_socket(struct redis_link *link)
{
    struct redis_socket *socket = link->socket;

    link->socket = NULL;
    if (socket)
        hf_redis_socket_close(socket);
}

static void resolve_free(struct redis_resolve *resolve)
{
    const struct redis_store *store = resolve->lane->store;

    store->host->freeaddrinfo(resolve->addresses);
    redis_release(store, resolve, sizeof *resolve);
}

/* Gives up the name that is being resolved. */
static void link_drop_name(struct redis_link *link)
{
    struct redis_resolve *resolve = link->resolve;

    link->resolve = NULL;
    if (!resolve)
        return;
    resolve->link = NULL;
    if (resolve->done)
        resolve_free(resolve);
    else
        link->lane->store->host->cancel((uv_req_t *)&resolve->request); /* if it only waits */
}

/* Gives up the socket and the addresses of the server. */
static void link_disconnect(struct redis_link *link)
{
    link->lane->store->host->freeaddrinfo(link->addresses);
    link->addresses = NULL;
    link->untried = NULL;
    link_close_socket(link);
}

static void link_note_failure(struct redis_link *link, const char *why, bool was_ready)
{
    struct redis_store *store = link->lane->store;
    bool counts = link->role == LINK_COMMANDS;
    bool fails = (!was_ready || link->attempts) && !link->failing;
    char text[REDIS_ERROR];

    if (link->at.port)
        snprintf(text, sizeof text, "%.60s:%u: %.80s", link->at.host, link->at.port, why);
    else
        snprintf(text, sizeof text, "%.60s: %.80s", link->at.host, why);
    link->failing |= fails;
    hf_redis_note(store, counts && was_ready ? -1 : 0, counts && fails ? 1 : 0, text);
}

/* Whether a connection has worked, and not only for a moment: a server that accepts the login may
 * refuse everything else, or close the connection, each time. */
static bool link_has_lasted(const struct redis_link *link)
{
    const struct redis_store *store = link->lane->store;

    return link->state == LINK_READY &&
           store->host->now(link->lane->loop) - link->ready_at >= store->options.max_reconnect_ms;
}

/* Time until the next attempt: at once after a connection that has lasted, then longer and longer. */
static uint64_t link_delay(struct redis_link *link, bool has_lasted)
{
    const haft_redis_options *options = &link->lane->store->options;
    uint64_t delay = options->min_reconnect_ms, least;

    for (unsigned i = 0; i < link->attempts && delay < options->max_reconnect_ms; i++)
        delay *= 2;
    if (delay > options->max_reconnect_ms)
        delay = options->max_reconnect_ms;
    link->attempts += !has_lasted && link->attempts < 32;
    least = has_lasted ? 0 : delay / 2;
    return least + hf_redis_lane_random(link->lane, (uint32_t)(delay - least) + 1);
}

static void link_on_timer(uv_timer_t *timer)
{
    struct redis_link *link = timer->data;
    struct redis_lane *lane = link->lane;
    char why[64];

    snprintf(why, sizeof why, "no connection within %u ms", lane->store->options.connect_ms);
    if (link->state == LINK_PAUSED && link->role == LINK_MOVED && !link->unsent)
        link->state = LINK_UNUSED; /* the node may be gone for ever */
    else if (link->state == LINK_PAUSED)
        link_connect(link);
    else if (link->socket && !link->socket->connected)
        hf_redis_link_unreachable(link, why);
    else if (link->state != LINK_READY)
        hf_redis_link_fail(link, why);
    hf_redis_lane_deliver(lane);
}

void hf_redis_link_fail(struct redis_link *link, const char *why)
{
    bool was_ready = link->state == LINK_READY, has_lasted = link_has_lasted(link);

    if (link->closed || link->state == LINK_PAUSED || link->state == LINK_UNUSED)
        return;
    if (has_lasted)
        link->attempts = 0;
    link->state = LINK_PAUSED;
    link_note_failure(link, why, was_ready);
    hf_redis_link_end_jobs(link);
    link_disconnect(link);
    if (link->resolve)
        link->resolve->is_late = true;
    else if (link->asks_sentinel)
        link->sentinel++;
    if (link->role != LINK_MOVED)
        link->has_address = false;
    link->asks_sentinel = false;
    link->lane->store->host->timer_start(&link->timer, link_on_timer, link_delay(link, has_lasted),
                                         0);
}

/* ---- connecting ---- */

/* Sets the timer to what is left of the time for connecting; half of it while other addresses of the
 * name are untried and this one has not answered. */
static void link_limit(struct redis_link *link)
{
    const struct redis_host *host = link->lane->store->host;
    bool is_shared = link->untried && !(link->socket && link->socket->connected);
    uint64_t now = host->now(link->lane->loop);
    uint64_t left = link->connect_until > now ? link->connect_until - now : 0;

    host->timer_start(&link->timer, link_on_timer, is_shared ? left / 2 : left, 0);
}

/* Connects to an address, or to a Unix socket, and prepares the greeting. Returns false with the
 * reason if it is known at once that there will be no connection. */
static bool link_open(struct redis_link *link, const char *address, char reterr_why[REDIS_ERROR])
{
    redisContext *context = link->at.port ? redisConnectNonBlock(address, (int)link->at.port)
                                          : redisConnectUnixNonBlock(link->at.host);

    link->socket = context && !context->err ? hf_redis_socket_new(link, context) : NULL;
    if (!link->socket) {
        snprintf(reterr_why, REDIS_ERROR, "%s",
                 context && context->err ? context->errstr : "no memory");
        if (context)
            redisFree(context);
        return false;
    }
    link->state = LINK_GREETING;
    link_limit(link);
    hf_redis_link_greet(link);
    return true;
}

/* Connects to the next address of the name, or fails if there is none. */
static void link_open_next(struct redis_link *link, const char *why)
{
    char text[REDIS_ERROR], address[INET6_ADDRSTRLEN + IF_NAMESIZE];
    const struct addrinfo *at;

    snprintf(text, sizeof text, "%s", why);
    while ((at = link->untried)) {
        link->untried = at->ai_next;
        if (!getnameinfo(at->ai_addr, at->ai_addrlen, address, sizeof address, NULL, 0,
                         NI_NUMERICHOST) &&
            link_open(link, address, text))
            return;
    }
    hf_redis_link_fail(link, text);
}

void hf_redis_link_unreachable(struct redis_link *link, const char *why)
{
    link_close_socket(link);
    link_open_next(link, why);
}

/* The greeting has been written to the buffer; TLS begins before it leaves. */
void hf_redis_link_connected(struct redis_link *link)
{
    const struct redis_store *store = link->lane->store;
    redisContext *context = link->socket->context;
    const char *why = NULL;

    link_limit(link);
    if (link->role == LINK_CHANNELS && link->at.port)
        redisEnableKeepAlive(context); /* nothing else notices that a silent server is gone */
    if (store->tls && !link->asks_sentinel)
        why = hf_redis_tls_start(store->tls, context, link->at.host, &link->socket->tls);
    if (why)
        hf_redis_link_fail(link, why);
}

static void link_begin_time(struct redis_link *link)
{
    const struct redis_store *store = link->lane->store;

    link->connect_until = store->host->now(link->lane->loop) + store->options.connect_ms;
}

/* Connects to the addresses of a name that has been resolved. */
static void link_use_name(struct redis_link *link)
{
    if (link->resolve->is_late)
        link_begin_time(link); /* this attempt may be about to end */
    link->addresses = link->resolve->addresses;
    link->untried = link->addresses;
    link->resolve->addresses = NULL;
    link_drop_name(link);
    link_open_next(link, "the host name cannot be resolved");
}

static void link_on_resolved(uv_getaddrinfo_t *request, int status, struct addrinfo *addresses)
{
    struct redis_resolve *resolve = request->data;
    struct redis_link *link = resolve->link;
    struct redis_lane *lane = resolve->lane;

    resolve->done = true;
    resolve->addresses = addresses;
    if (!link) {
        resolve_free(resolve);
    } else if (link->state == LINK_RESOLVING) {
        link_use_name(link);
    } else if (status) {
        link_drop_name(link);
        link->sentinel++;
    }
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
        memcpy(resolve->host, link->at.host, sizeof resolve->host);
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

/* An earlier attempt may have begun to resolve the name. */
static void link_connect_name(struct redis_link *link)
{
    if (link->resolve && strcmp(link->resolve->host, link->at.host) != 0)
        link_drop_name(link);
    if (!link->resolve)
        link_resolve(link);
    else if (link->resolve->done)
        link_use_name(link);
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
    char why[REDIS_ERROR];

    link->asks_sentinel = !link->has_address && url->master[0];
    if (!link->has_address)
        link->at = url->hosts[link->asks_sentinel ? link->sentinel % url->n_hosts : 0];
    link->state = LINK_RESOLVING;
    link_begin_time(link);
    link_limit(link);
    if (link->at.port && !link_is_numeric(link->at.host))
        link_connect_name(link);
    else if (!link_open(link, link->at.host, why))
        hf_redis_link_fail(link, why);
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
    while (link->state == LINK_READY && link->sent && hf_redis_socket_read(link->socket))
        continue;
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
    link_drop_name(link);
    store->host->close((uv_handle_t *)&link->timer, redis_link_closed);
}
