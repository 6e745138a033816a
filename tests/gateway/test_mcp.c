/* test_mcp.c - MCP endpoints of a gateway: code tools and routes as tools in one list, and tools
 * that invoke routes. */
#include "ask.h"

#include <yyjson.h>

#include "support/wire.h"

/* ---- a small shop ---- */

HAFT_STRUCT(customer_key, HAFT_STRING(id, "The customer's number"));
HAFT_STRUCT(customer, HAFT_STRING(id, "Its number"), HAFT_STRING(name, "Its name"));

static int get_customer(haft_call *call, const customer_key *in, customer *out)
{
    if (strcmp(in->id, "c/1"))
        return haft_problem(call, 404, "There is no customer %s.", in->id);
    out->id = in->id;
    out->name = haft_call_principal(call) ? haft_call_principal(call) : "Ada";
    return 0;
}
HAFT_ROUTE(get_customer, "GET", "/customers/{id}", customer_key, customer, "Reads a customer",
           .annotations = {.read_only = HAFT_YES}, .policies = "mark");

HAFT_STRUCT(stock_args, HAFT_STRING(sku, "What"), HAFT_INTEGER(quantity, "How many", .min = 1),
            HAFT_OPTIONAL(HAFT_ARRAY(places, HAFT_STRING(place, "A place"), "Where")));
HAFT_STRUCT(stock, HAFT_BOOLEAN(available, "Whether there are that many"));

static int check_stock(haft_call *call, const stock_args *in, stock *out)
{
    out->available = in->quantity <= 5 && (!in->has_places || in->n_places == 2);
    return out->available ? 0 : haft_problem(call, 409, "Not enough of %s.", in->sku);
}
HAFT_ROUTE(check_stock, "GET", "/inventory/{sku}/check", stock_args, stock,
           "Looks whether there is enough");

HAFT_STRUCT(order_line, HAFT_STRING(sku, "What"), HAFT_INTEGER(quantity, "How many"));
HAFT_STRUCT(order_args, HAFT_STRING(customer, "Whose"), HAFT_OPTIONAL(HAFT_STRING(note, "A word")),
            HAFT_ARRAY(items, HAFT_OBJECT(item, order_line, "A line"), "What"));
HAFT_STRUCT(order, HAFT_STRING(id, "Its number"), HAFT_INTEGER(total, "How many in all"));

static int make_order(haft_call *call, const order_args *in, order *out)
{
    out->id = in->has_note ? in->note : "o-1";
    out->total = 0;
    for (size_t i = 0; i < in->n_items; i++)
        out->total += in->items[i].quantity;
    return haft_response_set_status(call, 201);
}
HAFT_ROUTE(make_order, "POST", "/orders", order_args, order, "Makes an order",
           .sources = (const haft_source[]){{"note", HAFT_FROM_HEADER, "X-Note"}}, .n_sources = 1);

static int banner(haft_call *call)
{
    return haft_respond(call, 200, "text/plain", "welcome", 7);
}
HAFT_ROUTE_BARE(banner, "GET", "/", "Says welcome");

static int forget(haft_call *call)
{
    (void)call;
    return 0;
}
HAFT_ROUTE_BARE(forget, "DELETE", "/orders", "Forgets the orders");

/* A body of the type that it is asked for, and one field of each kind that a query or a header
 * cannot have as it is. */
HAFT_STRUCT(show_args, HAFT_STRING(type, "Of what type"),
            HAFT_OPTIONAL(HAFT_NULLABLE(HAFT_INTEGER(n, "Null, or a number in the query"))),
            HAFT_OPTIONAL(HAFT_NULLABLE(HAFT_INTEGER(level, "Null, or a number in a header"))));

