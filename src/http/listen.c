/* listen.c - where a server listens: an address, a port on loopback, a Unix socket, or a socket that
 * another program has opened. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "http/reach.h"
#include "http/http.h"

enum { BACKLOG = 1024 };

bool hf_address_is_local(const struct sockaddr_storage *peer)
{
    if (peer->ss_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)peer;

        return (ntohl(v4->sin_addr.s_addr) >> 24) == 127;
    }
    if (peer->ss_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)peer;

        return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
    }
    return peer->ss_family == AF_UNIX;
}

static int listen_refuse(haft_reason *reason, const char *address, const char *format,
                         const char *text)
{
    return hf_error_set(reason, HAFT_EINVAL, address, format, text);
}

/* A handle that is closed with the server, whatever becomes of it. */
static union stream *add_listener(haft_http *http, unsigned family)
{
    union stream *listener = &http->listeners[http->n_listeners++];

    if (family == AF_UNIX)
        uv_pipe_init(http->loop.uv, &listener->pipe, 0);
    else
        uv_tcp_init_ex(http->loop.uv, &listener->tcp, family);
    http->open_handles++;
    listener->handle.data = http;
    return listener;
}

/* "HOST:PORT" and "[HOST]:PORT" as an address. */
static int read_address(const char *address, struct sockaddr_storage *ret_peer, haft_reason *reason)
{
    const char *colon = strrchr(address, ':');
    char host[64], *end;
    size_t size = colon ? (size_t)(colon - address) : 0;
    long port = colon ? strtol(colon + 1, &end, 10) : -1;

    if (!colon || !size || size >= sizeof host || !colon[1] || *end || port < 0 || port > 65535)
        return listen_refuse(reason, address, "%s", "expected [HOST:]PORT or unix:PATH");
    if (address[0] == '[' && address[size - 1] == ']') {
        address++;
        size -= 2;
    }
    memcpy(host, address, size);
    host[size] = '\0';
    memset(ret_peer, 0, sizeof *ret_peer);
    if (!strcmp(host, "localhost"))
        snprintf(host, sizeof host, "127.0.0.1");
    if (uv_ip4_addr(host, (int)port, (struct sockaddr_in *)(void *)ret_peer) &&
        uv_ip6_addr(host, (int)port, (struct sockaddr_in6 *)(void *)ret_peer))
        return listen_refuse(reason, host, "%s", "the host must be an IP address or localhost");
    return 0;
}

enum { PATH_ROOM = sizeof((struct sockaddr_un *)0)->sun_path };

/* Whether a server that was killed has left its socket there: nobody answers then. */
static bool is_left_over(const char *path)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    struct stat there;
    bool nobody;
    int fd;

    if (lstat(path, &there) || !S_ISSOCK(there.st_mode))
        return false;
    fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0)
        return false;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    snprintf(name.sun_path, sizeof name.sun_path, "%s", path);
    nobody = connect(fd, (struct sockaddr *)&name, sizeof name) && errno == ECONNREFUSED;
    close(fd);
    return nobody;
}

/* libuv says that permission is denied also where there is no directory. */
static const char *why_not(const char *path, int status)
{
    const char *slash = strrchr(path, '/');
    char directory[PATH_ROOM];

    snprintf(directory, sizeof directory, "%.*s", slash ? (int)(slash - path) : 0, path);
    return status == UV_EACCES && *directory && access(directory, F_OK) && errno == ENOENT
               ? "no such directory"
               : uv_strerror(status);
}

static int listen_unix(haft_http *http, const char *path, haft_reason *reason)
{
    union stream *listener;
    mode_t mask;
    int status;

    if (strlen(path) >= PATH_ROOM)
        return listen_refuse(reason, path, "%s", "the path of the Unix socket is too long");
    if (is_left_over(path))
        unlink(path);
    http->unix_socket = true;
    listener = add_listener(http, AF_UNIX);
    mask = umask(0177);
    status = uv_pipe_bind(&listener->pipe, path);
    umask(mask);
    if (status)
        return listen_refuse(reason, path, "%s", why_not(path, status));
    snprintf(http->url, sizeof http->url, "unix:%s", path);
    return 0;
}

