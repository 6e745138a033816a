/* test_statuses.c - status lines on the wire: each status that a gateway answers has its reason
 * phrase there, the same as in the title of its problem. */
#define _DEFAULT_SOURCE
#include "http/site.h"

#include <haft/gateway.h>

HAFT_STRUCT(wanted, HAFT_INTEGER(status, "The status to answer", .min = 200, .max = 599));

static int answer(haft_call *call, const wanted *in)
{
    return haft_problem(call, (int)in->status, "as asked");
}
HAFT_ROUTE_IN(answer, "GET", "/answer", wanted, "Answers with a status");

/* Calls itself until the gateway has had enough. */
static int cycle(haft_call *call)
{
    haft_response response;
    int status = haft_invoke(call, "GET", "/cycle", NULL, &response);

    return status ? status : haft_respond_with(call, &response);
}
HAFT_ROUTE_BARE(cycle, "GET", "/cycle", "Invokes itself");

static void names_each_status(void **state)
{
    static const struct {
        const char *target, *line, *title;
    } rows[] = {
        {"/cycle", "HTTP/1.1 508 Loop Detected\r\n", "\"title\":\"Loop Detected\""},
        {"/answer?status=499", "HTTP/1.1 499 Client Closed Request\r\n",
         "\"title\":\"Client Closed Request\""},
        {"/answer?status=402", "HTTP/1.1 402 Payment Required\r\n",
         "\"title\":\"Payment Required\""},
        {"/answer?status=418", "HTTP/1.1 418 I'm a teapot\r\n", "\"title\":\"I'm a teapot\""},
        {"/answer?status=431", "HTTP/1.1 431 Request Header Fields Too Large\r\n",
         "\"title\":\"Request Header Fields Too Large\""},
        {"/answer?status=414", "HTTP/1.1 414 URI Too Long\r\n", "\"title\":\"URI Too Long\""},
        {"/answer?status=507", "HTTP/1.1 507 Insufficient Storage\r\n",
         "\"title\":\"Insufficient Storage\""},
        /* a status that nobody has registered */
        {"/answer?status=599", "HTTP/1.1 599 Other\r\n", "\"title\":\"\""},
    };
    haft_gateway *gateway = haft_gateway_new(NULL);
    haft_app app;
    haft_http_mount mount = HAFT_INIT(haft_http_mount, .path = "/", .app = &app);
    struct site *site;

    (void)state;
    assert_int_equal(haft_route_add(gateway, &answer_route), 0);
    assert_int_equal(haft_route_add(gateway, &cycle_route), 0);
    app = *haft_gateway_app(gateway);
    site =
        site_open((haft_http_options)HAFT_INIT(haft_http_options, .mounts = &mount, .n_mounts = 1));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[4096];
        int fd = dial(site);

        snprintf(text, sizeof text,
                 "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", rows[i].target);
        say(fd, text, strlen(text));
        assert_true(hear_all(fd, text, sizeof text));
        if (strncmp(text, rows[i].line, strlen(rows[i].line)) != 0 || !strstr(text, rows[i].title))
            fail_msg("%s: %s", rows[i].target, text);
        close(fd);
    }
    site_close(site);
    haft_gateway_free(gateway);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(names_each_status)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
