/* token.c - the time to check an access token (reading, claims, signature) beside that of the signature alone, by OpenSSL
 * itself; bench/tokens runs it.
 *
 *     tokens [ROUNDS]
 *
 * The rounds of both alternate, and the fastest of each counts, so that other work on the machine does
 * not. */
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <haft/part.h>

#include "auth/token/token.h"
#include "part/crypto.h"

enum { NOW = 1800000000, CALLS = 10, TEXT = 4096, ARENA = 1 << 20 };

struct subject {
    const char *algorithm;
    EVP_PKEY *pkey;
    struct token_keys *keys;
    haft_buffer token;
    size_t signed_size;
    unsigned char signature[CRYPTO_SIGNATURE]; /* as OpenSSL has it */
    size_t signature_size;
};

static const char claims[] =
    "{\"iss\":\"https://as.example\",\"aud\":[\"https://rs.example/mcp\",\"https://as.example/userinfo\"],"
    "\"sub\":\"248289761001\",\"client_id\":\"s6BhdRkqt3\",\"iat\":1799999990,\"exp\":1800000300,"
    "\"jti\":\"dbe39bf3a3ba4238a513f51d6e1691c4\",\"scope\":\"files:read files:write issues:read\","
    "\"auth_time\":1799999000,\"acr\":\"urn:mace:incommon:iap:silver\",\"roles\":[\"admin\",\"editor\"]}";

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "%s went wrong\n", what);
    exit(1);
}

static void put_number(haft_buffer *out, EVP_PKEY *pkey, const char *member, const char *name,
                       int size)
{
    unsigned char bytes[CRYPTO_SIGNATURE];
    BIGNUM *number = NULL;

    require(EVP_PKEY_get_bn_param(pkey, name, &number) == 1, "a number");
    size = size ? BN_bn2binpad(number, bytes, size) : BN_bn2bin(number, bytes);
    BN_free(number);
    haft_buffer_printf(out, ",\"%s\":\"", member);
    hf_base64url_put(out, bytes, (size_t)size);
    haft_buffer_puts(out, "\"");
}

static void read_keys(struct subject *subject, const struct crypto_functions *crypto)
{
    haft_reason reason = {0};
    haft_buffer text;

    haft_buffer_init(&text, NULL, TEXT);
    haft_buffer_puts(&text, "{\"keys\":[{\"kid\":\"key-1\"");
    if (EVP_PKEY_is_a(subject->pkey, "RSA")) {
        haft_buffer_puts(&text, ",\"kty\":\"RSA\"");
        put_number(&text, subject->pkey, "n", OSSL_PKEY_PARAM_RSA_N, 0);
        put_number(&text, subject->pkey, "e", OSSL_PKEY_PARAM_RSA_E, 0);
    } else if (EVP_PKEY_is_a(subject->pkey, "EC")) {
        haft_buffer_puts(&text, ",\"kty\":\"EC\",\"crv\":\"P-256\"");
        put_number(&text, subject->pkey, "x", OSSL_PKEY_PARAM_EC_PUB_X, CRYPTO_COORDINATE);
        put_number(&text, subject->pkey, "y", OSSL_PKEY_PARAM_EC_PUB_Y, CRYPTO_COORDINATE);
    } else {
        unsigned char x[CRYPTO_COORDINATE];
        size_t size = sizeof x;

        EVP_PKEY_get_raw_public_key(subject->pkey, x, &size);
        haft_buffer_puts(&text, ",\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"");
        hf_base64url_put(&text, x, size);
        haft_buffer_puts(&text, "\"");
    }
    haft_buffer_puts(&text, "}]}");
    subject->keys = hf_token_keys_read(crypto, NULL, text.data, text.size,
                                       "RS256 PS256 ES256 EdDSA", NULL, NULL, &reason);
    require(subject->keys, reason.text);
    haft_buffer_finish(&text);
}

static EVP_MD_CTX *begin(const struct subject *subject, bool signs)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    const EVP_MD *digest = strcmp(subject->algorithm, "EdDSA") != 0 ? EVP_sha256() : NULL;
    EVP_PKEY_CTX *parameters = NULL;

    if (signs)
        EVP_DigestSignInit(context, &parameters, digest, NULL, subject->pkey);
    else
        EVP_DigestVerifyInit(context, &parameters, digest, NULL, subject->pkey);
    if (!strcmp(subject->algorithm, "PS256")) {
        EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING);
        EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, RSA_PSS_SALTLEN_DIGEST);
    }
    return context;
}

