/* test_shape.c - answers against their shapes: what is wrong, and where. */
#include "client/shape.h"

#include <stdio.h>
#include <string.h>

#include "support/test.h"

enum { LIMIT = 1 << 20 };

static const struct {
    const struct shape *shape;
    const char *json; /* NULL for a value that is missing */
    const char *path, *text;
} rows[] = {
    {&hf_shape_tools, "{\"tools\":[]}", NULL, NULL},
    {&hf_shape_tools, "{\"tools\":[],\"nextCursor\":null,\"more\":5}", NULL, NULL},
    {&hf_shape_tools, "{\"tools\":[{\"name\":\"a\",\"inputSchema\":{}}],\"nextCursor\":\"b\"}",
     NULL, NULL},
    {&hf_shape_tools, NULL, "", "is missing"},
    {&hf_shape_tools, "null", "", "must be an object, not null"},
    {&hf_shape_tools, "[]", "", "must be an object, not an array"},
    {&hf_shape_tools, "{}", "tools", "is missing"},
    {&hf_shape_tools, "{\"tools\":{}}", "tools", "must be an array, not an object"},
    {&hf_shape_tools, "{\"tools\":[null]}", "tools[0]", "must be an object, not null"},
    {&hf_shape_tools, "{\"tools\":[{\"name\":true}]}", "tools[0].name",
     "must be a string, not a boolean"},
    {&hf_shape_tools, "{\"tools\":[{\"name\":\"a\",\"inputSchema\":{}},{\"name\":\"b\"}]}",
     "tools[1].inputSchema", "is missing"},
    {&hf_shape_tools, "{\"tools\":[],\"nextCursor\":7}", "nextCursor",
     "must be a string, not a number"},
    {&hf_shape_call, "{\"content\":[{\"type\":\"unheard of\"}]}", NULL, NULL},
    {&hf_shape_call, "{\"content\":[{\"type\":\"text\"}]}", "content[0].text", "is missing"},
    {&hf_shape_call, "{\"content\":[{\"type\":\"text\",\"text\":\"\"}],\"isError\":\"no\"}",
     "isError", "must be a boolean, not a string"},
    {&hf_shape_form, "{\"message\":\"m\",\"requestedSchema\":{\"properties\":{\"f\":[]}}}",
     "requestedSchema.properties.f", "must be an object, not an array"},
    {&hf_shape_error, "{\"code\":1.5,\"message\":\"m\"}", "code",
     "must be an integer, not a number"},
};

static void says_what_does_not_fit(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, LIMIT);
        const char *json = rows[i].json;
        yyjson_val *value = json ? haft_json_read(json, strlen(json), 64, arena, NULL) : NULL;
        haft_reason reason = {0};

        assert_true(value || !json);
        if (!rows[i].path) {
            assert_int_equal(hf_shape_check(rows[i].shape, value, "", &reason), 0);
        } else {
            assert_int_equal(hf_shape_check(rows[i].shape, value, "", &reason), HAFT_EINVAL);
            assert_string_equal(reason.path, rows[i].path);
            assert_string_equal(reason.text, rows[i].text);
        }
        haft_arena_free(arena);
    }
}

/* A path begins where the caller says, and is cut where it is too long. */
static void bounds_paths(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, LIMIT);
    char json[1024], name[512];
    haft_reason reason = {0};
    yyjson_val *value;

    (void)state;
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    snprintf(json, sizeof json,
             "{\"message\":\"m\",\"requestedSchema\":{\"properties\":{\"%s\":5}}}", name);
    value = haft_json_read(json, strlen(json), 64, arena, NULL);
    assert_int_equal(hf_shape_check(&hf_shape_form, value, "q.params", &reason), HAFT_EINVAL);
    assert_int_equal(strlen(reason.path), sizeof reason.path - 1);
    assert_memory_equal(reason.path, "q.params.requestedSchema.properties.nnn", 39);
    assert_int_equal(hf_shape_check(&hf_shape_form, value, "q", NULL), HAFT_EINVAL);
    haft_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(says_what_does_not_fit),
                                       cmocka_unit_test(bounds_paths)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
