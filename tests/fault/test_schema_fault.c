/* test_schema_fault.c - every allocation of the schema library fails once: it says so, and nothing
 * is left.  And when memory is not short: a call that has been made before asks for none. */
#include <haft.h>
#include <string.h>

#include "schema/members.h"
#include "schema/shapes.h"
#include "support/failing.h"
#include "support/test.h"

enum { TOO_MANY = 3000 };

/* ---- making schemas ---- */

HAFT_STRUCT(bad_pattern, HAFT_STRING(s, "A text", .pattern = "a("));
HAFT_STRUCT(bad_default, HAFT_DEFAULT(HAFT_INTEGER(i, "A number", .min = 5), 4));
HAFT_STRUCT(words,
    HAFT_STRING(a, "A text", .title = "T", .examples = "[\"x\", {\"y\": [1, 2, 3]}]",
                .pattern = "^[a-z]{1,8}$", .format = HAFT_FORMAT_DATE_TIME),
    HAFT_DEFAULT(HAFT_MAP(m, HAFT_OBJECT(one, range, "A range"), "A map", .keys = "^k"),
                 "{\"k\":{\"low\":1,\"high\":2}}"));

static haft_def *build_user(haft_builder *b)
{
    haft_def *user = haft_def_object(
        b, "name", haft_def_pattern(haft_def_min_length(haft_def_string(b), 1), "^[a-z]+$", "i"),
        "email", haft_def_formatted(b, HAFT_FORMAT_EMAIL), "age",
        haft_def_default(haft_def_at_least(haft_def_int(b), 0), "1"), "kind",
        haft_def_union(b, haft_def_literal(b, "1"), haft_def_enum(b, "a", "b", NULL), NULL), NULL);
    haft_def *more = haft_def_extend(user, "tags", haft_def_array(b, haft_def_string(b)), "pair",
                                     haft_def_tuple(b, NULL, haft_def_int(b), NULL), NULL);
    haft_def *self = haft_def_lazy(b), *loose;

    haft_def_resolve(self, haft_def_object(b, "next", haft_def_optional(self), NULL));
    loose = haft_def_loose(haft_def_object(b, "self", haft_def_optional(self), NULL));
    return haft_def_describe(haft_def_intersection(haft_def_partial(more), loose), "A user");
}

static int build(const haft_schema_options *options, haft_schema **ret_schema)
{
    haft_builder *b = haft_builder_new(options);

    return b ? haft_schema_build(b, build_user(b), ret_schema, NULL) : HAFT_ENOMEM;
}

#define DOCUMENT                                                                                   \
    "{\"$defs\":{\"n\":{\"type\":\"object\",\"properties\":{\"next\":"                             \
    "{\"$ref\":\"#/$defs/n\"}}}},\"type\":\"object\",\"properties\":{\"a\":"                       \
    "{\"$ref\":\"#/$defs/n\"},\"b\":{\"anyOf\":[{\"type\":\"string\",\"pattern\":\"^x\"},"         \
    "{\"type\":\"array\",\"uniqueItems\":true,\"prefixItems\":[true],\"items\":"                   \
    "{\"enum\":[1,\"two\",null]}}]},\"c\":{\"format\":\"uri\"}},\"patternProperties\":"            \
    "{\"^p\":{\"minimum\":3}},\"unevaluatedProperties\":false,\"dependentRequired\":"              \
    "{\"a\":[\"b\"]},\"if\":{\"required\":[\"c\"]},\"then\":{\"maxProperties\":9}}"

#define DEFAULTS                                                                                   \
    "{\"properties\":{\"list\":{\"items\":{\"anyOf\":[{\"required\":[\"z\"]},{\"properties\":"     \
    "{\"n\":{\"default\":7}}}]}},\"map\":{\"patternProperties\":{\"^p\":{\"properties\":"          \
    "{\"q\":{\"default\":{}}}}},\"default\":{\"p\":{}}}}}"

/* One way of making a schema: a type, a document or, with neither, the builder. */
struct making {
    const haft_type *type;
    const char *document;
    int status;    /* when memory is not short */
    bool patterns; /* which do without their machine code */
};

