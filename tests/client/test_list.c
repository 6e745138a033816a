/* test_list.c - lists of a server, what the client keeps of them, and what it does with the schemas of
 * tools: headers, checks of arguments and of results. */
#include <haft/testing.h>
#include <haft.h>

#include "client/client.h"
#include "client/script.h"

#define RESULT(json) "{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":" json "}"
#define SAID(text) RESULT("{\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}")
#define TOOL(name) "{\"name\":\"" name "\",\"inputSchema\":{}}"
#define TTL(ms) ",\"ttlMs\":" #ms ",\"cacheScope\":\"private\""
#define LISTS(tools, rest) RESULT("{\"tools\":[" tools "]" rest "}")
#define CHANGED "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}"

enum { STEPS = 8 };

static haft_client *open_script(struct script *script, const struct script_row *rows, bool http,
                                const haft_client_options *options)
{
    haft_transport transport;

    script_init(script, rows, http, true);
    transport = script_transport(script);
    return haft_client_open(&transport, options, &script->receiver);
}

/* ---- pages ---- */

static const struct page_row {
    const char *what;
    struct script_row steps[STEPS];
    int status, code;
    size_t n;
    const char *error;
} pages[] = {
    {"one page", {{"tools/list", SCRIPT_SAY, LISTS(TOOL("a") "," TOOL("b"), ""), 0}}, 0, 0, 2, ""},
    {"none", {{"tools/list", SCRIPT_SAY, LISTS("", ""), 0}}, 0, 0, 0, ""},
    {"three",
     {{"tools/list", SCRIPT_SAY, LISTS(TOOL("a"), ",\"nextCursor\":\"1\""), 0},
      {"\"cursor\":\"1\"", SCRIPT_SAY, LISTS("", ",\"nextCursor\":\"\""), 0},
      {"\"cursor\":\"\"", SCRIPT_SAY, LISTS(TOOL("b"), ",\"nextCursor\":null"), 0}},
     0,
     0,
     2,
     ""},
    {"more than there may be",
     {{"tools/list", SCRIPT_SAY, LISTS(TOOL("a"), ",\"nextCursor\":\"1\""), 0},
      {"\"cursor\":\"1\"", SCRIPT_SAY, LISTS(TOOL("b"), ",\"nextCursor\":\"2\""), 0},
      {"\"cursor\":\"2\"", SCRIPT_SAY, LISTS(TOOL("c"), ",\"nextCursor\":\"3\""), 0}},
     HAFT_EPROTOCOL,
     0,
     0,
     "tools/list: the list has more than 3 pages"},
    {"a cursor again",
     {{"tools/list", SCRIPT_SAY, LISTS(TOOL("a"), ",\"nextCursor\":\"1\""), 0},
      {"\"cursor\":\"1\"", SCRIPT_SAY, LISTS(TOOL("b"), ",\"nextCursor\":\"1\""), 0}},
     HAFT_EPROTOCOL,
     0,
     0,
     "tools/list: the server repeats a cursor after 2 pages"},
    {"an error",
     {{"tools/list", SCRIPT_SAY,
       "{\"jsonrpc\":\"2.0\",\"id\":$,\"error\":{\"code\":-32601,\"message\":\"no\"}}", 0}},
     0,
     -32601,
     0,
     "no (-32601)"},
    {"an error behind a page",
     {{"tools/list", SCRIPT_SAY, LISTS(TOOL("a"), ",\"nextCursor\":\"1\""), 0},
      {"tools/list", SCRIPT_SAY,
       "{\"jsonrpc\":\"2.0\",\"id\":$,\"error\":{\"code\":-32602,\"message\":\"expired\"}}", 0}},
     0,
     -32602,
     0,
     "expired (-32602)"},
    {"a malformed page",
     {{"tools/list", SCRIPT_SAY, RESULT("{\"tools\":[{\"name\":7}]}"), 0}},
     HAFT_EPROTOCOL,
     0,
     0,
     "the server's answer to tools/list is malformed: tools[0].name must be a string, not a number"},
    {"silence", {{NULL, 0, NULL, 0}}, HAFT_ETIMEOUT, 0, 0, "tools/list timed out after 30 s"},
    {"the end", {{"tools/list", SCRIPT_CLOSE, "", 0}}, HAFT_ECLOSED, 0, 0, "ended the connection"},
};

