/* test_decode.c - JSON into C structs: each member of each kind, and back again. */
#include <math.h>

#include <yyjson.h>

#include "reading.h"
#include "shapes.h"

#define EVERYTHING                                                                                 \
    "{\"flag\":true,\"count\":-3,\"ratio\":0.5,\"name\":\"gr\xc3\xbc\xc3\x9f\",\"blob\":\"AAEC\"," \
    "\"paint\":\"green\",\"at\":{\"x\":1,\"y\":-2.5},\"shape\":{\"kind\":\"label\","               \
    "\"text\":\"hi\"},\"link\":{\"x\":3,\"y\":4},\"names\":[\"a\",\"\"],"                          \
    "\"path\":[{\"x\":1,\"y\":1},{\"x\":2,\"y\":2}],\"limits\":{\"cpu\":4,\"ram\":8},"             \
    "\"table\":[[1,2],[],[3]],\"any\":{\"k\":[1,null,\"s\"]}}"

static void fills_every_member(void **state)
{
    struct reading r;
    const everything *e = (const everything *)(const void *)r.value;

    (void)state;
    reading_open(&r, &everything_type, NULL);
    assert_string_equal(decoded(&r, TEXT(EVERYTHING)), EVERYTHING);
    assert_true(e->flag);
    assert_int_equal(e->count, -3);
    assert_true(e->ratio == 0.5);
    assert_string_equal(e->name, "gr\xc3\xbc\xc3\x9f");
    assert_int_equal(e->blob_size, 3);
    assert_memory_equal(e->blob, "\0\1\2", 3);
    assert_int_equal(e->paint, colour_green);
    assert_true(e->at.x == 1 && e->at.y == -2.5);
    assert_int_equal(e->shape.kind, figure_label);
    assert_string_equal(e->shape.as.label.text, "hi");
    assert_true(e->link->x == 3 && e->link->y == 4);
    assert_int_equal(e->n_names, 2);
    assert_string_equal(e->names[0], "a");
    assert_string_equal(e->names[1], "");
    assert_int_equal(e->n_path, 2);
    assert_true(e->path[1].x == 2);
    assert_int_equal(e->n_limits, 2);
    assert_string_equal(e->limits_keys[1], "ram");
    assert_int_equal(e->limits[1], 8);
    assert_int_equal(e->table.n_items, 3);
    assert_int_equal(e->table.items[0].n_items, 2);
    assert_int_equal(e->table.items[0].items[1], 2);
    assert_int_equal(e->table.items[1].n_items, 0);
    assert_int_equal(e->table.items[2].items[0], 3);
    assert_non_null(e->any);
    reading_close(&r);
}

static void says_what_is_there(void **state)
{
    struct reading r;
    const maybe *m = (const maybe *)(const void *)r.value;

    (void)state;
    reading_open(&r, &maybe_type, NULL);
    assert_string_equal(decoded(&r, TEXT("{}")), "{}");
    assert_false(m->has_flag || m->has_count || m->has_ratio || m->has_name || m->has_blob ||
                 m->has_paint || m->has_at || m->has_shape || m->has_names || m->has_limits ||
                 m->has_table || m->has_any);
    assert_null(m->link);
    decoded(&r, TEXT("{\"any\":null,\"link\":{\"x\":1,\"y\":2},\"names\":[],\"flag\":false}"));
    assert_int_equal(r.status, 0);
    assert_true(m->has_any && m->has_names && m->has_flag && !m->has_count);
    assert_int_equal(m->n_names, 0);
    assert_non_null(m->names);
    assert_true(m->link->y == 2);
    assert_string_equal(reading_text(&r),
                        "{\"flag\":false,\"link\":{\"x\":1,\"y\":2},\"names\":[],\"any\":null}");
    reading_close(&r);
}

#define NULLS                                                                                      \
    "{\"flag\":null,\"count\":null,\"ratio\":null,\"name\":null,\"blob\":null,\"paint\":null,"     \
    "\"at\":null,\"shape\":null,\"link\":null,\"names\":null,\"limits\":null,\"table\":null,"      \
    "\"any\":null}"
#define DEFAULTS                                                                                   \
    "{\"flag\":true,\"count\":7,\"ratio\":0.25,\"name\":\"none\",\"blob\":\"aGk=\","               \
    "\"paint\":\"blue\",\"at\":{\"x\":1,\"y\":2},\"shape\":{\"kind\":\"label\",\"text\":\"hi\"},"  \
    "\"link\":{\"x\":3,\"y\":4},\"names\":[\"a\",\"b\"],\"limits\":{\"k\":1},"                     \
    "\"table\":[[1],[]],\"any\":[null]}"

HAFT_STRUCT(both,
    HAFT_OPTIONAL(HAFT_NULLABLE(HAFT_INTEGER(a, "Optional and nullable"))),
    HAFT_DEFAULT(HAFT_NULLABLE(HAFT_INTEGER(b, "Nullable with a default")), 5),
    HAFT_OPTIONAL(HAFT_NULLABLE(HAFT_POINTER(c, point, "A pointer"))),
    HAFT_NULLABLE(HAFT_OPTIONAL(HAFT_STRING(d, "The other way round"))));

