/* test_public.c - public keys of numbers, and signatures that OpenSSL itself has made. */
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <haft/part.h>

#include "part/crypto.h"
#include "support/test.h"

enum { MODULUS = 8192 / 8, THREADS = 4, ROUNDS = 25 };

static const struct crypto_functions *crypto;
static EVP_PKEY *rsa_key, *ec_key, *ed_key;

static int open_part(void **state)
{
    haft_reason reason = {0};

    (void)state;
    haft_part_register(&haft_crypto_part);
    crypto = hf_crypto_open("this test", &reason);
    rsa_key = EVP_RSA_gen(2048);
    ec_key = EVP_EC_gen("P-256");
    ed_key = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    return !crypto || !rsa_key || !ec_key || !ed_key;
}

static int close_part(void **state)
{
    (void)state;
    EVP_PKEY_free(rsa_key);
    EVP_PKEY_free(ec_key);
    EVP_PKEY_free(ed_key);
    return 0;
}

static size_t put_number(EVP_PKEY *pkey, const char *name, unsigned char *bytes)
{
    BIGNUM *number = NULL;
    int size;

    assert_int_equal(EVP_PKEY_get_bn_param(pkey, name, &number), 1);
    size = BN_bn2bin(number, bytes);
    BN_free(number);
    return (size_t)size;
}

/* The public part of a key as the functions of the part have it. */
static crypto_public *import(EVP_PKEY *pkey, enum crypto_algorithm algorithm)
{
    unsigned char first[MODULUS], second[MODULUS];
    struct crypto_numbers numbers = {first, second, sizeof first, sizeof second};
    haft_reason reason = {0};
    crypto_public *key;

    if (pkey == rsa_key) {
        numbers.first_size = put_number(pkey, OSSL_PKEY_PARAM_RSA_N, first);
        numbers.second_size = put_number(pkey, OSSL_PKEY_PARAM_RSA_E, second);
    } else if (pkey == ec_key) {
        BIGNUM *x = NULL, *y = NULL;

        EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_EC_PUB_X, &x);
        EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_EC_PUB_Y, &y);
        BN_bn2binpad(x, first, CRYPTO_COORDINATE);
        BN_bn2binpad(y, second, CRYPTO_COORDINATE);
        BN_free(x);
        BN_free(y);
        numbers.first_size = numbers.second_size = CRYPTO_COORDINATE;
    } else {
        EVP_PKEY_get_raw_public_key(pkey, first, &numbers.first_size);
    }
    key = crypto->import(algorithm, &numbers, &reason);
    if (!key)
        fail_msg("%s", reason.text);
    return key;
}

/* Signs as JOSE does. `salt` is for PS256, of which -1 is the size of the digest. */
static size_t sign(EVP_PKEY *pkey, enum crypto_algorithm algorithm, int salt, const char *text,
                   unsigned char *signature)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_PKEY_CTX *parameters;
    size_t size = CRYPTO_SIGNATURE;

    assert_int_equal(EVP_DigestSignInit(context, &parameters,
                                        algorithm == CRYPTO_EDDSA ? NULL : EVP_sha256(), NULL,
                                        pkey),
                     1);
    if (algorithm == CRYPTO_PS256) {
        EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING);
        assert_int_equal(EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, salt), 1);
    }
    assert_int_equal(
        EVP_DigestSign(context, signature, &size, (const unsigned char *)text, strlen(text)), 1);
    EVP_MD_CTX_free(context);
    if (algorithm == CRYPTO_ES256) {
        const unsigned char *at = signature;
        ECDSA_SIG *pair = d2i_ECDSA_SIG(NULL, &at, (long)size);
        unsigned char numbers[2 * CRYPTO_COORDINATE];

        BN_bn2binpad(ECDSA_SIG_get0_r(pair), numbers, CRYPTO_COORDINATE);
        BN_bn2binpad(ECDSA_SIG_get0_s(pair), numbers + CRYPTO_COORDINATE, CRYPTO_COORDINATE);
        ECDSA_SIG_free(pair);
        memcpy(signature, numbers, sizeof numbers);
        size = sizeof numbers;
    }
    return size;
}

