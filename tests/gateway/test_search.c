/* test_search.c - tool search of an endpoint: its option, reloads, and names that are taken. */
#include "configured.h"

#include "support/failing.h"
#include "support/wire.h"

static int see(haft_call *call)
{
    return haft_respond(call, 200, "text/plain", "seen", 4);
}
HAFT_ROUTE_BARE(see, "GET", "/see", "Sees the moon");

static int find_tools(haft_call *call)
{
    return haft_respond(call, 200, "text/plain", "found", 5);
}
HAFT_ROUTE_BARE(find_tools, "GET", "/find", "Has a name that a search needs");

#define FIND "find_tools describe_tool call_tool"
#define ENDPOINT(members) "{\"endpoints\":[{\"endpoint\":\"/mcp\"" members "}]}"
#define FILE_OF(section) "{\"plugins\":[" SO("passing") "],\"gateway\":" section "}"

static haft_gateway *search_gateway(const haft_allocator *allocator, const haft_route *more)
{
    haft_gateway *gateway = gateway_of(allocator, NULL);

    if (gateway &&
        (haft_route_add(gateway, &see_route) || (more && haft_route_add(gateway, more)))) {
        haft_gateway_free(gateway);
        return NULL;
    }
    return gateway;
}

/* The result of a request to the first endpoint's server. */
static const char *request(const haft_gateway *gateway, const char *method, const char *params)
{
    static char text[8192];
    const char *path;
    struct wire *wire = wire_open(haft_gateway_endpoint(gateway, 0, &path));
    const char *answer;

    wire_greet(wire, "2025-11-25");
    answer = wire_call(wire, method, params);
    snprintf(text, sizeof text, "%s", answer ? answer : "");
    wire_close(wire);
    return text;
}

static const char *listed(const haft_gateway *gateway)
{
    static char names[256];
    size_t n = 0;

    names[0] = '\0';
    for (const char *at = strstr(request(gateway, "tools/list", NULL), "{\"name\":\""); at;
         at = strstr(at + 9, "{\"name\":\""))
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%.*s", n ? " " : "",
                              (int)strcspn(at + 9, "\""), at + 9);
    return names;
}

/* Each configuration replaces the one before it. */
static void follows_the_configuration(void **state)
{
    static const struct {
        const char *endpoint, *names, *offered;
    } rows[] = {
        {"", "passing", "passing"},
        {",\"search\":{}", "passing", "passing " FIND},
        {",\"search\":{\"above\":0}", FIND, "passing " FIND},
        {",\"search\":{\"above\":1},\"routes\":\"*\"", FIND, "passing " FIND " see"},
        {",\"search\":{\"above\":2},\"routes\":\"*\"", "passing see", "passing " FIND " see"},
        {",\"search\":{\"above\":0,\"pinned\":\"pass*\"},\"routes\":\"*\"", "passing " FIND,
         "passing " FIND " see"},
        {",\"search\":{\"above\":0,\"results\":1}", FIND, "passing " FIND},
        {",\"tools\":\"-*\",\"search\":{\"above\":0}", "", FIND},
        {"", "passing", "passing"},
    };
    haft_gateway *gateway = search_gateway(NULL, NULL);
    haft_reason reason;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char json[1024];

        snprintf(json, sizeof json, FILE_OF(ENDPOINT("%s")), rows[i].endpoint);
        assert_int_equal(take(gateway, json, &reason), 0);
        assert_string_equal(listed(gateway), rows[i].names);
        assert_string_equal(tools_of(gateway, 0), rows[i].offered);
    }
    haft_gateway_free(gateway);
}

/* The same settings keep the same items, and with them their counts. */
static void keeps_the_tools(void **state)
{
    haft_gateway *gateway = search_gateway(NULL, NULL);
    const struct item *items[3];
    haft_reason reason;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(items); i++) {
        static const char *const files[] = {
            FILE_OF(ENDPOINT(",\"search\":{\"above\":0}")),
            FILE_OF(ENDPOINT(",\"routes\":\"*\",\"search\":{\"above\":0,\"results\":10}")),
            FILE_OF(ENDPOINT(",\"search\":{\"above\":0,\"results\":9}")),
        };
        struct catalogue *catalogue;
        const char *path;

        assert_int_equal(take(gateway, files[i], &reason), 0);
        catalogue = hf_catalogue_take(haft_gateway_endpoint(gateway, 0, &path));
        items[i] = hf_offer_list_find(&catalogue->lists[HAFT_OFFER_TOOL], "call_tool", 9)->item;
        hf_catalogue_drop(catalogue);
    }
    assert_ptr_equal(items[0], items[1]);
    assert_ptr_not_equal(items[1], items[2]);
    haft_gateway_free(gateway);
}

