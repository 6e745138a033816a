/* test_quick.c - the fast lanes: what they take, and that the walk agrees about it. */
#include <haft/declare.h>

#include <stdlib.h>

#include "schema/walk/quick.h"
#include "schema/reading.h"
#include "schema/walk/walk.h"

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
    HAFT_OPTIONAL(HAFT_INTEGER(from, "From or above", .min = 3, .above = 3)),
    HAFT_OPTIONAL(HAFT_INTEGER(to, "To or below", .max = 9, .below = 9)),
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
    {"{'any':-1}", QUICK},
    {"{'any':-9223372036854775808}", QUICK},
    {"{'any':-9223372036854775809}", REFUSED},
    {"{'any':-0}", QUICK},
    {"{'any':1.0}", WALKED},
    {"{'any':1.5}", REFUSED},
    {"{'any':null}", REFUSED},
    {"{'real':1.5}", QUICK},
    {"{'real':-1.5}", QUICK},
    {"{'real':3}", QUICK},
    {"{'real':-3}", QUICK},
    {"{'real':18446744073709551615}", WALKED},
    {"{'ratio':3}", WALKED},
    {"{'ratio':2.5}", REFUSED},
    {"{'min':3}", QUICK},
    {"{'min':2}", REFUSED},
    {"{'low':0}", QUICK},
    {"{'low':-3}", QUICK},
    {"{'low':-4}", REFUSED},
    {"{'above':4}", QUICK},
    {"{'above':3}", REFUSED},
    {"{'none':9223372036854775807}", REFUSED},
    {"{'max':3}", QUICK},
    {"{'max':4}", REFUSED},
    {"{'under':0}", REFUSED},
    {"{'under':-3}", QUICK},
    {"{'below':2}", QUICK},
    {"{'below':3}", REFUSED},
    {"{'both':5}", QUICK},
    {"{'both':4}", REFUSED},
    {"{'both':7}", REFUSED},
    {"{'from':4}", QUICK},
    {"{'from':3}", REFUSED},
    {"{'to':8}", QUICK},
    {"{'to':9}", REFUSED},
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
    {"{'few':[1,-2]}", QUICK},
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

static void set_text(struct reading *r, const char *text)
{
    haft_buffer_clear(&r->text);
    for (; *text; text++)
        haft_buffer_add(&r->text, *text == '\'' ? "\"" : text, 1);
}

static yyjson_val *parse(struct reading *r, const char *text)
{
    yyjson_val *value = NULL;
    const char *reason;
    size_t offset;

    set_text(r, text);
    assert_int_equal(hf_json_parse(r->text.data, r->text.size, r->arena, &value, &offset, &reason),
                     0);
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
        bool quick = hf_quick_accept(r.schema, value, r.arena, (char *)&quick_value);
        bool walked = !hf_walk_run(r.schema, r.schema->root, value, r.arena,
                                   (struct place){(char *)&walked_value, &whole}, &r.issues);

        if (quick != (rows[i].answer == QUICK) || walked != (rows[i].answer != REFUSED))
            fail_msg("%s: quick %d, walked %d", rows[i].value, quick, walked);
        assert_int_equal(hf_quick_accept(r.schema, value, r.arena, NULL), quick);
        if (quick) {
            const char *first = haft_arena_copy(r.arena, encoded(&r, &quick_value), r.text.size);

            assert_string_equal(first, encoded(&r, &walked_value));
        }
        haft_arena_reset(r.arena);
    }
    reading_close(&r);
}

/* What the lane from text makes of it, encoded; NULL when it does not take it. */
static const char *read_text(struct reading *r, const char *text, size_t *ret_size)
{
    ways *value = haft_arena_zalloc(r->arena, 1, sizeof *value);
    char *exact;
    bool taken;

    set_text(r, text);
    /* In memory that ends where the text does. */
    exact = malloc(r->text.size ? r->text.size : 1);
    assert_non_null(exact);
    if (r->text.size)
        memcpy(exact, r->text.data, r->text.size);
    taken = hf_quick_read(r->schema, exact, r->text.size, 64, r->arena, (char *)value, ret_size);
    free(exact);
    return taken ? haft_arena_copy(r->arena, encoded(r, value), r->text.size) : NULL;
}

