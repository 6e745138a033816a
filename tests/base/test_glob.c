/* Names that match a pattern, and lists of patterns that give and take away. */
#include <string.h>

#include "base/base.h"
#include "support/test.h"

static void patterns_match(void **state)
{
    static const struct {
        const char *pattern, *name;
        bool matches;
    } rows[] = {
        {"", "", true},
        {"", "a", false},
        {"*", "", true},
        {"*", "anything", true},
        {"a", "a", true},
        {"a", "ab", false},
        {"?", "a", true},
        {"?", "", false},
        {"a?c", "abc", true},
        {"list_*", "list_", true},
        {"list_*", "list_users", true},
        {"list_*", "xlist_", false},
        {"*_delete", "user_delete", true},
        {"*_delete", "user_deleted", false},
        {"*a*b*", "xxaxxbxx", true},
        {"*a*b*", "xxbxxaxx", false},
        {"**", "x", true},
        {"a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (hf_glob_match(rows[i].pattern, strlen(rows[i].pattern), rows[i].name) !=
            rows[i].matches)
            fail_msg("%s and %s", rows[i].pattern, rows[i].name);
}

static void lists_give_and_take(void **state)
{
    static const struct {
        const char *list, *name;
        bool allows;
    } rows[] = {
        {"", "a", false},
        {"a", "a", true},
        {"a,b", "b", true},
        {" a , b ", "b", true},
        {"a,b", "c", false},
        {"-a", "a", false},
        {"-a", "b", true},
        {"list_*,-*_delete", "list_users", true},
        {"list_*,-*_delete", "list_delete", false},
        {"list_*,-*_delete", "get_user", false},
        {"-*,a", "a", true},
        {"-*,a", "b", false},
        {"*,-a,a", "a", true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (hf_glob_list_allows(rows[i].list, rows[i].name) != rows[i].allows)
            fail_msg("%s and %s", rows[i].list, rows[i].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_match),
        cmocka_unit_test(lists_give_and_take),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
