/* test_validate.c - what passes and what does not: whole sentences, and the limits. */
#include <locale.h>
#include <stdlib.h>

#include "reading.h"
#include "shapes.h"

HAFT_STRUCT(one_integer, HAFT_INTEGER(i, "An integer"));
HAFT_STRUCT(one_number, HAFT_NUMBER(n, "A number"));
HAFT_STRUCT(one_text, HAFT_STRING(s, "A text", .min = 2, .max = 3));
HAFT_STRUCT(one_any, HAFT_JSON(any, "Anything"));
HAFT_LIST(paints, HAFT_ENUM(one, colour, "A colour"), "Colours");
HAFT_STRUCT(one_map, HAFT_MAP(m, HAFT_OBJECT(p, one_text, "A text"), "A map"));

static void numbers_are_exact(void **state)
{
    static const struct reading_row rows[] = {
        {&one_integer_type, "{\"i\":9223372036854775807}", NULL},
        {&one_integer_type, "{\"i\":-9223372036854775808}", NULL},
        {&one_integer_type, "{\"i\":9223372036854775808}",
         "!i: Too big: expected number to be <=9223372036854775807"},
        {&one_integer_type, "{\"i\":18446744073709551615}",
         "!i: Too big: expected number to be <=9223372036854775807"},
        {&one_integer_type, "{\"i\":18446744073709551616}",
         "!i: Too big: expected number to be <=9223372036854775807"},
        {&one_integer_type, "{\"i\":-9223372036854775809}",
         "!i: Too small: expected number to be >=-9223372036854775808"},
        {&one_integer_type, "{\"i\":-1e19}",
         "!i: Too small: expected number to be >=-9223372036854775808"},
        {&one_integer_type, "{\"i\":9007199254740993}", NULL},
        {&one_integer_type, "{\"i\":1.0}", "{\"i\":1}"},
        {&one_integer_type, "{\"i\":1e3}", "{\"i\":1000}"},
        {&one_integer_type, "{\"i\":-0.0}", "{\"i\":0}"},
        {&one_integer_type, "{\"i\":-0}", "{\"i\":0}"},
        {&one_integer_type, "{\"i\":1.5}", "!i: Invalid input: expected int, received number"},
        {&one_integer_type, "{\"i\":\"1\"}", "!i: Invalid input: expected number, received string"},
        {&one_integer_type, "{\"i\":true}", "!i: Invalid input: expected number, received boolean"},
        {&one_integer_type, "{\"i\":1e400}",
         "!invalid JSON: Invalid JSON string: number is infinity when parsed as "
         "double at byte 5"},
        {&one_number_type, "{\"n\":0.1}", NULL},
        {&one_number_type, "{\"n\":1.5e+300}", NULL},
        {&one_number_type, "{\"n\":5e-324}", NULL},
        {&one_number_type, "{\"n\":123456789.125}", NULL},
        {&one_number_type, "{\"n\":1E2}", "{\"n\":100}"},
        {&one_number_type, "{\"n\":18446744073709551615}", "{\"n\":18446744073709552000}"},
        {&one_number_type, "{\"n\":NaN}",
         "!invalid JSON: Invalid JSON string: unexpected character, expected a "
         "valid JSON value at byte 5"},
        {&one_number_type, "{\"n\":null}", "!n: Invalid input: expected number, received null"},
    };

    (void)state;
    check_rows(rows, COUNT_OF(rows));
}

