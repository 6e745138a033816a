/* test_http_proxy.c - routes of a gateway that an HTTP upstream answers. */
#define _GNU_SOURCE
#include <haft/gateway.h>

#include "gateway/proxy.h"
#include "sender.h"

static void serve(struct rogue *rogue, int fd, int number)
{
    const char *answer = rogue->context;

    (void)number;
    while (rogue_read(rogue, fd)) {
        if (!*answer)
            return;
        rogue_puts(fd, answer);
    }
}

static const char plain[] = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n"
                            "X-Own: own\r\nSet-Cookie: a=b\r\nServer: s\r\n\r\nok";

struct stand {
    struct rogue *rogue;
    struct sender sender;
    haft_gateway *gateway;
    struct proxy_route data;
    haft_route route;
    char text[4096], headers[4096]; /* of the latest response */
};

static void stand_open(struct stand *stand, const char *answer, const char *method,
                       const char *route, const char *path, const char *more)
{
    char room[2048];

    memset(stand, 0, sizeof *stand);
    stand->rogue = rogue_open(serve, answer);
    sender_init(&stand->sender, options_of(room, stand->rogue, more));
    stand->data = (struct proxy_route){.upstream = stand->sender.upstream, .path = path};
    stand->route = (haft_route)HAFT_INIT(haft_route, .method = method, .path = route, .id = "r",
                                         .description = "A route", .handler = hf_proxy_handle,
                                         .data = &stand->data, .quick = true);
    stand->gateway = haft_gateway_new(NULL);
    assert_int_equal(haft_route_add(stand->gateway, &stand->route), 0);
}

static void stand_close(struct stand *stand)
{
    haft_gateway_free(stand->gateway);
    sender_finish(&stand->sender);
    rogue_close(stand->rogue);
}

static int stand_ask(struct stand *stand, const char *method, const char *path, const char *query,
                     const char *body)
{
    static const haft_header headers[] = {{"Authorization", "Bearer clients-own"},
                                          {"Cookie", "clients-own"},
                                          {"Accept", "text/x"},
                                          {"Content-Type", "text/y"},
                                          {"X-Tenant", "7"},
                                          {"X-Other", "8"}};
    const haft_request request = {.method = method,
                                  .path = path,
                                  .target = path,
                                  .query = query,
                                  .headers = headers,
                                  .n_headers = COUNT_OF(headers),
                                  .body = body,
                                  .body_size = body ? strlen(body) : 0};
    haft_gateway_request *asked = haft_gateway_request_new(stand->gateway, &request, 1000000);
    const haft_response *response;
    size_t at = 0;
    int status;

    assert_non_null(asked);
    haft_gateway_request_run(asked);
    response = haft_gateway_request_response(asked);
    status = response->status;
    snprintf(stand->text, sizeof stand->text, "%.*s", (int)response->size, response->body);
    *stand->headers = '\0';
    for (size_t i = 0; i < response->n_headers; i++)
        at += (size_t)snprintf(stand->headers + at, sizeof stand->headers - at, "%s: %s\n",
                               response->headers[i].name, response->headers[i].value);
    haft_gateway_request_free(asked);
    return status;
}

