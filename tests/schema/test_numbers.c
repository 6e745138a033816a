/* test_numbers.c - numbers at the edges of what doubles and 64-bit integers hold: what divides them,
 * what bounds them, and which of them are equal, in every way a rule can be declared. */
#include <haft/build.h>
#include <haft/declare.h>
#include <haft/schema.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yyjson.h>

#include "schema/repair.h"
#include "support/test.h"

HAFT_STRUCT(real, HAFT_NUMBER(n, "A number"));
HAFT_STRUCT(whole, HAFT_INTEGER(n, "An integer"));

static haft_schema *parse(const char *document)
{
    haft_reason error = {0};
    haft_schema *schema = NULL;

    if (haft_schema_parse(document, strlen(document), NULL, &schema, &error))
        fail_msg("%s: %s", document, error.text);
    return schema;
}

/* ---- the ways to one verdict ---- */

/* Whether the value is accepted; the schema is freed. */
static bool accepts(haft_schema *schema, const char *json)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_issues issues = {0};
    int status = haft_validate_text(schema, json, strlen(json), arena, &issues);

    if (status && status != HAFT_EISSUES)
        fail_msg("%s: %s", json, haft_strerror(status));
    haft_arena_free(arena);
    haft_schema_free(schema);
    return !status;
}

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

    assert_int_equal(haft_build(builder, def, &schema, NULL), 0);
    return accepts(schema, value);
}

/* Read from text, validated, and written again when it was accepted. */
static bool by_type(const haft_type *type, const char *value)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_schema *schema = NULL;
    haft_issues issues = {0};
    haft_buffer text;
    char json[128];
    union {
        real real;
        whole whole;
    } read;
    int validated, decoded;

    snprintf(json, sizeof json, "{\"n\":%s}", value);
    assert_int_equal(haft_schema_compile(type, NULL, &schema, NULL), 0);
    validated = haft_validate_text(schema, json, strlen(json), arena, &issues);
    decoded = haft_decode_text(schema, json, strlen(json), arena, &read, &issues);
    assert_int_equal(validated, decoded);
    haft_buffer_init(&text, NULL, 1 << 10);
    if (!decoded)
        assert_int_equal(haft_encode(schema, &read, arena, &text, &issues), 0);
    haft_buffer_finish(&text);
    haft_schema_free(schema);
    haft_arena_free(arena);
    return !decoded;
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
        assert_int_equal(haft_encode(schema, &(real){rows[i].value}, arena, &text, &issues),
                         rows[i].written ? 0 : HAFT_EISSUES);
        haft_buffer_finish(&text);
        haft_schema_free(schema);
        haft_arena_free(arena);
    }
}

/* ---- bounds, constants, types ---- */

