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

/* The published digests of 128 bits, as two numbers of which the least significant byte comes first. */
static void pairs_are_the_published_ones(void **state)
{
    static const struct {
        size_t size;
        uint64_t first, second;
    } rows[] = {
        {0, UINT64_C(0xe6a825ba047f81a3), UINT64_C(0x930255c71472f66d)},
        {1, UINT64_C(0x44af996bd8c187da), UINT64_C(0x45fc229b11597634)},
        {2, UINT64_C(0xc75da4a48d227781), UINT64_C(0xe4ff0af6de8ba3fc)},
    };
    unsigned char bytes[16];

    (void)state;
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)i;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct siphash_pair pair;
        struct siphash hash;

        siphash_init_pair(&hash, bytes);
        hf_siphash_bytes(&hash, bytes, rows[i].size);
        pair = siphash_finish_pair(&hash);
        assert_true(pair.first == rows[i].first && pair.second == rows[i].second);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(digests_are_the_published_ones),
                                       cmocka_unit_test(pairs_are_the_published_ones)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