static void strings_are_counted_in_code_points(void **state)
{
    static const struct {
        const char *json;
        size_t size;
        const char *expected;
    } rows[] = {
        {TEXT("{\"s\":\"ab\"}"), "{\"s\":\"ab\"}"},
        {TEXT("{\"s\":\"\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80\"}"),
         "{\"s\":\"\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80\"}"},
        {TEXT("{\"s\":\"\\ud83d\\ude00\\ud83d\\ude00\"}"),
         "{\"s\":\"\xf0\x9f\x98\x80\xf0\x9f\x98\x80\"}"},
        {TEXT("{\"s\":\"\xf0\x9f\x98\x80\"}"),
         "!s: Too small: expected string to have >=2 characters"},
        {TEXT("{\"s\":\"abcd\"}"), "!s: Too big: expected string to have <=3 characters"},
        {TEXT("{\"s\":\"a\\u0000\"}"), "!s: Invalid string: must not contain U+0000"},
        {TEXT("{\"s\":\"\\u0000bcd\"}"),
         "!s: Invalid string: must not contain U+0000, s: Too big: expected string to have <=3 "
         "characters"},
        {TEXT("{\"s\":\"a\0b\"}"),
         "!invalid JSON: Invalid JSON string: unexpected control character in "
         "string at byte 7"},
        {TEXT("{\"s\":\"a\xff\"}"),
         "!invalid UTF-8: Invalid JSON string: not valid UTF-8 at byte 7"},
        {TEXT("{\"s\":\"\xed\xa0\x80\"}"),
         "!invalid UTF-8: Invalid JSON string: not valid UTF-8 at byte 6"},
        {TEXT("{\"s\":\"\\ud800\"}"),
         "!invalid JSON: Invalid JSON string: no low surrogate in string at byte "
         "12"},
        {TEXT(""), "!invalid JSON: Invalid JSON string: input length is 0 at byte 0"},
        {TEXT("{\"s\":\"ab\"} x"),
         "!invalid JSON: Invalid JSON string: unexpected content after document at "
         "byte 11"},
    };
    struct reading r;

    (void)state;
    reading_open(&r, &one_text_type, NULL);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_string_equal(decoded(&r, rows[i].json, rows[i].size), rows[i].expected);
    reading_close(&r);
}

