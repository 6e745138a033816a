/* test_waiting.c - policies and handlers that answer later, from another thread: nothing runs for
 * their requests meanwhile, and clients that leave, deadlines and the end of the server find them
 * wherever they are. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include "gateway/stand.h"

#include "gateway/held.h"

/* ---- what is served ---- */

static void say_and_finish(void *call, int status)
{
    haft_text(call, "later");
    haft_finish(call, status);
}

static int pending(haft_call *call)
{
    return hold(call, say_and_finish);
}
HAFT_ROUTE_BARE(pending, "GET", "/later", "Answers later");

static int later_here(haft_call *call)
{
    return hold(call, say_and_finish);
}
HAFT_ROUTE_BARE(later_here, "GET", "/later-here", "Answers later, on the loop", .quick = true);

static int hasty(haft_call *call)
{
    return hold(call, say_and_finish);
}
HAFT_ROUTE_BARE(hasty, "GET", "/hasty", "Answers too late", .timeout_ms = 50);

static int now(haft_call *call)
{
    return haft_text(call, "%s", haft_call_principal(call) ? haft_call_principal(call) : "now");
}
HAFT_ROUTE_BARE(now, "GET", "/now", "Answers at once", .policies = "stamp");
HAFT_TOOL_BARE(now, "Answers at once");

static int guarded(haft_call *call)
{
    return now(call);
}
HAFT_ROUTE_BARE(guarded, "GET", "/guarded", "Answers who asks", .policies = "stamp, slow");

static int guarded_here(haft_call *call)
{
    return now(call);
}
HAFT_ROUTE_BARE(guarded_here, "GET", "/guarded-here", "The same on the loop",
                .policies = "stamp, slow", .quick = true);

static int impatient(haft_call *call)
{
    return now(call);
}
HAFT_ROUTE_BARE(impatient, "GET", "/impatient", "Answers who asks soon", .policies = "stamp, slow",
                .timeout_ms = 50);

static int odd(haft_call *call)
{
    return now(call);
}
HAFT_ROUTE_BARE(odd, "GET", "/odd", "Is behind an odd policy", .policies = "odd");

static int odd_out(haft_call *call)
{
    return now(call);
}
HAFT_ROUTE_BARE(odd_out, "GET", "/odd-out", "Is behind another", .policies = "odd-out");

static int at_once(haft_call *call)
{
    return now(call);
}
HAFT_ROUTE_BARE(at_once, "GET", "/at-once", "Waits for nothing", .policies = "at-once");

static int relay(haft_call *call)
{
    haft_response response;
    int status = haft_invoke(call, "GET", "/hasty", NULL, &response);

    return status ? status : haft_text(call, "relayed %d", response.status);
}
HAFT_ROUTE_BARE(relay, "GET", "/relay", "Invokes one that answers too late");
HAFT_TOOL_BARE(relay, "The same as a tool");

static void name_and_continue(void *call, int status)
{
    if (!status)
        status = haft_call_set_principal(call, "ann");
    else if (status == HAFT_STOP && haft_problem(call, 401, "No."))
        status = HAFT_ENOMEM;
    haft_continue(call, status);
}

static int wait_in(haft_call *call, void *data)
{
    (void)data;
    return hold(call, name_and_continue);
}

static int continue_at_once(haft_call *call, void *data)
{
    (void)data;
    name_and_continue(call, 0);
    return HAFT_PENDING;
}

static int return_seven(haft_call *call, void *data)
{
    (void)call;
    (void)data;
    return 7;
}

static atomic_size_t n_out;

static int stamp(haft_call *call, void *data)
{
    (void)data;
    atomic_fetch_add(&n_out, 1);
    return haft_response_set_header(call, "X-Stamp", "seen");
}