HAFT_STRUCT(items,
    HAFT_ARRAY(texts, HAFT_NULLABLE(HAFT_STRING(one, "A text or nothing")), "Texts"),
    HAFT_ARRAY(points, HAFT_NULLABLE(HAFT_POINTER(one, point, "A point or nothing")), "Points"),
    HAFT_MAP(map, HAFT_NULLABLE(HAFT_JSON(one, "Anything")), "A map"),
    HAFT_ARRAY(flags, HAFT_BOOLEAN(one, "A flag"), "Flags"),
    HAFT_ARRAY(reals, HAFT_NUMBER(one, "A number"), "Numbers"),
    HAFT_ARRAY(paints, HAFT_ENUM(one, colour, "A colour"), "Colours"),
    HAFT_ARRAY(shapes, HAFT_UNION(one, figure, "A figure"), "Figures"),
    HAFT_MAP(grids, HAFT_OBJECT(one, grid, "A grid"), "Grids"));

HAFT_STRUCT(named,
    HAFT_NAMED("content-type", HAFT_STRING(content_type, "What it is")),
    HAFT_NAMED("default", HAFT_OPTIONAL(HAFT_INTEGER(fallback, "When it is not"))),
    HAFT_OPTIONAL(HAFT_HEADER("Region", HAFT_NAMED("@region", HAFT_STRING(region, "Where")))));

/* A struct that exists already, with members in another order and others besides. */
struct existing {
    double y;
    int unrelated;
    size_t n_tags;
    const char **tags;
    bool has_x;
    int64_t x;
};
typedef struct existing existing;
HAFT_SCHEMA(existing,
    HAFT_OPTIONAL(HAFT_INTEGER(x, "Across")),
    HAFT_NUMBER(y, "Up"),
    HAFT_ARRAY(tags, HAFT_STRING(tag, "A tag"), "Tags"));

static void comes_back_the_same(void **state)
{
    static const struct reading_row rows[] = {
        {&everything_type, EVERYTHING, NULL},
        {&blank_type, NULLS, NULL},
        {&settled_type, "{}", DEFAULTS},
        {&settled_type, DEFAULTS, NULL},
        {&both_type, "{}", "{\"b\":5}"},
        {&both_type, "{\"a\":null,\"b\":null,\"c\":null,\"d\":null}", NULL},
        {&both_type, "{\"a\":1,\"b\":2,\"c\":{\"x\":1,\"y\":2},\"d\":\"\"}", NULL},
        {&items_type,
         "{\"texts\":[\"a\",null],\"points\":[null,{\"x\":1,\"y\":2}],\"map\":{\"a\":null,"
         "\"b\":[]},\"flags\":[true,false],\"reals\":[0.1,1e+300],\"paints\":[\"blue\",\"red\"],"
         "\"shapes\":[{\"kind\":\"circle\",\"radius\":2},{\"kind\":\"label\",\"text\":\"x\"}],"
         "\"grids\":{\"\":[[]],\"g\":[]}}",
         NULL},
        {&named_type, "{\"content-type\":\"a\",\"default\":1,\"@region\":\"eu\"}", NULL},
        {&named_type, "{\"content_type\":\"a\"}",
         "!content-type: Invalid input: expected string, received undefined, Unrecognized key: "
         "\"content_type\" (accepted: \"content-type\", \"default\", \"@region\"; did you mean "
         "\"content-type\"?)"},
        {&existing_type, "{\"x\":1,\"y\":2,\"tags\":[\"t\"]}", NULL},
        {&existing_type, "{\"tags\":[],\"y\":2}", "{\"y\":2,\"tags\":[]}"},
        {&cat_type, "{\"id\":1,\"sound\":\"meow\",\"tame\":false}", NULL},
        {&cat_type, "{\"sound\":\"meow\",\"id\":1}", "{\"id\":1,\"sound\":\"meow\",\"tame\":true}"},
        {&cat_type, "{\"id\":0}",
         "!id: Too small: expected number to be >=1, sound: Invalid input: expected string, "
         "received undefined"},
        {&grid_type, "[[1,2,3],[]]", NULL},
        {&grid_type, "[]", NULL},
        {&colour_type, "\"red\"", NULL},
        {&figure_type, "{\"radius\":2,\"kind\":\"circle\"}", "{\"kind\":\"circle\",\"radius\":2}"},
        {&open_minded_type, "{\"name\":\"a\",\"more\":{\"b\":1}}", "{\"name\":\"a\"}"},
        {&range_type, "{\"low\":1,\"high\":2}", NULL},
        {&nest_type, "[[],[[]]]", NULL},
        {&expression_type,
         "{\"op\":\"sum\",\"left\":{\"op\":\"literal\",\"value\":1},\"right\":{\"op\":\"sum\","
         "\"left\":{\"op\":\"literal\",\"value\":2},\"right\":{\"op\":\"literal\",\"value\":3}}}",
         NULL},
        {&tree_type,
         "{\"name\":\"a\",\"next\":{\"name\":\"b\"},\"children\":[{\"name\":\"c\","
         "\"children\":[]},{\"name\":\"d\"}]}",
         NULL},
        {&person_type, "{\"name\":\"a\",\"firm\":{\"name\":\"b\",\"owner\":{\"name\":\"c\"}}}",
         NULL},
    };

    (void)state;
    check_rows(rows, COUNT_OF(rows));
}