static int name_url(haft_http *http)
{
    struct sockaddr_storage name = {0};
    const char *scheme = http->secure ? "https" : "http";
    int size = sizeof name, port;
    char host[64] = "";
    int status = uv_tcp_getsockname(&http->listeners[0].tcp, (struct sockaddr *)&name, &size);

    if (status)
        return status;
    if (http->n_listeners > 1) {
        port = ntohs(((struct sockaddr_in *)(void *)&name)->sin_port);
        snprintf(http->url, sizeof http->url, "%s://localhost:%d%s", scheme, port,
                 http->options.path);
    } else if (name.ss_family == AF_INET6) {
        uv_ip6_name((struct sockaddr_in6 *)(void *)&name, host, sizeof host);
        port = ntohs(((struct sockaddr_in6 *)(void *)&name)->sin6_port);
        snprintf(http->url, sizeof http->url, "%s://[%s]:%d%s", scheme, host, port,
                 http->options.path);
    } else {
        uv_ip4_name((struct sockaddr_in *)(void *)&name, host, sizeof host);
        port = ntohs(((struct sockaddr_in *)(void *)&name)->sin_port);
        snprintf(http->url, sizeof http->url, "%s://%s:%d%s", scheme, host, port,
                 http->options.path);
    }
    return 0;
}

/* A socket that is bound there, which other loops may share; or an error of libuv. */
static int bind_socket(const struct sockaddr_storage *address, bool shared)
{
    socklen_t size =
        address->ss_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
    int on = 1, status, fd = socket(address->ss_family, SOCK_STREAM, 0);

    if (fd < 0)
        return uv_translate_sys_error(errno);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (shared)
        setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
    if (!bind(fd, (const struct sockaddr *)address, size))
        return fd;
    status = uv_translate_sys_error(errno);
    close(fd);
    return status;
}

/* Whether another program listens there.  The loops of a server share its port, and the kernel would let
 * another server of the same user share it with them. */
static int look_for_others(const struct sockaddr_storage *address)
{
    int fd = bind_socket(address, false);

    if (fd >= 0)
        close(fd);
    return fd < 0 ? fd : 0;
}

/* ---- a port on loopback ---- */

enum { PORT_TRIES = 16 };

/* "PORT" and ":PORT". */
static bool read_port(const char *address, int *ret_port)
{
    size_t size;
    long port;

    address += *address == ':';
    size = strspn(address, "0123456789");
    port = size && size <= 5 && !address[size] ? strtol(address, NULL, 10) : -1;
    *ret_port = (int)port;
    return port >= 0 && port <= 65535;
}

static int bind_loopback(const haft_http *http, bool six, int port)
{
    bool shared = http->options.threads > 1;
    struct sockaddr_storage address = {0};
    int status;

    if (six)
        uv_ip6_addr("::1", port, (struct sockaddr_in6 *)(void *)&address);
    else
        uv_ip4_addr("127.0.0.1", port, (struct sockaddr_in *)(void *)&address);
    status = shared && !http->shard && port ? look_for_others(&address) : 0;
    return status ? status : bind_socket(&address, shared);
}

static int port_of(int fd)
{
    struct sockaddr_in name = {0};
    socklen_t size = sizeof name;

    return getsockname(fd, (struct sockaddr *)&name, &size) ? 0 : ntohs(name.sin_port);
}

/* A machine without IPv6, or whose loopback has no such address. */
static bool is_absent(int error)
{
    return error == UV_EAFNOSUPPORT || error == UV_EADDRNOTAVAIL || error == UV_EPROTONOSUPPORT;
}

/* Sockets on both addresses with the same port; the second is an error where there is no IPv6. */
static int bind_pair(const haft_http *http, int port, int ret_fds[MAX_LISTENERS],
                     haft_reason *reason)
{
    int four = UV_EADDRINUSE, six = UV_EADDRINUSE;

    for (int i = 0; six == UV_EADDRINUSE && i < (port ? 1 : PORT_TRIES); i++) {
        four = bind_loopback(http, false, port);
        if (four < 0)
            return listen_refuse(reason, http->options.address, "127.0.0.1: %s", uv_strerror(four));
        six = bind_loopback(http, true, port ? port : port_of(four));
        if (six == UV_EADDRINUSE)
            close(four);
    }
    if (six < 0 && !is_absent(six)) {
        if (six != UV_EADDRINUSE)
            close(four);
        return listen_refuse(reason, http->options.address, "::1: %s", uv_strerror(six));
    }
    ret_fds[0] = four;
    ret_fds[1] = six;
    return 0;
}

