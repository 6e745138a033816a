/* pbkdf2.c - PBKDF2: the password is prepared once as an HMAC key; each iteration then takes two
 * compressions. */
#include "base/pbkdf2.h"

#include <string.h>

void hf_pbkdf2_begin(struct pbkdf2 *derivation, const void *password, size_t size, const void *salt,
                     size_t salt_size)
{
    struct sha256 hash;

    hf_hmac_prepare(&derivation->key, password, size);
    hf_hmac_begin(&derivation->key, &hash);
    hf_sha256_add(&hash, salt, salt_size);
    hf_sha256_add(&hash, "\0\0\0\1", 4); /* block number */
    hf_hmac_finish(&derivation->key, &hash, derivation->block);
    memcpy(derivation->sum, derivation->block, SHA256_SIZE);
    derivation->iterations = 1;
    hf_secret_wipe(&hash, sizeof hash);
}

void hf_pbkdf2_step(struct pbkdf2 *derivation, unsigned iterations)
{
    derivation->iterations += iterations;
    while (iterations--) {
        hf_hmac_replace(&derivation->key, derivation->block);
        for (size_t i = 0; i < SHA256_SIZE; i++)
            derivation->sum[i] ^= derivation->block[i];
    }
}
