/* test_sending.c - what is sent, what is refused before it is sent, and that nothing is sent twice. */
#define _GNU_SOURCE
#include "http_client/rogue.h"

#define FINE "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

static void serve_fine(struct rogue *rogue, int fd, int number)
{
    (void)number;
    while (rogue_read(rogue, fd))
        rogue_puts(fd, rogue_saw(rogue, "HEAD /") ? "HTTP/1.1 200 OK\r\n\r\n" : FINE);
}

/* ---- what is sent ---- */

/* Every kind of request, after every other: libcurl's handle is the same. */
static void sends_requests(void **state)
{
    static char large[20000];
    static const struct http_field headers[] = {
        {"Authorization", "Bearer x"}, {"X-Empty", ""}, {"X-Two", "1"}, {"X-Two", "2"}};
    static const struct http_field blank[] = {{"X-Blank", " \t"}, {"Accept", "\t"}};
    static const struct http_field agent[] = {{"User-Agent", "me"}, {"Content-Type", "text/plain"}};
    static const struct {
        struct http_request_options options;
        const char *path;
        const char *begins, *has[4], *lacks[6];
    } rows[] = {
        {{.method = NULL},
         "",
         "GET / HTTP/1.1\r\n",
         {"User-Agent: haft/" HAFT_VERSION "\r\n"},
         {"Content-", "Expect", "Cookie", "Accept-Encoding", "TE:", "Transfer-"}},
        {{.method = "DELETE"},
         "/a/../b?q=%20#f",
         "DELETE /a/../b?q=%20 HTTP/1.1\r\n",
         {"Host: 127.0.0.1:"},
         {"Content-"}},
        {{.method = "POST"},
         "/",
         "POST / HTTP/1.1\r\n",
         {"Content-Length: 0\r\n"},
         {"Content-Type"}},
        {{.method = "POST", .body = "body", .body_size = 4},
         "/",
         "POST / HTTP/1.1\r\n",
         {"Content-Length: 4\r\n", "\r\n\r\nbody"},
         {"Content-Type", "Expect", "chunked"}},
        {{.method = "PUT", .body = "body", .body_size = 4},
         "/",
         "PUT / HTTP/1.1\r\n",
         {"Content-Length: 4\r\n", "\r\n\r\nbody"},
         {"Expect"}},
        {{.method = "PATCH"}, "/", "PATCH / HTTP/1.1\r\n", {"Content-Length: 0\r\n"}, {NULL}},
        {{.method = "QUERY", .body = "q", .body_size = 1},
         "/",
         "QUERY / HTTP/1.1\r\n",
         {"Content-Length: 1\r\n", "\r\n\r\nq"},
         {NULL}},
        {{.method = "OPTIONS"}, "/", "OPTIONS / HTTP/1.1\r\n", {NULL}, {"Content-"}},
        {{.headers = headers, .n_headers = 4},
         "/",
         "GET / ",
         {"\r\nAuthorization: Bearer x\r\n", "\r\nX-Empty:\r\n", "\r\nX-Two: 1\r\n",
          "\r\nX-Two: 2\r\n"},
         {NULL}},
        {{.method = "POST", .headers = agent, .n_headers = 2},
         "/",
         "POST / ",
         {"\r\nUser-Agent: me\r\n", "\r\nContent-Type: text/plain\r\n"},
         {"haft/"}},
        {{.decode = true}, "/", "GET / ", {"Accept-Encoding: "}, {NULL}},
        {{.headers = blank, .n_headers = 2},
         "/",
         "GET / ",
         {"\r\nX-Blank:\r\n", "\r\nAccept:\r\n"},
         {"*/*"}},
        {{.method = "HEAD"}, "/", "HEAD / ", {NULL}, {"Content-", "body"}},
        {{.method = "HEAD", .body = "body", .body_size = 4},
         "/?",
         "HEAD /? ",
         {NULL},
         {"Content-", "body"}},
        {{.method = "POST", .body = large, .body_size = sizeof large},
         "/",
         "POST / ",
         {"Content-Length: 20000\r\n", "\r\n\r\nxxxx"},
         {"Expect", "Content-Type", "Accept-Encoding", "body"}},
    };
    static struct outcome outcome;
    struct rogue *rogue = rogue_open(serve_fine, NULL);
    struct asker asker;
    char url[256];

    (void)state;
    memset(large, 'x', sizeof large);
    asker_init(&asker);
    for (size_t step = 0; step < 2 * COUNT_OF(rows) * COUNT_OF(rows); step++) {
        size_t i = step % 2 ? step / 2 % COUNT_OF(rows) : step / 2 / COUNT_OF(rows);
        struct http_request_options options = rows[i].options;

        snprintf(url, sizeof url, "%s%s", rogue->url, rows[i].path);
        options.url = url;
        ask(&asker, options, &outcome);
        assert_string_equal(outcome.text, "no error");
        if (!rogue_saw_first(rogue, rows[i].begins))
            fail_msg("row %zu: %s", i, rogue->seen);
        for (size_t k = 0; k < 4 && rows[i].has[k]; k++)
            if (!rogue_saw(rogue, rows[i].has[k]))
                fail_msg("row %zu lacks %s: %s", i, rows[i].has[k], rogue->seen);
        for (size_t k = 0; k < 6 && rows[i].lacks[k]; k++)
            if (rogue_saw(rogue, rows[i].lacks[k]))
                fail_msg("row %zu has %s: %s", i, rows[i].lacks[k], rogue->seen);
    }
    /* All over one connection; libcurl has its own, for what is decoded. */
    assert_int_equal(atomic_load(&rogue->connections), without_direct ? 1 : 2);
    asker_finish(&asker);
    rogue_close(rogue);
}