static const struct {
    const char *document, *value;
    bool accepted;
} verdicts[] = {
    /* integers are not rounded to the double that bounds them, nor the double to an integer */
    {"{'minimum':9007199254740993}", "9007199254740992", false},
    {"{'minimum':9007199254740993}", "9007199254740993", true},
    {"{'minimum':9007199254740992.0}", "9007199254740993", true},
    {"{'maximum':9007199254740992.0}", "9007199254740993", false},
    {"{'maximum':9007199254740992.0}", "9007199254740992", true},
    {"{'exclusiveMinimum':9007199254740992.0}", "9007199254740993", true},
    {"{'exclusiveMinimum':9007199254740992.0}", "9007199254740992", false},
    {"{'minimum':0.5}", "1", true},
    {"{'minimum':0.5}", "0", false},
    {"{'maximum':-0.5}", "-1", true},
    {"{'maximum':-0.5}", "0", false},
    {"{'minimum':5e-324}", "0", false},
    {"{'minimum':5e-324}", "5e-324", true},
    {"{'exclusiveMinimum':0}", "5e-324", true},
    {"{'exclusiveMaximum':0}", "-5e-324", true},
    {"{'exclusiveMinimum':0}", "1e-400", false},
    /* at the ends of 64 bits */
    {"{'maximum':9223372036854775807}", "9223372036854775807", true},
    {"{'maximum':9223372036854775807}", "9223372036854775808", false},
    {"{'maximum':9223372036854775807}", "9223372036854775808.0", false},
    {"{'exclusiveMaximum':9223372036854775807}", "9223372036854775806", true},
    {"{'exclusiveMaximum':9223372036854775807}", "9223372036854775807", false},
    {"{'exclusiveMaximum':9223372036854775808}", "9223372036854775807", true},
    {"{'exclusiveMaximum':9223372036854775808}", "9223372036854775808", false},
    {"{'exclusiveMaximum':9223372036854775808.0}", "9223372036854775807", true},
    {"{'exclusiveMaximum':9223372036854775808.0}", "9223372036854775808", false},
    {"{'exclusiveMinimum':9223372036854775807}", "9223372036854775807", false},
    {"{'exclusiveMinimum':9223372036854775807}", "9223372036854775808", true},
    {"{'exclusiveMinimum':9223372036854775807}", "9223372036854775808.0", true},
    {"{'minimum':-9223372036854775808}", "-9223372036854775808", true},
    {"{'exclusiveMinimum':-9223372036854775808}", "-9223372036854775808", false},
    {"{'exclusiveMinimum':-9223372036854775808}", "-9223372036854775807", true},
    {"{'exclusiveMinimum':-9223372036854775808.0}", "-9223372036854775807", true},
    {"{'exclusiveMaximum':-9223372036854775808}", "-9223372036854775808", false},
    {"{'exclusiveMaximum':-9223372036854775808}", "-9223372036854777856", true},
    {"{'maximum':18446744073709551615}", "18446744073709551615", true},
    {"{'maximum':18446744073709551614}", "18446744073709551615", false},
    {"{'maximum':18446744073709551615}", "18446744073709551616", false},
    {"{'minimum':18446744073709551616}", "18446744073709551615", false},
    {"{'minimum':18446744073709551616}", "18446744073709551616", true},
    {"{'maximum':1e300}", "18446744073709551615", true},
    {"{'minimum':-1e300}", "-9223372036854775808", true},
    {"{'minimum':1e300}", "18446744073709551615", false},
    /* the same of integers in the fast path */
    {"{'type':'integer','minimum':0,'exclusiveMaximum':9223372036854775807}", "9223372036854775806",
     true},
    {"{'type':'integer','minimum':0,'exclusiveMaximum':9223372036854775807}", "9223372036854775807",
     false},
    {"{'type':'integer','exclusiveMaximum':9223372036854775808}", "9223372036854775807", true},
    {"{'type':'integer','exclusiveMaximum':9223372036854775808}", "9223372036854775808", false},
    {"{'type':'integer','minimum':9223372036854775808}", "9223372036854775807", false},
    {"{'type':'integer','minimum':9223372036854775808}", "9223372036854775808", true},
    {"{'type':'integer','minimum':-9223372036854775808}", "18446744073709551615", true},
    {"{'type':'integer','maximum':9223372036854775807}", "18446744073709551615", false},
    {"{'type':'integer','exclusiveMinimum':-9223372036854775808}", "-9223372036854775808", false},
    {"{'type':'integer','exclusiveMinimum':-9223372036854775808}", "-9223372036854775807", true},
    {"{'type':'integer','minimum':1,'maximum':1}", "1.0", true},
    {"{'type':'integer','minimum':1.5}", "1", false},
    {"{'type':'integer','minimum':1.5}", "2", true},
    {"{'type':'integer','exclusiveMinimum':1,'exclusiveMaximum':2}", "1", false},
    /* what has no fraction is an integer */
    {"{'type':'integer'}", "1.0", true},
    {"{'type':'integer'}", "1e300", true},
    {"{'type':'integer'}", "-1e300", true},
    {"{'type':'integer'}", "1.7976931348623157e308", true},
    {"{'type':'integer'}", "18446744073709551616", true},
    {"{'type':'integer'}", "4503599627370495.5", false},
    {"{'type':'integer'}", "9007199254740991.5", true}, /* no double has this fraction */
    {"{'type':'integer'}", "5e-324", false},
    {"{'type':'integer'}", "1e-400", true},
    {"{'type':'integer'}", "-0.0", true},
    {"{'not':{'type':'integer'}}", "1e300", false},
    /* equal is what is the same number */
    {"{'const':1}", "1.0", true},
    {"{'const':1.0}", "1", true},
    {"{'const':1}", "1.0000000000000002", false},
    {"{'const':0}", "-0.0", true},
    {"{'const':0}", "false", false},
    {"{'const':1}", "true", false},
    {"{'const':9007199254740993}", "9007199254740993", true},
    {"{'const':9007199254740993}", "9007199254740992", false},
    {"{'const':9007199254740993}", "9007199254740992.0", false},
    {"{'const':9007199254740992}", "9007199254740992.0", true},
    {"{'const':18446744073709551615}", "18446744073709551615", true},
    {"{'const':18446744073709551615}", "-1", false},
    {"{'const':18446744073709551615}", "18446744073709551616", false},
    {"{'const':-9223372036854775808}", "9223372036854775808", false},
    {"{'const':1e300}", "1.0e300", true},
    {"{'enum':[1,2]}", "2.0", true},
    {"{'enum':[1,2]}", "2.5", false},
    {"{'enum':[[1,{'a':2.0}]]}", "[1.0,{'a':2}]", true},
    {"{'uniqueItems':true}", "[1,1.0]", false},
    {"{'uniqueItems':true}", "[0,-0.0]", false},
    {"{'uniqueItems':true}", "[-1,18446744073709551615]", true},
    {"{'uniqueItems':true}", "[9007199254740992,9007199254740993]", true},
    {"{'uniqueItems':true}", "[9007199254740992,9007199254740992.0]", false},
    {"{'uniqueItems':true}", "[9007199254740993,9007199254740992.0]", true},
    {"{'uniqueItems':true}", "[9223372036854775808,9223372036854775808.0]", false},
    {"{'uniqueItems':true}", "[-9223372036854775808,-9223372036854775808.0]", false},
    {"{'uniqueItems':true}", "[9223372036854775807,9223372036854775808]", true},
    {"{'uniqueItems':true}", "[18446744073709551615,18446744073709551616]", true},
    {"{'uniqueItems':true}", "[1e300,1.0e+300]", false},
    {"{'uniqueItems':true}", "[{'a':1},{'a':1.0}]", false},
    /* sizes */
    {"{'minLength':2.0}", "'a'", false},
    {"{'minLength':2.0}", "'ab'", true},
    {"{'maxItems':1e300}", "[1]", true},
    {"{'minItems':18446744073709551616}", "[1]", false},
};

