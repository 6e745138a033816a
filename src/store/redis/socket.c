/* socket.c - a connection of hiredis on libuv.
 *
 * It uses the reader and the buffers of hiredis, not its asynchronous interface: that one ends the
 * process if a server sends an answer that nobody asked for. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "store/redis/room.h"

static const char socket_too_large[] = "an answer of the server is too large";

/* ---- the end ---- */

static void socket_on_closed(uv_handle_t *handle)
{
    struct redis_socket *socket = handle->data;
    struct redis_lane *lane = socket->lane;

    redis_release(lane->store, socket->expected, socket->room * sizeof *socket->expected);
    redis_release(lane->store, socket, sizeof *socket);
    hf_redis_lane_handle_closed(lane);
}

static void socket_free(struct redis_socket *socket)
{
    const struct redis_host *host = socket->lane->store->host;

    host->close((uv_handle_t *)&socket->poll, socket_on_closed);
    redisFree(socket->context);
    socket->context = NULL;
}

void hf_redis_socket_close(struct redis_socket *socket)
{
    socket->link = NULL;
    for (; socket->n; socket->n--) {
        struct redis_job *job = socket->expected[socket->first].job;

        socket->first = (socket->first + 1) % socket->room;
        if (job) {
            job->replies--;
            hf_redis_lane_release(socket->lane, job);
        }
    }
    if (!socket->busy)
        socket_free(socket);
}

/* Begins a use of the context. */
static void socket_enter(struct redis_socket *socket)
{
    socket->busy = true;
    if (socket->tls)
        hf_redis_tls_prepare();
}

/* Ends a use of the context, during which the socket may have been closed. */
static void socket_leave(struct redis_socket *socket)
{
    socket->busy = false;
    if (!socket->link)
        socket_free(socket);
}

/* Why reading or writing has failed. Of an error of TLS, hiredis knows only errno or the end. */
static const char *socket_reason(const struct redis_socket *socket, const char *otherwise)
{
    const redisContext *context = socket->context;
    const char *reason = NULL;

    if (socket->reader.refused)
        return socket_too_large; /* hiredis says that it has no memory */
    if (socket->tls && context->err)
        reason = hf_redis_tls_reason(socket->tls);
    if (!reason && context->err && *context->errstr)
        reason = context->errstr;
    return reason ? reason : otherwise;
}

static void socket_fail(struct redis_socket *socket, const char *otherwise)
{
    char why[REDIS_ERROR];

    snprintf(why, sizeof why, "%s", socket_reason(socket, otherwise));
    if (socket->link)
        hf_redis_link_fail(socket->link, why);
}

/* ---- events ---- */

static void socket_on_ready(uv_poll_t *poll, int status, int events);

static void socket_poll(struct redis_socket *socket, int wanted)
{
    if (socket->polled == wanted)
        return;
    socket->polled = wanted;
    if (socket->lane->store->host->poll_start(&socket->poll, wanted, socket_on_ready))
        socket->polled = 0;
}

static void socket_answer(struct redis_socket *socket, const redisReply *reply)
{
    struct redis_link *link = socket->link;
    struct redis_expected expected;

    if (link->role == LINK_CHANNELS && link->state == LINK_READY) {
        hf_redis_channels_hear(link, reply);
        return;
    }
    if (!socket->n) {
        hf_redis_link_fail(link, "the server has sent an answer that nobody asked for");
        return;
    }
    expected = socket->expected[socket->first];
    socket->first = (socket->first + 1) % socket->room;
    socket->n--;
    link->answered_at = link->lane->store->host->now(link->lane->loop);
    if (expected.is_wait)
        hf_redis_link_waited(link, reply);
    else if (expected.job)
        hf_redis_job_answered(expected.job, reply);
    else
        hf_redis_link_greeted(link, reply);
}

bool hf_redis_socket_read(struct redis_socket *socket)
{
    redisContext *context = socket->context;
    size_t before = context->reader->len;
    void *reply = NULL;
    bool has_read;

    socket_enter(socket);
    if (redisBufferRead(context) != REDIS_OK)
        socket_fail(socket, "the connection was lost");
    has_read = context->reader->len > before;
    while (socket->link) {
        if (redisGetReplyFromReader(context, &reply) != REDIS_OK)
            socket_fail(socket, "the answer is not valid");
        if (!reply)
            break;
        if (socket->link)
            socket_answer(socket, reply);
        freeReplyObject(reply);
        reply = NULL;
    }
    if (socket->link && context->reader->len > (size_t)REDIS_MAX_REPLY)
        hf_redis_link_fail(socket->link, socket_too_large);
    socket_leave(socket);
    return has_read;
}

/* The events to wait for while there is something to write. A handshake of TLS may have to read
 * first; a socket that it polled for writing would always be ready. */
static int socket_wanted(const struct redis_socket *socket)
{
    return socket->tls && hf_redis_tls_wants_read(socket->tls) ? UV_READABLE
                                                               : UV_READABLE | UV_WRITABLE;
}

