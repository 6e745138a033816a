/* test_gateway_fault.c - every allocation of a gateway fails once: while it is put together, and in every kind
 * of request.  There is a response to each, or no visit at all; nothing is left behind. */
#include <haft/gateway.h>
#include <stdio.h>
#include <string.h>
#include <yyjson.h>

#include "support/failing.h"
#include "support/test.h"

enum { TOO_MANY = 4000 };

HAFT_STRUCT(args, HAFT_STRING(id, "Path"), HAFT_OPTIONAL(HAFT_INTEGER(n, "Query")),
            HAFT_OPTIONAL(HAFT_ARRAY(tags, HAFT_STRING(tag, "A tag"), "Query")));
HAFT_STRUCT(result, HAFT_STRING(text, "Text"));

static int leaf(haft_call *call, const args *in, result *out)
{
    if (!strcmp(in->id, "none"))
        return haft_problem(call, 404, "There is no %s.", in->id);
    out->text = haft_printf(call, "%s of %zu", in->id, in->n_tags);
    return out->text ? haft_respond_header(call, "X-Id", in->id) : HAFT_ENOMEM;
}
HAFT_ROUTE(leaf, "GET", "/leaf/{id}", args, result, "A leaf", .policies = "head, size");

HAFT_STRUCT(body_args, HAFT_ARRAY(items, HAFT_INTEGER(item, "An item"), "Items"));

static int sum(haft_call *call, const body_args *in)
{
    haft_invocation all[3] = {{.method = "GET", .target = "/leaf/a?tags=x&tags=y"},
                              {.method = "GET", .target = "/leaf/none"},
                              {.method = "GET", .target = "/nothing"}};
    haft_response one;
    int status = haft_invoke(
        call, "GET", haft_printf(call, "/leaf/%s", haft_encoded(call, "a b/c")), NULL, &one);

    if (!status)
        status = haft_invoke_all(call, all, 3);
    if (status)
        return status;
    return haft_text(call, "%zu %d %d %d %d", in->n_items, one.status, all[0].response.status,
                     all[1].response.status, all[2].response.status);
}
HAFT_ROUTE_IN(sum, "POST", "/sum", body_args, "Sums up");

static int fails(haft_call *call)
{
    return haft_error(call, "It is broken.");
}
HAFT_ROUTE_BARE(fails, "GET", "/fails", "Fails", .rate = {1000, 1000});

static int echo(haft_call *call, haft_value *arguments, void *data)
{
    (void)data;
    return haft_text(call, "%s", yyjson_get_str(yyjson_obj_get(arguments, "word")));
}

static int work(haft_call *call)
{
    haft_response response;
    int status = haft_invoke(call, "GET", "/leaf/x", NULL, &response);

    return status ? status : haft_text(call, "%s", response.body);
}
HAFT_TOOL_BARE(work, "Works");

static const char policies[] =
    "[{\"name\":\"head\",\"policy\":\"set-headers\",\"options\":{\"request\":{\"a\":\"b\"},\"response\":{"
    "\"c\":\"d\"}}},{\"name\":\"size\",\"policy\":\"size-limit\",\"options\":{\"bytes\":100}},"
    "{\"name\":\"rate\",\"policy\":\"rate-limit\",\"options\":{\"calls\":100}},"
    "{\"name\":\"check\",\"policy\":\"validate\",\"options\":{\"body\":{\"type\":\"object\"}}},"
    "{\"name\":\"mock\",\"policy\":\"mock\",\"options\":{\"json\":{\"a\":1}}}]";

/* A gateway with everything; NULL when there was not the memory for it. */
static haft_gateway *make(const haft_allocator *allocator)
{
    static const haft_tool *const tools[] = {&work_tool, NULL};
    haft_gateway *gateway = haft_gateway_new(&(haft_gateway_options){
        .one_thread = true, .server = &(haft_server_options){.allocator = allocator}});

    if (gateway && !haft_policies_json(gateway, policies, strlen(policies)) &&
        !haft_route(gateway, &leaf_route) && !haft_route(gateway, &sum_route) &&
        !haft_route(gateway, &fails_route) &&
        !haft_route_add(gateway, "GET", "/echo/{word}", NULL, echo, NULL) &&
        haft_mcp(gateway, &(haft_mcp_options){.tools = tools, .routes = "leaf,sum,fails"}))
        return gateway;
    haft_gateway_free(gateway);
    return NULL;
}

static void making(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        haft_gateway *gateway;

        assert_true(nth < TOO_MANY);
        failing_init(&failing, nth);
        gateway = make(&failing.allocator);
        assert_true(gateway || failing.failures);
        haft_gateway_free(gateway);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
}

static void requests(void **state)
{
    static const struct {
        const char *method, *path, *query, *body;
        int status;
    } rows[] = {
        {"GET", "/leaf/x", "n=1&tags=a&tags=b", "", 200},
        {"GET", "/leaf/none", "", "", 404},
        {"GET", "/leaf/x", "n=one&what=1", "", 400},
        {"POST", "/sum", "", "{\"items\":[1,2,3]}", 200},
        {"POST", "/sum", "", "{\"items\":[\"a\"]}", 400},
        {"POST", "/sum", "", "nonsense", 400},
        {"GET", "/fails", "", "", 500},
        {"GET", "/echo/hello", "a=b", "", 200},
        {"PUT", "/leaf/x", "", "", 405},
        {"OPTIONS", "/leaf/x", "", "", 204},
        {"GET", "/nothing", "", "", 404},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (size_t nth = 1;; nth++) {
            struct failing failing;
            haft_gateway *gateway;
            haft_visit *visit;
            haft_request request = {.method = rows[i].method,
                                    .path = rows[i].path,
                                    .query = rows[i].query,
                                    .body = rows[i].body,
                                    .body_size = strlen(rows[i].body)};
            bool failed;

            assert_true(nth < TOO_MANY);
            failing_init(&failing, 0);
            gateway = make(&failing.allocator);
            assert_non_null(gateway);
            failing.fail_at = failing.calls + nth;
            visit = haft_visit_new(gateway, &request, "ann", 1000);
            if (visit) {
                int status;

                haft_visit_run(visit);
                status = haft_visit_response(visit)->status;
                if (status != rows[i].status && !(failing.failures && status >= 400))
                    fail_msg("%s %s, %zu: %d", rows[i].method, rows[i].path, nth, status);
                haft_visit_free(visit);
            }
            failed = failing.failures;
            assert_true(visit || failed);
            haft_gateway_free(gateway);
            failing_check(&failing);
            if (!failed)
                break;
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(making), cmocka_unit_test(requests)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
