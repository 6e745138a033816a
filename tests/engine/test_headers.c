/* test_headers.c - arguments that are also headers, as a JSON Schema document says it. */
#include <stdio.h>
#include <string.h>

#include "support/test.h"
#include "support/wire.h"

static const char input[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"region\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"},"
    "\"deep\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\","
    "\"x-mcp-header\":\"Count\"}}}}}";

static int handle(haft_call *call, haft_value *arguments, void *data)
{
    (void)arguments;
    (void)data;
    return haft_text(call, "ok");
}

static haft_server *serve(void)
{
    haft_server *server = haft_server_new("test", "1");
    haft_tool_builder *tool = haft_tool_new("t");
    haft_schema *schema = NULL;

    assert_int_equal(haft_schema_parse(input, strlen(input), NULL, &schema, NULL), 0);
    haft_tool_describe(tool, "D");
    haft_tool_input(tool, schema);
    haft_tool_handler(tool, handle, NULL);
    assert_int_equal(haft_tool_build(tool, server), 0);
    return server;
}

struct row {
    const char *arguments, *region, *count; /* NULL: there is no such header */
    const char *refused;                    /* NULL: it is called */
};

/* A region after a semicolon comes in a header of its own, whose name is spelled in another way. */
static haft_headers headers_of(const struct row *row, haft_header list[8], char room[256])
{
    haft_headers headers = {.list = list, .n = 3};
    char *second;

    list[0] = (haft_header){"mcp-protocol-version", "2026-07-28"};
    list[1] = (haft_header){"mcp-method", "tools/call"};
    list[2] = (haft_header){"mcp-name", "t"};
    snprintf(room, 256, "%s", row->region ? row->region : "");
    second = strchr(room, ';');
    if (second)
        *second++ = '\0';
    if (row->region)
        list[headers.n++] = (haft_header){"mcp-param-region", room};
    if (second)
        list[headers.n++] = (haft_header){"MCP-Param-Region", second};
    if (row->count)
        list[headers.n++] = (haft_header){"mcp-param-count", row->count};
    return headers;
}

static void checks_arguments(void **state)
{
    static const struct row rows[] = {
        {"{}", NULL, NULL, NULL},
        {"{\"region\":\"eu\"}", "eu", NULL, NULL},
        {"{\"region\":\"eu\"}", NULL, NULL, "is required"},
        {"{\"region\":\"eu\"}", "us", NULL, "does not match the argument"},
        {"{}", "eu", NULL, "has no matching argument"},
        {"{\"deep\":{\"n\":5}}", NULL, "5", NULL},
        {"{\"deep\":{\"n\":5}}", NULL, "6", "does not match the argument"},
        {"{\"deep\":{\"n\":5}}", NULL, NULL, "is required"},
        {"{\"deep\":{\"n\":5}}", NULL, "5.0", NULL},
        {"{\"deep\":{\"n\":5.0}}", NULL, "5", NULL},
        {"{\"deep\":{\"n\":-9007199254740991}}", NULL, "-9007199254740991", NULL},
        {"{\"deep\":{\"n\":9007199254740992}}", NULL, "9007199254740992", "below 2^53"},
        {"{\"deep\":{\"n\":-9007199254740993}}", NULL, "-9007199254740993", "below 2^53"},
        /* what a header can hold */
        {"{\"region\":\"a\\tb\"}", "a\tb", NULL, NULL},
        {"{\"region\":\"a\\u0001b\"}", "a\001b", NULL, "is malformed"},
        {"{\"region\":\"a\\u007fb\"}", "a\177b", NULL, "is malformed"},
        {"{\"region\":\"\u00e9\"}", "\u00e9", NULL, "is malformed"},
        {"{\"region\":\"\u00e9\"}", "=?base64?w6k=?=", NULL, NULL},
        {"{\"region\":\"?\"}", "=?base64?/w==?=", NULL, "is malformed"},
        /* twice, the same or not */
        {"{\"region\":\"eu\"}", "eu;us", NULL, "occurs more than once"},
        {"{\"region\":\"eu\"}", "eu;eu", NULL, "occurs more than once"},
    };
    haft_server *server = serve();

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct wire *wire = wire_open_with(
            server, (haft_session_options)HAFT_INIT(haft_session_options, .modern = true));
        haft_incoming *message;
        haft_headers headers;
        haft_header list[8];
        char text[512], room[256];
        const char *answer;
        int size = snprintf(
            text, sizeof text,
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"t\","
            "\"arguments\":%s,\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
            "\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
            rows[i].arguments);

        message = haft_incoming_read(wire->session, text, (size_t)size, NULL, 1000);
        assert_non_null(message);
        headers = headers_of(&rows[i], list, room);
        assert_int_equal(haft_incoming_process(message, wire->session, &headers), 1);
        answer = wire_next(wire);
        assert_non_null(answer);
        assert_int_equal(wire->error_code, rows[i].refused ? -32020 : 0);
        assert_non_null(strstr(answer, rows[i].refused ? rows[i].refused : "\"ok\""));
        wire_close(wire);
    }
    haft_server_free(server);
}

/* It is text, or the document is refused. */
static void no_text(void **state)
{
    static const char *const values[] = {"5", "null", "[\"Region\"]", "\"Re\\u0000gion\""};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        haft_schema *schema = NULL;
        haft_reason reason;
        char text[256];

        snprintf(text, sizeof text,
                 "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":%s}}}", values[i]);
        assert_int_equal(haft_schema_parse(text, strlen(text), NULL, &schema, &reason),
                         HAFT_ESCHEMA);
        assert_string_equal(reason.path, "#/properties/a/x-mcp-header");
        assert_string_equal(reason.text, "\"x-mcp-header\" must be a string without U+0000");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks_arguments),
        cmocka_unit_test(no_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
