/* test_lint.c - what is refused when a tool is added, what is warned of, in which words. */
#include <haft.h>
#include <stdio.h>
#include <string.h>

#include "support/test.h"

/* ---- the log ---- */

struct log {
    char text[2048];
};

static void write_log(void *context, haft_level level, const char *text, size_t size)
{
    struct log *log = context;
    size_t used = strlen(log->text);

    snprintf(log->text + used, sizeof log->text - used, "%c %.*s\n",
             level == HAFT_WARNING ? 'W'
             : level == HAFT_ERROR ? 'E'
                                   : '?',
             (int)size, text);
}

static haft_server *serve(struct log *log)
{
    haft_server *server = haft_server_new_with(
        "test", "1", HAFT_WITH(haft_server_options, .log = write_log, .log_context = log));

    assert_non_null(server);
    log->text[0] = '\0';
    return server;
}

static int handle(haft_call *call, const void *in, void *out)
{
    (void)in;
    (void)out;
    return haft_text(call, "ok");
}

/* ---- declared tools ---- */

#define N10 "abcdefghij"
#define N60 N10 N10 N10 N10 N10 N10
#define N128 N60 N60 "abcdefgh"

HAFT_LIST(plain_list, HAFT_STRING(s, "A text"), "No object");
HAFT_STRUCT(good_args, HAFT_STRING(a, "A"), HAFT_HEADER("Region", HAFT_STRING(region, "Where")));
HAFT_STRUCT(anything_args, HAFT_ARRAY(list, HAFT_JSON(any, "Anything"), "A list"));
HAFT_STRUCT(number_header, HAFT_HEADER("Price", HAFT_NUMBER(price, "How much")));
HAFT_STRUCT(same_header, HAFT_HEADER("Region", HAFT_STRING(a, "A")),
            HAFT_HEADER("rEGION", HAFT_STRING(b, "B")));
HAFT_STRUCT(empty_header, HAFT_HEADER("", HAFT_STRING(a, "A")));
HAFT_STRUCT(odd_header, HAFT_HEADER("Re gion", HAFT_STRING(a, "A")));
HAFT_STRUCT(bad_pattern, HAFT_STRING(a, "A", .pattern = "("));

#define NOTHING_FITS "the minimum is greater than the maximum, so no value is valid\n"

HAFT_STRUCT(swapped_args, HAFT_STRING(a, "A", .min = 5, .max = 2));
HAFT_STRUCT(hidden_args, HAFT_STRING(a, "A\xe2\x80\xae"));

