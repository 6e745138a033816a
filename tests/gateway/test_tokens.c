/* test_tokens.c - endpoints and routes behind an authenticator, as a policy and of the whole server:
 * who gets in, what handlers see, which scopes are missed, and the metadata. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include "stand.h"

#include <haft/authenticate.h>

#include "endpoint/identifying.h"
#include "gateway/inflight.h"
#include "gateway/policies.h"

/* ---- what is served ---- */

static int tell_who(haft_call *call)
{
    const haft_identity *identity = haft_call_identity(call);
    const haft_request *request = haft_request_of(call);
    const char *secret =
        request ? haft_header_find(request->headers, request->n_headers, "authorization") : NULL;

    return haft_text(
        call, "%s %s %s %s", haft_call_principal(call) ? haft_call_principal(call) : "-",
        identity && identity->method ? identity->method : "-",
        identity && identity->scopes ? identity->scopes : "-", secret ? secret : "hidden");
}

static int who(haft_call *call)
{
    return tell_who(call);
}
HAFT_ROUTE_BARE(who, "GET", "/who", "Says who calls", .policies = "tokens");

static int writes(haft_call *call)
{
    return tell_who(call);
}
HAFT_ROUTE_BARE(writes, "GET", "/writes", "Needs more", .policies = "tokens",
                .scopes = "read write");

static int reads(haft_call *call)
{
    return tell_who(call);
}
HAFT_ROUTE_BARE(reads, "GET", "/reads", "Needs little", .policies = "tokens", .scopes = "read");

static int opened(haft_call *call)
{
    return tell_who(call);
}
HAFT_ROUTE_BARE(opened, "GET", "/opened", "Is for all");

/* Calls a route behind the same policy, and one that needs more. */
static int through(haft_call *call)
{
    haft_response first, second;
    int status = haft_invoke(call, "GET", "/who", NULL, &first);

    if (!status)
        status = haft_invoke(call, "GET", "/writes", NULL, &second);
    return status ? status : haft_text(call, "%d %s, %d", first.status, first.body, second.status);
}
HAFT_ROUTE_BARE(through, "GET", "/through", "Invokes", .policies = "tokens");

/* Behind nothing: what it invokes is closed to it. */
static int around(haft_call *call)
{
    haft_response response;
    int status = haft_invoke(call, "GET", "/who", NULL, &response);

    return status ? status : haft_text(call, "%d", response.status);
}
HAFT_ROUTE_BARE(around, "GET", "/around", "Invokes");

static int who_tool_call(haft_call *call)
{
    return tell_who(call);
}
HAFT_TOOL_BARE(who_tool_call, "Says who calls");

/* A tool that uses a route which requires more than its caller has. */
static int relay_tool_call(haft_call *call)
{
    return through(call);
}
HAFT_TOOL_BARE(relay_tool_call, "Invokes");

static int write_tool_call(haft_call *call)
{
    return tell_who(call);
}
HAFT_TOOL_BARE(write_tool_call, "Needs more", .scopes = "write");

static const haft_tool *const tools[] = {&who_tool_call_tool, &write_tool_call_tool,
                                         &relay_tool_call_tool, NULL};

static void gateway_fill(struct stand *stand, const haft_policy *policy)
{
    static const haft_route *const routes[] = {&who_route,    &writes_route,  &reads_route,
                                               &opened_route, &through_route, &around_route};

    stand->gateway = haft_gateway_new(NULL);
    assert_int_equal(haft_policy_add(stand->gateway, policy), 0);
    for (size_t i = 0; i < COUNT_OF(routes); i++)
        assert_int_equal(haft_route_add(stand->gateway, routes[i]), 0);
    assert_non_null(
        haft_mcp_add(stand->gateway, HAFT_WITH(haft_mcp_options, .tools = tools,
                                               .policies = "tokens", .routes = "writes, reads")));
}

static void stand_open(struct stand *stand, struct identifying *one)
{
    haft_policy policy = hf_policy_of_authenticator(&one->base);

    policy.name = "tokens";
    gateway_fill(stand, &policy);
    stand_serve(stand, (haft_http_options)HAFT_INIT(haft_http_options, .path = ""));
}

/* Of the whole server, without policies. */
static int pass_on(haft_call *call, void *data)
{
    (void)call;
    (void)data;
    return 0;
}

