/* siphash.c - the part of SipHash for strings of any length, which is used too rarely to be
 * inline. */
#include "base/siphash.h"

/* `rounds` is a constant wherever it is called. */
static ALWAYS_INLINE void siphash_add(struct siphash *hash, const void *bytes, size_t size,
                                      int rounds)
{
    const unsigned char *at = bytes, *end = at + (size & ~(size_t)7);
    uint64_t last = (uint64_t)size << 56;
    struct siphash own = *hash; /* bytes cannot be a part of it, so that it stays in registers */

    for (; at != end; at += 8)
        siphash_add_word(&own, siphash_read(at), rounds);
    for (unsigned i = 0; i < (size & 7); i++)
        last |= (uint64_t)at[i] << (i * 8);
    siphash_add_word(&own, last, rounds);
    *hash = own;
}

void hf_siphash_bytes(struct siphash *hash, const void *bytes, size_t size)
{
    siphash_add(hash, bytes, size, 2);
}

void hf_siphash_pair_bytes(struct siphash *hash, const void *bytes, size_t size)
{
    siphash_add(hash, bytes, size, 1);
}
