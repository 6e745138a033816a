/* test_token.c - access tokens: frozen ones, which an independent program made (tests/auth/tokens.mjs), those of the
 * standards, and what is read of claims. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <haft/part.h>

#include "auth/token/jwk.h"
#include "part/crypto.h"
#include "support/failing.h"
#include "support/starving.h"
#include "support/test.h"

#define ISSUER "https://as.example"
#define ALL "RS256 PS256 ES256 EdDSA Ed25519"

enum { NOW = 1800000000, SKEW = 60, DOCUMENTS = 2 };

static const struct crypto_functions *crypto;
static const char *const audiences[] = {"https://elsewhere.example/x", "https://rs.example/mcp",
                                        NULL};

static struct document {
    char name[16];
    struct token_keys *keys;
} documents[DOCUMENTS];

static const char *name_of(enum token_error error)
{
#define NAME(name, text) #name,
    static const char *const names[] = {TOKEN_ERRORS(NAME)};
#undef NAME

    return names[error] + strlen("TOKEN_");
}

static int open_part(void **state)
{
    haft_reason reason = {0};

    (void)state;
    haft_part_register(&haft_crypto_part);
    crypto = hf_crypto_open("this test", &reason);
    return !crypto;
}

static int close_part(void **state)
{
    (void)state;
    for (size_t i = 0; i < DOCUMENTS; i++)
        hf_token_keys_free(documents[i].keys);
    return 0;
}

static struct token_keys *read_keys(const char *text)
{
    haft_reason reason = {0};
    struct token_keys *keys =
        hf_token_keys_read(crypto, NULL, text, strlen(text), ALL, NULL, NULL, &reason);

    if (!keys)
        fail_msg("%s", reason.text);
    return keys;
}

/* As a server does it: read, check, verify. */
static enum token_error judge(const char *text, size_t size, const struct token_keys *keys,
                              bool any_type, haft_arena *arena, struct token_claims *ret_claims)
{
    const struct token_rules rules = {ISSUER, audiences, any_type, SKEW};
    struct jwt jwt;
    enum token_error error = hf_jwt_read(text, size, arena, &jwt);

    if (!error)
        error = hf_jwt_check(&jwt, &rules, NOW, arena, ret_claims);
    return error ? error : hf_jwt_verify(&jwt, keys);
}

/* Whether each token is a token at all does not depend on its claims. */
static void judge_row(haft_value *row, haft_arena *arena)
{
    const char *name = yyjson_get_str(yyjson_obj_get(row, "name"));
    const char *expected = yyjson_get_str(yyjson_obj_get(row, "error"));
    const char *wanted = yyjson_get_str(yyjson_obj_get(row, "keys"));
    haft_value *token = yyjson_obj_get(row, "token");
    struct document *document = documents;
    struct token_claims claims;
    enum token_error error;

    for (; strcmp(document->name, wanted ? wanted : "all") != 0; document++)
        assert_true(document < documents + DOCUMENTS);
    error = judge(yyjson_get_str(token), yyjson_get_len(token), document->keys,
                  yyjson_get_bool(yyjson_obj_get(row, "any_type")), arena, &claims);
    if (strcmp(name_of(error), expected) != 0)
        fail_msg("%s: %s, not %s", name, name_of(error), expected);
    if (error)
        return;
    assert_string_equal(claims.issuer, ISSUER);
    assert_true(claims.subject || claims.client);
    assert_true(claims.expires > NOW - SKEW);
    assert_true(hf_jwt_is_like(yyjson_get_str(token), yyjson_get_len(token)));
}

