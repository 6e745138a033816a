/* test_token_keys.c - documents with the keys of issuers: which keys are used, and why others are not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <haft/part.h>

#include "auth/token/jwk.h"
#include "part/crypto.h"
#include "support/failing.h"
#include "support/test.h"

#define ALL "RS256 PS256 ES256 EdDSA Ed25519"
#define N                                                                                               \
    "\"n\":\"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0" \
    "Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexM" \
    "dbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DW" \
    "NmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ\""
#define RSA "\"kty\":\"RSA\",\"e\":\"AQAB\"," N
#define X "\"x\":\"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU\""
#define Y "\"y\":\"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0\""
#define EC "\"kty\":\"EC\",\"crv\":\"P-256\"," X "," Y
#define ED                                                                                         \
    "\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\""

static const struct crypto_functions *crypto;

static int open_part(void **state)
{
    haft_reason reason = {0};

    (void)state;
    haft_part_register(&haft_crypto_part);
    crypto = hf_crypto_open("this test", &reason);
    return !crypto;
}

/* The lines about keys that were left out. */
struct lines {
    size_t n;
    char last[512];
};

static void note(void *context, const char *why)
{
    struct lines *lines = context;

    lines->n++;
    snprintf(lines->last, sizeof lines->last, "%s", why);
}

static void uses_keys_for_signatures_only(void **state)
{
    static const struct {
        const char *key, *algorithms;
        const char *left_out; /* NULL: it is used */
    } rows[] = {
        {"{" RSA "}", ALL, NULL},
        {"{" EC "}", ALL, NULL},
        {"{" ED "}", ALL, NULL},
        {"{" RSA ",\"alg\":\"PS256\",\"use\":\"sig\"}", ALL, NULL},
        {"{" ED ",\"alg\":\"Ed25519\"}", "EdDSA", NULL},
        {"{" ED ",\"alg\":\"EdDSA\"}", "Ed25519", NULL},
        {"{" EC ",\"key_ops\":[\"sign\",\"verify\"]}", ALL, NULL},
        {"{" EC ",\"kid\":\"a\",\"x5c\":[\"AAAA\"],\"x5t\":\"x\",\"ext\":true}", ALL, NULL},
        {"{" RSA "}", "PS256", NULL},
        {"{" RSA ",\"alg\":\"RS256\"}", "PS256 ES256", "algorithm that is not accepted"},
        {"{" RSA "}", "ES256", "algorithm that is not accepted"},
        {"{" RSA ",\"alg\":\"ES256\"}", ALL, "algorithm that is not accepted"},
        {"{" EC ",\"alg\":\"RS256\"}", ALL, "algorithm that is not accepted"},
        {"{" RSA ",\"alg\":\"RSA-OAEP\"}", ALL, "algorithm that is not accepted"},
        {"{" RSA ",\"alg\":\"HS256\"}", ALL, "algorithm that is not accepted"},
        {"{" RSA ",\"alg\":\"none\"}", ALL, "algorithm that is not accepted"},
        {"{" RSA ",\"alg\":1}", ALL, "algorithm that is not accepted"},
        {"{" RSA ",\"use\":\"enc\"}", ALL, "not for signatures"},
        {"{" RSA ",\"use\":1}", ALL, "not for signatures"},
        {"{" EC ",\"key_ops\":[\"encrypt\"]}", ALL, "not for signatures"},
        {"{" EC ",\"key_ops\":[]}", ALL, "not for signatures"},
        {"{" EC ",\"key_ops\":\"verify\"}", ALL, "not for signatures"},
        /* private keys */
        {"{" EC ",\"d\":\"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI\"}", ALL, "is private"},
        {"{" ED ",\"d\":\"\"}", ALL, "is private"},
        {"{" RSA ",\"d\":null}", ALL, "is private"},
        {"{" RSA ",\"p\":\"x\"}", ALL, "is private"},
        {"{" RSA ",\"q\":\"x\"}", ALL, "is private"},
        {"{" RSA ",\"dp\":\"x\"}", ALL, "is private"},
        {"{" RSA ",\"dq\":\"x\"}", ALL, "is private"},
        {"{" RSA ",\"qi\":\"x\"}", ALL, "is private"},
        {"{" RSA ",\"oth\":[]}", ALL, "is private"},
        {"{" EC ",\"k\":\"x\"}", ALL, "is private"},
        /* other types */
        {"{\"kty\":\"oct\",\"k\":\"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ\"}", ALL, "not supported"},
        {"{\"kty\":\"EC\",\"crv\":\"P-384\"," X "," Y "}", ALL, "not supported"},
        {"{\"kty\":\"EC\",\"crv\":\"secp256k1\"," X "," Y "}", ALL, "not supported"},
        {"{\"kty\":\"EC\"," X "," Y "}", ALL, "not supported"},
        {"{\"kty\":\"OKP\",\"crv\":\"X25519\"," X "}", ALL, "not supported"},
        {"{\"kty\":\"OKP\",\"crv\":\"Ed448\"," X "}", ALL, "not supported"},
        {"{\"kty\":\"rsa\",\"e\":\"AQAB\"," N "}", ALL, "not supported"},
        {"{\"kty\":\"AKP\",\"alg\":\"ML-DSA-44\"}", ALL, "not supported"},
        {"{\"kty\":1}", ALL, "not supported"},
        {"{}", ALL, "not supported"},
        {"null", ALL, "not an object"},
        {"\"x\"", ALL, "not an object"},
        {"[]", ALL, "not an object"},
        /* numbers */
        {"{\"kty\":\"RSA\"," N "}", ALL, "missing or not valid base64url"},
        {"{\"kty\":\"RSA\",\"e\":\"AQAB\"}", ALL, "missing or not valid base64url"},
        {"{\"kty\":\"RSA\",\"e\":65537," N "}", ALL, "missing or not valid base64url"},
        {"{\"kty\":\"RSA\",\"e\":\"AQAB==\"," N "}", ALL, "missing or not valid base64url"},
        {"{\"kty\":\"RSA\",\"e\":\"AQAB\\n\"," N "}", ALL, "missing or not valid base64url"},
        {"{\"kty\":\"RSA\",\"e\":\"AQ\"," N "}", ALL, "odd number from 3"},
        {"{\"kty\":\"RSA\",\"e\":\"\"," N "}", ALL, "odd number from 3"},
        {"{\"kty\":\"RSA\",\"e\":\"Ag\"," N "}", ALL, "odd number from 3"},
        {"{\"kty\":\"RSA\",\"e\":\"AQAB\",\"n\":\"AQAB\"}", ALL, "2048 to 8192"},
        {"{\"kty\":\"EC\",\"crv\":\"P-256\"," X "}", ALL, "missing or not valid base64url"},
        {"{\"kty\":\"EC\",\"crv\":\"P-256\"," X
         ",\"y\":\"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU\"}",
         ALL, "on the curve P-256"},
        {"{\"kty\":\"EC\",\"crv\":\"P-256\"," X ",\"y\":\"AQAB\"}", ALL, "on the curve P-256"},
        {"{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"AQAB\"}", ALL, "32 bytes"},
        /* names */
        {"{" EC ",\"kid\":1}", ALL, "the kid"},
        {"{" EC ",\"kid\":null}", ALL, "the kid"},
        {"{" EC ",\"kid\":\"a\\u0000b\"}", ALL, "the kid"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct lines lines = {0};
        haft_reason reason = {0};
        struct token_keys *keys;
        char text[2048];

        snprintf(text, sizeof text, "{\"keys\":[%s]}", rows[i].key);
        keys = hf_token_keys_read(crypto, NULL, text, strlen(text), rows[i].algorithms, note,
                                  &lines, &reason);
        if (!keys != !!rows[i].left_out)
            fail_msg("%s: %s", rows[i].key, keys ? "used" : lines.last);
        assert_int_equal(lines.n, !keys);
        if (keys) {
            assert_int_equal(hf_token_keys_count(keys), 1);
        } else {
            assert_int_equal(reason.code, HAFT_ENOTFOUND);
            assert_string_equal(reason.text, "the document has no key that can be used");
            assert_memory_equal(lines.last, "key 1: ", 7);
            if (!strstr(lines.last, rows[i].left_out))
                fail_msg("%s: %s", rows[i].key, lines.last);
        }
        hf_token_keys_free(keys);
        /* A good key beside it is used, and nobody needs to listen. */
        snprintf(text, sizeof text, "{\"x\":1,\"keys\":[%s,{" EC ",\"kid\":\"other\"},{" RSA "}]}",
                 rows[i].key);
        keys = hf_token_keys_read(crypto, NULL, text, strlen(text), ALL, NULL, NULL, &reason);
        assert_non_null(keys);
        assert_true(hf_token_keys_count(keys) >= 2);
        hf_token_keys_free(keys);
    }
}

static void refuses_other_documents(void **state)
{
    static const struct {
        const char *text, *algorithms;
        int code;
    } rows[] = {
        {"", ALL, HAFT_EPARSE},
        {"x", ALL, HAFT_EPARSE},
        {"[]", ALL, HAFT_EINVAL},
        {"{}", ALL, HAFT_EINVAL},
        {"{\"keys\":{}}", ALL, HAFT_EINVAL},
        {"{\"keys\":[]}", ALL, HAFT_ENOTFOUND},
        {"{" EC "}", ALL, HAFT_EINVAL},
        {"{\"keys\":[{" EC "}]} x", ALL, HAFT_EPARSE},
        {"{\"keys\":[{" EC "}],\"keys\":[]}", ALL, HAFT_EPARSE},
        {"{\"keys\":[{" EC ",\"kty\":\"EC\"}]}", ALL, HAFT_EPARSE},
        {"{\"keys\":[{" EC "}],\"x\":[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]}", ALL, HAFT_EDEPTH},
        {"{\"keys\":[{" EC "}]}", "", HAFT_ENOTFOUND},
        {"{\"keys\":[{" EC "}]}", "ES256 HS256", HAFT_ENOTFOUND},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_reason reason = {0};

        assert_null(hf_token_keys_read(crypto, NULL, rows[i].text, strlen(rows[i].text),
                                       rows[i].algorithms, NULL, NULL, &reason));
        if (reason.code != rows[i].code)
            fail_msg("%s: %d %s", rows[i].text, reason.code, reason.text);
        assert_true(*reason.text);
    }
}

/* A document with n keys, and white space up to a size. */
static struct token_keys *read_many(size_t n, size_t size, const char *kids, haft_reason *reason)
{
    haft_buffer text;
    struct token_keys *keys;

    haft_buffer_init(&text, NULL, 1 << 20);
    haft_buffer_puts(&text, "{\"keys\":[");
    for (size_t i = 0; i < n; i++)
        haft_buffer_printf(&text, "%s{" ED ",\"kid\":\"%s%zu\"}", i ? "," : "", kids,
                           *kids == '=' ? (size_t)0 : i);
    haft_buffer_puts(&text, "]}");
    while (text.size < size)
        haft_buffer_add(&text, " ", 1);
    assert_int_equal(text.status, 0);
    keys = hf_token_keys_read(crypto, NULL, text.data, text.size, ALL, NULL, NULL, reason);
    haft_buffer_finish(&text);
    return keys;
}

static void bounds_documents(void **state)
{
    char kid[TOKEN_KID + 2];
    static const struct {
        size_t n, size;
        const char *kids;
        size_t count; /* 0: refused */
        int code;
    } rows[] = {
        {64, 0, "k", 64, 0},
        {65, 0, "k", 0, HAFT_ETOOBIG},
        {1500, 0, "k", 0, HAFT_ETOOBIG},
        {1, 256 << 10, "k", 1, 0},
        {1, (256 << 10) + 1, "k", 0, HAFT_ETOOBIG},
        {3, 0, "=", 1, 0}, /* the same kid */
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_reason reason = {0};
        struct token_keys *keys = read_many(rows[i].n, rows[i].size, rows[i].kids, &reason);

        assert_int_equal(keys ? hf_token_keys_count(keys) : 0, rows[i].count);
        assert_int_equal(reason.code, rows[i].code);
        hf_token_keys_free(keys);
    }
    for (size_t size = TOKEN_KID - 1; size <= TOKEN_KID; size++) {
        haft_reason reason = {0};
        struct token_keys *keys;

        memset(kid, 'k', size);
        kid[size] = '\0';
        keys = read_many(1, 0, kid, &reason); /* with a digit behind it */
        assert_int_equal(!keys, size == TOKEN_KID);
        hf_token_keys_free(keys);
    }
    hf_token_keys_free(NULL);
}

/* Keys of several types may share a kid, and two without one are two. */
static void keeps_keys_that_a_token_can_tell_apart(void **state)
{
    static const struct {
        const char *keys;
        size_t count;
    } rows[] = {
        {"{" EC ",\"kid\":\"a\"},{" RSA ",\"kid\":\"a\"},{" ED ",\"kid\":\"a\"}", 3},
        {"{" RSA ",\"kid\":\"a\",\"alg\":\"RS256\"},{" RSA ",\"kid\":\"a\",\"alg\":\"PS256\"}", 2},
        {"{" RSA ",\"kid\":\"a\",\"alg\":\"RS256\"},{" RSA ",\"kid\":\"a\"}", 1},
        {"{" EC ",\"kid\":\"a\"},{" EC ",\"kid\":\"A\"}", 2},
        {"{" EC "},{" EC "}", 2},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_reason reason = {0};
        struct token_keys *keys;
        char text[4096];

        snprintf(text, sizeof text, "{\"keys\":[%s]}", rows[i].keys);
        keys = hf_token_keys_read(crypto, NULL, text, strlen(text), ALL, NULL, NULL, &reason);
        assert_non_null(keys);
        assert_int_equal(hf_token_keys_count(keys), rows[i].count);
        hf_token_keys_free(keys);
    }
}

static void knows_algorithms(void **state)
{
    static const struct {
        const char *list;
        bool valid;
    } rows[] = {
        {"RS256", true},
        {ALL, true},
        {" ES256  PS256 ", true},
        {"Ed25519", true},
        {"", false},
        {" ", false},
        {"HS256", false},
        {"none", false},
        {"rs256", false},
        {"RS256,PS256", false},
        {"RS256 RS384", false},
        {"RS25", false},
        {"RS2566", false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (hf_token_algorithms_valid(rows[i].list) != rows[i].valid)
            fail_msg("%s", rows[i].list);
}

static void survives_without_memory(void **state)
{
    static const char text[] = "{\"keys\":[{" EC ",\"kid\":\"a\"},{" RSA ",\"kid\":\"b\"}]}";

    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        haft_reason reason = {0};
        struct token_keys *keys;

        failing_init(&failing, nth);
        keys = hf_token_keys_read(crypto, &failing.allocator, text, strlen(text), ALL, NULL, NULL,
                                  &reason);
        assert_int_equal(!keys, failing.failures > 0);
        if (!keys)
            assert_int_equal(reason.code, HAFT_ENOMEM);
        hf_token_keys_free(keys);
        failing_check(&failing);
        if (!failing.failures) {
            assert_true(nth > 3);
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uses_keys_for_signatures_only),
        cmocka_unit_test(refuses_other_documents),
        cmocka_unit_test(bounds_documents),
        cmocka_unit_test(keeps_keys_that_a_token_can_tell_apart),
        cmocka_unit_test(knows_algorithms),
        cmocka_unit_test(survives_without_memory),
    };

    return cmocka_run_group_tests(tests, open_part, NULL);
}
