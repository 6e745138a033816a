/* test_read.c - strict reading: UTF-8, no key twice, no more levels than allowed. */
#include <haft/json.h>
#include <string.h>

#include "json/json.h"
#include "support/test.h"

static void refuses_what_is_not_json(void **state)
{
    static const struct {
        const char *text;
        size_t size;
        size_t depth;
        int code; /* 0: it is read */
        const char *reason;
    } rows[] = {
        {TEXT("null"), 0, 0, ""},
        {TEXT(" [1, 2.5, \"x\", {}] \n"), 0, 0, ""},
        {TEXT("{\"a\":{\"a\":1},\"b\":{\"a\":1}}"), 0, 0, ""},
        {TEXT(""), 0, HAFT_EPARSE, "input length is 0 at byte 0"},
        {NULL, 0, 0, HAFT_EPARSE, "input data is NULL at byte 0"},
        {TEXT("[1,]"), 0, HAFT_EPARSE, "trailing comma is not allowed at byte 2"},
        {TEXT("[1] [2]"), 0, HAFT_EPARSE, "unexpected content after document at byte 4"},
        {TEXT("{a:1}"), 0, HAFT_EPARSE,
         "unexpected character, expected a string for object key at byte 1"},
        {TEXT("'a'"), 0, HAFT_EPARSE,
         "unexpected character, expected a valid root value at byte 0"},
        {TEXT("/* */ 1"), 0, HAFT_EPARSE,
         "unexpected character, expected a valid root value at byte 0"},
        {TEXT("01"), 0, HAFT_EPARSE, "number with leading zero is not allowed at byte 0"},
        {TEXT("1e999"), 0, HAFT_EPARSE, "number is infinity when parsed as double at byte 0"},
        {TEXT("\xef\xbb\xbf[]"), 0, HAFT_EPARSE,
         "byte order mark (BOM) is not supported at byte 0"},
        {TEXT("\"\xff\""), 0, HAFT_EUTF8, "invalid UTF-8 encoding in string at byte 1"},
        {TEXT("\"\xc0\x80\""), 0, HAFT_EUTF8, "invalid UTF-8 encoding in string at byte 1"},
        {TEXT("\"a\nb\""), 0, HAFT_EPARSE, "unexpected control character in string at byte 2"},
        {TEXT("\"\\u0000\""), 0, 0, ""},
        {TEXT("{\"a\":1,\"b\":2,\"a\":3}"), 0, HAFT_EPARSE, "the key \"a\" occurs more than once"},
        {TEXT("[[{\"\\u0061\":1,\"a\":3}]]"), 0, HAFT_EPARSE,
         "the key \"a\" occurs more than once"},
        {TEXT("[[[]]]"), 3, 0, ""},
        {TEXT("[[[]]]"), 2, HAFT_EDEPTH, "nested deeper than 2 levels"},
        {TEXT("[[],[[]],{\"a\":[{}]}]"), 4, 0, ""},
        {TEXT("[[],[[]],{\"a\":[{}]}]"), 3, HAFT_EDEPTH, "nested deeper than 3 levels"},
        {TEXT("1"), 1, 0, ""},
    };
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_reason error = {0};
        haft_value *value =
            haft_json_read(rows[i].text, rows[i].size, rows[i].depth, arena, &error);

        assert_string_equal(error.text, rows[i].reason);
        assert_int_equal(error.code, rows[i].code);
        assert_int_equal(value != NULL, rows[i].code == 0);
        assert_int_equal(haft_json_read(rows[i].text, rows[i].size, rows[i].depth, arena, NULL) !=
                             NULL,
                         rows[i].code == 0);
    }
    haft_arena_free(arena);
}

/* Few keys are compared with each other, many are put into a table: both find the same. */
static void finds_keys_that_are_there_twice(void **state)
{
    static const struct {
        int keys, again; /* -1: none is */
    } rows[] = {{2, 0}, {16, 15}, {17, 0}, {17, 16}, {17, -1}, {1000, 500}, {1000, -1}, {3000, 0}};
    haft_arena *arena = haft_arena_new(NULL, 4 << 20);
    haft_buffer json;

    (void)state;
    haft_buffer_init(&json, NULL, 1 << 20);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_reason error = {0};

        haft_buffer_clear(&json);
        for (int k = 0; k < rows[i].keys; k++)
            haft_buffer_printf(&json, "%s\"k%d\":0", k ? "," : "{", k);
        if (rows[i].again >= 0)
            haft_buffer_printf(&json, ",\"k%d\":0", rows[i].again);
        haft_buffer_puts(&json, "}");
        assert_int_equal(haft_json_read(json.data, json.size, 0, arena, &error) != NULL,
                         rows[i].again < 0);
        assert_int_equal(error.code, rows[i].again < 0 ? 0 : HAFT_EPARSE);
        haft_arena_reset(arena);
    }
    haft_buffer_finish(&json);
    haft_arena_free(arena);
}