static void serve_counting(struct rogue *rogue, int fd, int number)
{
    static char room[1 << 16];
    const char *length;
    size_t size = 0, total;
    ssize_t n = 0;

    (void)number;
    memset(room, 0, sizeof room);
    while (!strstr(room, "\r\n\r\n") && (n = read(fd, room + size, sizeof room - size - 1)) > 0)
        size += (size_t)n;
    length = strstr(room, "Content-Length: ");
    total = strtoul(length + 16, NULL, 10) + (size_t)(strstr(room, "\r\n\r\n") + 4 - room);
    while (size < total && (n = read(fd, room, sizeof room)) > 0)
        size += (size_t)n;
    if (size == total)
        rogue_puts(fd, FINE);
    rogue_hold(rogue, fd);
}

static void sends_large_bodies(void **state)
{
    static char body[8 << 20];
    static struct outcome outcome;
    struct rogue *rogue = rogue_open(serve_counting, NULL);
    struct asker asker;

    (void)state;
    memset(body, 'x', sizeof body);
    asker_init(&asker);
    ask(&asker,
        (struct http_request_options){
            .method = "POST", .url = rogue->url, .body = body, .body_size = sizeof body},
        &outcome);
    assert_string_equal(outcome.text, "no error");
    asker_finish(&asker);
    rogue_close(rogue);
}

/* ---- what is refused ---- */

