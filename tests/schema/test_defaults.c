/* test_defaults.c - the defaults of schemas without a C type: what a value lacks is filled in, and what a default
 * may not be is reported when the schema is made. */
#include <haft.h>
#include <stdio.h>
#include <string.h>
#include <yyjson.h>

#include "support/test.h"

#define NEST                                                                                           \
    "{\"type\":\"object\",\"properties\":{\"size\":{\"type\":\"integer\",\"default\":3},"              \
    "\"inner\":{\"type\":\"object\",\"properties\":{\"on\":{\"type\":\"boolean\",\"default\":true}}}," \
    "\"whole\":{\"type\":\"object\",\"properties\":{\"a\":{\"default\":1},\"b\":{\"default\":[2]}},"   \
    "\"default\":{\"b\":null}}}}"
#define UNION                                                                                                     \
    "{\"oneOf\":[{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"a\":{},\"x\":{\"default\":\"a\"}}}," \
    "{\"type\":\"object\",\"required\":[\"b\"],\"properties\":{\"b\":{},\"x\":{\"default\":\"b\"}}}]}"

static const struct {
    const char *document, *value, *expected; /* NULL: the value itself */
} documents[] = {
    {NEST, "{}", "{\"size\":3,\"whole\":{\"b\":null,\"a\":1}}"},
    {NEST, "{\"size\":7,\"inner\":{},\"whole\":{\"a\":2}}",
     "{\"size\":7,\"inner\":{\"on\":true},\"whole\":{\"a\":2,\"b\":[2]}}"},
    {NEST, "{\"size\":7,\"inner\":{\"on\":false},\"whole\":{\"a\":2,\"b\":3}}", NULL},
    {NEST, "{\"size\":7,\"more\":[{},\"x\"],\"whole\":{}}",
     "{\"size\":7,\"more\":[{},\"x\"],\"whole\":{\"a\":1,\"b\":[2]}}"},
    {"{\"items\":" NEST "}", "[{},{\"size\":1,\"whole\":{\"a\":1,\"b\":2}}]",
     "[{\"size\":3,\"whole\":{\"b\":null,\"a\":1}},{\"size\":1,\"whole\":{\"a\":1,\"b\":2}}]"},
    {"{\"prefixItems\":[" NEST "]}", "[{},{}]", "[{\"size\":3,\"whole\":{\"b\":null,\"a\":1}},{}]"},
    {"{\"additionalProperties\":{\"properties\":{\"x\":{\"default\":1}}}}", "{\"a\":{},\"b\":1}",
     "{\"a\":{\"x\":1},\"b\":1}"},
    {"{\"patternProperties\":{\"^p\":{\"properties\":{\"x\":{\"default\":1}}}}}",
     "{\"p\":{},\"q\":{}}", "{\"p\":{\"x\":1},\"q\":{}}"},
    {"{\"$ref\":\"#/$defs/d\",\"$defs\":{\"d\":{\"properties\":{\"x\":{\"default\":1}}}}}", "{}",
     "{\"x\":1}"},
    {"{\"allOf\":[{\"properties\":{\"x\":{\"default\":1}}},{\"properties\":{\"x\":{\"default\":2},"
     "\"y\":{\"default\":3}}}]}",
     "{}", "{\"x\":1,\"y\":3}"},
    {UNION, "{\"b\":1}", "{\"b\":1,\"x\":\"b\"}"},
    {UNION, "{\"a\":1}", "{\"a\":1,\"x\":\"a\"}"},
    {"{\"if\":{\"required\":[\"a\"]},\"then\":{\"properties\":{\"x\":{\"default\":1}}},"
     "\"else\":{\"properties\":{\"y\":{\"default\":2}}}}",
     "{}", "{\"y\":2}"},
    {"{\"if\":{\"required\":[\"a\"]},\"then\":{\"properties\":{\"x\":{\"default\":1}}}}",
     "{\"a\":0}", "{\"a\":0,\"x\":1}"},
    {"{\"not\":{\"required\":[\"z\"],\"properties\":{\"x\":{\"default\":1}}}}", "{}", NULL},
    {"{\"properties\":{\"x\":{\"default\":1}}}", "[]", NULL},
    {"{\"properties\":{\"x\":{\"properties\":{\"next\":{\"$ref\":\"#\"},\"n\":{\"default\":0}}}}}",
     "{\"x\":{\"next\":{\"x\":{}}}}", "{\"x\":{\"next\":{\"x\":{\"n\":0}},\"n\":0}}"},
};

