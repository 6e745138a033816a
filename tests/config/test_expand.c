/* test_expand.c - variables of the environment in a configuration. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <string.h>

#include "config/expand.h"
#include "support/test.h"

static const struct {
    const char *text;
    const char *expanded; /* NULL: refused */
    const char *path, *reason;
} rows[] = {
    {"{\"a\":[1,null,true,\"x\"],\"b\":{\"c\":1.5}}",
     "{\"a\":[1,null,true,\"x\"],\"b\":{\"c\":1.5}}", NULL, NULL},
    {"\"${HAFT_T_TOKEN}\"", "\"se\\\"cret\"", NULL, NULL},
    {"{\"a\":{\"b\":[\"Bearer ${HAFT_T_TOKEN}!\"]}}", "{\"a\":{\"b\":[\"Bearer se\\\"cret!\"]}}",
     NULL, NULL},
    {"[\"${HAFT_T_TOKEN}${HAFT_T_TWO}\"]", "[\"se\\\"cret2\"]", NULL, NULL},
    {"[\"${HAFT_T_NONE:-else}\",\"${HAFT_T_EMPTY:-e}\",\"${HAFT_T_NONE:-}\",\"${HAFT_T_TWO:-e}\"]",
     "[\"else\",\"e\",\"\",\"2\"]", NULL, NULL},
    {"[\"$${HAFT_T_TWO} $HAFT_T_TWO $\"]", "[\"${HAFT_T_TWO} $HAFT_T_TWO $\"]", NULL, NULL},
    {"{\"${HAFT_T_TWO}\":\"${HAFT_T_TWO}\"}", "{\"${HAFT_T_TWO}\":\"2\"}", NULL, NULL},
    {"{\"a\":[0,{\"b\":\"${HAFT_T_NONE}\"}]}", NULL, "a.1.b",
     "the environment variable HAFT_T_NONE is not set"},
    {"{\"a\":\"${HAFT_T_EMPTY}\"}", NULL, "a", "the environment variable HAFT_T_EMPTY is not set"},
    {"{\"a\":\"${HAFT_T_TWO\"}", NULL, "a",
     "a variable has no } at its end; write $${ for the characters ${"},
    {"{\"a\":\"${}\"}", NULL, "a", "a variable has no name, or one that is too long"},
    {"{\"a\":\"${:-x}\"}", NULL, "a", "a variable has no name, or one that is too long"},
    {"{\"a\":\"${HAFT_T_LATIN}\"}", NULL, "a", "the value of a variable is not valid UTF-8"},
};

static void set_variables(void)
{
    setenv("HAFT_T_TOKEN", "se\"cret", 1);
    setenv("HAFT_T_TWO", "2", 1);
    setenv("HAFT_T_EMPTY", "", 1);
    setenv("HAFT_T_LATIN", "\xe9", 1);
    unsetenv("HAFT_T_NONE");
}

static void expands_strings(void **state)
{
    (void)state;
    set_variables();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        haft_value *value = haft_json_read(rows[i].text, strlen(rows[i].text), 0, arena, NULL);
        haft_reason reason = {.code = 0};
        haft_value *expanded = hf_expand_variables(value, arena, &reason);
        haft_buffer text;

        haft_buffer_init(&text, NULL, 1 << 20);
        if (rows[i].expanded) {
            assert_non_null(expanded);
            haft_json_write(expanded, &text);
            haft_buffer_add(&text, "", 1);
            assert_string_equal(text.data, rows[i].expanded);
        } else {
            assert_null(expanded);
            assert_string_equal(reason.path, rows[i].path);
            assert_string_equal(reason.text, rows[i].reason);
        }
        haft_buffer_finish(&text);
        haft_arena_free(arena);
    }
}

static void leaves_what_has_no_variables(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_value *value = haft_json_read("[\"$x\"]", 6, 0, arena, NULL);
    haft_reason reason;

    (void)state;
    assert_ptr_equal(hf_expand_variables(value, arena, &reason), value);
    haft_arena_free(arena);
}

static void collects_names(void **state)
{
    static const struct {
        const char *text, *names;
    } names[] = {
        {"{\"a\":[1,null,\"x\"]}", "="},
        {"{\"a\":{\"b\":[\"Bearer ${ONE}!\"]},\"c\":\"${TWO:-x}${THREE}\"}", "=ONE=TWO=THREE="},
        {"[\"$${NOT} ${ONE} ${ONE}\"]", "=ONE=ONE="},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        haft_value *value = haft_json_read(names[i].text, strlen(names[i].text), 0, arena, NULL);

        assert_string_equal(hf_expand_names(value, arena), names[i].names);
        haft_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expands_strings),
        cmocka_unit_test(leaves_what_has_no_variables),
        cmocka_unit_test(collects_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
