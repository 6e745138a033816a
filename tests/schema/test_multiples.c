/* test_multiples.c - what divides a number, exactly, in every way the rule can be declared. */
#include <haft/build.h>
#include <math.h>
#include <yyjson.h>

#include "schema/numbers.h"

/* ---- the ways to one verdict ---- */

static bool by_document(const char *rule, const char *divisor, const char *value)
{
    char document[256];

    snprintf(document, sizeof document, "{%s\"multipleOf\":%s}", rule, divisor);
    return accepts(parse(document), value);
}

static bool by_builder(double divisor, const char *value)
{
    haft_builder *builder = haft_builder_new(NULL);
    haft_schema *schema = NULL;
    haft_def *def = haft_def_multiple_of(haft_def_number(builder), divisor);

    assert_int_equal(haft_schema_build(builder, def, &schema, NULL), 0);
    return accepts(schema, value);
}

static bool by_number_field(double divisor, const char *value)
{
    haft_field field = real_type.fields[0];
    haft_type type = real_type;

    field.rules.number.multiple_of = divisor;
    type.fields = &field;
    return by_type(&type, value);
}

static bool by_integer_field(int64_t divisor, const char *value)
{
    haft_field field = whole_type.fields[0];
    haft_type type = whole_type;

    field.rules.integer.multiple_of = divisor;
    type.fields = &field;
    return by_type(&type, value);
}

/* ---- multiples ---- */

static const struct {
    const char *value, *divisor;
    bool multiple;
} multiples[] = {
    /* everyday numbers */
    {"6", "3", true},
    {"7", "3", false},
    {"-6", "3", true},
    {"-7", "3", false},
    {"0", "7", true},
    {"-0.0", "0.3", true},
    {"6.0", "3", true},
    {"6", "3.0", true},
    {"0.3", "0.1", true},
    {"1.1", "0.1", true},
    {"2.03", "0.07", true},
    {"19.99", "0.01", true},
    {"4.35", "0.01", true},
    {"0.35", "0.1", false},
    {"0.0075", "0.0001", true},
    {"0.00751", "0.0001", false},
    {"1", "1.5", false},
    {"4.5", "1.5", true},
    {"-4.5", "1.5", true},
    {"35", "1.5", false},
    {"2", "4", false},
    {"0.5", "1", false},
    {"1e-7", "1e-8", true},
    {"1e-8", "1e-7", false},
    /* close is not equal */
    {"0.30000000000000004", "0.1", false},
    {"0.9999999999999999", "1", false},
    {"1.0000000000000002", "1", false},
    {"1000000.0000000001", "1", false},
    {"4503599627370495.5", "1", false},
    {"4503599627370495.5", "0.5", true},
    /* much smaller than the divisor, and much larger */
    {"5e-324", "0.5", false},
    {"-5e-324", "0.5", false},
    {"5e-324", "7", false},
    {"1e-300", "1", false},
    {"2.2250738585072014e-308", "1", false},
    {"1e300", "7", false},
    {"1e300", "8", true},
    {"1e300", "0.5", true},
    {"1e308", "0.5", true},
    {"1e308", "0.123456789", false},
    {"1.7976931348623157e308", "3", false},
    {"1.7976931348623157e308", "7", false},
    {"7e300", "7", true},
    {"-7e300", "7", true},
    {"7e300", "7e-300", true},
    {"7e300", "3e-300", false},
    {"1e300", "5e-324", true},
    {"1e300", "3e-323", false},
    {"1.7976931348623157e308", "2.2250738585072014e-308", false},
    {"1e23", "10", true},
    {"1e23", "3", false},
    /* subnormals */
    {"5e-324", "5e-324", true},
    {"1e-323", "5e-324", true},
    {"5e-324", "1e-323", false},
    {"1.5e-323", "1e-323", false},
    {"2e-323", "1e-323", true},
    /* huge divisors */
    {"1e300", "1e300", true},
    {"3e300", "1e300", true},
    {"3.5e300", "1e300", false},
    {"1", "1e300", false},
    {"0", "1e300", true},
    {"1e299", "1e300", false},
    {"1.7976931348623157e308", "1.7976931348623157e308", true},
    /* what is below the smallest double is read as 0 */
    {"1e-400", "0.5", true},
    {"-1e-400", "7", true},
    /* around 2^53 */
    {"9007199254740991", "2", false},
    {"9007199254740992", "2", true},
    {"9007199254740993", "2", false},
    {"9007199254740993", "3", true},
    {"9007199254740993", "9007199254740993", true},
    {"9007199254740992", "9007199254740993", false},
    {"9007199254740992.0", "2", true},
    {"9007199254740993", "0.5", true},
    {"9007199254740993", "1.5", true},
    {"9007199254740992", "1.5", false},
    {"9007199254740991", "0.2", true},
    {"9007199254740991", "0.3", false},
    {"9007199254740993", "0.3", true},
    /* 64-bit integers */
    {"9223372036854775807", "7", true},
    {"9223372036854775806", "7", false},
    {"9223372036854775807", "9223372036854775807", true},
    {"9223372036854775806", "9223372036854775807", false},
    {"-9223372036854775808", "2", true},
    {"-9223372036854775808", "3", false},
    {"-9223372036854775807", "7", true},
    {"9223372036854775807", "0.7", true},
    {"9223372036854775806", "0.7", false},
    {"9223372036854775808", "9223372036854775808", true},
    {"-9223372036854775808", "9223372036854775808", true},
    {"18446744073709551615", "5", true},
    {"18446744073709551614", "5", false},
    {"18446744073709551615", "0.5", true},
    {"18446744073709551615", "0.3", true},
    {"18446744073709551614", "0.3", false},
    {"18446744073709551615", "18446744073709551615", true},
    {"18446744073709551615", "2e1", false},
    {"1e19", "10000000000000000000", true},
    {"2e19", "10000000000000000000", true},
    {"10000000000000000000", "2e19", false},
    {"18446744073709551616", "18446744073709551616", true},
};

