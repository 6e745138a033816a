/* test_app_headers.c - headers that must come once, behind a gateway as without one. */
#define _DEFAULT_SOURCE
#include "http/site.h"

#include <haft/gateway.h>
#include <strings.h>

HAFT_STRUCT(region_args, HAFT_OPTIONAL(HAFT_HEADER("Region", HAFT_STRING(region, "Where"))));

static int where(haft_call *call, const region_args *in)
{
    return haft_text(call, "in %s", in->region ? in->region : "no place");
}
HAFT_TOOL_IN(where, region_args, "Tells where", .quick = true);

static int plain(haft_call *call)
{
    return haft_text(call, "plain");
}
HAFT_ROUTE_BARE(plain, "POST", "/plain", "Is a route");

/* A cookie for each header X-Twice, as often as it came. */
static int cookies(haft_call *call)
{
    const haft_request *request = haft_request_of(call);
    int status = haft_response_set_header(call, "set-cookie", "replaced=0");

    if (!status)
        status = haft_response_set_header(call, "Set-Cookie", NULL);
    for (size_t i = 0; i < request->n_headers && !status; i++)
        if (!strcasecmp(request->headers[i].name, "x-twice"))
            status = haft_response_add_header(call, "Set-Cookie", request->headers[i].value);
    return status ? status : haft_respond(call, 200, NULL, NULL, 0);
}
HAFT_ROUTE_BARE(cookies, "POST", "/cookies", "Gives them back");

static int relay_cookies(haft_call *call)
{
    haft_response response;
    haft_header own[] = {{"X-Twice", "c=3"}, {"X-Twice", "d=4"}};
    int status = haft_invoke(call, "POST", "/cookies",
                             &(haft_invoke_options){.headers = own, .n_headers = 2}, &response);

    return status ? status : haft_respond_with(call, &response);
}
HAFT_ROUTE_BARE(relay_cookies, "POST", "/relay-cookies", "Gives what another gives",
                .policies = "nap");

/* Endpoints without a policy, with one that blocks, and with those that change headers: on the loop
 * and on a worker. */
static haft_gateway *make(void)
{
    static const struct {
        const char *path, *policies;
    } endpoints[] = {{"/mcp", NULL},
                     {"/napping", "nap"},
                     {"/set", "set"},
                     {"/late-set", "nap, set"},
                     {"/set-twice", "set, other"},
                     {"/cut", "cut"},
                     {"/late-cut", "nap, cut"}};
    static const haft_tool *const tools[] = {&where_tool, NULL};
    haft_gateway *gateway = haft_gateway_new(NULL);

    assert_int_equal(haft_policy_make(gateway, "nap", "sleep", "{\"ms\":1}"), 0);
    assert_int_equal(haft_policy_make(gateway, "set", "set-headers",
                                      "{\"request\":{\"MCP-Param-REGION\":\"eu\"}}"),
                     0);
    assert_int_equal(haft_policy_make(gateway, "other", "set-headers",
                                      "{\"request\":{\"mcp-param-Region\":\"us\"}}"),
                     0);
    assert_int_equal(
        haft_policy_make(gateway, "cut", "remove-headers", "{\"request\":[\"MCP-PARAM-region\"]}"),
        0);
    assert_int_equal(haft_route_add(gateway, &plain_route), 0);
    assert_int_equal(haft_route_add(gateway, &cookies_route), 0);
    assert_int_equal(haft_route_add(gateway, &relay_cookies_route), 0);
    for (size_t i = 0; i < COUNT_OF(endpoints); i++)
        assert_non_null(
            haft_mcp_add(gateway, HAFT_WITH(haft_mcp_options, .endpoint = endpoints[i].path,
                                            .tools = tools, .policies = endpoints[i].policies)));
    return gateway;
}

static const char *post(const struct site *site, const char *path, const char *headers,
                        const char *body)
{
    static char text[ROOM];
    char request[2048];
    int fd = dial(site);

    snprintf(request, sizeof request,
             "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
             "Connection: close\r\n%sContent-Length: %zu\r\n\r\n%s",
             path, headers, strlen(body), body);
    say(fd, request, strlen(request));
    assert_true(hear_all(fd, text, sizeof text));
    close(fd);
    return text;
}

#define MODERN "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: where\r\n"
#define WHERE(arguments)                                                                           \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"where\","      \
    "\"arguments\":" arguments ",\"_meta\":{"                                                      \
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                                  \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}"
#define EU WHERE("{\"region\":\"eu\"}")

