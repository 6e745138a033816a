/* test_yaml.c - YAML as JSON: scalars, structure, aliases, and what is refused. */
#include <haft/part.h>
#include <string.h>

#include "import/import.h"
#include "part/yaml.h"
#include "support/failing.h"
#include "support/test.h"

static const struct {
    const char *yaml;
    const char *json; /* or the reason, which begins with "line" */
} rows[] = {
    /* scalars */
    {"[a, 'b', \"c\\n\", '']", "[\"a\",\"b\",\"c\\n\",\"\"]"},
    {"[~, null, Null, , NULL]", "line 1: did not find expected node content"},
    {"[~, null, Null, NULL, nULL]", "[null,null,null,null,\"nULL\"]"},
    {"[true, False, TRUE, yes, no, on, off, y]",
     "[true,false,true,\"yes\",\"no\",\"on\",\"off\",\"y\"]"},
    {"[0, 12, -3, +4, 007, 0x1F, 0o17, 1_000]", "[0,12,-3,4,7,31,15,\"1_000\"]"},
    {"[1.5, .5, 5., -1e3, 1E+2, +.5e-1, .]", "[1.5,0.5,5,-1e3,1E+2,0.5e-1,\".\"]"},
    {"[1e, e1, -, 1.2.3, 0x, 0b1, .inf, .nan]",
     "[\"1e\",\"e1\",\"-\",\"1.2.3\",\"0x\",\"0b1\",\".inf\",\".nan\"]"},
    {"[2026-11-16, 12:30, 3.0.3]", "[\"2026-11-16\",\"12:30\",\"3.0.3\"]"},
    {"[!!str 1, ! 2, !!int 3, !!null '']", "[\"1\",\"2\",3,null]"},
    {"a: |\n  one\n  two\nb: >-\n  three\n  four\n",
     "{\"a\":\"one\\ntwo\\n\",\"b\":\"three four\"}"},
    {"{200: a, true: b, ~: c, 1.5: d}", "{\"200\":\"a\",\"true\":\"b\",\"~\":\"c\",\"1.5\":\"d\"}"},
    {"plain", "\"plain\""},
    /* structure */
    {"a:\n- b: 1\n  c: []\n- {}\nd:\n", "{\"a\":[{\"b\":1,\"c\":[]},{}],\"d\":null}"},
    {"---\na: 1\n...\n", "{\"a\":1}"},
    {"\xEF\xBB\xBF"
     "a: \xC3\xA9",
     "{\"a\":\"\xC3\xA9\"}"},
    /* aliases */
    {"a: &x {b: [1]}\nc: *x\nd: [*x, &y 7, *y]",
     "{\"a\":{\"b\":[1]},\"c\":{\"b\":[1]},\"d\":[{\"b\":[1]},7,7]}"},
    {"a: &x 1\nb: &x 2\nc: *x", "{\"a\":1,\"b\":2,\"c\":2}"},
    {"&x a: *x", "{\"a\":\"a\"}"},
    /* errors */
    {"", "line 1: the document is empty"},
    {"a: 1\n---\nb: 2", "line 2: more than one document"},
    {"a: 1\nb: *none", "line 2: unknown alias none"},
    {"a: &x [*x]", "line 1: an alias inside its anchor: x"},
    {"a: 1\n? [b]\n: c", "line 2: a key is not a scalar"},
    {"a: &x b\n*x : c", "line 2: a key is not a scalar"},
    {"a: &x {b: 1}\nc:\n  <<: *x", "line 3: merge keys (<<) are not supported"},
    {"a: !ruby/object b", "line 1: unknown tag !ruby/object"},
    {"a: !!set {b}", "line 1: unknown tag tag:yaml.org,2002:set"},
    {"a: !!binary aGk=", "line 1: unknown tag binary"},
    {"a: [1\nb: 2", "line 2: did not find expected ',' or ']'"},
    {"a: \xFF", "line 1: invalid leading UTF-8 octet"},
};

