/* auth/token/jwk.h - algorithms and single keys, for the files of this room. */
#ifndef HAFT_SRC_JWK_H
#define HAFT_SRC_JWK_H

#include "auth/token/token.h"
#include "base/sha256.h"

/* A set of algorithms: one bit for each crypto_algorithm. */
typedef unsigned algorithm_set;

enum { TOKEN_DIGEST = 43 }; /* characters of a SHA-256 in base64url */

/* One of a set. */
#define ALGORITHM_BIT(algorithm) (1u << (algorithm))

/* Sets *ret_algorithm to the algorithm with this name in JOSE; false if it is not supported. */
bool hf_algorithm_find(const char *name, size_t size, enum crypto_algorithm *ret_algorithm);

/* The algorithms of a list that is separated by spaces; 0 if one is not supported or there is none. */
algorithm_set hf_algorithm_list(const char *list);

/* A public key, and the algorithms that it may be used for. */
struct jwk {
    const char *kid; /* string of the value that was read; NULL if absent */
    algorithm_set algorithms;
    crypto_public *key;
};

/* Reads a key that verifies signatures by one of the algorithms. Returns 0 with a key that the
 * caller forgets; 1 with the reason if it is not such a key; or HAFT_ENOMEM. */
int hf_jwk_read(const struct crypto_functions *crypto, haft_value *value, algorithm_set allowed,
                struct jwk *ret_jwk, haft_reason *reterr_reason);

/* Computes the thumbprint of a key (RFC 7638), which hf_jwk_read accepts as well. Returns false if it
 * does not have the members of a supported key. */
bool hf_jwk_thumbprint(haft_value *value, unsigned char ret_digest[SHA256_SIZE]);

/* As hf_audience_equal, of slices. */
bool hf_resource_equal(struct text left, struct text right);

/* Whether text is this digest in base64url. */
bool hf_token_digest_is(const char *text, const unsigned char digest[SHA256_SIZE]);

/* A string of an object without a NUL in it: 1, 0 if it is absent, or HAFT_EINVAL. */
int hf_token_string(haft_value *object, const char *name, const char **ret_text);

/* A time of an object in seconds, rounded up: 1, 0 if it is absent, or HAFT_EINVAL. */
int hf_token_time(haft_value *object, const char *name, int64_t *ret_time);

#endif