static void pages_are_combined(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(pages); i++) {
        static struct script script;
        haft_client *client = open_script(&script, pages[i].steps, false,
                                          HAFT_WITH(haft_client_options, .max_pages = 3));
        haft_result result;

        print_message("%s\n", pages[i].what);
        assert_int_equal(haft_client_list(client, HAFT_OFFER_TOOL, &result), pages[i].status);
        assert_string_equal(strstr(haft_client_error(client, NULL), pages[i].error),
                            pages[i].error);
        if (!pages[i].status) {
            assert_int_equal(result.error_code, pages[i].code);
            assert_int_equal(yyjson_arr_size(result.content), pages[i].n);
        }
        haft_client_free(client);
        script_finish(&script);
    }
}

/* A gateway offers the other entries. */
static void malformed_entries_are_left_out(void **state)
{
    static const struct script_row steps[] = {
        {"tools/list", SCRIPT_SAY,
         RESULT("{\"tools\":[{\"name\":7}," TOOL("a") ",5,{\"name\":\"b\"}]}"), 0},
        {"tools/list", SCRIPT_SAY, RESULT("{\"tools\":7}"), 0},
        {NULL, 0, NULL, 0}};
    static struct script script;
    haft_client *client = open_script(&script, steps, false, NULL);
    const char *tool;
    haft_result result;

    (void)state;
    client->lists.lenient = true;
    assert_int_equal(haft_client_list(client, HAFT_OFFER_TOOL, &result), 0);
    assert_int_equal(yyjson_arr_size(result.content), 1);
    assert_string_equal(haft_client_skipped(client, 0, &tool), "malformed member name");
    assert_string_equal(tool, "");
    assert_non_null(haft_client_skipped(client, 1, &tool));
    assert_string_equal(haft_client_skipped(client, 2, &tool), "malformed member inputSchema");
    assert_string_equal(tool, "b");
    assert_null(haft_client_skipped(client, 3, &tool));
    assert_int_equal(haft_client_list(client, HAFT_OFFER_TOOL, &result), HAFT_EPROTOCOL);
    haft_client_free(client);
    script_finish(&script);
}

/* ---- what is kept ---- */

