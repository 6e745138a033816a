/* test_shape_project.c - what remains of JSON: paths, lists that are cut, and wrong paths. */
#include <stdio.h>
#include <string.h>

#include "gateway/shape_path.h"
#include "support/failing.h"
#include "support/test.h"

enum { MOST_PATHS = 70 };

/* Splits "/a,/b" and reads the paths. */
static int read_paths(struct shape_paths *paths, const char *list, haft_arena *arena,
                      haft_reason *ret_reason)
{
    const char *texts[MOST_PATHS];
    size_t n = 0;

    for (const char *at = list, *end; *at; at = *end ? end + 1 : end) {
        end = at + strcspn(at, ",");
        texts[n] = haft_arena_copy(arena, at, (size_t)(end - at));
        if (!texts[n++])
            return HAFT_ENOMEM;
    }
    return hf_shape_paths_read(paths, texts, n, arena, ret_reason);
}

struct row {
    const char *keep, *drop;
    uint64_t max_items;
    const char *json;
    const char *result; /* NULL: nothing changes */
    const char *cuts;   /* "PATH KEPT/TOTAL; ..." */
};

static int project(const struct row *row, haft_arena *arena, haft_buffer *out,
                   struct shape_cuts *cuts)
{
    struct shape_projection projection = {.max_items = row->max_items};
    yyjson_val *value = NULL;
    const char *why;
    haft_reason reason;
    size_t offset;
    int status = read_paths(&projection.keep, row->keep, arena, &reason);

    if (!status)
        status = read_paths(&projection.drop, row->drop, arena, &reason);
    if (!status)
        status = hf_json_parse(row->json, strlen(row->json), arena, &value, &offset, &why);
    return status ? status : hf_shape_project(&projection, value, arena, out, cuts);
}

static const char *cuts_text(const struct shape_cuts *cuts)
{
    static char text[1024];
    size_t at = 0;

    text[0] = '\0';
    for (size_t i = 0; i < cuts->n; i++)
        if (i < SHAPE_CUTS)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%s %d/%d", i ? "; " : "",
                                   cuts->list[i].path, (int)cuts->list[i].kept,
                                   (int)cuts->list[i].total);
        else
            at += (size_t)snprintf(text + at, sizeof text - at, "; more");
    return text;
}

#define PETS                                                                                       \
    "{\"items\":[{\"name\":\"a\",\"debug\":1,\"tags\":[1,2,3]},{\"name\":\"b\"},{\"id\":3},4],\"total\":9}"
#define LONG_KEY "0123456789012345678901234567890123456789012345678901234567890123456789"

static const struct row rows[] = {
    /* keep */
    {"/items/*/name,/total", "", 0, PETS,
     "{\"items\":[{\"name\":\"a\"},{\"name\":\"b\"},{}],\"total\":9}", ""},
    {"/items", "", 0, PETS,
     "{\"items\":[{\"name\":\"a\",\"debug\":1,\"tags\":[1,2,3]},{\"name\":\"b\"},{\"id\":3},4]}",
     ""},
    {"/items/1", "", 0, PETS, "{\"items\":[{\"name\":\"b\"}]}", ""},
    {"/items/3", "", 0, PETS, "{\"items\":[4]}", ""},
    {"/*/*/tags/0", "", 0, PETS, "{\"items\":[{\"tags\":[1]},{},{}]}", ""},
    {"/none", "", 0, PETS, "{}", ""},
    {"/total/deeper", "", 0, PETS, "{}", ""},
    {"/*", "", 0, PETS, NULL, ""},
    {"/items,/items/0/name,/total", "", 0, PETS, NULL, ""},
    /* drop, which prevails */
    {"", "/items/*/debug", 0, PETS,
     "{\"items\":[{\"name\":\"a\",\"tags\":[1,2,3]},{\"name\":\"b\"},{\"id\":3},4],\"total\":9}",
     ""},
    {"", "/items/0,/items/1,/items/2", 0, PETS, "{\"items\":[4],\"total\":9}", ""},
    {"", "/*", 0, PETS, "{}", ""},
    {"", "/none,/items/9,/items/00", 0, PETS, NULL, ""},
    {"/items", "/items/*/name,/total", 0, PETS,
     "{\"items\":[{\"debug\":1,\"tags\":[1,2,3]},{},{\"id\":3},4]}", ""},
    {"/items/*/name", "/items/*/name", 0, PETS, "{\"items\":[{},{},{}]}", ""},
    /* escapes, empty names, names that are numbers; the last one is * itself, among others */
    {"/a~1b,/c~0d,/", "", 0, "{\"a/b\":1,\"c~d\":2,\"\":3,\"e\":4}", "{\"a/b\":1,\"c~d\":2,\"\":3}",
     ""},
    {"/0/1", "", 0, "{\"0\":{\"1\":2,\"x\":3}}", "{\"0\":{\"1\":2}}", ""},
    {"", "/*", 0, "{\"*\":1,\"a\":2}", "{}", ""},
    /* lists */
    {"", "", 2, "[1,2,3]", "[1,2]", " 2/3"},
    {"", "", 3, "[1,2,3]", NULL, ""},
    {"", "", 1, PETS, "{\"items\":[{\"name\":\"a\",\"debug\":1,\"tags\":[1]}],\"total\":9}",
     "/items/0/tags 1/3; /items 1/4"},
    {"/items/*/name", "", 1, PETS, "{\"items\":[{\"name\":\"a\"}]}", "/items 1/3"},
    {"", "/items/0", 2, PETS, "{\"items\":[{\"name\":\"b\"},{\"id\":3}],\"total\":9}",
     "/items 2/3"},
    {"", "", 1, "{\"a/b~\":[1,2],\"c\":[[1,2],[3]],\"d\":[4,5]}",
     "{\"a/b~\":[1],\"c\":[[1]],\"d\":[4]}", "/a~1b~0 1/2; /c/0 1/2; /c 1/2; more"},
    {"", "", 1, "{\"" LONG_KEY LONG_KEY "\":[1,2]}", "{\"" LONG_KEY LONG_KEY "\":[1]}",
     "/" LONG_KEY "01234... 1/2"},
    /* other values are left alone */
    {"/a", "/b", 1, "\"text\"", NULL, ""},
    {"/a", "/b", 1, "null", NULL, ""},
    {"/a", "", 1, "[]", NULL, ""},
    {"", "", 1, "{}", NULL, ""},
};

