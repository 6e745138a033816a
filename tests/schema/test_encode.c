/* test_encode.c - C structs as JSON: what cannot be said is an issue and leaves no trace. */
#include <math.h>
#include <yyjson.h>

#include "reading.h"
#include "shapes.h"

HAFT_STRUCT(bits,
    HAFT_OPTIONAL(HAFT_STRING(text, "A text", .max = 4)),
    HAFT_OPTIONAL(HAFT_NUMBER(real, "A number")),
    HAFT_OPTIONAL(HAFT_INTEGER(whole, "An integer", .max = 9)),
    HAFT_OPTIONAL(HAFT_BYTES(blob, "Bytes")),
    HAFT_OPTIONAL(HAFT_ENUM(paint, colour, "A colour")),
    HAFT_OPTIONAL(HAFT_UNION(shape, figure, "A figure")),
    HAFT_OPTIONAL(HAFT_ARRAY(list, HAFT_INTEGER(one, "One", .max = 9), "Some", .max = 2,
                             .unique = true)),
    HAFT_OPTIONAL(HAFT_MAP(map, HAFT_INTEGER(one, "One"), "Some", .keys = "^[a-z]+$")),
    HAFT_OPTIONAL(HAFT_JSON(any, "Anything")),
    HAFT_OPTIONAL(HAFT_OBJECT(within, range, "A range")));

static void refuses_what_cannot_be_said(void **state)
{
    static int64_t many[] = {1, 2, 3}, same[] = {5, 5}, big[] = {1, 10, 10};
    static const char *keys[] = {"a", "b"}, *twice[] = {"a", "a"}, *bad[] = {"a", "\xff"},
                      *capital[] = {"a", "B"}, *missing[] = {"a", NULL};
    static const struct {
        bits value;
        const char *expected;
    } rows[] = {
        {{0}, "{}"},
        {{.has_text = true, .text = "gr\xc3\xbc\n"}, "{\"text\":\"gr\xc3\xbc\\n\"}"},
        {{.has_text = true}, "!text: Invalid input: expected string, received undefined"},
        {{.has_text = true, .text = "a\xc3"}, "!text: Invalid string: not valid UTF-8"},
        {{.has_text = true, .text = "five!"},
         "!text: Too big: expected string to have <=4 characters"},
        {{.has_real = true, .real = (double)NAN},
         "!real: Invalid input: expected number, received NaN"},
        {{.has_real = true, .real = (double)INFINITY},
         "!real: Invalid input: expected number, received Infinity"},
        {{.has_real = true, .real = -1e-7}, "{\"real\":-1e-7}"},
        {{.has_whole = true, .whole = INT64_MIN}, "{\"whole\":-9223372036854775808}"},
        {{.has_whole = true, .whole = 10}, "!whole: Too big: expected number to be <=9"},
        {{.has_blob = true}, "{\"blob\":\"\"}"},
        {{.has_blob = true, .blob = (const unsigned char *)"hi!", .blob_size = 2},
         "{\"blob\":\"aGk=\"}"},
        {{.has_blob = true, .blob_size = 2},
         "!blob: Invalid input: expected string, received undefined"},
        {{.has_paint = true, .paint = colour_blue}, "{\"paint\":\"blue\"}"},
        {{.has_paint = true, .paint = colour_count_},
         "!paint: Invalid option: expected one of \"red\"|\"green\"|\"blue\""},
        {{.has_paint = true, .paint = (colour)-1},
         "!paint: Invalid option: expected one of \"red\"|\"green\"|\"blue\""},
        {{.has_shape = true, .shape = {.kind = figure_count_}},
         "!shape.kind: Invalid discriminator value. Expected 'circle' | 'label'"},
        {{.has_shape = true, .shape = {.kind = figure_label}},
         "!shape.text: Invalid input: expected string, received undefined"},
        {{.has_shape = true, .shape = {.kind = figure_circle, .as.circle.radius = 2}},
         "{\"shape\":{\"kind\":\"circle\",\"radius\":2}}"},
        {{.has_list = true}, "{\"list\":[]}"},
        {{.has_list = true, .n_list = 2, .list = many}, "{\"list\":[1,2]}"},
        {{.has_list = true, .n_list = 3, .list = many},
         "!list: Too big: expected array to have <=2 items"},
        {{.has_list = true, .n_list = 2, .list = same},
         "!list: Invalid input: items must be unique"},
        {{.has_list = true, .n_list = 3, .list = big},
         "!list.1: Too big: expected number to be <=9, list.2: Too big: expected number to be "
         "<=9, list: Too big: expected array to have <=2 items"},
        {{.has_list = true, .n_list = 1},
         "!list: Invalid input: expected array, received undefined"},
        {{.has_map = true}, "{\"map\":{}}"},
        {{.has_map = true, .n_map = 2, .map_keys = keys, .map = many},
         "{\"map\":{\"a\":1,\"b\":2}}"},
        {{.has_map = true, .n_map = 2, .map_keys = twice, .map = many},
         "!map: Duplicate key: \"a\""},
        {{.has_map = true, .n_map = 2, .map_keys = bad, .map = many},
         "!map: Invalid key: not valid UTF-8"},
        {{.has_map = true, .n_map = 2, .map_keys = capital, .map = many},
         "!map.B: Invalid string: must match pattern /^[a-z]+$/"},
        {{.has_map = true, .n_map = 2, .map_keys = missing, .map = many},
         "!map.: Invalid input: expected string, received undefined"},
        {{.has_map = true, .n_map = 2, .map = many},
         "!map: Invalid input: expected record, received undefined"},
        {{.has_any = true}, "!any: Invalid input: expected nonoptional, received undefined"},
        {{.has_within = true, .within = {3, 4}}, "{\"within\":{\"low\":3,\"high\":4}}"},
        {{.has_within = true, .within = {4, 3}}, "!within.high: must not be below 4"},
        {{.has_within = true, .within = {-4, -5}},
         "!within.low: Too small: expected number to be >=0"},
        {{.has_text = true, .has_real = true, .real = (double)NAN},
         "!text: Invalid input: expected string, received undefined, real: Invalid input: "
         "expected number, received NaN"},
    };
    struct reading r;

    (void)state;
    reading_open(&r, &bits_type, NULL);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_string_equal(encoded(&r, &rows[i].value), rows[i].expected);
    reading_close(&r);
}

