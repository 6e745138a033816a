/* siphash.c - SipHash-2-4: a short digest under a key, cheap enough for every call.
 *
 * Without the key nobody can try out what the text may have been. */
#include <string.h>

#include "base/siphash.h"

static uint64_t rotate(uint64_t value, unsigned bits)
{
    return value << bits | value >> (64 - bits);
}

static uint64_t read_word(const unsigned char *bytes)
{
    return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 |
           (uint64_t)bytes[3] << 24 | (uint64_t)bytes[4] << 32 | (uint64_t)bytes[5] << 40 |
           (uint64_t)bytes[6] << 48 | (uint64_t)bytes[7] << 56;
}

static inline void stir(struct siphash *hash, unsigned rounds)
{
    struct siphash local = *hash, *s = &local;

    while (rounds--) {
        s->v0 += s->v1;
        s->v2 += s->v3;
        s->v1 = rotate(s->v1, 13) ^ s->v0;
        s->v3 = rotate(s->v3, 16) ^ s->v2;
        s->v0 = rotate(s->v0, 32) + s->v3;
        s->v2 += s->v1;
        s->v1 = rotate(s->v1, 17) ^ s->v2;
        s->v3 = rotate(s->v3, 21) ^ s->v0;
        s->v2 = rotate(s->v2, 32);
    }
    *hash = local;
}

void siphash_init(struct siphash *hash, const unsigned char key[16])
{
    uint64_t k0 = read_word(key), k1 = read_word(key + 8);

    *hash = (struct siphash){k0 ^ UINT64_C(0x736f6d6570736575), k1 ^ UINT64_C(0x646f72616e646f6d),
                             k0 ^ UINT64_C(0x6c7967656e657261), k1 ^ UINT64_C(0x7465646279746573)};
}

void siphash_word(struct siphash *hash, uint64_t word)
{
    hash->v3 ^= word;
    stir(hash, 2);
    hash->v0 ^= word;
}

void siphash_bytes(struct siphash *hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t last = (uint64_t)size << 56;

    for (; size >= 8; at += 8, size -= 8)
        siphash_word(hash, read_word(at));
    for (unsigned i = 0; i < size; i++)
        last |= (uint64_t)at[i] << (i * 8);
    siphash_word(hash, last);
}

uint64_t siphash_finish(struct siphash *hash)
{
    hash->v2 ^= 0xff;
    stir(hash, 4);
    return hash->v0 ^ hash->v1 ^ hash->v2 ^ hash->v3;
}
