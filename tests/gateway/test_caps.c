/* test_caps.c - routes in processes of their own, and so many requests of a route at once. */
#define _DEFAULT_SOURCE
#include "gateway/stand.h"

#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <yyjson.h>

HAFT_STRUCT(sum_args, HAFT_INTEGER(a, "One"), HAFT_INTEGER(b, "Another"));
HAFT_STRUCT(sum_out, HAFT_INTEGER(sum, "Both"), HAFT_BOOLEAN(apart, "In another process"));

static pid_t server_pid;

static int add_apart(haft_call *call, const sum_args *in, sum_out *out)
{
    if (haft_request_of(call) || haft_respond(call, 200, NULL, NULL, 0) != HAFT_EINVAL)
        return HAFT_EINVAL;
    out->sum = in->a + in->b;
    out->apart = getpid() != server_pid;
    return 0;
}
HAFT_ROUTE(add_apart, "GET", "/add/{a}", sum_args, sum_out, "Adds", .isolate = true);

static int crash(haft_call *call)
{
    (void)call;
    raise(SIGKILL);
    return 0;
}
HAFT_ROUTE_BARE(crash, "GET", "/crash", "Crashes", .isolate = true);

static int hang(haft_call *call)
{
    (void)call;
    for (;;)
        pause();
    return 0;
}
HAFT_ROUTE_BARE(hang, "GET", "/hang", "Hangs", .isolate = true, .timeout_ms = 200);

static int complain(haft_call *call)
{
    return haft_error(call, "in words");
}
HAFT_ROUTE_BARE(complain, "GET", "/complain", "Complains", .isolate = true);

static int say_back(haft_call *call, haft_value *arguments, void *data)
{
    return haft_text(call, "%s %s", (const char *)data,
                     yyjson_get_str(yyjson_obj_get(arguments, "word")));
}
static const haft_route say_back_route =
    HAFT_INIT(haft_route, .id = "say_back", .method = "GET", .path = "/echo/{word}",
              .handler = say_back, .data = (void *)"said", .isolate = true);

static int plain(haft_call *call)
{
    return haft_text(call, "plain");
}
HAFT_ROUTE_BARE(plain, "GET", "/plain", "Is here");

static haft_gateway *make(const haft_route *const *routes)
{
    haft_gateway *gateway = haft_gateway_new(HAFT_WITH(haft_gateway_options, .workers = 8));

    assert_non_null(gateway);
    assert_int_equal(haft_policy_make(gateway, "nap", "sleep", "{\"ms\":1}"), 0);
    for (; *routes; routes++)
        if (haft_route_add(gateway, *routes))
            fail_msg("%s", haft_gateway_error(gateway)->text);
    return gateway;
}

static int send_get(const struct site *site, const char *path)
{
    char request[128];
    int fd = dial(site), n = snprintf(request, sizeof request,
                                      "GET %s HTTP/1.1\r\nHost: localhost\r\n"
                                      "Connection: close\r\n\r\n",
                                      path);

    say(fd, request, (size_t)n);
    return fd;
}

static void runs_routes_in_processes(void **state)
{
    static const haft_route *const routes[] = {
        &add_apart_route, &crash_route, &hang_route, &complain_route,
        &say_back_route,  &plain_route, NULL};
    static const struct {
        const char *path, *status, *body;
    } rows[] = {
        {"/add/2?b=3", "200 OK", "{\"sum\":5,\"apart\":true}"},
        {"/add/x?b=3", "400 Bad Request", "path.a"},
        {"/crash", "502 Bad Gateway", "application/problem+json"},
        {"/plain", "200 OK", "plain"},
        {"/hang", "504 Gateway Timeout", "\"status\":504"},
        {"/complain", "500 Internal Server Error", "in words"},
        {"/echo/hello", "200 OK", "said hello"},
        {"/crash", "502 Bad Gateway", ""},
        {"/add/2?b=4", "200 OK", "{\"sum\":6,\"apart\":true}"},
    };
    struct stand stand = {.gateway = make(routes)};
    haft_server *server;

    (void)state;
    server_pid = getpid();
    server = haft_mcp_add(stand.gateway, HAFT_WITH(haft_mcp_options, .routes = "add_*,crash"));
    assert_non_null(server);
    assert_int_equal(haft_server_isolate(haft_gateway_server(stand.gateway)), 0);
    stand_serve(&stand, (haft_http_options)HAFT_INIT(haft_http_options, .path = ""));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *text = stand_hear(send_get(stand.site, rows[i].path));

        if (strncmp(text + 9, rows[i].status, strlen(rows[i].status)) ||
            !strstr(text, rows[i].body))
            fail_msg("row %zu: %s", i, text);
    }
    stand_close(&stand);
}

static void refuses_one_that_is_quick(void **state)
{
    static const haft_route wrong = HAFT_INIT(haft_route, .id = "w", .method = "GET", .path = "/w",
                                              .handler = say_back, .quick = true, .isolate = true);
    haft_gateway *gateway = haft_gateway_new(NULL);

    (void)state;
    assert_int_equal(haft_route_add(gateway, &wrong), HAFT_EINVAL);
    assert_non_null(strstr(haft_gateway_error(gateway)->text, "both quick and isolated"));
    haft_gateway_free(gateway);
}

/* ---- so many at once ---- */

static atomic_int n_running, n_most, n_begun;
static atomic_bool may_end;

static int work(haft_call *call)
{
    int now = atomic_fetch_add(&n_running, 1) + 1;

    if (now > atomic_load(&n_most))
        atomic_store(&n_most, now);
    atomic_fetch_add(&n_begun, 1);
    for (int i = 0; i < 5000 && !atomic_load(&may_end) && !haft_call_cancelled(call); i++)
        uv_sleep(1);
    atomic_fetch_sub(&n_running, 1);
    return haft_text(call, "done");
}
HAFT_ROUTE_BARE(work, "GET", "/work", "Works", .max_running = 1, .max_waiting = 2);