/* It takes what the other lane takes, but for escapes. */
static void text_agrees(void **state)
{
    struct reading r;

    (void)state;
    reading_open(&r, &ways_type, NULL);
    r.schema->covered = true;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t size = 0;
        const char *got = read_text(&r, rows[i].value, &size);
        bool plain = rows[i].answer == QUICK && !strchr(rows[i].value, '\\');
        ways value = {0};

        if ((got != NULL) != plain || (got && size != strlen(rows[i].value)))
            fail_msg("%s: from text: %s", rows[i].value, got ? got : "not taken");
        if (got) {
            assert_int_equal(
                haft_schema_decode(r.schema, parse(&r, rows[i].value), r.arena, &value, &r.issues),
                0);
            assert_string_equal(got, encoded(&r, &value));
        }
        haft_arena_reset(r.arena);
    }
    reading_close(&r);
}

/* What is no JSON, or JSON in an unusual way. */
static void text_is_read_strictly(void **state)
{
    static const struct {
        const char *text;
        size_t size; /* that is taken; 0 for none */
    } texts[] = {
        {"", 0},
        {" {}", 0},
        {"{}}", 2},
        {"{ }", 3},
        {"{ 'flag' :\ttrue ,\r\n'any': 1 }", 29},
        {"{'flag':true} {}", 13},
        {"{'flag':true,}", 0},
        {"{'flag':true 'any':1}", 0},
        {"{,}", 0},
        {"{'flag'true}", 0},
        {"{'flag:true}", 0},
        {"{'flagx:true}", 0},
        {"{'flagx':true}", 0},
        {"{'flag'=true}", 0},
        {"{'flag',true}", 0},
        {"{'flag':tru}", 0},
        {"{'flag':truer}", 0},
        {"{'flag':falsy}", 0},
        {"{'flag':}", 0},
        {"{'flag':true]", 0},
        {"{'any':01}", 0},
        {"{'any':00}", 0},
        {"{'any':+1}", 0},
        {"{'any':-}", 0},
        {"{'any':1.}", 0},
        {"{'any':1e2}", 0},
        {"{'any':0x1}", 0},
        {"{'any':1a}", 0},
        {"{'any':123456789012345678}", 26},
        {"{'any':1234567890123456789}", 27},
        {"{'any':12345678901234567890}", 0},
        {"{'real':1e2}", 12},
        {"{'real':1E+2}", 13},
        {"{'real':.5}", 0},
        {"{'real':1e999}", 0},
        {"{'real':NaN}", 0},
        {"{'text':'\xC3\xA9'}", 13},
        {"{'text':'\xC3'}", 0},
        {"{'text':'01234567\xFF'}", 0},
        {"{'text':'\xED\xA0\x80'}", 0},
        {"{'text':'a\tb'}", 0},
        {"{'text':'01234567\x1F'}", 0},
        {"{'text':'\x7F'}", 12},
        {"{'text':'a\\'b'}", 0},
        {"{'text':'0123456789ABCDEF'}", 27},
        {"{'te\\u0078t':'a'}", 0},
        {"{'id':'123e4567-e89b-12d3-a456-42661417400\\u0030'}", 0},
        {"{'id':'123e4567-e89b-12d3-a456-4266\\u00317400'}", 0},
        {"{'few':[1,]}", 0},
        {"{'few':[,1]}", 0},
        {"{'few':[1 2]}", 0},
        {"{'few':[1}]", 0},
        {"{'few': [ 1 , 2 ] }", 19},
        {"{'grid':[[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17],[ ]]}", 58},
        {"[]", 0},
        {"1", 0},
    };
    struct reading r;

    (void)state;
    reading_open(&r, &ways_type, NULL);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        size_t size = 0;
        const char *got = read_text(&r, texts[i].text, &size);

        if (size != texts[i].size)
            fail_msg("%s: %zu bytes taken, %s", texts[i].text, size, got ? got : "none");
        haft_arena_reset(r.arena);
    }
    reading_close(&r);
}

