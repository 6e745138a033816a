/* test_app.c - a gateway behind a real HTTP server: routes on the loop and on workers, endpoints
 * with policies around them, clients that leave. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include "http/site.h"

#include <haft/gateway.h>

/* ---- what is served ---- */

HAFT_STRUCT(word_args, HAFT_STRING(word, "A word"));

static int show(haft_call *call, const word_args *in)
{
    const char *header = haft_request_header(call, "x-word");

    return haft_text(call, "[%s] %s %s %s", in->word, header ? header : "-",
                     haft_call_principal(call) ? haft_call_principal(call) : "nobody",
                     haft_request_of(call)->peer);
}
HAFT_ROUTE_IN(show, "GET", "/show/{word}", word_args, "Shows a word");

static int quick(haft_call *call, const word_args *in)
{
    return show(call, in);
}
HAFT_ROUTE_IN(quick, "GET", "/quick/{word}", word_args, "Shows a word at once", .quick = true);

static int guarded(haft_call *call)
{
    return haft_text(call, "for %s", haft_call_principal(call));
}
HAFT_ROUTE_BARE(guarded, "POST", "/guarded", "Is for some", .policies = "who");

static atomic_int n_begun, n_cancelled;

static int endless(haft_call *call)
{
    atomic_fetch_add(&n_begun, 1);
    while (!haft_call_cancelled(call))
        uv_sleep(1);
    atomic_fetch_add(&n_cancelled, 1);
    return haft_text(call, "never");
}
HAFT_ROUTE_BARE(endless, "GET", "/endless", "Runs until nobody waits", .timeout_ms = 60000);
HAFT_TOOL_BARE(endless, "The same as a tool");

static int hasty(haft_call *call)
{
    return endless(call);
}
HAFT_ROUTE_BARE(hasty, "GET", "/hasty", "Has little time", .timeout_ms = 50);

static int whoami(haft_call *call)
{
    haft_response response;
    int status = haft_invoke(call, "POST", "/guarded", NULL, &response);

    return status ? status : haft_text(call, "%d %s", response.status, response.body);
}
HAFT_TOOL_BARE(whoami, "Tells who asks");

/* A name is enough to be somebody here. */
static int name_them(haft_call *call, void *data)
{
    const char *name = haft_request_header(call, "x-name");

    (void)data;
    if (name)
        return haft_call_set_principal(call, name);
    return haft_call_parent(call)                  ? 0
           : haft_problem(call, 401, "Who is it?") ? HAFT_ENOMEM
                                                   : HAFT_STOP;
}
static const haft_policy who = HAFT_INIT(haft_policy, .name = "who", .inbound = name_them);

static haft_gateway *make(void)
{
    static const haft_route *const routes[] = {&show_route, &quick_route, &guarded_route,
                                               &endless_route, &hasty_route};
    static const haft_tool *const tools[] = {&whoami_tool, &endless_tool, NULL};
    haft_gateway *gateway = haft_gateway_new(NULL);

    assert_int_equal(haft_policy_add(gateway, &who), 0);
    assert_int_equal(
        haft_policy_make(gateway, "stamp", "set-headers", "{\"response\":{\"X-Stamp\":\"seen\"}}"),
        0);
    assert_int_equal(haft_policy_make(gateway, "nap", "sleep", "{\"ms\":1}"), 0);
    for (size_t i = 0; i < COUNT_OF(routes); i++)
        assert_int_equal(haft_route_add(gateway, routes[i]), 0);
    assert_non_null(haft_mcp_add(gateway, HAFT_WITH(haft_mcp_options, .tools = tools)));
    assert_non_null(
        haft_mcp_add(gateway, HAFT_WITH(haft_mcp_options, .endpoint = "/stamped", .tools = tools,
                                        .routes = "guarded", .policies = "stamp, who")));
    assert_non_null(
        haft_mcp_add(gateway, HAFT_WITH(haft_mcp_options, .endpoint = "/napping", .tools = tools,
                                        .policies = "nap, stamp, who")));
    return gateway;
}

/* ---- requests ---- */

static const char *exchange(const struct site *site, const char *method, const char *path,
                            const char *headers, const char *body)
{
    static char text[ROOM];
    char request[4096];
    int fd = dial(site),
        size =
            snprintf(request, sizeof request,
                     "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%sContent-Length: "
                     "%zu\r\n\r\n%s",
                     method, path, headers, strlen(body), body);

    say(fd, request, (size_t)size);
    assert_true(hear_all(fd, text, sizeof text));
    close(fd);
    return text;
}

