/* SipHash against published digests: the key is 00 01 .. 0f, the text 00 01 .. */
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

/* SipHash-1-3 of 128 bits as OpenSSL computes it, as two numbers of which the least significant byte
 * comes first. */
static void pairs_are_those_of_openssl(void **state)
{
    static const struct {
        size_t size;
        uint64_t first, second;
    } rows[] = {
        {0, UINT64_C(0xbea58827b2bc7ee7), UINT64_C(0x013030dd6adb62fd)},
        {1, UINT64_C(0xa8edd36004376ffc), UINT64_C(0x63f02f2bcc73055e)},
        {2, UINT64_C(0x9b836905097f7875), UINT64_C(0x95ea6a8c54c95b85)},
        {8, UINT64_C(0xb4dae3d5e1fe12aa), UINT64_C(0x99c7f935ab164f72)},
        {15, UINT64_C(0x6c52bdb205557ec1), UINT64_C(0x09017e1eeccd2129)},
        {63, UINT64_C(0x6f42fe4ee300584c), UINT64_C(0xad6052a70a6b9f07)},
    };
    unsigned char bytes[64];

    (void)state;
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)i;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct siphash_pair pair;
        struct siphash hash;

        siphash_init_pair(&hash, bytes);
        hf_siphash_pair_bytes(&hash, bytes, rows[i].size);
        pair = siphash_finish_pair(&hash);
        assert_true(pair.first == rows[i].first && pair.second == rows[i].second);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(digests_are_the_published_ones),
                                       cmocka_unit_test(pairs_are_those_of_openssl)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