static const struct row {
    haft_tool tool;
    int status;
    const char *log;
} rows[] = {
    {{.name = "t", .description = "D", .call = handle, .input = &hidden_args_type},
     0,
     "W t: a: the description contains U+202E, which models read but people cannot see\n"},
    /* names */
    {{.name = "ok", .description = "D", .call = handle}, 0, ""},
    {{.name = "A-z_0.9", .description = "D", .call = handle}, 0, ""},
    {{.name = N60, .description = "D", .call = handle}, 0, ""},
    {{.name = N60 "a", .description = "D", .call = handle},
     0,
     "W " N60
     "a: with the server's name as a prefix it exceeds 60 characters; some clients drop such tools\n"},
    {{.name = N60 "abcde", .description = "D", .call = handle},
     0,
     "W " N60 "abcde: some clients reject names over 64 characters\n"},
    {{.name = N128, .description = "D", .call = handle},
     0,
     "W " N128 ": some clients reject names over 64 characters\n"},
    {{.name = N128 "a", .description = "D", .call = handle}, HAFT_EINVAL, NULL},
    {{.name = "", .description = "D", .call = handle},
     HAFT_EINVAL,
     "E : a name must not be empty\n"},
    {{.name = NULL, .description = "D", .call = handle},
     HAFT_EINVAL,
     "E : a name must not be empty\n"},
    {{.name = "a b", .description = "D", .call = handle},
     HAFT_EINVAL,
     "E a b: a name may contain only letters, digits, '_', '-' and '.'\n"},
    {{.name = "a/b", .description = "D", .call = handle},
     HAFT_EINVAL,
     "E a/b: a name may contain only letters, digits, '_', '-' and '.'\n"},
    {{.name = "\xc3\xa9", .description = "D", .call = handle},
     HAFT_EINVAL,
     "E \xc3\xa9: a name may contain only letters, digits, '_', '-' and '.'\n"},
    {{.name = "\xff", .description = "D", .call = handle},
     HAFT_EUTF8,
     "E : a name must be valid UTF-8\n"},
    /* descriptions */
    {{.name = "t", .call = handle}, 0, "W t: no description: a model cannot tell what it is for\n"},
    {{.name = "t", .description = "", .call = handle},
     0,
     "W t: no description: a model cannot tell what it is for\n"},
    {{.name = "t", .description = "\xff", .call = handle},
     HAFT_EUTF8,
     "E t: cannot be listed: invalid UTF-8\n"},
    /* the rest */
    {{.name = "t", .description = "D"}, HAFT_EINVAL, "E t: the handler is missing\n"},
    {{.name = "t", .description = "D", .call = handle, .meta = "{"},
     HAFT_EPARSE,
     "E t: _meta: unexpected end of data at byte 1\n"},
    {{.name = "t", .description = "D", .call = handle, .meta = "[]"},
     HAFT_EINVAL,
     "E t: _meta must be a JSON object\n"},
    {{.name = "t", .description = "D", .call = handle, .meta = "{\"a\":1,\"b c\":2}"},
     HAFT_EINVAL,
     "E t: _meta: \"b c\" is not a valid key\n"},
    /* schemas */
    {{.name = "t", .description = "D", .call = handle, .input = &good_args_type}, 0, ""},
    {{.name = "t", .description = "D", .call = handle, .output = &plain_list_type}, 0, ""},
    {{.name = "t", .description = "D", .call = handle, .input = &plain_list_type},
     HAFT_ESCHEMA,
     "E t: input: the schema must accept objects, because arguments are always an object\n"},
    {{.name = "t", .description = "D", .call = handle, .input = &anything_args_type},
     0,
     "W t: input.list: some clients reject items without a type\n"},
    {{.name = "t", .description = "D", .call = handle, .input = &swapped_args_type},
     HAFT_ESCHEMA,
     "E t: input: a: " NOTHING_FITS},
    {{.name = "t", .description = "D", .call = handle, .input = &bad_pattern_type},
     HAFT_EPATTERN,
     NULL},
    {{.name = "t", .description = "D", .call = handle, .output = &bad_pattern_type},
     HAFT_EPATTERN,
     NULL},
    /* headers */
    {{.name = "t", .description = "D", .call = handle, .input = &number_header_type},
     HAFT_EINVAL,
     "E t: price: only strings, integers and booleans can be headers\n"},
    {{.name = "t", .description = "D", .call = handle, .input = &same_header_type},
     HAFT_EINVAL,
     "E t: b: the header \"rEGION\" is used twice\n"},
    {{.name = "t", .description = "D", .call = handle, .input = &odd_header_type},
     HAFT_EINVAL,
     "E t: a: \"Re gion\" is not a valid header name\n"},
    {{.name = "t", .description = "D", .call = handle, .input = &empty_header_type},
     HAFT_EINVAL,
     "E t: a: \"\" is not a valid header name\n"},
};

static void declared(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct log log;
        haft_server *server = serve(&log);
        haft_tool tool = rows[i].tool, first = rows[0].tool;
        int status;

        tool.struct_size = first.struct_size = sizeof tool;
        status = haft_add(server, &tool);
        if (status != rows[i].status || (rows[i].log && strcmp(log.text, rows[i].log)))
            fprintf(stderr, "row %zu: %d, %s", i, status, log.text);
        assert_int_equal(status, rows[i].status);
        if (rows[i].log)
            assert_string_equal(log.text, rows[i].log);
        if (status) {
            assert_int_equal(haft_server_error(server)->code, status);
            /* one bad tool harms nobody else */
            assert_int_equal(haft_add(server, &first), 0);
        }
        haft_server_free(server);
    }
}