#define JSON "Content-Type: application/json\r\n"
#define TOOL(name)                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"" name "\"}}"

static void requests(void **state)
{
    static const struct {
        const char *method, *path, *headers, *body;
        const char *parts[3]; /* all of which the response has */
    } rows[] = {
        {"GET", "/show/hey", "X-Word: w\r\n", "", {"HTTP/1.1 200 ", "[hey] w nobody 127.0.0.1"}},
        {"GET", "/quick/hey", "X-Word: w\r\n", "", {"HTTP/1.1 200 ", "[hey] w nobody 127.0.0.1"}},
        /* of two headers with one name the first counts, whoever runs the handler */
        {"GET", "/show/hey", "X-Word: one\r\nX-Word: two\r\n", "", {"[hey] one nobody"}},
        {"GET", "/quick/hey", "X-Word: one\r\nX-Word: two\r\n", "", {"[hey] one nobody"}},
        /* split before it is decoded, and decoded once */
        {"GET", "/show/a%2Fb", "", "", {"HTTP/1.1 200 ", "[a/b] "}},
        {"GET", "/quick/%2541", "", "", {"HTTP/1.1 200 ", "[%41] "}},
        {"GET", "/show/%2e%2e", "", "", {"HTTP/1.1 400 "}},
        {"GET", "/show/..%2fquick%2fx", "", "", {"HTTP/1.1 400 "}},
        {"GET", "/show%2Fhey", "", "", {"HTTP/1.1 404 "}},
        {"HEAD", "/quick/hey", "", "", {"HTTP/1.1 200 ", "Content-Length: "}},
        {"GET", "/none", "", "", {"HTTP/1.1 404 ", "application/problem+json"}},
        {"DELETE", "/guarded", "", "", {"HTTP/1.1 405 ", "Allow: POST, OPTIONS"}},
        {"POST", "/guarded", "", "", {"HTTP/1.1 401 ", "Who is it?"}},
        {"POST", "/guarded", "X-Name: ann\r\n", "", {"HTTP/1.1 200 ", "for ann"}},
        {"GET", "/hasty", "", "", {"HTTP/1.1 504 ", "application/problem+json", "\"status\":504"}},
        /* endpoints */
        {"POST", "/mcp", JSON, PING(1), {"HTTP/1.1 200 ", PONG(1)}},
        {"POST", "/mcp", JSON, TOOL("guarded"), {"Tool guarded not found"}},
        {"POST", "/stamped", JSON, PING(1), {"HTTP/1.1 401 ", "X-Stamp: seen"}},
        /* what is refused there is told as the protocol has it */
        {"POST",
         "/stamped",
         JSON,
         PING("a"),
         {"\r\nContent-Type: application/json\r\n",
          "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":-32000,\"message\":\"Who is it?\"}}"}},
        {"POST",
         "/napping",
         JSON,
         "{nope",
         {"HTTP/1.1 401 ",
          "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32000,\"message\":\"Who is it?\"}}"}},
        {"POST",
         "/stamped",
         JSON "X-Name: bob\r\n",
         PING(1),
         {"HTTP/1.1 200 ", PONG(1), "X-Stamp: seen"}},
        {"POST",
         "/stamped",
         JSON "X-Name: bob\r\n",
         TOOL("whoami"),
         {"200 for bob", "X-Stamp: seen"}},
        {"POST", "/stamped", JSON "X-Name: bob\r\n", TOOL("guarded"), {"for bob", "X-Stamp: seen"}},
        {"POST", "/napping", JSON, PING(1), {"HTTP/1.1 401 ", "X-Stamp: seen"}},
        {"POST",
         "/napping",
         JSON "X-Name: eve\r\n",
         TOOL("whoami"),
         {"200 for eve", "X-Stamp: seen"}},
        {"POST", "/stamped/below", JSON "X-Name: bob\r\n", PING(1), {"HTTP/1.1 404 "}},
    };
    haft_gateway *gateway = make();
    haft_app app = *haft_gateway_app(gateway);
    haft_http_mount mount = HAFT_INIT(haft_http_mount, .path = "/", .app = &app);
    struct site *site = site_open((haft_http_options)HAFT_INIT(haft_http_options, .path = "",
                                                               .mounts = &mount, .n_mounts = 1));

    (void)state;
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            const char *got =
                exchange(site, rows[i].method, rows[i].path, rows[i].headers, rows[i].body);

            for (size_t j = 0; j < 3 && rows[i].parts[j]; j++)
                if (!strstr(got, rows[i].parts[j]))
                    fail_msg("%s %s: %s is not in %s", rows[i].method, rows[i].path,
                             rows[i].parts[j], got);
        }
    site_close(site);
    haft_gateway_free(gateway);
}

