/* nearest.c - the name that was probably meant. */
#include "base/base.h"
#include "support/test.h"

static const struct {
    const char *given, *names[5], *expected;
} cases[] = {
    {"tols", {"call", "tools", "ping"}, "tools"},
    {"tool", {"tools", "toll"}, "tools"},
    {"tool", {"toll", "tools"}, "toll"},
    {"clal", {"tools", "call"}, "call"},
    {"x", {"y", "xy"}, NULL},
    {"x", {"x"}, "x"},
    {"serve", {"tools", "call", "ping"}, NULL},
    {"anything", {NULL}, NULL},
    {"a-name-of-more-than-thirty-two-letters", {"a-name-of-more-than-thirty-two-letter"}, NULL},
    {"", {"a", ""}, ""},
};

static void checks_nearest(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct nearest search = hf_nearest_begin(cases[i].given);

        for (size_t k = 0; cases[i].names[k]; k++)
            hf_nearest_offer(&search, cases[i].names[k]);
        if (cases[i].expected) {
            assert_non_null(search.name);
            assert_string_equal(search.name, cases[i].expected);
        } else {
            assert_null(search.name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(checks_nearest)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
