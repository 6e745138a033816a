/* listener.c - a server for one request: GET of the redirect URI's path. It answers everything else
 * with an error, and never keeps a connection. */
#include "auth/client/listener.h"

#include <errno.h>
#include <stdio.h>

#include "base/sha256.h"

enum {
    LISTENER_SOCKETS = 2,
    LISTENER_CONNECTIONS = 8,
    LISTENER_REQUEST = 16 << 10,
    LISTENER_BACKLOG = 8,
    LISTENER_TRIES = 8
};

struct listener_connection {
    uv_tcp_t handle;
    struct login_listener *listener;
    struct listener_connection *next;
    size_t size;
    char text[LISTENER_REQUEST + 1];
};

struct login_listener {
    uv_loop_t *loop;
    const haft_allocator *allocator;
    uv_tcp_t sockets[LISTENER_SOCKETS];
    unsigned n_sockets, open, port; /* open: handles that are not closed yet */
    uv_tcp_t refused;               /* that there is no memory for */
    struct listener_connection *connections;
    char host[64]; /* in the Host header of a browser */
    char path[WEB_URL_LIMIT + 1];
    bool (*on_query)(void *context, const char *query, size_t size);
    void *context;
    bool closing, answering;
    bool refusing, accepted; /* `refused` is in use; it has a connection */
};

static void listener_release(struct login_listener *listener)
{
    if (listener->closing && !listener->open && !listener->answering)
        listener->allocator->release(listener->allocator->context, listener, sizeof *listener);
}

static void listener_on_socket_closed(uv_handle_t *handle)
{
    struct login_listener *listener = handle->data;

    listener->open--;
    listener_release(listener);
}

static void listener_on_connection_closed(uv_handle_t *handle)
{
    struct listener_connection *connection = handle->data;
    struct login_listener *listener = connection->listener;

    listener->open--;
    hf_secret_wipe(connection->text, connection->size);
    listener->allocator->release(listener->allocator->context, connection, sizeof *connection);
    listener_release(listener);
}

static void listener_hang_up(struct listener_connection *connection)
{
    struct listener_connection **place = &connection->listener->connections;

    while (*place && *place != connection)
        place = &(*place)->next;
    if (*place)
        *place = connection->next;
    if (!uv_is_closing((uv_handle_t *)&connection->handle))
        uv_close((uv_handle_t *)&connection->handle, listener_on_connection_closed);
}

void hf_listener_close(struct login_listener *listener)
{
    if (!listener || listener->closing)
        return;
    listener->closing = true;
    for (unsigned i = 0; i < listener->n_sockets; i++)
        uv_close((uv_handle_t *)&listener->sockets[i], listener_on_socket_closed);
    if (!listener->answering) /* else the answer is still to be written */
        while (listener->connections)
            listener_hang_up(listener->connections);
    listener_release(listener);
}

unsigned hf_listener_port(const struct login_listener *listener)
{
    return listener->port;
}

/* ---- requests ---- */

/* A small answer fits into the buffer of a new connection. */
static void listener_answer(struct listener_connection *connection, const char *status,
                            const char *text)
{
    char answer[1024];
    uv_os_fd_t fd;
    int size = snprintf(answer, sizeof answer,
                        "HTTP/1.1 %s\r\nContent-Type: text/html; charset=utf-8\r\n"
                        "Content-Length: %zu\r\nCache-Control: no-store\r\n"
                        "Content-Security-Policy: default-src 'none'\r\n"
                        "Referrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n"
                        "Connection: close\r\n\r\n%s",
                        status, strlen(text), text);

    if (!uv_fileno((uv_handle_t *)&connection->handle, &fd))
        while (send(fd, answer, (size_t)size, MSG_NOSIGNAL) < 0 && errno == EINTR)
            ;
}

/* The value of a header, without blanks around it; NULL if there is not exactly one. */
static const char *listener_find_header(const char *text, const char *name, size_t *ret_size)
{
    const char *value = NULL;
    size_t size = strlen(name);

    for (const char *line = strstr(text, "\r\n"); line && line[2] != '\r';
         line = strstr(line + 2, "\r\n")) {
        const char *at = line + 2;

        if (strlen(at) <= size || at[size] != ':' || !hf_text_is_ignoring_case(at, size, name))
            continue;
        if (value)
            return NULL;
        value = at + size + 1;
        *ret_size = strcspn(value, "\r\n");
    }
    return value;
}