static const struct yaml_functions *yaml_functions_of(void)
{
    haft_reason reason = {0};
    const struct yaml_functions *yaml = hf_yaml_open("test", &reason);

    if (!yaml)
        fail_msg("%s", reason.text);
    return yaml;
}

static void writes_json(void **state)
{
    const struct yaml_functions *yaml = yaml_functions_of();

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        haft_reason reason = {0};
        haft_buffer json;
        int status;

        haft_buffer_init(&json, NULL, 1 << 16);
        status =
            hf_yaml_to_json_with(yaml, rows[i].yaml, strlen(rows[i].yaml), arena, &json, &reason);
        haft_buffer_add(&json, "", 1);
        assert_int_equal(status, status ? reason.code : 0);
        if (strcmp(status ? reason.text : json.data, rows[i].json))
            fail_msg("%s: %s", rows[i].yaml, status ? reason.text : json.data);
        haft_buffer_finish(&json);
        haft_arena_free(arena);
    }
}

/* Each alias doubles what the one before made. */
static void bounds_aliases(void **state)
{
    const struct yaml_functions *yaml = yaml_functions_of();
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_reason reason = {0};
    haft_buffer text, json;

    (void)state;
    haft_buffer_init(&text, NULL, 1 << 16);
    haft_buffer_init(&json, NULL, 1 << 16);
    haft_buffer_puts(&text, "a0: &a0 [lol, lol]\n");
    for (int i = 1; i < 60; i++)
        haft_buffer_printf(&text, "a%d: &a%d [*a%d, *a%d]\n", i, i, i - 1, i - 1);
    assert_int_equal(hf_yaml_to_json_with(yaml, text.data, text.size, arena, &json, &reason),
                     HAFT_ETOOBIG);
    assert_true(json.size <= 1 << 16);
    haft_buffer_clear(&text);
    haft_buffer_clear(&json);
    for (int i = 0; i < YAML_MAX_DEPTH + 1; i++)
        haft_buffer_puts(&text, "[");
    assert_int_equal(hf_yaml_to_json_with(yaml, text.data, text.size, arena, &json, &reason),
                     HAFT_EDEPTH);
    haft_buffer_clear(&text);
    haft_buffer_clear(&json);
    for (int i = 0; i < YAML_MAX_ANCHORS + 1; i++)
        haft_buffer_printf(&text, "- &a%d 1\n", i);
    assert_int_equal(hf_yaml_to_json_with(yaml, text.data, text.size, arena, &json, &reason),
                     HAFT_ETOOBIG);
    haft_buffer_finish(&text);
    haft_buffer_finish(&json);
    haft_arena_free(arena);
}

static void reads_documents(void **state)
{
    static const char yaml[] = "openapi: 3.0.3\npaths:\n  /a:\n    get: {operationId: a}\n";
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_reason reason = {0};
    haft_value *value = hf_import_read(TEXT(yaml), "a.yaml", arena, &reason);
    struct import *import = NULL;

    (void)state;
    assert_non_null(value);
    assert_int_equal(hf_import_document(value, NULL, &import, &reason), 0);
    assert_int_equal(import->n_operations, 1);
    hf_import_free(import);
    assert_non_null(hf_import_read(TEXT("\n {\"a\":1}"), "a", arena, &reason));
    assert_null(hf_import_read(TEXT("a: 1\na: 2"), "a", arena, &reason));
    assert_string_equal(reason.text, "the key \"a\" occurs more than once");
    assert_null(hf_import_read(TEXT("{\"a\":1"), "a", arena, &reason));
    assert_int_equal(reason.code, HAFT_EPARSE);
    haft_arena_free(arena);
}

static void survives_without_memory(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        haft_reason reason = {0};
        haft_arena *arena;

        failing_init(&failing, nth);
        arena = haft_arena_new(&failing.allocator, 1 << 20);
        if (arena && !hf_import_read(TEXT("a: &x [1]\nb: *x"), "a", arena, &reason))
            assert_int_equal(reason.code, HAFT_ENOMEM);
        haft_arena_free(arena);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_json),
        cmocka_unit_test(bounds_aliases),
        cmocka_unit_test(reads_documents),
        cmocka_unit_test(survives_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