static void takes_back_what_does_not_fit(void **state)
{
    struct reading r;
    bits value = {.has_whole = true, .whole = 1, .has_text = true};

    (void)state;
    reading_open(&r, &bits_type, NULL);
    haft_buffer_puts(&r.text, "before");
    assert_int_equal(haft_schema_encode(r.schema, &value, r.arena, &r.text, &r.issues),
                     HAFT_EISSUES);
    assert_string_equal(reading_text(&r), "before");
    value.text = "ok";
    assert_int_equal(haft_schema_encode(r.schema, &value, r.arena, &r.text, &r.issues), 0);
    assert_int_equal(r.issues.count, 0);
    assert_string_equal(reading_text(&r), "before{\"text\":\"ok\",\"whole\":1}");
    reading_close(&r);
}

static void stops_at_the_limit_of_the_buffer(void **state)
{
    struct reading r;
    const bits value = {.has_text = true, .text = "four"};
    haft_buffer small;

    (void)state;
    reading_open(&r, &bits_type, NULL);
    haft_buffer_init(&small, NULL, 14);
    assert_int_equal(haft_schema_encode(r.schema, &value, r.arena, &small, &r.issues),
                     HAFT_ETOOBIG);
    assert_int_equal(small.size, 0);
    assert_int_equal(haft_schema_encode(r.schema, &value, r.arena, &small, &r.issues),
                     HAFT_ETOOBIG);
    haft_buffer_finish(&small);
    haft_buffer_init(&small, NULL, 15);
    assert_int_equal(haft_schema_encode(r.schema, &value, r.arena, &small, &r.issues), 0);
    assert_int_equal(small.size, 15);
    haft_buffer_finish(&small);
    reading_close(&r);
}

static void cycles_end_at_the_depth(void **state)
{
    struct reading r;
    tree a = {.name = "a"}, b = {.name = "b", .next = &a};
    tree *both[] = {&b, &a};

    (void)state;
    reading_open(&r, &tree_type, NULL);
    a.next = &b;
    assert_string_equal(encoded(&r, &a), "!nesting limit exceeded: Invalid input: nested "
                                         "deeper than 64 levels");
    a.next = NULL;
    a.has_children = true;
    a.n_children = 2;
    a.children = both;
    b.next = NULL;
    b.has_children = true;
    b.n_children = 1;
    b.children = both;
    assert_string_equal(encoded(&r, &a), "!nesting limit exceeded: Invalid input: nested "
                                         "deeper than 64 levels");
    reading_close(&r);
}

/* What is in a JSON member is held to the same rules as what is declared. */
static void json_members_are_checked(void **state)
{
    static const struct {
        const char *json;
        const char *expected;
    } rows[] = {
        {"{\"a\":[1.5,null,\"\\u0000\"]}", "{\"any\":{\"a\":[1.5,null,\"\\u0000\"]}}"},
        {"18446744073709551615", "{\"any\":18446744073709551615}"},
        {"[[[[]]]]", "!nesting limit exceeded: Invalid input: nested deeper than 4 levels"},
    };
    const haft_schema_options options = HAFT_INIT(haft_schema_options, .max_depth = 4);
    struct reading r;

    (void)state;
    reading_open(&r, &bits_type, &options);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bits value = {.has_any = true};

        value.any = haft_json_read(rows[i].json, strlen(rows[i].json), 0, r.arena, NULL);
        assert_non_null(value.any);
        assert_string_equal(encoded(&r, &value), rows[i].expected);
    }
    reading_close(&r);
}

/* A handler may have made its JSON itself. */
static void foreign_json_is_checked_too(void **state)
{
    static const struct {
        const char *json, *expected;
    } rows[] = {
        {"[\"a\xff\"]", "!any: Invalid string: not valid UTF-8"},
        {"[{\"a\":1,\"b\":2,\"a\":3}]", "!any: Duplicate key: \"a\""},
    };
    struct reading r;

    (void)state;
    reading_open(&r, &bits_type, NULL);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        yyjson_doc *doc =
            yyjson_read(rows[i].json, strlen(rows[i].json), YYJSON_READ_ALLOW_INVALID_UNICODE);
        bits value = {.has_any = true};

        assert_non_null(doc);
        value.any = yyjson_doc_get_root(doc);
        assert_string_equal(encoded(&r, &value), rows[i].expected);
        yyjson_doc_free(doc);
    }
    reading_close(&r);
}

static void required_pointers_point(void **state)
{
    struct reading r;
    expression value = {.kind = expression_sum};

    (void)state;
    reading_open(&r, &expression_type, NULL);
    assert_string_equal(encoded(&r, &value),
                        "!left: Invalid input: expected object, received undefined, right: Invalid "
                        "input: expected object, received undefined");
    reading_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_what_cannot_be_said),
        cmocka_unit_test(takes_back_what_does_not_fit),
        cmocka_unit_test(stops_at_the_limit_of_the_buffer),
        cmocka_unit_test(cycles_end_at_the_depth),
        cmocka_unit_test(json_members_are_checked),
        cmocka_unit_test(foreign_json_is_checked_too),
        cmocka_unit_test(required_pointers_point),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