static void extends_share_a_level(void **state)
{
    struct reading r;
    const cat *c = (const cat *)(const void *)r.value;

    (void)state;
    reading_open(&r, &cat_type, NULL);
    decoded(&r, TEXT("{\"id\":9,\"sound\":\"purr\"}"));
    assert_int_equal(c->base.base.id, 9);
    assert_string_equal(c->base.sound, "purr");
    assert_true(c->tame);
    reading_close(&r);
}

static void follows_pointers(void **state)
{
    struct reading r;
    const tree *t = (const tree *)(const void *)r.value;
    const expression *e = (const expression *)(const void *)r.value;

    (void)state;
    reading_open(&r, &tree_type, NULL);
    decoded(&r, TEXT("{\"name\":\"a\",\"next\":{\"name\":\"b\",\"children\":[{\"name\":\"c\"}]}}"));
    assert_false(t->has_children);
    assert_string_equal(t->next->children[0]->name, "c");
    assert_null(t->next->children[0]->next);
    reading_close(&r);

    reading_open(&r, &expression_type, NULL);
    decoded(&r, TEXT("{\"op\":\"sum\",\"left\":{\"op\":\"literal\",\"value\":1},"
                     "\"right\":{\"value\":2,\"op\":\"literal\"}}"));
    assert_int_equal(e->kind, expression_sum);
    assert_int_equal(e->as.sum.right->kind, expression_literal);
    assert_true(e->as.sum.right->as.literal.value == 2);
    reading_close(&r);
}

HAFT_STRUCT(blob, HAFT_BYTES(bytes, "Bytes"));

/* Bytes come back as the same text: what leaves bits over is refused. */
static void bytes_are_canonical(void **state)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    struct reading r;

    (void)state;
    reading_open(&r, &blob_type, NULL);
    for (size_t i = 0; i < 64; i++) {
        for (size_t padding = 0; padding < 3; padding++) {
            char json[32];
            bool accepted = i % (1u << padding * 2) == 0;

            snprintf(json, sizeof json, "{\"bytes\":\"%.*s%c%.*s\"}", 3 - (int)padding, "aaa",
                     digits[i], (int)padding, "==");
            if (accepted)
                assert_string_equal(decoded(&r, json, strlen(json)), json);
            else
                assert_string_equal(decoded(&r, json, strlen(json)),
                                    "!bytes: Invalid base64-encoded string");
        }
    }
    reading_close(&r);
}

/* Behind them is a NUL, whatever was there before. */
static void bytes_end_with_a_nul(void **state)
{
    static const char json[] = "{\"bytes\":\"YWFh\"}";
    struct reading r;
    const blob *value;

    (void)state;
    reading_open(&r, &blob_type, NULL);
    memset(haft_arena_alloc(r.arena, 4000), 'x', 4000);
    haft_arena_reset(r.arena);
    assert_int_equal(
        haft_schema_decode_text(r.schema, json, sizeof json - 1, r.arena, r.value, &r.issues), 0);
    value = (const blob *)(const void *)r.value;
    assert_int_equal(value->bytes_size, 3);
    assert_memory_equal(value->bytes, "aaa", 4);
    reading_close(&r);
}

static void wants_a_declared_type(void **state)
{
    static const char document[] = "{\"type\":\"string\"}";
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_schema *schema = NULL;
    haft_issues issues = {0};
    haft_buffer buffer;
    haft_value *value;

    (void)state;
    haft_buffer_init(&buffer, NULL, 100);
    assert_int_equal(haft_schema_parse(TEXT(document), NULL, &schema, NULL), 0);
    assert_int_equal(haft_schema_decode_text(schema, TEXT("\"a\""), arena, &value, &issues), 0);
    assert_string_equal(yyjson_get_str(value), "a");
    assert_int_equal(haft_schema_encode(schema, value, arena, &buffer, &issues), HAFT_EINVAL);
    haft_buffer_finish(&buffer);
    haft_schema_free(schema);
    haft_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_every_member),  cmocka_unit_test(says_what_is_there),
        cmocka_unit_test(comes_back_the_same), cmocka_unit_test(extends_share_a_level),
        cmocka_unit_test(follows_pointers),    cmocka_unit_test(wants_a_declared_type),
        cmocka_unit_test(bytes_are_canonical), cmocka_unit_test(bytes_end_with_a_nul),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