static int make(const struct making *how, const haft_schema_options *options,
                haft_schema **ret_schema, haft_reason *reason)
{
    if (how->type)
        return haft_schema_compile(how->type, options, ret_schema, reason);
    if (how->document)
        return haft_schema_parse(how->document, strlen(how->document), options, ret_schema, reason);
    return build(options, ret_schema);
}

static const struct making makings[] = {
    {&everything_type, NULL, 0, false},
    {&maybe_type, NULL, 0, false},
    {&blank_type, NULL, 0, false},
    {&settled_type, NULL, 0, false},
    {&tree_type, NULL, 0, false},
    {&person_type, NULL, 0, false},
    {&nest_type, NULL, 0, false},
    {&expression_type, NULL, 0, false},
    {&cat_type, NULL, 0, false},
    {&ruled_type, NULL, 0, true},
    {&range_type, NULL, 0, false},
    {&words_type, NULL, 0, true},
    {&member_all_type, NULL, 0, false},
    {&bad_pattern_type, NULL, HAFT_EPATTERN, false},
    {&bad_default_type, NULL, HAFT_ESCHEMA, false},
    {NULL, DOCUMENT, 0, true},
    {NULL, DEFAULTS, 0, true},
    {NULL, "{\"properties\":{\"x\":{\"type\":\"null\",\"default\":1}}}", HAFT_ESCHEMA, false},
    {NULL, "{\"$ref\":\"#/nowhere\"}", HAFT_EREF, false},
    {NULL, "{\"pattern\":\"(\"}", HAFT_EPATTERN, false},
    {NULL, "{", HAFT_EPARSE, false},
    {NULL, NULL, 0, true},
};

static void making_a_schema_may_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(makings) * 4; i++) {
        const struct making *how = &makings[i / 4];

        for (size_t nth = 1;; nth++) {
            haft_schema *schema = NULL;
            haft_reason reason = {0};
            struct failing memory;
            const haft_schema_options options =
                HAFT_INIT(haft_schema_options, .allocator = &memory.allocator);
            int status;

            assert_true(nth < TOO_MANY);
            failing_init(&memory, nth);
            memory.keep_failing = i & 1;
            status = make(how, &options, &schema, i & 2 ? &reason : NULL);
            if (status != (memory.failures ? HAFT_ENOMEM : how->status) &&
                !(how->patterns && status == how->status))
                fail_msg("row %zu, allocation %zu: %s", i / 4, nth, haft_strerror(status));
            if (i & 2 && (how->type || how->document))
                assert_int_equal(reason.code, status);
            haft_schema_free(schema);
            failing_check(&memory);
            if (!memory.failures)
                break;
        }
    }
}

/* A schema that may not be large enough is no schema, wherever in its making the limit is met. */
static void a_schema_may_be_too_large(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(makings); i++) {
        for (size_t limit = 64;; limit += 64) {
            struct failing memory;
            haft_schema_options options =
                HAFT_INIT(haft_schema_options, .allocator = &memory.allocator, .max_memory = limit);
            haft_schema *schema = NULL;
            int status;

            failing_init(&memory, 0);
            status = make(&makings[i], &options, &schema, NULL);
            if (status != makings[i].status && status != HAFT_ENOMEM)
                fail_msg("row %zu, limit %zu: %s", i, limit, haft_strerror(status));
            haft_schema_free(schema);
            failing_check(&memory);
            if (status != HAFT_ENOMEM)
                break;
            assert_true(limit < 4 << 20);
        }
    }
}

/* ---- reading with them ---- */

struct subject {
    haft_schema *schema;
    haft_arena *arena;
    haft_buffer text;
    const char *json;
};

static int validate(struct subject *s)
{
    haft_issues issues;

    return haft_schema_validate_text(s->schema, s->json, strlen(s->json), s->arena, &issues);
}

static int decode_and_encode(struct subject *s)
{
    _Alignas(16) char value[2048];
    haft_issues issues;
    int status =
        haft_schema_decode_text(s->schema, s->json, strlen(s->json), s->arena, value, &issues);

    return status ? status : haft_schema_encode(s->schema, value, s->arena, &s->text, &issues);
}

