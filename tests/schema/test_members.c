/* test_members.c - structs that existed already: each type of member, decoded by the walk and by both fast paths,
 * encoded again, and at the ends of its range. */
#include <float.h>
#include <math.h>

#include "members.h"
#include "reading.h"

enum { MEMBER_JSON = 2048 };

/* A value of member_all with one member's text in the place of the usual one. */
static const char *member_json(const char *name, const char *text, char to[MEMBER_JSON])
{
    static const struct {
        const char *name, *text;
    } usual[] = {
        {"i8", "-1"},
        {"u8", "1"},
        {"i16", "-2"},
        {"u16", "2"},
        {"i32", "-3"},
        {"u32", "3"},
        {"i64", "-4"},
        {"u64", "4"},
        {"s", "-5"},
        {"i", "5"},
        {"u", "6"},
        {"l", "-7"},
        {"ull", "7"},
        {"size", "8"},
        {"ratio", "0.1"},
        {"wide", "0.2"},
        {"yes", "true"},
        {"name", "\"lamp\""},
        {"note", "\"a note that is longer\""},
        {"at", "{\"x\":1.5,\"y\":-2}"},
        {"fixed", "[1,-2,3]"},
        {"some", "[254,255]"},
        {"far", "[-32768,32767,0]"},
        {"words", "[\"ab\",\"cde\"]"},
        {"spots", "[{\"x\":1,\"y\":2},{\"x\":3,\"y\":4}]"},
        {"region", "\"us-west-2\""},
        {"level", "\"low\""},
        {"limit", "9"},
        {"tag", "\"t\""},
    };
    size_t n = 0;

    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        const char *value = strcmp(usual[i].name, name) ? usual[i].text : text;

        if (value)
            n += (size_t)snprintf(to + n, MEMBER_JSON - n, "%s\"%s\":%s", n ? "," : "{",
                                  usual[i].name, value);
    }
    assert_true(n < MEMBER_JSON - 2);
    memcpy(to + n, "}", 2);
    return to;
}

