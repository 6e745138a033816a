/* test_pin.c - definitions that are approved, and those that are held back. */
#define _GNU_SOURCE /* uv.h */
#include "upstream/pin.h"

#include <stdlib.h>
#include <unistd.h>

#include "support/file.h"
#include "upstream/definition.h"
#include "upstream/mcp.h"

#define TOOL(name, text) "{\"name\":\"" name "\",\"description\":\"" text "\",\"inputSchema\":{}}"

static haft_value *read_json(haft_arena *arena, const char *text)
{
    haft_value *value = haft_json_read(text, strlen(text), 0, arena, NULL);

    assert_non_null(value);
    return value;
}

static struct upstream *make_pinned(struct definition *definition, const char *path,
                                    const char *trust, haft_reason *reason)
{
    char json[256];

    snprintf(json, sizeof json, "{\"command\":[\"a\"],\"pin\":\"%s\",\"trust\":\"%s\"}", path,
             trust);
    return definition_make(definition, json, reason);
}

static enum pin_state check(const struct upstream *upstream, haft_arena *arena, const char *tool)
{
    return hf_pin_check(&mcp_of(upstream)->pins, "tools", read_json(arena, tool));
}

/* The first definitions are approved, in this process and in the next; others are held back until the
 * file has them. */
static void the_first_are_approved(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    char path[FILE_PATH], pending[FILE_PATH + 8];
    struct definition definition;
    haft_reason reason = {.code = 0};
    struct upstream *upstream;
    haft_value *first = read_json(arena, "[" TOOL("a", "one") "]"),
               *second = read_json(arena, "[" TOOL("a", "two") "," TOOL("b", "new") "]");

    (void)state;
    file_make(path, "");
    unlink(path);
    snprintf(pending, sizeof pending, "%s.pending", path);
    definition_init(&definition);
    upstream = make_pinned(&definition, path, "first", &reason);
    assert_non_null(upstream);
    assert_int_equal(check(upstream, arena, TOOL("a", "one")), PIN_NEW);
    hf_pins_learn(&mcp_of(upstream)->pins, upstream, first, NULL);
    assert_int_equal(check(upstream, arena, TOOL("a", "one")), PIN_APPROVED);
    assert_int_equal(access(path, R_OK), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(check(upstream, arena, TOOL("a", "two")), PIN_CHANGED);
        assert_int_equal(check(upstream, arena, TOOL("b", "new")), PIN_NEW);
        hf_module_drop(&upstream->module);
        upstream = make_pinned(&definition, path, "first", &reason);
        assert_non_null(upstream);
    }
    assert_string_equal(definition.log, "");
    hf_pins_learn(&mcp_of(upstream)->pins, upstream, second, NULL);
    assert_non_null(strstr(definition.log, "\"a\" is held back: its definition is different"));
    assert_non_null(strstr(definition.log, "\"b\" is held back: its definition is new"));
    assert_int_equal(check(upstream, arena, TOOL("a", "two")), PIN_CHANGED);
    hf_module_drop(&upstream->module);
    /* A person approves them. */
    assert_int_equal(rename(pending, path), 0);
    upstream = make_pinned(&definition, path, "strict", &reason);
    assert_int_equal(check(upstream, arena, TOOL("a", "two")), PIN_APPROVED);
    assert_int_equal(check(upstream, arena, TOOL("b", "new")), PIN_APPROVED);
    assert_int_equal(check(upstream, arena, TOOL("a", "one")), PIN_CHANGED);
    hf_module_drop(&upstream->module);
    unlink(path);
    definition_finish(&definition);
    haft_arena_free(arena);
}

/* Every member that a model or a client reads counts. */
static void every_member_counts(void **state)
{
    static const char *const others[] = {
        "{\"name\":\"a\",\"description\":\"one\",\"inputSchema\":{\"title\":\"x\"}}",
        "{\"name\":\"a\",\"description\":\"one\",\"inputSchema\":{},\"title\":\"x\"}",
        "{\"name\":\"a\",\"description\":\"one\",\"inputSchema\":{},\"outputSchema\":{}}",
        "{\"name\":\"a\",\"description\":\"one\",\"inputSchema\":{},\"annotations\":{}}",
        "{\"name\":\"a\",\"description\":\"one\",\"inputSchema\":{},\"icons\":[]}",
        "{\"name\":\"a\",\"description\":\"one\",\"inputSchema\":{},\"_meta\":{\"ui\":1}}",
        "{\"name\":\"a\",\"inputSchema\":{}}",
    };
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    char path[FILE_PATH];
    struct definition definition;
    haft_reason reason = {.code = 0};
    struct upstream *upstream;

    (void)state;
    file_make(path, "");
    unlink(path);
    definition_init(&definition);
    upstream = make_pinned(&definition, path, "first", &reason);
    hf_pins_learn(&mcp_of(upstream)->pins, upstream, read_json(arena, "[" TOOL("a", "one") "]"),
                  NULL);
    for (size_t i = 0; i < COUNT_OF(others); i++)
        assert_int_equal(check(upstream, arena, others[i]), PIN_CHANGED);
    hf_module_drop(&upstream->module);
    unlink(path);
    definition_finish(&definition);
    haft_arena_free(arena);
}

static void a_malformed_file_is_refused(void **state)
{
    char path[FILE_PATH];
    struct definition definition;
    haft_reason reason = {.code = 0};

    (void)state;
    file_make(path, "[]");
    definition_init(&definition);
    assert_null(make_pinned(&definition, path, "first", &reason));
    assert_string_equal(reason.path, "pin");
    unlink(path);
    definition_finish(&definition);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_first_are_approved),
                                       cmocka_unit_test(every_member_counts),
                                       cmocka_unit_test(a_malformed_file_is_refused)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
