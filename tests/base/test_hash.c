/* test_hash.c - the hash of names spreads: short keys that differ little land apart. */
#include "base/base.h"

#include <stdio.h>
#include <string.h>

#include "support/test.h"

static void is_of_the_bytes_and_the_size(void **state)
{
    (void)state;
    assert_true(hash_bytes(TEXT("abc")) == hash_bytes("abcd", 3));
    assert_true(hash_bytes(TEXT("abc")) != hash_bytes(TEXT("abd")));
    assert_true(hash_bytes(TEXT("")) != hash_bytes(TEXT("\0")));
    assert_true(hash_bytes(TEXT("\0")) != hash_bytes(TEXT("\0\0")));
    assert_true(hash_bytes(TEXT("ab")) != hash_bytes(TEXT("ba")));
}

/* 4096 names in 4096 slots, by the low bits and by the high ones: no slot gets a crowd. */
static void spreads(void **state)
{
    static const char *const shapes[] = {"%d", "field_%d", "%d_name", "x%05d", "a.b.c[%d].d"};

    (void)state;
    for (size_t shape = 0; shape < COUNT_OF(shapes); shape++) {
        unsigned char low[4096] = {0}, high[4096] = {0};
        int empty = 0;

        for (int i = 0; i < 4096; i++) {
            char name[64];
            int size = snprintf(name, sizeof name, shapes[shape], i);
            uint64_t hash = hash_bytes(name, (size_t)size);

            low[hash & 4095]++;
            high[hash >> 52]++;
        }
        for (int i = 0; i < 4096; i++) {
            assert_true(low[i] < 12);
            assert_true(high[i] < 12);
            empty += !low[i];
        }
        assert_in_range(empty, 1000, 2000); /* 4096 / e, give or take */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_of_the_bytes_and_the_size),
        cmocka_unit_test(spreads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