static int show(haft_call *call, const show_args *in)
{
    const char *level = haft_request_header(call, "x-level");

    if (!strcmp(in->type, "fields"))
        return haft_text(call, "%d %s", in->has_n ? (int)in->n : -1, level ? level : "none");
    if (!strcmp(in->type, "application/json"))
        return haft_respond(call, 200, in->type, "{\"a\":1}", 7);
    if (!strcmp(in->type, "fails"))
        return haft_respond(call, 418, NULL, NULL, 0);
    return haft_respond(call, 200, in->type, "\xff\0\x01", 3);
}
HAFT_ROUTE_IN(show, "GET", "/show", show_args, "Shows something",
              .sources = (const haft_source[]){{"level", HAFT_FROM_HEADER, "X-Level"}},
              .n_sources = 1);

static char marks[256];

static int mark_in(haft_call *call, void *data)
{
    (void)data;
    snprintf(marks + strlen(marks), sizeof marks - strlen(marks), "%s %s;",
             haft_request_of(call)->method, haft_request_of(call)->target);
    return 0;
}
static const haft_policy mark = HAFT_INIT(haft_policy, .name = "mark", .inbound = mark_in);

/* ---- a tool of three steps ---- */

HAFT_STRUCT(process_args, HAFT_STRING(customer, "Whose"),
            HAFT_ARRAY(items, HAFT_OBJECT(item, order_line, "A line"), "What"));
HAFT_STRUCT(processed, HAFT_STRING(order, "Its number"), HAFT_INTEGER(total, "How many"));

static int process_order(haft_call *call, const process_args *in, processed *out)
{
    haft_invocation *checks = haft_call_alloc(call, in->n_items * sizeof *checks);
    haft_response response;
    haft_value *json;

    if (haft_invoke(call, "GET",
                    haft_call_printf(call, "/customers/%s", haft_url_encode(call, in->customer)),
                    NULL, &response))
        return HAFT_ENOMEM;
    if (!haft_response_ok(&response))
        return haft_error(call, "Customer not found");
    for (size_t i = 0; i < in->n_items; i++)
        checks[i] =
            (haft_invocation){.method = "GET",
                              .target = haft_call_printf(call, "/inventory/%s/check?quantity=%d",
                                                         haft_url_encode(call, in->items[i].sku),
                                                         (int)in->items[i].quantity)};
    if (haft_invoke_all(call, checks, in->n_items))
        return HAFT_ENOMEM;
    for (size_t i = 0; i < in->n_items; i++)
        if (!haft_response_ok(&checks[i].response))
            return haft_error(call, "Items not available: %s", in->items[i].sku);
    if (haft_invoke(
            call, "POST", "/orders",
            &(haft_invoke_options){
                .body = "{\"customer\":\"c/1\",\"items\":[{\"sku\":\"a\",\"quantity\":3}]}"},
            &response))
        return HAFT_ENOMEM;
    json = haft_response_json(call, &response);
    out->order = yyjson_get_str(yyjson_obj_get(json, "id"));
    out->total = yyjson_get_sint(yyjson_obj_get(json, "total"));
    return 0;
}
HAFT_TOOL(process_order, process_args, processed, "Processes an order");

/* What an invoked route sees of the headers of the request that a client sent. */
static int trace_of(haft_call *call)
{
    const char *trace = haft_request_header(call, "traceparent");

    return haft_text(call, "%s", trace ? trace : "none");
}
HAFT_ROUTE_BARE(trace_of, "GET", "/trace", "Tells the trace");

static int trace(haft_call *call)
{
    haft_response response;

    if (haft_invoke(call, "GET", "/trace", NULL, &response))
        return HAFT_ENOMEM;
    return haft_text(call, "%s", response.body);
}
HAFT_TOOL_BARE(trace, "Tells the trace of an invoke");

