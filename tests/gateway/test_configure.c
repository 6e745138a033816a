/* test_configure.c - a gateway from the sections "plugins" and "gateway" of a configuration: what they
 * add, what is refused and where, and what may change while it serves. */
#include "configured.h"

#include "support/failing.h"

static int own(haft_call *call)
{
    return haft_respond(call, 200, "text/plain", "own", 3);
}
HAFT_ROUTE_BARE(own, "GET", "/own", "A route of the program");

/* ---- what is there ---- */

static void adds_what_plugins_have(void **state)
{
    haft_gateway *gateway = configured("{\"plugins\":[" SO("routes-1") "," SO(
        "passing") "],\"gateway\":{"
                   "\"policies\":[{\"name\":\"shut\",\"policy\":\"deny\",\"options\":{\"why\":\"No.\"}}],"
                   "\"routes\":{\"GET /closed\":{\"policies\":[\"shut\"]}},"
                   "\"endpoints\":[{\"routes\":\"get_*\"},{\"endpoint\":\"/b\",\"tools\":\"pass*\"},"
                   "{\"endpoint\":\"/c\",\"tools\":\"-*\",\"routes\":\"*\"}]}}");

    (void)state;
    assert_string_equal(ask(gateway, "GET", "/words/x", NULL),
                        "200 application/json {\"text\":\"x\"}");
    assert_memory_equal(ask(gateway, "GET", "/closed", NULL), "403 ", 4);
    assert_string_equal(tools_of(gateway, 0), "say passing get_word");
    assert_string_equal(tools_of(gateway, 1), "passing");
    assert_string_equal(tools_of(gateway, 2), "get_word closed");
    haft_gateway_free(gateway);
}