static void refuses_requests(void **state)
{
    static char long_text[70000];
    static const struct http_field crlf[] = {{"X", "a\r\nY: b"}}, lf[] = {{"X", "a\nb"}},
                                   name[] = {{"X\r\nY", "b"}}, colon[] = {{"X:", "b"}},
                                   space[] = {{"X ", "b"}}, empty[] = {{"", "b"}},
                                   length[] = {{"content-LENGTH", "5"}},
                                   coding[] = {{"Transfer-Encoding", "chunked"}},
                                   host[] = {{"Host", "x"}}, wide[] = {{"X", long_text}},
                                   control[] = {{"X", "a\x7f"}};
    static struct http_field many[101];
    static const struct {
        struct http_request_options options;
        int code;
        const char *path;
    } rows[] = {
        {{.url = NULL}, HAFT_EINVAL, "url"},
        {{.url = "file:///etc/passwd"}, HAFT_EINVAL, "url"},
        {{.url = "ftp://127.0.0.1/"}, HAFT_EINVAL, "url"},
        {{.url = "127.0.0.1"}, HAFT_EINVAL, "url"},
        {{.url = "http://"}, HAFT_EINVAL, "url"},
        {{.url = "http:///path"}, HAFT_EINVAL, "url"},
        {{.url = "http://user:secret@127.0.0.1/"}, HAFT_EINVAL, "url"},
        {{.url = "http://user@127.0.0.1/"}, HAFT_EINVAL, "url"},
        {{.url = "http://127.0.0.1/a b"}, HAFT_EINVAL, "url"},
        {{.url = "http://127.0.0.1/\r\nX: y"}, HAFT_EINVAL, "url"},
        {{.url = "http://127.0.0.1/\xC3\xA9"}, HAFT_EINVAL, "url"},
        {{.url = "http://127.0.0.1\\@other/"}, HAFT_EINVAL, "url"},
        {{.url = "http://127.0.0.1:99999/"}, HAFT_EINVAL, "url"},
        {{.url = "http://127.0.0.1:x/"}, HAFT_EINVAL, "url"},
        {{.url = "http://[::1/"}, HAFT_EINVAL, "url"},
        {{.url = "http://127.0.0.1/aaaaaaaaaaaaaaaa", .max_url = 20}, HAFT_ETOOBIG, "url"},
        {{.method = "G T"}, HAFT_EINVAL, "method"},
        {{.method = ""}, HAFT_EINVAL, "method"},
        {{.method = "GET / HTTP/1.1\r\nX: y\r\n"}, HAFT_EINVAL, "method"},
        {{.method = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}, HAFT_EINVAL, "method"},
        {{.headers = crlf, .n_headers = 1}, HAFT_EINVAL, "X"},
        {{.headers = lf, .n_headers = 1}, HAFT_EINVAL, "X"},
        {{.headers = control, .n_headers = 1}, HAFT_EINVAL, "X"},
        {{.headers = name, .n_headers = 1}, HAFT_EINVAL, "headers"},
        {{.headers = colon, .n_headers = 1}, HAFT_EINVAL, "headers"},
        {{.headers = space, .n_headers = 1}, HAFT_EINVAL, "headers"},
        {{.headers = empty, .n_headers = 1}, HAFT_EINVAL, "headers"},
        {{.headers = length, .n_headers = 1}, HAFT_EINVAL, "content-LENGTH"},
        {{.headers = coding, .n_headers = 1}, HAFT_EINVAL, "Transfer-Encoding"},
        {{.headers = host, .n_headers = 1}, HAFT_EINVAL, "Host"},
        {{.headers = wide, .n_headers = 1}, HAFT_ETOOBIG, "headers"},
        {{.headers = many, .n_headers = 101}, HAFT_ETOOBIG, "headers"},
        {{.body = "xyz", .body_size = 3, .max_body = 2}, HAFT_ETOOBIG, "body"},
        {{.unix_socket = ""}, HAFT_EINVAL, "unix_socket"},
        {{.unix_socket = long_text}, HAFT_EINVAL, "unix_socket"},
    };
    struct asker asker;

    (void)state;
    memset(long_text, 'x', sizeof long_text - 1);
    for (size_t i = 0; i < COUNT_OF(many); i++)
        many[i] = (struct http_field){"X", "y"};
    asker_init(&asker);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct http_request_options options = rows[i].options;
        haft_reason reason = {0};

        if (!options.url && i)
            options.url = "http://127.0.0.1:1/";
        options.on_end = on_end; /* which would crash */
        if (asker.http->start(asker.client, &options, &reason) || reason.code != rows[i].code ||
            strcmp(reason.path, rows[i].path))
            fail_msg("row %zu: %d %s: %s", i, reason.code, reason.path, reason.text);
        assert_null(strstr(reason.text, "secret"));
    }
    asker_finish(&asker);
}

/* ---- nothing twice ---- */

/* Reads a request on a connection that has served one before, and closes it without an answer. */
static void serve_once(struct rogue *rogue, int fd, int number)
{
    (void)number;
    if (rogue_read(rogue, fd))
        rogue_puts(fd, FINE);
    if (rogue_read(rogue, fd) && rogue->context)
        rogue_reset(fd);
}

static void sends_nothing_twice(void **state)
{
    static char large[300000];
    static const struct {
        struct http_request_options options;
        int requests; /* that the server gets, with the one that opens the connection */
        enum http_error error;
    } rows[] = {
        {{.method = "GET"}, 2, HTTP_CLOSED},
        {{.method = "HEAD"}, 2, HTTP_CLOSED},
        {{.method = "DELETE"}, 2, HTTP_CLOSED},
        {{.method = "POST"}, 2, HTTP_CLOSED},
        {{.method = "POST", .body = "body", .body_size = 4}, 2, HTTP_CLOSED},
        {{.method = "PUT", .body = "body", .body_size = 4}, 2, HTTP_CLOSED},
        {{.method = "POST", .body = large, .body_size = 40000}, 2, HTTP_CLOSED},
        {{.method = "GET", .may_repeat = true}, 3, HTTP_OK},
        {{.method = "POST", .body = "body", .body_size = 4, .may_repeat = true}, 3, HTTP_OK},
    };
    static struct outcome outcome;
    struct asker asker;

    (void)state;
    memset(large, 'x', sizeof large);
    for (size_t i = 0; i < 2 * COUNT_OF(rows); i++) {
        struct rogue *rogue = rogue_open(serve_once, i % 2 ? "resets" : NULL);
        struct http_request_options options = rows[i / 2].options;

        asker_init(&asker);
        ask(&asker, (struct http_request_options){.url = rogue->url}, &outcome);
        assert_string_equal(outcome.text, "no error");
        options.url = rogue->url;
        ask(&asker, options, &outcome);
        if (atomic_load(&rogue->requests) != rows[i / 2].requests ||
            outcome.error != rows[i / 2].error || outcome.ends != 1 || !outcome.maybe_handled)
            fail_msg("row %zu: %d requests, %s", i / 2, atomic_load(&rogue->requests),
                     outcome.text);
        if (rows[i / 2].error) {
            assert_string_equal(outcome.text, "the connection was closed before the answer");
            /* The next one is fine. */
            ask(&asker, (struct http_request_options){.url = rogue->url}, &outcome);
            assert_string_equal(outcome.text, "no error");
        }
        asker_finish(&asker);
        rogue_close(rogue);
    }
}