static void takes_parameters_once(void **state)
{
    static const struct {
        const char *path, *headers, *body;
        const char *parts[2]; /* of the response */
    } rows[] = {
        {"/mcp", "Mcp-Param-Region: eu\r\n", EU, {"HTTP/1.1 200 ", "in eu"}},
        {"/mcp",
         "Mcp-Param-Region: eu\r\nMcp-Param-Region: eu\r\n",
         EU,
         {"HTTP/1.1 400 ", "more than once"}},
        {"/mcp",
         "mcp-param-region: eu\r\nMCP-PARAM-REGION: us\r\n",
         EU,
         {"HTTP/1.1 400 ", "more than once"}},
        {"/mcp", "Mcp-Param-Region: eu\r\nX: y\r\nX: y\r\n", EU, {"HTTP/1.1 200 ", "in eu"}},
        {"/napping", "Mcp-Param-Region: eu\r\n", EU, {"HTTP/1.1 200 ", "in eu"}},
        {"/napping",
         "Mcp-Param-Region: eu\r\nmcp-param-region: us\r\n",
         EU,
         {"HTTP/1.1 400 ", "more than once"}},
        /* what a policy sets is there once, whatever came */
        {"/set", "", EU, {"HTTP/1.1 200 ", "in eu"}},
        {"/set",
         "Mcp-Param-Region: us\r\nMcp-Param-Region: us\r\n",
         EU,
         {"HTTP/1.1 200 ", "in eu"}},
        {"/late-set",
         "Mcp-Param-Region: us\r\nMcp-Param-Region: us\r\n",
         EU,
         {"HTTP/1.1 200 ", "in eu"}},
        {"/set-twice", "Mcp-Param-Region: eu\r\n", EU, {"HTTP/1.1 400 ", "does not match"}},
        {"/set-twice",
         "Mcp-Param-Region: eu\r\n",
         WHERE("{\"region\":\"us\"}"),
         {"HTTP/1.1 200 ", "in us"}},
        {"/cut",
         "Mcp-Param-Region: us\r\nMcp-Param-Region: us\r\n",
         WHERE("{}"),
         {"HTTP/1.1 200 ", "no place"}},
        {"/late-cut",
         "Mcp-Param-Region: us\r\nMcp-Param-Region: us\r\n",
         WHERE("{}"),
         {"HTTP/1.1 200 ", "no place"}},
        {"/cut", "Mcp-Param-Region: eu\r\n", EU, {"HTTP/1.1 400 ", "is required"}},
    };
    haft_gateway *gateway = make();
    haft_app app = *haft_gateway_app(gateway);
    haft_http_mount mount = HAFT_INIT(haft_http_mount, .path = "/", .app = &app);
    struct site *site = site_open((haft_http_options)HAFT_INIT(haft_http_options, .path = "",
                                                               .mounts = &mount, .n_mounts = 1));

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char headers[512];
        const char *got;

        snprintf(headers, sizeof headers, MODERN "%s", rows[i].headers);
        got = post(site, rows[i].path, headers, rows[i].body);
        for (int k = 0; k < 2; k++)
            if (!strstr(got, rows[i].parts[k]))
                fail_msg("row %zu: %s is not in %s", i, rows[i].parts[k], got);
    }
    site_close(site);
    haft_gateway_free(gateway);
}

/* However they are spelled, and whoever would have answered. */
static void takes_others_once(void **state)
{
    static const struct {
        const char *first, *second, *value;
    } rows[] = {
        {"Origin", "oRIGIN", "http://localhost"},
        {"Authorization", "AUTHORIZATION", "Basic eDp5"},
        {"X-API-Key", "x-api-key", "1"},
        {"Mcp-Method", "mCP-mETHOD", "ping"},
        {"Mcp-Name", "mcp-name", "where"},
        {"MCP-Protocol-Version", "Mcp-Protocol-Version", "2025-06-18"},
        {"Mcp-Session-Id", "MCP-SESSION-ID", "1"},
        {"Last-Event-ID", "last-event-id", "1-1"},
        {"Content-Type", "content-TYPE", "application/json"},
        {"Host", "hOST", "localhost"},
    };
    static const char *const paths[] = {"/mcp", "/napping", "/plain", "/own"};
    haft_gateway *gateway = make();
    haft_app app = *haft_gateway_app(gateway);
    haft_http_mount mount = HAFT_INIT(haft_http_mount, .path = "/", .app = &app);
    struct site *site = site_open((haft_http_options)HAFT_INIT(haft_http_options, .path = "/own",
                                                               .mounts = &mount, .n_mounts = 1));

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (size_t k = 0; k < COUNT_OF(paths); k++) {
            char headers[256];
            const char *got;

            snprintf(headers, sizeof headers, "%s: %s\r\n%s: %s\r\n", rows[i].first, rows[i].value,
                     rows[i].second, rows[i].value);
            got = post(site, paths[k], headers, PING(1));
            if (strncmp(got, "HTTP/1.1 400 ", 13))
                fail_msg("%s twice at %s: %s", rows[i].first, paths[k], got);
        }
    assert_non_null(strstr(post(site, "/plain", "", ""), "HTTP/1.1 200 "));
    site_close(site);
    haft_gateway_free(gateway);
}

/* In, out, and from one route to another; without the blanks around them. */
static void keeps_several_of_one_name(void **state)
{
    haft_gateway *gateway = make();
    haft_app app = *haft_gateway_app(gateway);
    haft_http_mount mount = HAFT_INIT(haft_http_mount, .path = "/", .app = &app);
    struct site *site = site_open((haft_http_options)HAFT_INIT(haft_http_options, .path = "",
                                                               .mounts = &mount, .n_mounts = 1));
    const char *got = post(site, "/cookies", "X-Twice:\t a=1 \t\r\nx-twice: b=2\t\r\n", "");

    (void)state;
    assert_non_null(strstr(got, "\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n"));
    assert_null(strstr(got, "replaced"));
    got = post(site, "/relay-cookies", "", "");
    assert_non_null(strstr(got, "Set-Cookie: c=3\r\n"));
    assert_non_null(strstr(got, "Set-Cookie: d=4\r\n"));
    site_close(site);
    haft_gateway_free(gateway);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(takes_parameters_once),
                                       cmocka_unit_test(takes_others_once),
                                       cmocka_unit_test(keeps_several_of_one_name)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
