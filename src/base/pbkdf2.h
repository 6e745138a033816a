/* base/pbkdf2.h - PBKDF2 with HMAC-SHA-256 (RFC 8018) for one block, in steps.
 *
 * A derivation takes long, so the caller controls the loop and can stop it: begin, step until
 * `iterations` reaches the wanted count, read `sum`, then wipe. */
#ifndef HAFT_SRC_PBKDF2_H
#define HAFT_SRC_PBKDF2_H

#include "base/sha256.h"

struct pbkdf2 {
    struct hmac_key key;
    unsigned char block[SHA256_SIZE]; /* result of the last iteration */
    unsigned char sum[SHA256_SIZE];   /* derived key after `iterations` iterations */
    unsigned iterations;
};

/* Starts a derivation and performs the first iteration. */
void hf_pbkdf2_begin(struct pbkdf2 *derivation, const void *password, size_t size, const void *salt,
                     size_t salt_size);
/* Performs `iterations` more. The time does not depend on the password. */
void hf_pbkdf2_step(struct pbkdf2 *derivation, unsigned iterations);

#endif