static void stand_open_whole(struct stand *stand, struct identifying *one)
{
    static const haft_policy nothing = HAFT_INIT(haft_policy, .name = "tokens", .inbound = pass_on);
    haft_http_options options = HAFT_INIT(haft_http_options, .authenticator = &one->base);
    haft_reason reason;

    gateway_fill(stand, &nothing);
    assert_int_equal(
        hf_gateway_mount(stand->gateway, &options, &stand->mount, &stand->app, &reason), 0);
    stand->site = site_open(options);
}

/* ---- requests ---- */

static int send_as(const struct stand *stand, const char *method, const char *target,
                   const char *token, const char *headers, const char *body)
{
    char request[2048];
    int fd = dial(stand->site);

    snprintf(request, sizeof request,
             "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
             "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
             "Content-Length: %zu\r\n%s%s%s%s\r\n%s",
             method, target, strlen(body), token ? "Authorization: Bearer " : "",
             token ? token : "", token ? "\r\n" : "", headers, body);
    say(fd, request, strlen(request));
    return fd;
}

struct row {
    const char *method, *target, *token, *body, *status, *part;
};

#define USE(name)                                                                                  \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"" name "\"}}"
#define TICK "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"
#define METADATA "/.well-known/oauth-protected-resource"

static void expect_rows(const struct stand *stand, const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        stand_expect(
            send_as(stand, rows[i].method, rows[i].target, rows[i].token, "", rows[i].body),
            rows[i].status, rows[i].part);
}

static void admits_by_policy(void **state)
{
    static const struct row rows[] = {
        {"GET", "/who", NULL, "", " 401 ", "realm=\"one\""},
        {"GET", "/who", "bad", "", " 401 ", "{\"error\":\"invalid_token\"}"},
        {"GET", "/who", "ann", "", " 200 ", "ann oauth read hidden"},
        {"GET", "/who", "broken", "", " 500 ", ""},
        {"GET", "/who", "nobody", "", " 500 ", ""},
        {"GET", "/who", "nonce-ann", "", " 200 ", "DPoP-Nonce: n-1"},
        {"GET", "/who", "nonce-bad", "", " 401 ", "DPoP-Nonce: n-1"},
        {"GET", "/writes", "nonce-ann", "", " 403 ", "DPoP-Nonce: n-1"},
        {"POST", "/mcp", "nonce-ann", TICK, " 200 ", "DPoP-Nonce: n-1"},
        {"HEAD", "/who", NULL, "", " 401 ", "realm=\"one\""},
        {"GET", "/reads", "ann", "", " 200 ", "ann oauth read"},
        {"GET", "/writes", "ann", "", " 403 ", "realm=\"one/\", scope=\"read write\""},
        {"GET", "/opened", NULL, "", " 200 ", "- - - hidden"},
        {"GET", "/opened", "ann", "", " 200 ", "- - - Bearer ann"},
        {"GET", "/through", "ann", "", " 200 ", "200 ann oauth read hidden, 403"},
        {"GET", "/around", "ann", "", " 200 ", "401"},
        {"POST", "/mcp", NULL, TICK, " 401 ", "realm=\"one\""},
        {"GET", "/mcp", NULL, "", " 401 ", "realm=\"one\""},
        {"DELETE", "/mcp", NULL, "", " 401 ", "realm=\"one\""},
        {"POST", "/mcp", "ann", TICK, " 200 ", "\"result\":{}"},
        {"POST", "/mcp", "ann", USE("who_tool_call"), " 200 ", "ann oauth read hidden"},
        {"POST", "/mcp", "ann", USE("write_tool_call"), " 403 ",
         "realm=\"one/mcp\", scope=\"write\""},
        {"POST", "/mcp", "ann", USE("relay_tool_call"), " 200 ", "200 ann oauth read hidden, 403"},
        {"POST", "/mcp", "ann", USE("reads"), " 200 ", "ann oauth read hidden"},
        {"POST", "/mcp", "ann", USE("writes"), " 403 ", "scope=\"read write\""},
        {"GET", METADATA, NULL, "", " 200 ", "{\"resource\":\"one/\","},
        {"GET", METADATA "/mcp", NULL, "", " 200 ", "\"resource\":\"one/mcp\",\"scopes\":\""},
        {"GET", METADATA "/mcp", NULL, "", " 200 ", ",\"name\":\"MCP Custom Server\"}"},
        {"OPTIONS", METADATA "/mcp", NULL, "", " 204 ", "Access-Control-Allow-Methods: GET, HEAD"},
        {"POST", METADATA "/mcp", NULL, "", " 405 ", "Allow: GET, HEAD, OPTIONS"},
        {"GET", METADATA "/who", NULL, "", " 404 ", ""},
    };
    struct identifying one = IDENTIFYING("one");
    struct stand stand;

    (void)state;
    stand_open(&stand, &one);
    expect_rows(&stand, rows, COUNT_OF(rows));
    stand_expect(
        send_as(&stand, "GET", METADATA "/mcp", NULL, "Origin: https://page.example\r\n", ""),
        " 200 ", "Access-Control-Allow-Origin: *");
    stand_expect(send_as(&stand, "GET", "/opened", NULL, "Origin: https://page.example\r\n", ""),
                 " 403 ", "origin");
    stand_close(&stand);
    identifying_assert_over(&one);
}

