/* site.h - an HTTP server on a thread of its own, and clients that can say anything to it. */
#ifndef HAFT_TESTS_SITE_H
#define HAFT_TESTS_SITE_H

#include <arpa/inet.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <uv.h>

#include "support/tools.h"
#include "support/failing.h"
#include "support/test.h"

enum { ROOM = 1 << 20, PATIENCE_MS = 120000 };

/* ---- a server on a thread of its own ---- */

struct site {
    haft_server *server;
    haft_http_options options;
    haft_http *http;
    haft_reason reason;
    uv_loop_t loop;
    uv_async_t end;
    uv_sem_t ready;
    uv_thread_t thread;
    int port;
    bool hasty;            /* at its end it waits for calls only for a moment */
    atomic_size_t dropped; /* lines about readers that do not read */
    atomic_size_t hints;   /* lines about clients with TLS, to a server without */
};

HAFT_MAYBE_UNUSED_ static void count_dropped(void *context, haft_level level, const char *text,
                                             size_t size)
{
    struct site *site = context;

    (void)level;
    (void)size;
    if (strstr(text, "does not read"))
        atomic_fetch_add(&site->dropped, 1);
    if (strstr(text, "uses TLS"))
        atomic_fetch_add(&site->hints, 1);
}

HAFT_MAYBE_UNUSED_ static void on_closed(void *context)
{
    struct site *site = context;

    uv_close((uv_handle_t *)&site->end, NULL);
}

HAFT_MAYBE_UNUSED_ static void on_end(uv_async_t *end)
{
    struct site *site = end->data;

    haft_http_close(site->http, site->hasty ? 50 : 5000, on_closed, site);
}

HAFT_MAYBE_UNUSED_ static void serve(void *context)
{
    struct site *site = context;

    uv_loop_init(&site->loop);
    uv_async_init(&site->loop, &site->end, on_end);
    site->end.data = site;
    site->http = haft_http_new(site->server, &site->options, &site->loop, &site->reason);
    if (!site->http)
        on_closed(site);
    uv_sem_post(&site->ready);
    uv_run(&site->loop, UV_RUN_DEFAULT);
    uv_loop_close(&site->loop);
}

HAFT_MAYBE_UNUSED_ static void add_tools(haft_server *server)
{
    static const haft_tool *const tools[] = {&echo_tool, &slow_tool, &steps_tool, &big_tool};

    for (size_t i = 0; i < COUNT_OF(tools); i++)
        haft_add(server, tools[i]);
}

HAFT_MAYBE_UNUSED_ static struct site *site_open_with(haft_http_options options,
                                                      const haft_allocator *allocator)
{
    struct site *site = calloc(1, sizeof *site);
    const char *port;

    assert_non_null(site);
    signal(SIGPIPE, SIG_IGN);
    site->server = haft_server_new_with("test", "1.0.0",
                                        HAFT_WITH(haft_server_options, .allocator = allocator,
                                                  .log = count_dropped, .log_context = site));
    if (!site->server)
        return site;
    add_tools(site->server);
    site->options = options;
    if (!site->options.address)
        site->options.address = "127.0.0.1:0";
    uv_sem_init(&site->ready, 0);
    uv_thread_create(&site->thread, serve, site);
    uv_sem_wait(&site->ready);
    port = site->http ? strrchr(haft_http_url(site->http), ':') : NULL;
    site->port = port ? (int)strtol(port + 1, NULL, 10) : 0;
    return site;
}

HAFT_MAYBE_UNUSED_ static struct site *site_open(haft_http_options options)
{
    struct site *site = site_open_with(options, NULL);

    assert_true(site->http && site->port);
    return site;
}

HAFT_MAYBE_UNUSED_ static void site_close(struct site *site)
{
    if (site->server) {
        if (site->http)
            uv_async_send(&site->end);
        uv_thread_join(&site->thread);
        uv_sem_destroy(&site->ready);
        haft_server_free(site->server);
    }
    free(site);
}

/* ---- a client ---- */

HAFT_MAYBE_UNUSED_ static int dial(const struct site *site)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)site->port)};
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;

    inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    setsockopt(fd, 6, 1, &on, sizeof on); /* TCP_NODELAY */
    return fd;
}

HAFT_MAYBE_UNUSED_ static void say(int fd, const char *text, size_t size)
{
    while (size) {
        ssize_t n = write(fd, text, size);

        if (n < 0)
            return;
        text += n;
        size -= (size_t)n;
    }
}

HAFT_MAYBE_UNUSED_ static bool is_readable(int fd, int ms)
{
    struct pollfd poller = {.fd = fd, .events = POLLIN};

    return poll(&poller, 1, ms) > 0;
}

/* Reads until the end of the connection; false when that does not come. */
HAFT_MAYBE_UNUSED_ static bool hear_all(int fd, char *text, size_t room)
{
    size_t size = 0;
    ssize_t n = 1;

    while (n > 0 && size + 1 < room) {
        if (!is_readable(fd, PATIENCE_MS))
            break;
        n = read(fd, text + size, room - size - 1);
        size += n > 0 ? (size_t)n : 0;
    }
    text[size] = '\0';
    return n <= 0;
}

/* Reads until `part` has come so many times. */
HAFT_MAYBE_UNUSED_ static void hear(int fd, char *text, size_t room, const char *part, size_t times)
{
    size_t size = 0;

    for (;;) {
        const char *at = text;
        size_t seen = 0;
        ssize_t n;

        text[size] = '\0';
        while ((at = strstr(at, part))) {
            at++;
            seen++;
        }
        if (seen >= times)
            return;
        if (!is_readable(fd, PATIENCE_MS))
            fail_msg("%s did not come %zu times: %s", part, times, text);
        n = read(fd, text + size, room - size - 1);
        if (n <= 0)
            fail_msg("the end came before %s: %s", part, text);
        size += (size_t)n;
    }
}

HAFT_MAYBE_UNUSED_ static size_t count_of(const char *text, const char *part)
{
    size_t n = 0;

    while ((text = strstr(text, part))) {
        text++;
        n++;
    }
    return n;
}

#define HEAD "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"ping\"}"
#define PONG(id) "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"result\":{}}"
#define ASK(id) HEAD "Content-Length: 40\r\n\r\n" PING(id) /* an id of one digit */
#define CALL(id, tool, n)                                                                          \
    "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" tool   \
    "\",\"arguments\":{\"n\":" #n "},\"_meta\":{\"progressToken\":1}}}"

#endif
