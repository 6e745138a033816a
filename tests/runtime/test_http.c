/* test_http.c - the HTTP server over sockets: what is well said is answered, in order; what is not is refused,
 * and nothing after it is heard. */
#define _DEFAULT_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <uv.h>

#include "runtime/tools.h"
#include "support/failing.h"
#include "support/test.h"

enum { ROOM = 1 << 20, PATIENCE_MS = 5000 };

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
    atomic_size_t dropped; /* lines about readers that do not read */
};

static void count_dropped(void *context, haft_level level, const char *text, size_t size)
{
    struct site *site = context;

    (void)level;
    (void)size;
    if (strstr(text, "does not read"))
        atomic_fetch_add(&site->dropped, 1);
}

static void on_closed(void *context)
{
    struct site *site = context;

    uv_close((uv_handle_t *)&site->end, NULL);
}

static void on_end(uv_async_t *end)
{
    struct site *site = end->data;

    haft_http_close(site->http, 5000, on_closed, site);
}

static void serve(void *context)
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

static void add_tools(haft_server *server)
{
    static const haft_tool *const tools[] = {&echo_tool, &slow_tool, &steps_tool, &big_tool};

    for (size_t i = 0; i < COUNT_OF(tools); i++)
        haft_add(server, tools[i]);
}

static struct site *site_open_with(haft_http_options options, const haft_allocator *allocator)
{
    struct site *site = calloc(1, sizeof *site);
    const char *port;

    assert_non_null(site);
    signal(SIGPIPE, SIG_IGN);
    site->server = haft_server_new_with("test", "1.0.0",
                                        &(haft_server_options){.allocator = allocator,
                                                               .log = count_dropped,
                                                               .log_context = site});
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

static struct site *site_open(haft_http_options options)
{
    struct site *site = site_open_with(options, NULL);

    assert_true(site->http && site->port);
    return site;
}

static void site_close(struct site *site)
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

static int dial(const struct site *site)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)site->port)};
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;

    inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    setsockopt(fd, 6, 1, &on, sizeof on); /* TCP_NODELAY */
    return fd;
}

static void say(int fd, const char *text, size_t size)
{
    while (size) {
        ssize_t n = write(fd, text, size);

        if (n < 0)
            return;
        text += n;
        size -= (size_t)n;
    }
}

static bool is_readable(int fd, int ms)
{
    struct pollfd poller = {.fd = fd, .events = POLLIN};

    return poll(&poller, 1, ms) > 0;
}

/* Reads until the end of the connection; false when that does not come. */
static bool hear_all(int fd, char *text, size_t room)
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
static void hear(int fd, char *text, size_t room, const char *part, size_t times)
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

static size_t count_of(const char *text, const char *part)
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
    "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" tool  \
    "\",\"arguments\":{\"n\":" #n "},\"_meta\":{\"progressToken\":1}}}"

/* ---- what is well said ---- */

static void answers(void **state)
{
    static const struct {
        const char *request, *response; /* with * for anything */
        bool stays;                     /* the connection does */
    } rows[] = {
        {ASK(1), "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 36\r\n\r\n" PONG(1), true},
        {"\r\n" ASK(1), PONG(1), true},
        {HEAD "Connection: close\r\nContent-Length: 40\r\n\r\n" PING(1), "Connection: close\r\n\r\n" PONG(1), false},
        {"POST /mcp HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n" PING(1),
         "Connection: close\r\n\r\n" PONG(1), false},
        {"POST /mcp HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\nContent-Type: application/json\r\n"
         "Content-Length: 40\r\n\r\n" PING(1), PONG(1), true},
        {HEAD "Transfer-Encoding: chunked\r\n\r\n28\r\n" PING(1) "\r\n0\r\n\r\n", PONG(1), true},
        {HEAD "Transfer-Encoding: chunked\r\n\r\n1;a=b\r\n{\r\n27\r\n"
         "\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n0\r\nX-Trailer: 1\r\n\r\n", PONG(1), true},
        /* a trailer is no header */
        {"POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n28\r\n" PING(1)
         "\r\n0\r\nHost: localhost\r\n\r\n", "HTTP/1.1 403 ", true},
        {HEAD "Expect: 100-continue\r\nContent-Length: 40\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n", true},
        {HEAD "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA\r\nContent-Length: 40\r\n\r\n" PING(1),
         PONG(1), true},
        {"HEAD /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 405 ", true},
        {"GET /healthz HTTP/1.1\r\n\r\n", "{\"status\":\"ok\"}", true},
        {"POST /%6Dcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n" PING(1),
         PONG(1), true},
        {"POST /mcp?a=%00 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n" PING(1),
         PONG(1), true},
        {"POST /%256Dcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 404 ", true},
        {"POST /mcp/../mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 404 ", true},
        {"POST /mcp/%2e%2e/mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 404 ", true},
        {"POST //mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 404 ", true},
        {"GET /etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 404 ", true},
    };
    struct site *site = site_open((haft_http_options){0});
    char *text = malloc(ROOM);

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int fd = dial(site);

        say(fd, rows[i].request, strlen(rows[i].request));
        hear(fd, text, ROOM, rows[i].response, 1);
        if (rows[i].stays)
            assert_false(is_readable(fd, 5));
        else
            assert_true(hear_all(fd, text, ROOM));
        close(fd);
    }
    free(text);
    site_close(site);
}