/* What is absent is absent, whatever was in the memory before. */
static void memory_is_cleared(void **state)
{
    static const char text[] = "{'pairs':[{'x':'a','a_name_of_more_than_two_words':true},"
                               "{'x':'b','a_name_of_more_than_two_words':true},"
                               "{'x':'c','a_name_of_more_than_two_words':true},"
                               "{'x':'d','a_name_of_more_than_two_words':true},"
                               "{'x':'e','a_name_of_more_than_two_words':true},"
                               "{'x':'f','a_long_name':1,'a_name_of_more_than_two_words':true}]}";
    struct reading r;
    ways *value;
    size_t size;

    (void)state;
    reading_open(&r, &ways_type, NULL);
    set_text(&r, text);
    memset(haft_arena_alloc(r.arena, 1 << 16), 0xFF, 1 << 16);
    haft_arena_reset(r.arena);
    value = haft_arena_zalloc(r.arena, 1, sizeof *value);
    assert_non_null(
        hf_quick_read(r.schema, r.text.data, r.text.size, 64, r.arena, (char *)value, &size));
    assert_int_equal(value->n_pairs, 6);
    for (size_t i = 0; i < value->n_pairs; i++)
        assert_int_equal(value->pairs[i].has_a_long_name, i == 5);
    reading_close(&r);
}

/* A name that JSON writes otherwise is not looked for in the text: what stands there as it is would
 * be no JSON, or another name. */
HAFT_STRUCT(quoting, HAFT_NAMED("a\"b", HAFT_INTEGER(n, "A number")));
HAFT_STRUCT(escaping, HAFT_NAMED("a\\nb", HAFT_INTEGER(n, "A number")));
HAFT_STRUCT(controlling, HAFT_NAMED("a\nb", HAFT_INTEGER(n, "A number")));

static void names_are_not_escaped(void **state)
{
    static const struct {
        const haft_type *type;
        const char *text;
        int status;
    } texts[] = {
        {&quoting_type, "{\"a\\\"b\":1}", 0},    {&quoting_type, "{\"a\"b\":1}", HAFT_EPARSE},
        {&escaping_type, "{\"a\\\\nb\":1}", 0},  {&escaping_type, "{\"a\\nb\":1}", HAFT_EISSUES},
        {&controlling_type, "{\"a\\nb\":1}", 0}, {&controlling_type, "{\"a\nb\":1}", HAFT_EPARSE},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct reading r;

        reading_open(&r, texts[i].type, NULL);
        assert_int_equal(haft_schema_decode_text(r.schema, texts[i].text, strlen(texts[i].text),
                                                 r.arena, r.value, &r.issues),
                         texts[i].status);
        reading_close(&r);
    }
}

/* After the value there is nothing but blanks. */
static void text_ends_with_its_value(void **state)
{
    static const struct {
        const char *text;
        size_t size;
        int status;
    } texts[] = {
        {TEXT("{\"x\":\"\",\"a_name_of_more_than_two_words\":true} \t\r\n"), 0},
        {TEXT("{\"x\":\"\",\"a_name_of_more_than_two_words\":true}x"), HAFT_EPARSE},
        {TEXT("{\"x\":\"\",\"a_name_of_more_than_two_words\":true} }"), HAFT_EPARSE},
        {TEXT("{\"x\":\"\",\"a_name_of_more_than_two_words\":true}{}"), HAFT_EPARSE},
        {TEXT("{\"x\":\"\",\"a_name_of_more_than_two_words\":true}\0"), HAFT_EPARSE},
        {TEXT("{\"x\":\"\",\"a_name_of_more_than_two_words\":true}\v"), HAFT_EPARSE},
    };
    struct reading r;

    (void)state;
    reading_open(&r, &pair_type, NULL);
    assert_true(r.schema->reads);
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        assert_int_equal(haft_schema_decode_text(r.schema, texts[i].text, texts[i].size, r.arena,
                                                 r.value, &r.issues),
                         texts[i].status);
    reading_close(&r);
}

