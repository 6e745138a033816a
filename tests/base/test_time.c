/* test_time.c - moments as text. */
#include "base/base.h"

#include <string.h>

#include "support/test.h"

static void is_iso_8601_in_utc(void **state)
{
    static const struct {
        int64_t ms;
        const char *text;
    } rows[] = {
        {0, "1970-01-01T00:00:00.000Z"},
        {-1, "1970-01-01T00:00:00.000Z"},
        {951782399999, "2000-02-28T23:59:59.999Z"},
        {951782400000, "2000-02-29T00:00:00.000Z"},
        {1709164800007, "2024-02-29T00:00:00.007Z"},
        {1740787199042, "2025-02-28T23:59:59.042Z"},
        {1740787200000, "2025-03-01T00:00:00.000Z"},
        {1794720327042, "2026-11-15T05:25:27.042Z"},
        {4107542400000, "2100-03-01T00:00:00.000Z"},
        {253402300799999, "9999-12-31T23:59:59.999Z"},
        {INT64_MAX, "9999-12-31T23:59:59.999Z"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[TIME_TEXT];

        assert_int_equal(hf_time_to_text(rows[i].ms, text), 24);
        assert_string_equal(text, rows[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_iso_8601_in_utc)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