/* However a request is cut up, it is the same request. */
static void takes_requests_in_pieces(void **state)
{
    static const char one[] = ASK(1), two[] = HEAD "Transfer-Encoding: chunked\r\n\r\n15\r\n"
                                                   "{\"jsonrpc\":\"2.0\",\"id\"\r\n15\r\n:2,\"method\":\"ping\"}  \r\n0\r\n\r\n";
    static const struct {
        const char *text, *answer;
        size_t size;
    } rows[] = {{one, PONG(1), sizeof one - 1}, {two, PONG(2), sizeof two - 1}};
    struct site *site = site_open((haft_http_options){0});
    char *text = malloc(ROOM);

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int fd = dial(site);

        for (size_t cut = 1; cut < rows[i].size; cut++) {
            say(fd, rows[i].text, cut);
            if (cut % 16 == 0)
                sleep_ms(1); /* so that it is read before the rest comes */
            say(fd, rows[i].text + cut, rows[i].size - cut);
            hear(fd, text, ROOM, rows[i].answer, 1);
        }
        for (size_t at = 0; at < rows[i].size; at++)
            say(fd, rows[i].text + at, 1);
        hear(fd, text, ROOM, rows[i].answer, 1);
        close(fd);
    }
    free(text);
    site_close(site);
}

/* A small answer comes as a whole. */
static void writes_an_answer_at_once(void **state)
{
    struct site *site = site_open((haft_http_options){0});
    int fd = dial(site);

    (void)state;
    for (int i = 0; i < 100; i++) {
        char text[1024];
        ssize_t n;

        say(fd, ASK(1), sizeof ASK(1) - 1);
        assert_true(is_readable(fd, PATIENCE_MS));
        n = read(fd, text, sizeof text - 1);
        assert_true(n > 0);
        text[n] = '\0';
        assert_non_null(strstr(text, "\r\n\r\n" PONG(1)));
    }
    close(fd);
    site_close(site);
}

/* Answers come in the order of their requests, also when a later one is done first. */
static void keeps_the_order(void **state)
{
    static const char slow_call[] = CALL(1, "slow", 30), steps_call[] = CALL(2, "steps", 3);
    struct site *site = site_open((haft_http_options){0});
    char *text = malloc(ROOM), requests[2048];
    const char *at;
    int fd = dial(site);

    (void)state;
    assert_non_null(text);
    snprintf(requests, sizeof requests, HEAD "Content-Length: %zu\r\n\r\n%s" HEAD
             "Content-Length: %zu\r\n\r\n%s" ASK(3) HEAD "Connection: close\r\nContent-Length: 40\r\n\r\n" PING(4) ASK(5),
             strlen(slow_call), slow_call, strlen(steps_call), steps_call);
    say(fd, requests, strlen(requests));
    assert_true(hear_all(fd, text, ROOM));
    at = strstr(text, "slept 30");
    assert_non_null(at);
    at = strstr(at, "\"progress\":1");
    assert_non_null(at);
    at = strstr(at, "3 steps");
    assert_non_null(at);
    at = strstr(at, "0\r\n\r\nHTTP/1.1 200");
    assert_non_null(at);
    at = strstr(at, PONG(3));
    assert_non_null(at);
    at = strstr(at, PONG(4));
    assert_non_null(at);
    /* After "close" nothing is heard any more. */
    assert_null(strstr(at, PONG(5)));
    close(fd);
    free(text);
    site_close(site);
}