static const haft_policy policies[] = {
    HAFT_INIT(haft_policy, .name = "slow", .inbound = wait_in),
    HAFT_INIT(haft_policy, .name = "stamp", .outbound = stamp),
    HAFT_INIT(haft_policy, .name = "at-once", .inbound = continue_at_once),
    HAFT_INIT(haft_policy, .name = "odd", .inbound = return_seven),
    HAFT_INIT(haft_policy, .name = "odd-out", .outbound = return_seven),
};

static char logged[1 << 16];
static uv_mutex_t log_lock;

static void keep_log(void *context, haft_level level, const char *text, size_t size)
{
    size_t at;

    (void)context;
    (void)level;
    uv_mutex_lock(&log_lock);
    at = strlen(logged);
    if (at + size + 2 < sizeof logged) {
        memcpy(logged + at, text, size);
        memcpy(logged + at + size, "\n", 2);
    }
    uv_mutex_unlock(&log_lock);
}

static void stand_open(struct stand *stand)
{
    static const haft_route *const routes[] = {
        &pending_route, &later_here_route,   &hasty_route,     &now_route,
        &guarded_route, &guarded_here_route, &impatient_route, &odd_route,
        &odd_out_route, &at_once_route,      &relay_route};
    static const haft_tool *const tools[] = {&now_tool, &relay_tool, NULL};

    logged[0] = '\0';
    atomic_store(&n_out, 0);
    stand->gateway = haft_gateway_new(
        HAFT_WITH(haft_gateway_options, .server = HAFT_WITH(haft_server_options, .log = keep_log)));
    for (size_t i = 0; i < COUNT_OF(policies); i++)
        assert_int_equal(haft_policy_add(stand->gateway, &policies[i]), 0);
    for (size_t i = 0; i < COUNT_OF(routes); i++)
        assert_int_equal(haft_route_add(stand->gateway, routes[i]), 0);
    assert_non_null(haft_mcp_add(
        stand->gateway, HAFT_WITH(haft_mcp_options, .tools = tools, .policies = "stamp, slow")));
    assert_non_null(haft_mcp_add(stand->gateway,
                                 HAFT_WITH(haft_mcp_options, .endpoint = "/open", .tools = tools)));
    stand_serve(stand, (haft_http_options)HAFT_INIT(haft_http_options, .workers = 1));
}

#define GET(path) "GET " path " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
#define POST(path, size, body)                                                                     \
    "POST " path " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"                           \
    "Content-Type: application/json\r\nContent-Length: " #size "\r\n\r\n" body
#define TOOL(name)                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"" name "\"}}"

static int ask(const struct stand *stand, const char *request)
{
    int fd = dial(stand->site);

    say(fd, request, strlen(request));
    return fd;
}

/* ---- cases ---- */

static void wait_for_cancel(void)
{
    for (int ms = 0; !haft_call_cancelled(held.items[0]); ms++) {
        if (ms > PATIENCE_MS)
            fail_msg("it is not cancelled");
        uv_sleep(1);
    }
}

enum { MANY = 32 };

/* One worker, and many requests that wait at the same time, each kind in turn. */
static void holds_no_worker(void **state)
{
    static const struct {
        const char *request;
        const char *part, *refused;
    } rows[] = {
        {GET("/later"), "later", "HTTP/1.1 500 "},
        {GET("/later-here"), "later", "HTTP/1.1 500 "},
        {GET("/guarded"), "ann", "HTTP/1.1 500 "},
        {GET("/guarded-here"), "ann", "HTTP/1.1 500 "},
        {POST("/mcp", 70, TOOL("now")), "ann", "HTTP/1.1 500 "},
    };
    struct stand stand;
    int fds[MANY];

    (void)state;
    stand_open(&stand);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (size_t j = 0; j < MANY; j++)
            fds[j] = ask(&stand, rows[i].request);
        wait_for_held(MANY);
        stand_expect(ask(&stand, GET("/now")), "HTTP/1.1 200 ", "now");
        let_go(0);
        for (size_t j = 0; j < MANY; j++)
            stand_expect(fds[j], "HTTP/1.1 200 ", rows[i].part);
        fds[0] = ask(&stand, rows[i].request);
        wait_for_held(1);
        let_go(HAFT_EINVAL);
        stand_expect(fds[0], rows[i].refused, "");
    }
    stand_expect(ask(&stand, GET("/at-once")), "HTTP/1.1 200 ", "ann");
    stand_close(&stand);
}