static void takes_what_fits(void **state)
{
    static const struct {
        const char *name, *text, *expected; /* NULL: the same */
    } cases[] = {
        {"i8", "-128", NULL},
        {"i8", "127", NULL},
        {"i8", "128", "!i8: Too big: expected number to be <=127"},
        {"i8", "-129", "!i8: Too small: expected number to be >=-128"},
        {"i8", "1.0", "1"},
        {"i8", "1.5", "!i8: Invalid input: expected int, received number"},
        {"u8", "255", NULL},
        {"u8", "256", "!u8: Too big: expected number to be <=255"},
        {"u8", "-1", "!u8: Too small: expected number to be >=0"},
        {"i16", "-32768", NULL},
        {"i16", "32768", "!i16: Too big: expected number to be <=32767"},
        {"u16", "65535", NULL},
        {"u16", "65536", "!u16: Too big: expected number to be <=65535"},
        {"i32", "-2147483648", NULL},
        {"i32", "2147483648", "!i32: Too big: expected number to be <=2147483647"},
        {"u32", "4294967295", NULL},
        {"u32", "4294967296", "!u32: Too big: expected number to be <=4294967295"},
        {"u32", "1e2", "100"},
        {"i64", "9223372036854775807", NULL},
        {"i64", "9223372036854775808",
         "!i64: Too big: expected number to be <=9223372036854775807"},
        {"u64", "18446744073709551615", NULL},
        {"u64", "9223372036854775808", NULL},
        {"u64", "1e19", "10000000000000000000"},
        {"u64", "18446744073709551616",
         "!u64: Too big: expected number to be <=18446744073709551615"},
        {"u64", "-1", "!u64: Too small: expected number to be >=0"},
        {"s", "-32769", "!s: Too small: expected number to be >=-32768"},
        {"i", "6", "!i: Too big: expected number to be <=5"},
        {"u", "2", "!u: Too small: expected number to be >2"},
        {"u", "4294967296", "!u: Too big: expected number to be <=4294967295"},
        {"size", "-1", "!size: Too small: expected number to be >=0"},
        {"ratio", "3.4028234663852886e+38", NULL},
        {"ratio", "-3.4e38", "-3.4e+38"},
        {"ratio", "3.5e38", "!ratio: Too big: expected number to be <=3.4028234663852886e+38"},
        {"ratio", "-1e300", "!ratio: Too small: expected number to be >=-3.4028234663852886e+38"},
        {"ratio", "16777217", "16777216"},
        {"ratio", "1e-60", "0"},
        {"name", "\"1234567\"", NULL},
        {"name", "\"12345678\"", "!name: Too big: expected string to have <=7 characters"},
        {"name", "\"\xc3\xa9\xc3\xa9\xc3\xa9\"", NULL},
        {"name", "\"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\"",
         "!name: Too big: expected string to have <=7 bytes of UTF-8"},
        {"name", "\"\"", "!name: Too small: expected string to have >=1 characters"},
        {"name", "\"a\\u0000b\"", "!name: Invalid string: must not contain U+0000"},
        {"name", "\"a\\n\"", NULL},
        {"at", "{\"x\":1,\"y\":101}", "!at.y: Too big: expected number to be <=100"},
        {"fixed", "[1,2]", "!fixed: Too small: expected array to have >=3 items"},
        {"fixed", "[1,2,3,4]", "!fixed: Too big: expected array to have <=3 items"},
        {"fixed", "[1,2,2147483648]", "!fixed.2: Too big: expected number to be <=2147483647"},
        {"some", "[]", NULL},
        {"some", "[1,2,3,4]", NULL},
        {"some", "[1,2,3,4,5]", "!some: Too big: expected array to have <=4 items"},
        {"some", "[1,256]", "!some.1: Too big: expected number to be <=255"},
        {"far", "[32768]", "!far.0: Too big: expected number to be <=32767"},
        {"words", "[\"abc\",\"abcd\"]",
         "!words.1: Too big: expected string to have <=3 characters"},
        {"words", "[\"\",\"a\\\"b\"]", NULL},
        {"spots", "[{\"x\":1,\"y\":2}]", "!spots: Too small: expected array to have >=2 items"},
        {"region", "\"application/json\"", NULL},
        {"region", "\"EAST\"",
         "!region: Invalid option: expected one of "
         "\"us-east-1\"|\"us-west-2\"|\"application/json\""},
        {"level", "\"high\"", NULL},
        {"level", NULL, "\"high\""},
        {"limit", "4294967295", NULL},
        {"limit", NULL, NULL},
        {"tag", "null", NULL},
        {"tag", "\"abcd\"", "!tag: Too big: expected string to have <=3 characters"},
    };
    char json[MEMBER_JSON], again[MEMBER_JSON];
    struct reading r;

    (void)state;
    reading_open(&r, &member_all_type, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *expected = cases[i].expected ? cases[i].expected : cases[i].text;

        member_json(cases[i].name, cases[i].text, json);
        assert_string_equal(
            decoded(&r, json, strlen(json)),
            expected && *expected == '!' ? expected : member_json(cases[i].name, expected, again));
    }
    reading_close(&r);
}

/* Each member is where C has it, and nothing else is touched. */
static void fills_in_members(void **state)
{
    struct reading r;
    const member_all *value = (const member_all *)(const void *)r.value;
    char json[MEMBER_JSON];

    (void)state;
    reading_open(&r, &member_all_type, NULL);
    member_json("", NULL, json);
    assert_int_equal(
        haft_schema_decode_text(r.schema, json, strlen(json), r.arena, r.value, &r.issues), 0);
    assert_int_equal(value->guard, 0);
    assert_int_equal(value->i8, -1);
    assert_int_equal(value->u16, 2);
    assert_int_equal(value->u32, 3);
    assert_true(value->ull == 7);
    assert_true(value->ratio == 0.1F);
    assert_string_equal(value->name, "lamp");
    assert_true(value->at.x == 1.5F && value->at.y == -2);
    assert_int_equal(value->fixed[1], -2);
    assert_int_equal(value->n_some, 2);
    assert_int_equal(value->some[1], 255);
    assert_int_equal(value->some[2], 0);
    assert_int_equal(value->n_far, 3);
    assert_int_equal(value->far[0], -32768);
    assert_string_equal(value->words[1], "cde");
    assert_true(value->spots[1].y == 4);
    assert_int_equal(value->region, MEMBER_WEST);
    assert_int_equal(value->level, 3);
    assert_int_equal(value->limit, 9);
    assert_int_equal(value->after, 0);
    reading_close(&r);
}

/* Without an enumeration, a default and what may be null, all of it goes by the fast paths. */
typedef struct member_quick {
    int8_t narrow;
    uint64_t big;
    float ratio;
    char name[6];
    short pair[2];
    size_t n_list;
    unsigned list[3];
    char after[4];
} member_quick;

