/* test_halves.c - clients that close their side of the connection and go on reading: who still
 * gets an answer, and whose call ends there. */
#define _DEFAULT_SOURCE
#include "http/site.h"

#include <haft/gateway.h>
#include <sys/un.h>

/* ---- what is served ---- */

static atomic_int n_begun, n_cancelled;
static atomic_bool released, let_through;

/* Runs until it is released or nobody waits. */
static int held(haft_call *call)
{
    atomic_fetch_add(&n_begun, 1);
    while (!atomic_load(&released) && !haft_call_cancelled(call))
        sleep_ms(1);
    if (haft_call_cancelled(call))
        atomic_fetch_add(&n_cancelled, 1);
    return haft_text(call, "held");
}
HAFT_TOOL_BARE(held, "Waits to be released", .timeout_ms = 60000);
HAFT_ROUTE_BARE(held, "GET", "/held", "The same as a route", .timeout_ms = 60000);

/* The same, on a stream. */
static int tells(haft_call *call)
{
    haft_progress(call, 1, 2, "begun");
    return held(call);
}
HAFT_TOOL_BARE(tells, "Says something and waits", .timeout_ms = 60000);

static const haft_tool *const tools[] = {&held_tool, &tells_tool, NULL};

static int hold(haft_call *call, void *data)
{
    (void)call;
    (void)data;
    atomic_fetch_add(&n_begun, 1);
    while (!atomic_load(&let_through))
        sleep_ms(1);
    return 0;
}
static const haft_policy slow_policy =
    HAFT_INIT(haft_policy, .name = "hold", .inbound = hold, .blocks = true);

struct stand {
    haft_gateway *gateway;
    haft_app app;
    haft_http_mount mount;
    struct site *site;
};

/* The server's own endpoint, and a gateway beside it. */
static void stand_open(struct stand *stand, const char *address)
{
    atomic_store(&n_begun, 0);
    atomic_store(&n_cancelled, 0);
    atomic_store(&released, false);
    atomic_store(&let_through, false);
    stand->gateway = haft_gateway_new(NULL);
    assert_int_equal(haft_policy_add(stand->gateway, &slow_policy), 0);
    assert_int_equal(haft_route_add(stand->gateway, &held_route), 0);
    assert_non_null(haft_mcp_add(
        stand->gateway, HAFT_WITH(haft_mcp_options, .endpoint = "/gate/mcp", .tools = tools)));
    assert_non_null(
        haft_mcp_add(stand->gateway, HAFT_WITH(haft_mcp_options, .endpoint = "/gate/hold",
                                               .tools = tools, .policies = "hold")));
    stand->app = *haft_gateway_app(stand->gateway);
    stand->mount = (haft_http_mount)HAFT_INIT(haft_http_mount, .path = "/", .app = &stand->app);
    stand->site =
        site_open_with((haft_http_options)HAFT_INIT(haft_http_options, .address = address,
                                                    .mounts = &stand->mount, .n_mounts = 1),
                       NULL);
    assert_non_null(stand->site->http);
    for (const haft_tool *const *tool = tools; *tool; tool++)
        assert_int_equal(haft_add(stand->site->server, *tool), 0);
}

static void stand_close(struct stand *stand)
{
    site_close(stand->site);
    haft_gateway_free(stand->gateway);
}

/* ---- requests ---- */

#define LEGACY(tool)                                                                               \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"" tool         \
    "\",\"_meta\":{\"progressToken\":1}}}"
#define META                                                                                       \
    "\"_meta\":{\"progressToken\":1,\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","   \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define MODERN(tool)                                                                               \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"" tool         \
    "\"," META "}}"
#define MODERN_HEADERS(name)                                                                       \
    "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: " name "\r\n"

struct request {
    const char *line, *headers, *body;
};

static void send_request(int fd, const struct request *request)
{
    char text[2048];

    snprintf(text, sizeof text,
             "%s\r\nHost: localhost\r\nContent-Type: application/json\r\n%sContent-Length: %zu\r\n"
             "\r\n%s",
             request->line, request->headers ? request->headers : "",
             request->body ? strlen(request->body) : 0, request->body ? request->body : "");
    say(fd, text, strlen(text));
}

static bool comes_to(atomic_int *count, int wanted)
{
    for (int64_t end = milliseconds() + PATIENCE_MS; atomic_load(count) < wanted;) {
        if (milliseconds() > end)
            return false;
        sleep_ms(1);
    }
    return true;
}

/* The loop has been around since this was called: what it was told before, it knows. */
static void let_it_notice(const struct site *site)
{
    char text[1024];
    int fd = dial(site);

    for (int i = 0; i < 3; i++) {
        say(fd, ASK(1), sizeof ASK(1) - 1);
        hear(fd, text, sizeof text, PONG(1), 1);
    }
    close(fd);
}

