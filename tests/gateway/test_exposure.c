/* test_exposure.c - what a gateway behind a real HTTP server lets in: pages of which origins, and
 * whether it may listen for other machines. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include "http/site.h"

#include <haft/gateway.h>

#include "endpoint/identifying.h"
#include "gateway/policies.h"

static int hello(haft_call *call)
{
    return haft_text(call, "hello");
}
HAFT_ROUTE_BARE(hello, "GET", "/hello", "Says hello", .policies = "who, pages", .quick = true);

static int away(haft_call *call)
{
    return haft_text(call, "hello");
}
HAFT_ROUTE_BARE(away, "GET", "/slow", "Says hello on a worker", .policies = "pages");

static int bare(haft_call *call)
{
    return haft_text(call, "hello");
}
HAFT_ROUTE_BARE(bare, "GET", "/bare", "Lets no page in");

static int internal(haft_call *call)
{
    return haft_text(call, "hello");
}
HAFT_ROUTE_BARE(internal, "GET", "/internal", "Lets pages in that invoke it",
                .policies = "pages-within");

/* A name is enough to be somebody here; a preflight never has one. */
static int name_them(haft_call *call, void *data)
{
    const char *name = haft_request_header(call, "x-name");

    (void)data;
    if (name)
        return haft_call_set_principal(call, name);
    return haft_problem(call, 401, "Who is it?") ? HAFT_ENOMEM : HAFT_STOP;
}
static const haft_policy who = HAFT_INIT(haft_policy, .name = "who", .inbound = name_them);

static const char cors[] = "{\"origins\":[\"https://a.example\"]}";

static haft_gateway *make(void)
{
    static const haft_route *const routes[] = {&hello_route, &away_route, &bare_route,
                                               &internal_route};
    haft_gateway *gateway = haft_gateway_new(NULL);

    assert_int_equal(haft_policy_add(gateway, &who), 0);
    assert_int_equal(haft_policy_make(gateway, "pages", "cors", cors), 0);
    assert_int_equal(haft_policy_make_for(gateway, HAFT_INVOKE, "pages-within", "cors", cors), 0);
    for (size_t i = 0; i < COUNT_OF(routes); i++)
        assert_int_equal(haft_route_add(gateway, routes[i]), 0);
    assert_non_null(haft_mcp_add(gateway, HAFT_WITH(haft_mcp_options, .policies = "who, pages")));
    assert_non_null(haft_mcp_add(gateway, HAFT_WITH(haft_mcp_options, .endpoint = "/closed")));
    return gateway;
}

static const char *exchange(const struct site *site, const char *start, const char *headers,
                            const char *body)
{
    static char text[ROOM];
    char request[4096];
    int fd = dial(site),
        size = snprintf(request, sizeof request,
                        "%s HTTP/1.1\r\nConnection: close\r\n%sContent-Length: %zu\r\n\r\n%s",
                        start, headers, strlen(body), body);

    say(fd, request, (size_t)size);
    assert_true(hear_all(fd, text, sizeof text));
    close(fd);
    return text;
}

#define HOST "Host: localhost\r\n"
#define PAGE "Origin: https://a.example\r\n"
#define OTHER "Origin: https://b.example\r\n"
#define SERVERS "Origin: https://s.example\r\n"
#define ASKS "Access-Control-Request-Method: GET\r\n"
#define ASKS_POST "Access-Control-Request-Method: POST\r\n"
#define JSON "Content-Type: application/json\r\n"
#define NAMED "X-Name: ann\r\n"
#define LETS_IN "\r\nAccess-Control-Allow-Origin: https://a.example\r\n"

struct row {
    const char *start, *headers, *body;
    const char *parts[3]; /* all of which the response has */
};

static void check(const haft_http_options *given, const struct row *rows, size_t n)
{
    haft_gateway *gateway = make();
    haft_app app = *haft_gateway_app(gateway);
    haft_http_mount mount = HAFT_INIT(haft_http_mount, .path = "/", .app = &app);
    haft_http_options options = *given;
    struct site *site;

    options.path = "";
    options.mounts = &mount;
    options.n_mounts = 1;
    site = site_open(options);
    for (size_t i = 0; i < n; i++) {
        const char *got = exchange(site, rows[i].start, rows[i].headers, rows[i].body);

        for (size_t j = 0; j < 3 && rows[i].parts[j]; j++)
            if (!strstr(got, rows[i].parts[j]))
                fail_msg("%s %s: %s is not in %s", rows[i].start, rows[i].headers, rows[i].parts[j],
                         got);
        assert_true(count_of(got, "Access-Control-Allow-Origin") <= 1);
    }
    site_close(site);
    haft_gateway_free(gateway);
}