/* A policy that refuses later, and what no policy may return. */
static void refuses_later(void **state)
{
    struct stand stand;
    int fd;

    (void)state;
    stand_open(&stand);
    fd = ask(&stand, GET("/guarded"));
    wait_for_held(1);
    let_go(HAFT_STOP);
    stand_expect(fd, "HTTP/1.1 401 ", "X-Stamp: seen");
    fd = ask(&stand, POST("/mcp", 70, TOOL("now")));
    wait_for_held(1);
    let_go(HAFT_STOP);
    stand_expect(fd, "HTTP/1.1 401 ", "X-Stamp: seen");
    fd = ask(&stand, GET("/guarded"));
    wait_for_held(1);
    let_go(9);
    stand_expect(fd, "HTTP/1.1 500 ", "X-Stamp: seen");
    assert_non_null(strstr(logged, "policy slow returned 9"));
    stand_expect(ask(&stand, GET("/odd")), "HTTP/1.1 500 ", "");
    assert_non_null(strstr(logged, "policy odd returned 7"));
    stand_expect(ask(&stand, GET("/odd-out")), "HTTP/1.1 500 ", "");
    assert_non_null(strstr(logged, "policy odd-out returned 7"));
    stand_close(&stand);
}

/* What is not continued in time is answered, and holds nothing; what comes of it later is dropped. */
static void ends_at_the_deadline(void **state)
{
    static const char *const requests[] = {GET("/hasty"), GET("/impatient")};
    struct stand stand;
    int fds[MANY];

    (void)state;
    stand_open(&stand);
    for (size_t i = 0; i < COUNT_OF(requests); i++) {
        for (size_t j = 0; j < MANY; j++)
            fds[j] = ask(&stand, requests[i]);
        for (size_t j = 0; j < MANY; j++)
            stand_expect(fds[j], "HTTP/1.1 504 ", "");
        stand_expect(ask(&stand, GET("/now")), "HTTP/1.1 200 ", "now");
        wait_for_held(MANY);
        for (size_t j = 0; j < MANY; j++)
            assert_true(haft_call_cancelled(held.items[j]));
        let_go(0);
    }
    assert_non_null(strstr(logged, "haft_finish was not called"));
    stand_close(&stand);
    assert_int_equal(atomic_load(&n_out),
                     MANY + 2); /* policies see them out, though nobody waits */
}

/* The caller goes on when its time, or the child's, is over; the child is continued when the caller
 * has long been gone. */
static void gives_up_an_invoke(void **state)
{
    struct stand stand;

    (void)state;
    stand_open(&stand);
    stand_expect(ask(&stand, GET("/relay")), "HTTP/1.1 200 ", "relayed 504");
    stand_expect(ask(&stand, POST("/open", 72, TOOL("relay"))), "HTTP/1.1 200 ", "relayed 504");
    stand_expect(ask(&stand, GET("/now")), "HTTP/1.1 200 ", "now");
    wait_for_held(2);
    assert_true(haft_call_cancelled(held.items[0]));
    assert_int_equal(haft_call_time_left(held.items[1]), 0);
    let_go(0);
    stand_close(&stand);
}

/* A client that leaves is told to whoever holds its request, who lets it go as ever. */
static void outlives_its_client(void **state)
{
    static const struct linger now_ = {.l_onoff = 1, .l_linger = 0};
    static const char *const requests[] = {GET("/later"), GET("/later-here"), GET("/guarded"),
                                           GET("/guarded-here"), POST("/mcp", 70, TOOL("now"))};
    struct stand stand;

    (void)state;
    stand_open(&stand);
    for (size_t i = 0; i < COUNT_OF(requests); i++) {
        int fd = ask(&stand, requests[i]);

        wait_for_held(1);
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &now_, sizeof now_);
        close(fd);
        wait_for_cancel();
        let_go(0);
    }
    stand_close(&stand);
}

