/* test_list.c - linked lists: whatever is done to one, it can be walked both ways. */
#include "base/list.h"

#include <stdbool.h>

#include "support/test.h"

struct thing {
    struct thing *older, *newer;
    char name;
};

enum { THINGS = 4 };

/* Walks a list there and back, and writes the names on the way there. */
static void hf_walk(const struct thing *first, const struct thing *last, bool ends, char *ret_names)
{
    const struct thing *before = NULL;
    size_t n = 0;

    for (const struct thing *at = first; at; before = at, at = at->newer) {
        assert_ptr_equal(at->older, before);
        ret_names[n++] = at->name;
    }
    if (ends)
        assert_ptr_equal(last, before);
    ret_names[n] = '\0';
}

/* A letter is put into the list, a capital is taken out. */
static void keeps_the_order(void **state)
{
    static const struct {
        const char *steps, *appended, *pushed;
    } rows[] = {
        {"", "", ""},         {"a", "a", "a"},
        {"aA", "", ""},       {"ab", "ab", "ba"},
        {"abA", "b", "b"},    {"abB", "a", "a"},
        {"abcB", "ac", "ca"}, {"abcC", "ab", "ba"},
        {"abcA", "bc", "cb"}, {"abcABC", "", ""},
        {"abcCBA", "", ""},   {"abcBACbac", "bac", "cab"},
        {"abAa", "ba", "ab"}, {"abcdDAad", "bcad", "dacb"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct thing things[2][THINGS] = {{{.name = 0}}}, *first = NULL, *last = NULL, *top = NULL;
        char names[THINGS + 1];

        for (const char *step = rows[i].steps; *step; step++) {
            size_t which = (size_t)((*step | 0x20) - 'a');
            struct thing *one = &things[0][which], *other = &things[1][which];

            one->name = other->name = (char)(*step | 0x20);
            if (*step >= 'a') {
                LIST_APPEND(first, last, one, older, newer);
                LIST_PUSH(top, other, older, newer);
            } else {
                LIST_REMOVE(first, last, one, older, newer);
                LIST_TAKE(top, other, older, newer);
            }
            hf_walk(first, last, true, names);
            hf_walk(top, NULL, false, names);
        }
        hf_walk(first, last, true, names);
        assert_string_equal(names, rows[i].appended);
        hf_walk(top, NULL, false, names);
        assert_string_equal(names, rows[i].pushed);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(keeps_the_order)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
