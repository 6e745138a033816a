/* test_wrap.c - schemas as they are listed: output that refers to itself inside the object that
 * older clients want, and arguments that all clients see to be an object. */
#include <string.h>

#include "support/test.h"
#include "support/wire.h"

static int handle(haft_call *call, haft_value *arguments, void *data)
{
    (void)arguments;
    (void)data;
    return haft_json(call, "[[],[[]]]", 9);
}

static haft_server *serve_with(const char *text,
                               void (*give)(haft_tool_builder *tool, haft_schema *schema))
{
    haft_server *server = haft_server_new("test", "1");
    haft_tool_builder *tool = haft_tool_new("t");
    haft_schema *schema = NULL;

    assert_int_equal(haft_schema_parse(text, strlen(text), NULL, &schema, NULL), 0);
    haft_tool_describe(tool, "D");
    give(tool, schema);
    haft_tool_handler(tool, handle, NULL);
    assert_int_equal(haft_tool_build(tool, server), 0);
    return server;
}

static haft_server *serve(const char *output)
{
    return serve_with(output, haft_tool_output);
}

static void listed_as(haft_server *server, const char *revision, const char *key,
                      const char *schema)
{
    struct wire *wire = wire_open(server);
    const char *answer, *at;

    wire_greet(wire, revision);
    answer = wire_call(wire, "tools/list", NULL);
    at = strstr(answer, key);
    assert_non_null(at);
    assert_memory_equal(at + strlen(key), schema, strlen(schema));
    wire_close(wire);
}

static void listed(haft_server *server, const char *revision, const char *schema)
{
    listed_as(server, revision, "\"outputSchema\":", schema);
}

#define WRAPPED(schema)                                                                            \
    "{\"type\":\"object\",\"properties\":{\"result\":" schema                                      \
    "},\"required\":[\"result\"],\"additionalProperties\":false}"
#define PLACE "#/properties/result"

static const struct {
    const char *modern, *legacy;
} rows[] = {
    {"{\"type\":\"array\",\"items\":{\"$ref\":\"#\"}}",
     WRAPPED("{\"type\":\"array\",\"items\":{\"$ref\":\"" PLACE "\"}}")},
    {"{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/a\"}}}}",
     WRAPPED("{\"$ref\":\"" PLACE
             "/$defs/a\",\"$defs\":{\"a\":{\"type\":\"array\",\"items\":{\"$ref\":\"" PLACE
             "/$defs/a\"}}}}")},
    /* a name is no keyword, and data is no schema */
    {"{\"anyOf\":[{\"type\":\"array\"},{\"properties\":{\"$ref\":{\"$ref\":\"#\"},\"const\":{\"$ref\":"
     "\"#\"}}}],\"default\":{\"$ref\":\"#\"},\"examples\":[{\"$ref\":\"#\"}]}",
     WRAPPED("{\"anyOf\":[{\"type\":\"array\"},{\"properties\":{\"$ref\":{\"$ref\":\"" PLACE
             "\"},\"const\":{\"$ref\":\"" PLACE "\"}}}],\"default\":{\"$ref\":\"#\"},"
             "\"examples\":[{\"$ref\":\"#\"}]}")},
    /* anchors, and what has an address of its own, are found wherever they are */
    {"{\"type\":\"array\",\"items\":{\"$ref\":\"#a\"},\"$defs\":{\"a\":{\"$anchor\":\"a\"}}}",
     WRAPPED(
         "{\"type\":\"array\",\"items\":{\"$ref\":\"#a\"},\"$defs\":{\"a\":{\"$anchor\":\"a\"}}}")},
    {"{\"$id\":\"urn:acme:list\",\"type\":\"array\",\"items\":{\"$ref\":\"#\"}}",
     WRAPPED("{\"$id\":\"urn:acme:list\",\"type\":\"array\",\"items\":{\"$ref\":\"#\"}}")},
    {"{}", WRAPPED("{}")},
    /* an object is not wrapped */
    {"{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#\"}}}",
     "{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#\"}}}"},
};

