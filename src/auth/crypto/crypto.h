/* auth/crypto/crypto.h - signatures as JOSE has them, made with private keys and verified with public
 * ones, and TLS of servers. An optional part of libhaft (haft/part.h) on OpenSSL: a program that needs
 * neither does not load it.
 *
 * All functions may be called on any thread, but not on two at once with the same private key. */
#ifndef HAFT_SRC_CRYPTO_H
#define HAFT_SRC_CRYPTO_H

#include <haft/base.h>

/* A private key: EC on the curve P-256 (ES256), RSA of 2048 bits or more (RS256), or Ed25519
 * (EdDSA). */
typedef struct crypto_key crypto_key;

/* A public key of the same kinds; immutable. */
typedef struct crypto_public crypto_public;

enum { CRYPTO_SIGNATURE = 1024, CRYPTO_COORDINATE = 32, CRYPTO_PEM = 512 };

/* How a signature is made. An RSA key can be used for two of them, every other key for one. */
enum crypto_algorithm {
    CRYPTO_RS256, /* RSASSA-PKCS1-v1_5 with SHA-256 */
    CRYPTO_PS256, /* RSASSA-PSS with SHA-256, also for its mask, and 32 bytes of salt */
    CRYPTO_ES256, /* ECDSA on P-256 with SHA-256; the signature is r and s, 32 bytes each */
    CRYPTO_EDDSA  /* Ed25519 */
};

/* Numbers of public keys: unsigned, the most significant byte first. */
struct crypto_numbers {
    const unsigned char *first, *second; /* n and e; x and y; x */
    size_t first_size, second_size;
};

struct tls_functions;

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

    /* Makes a public key for the algorithm of its numbers: an odd RSA modulus of 2048 to 8192 bits
     * with an odd exponent from 3 to 2^32; a point on P-256 with coordinates of 32 bytes; 32 bytes
     * of Ed25519. Returns NULL with the reason. */
    crypto_public *(*import)(enum crypto_algorithm algorithm, const struct crypto_numbers *numbers,
                             haft_reason *reterr_reason);
    void (*forget)(crypto_public *key); /* NULL is ignored */

    /* Verifies a signature in the form of JOSE. Several threads may verify with one key at once.
     * Returns 1; 0 if the signature is invalid or the key is not one for the algorithm; or
     * HAFT_ENOMEM. */
    int (*verify)(const crypto_public *key, enum crypto_algorithm algorithm, const void *bytes,
                  size_t size, const unsigned char *signature, size_t signature_size);

    const struct tls_functions *tls; /* auth/crypto/tls.h */
};

#endif