static void admits_for_the_whole_server(void **state)
{
    static const struct row rows[] = {
        {"GET", "/opened", NULL, "", " 401 ", "realm=\"one\""},
        {"GET", "/opened", "ann", "", " 200 ", "ann oauth read hidden"},
        {"GET", "/writes", "ann", "", " 403 ", "realm=\"one/\", scope=\"read write\""},
        {"GET", "/around", "ann", "", " 200 ", "200"},
        {"POST", "/mcp", NULL, TICK, " 401 ", "realm=\"one\""},
        {"POST", "/mcp", "ann", USE("who_tool_call"), " 200 ", "ann oauth read hidden"},
        {"POST", "/mcp", "ann", USE("write_tool_call"), " 403 ",
         "realm=\"one/mcp\", scope=\"write\""},
        {"GET", METADATA "/mcp", NULL, "", " 200 ", "\"resource\":\"one/mcp\",\"scopes\":\""},
        {"GET", METADATA, NULL, "", " 200 ", "\"resource\":\"one/\","},
    };
    struct identifying one = IDENTIFYING("one");
    struct stand stand;

    (void)state;
    stand_open_whole(&stand, &one);
    expect_rows(&stand, rows, COUNT_OF(rows));
    assert_string_equal(one.path, "/mcp");
    stand_close(&stand);
    identifying_assert_over(&one);
}

/* ---- later ---- */

static void wait_pending(struct identifying *one, size_t n)
{
    while (identifying_n_pending(one) < n)
        usleep(1000);
}

static void waits_without_a_thread(void **state)
{
    static const struct {
        const char *method, *target, *token, *body, *status, *part;
    } rows[] = {
        {"GET", "/who", "wait-ann", "", " 200 ", "ann oauth read hidden"},
        {"GET", "/who", "wait-bad", "", " 401 ", "realm=\"one\""},
        {"GET", "/writes", "wait-ann", "", " 403 ", "scope=\"read write\""},
        {"POST", "/mcp", "wait-ann", USE("who_tool_call"), " 200 ", "ann oauth read hidden"},
        {"POST", "/mcp", "wait-bad", TICK, " 401 ", "realm=\"one\""},
        {"POST", "/mcp", "wait-nobody", TICK, " 500 ", ""},
        {"POST", "/mcp", "wait-nonce-ann", TICK, " 200 ", "DPoP-Nonce: n-1"},
        {"GET", "/who", "wait-nonce-ann", "", " 200 ", "DPoP-Nonce: n-1"},
    };
    struct identifying one = IDENTIFYING("one");
    struct stand stand;
    int fds[COUNT_OF(rows)];

    (void)state;
    stand_open(&stand, &one);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        fds[i] = send_as(&stand, rows[i].method, rows[i].target, rows[i].token, "", rows[i].body);
        wait_pending(&one, i + 1);
    }
    /* All of them at once, and others are served meanwhile. */
    stand_expect(send_as(&stand, "GET", "/who", "bob", "", ""), " 200 ", "bob");
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        identifying_answer(&one);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        stand_expect(fds[i], rows[i].status, rows[i].part);
    stand_close(&stand);
    identifying_assert_over(&one);
}

static int send_long(const struct stand *stand, const char *body, size_t size)
{
    char head[512];
    int fd = dial(stand->site);

    snprintf(head, sizeof head,
             "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
             "Content-Type: application/json\r\nAuthorization: Bearer wait-bad\r\n"
             "Content-Length: %zu\r\n\r\n",
             size);
    say(fd, head, strlen(head));
    say(fd, body, size);
    return fd;
}