static int lonely(haft_call *call)
{
    haft_response response;

    return haft_invoke(call, "GET", "/", NULL, &response) == HAFT_ENOTFOUND &&
                   haft_invoke_all(call, NULL, 0) == HAFT_ENOTFOUND && !haft_request_of(call) &&
                   !haft_request_header(call, "host") && !haft_path_value(call, "id") &&
                   !haft_query_value(call, "q") && !haft_response_of(call) &&
                   haft_request_set_header(call, "a", "b") == HAFT_EINVAL &&
                   haft_request_set_body(call, "b", 1) == HAFT_EINVAL &&
                   haft_respond(call, 200, NULL, NULL, 0) == HAFT_EINVAL &&
                   haft_response_set_status(call, 200) == HAFT_EINVAL &&
                   haft_response_set_header(call, "a", "b") == HAFT_EINVAL &&
                   haft_problem(call, 404, "no") == HAFT_EINVAL
               ? haft_text(call, "no gateway")
               : HAFT_EINVAL;
}
HAFT_TOOL_BARE(lonely, "Invokes without a gateway");

static haft_gateway *make(haft_server **ret_server)
{
    static const haft_route *const routes[] = {
        &get_customer_route, &check_stock_route, &make_order_route, &banner_route,
        &forget_route,       &trace_of_route,    &show_route};
    static const haft_tool *const tools[] = {&process_order_tool, &trace_tool, NULL};
    haft_gateway *gateway = haft_gateway_new(NULL);

    assert_int_equal(haft_policy_add(gateway, &mark), 0);
    for (size_t i = 0; i < COUNT_OF(routes); i++)
        assert_int_equal(haft_route_add(gateway, routes[i]), 0);
    *ret_server =
        haft_mcp_add(gateway, HAFT_WITH(haft_mcp_options, .tools = tools, .routes = "*,-trace_of"));
    if (!*ret_server)
        fail_msg("%s: %s", haft_gateway_error(gateway)->path, haft_gateway_error(gateway)->text);
    marks[0] = '\0';
    return gateway;
}