static void lets_in_pages_that_a_policy_allows(void **state)
{
    static const struct row rows[] = {
        {"GET /hello", HOST NAMED PAGE, "", {"HTTP/1.1 200 ", LETS_IN, "hello"}},
        {"GET /slow", HOST PAGE, "", {"HTTP/1.1 200 ", LETS_IN, "hello"}},
        {"OPTIONS /hello", HOST PAGE ASKS, "", {"HTTP/1.1 204 ", LETS_IN, "Allow-Methods: GET"}},
        {"OPTIONS /slow", HOST PAGE ASKS, "", {"HTTP/1.1 204 ", LETS_IN}},
        {"POST /mcp", HOST NAMED PAGE JSON, PING(1), {"HTTP/1.1 200 ", LETS_IN, PONG(1)}},
        /* before the policy that asks for a name, which a preflight cannot have */
        {"OPTIONS /mcp", HOST PAGE ASKS_POST, "", {"HTTP/1.1 204 ", LETS_IN}},
        /* what nobody allows stays out, */
        {"GET /hello", HOST NAMED OTHER, "", {"HTTP/1.1 403 "}},
        {"OPTIONS /hello", HOST OTHER ASKS, "", {"HTTP/1.1 403 "}},
        {"POST /mcp", HOST NAMED OTHER JSON, PING(1), {"HTTP/1.1 403 "}},
        {"GET /bare", HOST PAGE, "", {"HTTP/1.1 403 "}},
        {"OPTIONS /bare", HOST PAGE ASKS, "", {"HTTP/1.1 403 "}},
        {"GET /internal", HOST PAGE, "", {"HTTP/1.1 403 "}},
        {"GET /none", HOST PAGE, "", {"HTTP/1.1 403 "}},
        {"POST /hello", HOST PAGE, "", {"HTTP/1.1 403 "}},
        {"OPTIONS /hello", HOST PAGE ASKS_POST, "", {"HTTP/1.1 403 "}},
        {"POST /closed", HOST PAGE JSON, PING(1), {"HTTP/1.1 403 "}},
        {"GET /hel%6co", HOST NAMED PAGE, "", {"HTTP/1.1 200 ", LETS_IN}},
        {"GET /hello", HOST NAMED "Origin: https://a.example.evil\r\n", "", {"HTTP/1.1 403 "}},
        /* and the host is looked at as ever */
        {"GET /hello", "Host: evil.example\r\n" NAMED PAGE, "", {"HTTP/1.1 403 "}},
    };

    (void)state;
    check(HAFT_WITH(haft_http_options, .address = "127.0.0.1:0"), rows, COUNT_OF(rows));
}

/* A server that lets pages of one origin in itself leaves those of the policy's to the policy. */
static void stands_beside_the_servers_own(void **state)
{
    static const struct row rows[] = {
        {"GET /slow", HOST PAGE, "", {"HTTP/1.1 200 ", LETS_IN}},
        {"OPTIONS /slow", HOST PAGE ASKS, "", {"HTTP/1.1 204 ", LETS_IN}},
        {"GET /bare", HOST SERVERS, "", {"HTTP/1.1 200 ", "Allow-Origin: https://s.example\r\n"}},
        {"OPTIONS /bare",
         HOST SERVERS ASKS,
         "",
         {"HTTP/1.1 204 ", "Allow-Origin: https://s.example\r\n"}},
        {"GET /bare", HOST PAGE, "", {"HTTP/1.1 403 "}},
    };

    (void)state;
    check(
        HAFT_WITH(haft_http_options, .address = "127.0.0.1:0", .cors_origin = "https://s.example"),
        rows, COUNT_OF(rows));
}

/* ---- for other machines ---- */

static haft_gateway *make_for_others(haft_authenticator *authenticator, const char *policies,
                                     const char *endpoint, const char *route)
{
    static const haft_policy knows = HAFT_INIT(haft_policy, .name = "knows", .inbound = name_them,
                                               .authenticates = true),
                             within = HAFT_INIT(haft_policy, .name = "within", .inbound = name_them,
                                                .scope = HAFT_INVOKE, .authenticates = true);
    haft_gateway *gateway = haft_gateway_new(HAFT_WITH(haft_gateway_options, .policies = policies));
    haft_route info =
        HAFT_INIT(haft_route, .method = "GET", .path = "/x", .id = "x", .call = bare_serve_);
    static haft_route kept[16];
    static haft_policy tokens;
    static size_t n;

    assert_int_equal(haft_policy_add(gateway, &knows), 0);
    assert_int_equal(haft_policy_add(gateway, &who), 0);
    assert_int_equal(haft_policy_add(gateway, &within), 0);
    tokens = hf_policy_of_authenticator(authenticator);
    tokens.name = "tokens";
    assert_int_equal(haft_policy_add(gateway, &tokens), 0);
    if (endpoint)
        assert_non_null(haft_mcp_add(gateway, HAFT_WITH(haft_mcp_options, .policies = endpoint)));
    info.policies = route;
    kept[n] = info;
    if (route)
        assert_int_equal(haft_route_add(gateway, &kept[n++]), 0);
    return gateway;
}

