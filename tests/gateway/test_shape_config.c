/* test_shape_config.c - "shaping" in a configuration: what is refused, with which words, and the stage of an
 * endpoint among others. */
#include "shaped.h"

#include "support/failing.h"

static int reads(haft_call *call)
{
    return haft_text(call, "{\"a\":1,\"b\":2}");
}
HAFT_TOOL_BARE(reads, "Reads", .annotations = {.read_only = HAFT_YES});

static int writes(haft_call *call)
{
    return haft_text(call, "written");
}
HAFT_TOOL_BARE(writes, "Writes", .annotations = {.read_only = HAFT_NO});

static int may_write(haft_call *call)
{
    return haft_text(call, "written");
}
HAFT_TOOL_BARE(may_write, "Does not say");

static const haft_tool *const tools[] = {&reads_tool, &writes_tool, &may_write_tool, NULL};

#define NOT_READ_ONLY(what, patterns, tool)                                                        \
    "shaping: \"" what "\" of the rule for \"" patterns "\" applies to " tool                      \
    ", which is not read-only: its annotation readOnlyHint is not true; exclude it from \"tools\"" \
    ", or put it into a rule of its own before this one"

static void refuses_wrong_rules(void **state)
{
    static const struct {
        const char *rules, *refusal; /* NULL when they apply */
    } rows[] = {
        {"{'tools':'*','keep':['/a']}", NULL},
        {"{'tools':'reads','cache':{'seconds':1,'bytes':'2KiB','entries':1,'shared':true},'coalesce':true}",
         NULL},
        {"{'tools':'may_*,writes','max_bytes':9},{'tools':'*','cache':{'seconds':1}}", NULL},
        {"{'tools':'*','cache':{'seconds':1}}", NOT_READ_ONLY("cache", "*", "writes")},
        {"{'tools':'reads','max_items':1},{'tools':'-writes','coalesce':true}",
         NOT_READ_ONLY("coalesce", "-writes", "may_write")},
        {"{'tools':'*'}",
         "shaping.0: expected at least one of keep, drop, max_items, max_bytes, cache and coalesce"},
        {"{'tools':'a','max_items':1},{'tools':'*','coalesce':false}",
         "shaping.1: expected at least one of keep, drop, max_items, max_bytes, cache and coalesce"},
        {"{'tools':'*','keep':['/a','/~x']}",
         "shaping.0.keep.1: after ~, a JSON Pointer has 0 or 1"},
        {"{'tools':'*','drop':['/~']}", "shaping.0.drop.0: after ~, a JSON Pointer has 0 or 1"},
        {"{'tools':'*','drop':['a']}", "shaping.0.drop.0: Invalid string: must start with \"/\""},
        {"{'tools':'reads','cache':{'seconds':1,'bytes':'0'}}",
         "shaping.0.cache.bytes: expected a size such as 8MiB"},
        {"{'tools':'reads','cache':{'seconds':1,'bytes':'99999999999999999999'}}",
         "shaping.0.cache.bytes: expected a size such as 8MiB"},
        {"{'tools':'reads','cache':{}}",
         "shaping.0.cache.seconds: Invalid input: expected number, received undefined"},
        {"{'tools':'reads','max_items':0}",
         "shaping.0.max_items: Too small: expected number to be >=1"},
        {"{'keep':['/a']}", "shaping.0.tools: Invalid input: expected string, received undefined"},
    };
    haft_gateway *gateway = shaped_gateway(NULL, tools);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_reason reason;
        char said[512] = "";

        if (shape(gateway, rows[i].rules, &reason))
            snprintf(said, sizeof said, "%s: %s", reason.path, reason.text);
        if (strcmp(said, rows[i].refusal ? rows[i].refusal : "") != 0)
            fail_msg("row %zu: %s", i, said);
    }
    haft_gateway_free(gateway);
}

/* A configuration that is refused leaves the rules as they are. */
static void keeps_rules_if_refused(void **state)
{
    haft_gateway *gateway = shaped(tools, "{'tools':'*','keep':['/a']}");
    struct wire *wire = wire_open(shaped_server(gateway));
    haft_reason reason;

    (void)state;
    wire_greet(wire, "2025-11-25");
    assert_int_equal(shape(gateway, "{'tools':'*','keep':['/b']},{'tools':'*'}", &reason),
                     HAFT_EINVAL);
    assert_non_null(strstr(wire_call(wire, "tools/call", "\"name\":\"reads\""), "{\\\"a\\\":1}"));
    assert_int_equal(shape(gateway, "{'tools':'*','cache':{'seconds':1}}", &reason), HAFT_EINVAL);
    assert_non_null(strstr(wire_call(wire, "tools/call", "\"name\":\"reads\""), "{\\\"a\\\":1}"));
    assert_int_equal(shape(gateway, "{'tools':'*','keep':['/b']}", &reason), 0);
    assert_non_null(strstr(wire_call(wire, "tools/call", "\"name\":\"reads\""), "{\\\"b\\\":2}"));
    wire_close(wire);
    haft_gateway_free(gateway);
}

/* ---- other stages ---- */

static char seen[512];