static void calls(void **state)
{
    static const struct {
        const char *params, *answer;
    } rows[] = {
        {"\"name\":\"get_customer\",\"arguments\":{\"id\":\"c/1\"}",
         "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"id\\\":\\\"c/1\\\",\\\"name\\\":\\\"Ada\\\"}\"}],"
         "\"structuredContent\":{\"id\":\"c/1\",\"name\":\"Ada\"}}"},
        {"\"name\":\"get_customer\",\"arguments\":{\"id\":\"c 2\"}",
         "{\"content\":[{\"type\":\"text\",\"text\":\"HTTP 404 Not "
         "Found\\n{\\\"type\\\":\\\"about:blank\\\",\\\"title\\\":\\\"Not "
         "Found\\\",\\\"status\\\":404,\\\"detail\\\":\\\"There is no customer c 2.\\\"}\"}],"
         "\"isError\":true}"},
        {"\"name\":\"get_customer\",\"arguments\":{}",
         "{\"content\":[{\"type\":\"text\",\"text\":\"Input validation error: Invalid arguments for tool "
         "get_customer: id: Invalid input: expected string, received undefined\"}],\"isError\":true,"
         "\"_meta\":{\"haft/issues\":[{\"expected\":\"string\",\"code\":\"invalid_type\",\"path\":[\"id\"],"
         "\"message\":\"Invalid input: expected string, received undefined\"}]}}"},
        {"\"name\":\"check_stock\",\"arguments\":{\"sku\":\"a\",\"quantity\":2,\"places\":[\"x\",\"y&z\"]}",
         "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"available\\\":true}\"}],"
         "\"structuredContent\":{\"available\":true}}"},
        {"\"name\":\"make_order\",\"arguments\":{\"customer\":\"c\",\"note\":\"n-7\",\"items\":[{\"sku\":\"a\","
         "\"quantity\":4}]}",
         "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"id\\\":\\\"n-7\\\",\\\"total\\\":4}\"}],"
         "\"structuredContent\":{\"id\":\"n-7\",\"total\":4}}"},
        {"\"name\":\"show\",\"arguments\":{\"type\":\"image/png\",\"n\":null,\"level\":null}",
         "{\"content\":[{\"type\":\"image\",\"data\":\"/wAB\",\"mimeType\":\"image/png\"}]}"},
        {"\"name\":\"show\",\"arguments\":{\"type\":\"audio/wav\",\"n\":null,\"level\":null}",
         "{\"content\":[{\"type\":\"audio\",\"data\":\"/wAB\",\"mimeType\":\"audio/wav\"}]}"},
        {"\"name\":\"show\",\"arguments\":{\"type\":\"x/y\",\"n\":null,\"level\":null}",
         "{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"route:/show?type=x%2Fy\",\"mimeType\":\"x/y\","
         "\"blob\":\"/wAB\"}}]}"},
        {"\"name\":\"show\",\"arguments\":{\"type\":\"application/json\",\"n\":null,\"level\":null}",
         "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"a\\\":1}\"}],\"structuredContent\":{"
         "\"a\":1}}"},
        {"\"name\":\"show\",\"arguments\":{\"type\":\"fails\",\"n\":null,\"level\":null}",
         "{\"content\":[{\"type\":\"text\",\"text\":\"HTTP 418 I'm a teapot\"}],\"isError\":true}"},
        {"\"name\":\"show\",\"arguments\":{\"type\":\"fields\",\"n\":5,\"level\":7}",
         "{\"content\":[{\"type\":\"text\",\"text\":\"5 7\"}]}"},
        {"\"name\":\"banner\"", "{\"content\":[{\"type\":\"text\",\"text\":\"welcome\"}]}"},
        {"\"name\":\"forget\"",
         "{\"content\":[{\"type\":\"text\",\"text\":\"HTTP 204 No Content\"}]}"},
        {"\"name\":\"process_order\",\"arguments\":{\"customer\":\"c/1\",\"items\":[{\"sku\":\"a\","
         "\"quantity\":3}]}",
         "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"order\\\":\\\"o-1\\\",\\\"total\\\":3}\"}],"
         "\"structuredContent\":{\"order\":\"o-1\",\"total\":3}}"},
        {"\"name\":\"process_order\",\"arguments\":{\"customer\":\"c/1\",\"items\":[{\"sku\":\"a\","
         "\"quantity\":3},{\"sku\":\"b\",\"quantity\":9}]}",
         "{\"content\":[{\"type\":\"text\",\"text\":\"Items not available: b\"}],\"isError\":true}"},
        {"\"name\":\"process_order\",\"arguments\":{\"customer\":\"../c\",\"items\":[]}",
         "{\"content\":[{\"type\":\"text\",\"text\":\"Customer not found\"}],\"isError\":true}"},
        {"\"name\":\"trace\",\"_meta\":{\"traceparent\":\"t-7\"}",
         "{\"content\":[{\"type\":\"text\",\"text\":\"t-7\"}]}"},
        {"\"name\":\"trace\"", "{\"content\":[{\"type\":\"text\",\"text\":\"none\"}]}"},
    };
    haft_server *server;
    haft_gateway *gateway = make(&server);
    struct wire *wire = wire_open(server);

    (void)state;
    wire_greet(wire, "2025-11-25");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *got = wire_call(wire, "tools/call", rows[i].params);
        const char *result = strstr(got, "\"result\":");

        if (!result || strncmp(result + 9, rows[i].answer, strlen(rows[i].answer)))
            fail_msg("%s: %s, and not %s", rows[i].params, got, rows[i].answer);
    }
    assert_non_null(strstr(marks, "GET /customers/c%2F1;"));
    wire_close(wire);
    haft_gateway_free(gateway);
}

