/* test_lenient.c - a tool, or a server, that reads texts as what they stand for; and one that does
 * not. */
#include <haft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yyjson.h>

#include "support/test.h"

HAFT_STRUCT(order_args,
    HAFT_INTEGER(count, "How many", .min = 1),
    HAFT_OPTIONAL(HAFT_BOOLEAN(gift, "Wrapped")),
    HAFT_OPTIONAL(HAFT_ARRAY(sizes, HAFT_NUMBER(size, "A size"), "Sizes")),
    HAFT_OPTIONAL(HAFT_STRING(note, "What to write on it")));
HAFT_STRUCT(ordered, HAFT_INTEGER(count, "How many"), HAFT_INTEGER(n_sizes, "How many sizes"));

static int order(haft_call *call, const order_args *in, ordered *out)
{
    (void)call;
    *out = (ordered){.count = in->count, .n_sizes = (int64_t)in->n_sizes};
    return 0;
}
HAFT_TOOL(order, order_args, ordered, "As the server says");

static int strict_order(haft_call *call, const order_args *in, ordered *out)
{
    return order(call, in, out);
}
HAFT_TOOL(strict_order, order_args, ordered, "Never", .lenient = HAFT_NO);

static int lenient_order(haft_call *call, const order_args *in, ordered *out)
{
    return order(call, in, out);
}
HAFT_TOOL(lenient_order, order_args, ordered, "Always", .lenient = HAFT_YES);

/* Of a tool made at run time: the arguments as it gets them. */
static int echo(haft_call *call, haft_value *arguments, void *data)
{
    haft_buffer out;

    (void)data;
    assert_ptr_equal(arguments, haft_call_arguments(call));
    haft_buffer_init(&out, NULL, 4096);
    haft_json_write(arguments, &out);
    haft_text_bytes(call, out.data, out.size);
    haft_buffer_finish(&out);
    return 0;
}

static char logged[4096];

static void keep_log(void *context, haft_level level, const char *text, size_t size)
{
    (void)context;
    if (level == HAFT_INFO)
        snprintf(logged + strlen(logged), sizeof logged - strlen(logged), "%.*s\n", (int)size,
                 text);
}

static haft_server *make(bool lenient)
{
    static const char document[] =
        "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}}}";
    haft_server *server = haft_server_new_with(
        "shop", "1.0.0", HAFT_WITH(haft_server_options, .lenient = lenient, .log = keep_log));
    haft_tool_builder *builder = haft_tool_new("echo");
    haft_schema *schema = NULL;

    assert_int_equal(haft_add(server, &order_tool), 0);
    assert_int_equal(haft_add(server, &strict_order_tool), 0);
    assert_int_equal(haft_add(server, &lenient_order_tool), 0);
    assert_int_equal(haft_schema_parse(document, sizeof document - 1, NULL, &schema, NULL), 0);
    haft_tool_describe(builder, "Says its arguments");
    haft_tool_input(builder, schema);
    haft_tool_handler(builder, echo, NULL);
    haft_tool_lenient(builder, HAFT_YES);
    assert_int_equal(haft_tool_build(builder, server), 0);
    assert_int_equal(haft_metrics_enable(server), 0);
    return server;
}

#define REFUSED(tool) "Input validation error: Invalid arguments for tool " tool ": "

static const struct call_row {
    bool lenient;
    const char *tool, *arguments, *text;
    unsigned repairs;
    const char *logged; /* a part of it; "" for none at all */
} rows[] = {
    {false, "order", "{\"count\":5}", "{\"count\":5,\"n_sizes\":0}", 0, ""},
    {false, "order", "{\"count\":\"5\"}",
     REFUSED("order") "count: Invalid input: expected number, received string", 0, ""},
    {true, "order", "{\"count\":5,\"note\":\"7\"}", "{\"count\":5,\"n_sizes\":0}", 0, ""},
    {true, "order", "{\"count\":\"5\"}", "{\"count\":5,\"n_sizes\":0}", 1,
     "repaired count: converted a string to number\n"},
    {true, "order", "{\"count\":\"5\",\"gift\":\"false\",\"sizes\":\"[1,\\\"2.5\\\"]\"}",
     "{\"count\":5,\"n_sizes\":2}", 4, "repaired sizes.1: converted a string to number\n"},
    {true, "order", "{\"count\":\"0\"}",
     REFUSED("order") "count: Invalid input: expected number, received string", 0, ""},
    {true, "strict_order", "{\"count\":\"5\"}",
     REFUSED("strict_order") "count: Invalid input: expected number, received string", 0, ""},
    {false, "lenient_order", "{\"count\":\"5\"}", "{\"count\":5,\"n_sizes\":0}", 1,
     "repaired count: converted a string to number\n"},
    {false, "echo", "{\"n\":\"5\",\"m\":\"5\"}", "{\"n\":5,\"m\":\"5\"}", 1,
     "repaired n: converted a string to number\n"},
    {false, "echo", "{\"n\":5}", "{\"n\":5}", 0, ""},
};

/* As the metrics count them. */
static unsigned repairs_of(haft_server *server, const char *tool)
{
    haft_buffer out;
    char line[128];
    const char *found;
    unsigned n;

    haft_buffer_init(&out, NULL, 1 << 20);
    assert_int_equal(haft_metrics_write(server, &out), 0);
    haft_buffer_add(&out, "", 1);
    snprintf(line, sizeof line, "mcp_server_repairs_total{gen_ai_tool_name=\"%s\"} ", tool);
    found = strstr(out.data, line);
    n = found ? (unsigned)strtoul(found + strlen(line), NULL, 10) : 0;
    haft_buffer_finish(&out);
    return n;
}

static void repairs_what_it_is_told_to(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_server *server = make(rows[i].lenient);
        haft_client *client = haft_client_new(server, NULL);
        haft_result result;

        *logged = '\0';
        assert_int_equal(haft_client_call(client, rows[i].tool, rows[i].arguments, &result), 0);
        assert_string_equal(result.text, rows[i].text);
        assert_int_equal(repairs_of(server, rows[i].tool), rows[i].repairs);
        if (*rows[i].logged)
            assert_non_null(strstr(logged, rows[i].logged));
        else
            assert_string_equal(logged, "");
        haft_client_free(client);
        haft_server_free(server);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(repairs_what_it_is_told_to)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
