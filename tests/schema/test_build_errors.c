/* test_build_errors.c - what the builder refuses, with which words and where. */
#include <haft/build.h>

#include "support/test.h"

typedef haft_def *maker(haft_builder *b);

static haft_def *min_length_of_number(haft_builder *b)
{
    return haft_def_min_length(haft_def_number(b), 1);
}

static haft_def *at_least_of_string(haft_builder *b)
{
    return haft_def_at_least(haft_def_string(b), 1);
}

static haft_def *pattern_of_enum(haft_builder *b)
{
    return haft_def_pattern(haft_def_enum(b, "a", NULL), "^a", "");
}

static haft_def *bad_pattern(haft_builder *b)
{
    return haft_def_pattern(haft_def_string(b), "(", "");
}

static haft_def *crossed_bounds(haft_builder *b)
{
    return haft_def_object(b, "n", haft_def_at_most(haft_def_at_least(haft_def_int(b), 5), 3),
                           NULL);
}

static haft_def *crossed_width(haft_builder *b)
{
    return haft_def_at_most(haft_def_uint32(b), -1);
}

static haft_def *crossed_sizes(haft_builder *b)
{
    return haft_def_array(b, haft_def_min_length(haft_def_length(haft_def_string(b), 3), 4));
}

static haft_def *no_such_format(haft_builder *b)
{
    return haft_def_formatted(b, HAFT_FORMAT_NONE);
}

static haft_def *min_items_of_object(haft_builder *b)
{
    return haft_def_min_items(haft_def_object(b, NULL), 1);
}

static haft_def *max_items_of_tuple(haft_builder *b)
{
    return haft_def_max_items(haft_def_tuple(b, NULL, haft_def_any(b), NULL), 1);
}

static haft_def *infinite_bound(haft_builder *b)
{
    double huge = 1e308;

    return haft_def_at_most(haft_def_number(b), huge * 10);
}

static haft_def *multiple_of_nothing(haft_builder *b)
{
    return haft_def_multiple_of(haft_def_number(b), 0);
}

static haft_def *literal_not_json(haft_builder *b)
{
    return haft_def_literal(b, "{");
}

static haft_def *literals_not_array(haft_builder *b)
{
    return haft_def_literals(b, "5");
}

static haft_def *empty_enum(haft_builder *b)
{
    return haft_def_enum(b, NULL, NULL);
}

static haft_def *enum_with_twins(haft_builder *b)
{
    return haft_def_enum(b, "a", "b", "a", NULL);
}

static haft_def *text_not_utf8(haft_builder *b)
{
    return haft_def_describe(haft_def_any(b), "\xff");
}

static haft_def *field_missing(haft_builder *b)
{
    return haft_def_object(b, "a", (haft_def *)NULL, NULL);
}

static haft_def *field_twice(haft_builder *b)
{
    return haft_def_object(b, "a", haft_def_any(b), "a", haft_def_any(b), NULL);
}

static haft_def *pick_unknown(haft_builder *b)
{
    return haft_def_pick(haft_def_object(b, "a", haft_def_any(b), NULL), "z", NULL);
}

static haft_def *omit_unknown(haft_builder *b)
{
    return haft_def_omit(haft_def_object(b, "a", haft_def_any(b), NULL), "z", NULL);
}

static haft_def *extend_array(haft_builder *b)
{
    return haft_def_extend(haft_def_array(b, haft_def_any(b)), "a", haft_def_any(b), NULL);
}

static haft_def *partial_record(haft_builder *b)
{
    return haft_def_partial(haft_def_record(b, haft_def_string(b), haft_def_any(b)));
}

static bool never_true(const haft_value *value, void *data)
{
    (void)value;
    (void)data;
    return false;
}

static haft_def *refined_pair(haft_builder *b)
{
    return haft_def_refine(haft_def_object(b, "a", haft_def_any(b), "b", haft_def_any(b), NULL),
                           never_true, NULL, NULL);
}

static haft_def *partial_refined(haft_builder *b)
{
    return haft_def_partial(refined_pair(b));
}

static haft_def *extend_over_refined(haft_builder *b)
{
    return haft_def_extend(refined_pair(b), "b", haft_def_string(b), NULL);
}