/* Routes are found and called like other tools. */
static void finds_routes(void **state)
{
    haft_gateway *gateway = search_gateway(NULL, NULL);
    haft_reason reason;

    (void)state;
    assert_int_equal(
        take(gateway, FILE_OF(ENDPOINT(",\"routes\":\"*\",\"search\":{\"above\":0}")), &reason), 0);
    assert_non_null(strstr(request(gateway, "tools/call",
                                   "\"name\":\"find_tools\",\"arguments\":{\"query\":\"moons\"}"),
                           "\"structuredContent\":{\"tools\":[{\"name\":\"see\",\"description\":"
                           "\"Sees the moon\"}],\"total\":1}"));
    assert_non_null(strstr(
        request(gateway, "tools/call", "\"name\":\"call_tool\",\"arguments\":{\"name\":\"see\"}"),
        "\"text\":\"seen\""));
    haft_gateway_free(gateway);
}

static void refuses(void **state)
{
    static const struct {
        const char *endpoint, *path, *text;
    } rows[] = {
        {",\"search\":{\"above\":-1}", "endpoints.0.search.above", NULL},
        {",\"search\":{\"results\":0}", "endpoints.0.search.results", NULL},
        {",\"search\":{\"results\":101}", "endpoints.0.search.results", NULL},
        {",\"search\":{\"abowe\":1}", "endpoints.0.search", NULL},
        {",\"search\":true", "endpoints.0.search", NULL},
        {",\"routes\":\"*\",\"search\":{}", "endpoints.0",
         "find_tools is already registered; tool search needs this name"},
    };
    haft_gateway *gateway = search_gateway(NULL, &find_tools_route);
    haft_reason reason;

    (void)state;
    assert_int_equal(take(gateway, FILE_OF(ENDPOINT("")), &reason), 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char json[1024];

        snprintf(json, sizeof json, FILE_OF(ENDPOINT("%s")), rows[i].endpoint);
        assert_int_not_equal(take(gateway, json, &reason), 0);
        assert_string_equal(reason.path, rows[i].path);
        if (rows[i].text)
            assert_string_equal(reason.text, rows[i].text);
        assert_string_equal(tools_of(gateway, 0), "passing"); /* nothing has changed */
    }
    haft_gateway_free(gateway);
}

/* A search that the program set remains, whatever the configuration says of other endpoints. */
static void leaves_the_programs_search(void **state)
{
    haft_gateway *gateway = search_gateway(NULL, NULL);
    haft_server *server =
        haft_mcp_add(gateway, HAFT_WITH(haft_mcp_options, .endpoint = "/own", .routes = "*"));
    haft_reason reason;

    (void)state;
    assert_int_equal(haft_server_set_search(server, HAFT_WITH(haft_search, .above = 0)), 0);
    assert_int_equal(take(gateway, FILE_OF(ENDPOINT(",\"search\":{}")), &reason), 0);
    assert_string_equal(tools_of(gateway, 0), "see " FIND);
    assert_string_equal(tools_of(gateway, 1), "passing " FIND);
    haft_gateway_free(gateway);
}

/* A configuration that runs out of memory changes nothing. */
static void survives_without_memory(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        haft_gateway *gateway;
        haft_reason reason;
        int status;

        failing_init(&failing, 0);
        gateway = search_gateway(&failing.allocator, NULL);
        assert_int_equal(take(gateway, "{\"gateway\":" ENDPOINT(",\"routes\":\"*\"") "}", &reason),
                         0);
        failing.fail_at = failing.calls + nth;
        status = take(gateway,
                      "{\"gateway\":" ENDPOINT(",\"routes\":\"*\",\"search\":{\"above\":0}") "}",
                      &reason);
        failing.fail_at = 0;
        assert_true(status == 0 || status == HAFT_ENOMEM);
        if (status)
            assert_string_equal(tools_of(gateway, 0), "see");
        else
            assert_string_equal(tools_of(gateway, 0), "see " FIND);
        haft_gateway_free(gateway);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_the_configuration),
        cmocka_unit_test(keeps_the_tools),
        cmocka_unit_test(finds_routes),
        cmocka_unit_test(refuses),
        cmocka_unit_test(leaves_the_programs_search),
        cmocka_unit_test(survives_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
