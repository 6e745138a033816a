/* siphash.c - the part of SipHash for strings of any length, which is used too rarely to be
 * inline. */
#include "base/siphash.h"

void hf_siphash_bytes(struct siphash *hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t last = (uint64_t)size << 56;
    struct siphash own = *hash; /* bytes cannot be a part of it, so that it stays in registers */

    for (; size >= 8; at += 8, size -= 8)
        siphash_word(&own, siphash_read(at));
    for (unsigned i = 0; i < size; i++)
        last |= (uint64_t)at[i] << (i * 8);
    siphash_word(&own, last);
    *hash = own;
}
