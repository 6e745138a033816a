/* demo_socket.c - WebSockets of the demo home, and streams of events.
 *
 * The home may send from any thread: what it sends waits in a buffer until the loop of the socket takes
 * it.  A client that does not read fills the buffers, and is dropped. */
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "base/base.h"
#include "serve/demo_server.h"
#include "websocket/server.h"

enum {
    DEMO_SOCKET_WAITING = 4 << 20, /* bytes that the loop has not taken yet */
    DEMO_SOCKET_QUEUED = 4 << 20,  /* bytes that the client has not taken */
    DEMO_SOCKET_MESSAGE = 4 << 20  /* bytes of a message of the client, as in Home Assistant */
};

struct demo_socket {
    struct demo_socket *next;
    struct demo_server *server;
    websocket_served *served;        /* NULL: gone, or a stream */
    const haft_responder *responder; /* of a stream; NULL: gone, or a WebSocket */
    void *context;                   /* of the responder */
    struct demo_session *session;
    uv_mutex_t lock;     /* of the following two */
    haft_buffer waiting; /* messages, each after its size */
    bool ended;          /* the home wants it closed */
    haft_buffer taken;   /* that are being sent */
};

/* ---- from the home, on any thread ---- */

static void demo_socket_wake(const struct demo_socket *socket)
{
    socket->server->loop->wake(socket->server->loop->context);
}

static void demo_socket_on_send(void *who, const char *text, size_t size)
{
    struct demo_socket *socket = who;

    uv_mutex_lock(&socket->lock);
    haft_buffer_add(&socket->waiting, &size, sizeof size);
    haft_buffer_add(&socket->waiting, text, size);
    uv_mutex_unlock(&socket->lock);
    demo_socket_wake(socket);
}

static void demo_socket_on_close(void *who)
{
    struct demo_socket *socket = who;

    uv_mutex_lock(&socket->lock);
    socket->ended = true;
    uv_mutex_unlock(&socket->lock);
    demo_socket_wake(socket);
}

/* ---- from the client, on the loop ---- */

static void demo_socket_on_message(void *context, bool is_text, const char *bytes, size_t size)
{
    struct demo_socket *socket = context;

    if (is_text)
        demo_session_receive(socket->session, bytes, size);
    else
        hf_websocket_served_close(socket->served, WEBSOCKET_PROTOCOL_ERROR, "messages are text");
}

/* The socket is freed when nothing of it is on the stack. */
static void demo_socket_on_end(void *context, const struct websocket_end *end)
{
    struct demo_socket *socket = context;

    (void)end;
    socket->served = NULL;
    demo_socket_wake(socket);
}

/* ---- life ---- */

static void demo_socket_free(struct demo_socket *socket)
{
    hf_websocket_served_free(socket->served);
    if (socket->session)
        demo_session_close(socket->session);
    haft_buffer_finish(&socket->waiting);
    haft_buffer_finish(&socket->taken);
    uv_mutex_destroy(&socket->lock);
    free(socket);
}

static struct demo_socket *demo_socket_new(struct demo_server *server)
{
    struct demo_socket *socket = calloc(1, sizeof *socket);

    if (socket && uv_mutex_init(&socket->lock)) {
        free(socket);
        return NULL;
    }
    if (!socket)
        return NULL;
    socket->server = server;
    haft_buffer_init(&socket->waiting, NULL, DEMO_SOCKET_WAITING);
    haft_buffer_init(&socket->taken, NULL, DEMO_SOCKET_WAITING);
    return socket;
}

void demo_socket_open(struct demo_server *server, const haft_request *request,
                      const haft_responder *responder, void *context, haft_time now)
{
    static const haft_response failed = {.status = 500};
    struct demo_socket *socket = demo_socket_new(server);
    struct websocket_server_options options = {.max_message = DEMO_SOCKET_MESSAGE,
                                               .max_queued = DEMO_SOCKET_QUEUED,
                                               .on_message = demo_socket_on_message,
                                               .on_end = demo_socket_on_end,
                                               .context = socket};

    if (!socket) {
        responder->respond(context, &failed);
        return;
    }
    socket->served = hf_websocket_serve(request, responder, context, &options, now);
    if (socket->served)
        socket->session =
            demo_session_open(server->demo, demo_socket_on_send, demo_socket_on_close, socket);
    if (!socket->session) {
        demo_socket_free(socket);
        return;
    }
    socket->next = server->sockets;
    server->sockets = socket;
}

/* ---- streams ---- */

void *demo_socket_stream(struct demo_server *server, const char *query,
                         const haft_responder *responder, void *context)
{
    struct demo_socket *socket = demo_socket_new(server);

    if (!socket)
        return NULL;
    socket->responder = responder;
    socket->context = context;
    socket->session =
        demo_stream_open(server->demo, query, demo_socket_on_send, demo_socket_on_close, socket);
    if (!socket->session) {
        demo_socket_free(socket);
        return NULL;
    }
    socket->next = server->sockets;
    server->sockets = socket;
    return socket;
}

/* It is freed by demo_sockets_move. */
void demo_stream_gone(void *stream)
{
    struct demo_socket *socket = stream;

    socket->responder = NULL;
    demo_socket_wake(socket);
}

static void demo_stream_end(struct demo_socket *socket)
{
    const haft_responder *responder = socket->responder;

    socket->responder = NULL;
    if (responder)
        responder->end(socket->context);
}

void demo_streams_end(struct demo_server *server)
{
    for (struct demo_socket *socket = server->sockets; socket; socket = socket->next)
        demo_stream_end(socket);
}

/* ---- sending ---- */

static int demo_socket_send(struct demo_socket *socket, const char *text, size_t size)
{
    if (!socket->responder)
        return hf_websocket_served_send(socket->served, true, text, size);
    socket->responder->write(socket->context, text, size);
    return 0;
}

/* Sends what waits.  Returns whether the socket must go: the client has left, does not read, or memory
 * has run out. */
static bool demo_socket_move(struct demo_socket *socket)
{
    bool ended, is_lost;
    haft_buffer swap;
    size_t size;
    int status;

    uv_mutex_lock(&socket->lock);
    swap = socket->waiting;
    socket->waiting = socket->taken;
    socket->taken = swap;
    ended = socket->ended;
    socket->ended = false;
    uv_mutex_unlock(&socket->lock);
    is_lost = socket->taken.status;
    for (size_t at = 0;
         !is_lost && (socket->served || socket->responder) && at < socket->taken.size; at += size) {
        memcpy(&size, socket->taken.data + at, sizeof size);
        at += sizeof size;
        status = demo_socket_send(socket, socket->taken.data + at, size);
        /* The client would wait for a message that is not sent, unless it is closing. */
        is_lost = status && status != HAFT_ECLOSED;
    }
    haft_buffer_clear(&socket->taken);
    if (ended && socket->served)
        hf_websocket_served_close(socket->served, WEBSOCKET_NORMAL, "");
    if (ended || is_lost)
        demo_stream_end(socket);
    return is_lost || (!socket->served && !socket->responder);
}

void demo_sockets_move(struct demo_server *server)
{
    struct demo_socket **at = &server->sockets, *socket;

    while ((socket = *at)) {
        if (demo_socket_move(socket)) {
            *at = socket->next;
            demo_socket_free(socket);
        } else {
            at = &socket->next;
        }
    }
}

void demo_sockets_close(struct demo_server *server)
{
    struct demo_socket *socket;

    while ((socket = server->sockets)) {
        server->sockets = socket->next;
        demo_socket_free(socket);
    }
}