/* Far more pipelined requests than may wait, behind one that takes its time. */
static void bounds_what_waits(void **state)
{
    static const char slow_call[] = CALL(1, "slow", 100);
    enum { N = 3000 };
    struct site *site = site_open((haft_http_options){0});
    char *text = malloc(ROOM), *requests = malloc(ROOM);
    size_t size;
    int fd = dial(site);

    (void)state;
    assert_true(text && requests);
    size = (size_t)snprintf(requests, ROOM, HEAD "Content-Length: %zu\r\n\r\n%s", strlen(slow_call),
                            slow_call);
    for (int i = 0; i < N; i++) {
        memcpy(requests + size, ASK(2), sizeof ASK(2) - 1);
        size += sizeof ASK(2) - 1;
    }
    say(fd, requests, size);
    hear(fd, text, ROOM, PONG(2), N);
    assert_int_equal(count_of(text, "slept 100"), 1);
    close(fd);
    free(requests);
    free(text);
    site_close(site);
}

/* One that asks for much and reads nothing is not read from either; when it reads, all is there. */
static void waits_for_a_slow_reader(void **state)
{
    static const char call[] = CALL(1, "big", 200000);
    enum { N = 200 };
    struct site *site = site_open((haft_http_options){0});
    char request[512], *text = malloc(ROOM);
    size_t size = (size_t)snprintf(request, sizeof request, HEAD "Content-Length: %zu\r\n\r\n%s",
                                   strlen(call), call);
    size_t total = 0;
    int fd = dial(site);

    (void)state;
    assert_non_null(text);
    for (int i = 0; i < N; i++)
        say(fd, request, size);
    sleep_ms(50);
    while (total < (size_t)N * 200000) {
        ssize_t n = is_readable(fd, PATIENCE_MS) ? read(fd, text, ROOM) : -1;

        assert_true(n > 0);
        total += (size_t)n;
    }
    close(fd);
    free(text);
    site_close(site);
}

/* ---- what is not ---- */

#define H "Host: localhost\r\nContent-Type: application/json\r\n"
#define SMUGGLED ASK(9)