HAFT_SCHEMA(member_quick,
    HAFT_INTEGER(narrow, "One byte"),
    HAFT_INTEGER(big, "Eight bytes"),
    HAFT_NUMBER(ratio, "A float"),
    HAFT_STRING(name, "A text"),
    HAFT_FIXED(pair, 2, HAFT_INTEGER(one, "A number"), "Two numbers"),
    HAFT_ARRAY(list, HAFT_INTEGER(one, "A number"), "Up to three"));

/* Text, a value, and a value whose keys are in another order, which is the walk's: they agree. */
static void fast_paths_agree(void **state)
{
    static const struct {
        const char *narrow, *big, *ratio, *name, *pair, *list;
        const char *issue;
    } cases[] = {
        {"-128", "0", "0.25", "\"12345\"", "[-1,2]", "[1,2,3]", NULL},
        {"127", "18446744073709551615", "-3e38", "\"\"", "[32767,0]", "[]", NULL},
        {"1", "1", "7", "\"\xe2\x82\xac\"", "[1,1]", "[4294967295]", NULL},
        {"1", "1", "7", "\"a\\tb\"", "[1,1]", "[1]", NULL},
        {"128", "1", "1", "\"\"", "[1,1]", "[1]", "narrow"},
        {"1", "-1", "1", "\"\"", "[1,1]", "[1]", "big"},
        {"1", "1e20", "1", "\"\"", "[1,1]", "[1]", "big"},
        {"1", "1", "1e39", "\"\"", "[1,1]", "[1]", "ratio"},
        {"1", "1", "1", "\"123456\"", "[1,1]", "[1]", "name"},
        {"1", "1", "1", "\"\xe2\x82\xac\xe2\x82\xac\"", "[1,1]", "[1]", "name"},
        {"1", "1", "1", "\"\"", "[1]", "[1]", "pair"},
        {"1", "1", "1", "\"\"", "[1,1,1]", "[1]", "pair"},
        {"1", "1", "1", "\"\"", "[1,1]", "[1,1,1,1]", "list"},
        {"1", "1", "1", "\"\"", "[1,1]", "[1,1,-1]", "list"},
    };
    struct reading r;

    (void)state;
    reading_open(&r, &member_quick_type, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *in_order = haft_arena_printf(
            r.arena, "{\"narrow\":%s,\"big\":%s,\"ratio\":%s,\"name\":%s,\"pair\":%s,\"list\":%s}",
            cases[i].narrow, cases[i].big, cases[i].ratio, cases[i].name, cases[i].pair,
            cases[i].list);
        const char *other = haft_arena_printf(
            r.arena, "{\"list\":%s,\"pair\":%s,\"name\":%s,\"ratio\":%s,\"big\":%s,\"narrow\":%s}",
            cases[i].list, cases[i].pair, cases[i].name, cases[i].ratio, cases[i].big,
            cases[i].narrow);
        member_quick by_text, by_walk;
        haft_issues issues;
        int status;

        memset(&by_text, 0x55, sizeof by_text);
        memset(&by_walk, 0xaa, sizeof by_walk);
        status = haft_schema_decode_text(r.schema, in_order, strlen(in_order), r.arena, &by_text,
                                         &issues);
        assert_int_equal(status, cases[i].issue ? HAFT_EISSUES : 0);
        assert_int_equal(
            haft_schema_decode_text(r.schema, other, strlen(other), r.arena, &by_walk, &issues),
            status);
        if (cases[i].issue) {
            assert_string_equal(issues.list[0].path[0].key, cases[i].issue);
            continue;
        }
        assert_memory_equal(&by_text, &by_walk, sizeof by_text);
        assert_string_equal(encoded(&r, &by_text), encoded(&r, &by_walk));
    }
    reading_close(&r);
}

static const char *member_schema(const haft_type *type, struct reading *r)
{
    reading_open(r, type, NULL);
    assert_int_equal(haft_schema_emit(r->schema, NULL, &r->text), 0);
    return reading_text(r);
}