static const struct cache_row {
    const char *what;
    bool no_cache;
    struct script_row steps[STEPS];
    size_t n; /* entries of the second list */
} caches[] = {
    {"as long as the server permits",
     false,
     {{"tools/list", SCRIPT_SAY, LISTS(TOOL("a"), TTL(5000)), 0}},
     1},
    {"not longer",
     false,
     {{"tools/list", SCRIPT_SAY, LISTS(TOOL("a"), TTL(900)), 0},
      {"tools/list", SCRIPT_SAY, LISTS("", TTL(5000)), 0}},
     0},
    {"not at all",
     false,
     {{"tools/list", SCRIPT_SAY, LISTS(TOOL("a"), TTL(0)), 0},
      {"tools/list", SCRIPT_SAY, LISTS("", ""), 0}},
     0},
    {"not without a time",
     false,
     {{"tools/list", SCRIPT_SAY, LISTS(TOOL("a"), ""), 0},
      {"tools/list", SCRIPT_SAY, LISTS("", ""), 0}},
     0},
    {"not with a strange one",
     false,
     {{"tools/list", SCRIPT_SAY, LISTS(TOOL("a"), ",\"ttlMs\":-5"), 0},
      {"tools/list", SCRIPT_SAY, LISTS("", ",\"ttlMs\":\"x\""), 0}},
     0},
    {"not if the program says so",
     true,
     {{"tools/list", SCRIPT_SAY, LISTS(TOOL("a"), TTL(5000)), 0},
      {"tools/list", SCRIPT_SAY, LISTS("", TTL(5000)), 0}},
     0},
    {"the shortest of all pages",
     false,
     {{"tools/list", SCRIPT_SAY, LISTS(TOOL("a"), TTL(900) ",\"nextCursor\":\"1\""), 0},
      {"tools/list", SCRIPT_SAY, LISTS(TOOL("b"), TTL(5000)), 0},
      {"tools/list", SCRIPT_SAY, LISTS("", ""), 0}},
     0},
    {"a page without a time",
     false,
     {{"tools/list", SCRIPT_SAY, LISTS(TOOL("a"), TTL(5000) ",\"nextCursor\":\"1\""), 0},
      {"tools/list", SCRIPT_SAY, LISTS(TOOL("b"), ""), 0},
      {"tools/list", SCRIPT_SAY, LISTS("", ""), 0}},
     0},
    {"until it changes",
     false,
     {{"tools/list", SCRIPT_SAY, LISTS(TOOL("a"), TTL(5000)), 0},
      {NULL, SCRIPT_SAY, CHANGED, 0},
      {"tools/list", SCRIPT_SAY, LISTS("", TTL(5000)), 0}},
     0},
    {"not if it changes meanwhile",
     false,
     {{NULL, SCRIPT_SAY, CHANGED, 0},
      {"tools/list", SCRIPT_SAY, LISTS(TOOL("a"), TTL(5000)), 0},
      {"tools/list", SCRIPT_SAY, LISTS("", TTL(5000)), 0}},
     0},
};

static void lists_are_kept(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(caches); i++) {
        static struct script script;
        haft_client *client =
            open_script(&script, caches[i].steps, false,
                        HAFT_WITH(haft_client_options, .no_cache = caches[i].no_cache));
        haft_result result;

        print_message("%s\n", caches[i].what);
        assert_int_equal(haft_client_list(client, HAFT_OFFER_TOOL, &result), 0);
        haft_client_run(client, 1000);
        assert_int_equal(haft_client_list(client, HAFT_OFFER_TOOL, &result), 0);
        assert_int_equal(yyjson_arr_size(result.content), caches[i].n);
        haft_client_free(client);
        script_finish(&script);
    }
}

/* ---- headers ---- */

#define REGION                                                                                     \
    "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"region\":{\"type\":"   \
    "\"string\",\"x-mcp-header\":\"Region\"},\"n\":{\"type\":\"integer\",\"x-mcp-header\":\"N\"}," \
    "\"on\":{\"type\":\"boolean\",\"x-mcp-header\":\"On\"},\"deep\":{\"type\":\"object\","         \
    "\"properties\":{\"in\":{\"type\":\"string\",\"x-mcp-header\":\"In\"}}},\"plain\":{\"type\":"  \
    "\"string\"}}}}"

static const struct {
    const char *arguments, *headers; /* in the order of the schema */
} mirrors[] = {
    {"{}", "Mcp-Name: t\n> "},
    {"{\"region\":\"eu\",\"plain\":\"x\"}", "Mcp-Name: t\nMcp-Param-Region: eu\n> "},
    {"{\"region\":\"\"}", "Mcp-Param-Region: \n> "},
    {"{\"region\":null}", "Mcp-Name: t\n> "},
    {"{\"region\":\" a\"}", "Mcp-Param-Region: =?base64?IGE=?=\n"},
    {"{\"region\":\"a b\"}", "Mcp-Param-Region: a b\n"},
    {"{\"region\":\"a\\tb\"}", "Mcp-Param-Region: =?base64?YQli?=\n"},
    {"{\"region\":\"\\u00e9\"}", "Mcp-Param-Region: =?base64?w6k=?=\n"},
    {"{\"region\":\"a\\r\\nX: y\"}", "Mcp-Param-Region: =?base64?YQ0KWDogeQ==?=\n"},
    {"{\"region\":\"=?base64?eA==?=\"}", "Mcp-Param-Region: =?base64?PT9iYXNlNjQ/ZUE9PT89?=\n"},
    {"{\"region\":\"a\\u0000b\"}", "Mcp-Param-Region: =?base64?YQBi?=\n"},
    {"{\"n\":5,\"on\":false,\"deep\":{\"in\":\"z\"}}",
     "Mcp-Param-N: 5\nMcp-Param-On: false\nMcp-Param-In: z\n"},
    {"{\"n\":9007199254740993}", "Mcp-Param-N: 9007199254740993\n"},
    {"{\"n\":18446744073709551615}", "Mcp-Param-N: 18446744073709551615\n"},
};