/* ---- those that are answered ---- */

static void answers_after_the_end_of_requests(void **state)
{
    static const struct {
        struct request request;
        const char *more; /* pipelined behind it */
        const char *parts[3];
    } rows[] = {
        {{"POST /mcp HTTP/1.1", NULL, LEGACY("held")}, "", {"\"text\":\"held\""}},
        {{"POST /mcp HTTP/1.0", NULL, LEGACY("held")}, "", {"\"text\":\"held\""}},
        {{"POST /mcp HTTP/1.1", NULL, LEGACY("tells")},
         "",
         {"\"progress\":1", "\"text\":\"held\"", "\r\n0\r\n\r\n"}},
        {{"POST /mcp HTTP/1.1", "MCP-Protocol-Version: 2025-06-18\r\n", LEGACY("held")},
         ASK(2) ASK(3),
         {"\"text\":\"held\"", PONG(2), PONG(3)}},
        {{"GET /held HTTP/1.1", NULL, NULL}, ASK(2), {"held", PONG(2)}},
        {{"POST /gate/mcp HTTP/1.1", NULL, LEGACY("held")}, ASK(2), {"\"text\":\"held\"", PONG(2)}},
        {{"POST /gate/mcp HTTP/1.1", NULL, LEGACY("tells")},
         ASK(2),
         {"\"progress\":1", "\"text\":\"held\"", PONG(2)}},
        {{"POST /gate/hold HTTP/1.1", NULL, LEGACY("held")}, "", {"\"text\":\"held\""}},
        /* the rest of a request that is not whole is not waited for */
        {{"GET /held HTTP/1.1", NULL, NULL}, "POST /mcp HT", {"held"}},
    };
    char *text = malloc(ROOM);

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct stand stand;
        int fd;

        stand_open(&stand, NULL);
        fd = dial(stand.site);
        send_request(fd, &rows[i].request);
        say(fd, rows[i].more, strlen(rows[i].more));
        assert_true(comes_to(&n_begun, 1));
        shutdown(fd, SHUT_WR);
        let_it_notice(stand.site);
        atomic_store(&let_through, true);
        atomic_store(&released, true);
        assert_true(hear_all(fd, text, ROOM));
        for (size_t k = 0; k < 3 && rows[i].parts[k]; k++)
            if (!strstr(text, rows[i].parts[k]))
                fail_msg("row %zu: %s is not in %s", i, rows[i].parts[k], text);
        assert_int_equal(atomic_load(&n_cancelled), 0);
        close(fd);
        stand_close(&stand);
    }
    free(text);
}

/* Requests that wait because answers have not been read are answered, too. */
static void answers_what_waits_for_a_reader(void **state)
{
    static const char call[] = CALL(1, "big", 1000000);
    enum { N = 8 };
    struct stand stand;
    char request[512], *text = malloc(ROOM);
    size_t size = (size_t)snprintf(request, sizeof request, HEAD "Content-Length: %zu\r\n\r\n%s",
                                   strlen(call), call);
    size_t total = 0;
    int fd;

    (void)state;
    assert_non_null(text);
    stand_open(&stand, NULL);
    fd = dial(stand.site);
    for (int i = 0; i < N; i++)
        say(fd, request, size);
    shutdown(fd, SHUT_WR);
    let_it_notice(stand.site);
    for (ssize_t n = 1; n > 0; total += (size_t)n) {
        assert_true(is_readable(fd, PATIENCE_MS));
        n = read(fd, text, ROOM);
        assert_true(n >= 0);
    }
    assert_true(total > (size_t)N * 1000000);
    close(fd);
    stand_close(&stand);
    free(text);
}

/* ---- those whose call ends ---- */

static void cancels_modern_calls(void **state)
{
    static const struct {
        struct request request;

    } rows[] = {
        {{"POST /mcp HTTP/1.1", MODERN_HEADERS("held"), MODERN("held")}},
        {{"POST /mcp HTTP/1.1", MODERN_HEADERS("tells"), MODERN("tells")}},
        {{"POST /gate/mcp HTTP/1.1", MODERN_HEADERS("held"), MODERN("held")}},
        {{"POST /gate/mcp HTTP/1.1", MODERN_HEADERS("tells"), MODERN("tells")}},
    };
    char *text = malloc(ROOM);

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct stand stand;
        int fd;

        stand_open(&stand, NULL);
        fd = dial(stand.site);
        send_request(fd, &rows[i].request);
        say(fd, ASK(2), sizeof ASK(2) - 1);
        assert_true(comes_to(&n_begun, 1));
        shutdown(fd, SHUT_WR);
        if (!comes_to(&n_cancelled, 1))
            fail_msg("row %zu goes on", i);
        assert_true(hear_all(fd, text, ROOM));
        assert_null(strstr(text, "held"));
        assert_null(strstr(text, PONG(2)));
        close(fd);
        stand_close(&stand);
    }
    free(text);
}

