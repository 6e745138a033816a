/* test_number.c - numbers as JavaScript prints them, in every locale. */
#include "base/base.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

/* What String(x) gives in JavaScript. */
static const struct {
    double value;
    const char *text;
} numbers[] = {
    {0.0, "0"},
    {-0.0, "0"},
    {1.0, "1"},
    {-1.0, "-1"},
    {0.1, "0.1"},
    {-0.1, "-0.1"},
    {0.5, "0.5"},
    {1.5, "1.5"},
    {100.0, "100"},
    {123456789.0, "123456789"},
    {1e20, "100000000000000000000"},
    {1e21, "1e+21"},
    {1e22, "1e+22"},
    {-1e21, "-1e+21"},
    {123456789012345680000.0, "123456789012345680000"},
    {999999999999999900000.0, "999999999999999900000"},
    {9007199254740991.0, "9007199254740991"},
    {9007199254740992.0, "9007199254740992"},
    {9007199254740993.0, "9007199254740992"},
    {1e-5, "0.00001"},
    {1e-6, "0.000001"},
    {1e-7, "1e-7"},
    {1.5e-6, "0.0000015"},
    {1.5e-7, "1.5e-7"},
    {0.000001234, "0.000001234"},
    {0.0000001234, "1.234e-7"},
    {123e-20, "1.23e-18"},
    {5e-324, "5e-324"},
    {2.2250738585072014e-308, "2.2250738585072014e-308"},
    {1.7976931348623157e308, "1.7976931348623157e+308"},
    {-1.7976931348623157e308, "-1.7976931348623157e+308"},
    {4.9406564584124654e-324, "5e-324"},
    {0.1 + 0.2, "0.30000000000000004"},
    {1.0 / 3, "0.3333333333333333"},
    {2.0 / 3, "0.6666666666666666"},
    {10.0 / 3, "3.3333333333333335"},
    {1e100, "1e+100"},
    {1.1e100, "1.1e+100"},
    {9.999999999999999e22, "1e+23"},
    {1e23, "1e+23"},
    {4.35, "4.35"},
    {0.30000000000000004, "0.30000000000000004"},
    {2.5e15, "2500000000000000"},
    {1234.5678, "1234.5678"},
    {-1234.5678, "-1234.5678"},
    {1e15, "1000000000000000"},
    {1e16, "10000000000000000"},
    {1e17, "100000000000000000"},
    {123456.789e3, "123456789"},
    {18446744073709552000.0, "18446744073709552000"},
    {9223372036854775807.0, "9223372036854776000"},
    {-9223372036854775808.0, "-9223372036854776000"},
    {4294967296.0, "4294967296"},
    {2147483648.5, "2147483648.5"},
    {3.141592653589793, "3.141592653589793"},
    {2.718281828459045, "2.718281828459045"},
    {1.0000000000000002, "1.0000000000000002"},
    {0.9999999999999999, "0.9999999999999999"},
    {1e-10, "1e-10"},
    {6.02214076e23, "6.02214076e+23"},
    {6.62607015e-34, "6.62607015e-34"},
    {-1.2345678901234567e-308, "-1.2345678901234567e-308"},
    {12345678901234567e5, "1.2345678901234568e+21"},
    {1.2345e21, "1.2345e+21"},
    {99999999999999990000.0, "99999999999999980000"},
    {(double)NAN, "NaN"},
    {(double)INFINITY, "Infinity"},
    {(double)-INFINITY, "-Infinity"},
};

static void check_numbers(void)
{
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        char text[32];
        size_t size = hf_number_to_text(numbers[i].value, text);

        assert_string_equal(text, numbers[i].text);
        assert_int_equal(size, strlen(text));
    }
}

static void prints_as_javascript_does(void **state)
{
    (void)state;
    check_numbers();
}

static void a_comma_locale_changes_nothing(void **state)
{
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "de_DE"))
        skip();
    assert_string_equal(localeconv()->decimal_point, ",");
    check_numbers();
    setlocale(LC_ALL, "C");
}

