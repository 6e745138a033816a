/* test_identity.c - whose a call is that another one makes: the caller's, if the same policy let the
 * caller in, and nobody's otherwise. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include "http/site.h"

#include <haft/gateway.h>

static int secret(haft_call *call)
{
    return haft_text(call, "secret of %s",
                     haft_call_principal(call) ? haft_call_principal(call) : "nobody");
}
HAFT_ROUTE_BARE(secret, "GET", "/secret", "Is for those with a key", .policies = "keys");

static int relay(haft_call *call)
{
    const char *key = haft_request_of(call) ? haft_request_header(call, "x-relayed") : NULL;
    haft_header line = {"X-API-Key", key};
    haft_response response;
    int status =
        haft_invoke(call, "GET", "/secret",
                    &(haft_invoke_options){.headers = &line, .n_headers = key != NULL}, &response);

    return status ? status : haft_text(call, "%d %s", response.status, response.body);
}
HAFT_ROUTE_BARE(relay, "GET", "/relay", "Invokes it, behind the same policy", .policies = "keys");
HAFT_TOOL_BARE(relay, "Invokes it");

static int open_relay(haft_call *call)
{
    return relay(call);
}
HAFT_ROUTE_BARE(open_relay, "GET", "/open", "Invokes it, behind no policy");

static int other_relay(haft_call *call)
{
    return relay(call);
}
HAFT_ROUTE_BARE(other_relay, "GET", "/other", "Invokes it, behind another policy",
                .policies = "others");

static int far_relay(haft_call *call)
{
    haft_response response;
    int status = haft_invoke(call, "GET", "/open", NULL, &response);

    return status ? status : haft_text(call, "%s", response.body);
}
HAFT_ROUTE_BARE(far_relay, "GET", "/far", "Invokes it by way of a third", .policies = "keys");

static int inner_secret(haft_call *call)
{
    return secret(call);
}
HAFT_ROUTE_BARE(inner_secret, "GET", "/inner-secret", "Asks only those who invoke it",
                .policies = "inner");

/* The policy is not asked about requests from outside, so it has not let anybody in. */
static int inner_relay(haft_call *call)
{
    haft_response response;
    int status = haft_invoke(call, "GET", "/inner-secret", NULL, &response);

    return status ? status : haft_text(call, "%d %s", response.status, response.body);
}
HAFT_ROUTE_BARE(inner_relay, "GET", "/inner", "Invokes it, behind the same policy",
                .policies = "inner");

static void make_keys(haft_gateway *gateway, haft_scope scope, const char *name, const char *line)
{
    char path[] = "/tmp/haft-identity-XXXXXX", options[128];
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    say(fd, line, strlen(line));
    close(fd);
    snprintf(options, sizeof options, "{\"file\":\"%s\"}", path);
    assert_int_equal(haft_policy_make_for(gateway, scope, name, "api-key", options), 0);
    unlink(path);
}

/* Who says so is taken at its word. */
static int believe(void *context, haft_request *request, const haft_responder *responder,
                   void *responder_context)
{
    (void)context;
    (void)responder;
    (void)responder_context;
    if (haft_header_find(request->headers, request->n_headers, "x-claim"))
        request->principal = "ann";
    return 0;
}

static haft_gateway *make(void)
{
    static const haft_route *const routes[] = {
        &secret_route,    &relay_route,        &open_relay_route, &other_relay_route,
        &far_relay_route, &inner_secret_route, &inner_relay_route};
    static const haft_tool *const tools[] = {&relay_tool, NULL};
    haft_gateway *gateway = haft_gateway_new(NULL);

    make_keys(gateway, HAFT_INVOKE, "inner",
              "41ef4bb0b23661e66301aac36066912dac037827b4ae63a7b1165a5aa93ed4eb ann\n");
    make_keys(gateway, HAFT_BOTH, "keys",
              "41ef4bb0b23661e66301aac36066912dac037827b4ae63a7b1165a5aa93ed4eb ann\n");
    make_keys(gateway, HAFT_BOTH, "others",
              "d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa eve\n");
    for (size_t i = 0; i < COUNT_OF(routes); i++)
        assert_int_equal(haft_route_add(gateway, routes[i]), 0);
    assert_non_null(
        haft_mcp_add(gateway, HAFT_WITH(haft_mcp_options, .tools = tools, .policies = "keys")));
    assert_non_null(haft_mcp_add(gateway, HAFT_WITH(haft_mcp_options, .endpoint = "/others",
                                                    .tools = tools, .policies = "others")));
    assert_non_null(haft_mcp_add(
        gateway, HAFT_WITH(haft_mcp_options, .endpoint = "/open-mcp", .tools = tools)));
    return gateway;
}

#define TOOL(name)                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"" name "\"}}"
#define ANN "X-API-Key: open sesame\r\n"
#define EVE "X-API-Key: other\r\n"
#define CLAIM "X-Claim: ann\r\n"

static void invokes_as_its_caller(void **state)
{
    static const struct {
        const char *start, *headers, *body, *part;
    } rows[] = {
        {"GET /secret", ANN, "", "secret of ann"},
        {"GET /relay", ANN, "", "200 secret of ann"},
        {"POST /mcp", ANN, TOOL("relay"), "200 secret of ann"},
        /* through one that asks for nothing, */
        {"GET /far", ANN, "", "200 secret of ann"},
        /* with a key of its own, which is looked at, */
        {"GET /relay", ANN "X-Relayed: wrong\r\n", "", "401 "},
        {"GET /relay", ANN "X-Relayed: open sesame\r\n", "", "200 secret of ann"},
        /* and not as somebody whom another policy knows, or nobody does, whoever he says he is */
        {"GET /other", EVE, "", "401 "},
        {"GET /other", EVE CLAIM, "", "401 "},
        {"POST /others", EVE, TOOL("relay"), "401 "},
        {"POST /others", EVE CLAIM, TOOL("relay"), "401 "},
        {"GET /inner", "", "", "401 "},
        {"GET /inner", ANN, "", "401 "},
        {"GET /inner-secret", "", "", "secret of nobody"},
        {"GET /open", "", "", "401 "},
        {"GET /open", CLAIM, "", "401 "},
        {"POST /open-mcp", CLAIM, TOOL("relay"), "401 "},
        {"POST /open-mcp", ANN, TOOL("relay"), "401 "},
        {"GET /secret", CLAIM, "", "HTTP/1.1 401 "},
        {"GET /relay", CLAIM, "", "HTTP/1.1 401 "},
        {"POST /mcp", CLAIM, TOOL("relay"), "HTTP/1.1 401 "},
    };
    haft_gateway *gateway = make();
    haft_app app = *haft_gateway_app(gateway);
    haft_http_mount mount = HAFT_INIT(haft_http_mount, .path = "/", .app = &app);
    struct site *site = site_open((haft_http_options)HAFT_INIT(
        haft_http_options, .path = "", .mounts = &mount, .n_mounts = 1, .admit = believe));

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        static char text[ROOM];
        char request[4096];
        int fd = dial(site),
            size = snprintf(request, sizeof request,
                            "%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s"
                            "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                            rows[i].start, rows[i].headers, strlen(rows[i].body), rows[i].body);

        say(fd, request, (size_t)size);
        assert_true(hear_all(fd, text, sizeof text));
        close(fd);
        if (!strstr(text, rows[i].part))
            fail_msg("%s %s: %s is not in %s", rows[i].start, rows[i].headers, rows[i].part, text);
    }
    site_close(site);
    haft_gateway_free(gateway);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(invokes_as_its_caller)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