static void says_what_fits(void **state)
{
    struct reading r;

    (void)state;
    assert_string_equal(
        member_schema(&member_quick_type, &r),
        "{\"type\":\"object\",\"properties\":{"
        "\"narrow\":{\"type\":\"integer\",\"minimum\":-128,\"maximum\":127,"
        "\"description\":\"One byte\"},"
        "\"big\":{\"type\":\"integer\",\"minimum\":0,\"description\":\"Eight bytes\"},"
        "\"ratio\":{\"type\":\"number\",\"minimum\":-3.4028234663852886e+38,"
        "\"maximum\":3.4028234663852886e+38,\"description\":\"A float\"},"
        "\"name\":{\"type\":\"string\",\"maxLength\":5,\"description\":\"A text\"},"
        "\"pair\":{\"type\":\"array\",\"minItems\":2,\"maxItems\":2,"
        "\"items\":{\"type\":\"integer\",\"minimum\":-32768,\"maximum\":32767,"
        "\"description\":\"A number\"},\"description\":\"Two numbers\"},"
        "\"list\":{\"type\":\"array\",\"maxItems\":3,"
        "\"items\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":4294967295,"
        "\"description\":\"A number\"},\"description\":\"Up to three\"}},"
        "\"required\":[\"narrow\",\"big\",\"ratio\",\"name\",\"pair\",\"list\"],"
        "\"additionalProperties\":false}");
    reading_close(&r);
}

/* ---- what a handler gets wrong ---- */

static void refuses_to_encode(void **state)
{
    member_quick value = {.name = "lamp", .pair = {1, 2}};
    struct reading r;

    (void)state;
    reading_open(&r, &member_quick_type, NULL);
    assert_string_equal(
        encoded(&r, &value),
        "{\"narrow\":0,\"big\":0,\"ratio\":0,\"name\":\"lamp\",\"pair\":[1,2],\"list\":[]}");
    value.n_list = 4;
    assert_string_equal(encoded(&r, &value), "!list: Too big: expected array to have <=3 items");
    value.n_list = SIZE_MAX;
    assert_string_equal(encoded(&r, &value), "!list: Too big: expected array to have <=3 items");
    value.n_list = 0;
    memset(value.name, 'x', sizeof value.name);
    assert_string_equal(encoded(&r, &value), "!name: Invalid string: not NUL-terminated");
    memcpy(value.name, "\xff", 2);
    assert_string_equal(encoded(&r, &value), "!name: Invalid string: not valid UTF-8");
    value.name[0] = '\0';
    value.ratio = (float)NAN;
    assert_string_equal(encoded(&r, &value),
                        "!ratio: Invalid input: expected number, received NaN");
    value.ratio = (float)INFINITY;
    assert_string_equal(encoded(&r, &value),
                        "!ratio: Invalid input: expected number, received Infinity");
    value.ratio = FLT_MAX;
    value.big = UINT64_MAX;
    value.narrow = INT8_MIN;
    assert_string_equal(
        encoded(&r, &value),
        "{\"narrow\":-128,\"big\":18446744073709551615,"
        "\"ratio\":3.4028234663852886e+38,\"name\":\"\",\"pair\":[1,2],\"list\":[]}");
    reading_close(&r);
}

HAFT_STRUCT(member_region_box, HAFT_ENUM(region, member_region, "Where"));

static void refuses_other_enumerators(void **state)
{
    member_region_box value = {(member_region)0};
    struct reading r;

    (void)state;
    reading_open(&r, &member_region_box_type, NULL);
    assert_string_equal(encoded(&r, &value), "!region: Invalid option: expected one of "
                                             "\"us-east-1\"|\"us-west-2\"|\"application/json\"");
    value.region = MEMBER_WEST;
    assert_string_equal(encoded(&r, &value), "{\"region\":\"us-west-2\"}");
    reading_close(&r);
}

/* A float comes out as short as it went in. */
static void floats_are_short(void **state)
{
    static const struct {
        float value;
        const char *text;
    } cases[] = {
        {0.1F, "0.1"},
        {1.0F / 3, "0.33333334"},
        {16777216, "16777216"},
        {1e-45F, "1e-45"},
        {FLT_MIN, "1.1754944e-38"},
        {-2.5e10F, "-25000000000"},
        {1.17549421e-38F, "1.1754942e-38"},
    };
    member_spot spot = {0};
    struct reading r;

    (void)state;
    reading_open(&r, &member_spot_type, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char expected[64];

        spot.x = cases[i].value;
        snprintf(expected, sizeof expected, "{\"x\":%s,\"y\":0}", cases[i].text);
        assert_string_equal(encoded(&r, &spot), expected);
    }
    reading_close(&r);
}

