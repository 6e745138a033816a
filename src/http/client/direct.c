/* direct.c - one request and its response on a connection that is not libcurl's.
 *
 * A request takes an idle connection, or waits for one, or has libcurl open one and then takes the socket.
 * The head and the body leave in one system call, without another turn of the loop: also from the callback
 * that ends another request.  A failure that is found while sending is reported by the loop, since no callback
 * may precede the return of the start function. */
#define _GNU_SOURCE /* F_DUPFD_CLOEXEC */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http/client/room.h"

enum {
    DIRECT_READ = 16 << 10,
    DIRECT_READS = 16 /* at once, before others have their turn */
};

/* libcurl gets what it is good at: TLS, proxies, content codings, and redirects, which the redirect code asks
 * libcurl about.  What remains is plain HTTP to the host of the URL, or over a Unix socket. */
bool hf_http_direct_suits(const http_client *client, const struct http_request_options *options)
{
    return !client->options.no_direct && !client->options.proxy &&
           !client->pool.proxy_in_environment && !options->decode && !options->max_redirects &&
           !strncasecmp(options->url, "http://", 7);
}

/* Has the loop end the request. */
static void direct_fail_soon(http_request *request, enum http_error error)
{
    if (!request->failure)
        request->failure = error;
    hf_http_client_do_soon(request);
}

/* ---- sending ---- */

/* The response may be there, or say why: so reading goes on. */
static void direct_send_more(http_request *request)
{
    if (hf_http_send_unsent(request) && !hf_http_send(request))
        request->exchange.unsendable = true;
}

/* Bytes that wait to be parsed come before those that wait to be read. */
static bool direct_is_paused(const http_request *request)
{
    return request->exchange.stopped || (request->paused && request->phase == PHASE_BODY);
}

void hf_http_direct_watch(http_request *request)
{
    struct http_connection *connection = request->exchange.connection;
    bool reads = !direct_is_paused(request);

    if (connection &&
        !hf_http_pool_watch(connection, (reads ? UV_READABLE : 0) |
                                            (hf_http_send_unsent(request) ? UV_WRITABLE : 0)))
        direct_fail_soon(request, HTTP_NO_MEMORY);
}

/* ---- connections ---- */

static void direct_open(http_request *request)
{
    http_client *client = request->client;
    struct http_exchange *exchange = &request->exchange;

    hf_http_client_take_handle(request);
    if (!request->handle || hf_http_setup_connection(request, exchange->place)) {
        direct_fail_soon(request, HTTP_NO_MEMORY);
        return;
    }
    exchange->opening = true;
    client->pool.n_opening++;
    hf_http_pool_count(client, exchange->place);
    hf_http_client_do_soon(request);
}

static void direct_stop_opening(http_request *request)
{
    request->exchange.opening = false;
    request->client->pool.n_opening--;
    request->client->pool.share = true;
}

bool hf_http_direct_seek(http_request *request)
{
    http_client *client = request->client;
    struct http_place *place = request->exchange.place;
    struct http_connection *connection;

    while (!request->exchange.fresh && (connection = hf_http_pool_take(client, place)))
        if (hf_http_direct_use(request, connection))
            return true;
    if (!hf_http_pool_has_room(client, place))
        return false;
    direct_open(request);
    return true;
}

/* Those that wait have come before. */
void hf_http_direct_start(http_request *request)
{
    if (request->exchange.place->waiting || !hf_http_direct_seek(request))
        hf_http_pool_wait(request);
}

bool hf_http_direct_use(http_request *request, struct http_connection *connection)
{
    struct http_exchange *exchange = &request->exchange;

    connection->request = request;
    exchange->connection = connection;
    exchange->sent = 0;
    exchange->closes = false;
    hf_http_answer_begin(request);
    exchange->unsendable = !hf_http_send(request);
    if (exchange->unsendable && !exchange->sent) {
        exchange->unsendable = false;
        exchange->connection = NULL;
        hf_http_pool_close(connection);
        return false;
    }
    hf_http_direct_watch(request);
    return true;
}