static int tell(struct subject *s)
{
    haft_issues issues;
    int status = validate(s);

    if (status != HAFT_EISSUES)
        return status;
    status = haft_schema_validate_text(s->schema, s->json, strlen(s->json), s->arena, &issues);
    if (status != HAFT_EISSUES)
        return status;
    haft_issues_json(&issues, &s->text);
    haft_issues_text(&issues, &s->text);
    return s->text.status ? s->text.status : status;
}

static int fill_in(struct subject *s)
{
    haft_value *value;
    haft_issues issues;
    int status =
        haft_schema_decode_text(s->schema, s->json, strlen(s->json), s->arena, &value, &issues);

    if (!status)
        haft_json_write(value, &s->text);
    return status ? status : s->text.status;
}

static int emit(struct subject *s)
{
    const haft_emit_options options =
        HAFT_INIT(haft_emit_options, .use_defs = true, .with_dialect = true);

    return haft_schema_emit(s->schema, s->json ? NULL : &options, &s->text);
}

static int print(struct subject *s)
{
    return haft_schema_print(s->schema, &s->text);
}

static int read_json(struct subject *s)
{
    haft_reason reason = {0};
    haft_value *value = haft_json_read(s->json, strlen(s->json), 0, s->arena, &reason);

    if (value)
        haft_json_write(value, &s->text);
    return value ? s->text.status : reason.code;
}

#define EVERYTHING                                                                                 \
    "{\"flag\":true,\"count\":-3,\"ratio\":0.5,\"name\":\"n\",\"blob\":\"AAEC\","                  \
    "\"paint\":\"green\",\"at\":{\"x\":1,\"y\":-2.5},\"shape\":{\"kind\":\"label\","               \
    "\"text\":\"hi\"},\"link\":{\"x\":3,\"y\":4},\"names\":[\"a\",\"\"],"                          \
    "\"path\":[{\"x\":1,\"y\":1},{\"x\":2,\"y\":2}],\"limits\":{\"cpu\":4,\"ram\":8},"             \
    "\"table\":[[1,2],[],[3]],\"any\":{\"k\":[1,null,\"s\"]}}"
#define RULED                                                                                      \
    "{\"whole\":4,\"real\":1.5,\"sized\":\"ab\",\"patterned\":\"abc\",\"mail\":\"a@example.com\"," \
    "\"parted\":\"a-z\",\"list\":[1,2],\"set\":[3,1,2],\"map\":{\"a\":1,\"b\":2}}"
#define BROKEN                                                                                     \
    "{\"whole\":3,\"between\":11,\"real\":\"x\",\"sized\":\"a\",\"patterned\":\"A\",\"mail\":1,"   \
    "\"parted\":\"q\",\"list\":[],\"set\":[1,1],\"map\":{\"A\":1},\"wohle\":1,\"other\":2}"
#define MANY                                                                                       \
    "{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6,\"g\":7,\"h\":8,\"i\":9,\"j\":10,\"k\":11,"  \
    "\"l\":12,\"m\":13,\"n\":14,\"o\":15,\"p\":16,\"q\":17,\"r\":18}"

#define MEMBERS                                                                                    \
    "{\"i8\":-1,\"u8\":1,\"i16\":-2,\"u16\":2,\"i32\":-3,\"u32\":3,\"i64\":-4,\"u64\":1"           \
    "8446744073709551615,\"s\":-5,\"i\":5,\"u\":6,\"l\":-7,\"ull\":7,\"size\":8,\"ratio"           \
    "\":0.1,\"wide\":0.2,\"yes\":true,\"name\":\"lamp\",\"note\":\"a note\",\"at\":{\"x"           \
    "\":1.5,\"y\":-2},\"fixed\":[1,-2,3],\"some\":[254,255],\"far\":[-32768,32767,0],\""           \
    "words\":[\"ab\",\"cde\"],\"spots\":[{\"x\":1,\"y\":2},{\"x\":3,\"y\":4}],\"region"            \
    "\":\"us-west-2\",\"level\":\"low\",\"limit\":9,\"tag\":\"t\"}"
