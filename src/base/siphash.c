/* siphash.c - texts of any length, which are seldom enough to be taken in here.
 *
 * Without the key nobody can try out what the text may have been. */
#include "base/siphash.h"

void hf_siphash_bytes(struct siphash *hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t last = (uint64_t)size << 56;

    for (; size >= 8; at += 8, size -= 8)
        siphash_word(hash, siphash_read(at));
    for (unsigned i = 0; i < size; i++)
        last |= (uint64_t)at[i] << (i * 8);
    siphash_word(hash, last);
}