static int listen_port(haft_http *http, int port, haft_reason *reason)
{
    int fds[MAX_LISTENERS] = {-1, -1}, status = bind_pair(http, port, fds, reason);

    for (unsigned i = 0; !status && i < MAX_LISTENERS && fds[i] >= 0; i++) {
        status = uv_tcp_open(&add_listener(http, AF_UNSPEC)->tcp, fds[i]);
        if (!status)
            continue;
        for (; i < MAX_LISTENERS && fds[i] >= 0; i++)
            close(fds[i]);
        return listen_refuse(reason, http->options.address, "%s", uv_strerror(status));
    }
    return status;
}

/* ---- an address ---- */

static int listen_tcp(haft_http *http, haft_reason *reason)
{
    const haft_http_options *options = &http->options;
    struct sockaddr_storage address = {0};
    union stream *listener;
    uv_os_fd_t fd;
    int on = 1, status = read_address(options->address, &address, reason);

    if (status)
        return status;
    if (!hf_address_is_local(&address))
        status =
            hf_reach_check(http, options->address, options->address,
                           (size_t)(strrchr(options->address, ':') - options->address), reason);
    if (status)
        return status;
    status = options->threads > 1 && !http->shard ? look_for_others(&address) : 0;
    if (status)
        return listen_refuse(reason, options->address, "%s", uv_strerror(status));
    listener = add_listener(http, address.ss_family);
    if (options->threads > 1 && !uv_fileno(&listener->handle, &fd))
        setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
    status = uv_tcp_bind(&listener->tcp, (struct sockaddr *)&address, 0);
    if (status)
        return listen_refuse(reason, options->address, "%s", uv_strerror(status));
    return 0;
}

/* A socket that another program, such as systemd, has opened. */
static int take_over(haft_http *http, haft_reason *reason)
{
    static const char inherited[] = "the inherited socket";
    struct sockaddr_storage name = {0};
    socklen_t size = sizeof name;
    union stream *listener;
    int status;

    if (getsockname(http->options.fd, (struct sockaddr *)&name, &size))
        return listen_refuse(reason, "fd", "%s", strerror(errno));
    status = hf_address_is_local(&name)
                 ? 0
                 : hf_reach_check(http, "fd", inherited, sizeof inherited - 1, reason);
    if (status)
        return status;
    http->unix_socket = name.ss_family == AF_UNIX;
    listener = add_listener(http, http->unix_socket ? AF_UNIX : AF_UNSPEC);
    if (http->unix_socket) {
        status = uv_pipe_open(&listener->pipe, http->options.fd);
        snprintf(http->url, sizeof http->url, "unix:inherited");
    } else {
        status = uv_tcp_open(&listener->tcp, http->options.fd);
    }
    return status ? listen_refuse(reason, "fd", "%s", uv_strerror(status)) : 0;
}

int hf_http_listen(haft_http *http, uv_connection_cb on_connection, haft_reason *reason)
{
    const char *address = http->options.address;
    int port, status;

    if (http->options.fd)
        status = take_over(http, reason);
    else if (!strncmp(address, "unix:", 5))
        status = listen_unix(http, address + 5, reason);
    else
        status =
            read_port(address, &port) ? listen_port(http, port, reason) : listen_tcp(http, reason);
    if (status)
        return status;
    for (unsigned i = 0; !status && i < http->n_listeners; i++)
        status = uv_listen(&http->listeners[i].stream, BACKLOG, on_connection);
    if (!status && !http->unix_socket)
        status = name_url(http);
    if (!status && !http->shard)
        hf_reach_note(http);
    return status ? listen_refuse(reason, address, "%s", uv_strerror(status)) : 0;
}
