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

void hf_sha256_init(struct sha256 *hash);
void hf_sha256_add(struct sha256 *hash, const void *bytes, size_t size);
void hf_sha256_finish(struct sha256 *hash, unsigned char ret_digest[SHA256_SIZE]);

/* A key prepared for any number of messages: the hash state after each of the two pads. It must be
 * kept as secret as the key. */
struct hmac_key {
    uint32_t inner[8], outer[8];
};

void hf_hmac_prepare(struct hmac_key *key, const void *bytes, size_t size);
/* HMAC of a message in pieces: hf_hmac_begin, hf_sha256_add for each piece, hf_hmac_finish. */
void hf_hmac_begin(const struct hmac_key *key, struct sha256 *ret_hash);
void hf_hmac_finish(const struct hmac_key *key, struct sha256 *hash,
                    unsigned char ret_digest[SHA256_SIZE]);
/* Replaces a digest with its HMAC, in two compressions regardless of the key's size. */
void hf_hmac_replace(const struct hmac_key *key, unsigned char digest[SHA256_SIZE]);

void hf_hmac_sha256(const void *key, size_t key_size, const void *bytes, size_t size,
                    unsigned char ret_digest[SHA256_SIZE]);

/* Compares two digests in constant time. */
int hf_digest_equal(const unsigned char left[SHA256_SIZE], const unsigned char right[SHA256_SIZE]);

/* Overwrites a secret with zeros, in a way that the compiler cannot optimize away. */
void hf_secret_wipe(void *bytes, size_t size);

#endif
