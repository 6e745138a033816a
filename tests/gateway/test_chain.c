/* test_chain.c - requests that wait three times each, for admit, for a policy and for the handler: a
 * thousand at once with four workers, and what becomes of them at each of these places. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include <sys/resource.h>

#include "gateway/stand.h"

#include "engine/offer/server.h"
#include "gateway/held.h"

enum { REQUESTS = 1000, WORKERS = 4 };

/* ---- what is served ---- */

static void admit_as_ann(void *admission, int status)
{
    char name[] = "ann";

    if (status == HAFT_STOP)
        haft_admission_answer(
            admission, &(haft_response){.status = 401,
                                        .headers = &(haft_header){"WWW-Authenticate", "Test"},
                                        .n_headers = 1,
                                        .body = "no",
                                        .size = 2});
    else
        haft_admission_continue(admission, status, name);
    memset(name, 'x', sizeof name - 1); /* it was copied */
}

static int admit(void *context, haft_request *request, const haft_responder *responder,
                 void *responder_context)
{
    haft_admission *admission;

    (void)context;
    (void)responder;
    (void)responder_context;
    if (!strcmp(request->path, "/odd"))
        return 7;
    if (!strcmp(request->path, "/failing"))
        return HAFT_EBUSY;
    admission = haft_admission_hold(request);
    if (!admission)
        return HAFT_ENOMEM;
    if (!strcmp(request->path, "/at-once")) {
        admit_as_ann(admission, 0);
        return HAFT_PENDING;
    }
    return hold(admission, admit_as_ann);
}

static void go_on(void *call, int status)
{
    haft_continue(call, status);
}

static int wait_in(haft_call *call, void *data)
{
    (void)data;
    return hold(call, go_on);
}
static const haft_policy slow_policy = HAFT_INIT(haft_policy, .name = "slow", .inbound = wait_in);

HAFT_STRUCT(chain_args, HAFT_INTEGER(n, "A number"));

static void finish(void *item, int status)
{
    haft_call *call = item;

    haft_text(call, "%s asks %s", haft_call_principal(call), haft_path_value(call, "n"));
    haft_finish(call, status);
}

static int chain(haft_call *call, const chain_args *in)
{
    (void)in;
    return hold(call, finish);
}
HAFT_ROUTE_IN(chain, "GET", "/chain/{n}", chain_args, "Waits", .policies = "slow");

static int at_once(haft_call *call)
{
    return haft_text(call, "%s", haft_call_principal(call));
}
HAFT_ROUTE_BARE(at_once, "GET", "/at-once", "Does not");
HAFT_TOOL_BARE(at_once, "Does not");

static void stand_open(struct stand *stand, unsigned timeout_ms)
{
    static const haft_tool *const tools[] = {&at_once_tool, NULL};

    stand->gateway = haft_gateway_new(NULL);
    assert_int_equal(haft_policy_add(stand->gateway, &slow_policy), 0);
    assert_int_equal(haft_route_add(stand->gateway, &chain_route), 0);
    assert_int_equal(haft_route_add(stand->gateway, &at_once_route), 0);
    assert_non_null(haft_mcp_add(stand->gateway, HAFT_WITH(haft_mcp_options, .tools = tools)));
    stand_serve(
        stand, (haft_http_options)HAFT_INIT(haft_http_options, .workers = WORKERS, .admit = admit));
    if (timeout_ms)
        atomic_store(&stand->site->server->limits.timeout_ms, timeout_ms);
}

static int ask(const struct stand *stand, const char *start, const char *body)
{
    char request[512];
    int fd = dial(stand->site),
        size = snprintf(request, sizeof request,
                        "%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: "
                        "application/json\r\nContent-Length: %zu\r\n\r\n%s",
                        start, strlen(body), body);

    say(fd, request, (size_t)size);
    return fd;
}

/* ---- cases ---- */

/* Each of them waits at the same place at the same time: no worker waits with them. */
static void carries_many_with_few_workers(void **state)
{
    struct rlimit files;
    struct stand stand;
    size_t n = REQUESTS;
    int *fds = calloc(REQUESTS, sizeof *fds);

    (void)state;
    assert_non_null(fds);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_cur < 2 * REQUESTS + 100)
        n = 400;
    stand_open(&stand, 0);
    for (size_t i = 0; i < n; i++) {
        char start[64];

        snprintf(start, sizeof start, "GET /chain/%zu", i);
        fds[i] = ask(&stand, start, "");
    }
    for (int place = 0; place < 3; place++) {
        wait_for_held(n);
        let_go(0);
    }
    for (size_t i = 0; i < n; i++) {
        char text[64];

        snprintf(text, sizeof text, "ann asks %zu", i);
        stand_expect(fds[i], "HTTP/1.1 200 ", text);
    }
    stand_close(&stand);
    free(fds);
}

