/* test_manifest.c - the table that --list prints, from what is on the wire. */
#include "cli/manifest.h"

#include <string.h>

#include "support/failing.h"
#include "support/test.h"

static yyjson_val *read_json(const char *text, haft_arena *arena)
{
    haft_reason reason;
    yyjson_val *value = haft_json_read(text, strlen(text), 0, arena, &reason);

    assert_non_null(value);
    return value;
}

static const struct {
    const char *tools, *table;
} rows[] = {
    {"[]", "NAME  ARGUMENTS  HINTS  DESCRIPTION\n"},
    {"[{\"name\":\"a\"}]", "NAME  ARGUMENTS  HINTS  DESCRIPTION\na\n"},
    /* arguments: which must be there, and of what type if it is one */
    {"[{\"name\":\"a\",\"inputSchema\":{\"properties\":{\"x\":{\"type\":\"string\"},\"y\":{},"
     "\"z\":{\"type\":[\"string\",\"null\"]}},\"required\":[\"y\",\"x\"]}}]",
     "NAME  ARGUMENTS         HINTS  DESCRIPTION\n"
     "a     x: string, y, z?\n"},
    {"[{\"name\":\"a\",\"inputSchema\":{\"properties\":{}}}]",
     "NAME  ARGUMENTS  HINTS  DESCRIPTION\na\n"},
    /* hints, both ways; what is not said is not printed */
    {"[{\"name\":\"a\",\"annotations\":{\"readOnlyHint\":true,\"destructiveHint\":false,"
     "\"idempotentHint\":true,\"openWorldHint\":true}}]",
     "NAME  ARGUMENTS  HINTS                                        DESCRIPTION\n"
     "a                read-only, additive, idempotent, open-world\n"},
    {"[{\"name\":\"a\",\"annotations\":{\"readOnlyHint\":false,\"destructiveHint\":true,"
     "\"idempotentHint\":false,\"openWorldHint\":false}}]",
     "NAME  ARGUMENTS  HINTS                              DESCRIPTION\n"
     "a                writes, destructive, closed-world\n"},
    {"[{\"name\":\"\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\",\"description\":\"One\"}]",
     "NAME   ARGUMENTS  HINTS  DESCRIPTION\n"
     "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9                    One\n"},
    /* the first line of a description; columns are as wide as what is widest, in characters */
    {"[{\"name\":\"long-name\",\"description\":\"One\\nTwo\"},{\"name\":\"\xC3\xA9\xC3\xA9\","
     "\"description\":\"\"},{\"name\":\"b\",\"description\":\"T\xC3\xA9xt\\r\\n\"}]",
     "NAME       ARGUMENTS  HINTS  DESCRIPTION\n"
     "long-name                    One\n"
     "\xC3\xA9\xC3\xA9\n"
     "b                            T\xC3\xA9xt\n"},
};

static void prints_a_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        haft_buffer table;

        haft_buffer_init(&table, NULL, 1 << 20);
        assert_int_equal(hf_manifest_write(read_json(rows[i].tools, arena), arena, &table), 0);
        haft_buffer_add(&table, "", 1);
        assert_string_equal(table.data, rows[i].table);
        haft_buffer_finish(&table);
        haft_arena_free(arena);
    }
}

/* Whatever runs out says so, and what is printed is whole or nothing of use. */
static void memory_may_fail(void **state)
{
    haft_arena *given = haft_arena_new(NULL, 1 << 20);
    yyjson_val *tools = read_json(rows[COUNT_OF(rows) - 1].tools, given);

    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        haft_arena *arena;
        haft_buffer table;
        int status;

        failing_init(&failing, nth);
        arena = haft_arena_new(&failing.allocator, 1 << 20);
        haft_buffer_init(&table, &failing.allocator, 1 << 20);
        status = arena ? hf_manifest_write(tools, arena, &table) : HAFT_ENOMEM;
        assert_int_equal(status, failing.failures ? HAFT_ENOMEM : 0);
        haft_buffer_finish(&table);
        haft_arena_free(arena);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
    haft_arena_free(given);
}

static void limits_hold(void **state)
{
    haft_arena *given = haft_arena_new(NULL, 1 << 20);
    yyjson_val *tools = read_json(rows[COUNT_OF(rows) - 1].tools, given);

    (void)state;
    for (size_t limit = 1; limit < 150; limit++) {
        haft_buffer table;
        int status;

        haft_buffer_init(&table, NULL, limit);
        status = hf_manifest_write(tools, given, &table);
        assert_true(status == HAFT_ETOOBIG || (!status && limit > 100));
        haft_buffer_finish(&table);
    }
    haft_arena_free(given);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_a_table),
        cmocka_unit_test(memory_may_fail),
        cmocka_unit_test(limits_hold),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