static void keeps_and_drops(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        struct shape_cuts cuts;
        haft_buffer out;
        int status;

        haft_buffer_init(&out, NULL, 1 << 16);
        status = project(&rows[i], arena, &out, &cuts);
        if (status != (rows[i].result != NULL))
            fail_msg("row %zu: status %d: %.*s", i, status, (int)out.size, out.data);
        if (rows[i].result &&
            (strlen(rows[i].result) != out.size || memcmp(rows[i].result, out.data, out.size) != 0))
            fail_msg("row %zu: %.*s", i, (int)out.size, out.data);
        if (strcmp(cuts_text(&cuts), rows[i].cuts) != 0)
            fail_msg("row %zu: %s", i, cuts_text(&cuts));
        haft_buffer_finish(&out);
        haft_arena_free(arena);
    }
}

/* Lists below the deepest level are left alone; nothing recurses. */
static void walks_deep_values(void **state)
{
    enum { DEPTH = 500 };
    static char json[2 * DEPTH + 8];
    const struct row row = {"", "", 1, json, NULL, ""};
    haft_arena *arena = haft_arena_new(NULL, 16 << 20);
    struct shape_cuts cuts;
    haft_buffer out;

    (void)state;
    memset(json, '[', DEPTH);
    memcpy(json + DEPTH, "1,2", 3);
    memset(json + DEPTH + 3, ']', DEPTH);
    haft_buffer_init(&out, NULL, 1 << 20);
    assert_int_equal(project(&row, arena, &out, &cuts), 0);
    assert_int_equal(cuts.n, 0);
    haft_buffer_finish(&out);
    haft_arena_free(arena);
}

static void refuses_wrong_paths(void **state)
{
    static const struct {
        const char *paths, *path, *text;
    } wrong[] = {
        {"a", "0", "expected a JSON Pointer such as /items/*/name, with 1 to 32 parts"},
        {"/a,b/c", "1", "expected a JSON Pointer such as /items/*/name, with 1 to 32 parts"},
        {"/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/21/22/23/24/25/26/27/28/29/30/31/32/33",
         "0", "expected a JSON Pointer such as /items/*/name, with 1 to 32 parts"},
        {"/a~", "0", "after ~, a JSON Pointer has 0 or 1"},
        {"/a~/b", "0", "after ~, a JSON Pointer has 0 or 1"},
        {"/a,/~2", "1", "after ~, a JSON Pointer has 0 or 1"},
        {"/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,"
         "/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/",
         "", "at most 64 paths are possible"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        struct shape_paths paths;
        haft_reason reason = {.code = 0};

        assert_int_equal(read_paths(&paths, wrong[i].paths, arena, &reason), HAFT_EINVAL);
        assert_string_equal(reason.path, wrong[i].path);
        assert_string_equal(reason.text, wrong[i].text);
        haft_arena_free(arena);
    }
}

static void survives_without_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (size_t nth = 1;; nth++) {
            struct failing failing;
            haft_arena *arena;
            struct shape_cuts cuts;
            haft_buffer out;
            int status;

            failing_init(&failing, nth);
            arena = haft_arena_new(&failing.allocator, 1 << 20);
            haft_buffer_init(&out, &failing.allocator, 1 << 16);
            status = arena ? project(&rows[i], arena, &out, &cuts) : HAFT_ENOMEM;
            assert_int_equal(status, failing.failures ? HAFT_ENOMEM : rows[i].result != NULL);
            haft_buffer_finish(&out);
            haft_arena_free(arena);
            failing_check(&failing);
            if (!failing.failures)
                break;
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_and_drops),
        cmocka_unit_test(walks_deep_values),
        cmocka_unit_test(refuses_wrong_paths),
        cmocka_unit_test(survives_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