static int hasty(haft_call *call)
{
    return work(call);
}
HAFT_ROUTE_BARE(hasty, "GET", "/hasty", "Works", .max_running = 1, .timeout_ms = 300);

static int alone(haft_call *call)
{
    return work(call);
}
HAFT_ROUTE_BARE(alone, "GET", "/alone", "Works", .max_running = 1, .max_waiting = HAFT_NO_WAITING,
                .policies = "nap");

static int fan(haft_call *call)
{
    haft_invocation all[6];
    int n_ok = 0;

    for (size_t i = 0; i < COUNT_OF(all); i++)
        all[i] = (haft_invocation){.method = "GET", .target = "/shared"};
    if (haft_invoke_all(call, all, COUNT_OF(all)))
        return HAFT_ENOMEM;
    for (size_t i = 0; i < COUNT_OF(all); i++)
        n_ok += haft_response_ok(&all[i].response);
    return haft_text(call, "%d fine", n_ok);
}
HAFT_ROUTE_BARE(fan, "GET", "/fan", "Invokes one many times");

static int shared(haft_call *call)
{
    return work(call);
}
HAFT_ROUTE_BARE(shared, "GET", "/shared", "Works", .max_running = 2);

static void wait_for(const atomic_int *counter, int least)
{
    for (int i = 0; i < 10000 && atomic_load(counter) < least; i++)
        uv_sleep(1);
    assert_true(atomic_load(counter) >= least);
}

static void open_capped(struct stand *stand, const haft_route *const *routes)
{
    atomic_store(&n_running, 0);
    atomic_store(&n_most, 0);
    atomic_store(&n_begun, 0);
    atomic_store(&may_end, false);
    stand->gateway = make(routes);
    stand_serve(stand, (haft_http_options)HAFT_INIT(haft_http_options, .path = ""));
}

/* Which of them is answered first. */
static int first_answer(const int *fds, int n)
{
    struct pollfd polls[8];

    for (int i = 0; i < n; i++)
        polls[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
    assert_true(poll(polls, (nfds_t)n, 20000) > 0);
    for (int i = 0; i < n; i++)
        if (polls[i].revents)
            return i;
    return 0;
}

static void lines_requests_up(void **state)
{
    static const haft_route *const routes[] = {&work_route,   &alone_route, &fan_route,
                                               &shared_route, &plain_route, NULL};
    struct stand stand;
    int fds[4], refused;
    const char *text;

    (void)state;
    open_capped(&stand, routes);
    for (int i = 0; i < 4; i++)
        fds[i] = send_get(stand.site, "/work");
    refused = first_answer(fds, 4);
    text = stand_hear(fds[refused]);
    assert_non_null(strstr(text, "503 Service Unavailable"));
    assert_non_null(strstr(text, "Retry-After: 1\r\n"));
    wait_for(&n_begun, 1);
    assert_int_equal(atomic_load(&n_begun), 1);
    atomic_store(&may_end, true);
    for (int i = 0; i < 4; i++)
        if (i != refused)
            assert_non_null(strstr(stand_hear(fds[i]), "done"));
    assert_int_equal(atomic_load(&n_most), 1);
    /* behind a policy that has a worker, and with nobody in line */
    atomic_store(&may_end, false);
    fds[0] = send_get(stand.site, "/alone");
    wait_for(&n_begun, 4);
    assert_non_null(strstr(stand_hear(send_get(stand.site, "/alone")), "503 Service Unavailable"));
    atomic_store(&may_end, true);
    assert_non_null(strstr(stand_hear(fds[0]), "done"));
    /* from one handler, which waits where it stands */
    atomic_store(&n_most, 0);
    atomic_store(&may_end, false);
    fds[0] = send_get(stand.site, "/fan");
    wait_for(&n_begun, 6);
    atomic_store(&may_end, true);
    assert_non_null(strstr(stand_hear(fds[0]), "6 fine"));
    assert_int_equal(atomic_load(&n_most), 2);
    stand_close(&stand);
}

/* Sends requests until the handler of one runs: on a busy machine, the time of one may be over before. */
static int send_until_begun(const struct site *site, const char *path)
{
    struct pollfd poll_fd = {.fd = send_get(site, path), .events = POLLIN};

    for (int i = 0; i < 10000 && !atomic_load(&n_begun); i++) {
        if (poll(&poll_fd, 1, 1) <= 0)
            continue;
        stand_hear(poll_fd.fd);
        poll_fd.fd = send_get(site, path);
    }
    assert_true(atomic_load(&n_begun) > 0);
    return poll_fd.fd;
}

static void gives_up_what_waits_too_long(void **state)
{
    static const haft_route *const routes[] = {&hasty_route, &plain_route, NULL};
    struct stand stand;
    bool done = false;
    int first, second;

    (void)state;
    open_capped(&stand, routes);
    first = send_until_begun(stand.site, "/hasty");
    second = send_get(stand.site, "/hasty");
    assert_non_null(strstr(stand_hear(second), "504 Gateway Timeout"));
    assert_non_null(strstr(stand_hear(first), "504 Gateway Timeout"));
    /* and its place is free again */
    atomic_store(&may_end, true);
    for (int i = 0; i < 50 && !done; i++)
        done = strstr(stand_hear(send_get(stand.site, "/hasty")), "done") != NULL;
    assert_true(done);
    stand_close(&stand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_routes_in_processes), cmocka_unit_test(refuses_one_that_is_quick),
        cmocka_unit_test(lines_requests_up), cmocka_unit_test(gives_up_what_waits_too_long)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
