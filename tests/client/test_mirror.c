/* test_mirror.c - arguments that are repeated in headers. */
#include "client/mirror.h"

#include <stdio.h>
#include <string.h>

#include "support/test.h"

#define OBJECT(properties) "{\"type\":\"object\",\"properties\":{" properties "}}"
#define HEADER(type, name) "{\"type\":" type ",\"x-mcp-header\":" name "}"

static const struct {
    const char *schema, *why;
} faults[] = {
    {"{}", NULL},
    {OBJECT("\"a\":" HEADER("\"string\"", "\"A\"")), NULL},
    {OBJECT("\"a\":" HEADER("[\"integer\",\"null\"]", "\"A\"")), NULL},
    {OBJECT("\"o\":" OBJECT("\"a\":" HEADER("\"boolean\"", "\"A\""))), NULL},
    {OBJECT("\"x-mcp-header\":{\"type\":\"string\"}"), NULL},
    {"{\"default\":{\"x-mcp-header\":\"A\"},\"enum\":[{\"x-mcp-header\":\"A\"}]}", NULL},
    {OBJECT("\"a\":" HEADER("\"string\"", "\"\"")), "not a valid header name"},
    {OBJECT("\"a\":" HEADER("\"string\"", "5")), "not a valid header name"},
    {OBJECT("\"a\":" HEADER("\"string\"", "\"A B\"")), "not a valid header name"},
    {OBJECT("\"a\":" HEADER("\"string\"", "\"A\\u0000\"")), "not a valid header name"},
    {OBJECT("\"a\":" HEADER("\"string\"", "\"\u00e9\"")), "not a valid header name"},
    {OBJECT("\"a\":" HEADER("\"number\"", "\"A\"")), "other than string, integer or boolean"},
    {OBJECT("\"a\":" HEADER("\"object\"", "\"A\"")), "other than string, integer or boolean"},
    {OBJECT("\"a\":" HEADER("\"null\"", "\"A\"")), "other than string, integer or boolean"},
    {OBJECT("\"a\":" HEADER("[\"null\"]", "\"A\"")), "other than string, integer or boolean"},
    {OBJECT("\"a\":{\"x-mcp-header\":\"A\"}"), "other than string, integer or boolean"},
    {OBJECT("\"a\":" HEADER("\"string\"",
                            "\"A\"") ",\"o\":" OBJECT("\"b\":" HEADER("\"string\"", "\"a\""))),
     "twice"},
    {"{\"x-mcp-header\":\"A\"}", "where no argument is"},
    {OBJECT("\"a\":{\"type\":\"array\",\"items\":" HEADER("\"string\"", "\"A\"") "}"),
     "where no argument is"},
    {OBJECT("\"a\":{\"anyOf\":[" HEADER("\"string\"", "\"A\"") "]}"), "where no argument is"},
    {"{\"$defs\":{\"d\":" OBJECT("\"a\":" HEADER("\"string\"", "\"A\"")) "}}",
     "where no argument is"},
    {"{\"if\":" OBJECT("\"a\":" HEADER("\"string\"", "\"A\"")) "}", "where no argument is"},
};

static void checks_faults(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(faults); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        const char *why = hf_mirror_fault(
            haft_json_read(faults[i].schema, strlen(faults[i].schema), 0, arena, NULL));

        if (!why != !faults[i].why)
            fprintf(stderr, "row %zu: %s\n", i, why ? why : "no fault");
        assert_int_equal(!why, !faults[i].why);
        if (why)
            assert_non_null(strstr(why, faults[i].why));
        haft_arena_free(arena);
    }
}

static void parameters(void **state)
{
    static const char schema[] = OBJECT("\"s\":" HEADER("\"string\"", "\"S\"") ",\"i\":" HEADER(
        "\"integer\"", "\"I\"") ",\"o\":" OBJECT("\"b\":" HEADER("\"boolean\"", "\"B\"")));
    static const char *const rows[][3] = {
        {"{\"s\":\"x\"}", "Mcp-Param-S", "x"},
        {"{\"i\":-7}", "Mcp-Param-I", "-7"},
        {"{\"i\":5.0}", "Mcp-Param-I", "5"},
        {"{\"o\":{\"b\":true}}", "Mcp-Param-B", "true"},
        {"{\"s\":null}", NULL, NULL},
        {"{}", NULL, NULL},
        {"{\"s\":\" x\"}", "Mcp-Param-S", "=?base64?IHg=?="},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        haft_header *headers;
        size_t n;

        assert_int_equal(
            hf_mirror_headers(haft_json_read(schema, strlen(schema), 0, arena, NULL),
                              haft_json_read(rows[i][0], strlen(rows[i][0]), 0, arena, NULL), arena,
                              &headers, &n),
            0);
        assert_int_equal(n, rows[i][1] ? 1 : 0);
        if (n) {
            assert_string_equal(headers[0].name, rows[i][1]);
            assert_string_equal(headers[0].value, rows[i][2]);
        }
        haft_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(checks_faults),
                                       cmocka_unit_test(parameters)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