/* Whether something had to wait until TLS has read. */
static bool socket_is_held(const struct redis_socket *socket)
{
    return socket->tls && *socket->context->obuf;
}

void hf_redis_socket_write(struct redis_socket *socket)
{
    int done = 0;

    socket_enter(socket);
    socket->dirty = false;
    if (redisBufferWrite(socket->context, &done) != REDIS_OK)
        socket_fail(socket, "the connection was lost");
    else
        socket_poll(socket, done ? UV_READABLE : socket_wanted(socket));
    socket_leave(socket);
}

/* Whether the connection is there, and can be used. */
static bool socket_connected(struct redis_socket *socket)
{
    int error = 0;
    socklen_t size = sizeof error;

    if (socket->connected)
        return true;
    if (getsockopt(socket->context->fd, SOL_SOCKET, SO_ERROR, &error, &size))
        error = errno;
    socket->connected = !error;
    if (error)
        hf_redis_link_unreachable(socket->link, strerror(error));
    else
        hf_redis_link_connected(socket->link);
    return socket->link;
}

static void socket_on_ready(uv_poll_t *poll, int status, int events)
{
    struct redis_socket *socket = poll->data;
    struct redis_lane *lane = socket->lane;

    if (status < 0)
        socket->polled = 0; /* libuv has stopped; reading tells why */
    if (socket_connected(socket)) {
        if (events & UV_READABLE || status < 0)
            hf_redis_socket_read(socket);
        if (socket->link && (events & UV_WRITABLE || status < 0 || socket_is_held(socket)))
            hf_redis_socket_write(socket);
        if (socket->link && status < 0)
            hf_redis_link_fail(socket->link, "the connection was lost");
    }
    hf_redis_lane_deliver(lane);
}

/* ---- sending ---- */

static bool socket_expect(struct redis_socket *socket, struct redis_expected next)
{
    const struct redis_store *store = socket->lane->store;
    size_t room = socket->room ? socket->room * 2 : 64;
    struct redis_expected *expected;

    if (socket->n == socket->room) {
        expected = redis_alloc(store, room * sizeof *expected);
        if (!expected)
            return false;
        for (size_t i = 0; i < socket->n; i++)
            expected[i] = socket->expected[(socket->first + i) % socket->room];
        redis_release(store, socket->expected, socket->room * sizeof *expected);
        socket->expected = expected;
        socket->room = room;
        socket->first = 0;
    }
    socket->expected[(socket->first + socket->n++) % socket->room] = next;
    return true;
}

/* Commands of one turn of the loop are written together, before it sleeps. */
static void socket_write_soon(struct redis_socket *socket)
{
    if (!socket->connected)
        return;
    socket->dirty = true;
    hf_redis_lane_flush_soon(socket->lane);
}

int hf_redis_socket_send(struct redis_socket *socket, const char *command, size_t size,
                         struct redis_expected expected)
{
    if (!socket_expect(socket, expected))
        return HAFT_ENOMEM;
    if (redisAppendFormattedCommand(socket->context, command, size) != REDIS_OK) {
        socket->n--;
        return HAFT_ENOMEM;
    }
    if (expected.job)
        expected.job->replies++;
    socket_write_soon(socket);
    return 0;
}

int hf_redis_socket_send_words(struct redis_socket *socket, int argc, const char **argv,
                               const size_t *sizes, bool has_answer)
{
    char *command = NULL;
    long long size = redisFormatCommandArgv(&command, argc, argv, sizes);
    int status = HAFT_ENOMEM;

    if (size < 0)
        return HAFT_ENOMEM;
    if (has_answer)
        status = hf_redis_socket_send(socket, command, (size_t)size,
                                      (struct redis_expected){.job = NULL});
    else if (redisAppendFormattedCommand(socket->context, command, (size_t)size) == REDIS_OK)
        status = 0;
    socket_write_soon(socket);
    redisFreeCommand(command);
    return status;
}

/* ---- the beginning ---- */

struct redis_socket *hf_redis_socket_new(struct redis_link *link, redisContext *context)
{
    struct redis_lane *lane = link->lane;
    struct redis_socket *socket = redis_alloc(lane->store, sizeof *socket);

    fcntl(context->fd, F_SETFD, FD_CLOEXEC); /* programs that are started do not get a login */
    if (!socket)
        return NULL;
    if (lane->store->host->poll_init(lane->loop, &socket->poll, context->fd)) {
        redis_release(lane->store, socket, sizeof *socket);
        return NULL;
    }
    lane->handles++;
    lane->store->host->unref((uv_handle_t *)&socket->poll);
    socket->poll.data = socket;
    socket->lane = lane;
    socket->link = link;
    socket->context = context;
    hf_redis_reader_limit(context->reader, &socket->reader);
    socket_poll(socket, UV_WRITABLE);
    return socket;
}
