/* test_targets.c - what a request asks for, in the forms that RFC 9112 has for it, and who it
 * asks: the authority of an absolute target, else its Host. */
#define _DEFAULT_SOURCE
#include "http/site.h"

#define REST "Content-Type: application/json\r\nContent-Length: 40\r\n\r\n" PING(1)
#define ANSWERED "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 36\r\n"

struct row {
    const char *request, *response;
    const char *more; /* elsewhere in the response; NULL for nothing */
};

/* Each on a connection of its own, with a second request behind it that must be answered. */
static void try_rows(const struct row *rows, size_t n, haft_http_options options)
{
    struct site *site = site_open(options);
    char *text = malloc(ROOM);

    assert_non_null(text);
    for (size_t i = 0; i < n; i++) {
        int fd = dial(site);

        say(fd, rows[i].request, strlen(rows[i].request));
        say(fd, ASK(2), sizeof ASK(2) - 1);
        shutdown(fd, SHUT_WR);
        hear_all(fd, text, ROOM);
        if (strncmp(text, rows[i].response, strlen(rows[i].response)) ||
            (rows[i].more && !strstr(text, rows[i].more)) ||
            (!strstr(rows[i].request, "HTTP/1.0") && !strstr(text, PONG(2))))
            fail_msg("row %zu: %s\n--> %s", i, rows[i].request, text);
        close(fd);
    }
    free(text);
    site_close(site);
}

static void takes_absolute_targets(void **state)
{
    static const char *const hosts[] = {"tools.example", NULL};
    static const struct row rows[] = {
        {"POST http://localhost/mcp HTTP/1.1\r\nHost: localhost\r\n" REST, ANSWERED, PONG(1)},
        {"POST HTTP://LOCALHOST:8808/mcp HTTP/1.1\r\nHost: localhost\r\n" REST, ANSWERED, PONG(1)},
        {"POST https://tools.example/mcp?a=b HTTP/1.1\r\nHost: localhost\r\n" REST, ANSWERED,
         PONG(1)},
        {"POST http://[::1]:80/%6Dcp HTTP/1.1\r\nHost: localhost\r\n" REST, ANSWERED, PONG(1)},
        /* the authority decides, and the header is not heard */
        {"POST http://localhost/mcp HTTP/1.1\r\nHost: evil.example\r\n" REST, ANSWERED, PONG(1)},
        {"POST http://localhost/mcp HTTP/1.1\r\nHost:\r\n" REST, ANSWERED, PONG(1)},
        {"POST http://evil.example/mcp HTTP/1.1\r\nHost: localhost\r\n" REST, "HTTP/1.1 403 ",
         NULL},
        {"POST http://localhost.evil.example/mcp HTTP/1.1\r\nHost: localhost\r\n" REST,
         "HTTP/1.1 403 ", NULL},
        {"POST http://evil.example/mcp HTTP/1.1\r\nHost: localhost\r\n"
         "Origin: http://localhost\r\n" REST,
         "HTTP/1.1 403 ", NULL},
        {"POST http://localhost/mcp HTTP/1.1\r\nHost: localhost\r\n"
         "Origin: http://evil.example\r\n" REST,
         "HTTP/1.1 403 ", NULL},
        /* an empty path is the root */
        {"POST http://localhost HTTP/1.1\r\nHost: localhost\r\n" REST, "HTTP/1.1 404 ", NULL},
        {"POST http://localhost?/mcp HTTP/1.1\r\nHost: localhost\r\n" REST, "HTTP/1.1 404 ", NULL},
        {"GET http://localhost/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 200 ",
         "{\"status\":\"ok\"}"},
        {"POST http://localhost/mcp HTTP/1.0\r\n" REST, "HTTP/1.1 200 ", PONG(1)},
        {"POST http://evil.example/mcp HTTP/1.0\r\n" REST, "HTTP/1.1 403 ", NULL},
    };

    (void)state;
    try_rows(rows, COUNT_OF(rows),
             (haft_http_options)HAFT_INIT(haft_http_options, .allowed_hosts = hosts));
}

/* An absolute target of HTTP/1.0 needs a place for its authority among the headers, also when there
 * are as many as may be. */
