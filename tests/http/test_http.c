/* test_http.c - the HTTP server over sockets: what is well said is answered, in order and as a
 * whole, and clients that come and go as they please harm nobody. */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/un.h>

#include "http/site.h"

/* ---- what is well said ---- */

static void answers(void **state)
{
    static const struct {
        const char *request, *response; /* with * for anything */
        bool stays;                     /* the connection does */
    } rows[] = {
        {ASK(1),
         "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 36\r\n\r\n" PONG(1),
         true},
        {"\r\n" ASK(1), PONG(1), true},
        {HEAD "Connection: close\r\nContent-Length: 40\r\n\r\n" PING(1),
         "Connection: close\r\n\r\n" PONG(1), false},
        {"POST /mcp HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n" PING(
             1),
         "Connection: close\r\n\r\n" PONG(1), false},
        {"POST /mcp HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\nContent-Type: application/json\r\n"
         "Content-Length: 40\r\n\r\n" PING(1),
         PONG(1), true},
        {HEAD "Transfer-Encoding: chunked\r\n\r\n28\r\n" PING(1) "\r\n0\r\n\r\n", PONG(1), true},
        {HEAD "Transfer-Encoding: chunked\r\n\r\n1;a=b\r\n{\r\n27\r\n"
              "\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n0\r\nX-Trailer: 1\r\n\r\n",
         PONG(1), true},
        /* a trailer is no header */
        {"POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n28\r\n" PING(
             1) "\r\n0\r\nContent-Type: application/json\r\n\r\n",
         "HTTP/1.1 415 ", true},
        {HEAD "Expect: 100-continue\r\nContent-Length: 40\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n",
         true},
        {HEAD
         "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA\r\nContent-Length: 40\r\n\r\n" PING(
             1),
         PONG(1), true},
        {"HEAD /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 405 ", true},
        {"GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n", "{\"status\":\"ok\"}", true},
        {"GET /healthz HTTP/1.0\r\n\r\n", "{\"status\":\"ok\"}", false},
        {"POST /%6Dcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n" PING(
             1),
         PONG(1), true},
        /* names in capitals, and names that are looked for in the same place */
        {"POST /mcp HTTP/1.1\r\nhOST: localhost\r\nCONTENT-TYPE: application/json\r\nCONTENT-LENGTH: 40\r\n\r\n" PING(
             1),
         PONG(1), true},
        {"POST /mcp HTTP/1.1\r\nHoot: x\r\nHost: localhost\r\nCurrent-Tape: text/plain\r\nContent-Type: application/json\r\n"
         "Content-Length: 40\r\n\r\n" PING(1),
         PONG(1), true},
        {"POST /mcp HTTP/1.1\r\nHost: localhost\r\nCurrent-Tape: application/json\r\nContent-Length: 40\r\n\r\n" PING(
             1),
         "HTTP/1.1 415 ", true},
        /* names that may come twice, though they look like some that may not */
        {HEAD
         "Hoot: 1\r\nHoot: 2\r\nMcp-Game: 1\r\nMcp-Game: 2\r\nExpect: x\r\nExpect: x\r\nContent-Length: 40\r\n\r\n" PING(
             1),
         PONG(1), true},
        {"POST /mcp?a=%00 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n" PING(
             1),
         PONG(1), true},
        {"POST /%256Dcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 404 ",
         true},
        {"POST /mcp/../mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n",
         "HTTP/1.1 404 ", true},
        {"POST /mcp/%2e%2e/mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n",
         "HTTP/1.1 404 ", true},
        {"POST //mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 404 ",
         true},
        {"GET /etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 404 ", true},
    };
    struct site *site = site_open((haft_http_options){.struct_size = sizeof(haft_http_options)});
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
    static const char one[] = ASK(1),
                      two[] = HEAD
                      "Transfer-Encoding: chunked\r\n\r\n15\r\n"
                      "{\"jsonrpc\":\"2.0\",\"id\"\r\n15\r\n:2,\"method\":\"ping\"}  \r\n0\r\n\r\n";
    static const struct {
        const char *text, *answer;
        size_t size;
    } rows[] = {{one, PONG(1), sizeof one - 1}, {two, PONG(2), sizeof two - 1}};
    struct site *site = site_open((haft_http_options){.struct_size = sizeof(haft_http_options)});
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
    struct site *site = site_open((haft_http_options){.struct_size = sizeof(haft_http_options)});
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
    struct site *site = site_open((haft_http_options){.struct_size = sizeof(haft_http_options)});
    char *text = malloc(ROOM), requests[2048];
    const char *at;
    int fd = dial(site);

    (void)state;
    assert_non_null(text);
    snprintf(requests, sizeof requests,
             HEAD "Content-Length: %zu\r\n\r\n%s" HEAD "Content-Length: %zu\r\n\r\n%s" ASK(3) HEAD
             "Connection: close\r\nContent-Length: 40\r\n\r\n" PING(4) ASK(5),
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

/* A client of HTTP/1.0 does not know chunks: a stream is as it is, and ends with the connection,
 * whatever it has asked for. */
static void sends_no_chunks_to_old_clients(void **state)
{
    static const char call[] = CALL(1, "steps", 3), head[] = "POST /mcp HTTP/1.0\r\n"
                                                             "Host: localhost\r\n"
                                                             "Content-Type: application/json\r\n";
    static const char *const rows[] = {"", "Connection: keep-alive\r\n", "TE: chunked\r\n"};
    struct site *site = site_open((haft_http_options){.struct_size = sizeof(haft_http_options)});
    char *text = malloc(ROOM), request[512];

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *body;
        int fd = dial(site);

        snprintf(request, sizeof request, "%s%sContent-Length: %zu\r\n\r\n%s", head, rows[i],
                 strlen(call), call);
        say(fd, request, strlen(request));
        assert_true(hear_all(fd, text, ROOM));
        body = strstr(text, "\r\n\r\n");
        assert_non_null(body);
        assert_null(strstr(text, "Transfer-Encoding"));
        assert_null(strstr(text, "Content-Length"));
        assert_non_null(strstr(text, "Connection: close\r\n"));
        /* It begins with an event, and has no line of a chunk's size. */
        assert_int_equal(strncmp(body, "\r\n\r\nevent: message\n", 19), 0);
        assert_null(strchr(body + 4, '\r'));
        assert_non_null(strstr(body, "3 steps"));
        close(fd);
    }
    free(text);
    site_close(site);
}

/* Far more pipelined requests than may wait, behind one that takes its time. */
static void bounds_what_waits(void **state)
{
    static const char slow_call[] = CALL(1, "slow", 100);
    enum { N = 3000 };
    struct site *site = site_open((haft_http_options){.struct_size = sizeof(haft_http_options)});
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
    struct site *site = site_open((haft_http_options){.struct_size = sizeof(haft_http_options)});
    char request[512], *text = malloc(ROOM);
    size_t size = (size_t)snprintf(request, sizeof request, HEAD "Content-Length: %zu\r\n\r\n%s",
                                   strlen(call), call);
    size_t total = 0;
    int fd = dial(site);

    (void)state;
    assert_non_null(text);
    for (int i = 0; i < N; i++)
        say(fd, request, size);
    while (total < (size_t)N * 200000) {
        ssize_t n = is_readable(fd, PATIENCE_MS) ? read(fd, text, ROOM) : -1;

        assert_true(n > 0);
        total += (size_t)n;
    }
    close(fd);
    free(text);
    site_close(site);
}

/* The answer to HEAD is that to GET without its body, so that the next one begins there. */
static void answers_head_without_a_body(void **state)
{
    static const char requests[] = "HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                   "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
                                   "Connection: close\r\n\r\n";
    struct site *site = site_open((haft_http_options){.struct_size = sizeof(haft_http_options)});
    char text[1024];
    int fd = dial(site);

    (void)state;
    say(fd, requests, sizeof requests - 1);
    assert_true(hear_all(fd, text, sizeof text));
    assert_int_equal(count_of(text, "HTTP/1.1 200 OK\r\n"), 2);
    assert_int_equal(count_of(text, "Content-Length: 15\r\n"), 2);
    assert_int_equal(count_of(text, "\r\n\r\nHTTP/1.1"), 1);
    assert_int_equal(count_of(text, "{\"status\":\"ok\"}"), 1);
    close(fd);
    site_close(site);
}

/* A client that does not read for a while gets every byte in its place. */
static void keeps_bytes_in_their_order(void **state)
{
    enum { N = 200, MORE = 1024 };
    static const char call[] = CALL(1, "big", 60000);
    struct site *site = site_open((haft_http_options){.struct_size = sizeof(haft_http_options)});
    size_t size = 0, one = 0, n_request;
    char request[512], *text = malloc((size_t)N * (60000 + MORE));
    int fd = dial(site), small = 64 << 10;

    (void)state;
    assert_non_null(text);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    n_request = (size_t)snprintf(request, sizeof request, HEAD "Content-Length: %zu\r\n\r\n%s",
                                 strlen(call), call);
    for (int i = 0; i < N; i++)
        say(fd, request, n_request);
    shutdown(fd, SHUT_WR);
    /* Until no more fits between the two. */
    for (int there = 0, before = -1; !there || there != before;) {
        before = there;
        uv_sleep(50);
        assert_int_equal(ioctl(fd, FIONREAD, &there), 0);
    }
    while (is_readable(fd, PATIENCE_MS)) {
        ssize_t n = read(fd, text + size, (size_t)N * (60000 + MORE) - size);

        if (n <= 0)
            break;
        size += (size_t)n;
    }
    assert_true(size && size % N == 0);
    one = size / N;
    for (size_t i = 1; i < N; i++)
        assert_int_equal(memcmp(text, text + i * one, one), 0);
    close(fd);
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
    struct site *site = site_open((haft_http_options){.struct_size = sizeof(haft_http_options)});
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
    struct site *site =
        site_open((haft_http_options)HAFT_INIT(haft_http_options, .max_unsent = 4096));
    char body[512], request[1024], text[1024];
    int fd;

    (void)state;
    for (int turn = 0; turn < 100; turn++) {
        size_t i = (size_t)turn % COUNT_OF(rows);
        int small = 4096;

        snprintf(body, sizeof body, modern, rows[i].tool, rows[i].n);
        snprintf(request, sizeof request,
                 HEAD
                 "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: %s\r\n"
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
    struct site *site =
        site_open((haft_http_options)HAFT_INIT(haft_http_options, .max_unsent = 16 << 10));
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
    struct site *site =
        site_open((haft_http_options)HAFT_INIT(haft_http_options, .max_connections = N));
    char text[1024];
    int64_t late = milliseconds() + PATIENCE_MS;
    int fds[N], fd;
    ssize_t n;

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
    /* The server hears of it sometime; until then one more is turned away, with what it says. */
    do {
        fd = dial(site);
        send(fd, ASK(1), sizeof ASK(1) - 1, MSG_NOSIGNAL);
        n = is_readable(fd, PATIENCE_MS) ? read(fd, text, sizeof text - 1) : -1;
        close(fd);
    } while (n <= 0 && milliseconds() < late);
    assert_true(n > 0);
    site_close(site);
}

/* ---- the end ---- */

/* What is at work is finished; new connections are not taken. */
static void drains(void **state)
{
    static const char call[] = CALL(1, "slow", 300);
    struct site *site = site_open((haft_http_options){.struct_size = sizeof(haft_http_options)});
    char request[512], *text = malloc(ROOM);
    int fd = dial(site), idle = dial(site);

    (void)state;
    assert_non_null(text);
    snprintf(request, sizeof request, HEAD "Content-Length: %zu\r\n\r\n%s", strlen(call), call);
    atomic_store(begun, 0);
    say(fd, request, strlen(request));
    wait_until_begun(1);
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

static void tell_port(void *context, const char *url)
{
    int port = (int)strtol(strrchr(url, ':') + 1, NULL, 10);

    if (write(*(int *)context, &port, sizeof port) != sizeof port)
        _exit(99);
}

/* A process that serves: it ends in time, also when a handler does not. */
static void ends_by_signals(void **state)
{
    static const struct {
        const char *call; /* NULL: nothing is at work */
        unsigned drain_ms;
        int signals, status;
    } rows[] = {
        {NULL, 60000, 1, 0},
        {CALL(1, "slow", 60000), 200, 1, 0}, /* it listens when it is cancelled */
        {CALL(1, "stubborn", 60000), 200, 1, 1},
        {CALL(1, "stubborn", 60000), 60000, 2, 128 + SIGTERM},
    };

    (void)state;
    begun = mmap(NULL, sizeof *begun, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(begun != MAP_FAILED);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int pipes[2], status, fd;
        struct site site = {0};
        int64_t start;
        pid_t pid;

        atomic_store(begun, 0);
        assert_int_equal(pipe(pipes), 0);
        pid = fork();
        if (!pid) {
            haft_server *server = haft_server_new("test", "1.0.0");

            add_tools(server);
            haft_add(server, &stubborn_tool);
            status = haft_http_serve(server,
                                     HAFT_WITH(haft_http_options, .address = "127.0.0.1:0",
                                               .threads = 2, .drain_ms = rows[i].drain_ms,
                                               .ready = tell_port, .ready_context = &pipes[1]),
                                     NULL);
            haft_server_free(server);
            _exit(status);
        }
        assert_int_equal(read(pipes[0], &site.port, sizeof site.port), sizeof site.port);
        fd = dial(&site);
        if (rows[i].call) {
            char request[512];

            snprintf(request, sizeof request, HEAD "Content-Length: %zu\r\n\r\n%s",
                     strlen(rows[i].call), rows[i].call);
            say(fd, request, strlen(request));
            wait_until_begun(1);
        }
        start = milliseconds();
        for (int k = 0; k < rows[i].signals; k++)
            signal_in_turn(pid, SIGTERM);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != rows[i].status)
            fail_msg("row %zu: it ended with %x", i, (unsigned)status);
        assert_true(milliseconds() - start < 20000); /* neither the handler nor the drain */
        close(fd);
        close(pipes[0]);
        close(pipes[1]);
    }
    munmap(begun, sizeof *begun);
    begun = &begun_here;
}

static void refuses_addresses(void **state)
{
    static const char *const rows[] = {
        "0.0.0.0:0",   "[::]:0", "192.0.2.1:0",     "nonsense",    "127.0.0.1",
        "127.0.0.1:x", ":",      "127.0.0.1:65536", "host.name:1", "unix:/nowhere/to/be/found"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct site *site = site_open_with(
            (haft_http_options)HAFT_INIT(haft_http_options, .address = rows[i]), NULL);

        assert_null(site->http);
        assert_true(site->reason.code < 0 && *site->reason.text);
        site_close(site);
    }
}

/* ---- paths in the file system ---- */

enum thing { NOTHING, LEFT_SOCKET, SERVER, FILE_ };

/* Puts it there; a descriptor when it needs one to last, else -1. */
static int put_thing(enum thing thing, const char *path)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int fd = -1;

    if (thing == FILE_) {
        fd = open(path, O_CREAT | O_WRONLY, 0600);
    } else if (thing) {
        snprintf(name.sun_path, sizeof name.sun_path, "%s", path);
        fd = socket(AF_UNIX, SOCK_STREAM, 0);
        assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof name), 0);
    }
    if (thing == SERVER) {
        assert_int_equal(listen(fd, 1), 0);
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

static void takes_paths(void **state)
{
#define LONG "/0123456789012345678901234567890123456789"
    static const struct {
        const char *behind; /* the test's own name */
        enum thing thing;   /* is there already */
        const char *text;   /* NULL: it listens */
    } rows[] = {{"", NOTHING, NULL},
                {"", LEFT_SOCKET, NULL},
                {"", SERVER, "address already in use"},
                {"", FILE_, "address already in use"},
                {"/x", NOTHING, "no such directory"},
                {LONG LONG LONG, NOTHING, "the path of the Unix socket is too long"}};
    char address[256];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct site *site;
        int fd;

        snprintf(address, sizeof address, "unix:/tmp/haft-path-%d%s", (int)getpid(),
                 rows[i].behind);
        fd = put_thing(rows[i].thing, address + 5);
        site = site_open_with((haft_http_options)HAFT_INIT(haft_http_options, .address = address),
                              NULL);
        assert_int_equal(site->http == NULL, rows[i].text != NULL);
        if (rows[i].text) {
            assert_string_equal(site->reason.text, rows[i].text);
        } else {
            struct stat there;

            /* Whoever runs it may connect, and nobody else. */
            assert_int_equal(stat(address + 5, &there), 0);
            assert_int_equal(there.st_mode & 0777, 0600);
        }
        site_close(site);
        if (fd >= 0)
            close(fd);
        unlink(address + 5);
    }
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        /* On the loop's thread: the allocator counts for one thread at a time. */
        static const char call[] = CALL(1, "big", 2000);
        struct failing failing;
        struct site *site;
        char request[512], text[4096];
        bool failed;

        failing_init(&failing, nth);
        site = site_open_with((haft_http_options)HAFT_INIT(haft_http_options, .workers = 1),
                              &failing.allocator);
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
        cmocka_unit_test(sends_no_chunks_to_old_clients),
        cmocka_unit_test(bounds_what_waits),
        cmocka_unit_test(waits_for_a_slow_reader),
        cmocka_unit_test(answers_head_without_a_body),
        cmocka_unit_test(keeps_bytes_in_their_order),
        cmocka_unit_test(answers_a_half_closed_socket),
        cmocka_unit_test(survives_clients_that_vanish),
        cmocka_unit_test(drops_those_that_do_not_read),
        cmocka_unit_test(bounds_connections),
        cmocka_unit_test(drains),
        cmocka_unit_test(ends_by_signals),
        cmocka_unit_test(refuses_addresses),
        cmocka_unit_test(takes_paths),
        cmocka_unit_test(survives_every_failing_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