static void verifies_each_algorithm(void **state)
{
    const struct {
        EVP_PKEY *pkey;
        enum crypto_algorithm algorithm;
    } rows[] = {{rsa_key, CRYPTO_RS256},
                {rsa_key, CRYPTO_PS256},
                {ec_key, CRYPTO_ES256},
                {ed_key, CRYPTO_EDDSA}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        crypto_public *key = import(rows[i].pkey, rows[i].algorithm);
        unsigned char signature[CRYPTO_SIGNATURE + 1] = {0};
        size_t size = sign(rows[i].pkey, rows[i].algorithm, -1, "text", signature);

        for (size_t k = 0; k < COUNT_OF(rows); k++)
            assert_int_equal(crypto->verify(key, rows[k].algorithm, "text", 4, signature, size),
                             k == i);
        assert_int_equal(crypto->verify(key, rows[i].algorithm, "test", 4, signature, size), 0);
        assert_int_equal(crypto->verify(key, rows[i].algorithm, "text", 3, signature, size), 0);
        assert_int_equal(crypto->verify(key, rows[i].algorithm, "text", 4, signature, size - 1), 0);
        assert_int_equal(crypto->verify(key, rows[i].algorithm, "text", 4, signature, size + 1), 0);
        assert_int_equal(crypto->verify(key, rows[i].algorithm, "text", 4, signature, 0), 0);
        for (size_t bit = 0; bit < size * 8; bit += 7) {
            signature[bit / 8] ^= (unsigned char)(1 << bit % 8);
            assert_int_equal(crypto->verify(key, rows[i].algorithm, "text", 4, signature, size), 0);
            signature[bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
        assert_int_equal(crypto->verify(key, rows[i].algorithm, "text", 4, signature, size), 1);
        crypto->forget(key);
    }
    crypto->forget(NULL);
}

/* Numbers that begin with zeros, or have their highest bit set, are numbers as well. */
static void verifies_all_forms_of_es256(void **state)
{
    crypto_public *key = import(ec_key, CRYPTO_ES256);
    unsigned char signature[CRYPTO_SIGNATURE];
    char text[16];
    bool high = false, low = false;

    (void)state;
    for (int i = 0; i < 4000 && !(i > 50 && high && low); i++) {
        snprintf(text, sizeof text, "%d", i);
        sign(ec_key, CRYPTO_ES256, -1, text, signature);
        if (i >= 50 && signature[0] && signature[CRYPTO_COORDINATE])
            continue;
        high = high || signature[0] >= 0x80;
        low = low || !signature[0] || !signature[CRYPTO_COORDINATE];
        assert_int_equal(crypto->verify(key, CRYPTO_ES256, text, strlen(text), signature, 64), 1);
    }
    assert_true(high && low);
    crypto->forget(key);
}

static void refuses_zeros_and_other_salts(void **state)
{
    crypto_public *ec = import(ec_key, CRYPTO_ES256), *rsa = import(rsa_key, CRYPTO_PS256);
    unsigned char signature[CRYPTO_SIGNATURE], zero[CRYPTO_SIGNATURE] = {0};
    static const int salts[] = {0, 20, 31, 33, 64};

    (void)state;
    sign(ec_key, CRYPTO_ES256, -1, "text", signature);
    assert_int_equal(crypto->verify(ec, CRYPTO_ES256, "text", 4, zero, 64), 0);
    memset(signature, 0, CRYPTO_COORDINATE);
    assert_int_equal(crypto->verify(ec, CRYPTO_ES256, "text", 4, signature, 64), 0);
    sign(ec_key, CRYPTO_ES256, -1, "text", signature);
    memset(signature + CRYPTO_COORDINATE, 0, CRYPTO_COORDINATE);
    assert_int_equal(crypto->verify(ec, CRYPTO_ES256, "text", 4, signature, 64), 0);
    assert_int_equal(crypto->verify(rsa, CRYPTO_PS256, "text", 4, zero, 256), 0);
    for (size_t i = 0; i < COUNT_OF(salts); i++) {
        size_t size = sign(rsa_key, CRYPTO_PS256, salts[i], "text", signature);

        assert_int_equal(crypto->verify(rsa, CRYPTO_PS256, "text", 4, signature, size), 0);
    }
    crypto->forget(ec);
    crypto->forget(rsa);
}

/* A number of so many bytes: the first, zeros or others, the last. */
struct number {
    size_t size;
    unsigned char first, middle, last;
};

static void fill(struct number number, unsigned char *bytes)
{
    memset(bytes, number.middle, MODULUS + 8);
    bytes[0] = number.first;
    if (number.size)
        bytes[number.size - 1] = number.last;
}

static void checks_the_numbers(void **state)
{
    static const struct {
        enum crypto_algorithm algorithm;
        struct number first, second;
        const char *refused; /* NULL: accepted */
    } rows[] = {
        {CRYPTO_RS256, {256, 0x80, 7, 7}, {3, 1, 0, 1}, NULL},
        {CRYPTO_PS256, {256, 0x80, 7, 7}, {1, 3, 0, 3}, NULL},
        {CRYPTO_RS256, {257, 0x01, 7, 7}, {3, 1, 0, 1}, NULL},
        {CRYPTO_RS256, {258, 0x00, 0x81, 7}, {4, 0, 0, 17}, NULL}, /* zeros at the front */
        {CRYPTO_RS256, {1024, 0xFF, 7, 7}, {4, 0xFF, 7, 7}, NULL},
        {CRYPTO_RS256, {256, 0x7F, 7, 7}, {3, 1, 0, 1}, "2048 to 8192"},
        {CRYPTO_PS256, {128, 0x80, 7, 7}, {3, 1, 0, 1}, "2048 to 8192"},
        {CRYPTO_RS256, {256, 0x00, 0xFF, 7}, {3, 1, 0, 1}, "2048 to 8192"},
        {CRYPTO_RS256, {256, 0x00, 0x00, 0}, {3, 1, 0, 1}, "2048 to 8192"},
        {CRYPTO_RS256, {0, 0, 0, 0}, {3, 1, 0, 1}, "2048 to 8192"},
        {CRYPTO_RS256, {1025, 0x01, 7, 7}, {3, 1, 0, 1}, "2048 to 8192"},
        {CRYPTO_RS256, {256, 0x80, 7, 8}, {3, 1, 0, 1}, "even modulus"},
        {CRYPTO_RS256, {256, 0x80, 7, 7}, {1, 1, 0, 1}, "odd number from 3"},
        {CRYPTO_RS256, {256, 0x80, 7, 7}, {3, 0, 0, 1}, "odd number from 3"},
        {CRYPTO_RS256, {256, 0x80, 7, 7}, {3, 1, 0, 2}, "odd number from 3"},
        {CRYPTO_RS256, {256, 0x80, 7, 7}, {0, 0, 0, 0}, "odd number from 3"},
        {CRYPTO_RS256, {256, 0x80, 7, 7}, {5, 1, 0, 1}, "odd number from 3"},
        {CRYPTO_ES256, {32, 1, 2, 3}, {32, 4, 5, 6}, "on the curve P-256"},
        {CRYPTO_ES256, {32, 0, 0, 0}, {32, 0, 0, 0}, "on the curve P-256"},
        {CRYPTO_ES256, {32, 0xFF, 0xFF, 0xFF}, {32, 0xFF, 0xFF, 0xFF}, "on the curve P-256"},
        {CRYPTO_ES256, {31, 1, 2, 3}, {32, 4, 5, 6}, "on the curve P-256"},
        {CRYPTO_ES256, {48, 1, 2, 3}, {48, 4, 5, 6}, "on the curve P-256"},
        {CRYPTO_EDDSA, {31, 1, 2, 3}, {0, 0, 0, 0}, "32 bytes"},
        {CRYPTO_EDDSA, {33, 1, 2, 3}, {0, 0, 0, 0}, "32 bytes"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        unsigned char first[MODULUS + 8], second[MODULUS + 8];
        const struct crypto_numbers numbers = {first, second, rows[i].first.size,
                                               rows[i].second.size};
        haft_reason reason = {0};
        crypto_public *key;

        fill(rows[i].first, first);
        fill(rows[i].second, second);
        key = crypto->import(rows[i].algorithm, &numbers, &reason);
        if (!key != !!rows[i].refused)
            fail_msg("row %zu: %s", i, key ? "accepted" : reason.text);
        if (!key) {
            assert_int_equal(reason.code, HAFT_EINVAL);
            if (!strstr(reason.text, rows[i].refused))
                fail_msg("row %zu: %s", i, reason.text);
            assert_null(crypto->import(rows[i].algorithm, &numbers, NULL));
        }
        crypto->forget(key);
    }
}

struct shared {
    crypto_public *key;
    enum crypto_algorithm algorithm;
    unsigned char signature[CRYPTO_SIGNATURE];
    size_t size;
};

static void *verify_often(void *context)
{
    const struct shared *shared = context;
    size_t wrong = 0;

    for (int i = 0; i < ROUNDS; i++) {
        wrong += crypto->verify(shared->key, shared->algorithm, "text", 4, shared->signature,
                                shared->size) != 1;
        wrong += crypto->verify(shared->key, shared->algorithm, "test", 4, shared->signature,
                                shared->size) != 0;
    }
    return wrong ? context : NULL;
}

static void verifies_on_many_threads(void **state)
{
    const struct {
        EVP_PKEY *pkey;
        enum crypto_algorithm algorithm;
    } rows[] = {{rsa_key, CRYPTO_RS256},
                {rsa_key, CRYPTO_PS256},
                {ec_key, CRYPTO_ES256},
                {ed_key, CRYPTO_EDDSA}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct shared shared = {.key = import(rows[i].pkey, rows[i].algorithm),
                                .algorithm = rows[i].algorithm};
        pthread_t threads[THREADS];
        void *wrong;

        shared.size = sign(rows[i].pkey, rows[i].algorithm, -1, "text", shared.signature);
        for (size_t k = 0; k < THREADS; k++)
            assert_int_equal(pthread_create(&threads[k], NULL, verify_often, &shared), 0);
        for (size_t k = 0; k < THREADS; k++) {
            pthread_join(threads[k], &wrong);
            assert_null(wrong);
        }
        crypto->forget(shared.key);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verifies_each_algorithm),
        cmocka_unit_test(verifies_all_forms_of_es256),
        cmocka_unit_test(refuses_zeros_and_other_salts),
        cmocka_unit_test(checks_the_numbers),
        cmocka_unit_test(verifies_on_many_threads),
    };

    return cmocka_run_group_tests(tests, open_part, close_part);
}
