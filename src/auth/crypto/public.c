/* public.c - public keys of OpenSSL, made of the numbers in a JWK (RFC 7518, section 6).
 *
 * Numbers come from documents and from requests, so that their sizes are checked before OpenSSL
 * calculates with them: a large exponent would make a verification slow. */
#include "auth/crypto/room.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PUBLIC_RSA_LEAST = 2048, /* bits */
    PUBLIC_RSA_MOST = 8192,
    PUBLIC_EXPONENT = 4, /* bytes */
    PUBLIC_ES256 = 2 * CRYPTO_COORDINATE,
    PUBLIC_ED25519 = 64,
    PUBLIC_DER = 2 + 2 * (2 + 1 + CRYPTO_COORDINATE)
};

/* Preparing a verification takes OpenSSL several microseconds, most of them for locks and for names of
 * algorithms to look up. It is done once for each algorithm of a key; a verification begins with a
 * copy. */
struct crypto_public {
    EVP_PKEY *pkey;
    enum crypto_algorithm algorithm; /* CRYPTO_RS256 for RSA */
    EVP_MD_CTX *prepared;     /* for `algorithm`; never changed, so that threads can copy it */
    EVP_MD_CTX *prepared_pss; /* for CRYPTO_PS256; NULL unless the key is of RSA */
};

static void public_refuse(haft_reason *reason, int code, const char *text)
{
    if (reason) {
        *reason = (haft_reason){.code = code};
        snprintf(reason->text, sizeof reason->text, "%s", text);
    }
}

/* Removes zeros from the front of a number. */
static void public_trim(const unsigned char **number, size_t *size)
{
    for (; *size && !**number; (*size)--)
        (*number)++;
}

/* Takes over the builder and makes a key of what it has. */
static EVP_PKEY *public_build(const char *type, OSSL_PARAM_BLD *builder)
{
    OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    EVP_PKEY *pkey = NULL;

    if (!parameters || !context || EVP_PKEY_fromdata_init(context) != 1 ||
        EVP_PKEY_fromdata(context, &pkey, EVP_PKEY_PUBLIC_KEY, parameters) != 1)
        pkey = NULL;
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    return pkey;
}

static EVP_PKEY *public_make_rsa(const struct crypto_numbers *numbers, const char **reterr_why)
{
    struct crypto_numbers given = *numbers;
    BIGNUM *n = NULL, *e = NULL;
    OSSL_PARAM_BLD *builder;
    EVP_PKEY *pkey = NULL;

    public_trim(&given.first, &given.first_size);
    public_trim(&given.second, &given.second_size);
    *reterr_why = "the RSA key does not have 2048 to 8192 bits";
    if (given.first_size > PUBLIC_RSA_MOST / 8 || given.first_size < PUBLIC_RSA_LEAST / 8 ||
        (given.first_size == PUBLIC_RSA_LEAST / 8 && !(given.first[0] & 0x80)))
        return NULL;
    *reterr_why = "the RSA key has an even modulus, or an exponent that is not an odd number from "
                  "3 to 2^32";
    if (!(given.first[given.first_size - 1] & 1) || !given.second_size ||
        given.second_size > PUBLIC_EXPONENT || !(given.second[given.second_size - 1] & 1) ||
        (given.second_size == 1 && given.second[0] < 3))
        return NULL;
    *reterr_why = NULL;
    builder = OSSL_PARAM_BLD_new();
    n = BN_bin2bn(given.first, (int)given.first_size, NULL);
    e = BN_bin2bn(given.second, (int)given.second_size, NULL);
    if (builder && n && e && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1 &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1)
        pkey = public_build("RSA", builder);
    else
        OSSL_PARAM_BLD_free(builder);
    BN_free(n);
    BN_free(e);
    return pkey;
}

static EVP_PKEY *public_make_ec(const struct crypto_numbers *numbers, const char **reterr_why)
{
    unsigned char point[1 + 2 * CRYPTO_COORDINATE] = {POINT_CONVERSION_UNCOMPRESSED};
    OSSL_PARAM_BLD *builder;
    EVP_PKEY_CTX *context;
    EVP_PKEY *pkey = NULL;
    bool right;

    *reterr_why = "the EC key is not a point on the curve P-256";
    if (numbers->first_size != CRYPTO_COORDINATE || numbers->second_size != CRYPTO_COORDINATE)
        return NULL;
    memcpy(point + 1, numbers->first, CRYPTO_COORDINATE);
    memcpy(point + 1 + CRYPTO_COORDINATE, numbers->second, CRYPTO_COORDINATE);
    builder = OSSL_PARAM_BLD_new();
    if (builder &&
        OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) == 1 &&
        OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point) ==
            1)
        pkey = public_build("EC", builder);
    else
        OSSL_PARAM_BLD_free(builder);
    context = pkey ? EVP_PKEY_CTX_new_from_pkey(NULL, pkey, NULL) : NULL;
    right = context && EVP_PKEY_public_check(context) == 1;
    EVP_PKEY_CTX_free(context);
    if (right)
        return pkey;
    EVP_PKEY_free(pkey);
    return NULL;
}

static EVP_PKEY *public_make_ed25519(const struct crypto_numbers *numbers, const char **reterr_why)
{
    *reterr_why = "the Ed25519 key does not have 32 bytes";
    if (numbers->first_size != CRYPTO_COORDINATE)
        return NULL;
    *reterr_why = NULL;
    return EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, numbers->first, numbers->first_size);
}

/* ---- preparation ---- */

