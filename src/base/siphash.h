/* base/siphash.h - SipHash, a keyed digest: SipHash-2-4 of 64 bits, which may be shown, because without
 * the key nobody can test guesses of the text; and SipHash-1-3 of 128 bits, for tables.
 *
 * The functions that every call uses are inline, so that the state stays in registers. */
#ifndef HAFT_SRC_SIPHASH_H
#define HAFT_SRC_SIPHASH_H

#include "base/base.h"

struct siphash {
    uint64_t v0, v1, v2, v3;
};

static inline uint64_t siphash_read(const unsigned char *bytes)
{
    return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 |
           (uint64_t)bytes[3] << 24 | (uint64_t)bytes[4] << 32 | (uint64_t)bytes[5] << 40 |
           (uint64_t)bytes[6] << 48 | (uint64_t)bytes[7] << 56;
}

static inline uint64_t siphash_rotate(uint64_t value, unsigned bits)
{
    return value << bits | value >> (64 - bits);
}

static ALWAYS_INLINE void siphash_round(struct siphash *s)
{
    s->v0 += s->v1;
    s->v2 += s->v3;
    s->v1 = siphash_rotate(s->v1, 13) ^ s->v0;
    s->v3 = siphash_rotate(s->v3, 16) ^ s->v2;
    s->v0 = siphash_rotate(s->v0, 32) + s->v3;
    s->v2 += s->v1;
    s->v1 = siphash_rotate(s->v1, 17) ^ s->v2;
    s->v3 = siphash_rotate(s->v3, 21) ^ s->v0;
    s->v2 = siphash_rotate(s->v2, 32);
}

static ALWAYS_INLINE void siphash_init(struct siphash *hash, const unsigned char key[16])
{
    uint64_t k0 = siphash_read(key), k1 = siphash_read(key + 8);

    *hash = (struct siphash){k0 ^ UINT64_C(0x736f6d6570736575), k1 ^ UINT64_C(0x646f72616e646f6d),
                             k0 ^ UINT64_C(0x6c7967656e657261), k1 ^ UINT64_C(0x7465646279746573)};
}

/* Adds eight bytes, or a string followed by its size; the size makes the encoding of several
 * strings unambiguous. */
static ALWAYS_INLINE void siphash_add_word(struct siphash *hash, uint64_t word, int rounds)
{
    hash->v3 ^= word;
    for (int i = 0; i < rounds; i++)
        siphash_round(hash);
    hash->v0 ^= word;
}

static ALWAYS_INLINE void siphash_word(struct siphash *hash, uint64_t word)
{
    siphash_add_word(hash, word, 2);
}

void hf_siphash_bytes(struct siphash *hash, const void *bytes, size_t size);

static ALWAYS_INLINE uint64_t siphash_finish(struct siphash *hash)
{
    hash->v2 ^= 0xff;
    for (int i = 0; i < 4; i++)
        siphash_round(hash);
    return hash->v0 ^ hash->v1 ^ hash->v2 ^ hash->v3;
}

/* SipHash-1-3 of 128 bits, which begins and ends differently, is the key of tables that do not keep the
 * secrets they look up: two strings with the same digest are taken for the same string. It takes half
 * the time. The rounds that it lacks protect the key from attackers who read digests; these never
 * leave the process, and all that a client learns is whether its string was found. Without the key, no
 * known way to make the states of two strings collide succeeds more often than guessing 128 bits. */
struct siphash_pair {
    uint64_t first, second;
};

static ALWAYS_INLINE void siphash_init_pair(struct siphash *hash, const unsigned char key[16])
{
    siphash_init(hash, key);
    hash->v1 ^= 0xee;
}

void hf_siphash_pair_bytes(struct siphash *hash, const void *bytes, size_t size);

static ALWAYS_INLINE struct siphash_pair siphash_finish_pair(struct siphash *hash)
{
    struct siphash_pair pair;

    hash->v2 ^= 0xee;
    for (int i = 0; i < 3; i++)
        siphash_round(hash);
    pair.first = hash->v0 ^ hash->v1 ^ hash->v2 ^ hash->v3;
    hash->v1 ^= 0xdd;
    for (int i = 0; i < 3; i++)
        siphash_round(hash);
    pair.second = hash->v0 ^ hash->v1 ^ hash->v2 ^ hash->v3;
    return pair;
}

#endif
