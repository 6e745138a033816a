/* test_numbers.c - numbers at the edges of what doubles and 64-bit integers hold: what bounds them,
 * which of them are equal, and what is kept of them. */
#include "schema/numbers.h"
#include "schema/walk/repair.h"

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
    /* the same of integers alone */
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

/* Declared integers have a fast path of their own. */
static void bounds_declared_integers(void **state)
{
    enum bound { MIN, MAX, ABOVE, BELOW };
    static const struct {
        enum bound which;
        int64_t bound;
        const char *value;
        bool accepted;
    } rows[] = {
        {MIN, INT64_MAX, "9223372036854775807", true},
        {MIN, INT64_MAX, "9223372036854775806", false},
        {MIN, INT64_MAX, "9223372036854775808", false},
        {MIN, INT64_MIN + 1, "-9223372036854775808", false},
        {MIN, INT64_MIN + 1, "-9223372036854775807", true},
        {MAX, INT64_MIN, "-9223372036854775808", true},
        {MAX, INT64_MIN, "-9223372036854775807", false},
        {MAX, INT64_MIN, "-9223372036854775809", false},
        {MAX, INT64_MAX - 1, "9223372036854775806", true},
        {MAX, INT64_MAX - 1, "9223372036854775807", false},
        {ABOVE, INT64_MAX, "9223372036854775807", false},
        {ABOVE, INT64_MAX - 1, "9223372036854775807", true},
        {ABOVE, INT64_MAX - 1, "9223372036854775806", false},
        {ABOVE, INT64_MIN + 1, "-9223372036854775807", false},
        {ABOVE, INT64_MIN + 1, "-9223372036854775806", true},
        {BELOW, INT64_MIN, "-9223372036854775808", false},
        {BELOW, INT64_MIN + 1, "-9223372036854775808", true},
        {BELOW, INT64_MAX - 1, "9223372036854775806", false},
        {BELOW, INT64_MAX - 1, "9223372036854775805", true},
        {MIN, INT64_C(9007199254740993), "9007199254740992.0", false},
        {MIN, INT64_C(9007199254740993), "9007199254740994.0", true},
        {MAX, INT64_C(9007199254740993), "9007199254740994.0", false},
        {ABOVE, -5, "-5", false},
        {ABOVE, -5, "-4", true},
        {BELOW, -5, "-6", true},
        {BELOW, -5, "-5.0", false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_field field = whole_type.fields[0];
        struct haft_integer_rules *rules = &field.rules.integer;
        int64_t *const bounds[] = {&rules->min, &rules->max, &rules->above, &rules->below};
        haft_type type = whole_type;

        *bounds[rows[i].which] = rows[i].bound;
        type.fields = &field;
        if (by_type(&type, rows[i].value) != rows[i].accepted)
            fail_msg("row %zu: %s", i, rows[i].value);
    }
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
        status = haft_schema_decode_text(schema, json, strlen(json), arena, &read, &issues);
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
        status = hf_schema_read_leniently(schema, &value, arena, NULL, &issues, &repairs);
        if (status != (rows[i].accepted ? 0 : HAFT_EISSUES))
            fail_msg("%s, %s: %s", document, text, haft_strerror(status));
        haft_schema_free(schema);
        haft_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compares_exactly),
        cmocka_unit_test(bounds_declared_integers),
        cmocka_unit_test(keeps_integers_of_64_bits),
        cmocka_unit_test(reads_texts_as_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