static void sentences_are_zods(void **state)
{
    static const struct reading_row rows[] = {
        {&ruled_type, "{\"whole\":1}",
         "!whole: Too small: expected number to be >=2, whole: Invalid number: must be a "
         "multiple of 2"},
        {&ruled_type, "{\"whole\":12}", "!whole: Too big: expected number to be <=10"},
        {&ruled_type, "{\"between\":2}", "!between: Too small: expected number to be >2"},
        {&ruled_type, "{\"between\":10}", "!between: Too big: expected number to be <10"},
        {&ruled_type, "{\"real\":2.6}",
         "!real: Too big: expected number to be <=2.5, real: Invalid number: must be a multiple "
         "of 0.5"},
        {&ruled_type, "{\"real\":1.5}", NULL},
        {&ruled_type, "{\"within\":0}", "!within: Too small: expected number to be >0"},
        {&ruled_type, "{\"within\":1}", "!within: Too big: expected number to be <1"},
        {&ruled_type, "{\"sized\":\"a\"}",
         "!sized: Too small: expected string to have >=2 characters"},
        {&ruled_type, "{\"patterned\":\"A\"}",
         "!patterned: Invalid string: must match pattern /^[a-z]+$/"},
        {&ruled_type, "{\"mail\":\"me\"}", "!mail: Invalid email address"},
        {&ruled_type, "{\"mail\":\"me@example.com\"}", NULL},
        {&ruled_type, "{\"parted\":\"q\"}",
         "!parted: Invalid string: must start with \"a\", parted: Invalid string: must end with "
         "\"z\", parted: Invalid string: must include \"-\""},
        {&ruled_type, "{\"parted\":\"a-z\"}", NULL},
        {&ruled_type, "{\"list\":[]}", "!list: Too small: expected array to have >=1 items"},
        {&ruled_type, "{\"list\":[1,\"2\"]}",
         "!list.1: Invalid input: expected number, received string"},
        {&ruled_type, "{\"list\":[1,2,\"3\"]}", "!list: Too big: expected array to have <=2 items"},
        {&ruled_type, "{\"set\":[1,2,1.0]}", "!set: Invalid input: items must be unique"},
        {&ruled_type, "{\"map\":{}}", "!map: Too small: expected object to have >=1 properties"},
        {&ruled_type, "{\"map\":{\"a\":1,\"b\":2,\"c\":3}}",
         "!map: Too big: expected object to have <=2 properties"},
        {&ruled_type, "{\"map\":{\"A\":1}}", "!map.A: Invalid key in record"},
        {&ruled_type, "{\"map\":[]}", "!map: Invalid input: expected record, received array"},
        {&ruled_type, "{\"list\":{}}", "!list: Invalid input: expected array, received object"},
        {&ruled_type, "[]", "!Invalid input: expected object, received array"},
        {&ruled_type, "null", "!Invalid input: expected object, received null"},
        {&colour_type, "\"pink\"", "!Invalid option: expected one of \"red\"|\"green\"|\"blue\""},
        {&colour_type, "1", "!Invalid option: expected one of \"red\"|\"green\"|\"blue\""},
        {&everything_type, "{\"blob\":\"AA=\",\"paint\":0}",
         "!flag: Invalid input: expected boolean, received undefined, count: Invalid input: "
         "expected number, received undefined, ratio: Invalid input: expected number, received "
         "undefined, name: Invalid input: expected string, received undefined, blob: Invalid "
         "base64-encoded string, paint: Invalid option: expected one of "
         "\"red\"|\"green\"|\"blue\", at: Invalid input: expected object, received undefined, "
         "shape: Invalid input: expected object, received undefined, link: Invalid input: "
         "expected object, received undefined, names: Invalid input: expected array, received "
         "undefined, path: Invalid input: expected array, received undefined, limits: Invalid "
         "input: expected record, received undefined, table: Invalid input: expected array, "
         "received undefined, any: Invalid input: expected nonoptional, received undefined"},
        {&maybe_type, "{\"blob\":\"a b=\"}", "!blob: Invalid base64-encoded string"},
        {&maybe_type, "{\"blob\":\"AB==\"}", "!blob: Invalid base64-encoded string"},
        {&maybe_type, "{\"flag\":null}", "!flag: Invalid input: expected boolean, received null"},
        {&maybe_type, "{\"table\":[[1],[2,\"x\"],[1,2,3,4]]}",
         "!table.1.1: Invalid input: expected number, received string, table.2: Too big: expected "
         "array to have <=3 items"},
        {&maybe_type, "{\"limits\":{\"a\":1,\"b\":null}}",
         "!limits.b: Invalid input: expected number, received null"},
        {&tree_type, "{\"name\":\"a\",\"children\":[{\"name\":\"b\",\"next\":{\"name\":1}}]}",
         "!children.0.next.name: Invalid input: expected string, received number"},
        {&settled_type, "{\"count\":0}", "!count: Too small: expected number to be >=1"},
    };

    (void)state;
    check_rows(rows, COUNT_OF(rows));
}

static void choices_are_told_apart_by_their_tag(void **state)
{
    static const struct reading_row rows[] = {
        {&figure_type, "{\"text\":\"hi\",\"kind\":\"label\"}",
         "{\"kind\":\"label\",\"text\":\"hi\"}"},
        {&figure_type, "{\"text\":\"hi\"}",
         "!kind: Invalid discriminator value. Expected 'circle' | 'label'"},
        {&figure_type, "{\"kind\":\"square\"}",
         "!kind: Invalid discriminator value. Expected 'circle' | 'label'"},
        {&figure_type, "{\"kind\":null}",
         "!kind: Invalid discriminator value. Expected 'circle' | 'label'"},
        {&figure_type, "{\"kind\":\"circle\",\"radius\":0,\"text\":\"\"}",
         "!radius: Too small: expected number to be >0, Unrecognized key: \"text\" (accepted: "
         "\"kind\", \"radius\")"},
        {&figure_type, "{\"kind\":\"circle\",\"kind\":\"label\",\"radius\":1}",
         "!Duplicate key: \"kind\", kind: Invalid input: expected \"circle\""},
        {&figure_type, "7", "!Invalid input: expected object, received number"},
        {&expression_type, "{\"op\":\"sum\",\"left\":{\"op\":\"x\"},\"right\":1}",
         "!left.op: Invalid discriminator value. Expected 'literal' | 'sum', right: Invalid "
         "input: expected object, received number"},
    };

    (void)state;
    check_rows(rows, COUNT_OF(rows));
}

