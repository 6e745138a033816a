/* auth/crypto/crypto.h - signatures with private keys, an optional part of libhaft (haft/part.h) on
 * OpenSSL: a program that needs none does not load it.
 *
 * All functions may be called on any thread, but not on two at once with the same key. */
#ifndef HAFT_SRC_CRYPTO_H
#define HAFT_SRC_CRYPTO_H

#include <haft/base.h>

/* A private key: EC on the curve P-256 (ES256), RSA of 2048 bits or more (RS256), or Ed25519
 * (EdDSA). */
typedef struct crypto_key crypto_key;

enum { CRYPTO_SIGNATURE = 1024, CRYPTO_COORDINATE = 32, CRYPTO_PEM = 512 };

struct crypto_functions {
    /* Reads a key without a password from PEM text. Returns NULL with the reason, which contains
     * nothing of the key. */
    crypto_key *(*read)(const char *pem, haft_reason *reterr_reason);

    /* Makes a key on P-256. Returns NULL with the reason. */
    crypto_key *(*make)(haft_reason *reterr_reason);

    /* Overwrites and frees a key; NULL is ignored. */
    void (*destroy)(crypto_key *key);

    /* The name of its algorithm in JOSE, a constant. */
    const char *(*algorithm)(const crypto_key *key);

    /* Signs bytes; the signature is in the form of JOSE. Returns 0 or HAFT_EFAIL. */
    int (*sign)(const crypto_key *key, const void *bytes, size_t size,
                unsigned char ret_signature[CRYPTO_SIGNATURE], size_t *ret_size);

    /* The public point of a key on P-256. Returns 0, or HAFT_EINVAL for other keys. */
    int (*point)(const crypto_key *key, unsigned char ret_x[CRYPTO_COORDINATE],
                 unsigned char ret_y[CRYPTO_COORDINATE]);

    /* Writes a key on P-256 as PEM text with a NUL. Returns 0 or HAFT_EFAIL. */
    int (*write)(const crypto_key *key, char ret_pem[CRYPTO_PEM]);
};

#endif