static void put_signature(struct subject *subject)
{
    const unsigned char *at = subject->signature;
    unsigned char numbers[2 * CRYPTO_COORDINATE];
    ECDSA_SIG *pair;

    haft_buffer_add(&subject->token, ".", 1);
    if (strcmp(subject->algorithm, "ES256") != 0) {
        hf_base64url_put(&subject->token, subject->signature, subject->signature_size);
        return;
    }
    pair = d2i_ECDSA_SIG(NULL, &at, (long)subject->signature_size);
    BN_bn2binpad(ECDSA_SIG_get0_r(pair), numbers, CRYPTO_COORDINATE);
    BN_bn2binpad(ECDSA_SIG_get0_s(pair), numbers + CRYPTO_COORDINATE, CRYPTO_COORDINATE);
    ECDSA_SIG_free(pair);
    hf_base64url_put(&subject->token, numbers, sizeof numbers);
}

static void make_token(struct subject *subject)
{
    EVP_MD_CTX *context = begin(subject, true);
    char header[128];

    snprintf(header, sizeof header, "{\"alg\":\"%s\",\"typ\":\"at+jwt\",\"kid\":\"key-1\"}",
             subject->algorithm);
    haft_buffer_init(&subject->token, NULL, TEXT);
    hf_base64url_put(&subject->token, header, strlen(header));
    haft_buffer_add(&subject->token, ".", 1);
    hf_base64url_put(&subject->token, claims, strlen(claims));
    subject->signed_size = subject->token.size;
    subject->signature_size = sizeof subject->signature;
    require(EVP_DigestSign(context, subject->signature, &subject->signature_size,
                           (const unsigned char *)subject->token.data, subject->signed_size) == 1,
            "signing");
    EVP_MD_CTX_free(context);
    put_signature(subject);
}

/* ---- measuring ---- */

static double now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void verify_bare(const struct subject *subject)
{
    EVP_MD_CTX *context = begin(subject, false);

    require(EVP_DigestVerify(context, subject->signature, subject->signature_size,
                             (const unsigned char *)subject->token.data, subject->signed_size) == 1,
            "OpenSSL's verification");
    EVP_MD_CTX_free(context);
}

static void check(const struct subject *subject, haft_arena *arena, bool signature)
{
    static const char *const audiences[] = {"https://rs.example/mcp", NULL};
    static const struct token_rules rules = {"https://as.example", audiences, false, 60};
    struct token_claims found;
    struct jwt jwt;

    haft_arena_reset(arena);
    require(!hf_jwt_read(subject->token.data, subject->token.size, arena, &jwt) &&
                !hf_jwt_check(&jwt, &rules, NOW, arena, &found) &&
                (!signature || !hf_jwt_verify(&jwt, subject->keys)),
            "the check of a token");
}

static double least(double known, double now)
{
    return known > 0 && known < now ? known : now;
}

static void measure(const struct subject *subject, int rounds)
{
    haft_arena *arena = haft_arena_new(NULL, ARENA);
    double bare = 0, whole = 0, reading = 0, start;

    for (int round = 0; round < rounds; round++) {
        start = now_us();
        for (int i = 0; i < CALLS; i++)
            verify_bare(subject);
        bare = least(bare, (now_us() - start) / CALLS);
        start = now_us();
        for (int i = 0; i < CALLS; i++)
            check(subject, arena, true);
        whole = least(whole, (now_us() - start) / CALLS);
        start = now_us();
        for (int i = 0; i < CALLS; i++)
            check(subject, arena, false);
        reading = least(reading, (now_us() - start) / CALLS);
    }
    printf("%-10s %9zu %9.1f %9.1f %9.2f %+9.1f%%\n", subject->algorithm, subject->token.size, bare,
           whole, reading, (whole - bare) * 100 / bare);
    haft_arena_free(arena);
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"RS256", "PS256", "ES256", "EdDSA"};
    int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1000;
    const struct crypto_functions *crypto;
    haft_reason reason = {0};

    haft_part_register(&haft_crypto_part);
    crypto = hf_crypto_open("this program", &reason);
    require(crypto, reason.text);
    printf("%-10s %9s %9s %9s %9s %10s\n", "algorithm", "bytes", "bare, us", "ours, us", "reading",
           "more");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct subject subject = {
            .algorithm = names[i],
            .pkey = i < 2    ? EVP_RSA_gen(2048)
                    : i == 2 ? EVP_EC_gen("P-256")
                             : EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"),
        };

        require(subject.pkey, "making a key");
        read_keys(&subject, crypto);
        make_token(&subject);
        measure(&subject, rounds);
        hf_token_keys_free(subject.keys);
        haft_buffer_finish(&subject.token);
        EVP_PKEY_free(subject.pkey);
    }
    return 0;
}
