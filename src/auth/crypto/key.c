/* key.c - private keys of OpenSSL as JOSE uses them: the type of the key determines the
 * algorithm. */
#include "auth/crypto/room.h"

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_RSA_BITS = 2048, KEY_PEM_LIMIT = 64 << 10, KEY_DER = 128 };

struct crypto_key {
    EVP_PKEY *pkey;
    const char *algorithm;
};

static crypto_key *key_refuse(haft_reason *reason, int code, const char *text)
{
    if (reason) {
        *reason = (haft_reason){.code = code};
        snprintf(reason->text, sizeof reason->text, "%s", text);
    }
    ERR_clear_error();
    return NULL;
}

static const char *key_algorithm(EVP_PKEY *pkey)
{
    char group[32];
    size_t size = 0;

    if (EVP_PKEY_is_a(pkey, "ED25519"))
        return "EdDSA";
    if (EVP_PKEY_is_a(pkey, "RSA"))
        return EVP_PKEY_get_bits(pkey) >= KEY_RSA_BITS &&
                       EVP_PKEY_get_size(pkey) <= CRYPTO_SIGNATURE
                   ? "RS256"
                   : NULL;
    if (EVP_PKEY_is_a(pkey, "EC") &&
        EVP_PKEY_get_utf8_string_param(pkey, OSSL_PKEY_PARAM_GROUP_NAME, group, sizeof group,
                                       &size) == 1 &&
        (!strcmp(group, "prime256v1") || !strcmp(group, "P-256")))
        return "ES256";
    return NULL;
}

/* Takes over the key. */
static crypto_key *key_wrap(EVP_PKEY *pkey, haft_reason *reterr_reason)
{
    const char *algorithm = key_algorithm(pkey);
    crypto_key *key = algorithm ? malloc(sizeof *key) : NULL;

    if (!key) {
        EVP_PKEY_free(pkey);
        return algorithm ? key_refuse(reterr_reason, HAFT_ENOMEM, "out of memory")
                         : key_refuse(reterr_reason, HAFT_EINVAL,
                                      "the private key is not of a supported kind: EC on P-256, "
                                      "RSA with at least 2048 bits, or Ed25519");
    }
    *key = (crypto_key){pkey, algorithm};
    return key;
}

/* Without this OpenSSL would ask for a password on the terminal. */
static int key_no_password(char *buffer, int size, int writing, void *context)
{
    (void)buffer, (void)size, (void)writing, (void)context;
    return -1;
}

crypto_key *hf_crypto_key_read(const char *pem, haft_reason *reterr_reason)
{
    size_t size = strlen(pem);
    BIO *bio = size <= KEY_PEM_LIMIT ? BIO_new_mem_buf(pem, (int)size) : NULL;
    EVP_PKEY *pkey = bio ? PEM_read_bio_PrivateKey(bio, NULL, key_no_password, NULL) : NULL;

    BIO_free(bio);
    if (!pkey)
        return key_refuse(reterr_reason, HAFT_EINVAL,
                          "the private key is not valid PEM without a password");
    ERR_clear_error();
    return key_wrap(pkey, reterr_reason);
}

crypto_key *hf_crypto_key_make(haft_reason *reterr_reason)
{
    EVP_PKEY *pkey = EVP_EC_gen("P-256");

    return pkey ? key_wrap(pkey, reterr_reason)
                : key_refuse(reterr_reason, HAFT_EFAIL, "OpenSSL could not make a key");
}

void hf_crypto_key_destroy(crypto_key *key)
{
    if (!key)
        return;
    EVP_PKEY_free(key->pkey);
    free(key);
}

const char *hf_crypto_key_algorithm(const crypto_key *key)
{
    return key->algorithm;
}

/* Converts the DER of an ECDSA signature to two numbers of fixed size. */
static int key_unpack(const unsigned char *der, size_t size,
                      unsigned char ret_signature[2 * CRYPTO_COORDINATE])
{
    ECDSA_SIG *signature = d2i_ECDSA_SIG(NULL, &der, (long)size);
    int status = HAFT_EFAIL;

    if (signature &&
        BN_bn2binpad(ECDSA_SIG_get0_r(signature), ret_signature, CRYPTO_COORDINATE) > 0 &&
        BN_bn2binpad(ECDSA_SIG_get0_s(signature), ret_signature + CRYPTO_COORDINATE,
                     CRYPTO_COORDINATE) > 0)
        status = 0;
    ECDSA_SIG_free(signature);
    return status;
}

int hf_crypto_key_sign(const crypto_key *key, const void *bytes, size_t size,
                       unsigned char ret_signature[CRYPTO_SIGNATURE], size_t *ret_size)
{
    bool ec = !strcmp(key->algorithm, "ES256");
    const EVP_MD *digest = strcmp(key->algorithm, "EdDSA") ? EVP_sha256() : NULL;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    unsigned char der[KEY_DER];
    size_t made = ec ? sizeof der : CRYPTO_SIGNATURE;
    int status = HAFT_EFAIL;

    if (context && EVP_DigestSignInit(context, NULL, digest, NULL, key->pkey) == 1 &&
        EVP_DigestSign(context, ec ? der : ret_signature, &made, bytes, size) == 1)
        status = ec ? key_unpack(der, made, ret_signature) : 0;
    EVP_MD_CTX_free(context);
    ERR_clear_error();
    if (!status)
        *ret_size = ec ? (size_t)(2 * CRYPTO_COORDINATE) : made;
    return status;
}

static int key_coordinate(const crypto_key *key, const char *name,
                          unsigned char ret_bytes[CRYPTO_COORDINATE])
{
    BIGNUM *number = NULL;
    int status = EVP_PKEY_get_bn_param(key->pkey, name, &number) == 1 &&
                         BN_bn2binpad(number, ret_bytes, CRYPTO_COORDINATE) > 0
                     ? 0
                     : HAFT_EINVAL;

    BN_free(number);
    return status;
}

int hf_crypto_key_point(const crypto_key *key, unsigned char ret_x[CRYPTO_COORDINATE],
                        unsigned char ret_y[CRYPTO_COORDINATE])
{
    if (strcmp(key->algorithm, "ES256") != 0 ||
        key_coordinate(key, OSSL_PKEY_PARAM_EC_PUB_X, ret_x) ||
        key_coordinate(key, OSSL_PKEY_PARAM_EC_PUB_Y, ret_y)) {
        ERR_clear_error();
        return HAFT_EINVAL;
    }
    return 0;
}

int hf_crypto_key_write(const crypto_key *key, char ret_pem[CRYPTO_PEM])
{
    BIO *bio = BIO_new(BIO_s_secmem());
    int size = 0;

    if (bio && PEM_write_bio_PKCS8PrivateKey(bio, key->pkey, NULL, NULL, 0, NULL, NULL) == 1)
        size = BIO_read(bio, ret_pem, CRYPTO_PEM);
    BIO_free(bio);
    ERR_clear_error();
    if (size <= 0 || size == CRYPTO_PEM) {
        OPENSSL_cleanse(ret_pem, CRYPTO_PEM);
        return HAFT_EFAIL;
    }
    ret_pem[size] = '\0';
    return 0;
}