static void unknown_keys_are_told_the_known(void **state)
{
    static const struct reading_row rows[] = {
        {&point_type, "{\"x\":1,\"y\":2,\"z\":3}",
         "!Unrecognized key: \"z\" (accepted: \"x\", \"y\")"},
        {&range_type, "{\"lwo\":1,\"high\":2}",
         "!low: Invalid input: expected number, received undefined, Unrecognized key: \"lwo\" "
         "(accepted: \"low\", \"high\"; did you mean \"low\"?)"},
        {&range_type, "{\"low\":1,\"high\":2,\"colour\":3,\"hihg\":4}",
         "!Unrecognized keys: \"colour\", \"hihg\" (accepted: \"low\", \"high\"; did you mean "
         "\"high\"?)"},
        {&open_minded_type, "{\"nmae\":1}", "{}"},
        {&maybe_type, "{\"at\":{\"x\":1,\"y\":2,\"width\":3}}",
         "!at: Unrecognized key: \"width\" (accepted: \"x\", \"y\")"},
    };

    (void)state;
    check_rows(rows, COUNT_OF(rows));
}

/* A flood of unknown keys costs one short sentence; all of them are in the issue. */
static void many_unknown_keys_are_cut(void **state)
{
    struct reading r;
    haft_buffer json;
    const char *text;

    (void)state;
    haft_buffer_init(&json, NULL, 4 << 20);
    haft_buffer_puts(&json, "{\"x\":1,\"y\":2");
    for (int i = 0; i < 100000; i++)
        haft_buffer_printf(&json, ",\"key%d\":0", i);
    haft_buffer_puts(&json, "}");
    reading_open(&r, &point_type, NULL);
    text = decoded(&r, json.data, json.size);
    assert_int_equal(r.status, HAFT_EISSUES);
    assert_int_equal(r.issues.count, 1);
    assert_int_equal(r.issues.list[0].n_keys, 100000);
    assert_non_null(strstr(text, "\"key23\", ... (accepted: \"x\", \"y\")"));
    assert_true(strlen(text) < 400);
    reading_close(&r);
    haft_buffer_finish(&json);
}

static void keys_are_there_once(void **state)
{
    static const struct reading_row rows[] = {
        {&point_type, "{\"x\":1,\"y\":2,\"x\":1}", "!Duplicate key: \"x\""},
        {&point_type, "{\"x\":1,\"y\":2,\"\\u0078\":1}", "!Duplicate key: \"x\""},
        {&maybe_type, "{\"limits\":{\"a\":1,\"b\":2,\"a\":3}}", "!limits: Duplicate key: \"a\""},
        {&one_map_type, "{\"m\":{\"k\":{\"s\":\"ab\"},\"l\":{\"s\":\"ab\"},\"k\":{\"s\":\"ab\"}}}",
         "!m: Duplicate key: \"k\""},
        {&one_map_type, "{\"m\":{\"k\":{\"s\":\"ab\",\"s\":\"ab\"}}}",
         "!m.k: Duplicate key: \"s\""},
        {&one_any_type, "{\"any\":[0,{\"b\":[{\"c\":1,\"d\":2,\"c\":3}]}]}",
         "!any.1.b.0: Duplicate key: \"c\""},
        {&one_any_type, "{\"any\":{\"a\":1,\"a\":1}}", "!any: Duplicate key: \"a\""},
        {&open_minded_type, "{\"other\":{\"a\":{},\"a\":{}}}", "!other: Duplicate key: \"a\""},
        {&open_minded_type, "{\"a\":1,\"a\":2}", "!Duplicate key: \"a\""},
    };

    (void)state;
    check_rows(rows, COUNT_OF(rows));
}

static void keys_of_a_map_are_strings_too(void **state)
{
    static const char json[] = "{\"m\":{\"a\\u0000b\":{\"s\":\"ab\"}}}";
    struct reading r;

    (void)state;
    reading_open(&r, &one_map_type, NULL);
    assert_string_equal(decoded(&r, TEXT(json)), "!m.a: Invalid key in record");
    assert_string_equal(r.issues.list[0].branches[0].list[0].message,
                        "Invalid string: must not contain U+0000");
    reading_close(&r);
}