static haft_def *refine_with_nothing(haft_builder *b)
{
    return haft_def_refine(haft_def_any(b), NULL, NULL, NULL);
}

static haft_def *keyof_nothing(haft_builder *b)
{
    return haft_def_keyof(haft_def_object(b, NULL));
}

static haft_def *record_of_boolean_keys(haft_builder *b)
{
    return haft_def_record(b, haft_def_boolean(b), haft_def_any(b));
}

static haft_def *record_of_number_names(haft_builder *b)
{
    return haft_def_record(b, haft_def_literals(b, "[1, 2]"), haft_def_any(b));
}

static haft_def *array_of_nothing(haft_builder *b)
{
    return haft_def_array(b, NULL);
}

static haft_def *union_of_nothing(haft_builder *b)
{
    return haft_def_union(b, NULL, NULL);
}

static haft_def *discriminated_without_literal(haft_builder *b)
{
    return haft_def_discriminated(b, "k", haft_def_object(b, "k", haft_def_literal(b, "1"), NULL),
                                  haft_def_object(b, "k", haft_def_string(b), NULL), NULL);
}

static haft_def *discriminated_optional(haft_builder *b)
{
    return haft_def_discriminated(
        b, "k", haft_def_object(b, "k", haft_def_optional(haft_def_literal(b, "1")), NULL), NULL);
}

static haft_def *discriminated_twins(haft_builder *b)
{
    return haft_def_discriminated(b, "k", haft_def_object(b, "k", haft_def_literal(b, "1"), NULL),
                                  haft_def_object(b, "k", haft_def_literals(b, "[2, 1.0]"), NULL),
                                  NULL);
}

static haft_def *intersection_with_ruled_record(haft_builder *b)
{
    return haft_def_intersection(
        haft_def_object(b, NULL),
        haft_def_record(b, haft_def_min_length(haft_def_string(b), 1), haft_def_any(b)));
}

static haft_def *default_not_json(haft_builder *b)
{
    return haft_def_default(haft_def_string(b), "x");
}

static haft_def *default_of_field_unfit(haft_builder *b)
{
    return haft_def_object(b, "age", haft_def_default(haft_def_int(b), "\"x\""), NULL);
}

static haft_def *default_of_item_unfit(haft_builder *b)
{
    return haft_def_array(b, haft_def_default(haft_def_int(b), "1.5"));
}

static haft_def *examples_not_array(haft_builder *b)
{
    return haft_def_examples(haft_def_string(b), "{}");
}

static haft_def *meta_that_contradicts(haft_builder *b)
{
    return haft_def_meta(haft_def_string(b), "minLength", "3");
}

static void say_nothing(haft_refinement *refinement, const haft_value *value, void *data)
{
    (void)refinement;
    (void)value;
    (void)data;
}

static haft_def *message_of_super_refine(haft_builder *b)
{
    return haft_def_message(haft_def_super_refine(haft_def_any(b), say_nothing, NULL), "m");
}

static haft_def *lazy_never_given(haft_builder *b)
{
    return haft_def_object(b, "list", haft_def_array(b, haft_def_lazy(b)), NULL);
}

static haft_def *lazy_given_twice(haft_builder *b)
{
    haft_def *lazy = haft_def_lazy(b);

    haft_def_resolve(lazy, haft_def_any(b));
    haft_def_resolve(lazy, haft_def_any(b));
    return lazy;
}

static haft_def *resolved_but_not_lazy(haft_builder *b)
{
    haft_def *def = haft_def_any(b);

    haft_def_resolve(def, haft_def_any(b));
    return def;
}

static haft_def *lazy_that_is_itself(haft_builder *b)
{
    haft_def *lazy = haft_def_lazy(b);

    haft_def_resolve(lazy, haft_def_union(b, haft_def_string(b), lazy, NULL));
    return haft_def_array(b, lazy);
}

static haft_def *nothing(haft_builder *b)
{
    (void)b;
    return NULL;
}