/* The next of a sequence of 64-bit numbers that looks random and is the same in every run. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static void reads_back_the_same(void **state)
{
    uint64_t seed = 1;

    (void)state;
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = next_random(&seed);
        double value;
        char text[32];

        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        if (i % 2)
            value = (double)(int64_t)(bits >> 20) / 1000;
        assert_true(hf_number_to_text(value, text) < sizeof text);
        if (strtod(text, NULL) < value || strtod(text, NULL) > value)
            fail_msg("%a became %s", value, text);
    }
}

static void prints_integers(void **state)
{
    static const struct {
        int64_t value;
        const char *text;
    } rows[] = {
        {0, "0"},
        {-1, "-1"},
        {10, "10"},
        {INT64_MAX, "9223372036854775807"},
        {INT64_MIN, "-9223372036854775808"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[32];

        assert_int_equal(hf_integer_to_text(rows[i].value, text), strlen(rows[i].text));
        assert_string_equal(text, rows[i].text);
    }
}

static void stands_for_decimals(void **state)
{
    static const struct {
        double value;
        struct decimal is;
    } rows[] = {
        {0, {0, 0}},
        {-0.0, {0, 0}},
        {1, {1, 0}},
        {-12, {12, 0}},
        {100, {100, 0}},
        {0.5, {5, -1}},
        {0.1, {1, -1}},
        {-2.03, {203, -2}},
        {123.456, {123456, -3}},
        {0x1p53, {9007199254740992, 0}},
        {4503599627370495.5, {45035996273704955, -1}},
        {0x1p63, {9223372036854775808u, 0}},
        {0x1.fffffffffffffp63, {18446744073709549568u, 0}},
        {0x1p64, {18446744073709552, 3}},
        {1e23, {1, 23}},
        {1e300, {1, 300}},
        {5e-324, {5, -324}},
        {2.2250738585072014e-308, {22250738585072014, -324}},
        {1.7976931348623157e308, {17976931348623157, 292}},
    };
    struct decimal decimal = {7, 7};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_true(hf_number_to_decimal(rows[i].value, &decimal));
        assert_int_equal(decimal.digits, rows[i].is.digits);
        assert_int_equal(decimal.exponent, rows[i].is.exponent);
    }
    assert_false(hf_number_to_decimal(INFINITY, &decimal));
    assert_false(hf_number_to_decimal(-INFINITY, &decimal));
    assert_false(hf_number_to_decimal(NAN, &decimal));
}

static void multiples(void **state)
{
    static const struct {
        struct decimal value, of;
        bool is;
    } rows[] = {
        {{0, 0}, {1, 0}, true},
        {{0, 5}, {1, -5}, true},
        {{1, 0}, {0, 0}, false},
        {{0, 0}, {0, 0}, false},
        {{6, 0}, {3, 0}, true},
        {{7, 0}, {3, 0}, false},
        {{3, 0}, {6, 0}, false},
        {{3, 1}, {6, 0}, true},
        {{3, 0}, {6, -1}, true},
        {{3, -1}, {6, 0}, false},
        {{1, 1}, {4, 0}, false},
        {{1, 2}, {4, 0}, true},
        {{1, 1}, {25, 0}, false},
        {{1, 2}, {25, 0}, true},
        {{8, -3}, {1, -3}, true},
        {{8, -3}, {1, -2}, false},
        {{80, -3}, {1, -2}, true},
        {{75, -4}, {1, -4}, true},
        {{1, 300}, {7, 0}, false},
        {{7, 300}, {7, -300}, true},
        {{1, 300}, {UINT64_C(1) << 63, 0}, true},
        {{1, 62}, {UINT64_C(1) << 63, 0}, false},
        {{1, 63}, {UINT64_C(1) << 63, 0}, true},
        {{UINT64_MAX, 0}, {UINT64_MAX, 0}, true},
        {{UINT64_MAX, 1}, {UINT64_MAX, 0}, true},
        {{UINT64_MAX, 0}, {UINT64_MAX, 1}, false},
        {{UINT64_MAX - 1, 1}, {UINT64_MAX, 0}, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(hf_decimal_is_multiple(rows[i].value, rows[i].of), rows[i].is);
}

/* Numbers so small that the plain way does not overflow. */
static void multiples_agree_with_division(void **state)
{
    enum { POWERS = 12, TRIES = 200000 };
    uint64_t powers[POWERS + 1] = {1}, seed = 1, found = 0;

    (void)state;
    for (size_t i = 1; i <= POWERS; i++)
        powers[i] = powers[i - 1] * 10;
    for (size_t i = 0; i < TRIES; i++) {
        struct decimal value, of;
        bool expected;

        seed = seed * 6364136223846793005u + 1442695040888963407u;
        value = (struct decimal){(seed >> 33) % 10000, (int)(seed >> 20 & 7) - 4};
        of = (struct decimal){(seed >> 47) % 500 + 1, (int)(seed >> 24 & 7) - 4};
        expected =
            value.digits * powers[value.exponent + 4] % (of.digits * powers[of.exponent + 4]) == 0;
        assert_int_equal(hf_decimal_is_multiple(value, of), expected);
        found += expected;
    }
    assert_in_range(found, TRIES / 100, TRIES - TRIES / 100);
}

static void prints_hex(void **state)
{
    static const struct {
        uint64_t value;
        const char *text;
    } rows[] = {
        {0, "0000000000000000"},
        {1, "0000000000000001"},
        {UINT64_C(0x0123456789abcdef), "0123456789abcdef"},
        {UINT64_C(0xfedcba9876543210), "fedcba9876543210"},
        {UINT64_MAX, "ffffffffffffffff"},
    };
    char text[HEX_TEXT];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        hf_hex_to_text(rows[i].value, text);
        assert_memory_equal(text, rows[i].text, sizeof text);
    }
}

static void whole_parts(void **state)
{
    static const double rows[] = {
        0,      -0.5, 0.5, 1.5, -1.5, 9007199254740993.0, 0x1p53, 1e19, -1e308, 4503599627370495.5,
        -0x1p53};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_true(number_whole(rows[i]) == trunc(rows[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_as_javascript_does),
        cmocka_unit_test(a_comma_locale_changes_nothing),
        cmocka_unit_test(reads_back_the_same),
        cmocka_unit_test(stands_for_decimals),
        cmocka_unit_test(multiples),
        cmocka_unit_test(multiples_agree_with_division),
        cmocka_unit_test(whole_parts),
        cmocka_unit_test(prints_hex),
        cmocka_unit_test(prints_integers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