static void adds_the_authority_to_a_full_head(void **state)
{
    struct site *site = site_open((haft_http_options){.struct_size = sizeof(haft_http_options)});
    char request[4096], text[4096];
    size_t size =
        (size_t)snprintf(request, sizeof request, "POST http://localhost/mcp HTTP/1.0\r\n");
    int fd = dial(site);

    (void)state;
    for (int i = 0; i < 98; i++)
        size += (size_t)snprintf(request + size, sizeof request - size, "X-%d: y\r\n", i);
    snprintf(request + size, sizeof request - size, "%s", REST);
    say(fd, request, strlen(request));
    assert_true(hear_all(fd, text, sizeof text));
    assert_non_null(strstr(text, PONG(1)));
    close(fd);
    site_close(site);
}

static void answers_for_the_whole_server(void **state)
{
    static const struct row rows[] = {
        {"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 204 ", "\r\nAllow: "},
        {"OPTIONS * HTTP/1.1\r\nHost: evil.example\r\n\r\n", "HTTP/1.1 403 ", NULL},
    };

    (void)state;
    try_rows(rows, COUNT_OF(rows), (haft_http_options){.struct_size = sizeof(haft_http_options)});
}

/* A client of HTTP/1.0 need not name its host, but then is nobody's friend. */
static void asks_old_clients_for_their_host(void **state)
{
    static const struct row rows[] = {
        {"POST /mcp HTTP/1.0\r\n" REST, "HTTP/1.1 403 ", NULL},
        {"POST /mcp HTTP/1.0\r\nHost: localhost\r\n" REST, "HTTP/1.1 200 ", PONG(1)},
        {"GET /readyz HTTP/1.0\r\n\r\n", "HTTP/1.1 200 ", NULL},
    };

    (void)state;
    try_rows(rows, COUNT_OF(rows), (haft_http_options){.struct_size = sizeof(haft_http_options)});
}

/* Blanks around a value are no part of it. */
static void trims_values(void **state)
{
#define JSON "Content-Type: application/json\r\n"
#define SIZE "Content-Length: 40\r\n\r\n" PING(1)
    static const struct row rows[] = {
        {"POST /mcp HTTP/1.1\r\nHost: localhost \r\n" JSON SIZE, ANSWERED, PONG(1)},
        {"POST /mcp HTTP/1.1\r\nHost:\t localhost:80\t \r\n" JSON SIZE, ANSWERED, PONG(1)},
        {"POST /mcp HTTP/1.1\r\nHost:localhost\r\n" JSON SIZE, ANSWERED, PONG(1)},
        {"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\t\r\n" SIZE,
         ANSWERED, PONG(1)},
        {"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json \t; a=b \r\n" SIZE,
         ANSWERED, PONG(1)},
        {"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\t;a=b\r\n" SIZE,
         ANSWERED, PONG(1)},
        {HEAD "Origin: http://localhost \t\r\n" SIZE, ANSWERED, PONG(1)},
        {HEAD "Origin: http://evil.example \r\n" SIZE, "HTTP/1.1 403 ", NULL},
        {HEAD "MCP-Protocol-Version: 2025-06-18 \r\n" SIZE, ANSWERED, PONG(1)},
        {HEAD "Mcp-Session-Id: 1 \r\n" SIZE, "HTTP/1.1 404 ", NULL},
        {HEAD "Accept: application/json \r\n" SIZE, ANSWERED, PONG(1)},
        {HEAD "Mcp-Protocol-Version: 2025-11-25\t\r\n" SIZE, ANSWERED, PONG(1)},
        {HEAD "X-Empty: \t \r\n" SIZE, ANSWERED, PONG(1)},
        {HEAD "Transfer-Encoding: chunked \r\n\r\n28\r\n" PING(1) "\r\n0\r\n\r\n", ANSWERED,
         PONG(1)},
        {HEAD "Content-Length: 40 \r\n\r\n" PING(1), ANSWERED, PONG(1)},
    };

    (void)state;
    try_rows(rows, COUNT_OF(rows), (haft_http_options){.struct_size = sizeof(haft_http_options)});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_absolute_targets),
        cmocka_unit_test(adds_the_authority_to_a_full_head),
        cmocka_unit_test(answers_for_the_whole_server),
        cmocka_unit_test(asks_old_clients_for_their_host),
        cmocka_unit_test(trims_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
