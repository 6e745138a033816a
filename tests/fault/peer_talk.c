/* peer_talk.c - asking a server under fault, over either carrier; see peer.h. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "fault/peer.h"

/* ---- bytes ---- */

static int send_all(struct peer *peer, int fd, const char *bytes, size_t size)
{
    int64_t end = peer_now() + peer->patience_ms;

    while (size) {
        ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        struct pollfd room = {.fd = fd, .events = POLLOUT};

        if (n > 0) {
            bytes += n;
            size -= (size_t)n;
        } else if (n < 0 && errno != EAGAIN && errno != EINTR) {
            return REFUSED;
        } else if (peer_now() > end) {
            peer_say_why(peer, "hangs: does not read");
            return WRONG;
        } else {
            poll(&room, 1, 100);
        }
    }
    return RIGHT;
}

/* Some more bytes: REFUSED when the connection has ended. */
static int hear(struct peer *peer, int fd, char *text, size_t *size, int64_t end)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    ssize_t n;

    if (*size + 1 >= HEARD) {
        peer_say_why(peer, "says too much");
        return WRONG;
    }
    while (poll(&ready, 1, peer->give_up_ms ? peer->give_up_ms : 1000) <= 0) {
        if (peer->give_up_ms && atomic_load(&peer->order->armed) &&
            atomic_load(&peer->order->fired))
            return REFUSED;
        if (peer_now() > end) {
            text[*size] = '\0';
            peer_say_why(peer, "hangs; heard: %.180s", *size ? text : "nothing");
            return WRONG;
        }
    }
    n = recv(fd, text + *size, HEARD - 1 - *size, 0);
    if (n > 0)
        *size += (size_t)n;
    text[*size] = '\0';
    return n > 0 ? RIGHT : REFUSED;
}

static bool is_error(const char *text)
{
    return strstr(text, "\"error\":{") || strstr(text, "\"isError\":true");
}

static int judge_answer(struct peer *peer, const char *text, const char *expected)
{
    if (strstr(text, expected))
        return RIGHT;
    if (is_error(text))
        return REFUSED;
    peer_say_why(peer, "not an answer: %.200s", text);
    return WRONG;
}

/* ---- HTTP ---- */

static int connect_to(const void *name, socklen_t size)
{
    const struct sockaddr *to = name;
    int fd = socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd >= 0 && connect(fd, to, size))
        peer_let_go(&fd);
    return fd;
}

static int dial(struct peer *peer)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)peer->port)};
    struct sockaddr_un file = {.sun_family = AF_UNIX};

    if (!strncmp(peer->address, "unix:", 5)) {
        snprintf(file.sun_path, sizeof file.sun_path, "%s/%s", peer->place, peer->address + 5);
        return connect_to(&file, sizeof file);
    }
    inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    return connect_to(&to, sizeof to);
}

/* Whether the response is all there; -1 when it has no end but that of the connection. */
static bool is_whole(const char *text, size_t size)
{
    const char *body = strstr(text, "\r\n\r\n"), *length = strstr(text, "Content-Length: ");

    if (!body)
        return false;
    if (!strncmp(text + 9, "202", 3) && !length)
        return true;
    if (length && length < body)
        return size >= (size_t)(body + 4 - text) + strtoul(length + 16, NULL, 10);
    return size >= 5 && !memcmp(text + size - 5, "0\r\n\r\n", 5);
}

/* The value of a member of the message that is a text, for a header. */
static const char *member(const char *message, const char *name, int *ret_size)
{
    char key[32];
    const char *at;

    snprintf(key, sizeof key, "\"%s\":\"", name);
    at = strstr(message, key);
    at = at ? at + strlen(key) : "";
    *ret_size = (int)strcspn(at, "\"");
    return at;
}

static void put_headers(const struct peer *peer, const char *message, char *text, size_t room)
{
    int method_size, name_size;
    const char *method = member(message, "method", &method_size);
    bool read = !strncmp(method, "resources/read", 14);
    const char *name = member(message, read ? "uri" : "name", &name_size);
    bool named = read || !strncmp(method, "tools/call", 10) || !strncmp(method, "prompts/get", 11);

    if (peer->era == MODERN)
        snprintf(text, room, "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: %.*s\r\n%s%.*s%s",
                 method_size, method, named ? "Mcp-Name: " : "", named ? name_size : 0, name,
                 named ? "\r\n" : "");
    else if (peer->session[0])
        snprintf(text, room, "Mcp-Session-Id: %s\r\nMCP-Protocol-Version: %s\r\n", peer->session,
                 peer->era == BATCHES ? "2025-03-26" : "2025-11-25");
    else
        text[0] = '\0';
}