static void refinements_see_whole_values(void **state)
{
    static const struct reading_row rows[] = {
        {&range_type, "{\"low\":3,\"high\":1}", "!high: must not be below 3"},
        {&range_type, "{\"low\":-1,\"high\":-2}", "!low: Too small: expected number to be >=0"},
        {&range_type, "{\"low\":3}", "!high: Invalid input: expected number, received undefined"},
        {&range_type, "{\"low\":3,\"high\":1,\"x\":0}",
         "!Unrecognized key: \"x\" (accepted: \"low\", \"high\")"},
    };

    (void)state;
    check_rows(rows, COUNT_OF(rows));
}

/* Refinements inside arrays, maps, choices and extensions, with the path of each. */
HAFT_STRUCT(remark, HAFT_STRING(text, "What it says"));
HAFT_CHOICE(note, "kind", HAFT_CASE(remark, remark));
static void check_inner(haft_refinement *refinement, const remark *value)
{
    haft_refinement_add_issue(refinement, NULL, "not %s", value->text);
    haft_refinement_add_issue(refinement, "text.0.deep", "cut \xc3");
}
HAFT_REFINE(remark, check_inner);
HAFT_STRUCT(below, HAFT_EXTENDS(range), HAFT_OPTIONAL(HAFT_UNION(note, note, "A note")));
static void check_below(haft_refinement *refinement, const below *value)
{
    if (value->base.low == 7)
        haft_refinement_add_issue(refinement, "", "no sevens");
}
HAFT_REFINE(below, check_below);
HAFT_STRUCT(above,
    HAFT_OPTIONAL(HAFT_ARRAY(list, HAFT_OBJECT(one, below, "One"), "Some")),
    HAFT_OPTIONAL(HAFT_MAP(map, HAFT_POINTER(one, below, "One"), "Some")));

static void refinements_know_where_they_are(void **state)
{
    static const struct reading_row rows[] = {
        {&above_type, "{\"list\":[{\"low\":1,\"high\":2},{\"low\":7,\"high\":1}]}",
         "!list.1.high: must not be below 7, list.1: no sevens"},
        {&above_type, "{\"map\":{\"k\":{\"low\":7,\"high\":7}}}", "!map.k: no sevens"},
        {&above_type,
         "{\"list\":[{\"low\":1,\"high\":2,\"note\":{\"kind\":\"remark\",\"text\":\"hi\"}}]}",
         "!list.0.note: not hi, list.0.note.text.0.deep: cut ?"},
    };

    (void)state;
    check_rows(rows, COUNT_OF(rows));
}

static void nested(haft_buffer *json, size_t depth)
{
    haft_buffer_clear(json);
    for (size_t i = 0; i < depth; i++)
        haft_buffer_puts(json, "[");
    for (size_t i = 0; i < depth; i++)
        haft_buffer_puts(json, "]");
}

static void nesting_has_a_limit(void **state)
{
    static const struct {
        const haft_type *type;
        size_t limit, depth;
        const char *expected; /* NULL: passes */
    } rows[] = {
        {&nest_type, 0, 64, NULL},
        {&nest_type, 0, 65, "!nesting limit exceeded: Invalid input: nested deeper than 64 levels"},
        {&nest_type, 5, 5, NULL},
        {&nest_type, 5, 6, "!nesting limit exceeded: Invalid input: nested deeper than 5 levels"},
        {&nest_type, 100000, 512, NULL},
        {&nest_type, 100000, 513,
         "!nesting limit exceeded: Invalid input: nested deeper than 512 levels"},
        {&nest_type, 0, 200000,
         "!nesting limit exceeded: Invalid input: nested deeper than 64 levels"},
    };
    haft_buffer json;

    (void)state;
    haft_buffer_init(&json, NULL, 1 << 20);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_schema_options options = HAFT_INIT(haft_schema_options, .max_depth = rows[i].limit);
        struct reading r;
        const char *found;

        reading_open(&r, rows[i].type, &options);
        nested(&json, rows[i].depth);
        found = decoded(&r, json.data, json.size);
        if (rows[i].expected)
            assert_string_equal(found, rows[i].expected);
        else
            assert_int_equal(r.status, 0);
        reading_close(&r);
    }
    haft_buffer_finish(&json);
}

