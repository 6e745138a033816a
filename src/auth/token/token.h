/* auth/token/token.h - access tokens that are JWTs (RFC 9068), public keys (RFC 7517) and proofs of
 * possession (RFC 9449), without I/O.
 *
 * A token is read, which does not trust it; its issuer picks the keys; the claims are checked, and
 * then the signature. Key and algorithm: the key determines the algorithm, and the token may only
 * agree. All functions may be called on any thread. */
#ifndef HAFT_SRC_TOKEN_H
#define HAFT_SRC_TOKEN_H

#include "auth/crypto/crypto.h"
#include "base/base.h"
#include "json/json.h"

enum {
    TOKEN_LIMIT = 16 << 10, /* bytes of a token or a proof */
    TOKEN_DEPTH = 16,
    TOKEN_KID = 256,
    TOKEN_KEYS = 64,             /* keys of an issuer */
    TOKEN_KEYS_LIMIT = 256 << 10 /* bytes of its document */
};

/* Algorithms of signatures that are supported. */
#define TOKEN_ALGORITHMS "ES256 RS256 PS256 EdDSA"

/* Why a token was refused; the text contains nothing of the token. */
#define TOKEN_ERRORS(X)                                                                            \
    X(TOKEN_OK, "")                                                                                \
    X(TOKEN_MALFORMED, "The access token is malformed")                                            \
    X(TOKEN_TOO_LONG, "The access token is too long")                                              \
    X(TOKEN_WRONG_TYPE, "The token is not an access token")                                        \
    X(TOKEN_WRONG_ALGORITHM, "The token's algorithm is not accepted")                              \
    X(TOKEN_CRITICAL, "The token has a critical header that is not supported")                     \
    X(TOKEN_WRONG_ISSUER, "The token's issuer is not accepted")                                    \
    X(TOKEN_WRONG_AUDIENCE, "The token was issued for another resource")                           \
    X(TOKEN_EXPIRED, "The access token has expired")                                               \
    X(TOKEN_NOT_YET, "The access token is not valid yet")                                          \
    X(TOKEN_BAD_CLAIM, "A claim of the access token is invalid")                                   \
    X(TOKEN_UNKNOWN_KEY, "The token's key is not known")                                           \
    X(TOKEN_BAD_SIGNATURE, "The token's signature is invalid")                                     \
    X(TOKEN_NO_MEMORY, "Out of memory")                                                            \
    X(TOKEN_INACTIVE, "The access token is not active") /* says its issuer */

#define TOKEN_ERROR_(name, text) name,
enum token_error { TOKEN_ERRORS(TOKEN_ERROR_) TOKEN_ERROR_COUNT };
#undef TOKEN_ERROR_

const char *hf_token_error_text(enum token_error error);
/* A label for metrics, such as "expired". */
const char *hf_token_error_label(enum token_error error);

/* ---- keys (keys.c) ---- */

struct token_keys; /* the keys of an issuer: immutable */

/* Reads a JWKS document. Keys that cannot be used are left out, each with a line to `left_out` (which
 * may be NULL); a document without any usable key is an error, HAFT_ENOTFOUND. `algorithms` are those to accept,
 * separated by spaces. Returns NULL with the reason. */
struct token_keys *hf_token_keys_read(const struct crypto_functions *crypto,
                                      const haft_allocator *allocator, const char *text,
                                      size_t size, const char *algorithms,
                                      void (*left_out)(void *context, const char *why),
                                      void *context, haft_reason *reterr_reason);
void hf_token_keys_free(struct token_keys *keys); /* NULL is ignored */
size_t hf_token_keys_count(const struct token_keys *keys);

/* Whether a list of algorithms, separated by spaces, contains only supported ones. */
bool hf_token_algorithms_valid(const char *algorithms);

/* ---- access tokens (jwt.c, claims.c) ---- */

/* A JWT that has been read and not been verified. */
struct jwt {
    const char *text;
    size_t signed_size; /* bytes of text that the signature is about */
    unsigned char *signature;
    size_t signature_size;
    const char *algorithm, *type, *kid; /* NULL if absent */
    haft_value *header, *claims;
    const char *payload; /* the claims as text, with a NUL */
    size_t payload_size;
    const char *issuer; /* claim iss; NULL if absent */
};

/* Reads a JWT of three parts strictly; everything is in the arena. */
enum token_error hf_jwt_read(const char *text, size_t size, haft_arena *arena, struct jwt *ret_jwt);
/* Whether it has the form of a JWT: three parts of base64url. Otherwise it is an opaque token. */
bool hf_jwt_is_like(const char *text, size_t size);

/* Verifies the signature. TOKEN_UNKNOWN_KEY: the keys may have been replaced since they were read. */
enum token_error hf_jwt_verify(const struct jwt *jwt, const struct token_keys *keys);

/* What a token must be for. */
struct token_rules {
    const char *issuer;
    const char *const *audiences; /* one of them; ends with NULL */
    bool any_type;
    int64_t skew_s;
};

/* What a token says. Strings are in the arena. */
struct token_claims {
    const char *issuer, *subject, *client; /* subject or client is there */
    const char *scopes; /* separated by single spaces, without "*"; NULL for none */
    const char *jkt;    /* thumbprint of a key that it is bound to, or NULL */
    const char *x5t;    /* thumbprint of a certificate, or NULL */
    int64_t expires;    /* seconds since 1970 */
};

/* Checks type and claims of a JWT. */
enum token_error hf_jwt_check(const struct jwt *jwt, const struct token_rules *rules, int64_t now,
                              haft_arena *arena, struct token_claims *ret_claims);
/* Checks the claims of an introspection response with `active` true, in which iss may be absent. */
enum token_error hf_claims_check(haft_value *claims, const struct token_rules *rules, int64_t now,
                                 haft_arena *arena, struct token_claims *ret_claims);

/* Whether two resource identifiers are equal: by bytes, or after lowering the case of scheme and
 * host and removing the default port and one "/" at the end. */
bool hf_audience_equal(const char *left, const char *right);

/* ---- proofs of possession (dpop.c) ---- */

struct dpop_check {
    const char *method, *url; /* of the request, without query; the URL as the client sees it */
    const char *token;        /* that the proof is for */
    const char *jkt;          /* thumbprint that the token is bound to */
    int64_t now, window_s;    /* 300 */
};

struct dpop_proof {
    const char *jti, *nonce; /* in the arena; nonce: NULL if absent */
    int64_t issued;
};

/* Verifies a proof except its nonce and its repetition, which the caller knows of: its type, method
 * and URL, time, token and key, then its signature. TOKEN_UNKNOWN_KEY: it is not of the key that the
 * token is bound to. */
enum token_error hf_dpop_verify(const struct crypto_functions *crypto, const char *text,
                                size_t size, const struct dpop_check *check, haft_arena *arena,
                                struct dpop_proof *ret_proof);

#endif
