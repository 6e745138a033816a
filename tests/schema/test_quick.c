/* test_quick.c - the fast lane: what it takes, and that the walk agrees about it. */
#include <haft/declare.h>

#include "schema/quick.h"
#include "schema/reading.h"
#include "schema/walk.h"

HAFT_LIST(cells, HAFT_INTEGER(cell, "A cell"), "Cells");
HAFT_STRUCT(pair, HAFT_STRING(x, "Short"), HAFT_OPTIONAL(HAFT_INTEGER(a_long_name, "Long")),
            HAFT_BOOLEAN(a_name_of_more_than_two_words, "Longest"));

HAFT_STRUCT(ways,
    HAFT_OPTIONAL(HAFT_BOOLEAN(flag, "A flag")),
    HAFT_OPTIONAL(HAFT_INTEGER(any, "Any")),
    HAFT_OPTIONAL(HAFT_NUMBER(real, "Any")),
    HAFT_OPTIONAL(HAFT_NUMBER(ratio, "Not any", .min = 3)),
    HAFT_OPTIONAL(HAFT_INTEGER(min, "From", .min = 3)),
    HAFT_OPTIONAL(HAFT_INTEGER(low, "From below", .min = -3)),
    HAFT_OPTIONAL(HAFT_INTEGER(above, "Above", .above = 3)),
    HAFT_OPTIONAL(HAFT_INTEGER(none, "Above all", .above = INT64_MAX)),
    HAFT_OPTIONAL(HAFT_INTEGER(max, "To", .max = 3)),
    HAFT_OPTIONAL(HAFT_INTEGER(under, "To below", .max = -3)),
    HAFT_OPTIONAL(HAFT_INTEGER(below, "Below", .below = 3)),
    HAFT_OPTIONAL(HAFT_INTEGER(both, "Between", .min = 2, .above = 4, .below = 9, .max = 6)),
    HAFT_OPTIONAL(HAFT_INTEGER(even, "Even", .multiple_of = 2)),
    HAFT_OPTIONAL(HAFT_STRING(text, "Any")),
    HAFT_OPTIONAL(HAFT_STRING(some, "Some", .min = 1)),
    HAFT_OPTIONAL(HAFT_STRING(two, "Two", .min = 2)),
    HAFT_OPTIONAL(HAFT_STRING(endless, "Too much", .min = SIZE_MAX)),
    HAFT_OPTIONAL(HAFT_STRING(brief, "Brief", .max = 2)),
    HAFT_OPTIONAL(HAFT_STRING(id, "An id", .format = HAFT_FORMAT_UUID)),
    HAFT_OPTIONAL(HAFT_STRING(day, "A day", .format = HAFT_FORMAT_DATE, .min = 10, .max = 10)),
    HAFT_OPTIONAL(HAFT_STRING(word, "A word", .pattern = "^a")),
    HAFT_OPTIONAL(HAFT_BYTES(blob, "Bytes")),
    HAFT_OPTIONAL(HAFT_JSON(whatever, "Anything")),
    HAFT_OPTIONAL(HAFT_ARRAY(few, HAFT_INTEGER(one, "One"), "Few", .min = 1, .max = 2)),
    HAFT_OPTIONAL(HAFT_ARRAY(set, HAFT_INTEGER(one, "One"), "A set", .unique = true)),
    HAFT_OPTIONAL(HAFT_ARRAY(grid, HAFT_OBJECT(row, cells, "A row"), "A grid")),
    HAFT_OPTIONAL(HAFT_ARRAY(pairs, HAFT_OBJECT(one, pair, "A pair"), "Pairs")),
    HAFT_OPTIONAL(HAFT_NULLABLE(HAFT_STRING(nothing, "May be null"))));

enum answer { QUICK, WALKED, REFUSED };