static void arguments_are_repeated_in_headers(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(mirrors); i++) {
        static const struct script_row steps[] = {{"tools/list", SCRIPT_SAY, LISTS(REGION, ""), 0},
                                                  {"tools/call", SCRIPT_SAY, SAID("x"), 0},
                                                  {"tools/call", SCRIPT_SAY, SAID("y"), 0},
                                                  {NULL, 0, NULL, 0}};
        static struct script script;
        haft_client *client = open_script(&script, steps, true, NULL);
        haft_result result;

        assert_int_equal(haft_client_call(client, "t", mirrors[i].arguments, &result), 0);
        assert_string_equal(result.text, "x");
        assert_non_null(strstr(script.log, "MCP-Protocol-Version: 2026-07-28\nMcp-Method: "
                                           "tools/list\n"));
        assert_non_null(strstr(script.log, "Mcp-Method: tools/call\nMcp-Name: t\n"));
        assert_non_null(strstr(script.log, mirrors[i].headers));
        /* the list is known */
        assert_int_equal(haft_client_call(client, "unlisted", "{}", &result), 0);
        assert_string_equal(result.text, "y");
        haft_client_free(client);
        script_finish(&script);
    }
}

static void other_transports_have_no_headers(void **state)
{
    static const struct script_row steps[] = {{"tools/call", SCRIPT_SAY, SAID("x"), 0},
                                              {NULL, 0, NULL, 0}};
    static struct script script;
    haft_client *client = open_script(&script, steps, false, NULL);
    haft_result result;

    (void)state;
    assert_int_equal(haft_client_call(client, "t", "{\"region\":\"eu\"}", &result), 0);
    assert_null(strstr(script.log, "Mcp-"));
    assert_null(strstr(script.log, "tools/list"));
    haft_client_free(client);
    script_finish(&script);
}

static void names_are_headers(void **state)
{
    static const struct script_row steps[] = {
        {"resources/read", SCRIPT_SAY, RESULT("{\"contents\":[]}"), 0},
        {"prompts/get", SCRIPT_SAY, RESULT("{\"messages\":[]}"), 0},
        {NULL, 0, NULL, 0}};
    static struct script script;
    haft_client *client = open_script(&script, steps, true, NULL);
    haft_result result;

    (void)state;
    assert_int_equal(haft_client_read(client, "file:///a/b%20c.txt", &result), 0);
    assert_non_null(strstr(script.log, "Mcp-Name: file:///a/b%20c.txt\n"));
    assert_int_equal(haft_client_get(client, "\xC3\xA9", NULL, &result), 0);
    assert_non_null(strstr(script.log, "Mcp-Name: =?base64?w6k=?=\n"));
    assert_int_equal(haft_client_notify(client, "notifications/x", NULL), 0);
    assert_non_null(strstr(script.log, "Mcp-Method: notifications/x\n"));
    haft_client_free(client);
    script_finish(&script);
}