/* The first failure is the one that is told, whatever comes after it. */
static haft_def *two_failures(haft_builder *b)
{
    haft_def *first = haft_def_min_length(haft_def_number(b), 1);
    haft_def *second = haft_def_literal(b, "{");

    return haft_def_object(b, "a", first, "b", second, NULL);
}

static void refuses(void **state)
{
    static const struct {
        maker *make;
        int code;
        const char *path, *text;
    } rows[] = {
        {min_length_of_number, HAFT_ESCHEMA, "min_length",
         "min_length applies to strings, but this is a number"},
        {at_least_of_string, HAFT_ESCHEMA, "at_least",
         "at_least applies to numbers, but this is a string"},
        {pattern_of_enum, HAFT_ESCHEMA, "pattern",
         "pattern applies to strings, but this is an enum"},
        {bad_pattern, HAFT_EPATTERN, "pattern", "pattern \"(\": missing ) at offset 1"},
        {crossed_bounds, HAFT_ESCHEMA, "properties.n",
         "the minimum is greater than the maximum, so no value is valid"},
        {crossed_width, HAFT_ESCHEMA, "",
         "the minimum is greater than the maximum, so no value is valid"},
        {crossed_sizes, HAFT_ESCHEMA, "items",
         "the minimum is greater than the maximum, so no value is valid"},
        {no_such_format, HAFT_EINVAL, "format", "unknown format"},
        {min_items_of_object, HAFT_ESCHEMA, "min_items",
         "min_items applies to arrays, but this is an object"},
        {max_items_of_tuple, HAFT_ESCHEMA, "max_items",
         "max_items applies to arrays, but this is a tuple"},
        {infinite_bound, HAFT_EINVAL, "at_most", "at_most is not a finite number"},
        {multiple_of_nothing, HAFT_EINVAL, "multiple_of", "multiple_of must be greater than 0"},
        {literal_not_json, HAFT_EPARSE, "literal", NULL},
        {literals_not_array, HAFT_EINVAL, "literals", "the values are not a JSON array"},
        {empty_enum, HAFT_ESCHEMA, "values", "the list of values is empty"},
        {enum_with_twins, HAFT_ESCHEMA, "", "duplicate value"},
        {text_not_utf8, HAFT_EUTF8, "description", "invalid UTF-8"},
        {field_missing, HAFT_EINVAL, "a", "the definition is missing"},
        {field_twice, HAFT_ESCHEMA, "a", "duplicate name"},
        {pick_unknown, HAFT_ESCHEMA, "z", "pick: unknown key"},
        {omit_unknown, HAFT_ESCHEMA, "z", "omit: unknown key"},
        {extend_array, HAFT_ESCHEMA, "extend", "extend needs an object, but this is an array"},
        {partial_record, HAFT_ESCHEMA, "partial", "partial needs an object, but this is a record"},
        {partial_refined, HAFT_ESCHEMA, "partial",
         "partial cannot be used on an object that has refinements"},
        {extend_over_refined, HAFT_ESCHEMA, "extend",
         "extend cannot replace a key of an object that has refinements"},
        {refine_with_nothing, HAFT_EINVAL, "refine", "the function is missing"},
        {keyof_nothing, HAFT_ESCHEMA, "keyof", "the object has no keys"},
        {record_of_boolean_keys, HAFT_ESCHEMA, "propertyNames",
         "the keys of a record must be strings, but this is a boolean"},
        {record_of_number_names, HAFT_ESCHEMA, "propertyNames",
         "a key of a record is not a string"},
        {array_of_nothing, HAFT_EINVAL, "items", "the definition is missing"},
        {union_of_nothing, HAFT_EINVAL, "options", "the definition is missing"},
        {discriminated_without_literal, HAFT_ESCHEMA, "k",
         "option 1 is not an object that requires \"k\" to be a literal"},
        {discriminated_optional, HAFT_ESCHEMA, "k",
         "option 0 is not an object that requires \"k\" to be a literal"},
        {discriminated_twins, HAFT_ESCHEMA, "k", "options 0 and 1 have the same value of \"k\""},
        {intersection_with_ruled_record, HAFT_ESCHEMA, "allOf",
         "a record whose keys have rules cannot be intersected"},
        {default_not_json, HAFT_EPARSE, "default", NULL},
        {default_of_field_unfit, HAFT_ESCHEMA, "age", NULL},
        {default_of_item_unfit, HAFT_ESCHEMA, "default",
         "the default does not match the definition: "
         "Invalid input: expected int, received number"},
        {examples_not_array, HAFT_EINVAL, "examples", "the examples are not a JSON array"},
        {meta_that_contradicts, HAFT_EINVAL, "minLength",
         "minLength cannot be set with meta: use the builder's own function for it"},
        {message_of_super_refine, HAFT_ESCHEMA, "message",
         "a super_refine reports its own messages"},
        {lazy_never_given, HAFT_EREF, "properties.list.items",
         "the lazy definition is not resolved"},
        {lazy_given_twice, HAFT_EINVAL, "lazy", "the lazy definition is already resolved"},
        {resolved_but_not_lazy, HAFT_EINVAL, "lazy", "the definition is not lazy"},
        {lazy_that_is_itself, HAFT_EREF, "lazy", "a lazy definition refers only to itself"},
        {nothing, HAFT_EINVAL, "", "the definition is missing"},
        {two_failures, HAFT_ESCHEMA, "min_length",
         "min_length applies to strings, but this is a number"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_builder *b = haft_builder_new(NULL);
        haft_schema *schema = NULL;
        haft_reason error = {0};

        assert_int_equal(haft_schema_build(b, rows[i].make(b), &schema, &error), rows[i].code);
        assert_null(schema);
        assert_int_equal(error.code, rows[i].code);
        assert_string_equal(error.path, rows[i].path);
        if (rows[i].text)
            assert_string_equal(error.text, rows[i].text);
        assert_true(error.text[0]);
    }
}

static void refuses_what_is_of_another_builder(void **state)
{
    haft_builder *one = haft_builder_new(NULL), *two = haft_builder_new(NULL);
    haft_def *stranger = haft_def_string(two);
    haft_schema *schema = NULL;
    haft_reason error = {0};

    (void)state;
    assert_null(haft_def_array(one, stranger));
    assert_int_equal(haft_schema_build(one, stranger, &schema, &error), HAFT_EINVAL);
    assert_string_equal(error.text, "the definition belongs to another builder");
    haft_builder_free(two);
    haft_builder_free(NULL);
    assert_int_equal(haft_schema_build(NULL, NULL, &schema, NULL), HAFT_ENOMEM);
    assert_null(haft_def_min_length(NULL, 1));
    assert_null(haft_def_object(NULL, NULL));
    haft_def_resolve(NULL, NULL);
}

static void counts_only_what_the_root_reaches(void **state)
{
    static const haft_schema_options few = HAFT_INIT(haft_schema_options, .max_subschemas = 3);
    haft_builder *b = haft_builder_new(&few);
    haft_def *text = haft_def_string(b);
    haft_schema *schema = NULL;
    haft_reason error = {0};

    (void)state;
    for (size_t i = 0; i < 50; i++)
        text = haft_def_min_length(text, i);
    assert_int_equal(
        haft_schema_build(b, haft_def_array(b, haft_def_array(b, text)), &schema, &error), 0);
    haft_schema_free(schema);

    b = haft_builder_new(&few);
    assert_int_equal(haft_schema_build(b,
                                       haft_def_tuple(b, NULL, haft_def_any(b), haft_def_any(b),
                                                      haft_def_any(b), NULL),
                                       &schema, &error),
                     HAFT_ETOOBIG);
    assert_string_equal(error.path, "prefixItems.2");
}

static void refuses_what_is_too_deep(void **state)
{
    haft_builder *b = haft_builder_new(NULL);
    haft_def *def = haft_def_any(b);
    haft_schema *schema = NULL;

    (void)state;
    for (size_t i = 0; i < 200; i++)
        def = haft_def_array(b, def);
    assert_int_equal(haft_schema_build(b, def, &schema, NULL), HAFT_EDEPTH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses),
        cmocka_unit_test(refuses_what_is_of_another_builder),
        cmocka_unit_test(counts_only_what_the_root_reaches),
        cmocka_unit_test(refuses_what_is_too_deep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