/* ---- schemas made at run time ---- */

static int handle_json(haft_call *call, haft_value *arguments, void *data)
{
    (void)arguments;
    (void)data;
    return haft_text(call, "ok");
}

#define HEADERS(a, b) "{\"type\":\"object\",\"properties\":{\"a\":" a ",\"b\":" b "}}"
#define NO_DESCRIPTION(name)                                                                       \
    "W t: input." name ": no description: it is the only documentation that a model sees\n"

#define STRAY(path) "E t: #" path "/x-mcp-header: only properties of objects can be headers\n"

static const struct {
    const char *input, *output;
    int status;
    const char *log;
} documents[] = {
    {"{\"type\":\"object\"}", NULL, 0, ""},
    {"{}", NULL, 0, ""},
    {"{\"type\":\"object\",\"minProperties\":1,\"maxProperties\":1,\"properties\":{\"a\":"
     "{\"type\":\"number\",\"description\":\"A\",\"minimum\":1,\"maximum\":1}}}",
     NULL, 0, ""},
    {"{\"type\":\"object\",\"minProperties\":2,\"maxProperties\":1}", NULL, 0,
     "W t: input: " NOTHING_FITS},
    {"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"number\",\"description\":\"A\","
     "\"minimum\":1.5,\"maximum\":1}}}",
     NULL, 0, "W t: input.a: " NOTHING_FITS},
    {"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}}}", NULL, 0,
     "W t: input.a: no description: it is the only documentation that a model sees\n"},
    {"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\",\"description\":\"A\"}}}",
     NULL, 0, "W t: input.a: some clients drop an array without items\n"},
    {"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\",\"description\":\"A\","
     "\"items\":{}}}}",
     NULL, 0, "W t: input.a: some clients reject items without a type\n"},
    {"{\"type\":\"object\",\"properties\":{\"o\":{\"type\":\"object\",\"description\":\"O\","
     "\"properties\":{\"a\":{\"type\":\"array\"}}}}}",
     NULL, 0,
     "W t: input.o.a: no description: it is the only documentation that a model sees\n"
     "W t: input.o.a: some clients drop an array without items\n"},
    {"{\"type\":\"object\",\"anyOf\":[{\"required\":[\"a\"]},{\"required\":[\"b\"]}]}", NULL, 0,
     "W t: input: some clients reject allOf, anyOf and oneOf at the root\n"},
    {"{\"type\":\"string\"}", NULL, HAFT_ESCHEMA,
     "E t: input: the schema must accept objects, because arguments are always an object\n"},
    {"{\"type\":\"object\"}", "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\"}}}",
     0, "W t: output.a: some clients drop an array without items\n"},
    {"{\"type\":\"object\"}", "{\"type\":\"string\"}", 0, ""},
    /* headers */
    {HEADERS("{\"type\":\"string\",\"x-mcp-header\":\"Region\",\"description\":\"A\"}", "true"),
     NULL, 0, NO_DESCRIPTION("b")},
    {HEADERS("{\"type\":\"number\",\"x-mcp-header\":\"Price\",\"description\":\"A\"}", "true"),
     NULL, HAFT_EINVAL,
     NO_DESCRIPTION("b") "E t: a: only strings, integers and booleans can be headers\n"},
    {HEADERS("{\"type\":\"string\",\"x-mcp-header\":\"Re gion\",\"description\":\"A\"}", "true"),
     NULL, HAFT_EINVAL, NO_DESCRIPTION("b") "E t: a: \"Re gion\" is not a valid header name\n"},
    {HEADERS(
         "{\"type\":\"string\",\"x-mcp-header\":\"Region\",\"description\":\"A\"}",
         "{\"type\":\"object\",\"description\":\"B\",\"properties\":{\"c\":{\"type\":\"integer\","
         "\"description\":\"C\",\"x-mcp-header\":\"rEGION\"}}}"),
     NULL, HAFT_EINVAL, "E t: c: the header \"rEGION\" is used twice\n"},
    /* headers where they have no place */
    {HEADERS("{\"type\":\"array\",\"description\":\"A\",\"items\":{\"type\":\"string\","
             "\"x-mcp-header\":\"A\"}}",
             "true"),
     NULL, HAFT_EINVAL, NO_DESCRIPTION("b") STRAY("/properties/a/items")},
    {HEADERS("{\"description\":\"A\",\"anyOf\":[{\"type\":\"string\",\"x-mcp-header\":\"A\"}]}",
             "true"),
     NULL, HAFT_EINVAL, NO_DESCRIPTION("b") STRAY("/properties/a/anyOf/0")},
    {"{\"type\":\"object\",\"x-mcp-header\":\"A\"}", NULL, HAFT_EINVAL, STRAY("")},
    {"{\"type\":\"object\",\"$defs\":{\"d\":{\"properties\":{\"e\":{\"type\":\"string\","
     "\"x-mcp-header\":\"A\"}}}}}",
     NULL, HAFT_EINVAL, STRAY("/$defs/d/properties/e")},
    {"{\"type\":\"object\",\"if\":{\"properties\":{\"e\":{\"type\":\"string\","
     "\"x-mcp-header\":\"A\"}}}}",
     NULL, HAFT_EINVAL, STRAY("/if/properties/e")},
    /* what is data is none */
    {"{\"type\":\"object\",\"default\":{\"x-mcp-header\":\"A\"}}", NULL, 0, ""},
    /* an output has none to mind */
    {"{\"type\":\"object\"}",
     "{\"type\":\"array\",\"items\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}", 0, ""},
};

