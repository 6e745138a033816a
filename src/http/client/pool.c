/* pool.c - connections of direct requests: to whom they belong, how many there are, and when they close.
 *
 * libuv reports events of a connection as long as it is open, so that a request costs no system call for
 * that.  An idle connection does not keep the loop alive.  Requests wait in one list for all places: in the
 * order in which they came. */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http/client/room.h"

/* ---- counting ---- */

void hf_http_pool_count(http_client *client, struct http_place *place)
{
    client->pool.n_connections++;
    place->connections++;
}

void hf_http_pool_discount(http_client *client, struct http_place *place)
{
    client->pool.n_connections--;
    place->connections--;
    client->pool.serve = client->pool.first_waiting;
    client->pool.share = true;
    hf_http_place_release(client, place);
}

/* What libcurl may need: a connection for each of its requests. */
static unsigned pool_of_libcurl(const http_client *client)
{
    return client->n_requests - client->pool.n_direct;
}

/* ---- idle connections ---- */

static void pool_unlink_idle(struct http_connection *connection)
{
    *connection->at = connection->next;
    if (connection->next)
        connection->next->at = connection->at;
    connection->at = NULL;
}

static void pool_link_idle(struct http_connection *connection)
{
    struct http_place *place = connection->place;

    connection->at = &place->idle;
    connection->next = place->idle;
    if (connection->next)
        connection->next->at = &connection->next;
    place->idle = connection;
}

static struct http_connection *pool_oldest(const http_client *client)
{
    struct http_connection *oldest = NULL;

    for (struct http_place *place = client->pool.places; place; place = place->next)
        for (struct http_connection *at = place->idle; at; at = at->next)
            if (!oldest || at->idle_since <= oldest->idle_since)
                oldest = at;
    return oldest;
}

uint64_t hf_http_pool_due(const http_client *client)
{
    const struct http_connection *oldest = pool_oldest(client);

    return oldest ? oldest->idle_since + client->options.idle_ms : UINT64_MAX;
}

void hf_http_pool_expire(http_client *client, uint64_t now)
{
    struct http_connection *oldest;

    while ((oldest = pool_oldest(client)) && now - oldest->idle_since >= client->options.idle_ms)
        hf_http_pool_close(oldest);
}

/* ---- room ---- */

bool hf_http_pool_has_room(http_client *client, const struct http_place *place)
{
    unsigned most = client->options.max_connections;
    struct http_connection *oldest;

    if (place->connections >= client->options.max_per_host) {
        if (place->idle) /* which the request may not use */
            hf_http_pool_close(place->idle);
        return place->connections < client->options.max_per_host;
    }
    /* Both ways can have one connection at any time, so that neither waits for the other for ever. */
    if (!client->pool.n_connections || client->pool.n_connections + pool_of_libcurl(client) < most)
        return true;
    oldest = pool_oldest(client);
    if (oldest)
        hf_http_pool_close(oldest);
    return oldest;
}

/* The only connection of the pool may be there in any case. */
static unsigned pool_left_to_libcurl(const http_client *client)
{
    unsigned most = client->options.max_connections, n = client->pool.n_connections;

    if (n == 1 && pool_of_libcurl(client) >= most)
        return most;
    return n < most ? most - n : 1;
}

void hf_http_pool_share(http_client *client)
{
    struct http_pool *pool = &client->pool;
    struct http_connection *oldest;
    unsigned left, limit;

    while (pool->n_connections + pool_of_libcurl(client) > client->options.max_connections &&
           (oldest = pool_oldest(client)))
        hf_http_pool_close(oldest);
    pool->share = false;
    left = pool_left_to_libcurl(client);
    limit = left + pool->n_opening;
    pool->retry = pool->retry || left > pool->left_to_libcurl;
    pool->left_to_libcurl = left;
    if (!client->multi || limit == pool->limit_of_libcurl)
        return;
    pool->limit_of_libcurl = limit;
    curl_multi_setopt(client->multi, CURLMOPT_MAXCONNECTS, (long)limit);
    curl_multi_setopt(client->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)limit);
}

/* The oldest request that libcurl has done nothing for yet, in this pass. */
static http_request *pool_find_stuck(const http_client *client)
{
    http_request *oldest = NULL;

    for (http_request *at = client->requests; at; at = at->next)
        if (at->added && at->handle && !at->handle->connects && at->pass != client->pass)
            oldest = at;
    return oldest;
}

/* libcurl checks for room only when one of its connections becomes free. */
void hf_http_pool_retry(http_client *client)
{
    http_request *request;

    client->pool.retry = false;
    client->pass++;
    while (!client->destroyed && !client->broken && (request = pool_find_stuck(client))) {
        request->pass = client->pass;
        hf_http_request_remove(request);
        hf_http_request_add(request);
    }
}

/* ---- connections ---- */

