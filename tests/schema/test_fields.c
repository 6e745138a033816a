/* test_fields.c - declared types: what compiles, and what is refused, where and why. */
#include <math.h>
#include <stdlib.h>

#include "reading.h"
#include "shapes.h"

#define F(n) HAFT_OPTIONAL(HAFT_INTEGER(f##n, "Field " #n))

HAFT_STRUCT(sixty_four,
    F(00), F(01), F(02), F(03), F(04), F(05), F(06), F(07),
    F(10), F(11), F(12), F(13), F(14), F(15), F(16), F(17),
    F(20), F(21), F(22), F(23), F(24), F(25), F(26), F(27),
    F(30), F(31), F(32), F(33), F(34), F(35), F(36), F(37),
    F(40), F(41), F(42), F(43), F(44), F(45), F(46), F(47),
    F(50), F(51), F(52), F(53), F(54), F(55), F(56), F(57),
    F(60), F(61), F(62), F(63), F(64), F(65), F(66), F(67),
    F(70), F(71), F(72), F(73), F(74), F(75), F(76), F(77));

HAFT_STRUCT(sixty_five, HAFT_EXTENDS(sixty_four), HAFT_INTEGER(f100, "One more"));

static void takes_many_fields(void **state)
{
    haft_buffer json;
    struct reading r;
    const sixty_four *value = (const sixty_four *)(const void *)r.value;

    (void)state;
    haft_buffer_init(&json, NULL, 1 << 16);
    for (int i = 0; i < 64; i++)
        haft_buffer_printf(&json, "%s\"f%o%o\":%d", i ? "," : "{", i / 8, i % 8, i);
    haft_buffer_add(&json, "}", 2);
    reading_open(&r, &sixty_four_type, NULL);
    assert_string_equal(decoded(&r, json.data, json.size - 1), json.data);
    assert_true(value->has_f77);
    assert_int_equal(value->f77, 63);
    reading_close(&r);
    haft_buffer_finish(&json);
}

/* More properties than are kept on the stack, in an order that needs the index. */
static void finds_any_of_many_fields(void **state)
{
    haft_buffer json;
    struct reading r;
    sixty_five *value = calloc(1, sizeof *value);

    (void)state;
    assert_non_null(value);
    haft_buffer_init(&json, NULL, 1 << 16);
    for (int i = 64; i >= 0; i--)
        haft_buffer_printf(&json, "%s\"f%o%o\":%d", i < 64 ? "," : "{", i / 8, i % 8, i);
    haft_buffer_puts(&json, "}");
    reading_open(&r, &sixty_five_type, NULL);
    assert_int_equal(
        haft_schema_decode_text(r.schema, json.data, json.size, r.arena, value, &r.issues), 0);
    assert_int_equal(value->base.f00, 0);
    assert_int_equal(value->base.f33, 27);
    assert_int_equal(value->f100, 64);
    reading_close(&r);
    haft_buffer_finish(&json);
    free(value);
}

/* ---- what is refused ---- */

HAFT_STRUCT(low_default, HAFT_DEFAULT(HAFT_INTEGER(n, "A number", .min = 5), 4));
HAFT_STRUCT(long_default, HAFT_DEFAULT(HAFT_STRING(s, "A text", .max = 2), "abc"));
HAFT_STRUCT(wrong_default,
    HAFT_DEFAULT(HAFT_ARRAY(list, HAFT_OBJECT(one, point, "A point"), "Points"),
                 "[{\"x\":1,\"y\":2},{\"x\":101,\"y\":2}]"));
HAFT_STRUCT(broken_default, HAFT_DEFAULT(HAFT_JSON(any, "Anything"), "{\"a\":}"));
HAFT_STRUCT(twice_default, HAFT_DEFAULT(HAFT_JSON(any, "Anything"), "{\"a\":1,\"a\":2}"));
HAFT_STRUCT(bytes_default, HAFT_DEFAULT(HAFT_BYTES(blob, "Bytes"), "\"a\""));
HAFT_STRUCT(enum_default, HAFT_DEFAULT(HAFT_ENUM(paint, colour, "A colour"), 3));
HAFT_STRUCT(refined_default,
    HAFT_DEFAULT(HAFT_OBJECT(within, range, "A range"), "{\"low\":2,\"high\":1}"));