#define REFUSING "refusing to listen on 203.0.113.1"
#define OPEN(what) REFUSING ": " what " has no authentication; add a policy, or pass --insecure"
#define CLEAR                                                                                      \
    REFUSING " without TLS: clients would send tokens and API keys in clear text; pass "           \
             "--tls-cert and --tls-key, name the proxy in front with --trusted-proxy, or pass "    \
             "--insecure"

/* An address that other machines can reach is refused by what is served there, and listened on if
 * all of it asks who is there.  That one does not exist here, so it cannot be bound, which is found
 * out later. */
static void listens_for_others_behind_authentication(void **state)
{
    static const struct {
        const char *policies, *endpoint, *route;
        const char *refusal; /* NULL: it may */
    } rows[] = {
        {NULL, "knows", "knows", NULL},
        {NULL, "who, knows", "knows", NULL},
        {"knows", "", "", NULL},
        {NULL, "knows", NULL, NULL},
        {NULL, "knows", "", OPEN("route GET /x")},
        {NULL, "knows", "who", OPEN("route GET /x")},
        {NULL, "knows", "within", OPEN("route GET /x")},
        {NULL, "", "knows", OPEN("endpoint /mcp")},
        {NULL, "tokens", NULL, CLEAR},
        {NULL, NULL, "tokens", CLEAR},
        {"tokens", "", "", CLEAR},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct identifying one = IDENTIFYING("x");
        haft_gateway *gateway =
            make_for_others(&one.base, rows[i].policies, rows[i].endpoint, rows[i].route);
        haft_reason reason = {0};

        assert_int_not_equal(
            haft_gateway_serve(gateway, HAFT_WITH(haft_http_options, .address = "203.0.113.1:80"),
                               &reason),
            0);
        if (rows[i].refusal)
            assert_string_equal(reason.text, rows[i].refusal);
        else
            assert_null(strstr(reason.text, "refusing"));
        haft_gateway_free(gateway);
    }
}

/* Clients of all routes read one document, which names the issuers of one authenticator. */
static void refuses_routes_with_different_issuers(void **state)
{
    static const struct {
        const char *one, *two;
        bool refused;
    } rows[] = {{"first", "second", true},
                {"first", "first", false},
                {"first", "", false},
                {"", "second", false}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct identifying first = IDENTIFYING("first"), second = IDENTIFYING("second");
        haft_policy policies[] = {hf_policy_of_authenticator(&first.base),
                                  hf_policy_of_authenticator(&second.base)};
        haft_route one = HAFT_INIT(haft_route, .method = "GET", .path = "/one", .id = "one",
                                   .call = bare_serve_, .policies = rows[i].one),
                   two = HAFT_INIT(haft_route, .method = "GET", .path = "/two", .id = "two",
                                   .call = bare_serve_, .policies = rows[i].two);
        haft_gateway *gateway = haft_gateway_new(NULL);
        haft_reason reason = {0};

        policies[0].name = "first";
        policies[1].name = "second";
        assert_int_equal(haft_policy_add(gateway, &policies[0]), 0);
        assert_int_equal(haft_policy_add(gateway, &policies[1]), 0);
        assert_int_equal(haft_route_add(gateway, &one), 0);
        assert_int_equal(haft_route_add(gateway, &two), 0);
        assert_int_not_equal(
            haft_gateway_serve(
                gateway,
                HAFT_WITH(haft_http_options, .address = "203.0.113.1:80", .insecure = true),
                &reason),
            0);
        if (rows[i].refused != (strstr(reason.text, "has another oauth policy") != NULL))
            fail_msg("row %zu: %s", i, reason.text);
        haft_gateway_free(gateway);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lets_in_pages_that_a_policy_allows),
        cmocka_unit_test(stands_beside_the_servers_own),
        cmocka_unit_test(listens_for_others_behind_authentication),
        cmocka_unit_test(refuses_routes_with_different_issuers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