static const struct {
    const char *value;
    enum answer answer; /* the lane takes it, only the walk does, or neither */
} rows[] = {
    {"{}", QUICK},
    {"{'flag':true}", QUICK},
    {"{'flag':1}", REFUSED},
    {"{'flag':true,'any':1}", QUICK},
    {"{'any':1,'flag':true}", WALKED},
    {"{'any':1,'any':2}", REFUSED},
    {"{'other':1}", REFUSED},
    {"{'any':0}", QUICK},
    {"{'any':9223372036854775807}", QUICK},
    {"{'any':9223372036854775808}", REFUSED},
    {"{'any':-1}", WALKED},
    {"{'any':1.0}", WALKED},
    {"{'any':1.5}", REFUSED},
    {"{'any':null}", REFUSED},
    {"{'real':1.5}", QUICK},
    {"{'real':-1.5}", QUICK},
    {"{'real':3}", QUICK},
    {"{'real':-3}", WALKED},
    {"{'real':18446744073709551615}", WALKED},
    {"{'ratio':3}", WALKED},
    {"{'ratio':2.5}", REFUSED},
    {"{'min':3}", QUICK},
    {"{'min':2}", REFUSED},
    {"{'low':0}", QUICK},
    {"{'low':-3}", WALKED},
    {"{'low':-4}", REFUSED},
    {"{'above':4}", QUICK},
    {"{'above':3}", REFUSED},
    {"{'none':9223372036854775807}", REFUSED},
    {"{'max':3}", QUICK},
    {"{'max':4}", REFUSED},
    {"{'under':0}", REFUSED},
    {"{'under':-3}", WALKED},
    {"{'below':2}", QUICK},
    {"{'below':3}", REFUSED},
    {"{'both':5}", QUICK},
    {"{'both':4}", REFUSED},
    {"{'both':7}", REFUSED},
    {"{'even':4}", WALKED},
    {"{'text':''}", QUICK},
    {"{'text':'a\\nb'}", QUICK},
    {"{'text':'a\\u0000b'}", REFUSED},
    {"{'some':'a'}", QUICK},
    {"{'some':''}", REFUSED},
    {"{'two':'abcde'}", QUICK},
    {"{'two':'abcd'}", WALKED},
    {"{'two':'\xF0\x9F\x98\x80'}", REFUSED},
    {"{'endless':'abcd'}", REFUSED},
    {"{'brief':'ab'}", QUICK},
    {"{'brief':'\xC3\xA9\xC3\xA9'}", WALKED},
    {"{'brief':'abc'}", REFUSED},
    {"{'id':'123e4567-e89b-12d3-a456-426614174000'}", QUICK},
    {"{'id':'00000000-0000-0000-0000-000000000000'}", QUICK},
    {"{'id':'123e4567-e89b-12d3-a456-42661417400g'}", REFUSED},
    {"{'day':'2026-11-15'}", WALKED},
    {"{'word':'ab'}", WALKED},
    {"{'blob':'YWI='}", WALKED},
    {"{'blob':'YWI'}", REFUSED},
    {"{'whatever':1}", WALKED},
    {"{'few':[1]}", QUICK},
    {"{'few':[1,2]}", QUICK},
    {"{'few':[1,-2]}", WALKED},
    {"{'few':[1,'a']}", REFUSED},
    {"{'few':[]}", REFUSED},
    {"{'few':[1,2,3]}", REFUSED},
    {"{'few':1}", REFUSED},
    {"{'set':[1,2]}", WALKED},
    {"{'grid':[[],[1,2],[3]]}", QUICK},
    {"{'grid':[]}", QUICK},
    {"{'grid':[[],1]}", REFUSED},
    {"{'pairs':[{'x':'a','a_long_name':7,'a_name_of_more_than_two_words':true},"
     "{'x':'b','a_name_of_more_than_two_words':false}]}",
     QUICK},
    {"{'pairs':[{'x':'a','a_name_of_more_than_two_words':true,'a_long_name':7}]}", WALKED},
    {"{'pairs':[{'x':'a','a_name_of_more_than_two_wordz':true}]}", REFUSED},
    {"{'pairs':[{'x':'a','a_long_nama':7,'a_name_of_more_than_two_words':true}]}", REFUSED},
    {"{'pairs':[{'x':'a'}]}", REFUSED},
    {"{'pairs':[{}]}", REFUSED},
    {"{'nothing':'a'}", WALKED},
};

static yyjson_val *parse(struct reading *r, const char *text)
{
    yyjson_val *value = NULL;
    const char *reason;
    size_t offset;

    haft_buffer_clear(&r->text);
    for (; *text; text++)
        haft_buffer_add(&r->text, *text == '\'' ? "\"" : text, 1);
    assert_int_equal(json_parse(r->text.data, r->text.size, r->arena, &value, &offset, &reason), 0);
    return value;
}

/* In what it takes and in what it makes of it. */
static void the_walk_agrees(void **state)
{
    static const struct member whole = {0, NO_MEMBER, NO_MEMBER, NO_MEMBER, NO_MEMBER};
    struct reading r;

    (void)state;
    reading_open(&r, &ways_type, NULL);
    assert_true(r.schema->root->quick.types);
    /* HAFT_JSON has parts that nobody looks at; its values here have none. */
    r.schema->covered = true;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ways quick_value = {0}, walked_value = {0};
        yyjson_val *value = parse(&r, rows[i].value);
        bool quick = quick_accept(r.schema, value, r.arena, (char *)&quick_value);
        bool walked = !walk_run(r.schema, r.schema->root, value, r.arena,
                                (struct place){(char *)&walked_value, &whole}, &r.issues);

        if (quick != (rows[i].answer == QUICK) || walked != (rows[i].answer != REFUSED))
            fail_msg("%s: quick %d, walked %d", rows[i].value, quick, walked);
        assert_int_equal(quick_accept(r.schema, value, r.arena, NULL), quick);
        if (quick) {
            const char *first = haft_arena_copy(r.arena, encoded(&r, &quick_value), r.text.size);

            assert_string_equal(first, encoded(&r, &walked_value));
        }
        haft_arena_reset(r.arena);
    }
    reading_close(&r);
}

/* A level is a container; the walk refuses what has more of them than there may be. */
static void levels_are_counted(void **state)
{
    static const struct {
        const char *value;
        size_t depth; /* that it needs */
    } values[] = {{"{}", 1}, {"{'few':[1]}", 2}, {"{'grid':[[]]}", 3}, {"{'grid':[[1],[2]]}", 3}};
    struct reading r;

    (void)state;
    reading_open(&r, &ways_type, NULL);
    r.schema->covered = true;
    for (size_t depth = 4; depth > 0; depth--) {
        r.schema->max_depth = depth;
        for (size_t i = 0; i < COUNT_OF(values); i++) {
            yyjson_val *value = parse(&r, values[i].value);

            r.status = haft_validate(r.schema, value, r.arena, &r.issues);
            assert_int_equal(r.status, values[i].depth <= depth ? 0 : HAFT_EDEPTH);
            assert_int_equal(quick_accept(r.schema, value, r.arena, NULL), !r.status);
        }
    }
    reading_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_walk_agrees),
        cmocka_unit_test(levels_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