/* Without endpoints in the file: the program's, the one it gave, or one of defaults. */
static void finds_an_endpoint(void **state)
{
    static const haft_mcp_options given =
        HAFT_INIT(haft_mcp_options, .endpoint = "/given", .routes = "own");
    static const struct {
        const haft_mcp_options *endpoint;
        bool has_own;
        const char *path, *tools;
    } rows[] = {
        {NULL, false, "/mcp", "passing"},
        {&given, false, "/given", "passing own"},
        {&given, true, "/own-mcp", "passing"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_gateway *gateway = gateway_of(NULL, rows[i].endpoint);
        haft_reason reason;
        const char *path;

        assert_int_equal(haft_route_add(gateway, &own_route), 0);
        if (rows[i].has_own)
            assert_non_null(
                haft_mcp_add(gateway, HAFT_WITH(haft_mcp_options, .endpoint = "/own-mcp")));
        assert_int_equal(haft_gateway_plugin(gateway, PLUGINS "passing.so"), 0);
        assert_int_equal(take(gateway, "{}", &reason), 0);
        assert_non_null(haft_gateway_endpoint(gateway, 0, &path));
        assert_string_equal(path, rows[i].path);
        assert_string_equal(tools_of(gateway, 0), rows[i].tools);
        assert_null(haft_gateway_endpoint(gateway, 1, &path));
        assert_string_equal(ask(gateway, "GET", "/own", NULL), "200 text/plain own");
        haft_gateway_free(gateway);
    }
}

/* ---- what is refused ---- */

static void refuses(void **state)
{
    static const struct {
        const char *json, *path, *text;
    } rows[] = {
        {"{}", "", "nothing to serve: add an endpoint or a route"},
        {"{\"plugins\":[]}", "", "nothing to serve: add an endpoint or a route"},
        {"{\"plugins\":{}}", "", "expected a list of files"},
        {"{\"plugins\":[\"/no/such.so\"]}", "0", "/no/such.so: No such file or directory"},
        {"{\"plugins\":[" SO("routes-1") "," SO("routes-2") "]}", "",
         PLUGINS "routes-2.so: deny: a kind of policy with this name exists already"},
        {"{\"gateway\":[]}", "", "Invalid input: expected object, received array"},
        {"{\"gateway\":{\"policies\":[{\"name\":\"p\",\"policy\":\"deny\"}]}}", "policies",
         "p: unknown kind of policy deny; the kinds are "},
        {"{\"plugins\":[" SO(
             "routes-1") "],"
                         "\"gateway\":{\"policies\":[{\"name\":\"stamp\",\"policy\":\"sleep\"}]}}",
         "policies", "stamp: a policy with this name exists already"},
        {"{\"plugins\":[" SO(
             "routes-1") "],"
                         "\"gateway\":{\"routes\":{\"GET /close\":{\"policies\":[]}}}}",
         "routes.GET /close", "unknown route; did you mean GET /closed?"},
        {"{\"plugins\":[" SO(
             "routes-1") "],"
                         "\"gateway\":{\"routes\":{\"GET /closed\":{\"policies\":[\"none\"]}}}}",
         "routes.GET /closed", "closed: unknown policy none"},
        {"{\"plugins\":[" SO(
             "routes-1") "],\"gateway\":{\"endpoints\":[{\"endpoint\":\"/closed\"}]}}",
         "endpoints.0", "/closed: route closed already has this path"},
        {"{\"gateway\":{\"endpoints\":[{},{}]}}", "endpoints.1",
         "/mcp: an endpoint with this path exists already"},
        {"{\"plugins\":[" SO("passing") "," SO("refused-handler") "]}", "",
         PLUGINS "refused-handler.so: tool idle: the handler is missing"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_gateway *gateway = gateway_of(NULL, NULL);
        haft_reason reason;

        assert_true(take(gateway, rows[i].json, &reason) < 0);
        assert_string_equal(reason.path, rows[i].path);
        assert_memory_equal(reason.text, rows[i].text, strlen(rows[i].text));
        haft_gateway_free(gateway);
    }
}

static void is_configured_once(void **state)
{
    haft_gateway *gateway = gateway_of(NULL, NULL);

    (void)state;
    assert_int_equal(haft_gateway_configure(gateway, NULL), HAFT_EEXISTS);
    assert_int_equal(haft_gateway_configure(NULL, NULL), HAFT_EINVAL);
    assert_int_equal(haft_gateway_plugin(NULL, "x"), HAFT_EINVAL);
    assert_int_equal(haft_gateway_plugin(gateway, NULL), HAFT_EINVAL);
    haft_gateway_free(gateway);
    gateway = haft_gateway_new(NULL);
    assert_int_equal(haft_gateway_plugin(gateway, "x"), HAFT_EINVAL);
    haft_gateway_free(gateway);
}

/* ---- while it serves ---- */

/* Also those with routes and policies. */
static void changes_plugins(void **state)
{
    static const struct {
        const char *plugins;
        int status;
        const char *path, *text; /* of the reason */
        const char *tools;       /* of both endpoints, afterwards */
        const char *answer;      /* to GET /words/x */
    } rows[] = {
        {SO("routes-1") "," SO("passing"), 0, "", "", "say passing", "200"},
        {SO("passing"), 0, "", "", "passing", "404"},
        {SO("routes-1") "," SO("routes-2"), HAFT_EEXISTS, "",
         PLUGINS "routes-2.so: deny: a kind of policy with this name exists already", "passing",
         "404"},
        {SO("passing") "," SO("routes-2"), 0, "", "", "passing say", "200"},
        {SO("first") "," SO("routes-1"), 0, "", "", "say old", "200"},
        {SO("routes-1"), 0, "", "", "say", "200"},
        {"", 0, "", "", "", "404"},
    };
    haft_gateway *gateway = gateway_of(NULL, NULL);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_reason reason;
        char json[2048];

        snprintf(json, sizeof json,
                 "{\"plugins\":[%s],\"gateway\":{\"endpoints\":[{},{\"endpoint\":\"/b\"}]}}",
                 rows[i].plugins);
        assert_int_equal(take(gateway, json, &reason), rows[i].status);
        assert_string_equal(reason.path, rows[i].path);
        assert_string_equal(reason.text, rows[i].text);
        assert_string_equal(tools_of(gateway, 0), rows[i].tools);
        assert_string_equal(tools_of(gateway, 1), rows[i].tools);
        assert_memory_equal(ask(gateway, "GET", "/words/x", NULL), rows[i].answer, 3);
    }
    haft_gateway_free(gateway);
}

/* The configuration with one policy of the section, around GET /closed. */
static const char *closing(const char *policy, const char *options, const char *endpoint)
{
    static char json[2048];

    snprintf(
        json, sizeof json,
        "{\"plugins\":[" SO(
            "routes-1") "],\"gateway\":{"
                        "\"policies\":[{\"name\":\"p\",\"policy\":\"%s\",\"options\":%s}],"
                        "\"routes\":{\"GET /closed\":{\"policies\":[\"p\"]}},\"endpoints\":[%s]}}",
        policy, options, endpoint);
    return json;
}

/* As a whole or not at all. */
static void replaces_policies(void **state)
{
    static const char open[] = "200 ", one[] = "403 ";
    static const struct {
        const char *json; /* NULL: a policy of the kind deny, with this reason */
        const char *why;
        bool refused;
        const char *answer; /* to GET /closed */
    } rows[] = {
        {NULL, "one", false, "one"},
        {NULL, "one", false, "one"},
        {NULL, "two", false, "two"},
        {"{\"plugins\":[" SO("routes-1") "],\"gateway\":{\"endpoints\":[{}],"
                                         "\"routes\":{\"GET /closed\":{\"policies\":[\"p\"]}}}}",
         NULL, true, "two"},
        {"{\"plugins\":[" SO("routes-1") "],\"gateway\":{\"endpoints\":[{}],"
                                         "\"policies\":[{\"name\":\"p\",\"policy\":\"deny\"}]}}",
         NULL, true, "two"},
        {"{\"plugins\":[" SO("routes-1") "],\"gateway\":{\"endpoints\":[{\"name\":\"x\"}]}}", NULL,
         false, NULL},
        /* A policy that may wait around a route that did not. */
        {"{\"plugins\":[" SO(
             "routes-1") "],\"gateway\":{\"endpoints\":[{}],"
                         "\"policies\":[{\"name\":\"p\",\"policy\":\"sleep\",\"options\":{\"ms\":1}}],"
                         "\"routes\":{\"GET /words/{word}\":{\"policies\":[\"p\"]}}}}",
         NULL, false, NULL},
        {"{\"plugins\":[" SO("routes-1") "],\"gateway\":{\"endpoints\":[{}]}}", NULL, false, NULL},
        {NULL, "three", false, "three"},
    };
    haft_gateway *gateway = gateway_of(NULL, NULL);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char options[64];
        haft_reason reason;
        const char *answer;

        snprintf(options, sizeof options, "{\"why\":\"%s\"}", rows[i].why ? rows[i].why : "");
        assert_int_equal(take(gateway, rows[i].json ? rows[i].json : closing("deny", options, "{}"),
                              &reason) < 0,
                         rows[i].refused);
        answer = ask(gateway, "GET", "/closed", NULL);
        assert_memory_equal(answer, rows[i].answer ? one : open, 4);
        if (rows[i].answer)
            if (!strstr(answer, rows[i].answer))
                fail_msg("row %zu: %s", i, answer);
    }
    haft_gateway_free(gateway);
}