/* Lets go of the connection. */
static struct http_connection *direct_detach(http_request *request)
{
    struct http_connection *connection = request->exchange.connection;

    request->exchange.connection = NULL;
    connection->request = NULL;
    return connection;
}

/* Whether it may be sent on another connection, since it was not executed, or may be executed twice.  A new
 * connection that fails is a failure. */
static bool direct_may_send_again(const http_request *request)
{
    return request->exchange.connection->used && !request->head_bytes && !request->repeated &&
           (!request->issued || request->options.may_repeat);
}

static void direct_send_again(http_request *request)
{
    struct http_exchange *exchange = &request->exchange;

    hf_http_pool_close(direct_detach(request));
    request->repeated = request->issued;
    exchange->fresh = true;
    exchange->unsendable = false;
    hf_http_request_enter(request, PHASE_CONNECT);
    hf_http_direct_start(request);
}

/* ---- receiving ---- */

/* The connection is closed: in order if the error is 0.  The reasons are libcurl's; it has none for a connection
 * that was used before. */
static void direct_lost(http_request *request, int error)
{
    bool complete = !error && hf_http_answer_closed(request);
    bool begun = request->phase == PHASE_BODY || request->exchange.begun;

    if (complete) {
        hf_http_request_finish(request, HTTP_OK);
    } else if (direct_may_send_again(request)) {
        direct_send_again(request);
    } else if (begun) {
        hf_http_request_finish(request, HTTP_TRUNCATED);
    } else {
        if (!request->exchange.connection->used)
            request->why = error ? strerror(error) : "Empty reply from server";
        request->failure = HTTP_CLOSED;
        hf_http_request_finish(request, HTTP_CLOSED);
    }
}

static void direct_done(http_request *request, bool excess)
{
    bool keeps = request->exchange.keeps_alive && !excess && !request->exchange.unsendable &&
                 !hf_http_send_unsent(request);
    struct http_connection *connection = direct_detach(request);

    if (keeps)
        hf_http_pool_put(connection);
    else
        hf_http_pool_close(connection);
    hf_http_request_finish(request, HTTP_OK);
}

/* Keeps bytes until the request is resumed. */
static bool direct_hold(http_request *request, const char *bytes, size_t size)
{
    const haft_allocator *allocator = request->client->allocator;
    struct http_exchange *exchange = &request->exchange;

    if (size && !exchange->held) {
        exchange->held = allocator->alloc(allocator->context, DIRECT_READ);
        if (!exchange->held)
            return false;
    }
    if (size)
        memmove(exchange->held, bytes, size);
    exchange->held_size = size;
    return true;
}

/* Returns whether more can be read for this request. */
static bool direct_feed(http_request *request, const char *bytes, size_t size)
{
    size_t used;

    switch (hf_http_answer_feed(request, bytes, size, &used)) {
    case ANSWER_MORE:
        return true;
    case ANSWER_PAUSED:
        request->exchange.stopped = true;
        if (!direct_hold(request, bytes + used, size - used))
            hf_http_request_finish(request, HTTP_NO_MEMORY);
        return false;
    case ANSWER_DONE:
        direct_done(request, used < size);
        return false;
    default:
        hf_http_request_finish(request, request->failure);
        return false;
    }
}