/* Tables are written with ' for ". */
static const char *quoted(const char *text, char room[256])
{
    snprintf(room, 256, "%s", text);
    for (char *at = room; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    return room;
}

static void compares_exactly(void **state)
{
    size_t wrong = 0;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(verdicts); i++) {
        char document[256], value[256];
        bool accepted = accepts(parse(quoted(verdicts[i].document, document)),
                                quoted(verdicts[i].value, value));

        if (accepted == verdicts[i].accepted)
            continue;
        print_message("%s is %s by %s\n", value, accepted ? "accepted" : "refused", document);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

/* ---- what is kept ---- */

static void keeps_integers_of_64_bits(void **state)
{
    static const struct {
        const char *value;
        bool accepted;
        int64_t kept;
    } rows[] = {
        {"9223372036854775807", true, INT64_MAX},
        {"-9223372036854775808", true, INT64_MIN},
        {"9223372036854775808", false, 0},
        {"-9223372036854775809", false, 0},
        {"9223372036854774784.0", true, INT64_C(9223372036854774784)},
        {"9223372036854775808.0", false, 0},
        {"18446744073709551615", false, 0},
        {"1e18", true, INT64_C(1000000000000000000)},
        {"1e19", false, 0},
        {"1e300", false, 0},
        {"-1e300", false, 0},
        {"1.5", false, 0},
        {"-0.0", true, 0},
        {"1e-400", true, 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        haft_schema *schema = NULL;
        haft_issues issues = {0};
        whole read = {-1};
        char json[128];
        int status;

        snprintf(json, sizeof json, "{\"n\":%s}", rows[i].value);
        assert_int_equal(haft_schema_compile(&whole_type, NULL, &schema, NULL), 0);
        status = haft_decode_text(schema, json, strlen(json), arena, &read, &issues);
        if (status != (rows[i].accepted ? 0 : HAFT_EISSUES))
            fail_msg("%s: %s", rows[i].value, haft_strerror(status));
        if (!status)
            assert_int_equal(read.n, rows[i].kept);
        haft_schema_free(schema);
        haft_arena_free(arena);
    }
}

/* A text is read as the number that it is, and then held to the same rules. */
static void reads_texts_as_numbers(void **state)
{
    static const struct {
        const char *document, *value;
        bool accepted;
    } rows[] = {
        {"{'type':'number','multipleOf':0.5}", "'1.5'", true},
        {"{'type':'number','multipleOf':0.5}", "'5e-324'", false},
        {"{'type':'number','multipleOf':7}", "'1e300'", false},
        {"{'type':'integer','multipleOf':2}", "'9007199254740993'", false},
        {"{'type':'integer','maximum':9007199254740992}", "'9007199254740993'", false},
        {"{'type':'integer','maximum':9223372036854775807}", "'9223372036854775808'", false},
        {"{'type':'integer'}", "'1e300'", true},
        {"{'type':'integer'}", "'4503599627370495.5'", false},
        {"{'type':'number'}", "'1e400'", false},
        {"{'const':1}", "'1.0'", true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        char document[256], text[256];
        haft_schema *schema = parse(quoted(rows[i].document, document));
        struct repairs repairs;
        haft_issues issues = {0};
        haft_value *value;
        int status;

        quoted(rows[i].value, text);
        value = haft_json_read(text, strlen(text), 100, arena, NULL);
        status = schema_read_leniently(schema, &value, arena, NULL, &issues, &repairs);
        if (status != (rows[i].accepted ? 0 : HAFT_EISSUES))
            fail_msg("%s, %s: %s", document, text, haft_strerror(status));
        haft_schema_free(schema);
        haft_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(divides_exactly),        cmocka_unit_test(writes_multiples_only),
        cmocka_unit_test(compares_exactly),       cmocka_unit_test(keeps_integers_of_64_bits),
        cmocka_unit_test(reads_texts_as_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