static haft_schema *parse(const char *text)
{
    haft_schema *schema = NULL;

    if (text)
        assert_int_equal(haft_schema_parse(text, strlen(text), NULL, &schema, NULL), 0);
    return schema;
}

static void checks_documents(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(documents); i++) {
        struct log log;
        haft_server *server = serve(&log);
        haft_tool_builder *builder = haft_tool_new("t");
        int status;

        haft_tool_describe(builder, "D");
        haft_tool_input(builder, parse(documents[i].input));
        haft_tool_output(builder, parse(documents[i].output));
        haft_tool_handler(builder, handle_json, NULL);
        status = haft_tool_build(builder, server);
        if (status != documents[i].status || strcmp(log.text, documents[i].log))
            fprintf(stderr, "row %zu: %d, %s", i, status, log.text);
        assert_int_equal(status, documents[i].status);
        assert_string_equal(log.text, documents[i].log);
        haft_server_free(server);
    }
}

HAFT_STRUCT(place, HAFT_HEADER("Region", HAFT_STRING(region, "Where")));
HAFT_STRUCT(one_place, HAFT_OBJECT(place, place, "A place"));
HAFT_STRUCT(places, HAFT_ARRAY(places, HAFT_OBJECT(place, place, "A place"), "Places"));

/* A header has one place among the arguments, or none. */
static void typed_headers(void **state)
{
    static const struct {
        const haft_type *type;
        int status;
        const char *log;
    } typed[] = {
        {&one_place_type, 0, ""},
        {&places_type, HAFT_EINVAL, "E t: only properties of objects can be headers\n"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(typed); i++) {
        struct log log;
        haft_server *server = serve(&log);
        haft_tool tool = HAFT_INIT(haft_tool, .name = "t", .description = "D",
                                   .input = typed[i].type, .call = handle);

        assert_int_equal(haft_add(server, &tool), typed[i].status);
        assert_string_equal(log.text, typed[i].log);
        haft_server_free(server);
    }
}

static void long_description(void **state)
{
    static char text[2050];
    struct log log;
    haft_server *server = serve(&log);
    haft_tool tool = HAFT_INIT(haft_tool, .name = "t", .description = text, .call = handle);

    (void)state;
    memset(text, 'x', sizeof text - 1);
    assert_int_equal(haft_add(server, &tool), 0);
    assert_string_equal(log.text, "W t: some clients cut the description at 2048 characters\n");
    haft_server_free(server);
}

/* A letter for each range, the ends of which are hidden and their neighbours are not. */
static void hidden_characters(void **state)
{
    static const struct {
        const char *text;
        unsigned hidden; /* 0 for none */
    } cases[] = {
        {"tab\tand\r\nlines", 0},
        {"\x1b[2Jred", 0x1B},
        {"\x01", 0x01},
        {"\x7f", 0x7F},
        {"\xc2\x80", 0x80},
        {"\xc2\xa0", 0},
        {"a\xe2\x80\x8b", 0x200B},
        {"\xe2\x80\x90", 0},
        {"\xe2\x80\xae", 0x202E},
        {"\xe2\x80\xaf", 0},
        {"\xe2\x81\xa6", 0x2066},
        {"\xef\xbb\xbf", 0xFEFF},
        {"\xf3\xa0\x81\x81", 0xE0041},
        {"\xf3\xa0\x84\x80", 0xE0100},
        {"\xf3\xa1\x80\x80", 0},
        {"\xd8\x9c", 0x061C},
        {"\xe2\x80\xa8", 0x2028},
        {"\xc2\xad", 0xAD},
        {"\xe2\x9a\xa0\xef\xb8\x8f", 0},
        {"\xed\x95\x9c \xf0\x9f\x98\x80", 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct log log;
        haft_server *server = serve(&log);
        haft_tool tool =
            HAFT_INIT(haft_tool, .name = "t", .description = cases[i].text, .call = handle);
        char expected[128] = "";

        if (cases[i].hidden)
            snprintf(
                expected, sizeof expected,
                "W t: the description contains U+%04X, which models read but people cannot see\n",
                cases[i].hidden);
        assert_int_equal(haft_add(server, &tool), 0);
        assert_string_equal(log.text, expected);
        haft_server_free(server);
    }
}

/* A builder that goes nowhere frees what it was given. */
static void checks_builder(void **state)
{
    struct log log;
    haft_server *server = serve(&log);
    haft_tool_builder *builder = haft_tool_new("t");

    (void)state;
    haft_tool_input(builder, parse("{\"type\":\"object\"}"));
    haft_tool_input(builder, parse("{\"type\":\"object\"}"));
    haft_tool_title(builder, "T");
    haft_tool_annotate(builder, (haft_annotations){.title = "A", .read_only = HAFT_YES});
    haft_tool_meta(builder, "{}");
    haft_tool_timeout(builder, 5);
    haft_tool_quick(builder);
    assert_int_equal(haft_tool_build(builder, server), HAFT_EINVAL);
    assert_string_equal(haft_server_error(server)->text, "the handler is missing");
    assert_int_equal(haft_tool_build(NULL, server), HAFT_ENOMEM);
    haft_tool_describe(NULL, "d");
    haft_tool_input(NULL, parse("{\"type\":\"object\"}"));
    haft_tool_output(NULL, parse("{\"type\":\"object\"}"));
    haft_server_free(server);
}

static void servers(void **state)
{
    static const char *const extensions[] = {"[]", "{\"a\":{}}", "{\"acme/a\":true}",
                                             "{\"acme/a\":{},\"acme/a b\":{}}"};

    (void)state;
    assert_null(haft_server_new(NULL, "1"));
    assert_null(haft_server_new("", "1"));
    assert_null(haft_server_new("a", NULL));
    assert_null(haft_server_new_with(
        "a", "1",
        HAFT_WITH(haft_server_options, .icons = &(haft_icon){.theme = "dark"}, .n_icons = 1)));
    for (size_t i = 0; i < COUNT_OF(extensions); i++)
        assert_null(haft_server_new_with(
            "a", "1", HAFT_WITH(haft_server_options, .extensions = extensions[i])));
    assert_null(haft_server_new("\xff", "1"));
    haft_server_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(declared),          cmocka_unit_test(checks_documents),
        cmocka_unit_test(typed_headers),     cmocka_unit_test(long_description),
        cmocka_unit_test(hidden_characters), cmocka_unit_test(checks_builder),
        cmocka_unit_test(servers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