static int send_http(struct peer *peer, int fd, const char *method, const char *headers,
                     const char *message)
{
    static char request[HEARD];
    char own[512];
    int n;

    put_headers(peer, message, own, sizeof own);
    n = snprintf(request, sizeof request,
                 "%s %s HTTP/1.1\r\nHost: localhost\r\nAccept: application/json, "
                 "text/event-stream\r\n%s%s%s%sContent-Length: %zu\r\n\r\n%s",
                 method, peer->path, *message ? "Content-Type: application/json\r\n" : "", own,
                 headers, peer->credentials, strlen(message), message);
    return send_all(peer, fd, request, (size_t)n);
}

static int read_http(struct peer *peer, const char *expected)
{
    int64_t end = peer_now() + peer->patience_ms;
    int status;

    peer->heard_size = 0;
    peer->heard[0] = '\0';
    do
        status = hear(peer, peer->fd, peer->heard, &peer->heard_size, end);
    while (status == RIGHT && !is_whole(peer->heard, peer->heard_size));
    if (status != RIGHT)
        peer_let_go(&peer->fd);
    if (status == WRONG)
        return WRONG;
    /* Cut off: it is not taken for an answer by anybody, whatever is in it. */
    if (status == REFUSED)
        return REFUSED;
    if (strstr(peer->heard, "Connection: close"))
        peer_let_go(&peer->fd);
    if (strncmp(peer->heard, "HTTP/1.1 ", 9)) {
        peer_say_why(peer, "not HTTP: %.200s", peer->heard);
        return WRONG;
    }
    if (strstr(peer->heard, expected))
        return RIGHT;
    if (strtol(peer->heard + 9, NULL, 10) >= 400)
        return REFUSED;
    /* A stream that ended early can be come back to. */
    if (strstr(peer->heard, "text/event-stream") && !strstr(peer->heard, "\"result\":"))
        return REFUSED;
    return judge_answer(peer, peer->heard, expected);
}

static int ask_http(struct peer *peer, const char *message, const char *expected)
{
    int status;

    if (peer->fd < 0)
        peer->fd = dial(peer);
    status = peer->fd < 0 ? REFUSED : send_http(peer, peer->fd, "POST", "", message);
    if (status == RIGHT)
        status = read_http(peer, expected);
    else
        peer_let_go(&peer->fd);
    return status;
}

int peer_raw(struct peer *peer, const char *bytes, const char *expected)
{
    int status;

    if (peer->fd < 0)
        peer->fd = dial(peer);
    status = peer->fd < 0 ? REFUSED : send_all(peer, peer->fd, bytes, strlen(bytes));
    return status == RIGHT ? read_http(peer, expected) : status;
}

int peer_get(struct peer *peer, const char *path, const char *expected)
{
    char request[512];

    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
    return peer_raw(peer, request, expected);
}

int peer_stream(struct peer *peer, const char *method, const char *headers, const char *message)
{
    peer_let_go(&peer->stream);
    peer->streamed_size = 0;
    peer->stream = dial(peer);
    return peer->stream < 0 ? REFUSED : send_http(peer, peer->stream, method, headers, message);
}

/* ---- both ---- */

static int expect_on(struct peer *peer, int fd, char *text, size_t *size, const char *expected)
{
    int64_t end = peer_now() + peer->patience_ms;

    text[*size] = '\0';
    while (!strstr(text, expected)) {
        int status;

        if (peer->http && *size > 12 && !strncmp(text, "HTTP/1.1 ", 9) &&
            strtol(text + 9, NULL, 10) >= 400)
            return REFUSED;
        if (is_error(text) || (peer->http && is_whole(text, *size)))
            return REFUSED;
        status = hear(peer, fd, text, size, end);
        if (status != RIGHT)
            return status;
    }
    return RIGHT;
}

int peer_expect(struct peer *peer, const char *expected)
{
    if (peer->http)
        return peer->stream < 0
                   ? REFUSED
                   : expect_on(peer, peer->stream, peer->streamed, &peer->streamed_size, expected);
    return peer->out < 0 ? REFUSED
                         : expect_on(peer, peer->out, peer->heard, &peer->heard_size, expected);
}

