/* test_passwords_http.c - passwords that are checked behind a real HTTP server hold nobody else up,
 * and are not checked on when their clients have left. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include "http/site.h"

#include <haft/gateway.h>

#include "derivation.h"
#include "support/file.h"

/* The password is "Password". */
static const char people[] =
    "bob:8000:4e61436c:7f256b9dadf7544d75a9c56b6293c7744f5de67c8f45547526eaac5917f2dcb4\n";

enum { THREADS = 2, WAITING = 64, LONG = 1000, STEPS = 8000 - 1 /* after the first iteration */ };

static char path[FILE_PATH];

/* ---- what is served ---- */

static int closed(haft_call *call)
{
    return haft_text(call, "closed to all but %s", haft_call_principal(call));
}
HAFT_ROUTE_BARE(closed, "GET", "/closed", "Is for some", .policies = "pair, people");

static int hasty(haft_call *call)
{
    return closed(call);
}
HAFT_ROUTE_BARE(hasty, "GET", "/hasty", "Has little time", .policies = "pair, people",
                .timeout_ms = 50);

static int opened(haft_call *call)
{
    return haft_text(call, "open to all");
}
HAFT_ROUTE_BARE(opened, "GET", "/opened", "Is for all");

static atomic_int inside;

/* Whoever is let in is seen out. */
static int go_in(haft_call *call, void *data)
{
    (void)call;
    (void)data;
    atomic_fetch_add(&inside, 1);
    return 0;
}

static int go_out(haft_call *call, void *data)
{
    (void)data;
    atomic_fetch_sub(&inside, 1);
    return haft_response_set_header(call, "X-Seen", "out");
}
static const haft_policy pair =
    HAFT_INIT(haft_policy, .name = "pair", .inbound = go_in, .outbound = go_out);

struct gate {
    haft_gateway *gateway;
    haft_app app;
    haft_http_mount mount;
    struct site *site;
};

static void gate_open(struct gate *gate, const char *options)
{
    char text[256];

    derivations_reset();
    gate->gateway = haft_gateway_new(NULL);
    snprintf(text, sizeof text, "{\"file\":\"%s\"%s}", path, options);
    assert_int_equal(haft_policy_add(gate->gateway, &pair), 0);
    assert_int_equal(haft_policy_make(gate->gateway, "people", "basic-auth", text), 0);
    assert_int_equal(haft_route_add(gate->gateway, &closed_route), 0);
    assert_int_equal(haft_route_add(gate->gateway, &hasty_route), 0);
    assert_int_equal(haft_route_add(gate->gateway, &opened_route), 0);
    assert_non_null(
        haft_mcp_add(gate->gateway, HAFT_WITH(haft_mcp_options, .policies = "pair, people")));
    gate->app = *haft_gateway_app(gate->gateway);
    gate->mount = (haft_http_mount)HAFT_INIT(haft_http_mount, .path = "/", .app = &gate->app);
    gate->site = site_open((haft_http_options)HAFT_INIT(haft_http_options, .path = "",
                                                        .mounts = &gate->mount, .n_mounts = 1));
}

static void gate_close(struct gate *gate)
{
    site_close(gate->site);
    haft_gateway_free(gate->gateway);
    assert_int_equal(atomic_load(&inside), 0);
}

/* ---- requests ---- */

static char wrong[LONG + 1]; /* a long one */

/* Sends a request; without a password when that is NULL. */
static int ask(const struct gate *gate, const char *target, const char *password, const char *body)
{
    char plain[LONG + 8], encoded[HAFT_BASE64_SIZE(sizeof plain) + 1], request[4096];
    int fd = dial(gate->site);

    snprintf(plain, sizeof plain, "bob:%s", password ? password : "");
    encoded[haft_base64_encode(plain, strlen(plain), encoded)] = '\0';
    snprintf(request, sizeof request,
             "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: "
             "application/json\r\nContent-Length: %zu\r\n%s%s%s\r\n%s",
             *body ? "POST" : "GET", target, strlen(body), password ? "Authorization: Basic " : "",
             password ? encoded : "", password ? "\r\n" : "", body);
    say(fd, request, strlen(request));
    return fd;
}

