/* hash.c - a hash function for tables of names.
 *
 * Names may come from an attacker, who must not be able to choose names that collide, so the hash
 * is seeded per process with the load address (ASLR). It multiplies eight bytes at a time to 128
 * bits and folds the product. */
#include "base/base.h"

#include <string.h>

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;

static uint64_t hash_fold(uint64_t left, uint64_t right)
{
    wide product = (wide)left * right;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}
#else
static uint64_t hash_fold(uint64_t left, uint64_t right)
{
    uint64_t product = (left ^ left >> 32) * (right | 1);

    return (product ^ product >> 29) * UINT64_C(0xbf58476d1ce4e5b9) ^ product >> 32;
}
#endif

static uint64_t secret(void)
{
    static const char here;

    return (uint64_t)(uintptr_t)&here * UINT64_C(0x9e3779b97f4a7c15);
}

/* Two rounds, so that every input bit affects every output bit. */
static uint64_t hash_finish(uint64_t hash)
{
    return hash_fold(hash_fold(hash, UINT64_C(0xa0761d6478bd642f)) ^ hash,
                     UINT64_C(0x8ebc6af09c88c6e3));
}

uint64_t hf_hash_word(uint64_t word)
{
    return hash_finish(word ^ secret());
}

uint64_t hf_hash_bytes(const void *bytes, size_t size)
{
    const char *at = bytes;
    uint64_t hash = secret() ^ size, word;

    for (; size > sizeof word; at += sizeof word, size -= sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = hash_fold(hash ^ word, UINT64_C(0xe7037ed1a0b428db));
    }
    return hash_finish(hash ^ bytes_word(at, size));
}