/* What admit decides later, and what it may not return. */
static void decides_later(void **state)
{
    static const char call[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                               "\"params\":{\"name\":\"at_once\"}}";
    static const struct {
        const char *start, *body;
        int held, status;
        const char *line, *part;
    } rows[] = {
        {"POST /mcp", call, 1, 0, "HTTP/1.1 200 ", "ann"},
        {"POST /mcp", call, 1, HAFT_STOP, "HTTP/1.1 401 ", "WWW-Authenticate: Test\r\n"},
        {"POST /mcp", call, 1, HAFT_EBUSY, "HTTP/1.1 500 ", ""},
        {"POST /mcp", call, 1, 9, "HTTP/1.1 500 ", ""},
        {"GET /none", "", 1, 0, "HTTP/1.1 404 ", ""},
        {"GET /none", "", 1, HAFT_STOP, "HTTP/1.1 401 ", "no"},
        {"GET /at-once", "", 0, 0, "HTTP/1.1 200 ", "ann"},
        {"GET /odd", "", 0, 0, "HTTP/1.1 500 ", ""},
        {"GET /failing", "", 0, 0, "HTTP/1.1 500 ", ""},
    };
    struct stand stand;

    (void)state;
    stand_open(&stand, 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int fd = ask(&stand, rows[i].start, rows[i].body);

        if (rows[i].held) {
            wait_for_held(1);
            let_go(rows[i].status);
        }
        stand_expect(fd, rows[i].line, rows[i].part);
    }
    stand_close(&stand);
}

/* Clients leave at each of the three places, and what they have left goes on as ever. */
static void outlives_its_client(void **state)
{
    static const struct linger reset = {.l_onoff = 1, .l_linger = 0};
    struct stand stand;

    (void)state;
    stand_open(&stand, 0);
    for (int place = 0; place < 3; place++) {
        int fd = ask(&stand, "GET /chain/1", ""), other;

        for (int passed = 0; passed < place; passed++) {
            wait_for_held(1);
            let_go(0);
        }
        wait_for_held(1);
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
        close(fd);
        /* the loop has seen that when it has seen another one */
        other = ask(&stand, "GET /at-once", "");
        stand_expect(other, "HTTP/1.1 200 ", "ann");
        let_go(0);
    }
    stand_close(&stand);
}

/* One that is not decided in time is answered, and decided later. */
static void ends_at_the_deadline(void **state)
{
    struct stand stand;
    int fd;

    (void)state;
    stand_open(&stand, 50);
    fd = ask(&stand, "GET /chain/1", "");
    stand_expect(fd, "HTTP/1.1 504 ", "");
    wait_for_held(1);
    let_go(0);
    stand_close(&stand);
}

static void close_site(void *context)
{
    site_close(context);
}

/* The server ends while one waits. */
static void ends_with_the_server(void **state)
{
    (void)state;
    for (int hasty = 0; hasty < 2; hasty++)
        for (int place = 0; place < 3; place++) {
            struct stand stand;
            uv_thread_t closer;
            int fd;

            stand_open(&stand, 0);
            fd = ask(&stand, "GET /chain/1", "");
            for (int passed = 0; passed < place; passed++) {
                wait_for_held(1);
                let_go(0);
            }
            wait_for_held(1);
            stand.site->hasty = hasty;
            assert_int_equal(uv_thread_create(&closer, close_site, stand.site), 0);
            if (hasty)
                while (is_readable(fd, 0) == 0)
                    uv_sleep(1);
            for (int left = place; left < 3 && !hasty; left++) {
                wait_for_held(1);
                let_go(0);
            }
            if (hasty)
                let_go(0);
            uv_thread_join(&closer);
            close(fd);
            haft_gateway_free(stand.gateway);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carries_many_with_few_workers), cmocka_unit_test(decides_later),
        cmocka_unit_test(outlives_its_client),           cmocka_unit_test(ends_at_the_deadline),
        cmocka_unit_test(ends_with_the_server),
    };

    held_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