struct http_connection *hf_http_pool_add(http_request *request, int socket, uv_poll_cb on_ready)
{
    http_client *client = request->client;
    const haft_allocator *allocator = client->allocator;
    struct http_connection *connection = allocator->alloc(allocator->context, sizeof *connection);

    if (!connection)
        return NULL;
    *connection = (struct http_connection){
        .client = client, .place = request->exchange.place, .socket = socket, .on_ready = on_ready};
    if (client->uv->poll_init(client->loop, &connection->poll, socket)) {
        allocator->release(allocator->context, connection, sizeof *connection);
        return NULL;
    }
    connection->poll.data = connection;
    client->handles++;
    return connection;
}

static void pool_on_closed(uv_handle_t *handle)
{
    struct http_connection *connection = handle->data;
    http_client *client = connection->client;

    client->allocator->release(client->allocator->context, connection, sizeof *connection);
    hf_http_client_handle_closed(client);
}

void hf_http_pool_close(struct http_connection *connection)
{
    http_client *client = connection->client;
    struct http_place *place = connection->place;

    if (connection->at)
        pool_unlink_idle(connection);
    connection->request = NULL;
    connection->place = NULL;
    client->uv->close((uv_handle_t *)&connection->poll, pool_on_closed);
    close(connection->socket);
    hf_http_pool_discount(client, place);
}

bool hf_http_pool_watch(struct http_connection *connection, int events)
{
    const struct http_client_uv *uv = connection->client->uv;
    int failed = 0;

    if (events == connection->polled)
        return true;
    if (events)
        failed = uv->poll_start(&connection->poll, events, connection->on_ready);
    else
        uv->poll_stop(&connection->poll);
    connection->polled = failed ? 0 : events;
    return !failed;
}

/* Whether the server has neither closed it nor sent anything. */
static bool pool_works(const struct http_connection *connection)
{
    char byte;

    return recv(connection->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
           (errno == EAGAIN || errno == EWOULDBLOCK);
}

/* A request that fails on a connection that the server has closed may have been executed, so this is found
 * out before. */
struct http_connection *hf_http_pool_take(http_client *client, struct http_place *place)
{
    struct http_connection *connection;

    while ((connection = place->idle)) {
        if (pool_works(connection)) {
            pool_unlink_idle(connection);
            client->uv->ref((uv_handle_t *)&connection->poll);
            return connection;
        }
        hf_http_pool_close(connection);
    }
    return NULL;
}

/* ---- waiting ---- */

void hf_http_pool_wait(http_request *request)
{
    http_client *client = request->client;
    struct http_exchange *exchange = &request->exchange;

    exchange->place->waiting++;
    exchange->next = NULL;
    exchange->at =
        client->pool.last_waiting ? client->pool.last_waiting : &client->pool.first_waiting;
    *exchange->at = request;
    client->pool.last_waiting = &exchange->next;
}

void hf_http_pool_stop_waiting(http_request *request)
{
    http_client *client = request->client;
    struct http_exchange *exchange = &request->exchange;

    if (!exchange->at)
        return;
    exchange->place->waiting--;
    *exchange->at = exchange->next;
    if (exchange->next)
        exchange->next->exchange.at = exchange->at;
    else
        client->pool.last_waiting = exchange->at;
    exchange->at = NULL;
}

static http_request *pool_next(const http_client *client, const struct http_place *place)
{
    for (http_request *at = client->pool.first_waiting; at && place->waiting;
         at = at->exchange.next)
        if (at->exchange.place == place && !at->exchange.fresh)
            return at;
    return NULL;
}

void hf_http_pool_put(struct http_connection *connection)
{
    http_client *client = connection->client;
    http_request *next = pool_next(client, connection->place);

    connection->request = NULL;
    connection->used = true;
    /* The next request must not find the server's end, nor bytes that nobody asked for, either. */
    if (client->destroyed || !hf_http_pool_watch(connection, UV_READABLE) ||
        (next && !pool_works(connection))) {
        hf_http_pool_close(connection);
        return;
    }
    if (next) {
        if (hf_http_direct_use(next, connection))
            hf_http_pool_stop_waiting(next);
        return;
    }
    client->uv->unref((uv_handle_t *)&connection->poll);
    connection->idle_since = client->uv->now(client->loop);
    pool_link_idle(connection);
    client->pool.serve = client->pool.first_waiting; /* for another place, it can be closed; */
    client->pool.share = true;                       /* or for libcurl */
    hf_http_client_wait_until(client, connection->idle_since + client->options.idle_ms);
}

void hf_http_pool_serve(http_client *client)
{
    http_request *next;

    client->pool.serve = false;
    for (http_request *request = client->pool.first_waiting; request; request = next) {
        next = request->exchange.next;
        if (hf_http_direct_seek(request))
            hf_http_pool_stop_waiting(request);
    }
}
