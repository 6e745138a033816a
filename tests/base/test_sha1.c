/* test_sha1.c - the digests that the standards give for their examples. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha1.h"
#include "support/test.h"

static void check_digest(const void *bytes, size_t size, const char *wanted)
{
    unsigned char digest[SHA1_SIZE];
    char hex[2 * SHA1_SIZE + 1];

    hf_sha1(bytes, size, digest);
    for (size_t i = 0; i < SHA1_SIZE; i++)
        snprintf(hex + i * 2, 3, "%02x", digest[i]);
    assert_string_equal(hex, wanted);
}

/* FIPS 180-4 and RFC 3174; RFC 6455, 1.3, has the last. */
static void digests(void **state)
{
    static const struct {
        const char *text, *digest;
    } rows[] = {
        {"", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
        {"abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "84983e441c3bd26ebaae4aa1f95129e5e54670f1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmn"
         "opqrsmnopqrstnopqrstu",
         "a49b2446a02c645bf419f995b67091253a04a259"},
        {"0123456701234567012345670123456701234567012345670123456701234567"
         "0123456701234567012345670123456701234567012345670123456701234567"
         "0123456701234567012345670123456701234567012345670123456701234567"
         "0123456701234567012345670123456701234567012345670123456701234567"
         "0123456701234567012345670123456701234567012345670123456701234567"
         "0123456701234567012345670123456701234567012345670123456701234567"
         "0123456701234567012345670123456701234567012345670123456701234567"
         "0123456701234567012345670123456701234567012345670123456701234567"
         "0123456701234567012345670123456701234567012345670123456701234567"
         "0123456701234567012345670123456701234567012345670123456701234567",
         "dea356a2cddd90c7a7ecedc5ebb563934f460452"},
        {"dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11",
         "b37a4f2cc0624f1690f64606cf385945b2bec4ea"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check_digest(rows[i].text, strlen(rows[i].text), rows[i].digest);
}

static void digests_a_million(void **state)
{
    char *bytes = malloc(1000000);

    (void)state;
    assert_non_null(bytes);
    memset(bytes, 'a', 1000000);
    check_digest(bytes, 1000000, "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
    free(bytes);
}

/* Around the size of a block and of the padding: computed by sha1sum. */
static void pads(void **state)
{
    static const struct {
        size_t size;
        const char *digest;
    } rows[] = {
        {55, "cef734ba81a024479e09eb5a75b6ddae62e6abf1"},
        {56, "901305367c259952f4e7af8323f480d59f81335b"},
        {63, "0ddc4e0cccd9a12850deb5abb0853a4425559fec"},
        {64, "bb2fa3ee7afb9f54c6dfb5d021f14b1ffe40c163"},
        {65, "78c741ddc482e4cdf8c474a0876347a0905b6233"},
        {119, "4300320394f7ee239bcdce7d3b8bcee173a0cd5c"},
        {120, "ceb2821639c4b6dcb10bce0e522ca2e608ce056d"},
        {128, "150fa3fbdc899bd0b8f95a9fb6027f564d953762"},
    };
    char bytes[128];

    (void)state;
    memset(bytes, 'x', sizeof bytes);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check_digest(bytes, rows[i].size, rows[i].digest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests),
        cmocka_unit_test(digests_a_million),
        cmocka_unit_test(pads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