/* Tools whose headers are not valid are left out, and cannot be called. */
static void invalid_headers_are_refused(void **state)
{
#define BAD(name, property)                                                                        \
    "{\"name\":\"" name "\",\"inputSchema\":{\"properties\":{\"p\":" property "}}}"
    static const struct script_row steps[] = {
        {"tools/list", SCRIPT_SAY,
         LISTS(
             BAD("b1", "{\"type\":\"string\",\"x-mcp-header\":\"\"}") "," TOOL("good") "," BAD(
                 "b2",
                 "{\"type\":\"object\",\"x-mcp-header\":\"A\"}") "," BAD("b3",
                                                                         "{\"type\":\"string\",\"x-mcp-header\":\"A B\"}"),
             ""),
         0},
        {"tools/call", SCRIPT_SAY, SAID("x"), 0},
        {NULL, 0, NULL, 0}};
    static struct script script;
    haft_client *client = open_script(&script, steps, true, NULL);
    haft_result result;
    const char *tool;

    (void)state;
    assert_int_equal(haft_client_list(client, HAFT_OFFER_TOOL, &result), 0);
    assert_int_equal(yyjson_arr_size(result.content), 1);
    assert_string_equal(haft_client_skipped(client, 0, &tool),
                        "declares an x-mcp-header that is not a valid header name");
    assert_string_equal(tool, "b1");
    assert_non_null(haft_client_skipped(client, 1, &tool));
    assert_string_equal(tool, "b2");
    assert_non_null(haft_client_skipped(client, 2, &tool));
    assert_null(haft_client_skipped(client, 3, &tool));
    assert_int_equal(haft_client_call(client, "b2", "{}", &result), HAFT_EINVAL);
    assert_non_null(strstr(haft_client_error(client, NULL), "the tool b2 cannot be called: it "));
    assert_int_equal(haft_client_call(client, "good", "{}", &result), 0);
    haft_client_free(client);
    script_finish(&script);
}

/* The list that the headers came from is out of date: it is fetched again, once. */
static void headers_that_do_not_match(void **state)
{
#define MISMATCH                                                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":$,\"error\":{\"code\":-32020,\"message\":\"mismatch\"}}"
    static const struct script_row steps[] = {
        {"tools/list", SCRIPT_SAY, LISTS(TOOL("t"), TTL(900000)), 0},
        {"tools/call", SCRIPT_SAY, MISMATCH, 0},
        {"tools/list", SCRIPT_SAY, LISTS(REGION, TTL(900000)), 0},
        {"tools/call", SCRIPT_SAY, SAID("x"), 0},
        {"tools/call", SCRIPT_SAY, MISMATCH, 0},
        {"tools/list", SCRIPT_SAY, LISTS(REGION, TTL(900000)), 0},
        {"tools/call", SCRIPT_SAY, MISMATCH, 0},
        {NULL, 0, NULL, 0}};
    static struct script script;
    haft_client *client = open_script(&script, steps, true, NULL);
    haft_result result;

    (void)state;
    assert_int_equal(haft_client_call(client, "t", "{\"region\":\"eu\"}", &result), 0);
    assert_string_equal(result.text, "x");
    assert_non_null(strstr(script.log, "Mcp-Param-Region: eu\n"));
    assert_int_equal(haft_client_call(client, "t", "{\"region\":\"eu\"}", &result), 0);
    assert_int_equal(result.error_code, -32020);
    haft_client_free(client);
    script_finish(&script);
}

/* A call needs the list of tools: what happens to that happens to the call. */
static void a_list_that_fails_fails_the_call(void **state)
{
    static const struct script_row steps[] = {
        {"tools/list", SCRIPT_FAIL, "the server answered 500", 500},
        {"tools/list", SCRIPT_SAY,
         "{\"jsonrpc\":\"2.0\",\"id\":$,\"error\":{\"code\":-32601,\"message\":\"no\"}}", 0},
        {"tools/call", SCRIPT_SAY, SAID("anyway"), 0},
        {NULL, 0, NULL, 0}};
    static struct script script;
    haft_client *client = open_script(&script, steps, true, NULL);
    haft_result result;

    (void)state;
    assert_int_equal(haft_client_call(client, "t", NULL, &result), HAFT_ECLOSED);
    assert_non_null(strstr(haft_client_error(client, NULL), "the server answered 500"));
    assert_int_equal(haft_client_call(client, "t", NULL, &result), 0);
    assert_string_equal(result.text, "anyway");
    haft_client_free(client);
    script_finish(&script);
}