static void finishes_requests_under_the_old_policies(void **state)
{
    haft_gateway *gateway = configured(closing("deny", "{\"why\":\"old\"}", "{}"));
    haft_request request = {.method = "GET", .path = "/closed", .query = "", .body = ""};
    haft_gateway_request *req = haft_gateway_request_new(gateway, &request, ASK_NOW);
    haft_reason reason;

    (void)state;
    assert_int_equal(take(gateway, closing("deny", "{\"why\":\"new\"}", "{}"), &reason), 0);
    assert_int_equal(take(gateway, closing("mock", "{\"status\":204}", "{}"), &reason), 0);
    haft_gateway_request_run(req);
    assert_non_null(strstr(haft_gateway_request_response(req)->body, "old"));
    haft_gateway_request_free(req);
    assert_memory_equal(ask(gateway, "GET", "/closed", NULL), "204", 3);
    haft_gateway_free(gateway);
}

/* What asks who somebody is stays until a restart, in some form. */
static void keeps_authentication(void **state)
{
    static const struct {
        const char *policy, *options;
        int status;
    } rows[] = {
        {"basic-auth", "{\"file\":\"tests/fault/people\"}", 0},
        {"mock", "{\"status\":204}", HAFT_EINVAL},
        {"basic-auth", "{\"file\":\"tests/fault/people\",\"remember\":0}", 0},
        {"mock", "{\"status\":204}", HAFT_EINVAL},
    };
    haft_gateway *gateway = gateway_of(NULL, NULL);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_reason reason;

        assert_int_equal(take(gateway, closing(rows[i].policy, rows[i].options, "{}"), &reason),
                         rows[i].status);
        assert_string_equal(
            reason.text, rows[i].status
                             ? "removing the authentication of route GET /closed requires a restart"
                             : "");
        assert_memory_equal(ask(gateway, "GET", "/closed", NULL), "401", 3);
    }
    haft_gateway_free(gateway);
}