/* A connection that the server closed while nobody used it is not one to fail on. */
static void serve_one_each(struct rogue *rogue, int fd, int number)
{
    (void)number;
    if (rogue_read(rogue, fd))
        rogue_puts(fd, FINE);
}

static void notices_closed_connections(void **state)
{
    static struct outcome outcome;
    struct rogue *rogue = rogue_open(serve_one_each, NULL);
    struct asker asker;

    (void)state;
    asker_init(&asker);
    for (int i = 0; i < 5; i++) {
        ask(&asker,
            (struct http_request_options){
                .method = "POST", .url = rogue->url, .body = "x", .body_size = 1},
            &outcome);
        assert_string_equal(outcome.text, "no error");
        rogue_wait_closed(rogue, i + 1);
    }
    assert_int_equal(atomic_load(&rogue->requests), 5);
    asker_finish(&asker);
    rogue_close(rogue);
}

/* ---- the environment ---- */

static void ignores_the_environment(void **state)
{
    static struct outcome outcome;
    struct rogue *rogue = rogue_open(serve_fine, NULL);
    struct asker asker;
    char url[64];

    (void)state;
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    setenv("all_proxy", "http://127.0.0.1:1", 1);
    asker_init(&asker);
    ask(&asker, (struct http_request_options){.url = rogue->url}, &outcome);
    assert_string_equal(outcome.text, "no error");
    asker_finish(&asker);

    /* Unless it is asked for. */
    asker_init_with(&asker, &(struct http_client_options){.proxy_from_environment = true});
    ask(&asker, (struct http_request_options){.url = rogue->url}, &outcome);
    assert_int_equal(outcome.error, HTTP_CONNECT_FAILED);
    assert_false(outcome.maybe_handled);
    asker_finish(&asker);

    /* A proxy that is given is used, whatever no_proxy says. */
    setenv("no_proxy", "*", 1);
    asker_init_with(&asker, &(struct http_client_options){.proxy = rogue->url});
    snprintf(url, sizeof url, "http://127.0.0.1:2/x");
    ask(&asker, (struct http_request_options){.url = url}, &outcome);
    assert_string_equal(outcome.text, "no error");
    assert_true(rogue_saw(rogue, "GET http://127.0.0.1:2/x HTTP/1.1\r\n"));
    asker_finish(&asker);
    unsetenv("http_proxy");
    unsetenv("all_proxy");
    unsetenv("no_proxy");
    rogue_close(rogue);
}

/* ---- Unix sockets ---- */

static void asks_over_unix_sockets(void **state)
{
    static struct outcome outcome;
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    struct rogue *rogue;
    struct asker asker;

    (void)state;
    snprintf(name.sun_path, sizeof name.sun_path, "/tmp/haft-http-client-%ld", (long)getpid());
    unlink(name.sun_path);
    rogue = rogue_open_at((struct sockaddr *)&name, sizeof name, serve_fine, NULL);
    assert_int_equal(pthread_create(&rogue->thread, NULL, rogue_run, rogue), 0);
    asker_init(&asker);
    ask(&asker,
        (struct http_request_options){.url = "http://somewhere/x", .unix_socket = name.sun_path},
        &outcome);
    assert_string_equal(outcome.text, "no error");
    assert_true(rogue_saw(rogue, "\r\nHost: somewhere\r\n"));
    unlink(name.sun_path);
    asker_finish(&asker);
    rogue_close(rogue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_both_ways(sends_requests),
        cmocka_unit_test_both_ways(sends_large_bodies),
        cmocka_unit_test_both_ways(refuses_requests),
        cmocka_unit_test_both_ways(sends_nothing_twice),
        cmocka_unit_test_both_ways(notices_closed_connections),
        cmocka_unit_test_both_ways(ignores_the_environment),
        cmocka_unit_test_both_ways(asks_over_unix_sockets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
