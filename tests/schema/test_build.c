/* test_build.c - what the builder makes: definitions that are used again, that contain themselves,
 * that carry words and checks of the user's; and that it survives any allocation failing.  What it
 * refuses is test_build_errors.c; that built schemas decide as Zod's do is tests/e2e/zod.test.mjs.
 *
 * JSON is written with ' in place of ". */
#include <haft/build.h>
#include <stdio.h>
#include <string.h>
#include <yyjson.h>

#include "support/failing.h"
#include "support/test.h"

typedef haft_def *maker(haft_builder *b);

/* ---- what comes out ---- */

/* The JSON that a row has with other quotes. */
static const char *quoted(char *room, size_t size, const char *text)
{
    assert_true(strlen(text) < size);
    for (size_t i = 0; i <= strlen(text); i++)
        room[i] = text[i] == '\'' ? '"' : text[i];
    return room;
}

/* Builds, and compares what is advertised in 2020-12 and, if given, what is wrong with a value. */
static void expect(maker *make, const char *emitted, const char *value, const char *issues)
{
    haft_builder *b = haft_builder_new(NULL);
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_schema *schema = NULL;
    haft_reason error = {0};
    haft_issues found = {0};
    haft_buffer text;
    char room[2048];

    if (haft_schema_build(b, make(b), &schema, &error))
        fail_msg("%s: %s", error.path, error.text);
    haft_buffer_init(&text, NULL, 1 << 20);
    if (emitted) {
        assert_int_equal(haft_schema_emit(schema, NULL, &text), 0);
        haft_buffer_add(&text, "", 1);
        assert_string_equal(text.data, quoted(room, sizeof room, emitted));
    }
    if (value) {
        haft_buffer_clear(&text);
        quoted(room, sizeof room, value);
        haft_schema_validate_text(schema, room, strlen(room), arena, &found);
        haft_issues_text(&found, &text);
        haft_buffer_add(&text, "", 1);
        assert_string_equal(text.data, issues);
    }
    haft_buffer_finish(&text);
    haft_arena_free(arena);
    haft_schema_free(schema);
}

/* One definition, in many places and under many names. */
static haft_def *reused(haft_builder *b)
{
    haft_def *name = haft_def_min_length(haft_def_string(b), 1);
    haft_def *shorter = haft_def_max_length(name, 3);
    haft_def *longer = haft_def_describe(haft_def_max_length(name, 9), "long");
    haft_def *pair = haft_def_object(b, "x", name, NULL);
    haft_def *triple = haft_def_extend(pair, "y", haft_def_optional(name), NULL);

    return haft_def_object(b, "a", name, "b", shorter, "c", longer, "d",
                           haft_def_nullable(haft_def_optional(shorter)), "e", pair, "f", triple,
                           "g", haft_def_default(name, "\"z\""), NULL);
}

static haft_def *described(haft_builder *b)
{
    haft_def *def = haft_def_title(haft_def_describe(haft_def_string(b), "What it is"), "It");

    def = haft_def_examples(haft_def_deprecated(def), "[\"a\", \"b\"]");
    def = haft_def_meta(def, "x-order", "1");
    def = haft_def_meta(def, "x-deep", "{\"a\": [1, {}]}");
    return haft_def_meta(haft_def_read_only(def), "x-order", "[2]");
}

static haft_def *with_defaults(haft_builder *b)
{
    return haft_def_object(b, "on",
                           haft_def_describe(haft_def_default(haft_def_boolean(b), "true"), "?"),
                           "n", haft_def_optional(haft_def_default(haft_def_int32(b), "5")), NULL);
}

/* What an absent value is: the first option that accepts its absence says. */
static haft_def *absent_unions(haft_builder *b)
{
    haft_def *text = haft_def_string(b), *flag = haft_def_boolean(b);
    haft_def *five = haft_def_default(haft_def_number(b), "5");
    haft_def *on = haft_def_default(flag, "true");
    haft_def *one = haft_def_object(b, "k", haft_def_literal(b, "1"), NULL);

    return haft_def_object(
        b, "first", haft_def_union(b, five, on, NULL), "last", haft_def_union(b, text, on, NULL),
        "middle", haft_def_union(b, text, on, five, NULL), "none",
        haft_def_union(b, haft_def_optional(text), five, NULL), "one",
        haft_def_xor(b, text, five, NULL), "required", haft_def_union(b, text, flag, NULL),
        "tagged", haft_def_discriminated(b, "k", haft_def_optional(one), NULL), NULL);
}