/* What a schema makes of a text, in `to`; the schema is freed. */
static const char *defaults_decoded(haft_schema *schema, const char *text, char to[1024])
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_value *value = NULL;
    haft_issues issues;
    haft_buffer out;
    int status = haft_schema_decode_text(schema, text, strlen(text), arena, &value, &issues);

    haft_buffer_init(&out, NULL, 1000);
    if (status)
        haft_issues_text(&issues, &out);
    else
        haft_json_write(value, &out);
    assert_int_equal(out.status, 0);
    snprintf(to, 1024, "%.*s", (int)out.size, out.data);
    haft_buffer_finish(&out);
    haft_arena_free(arena);
    haft_schema_free(schema);
    return to;
}

static void documents_fill_in(void **state)
{
    char text[1024];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(documents); i++) {
        haft_schema *schema;
        haft_reason reason;

        if (haft_schema_parse(documents[i].document, strlen(documents[i].document), NULL, &schema,
                              &reason))
            fail_msg("row %zu: %s: %s", i, reason.path, reason.text);
        assert_string_equal(defaults_decoded(schema, documents[i].value, text),
                            documents[i].expected ? documents[i].expected : documents[i].value);
    }
}

static void documents_may_be_left_alone(void **state)
{
    static const char wrong[] = "{\"properties\":{\"x\":{\"type\":\"string\",\"default\":1}}}";
    const haft_schema_options options =
        HAFT_INIT(haft_schema_options, .defaults = HAFT_DEFAULTS_ANNOTATE);
    haft_schema *schema;
    char text[1024];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(documents); i++) {
        assert_int_equal(haft_schema_parse(documents[i].document, strlen(documents[i].document),
                                           &options, &schema, NULL),
                         0);
        assert_string_equal(defaults_decoded(schema, documents[i].value, text), documents[i].value);
    }
    assert_int_equal(haft_schema_parse(TEXT(wrong), &options, &schema, NULL), 0);
    haft_schema_free(schema);
}

/* What is required stays so: a default is for what may be absent. */
static void required_stays_required(void **state)
{
    static const char document[] =
        "{\"required\":[\"x\"],\"properties\":{\"x\":{\"type\":\"integer\",\"default\":1}}}";
    haft_schema *schema;
    char text[1024];

    (void)state;
    assert_int_equal(haft_schema_parse(TEXT(document), NULL, &schema, NULL), 0);
    assert_string_equal(defaults_decoded(schema, "{}", text),
                        "x: Invalid input: expected number, received undefined");
}

static void bad_defaults_are_reported(void **state)
{
    static const struct {
        const char *document, *path, *text;
        int code;
    } rows[] = {
        {"{\"properties\":{\"x\":{\"type\":\"string\",\"default\":1}}}", "x",
         "the default does not match the schema: "
         "Invalid input: expected string, received number",
         HAFT_ESCHEMA},
        {"{\"items\":{\"properties\":{\"x\":{\"items\":{\"maximum\":3},\"default\":[1,5]}}}}",
         "x.1", "the default does not match the schema: Too big: expected number to be <=3",
         HAFT_ESCHEMA},
        {"{\"properties\":{\"x\":{\"$ref\":\"#/$defs/a\",\"default\":{}}},\"$defs\":{"
         "\"a\":{\"allOf\":[{\"$ref\":\"#/$defs/b\"},{\"$ref\":\"#/$defs/b\"},{\"$ref\":\"#/$defs/b\"}]},"
         "\"b\":{\"properties\":{\"y\":{\"type\":\"null\",\"default\":0}}}}}",
         "y",
         "the default does not match the schema: Invalid input: expected null, received number",
         HAFT_ESCHEMA},
        {"{\"properties\":{\"next\":{\"$ref\":\"#\",\"default\":{}}}}", "next",
         "the default does not match the schema: nesting limit exceeded", HAFT_EDEPTH},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_schema *schema;
        haft_reason reason;

        assert_int_equal(
            haft_schema_parse(rows[i].document, strlen(rows[i].document), NULL, &schema, &reason),
            rows[i].code);
        assert_string_equal(reason.path, rows[i].path);
        assert_string_equal(reason.text, rows[i].text);
    }
}

/* ---- the builder ---- */

static haft_schema *defaults_build(void)
{
    haft_builder *b = haft_builder_new(NULL);
    haft_def *line = haft_def_object(b, "id", haft_def_int(b), "n",
                                     haft_def_default(haft_def_int(b), "1"), NULL);
    haft_def *left = haft_def_object(b, "kind", haft_def_literal(b, "\"left\""), "by",
                                     haft_def_default(haft_def_int(b), "10"), NULL);
    haft_def *right = haft_def_object(b, "kind", haft_def_literal(b, "\"right\""), "by",
                                      haft_def_default(haft_def_int(b), "20"), NULL);
    haft_def *order = haft_def_object(
        b, "lines", haft_def_default(haft_def_array(b, line), "[{\"id\":5}]"), "to",
        haft_def_default(haft_def_nullable(haft_def_string(b)), "null"), "move",
        haft_def_optional(haft_def_discriminated(b, "kind", left, right, NULL)), "prices",
        haft_def_optional(haft_def_record(b, haft_def_string(b), line)), NULL);
    haft_schema *schema = NULL;

    assert_int_equal(haft_schema_build(b, order, &schema, NULL), 0);
    return schema;
}