/* 64 MiB in all. */
static void bounds_what_waits(void **state)
{
    enum { SIZE = 4 << 20, MOST = 16 };
    struct identifying one = IDENTIFYING("one");
    struct stand stand;
    int fds[MOST];
    char *body = malloc(SIZE);

    (void)state;
    assert_non_null(body);
    memset(body, ' ', SIZE);
    stand_open(&stand, &one);
    for (size_t i = 0; i < MOST; i++) {
        fds[i] = send_long(&stand, body, SIZE);
        wait_pending(&one, i + 1);
    }
    stand_expect(send_long(&stand, body, SIZE), " 503 ", "Retry-After: 5");
    /* Those without bodies are not concerned. */
    stand_expect(send_as(&stand, "GET", "/who", "bob", "", ""), " 200 ", "bob");
    for (size_t i = 0; i < MOST; i++)
        identifying_answer(&one);
    for (size_t i = 0; i < MOST; i++)
        stand_expect(fds[i], " 401 ", "realm");
    fds[0] = send_long(&stand, body, SIZE);
    wait_pending(&one, 1);
    identifying_answer(&one);
    stand_expect(fds[0], " 401 ", "realm");
    free(body);
    stand_close(&stand);
    identifying_assert_over(&one);
}

static void outlasts_clients_that_leave(void **state)
{
    struct identifying one = IDENTIFYING("one");
    struct stand stand;

    (void)state;
    stand_open(&stand, &one);
    close(send_as(&stand, "GET", "/who", "wait-ann", "", ""));
    wait_pending(&one, 1);
    close(send_as(&stand, "POST", "/mcp", "wait-ann", "", TICK));
    wait_pending(&one, 2);
    stand_expect(send_as(&stand, "GET", "/who", "bob", "", ""), " 200 ", "bob");
    identifying_answer(&one);
    identifying_answer(&one);
    stand_close(&stand);
    identifying_assert_over(&one);
}

/* ---- options ---- */