HAFT_STRUCT(endless_default, HAFT_DEFAULT(HAFT_POINTER(next, endless_default, "Another"), "{}"));
HAFT_STRUCT(union_default, HAFT_DEFAULT(HAFT_UNION(shape, figure, "A figure"), "{}"));
HAFT_STRUCT(bad_pattern, HAFT_STRING(s, "A text", .pattern = "a("));
HAFT_STRUCT(bad_keys, HAFT_MAP(m, HAFT_INTEGER(i, "One"), "A map", .keys = "["));
HAFT_STRUCT(bad_item,
    HAFT_ARRAY(list, HAFT_OBJECT(one, bad_pattern, "One"), "Some"));
HAFT_STRUCT(bad_examples, HAFT_STRING(s, "A text", .examples = "1"));
HAFT_STRUCT(broken_examples, HAFT_STRING(s, "A text", .examples = "["));
HAFT_STRUCT(same_name, HAFT_INTEGER(a, "One"), HAFT_NAMED("a", HAFT_INTEGER(b, "Another")));
HAFT_STRUCT(same_base, HAFT_EXTENDS(being), HAFT_INTEGER(id, "Another"));
HAFT_STRUCT(late_base, HAFT_INTEGER(a, "One"), HAFT_EXTENDS(being));
HAFT_STRUCT(above_base, HAFT_EXTENDS(cat), HAFT_INTEGER(age, "In years"));
HAFT_STRUCT(list_base, HAFT_EXTENDS(row));
HAFT_CHOICE(list_case, "kind", HAFT_CASE(row, row));
HAFT_STRUCT(tag_twice, HAFT_STRING(kind, "Its kind"));
HAFT_CHOICE(tag_case, "kind", HAFT_CASE(one, tag_twice));
HAFT_STRUCT(optional_item, HAFT_ARRAY(list, HAFT_OPTIONAL(HAFT_INTEGER(one, "One")), "Some"));
HAFT_STRUCT(default_item, HAFT_ARRAY(list, HAFT_DEFAULT(HAFT_INTEGER(one, "One"), 1), "Some"));
HAFT_STRUCT(null_item, HAFT_MAP(map, HAFT_NULLABLE(HAFT_INTEGER(one, "One")), "Some"));

HAFT_STRUCT(bad_words, HAFT_STRING(s, "A \xff text"));
HAFT_STRUCT(bad_title, HAFT_STRING(s, "A text", .title = "\xc3"));
HAFT_STRUCT(bad_name, HAFT_NAMED("\xff", HAFT_STRING(s, "A text")));
HAFT_STRUCT(bad_text, HAFT_DEFAULT(HAFT_STRING(s, "A text"), "\xff"));
HAFT_STRUCT(bad_start, HAFT_STRING(s, "A text", .starts = "\xff"));
HAFT_STRUCT(bad_bytes, HAFT_STRING(s, "A text", .pattern = "\xff"));
HAFT_STRUCT(bad_divisor, HAFT_INTEGER(i, "A number", .multiple_of = -2));
HAFT_STRUCT(bad_step, HAFT_NUMBER(n, "A number", .multiple_of = -0.5));
HAFT_STRUCT(endless_step, HAFT_NUMBER(n, "A number", .multiple_of = INFINITY));
HAFT_STRUCT(no_step, HAFT_NUMBER(n, "A number", .multiple_of = NAN));
HAFT_STRUCT(endless_min, HAFT_NUMBER(n, "A number", .min = INFINITY));
HAFT_STRUCT(no_max, HAFT_NUMBER(n, "A number", .max = NAN));
HAFT_STRUCT(endless, HAFT_NUMBER(n, "Any number", .min = -INFINITY, .below = INFINITY));

#define EIGHTY "01234567890123456789012345678901234567890123456789012345678901234567890123456789"
HAFT_STRUCT(long_pattern, HAFT_STRING(s, "A text", .pattern = EIGHTY "("));