/* Where no rule looks, the limit is the same. */
static void nesting_has_a_limit_in_any_json(void **state)
{
    struct reading r;
    haft_buffer json, inner;

    (void)state;
    haft_buffer_init(&json, NULL, 1 << 20);
    haft_buffer_init(&inner, NULL, 1 << 20);
    reading_open(&r, &one_any_type, NULL);
    for (size_t depth = 62; depth <= 64; depth++) {
        nested(&inner, depth);
        haft_buffer_clear(&json);
        haft_buffer_printf(&json, "{\"any\":%.*s}", (int)inner.size, inner.data);
        decoded(&r, json.data, json.size);
        assert_int_equal(r.status, depth < 64 ? 0 : HAFT_EDEPTH);
    }
    reading_close(&r);
    haft_buffer_finish(&inner);
    haft_buffer_finish(&json);
}

static void work_has_a_limit(void **state)
{
    const haft_schema_options options = HAFT_INIT(haft_schema_options, .max_steps = 4);
    struct reading r;

    (void)state;
    reading_open(&r, &paints_type, &options);
    assert_string_equal(decoded(&r, TEXT("[\"red\",\"red\",\"red\"]")),
                        "[\"red\",\"red\",\"red\"]");
    assert_string_equal(decoded(&r, TEXT("[\"red\",\"red\",\"red\",\"red\"]")),
                        "!work limit exceeded: Invalid input: too complex to check");
    reading_close(&r);
}

static void patterns_have_a_limit(void **state)
{
    static const char json[] = "{\"s\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\"}";
    static const char document[] =
        "{\"properties\":{\"s\":{\"type\":\"string\",\"pattern\":\"^(a|aa|a?)+$\"}}}";
    haft_arena *arena = haft_arena_new(NULL, 16 << 20);
    haft_schema *schema = NULL;
    haft_issues issues = {0};

    (void)state;
    assert_int_equal(haft_schema_parse(TEXT(document), NULL, &schema, NULL), 0);
    assert_int_equal(haft_schema_validate_text(schema, TEXT(json), arena, &issues), HAFT_ESTEPS);
    assert_int_equal(issues.count, 1);
    haft_schema_free(schema);
    haft_arena_free(arena);
}

static void issues_have_a_limit_and_are_counted(void **state)
{
    static const struct {
        size_t limit, expected_count;
    } rows[] = {{0, 32}, {1, 1}, {3, 3}, {49, 49}, {50, 50}, {1000, 50}};
    haft_buffer json;

    (void)state;
    haft_buffer_init(&json, NULL, 1 << 16);
    haft_buffer_puts(&json, "[");
    for (int i = 0; i < 50; i++)
        haft_buffer_puts(&json, i ? ",1" : "1");
    haft_buffer_puts(&json, "]");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_schema_options options = HAFT_INIT(haft_schema_options, .max_issues = rows[i].limit);
        struct reading r;

        reading_open(&r, &grid_type, &options);
        decoded(&r, json.data, json.size);
        assert_int_equal(r.issues.count, rows[i].expected_count);
        assert_int_equal(r.issues.total, 50);
        assert_int_equal(strstr(r.text.data, "more") != NULL, rows[i].expected_count < 50);
        reading_close(&r);
    }
    haft_buffer_finish(&json);
}