/* The whole line that answers the id of the message; NULL when it has not come yet. */
static const char *find_answer(const struct peer *peer, const char *message, size_t *ret_size)
{
    const char *id = strstr(message, "\"id\":"), *line = peer->heard;
    size_t size = strcspn(id, ",}");

    for (const char *stop; (stop = strchr(line, '\n')); line = stop + 1) {
        const char *at = memmem(line, (size_t)(stop - line), id, size);

        *ret_size = (size_t)(stop - line);
        if (at && (!strncmp(at + size, ",\"result\"", 9) || !strncmp(at + size, ",\"error\"", 8)))
            return line;
    }
    return NULL;
}

static int ask_stdio(struct peer *peer, const char *message, const char *expected)
{
    static char answer[HEARD];
    int64_t end = peer_now() + peer->patience_ms;
    const char *line;
    size_t size;
    int status;

    peer->heard_size = 0;
    peer->heard[0] = '\0';
    status = send_all(peer, peer->in, message, strlen(message));
    if (status == RIGHT)
        status = send_all(peer, peer->in, "\n", 1);
    while (status == RIGHT) {
        line = find_answer(peer, message, &size);
        if (line) {
            memcpy(answer, line, size);
            answer[size] = '\0';
            return judge_answer(peer, answer, expected);
        }
        /* What could not be read is refused without an id. */
        if (strstr(peer->heard, "\"error\":{") && !strstr(peer->heard, "\"id\":"))
            return REFUSED;
        status = hear(peer, peer->out, peer->heard, &peer->heard_size, end);
    }
    return status;
}

int peer_ask(struct peer *peer, const char *message, const char *expected)
{
    return peer->http ? ask_http(peer, message, expected) : ask_stdio(peer, message, expected);
}

int peer_tell(struct peer *peer, const char *message)
{
    int status;

    if (peer->http)
        return ask_http(peer, message, "HTTP/1.1 202");
    status = send_all(peer, peer->in, message, strlen(message));
    return status == RIGHT ? send_all(peer, peer->in, "\n", 1) : status;
}

/* ---- hello, and are you there ---- */

#define HELLO(id, revision)                                                                        \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"initialize\",\"params\":{"                    \
    "\"protocolVersion\":\"" revision "\",\"capabilities\":{\"elicitation\":{},\"roots\":{}},"     \
    "\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}"

int peer_greet(struct peer *peer)
{
    const char *at;
    int status;

    peer->session[0] = '\0';
    if (peer->era == MODERN || peer->era == NO_ERA)
        return RIGHT;
    status =
        peer_ask(peer, peer->era == BATCHES ? HELLO("0", "2025-03-26") : HELLO("0", "2025-11-25"),
                 "\"serverInfo\"");
    at = strcasestr(peer->heard, "Mcp-Session-Id: ");
    if (status == RIGHT && at)
        snprintf(peer->session, sizeof peer->session, "%.*s", (int)strcspn(at + 16, "\r"), at + 16);
    if (status != RIGHT)
        return status;
    return peer_tell(peer, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
}

static int check_once(struct peer *peer)
{
    int status = peer_ask(peer, "{\"jsonrpc\":\"2.0\",\"id\":9001,\"method\":\"ping\"}",
                          "\"id\":9001,\"result\":{}");

    if (status == RIGHT)
        status = peer_ask(peer,
                          "{\"jsonrpc\":\"2.0\",\"id\":9002,\"method\":\"tools/call\",\"params\":{"
                          "\"name\":\"echo\",\"arguments\":{\"text\":\"still here\"}}}",
                          "\"text\":\"still here\"");
    if (status != RIGHT)
        peer_say_why(peer, "does not serve the next request: %.120s",
                     peer->heard_size ? peer->heard : "nothing");
    return status;
}

int peer_check(struct peer *peer)
{
    enum era era = peer->era;
    int status, tries = 0;

    atomic_store(&peer->order->armed, false);
    peer_hang_up(peer);
    peer->path = "/mcp";
    if (!peer->http)
        return check_once(peer);
    peer->era = LEGACY;
    /* Where descriptors ran out, libuv closes what waits until nothing does. */
    while ((status = peer_greet(peer)) == REFUSED && peer->order->call == CALL_ACCEPT &&
           tries++ < 5)
        peer_pause(20);
    if (status != RIGHT)
        peer_say_why(peer, "does not open a new session: %.120s", peer->heard);
    else
        status = check_once(peer);
    peer->era = era;
    peer_hang_up(peer);
    return status;
}