/* A page of another site could send its visitors here under another name. */
static bool listener_host_is_right(const struct login_listener *listener, const char *text)
{
    size_t size;
    const char *value = listener_find_header(text, "Host", &size);
    struct text host;

    if (!value)
        return false;
    host = text_trim(value, size);
    return hf_text_is_ignoring_case(host.data, host.size, listener->host);
}

static void listener_handle(struct listener_connection *connection)
{
    static const char method[] = "GET ";
    struct login_listener *listener = connection->listener;
    const char *target = connection->text + sizeof method - 1, *query = NULL;
    size_t size = 0, path = 0;
    bool taken;

    if (!strncmp(connection->text, method, sizeof method - 1)) {
        size = strcspn(target, " \r\n");
        path = strcspn(target, " ?\r\n");
        if (path == strlen(listener->path) && !memcmp(target, listener->path, path) &&
            !strncmp(target + size, " HTTP/1.", 8) && target[path] == '?')
            query = target + path + 1;
    }
    if (!query || !listener_host_is_right(listener, connection->text)) {
        listener_answer(connection, "404 Not Found", "Not found\n");
        return;
    }
    listener->answering = true;
    taken = listener->on_query(listener->context, query, size - path - 1);
    listener->answering = false;
    if (taken)
        listener_answer(connection, "200 OK",
                        "<!doctype html><title>Login</title><p>The program has received the answer "
                        "of the login. You can close this page.</p>\n");
    else
        listener_answer(connection, "400 Bad Request",
                        "<!doctype html><title>Login</title><p>The program does not wait for this "
                        "login.</p>\n");
}

static void listener_on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    struct listener_connection *connection = handle->data;

    (void)suggested;
    *buffer = uv_buf_init(connection->text + connection->size,
                          (unsigned)(LISTENER_REQUEST - connection->size));
}

static void listener_on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buffer)
{
    struct listener_connection *connection = stream->data;
    struct login_listener *listener = connection->listener;

    (void)buffer;
    if (n > 0) {
        connection->size += (size_t)n;
        connection->text[connection->size] = '\0';
        if (strstr(connection->text, "\r\n\r\n")) {
            listener_handle(connection);
            listener_hang_up(connection);
            if (listener->closing)
                while (listener->connections)
                    listener_hang_up(listener->connections);
        } else if (connection->size == LISTENER_REQUEST) {
            listener_answer(connection, "431 Request Header Fields Too Large", "Too large\n");
            listener_hang_up(connection);
        }
    } else if (n < 0) {
        listener_hang_up(connection);
    }
}

/* Browsers open connections in advance: of too many, the oldest that has sent nothing is closed, else
 * the oldest. */
static void listener_make_room(struct login_listener *listener)
{
    struct listener_connection *oldest = NULL, *silent = NULL;
    unsigned n = 0;

    for (struct listener_connection *each = listener->connections; each; each = each->next) {
        oldest = each;
        if (!each->size)
            silent = each;
        n++;
    }
    if (n >= LISTENER_CONNECTIONS)
        listener_hang_up(silent ? silent : oldest);
}

static void listener_on_connection(uv_stream_t *server, int status);

/* Others may have come meanwhile, which libuv does not report again. */
static void listener_on_refused_closed(uv_handle_t *handle)
{
    struct login_listener *listener = handle->data;

    listener->open--;
    listener->refusing = false;
    for (unsigned i = 0; i < listener->n_sockets && listener->accepted && !listener->closing; i++)
        listener_on_connection((uv_stream_t *)&listener->sockets[i], 0);
    listener_release(listener);
}

/* Accepts and closes: libuv reports no other connection before. */
static void listener_refuse(struct login_listener *listener, uv_stream_t *server)
{
    if (listener->refusing || uv_tcp_init(listener->loop, &listener->refused))
        return;
    listener->accepted = !uv_accept(server, (uv_stream_t *)&listener->refused);
    listener->refusing = true;
    listener->refused.data = listener;
    listener->open++;
    uv_close((uv_handle_t *)&listener->refused, listener_on_refused_closed);
}

static void listener_on_connection(uv_stream_t *server, int status)
{
    struct login_listener *listener = server->data;
    struct listener_connection *connection;

    if (status < 0 || listener->closing)
        return;
    connection = listener->allocator->alloc(listener->allocator->context, sizeof *connection);
    if (!connection) {
        listener_refuse(listener, server);
        return;
    }
    connection->listener = listener;
    connection->size = 0;
    if (uv_tcp_init(listener->loop, &connection->handle)) {
        listener->allocator->release(listener->allocator->context, connection, sizeof *connection);
        return;
    }
    connection->handle.data = connection;
    listener->open++;
    if (uv_accept(server, (uv_stream_t *)&connection->handle)) {
        listener_hang_up(connection);
        return;
    }
    listener_make_room(listener);
    connection->next = listener->connections;
    listener->connections = connection;
    if (uv_read_start((uv_stream_t *)&connection->handle, listener_on_alloc, listener_on_read))
        listener_hang_up(connection);
}