static void close_site(void *context)
{
    site_close(context);
}

/* The server ends while requests wait: it waits for whoever holds them. */
static void ends_with_the_server(void **state)
{
    static const char *const requests[] = {GET("/later"), GET("/later-here"), GET("/guarded"),
                                           GET("/guarded-here"), POST("/mcp", 70, TOOL("now"))};

    (void)state;
    for (int hasty_end = 0; hasty_end < 2; hasty_end++)
        for (size_t i = 0; i < COUNT_OF(requests); i++) {
            struct stand stand;
            uv_thread_t closer;
            int fd;

            stand_open(&stand);
            fd = ask(&stand, requests[i]);
            wait_for_held(1);
            stand.site->hasty = hasty_end;
            assert_int_equal(uv_thread_create(&closer, close_site, stand.site), 0);
            if (hasty_end)
                wait_for_cancel();
            let_go(0);
            if (!hasty_end)
                stand_expect(fd, "HTTP/1.1 200 ", "");
            else
                close(fd);
            uv_thread_join(&closer);
            haft_gateway_free(stand.gateway);
        }
}

/* ---- without memory ---- */

static int finish_at_once(haft_call *call)
{
    haft_text(call, "finished");
    haft_finish(call, 0);
    return HAFT_PENDING;
}
HAFT_ROUTE_BARE(finish_at_once, "GET", "/finished", "Is pending, and done", .policies = "at-once");

static int relay_finished(haft_call *call)
{
    haft_response response;
    int status =
        haft_invoke(call, "GET", "/finished", &(haft_invoke_options){.body = "{}"}, &response);

    return status ? status : haft_respond_with(call, &response);
}
HAFT_ROUTE_BARE(relay_finished, "GET", "/relayed", "Invokes it");

static int ask_without(const haft_allocator *allocator, const char *path)
{
    haft_gateway *gateway = haft_gateway_new(
        HAFT_WITH(haft_gateway_options, .one_thread = true,
                  .server = HAFT_WITH(haft_server_options, .allocator = allocator)));
    haft_request request = {
        .method = "GET", .path = path, .query = "", .body = "", .principal = "eve"};
    haft_gateway_request *req = NULL;
    int status = 0;

    if (gateway && !haft_policy_add(gateway, &policies[2]) &&
        !haft_route_add(gateway, &finish_at_once_route) &&
        !haft_route_add(gateway, &relay_finished_route))
        req = haft_gateway_request_new(gateway, &request, 1000000);
    if (req) {
        haft_gateway_request_run(req);
        status = haft_gateway_request_response(req)->status;
    }
    haft_gateway_request_free(req);
    haft_gateway_free(gateway);
    return status;
}

/* Whatever allocation fails, there is an answer or none, and nothing is left behind. */
static void survives_lack_of_memory(void **state)
{
    static const char *const paths[] = {"/finished", "/relayed"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(paths); i++)
        for (size_t nth = 1;; nth++) {
            struct failing failing;
            int status;

            failing_init(&failing, nth);
            status = ask_without(&failing.allocator, paths[i]);
            failing_check(&failing);
            if (!failing.failures) {
                assert_int_equal(status, 200);
                break;
            }
            assert_true(status == 0 || status == 200 || status == 204 || status >= 500);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_no_worker),         cmocka_unit_test(refuses_later),
        cmocka_unit_test(ends_at_the_deadline),    cmocka_unit_test(gives_up_an_invoke),
        cmocka_unit_test(outlives_its_client),     cmocka_unit_test(ends_with_the_server),
        cmocka_unit_test(survives_lack_of_memory),
    };

    held_init();
    uv_mutex_init(&log_lock);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