#define CROSSED "the minimum is greater than the maximum, so no value is valid"
HAFT_STRUCT(crossed_integer, HAFT_INTEGER(n, "A number", .min = 5, .max = 4));
HAFT_STRUCT(crossed_number, HAFT_NUMBER(n, "A number", .above = 0.5, .max = 0.5));
HAFT_STRUCT(crossed_string, HAFT_STRING(s, "A text", .min = 5, .max = 4));
HAFT_STRUCT(crossed_array, HAFT_ARRAY(list, HAFT_INTEGER(i, "One"), "Some", .min = 2, .max = 1));
HAFT_STRUCT(crossed_map, HAFT_MAP(map, HAFT_INTEGER(i, "One"), "Some", .min = 2, .max = 1));
HAFT_STRUCT(crossed_item,
    HAFT_ARRAY(list, HAFT_INTEGER(one, "One", .min = 5, .below = 5), "Some"));
HAFT_STRUCT(not_crossed, HAFT_INTEGER(n, "A number", .min = 5, .max = 5),
    HAFT_STRING(s, "A text", .min = 5, .max = 5));

struct crossed_narrow {
    uint8_t n;
};
typedef struct crossed_narrow crossed_narrow;
HAFT_SCHEMA(crossed_narrow, HAFT_INTEGER(n, "A number", .min = 256));

#define BAD_BOUND "a bound or a divisor must be a finite number"