/* The text as JSON has it: an integer where it is one of 64 bits. */
static yyjson_val number_in(const char *text)
{
    yyjson_val number = {0};

    assert_non_null(yyjson_read_number(text, &number, 0, NULL, NULL));
    return number;
}

static bool is_int64(yyjson_val *number)
{
    return yyjson_is_sint(number) || (yyjson_is_uint(number) && number->uni.u64 <= INT64_MAX);
}

/* Whether a double is the number: then it can be declared as one. */
static bool is_double(yyjson_val *number)
{
    return yyjson_is_real(number) || fabs(yyjson_get_num(number)) < 9007199254740992.0;
}

static size_t check_way(const char *way, size_t row, bool found)
{
    if (found == multiples[row].multiple)
        return 0;
    print_message("%s is %sa multiple of %s, %s\n", multiples[row].value, found ? "" : "not ",
                  multiples[row].divisor, way);
    return 1;
}

static void divides_exactly(void **state)
{
    size_t wrong = 0;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(multiples); i++) {
        const char *value = multiples[i].value, *divisor = multiples[i].divisor;
        yyjson_val number = number_in(value), by = number_in(divisor);

        wrong += check_way("by a document", i, by_document("", divisor, value));
        wrong += check_way("by a document of numbers", i,
                           by_document("\"type\":\"number\",", divisor, value));
        if (is_double(&by)) {
            wrong += check_way("by the builder", i, by_builder(yyjson_get_num(&by), value));
            /* Beyond these a C number is the nearest double, which is written otherwise. */
            if (is_double(&number))
                wrong +=
                    check_way("by a number field", i, by_number_field(yyjson_get_num(&by), value));
        }
        if (is_int64(&number) && is_int64(&by))
            wrong +=
                check_way("by an integer field", i, by_integer_field(yyjson_get_sint(&by), value));
    }
    assert_int_equal(wrong, 0);
}

/* What a handler gives is held to the same rule as what it gets. */
static void writes_multiples_only(void **state)
{
    static const struct {
        double value, divisor;
        bool written;
    } rows[] = {
        {0.3, 0.1, true}, {5e-324, 0.5, false}, {1e300, 7, false},
        {7e300, 7, true}, {-4.5, 1.5, true},    {9007199254740994.0, 4, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        haft_field field = real_type.fields[0];
        haft_type type = real_type;
        haft_schema *schema = NULL;
        haft_issues issues = {0};
        haft_buffer text;

        field.rules.number.multiple_of = rows[i].divisor;
        type.fields = &field;
        assert_int_equal(haft_schema_compile(&type, NULL, &schema, NULL), 0);
        haft_buffer_init(&text, NULL, 1 << 10);
        assert_int_equal(haft_schema_encode(schema, &(real){rows[i].value}, arena, &text, &issues),
                         rows[i].written ? 0 : HAFT_EISSUES);
        haft_buffer_finish(&text);
        haft_schema_free(schema);
        haft_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(divides_exactly),
        cmocka_unit_test(writes_multiples_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
