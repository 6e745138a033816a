/* test_refusals.c - what an HTTP server must not take: requests that can be read in two ways,
 * are too long, or take too long.  Each is refused, the connection ends, and nothing after it is
 * heard. */
#define _DEFAULT_SOURCE
#include "http/site.h"

/* ---- what can be read in two ways ---- */

#define H "Host: localhost\r\nContent-Type: application/json\r\n"
#define CHUNKED HEAD "Transfer-Encoding: chunked\r\n\r\n"
#define SMUGGLED ASK(9)

/* Each is refused with 400, the connection ends, and the request that hides behind it is not
 * heard. */
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
        {TEXT(HEAD "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Transfer-Encoding: \r\n\r\n" SMUGGLED)},
        {TEXT("POST /mcp HTTP/1.0\r\n" H "Connection: keep-alive\r\n"
              "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" SMUGGLED)},
        {TEXT(
            HEAD
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" SMUGGLED)},
        {TEXT(
            HEAD
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Transfer-Encoding:\x0b"
                   "chunked\r\n\r\n0\r\n\r\n" SMUGGLED)},
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
        {TEXT("POST http://a@localhost/mcp HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("POST http://:@localhost/mcp HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("POST http:///mcp HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("POST http://?x HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("POST http:/mcp HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("POST http://localhost/%00 HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("POST ftp://localhost/mcp HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("POST * HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("OPTIONS *a HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("CONNECT localhost:80 HTTP/1.1\r\n" H "\r\n" SMUGGLED)},
        {TEXT("CONNECT http://localhost/mcp HTTP/1.1\r\n" H "\r\n" SMUGGLED)},
        {TEXT("POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\n"
              "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("GET /healthz HTTP/1.1\r\n\r\n" SMUGGLED)},
        {TEXT("POST http://localhost/mcp HTTP/1.1\r\nContent-Type: application/json\r\n"
              "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("POST http://localhost/mcp HTTP/1.1\r\n" H
              "hOST: localhost\r\nContent-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("POST mcp HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("POST /mcp HTTP/1.1\r\n" H
              "Host: evil.example\r\nContent-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("POST /mcp HTTP/1.1\r\n" H
              "Content-Type: text/plain\r\nContent-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT(
            HEAD
            "Origin: http://localhost\r\nOrigin: http://evil.example\r\nContent-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("POST /mcp HTTP/1.1\r\n" H
              "Current-Tape: 1\r\nContent-TYPE: text/plain\r\nContent-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "X-API-Key: 1\r\nx-api-key: 2\r\nContent-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Mcp-Session-Id: 1\r\nMcp-Session-Id: 2\r\nContent-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Authorization: 1\r\nAUTHORIZATION: 1\r\nContent-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Mcp-Method: 1\r\nX: 1\r\nMcp-Method: 2\r\nContent-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Mcp-Name: 1\r\nMcp-Name: 2\r\nContent-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT(
            HEAD
            "Mcp-Protocol-Version: 1\r\nmcp-Protocol-VERSION: 2\r\nContent-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT(HEAD "Last-Event-Id: 1\r\nLast-Event-Id: 2\r\nContent-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("POST /mcp HTTP/2.0\r\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("GET /healthz HTTP/2.0\r\nHost: localhost\r\n\r\n" SMUGGLED)},
        {TEXT("POST /mcp HTTP/1.7\r\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("POST /mcp HTTP/0.9\r\n" H "Content-Length: 0\r\n\r\n" SMUGGLED)},
        {TEXT("GET /healthz\r\n\r\n" SMUGGLED)},
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
    struct site *site = site_open((haft_http_options){.struct_size = sizeof(haft_http_options)});
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

/* ---- what is too much ---- */

/* `n` times the same text between two others. */
static char *flood(const char *before, const char *part, size_t n, const char *after,
                   size_t *ret_size)
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
        {HEAD, "X: y\r\n", 98, "\r\n", 400}, /* a hundred with those of HEAD */
        {HEAD, "X: y\r\n", 99, "\r\n", 431},
        {HEAD, "X: y\r\n", 200, "\r\n", 431},
        {HEAD, "X: y\r\n", 100000, "\r\n", 431},
        {HEAD "X: ", "y", 20000, "\r\n\r\n", 431},
        {HEAD, "y", 1 << 20, ": z\r\n\r\n", 431},
        {HEAD "Content-Length: 5000000\r\n\r\n", "          ", 500000, "", 413},
        {HEAD "Content-Length: 5000000\r\n\r\n", "", 0, "", 413}, /* before any of it has come */
        {HEAD "Transfer-Encoding: chunked\r\n\r\n", "a\r\n          \r\n", 524288, "0\r\n\r\n",
         413},
        {HEAD "Transfer-Encoding: chunked\r\n\r\n0\r\n", "X: y\r\n", 20000, "\r\n", 431},
        /* what is neither head nor body: extensions of chunks, zeros and blanks */
        {CHUNKED, "1;name=value;name=value;name=value;name=value\r\n \r\n", 10000, "0\r\n\r\n",
         413},
        {CHUNKED, "1;name=value\r\n \r\n", 100, "0\r\n\r\n", 400},
        {CHUNKED "1;", "a", 1 << 20, "\r\n \r\n0\r\n\r\n", 413},
        {CHUNKED "1;a=", "b", 1 << 20, "\r\n \r\n0\r\n\r\n", 413},
        {CHUNKED "1;a=\"", "b", 1 << 20, "\"\r\n \r\n0\r\n\r\n", 413},
        {CHUNKED "1;a=\"", "b", 20000, "\"\r\n \r\n0\r\n\r\n", 413},
        {CHUNKED "1", ";a", 1 << 20, "\r\n \r\n0\r\n\r\n", 413},
        {CHUNKED "0;a=\"", "b", 1 << 20, "\"\r\n\r\n", 413},
        {CHUNKED, "0", 1 << 20, "1\r\n \r\n0\r\n\r\n", 413},
        {CHUNKED "0\r\nX:", " ", 1 << 20, "y\r\n\r\n", 413},
        {CHUNKED, "1\r\n \r\n", 100000, "0\r\n\r\n", 400},
        {HEAD "X:", " ", 1 << 20, "y\r\n\r\n", 431},
        {HEAD "X:", "\t", 20000, "y\r\n\r\n", 431},
        {"", "\r\n", 1 << 20, HEAD "\r\n", 431},
        {"POST", " ", 1 << 20, "/mcp HTTP/1.1\r\n" H "\r\n", 431},
        {HEAD "Content-Length: 1000000\r\n\r\n", "[", 1000000, "", 400},
        {HEAD "Content-Length: 1200000\r\n\r\n", "{\"a\":[", 200000, "", 400},
    };
    struct site *site = site_open((haft_http_options){.struct_size = sizeof(haft_http_options)});
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
    struct site *site = site_open((haft_http_options)HAFT_INIT(haft_http_options, .header_ms = 200,
                                                               .body_ms = 200, .idle_ms = 300));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_what_can_be_read_in_two_ways),
        cmocka_unit_test(refuses_what_is_too_much),
        cmocka_unit_test(loses_patience),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