static void depth_is_bounded_whatever_is_asked(void **state)
{
    static char text[2048];
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_reason error = {0};

    (void)state;
    for (size_t depth = 512; depth <= 513; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        assert_int_equal(haft_json_read(text, depth * 2, 10000, arena, &error) != NULL,
                         depth == 512);
    }
    assert_int_equal(error.code, HAFT_EDEPTH);
    haft_arena_free(arena);
}

static void memory_is_bounded(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, 64);
    haft_reason error = {0};

    (void)state;
    assert_null(haft_json_read(TEXT("[1,2,3,4,5,6,7,8,9]"), 0, arena, &error));
    assert_int_equal(error.code, HAFT_ENOMEM);
    haft_arena_free(arena);
}

static void text_is_deep_before_it_is_read(void **state)
{
    static const struct {
        const char *text;
        size_t depth; /* how deep it is */
    } rows[] = {
        {"", 0},
        {"1", 0},
        {"[]", 1},
        {"[[],[]]", 2},
        {"{\"a\":[{}]}", 3},
        {"\"[[[\"", 0},
        {"[\"\\\"[[\"]", 1},
        {"[\"\\\\\",[]]", 2},
        {"]]][", 1},
        {"[\"", 1},
        {"[\"\\", 1},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t size = strlen(rows[i].text);

        assert_false(hf_json_text_is_deep(rows[i].text, size, rows[i].depth));
        if (rows[i].depth)
            assert_true(hf_json_text_is_deep(rows[i].text, size, rows[i].depth - 1));
    }
}

/* With as many values as make a look worth while, so that no level is taken for granted. */
static void values_are_deep(void **state)
{
    static const struct {
        const char *text;
        size_t depth; /* how deep it is */
    } rows[] = {
        {"1", 0},
        {"[]", 1},
        {"[1,2,3,4,5]", 1},
        {"{\"a\":1,\"b\":2,\"c\":3}", 1},
        {"[[]]", 2},
        {"[[],[],[],[]]", 2},
        {"[{\"a\":1,\"b\":2},{\"a\":1,\"b\":2}]", 2},
        {"[1,{\"a\":[],\"b\":{}}]", 3},
        {"[{\"a\":[1],\"b\":2},3,4,5]", 3},
        {"[[[1],2],3,[4,[5,[6]]],[7]]", 4},
        {"{\"a\":{\"b\":{\"c\":{\"d\":{}}}},\"e\":[]}", 5},
        {"[[[[[[[[]]]]]]]]", 8},
    };
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_value *value = haft_json_read(rows[i].text, strlen(rows[i].text), 0, arena, NULL);
        yyjson_val *key;

        for (size_t limit = 1; limit < 10; limit++)
            if (hf_json_is_deep(value, limit) != (rows[i].depth > limit) ||
                (hf_json_check(value, limit, arena, &key) != 0) != (rows[i].depth > limit))
                fail_msg("%s, at most %zu", rows[i].text, limit);
    }
    haft_arena_free(arena);
}

/* Wherever the object is, in a value that is small for its limit and in one that is not. */
static void finds_keys_at_every_depth(void **state)
{
    static const char *const texts[] = {
        "{\"a\":1,\"a\":2}",
        "{\"a\":1,\"b\":{},\"a\":2}",
        "{\"b\":{\"a\":1,\"a\":2}}",
        "{\"b\":{\"c\":1},\"d\":{\"a\":1,\"a\":2}}",
        "{\"b\":{\"c\":{\"d\":1}},\"a\":{},\"a\":[]}",
        "{\"b\":[1,[2,{\"a\":1,\"a\":2}]]}",
        "[{\"a\":1},{\"a\":1},[],{\"a\":1,\"b\":[],\"a\":2}]",
        "[[1,2,3],[{\"b\":[4,5]},{\"b\":{\"a\":1,\"c\":[6],\"a\":2}}]]",
        "{\"\":1,\"\":2}",
        "{\"a\\u0000b\":1,\"a\\u0000b\":2}",
        "{\"\\u0061\":1,\"a\":2}",
    };
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        yyjson_val *value = NULL, *key = NULL;
        const char *reason;
        size_t offset;

        assert_int_equal(hf_json_parse(texts[i], strlen(texts[i]), arena, &value, &offset, &reason),
                         0);
        for (size_t limit = 5; limit <= 64; limit += 59) {
            if (hf_json_check(value, limit, arena, &key) != HAFT_EINVAL)
                fail_msg("%s, at most %zu", texts[i], limit);
            assert_true(yyjson_is_str(key));
        }
    }
    haft_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_deep_before_it_is_read),
        cmocka_unit_test(values_are_deep),
        cmocka_unit_test(finds_keys_at_every_depth),
        cmocka_unit_test(refuses_what_is_not_json),
        cmocka_unit_test(finds_keys_that_are_there_twice),
        cmocka_unit_test(depth_is_bounded_whatever_is_asked),
        cmocka_unit_test(memory_is_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