static void reads_options(void **state)
{
    static const struct {
        const char *options, *error; /* NULL: none */
    } rows[] = {
        {"{\"issuers\":[{\"url\":\"https://login.example.org\"}],\"resource\":\"https://x.example\"}",
         NULL},
        {"{\"issuers\":[{\"url\":\"https://login.example.org\",\"jwks_uri\":\"https://login.example.org/"
         "keys\",\"any_type\":true}],\"resource\":\"https://x.example/mcp\",\"audiences\":[\"a\"],"
         "\"name\":\"X\",\"scopes\":\"read\",\"dpop\":\"required\",\"dpop_nonce\":true}",
         NULL},
        {"{\"resource\":\"https://x.example\"}", "issuers"},
        {"{\"issuers\":[],\"resource\":\"https://x.example\"}", "issuers"},
        {"{\"issuers\":[{\"url\":\"https://a.example\"}]}", "resource"},
        {"{\"issuers\":[{\"url\":\"https://a.example\",\"client_secret_file\":\"/no/file\"}],"
         "\"resource\":\"https://x.example\"}",
         "/no/file"},
        {"{\"issuers\":[{\"url\":\"ftp://a.example\"}],\"resource\":\"https://x.example\"}",
         "https URL"},
        {"{\"issuers\":[{\"url\":\"https://a.example\"}],\"resource\":\"https://x.example\","
         "\"dpop\":\"maybe\"}",
         "dpop"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_gateway *gateway = haft_gateway_new(NULL);
        int status = haft_policy_make(gateway, "tokens", "oauth", rows[i].options);
        const haft_reason *error = haft_gateway_error(gateway);

        if (!status != !rows[i].error ||
            (status && !strstr(error->text, rows[i].error) && !strstr(error->path, rows[i].error)))
            fail_msg("row %zu: %d %s: %s", i, status, error->path, error->text);
        haft_gateway_free(gateway);
    }
}

/* ---- a token for one resource ---- */

static haft_authenticator *authenticator_for(const char *resource)
{
    haft_issuer issuer = HAFT_INIT(haft_issuer, .url = "https://login.example.org");
    haft_authenticator *made =
        haft_authenticator_new(HAFT_WITH(haft_authenticator_options, .resource = resource,
                                         .issuers = &issuer, .n_issuers = 1),
                               NULL);

    assert_non_null(made);
    return made;
}

/* A gateway with one or two endpoints, and perhaps a route, behind a policy or not. */
static haft_gateway *gateway_for(const char *resource, bool policy, bool two, bool route)
{
    haft_gateway *gateway = haft_gateway_new(NULL);
    const char *policies = policy ? "tokens" : NULL;
    char options[256];

    snprintf(options, sizeof options,
             "{\"issuers\":[{\"url\":\"https://login.example.org\"}],\"resource\":\"%s\"}",
             resource);
    assert_int_equal(haft_policy_make(gateway, "tokens", "oauth", options), 0);
    assert_non_null(haft_mcp_add(gateway, HAFT_WITH(haft_mcp_options, .policies = policies)));
    if (two)
        assert_non_null(haft_mcp_add(
            gateway, HAFT_WITH(haft_mcp_options, .endpoint = "/b", .policies = policies)));
    if (route)
        assert_int_equal(haft_route_add(gateway, policy ? &who_route : &opened_route), 0);
    return gateway;
}

static void keeps_resources_apart(void **state)
{
    static const struct {
        const char *resource;
        bool two, route;
        const char *refused; /* the other resource; NULL: it is served */
    } rows[] = {
        {"https://x.example", true, true, NULL},
        {"https://x.example/", true, true, NULL},
        {"https://x.example/mcp", false, false, NULL},
        {"https://x.example/api/mcp", false, false, NULL},
        {"https://x.example/mcp", true, false, "/mcp and /b use it"},
        {"https://x.example/mcp", false, true, "/mcp and /"},
    };

    (void)state;
    for (size_t i = 0; i < 2 * COUNT_OF(rows); i++) {
        size_t at = i / 2;
        bool policy = i % 2;
        haft_gateway *gateway =
            gateway_for(rows[at].resource, policy, rows[at].two, rows[at].route);
        haft_authenticator *whole = policy ? NULL : authenticator_for(rows[at].resource);
        haft_http_options http = HAFT_INIT(haft_http_options, .authenticator = whole);
        haft_http_mount mount;
        haft_app app;
        haft_reason reason = {0};
        int status;

        status = hf_gateway_mount(gateway, &http, &mount, &app, &reason);
        if (status != (rows[at].refused ? HAFT_EINVAL : 0) ||
            (status && !strstr(reason.text, rows[at].refused)))
            fail_msg("row %zu: %d %s", i, status, reason.text);
        haft_gateway_free(gateway);
        haft_authenticator_free(whole);
    }
}

static haft_endpoint *endpoint_at(haft_server *server, const char *path,
                                  haft_authenticator *authenticator)
{
    static const haft_loop none = HAFT_INIT(haft_loop, .wake = NULL);

    return haft_endpoint_new(server, HAFT_WITH(haft_endpoint_options, .path = path, .loop = &none,
                                               .authenticator = authenticator));
}

static void keeps_embedded_resources_apart(void **state)
{
    haft_authenticator *one = authenticator_for("https://x.example/mcp"),
                       *many = authenticator_for("https://x.example");
    haft_server *server = haft_server_new("test", "1");
    haft_endpoint *first = endpoint_at(server, "/mcp", one), *again, *other;

    (void)state;
    assert_non_null(first);
    assert_null(endpoint_at(server, "/b", one));
    assert_non_null(strstr(haft_server_error(server)->text, "but /mcp and /b use it"));
    again = endpoint_at(server, "/mcp", one);
    assert_non_null(again);
    haft_endpoint_free(first);
    haft_endpoint_free(again);
    first = endpoint_at(server, "/mcp", many);
    other = endpoint_at(server, "/b", many);
    assert_non_null(first);
    assert_non_null(other);
    haft_endpoint_free(first);
    haft_endpoint_free(other);
    haft_authenticator_free(one);
    haft_authenticator_free(many);
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(admits_by_policy),       cmocka_unit_test(admits_for_the_whole_server),
        cmocka_unit_test(waits_without_a_thread), cmocka_unit_test(outlasts_clients_that_leave),
        cmocka_unit_test(bounds_what_waits),      cmocka_unit_test(reads_options),
        cmocka_unit_test(keeps_resources_apart),  cmocka_unit_test(keeps_embedded_resources_apart),
    };

    return cmocka_run_group_tests_name("tokens", tests, NULL, NULL);
}