static void judges_frozen_tokens(void **state)
{
    FILE *file = fopen("tests/auth/tokens.txt", "r");
    size_t capacity = 0, n = 0, good = 0, seen[TOKEN_ERROR_COUNT] = {0}, n_documents = 0;
    char *line = NULL;
    ssize_t size;

    (void)state;
    assert_non_null(file);
    while ((size = getline(&line, &capacity, file)) > 0) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 22);
        haft_value *row = haft_json_read(line, (size_t)size, 0, arena, NULL), *document;

        document = yyjson_obj_get(row, "document");
        if (document) {
            assert_true(n_documents < DOCUMENTS);
            snprintf(documents[n_documents].name, sizeof documents->name, "%s",
                     yyjson_get_str(yyjson_obj_get(row, "jwks")));
            documents[n_documents++].keys = read_keys(yyjson_get_str(document));
        } else {
            const char *expected = yyjson_get_str(yyjson_obj_get(row, "error"));

            judge_row(row, arena);
            for (enum token_error e = TOKEN_OK; e < TOKEN_ERROR_COUNT; e++)
                seen[e] += !strcmp(name_of(e), expected);
            n++;
        }
        haft_arena_free(arena);
    }
    free(line);
    fclose(file);
    good = seen[TOKEN_OK];
    assert_true(good >= 25 && n - good >= 150);
    for (enum token_error e = TOKEN_OK; e < TOKEN_NO_MEMORY; e++)
        if (!seen[e])
            fail_msg("no token is refused with %s", name_of(e));
}

static void explains_each_refusal(void **state)
{
    (void)state;
    assert_string_equal(hf_token_error_text(TOKEN_OK), "");
    for (enum token_error e = TOKEN_MALFORMED; e < TOKEN_ERROR_COUNT; e++) {
        const char *text = hf_token_error_text(e);

        assert_true(strlen(text) > 10 && text[0] >= 'A' && text[0] <= 'Z');
        assert_null(strpbrk(text, "\"\\\n")); /* it goes into a header */
    }
}

/* ---- the standards' examples ---- */

#define JOE                                                                                        \
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVl" \
    "fQ"
#define FRODO                                                                                       \
    "SXTigJlzIGEgZGFuZ2Vyb3VzIGJ1c2luZXNzLCBGcm9kbywgZ29pbmcgb3V0IHlvdXIgZG9vci4gWW91IHN0ZXAgb250b" \
    "yB0aGUgcm9hZCwgYW5kIGlmIHlvdSBkb24ndCBrZWVwIHlvdXIgZmVldCwgdGhlcmXigJlzIG5vIGtub3dpbmcgd2hlcm" \
    "UgeW91IG1pZ2h0IGJlIHN3ZXB0IG9mZiB0by4"

/* Verifies text.signature with a single key; the payload need not be claims. */
static int verify_example(const char *key, enum crypto_algorithm algorithm, const char *text,
                          const char *encoded, char ret_thumbprint[64])
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_value *value = haft_json_read(key, strlen(key), 0, arena, NULL);
    unsigned char signature[CRYPTO_SIGNATURE], digest[SHA256_SIZE];
    haft_buffer thumbprint;
    struct jwk jwk;
    size_t size;
    int status;

    assert_int_equal(hf_jwk_read(crypto, value, ~0u, &jwk, NULL), 0);
    assert_int_equal(hf_base64url_decode(encoded, strlen(encoded), signature, &size), 0);
    status = crypto->verify(jwk.key, algorithm, text, strlen(text), signature, size);
    assert_int_equal(crypto->verify(jwk.key, algorithm, text, strlen(text) - 1, signature, size),
                     0);
    crypto->forget(jwk.key);
    assert_true(hf_jwk_thumbprint(value, digest));
    haft_buffer_init(&thumbprint, NULL, 64);
    hf_base64url_put(&thumbprint, digest, sizeof digest);
    memcpy(ret_thumbprint, thumbprint.data, TOKEN_DIGEST);
    ret_thumbprint[TOKEN_DIGEST] = '\0';
    haft_buffer_finish(&thumbprint);
    haft_arena_free(arena);
    return status;
}