/* One that does not say so costs a client of the official SDK the whole list. */
static const struct {
    const char *given, *listed;
} inputs[] = {
    {"{\"properties\":{\"a\":{\"maximum\":1.50}},\"type\":\"object\"}",
     "{\"properties\":{\"a\":{\"maximum\":1.50}},\"type\":\"object\"}"},
    /* a message is one line, for whoever reads lines */
    {"{\n \"type\": \"object\",\r\n\t\"properties\": {\"a b\": {\"description\": \"\\\"\\n \xe2\x80\xa8"
     "\xe2\x80\xa9\xc2\x85 \\\\\", \"maximum\": 1.50}}\n}\n",
     "{\"type\":\"object\",\"properties\":{\"a b\":{\"description\":\"\\\"\\n \\u2028\\u2029\\u0085 "
     "\\\\\",\"maximum\":1.50}}}"},
    {"{\n}", "{\"type\":\"object\",\"properties\":{}}"},
    {"{}", "{\"type\":\"object\",\"properties\":{}}"},
    {"true", "{\"type\":\"object\",\"properties\":{}}"},
    {"{\"type\":\"object\"}", "{\"type\":\"object\",\"properties\":{}}"},
    {"{\"type\":[\"object\",\"null\"],\"maxProperties\":1}",
     "{\"type\":\"object\",\"maxProperties\":1,\"properties\":{}}"},
    {"{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"type\":\"object\"}}}",
     "{\"type\":\"object\",\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"type\":\"object\"}},"
     "\"properties\":{}}"},
    {"{\"anyOf\":[{\"type\":\"object\"}]}",
     "{\"type\":\"object\",\"anyOf\":[{\"type\":\"object\"}],\"properties\":{}}"},
    {"{\"type\":\"object\",\"properties\":{\"a\":true,\"b\":false,\"c\":{\"type\":\"null\"}}}",
     "{\"type\":\"object\",\"properties\":{\"a\":{},\"b\":{\"not\":{}},\"c\":{\"type\":\"null\"}}}"},
};

static void checks_arguments(void **state)
{
    static const char *const revisions[] = {"2024-11-05", "2025-11-25", "2026-07-28"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(inputs); i++) {
        haft_server *server = serve_with(inputs[i].given, haft_tool_input);

        for (size_t k = 0; k < COUNT_OF(revisions); k++)
            listed_as(server, revisions[k], "\"inputSchema\":", inputs[i].listed);
        haft_server_free(server);
    }
}

/* An object is one however it is said, and clients before 2026-07-28 want it said at the root. */
static void object(void **state)
{
    static const char output[] = "{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"type\":\"object\"}}}";
    haft_server *server = serve(output);

    (void)state;
    listed(server, "2025-11-25",
           "{\"type\":\"object\",\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"type\":\"object\"}}}");
    haft_server_free(server);
    server = serve("true");
    listed(server, "2025-11-25", WRAPPED("{}"));
    listed(server, "2026-07-28", "{}");
    haft_server_free(server);
}

static void wrapped(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_server *server = serve(rows[i].modern);

        listed(server, "2025-06-18", rows[i].legacy);
        listed(server, "2025-11-25", rows[i].legacy);
        listed(server, "2026-07-28", rows[i].modern);
        haft_server_free(server);
    }
}

/* What is advertised is a schema that the wrapped result fits, by haft's own reading of it. */
static void result_fits(void **state)
{
    static const char right[] = "{\"result\":[[],[[]]]}", wrong[] = "{\"result\":[[],[1]]}";

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        haft_schema *schema = NULL;
        haft_issues issues;

        assert_int_equal(
            haft_schema_parse(rows[i].legacy, strlen(rows[i].legacy), NULL, &schema, NULL), 0);
        assert_int_equal(haft_schema_validate_text(schema, right, strlen(right), arena, &issues),
                         0);
        assert_int_equal(haft_schema_validate_text(schema, wrong, strlen(wrong), arena, &issues),
                         HAFT_EISSUES);
        haft_schema_free(schema);
        haft_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks_arguments),
        cmocka_unit_test(object),
        cmocka_unit_test(wrapped),
        cmocka_unit_test(result_fits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