/* Of several rules of one kind the tightest is advertised. */
static haft_def *tightened(haft_builder *b)
{
    haft_def *text = haft_def_min_length(haft_def_min_length(haft_def_string(b), 2), 1);
    haft_def *number = haft_def_above(haft_def_at_least(haft_def_number(b), 3), 3);

    return haft_def_object(b, "text", haft_def_max_length(haft_def_max_length(text, 3), 9),
                           "number",
                           haft_def_at_most(haft_def_below(haft_def_below(number, 9), 7), 7),
                           "letters", haft_def_pattern(haft_def_string(b), "^[a-c]x$", "i"), NULL);
}

/* A key of both sides has to fit both, and be there if either side says so. */
static haft_def *shared(haft_builder *b)
{
    haft_def *text = haft_def_string(b), *perhaps = haft_def_optional(text);
    haft_def *left = haft_def_object(b, "a", text, "b", perhaps, "c", perhaps, NULL);
    haft_def *right = haft_def_object(b, "a", perhaps, "b", text, "c", perhaps, NULL);

    return haft_def_intersection(left, right);
}

static haft_def *derived(haft_builder *b)
{
    haft_def *base = haft_def_describe(
        haft_def_object(b, "a", haft_def_string(b), "b", haft_def_number(b), NULL), "base");
    haft_def *more = haft_def_object(b, "b", haft_def_boolean(b), "c", haft_def_null(b), NULL);

    return haft_def_tuple(b, NULL, haft_def_pick(base, "b", "a", NULL),
                          haft_def_omit(base, "a", NULL),
                          haft_def_merge(base, haft_def_loose(more)), haft_def_partial(base),
                          haft_def_keyof(base), NULL);
}

static haft_def *folded(haft_builder *b)
{
    haft_def *left = haft_def_object(b, "a", haft_def_string(b), NULL);
    haft_def *right = haft_def_object(b, "b", haft_def_optional(haft_def_int32(b)), NULL);

    return haft_def_intersection(left, right);
}

