/* test_options.c - the values that options of the program take. */
#include "program.h"

#include <string.h>

#include "support/test.h"

static const struct {
    const char *option, *value;
    bool good;
} rows[] = {
    {"--timeout", "1", true},
    {"--timeout", "86400", true},
    {"--timeout", "86401", false},
    {"--timeout", "0", false},
    {"--timeout", "-1", false},
    {"--timeout", "5x", false},
    {"--timeout", "", false},
    {"--limit", "1024", true},
    {"--limit", "1025", false},
    {"--header", "X-A: b", true},
    {"--header", "X-A:", true},
    {"--header", "no colon", false},
    {"--header", ": b", false},
    /* two headers are given by two options */
    {"--header", "X-A: b\r\nX-C: d", false},
    {"--header", "X-A: b\nX-C: d", false},
    {"--revision", "2025-11-25", true},
    {"--revision", "1999-01-01", false},
};

static void values_are_judged(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct option_row *row = option_rows;
        struct invocation call;

        memset(&call, 0, sizeof call);
        while (row->name && strcmp(row->name, rows[i].option))
            row++;
        assert_non_null(row->name);
        if (row->set(&call, rows[i].value) != rows[i].good)
            fail_msg("%s %s", rows[i].option, rows[i].value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_are_judged)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
