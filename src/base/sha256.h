/* base/sha256.h - SHA-256 and HMAC-SHA-256 (FIPS 180-4, RFC 2104). */
#ifndef HAFT_SRC_SHA256_H
#define HAFT_SRC_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_SIZE = 32 };

struct sha256 {
    uint32_t state[8];
    uint64_t total;
    unsigned char block[64];
};

void sha256_init(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *bytes, size_t size);
void sha256_finish(struct sha256 *hash, unsigned char ret_digest[SHA256_SIZE]);

void hmac_sha256(const void *key, size_t key_size, const void *bytes, size_t size,
                 unsigned char ret_digest[SHA256_SIZE]);

/* Whether two digests are equal, in a time that does not tell where they differ. */
int digest_equal(const unsigned char left[SHA256_SIZE], const unsigned char right[SHA256_SIZE]);

#endif
