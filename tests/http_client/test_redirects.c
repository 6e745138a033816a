/* test_redirects.c - answers that say "ask there": not followed unless asked for, and then within
 * bounds that no server can leave. */
#define _GNU_SOURCE
#include "http_client/rogue.h"

/* Two servers: the first redirects, by what the path says, the second answers. */
struct pair {
    char elsewhere[64];
};

static void answer_with(int fd, const char *status, const char *location)
{
    char text[512];

    snprintf(text, sizeof text,
             "HTTP/1.1 %s\r\nLocation: %s\r\nContent-Length: 8\r\n\r\nbehind: ", status, location);
    rogue_puts(fd, text);
}

static void serve_redirects(struct rogue *rogue, int fd, int number)
{
    const struct pair *pair = rogue->context;
    char status[4], rest[128], url[256];

    (void)number;
    while (rogue_read(rogue, fd)) {
        const char *path = strchr(rogue->seen, '/');

        if (!strncmp(path, "/blank ", 7)) {
            rogue_puts(fd, "HTTP/1.1 200 OK\r\n X: y\r\nContent-Length: 0\r\n\r\n");
            continue;
        }
        if (sscanf(path, "/%3[0-9]%127[^ ]", status, rest) != 2) {
            rogue_puts(fd, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhere");
        } else if (!strncmp(rest, "/else/", 6)) {
            snprintf(url, sizeof url, "%s/%s", pair->elsewhere, rest + 6);
            answer_with(fd, status, url);
        } else if (!strcmp(rest, "/twice")) {
            rogue_puts(fd, "HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: /b\r\nContent-Length: 0"
                           "\r\n\r\n");
        } else if (!strcmp(rest, "/up")) {
            answer_with(fd, status, "../x");
        } else if (!strcmp(rest, "/none")) {
            rogue_puts(fd, "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n");
        } else if (!strncmp(rest, "/to=", 4)) {
            answer_with(fd, status, rest + 4);
        } else {
            answer_with(fd, status, rest);
        }
    }
}

static void follows_what_it_may(void **state)
{
    static const struct http_field headers[] = {{"Authorization", "Bearer secret"},
                                                {"X-Mine", "1"}};
    static const struct {
        struct http_request_options options;
        const char *path;
        int status; /* 0: refused */
        const char *seen, *error;
        bool elsewhere; /* where the last request went */
    } rows[] = {
        /* Not unless asked for. */
        {{.max_redirects = 0}, "/302/a", 302, "GET /302/a ", NULL, false},
        /* Within the origin. */
        {{.max_redirects = 1}, "/301/a", 200, "GET /a ", NULL, false},
        {{.max_redirects = 1}, "/302/a?b#c", 200, "GET /a?b ", NULL, false},
        {{.max_redirects = 1}, "/302/up", 200, "GET /x ", NULL, false},
        {{.max_redirects = 3}, "/302/302/302/a", 200, "GET /a ", NULL, false},
        {{.max_redirects = 1, .method = "HEAD"}, "/303/a", 200, "HEAD /a ", NULL, false},
        {{.max_redirects = 1, .method = "POST", .body = "b", .body_size = 1},
         "/302/a",
         200,
         "GET /a ",
         NULL,
         false},
        {{.max_redirects = 1, .method = "POST", .body = "b", .body_size = 1},
         "/303/a",
         200,
         "GET /a ",
         NULL,
         false},
        {{.max_redirects = 1, .method = "POST", .body = "b", .body_size = 1},
         "/307/a",
         200,
         "POST /a ",
         NULL,
         false},
        {{.max_redirects = 1, .method = "POST", .body = "b", .body_size = 1},
         "/308/a",
         200,
         "POST /a ",
         NULL,
         false},
        {{.max_redirects = 1, .method = "DELETE"}, "/302/a", 200, "DELETE /a ", NULL, false},
        {{.max_redirects = 1}, "/304/a", 304, "GET /304/a ", NULL, false},
        /* Too many, or nowhere. */
        {{.max_redirects = 2}, "/302/302/302/a", 0, "GET /302/a ", "too many", false},
        {{.max_redirects = 1}, "/302/none", 0, "GET /302/none ", "exactly one Location", false},
        {{.max_redirects = 1}, "/302/twice", 0, "GET /302/twice ", "exactly one Location", false},
        {{.max_redirects = 1}, "/302/to=file:///etc/passwd", 0, "GET /302", "not a valid", false},
        {{.max_redirects = 1}, "/302/to=ftp://127.0.0.1/", 0, "GET /302", "not a valid", false},
        {{.max_redirects = 1},
         "/302/to=http://u:p@127.0.0.1/",
         0,
         "GET /302",
         "not a valid",
         false},
        /* To another origin. */
        {{.max_redirects = 1}, "/302/else/a", 0, "GET /302/else/a ", "another origin", false},
        {{.max_redirects = 1},
         "/302/to=https://127.0.0.1/",
         0,
         "GET /302",
         "another origin",
         false},
        {{.max_redirects = 1, .redirect_elsewhere = true},
         "/302/else/a",
         200,
         "GET /a ",
         NULL,
         true},
        {{.max_redirects = 1,
          .redirect_elsewhere = true,
          .method = "POST",
          .body = "b",
          .body_size = 1},
         "/302/else/a",
         200,
         "GET /a ",
         NULL,
         true},
        {{.max_redirects = 1,
          .redirect_elsewhere = true,
          .method = "POST",
          .body = "b",
          .body_size = 1},
         "/307/else/a",
         0,
         "POST /307/else/a ",
         "body to another origin",
         false},
    };
    static struct outcome outcome;
    static struct pair here, there;
    struct rogue *rogue = rogue_open(serve_redirects, &here),
                 *other = rogue_open(serve_redirects, &there);
    struct asker asker;
    char url[256];

    (void)state;
    snprintf(here.elsewhere, sizeof here.elsewhere, "%s", other->url);
    snprintf(there.elsewhere, sizeof there.elsewhere, "%s", rogue->url);
    asker_init(&asker);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct http_request_options options = rows[i].options;
        struct rogue *last = rows[i].elsewhere ? other : rogue;

        snprintf(url, sizeof url, "%s%s", rogue->url, rows[i].path);
        options.url = url;
        options.headers = headers;
        options.n_headers = 2;
        ask(&asker, options, &outcome);
        if (outcome.status != rows[i].status || outcome.ends != 1 ||
            (rows[i].status == 0) != (outcome.error == HTTP_REDIRECT_REFUSED) ||
            strncmp(last->seen, rows[i].seen, strlen(rows[i].seen)) ||
            (rows[i].error && !strstr(outcome.text, rows[i].error)) ||
            (rows[i].status == 200 && strcmp(options.method ? options.method : "", "HEAD") &&
             strcmp(outcome.body, "here")))
            fail_msg("row %zu: %s, status %d, body %s: %s", i, outcome.text, outcome.status,
                     outcome.body, last->seen);
        /* Headers stay in the origin, except for the client's name. */
        if (!rogue_saw(last, "User-Agent: haft/") ||
            rogue_saw(last, "secret") == rows[i].elsewhere ||
            rogue_saw(last, "X-Mine") == rows[i].elsewhere)
            fail_msg("row %zu: %s", i, last->seen);
    }
    /* A first header that begins with a blank continues none of the response before. */
    snprintf(url, sizeof url, "%s/302/blank", rogue->url);
    for (int i = 0; i < 20; i++) {
        ask(&asker, (struct http_request_options){.url = url, .max_redirects = 1}, &outcome);
        assert_int_equal(outcome.error, HTTP_BAD_ANSWER);
    }
    /* Once elsewhere, they do not come back either. */
    snprintf(url, sizeof url, "%s/302/else/302/else/a", rogue->url);
    ask(&asker,
        (struct http_request_options){.url = url,
                                      .headers = headers,
                                      .n_headers = 2,
                                      .max_redirects = 2,
                                      .redirect_elsewhere = true},
        &outcome);
    assert_string_equal(outcome.text, "no error");
    assert_false(rogue_saw(rogue, "secret"));
    asker_finish(&asker);
    rogue_close(rogue);
    rogue_close(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_what_it_may),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