/* ---- schemas ---- */

#define SCHEMAS(in, out) "{\"name\":\"t\",\"inputSchema\":" in ",\"outputSchema\":" out "}"
#define NUMBER                                                                                     \
    "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}},\"required\":[\"n\"]}"
#define STRUCTURED(json) RESULT("{\"content\":[],\"structuredContent\":" json "}")

static const struct check_row {
    const char *what;
    bool arguments, results;
    const char *tools, *given, *answer;
    int status;
    const char *error;
} checks[] = {
    {"both match", true, true, LISTS(SCHEMAS(NUMBER, NUMBER), ""), "{\"n\":1}",
     STRUCTURED("{\"n\":2}"), 0, ""},
    {"wrong arguments", true, false, LISTS(SCHEMAS(NUMBER, NUMBER), ""), "{\"n\":\"x\"}", NULL,
     HAFT_EINVAL, "the arguments of t: n: "},
    {"they are the server's affair", false, true, LISTS(SCHEMAS(NUMBER, NUMBER), ""),
     "{\"n\":\"x\"}", STRUCTURED("{\"n\":2}"), 0, ""},
    {"a wrong result", false, true, LISTS(SCHEMAS(NUMBER, NUMBER), ""), "{}",
     STRUCTURED("{\"n\":\"x\"}"), HAFT_EPROTOCOL, "the result of t: n: "},
    {"no structured content", false, true, LISTS(SCHEMAS(NUMBER, NUMBER), ""), "{}", SAID("x"),
     HAFT_EPROTOCOL, "the result of t has no structured content"},
    {"of an error nothing is expected", false, true, LISTS(SCHEMAS(NUMBER, NUMBER), ""), "{}",
     RESULT("{\"content\":[],\"isError\":true}"), 0, ""},
    {"an input schema that is not valid", true, false,
     LISTS(SCHEMAS("{\"properties\":{\"n\":{\"type\":\"odd\"}}}", "{}"), ""), "{\"n\":\"x\"}", NULL,
     HAFT_EPROTOCOL, "the inputSchema of t: "},
    {"an output schema from elsewhere", false, true,
     LISTS(SCHEMAS("{}", "{\"\\u0024ref\":\"https://x/\"}"), ""), "{\"n\":\"x\"}",
     STRUCTURED("{\"n\":\"x\"}"), HAFT_EPROTOCOL, "the outputSchema of t: "},
    {"a schema that refers to itself", true, false,
     LISTS(SCHEMAS("{\"\\u0024ref\":\"#\"}", "{}"), ""), "{\"n\":\"x\"}", NULL, HAFT_EPROTOCOL,
     "the inputSchema of t: "},
    {"a pattern that takes for ever", true, false,
     LISTS(SCHEMAS("{\"properties\":{\"n\":{\"type\":\"string\",\"pattern\":\"^(a+)+\\u0024\"}}}",
                   "{}"),
           ""),
     "{\"n\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\"}", NULL,
     HAFT_EPROTOCOL, "the arguments of t: work limit exceeded"},
};

static void values_are_checked(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(checks); i++) {
        static struct script script;
        const struct check_row *row = &checks[i];
        const struct script_row steps[] = {{"tools/list", SCRIPT_SAY, row->tools, 0},
                                           {"tools/call", SCRIPT_SAY, row->answer, 0},
                                           {NULL, 0, NULL, 0}};
        haft_client *client =
            open_script(&script, steps, false,
                        HAFT_WITH(haft_client_options, .check_arguments = row->arguments,
                                  .check_results = row->results));
        haft_result result;

        print_message("%s\n", row->what);
        assert_int_equal(haft_client_call(client, "t", row->given, &result), row->status);
        assert_non_null(strstr(haft_client_error(client, NULL), row->error));
        haft_client_free(client);
        script_finish(&script);
    }
}

