/* test_compare.c - numbers and values compared exactly, and hashes that agree. */
#include <string.h>

#include "json/json.h"
#include "support/test.h"

static yyjson_val *value_of(const char *json, haft_arena *arena)
{
    yyjson_val *value = NULL;
    size_t offset;
    const char *reason;

    assert_int_equal(hf_json_parse(json, strlen(json), arena, &value, &offset, &reason), 0);
    return value;
}

static void orders_numbers(void **state)
{
    /* In ascending order; those in one row are equal. */
    static const char *const rows[][3] = {
        {"-1e300"},
        {"-18446744073709551616"},
        {"-9223372036854775808", "-9223372036854775808.0"},
        {"-9223372036854775807"},
        {"-9007199254740993"},
        {"-9007199254740992", "-9007199254740992.0"},
        {"-1.5"},
        {"-1", "-1.0"},
        {"-0.5"},
        {"0", "-0.0", "0.0"},
        {"5e-324"},
        {"0.5"},
        {"1", "1.0", "10e-1"},
        {"1.5"},
        {"9007199254740992", "9007199254740992.0"},
        {"9007199254740993"},
        {"9223372036854775807"},
        {"9223372036854775808", "9223372036854775808.0"},
        {"9223372036854775809"},
        {"18446744073709551615"},
        {"18446744073709551616"},
        {"1e300"},
    };
    haft_arena *arena = haft_arena_new(NULL, 4 << 20);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows) * 3; i++) {
        for (size_t k = 0; k < COUNT_OF(rows) * 3; k++) {
            const char *one = rows[i / 3][i % 3], *other = rows[k / 3][k % 3];
            yyjson_val *left, *right;
            int order = (i / 3 > k / 3) - (i / 3 < k / 3);

            if (!one || !other)
                continue;
            left = value_of(one, arena);
            right = value_of(other, arena);
            if (hf_json_compare(left, right) != order)
                fail_msg("%s against %s: %d", one, other, hf_json_compare(left, right));
            assert_int_equal(hf_json_equal(left, right, arena), order == 0);
            if (!order)
                assert_true(hf_json_hash(left) == hf_json_hash(right));
            haft_arena_reset(arena);
        }
    }
    haft_arena_free(arena);
}

static void compares_values(void **state)
{
    static const struct {
        const char *left, *right;
        int equal;
    } rows[] = {
        {"null", "null", 1},
        {"null", "false", 0},
        {"true", "true", 1},
        {"true", "1", 0},
        {"0", "false", 0},
        {"\"\"", "null", 0},
        {"\"a\"", "\"\\u0061\"", 1},
        {"\"a\"", "\"a\\u0000\"", 0},
        {"[]", "{}", 0},
        {"[1,2]", "[1.0,2]", 1},
        {"[1,2]", "[2,1]", 0},
        {"[1]", "[1,1]", 0},
        {"{\"a\":1,\"b\":[2]}", "{\"b\":[2.0],\"a\":1}", 1},
        {"{\"a\":1}", "{\"a\":2}", 0},
        {"{\"a\":1}", "{\"b\":1}", 0},
        {"{\"a\":1}", "{\"a\":1,\"b\":1}", 0},
        {"[{\"a\":{\"b\":null}}]", "[{\"a\":{\"b\":null}}]", 1},
    };
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        yyjson_val *left = value_of(rows[i].left, arena), *right = value_of(rows[i].right, arena);

        assert_int_equal(hf_json_equal(left, right, arena), rows[i].equal);
        assert_int_equal(hf_json_equal(right, left, arena), rows[i].equal);
        if (rows[i].equal)
            assert_true(hf_json_hash(left) == hf_json_hash(right));
    }
    haft_arena_free(arena);
}

/* Objects of many keys, in opposite orders: one that differs is found. */
static void compares_large_objects(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, 4 << 20);
    haft_buffer up, down;

    (void)state;
    haft_buffer_init(&up, NULL, 1 << 20);
    haft_buffer_init(&down, NULL, 1 << 20);
    for (int odd = 0; odd < 2; odd++) {
        yyjson_val *left, *right;
        size_t used;

        haft_buffer_clear(&up);
        haft_buffer_clear(&down);
        for (int i = 0; i < 200; i++)
            haft_buffer_printf(&up, "%s\"k%d\":%d", i ? "," : "{", i, i);
        for (int i = 199; i >= 0; i--)
            haft_buffer_printf(&down, "%s\"k%d\":%d", i < 199 ? "," : "{", i,
                               i == 77 ? i + odd : i);
        haft_buffer_add(&up, "}", 2);
        haft_buffer_add(&down, "}", 2);
        left = value_of(up.data, arena);
        right = value_of(down.data, arena);
        used = haft_arena_used(arena);
        assert_int_equal(hf_json_equal(left, right, arena), !odd);
        assert_int_equal(haft_arena_used(arena), used);
        assert_int_equal(hf_json_hash(left) == hf_json_hash(right), !odd);
    }
    haft_buffer_finish(&up);
    haft_buffer_finish(&down);
    haft_arena_free(arena);
}

static void knows_whole_numbers(void **state)
{
    static const struct {
        const char *json;
        bool whole;
    } rows[] = {{"0", true},
                {"-1", true},
                {"1.0", true},
                {"1e300", true},
                {"1.5", false},
                {"1e-9", false},
                {"18446744073709551615", true}};
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(hf_json_is_integral(value_of(rows[i].json, arena)), rows[i].whole);
    haft_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_numbers),
        cmocka_unit_test(compares_values),
        cmocka_unit_test(compares_large_objects),
        cmocka_unit_test(knows_whole_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