/* Reads the whole response and checks that it has both parts. */
static void expect_both(int fd, const char *one, const char *other)
{
    char text[4096];

    assert_true(hear_all(fd, text, sizeof text));
    if (!strstr(text, one) || !strstr(text, other))
        fail_msg("%s or %s is not in %s", one, other, text);
    close(fd);
}

static void expect(int fd, const char *part)
{
    expect_both(fd, part, "");
}

/* Eight clients with long passwords, more than there are workers, whose derivations do not come to an
 * end: the others are served, and threads are free again once the eight have left. */
static void holds_nobody_up(void **state)
{
    static const char *const targets[] = {"/closed", "/mcp", "/closed", "/mcp",
                                          "/closed", "/mcp", "/closed", "/mcp"};
    struct gate gate;
    int fds[COUNT_OF(targets)];
    unsigned made;

    (void)state;
    gate_open(&gate, "");
    atomic_store(&derivations.held, true);
    for (size_t i = 0; i < COUNT_OF(targets); i++)
        fds[i] = ask(&gate, targets[i], wrong, targets[i][1] == 'm' ? PING(1) : "");
    derivations_await(&derivations.steps, THREADS);
    for (int i = 0; i < 8; i++)
        expect(ask(&gate, "/opened", NULL, ""), "open to all");
    assert_int_equal(atomic_load(&derivations.begun), THREADS);
    for (size_t i = 0; i < COUNT_OF(targets); i++)
        assert_false(is_readable(fds[i], 0));

    for (size_t i = 0; i < COUNT_OF(targets); i++)
        close(fds[i]);
    derivations_await(&derivations.cancelled, COUNT_OF(targets));
    made = atomic_load(&derivations.iterations);
    atomic_store(&derivations.held, false);
    expect(ask(&gate, "/closed", "Password", ""), "closed to all but bob");
    /* of the eight, two have not made another step, and six not the first */
    assert_int_equal(atomic_load(&derivations.begun), THREADS + 1);
    assert_int_equal(atomic_load(&derivations.iterations), made + STEPS);
    gate_close(&gate);
}

/* With as many at work and waiting as there may be, another one is refused at once. */
static void refuses_more_than_can_wait(void **state)
{
    struct pollfd fds[THREADS + WAITING + 1];
    struct gate gate;
    size_t refused = 0;

    (void)state;
    gate_open(&gate, ",\"failures\":0");
    atomic_store(&derivations.held, true);
    for (size_t i = 0; i < COUNT_OF(fds); i++) {
        if (i == THREADS)
            derivations_await(&derivations.steps, THREADS);
        fds[i] = (struct pollfd){.fd = ask(&gate, "/closed", wrong, ""), .events = POLLIN};
    }
    assert_int_equal(poll(fds, COUNT_OF(fds), PATIENCE_MS), 1);
    while (!fds[refused].revents)
        refused++;
    expect(fds[refused].fd, "HTTP/1.1 503 Service Unavailable\r\n");
    expect(ask(&gate, "/closed", wrong, ""), "Retry-After: 1\r\n");
    expect(
        ask(&gate, "/mcp", wrong, PING(7)),
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32000,\"message\":\"Too many passwords "
        "are being checked. Try again in 1 s.\"}}");
    expect(ask(&gate, "/opened", NULL, ""), "open to all");
    assert_int_equal(atomic_load(&derivations.begun), THREADS);

    atomic_store(&derivations.held, false);
    for (size_t i = 0; i < COUNT_OF(fds); i++)
        if (i != refused)
            expect(fds[i].fd, "HTTP/1.1 401 ");
    gate_close(&gate);
}

