/* otlp_send.c - one request to a collector, on a thread that has nothing else to do.
 *
 * It may wait, so it does, and looks every moment whether waiting is still wanted.  Every request
 * has a connection of its own: they are seconds apart. */
#include <errno.h>
#include <fcntl.h>
#include <llhttp.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include "observe/otlp.h"

enum { LOOK_MS = 50, HEAD_ROOM = 1024 };

/* ---- the address ---- */

static int refuse(haft_reason *reason, const char *url, const char *text)
{
    return error_set(reason, HAFT_EINVAL, url, "%s", text);
}

static bool is_plain(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)text[i] <= ' ' || (unsigned char)text[i] >= 0x7F || text[i] == '@')
            return false;
    return true;
}

int otlp_read_url(const char *url, struct otlp_address *ret_address, haft_reason *reterr_reason)
{
    static const char http[] = "http://", https[] = "https://", path[] = "/v1/traces";
    struct otlp_address address = {.port = "4318"};
    const char *host = url + sizeof http - 1, *end, *colon, *rest;
    size_t size;
    long port;

    if (!strncmp(url, https, sizeof https - 1))
        return refuse(reterr_reason, url,
                      "https is not spoken to a collector: let one on this machine pass spans on");
    if (strncmp(url, http, sizeof http - 1) != 0)
        return refuse(reterr_reason, url, "a collector's address is http://HOST:PORT/PATH");
    end = host + strcspn(host, "/?#");
    size = (size_t)(end - host);
    rest = *end ? end : path;
    colon = *host == '[' ? memchr(host, ']', size) : host;
    colon = colon ? memchr(colon, ':', (size_t)(end - colon)) : NULL;
    if (colon) {
        char *after;

        port = strtol(colon + 1, &after, 10);
        if (after != end || colon[1] < '0' || colon[1] > '9' || port < 1 || port > 65535)
            return refuse(reterr_reason, url, "the port is no port");
        snprintf(address.port, sizeof address.port, "%ld", port);
        size = (size_t)(colon - host);
    }
    if (size > 2 && host[0] == '[' && host[size - 1] == ']') {
        host++;
        size -= 2;
    }
    if (!size || size >= sizeof address.host || strlen(rest) >= sizeof address.path ||
        *rest != '/' || !is_plain(host, size) || !is_plain(rest, strlen(rest)) ||
        memchr(host, '[', size) || memchr(host, ']', size))
        return refuse(reterr_reason, url, "a collector's address is http://HOST:PORT/PATH");
    memcpy(address.host, host, size);
    snprintf(address.path, sizeof address.path, "%s", strcmp(rest, "/") ? rest : path);
    *ret_address = address;
    return 0;
}

/* ---- waiting ---- */

static uint64_t now_ms(void)
{
    return uv_hrtime() / 1000000;
}

/* False when the time is over, or the socket is of no use any more. */
static bool wait_for(int fd, short events, const struct patience *patience)
{
    for (;;) {
        struct pollfd poller = {.fd = fd, .events = events};
        uint64_t now = now_ms(), cut = atomic_load(patience->cut);
        uint64_t until = cut && cut < patience->until ? cut : patience->until;
        int n;

        if (now >= until)
            return false;
        n = poll(&poller, 1, until - now < LOOK_MS ? (int)(until - now) : LOOK_MS);
        if (n > 0)
            return true;
        if (n < 0 && errno != EINTR)
            return false;
    }
}

/* ---- the connection ---- */

static int dial(const struct addrinfo *to, const struct patience *patience)
{
    int fd = socket(to->ai_family, SOCK_STREAM, 0), error = 0;
    socklen_t size = sizeof error;

    if (fd < 0)
        return -1;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    if (!connect(fd, to->ai_addr, to->ai_addrlen))
        return fd;
    if (errno == EINPROGRESS && wait_for(fd, POLLOUT, patience) &&
        !getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) && !error)
        return fd;
    close(fd);
    return -1;
}

/* The first of the host's addresses where somebody listens. */
static int dial_any(const struct otlp_address *address, const struct patience *patience)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *all = NULL;
    int fd = -1;

    if (getaddrinfo(address->host, address->port, &hints, &all))
        return -1;
    for (const struct addrinfo *one = all; one && fd < 0; one = one->ai_next)
        fd = dial(one, patience);
    freeaddrinfo(all);
    return fd;
}

static bool send_all(int fd, const char *bytes, size_t size, const struct patience *patience)
{
    while (size) {
        ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL);

        if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
            return false;
        if (n < 0 && !wait_for(fd, POLLOUT, patience))
            return false;
        if (n > 0) {
            bytes += n;
            size -= (size_t)n;
        }
    }
    return true;
}

/* ---- the answer ---- */

static int on_headers(llhttp_t *parser)
{
    /* After 100 Continue comes another one. */
    if (parser->status_code >= 200)
        *(bool *)parser->data = true;
    return parser->status_code >= 200 ? HPE_PAUSED : 0;
}

/* What is after the status says nothing that could still be changed. */
static bool hear(int fd, const struct patience *patience)
{
    llhttp_settings_t settings;
    llhttp_t parser;
    bool done = false;
    char room[2048];

    llhttp_settings_init(&settings);
    settings.on_headers_complete = on_headers;
    llhttp_init(&parser, HTTP_RESPONSE, &settings);
    parser.data = &done;
    while (!done) {
        ssize_t n = recv(fd, room, sizeof room, 0);

        if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
            return false;
        if (!n || (n < 0 && !wait_for(fd, POLLIN, patience)))
            return false;
        if (n > 0 && llhttp_execute(&parser, room, (size_t)n) != HPE_OK && !done)
            return false;
    }
    return parser.status_code < 300;
}

bool otlp_post(const struct otlp_address *address, const haft_buffer *body,
               struct patience patience)
{
    bool six = strchr(address->host, ':');
    char head[HEAD_ROOM];
    int size = snprintf(head, sizeof head,
                        "POST %s HTTP/1.1\r\nHost: %s%s%s:%s\r\nUser-Agent: haft/" HAFT_VERSION
                        "\r\nContent-Type: application/json\r\nConnection: close\r\n"
                        "Content-Length: %zu\r\n\r\n",
                        address->path, six ? "[" : "", address->host, six ? "]" : "", address->port,
                        body->size);
    int fd = dial_any(address, &patience);
    bool taken;

    if (fd < 0)
        return false;
    taken = send_all(fd, head, (size_t)size, &patience) &&
            send_all(fd, body->data, body->size, &patience) && hear(fd, &patience);
    close(fd);
    return taken;
}