static void see(haft_call *call, haft_outcome outcome, void *data)
{
    haft_value *content = haft_result_content(call);
    const char *text = yyjson_get_str(yyjson_obj_get(yyjson_arr_get_first(content), "text"));
    size_t at = strlen(seen);

    (void)data;
    snprintf(seen + at, sizeof seen - at, "%s %s;", haft_outcome_name(outcome), text ? text : "");
}

static void count_line(void *context, const char *line, size_t size)
{
    (void)line;
    (void)size;
    (*(int *)context)++;
}

/* Stages and the audit see what the client gets, of each call, and rates count results of the cache. */
static void stands_inside_of_stages(void **state)
{
    static const haft_stage seeing = HAFT_INIT(haft_stage, .name = "seeing", .after = see);
    static haft_tool limited;
    static const haft_tool *const limited_tools[] = {&limited, NULL};
    haft_gateway *gateway;
    haft_server *server;
    struct wire *wire;
    int lines = 0;

    (void)state;
    limited = reads_tool;
    limited.rate = (haft_rate){.calls = 3, .per_ms = 60000};
    gateway = shaped(limited_tools, "{'tools':'*','keep':['/a'],'cache':{'seconds':9}}");
    server = shaped_server(gateway);
    assert_int_equal(haft_stage_add(server, &seeing), 0);
    assert_int_equal(haft_audit_add(server, count_line, &lines), 0);
    wire = wire_open(server);
    wire_greet(wire, "2025-11-25");
    seen[0] = '\0';
    for (int i = 0; i < 4; i++)
        assert_non_null(wire_call(wire, "tools/call", "\"name\":\"reads\""));
    assert_memory_equal(seen, "ok {\"a\":1};ok {\"a\":1};ok {\"a\":1};rate_limited ", 46);
    assert_int_equal(lines, 4);
    wire_close(wire);
    haft_gateway_free(gateway);
}

/* A rule for all tools is not for those of a search; it is for the tool that call_tool calls. */
static void shapes_tools_that_are_found(void **state)
{
    static const haft_tool *const found[] = {&reads_tool, NULL};
    static const char call[] =
        "\"name\":\"call_tool\",\"arguments\":{\"name\":\"reads\",\"arguments\":{}}";
    haft_gateway *gateway = shaped(found, "");
    haft_server *server = shaped_server(gateway);
    struct wire *wire;
    haft_reason reason;

    (void)state;
    assert_int_equal(haft_server_set_search(server, HAFT_WITH(haft_search, .above = 0)), 0);
    assert_int_equal(
        shape(gateway, "{'tools':'*','keep':['/a'],'max_bytes':9,'cache':{'seconds':9}}", &reason),
        0);
    wire = wire_open(server);
    wire_greet(wire, "2025-11-25");
    for (int i = 0; i < 2; i++)
        assert_non_null(strstr(wire_call(wire, "tools/call", call), "\"{\\\"a\\\":1}\""));
    assert_null(strstr(wire_call(wire, "tools/call",
                                 "\"name\":\"find_tools\",\"arguments\":{\"query\":\"reads\"}"),
                       "Shortened"));
    wire_close(wire);
    haft_gateway_free(gateway);
}

static void names_the_innermost_stage(void **state)
{
    static const char *const names[] = {"forward",    "deadline",   "visibility",
                                        "rate limit", "validation", "shaping"};
    haft_gateway *gateway = shaped_gateway(NULL, tools);
    const haft_server *server = shaped_server(gateway);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        assert_string_equal(haft_stage_at(server, i)->name, names[i]);
    assert_null(haft_stage_at(server, COUNT_OF(names)));
    haft_gateway_free(gateway);
}

/* ---- memory ---- */

static void survives_without_memory(void **state)
{
    static const char *const rules[] = {
        "{'tools':'reads','keep':['/a/*'],'drop':['/b'],'cache':{'seconds':1},'coalesce':true}",
        "{'tools':'w*','max_items':3},{'tools':'reads','keep':['/a/*']}", ""};

    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        haft_gateway *gateway;
        haft_reason reason;
        size_t failures = 0;

        failing_init(&failing, 0);
        gateway = shaped_gateway(&failing.allocator, tools);
        failing.fail_at = failing.calls + nth;
        for (size_t i = 0; i < COUNT_OF(rules); i++) {
            int status = shape(gateway, rules[i], &reason);

            if (status) {
                assert_int_equal(status, HAFT_ENOMEM);
                assert_int_equal(shape(gateway, rules[i], &reason), 0);
            }
        }
        failures = failing.failures;
        failing.fail_at = 0;
        haft_gateway_free(gateway);
        failing_check(&failing);
        if (!failures)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests_[] = {
        cmocka_unit_test(refuses_wrong_rules),       cmocka_unit_test(keeps_rules_if_refused),
        cmocka_unit_test(stands_inside_of_stages),   cmocka_unit_test(shapes_tools_that_are_found),
        cmocka_unit_test(names_the_innermost_stage), cmocka_unit_test(survives_without_memory),
    };

    return cmocka_run_group_tests(tests_, NULL, NULL);
}