/* Those of one address that wait are refused once it has failed too often. */
static void counts_failures_of_those_that_wait(void **state)
{
    struct gate gate;
    int fds[8];
    size_t failed = 0;

    (void)state;
    gate_open(&gate, ",\"failures\":3");
    atomic_store(&derivations.held, true);
    for (size_t i = 0; i < COUNT_OF(fds); i++)
        fds[i] = ask(&gate, "/closed", wrong, "");
    derivations_await(&derivations.begun, THREADS);
    atomic_store(&derivations.held, false);
    for (size_t i = 0; i < COUNT_OF(fds); i++) {
        char text[4096];

        assert_true(hear_all(fds[i], text, sizeof text));
        failed += strstr(text, "HTTP/1.1 401 ") != NULL;
        assert_true(strstr(text, "HTTP/1.1 401 ") || strstr(text, "HTTP/1.1 429 "));
        close(fds[i]);
    }
    assert_int_equal(failed, 3);
    assert_int_equal(atomic_load(&derivations.begun), 3);
    gate_close(&gate);
}

/* The time of a route counts while its password is checked. */
static void answers_in_time(void **state)
{
    struct gate gate;

    (void)state;
    gate_open(&gate, "");
    atomic_store(&derivations.held, true);
    expect(ask(&gate, "/hasty", wrong, ""), "HTTP/1.1 504 ");
    atomic_store(&derivations.held, false);
    expect(ask(&gate, "/closed", "Password", ""), "closed to all but bob");
    assert_true(atomic_load(&derivations.iterations) < 2 * STEPS);
    gate_close(&gate);
}

/* Whatever is asked for: once derived, then remembered; and the policies in front see it. */
static void lets_in(void **state)
{
    static const struct {
        const char *target, *password, *body;
        const char *parts[2]; /* of the response */
        unsigned begun;       /* derivations, in all */
    } rows[] = {
        {"/closed", NULL, "", {"HTTP/1.1 401 ", "WWW-Authenticate: Basic realm"}, 0},
        {"/mcp", NULL, PING(1), {"HTTP/1.1 401 ", "X-Seen: out\r\n"}, 0},
        {"/closed", wrong, "", {"HTTP/1.1 401 ", "X-Seen: out\r\n"}, 1},
        {"/mcp",
         wrong,
         PING(1),
         {"HTTP/1.1 401 ", "\"A user name and a password are required.\""},
         2},
        {"/mcp", "Password", PING(1), {PONG(1), "X-Seen: out\r\n"}, 3},
        {"/mcp", "Password", PING(1), {PONG(1), "X-Seen: out\r\n"}, 3},
        {"/closed", "Password", "", {"closed to all but bob", "X-Seen: out\r\n"}, 3},
    };
    struct gate gate;

    (void)state;
    gate_open(&gate, "");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        expect_both(ask(&gate, rows[i].target, rows[i].password, rows[i].body), rows[i].parts[0],
                    rows[i].parts[1]);
        assert_int_equal(atomic_load(&derivations.begun), rows[i].begun);
    }
    gate_close(&gate);
}

/* The end of the server does not wait for what nobody waits for. */
static void ends(void **state)
{
    static const char *const targets[] = {"/closed", "/mcp", "/closed", "/mcp"};
    struct gate gate;
    int fds[COUNT_OF(targets)];

    (void)state;
    gate_open(&gate, "");
    atomic_store(&derivations.held, true);
    atomic_store(&derivations.held_until_cancelled, true);
    for (size_t i = 0; i < COUNT_OF(targets); i++)
        fds[i] = ask(&gate, targets[i], wrong, targets[i][1] == 'm' ? PING(1) : "");
    derivations_await(&derivations.steps, THREADS);
    gate.site->hasty = true;
    gate_close(&gate);
    assert_true(atomic_load(&derivations.iterations) < COUNT_OF(targets) * STEPS);
    for (size_t i = 0; i < COUNT_OF(targets); i++)
        close(fds[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_nobody_up),
        cmocka_unit_test(refuses_more_than_can_wait),
        cmocka_unit_test(counts_failures_of_those_that_wait),
        cmocka_unit_test(answers_in_time),
        cmocka_unit_test(lets_in),
        cmocka_unit_test(ends),
    };
    int failed;

    memset(wrong, 'x', sizeof wrong - 1);
    file_make(path, people);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
