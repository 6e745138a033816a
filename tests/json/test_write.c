/* test_write.c - values as compact JSON. */
#include <haft/json.h>
#include <string.h>
#include <yyjson.h>

#include "json/json.h"
#include "support/test.h"

static void writes_compactly(void **state)
{
    static const struct {
        const char *json, *expected; /* NULL: as it was */
    } rows[] = {
        {"null", NULL},
        {"true", NULL},
        {"false", NULL},
        {"0", NULL},
        {"-0", "0"},
        {"-0.0", "0"},
        {"1.0", "1"},
        {"1e2", "100"},
        {"0.1", NULL},
        {"1e-7", NULL},
        {"123456789012345680000", NULL},
        {"1e21", "1e+21"},
        {"9223372036854775807", NULL},
        {"-9223372036854775808", NULL},
        {"18446744073709551615", NULL},
        {"18446744073709551616", "18446744073709552000"},
        {"2.2250738585072014e-308", NULL},
        {"5e-324", NULL},
        {"1.7976931348623157e308", "1.7976931348623157e+308"},
        {"\"\"", NULL},
        {"\"a\\\"\\\\\\/\\u00e9\\u0000\\n\"", "\"a\\\"\\\\/\xc3\xa9\\u0000\\n\""},
        {"[]", NULL},
        {"{}", NULL},
        {"[ [ ] , { } , [ { } ] ]", "[[],{},[{}]]"},
        {" { \"a\" : [ 1 , 2 ] , \"b\" : { \"c\" : null } , \"\" : { } } ",
         "{\"a\":[1,2],\"b\":{\"c\":null},\"\":{}}"},
        {"[[[[[[[[1],2],3],4],5],6],7],8]", NULL},
        {"{\"a\":{\"b\":{\"c\":{}}},\"d\":[[],[]]}", NULL},
    };
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_buffer buffer;

    (void)state;
    haft_buffer_init(&buffer, NULL, 1000);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_value *value = haft_json_read(rows[i].json, strlen(rows[i].json), 0, arena, NULL);

        assert_non_null(value);
        haft_buffer_clear(&buffer);
        haft_json_write(value, &buffer);
        assert_int_equal(hf_json_size(value), buffer.size);
        haft_buffer_add(&buffer, "", 1);
        assert_int_equal(buffer.status, 0);
        assert_string_equal(buffer.data, rows[i].expected ? rows[i].expected : rows[i].json);
    }
    haft_buffer_finish(&buffer);
    haft_arena_free(arena);
}

/* A part of a value is written without what is around it. */
static void writes_a_part(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_value *value = haft_json_read(TEXT("[1,{\"a\":[2,3]},4]"), 0, arena, NULL);
    haft_buffer buffer;

    (void)state;
    haft_buffer_init(&buffer, NULL, 100);
    haft_json_write(value + 2, &buffer);
    haft_buffer_add(&buffer, "", 1);
    assert_string_equal(buffer.data, "{\"a\":[2,3]}");
    haft_buffer_finish(&buffer);
    haft_arena_free(arena);
}

/* However deep it is: what is too deep is an error, and not a stack that ends. */
static void writes_so_deep(void **state)
{
    (void)state;
    for (size_t depth = JSON_MAX_DEPTH; depth <= JSON_MAX_DEPTH + 1; depth++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        char text[2 * JSON_MAX_DEPTH + 3];
        yyjson_val *value;
        const char *reason;
        haft_buffer buffer;
        size_t offset;

        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        assert_int_equal(hf_json_parse(text, 2 * depth, arena, &value, &offset, &reason), 0);
        haft_buffer_init(&buffer, NULL, sizeof text);
        haft_json_write(value, &buffer);
        assert_int_equal(buffer.status, depth > JSON_MAX_DEPTH ? HAFT_EDEPTH : 0);
        haft_buffer_finish(&buffer);
        haft_arena_free(arena);
    }
}

static void stops_at_the_limit(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_value *value = haft_json_read(TEXT("[1,2,3]"), 0, arena, NULL);
    haft_buffer buffer;

    (void)state;
    haft_buffer_init(&buffer, NULL, 6);
    haft_json_write(value, &buffer);
    assert_int_equal(buffer.status, HAFT_ETOOBIG);
    haft_buffer_finish(&buffer);
    haft_arena_free(arena);
}

static void writes_no_nothing(void **state)
{
    haft_buffer buffer;

    (void)state;
    haft_buffer_init(&buffer, NULL, 100);
    haft_json_write(NULL, &buffer);
    assert_int_equal(buffer.status, HAFT_EINVAL);
    assert_int_equal(buffer.size, 0);
    haft_buffer_finish(&buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_compactly),  cmocka_unit_test(writes_a_part),
        cmocka_unit_test(writes_so_deep),    cmocka_unit_test(stops_at_the_limit),
        cmocka_unit_test(writes_no_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
