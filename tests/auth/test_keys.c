/* test_keys.c - signatures with private keys, verified by OpenSSL itself. */
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <string.h>

#include <haft/part.h>

#include "part/crypto.h"
#include "support/test.h"

static const struct crypto_functions *crypto;

static int open_part(void **state)
{
    haft_reason reason = {0};

    (void)state;
    haft_part_register(&haft_crypto_part);
    crypto = hf_crypto_open("this test", &reason);
    return !crypto;
}

static void put_pem(EVP_PKEY *pkey, const EVP_CIPHER *cipher, char *text, size_t room)
{
    BIO *bio = BIO_new(BIO_s_mem());
    int size;

    PEM_write_bio_PKCS8PrivateKey(bio, pkey, cipher, "password", cipher ? 8 : 0, NULL, NULL);
    size = BIO_read(bio, text, (int)room - 1);
    assert_true(size > 0);
    text[size] = '\0';
    BIO_free(bio);
}

/* Verifies a signature of JOSE: that of ECDSA is two numbers. */
static bool verify(EVP_PKEY *pkey, const char *algorithm, const char *text,
                   const unsigned char *signature, size_t size)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    unsigned char der[128], *at = der;
    bool right;

    if (!strcmp(algorithm, "ES256")) {
        ECDSA_SIG *pair = ECDSA_SIG_new();

        assert_int_equal(size, 64);
        ECDSA_SIG_set0(pair, BN_bin2bn(signature, 32, NULL), BN_bin2bn(signature + 32, 32, NULL));
        size = (size_t)i2d_ECDSA_SIG(pair, &at);
        signature = der;
        ECDSA_SIG_free(pair);
    }
    right =
        EVP_DigestVerifyInit(context, NULL, strcmp(algorithm, "EdDSA") ? EVP_sha256() : NULL, NULL,
                             pkey) == 1 &&
        EVP_DigestVerify(context, signature, size, (const unsigned char *)text, strlen(text)) == 1;
    EVP_MD_CTX_free(context);
    return right;
}

static EVP_PKEY *generate(const char *kind)
{
    if (!strncmp(kind, "RSA", 3))
        return EVP_RSA_gen(!strcmp(kind, "RSA-1024") ? 1024u : 2048u);
    return !strcmp(kind, "ED25519") || !strcmp(kind, "ED448") ? EVP_PKEY_Q_keygen(NULL, NULL, kind)
                                                              : EVP_EC_gen(kind);
}

static void signs_by_the_type_of_the_key(void **state)
{
    static const struct {
        const char *kind, *algorithm; /* NULL: refused */
    } rows[] = {
        {"P-256", "ES256"}, {"RSA", "RS256"},   {"ED25519", "EdDSA"}, {"P-384", NULL},
        {"ED448", NULL},    {"RSA-1024", NULL}, {"secp256k1", NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        EVP_PKEY *pkey = generate(rows[i].kind);
        unsigned char signature[CRYPTO_SIGNATURE];
        haft_reason reason = {0};
        char pem[4096];
        crypto_key *key;
        size_t size;

        assert_non_null(pkey);
        put_pem(pkey, NULL, pem, sizeof pem);
        key = crypto->read(pem, &reason);
        if (rows[i].algorithm) {
            assert_non_null(key);
            assert_string_equal(crypto->algorithm(key), rows[i].algorithm);
            for (int k = 0; k < 50; k++) { /* numbers with leading zeros are padded */
                assert_int_equal(crypto->sign(key, "text", 4, signature, &size), 0);
                assert_true(verify(pkey, rows[i].algorithm, "text", signature, size));
                assert_false(verify(pkey, rows[i].algorithm, "test", signature, size));
            }
        } else {
            assert_null(key);
            assert_int_equal(reason.code, HAFT_EINVAL);
            assert_non_null(strstr(reason.text, "supported kind"));
        }
        crypto->destroy(key);
        EVP_PKEY_free(pkey);
    }
}

static void refuses_what_is_not_a_key(void **state)
{
    EVP_PKEY *pkey = EVP_EC_gen("P-256");
    char pem[4096];
    const char *const rows[] = {
        "", "secret", "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n", pem};

    (void)state;
    put_pem(pkey, EVP_aes_128_cbc(), pem, sizeof pem); /* with a password */
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_reason reason = {0};

        assert_null(crypto->read(rows[i], &reason));
        assert_int_equal(reason.code, HAFT_EINVAL);
        assert_string_equal(reason.text, "the private key is not valid PEM without a password");
    }
    EVP_PKEY_free(pkey);
}

static void makes_keys_that_can_be_kept(void **state)
{
    unsigned char point[4][CRYPTO_COORDINATE];
    haft_reason reason = {0};
    crypto_key *key = crypto->make(&reason), *again;
    char pem[CRYPTO_PEM];

    (void)state;
    assert_non_null(key);
    assert_string_equal(crypto->algorithm(key), "ES256");
    assert_int_equal(crypto->write(key, pem), 0);
    again = crypto->read(pem, &reason);
    assert_non_null(again);
    assert_int_equal(crypto->point(key, point[0], point[1]), 0);
    assert_int_equal(crypto->point(again, point[2], point[3]), 0);
    assert_memory_equal(point[0], point[2], 2 * CRYPTO_COORDINATE);
    crypto->destroy(key);
    crypto->destroy(again);
    crypto->destroy(NULL);
}

static void knows_points_of_one_curve_only(void **state)
{
    EVP_PKEY *pkey = generate("ED25519");
    unsigned char x[CRYPTO_COORDINATE], y[CRYPTO_COORDINATE];
    haft_reason reason = {0};
    char pem[4096];
    crypto_key *key;

    (void)state;
    put_pem(pkey, NULL, pem, sizeof pem);
    key = crypto->read(pem, &reason);
    assert_int_equal(crypto->point(key, x, y), HAFT_EINVAL);
    crypto->destroy(key);
    EVP_PKEY_free(pkey);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signs_by_the_type_of_the_key),
        cmocka_unit_test(refuses_what_is_not_a_key),
        cmocka_unit_test(makes_keys_that_can_be_kept),
        cmocka_unit_test(knows_points_of_one_curve_only),
    };

    return cmocka_run_group_tests(tests, open_part, NULL);
}