/* Wherever it ends too soon, and however little memory there is. */
static void text_is_cut_short(void **state)
{
    static const char whole[] =
        "{'flag':false,'any':-5,'real':1.5,'text':'t','id':'123e4567-e89b-12d3-a456-426614174000',"
        "'few':[1,2],'grid':[[1],[2,3,4,5,6,7,8,9,10]],"
        "'pairs':[{'x':'a','a_name_of_more_than_two_words':true}]}";
    char part[sizeof whole];
    struct reading r;
    size_t size = 0;

    (void)state;
    reading_open(&r, &ways_type, NULL);
    assert_non_null(read_text(&r, whole, &size));
    assert_int_equal(size, sizeof whole - 1);
    for (size_t n = 0; n < sizeof whole - 1; n++) {
        memcpy(part, whole, n);
        part[n] = '\0';
        assert_null(read_text(&r, part, &size));
    }
    set_text(&r, whole);
    size = 0;
    for (size_t limit = 0; !size; limit += 16) {
        haft_arena *arena = haft_arena_new(NULL, limit);
        ways value = {0};

        assert_true(limit < 1 << 20);
        hf_quick_read(r.schema, r.text.data, r.text.size, 64, arena, (char *)&value, &size);
        haft_arena_free(arena);
    }
    reading_close(&r);
}

/* A schema is read from text if every value of it can be. */
HAFT_STRUCT(open_ended, HAFT_JSON(whatever, "Anything"));
HAFT_STRUCT(in_part, HAFT_STRING(name, "A name"), HAFT_OPTIONAL(HAFT_BYTES(blob, "Bytes")));
HAFT_STRUCT(never, HAFT_ARRAY(all, HAFT_STRING(word, "A word", .pattern = "^a"), "Words"));
HAFT_STRUCT(neither, HAFT_STRING(name, "A name"), HAFT_BYTES(blob, "Bytes"));

static void schemas_that_are_read(void **state)
{
    static const struct {
        const haft_type *type;
        bool reads;
    } types[] = {{&pair_type, true},
                 {&in_part_type, true},
                 {&open_ended_type, false},
                 {&never_type, false},
                 {&neither_type, false}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        struct reading r;

        reading_open(&r, types[i].type, NULL);
        assert_int_equal(r.schema->reads, types[i].reads);
        reading_close(&r);
    }
}

/* A level is a container; the walk refuses what has more of them than there may be. */
static void levels_are_counted(void **state)
{
    static const struct {
        const char *value;
        size_t depth; /* that it needs */
    } values[] = {{"{}", 1}, {"{'few':[1]}", 2}, {"{'grid':[[]]}", 3}, {"{'grid':[[1],[2]]}", 3}};
    struct reading r;
    size_t size;

    (void)state;
    reading_open(&r, &ways_type, NULL);
    r.schema->covered = true;
    for (size_t depth = 4; depth > 0; depth--) {
        r.schema->max_depth = depth;
        for (size_t i = 0; i < COUNT_OF(values); i++) {
            yyjson_val *value = parse(&r, values[i].value);

            r.status = haft_schema_validate(r.schema, value, r.arena, &r.issues);
            assert_int_equal(r.status, values[i].depth <= depth ? 0 : HAFT_EDEPTH);
            assert_int_equal(hf_quick_accept(r.schema, value, r.arena, NULL), !r.status);
            assert_int_equal(read_text(&r, values[i].value, &size) != NULL, !r.status);
        }
    }
    reading_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_walk_agrees),          cmocka_unit_test(text_agrees),
        cmocka_unit_test(text_is_read_strictly),    cmocka_unit_test(text_is_cut_short),
        cmocka_unit_test(schemas_that_are_read),    cmocka_unit_test(levels_are_counted),
        cmocka_unit_test(text_ends_with_its_value), cmocka_unit_test(memory_is_cleared),
        cmocka_unit_test(names_are_not_escaped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