static void refuses_bad_declarations(void **state)
{
    static const struct {
        const haft_type *type;
        int status;
        const char *path, *text;
    } rows[] = {
        {&low_default_type, HAFT_ESCHEMA, "n",
         "the default does not match the schema: Too small: expected number to be >=5"},
        {&long_default_type, HAFT_ESCHEMA, "s",
         "the default does not match the schema: Too big: expected string to have <=2 "
         "characters"},
        {&wrong_default_type, HAFT_ESCHEMA, "list.1.x",
         "the default does not match the schema: Too big: expected number to be <=100"},
        {&broken_default_type, HAFT_EPARSE, "any",
         "unexpected character, expected a valid JSON value at byte 5"},
        {&twice_default_type, HAFT_EPARSE, "any", "the key \"a\" occurs more than once"},
        {&bytes_default_type, HAFT_ESCHEMA, "blob",
         "the default does not match the schema: Invalid base64-encoded string"},
        {&enum_default_type, HAFT_ESCHEMA, "paint", "the default is not one of the enumerators"},
        {&refined_default_type, HAFT_ESCHEMA, "within.high",
         "the default does not match the schema: must not be below 2"},
        {&endless_default_type, HAFT_EDEPTH, "next",
         "the default does not match the schema: Invalid input: nested deeper than 64 levels"},
        {&union_default_type, HAFT_ESCHEMA, "shape.kind",
         "the default does not match the schema: Invalid discriminator value. Expected "
         "'circle' | 'label'"},
        {&bad_pattern_type, HAFT_EPATTERN, "s", "pattern \"a(\": missing ) at offset 2"},
        {&bad_keys_type, HAFT_EPATTERN, "m", "pattern \"[\": missing ] at offset 0"},
        {&bad_item_type, HAFT_EPATTERN, "list.one.s", "pattern \"a(\": missing ) at offset 2"},
        {&long_pattern_type, HAFT_EPATTERN, "s",
         "pattern \"" EIGHTY "\"...: missing ) at offset 81"},
        {&crossed_integer_type, HAFT_ESCHEMA, "n", CROSSED},
        {&crossed_number_type, HAFT_ESCHEMA, "n", CROSSED},
        {&crossed_string_type, HAFT_ESCHEMA, "s", CROSSED},
        {&crossed_array_type, HAFT_ESCHEMA, "list", CROSSED},
        {&crossed_map_type, HAFT_ESCHEMA, "map", CROSSED},
        {&crossed_item_type, HAFT_ESCHEMA, "list.one", CROSSED},
        {&crossed_narrow_type, HAFT_ESCHEMA, "n", CROSSED},
        {&bad_examples_type, HAFT_ESCHEMA, "s", "examples must be a JSON array"},
        {&broken_examples_type, HAFT_EPARSE, "s", NULL},
        {&same_name_type, HAFT_ESCHEMA, "a", "two fields have this name"},
        {&same_base_type, HAFT_ESCHEMA, "id", "two fields have this name"},
        {&late_base_type, HAFT_ESCHEMA, "late_base", "HAFT_EXTENDS must come first"},
        {&list_base_type, HAFT_ESCHEMA, "list_base", "HAFT_EXTENDS takes a HAFT_STRUCT"},
        {&list_case_type, HAFT_ESCHEMA, "row", "HAFT_CASE takes a HAFT_STRUCT"},
        {&tag_case_type, HAFT_ESCHEMA, "kind", "two fields have this name"},
        {&bad_words_type, HAFT_EUTF8, "s", "a string is not valid UTF-8"},
        {&bad_title_type, HAFT_EUTF8, "s", "a string is not valid UTF-8"},
        {&bad_name_type, HAFT_EUTF8, "", "a string is not valid UTF-8"},
        {&bad_text_type, HAFT_EUTF8, "s", "a string is not valid UTF-8"},
        {&bad_start_type, HAFT_EUTF8, "s", "a string is not valid UTF-8"},
        {&bad_bytes_type, HAFT_EUTF8, "s", "a string is not valid UTF-8"},
        {&bad_divisor_type, HAFT_ESCHEMA, "i", "multiple_of must be greater than 0"},
        {&bad_step_type, HAFT_ESCHEMA, "n", "multiple_of must be greater than 0"},
        {&endless_step_type, HAFT_ESCHEMA, "n", BAD_BOUND},
        {&no_step_type, HAFT_ESCHEMA, "n", BAD_BOUND},
        {&endless_min_type, HAFT_ESCHEMA, "n", BAD_BOUND},
        {&no_max_type, HAFT_ESCHEMA, "n", BAD_BOUND},
        {&optional_item_type, HAFT_ESCHEMA, "list.one",
         "an item cannot be optional or have a default"},
        {&default_item_type, HAFT_ESCHEMA, "list.one",
         "an item cannot be optional or have a default"},
        {&null_item_type, HAFT_ESCHEMA, "map.one",
         "a nullable item must be a string, a pointer or JSON"},
        {NULL, HAFT_EINVAL, "", "the type is missing"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_schema *schema = NULL;
        haft_reason error = {0};

        assert_int_equal(haft_schema_compile(rows[i].type, NULL, &schema, &error), rows[i].status);
        assert_null(schema);
        assert_int_equal(error.code, rows[i].status);
        assert_string_equal(error.path, rows[i].path);
        if (rows[i].text)
            assert_string_equal(error.text, rows[i].text);
        else
            assert_true(error.text[0]);
        assert_int_equal(haft_schema_compile(rows[i].type, NULL, &schema, NULL), rows[i].status);
    }
}

/* An endless bound is one that is not there. */
static void takes_bounds_that_leave_one(void **state)
{
    struct reading r;

    (void)state;
    reading_open(&r, &not_crossed_type, NULL);
    assert_string_equal(decoded(&r, TEXT("{\"n\":5,\"s\":\"abcde\"}")),
                        "{\"n\":5,\"s\":\"abcde\"}");
    reading_close(&r);
}

static void takes_bounds_that_do_not_bound(void **state)
{
    static const struct reading_row rows[] = {{&endless_type, "{\"n\":1e+300}", NULL},
                                              {&endless_type, "{\"n\":-1e+300}", NULL}};

    (void)state;
    check_rows(rows, COUNT_OF(rows));
}

static void keeps_its_limits(void **state)
{
    static const struct {
        const haft_type *type;
        haft_schema_options options;
        int status;
        const char *text;
    } rows[] = {
        {&everything_type, {.max_subschemas = 5}, HAFT_ETOOBIG, "too many subschemas"},
        {&everything_type, {.max_memory = 2000}, HAFT_ENOMEM, "out of memory"},
        {&above_base_type, {.max_depth = 1}, 0, NULL},
        {&above_base_type, {.max_depth = 100000}, 0, NULL},
        {&everything_type, {.max_depth = 1}, HAFT_EDEPTH, "types are nested too deep"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_schema_options options = rows[i].options;
        haft_schema *schema = NULL;
        haft_reason error = {0};

        options.struct_size = sizeof options;
        assert_int_equal(haft_schema_compile(rows[i].type, &options, &schema, &error),
                         rows[i].status);
        assert_string_equal(error.text, rows[i].text ? rows[i].text : "");
        haft_schema_free(schema);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_many_fields),
        cmocka_unit_test(finds_any_of_many_fields),
        cmocka_unit_test(refuses_bad_declarations),
        cmocka_unit_test(takes_bounds_that_do_not_bound),
        cmocka_unit_test(takes_bounds_that_leave_one),
        cmocka_unit_test(keeps_its_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
