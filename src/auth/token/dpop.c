/* dpop.c - proofs that the client has the key which a token is bound to (RFC 9449, section 4.3). */
#include "auth/token/jwk.h"

enum { DPOP_ID = 256 }; /* bytes of jti and nonce */

/* The algorithms of proofs: all that are supported. */
#define DPOP_ALGORITHMS (~(algorithm_set)0)

bool hf_token_digest_is(const char *text, const unsigned char digest[SHA256_SIZE])
{
    unsigned char bytes[BASE64URL_BYTES(TOKEN_DIGEST)];
    size_t size;

    return strlen(text) == TOKEN_DIGEST && !hf_base64url_decode(text, TOKEN_DIGEST, bytes, &size) &&
           size == SHA256_SIZE && hf_digest_equal(bytes, digest);
}

/* Whether `htu` is the URL of the request; its query and fragment are ignored. */
static bool dpop_is_url(const char *htu, const char *url)
{
    return hf_resource_equal((struct text){htu, strcspn(htu, "?#")},
                             (struct text){url, strcspn(url, "?#")});
}

static bool dpop_is_token(const char *ath, const char *token)
{
    unsigned char digest[SHA256_SIZE];
    struct sha256 hash;

    hf_sha256_init(&hash);
    hf_sha256_add(&hash, token, strlen(token));
    hf_sha256_finish(&hash, digest);
    return hf_token_digest_is(ath, digest);
}

static bool dpop_id_is_short(const char *id)
{
    return *id && strlen(id) <= DPOP_ID;
}

static enum token_error dpop_check_claims(haft_value *claims, const struct dpop_check *check,
                                          struct dpop_proof *proof)
{
    const char *htm, *htu, *ath;

    if (hf_token_string(claims, "jti", &proof->jti) != 1 || !dpop_id_is_short(proof->jti) ||
        hf_token_string(claims, "nonce", &proof->nonce) < 0 ||
        (proof->nonce && !dpop_id_is_short(proof->nonce)) ||
        hf_token_string(claims, "htm", &htm) != 1 || hf_token_string(claims, "htu", &htu) != 1 ||
        hf_token_string(claims, "ath", &ath) != 1 ||
        hf_token_time(claims, "iat", &proof->issued) != 1)
        return TOKEN_BAD_CLAIM;
    if (strcmp(htm, check->method) != 0 || !dpop_is_url(htu, check->url) ||
        !dpop_is_token(ath, check->token))
        return TOKEN_BAD_CLAIM;
    if (proof->issued < check->now - check->window_s)
        return TOKEN_EXPIRED;
    return proof->issued > check->now + check->window_s ? TOKEN_NOT_YET : TOKEN_OK;
}

/* Verifies the signature with the key of the header, which must be the one that the token names. */
static enum token_error dpop_check_key(const struct crypto_functions *crypto, const struct jwt *jwt,
                                       const char *jkt)
{
    haft_value *value = yyjson_obj_get(jwt->header, "jwk");
    unsigned char digest[SHA256_SIZE];
    enum crypto_algorithm algorithm;
    struct jwk key = {.key = NULL};
    int status;

    if (!value || !hf_jwk_thumbprint(value, digest) ||
        !hf_algorithm_find(jwt->algorithm, strlen(jwt->algorithm), &algorithm))
        return TOKEN_MALFORMED;
    if (!hf_token_digest_is(jkt, digest))
        return TOKEN_UNKNOWN_KEY;
    status = hf_jwk_read(crypto, value, DPOP_ALGORITHMS, &key, NULL);
    if (status)
        return status < 0 ? TOKEN_NO_MEMORY : TOKEN_MALFORMED;
    status = key.algorithms & ALGORITHM_BIT(algorithm)
                 ? crypto->verify(key.key, algorithm, jwt->text, jwt->signed_size, jwt->signature,
                                  jwt->signature_size)
                 : HAFT_EINVAL;
    crypto->forget(key.key);
    return status == 1             ? TOKEN_OK
           : !status               ? TOKEN_BAD_SIGNATURE
           : status == HAFT_EINVAL ? TOKEN_WRONG_ALGORITHM
                                   : TOKEN_NO_MEMORY;
}

enum token_error hf_dpop_verify(const struct crypto_functions *crypto, const char *text,
                                size_t size, const struct dpop_check *check, haft_arena *arena,
                                struct dpop_proof *ret_proof)
{
    struct dpop_proof proof = {.jti = NULL};
    struct jwt jwt;
    enum token_error error = hf_jwt_read(text, size, arena, &jwt);

    if (error)
        return error;
    if (!jwt.type || !hf_text_same_ignoring_case(jwt.type, "dpop+jwt"))
        return TOKEN_WRONG_TYPE;
    error = dpop_check_claims(jwt.claims, check, &proof);
    if (!error)
        error = dpop_check_key(crypto, &jwt, check->jkt);
    if (!error)
        *ret_proof = proof;
    return error;
}