static void list(void **state)
{
    haft_server *server;
    haft_gateway *gateway = make(&server);
    struct wire *wire = wire_open(server);
    const char *got, *path;
    static const char *const parts[] = {
        "\"name\":\"process_order\"",
        "\"name\":\"get_customer\",\"description\":\"Reads a customer\",\"inputSchema\":{\"type\":\"object\"",
        "\"annotations\":{\"readOnlyHint\":true},\"outputSchema\":{\"type\":\"object\"",
        "\"name\":\"make_order\"",
    };

    (void)state;
    wire_greet(wire, "2025-11-25");
    got = wire_call(wire, "tools/list", NULL);
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (!strstr(got, parts[i]))
            fail_msg("%s is not in %s", parts[i], got);
    assert_null(strstr(got, "trace_of"));
    assert_ptr_equal(haft_gateway_endpoint(gateway, 0, &path), server);
    assert_string_equal(path, "/mcp");
    assert_null(haft_gateway_endpoint(gateway, 1, &path));
    wire_close(wire);
    haft_gateway_free(gateway);
}

static int answer_json(haft_call *call, haft_value *arguments, void *data)
{
    (void)arguments;
    (void)data;
    return haft_text(call, "never added");
}

static void endpoints(void **state)
{
    static const haft_tool *const twice[] = {&trace_tool, &trace_tool, NULL};
    haft_server *first, *second, *alone;
    haft_gateway *gateway = make(&first);
    struct wire *wire;

    (void)state;
    second = haft_mcp_add(
        gateway, HAFT_WITH(haft_mcp_options, .endpoint = "/other", .name = "Mine", .version = "2"));
    assert_non_null(second);
    assert_int_equal(haft_route_tool(gateway, second, "banner"), 0);
    assert_int_equal(haft_route_tool(gateway, second, "banner"), HAFT_EEXISTS);
    assert_int_equal(haft_route_tool(gateway, second, "none"), HAFT_ENOTFOUND);
    assert_null(haft_mcp_add(gateway, NULL));
    assert_string_equal(haft_gateway_error(gateway)->text,
                        "an endpoint with this path exists already");
    assert_null(haft_mcp_add(gateway, HAFT_WITH(haft_mcp_options, .endpoint = "/orders")));
    assert_string_equal(haft_gateway_error(gateway)->text,
                        "route make_order already has this path");
    assert_int_equal(haft_route_add_handler(gateway, "GET", "/other", NULL, answer_json, NULL),
                     HAFT_EEXISTS);
    assert_string_equal(haft_gateway_error(gateway)->text, "/other is an MCP endpoint");
    assert_null(haft_mcp_add(gateway, HAFT_WITH(haft_mcp_options, .endpoint = "/x/{y}")));
    assert_null(
        haft_mcp_add(gateway, HAFT_WITH(haft_mcp_options, .endpoint = "/x", .policies = "none")));
    assert_string_equal(haft_gateway_error(gateway)->text, "unknown policy none");
    assert_null(
        haft_mcp_add(gateway, HAFT_WITH(haft_mcp_options, .endpoint = "/x", .tools = twice)));
    assert_int_equal(haft_gateway_error(gateway)->code, HAFT_EEXISTS);

    assert_int_equal(haft_route_add_handler(gateway, "GET", "/raw/{id}", "raw", answer_json, NULL),
                     0);
    assert_int_equal(haft_route_tool(gateway, second, "raw"), HAFT_EINVAL);
    assert_string_equal(haft_gateway_error(gateway)->text,
                        "its path has variables, but it has no input to take them from");
    assert_non_null(haft_mcp_add(
        gateway, HAFT_WITH(haft_mcp_options, .endpoint = "/own",
                           .server = HAFT_WITH(haft_server_options, .max_message = 4096))));

    alone = haft_server_new("alone", "1");
    assert_int_equal(haft_add(alone, &lonely_tool), 0);
    assert_int_equal(haft_route_tool(gateway, alone, "banner"), HAFT_EINVAL);
    wire = wire_open(alone);
    wire_greet(wire, "2025-11-25");
    assert_non_null(strstr(wire_call(wire, "tools/call", "\"name\":\"lonely\""), "no gateway"));
    wire_close(wire);
    haft_server_free(alone);
    haft_gateway_free(gateway);
}

/* ---- whose calls a route counts ---- */

static int once(haft_call *call)
{
    return haft_text(call, "done");
}
HAFT_ROUTE_BARE(once, "GET", "/once", "Once a minute", .rate = {1, 60000});

