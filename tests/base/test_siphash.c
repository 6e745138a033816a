/* SipHash-2-4 against the vectors of its authors: the key is 00 01 .. 0f, the text 00 01 .. */
#include "base/siphash.h"

#include <string.h>

#include "support/test.h"

static uint64_t digest(const unsigned char key[16], const void *bytes, size_t size)
{
    struct siphash hash;

    siphash_init(&hash, key);
    hf_siphash_bytes(&hash, bytes, size);
    return siphash_finish(&hash);
}

static void digests_are_the_published_ones(void **state)
{
    static const struct {
        size_t size;
        uint64_t digest;
    } rows[] = {
        {0, UINT64_C(0x726fdb47dd0e0e31)},
        {1, UINT64_C(0x74f839c593dc67fd)},
        {15, UINT64_C(0xa129ca6149be45e5)},
    };
    unsigned char bytes[64], key[16];

    (void)state;
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)i;
    memcpy(key, bytes, sizeof key);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_true(digest(key, bytes, rows[i].size) == rows[i].digest);
    /* Every byte counts, at every length, and so does the key. */
    for (size_t size = 1; size <= sizeof bytes; size++) {
        uint64_t whole = digest(key, bytes, size);

        assert_true(whole != digest(key, bytes, size - 1));
        bytes[size - 1] ^= 1;
        assert_true(whole != digest(key, bytes, size));
        bytes[size - 1] ^= 1;
        key[15] ^= 1;
        assert_true(whole != digest(key, bytes, size));
        key[15] ^= 1;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(digests_are_the_published_ones)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