static void verifies_the_examples_of_standards(void **state)
{
    static const struct {
        const char *where, *key;
        enum crypto_algorithm algorithm;
        const char *text, *signature;
        const char *thumbprint; /* NULL: the standard has none */
    } rows[] = {
        {"RFC 7515, A.2",
         "{\"kty\":\"RSA\",\"e\":\"AQAB\",\"n\":\"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-V"
         "aw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7"
         "OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3"
         "qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRW"
         "yuXpoQ\"}",
         CRYPTO_RS256, "eyJhbGciOiJSUzI1NiJ9." JOE,
         "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2F"
         "p5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQB"
         "MHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeY"
         "I2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw",
         NULL},
        {"RFC 7515, A.3",
         "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU\","
         "\"y\":\"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0\"}",
         CRYPTO_ES256, "eyJhbGciOiJFUzI1NiJ9." JOE,
         "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q",
         NULL},
        {"RFC 8037, A.4 and A.3",
         "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}",
         CRYPTO_EDDSA, "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc",
         "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg",
         "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"},
        {"RFC 7520, 4.1",
         "{\"kty\":\"RSA\",\"kid\":\"bilbo.baggins@hobbiton.example\",\"use\":\"sig\",\"e\":\"AQAB\",\"n\":"
         "\"n4EPtAOCc9AlkeQHPzHStgAbgs7bTZLwUBZdR8_KuKPEHLd4rHVTeT-O-XV2jRojdNhxJWTDvNd7nqQ0VEiZQHz_"
         "AJmSCpMaJMRBSFKrKb2wqVwGU_NsYOYL-QtiWN2lbzcEe6XC0dApr5ydQLrHqkHHig3RBordaZ6Aj-oBHqFEHYpPe7"
         "Tpe-OfVfHd1E6cS6M1FZcD1NNLYD5lFHpPI9bTwJlsde3uhGqC0ZCuEHg8lhzwOHrtIQbS0FVbb9k3-tVTU4fg_3L_"
         "vniUFAKwuCLqKnS2BYwdq_mzSnbLY7h_qixoR7jig3__kRhuaxwUkRz5iaiQkqgc5gHdrNP5zw\"}",
         CRYPTO_RS256,
         "eyJhbGciOiJSUzI1NiIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9." FRODO,
         "MRjdkly7_-oTPTS3AXP41iQIGKa80A0ZmTuV5MEaHoxnW2e5CZ5NlKtainoFmKZopdHM1O2U4mwzJdQx996ivp83xu"
         "glII7PNDi84wnB-BDkoBwA78185hX-Es4JIwmDLJK3lfWRa-XtL0RnltuYv746iYTh_qHRD68BNt1uSNCrUCTJDt5a"
         "AE6x8wW1Kt9eRo4QPocSadnHXFxnt8Is9UzpERV0ePPQdLuW3IS_de3xyIrDaLGdjluPxUAhb6L2aXic1U12podGU0"
         "KLUQSE_oI-ZnmKJ3F4uOZDnd6QZWJushZ41Axf_fcIe8u9ipH84ogoree7vjbU5y18kDquDg",
         NULL},
    };
    char thumbprint[64];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (verify_example(rows[i].key, rows[i].algorithm, rows[i].text, rows[i].signature,
                           thumbprint) != 1)
            fail_msg("%s is not verified", rows[i].where);
        if (rows[i].thumbprint)
            assert_string_equal(thumbprint, rows[i].thumbprint);
    }
}

/* ---- claims ---- */

#define BASE "\"aud\":\"https://rs.example/mcp\",\"exp\":1800000100,\"sub\":\"ada\""