#define MEMBERS_WRONG                                                                              \
    "{\"i8\":-129,\"u8\":1,\"i16\":-2,\"u16\":2,\"i32\":-3,\"u32\":3,\"i64\":-4,\"u64\""           \
    ":18446744073709551615,\"s\":-5,\"i\":5,\"u\":6,\"l\":-7,\"ull\":7,\"size\":8,\"rat"           \
    "io\":1e39,\"wide\":0.2,\"yes\":true,\"name\":\"\\u20ac\\u20ac\\u20ac\",\"note\":\""           \
    "a note\",\"at\":{\"x\":1.5,\"y\":-2},\"fixed\":[1,-2,3,4],\"some\":[254,255],\"far"           \
    "\":[-32768,32767,0],\"words\":[\"ab\",\"cde\"],\"spots\":[{\"x\":1,\"y\":2},{\"x\""           \
    ":3,\"y\":4}],\"region\":\"us-west-2\",\"limit\":9,\"tag\":\"t\"}"

static const struct reading {
    struct making how;
    const char *json;
    int (*read)(struct subject *subject);
    int status;
} rows[] = {
    {{&everything_type, NULL, 0, false}, EVERYTHING, validate, 0},
    {{&everything_type, NULL, 0, false}, EVERYTHING, decode_and_encode, 0},
    {{&everything_type, NULL, 0, false}, "{", tell, HAFT_EPARSE},
    {{&everything_type, NULL, 0, false}, "{\"any\":{\"a\":1,\"a\":2}}", tell, HAFT_EISSUES},
    {{&everything_type, NULL, 0, false}, MANY, tell, HAFT_EISSUES},
    {{&everything_type, NULL, 0, false}, NULL, emit, 0},
    {{&everything_type, NULL, 0, false}, NULL, print, 0},
    {{&settled_type, NULL, 0, false}, "{}", decode_and_encode, 0},
    {{&settled_type, NULL, 0, false}, NULL, emit, 0},
    {{&settled_type, NULL, 0, false}, NULL, print, 0},
    {{&member_all_type, NULL, 0, false}, MEMBERS, validate, 0},
    {{&member_all_type, NULL, 0, false}, MEMBERS, decode_and_encode, 0},
    {{&member_all_type, NULL, 0, false}, MEMBERS_WRONG, tell, HAFT_EISSUES},
    {{&member_all_type, NULL, 0, false}, NULL, emit, 0},
    {{&member_all_type, NULL, 0, false}, NULL, print, 0},
    {{&ruled_type, NULL, 0, false}, RULED, validate, 0},
    {{&ruled_type, NULL, 0, false}, RULED, decode_and_encode, 0},
    {{&ruled_type, NULL, 0, false}, BROKEN, tell, HAFT_EISSUES},
    {{&ruled_type, NULL, 0, false}, NULL, emit, 0},
    {{&ruled_type, NULL, 0, false}, NULL, print, 0},
    {{&range_type, NULL, 0, false}, "{\"low\":1,\"high\":2}", validate, 0},
    {{&range_type, NULL, 0, false}, "{\"low\":2,\"high\":1}", tell, HAFT_EISSUES},
    {{&figure_type, NULL, 0, false}, "{\"kind\":\"x\"}", tell, HAFT_EISSUES},
    {{&nest_type, NULL, 0, false}, "[[],[[]]]", decode_and_encode, 0},
    {{&tree_type, NULL, 0, false}, NULL, emit, 0},
    {{NULL, DOCUMENT, 0, false}, "{\"a\":{\"next\":{}},\"b\":[2,1,\"two\"],\"p\":4}", tell, 0},
    {{NULL, DOCUMENT, 0, false},
     "{\"a\":{\"next\":1},\"b\":[1,1],\"p\":1,\"q\":0}",
     tell,
     HAFT_EISSUES},
    {{NULL, DEFAULTS, 0, false}, "{\"list\":[{},{\"n\":1}]}", fill_in, 0},
    {{NULL, DOCUMENT, 0, false}, "", emit, 0},
    {{NULL, DOCUMENT, 0, false}, NULL, print, 0},
    {{NULL, NULL, 0, false},
     "{\"name\":\"A\",\"email\":\"a@b.de\",\"tags\":[\"t\"],\"pair\":[1]}",
     tell,
     0},
    {{NULL, NULL, 0, false},
     "{\"name\":\"1\",\"kind\":true,\"pair\":[],\"self\":{\"next\":1}}",
     tell,
     HAFT_EISSUES},
    {{NULL, NULL, 0, false}, NULL, emit, 0},
    {{NULL, NULL, 0, false}, NULL, print, 0},
    {{&colour_type, NULL, 0, false}, MANY, read_json, 0},
};

