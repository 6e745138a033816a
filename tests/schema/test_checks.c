/* test_checks.c - checks at their edges, and that all which fail are reported.  JSON is written with
 * ' in place of ". */
#include <haft/build.h>
#include <haft/schema.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yyjson.h>

#include "support/test.h"

static char *quoted(const char *text)
{
    char *copy = malloc(strlen(text) + 1);

    assert_non_null(copy);
    memcpy(copy, text, strlen(text) + 1);
    for (char *at = copy; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    return copy;
}

/* What is wrong with the value, in an arena's memory; the schema is freed. */
static const char *found(haft_schema *schema, const char *value, haft_arena *arena)
{
    haft_issues issues = {0};
    char *json = quoted(value);
    haft_buffer text;
    const char *copy;

    haft_schema_validate_text(schema, json, strlen(json), arena, &issues);
    haft_buffer_init(&text, NULL, 1 << 16);
    haft_issues_text(&issues, &text);
    copy = haft_arena_copy(arena, text.data, text.size);
    haft_buffer_finish(&text);
    haft_schema_free(schema);
    free(json);
    return copy;
}

/* ---- what was built ---- */

typedef haft_def *maker(haft_builder *b);

static haft_def *with_b_from_two(haft_builder *b)
{
    return haft_def_includes(haft_def_string(b), "b", 2);
}

static haft_def *with_bc(haft_builder *b)
{
    return haft_def_includes(haft_def_string(b), "bc", 0);
}

static haft_def *safe(haft_builder *b)
{
    return haft_def_int(b);
}

static haft_def *small(haft_builder *b)
{
    return haft_def_int32(b);
}

static haft_def *one_of_two(haft_builder *b)
{
    return haft_def_xor(b, haft_def_min_length(haft_def_string(b), 3), haft_def_number(b), NULL);
}

static haft_def *any_of_two(haft_builder *b)
{
    return haft_def_union(b, haft_def_min_length(haft_def_string(b), 3), haft_def_number(b), NULL);
}

static haft_def *numbered(haft_builder *b)
{
    return haft_def_record(b, haft_def_number(b), haft_def_boolean(b));
}

static haft_def *caught(haft_builder *b)
{
    return haft_def_catchall(haft_def_object(b, "a", haft_def_number(b), NULL), haft_def_number(b));
}

static haft_def *demanded(haft_builder *b)
{
    return haft_def_required(haft_def_object(b, "a", haft_def_optional(haft_def_any(b)), NULL));
}

static haft_def *paired(haft_builder *b)
{
    return haft_def_tuple(b, NULL, haft_def_string(b), haft_def_number(b), NULL);
}

static haft_def *led(haft_builder *b)
{
    return haft_def_tuple(b, haft_def_boolean(b), haft_def_string(b), haft_def_number(b), NULL);
}

static haft_def *strict_and_loose(haft_builder *b)
{
    return haft_def_intersection(haft_def_object(b, "a", haft_def_any(b), NULL),
                                 haft_def_loose(haft_def_object(b, "b", haft_def_any(b), NULL)));
}

static bool always(const haft_value *value, void *data)
{
    (void)value;
    (void)data;
    return true;
}

/* Two that cannot become one object. */
static haft_def *refined_and_loose(haft_builder *b)
{
    haft_def *strict = haft_def_object(b, "a", haft_def_any(b), NULL);

    return haft_def_intersection(haft_def_refine(strict, always, NULL, NULL),
                                 haft_def_loose(haft_def_object(b, "b", haft_def_any(b), NULL)));
}

static haft_def *refined_and_strict(haft_builder *b)
{
    haft_def *strict = haft_def_object(b, "a", haft_def_any(b), NULL);

    return haft_def_intersection(haft_def_refine(strict, always, NULL, NULL),
                                 haft_def_object(b, "b", haft_def_any(b), NULL));
}

static haft_def *pair_or_one(haft_builder *b)
{
    haft_def *text = haft_def_string(b);

    return haft_def_union(b, haft_def_object(b, "a", text, "b", text, NULL),
                          haft_def_object(b, "a", haft_def_number(b), NULL), NULL);
}

#define NO_B "Invalid string: must include \"b\""
#define NO_BC "Invalid string: must include \"bc\""

static void decides_at_the_edge(void **state)
{
    static const struct {
        maker *make;
        const char *value, *issues;
    } rows[] = {
        {with_b_from_two, "'aab'", ""},
        {with_b_from_two, "'ab'", NO_B},
        {with_b_from_two, "'abb'", ""},
        {with_b_from_two, "'bba'", NO_B},
        {with_b_from_two,
         "'\xC3\xA9\xC3\xA9"
         "b'",
         ""},
        {with_b_from_two,
         "'\xC3\xA9"
         "b'",
         NO_B},
        {with_bc, "'abc'", ""},
        {with_bc, "'bc'", ""},
        {with_bc, "'ab'", NO_BC},
        {with_bc, "''", NO_BC},
        {safe, "9007199254740991", ""},
        {safe, "9007199254740992", "Too big: expected int to be <=9007199254740991"},
        {safe, "-9007199254740992", "Too small: expected int to be >=-9007199254740991"},
        {small, "2147483647", ""},
        {small, "2147483648", "Too big: expected number to be <=2147483647"},
        {small, "-2147483648", ""},
        {small, "-2147483649", "Too small: expected number to be >=-2147483648"},
        /* The keys of a record may be numbers, with zeros in front. */
        {numbered, "{'1':true,'-1':true,'1.5':true,'0':true,'0.5':true,'-0.5':true}", ""},
        {numbered, "{'007':true,'00':true,'00.5':true,'-00.25':true}", ""},
        {numbered, "{'1x':true}", "1x: Invalid key in record"},
        {numbered, "{'':true}", ": Invalid key in record"},
        {numbered, "{'-':true}", "-: Invalid key in record"},
        {numbered, "{'1.':true}", "1.: Invalid key in record"},
        {numbered, "{'.5':true}", ".5: Invalid key in record"},
        {numbered, "{'1.5.2':true}", "1.5.2: Invalid key in record"},
        {numbered, "{'1e3':true}", "1e3: Invalid key in record"},
        /* A key is there once, whether it has a name in the schema or not. */
        {numbered, "{'1':true,'1':true}", "Duplicate key: \"1\""},
        {caught, "{'a':1,'b':2,'b':3}", "Duplicate key: \"b\""},
        {caught, "{'a':1,'b':2,'a':3}", "Duplicate key: \"a\""},
        {paired, "['a',1]", ""},
        {paired, "['a']", "Too small: expected array to have >=2 items"},
        {paired, "['a',1,2]", "Too big: expected array to have <=2 items"},
        {led, "['a',1]", ""},
        {led, "['a',1,true]", ""},
        {led, "['a',1,2]", "2: Invalid input: expected boolean, received number"},
        {led, "['a']", "1: Invalid input: expected number, received undefined"},
        /* A key is unknown when it is to both sides. */
        {strict_and_loose, "{'a':1,'b':2,'c':3}", ""},
        {refined_and_loose, "{'a':1,'b':2,'c':3}", ""},
        {refined_and_strict, "{'a':1,'b':2}", ""},
        {refined_and_strict, "{'a':1,'b':2,'c':3}",
         "Unrecognized key: \"c\" (accepted: \"a\", \"b\")"},
        {pair_or_one, "{'a':true}",
         "Invalid input (option 2 came closest: a: Invalid input: expected number, received "
         "boolean)"},
        {demanded, "{'a':null}", ""},
        {demanded, "{}", "a: Invalid input: expected nonoptional, received undefined"},
        /* A union has the issues of the option that is of the right type, an exclusive one not. */
        {any_of_two, "'ab'", "Too small: expected string to have >=3 characters"},
        {one_of_two, "'ab'",
         "Invalid input (option 1 came closest: Too small: expected string to have >=3 "
         "characters)"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        haft_builder *b = haft_builder_new(NULL);
        haft_schema *schema = NULL;

        assert_int_equal(haft_schema_build(b, rows[i].make(b), &schema, NULL), 0);
        assert_string_equal(found(schema, rows[i].value, arena), rows[i].issues);
        haft_arena_free(arena);
    }
}

/* ---- documents ---- */

#define NOT_A(type, received) "Invalid input: expected " type ", received " received

static void reports_all_that_fails(void **state)
{
    static const struct {
        const char *document, *value, *issues;
    } rows[] = {
        {"{'patternProperties':{'a':{'type':'string'},'b':{'type':'boolean'}}}", "{'ab':1}",
         "ab: " NOT_A("string", "number") ", ab: " NOT_A("boolean", "number")},
        {"{'propertyNames':{'maxLength':1},'patternProperties':{'a':{'type':'string'}}}",
         "{'ab':1}", "ab: Invalid key in object, ab: " NOT_A("string", "number")},
        {"{'required':['a','b'],'minProperties':1}", "{}",
         "a: " NOT_A("nonoptional", "undefined") ", b: " NOT_A("nonoptional", "undefined")},
        {"{'allOf':[{'type':'string'},{'type':'boolean'}]}", "1",
         NOT_A("string", "number") ", " NOT_A("boolean", "number")},
        {"{'minimum':3,'multipleOf':2}", "1",
         "Too small: expected number to be >=3, Invalid number: must be a multiple of 2"},
        /* Also where no rule looks. */
        {"{'type':'array'}", "[{'a':1,'a':2}]", "0: Duplicate key: \"a\""},
        {"{'prefixItems':[{'type':'string'}]}", "['a',{'a':1,'a':2}]", "1: Duplicate key: \"a\""},
        {"{'type':'array','prefixItems':[{'type':'string'}]}", "['a',{'a':1,'a':2}]",
         "1: Duplicate key: \"a\""},
        {"{'items':true}", "[{'a':1,'a':2}]", "0: Duplicate key: \"a\""},
        {"{'properties':{'a':{'type':'array'}}}", "{'a':[{'b':1,'b':1}]}",
         "a.0: Duplicate key: \"b\""},
        {"{'type':'object','additionalProperties':true}", "{'a':1,'a':1}", "Duplicate key: \"a\""},
        {"{'items':{'type':'string'},'contains':{'const':2}}", "[1]",
         "0: " NOT_A("string",
                     "number") ", Invalid input: too few items match the contains schema"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        char *document = quoted(rows[i].document);
        haft_schema *schema = NULL;

        assert_int_equal(haft_schema_parse(document, strlen(document), NULL, &schema, NULL), 0);
        assert_string_equal(found(schema, rows[i].value, arena), rows[i].issues);
        haft_arena_free(arena);
        free(document);
    }
}

/* A key that is cut is not cut within a character. */
static void cuts_keys_between_characters(void **state)
{
    enum { SHOWN = 120 };

    (void)state;
    for (size_t before = SHOWN - 4; before <= SHOWN; before++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        char value[2 * SHOWN] = {0}, expected[2 * SHOWN];
        haft_schema *schema = NULL;
        const char *issues;

        memcpy(value, "{'", 2);
        memset(value + 2, 'k', before);
        strcat(value, "\xF0\x9F\x98\x80 and more':1}");
        assert_int_equal(
            haft_schema_parse(TEXT("{\"additionalProperties\":false}"), NULL, &schema, NULL), 0);
        issues = found(schema, value, arena);
        snprintf(expected, sizeof expected,
                 "Unrecognized key: \"%.*s%s...\" (no keys are accepted)", (int)before, value + 2,
                 before + 4 <= SHOWN ? "\xF0\x9F\x98\x80" : "");
        assert_string_equal(issues, expected);
        haft_arena_free(arena);
    }
}

/* Objects within objects, in a schema that looks at all of them. */
static void counts_levels_of_objects(void **state)
{
    static const char document[] =
        "{\"type\":\"object\",\"additionalProperties\":{\"$ref\":\"#\"}}";
    static const struct {
        const char *value;
        int status;
    } rows[] = {
        {"{}", 0},
        {"{\"a\":{\"b\":{}}}", 0},
        {"{\"a\":{\"b\":{}},\"c\":{\"d\":{}}}", 0},
        {"{\"a\":{\"b\":{\"c\":{}}}}", HAFT_EDEPTH},
    };
    const haft_schema_options options = HAFT_INIT(haft_schema_options, .max_depth = 3);
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_schema *schema = NULL;
    haft_issues issues = {0};

    (void)state;
    assert_int_equal(haft_schema_parse(TEXT(document), &options, &schema, NULL), 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(
            haft_schema_validate_text(schema, rows[i].value, strlen(rows[i].value), arena, &issues),
            rows[i].status);
    haft_schema_free(schema);
    haft_arena_free(arena);
}

/* ---- refinements ---- */

static void complain(haft_refinement *refinement, const haft_value *value, void *data)
{
    (void)value;
    haft_refinement_add_issue(refinement, data, "no");
}

/* A step of digits is an index, any other a key. */
static void finds_indexes_in_paths(void **state)
{
    static char path[] = "9.19.x9.9x.0";
    static const haft_step steps[] = {{NULL, 9}, {NULL, 19}, {"x9", 0}, {"9x", 0}, {NULL, 0}};
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_builder *b = haft_builder_new(NULL);
    haft_schema *schema = NULL;
    haft_issues issues = {0};

    (void)state;
    assert_int_equal(
        haft_schema_build(b, haft_def_super_refine(haft_def_any(b), complain, path), &schema, NULL),
        0);
    assert_int_equal(haft_schema_validate_text(schema, TEXT("1"), arena, &issues), HAFT_EISSUES);
    assert_int_equal(issues.count, 1);
    assert_int_equal(issues.list[0].n_path, COUNT_OF(steps));
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        const haft_step *step = &issues.list[0].path[i];

        if (steps[i].key)
            assert_string_equal(step->key, steps[i].key);
        else
            assert_null(step->key);
        if (!steps[i].key)
            assert_int_equal(step->index, steps[i].index);
    }
    haft_schema_free(schema);
    haft_arena_free(arena);
}

/* ---- unique items ---- */

/* 0, or the status of validating that the items are unique, with so many steps at most. */
static int unique(const char *json, size_t size, size_t max_steps)
{
    const haft_schema_options options = HAFT_INIT(haft_schema_options, .max_steps = max_steps);
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_schema *schema = NULL;
    haft_issues issues = {0};
    int status;

    assert_int_equal(haft_schema_parse(TEXT("{\"uniqueItems\":true}"), &options, &schema, NULL), 0);
    status = haft_schema_validate_text(schema, json, size, arena, &issues);
    haft_schema_free(schema);
    haft_arena_free(arena);
    return status;
}

/* Wherever the two are, among however many others. */
static void finds_two_that_are_equal(void **state)
{
    enum { MOST = 17 };
    haft_buffer json;

    (void)state;
    haft_buffer_init(&json, NULL, 1 << 16);
    for (size_t n = 2; n <= MOST; n++) {
        for (size_t first = 0; first < n; first++) {
            for (size_t second = first; second < n; second++) {
                haft_buffer_clear(&json);
                haft_buffer_puts(&json, "[");
                for (size_t i = 0; i < n; i++)
                    haft_buffer_printf(&json, "%s%zu", i ? "," : "", i == second ? first : i);
                haft_buffer_puts(&json, "]");
                assert_int_equal(unique(json.data, json.size, 0),
                                 first == second ? 0 : HAFT_EISSUES);
            }
        }
    }
    haft_buffer_finish(&json);
}

/* -1 and 18446744073709551615 have the same bits; lists of them must not all have to be compared
 * with each other. */
static void tells_lists_of_numbers_apart(void **state)
{
    enum { DIGITS = 7, LISTS = 1 << DIGITS };
    haft_buffer json;

    (void)state;
    haft_buffer_init(&json, NULL, 1 << 16);
    haft_buffer_puts(&json, "[");
    for (unsigned i = 0; i < LISTS; i++) {
        haft_buffer_puts(&json, i ? ",[" : "[");
        for (unsigned k = 0; k < DIGITS; k++)
            haft_buffer_printf(&json, "%s%s", k ? "," : "",
                               i >> k & 1 ? "-1" : "18446744073709551615");
        haft_buffer_puts(&json, "]");
    }
    haft_buffer_puts(&json, "]");
    assert_int_equal(unique(json.data, json.size, LISTS), 0);
    haft_buffer_finish(&json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decides_at_the_edge),          cmocka_unit_test(reports_all_that_fails),
        cmocka_unit_test(finds_indexes_in_paths),       cmocka_unit_test(finds_two_that_are_equal),
        cmocka_unit_test(tells_lists_of_numbers_apart), cmocka_unit_test(counts_levels_of_objects),
        cmocka_unit_test(cuts_keys_between_characters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
