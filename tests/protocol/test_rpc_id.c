/* test_rpc_id.c - the ids of requests as text. */
#include "protocol/revision.h"
#include "protocol/rpc.h"

#include "support/test.h"

#define NINES "9999999999"
#define LONG NINES NINES NINES NINES NINES NINES /* 60 */

static void writes_ids_as_text(void **state)
{
    static const struct {
        const char *json, *text, *again; /* again: as hf_rpc_put_id has it; NULL: as it came */
    } rows[] = {
        {"0", "0", NULL},
        {"9", "9", NULL},
        {"-1", "-1", NULL},
        {"9007199254740993", "9007199254740993", NULL},
        {"9223372036854775807", "9223372036854775807", NULL},
        {"9223372036854775808", "9223372036854775808", NULL},
        {"18446744073709551615", "18446744073709551615", NULL},
        {"18446744073709551610", "18446744073709551610", NULL},
        {"-9223372036854775808", "-9223372036854775808", NULL},
        {"\"\"", "", NULL},
        {"\"7\"", "7", NULL},
        {"\"a \\\"b\\\" \\\\\"", "a \"b\" \\", NULL},
        {"\"a\\u0000b\"", "a\\u0000b", NULL},
        {"\"\\u0000\"", "\\u0000", NULL},
        {"\"\\u00e9\"", "\xC3\xA9", "\"\xC3\xA9\""},
        /* cut to 64 bytes, at a whole character */
        {"\"" LONG "abcdefgh\"", LONG "abcd", NULL},
        {"\"" LONG "abc\\u00e9\"", LONG "abc", "\"" LONG "abc\xC3\xA9\""},
        {"\"" LONG "ab\\u00e9\"", LONG "ab\xC3\xA9", "\"" LONG "ab\xC3\xA9\""},
        {"\"" LONG "\\u0000\"", LONG, NULL},
    };
    haft_arena *arena = haft_arena_new(NULL, 1 << 16);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *again = rows[i].again ? rows[i].again : rows[i].json;
        yyjson_val *id = haft_json_read(rows[i].json, strlen(rows[i].json), 0, arena, NULL);
        char text[RPC_ID_TEXT];
        haft_buffer buffer;

        assert_non_null(id);
        assert_int_equal(hf_rpc_id_to_text(id, text, sizeof text), strlen(rows[i].text));
        assert_string_equal(text, rows[i].text);
        haft_buffer_init(&buffer, NULL, 256);
        hf_rpc_put_id(&buffer, id);
        assert_int_equal(buffer.size, strlen(again));
        assert_memory_equal(buffer.data, again, buffer.size);
        haft_buffer_finish(&buffer);
    }
    haft_arena_free(arena);
}

static void cuts_numbers_too(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 16);
    yyjson_val *id = haft_json_read("-1234", 5, 0, arena, NULL);
    char text[4];

    (void)state;
    assert_int_equal(hf_rpc_id_to_text(id, text, sizeof text), 3);
    assert_string_equal(text, "-12");
    haft_arena_free(arena);
}

/* An id is the same as itself, and as nothing that only begins like it. */
static void compares_ids(void **state)
{
    static const struct {
        const char *left, *right;
        bool same;
    } rows[] = {
        {"1", "1", true},
        {"1", "1.0", false},
        {"1", "\"1\"", false},
        {"1", "2", false},
        {"1", "-1", false},
        {"\"a\"", "\"a\"", true},
        {"\"a\"", "\"ab\"", false},
        {"\"\"", "\"a\"", false},
        {"\"a\"", "\"a\\u0000\"", false},
        {"18446744073709551615", "18446744073709551615", true},
        {"18446744073709551615", "-1", false},
    };
    haft_arena *arena = haft_arena_new(NULL, 1 << 16);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        yyjson_val *left = haft_json_read(rows[i].left, strlen(rows[i].left), 0, arena, NULL);
        yyjson_val *right = haft_json_read(rows[i].right, strlen(rows[i].right), 0, arena, NULL);

        if (hf_rpc_same_id(left, right) != rows[i].same ||
            hf_rpc_same_id(right, left) != rows[i].same)
            fail_msg("%s and %s", rows[i].left, rows[i].right);
    }
    haft_arena_free(arena);
}

/* A revision is called what it is called, and nothing more. */
static void names_revisions(void **state)
{
    (void)state;
    for (int i = 0; i < REVISIONS; i++) {
        const char *name = hf_revision_rows[i].name;

        assert_int_equal(hf_revision_named(name, REVISION_NAME), i);
        assert_int_equal(hf_revision_named(name, REVISION_NAME + 1), REVISIONS);
        assert_int_equal(hf_revision_named(name, REVISION_NAME - 1), REVISIONS);
    }
    assert_int_equal(hf_revision_named("1999-01-01", REVISION_NAME), REVISIONS);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_ids_as_text), cmocka_unit_test(cuts_numbers_too),
        cmocka_unit_test(compares_ids), cmocka_unit_test(names_revisions)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
