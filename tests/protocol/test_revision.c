/* test_revision.c - the table of revisions: its names, its eras, and what clients are told of them. */
#include "protocol/revision.h"

#include <string.h>

#include "support/test.h"

static void is_found_by_its_name(void **state)
{
    (void)state;
    for (int i = 0; i < REVISIONS; i++) {
        const char *name = hf_revision_rows[i].name;

        assert_string_equal(hf_revision_names[i], name);
        assert_int_equal(strlen(name), REVISION_NAME);
        assert_int_equal(hf_revision_named(name, REVISION_NAME), i);
        assert_int_equal(hf_revision_named(name, REVISION_NAME - 1), REVISIONS);
        assert_true(!i || strcmp(hf_revision_names[i - 1], name) < 0);
    }
    assert_null(hf_revision_names[REVISIONS]);
    assert_int_equal(hf_revision_named("2026-01-01", REVISION_NAME), REVISIONS);
}

static void belongs_to_one_era(void **state)
{
    (void)state;
    for (int i = 0; i < REVISIONS; i++) {
        bool modern = hf_revision_rows[i].modern;

        assert_int_equal(modern, i >= LEGACY_REVISIONS);
        assert_int_equal(!!(REVS_MODERN & REV_BIT(i)), modern);
        assert_int_equal(!!(REVS_LEGACY & REV_BIT(i)), !modern);
        assert_true(REVS_ALL & REV_BIT(i));
        /* A stream begins with an event for those who come back to it, if anybody can. */
        assert_true(hf_revision_rows[i].resumes || !hf_revision_rows[i].primes);
    }
    assert_false(hf_revision_rows[REV_NEWEST_LEGACY].modern);
    assert_true(hf_revision_rows[REV_NEWEST].modern);
    assert_false(hf_revision_rows[REV_UNNAMED].modern);
}

static void lists_modern_ones_newest_first(void **state)
{
    haft_buffer text;
    const char *at;

    (void)state;
    haft_buffer_init(&text, NULL, 1 << 10);
    hf_revision_put_modern(&(struct json_writer){.out = &text});
    haft_buffer_add(&text, "", 1);
    assert_int_equal(text.status, 0);
    at = text.data;
    for (int i = REV_NEWEST; i >= LEGACY_REVISIONS; i--) {
        assert_memory_equal(at, i < REV_NEWEST ? ",\"" : "[\"", 2);
        assert_memory_equal(at + 2, hf_revision_names[i], REVISION_NAME);
        assert_int_equal(at[2 + REVISION_NAME], '"');
        at += 2 + REVISION_NAME + 1;
    }
    assert_string_equal(at, "]");
    haft_buffer_finish(&text);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_found_by_its_name),
        cmocka_unit_test(belongs_to_one_era),
        cmocka_unit_test(lists_modern_ones_newest_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
