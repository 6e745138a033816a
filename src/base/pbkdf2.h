/* base/pbkdf2.h - PBKDF2 with HMAC-SHA-256 (RFC 8018) for one block, in steps.
 *
 * A derivation takes so many iterations that it must be possible to stop in the middle of one, and
 * so that is the caller's: begin, step until `iterations` is what is wanted, read `sum`, and
 * wipe. */
#ifndef HAFT_SRC_PBKDF2_H
#define HAFT_SRC_PBKDF2_H

#include "base/sha256.h"

struct pbkdf2 {
    struct hmac_key key;
    unsigned char block[SHA256_SIZE]; /* of the last iteration */
    unsigned char sum[SHA256_SIZE];   /* the derived key, after so many */
    unsigned iterations;
};

/* The first iteration. */
void hf_pbkdf2_begin(struct pbkdf2 *derivation, const void *password, size_t size, const void *salt,
                     size_t salt_size);
/* So many more.  Each costs the same whatever the password is. */
void hf_pbkdf2_step(struct pbkdf2 *derivation, unsigned iterations);

#endif