HAFT_STRUCT(typed_args, HAFT_INTEGER(a, "One"), HAFT_INTEGER(b, "Another", .max = 10));
HAFT_STRUCT(typed_sum, HAFT_INTEGER(sum, "Both"));

static void calls_with_declared_types(void **state)
{
    static const struct script_row steps[] = {
        {"\"arguments\":{\"a\":1,\"b\":2}", SCRIPT_SAY, STRUCTURED("{\"sum\":3}"), 0},
        {"tools/call", SCRIPT_SAY, STRUCTURED("{\"sum\":\"x\"}"), 0},
        {"tools/call", SCRIPT_SAY, SAID("no structure"), 0},
        {"tools/call", SCRIPT_SAY, RESULT("{\"content\":[],\"isError\":true}"), 0},
        {NULL, 0, NULL, 0}};
    static struct script script;
    haft_client *client = open_script(&script, steps, false, NULL);
    haft_schema *in, *out;
    typed_args arguments = {.a = 1, .b = 2};
    typed_sum sum = {.sum = 0};
    haft_result result;

    (void)state;
    assert_int_equal(haft_schema_compile(&typed_args_type, NULL, &in, NULL), 0);
    assert_int_equal(haft_schema_compile(&typed_sum_type, NULL, &out, NULL), 0);
    assert_int_equal(haft_client_call_typed(client, "t", in, &arguments, out, &sum, &result), 0);
    assert_int_equal(sum.sum, 3);
    assert_int_equal(haft_client_call_typed(client, "t", NULL, NULL, out, &sum, &result),
                     HAFT_EPROTOCOL);
    assert_non_null(strstr(haft_client_error(client, NULL), "the result of t: sum: "));
    assert_int_equal(haft_client_call_typed(client, "t", NULL, NULL, out, &sum, &result),
                     HAFT_EPROTOCOL);
    assert_int_equal(haft_client_call_typed(client, "t", NULL, NULL, out, &sum, &result), 0);
    assert_true(result.is_error);
    arguments.b = 11;
    assert_int_equal(haft_client_call_typed(client, "t", in, &arguments, out, &sum, &result),
                     HAFT_EINVAL);
    assert_non_null(strstr(haft_client_error(client, NULL), "the arguments of t: b: "));
    assert_int_equal(haft_client_call_typed(client, "t", NULL, &arguments, out, &sum, &result),
                     HAFT_EINVAL);
    assert_int_equal(haft_client_call_typed(client, "t", in, NULL, NULL, &sum, &result),
                     HAFT_EINVAL);
    haft_schema_free(in);
    haft_schema_free(out);
    haft_client_free(client);
    script_finish(&script);
}

/* ---- callbacks ---- */

struct list_seen {
    int times, status;
    size_t n;
    char error[256];
    bool frees, again;
};

static void list_seen_done(void *context, haft_client *client, int status,
                           const haft_result *result)
{
    struct list_seen *seen = context;

    seen->times++;
    seen->status = status;
    if (seen->again) /* what the result points to lives until the callback returns */
        assert_int_equal(haft_client_list_begin(client, HAFT_OFFER_PROMPT, list_seen_done, seen),
                         0);
    seen->again = false;
    if (result)
        seen->n = yyjson_arr_size(result->content);
    snprintf(seen->error, sizeof seen->error, "%s", haft_client_error(client, NULL));
    if (seen->frees)
        haft_client_free(client);
}

