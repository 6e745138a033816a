/* base/siphash.h - SipHash-2-4: a digest of 64 bits that says nothing to whoever lacks the key. */
#ifndef HAFT_SRC_SIPHASH_H
#define HAFT_SRC_SIPHASH_H

#include "base/base.h"

struct siphash {
    uint64_t v0, v1, v2, v3;
};

void siphash_init(struct siphash *hash, const unsigned char key[16]);

/* Takes in eight bytes, and bytes with their number: the digest of one text is that of its bytes
 * alone. */
void siphash_word(struct siphash *hash, uint64_t word);
void siphash_bytes(struct siphash *hash, const void *bytes, size_t size);
uint64_t siphash_finish(struct siphash *hash);

#endif
