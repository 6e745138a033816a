/* test_foreseen.c - requests with long bodies to an endpoint with an authenticator: those that will be
 * refused in any case are answered before their bodies are read, and bodies of requests that wait stay
 * where they are. */
#define _DEFAULT_SOURCE
#include "endpoint/identifying.h"
#include "http/site.h"

#define BEARER(who) "Authorization: Bearer " who "\r\n"
#define LONG "Content-Length: 1000000\r\n"

static struct site *site_with(struct identifying *one)
{
    return site_open((haft_http_options)HAFT_INIT(haft_http_options, .authenticator = &one->base));
}

/* Only the headers are sent; the answer comes, and the connection ends. */
static void refuses_before_the_body(void **state)
{
    static const struct {
        const char *text, *answer;
    } rows[] = {
        {HEAD LONG "\r\n", "HTTP/1.1 401 "},
        {HEAD LONG BEARER("bad") "\r\n", "HTTP/1.1 401 "},
        {HEAD LONG "Expect: 100-continue\r\n\r\n", "HTTP/1.1 401 "},
        {HEAD "Content-Length: 40\r\nExpect: 100-continue\r\n\r\n", "HTTP/1.1 401 "},
        {HEAD "Transfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 401 "},
        {HEAD LONG "\r\n{", "HTTP/1.1 401 "},
        {"POST http://localhost/mc%70 HTTP/1.1\r\nHost: x\r\n" LONG "\r\n", "HTTP/1.1 401 "},
        {"POST /mcp HTTP/1.1\r\nHost: evil.example\r\n" LONG "\r\n", "HTTP/1.1 403 "},
        {"POST /mcp%zz HTTP/1.1\r\nHost: localhost\r\n" LONG "\r\n", "HTTP/1.1 400 "},
    };
    struct identifying one = IDENTIFYING("one");
    struct site *site = site_with(&one);
    char *text = malloc(ROOM);

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int fd = dial(site);

        say(fd, rows[i].text, strlen(rows[i].text));
        assert_true(hear_all(fd, text, ROOM));
        if (strncmp(text, rows[i].answer, strlen(rows[i].answer)) != 0 ||
            !strstr(text, "Connection: close\r\n") || count_of(text, "HTTP/1.1 ") != 1)
            fail_msg("%s -> %s", rows[i].text, text);
        close(fd);
    }
    free(text);
    site_close(site);
    identifying_assert_over(&one);
}

/* What is not refused goes on as ever, its headers having been read once. */
static void goes_on_with_the_body(void **state)
{
    static const struct {
        const char *head, *invited, *body, *answer;
    } rows[] = {
        {HEAD "Content-Length: 40\r\n" BEARER("ann") "Expect: 100-continue\r\n\r\n",
         "HTTP/1.1 100 Continue\r\n\r\n", PING(1), PONG(1)},
        {HEAD "Transfer-Encoding: chunked\r\n" BEARER("ann") "\r\n28\r\n", NULL,
         PING(2) "\r\n0\r\nX-Late: 1\r\n\r\n", PONG(2)},
        {"POST http://localhost/mc%70 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
         "Content-Length: 40\r\n" BEARER("ann") "Expect: 100-continue\r\n\r\n",
         "HTTP/1.1 100 Continue\r\n\r\n", PING(3), PONG(3)},
        /* A short body is read, and the connection remains. */
        {HEAD "Content-Length: 40\r\n\r\n{\"json", NULL,
         "rpc\":\"2.0\",\"id\":4,\"method\":\"ping\"}", "{\"error\":\"invalid_token\"}"},
        {HEAD "Content-Length: 40\r\n" BEARER("ann") "\r\n", NULL, PING(5), PONG(5)},
    };
    struct identifying one = IDENTIFYING("one");
    struct site *site = site_with(&one);
    char *text = malloc(ROOM);
    int fd = dial(site);

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        say(fd, rows[i].head, strlen(rows[i].head));
        if (rows[i].invited)
            hear(fd, text, ROOM, rows[i].invited, 1);
        else
            /* So that the server reads them separately. */
            assert_false(is_readable(fd, 20));
        say(fd, rows[i].body, strlen(rows[i].body));
        hear(fd, text, ROOM, rows[i].answer, 1);
    }
    close(fd);
    free(text);
    site_close(site);
    identifying_assert_over(&one);
}

/* A request whose check waits is handled with its body; also after one whose client has left. */
static void keeps_the_body_while_it_waits(void **state)
{
    static const char ask[] = HEAD "Content-Length: 40\r\n" BEARER("wait-ann") "\r\n" PING(7);
    struct identifying one = IDENTIFYING("one");
    struct site *site = site_with(&one);
    char *text = malloc(ROOM);
    int fd = dial(site), gone = dial(site);

    (void)state;
    assert_non_null(text);
    say(gone, ask, sizeof ask - 1);
    while (!identifying_n_pending(&one))
        uv_sleep(1);
    close(gone);
    while (!one.n_cancelled)
        uv_sleep(1);
    say(fd, ask, sizeof ask - 1);
    while (!identifying_n_pending(&one))
        uv_sleep(1);
    /* What follows must not take the body's place. */
    say(fd, ask, sizeof ask - 1);
    identifying_answer(&one);
    hear(fd, text, ROOM, PONG(7), 1);
    while (!identifying_n_pending(&one))
        uv_sleep(1);
    identifying_answer(&one);
    hear(fd, text, ROOM, PONG(7), 1);
    close(fd);
    free(text);
    site_close(site);
    identifying_assert_over(&one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_before_the_body),
        cmocka_unit_test(goes_on_with_the_body),
        cmocka_unit_test(keeps_the_body_while_it_waits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