static bool public_set_padding(EVP_PKEY_CTX *parameters, enum crypto_algorithm algorithm)
{
    if (algorithm != CRYPTO_PS256)
        return true;
    return EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING) == 1 &&
           EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, RSA_PSS_SALTLEN_DIGEST) == 1;
}

/* Returns NULL without memory. */
static EVP_MD_CTX *public_prepare(EVP_PKEY *pkey, enum crypto_algorithm algorithm)
{
    const EVP_MD *digest = algorithm == CRYPTO_EDDSA ? NULL : EVP_sha256();
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_PKEY_CTX *parameters;

    if (context && EVP_DigestVerifyInit(context, &parameters, digest, NULL, pkey) == 1 &&
        public_set_padding(parameters, algorithm)) {
        /* A copy is used once: its end need not leave it as it was. */
        EVP_MD_CTX_set_flags(context, EVP_MD_CTX_FLAG_FINALISE);
        return context;
    }
    EVP_MD_CTX_free(context);
    return NULL;
}

static bool public_prepare_all(crypto_public *key)
{
    bool rsa = key->algorithm == CRYPTO_RS256;

    key->prepared = public_prepare(key->pkey, key->algorithm);
    key->prepared_pss = rsa ? public_prepare(key->pkey, CRYPTO_PS256) : NULL;
    return key->prepared && (key->prepared_pss || !rsa);
}

crypto_public *hf_crypto_public_import(enum crypto_algorithm algorithm,
                                       const struct crypto_numbers *numbers,
                                       haft_reason *reterr_reason)
{
    crypto_public *key = malloc(sizeof *key);
    const char *why = NULL;

    if (!key) {
        public_refuse(reterr_reason, HAFT_ENOMEM, "out of memory");
        return NULL;
    }
    *key = (crypto_public){.algorithm = algorithm == CRYPTO_PS256 ? CRYPTO_RS256 : algorithm};
    key->pkey = key->algorithm == CRYPTO_RS256   ? public_make_rsa(numbers, &why)
                : key->algorithm == CRYPTO_ES256 ? public_make_ec(numbers, &why)
                                                 : public_make_ed25519(numbers, &why);
    if (key->pkey) {
        why = NULL;
        if (public_prepare_all(key)) {
            ERR_clear_error();
            return key;
        }
    }
    ERR_clear_error();
    hf_crypto_public_forget(key);
    public_refuse(reterr_reason, why ? HAFT_EINVAL : HAFT_ENOMEM,
                  why ? why : "OpenSSL could not make the key");
    return NULL;
}

void hf_crypto_public_forget(crypto_public *key)
{
    if (!key)
        return;
    EVP_MD_CTX_free(key->prepared);
    EVP_MD_CTX_free(key->prepared_pss);
    EVP_PKEY_free(key->pkey);
    free(key);
}

/* ---- verification ---- */

/* Writes 32 bytes as a DER INTEGER; returns its size, or 0 if the number is 0. */
static size_t public_put_number(const unsigned char *number, unsigned char *der)
{
    size_t size = CRYPTO_COORDINATE, sign;

    public_trim(&number, &size);
    if (!size)
        return 0;
    sign = number[0] >> 7;
    der[0] = 0x02;
    der[1] = (unsigned char)(size + sign);
    der[2] = 0;
    memcpy(der + 2 + sign, number, size);
    return 2 + sign + size;
}

/* Converts two numbers to the DER that OpenSSL expects of ECDSA; returns its size, or 0 if a number
 * is 0. */
static size_t public_pack(const unsigned char signature[PUBLIC_ES256],
                          unsigned char ret_der[PUBLIC_DER])
{
    size_t r = public_put_number(signature, ret_der + 2), s;

    s = r ? public_put_number(signature + CRYPTO_COORDINATE, ret_der + 2 + r) : 0;
    ret_der[0] = 0x30;
    ret_der[1] = (unsigned char)(r + s);
    return s ? 2 + r + s : 0;
}

/* Whether the key can be used for the algorithm, and a signature of it has this size. */
static bool public_agrees(const crypto_public *key, enum crypto_algorithm algorithm, size_t size)
{
    switch (algorithm) {
    case CRYPTO_RS256:
    case CRYPTO_PS256:
        return key->algorithm == CRYPTO_RS256 && size == (size_t)EVP_PKEY_get_size(key->pkey);
    case CRYPTO_ES256:
        return key->algorithm == CRYPTO_ES256 && size == PUBLIC_ES256;
    case CRYPTO_EDDSA:
        return key->algorithm == CRYPTO_EDDSA && size == PUBLIC_ED25519;
    }
    return false;
}

int hf_crypto_public_verify(const crypto_public *key, enum crypto_algorithm algorithm,
                            const void *bytes, size_t size, const unsigned char *signature,
                            size_t signature_size)
{
    unsigned char der[PUBLIC_DER];
    EVP_MD_CTX *context;
    int status = HAFT_ENOMEM;

    if (!public_agrees(key, algorithm, signature_size))
        return 0;
    if (algorithm == CRYPTO_ES256) {
        signature_size = public_pack(signature, der);
        signature = der;
        if (!signature_size)
            return 0;
    }
    context = EVP_MD_CTX_new();
    if (context && EVP_MD_CTX_copy_ex(context, algorithm == CRYPTO_PS256 ? key->prepared_pss
                                                                         : key->prepared) == 1)
        status = EVP_DigestVerify(context, signature, signature_size, bytes, size) == 1;
    EVP_MD_CTX_free(context);
    ERR_clear_error();
    return status;
}