static void direct_read(http_request *request)
{
    struct http_connection *connection = request->exchange.connection;
    char room[DIRECT_READ];
    bool more = true;
    ssize_t n;

    for (int i = 0; i < DIRECT_READS && more; i++) {
        n = recv(connection->socket, room, sizeof room, MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return;
        if (n <= 0) {
            direct_lost(request, n ? errno : 0);
            return;
        }
        more = direct_feed(request, room, (size_t)n) && (size_t)n == sizeof room;
    }
}

/* A callback may end the request, or the client: neither is freed before it is settled. */
static void direct_on_ready(uv_poll_t *poll, int status, int events)
{
    struct http_connection *connection = poll->data;
    http_client *client = connection->client;
    http_request *request = connection->request;

    /* An error is found by reading; libuv has stopped at it. */
    if (status < 0) {
        connection->polled = 0;
        events = UV_READABLE | UV_WRITABLE;
    }
    client->depth++;
    if (!request) {
        /* The server has closed an idle connection, or sent what nobody asked for. */
        client->uv->poll_stop(poll);
        hf_http_pool_close(connection);
    } else {
        if (events & UV_READABLE && !direct_is_paused(request))
            direct_read(request);
        if (connection->request == request && events & UV_WRITABLE)
            direct_send_more(request);
        if (connection->request == request)
            hf_http_direct_watch(request);
    }
    client->depth--;
    hf_http_client_settle(client);
}

/* ---- the loop, libcurl and the end ---- */

/* libcurl closes the connection when its handle is removed, by a callback that leaves the socket open.  A version
 * that would close it later leaves its socket, and this takes another of the same connection. */
static int direct_take_socket(http_request *request, bool *ret_has_socket)
{
    http_client *client = request->client;
    curl_socket_t socket = CURL_SOCKET_BAD;

    curl_easy_getinfo(request->easy, CURLINFO_ACTIVESOCKET, &socket);
    *ret_has_socket = socket != CURL_SOCKET_BAD; /* or the server has closed it meanwhile */
    client->pool.taking = *ret_has_socket;
    client->pool.taken = socket;
    hf_http_request_remove(request);
    if (client->pool.taking)
        socket = fcntl(socket, F_DUPFD_CLOEXEC, 0);
    client->pool.taking = false;
    hf_http_client_keep_handle(request);
    return socket;
}

void hf_http_direct_connected(http_request *request)
{
    http_client *client = request->client;
    bool has_socket;
    int socket = direct_take_socket(request, &has_socket);
    struct http_connection *connection =
        socket < 0 ? NULL : hf_http_pool_add(request, socket, direct_on_ready);

    if (!connection) {
        if (socket >= 0)
            close(socket);
        hf_http_request_finish(request, has_socket ? HTTP_NO_MEMORY : HTTP_CLOSED);
        return;
    }
    direct_stop_opening(request);
    client->depth++;
    if (!hf_http_direct_use(request, connection))
        hf_http_request_finish(request, HTTP_CLOSED);
    client->depth--;
}

void hf_http_direct_continue(http_request *request)
{
    http_client *client = request->client;
    struct http_exchange *exchange = &request->exchange;
    bool stopped = exchange->stopped;

    client->depth++;
    if (request->failure) {
        hf_http_request_finish(request, request->failure);
    } else if (exchange->connection && !request->paused) {
        request->since = client->uv->now(client->loop);
        exchange->stopped = false;
        /* Also without bytes: they may have been parsed to the end of the response. */
        if (stopped)
            direct_feed(request, exchange->held ? exchange->held : "", exchange->held_size);
        if (exchange->connection)
            hf_http_direct_watch(request);
    }
    client->depth--;
}

void hf_http_direct_stop(http_request *request)
{
    http_client *client = request->client;
    struct http_exchange *exchange = &request->exchange;
    struct http_place *place = exchange->place;

    client->pool.n_direct--;
    hf_http_pool_stop_waiting(request);
    if (exchange->connection)
        hf_http_pool_close(direct_detach(request));
    if (exchange->opening) {
        direct_stop_opening(request);
        hf_http_pool_discount(client, place);
    }
    hf_http_place_leave(request);
}

void hf_http_direct_release(http_request *request)
{
    const haft_allocator *allocator = request->client->allocator;
    struct http_exchange *exchange = &request->exchange;

    hf_http_place_leave(request); /* a request that was not started */
    if (exchange->held)
        allocator->release(allocator->context, exchange->held, DIRECT_READ);
    exchange->held = NULL;
    if (exchange->head) /* which may hold secrets */
        explicit_bzero(exchange->head, exchange->head_size);
    exchange->head_size = 0;
}
