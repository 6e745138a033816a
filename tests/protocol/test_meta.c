/* test_meta.c - keys of `_meta`, and what only looks like one. */
#include "protocol/meta.h"

#include <string.h>

#include "support/test.h"

static void keys(void **state)
{
    static const struct {
        const char *key;
        bool right, prefixed;
    } rows[] = {
        {"a", true, false},
        {"", true, false},
        {"progressToken", true, false},
        {"a-b_c.d9", true, false},
        {"9", true, false},
        {"-a", false, false},
        {"a_", false, false},
        {"a b", false, false},
        {"a\"b", false, false},
        {"\xc3\xa9", false, false},
        {"com.example/a", true, true},
        {"com.example/", true, true},
        {"haft/issues", true, true},
        {"io.model-context9/a", true, true},
        {"/a", false, false},
        {".com/a", false, false},
        {"com./a", false, false},
        {"com..example/a", false, false},
        {"9com/a", false, false},
        {"com.9/a", false, false},
        {"com-/a", false, false},
        {"com_example/a", false, false},
        {"com.example/a/b", false, false},
        {"com.example/-", false, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t size = strlen(rows[i].key);

        assert_int_equal(hf_meta_key_is_right(rows[i].key, size, false), rows[i].right);
        assert_int_equal(hf_meta_key_is_right(rows[i].key, size, true), rows[i].prefixed);
    }
    assert_false(hf_meta_key_is_right("a\0b", 3, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