static void reads_claims(void **state)
{
    static const struct {
        const char *more;
        struct token_claims expected;
    } rows[] = {
        {"", {.subject = "ada"}},
        {",\"client_id\":\"c\",\"azp\":\"d\"", {.subject = "ada", .client = "c"}},
        {",\"azp\":\"d\"", {.subject = "ada", .client = "d"}},
        {",\"scope\":\"a b\"", {.subject = "ada", .scopes = "a b"}},
        {",\"scope\":\"  a   b \"", {.subject = "ada", .scopes = "a b"}},
        {",\"scope\":\"\"", {.subject = "ada"}},
        {",\"scope\":\"*\"", {.subject = "ada"}},
        {",\"scope\":\"* a * b:* *\"", {.subject = "ada", .scopes = "a b:*"}},
        {",\"scope\":\"a\",\"scp\":[\"b\"]", {.subject = "ada", .scopes = "a"}},
        {",\"scp\":[\"a\",\"b c\",\"\",\"*\"]", {.subject = "ada", .scopes = "a b c"}},
        {",\"scp\":\"a b\"", {.subject = "ada", .scopes = "a b"}},
        {",\"scp\":[]", {.subject = "ada"}},
        {",\"cnf\":{\"jkt\":\"0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I\"}",
         {.subject = "ada", .jkt = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"}},
        {",\"cnf\":{\"x5t#S256\":\"0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I\",\"kid\":\"x\"}",
         {.subject = "ada", .x5t = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"}},
        {",\"iss\":\"https://as.example\"", {.subject = "ada"}},
    };
    const struct token_rules rules = {ISSUER, audiences, false, SKEW};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        const char *text = haft_arena_printf(arena, "{" BASE "%s}", rows[i].more);
        const struct token_claims *expected = &rows[i].expected;
        struct token_claims claims = {0};

        assert_int_equal(hf_claims_check(haft_json_read(text, strlen(text), 0, arena, NULL), &rules,
                                         NOW, arena, &claims),
                         TOKEN_OK);
        assert_string_equal(claims.issuer, ISSUER);
        assert_int_equal(claims.expires, 1800000100);
#define SAME(member)                                                                               \
    if (!claims.member != !expected->member ||                                                     \
        (claims.member && strcmp(claims.member, expected->member) != 0))                           \
    fail_msg("%s: " #member " is %s", rows[i].more, claims.member ? claims.member : "absent")
        SAME(subject);
        SAME(client);
        SAME(scopes);
        SAME(jkt);
        SAME(x5t);
#undef SAME
        haft_arena_free(arena);
    }
}

/* The answer of an introspection: an issuer may be absent, and must be right. */
static void checks_introspected_claims(void **state)
{
    static const struct {
        const char *text;
        enum token_error error;
    } rows[] = {
        {"{" BASE "}", TOKEN_OK},
        {"{" BASE ",\"iss\":\"https://evil.example\"}", TOKEN_WRONG_ISSUER},
        {"{" BASE ",\"iss\":1}", TOKEN_BAD_CLAIM},
        {"{\"exp\":1800000100,\"sub\":\"a\"}", TOKEN_WRONG_AUDIENCE},
        {"{\"aud\":\"https://rs.example/mcp\",\"sub\":\"a\"}", TOKEN_BAD_CLAIM},
        {"[]", TOKEN_MALFORMED},
    };
    const struct token_rules rules = {ISSUER, audiences, false, SKEW};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        haft_value *claims = haft_json_read(rows[i].text, strlen(rows[i].text), 0, arena, NULL);
        struct token_claims found;
        enum token_error error = hf_claims_check(claims, &rules, NOW, arena, &found);

        if (error != rows[i].error)
            fail_msg("%s: %s", rows[i].text, name_of(error));
        haft_arena_free(arena);
    }
}

static void compares_audiences(void **state)
{
    static const struct {
        const char *left, *right;
        bool equal;
    } rows[] = {
        {"https://a/x", "https://a/x", true},
        {"https://a/x", "HTTPS://A/x", true},
        {"https://a/x", "https://a/x/", true},
        {"https://a", "https://a/", true},
        {"https://a:443/x", "https://a/x", true},
        {"http://a:80", "http://a", true},
        {"http://[::1]:80/x", "http://[::1]/x", true},
        {"urn:x", "urn:x", true},
        {"api://x", "API://x/", true},
        {"", "", true},
        {"https://a/x?q", "https://a/x?q", true},
        {"https://A/x?q", "https://a/x?q", true},
        {"https://a/x", "https://a/X", false},
        {"https://a/x", "https://a/x//", false},
        {"https://a/x", "https://a/x/y", false},
        {"https://a/x", "https://a/x?", false},
        {"https://a/x", "https://a/x#", false},
        {"https://a/x?q", "https://a/x?Q", false},
        {"https://a/x/?q", "https://a/x?q/", false},
        {"https://a:80", "https://a", false},
        {"http://a:443", "http://a", false},
        {"https://a:4430/", "https://a:443/", false},
        {"https://a", "http://a", false},
        {"https://a@b", "https://b", false},
        {"https://a@B/", "https://a@b/", false},
        {"https://a.b", "https://ab", false},
        {"urn:x", "URN:x", false},
        {"urn:x", "urn:x/", false},
        {"x", "X", false},
        {"https:///x", "https:///x/", false},
        {"https://a/%78", "https://a/x", false},
        {"https://a/x/../y", "https://a/y", false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (hf_audience_equal(rows[i].left, rows[i].right) != rows[i].equal ||
            hf_audience_equal(rows[i].right, rows[i].left) != rows[i].equal)
            fail_msg("%s and %s", rows[i].left, rows[i].right);
}

static void knows_what_is_like_a_token(void **state)
{
    static const struct {
        const char *text;
        size_t size;
        bool like;
    } rows[] = {
        {TEXT("a.b.c"), true},        {TEXT("a.b."), true},
        {TEXT("aA0-_.b.c"), true},    {TEXT(""), false},
        {TEXT("."), false},           {TEXT(".."), false},
        {TEXT("a..c"), false},        {TEXT(".b.c"), false},
        {TEXT("a.b"), false},         {TEXT("a.b.c.d"), false},
        {TEXT("a.b.c.d.e"), false},   {TEXT("a.b.c="), false},
        {TEXT("a.b.c "), false},      {TEXT("a.b.c\n"), false},
        {TEXT("a.b.c\0"), false},     {TEXT("a.b.~"), false},
        {TEXT("a+.b.c"), false},      {TEXT("a/.b.c"), false},
        {TEXT("opaque-1234"), false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (hf_jwt_is_like(rows[i].text, rows[i].size) != rows[i].like)
            fail_msg("%s", rows[i].text);
}

/* ---- memory ---- */

static const char starved_token[] =
    "eyJhbGciOiJFUzI1NiJ9."
    "eyJpc3MiOiJodHRwczovL2FzLmV4YW1wbGUiLCJhdWQiOiJodHRwczovL3JzLmV4YW1wbGUvbWNwIiwiZXhwIjoxODAwMDA"
    "wMTAwLCJzdWIiOiJhZGEiLCJzY29wZSI6ImEgYiJ9.AAAA";

static void survives_without_memory(void **state)
{
    const struct token_rules rules = {ISSUER, audiences, true, SKEW};

    (void)state;
    for (size_t nth = 1;; nth++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        struct token_claims claims = {0};
        struct jwt jwt = {.text = NULL};
        enum token_error error;

        starve_at(nth, false);
        error = hf_jwt_read(starved_token, strlen(starved_token), arena, &jwt);
        if (!error)
            error = hf_jwt_check(&jwt, &rules, NOW, arena, &claims);
        haft_arena_free(arena);
        assert_int_equal(error, starved() ? TOKEN_NO_MEMORY : TOKEN_OK);
        if (!starved()) {
            assert_true(nth > 5);
            break;
        }
    }
    starve_at(0, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judges_frozen_tokens),
        cmocka_unit_test(explains_each_refusal),
        cmocka_unit_test(verifies_the_examples_of_standards),
        cmocka_unit_test(reads_claims),
        cmocka_unit_test(checks_introspected_claims),
        cmocka_unit_test(compares_audiences),
        cmocka_unit_test(knows_what_is_like_a_token),
        cmocka_unit_test(survives_without_memory),
    };

    return cmocka_run_group_tests(tests, open_part, close_part);
}