/* A limit that stays as it is goes on counting; another begins anew. */
static void keeps_counting(void **state)
{
    static const char format[] = "{\"plugins\":[" SO(
        "routes-1") "],\"gateway\":{\"endpoints\":[{}],\"policies\":["
                    "{\"name\":\"limit\",\"policy\":\"rate-limit\",\"options\":{\"calls\":%d,\"seconds\":600}},"
                    "{\"name\":\"other\",\"policy\":\"set-headers\",\"options\":{\"response\":{\"x\":\"%d\"}}}],"
                    "\"routes\":{\"GET /closed\":{\"policies\":[\"limit\"]}}}}";
    static const struct {
        int calls, other;
        const char *answer;
    } rows[] = {{2, 1, "200"}, {2, 2, "200"}, {2, 3, "429"}, {3, 3, "200"},
                {3, 4, "200"}, {3, 5, "200"}, {3, 6, "429"}};
    haft_gateway *gateway = gateway_of(NULL, NULL);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_reason reason;
        char json[2048];

        snprintf(json, sizeof json, format, rows[i].calls, rows[i].other);
        if (take(gateway, json, &reason))
            fail_msg("%s: %s", reason.path, reason.text);
        assert_memory_equal(ask(gateway, "GET", "/closed", NULL), rows[i].answer, 3);
    }
    haft_gateway_free(gateway);
}

/* ---- without memory ---- */

/* All of the new configuration, or all of the old one. */
static void check_either(haft_gateway *gateway, int status)
{
    const char *path;

    assert_non_null(strstr(ask(gateway, "GET", "/closed", NULL), status ? "No." : "Never."));
    assert_string_equal(tools_of(gateway, 0),
                        status ? "old say passing get_word" : "old say passing closed");
    assert_non_null(haft_gateway_endpoint(gateway, 1, &path));
    assert_string_equal(path, status ? "/b" : "/c");
    assert_string_equal(tools_of(gateway, 1), "passing");
}

static void survives_every_failing_allocation(void **state)
{
    static const char json[] = "{\"plugins\":[" SO("routes-1") "," SO(
        "passing") "],\"gateway\":{"
                   "\"policies\":[{\"name\":\"shut\",\"policy\":\"deny\",\"options\":{\"why\":\"No.\"}}],"
                   "\"routes\":{\"GET /closed\":{\"policies\":[\"shut\"]}},"
                   "\"endpoints\":[{\"routes\":\"get_*\"},{\"endpoint\":\"/b\",\"tools\":\"pass*\"}]}}";
    static const char other[] = "{\"plugins\":[" SO("routes-2") "," SO(
        "passing") "],\"gateway\":{"
                   "\"policies\":[{\"name\":\"shut\",\"policy\":\"deny\",\"options\":{\"why\":\"Never.\"}}],"
                   "\"routes\":{\"GET /closed\":{\"policies\":[\"shut\"]}},"
                   "\"endpoints\":[{\"routes\":\"closed\"},{\"endpoint\":\"/c\",\"tools\":\"pass*\"}]}}";

    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        haft_gateway *gateway;
        haft_reason reason;
        int status = HAFT_ENOMEM;

        failing_init(&failing, nth);
        gateway = gateway_of(&failing.allocator, NULL);
        if (gateway)
            status = haft_gateway_plugin(gateway, PLUGINS "first.so");
        if (!status)
            status = take(gateway, json, &reason);
        if (!status) {
            assert_string_equal(tools_of(gateway, 0), "old say passing get_word");
            status = take(gateway, other, &reason);
            failing.fail_at = 0;
            check_either(gateway, status);
        }
        failing.fail_at = 0;
        haft_gateway_free(gateway);
        failing_check(&failing);
        if (!failing.failures) {
            assert_int_equal(status, 0);
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(adds_what_plugins_have),
                                       cmocka_unit_test(finds_an_endpoint),
                                       cmocka_unit_test(refuses),
                                       cmocka_unit_test(is_configured_once),
                                       cmocka_unit_test(changes_plugins),
                                       cmocka_unit_test(replaces_policies),
                                       cmocka_unit_test(finishes_requests_under_the_old_policies),
                                       cmocka_unit_test(keeps_authentication),
                                       cmocka_unit_test(keeps_counting),
                                       cmocka_unit_test(survives_every_failing_allocation)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