/* Each is refused with 400, the connection ends, and the request that hides behind it is not heard. */
static void refuses_what_can_be_read_in_two_ways(void **state)
{
    static const struct {
        const char *text;
        size_t size;
    } rows[] = {
        {TEXT(HEAD "Content-Length: 40\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Transfer-Encoding: chunked\r\nContent-Length: 40\r\n\r\n0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Content-Length: 40\r\nContent-Length: 41\r\n\r\n" PING(1) SMUGGLED)},
        {TEXT(HEAD "Content-Length: 40\r\nContent-Length: 40\r\n\r\n" PING(1) SMUGGLED)},
        {TEXT(HEAD "Content-Length: 40, 40\r\n\r\n" PING(1) SMUGGLED)},
        {TEXT(HEAD "Content-Length: +40\r\n\r\n" PING(1) SMUGGLED)},
        {TEXT(HEAD "Content-Length: -1\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Content-Length: 0x28\r\n\r\n" PING(1) SMUGGLED)},
        {TEXT(HEAD "Content-Length: 4 0\r\n\r\n" PING(1) SMUGGLED)},
        {TEXT(HEAD "Content-Length: \r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Content-Length: 99999999999999999999999999\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Transfer-Encoding: identity\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Transfer-Encoding:\x0b" "chunked\r\n\r\n0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD " Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "X: a\r\n b\r\nContent-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "X: a\r\n\tTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "X: a\nContent-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "X: a\rContent-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Content-Length: 0\n\n" SMUGGLED)},
        {TEXT(HEAD "Content-Length: 0\r\n\n" SMUGGLED)},
        {TEXT(HEAD "Content-Length: 0\r\n\rX" SMUGGLED)},
        {TEXT("POST /mcp HTTP/1.1\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "X: a\0b\r\nContent-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "X\0: a\r\nContent-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "X(: a\r\nContent-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD ": a\r\nContent-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "no colon\r\nContent-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Content-Length : 40\r\n\r\n" PING(1) SMUGGLED)},
        {TEXT("POST /m\0cp HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("POST /mcp%00 HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("POST /mcp%0 HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("POST /mcp%zz HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("POST /mcp HTTP/1.1 HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("POST http://localhost/mcp HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("POST http://evil.example/mcp HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("OPTIONS * HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("CONNECT localhost:80 HTTP/1.1\r\n" H "\r\n" SMUGGLED)},
        {TEXT("POST mcp HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("POST /mcp HTTP/1.1\r\n" H "Host: evil.example\r\nContent-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("POST /mcp HTTP/1.1\r\n" H "Content-Type: text/plain\r\nContent-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Origin: http://localhost\r\nOrigin: http://evil.example\r\nContent-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Mcp-Session-Id: 1\r\nMcp-Session-Id: 2\r\nContent-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("POST /mcp HTTP/2.0\r\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("POST /mcp HTTP/1.7\r\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("POST /mcp HTTP/0.9\r\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("POST /mcp\r\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("POST /mcp ICE/1.0\r\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" SMUGGLED)},
        {TEXT("post /mcp HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("NONSENSE /mcp HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" SMUGGLED)},
        {TEXT("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Transfer-Encoding: chunked\r\n\r\n-1\r\n" SMUGGLED)},
        {TEXT(HEAD "Transfer-Encoding: chunked\r\n\r\n+0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Transfer-Encoding: chunked\r\n\r\n 0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Transfer-Encoding: chunked\r\n\r\n0 \r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Transfer-Encoding: chunked\r\n\r\n\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n" SMUGGLED)},
        {TEXT(HEAD "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Transfer-Encoding: chunked\r\n\r\n1\r\na0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Transfer-Encoding: chunked\r\n\r\n1\na\n0\n\n" SMUGGLED)},
        {TEXT(HEAD "Transfer-Encoding: chunked\r\n\r\n0;a=\nb\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Transfer-Encoding: chunked\r\n\r\n0;\x01=\"\r\n\r\n" SMUGGLED)},
    };
    struct site *site = site_open((haft_http_options){0});
    char *text = malloc(ROOM);

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int fd = dial(site);
        bool ends;

        say(fd, rows[i].text, rows[i].size);
        shutdown(fd, SHUT_WR);
        ends = hear_all(fd, text, ROOM);
        if (!ends || strncmp(text, "HTTP/1.1 400 ", 13) || count_of(text, "HTTP/1.1 ") != 1 ||
            !strstr(text, "Connection: close\r\n") || strstr(text, PONG(9)))
            fail_msg("row %zu: %s\n--> %s", i, rows[i].text, text);
        close(fd);
    }
    free(text);
    site_close(site);
}

/* `n` times the same text between two others. */
static char *flood(const char *before, const char *part, size_t n, const char *after, size_t *ret_size)
{
    size_t a = strlen(before), b = strlen(part), c = strlen(after);
    char *text = malloc(a + b * n + c + 1), *to = text;

    assert_non_null(text);
    memcpy(to, before, a);
    to += a;
    for (size_t i = 0; i < n; i++, to += b)
        memcpy(to, part, b);
    memcpy(to, after, c + 1);
    *ret_size = a + b * n + c;
    return text;
}

/* What is too much is refused while it comes, and the refusal arrives although more is on its way. */
static void refuses_what_is_too_much(void **state)
{
    static const struct {
        const char *before, *part;
        size_t n;
        const char *after;
        int status;
    } rows[] = {
        {"POST /", "a", 8000, " HTTP/1.1\r\n" H "\r\n", 404},
        {"POST /", "a", 9000, " HTTP/1.1\r\n" H "\r\n", 414},
        {"POST /", "a", 1 << 20, " HTTP/1.1\r\n" H "\r\n", 414},
        {HEAD, "X: y\r\n", 90, "\r\n", 400},
        {HEAD, "X: y\r\n", 200, "\r\n", 431},
        {HEAD, "X: y\r\n", 100000, "\r\n", 431},
        {HEAD "X: ", "y", 20000, "\r\n\r\n", 431},
        {HEAD, "y", 1 << 20, ": z\r\n\r\n", 431},
        {HEAD "Content-Length: 5000000\r\n\r\n", "          ", 500000, "", 413},
        {HEAD "Transfer-Encoding: chunked\r\n\r\n", "a\r\n          \r\n", 524288, "0\r\n\r\n", 413},
        {HEAD "Transfer-Encoding: chunked\r\n\r\n0\r\n", "X: y\r\n", 20000, "\r\n", 431},
        {HEAD "Content-Length: 1000000\r\n\r\n", "[", 1000000, "", 400},
        {HEAD "Content-Length: 1200000\r\n\r\n", "{\"a\":[", 200000, "", 400},
    };
    struct site *site = site_open((haft_http_options){0});
    char *text = malloc(ROOM);

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t size;
        char *request = flood(rows[i].before, rows[i].part, rows[i].n, rows[i].after, &size);
        char head[32];
        int fd = dial(site);

        snprintf(head, sizeof head, "HTTP/1.1 %d ", rows[i].status);
        say(fd, request, size);
        hear(fd, text, ROOM, "\r\n\r\n{", 1);
        if (strncmp(text, head, strlen(head)))
            fail_msg("row %zu: %s", i, text);
        close(fd);
        free(request);
    }
    free(text);
    site_close(site);
}

/* ---- time ---- */

static void loses_patience(void **state)
{
    static const struct {
        const char *text;
        int status; /* 0 for none */
    } rows[] = {
        {"", 0},
        {"P", 408},
        {HEAD, 408},
        {HEAD "Content-Length: 40\r\n\r\n", 408},
        {HEAD "Content-Length: 40\r\n\r\n{", 408},
        {ASK(1), 200},
    };
    struct site *site = site_open(
        (haft_http_options){.header_ms = 200, .body_ms = 200, .idle_ms = 300});
    char *text = malloc(ROOM);
    int fds[COUNT_OF(rows)];

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        fds[i] = dial(site);
        say(fds[i], rows[i].text, strlen(rows[i].text));
    }
    /* A byte now and then does not help. */
    for (int k = 0; k < 8; k++) {
        sleep_ms(50);
        say(fds[1], "O", k < 3);
    }
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char head[32] = "";

        if (rows[i].status)
            snprintf(head, sizeof head, "HTTP/1.1 %d ", rows[i].status);
        assert_true(hear_all(fds[i], text, ROOM));
        if (strncmp(text, head, strlen(head)) && !(i == 1 && !strncmp(text, "HTTP/1.1 400 ", 13)))
            fail_msg("row %zu: %s", i, text);
        close(fds[i]);
    }
    free(text);
    site_close(site);
}

/* ---- connections that end badly ---- */

static void reset(int fd)
{
    struct linger now = {.l_onoff = 1, .l_linger = 0};

    setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close(fd);
}

/* A request whose client has said its last word is answered, when the answer is there at once. */
static void answers_a_half_closed_socket(void **state)
{
    struct site *site = site_open((haft_http_options){0});
    char text[1024];
    int fd = dial(site);

    (void)state;
    say(fd, ASK(1), sizeof ASK(1) - 1);
    shutdown(fd, SHUT_WR);
    assert_true(hear_all(fd, text, sizeof text));
    assert_non_null(strstr(text, PONG(1)));
    close(fd);
    site_close(site);
}

static void survives_clients_that_vanish(void **state)
{
    static const char modern[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
        "\"arguments\":{\"n\":%d},\"_meta\":{\"progressToken\":1,"
        "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        "\"io.modelcontextprotocol/clientCapabilities\":{}}}}";
    static const struct {
        const char *tool;
        int n;
    } rows[] = {{"slow", 20}, {"steps", 2000}, {"big", 3000000}, {"slow", 0}};
    struct site *site = site_open((haft_http_options){.max_unsent = 4096});
    char body[512], request[1024], text[1024];
    int fd;

    (void)state;
    for (int turn = 0; turn < 100; turn++) {
        size_t i = (size_t)turn % COUNT_OF(rows);
        int small = 4096;

        snprintf(body, sizeof body, modern, rows[i].tool, rows[i].n);
        snprintf(request, sizeof request,
                 HEAD "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: %s\r\n"
                      "Content-Length: %zu\r\n\r\n%s",
                 rows[i].tool, strlen(body), body);
        fd = dial(site);
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
        say(fd, request, strlen(request));
        if (turn % 3)
            sleep_ms(turn % 7);
        if (turn % 2)
            reset(fd);
        else
            close(fd);
    }
    fd = dial(site);
    say(fd, ASK(1), sizeof ASK(1) - 1);
    hear(fd, text, sizeof text, PONG(1), 1);
    close(fd);
    site_close(site);
}

/* One that does not read its stream is dropped, and the log says so. */
static void drops_those_that_do_not_read(void **state)
{
    static const char call[] = CALL(1, "steps", 200000);
    struct site *site = site_open((haft_http_options){.max_unsent = 16 << 10});
    char request[512];
    int fd = dial(site), small = 4096;

    (void)state;
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    snprintf(request, sizeof request, HEAD "Content-Length: %zu\r\n\r\n%s", strlen(call), call);
    say(fd, request, strlen(request));
    for (int64_t end = milliseconds() + PATIENCE_MS;
         milliseconds() < end && !atomic_load(&site->dropped);)
        sleep_ms(5);
    assert_int_equal(atomic_load(&site->dropped), 1);
    close(fd);
    site_close(site);
}

static void bounds_connections(void **state)
{
    enum { N = 20 };
    struct site *site = site_open((haft_http_options){.max_connections = N});
    char text[1024];
    int fds[N], fd;

    (void)state;
    for (int i = 0; i < N; i++) {
        fds[i] = dial(site);
        say(fds[i], ASK(1), sizeof ASK(1) - 1);
        hear(fds[i], text, sizeof text, PONG(1), 1);
    }
    fd = dial(site);
    assert_true(hear_all(fd, text, sizeof text));
    assert_string_equal(text, "");
    close(fd);
    for (int i = 0; i < N; i++)
        close(fds[i]);
    sleep_ms(50);
    fd = dial(site);
    say(fd, ASK(1), sizeof ASK(1) - 1);
    hear(fd, text, sizeof text, PONG(1), 1);
    close(fd);
    site_close(site);
}

/* ---- the end ---- */

/* What is at work is finished; new connections are not taken. */
static void drains(void **state)
{
    static const char call[] = CALL(1, "slow", 300);
    struct site *site = site_open((haft_http_options){0});
    char request[512], *text = malloc(ROOM);
    int fd = dial(site), idle = dial(site);

    (void)state;
    assert_non_null(text);
    snprintf(request, sizeof request, HEAD "Content-Length: %zu\r\n\r\n%s", strlen(call), call);
    say(fd, request, strlen(request));
    sleep_ms(50);
    uv_async_send(&site->end);
    assert_true(hear_all(idle, text, ROOM));
    assert_string_equal(text, "");
    assert_true(hear_all(fd, text, ROOM));
    assert_non_null(strstr(text, "slept 300"));
    uv_thread_join(&site->thread);
    close(fd);
    close(idle);
    uv_sem_destroy(&site->ready);
    haft_server_free(site->server);
    free(text);
    free(site);
}

static void refuses_addresses(void **state)
{
    static const char *const rows[] = {"0.0.0.0:0",   "[::]:0",        "192.0.2.1:0", "nonsense",
                                       "127.0.0.1",   "127.0.0.1:x",   ":80",         "127.0.0.1:65536",
                                       "host.name:1", "unix:/nowhere/to/be/found"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct site *site = site_open_with((haft_http_options){.address = rows[i]}, NULL);

        assert_null(site->http);
        assert_true(site->reason.code < 0 && *site->reason.text);
        site_close(site);
    }
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        static const char call[] = CALL(1, "steps", 2);
        struct failing failing;
        struct site *site;
        char request[512], text[4096];
        bool failed;

        failing_init(&failing, nth);
        site = site_open_with((haft_http_options){.workers = 1}, &failing.allocator);
        snprintf(request, sizeof request, HEAD "Connection: close\r\nContent-Length: %zu\r\n\r\n%s",
                 strlen(call), call);
        for (int i = 0; site->http && i < 2; i++) {
            int fd = dial(site);

            say(fd, i ? ASK(1) "nonsense" : request, strlen(i ? ASK(1) "nonsense" : request));
            shutdown(fd, SHUT_WR);
            hear_all(fd, text, sizeof text);
            close(fd);
        }
        site_close(site);
        failed = failing.failures;
        failing_check(&failing);
        if (!failed)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers),
        cmocka_unit_test(takes_requests_in_pieces),
        cmocka_unit_test(writes_an_answer_at_once),
        cmocka_unit_test(keeps_the_order),
        cmocka_unit_test(bounds_what_waits),
        cmocka_unit_test(waits_for_a_slow_reader),
        cmocka_unit_test(refuses_what_can_be_read_in_two_ways),
        cmocka_unit_test(refuses_what_is_too_much),
        cmocka_unit_test(loses_patience),
        cmocka_unit_test(answers_a_half_closed_socket),
        cmocka_unit_test(survives_clients_that_vanish),
        cmocka_unit_test(drops_those_that_do_not_read),
        cmocka_unit_test(bounds_connections),
        cmocka_unit_test(drains),
        cmocka_unit_test(refuses_addresses),
        cmocka_unit_test(survives_every_failing_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