static int seldom(haft_call *call)
{
    return haft_text(call, "done");
}
HAFT_ROUTE_BARE(seldom, "GET", "/seldom", "Once a minute", .policies = "slow");

/* The address of the client is that of what its tools invoke. */
static void counts_by_address(void **state)
{
    static const char *const peers[] = {"192.0.2.1", "192.0.2.2"};
    static const char *const names[] = {"\"name\":\"once\"", "\"name\":\"seldom\""};
    haft_gateway *gateway = haft_gateway_new(NULL);
    haft_server *server;

    (void)state;
    assert_int_equal(haft_policy_make(gateway, "slow", "rate-limit", "{\"calls\":1}"), 0);
    assert_int_equal(haft_route_add(gateway, &once_route), 0);
    assert_int_equal(haft_route_add(gateway, &seldom_route), 0);
    server = haft_mcp_add(gateway, HAFT_WITH(haft_mcp_options, .routes = "*"));
    assert_non_null(server);
    for (size_t i = 0; i < COUNT_OF(peers); i++) {
        struct wire *wire = wire_open_with(
            server, (haft_session_options)HAFT_INIT(haft_session_options, .peer = peers[i]));

        wire_greet(wire, "2025-11-25");
        for (size_t k = 0; k < COUNT_OF(names); k++) {
            assert_non_null(strstr(wire_call(wire, "tools/call", names[k]), "\"done\""));
            assert_non_null(strstr(wire_call(wire, "tools/call", names[k]), "HTTP 429"));
        }
        wire_close(wire);
    }
    haft_gateway_free(gateway);
}

/* ---- states ---- */

static int ask_first(haft_call *call)
{
    haft_value *content;
    int answer = haft_elicit_json(call, "sure", "Sure?", "{\"type\":\"object\",\"properties\":{}}",
                                  &content);

    return answer < HAFT_DECLINED ? answer : haft_text(call, "done");
}
HAFT_TOOL_BARE(ask_first, "Asks first");

/* The state of a call is for the endpoint that gave it out, also where endpoints have one name. */
static void states_stay_at_their_endpoint(void **state)
{
    static const haft_tool *const tools[] = {&ask_first_tool, NULL};
    static const unsigned char key[32] = "key";
    static const char *const paths[] = {"/public", "/admin"};
    haft_gateway *gateway = haft_gateway_new(
        HAFT_WITH(haft_gateway_options, .server = HAFT_WITH(haft_server_options, .seal_key = key)));
    char params[2048] = "\"name\":\"ask_first\"";

    (void)state;
    for (size_t i = 0; i < COUNT_OF(paths); i++)
        assert_non_null(haft_mcp_add(
            gateway, HAFT_WITH(haft_mcp_options, .endpoint = paths[i], .tools = tools)));
    /* asked at the first, answered at both */
    for (size_t i = 0; i < 3; i++) {
        const char *path, *answer, *sealed;
        struct wire *wire = wire_open(haft_gateway_endpoint(gateway, i < 2 ? 0 : 1, &path));

        wire_greet(wire, "2026-07-28");
        answer = wire_call(wire, "tools/call", params);
        if (!i) {
            sealed = strstr(answer, "\"requestState\":");
            assert_non_null(sealed);
            snprintf(params, sizeof params,
                     "\"name\":\"ask_first\",\"inputResponses\":{\"sure\":{\"action\":\"accept\","
                     "\"content\":{}}},%.*s",
                     (int)(strcspn(sealed + 16, "\"") + 17), sealed);
        } else {
            assert_non_null(strstr(answer, i == 1 ? "\"done\"" : "invalid_request_state"));
        }
        wire_close(wire);
    }
    haft_gateway_free(gateway);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls), cmocka_unit_test(list), cmocka_unit_test(endpoints),
        cmocka_unit_test(counts_by_address), cmocka_unit_test(states_stay_at_their_endpoint)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