static void requests_are_passed_on(void **state)
{
    static const struct {
        const char *method, *route, *path, *asked, *query, *body, *seen;
    } rows[] = {
        {"GET", "/weather", "/v1/weather", "/weather", "", NULL, "GET /v1/weather HTTP"},
        {"GET", "/weather", NULL, "/weather", "", NULL, "GET /weather HTTP"},
        {"GET", "/weather", "/v1/weather", "/weather", "a=1&b=%20", NULL,
         "GET /v1/weather?a=1&b=%20 HTTP"},
        {"GET", "/weather", "/v1?fixed=1", "/weather", "a=1", NULL, "GET /v1?fixed=1&a=1 HTTP"},
        {"GET", "/users/{id}", "/u/{id}/x", "/users/a b", "", NULL, "GET /u/a%20b/x HTTP"},
        {"GET", "/users/{id}", "/u/{id}", "/users/%2e%2e", "", NULL, NULL},
        {"POST", "/things", "/t", "/things", "", "body", "POST /t HTTP"},
        {"POST", "/things", "/t", "/things", "", "body", "\r\n\r\nbody"},
        {"POST", "/things", "/t", "/things", "", "body", "Accept: text/x\r\n"},
        {"POST", "/things", "/t", "/things", "", "body", "Content-Type: text/y\r\n"},
        {"POST", "/things", "/t", "/things", "", "body", "X-Tenant: 7\r\n"},
        {"POST", "/things", "/t", "/things", "", "body", "Authorization: Bearer s3cr3t\r\n"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct stand stand;
        int status;

        stand_open(&stand, plain, rows[i].method, rows[i].route, rows[i].path,
                   "\"auth\":{\"bearer\":\"s3cr3t\"},\"headers\":{\"forward\":[\"X-Tenant\"]}");
        status = stand_ask(&stand, rows[i].method, rows[i].asked, rows[i].query, rows[i].body);
        if (status != (rows[i].seen ? 200 : 400) && !(status == 404 && !rows[i].seen))
            fail_msg("%s: %d %s", rows[i].asked, status, stand.text);
        if (rows[i].seen && !rogue_saw(stand.rogue, rows[i].seen))
            fail_msg("%s: %s", rows[i].seen, stand.rogue->seen);
        assert_false(rogue_saw(stand.rogue, "clients-own"));
        assert_false(rogue_saw(stand.rogue, "X-Other"));
        stand_close(&stand);
    }
}

static void responses_are_passed_on(void **state)
{
    struct stand stand;

    (void)state;
    stand_open(&stand, plain, "GET", "/x", NULL, "");
    assert_int_equal(stand_ask(&stand, "GET", "/x", "", NULL), 200);
    assert_string_equal(stand.text, "ok");
    assert_non_null(strcasestr(stand.headers, "Content-Type: text/plain\n"));
    assert_non_null(strstr(stand.headers, "X-Own: own\n"));
    assert_null(strcasestr(stand.headers, "Set-Cookie"));
    assert_null(strcasestr(stand.headers, "Server:"));
    stand_close(&stand);
    stand_open(&stand, "HTTP/1.1 404 No\r\nContent-Length: 4\r\n\r\nnone", "GET", "/x", NULL, "");
    assert_int_equal(stand_ask(&stand, "GET", "/x", "", NULL), 404);
    assert_string_equal(stand.text, "none");
    stand_close(&stand);
}

static void failures_are_problems(void **state)
{
    struct stand stand;

    (void)state;
    stand_open(&stand, "", "GET", "/x", NULL,
               "\"retries\":{\"max\":0},\"breaker\":{\"failures\":1}");
    assert_int_equal(stand_ask(&stand, "GET", "/x", "secret=1", NULL), 502);
    assert_non_null(
        strstr(stand.text, "The upstream api did not answer: the connection was closed"));
    assert_null(strstr(stand.text, "secret"));
    assert_int_equal(stand_ask(&stand, "GET", "/x", "", NULL), 503);
    assert_non_null(strstr(stand.headers, "Retry-After: 30\n"));
    stand_close(&stand);
}

static void paths_are_checked(void **state)
{
    static const struct {
        const char *route, *path;
        bool fits;
    } rows[] = {
        {"/a", "/b", true},          {"/a", "b", false},          {"/a", "/b c", false},
        {"/a/{x}", "/b/{x}", true},  {"/a/{x}", "/b/{y}", false}, {"/a", "/b/{x}", false},
        {"/a/{x}", "/b/{}", false},  {"/a/{x}", "/b/{x", false},  {"/a/{xy}", "/b/{x}", false},
        {"/a/{x}", "/{x}{x}", true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_reason reason;

        if (!hf_proxy_check(rows[i].route, rows[i].path, &reason) != rows[i].fits)
            fail_msg("%s %s", rows[i].route, rows[i].path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_passed_on), cmocka_unit_test(responses_are_passed_on),
        cmocka_unit_test(failures_are_problems), cmocka_unit_test(paths_are_checked)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