static void emits(void **state)
{
    static const struct {
        maker *make;
        const char *emitted;
    } rows[] = {
        {reused, "{'type':'object','properties':{"
                 "'a':{'type':'string','minLength':1},"
                 "'b':{'type':'string','minLength':1,'maxLength':3},"
                 "'c':{'type':'string','minLength':1,'maxLength':9,'description':'long'},"
                 "'d':{'type':['string','null'],'minLength':1,'maxLength':3},"
                 "'e':{'type':'object','properties':{'x':{'type':'string','minLength':1}},"
                 "'required':['x'],'additionalProperties':false},"
                 "'f':{'type':'object','properties':{'x':{'type':'string','minLength':1},"
                 "'y':{'type':'string','minLength':1}},'required':['x'],"
                 "'additionalProperties':false},"
                 "'g':{'type':'string','minLength':1,'default':'z'}},"
                 "'required':['a','b','c','e','f'],'additionalProperties':false}"},
        {described, "{'type':'string','title':'It','description':'What it is',"
                    "'examples':['a','b'],'deprecated':true,'readOnly':true,"
                    "'x-deep':{'a':[1,{}]},'x-order':[2]}"},
        {with_defaults,
         "{'type':'object','properties':{"
         "'on':{'type':'boolean','default':true,'description':'?'},"
         "'n':{'type':'integer','minimum':-2147483648,'maximum':2147483647,'default':5}},"
         "'additionalProperties':false}"},
        {absent_unions,
         "{'type':'object','properties':{"
         "'first':{'anyOf':[{'type':'number','default':5},{'type':'boolean','default':true}],"
         "'default':5},"
         "'last':{'anyOf':[{'type':'string'},{'type':'boolean','default':true}],'default':true},"
         "'middle':{'anyOf':[{'type':'string'},{'type':'boolean','default':true},"
         "{'type':'number','default':5}],'default':true},"
         "'none':{'anyOf':[{'type':'string'},{'type':'number','default':5}]},"
         "'one':{'oneOf':[{'type':'string'},{'type':'number','default':5}],'default':5},"
         "'required':{'type':['string','boolean']},"
         "'tagged':{'type':'object','oneOf':[{'type':'object','properties':{'k':{'type':'number',"
         "'const':1}},'required':['k'],'additionalProperties':false}]}},"
         "'required':['required','tagged'],'additionalProperties':false}"},
        {tightened, "{'type':'object','properties':{"
                    "'text':{'type':'string','minLength':2,'maxLength':3},"
                    "'number':{'type':'number','exclusiveMinimum':3,'exclusiveMaximum':7},"
                    "'letters':{'type':'string','pattern':'^[a-cA-C][xX]$'}},"
                    "'required':['text','number','letters'],'additionalProperties':false}"},
        {shared, "{'type':'object','properties':{'a':{'type':'string'},'b':{'type':'string'},"
                 "'c':{'type':'string'}},'required':['a','b'],'additionalProperties':false}"},
        {derived, "{'type':'array','prefixItems':["
                  "{'type':'object','properties':{'b':{'type':'number'},'a':{'type':'string'}},"
                  "'required':['b','a'],'additionalProperties':false},"
                  "{'type':'object','properties':{'b':{'type':'number'}},"
                  "'required':['b'],'additionalProperties':false},"
                  "{'type':'object','properties':{'a':{'type':'string'},'b':{'type':'boolean'},"
                  "'c':{'type':'null'}},'required':['a','b','c'],'additionalProperties':true},"
                  "{'type':'object','properties':{'a':{'type':'string'},'b':{'type':'number'}},"
                  "'additionalProperties':false},"
                  "{'type':'string','enum':['a','b']}],"
                  "'items':false,'minItems':5,'maxItems':5}"},
        {folded, "{'type':'object','properties':{'a':{'type':'string'},"
                 "'b':{'type':'integer','minimum':-2147483648,'maximum':2147483647}},"
                 "'required':['a'],'additionalProperties':false}"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        expect(rows[i].make, rows[i].emitted, NULL, NULL);
}

/* ---- definitions that contain themselves ---- */

static haft_def *tree(haft_builder *b)
{
    haft_def *node = haft_def_lazy(b);

    haft_def_resolve(node, haft_def_object(b, "v", haft_def_int(b), "kids",
                                           haft_def_optional(haft_def_array(b, node)), NULL));
    return node;
}

static haft_def *mutual(haft_builder *b)
{
    haft_def *one = haft_def_lazy(b), *two = haft_def_lazy(b);

    haft_def_resolve(one, haft_def_object(b, "two", haft_def_optional(two), NULL));
    haft_def_resolve(two, haft_def_object(b, "one", haft_def_nullable(one), NULL));
    return haft_def_object(b, "start", one, NULL);
}

static haft_def *lazy_optional(haft_builder *b)
{
    haft_def *lazy = haft_def_lazy(b), *object = haft_def_object(b, "a", lazy, NULL);

    haft_def_resolve(lazy, haft_def_optional(haft_def_string(b)));
    return object;
}

static haft_def *lazy_options(haft_builder *b)
{
    haft_def *list = haft_def_lazy(b);
    haft_def *expr = haft_def_discriminated(
        b, "op",
        haft_def_object(b, "op", haft_def_literal(b, "\"n\""), "v", haft_def_number(b), NULL), list,
        NULL);

    haft_def_resolve(list, haft_def_object(b, "op", haft_def_enum(b, "+", "*", NULL), "of",
                                           haft_def_array(b, expr), NULL));
    return expr;
}

static void recurses(void **state)
{
    static const struct {
        maker *make;
        const char *value, *issues;
    } rows[] = {
        {tree, "{'v':1,'kids':[{'v':2},{'v':3,'kids':[]}]}", ""},
        {tree, "{'v':1,'kids':[{'v':2,'kids':[{}]}]}",
         "kids.0.kids.0.v: Invalid input: expected number, received undefined"},
        {tree, "5", "Invalid input: expected object, received number"},
        {mutual, "{'start':{'two':{'one':{'two':{'one':null}}}}}", ""},
        {mutual, "{'start':{'two':{}}}",
         "start.two.one: Invalid input: expected object, received undefined"},
        {lazy_optional, "{}", ""},
        {lazy_optional, "{'a':1}", "a: Invalid input: expected string, received number"},
        {lazy_options, "{'op':'+','of':[{'op':'n','v':1},{'op':'*','of':[]}]}", ""},
        {lazy_options, "{'op':'+','of':[{'op':'-'}]}",
         "of.0.op: Invalid discriminator value. Expected 'n' | '+' | '*'"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        expect(rows[i].make, NULL, rows[i].value, rows[i].issues);
    expect(tree,
           "{'type':'object','properties':{'v':{'type':'integer',"
           "'minimum':-9007199254740991,'maximum':9007199254740991},'kids':{'type':'array',"
           "'items':{'$ref':'#'}}},'required':['v'],'additionalProperties':false}",
           NULL, NULL);
}

/* ---- checks of the user's ---- */

/* Counts its calls in data; passes numbers that are even. */
static bool is_even(const haft_value *value, void *data)
{
    *(int *)data += 1;
    return yyjson_get_sint((yyjson_val *)(uintptr_t)value) % 2 == 0;
}

static void check_passwords(haft_refinement *refinement, const haft_value *value, void *data)
{
    yyjson_val *object = (yyjson_val *)(uintptr_t)value;
    const char *word = yyjson_get_str(yyjson_obj_get(object, "word"));
    const char *again = yyjson_get_str(yyjson_obj_get(object, "again"));

    (void)data;
    if (strcmp(word, again) != 0) {
        haft_refinement_add_issue(refinement, "again", "is not \"%s\"", word);
        haft_refinement_add_issue(refinement, NULL, "the words differ");
    }
}

static int calls;

static haft_def *even(haft_builder *b)
{
    return haft_def_refine(haft_def_int(b), is_even, &calls, NULL);
}

static haft_def *even_with_words(haft_builder *b)
{
    return haft_def_array(b, haft_def_refine(haft_def_int(b), is_even, &calls, "must be even"));
}

static haft_def *even_reworded(haft_builder *b)
{
    haft_def *def = haft_def_refine(haft_def_int(b), is_even, &calls, "old");
    haft_def *other = haft_def_message(def, "new");

    return haft_def_tuple(b, NULL, def, other, NULL);
}

static haft_def *even_after_type_message(haft_builder *b)
{
    haft_def *def = haft_def_message(haft_def_int(b), "a whole number");

    return haft_def_refine(haft_def_at_most(def, 9), is_even, &calls, NULL);
}

static haft_def *passwords(haft_builder *b)
{
    haft_def *object =
        haft_def_object(b, "word", haft_def_string(b), "again", haft_def_string(b), NULL);

    return haft_def_object(b, "new", haft_def_super_refine(object, check_passwords, NULL), NULL);
}

static void refines(void **state)
{
    static const struct {
        maker *make;
        const char *value, *issues;
        int calls;
    } rows[] = {
        {even, "2", "", 1},
        {even, "3", "Invalid input", 1},
        {even, "1.5", "Invalid input: expected int, received number", 0},
        {even_with_words, "[2,3]", "1: must be even", 2},
        {even_reworded, "[1,1]", "0: old, 1: new", 2},
        {even_after_type_message, "\"x\"", "a whole number", 0},
        {even_after_type_message, "1.5", "a whole number", 0},
        {even_after_type_message, "11", "a whole number, a whole number", 1},
        {passwords, "{'new':{'word':'a','again':'a'}}", "", 0},
        {passwords, "{'new':{'word':'a','again':'b'}}",
         "new.again: is not \"a\", new: the words differ", 0},
        {passwords, "{'new':{'word':1,'again':'b'}}",
         "new.word: Invalid input: expected string, received number", 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        calls = 0;
        expect(rows[i].make, NULL, rows[i].value, rows[i].issues);
        assert_int_equal(calls, rows[i].calls);
    }
}

/* ---- numbers that a double cannot hold ---- */

static haft_def *narrow_int64(haft_builder *b)
{
    haft_def *def = haft_def_at_least_int64(haft_def_int64(b), INT64_MIN + 1);

    return haft_def_at_most_int64(def, INT64_C(9007199254740993));
}

static haft_def *wide_uint64(haft_builder *b)
{
    return haft_def_multiple_of(haft_def_uint64(b), 5);
}

static void is_exact(void **state)
{
    static const struct {
        maker *make;
        const char *value, *issues;
    } rows[] = {
        {narrow_int64, "9007199254740993", ""},
        {narrow_int64, "9007199254740994", "Too big: expected number to be <=9007199254740993"},
        {narrow_int64, "-9223372036854775807", ""},
        {narrow_int64, "-9223372036854775808",
         "Too small: expected number to be >=-9223372036854775807"},
        {wide_uint64, "18446744073709551615", ""},
        {wide_uint64, "18446744073709551614", "Invalid number: must be a multiple of 5"},
        {wide_uint64, "18446744073709551616",
         "Too big: expected number to be <=18446744073709551615"},
        {wide_uint64, "-5", "Too small: expected number to be >=0"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        expect(rows[i].make, NULL, rows[i].value, rows[i].issues);
    expect(narrow_int64,
           "{'type':'integer','minimum':-9223372036854775807,'maximum':9007199254740993}", NULL,
           NULL);
}

/* ---- memory that fails ---- */

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

/* Something of everything that allocates. */
static haft_def *everything(haft_builder *b)
{
    haft_def *lazy = haft_def_lazy(b);
    haft_def *text = haft_def_pattern(haft_def_string(b), "^[a-z]+$", "i");
    haft_def *email = haft_def_message(haft_def_formatted(b, HAFT_FORMAT_EMAIL), "no address");
    haft_def *kinds = haft_def_discriminated(
        b, "k", haft_def_object(b, "k", haft_def_literal(b, "\"a\""), NULL),
        haft_def_object(b, "k", haft_def_enum(b, "b", "c", NULL), "n", haft_def_int64(b), NULL),
        NULL);
    haft_def *both = haft_def_intersection(haft_def_object(b, "l", text, NULL),
                                           haft_def_object(b, "l", email, "r", kinds, NULL));
    haft_def *refined = haft_def_intersection(refined_pair(b), haft_def_object(b, "c", text, NULL));
    haft_def *spread = haft_def_intersection(haft_def_object(b, "s", text, NULL), kinds);
    haft_def *list = haft_def_unique(haft_def_min_items(haft_def_array(b, lazy), 1));
    haft_def *record = haft_def_record(b, haft_def_enum(b, "x", "y", NULL), haft_def_float32(b));
    haft_def *null = haft_def_refine(haft_def_nullable(haft_def_starts_with(text, "a")), never_true,
                                     NULL, "never");
    haft_def *words = haft_def_examples(haft_def_title(haft_def_any(b), "t"), "[1, {\"a\": 2}]");

    words = haft_def_meta(haft_def_meta(words, "x-a", "[1]"), "x-b", "{}");
    haft_def_resolve(lazy, haft_def_object(b, "next", haft_def_optional(lazy), "both", both, NULL));
    return haft_def_object(
        b, "list", list, "record", haft_def_default(record, "{\"x\": 1, \"y\": 2}"), "null", null,
        "words", words, "tuple", haft_def_tuple(b, haft_def_number(b), text, email, NULL), "one",
        haft_def_xor(b, refined, spread, NULL), "key",
        haft_def_keyof(haft_def_required(haft_def_partial(haft_def_object(b, "q", text, NULL)))),
        NULL);
}

/* Keys that are numbers are read as such, up to a length that no number has. */
static void reads_long_keys(void **state)
{
    haft_builder *b = haft_builder_new(NULL);
    haft_def *root = haft_def_record(b, haft_def_number(b), haft_def_any(b));
    haft_schema *schema = NULL;

    (void)state;
    assert_int_equal(haft_schema_build(b, root, &schema, NULL), 0);
    for (int digits = 298; digits < 310; digits++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        haft_issues issues = {0};
        char json[400];
        int n = snprintf(json, sizeof json, "{\"-1%0*d\":1}", digits - 2, 0);

        assert_int_equal(haft_schema_validate_text(schema, json, (size_t)n, arena, &issues),
                         digits <= 301 ? 0 : HAFT_EISSUES);
        haft_arena_free(arena);
    }
    haft_schema_free(schema);
}

static void survives(bool keep_failing)
{
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        haft_schema_options options;
        haft_builder *b;
        haft_schema *schema = NULL;
        haft_reason error = {0};
        int status;

        failing_init(&failing, nth);
        failing.keep_failing = keep_failing;
        options =
            (haft_schema_options)HAFT_INIT(haft_schema_options, .allocator = &failing.allocator);
        b = haft_builder_new(&options);
        status = haft_schema_build(b, everything(b), &schema, &error);
        /* A pattern does without its compiled form when there is no memory for that. */
        if (status && (status != HAFT_ENOMEM || !failing.failures))
            fail_msg("%s: %s", error.path, error.text);
        assert_true(!status == !!schema);
        haft_schema_free(schema);
        failing_check(&failing);
        if (!failing.failures)
            break;
        assert_true(nth < 10000);
    }
}

static void survives_failures(void **state)
{
    (void)state;
    survives(false);
    survives(true);
}

/* The arena hides most allocations, so its limit is moved past each of them as well. */
static void survives_limits(void **state)
{
    int status = HAFT_ENOMEM;

    (void)state;
    for (size_t limit = 64; status; limit += 16) {
        haft_schema_options options = HAFT_INIT(haft_schema_options, .max_memory = limit);
        haft_builder *b = haft_builder_new(&options);
        haft_schema *schema = NULL;

        status = haft_schema_build(b, everything(b), &schema, NULL);
        assert_true(status == 0 || status == HAFT_ENOMEM);
        haft_schema_free(schema);
        assert_true(limit < 1 << 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_long_keys), cmocka_unit_test(emits),
        cmocka_unit_test(recurses),        cmocka_unit_test(refines),
        cmocka_unit_test(is_exact),        cmocka_unit_test(survives_failures),
        cmocka_unit_test(survives_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