static void lists_with_callbacks(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(pages); i++) {
        static struct script script;
        struct list_seen seen = {.times = 0}, other = {.times = 0};
        haft_client *client = open_script(&script, pages[i].steps, false,
                                          HAFT_WITH(haft_client_options, .max_pages = 3));

        print_message("%s\n", pages[i].what);
        assert_int_equal(haft_client_list_begin(client, HAFT_OFFER_TOOL, list_seen_done, &seen), 0);
        assert_int_equal(haft_client_list_begin(client, HAFT_OFFER_TOOL, list_seen_done, &other),
                         0);
        assert_int_equal(seen.times + other.times, 0);
        haft_client_run(client, 40000);
        assert_int_equal(seen.times, 1);
        assert_int_equal(other.times, 1);
        assert_int_equal(seen.status, pages[i].status);
        assert_int_equal(seen.n, pages[i].n);
        assert_int_equal(other.n, pages[i].n);
        assert_non_null(strstr(seen.error, pages[i].error));
        haft_client_free(client);
        script_finish(&script);
    }
}

static void reports_kept_and_abandoned_lists(void **state)
{
    static const struct script_row steps[] = {
        {"tools/list", SCRIPT_SAY, LISTS(TOOL("a"), TTL(5000)), 0},
        {"prompts/list", SCRIPT_SAY, RESULT("{\"prompts\":[]}"), 0},
        {NULL, 0, NULL, 0}};
    static struct script script;
    struct list_seen seen = {.again = true}, last = {.times = 0};
    haft_client *client = open_script(&script, steps, false, NULL);
    haft_result result;

    (void)state;
    assert_int_equal(haft_client_list(client, HAFT_OFFER_TOOL, &result), 0);
    assert_int_equal(haft_client_list_begin(client, HAFT_OFFER_TOOL, list_seen_done, &seen), 0);
    assert_int_equal(seen.times, 0);
    assert_int_equal(haft_client_run(client, 10), 0);
    assert_int_equal(seen.times, 2);
    assert_int_equal(seen.n, 0);
    assert_int_equal(yyjson_arr_size(result.content), 1); /* not replaced by a callback's */
    assert_int_equal(haft_client_list_begin(client, HAFT_OFFER_RESOURCE, list_seen_done, &last), 0);
    assert_int_equal(haft_client_list_begin(client, HAFT_OFFER_TOOL, NULL, NULL), HAFT_EINVAL);
    assert_string_equal(haft_client_error(client, NULL), "haft_client_list_begin: done is NULL");
    assert_int_equal(haft_client_list_begin(client, (haft_offer)9, list_seen_done, NULL),
                     HAFT_EINVAL);
    assert_int_equal(haft_client_list_begin(NULL, HAFT_OFFER_TOOL, list_seen_done, NULL),
                     HAFT_EINVAL);
    haft_client_free(client);
    assert_int_equal(last.times, 1);
    assert_int_equal(last.status, HAFT_ECANCELLED);
    script_finish(&script);
}

static void callbacks_of_lists_may_free(void **state)
{
    static struct script script;
    struct list_seen seen = {.frees = true};
    haft_client *client = open_script(&script, pages[0].steps, false, NULL);

    (void)state;
    assert_int_equal(haft_client_list_begin(client, HAFT_OFFER_TOOL, list_seen_done, &seen), 0);
    assert_int_equal(haft_client_run(client, 10), HAFT_ECLOSED);
    assert_int_equal(seen.times, 1);
    assert_int_equal(seen.n, 2);
    script_finish(&script);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_combined),
        cmocka_unit_test(malformed_entries_are_left_out),
        cmocka_unit_test(lists_are_kept),
        cmocka_unit_test(arguments_are_repeated_in_headers),
        cmocka_unit_test(other_transports_have_no_headers),
        cmocka_unit_test(names_are_headers),
        cmocka_unit_test(invalid_headers_are_refused),
        cmocka_unit_test(headers_that_do_not_match),
        cmocka_unit_test(a_list_that_fails_fails_the_call),
        cmocka_unit_test(values_are_checked),
        cmocka_unit_test(calls_with_declared_types),
        cmocka_unit_test(lists_with_callbacks),
        cmocka_unit_test(reports_kept_and_abandoned_lists),
        cmocka_unit_test(callbacks_of_lists_may_free),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