/* ---- what is refused when the schema is made ---- */

typedef unsigned char member_level_again;
HAFT_ENUM_NAMES(member_level_again, HAFT_VALUE(1, "one"), HAFT_VALUE(2, "one"));
typedef unsigned char member_other;
HAFT_ENUM_NAMES(member_other, HAFT_VALUE(1, "one"), HAFT_VALUE(1, "two"));

HAFT_STRUCT(member_twice, HAFT_ENUM(level, member_level_again, "A level"));
HAFT_STRUCT(member_same, HAFT_ENUM(level, member_other, "A level"));
HAFT_STRUCT(member_none, HAFT_DEFAULT(HAFT_ENUM(level, member_level, "A level"), 1));
HAFT_STRUCT(member_counted, HAFT_FIXED(v, 3, HAFT_INTEGER(one, "A number"), "Three", .min = 2));
HAFT_STRUCT(member_nullable,
    HAFT_FIXED(v, 2, HAFT_NULLABLE(HAFT_INTEGER(one, "A number")), "Two"));

typedef struct member_small {
    uint8_t n;
    char words[2][3];
} member_small;
HAFT_SCHEMA(member_small, HAFT_DEFAULT(HAFT_INTEGER(n, "A number"), 256));

typedef member_small member_words;
HAFT_SCHEMA(member_words,
    HAFT_FIXED(words, 2, HAFT_NULLABLE(HAFT_STRING(one, "A word")), "Two words"));

static void refuses_what_cannot_be(void **state)
{
    static const struct {
        const haft_type *type;
        const char *path, *text;
    } cases[] = {
        {&member_twice_type, "level.one", "two enumerators have this name"},
        {&member_same_type, "level.two", "two enumerators have the same number"},
        {&member_none_type, "level", "the default is not one of the enumerators"},
        {&member_counted_type, "v",
         "HAFT_FIXED has as many items as its array: remove min and max"},
        {&member_nullable_type, "v.one", "a nullable item must be a string, a pointer or JSON"},
        {&member_small_type, "n",
         "the default does not match the schema: Too big: expected number to be <=255"},
        {&member_words_type, "words.one", "a nullable item must be a string, a pointer or JSON"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        haft_schema *schema = NULL;
        haft_reason reason;

        assert_int_equal(haft_schema_compile(cases[i].type, NULL, &schema, &reason), HAFT_ESCHEMA);
        assert_string_equal(reason.path, cases[i].path);
        assert_string_equal(reason.text, cases[i].text);
    }
}

/* A field by a program that fills in the tables itself. */
static void refuses_unknown_storage(void **state)
{
    static const struct {
        haft_kind kind;
        haft_storage storage;
        size_t width;
    } cases[] = {
        {HAFT_KIND_INTEGER, HAFT_STORAGE_SIGNED, 3}, {HAFT_KIND_INTEGER, HAFT_STORAGE_TEXT, 4},
        {HAFT_KIND_NUMBER, HAFT_STORAGE_SIGNED, 4},  {HAFT_KIND_STRING, HAFT_STORAGE_TEXT, 0},
        {HAFT_KIND_STRING, HAFT_STORAGE_INLINE, 4},  {HAFT_KIND_ARRAY, HAFT_STORAGE_INLINE, 4},
        {HAFT_KIND_FIXED, HAFT_STORAGE_KIND, 4},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const haft_field field = {.name = "x",
                                  .kind = cases[i].kind,
                                  .storage = cases[i].storage,
                                  .width = cases[i].width,
                                  .item = member_quick_type.fields};
        const haft_type type = {.struct_size = sizeof type,
                                .field_size = sizeof field,
                                .name = "by_hand",
                                .size = 8,
                                .fields = &field,
                                .n_fields = 1};
        haft_schema *schema;
        haft_reason reason;

        assert_int_equal(haft_schema_compile(&type, NULL, &schema, &reason), HAFT_EINVAL);
        assert_string_equal(reason.path, "x");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_what_fits),         cmocka_unit_test(fills_in_members),
        cmocka_unit_test(fast_paths_agree),        cmocka_unit_test(says_what_fits),
        cmocka_unit_test(refuses_to_encode),       cmocka_unit_test(refuses_other_enumerators),
        cmocka_unit_test(floats_are_short),        cmocka_unit_test(refuses_what_cannot_be),
        cmocka_unit_test(refuses_unknown_storage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