static bool prepare(struct subject *s, const struct reading *one, struct failing *memory)
{
    const haft_schema_options options =
        HAFT_INIT(haft_schema_options, .allocator = &memory->allocator);

    *s = (struct subject){.json = one->json};
    assert_int_equal(make(&one->how, &options, &s->schema, NULL), 0);
    s->arena = haft_arena_new(&memory->allocator, 16 << 20);
    haft_buffer_init(&s->text, &memory->allocator, 1 << 20);
    return s->arena;
}

static void finish(struct subject *s)
{
    haft_buffer_finish(&s->text);
    haft_arena_free(s->arena);
    haft_schema_free(s->schema);
}

static void reading_may_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows) * 2; i++) {
        const struct reading *one = &rows[i / 2];

        for (size_t nth = 1;; nth++) {
            struct failing memory;
            struct subject subject;
            int status;

            assert_true(nth < TOO_MANY);
            failing_init(&memory, 0);
            assert_true(prepare(&subject, one, &memory));
            memory.fail_at = memory.calls + nth;
            memory.keep_failing = i & 1;
            status = one->read(&subject);
            /* What there is no memory for on one way may be had on another. */
            if (status != (memory.failures ? HAFT_ENOMEM : one->status) &&
                (memory.keep_failing || status != one->status))
                fail_msg("row %zu, allocation %zu: %s", i / 2, nth, haft_strerror(status));
            finish(&subject);
            failing_check(&memory);
            if (!memory.failures)
                break;
        }
    }
}

/* An arena that is full is no memory either, wherever in a call it happens. */
static void arenas_may_be_full(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (size_t limit = 0;; limit += 64) {
            struct failing memory;
            struct subject subject;
            int status;

            failing_init(&memory, 0);
            assert_true(prepare(&subject, &rows[i], &memory));
            haft_arena_free(subject.arena);
            subject.arena = haft_arena_new(&memory.allocator, limit);
            status = rows[i].read(&subject);
            if (status != rows[i].status && status != HAFT_ENOMEM)
                fail_msg("row %zu, limit %zu: %s", i, limit, haft_strerror(status));
            finish(&subject);
            failing_check(&memory);
            if (status != HAFT_ENOMEM)
                break;
            assert_true(limit < 1 << 20);
        }
    }
}

/* Validating, decoding, encoding and telling what is wrong, over and over with one arena and one
 * buffer: after the first rounds the allocator is not asked again. */
static void calls_ask_for_no_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct failing memory;
        struct subject subject;
        size_t warm = 0;

        if (rows[i].read == emit || rows[i].read == print)
            continue;
        failing_init(&memory, 0);
        assert_true(prepare(&subject, &rows[i], &memory));
        for (int round = 0; round < 40; round++) {
            haft_arena_reset(subject.arena);
            haft_buffer_clear(&subject.text);
            assert_int_equal(rows[i].read(&subject), rows[i].status);
            if (round == 3)
                warm = memory.calls;
        }
        if (memory.calls != warm)
            fail_msg("row %zu: %zu more allocations", i, memory.calls - warm);
        finish(&subject);
        failing_check(&memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(making_a_schema_may_fail), cmocka_unit_test(a_schema_may_be_too_large),
        cmocka_unit_test(reading_may_fail),         cmocka_unit_test(arenas_may_be_full),
        cmocka_unit_test(calls_ask_for_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