/* ---- listening ---- */

/* Returns 0 or an error of libuv; the socket is counted if it was initialized. */
static int listener_bind(struct login_listener *listener, const char *address, unsigned port)
{
    uv_tcp_t *socket = &listener->sockets[listener->n_sockets];
    struct sockaddr_storage bound;
    int size = sizeof bound, status;
    bool six = strchr(address, ':');

    status = six ? uv_ip6_addr(address, (int)port, (struct sockaddr_in6 *)&bound)
                 : uv_ip4_addr(address, (int)port, (struct sockaddr_in *)&bound);
    if (!status)
        status = uv_tcp_init(listener->loop, socket);
    if (status)
        return status;
    socket->data = listener;
    listener->n_sockets++;
    listener->open++;
    status = uv_tcp_bind(socket, (struct sockaddr *)&bound, six ? UV_TCP_IPV6ONLY : 0);
    if (!status)
        status = uv_listen((uv_stream_t *)socket, LISTENER_BACKLOG, listener_on_connection);
    if (!status)
        status = uv_tcp_getsockname(socket, (struct sockaddr *)&bound, &size);
    if (!status)
        listener->port = ntohs(six ? ((struct sockaddr_in6 *)&bound)->sin6_port
                                   : ((struct sockaddr_in *)&bound)->sin_port);
    return status;
}

static int listener_listen(struct login_listener *listener, const char *host, unsigned port)
{
    bool both = hf_text_same_ignoring_case(host, "localhost");
    int status = listener_bind(listener, both ? "127.0.0.1" : host, port);

    if (status || !both)
        return status;
    status = listener_bind(listener, "::1", listener->port);
    /* Another program that listens there would get the browser's request. */
    return status == UV_EADDRINUSE ? status : 0;
}

static struct login_listener *listener_create(uv_loop_t *loop, const haft_allocator *allocator,
                                              const struct web_url *url)
{
    struct login_listener *listener = allocator->alloc(allocator->context, sizeof *listener);

    if (!listener)
        return NULL;
    memset(listener, 0, sizeof *listener);
    listener->loop = loop;
    listener->allocator = allocator;
    snprintf(listener->path, sizeof listener->path, "%.*s", (int)url->path.size,
             url->path.size ? url->path.text : "");
    if (!url->path.size)
        snprintf(listener->path, sizeof listener->path, "/");
    return listener;
}

struct login_listener *hf_listener_new(uv_loop_t *loop, const haft_allocator *allocator,
                                       const char *redirect_uri, unsigned preferred,
                                       bool (*on_query)(void *context, const char *query,
                                                        size_t size),
                                       void *context, haft_reason *reterr_reason)
{
    struct login_listener *listener = NULL;
    char host[48];
    struct web_url url;
    int status = UV_EINVAL;

    if (hf_web_url_read(redirect_uri, &url) || !url.loopback || url.host.size >= sizeof host) {
        hf_error_set(reterr_reason, HAFT_EINVAL, redirect_uri,
                     "the redirect URI is not on a loopback address");
        return NULL;
    }
    snprintf(host, sizeof host, "%.*s", (int)url.host.size, url.host.text);
    for (int i = 0; i < LISTENER_TRIES && status; i++) {
        hf_listener_close(listener);
        listener = listener_create(loop, allocator, &url);
        if (!listener) {
            hf_error_set(reterr_reason, HAFT_ENOMEM, "", "%s", haft_strerror(HAFT_ENOMEM));
            return NULL;
        }
        status = listener_listen(listener, host, url.port ? url.port : i ? 0 : preferred);
        if (url.port)
            break;
    }
    if (status) {
        hf_listener_close(listener);
        hf_error_set(reterr_reason, HAFT_EBUSY, redirect_uri,
                     "cannot listen for the answer of the login on %s: %s", redirect_uri,
                     uv_strerror(status));
        return NULL;
    }
    listener->on_query = on_query;
    listener->context = context;
    snprintf(listener->host, sizeof listener->host, strchr(host, ':') ? "[%s]:%u" : "%s:%u", host,
             listener->port);
    return listener;
}
