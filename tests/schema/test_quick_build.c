/* test_quick_build.c - the fast path and schemas that the builder made, which have more ways to
 * be unfit for it than declared types: it takes nothing that the walk refuses. */
#include <haft/build.h>
#include <string.h>

#include "schema/walk/quick.h"
#include "schema/walk/walk.h"
#include "support/test.h"

typedef haft_def *maker(haft_builder *b);

static haft_def *from_three(haft_builder *b)
{
    return haft_def_at_least(haft_def_number(b), 3);
}

static haft_def *above_three(haft_builder *b)
{
    return haft_def_above(from_three(b), 3);
}

static haft_def *to_minus_one(haft_builder *b)
{
    return haft_def_at_most_int64(haft_def_at_most(haft_def_number(b), 2.5), -1);
}

static haft_def *below_five(haft_builder *b)
{
    return haft_def_below(haft_def_at_most(haft_def_number(b), 5), 5);
}

static haft_def *from_the_least(haft_builder *b)
{
    return haft_def_at_least_int64(haft_def_number(b), INT64_MIN);
}

static haft_def *even(haft_builder *b)
{
    return haft_def_multiple_of(haft_def_number(b), 2);
}

static haft_def *whole(haft_builder *b)
{
    return haft_def_int(b);
}

static haft_def *day_and_time(haft_builder *b)
{
    return haft_def_format(haft_def_formatted(b, HAFT_FORMAT_DATE), HAFT_FORMAT_TIME);
}

static haft_def *two_to_nine(haft_builder *b)
{
    haft_def *def = haft_def_min_length(haft_def_min_length(haft_def_string(b), 2), 1);

    return haft_def_max_length(haft_def_max_length(def, 9), 20);
}

static haft_def *with_an_a(haft_builder *b)
{
    return haft_def_includes(haft_def_string(b), "a", 0);
}

static haft_def *some(haft_builder *b)
{
    haft_def *def = haft_def_min_items(haft_def_array(b, haft_def_number(b)), 2);

    return haft_def_max_items(haft_def_max_items(haft_def_min_items(def, 1), 3), 9);
}

static haft_def *unlike(haft_builder *b)
{
    return haft_def_unique(haft_def_array(b, haft_def_number(b)));
}

static haft_def *text_then_numbers(haft_builder *b)
{
    return haft_def_tuple(b, haft_def_number(b), haft_def_string(b), NULL);
}

static haft_def *text_alone(haft_builder *b)
{
    return haft_def_tuple(b, NULL, haft_def_string(b), NULL);
}

static haft_def *member(haft_builder *b)
{
    return haft_def_object(b, "a", haft_def_number(b), "b", haft_def_optional(haft_def_string(b)),
                           "c", haft_def_default(haft_def_boolean(b), "true"), NULL);
}

static haft_def *loose(haft_builder *b)
{
    return haft_def_loose(member(b));
}

static haft_def *catching(haft_builder *b)
{
    return haft_def_catchall(member(b), haft_def_boolean(b));
}

static haft_def *record(haft_builder *b)
{
    return haft_def_record(b, haft_def_max_length(haft_def_string(b), 1), haft_def_number(b));
}

static haft_def *nullable(haft_builder *b)
{
    return haft_def_nullable(haft_def_string(b));
}

static haft_def *choice(haft_builder *b)
{
    return haft_def_union(b, haft_def_literal(b, "3"), haft_def_enum(b, "a", "bb", NULL), NULL);
}

static bool is_short(const haft_value *value, void *data)
{
    (void)data;
    return yyjson_get_len((haft_value *)(uintptr_t)value) < 2;
}

static haft_def *refined(haft_builder *b)
{
    return haft_def_refine(haft_def_string(b), is_short, NULL, NULL);
}

/* Written with ' for ". */
static yyjson_val *parse(haft_arena *arena, const char *text)
{
    char json[128];
    yyjson_val *value = NULL;
    const char *reason;
    size_t offset, size = strlen(text);

    assert_true(size < sizeof json);
    for (size_t i = 0; i <= size; i++)
        json[i] = text[i] == '\'' ? '"' : text[i];
    assert_int_equal(hf_json_parse(json, size, arena, &value, &offset, &reason), 0);
    return value;
}

/* Whatever the lane takes of any value, the walk takes too; `taken` says for which there is a lane
 * at all. */
static void takes_only_what_the_walk_takes(void **state)
{
    static const struct {
        maker *make;
        bool taken;
    } built[] = {
        {from_three, true},
        {above_three, true},
        {to_minus_one, false},
        {below_five, true},
        {even, false},
        {from_the_least, true},
        {whole, false},
        {day_and_time, false},
        {two_to_nine, true},
        {with_an_a, false},
        {some, true},
        {unlike, false},
        {text_then_numbers, false},
        {text_alone, false},
        {member, true},
        {loose, false},
        {catching, false},
        {record, false},
        {nullable, false},
        {choice, false},
        {refined, false},
    };
    static const char *const values[] = {
        "null",
        "true",
        "0",
        "-1",
        "-2",
        "2",
        "3",
        "4",
        "5",
        "2.5",
        "3.0",
        "4.5",
        "1e300",
        "9223372036854775807",
        "18446744073709551615",
        "-9223372036854775808",
        "'2026-11-15'",
        "'12:30:00'",
        "''",
        "'a'",
        "'bb'",
        "'abc'",
        "'abcd'",
        "'abcdef'",
        "'bcdefghijk'",
        "'\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9'",
        "[]",
        "[1]",
        "[1,1]",
        "[1,2,3]",
        "[1,2,3,4]",
        "['a']",
        "['a',1]",
        "['a','b']",
        "[1,'a']",
        "{}",
        "{'a':1}",
        "{'a':'x'}",
        "{'a':1,'b':'x'}",
        "{'a':1,'c':true}",
        "{'a':1,'b':'x','c':false}",
        "{'b':'x'}",
        "{'a':1,'b':2}",
        "{'a':1,'c':true,'d':true}",
        "{'a':1,'c':true,'d':1}",
        "{'aa':1}",
        "{'a':1,'a':2,'c':true}",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(built); i++) {
        haft_builder *b = haft_builder_new(NULL);
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        haft_schema *schema = NULL;
        haft_issues issues = {0};
        size_t taken = 0;

        assert_int_equal(haft_schema_build(b, built[i].make(b), &schema, NULL), 0);
        for (size_t k = 0; k < COUNT_OF(values); k++) {
            yyjson_val *value = parse(arena, values[k]);
            bool quick = hf_quick_accept(schema, value, arena, NULL);

            taken += quick;
            if (quick && hf_walk_run(schema, schema->root, value, arena, NOWHERE, &issues))
                fail_msg("%zu takes %s", i, values[k]);
        }
        if ((taken > 0) != built[i].taken)
            fail_msg("%zu takes %zu of the values", i, taken);
        haft_schema_free(schema);
        haft_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_only_what_the_walk_takes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