/* A client that leaves takes its call with it, wherever that is; so does the end of the server.  By
 * a reset: who only closes its side may still want the answer. */
static void leaving(void **state)
{
    static const struct linger now = {.l_onoff = 1, .l_linger = 0};
    static const char *const requests[] = {
        "GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "POST /stamped HTTP/1.1\r\nHost: localhost\r\nX-Name: a\r\nContent-Type: application/json\r\n"
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: endless\r\n"
        "Content-Length: 187\r\n\r\n"
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"endless\",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
    };
    haft_gateway *gateway = make();
    haft_app app = *haft_gateway_app(gateway);
    haft_http_mount mount = HAFT_INIT(haft_http_mount, .path = "/", .app = &app);
    struct site *site = site_open((haft_http_options)HAFT_INIT(haft_http_options, .path = "",
                                                               .mounts = &mount, .n_mounts = 1));

    (void)state;
    for (size_t i = 0; i < COUNT_OF(requests); i++) {
        int fd = dial(site);

        atomic_store(&n_begun, 0);
        atomic_store(&n_cancelled, 0);
        say(fd, requests[i], strlen(requests[i]));
        while (!atomic_load(&n_begun))
            uv_sleep(1);
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
        close(fd);
        while (!atomic_load(&n_cancelled))
            uv_sleep(1);
    }
    site_close(site);
    haft_gateway_free(gateway);
}

static int no_random(void *context, void *bytes, size_t size)
{
    (void)context;
    (void)bytes;
    (void)size;
    return HAFT_EBUSY;
}

static void keep_status(void *context, const haft_response *response)
{
    *(int *)context = response->status;
}
static const haft_responder supervisor = {.respond = keep_status};

/* When waiting is over, calls at work are cancelled, one of a route and one of an endpoint. */
static void abandoned(void **state)
{
    static const char *const requests[] = {
        "GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Content-Length: 74\r\n\r\n" TOOL("endless")};
    haft_gateway *gateway = make();
    haft_app app = *haft_gateway_app(gateway);
    haft_http_mount mount = HAFT_INIT(haft_http_mount, .path = "/", .app = &app);
    struct site *site = site_open((haft_http_options)HAFT_INIT(haft_http_options, .path = "",
                                                               .mounts = &mount, .n_mounts = 1));
    int fds[COUNT_OF(requests)];

    (void)state;
    atomic_store(&n_begun, 0);
    atomic_store(&n_cancelled, 0);
    for (size_t i = 0; i < COUNT_OF(requests); i++) {
        fds[i] = dial(site);
        say(fds[i], requests[i], strlen(requests[i]));
    }
    while (atomic_load(&n_begun) < (int)COUNT_OF(requests))
        uv_sleep(1);
    site->hasty = true;
    site_close(site);
    assert_int_equal(atomic_load(&n_cancelled), COUNT_OF(requests));
    for (size_t i = 0; i < COUNT_OF(requests); i++)
        close(fds[i]);
    haft_gateway_free(gateway);
}

/* A path that was decoded by somebody else is not decoded again. */
static void in_another_server(void **state)
{
    static const struct {
        const char *path;
        int status;
    } rows[] = {{"/quick/a", 200}, {"/quick/%41", 400}};
    haft_gateway *gateway = make();
    haft_app app = *haft_gateway_app(gateway);
    haft_http_loop loop = {.n = 1, .loop = HAFT_WITH(haft_loop, .random = no_random)};
    void *site = app.open(app.data, &loop, NULL);

    (void)state;
    assert_non_null(site);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_request request = {
            .method = "GET", .path = rows[i].path, .query = "", .body = "", .peer = NULL};
        int status = 0;

        assert_null(app.handle(site, &request, &supervisor, &status, 0));
        assert_int_equal(status, rows[i].status);
    }
    app.close(site);
    haft_gateway_free(gateway);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(requests), cmocka_unit_test(leaving),
                                       cmocka_unit_test(abandoned),
                                       cmocka_unit_test(in_another_server)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