/* What a union takes over from its closest option counts in full. */
static void issues_of_an_option_are_counted(void **state)
{
    static const char document[] =
        "{\"anyOf\":[{\"type\":\"array\",\"items\":{\"maximum\":0}},{\"type\":\"string\"}]}";
    const haft_schema_options options = HAFT_INIT(haft_schema_options, .max_issues = 2);
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_schema *schema = NULL;
    haft_issues issues = {0};

    (void)state;
    assert_int_equal(haft_schema_parse(TEXT(document), &options, &schema, NULL), 0);
    assert_int_equal(haft_schema_validate_text(schema, TEXT("[1,2,3,4,5]"), arena, &issues),
                     HAFT_EISSUES);
    assert_int_equal(issues.count, 2);
    assert_int_equal(issues.total, 5);
    haft_schema_free(schema);
    haft_arena_free(arena);
}

static void unions_say_which_option_came_closest(void **state)
{
    static const struct {
        const char *document, *json, *expected;
    } rows[] = {
        {"{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"number\"}]}", "true",
         "Invalid input: expected string or number, received boolean"},
        {"{\"anyOf\":[{\"type\":\"string\",\"minLength\":3},{\"type\":\"number\"}]}", "\"a\"",
         "Too small: expected string to have >=3 characters"},
        {"{\"anyOf\":[{\"type\":\"number\"},{\"type\":\"object\",\"required\":[\"a\"],"
         "\"properties\":{\"a\":{\"type\":\"string\"}}}]}",
         "{\"a\":1}",
         "Invalid input (option 2 came closest: a: Invalid input: expected string, received "
         "number)"},
        {"{\"oneOf\":[{\"type\":\"number\"},{\"type\":\"integer\"}]}", "1",
         "Invalid input: more than one option matched"},
    };
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_buffer text;

    (void)state;
    haft_buffer_init(&text, NULL, 1 << 16);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_schema *schema = NULL;
        haft_issues issues = {0};

        assert_int_equal(
            haft_schema_parse(rows[i].document, strlen(rows[i].document), NULL, &schema, NULL), 0);
        assert_int_equal(
            haft_schema_validate_text(schema, rows[i].json, strlen(rows[i].json), arena, &issues),
            HAFT_EISSUES);
        haft_buffer_clear(&text);
        haft_issues_text(&issues, &text);
        haft_buffer_add(&text, "", 1);
        assert_string_equal(text.data, rows[i].expected);
        haft_schema_free(schema);
    }
    haft_buffer_finish(&text);
    haft_arena_free(arena);
}

/* The decimal comma of a locale changes nothing, whether there is such a locale here or not. */
static void locale_does_not_matter(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    struct reading r;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (setlocale(LC_ALL, names[i]))
            break;
    reading_open(&r, &ruled_type, NULL);
    assert_string_equal(decoded(&r, TEXT("{\"real\":1.5}")), "{\"real\":1.5}");
    assert_string_equal(decoded(&r, TEXT("{\"real\":0.25}")),
                        "!real: Too small: expected number to be >=0.5, real: Invalid number: must "
                        "be a multiple of 0.5");
    assert_string_equal(decoded(&r, TEXT("{\"real\":1,5}")),
                        "!invalid JSON: Invalid JSON string: unexpected character, "
                        "expected a string for object key at byte 10");
    reading_close(&r);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_exact),
        cmocka_unit_test(strings_are_counted_in_code_points),
        cmocka_unit_test(sentences_are_zods),
        cmocka_unit_test(choices_are_told_apart_by_their_tag),
        cmocka_unit_test(unknown_keys_are_told_the_known),
        cmocka_unit_test(many_unknown_keys_are_cut),
        cmocka_unit_test(keys_are_there_once),
        cmocka_unit_test(keys_of_a_map_are_strings_too),
        cmocka_unit_test(refinements_see_whole_values),
        cmocka_unit_test(refinements_know_where_they_are),
        cmocka_unit_test(nesting_has_a_limit),
        cmocka_unit_test(nesting_has_a_limit_in_any_json),
        cmocka_unit_test(work_has_a_limit),
        cmocka_unit_test(patterns_have_a_limit),
        cmocka_unit_test(issues_have_a_limit_and_are_counted),
        cmocka_unit_test(issues_of_an_option_are_counted),
        cmocka_unit_test(unions_say_which_option_came_closest),
        cmocka_unit_test(locale_does_not_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