static void built_schemas_fill_in(void **state)
{
    static const struct {
        const char *value, *expected;
    } rows[] = {
        {"{}", "{\"lines\":[{\"id\":5,\"n\":1}],\"to\":null}"},
        {"{\"lines\":[{\"id\":1},{\"id\":2,\"n\":3}],\"to\":\"x\"}",
         "{\"lines\":[{\"id\":1,\"n\":1},{\"id\":2,\"n\":3}],\"to\":\"x\"}"},
        {"{\"lines\":[],\"to\":null,\"move\":{\"kind\":\"right\"}}",
         "{\"lines\":[],\"to\":null,\"move\":{\"kind\":\"right\",\"by\":20}}"},
        {"{\"lines\":[],\"to\":null,\"prices\":{\"a\":{\"id\":1}}}",
         "{\"lines\":[],\"to\":null,\"prices\":{\"a\":{\"id\":1,\"n\":1}}}"},
        {"{\"lines\":[{\"n\":2}]}",
         "lines.0.id: Invalid input: expected number, received undefined"},
    };
    char text[1024];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_string_equal(defaults_decoded(defaults_build(), rows[i].value, text),
                            rows[i].expected);
}

static void bad_built_defaults_are_reported(void **state)
{
    haft_builder *b = haft_builder_new(NULL);
    haft_def *root =
        haft_def_object(b, "n", haft_def_default(haft_def_at_most(haft_def_int(b), 3), "5"), NULL);
    haft_schema *schema;
    haft_reason reason;

    (void)state;
    assert_int_equal(haft_schema_build(b, root, &schema, &reason), HAFT_ESCHEMA);
    assert_string_equal(reason.path, "n");
}

/* ---- tools ---- */

static int say(haft_call *call, haft_value *arguments, void *data)
{
    haft_buffer out;
    int status;

    (void)data;
    haft_buffer_init(&out, NULL, 1 << 16);
    haft_json_write(arguments, &out);
    status = haft_text(call, "%.*s", (int)out.size, out.data);
    haft_buffer_finish(&out);
    return status;
}

static void tool_gets(haft_tool_builder *tool, haft_server *server, const char *arguments,
                      const char *expected)
{
    haft_client *client;
    haft_result result;

    haft_tool_handler(tool, say, NULL);
    assert_int_equal(haft_tool_build(tool, server), 0);
    client = haft_client_new(server, NULL);
    assert_non_null(client);
    assert_int_equal(haft_client_call(client, "say", arguments, &result), 0);
    assert_string_equal(result.text, expected);
    haft_client_free(client);
    haft_server_free(server);
}

static void tools_get_them(void **state)
{
    static const char definition[] = "{\"name\":\"say\",\"description\":\"Says what it got\","
                                     "\"inputSchema\":" NEST "}";
    haft_tool_builder *tool = haft_tool_new("say");
    haft_server *server = haft_server_new("defaults", "1");

    (void)state;
    haft_tool_describe(tool, "Says what it got");
    haft_tool_input(tool, defaults_build());
    tool_gets(tool, server, "{\"to\":\"x\"}", "{\"to\":\"x\",\"lines\":[{\"id\":5,\"n\":1}]}");

    tool = haft_tool_new("say");
    server = haft_server_new("defaults", "1");
    haft_tool_describe(tool, "Says what it got");
    haft_tool_input(tool, defaults_build());
    haft_tool_lenient(tool, HAFT_YES);
    tool_gets(tool, server, "{\"lines\":\"[{\\\"id\\\":\\\"3\\\"}]\"}",
              "{\"lines\":[{\"id\":3,\"n\":1}],\"to\":null}");

    server = haft_server_new("defaults", "1");
    tool = haft_tool_parse(server, TEXT(definition));
    tool_gets(tool, server, NULL, "{\"size\":3,\"whole\":{\"b\":null,\"a\":1}}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_fill_in),
        cmocka_unit_test(documents_may_be_left_alone),
        cmocka_unit_test(required_stays_required),
        cmocka_unit_test(bad_defaults_are_reported),
        cmocka_unit_test(built_schemas_fill_in),
        cmocka_unit_test(bad_built_defaults_are_reported),
        cmocka_unit_test(tools_get_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