/* A modern call that a policy holds up when its client ends is cancelled when it has begun. */
static void cancels_modern_calls_behind_a_policy(void **state)
{
    static const struct request request = {"POST /gate/hold HTTP/1.1", MODERN_HEADERS("held"),
                                           MODERN("held")};
    struct stand stand;
    char text[4096];
    int fd;

    (void)state;
    stand_open(&stand, NULL);
    fd = dial(stand.site);
    send_request(fd, &request);
    assert_true(comes_to(&n_begun, 1));
    shutdown(fd, SHUT_WR);
    let_it_notice(stand.site);
    atomic_store(&let_through, true);
    assert_true(hear_all(fd, text, sizeof text));
    assert_string_equal(text, "");
    assert_true(comes_to(&n_cancelled, 1));
    close(fd);
    stand_close(&stand);
}

static void ends_streams(void **state)
{
    static const char hello[] =
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
        "\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}";
    static const char listen_body[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscriptions/listen\",\"params\":{"
        "\"notifications\":{\"toolsListChanged\":true}," META "}}";
    static const char *const paths[] = {"/mcp", "/gate/mcp"};
    struct stand stand;
    char text[4096], line[64], headers[256];

    (void)state;
    stand_open(&stand, NULL);
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        int fd = dial(stand.site);
        const char *id;

        snprintf(line, sizeof line, "POST %s HTTP/1.1", paths[i]);
        send_request(fd, &(struct request){line, NULL, hello});
        hear(fd, text, sizeof text, "\"serverInfo\"", 1);
        id = strstr(text, "Mcp-Session-Id: ");
        assert_non_null(id);
        snprintf(headers, sizeof headers, "Accept: text/event-stream\r\n%.*s\r\n",
                 (int)strcspn(id, "\r"), id);
        close(fd);
        fd = dial(stand.site);
        snprintf(line, sizeof line, "GET %s HTTP/1.1", paths[i]);
        send_request(fd, &(struct request){line, headers, NULL});
        hear(fd, text, sizeof text, "text/event-stream", 1);
        shutdown(fd, SHUT_WR);
        assert_true(hear_all(fd, text, sizeof text));
        close(fd);
        fd = dial(stand.site);
        snprintf(line, sizeof line, "POST %s HTTP/1.1", paths[i]);
        send_request(fd, &(struct request){line,
                                           "MCP-Protocol-Version: 2026-07-28\r\n"
                                           "Mcp-Method: subscriptions/listen\r\n",
                                           listen_body});
        hear(fd, text, sizeof text, "text/event-stream", 1);
        shutdown(fd, SHUT_WR);
        assert_true(hear_all(fd, text, sizeof text));
        close(fd);
    }
    stand_close(&stand);
}

/* ---- clients that are gone after all ---- */

static int dial_path(const char *path)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(name.sun_path, sizeof name.sun_path, "%s", path);
    assert_int_equal(connect(fd, (struct sockaddr *)&name, sizeof name), 0);
    return fd;
}

/* A reset, or a Unix socket that is closed, says that nobody reads the answer: also after the end of
 * what the client had to say. */
static void cancels_when_nobody_reads(void **state)
{
    static const struct request request = {"GET /held HTTP/1.1", NULL, NULL};
    static const struct linger now = {.l_onoff = 1, .l_linger = 0};
    char address[128];

    (void)state;
    snprintf(address, sizeof address, "unix:/tmp/haft-halves-%d", (int)getpid());
    for (int i = 0; i < 4; i++) {
        bool local = i % 2, half = i / 2;
        struct stand stand;
        int fd;

        stand_open(&stand, local ? address : NULL);
        fd = local ? dial_path(address + 5) : dial(stand.site);
        send_request(fd, &request);
        assert_true(comes_to(&n_begun, 1));
        if (half)
            shutdown(fd, SHUT_WR);
        if (half && !local)
            let_it_notice(stand.site);
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
        close(fd);
        if (!comes_to(&n_cancelled, 1))
            fail_msg("row %d goes on", i);
        stand_close(&stand);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_after_the_end_of_requests),
        cmocka_unit_test(answers_what_waits_for_a_reader),
        cmocka_unit_test(cancels_modern_calls),
        cmocka_unit_test(cancels_modern_calls_behind_a_policy),
        cmocka_unit_test(ends_streams),
        cmocka_unit_test(cancels_when_nobody_reads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
