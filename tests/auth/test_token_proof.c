/* test_token_proof.c - proofs of possession: RFC 9449's own, and what a thief of a token could try. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <haft/part.h>

#include "auth/token/jwk.h"
#include "part/crypto.h"
#include "support/starving.h"
#include "support/test.h"

enum { NOW = 1800000000, WINDOW = 300, PROOF = 4096 };

#define URL "https://rs.example/mcp"
#define TOKEN "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"
#define ATH "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo"

static const struct crypto_functions *crypto;
static crypto_key *key, *other;

static int open_part(void **state)
{
    haft_reason reason = {0};

    (void)state;
    haft_part_register(&haft_crypto_part);
    crypto = hf_crypto_open("this test", &reason);
    if (!crypto)
        return 1;
    key = crypto->make(&reason);
    other = crypto->make(&reason);
    return !key || !other;
}

static int close_part(void **state)
{
    (void)state;
    crypto->destroy(key);
    crypto->destroy(other);
    return 0;
}

/* Appends the key as a JWK, with more members before its end. */
static void put_jwk(haft_buffer *out, const crypto_key *of, const char *more)
{
    unsigned char x[CRYPTO_COORDINATE], y[CRYPTO_COORDINATE];

    assert_int_equal(crypto->point(of, x, y), 0);
    haft_buffer_puts(out, "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"");
    hf_base64url_put(out, x, sizeof x);
    haft_buffer_puts(out, "\",\"y\":\"");
    hf_base64url_put(out, y, sizeof y);
    haft_buffer_printf(out, "\"%s}", more);
}

static const char *thumbprint(haft_arena *arena)
{
    unsigned char digest[SHA256_SIZE];
    haft_buffer text;
    const char *copy;

    haft_buffer_init(&text, NULL, PROOF);
    put_jwk(&text, key, "");
    assert_true(hf_jwk_thumbprint(haft_json_read(text.data, text.size, 0, arena, NULL), digest));
    haft_buffer_clear(&text);
    hf_base64url_put(&text, digest, sizeof digest);
    copy = haft_arena_copy(arena, text.data, text.size);
    haft_buffer_finish(&text);
    return copy;
}

/* Makes a proof; `@` in the header stands for the key. */
static void put_proof(haft_buffer *proof, const char *header, const char *more, const char *claims)
{
    const char *at = strchr(header, '@');
    unsigned char signature[CRYPTO_SIGNATURE];
    haft_buffer text;
    size_t size;

    haft_buffer_init(&text, NULL, PROOF);
    haft_buffer_add(&text, header, at ? (size_t)(at - header) : strlen(header));
    if (at) {
        put_jwk(&text, key, more);
        haft_buffer_puts(&text, at + 1);
    }
    hf_base64url_put(proof, text.data, text.size);
    haft_buffer_add(proof, ".", 1);
    hf_base64url_put(proof, claims, strlen(claims));
    assert_int_equal(crypto->sign(key, proof->data, proof->size, signature, &size), 0);
    haft_buffer_add(proof, ".", 1);
    hf_base64url_put(proof, signature, size);
    assert_int_equal(proof->status, 0);
    haft_buffer_finish(&text);
}

#define HEADER "{\"typ\":\"dpop+jwt\",\"alg\":\"ES256\",\"jwk\":@}"
#define BASE "{\"jti\":\"j1\",\"htm\":\"POST\",\"htu\":\"" URL "\",\"ath\":\"" ATH "\""
#define CLAIMS BASE ",\"iat\":1800000000}"
#define WITH_URL(url)                                                                              \
    "{\"jti\":\"j1\",\"htm\":\"POST\",\"htu\":\"" url "\",\"ath\":\"" ATH "\",\"iat\":1800000000}"

static void judges_proofs(void **state)
{
    static const struct {
        const char *header, *more, *claims;
        enum token_error error;
    } rows[] = {
        {HEADER, "", CLAIMS, TOKEN_OK},
        {HEADER, "", BASE ",\"iat\":1799999700,\"nonce\":\"n\"}", TOKEN_OK},
        {HEADER, "", BASE ",\"iat\":1800000300}", TOKEN_OK},
        {HEADER, ",\"alg\":\"ES256\",\"use\":\"sig\",\"kid\":\"x\"", CLAIMS, TOKEN_OK},
        {"{\"typ\":\"DPoP+JWT\",\"alg\":\"ES256\",\"jwk\":@,\"kid\":\"x\"}", "", CLAIMS, TOKEN_OK},
        {HEADER, "", WITH_URL("HTTPS://RS.example:443/mcp/"), TOKEN_OK},
        {HEADER, "", WITH_URL(URL "?a=b#c"), TOKEN_OK},
        /* the request */
        {HEADER, "", WITH_URL("https://rs.example/other"), TOKEN_BAD_CLAIM},
        {HEADER, "", WITH_URL("http://rs.example/mcp"), TOKEN_BAD_CLAIM},
        {HEADER, "", WITH_URL("https://evil.example/mcp"), TOKEN_BAD_CLAIM},
        {HEADER, "", WITH_URL("https://rs.example/mcp/x"), TOKEN_BAD_CLAIM},
        {HEADER, "", WITH_URL("https://rs.example/?/mcp"), TOKEN_BAD_CLAIM},
        {HEADER, "", WITH_URL("/mcp"), TOKEN_BAD_CLAIM},
        {HEADER, "", WITH_URL(URL "\\u0000"), TOKEN_BAD_CLAIM},
        {HEADER, "",
         "{\"jti\":\"j\",\"htm\":\"GET\",\"htu\":\"" URL "\",\"ath\":\"" ATH
         "\",\"iat\":1800000000}",
         TOKEN_BAD_CLAIM},
        {HEADER, "",
         "{\"jti\":\"j\",\"htm\":\"post\",\"htu\":\"" URL "\",\"ath\":\"" ATH
         "\",\"iat\":1800000000}",
         TOKEN_BAD_CLAIM},
        /* the token */
        {HEADER, "",
         "{\"jti\":\"j\",\"htm\":\"POST\",\"htu\":\"" URL
         "\",\"ath\":\"aUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo\",\"iat\":1800000000}",
         TOKEN_BAD_CLAIM},
        {HEADER, "",
         "{\"jti\":\"j\",\"htm\":\"POST\",\"htu\":\"" URL "\",\"ath\":\"" ATH
         "=\",\"iat\":1800000000}",
         TOKEN_BAD_CLAIM},
        {HEADER, "",
         "{\"jti\":\"j\",\"htm\":\"POST\",\"htu\":\"" URL "\",\"ath\":1,\"iat\":1800000000}",
         TOKEN_BAD_CLAIM},
        {HEADER, "", "{\"jti\":\"j\",\"htm\":\"POST\",\"htu\":\"" URL "\",\"iat\":1800000000}",
         TOKEN_BAD_CLAIM},
        /* times and ids */
        {HEADER, "", BASE ",\"iat\":1799999699}", TOKEN_EXPIRED},
        {HEADER, "", BASE ",\"iat\":1800000301}", TOKEN_NOT_YET},
        {HEADER, "", BASE ",\"iat\":\"1800000000\"}", TOKEN_BAD_CLAIM},
        {HEADER, "", BASE "}", TOKEN_BAD_CLAIM},
        {HEADER, "", BASE ",\"iat\":1800000000,\"nonce\":1}", TOKEN_BAD_CLAIM},
        {HEADER, "", BASE ",\"iat\":1800000000,\"nonce\":\"\"}", TOKEN_BAD_CLAIM},
        {HEADER, "",
         "{\"jti\":\"\",\"htm\":\"POST\",\"htu\":\"" URL "\",\"ath\":\"" ATH
         "\",\"iat\":1800000000}",
         TOKEN_BAD_CLAIM},
        {HEADER, "",
         "{\"jti\":1,\"htm\":\"POST\",\"htu\":\"" URL "\",\"ath\":\"" ATH "\",\"iat\":1800000000}",
         TOKEN_BAD_CLAIM},
        {HEADER, "",
         "{\"htm\":\"POST\",\"htu\":\"" URL "\",\"ath\":\"" ATH "\",\"iat\":1800000000}",
         TOKEN_BAD_CLAIM},
        {HEADER, "", BASE ",\"iat\":1800000000,\"jti\":\"j2\"}", TOKEN_MALFORMED},
        /* the header */
        {"{\"typ\":\"JWT\",\"alg\":\"ES256\",\"jwk\":@}", "", CLAIMS, TOKEN_WRONG_TYPE},
        {"{\"typ\":\"at+jwt\",\"alg\":\"ES256\",\"jwk\":@}", "", CLAIMS, TOKEN_WRONG_TYPE},
        {"{\"alg\":\"ES256\",\"jwk\":@}", "", CLAIMS, TOKEN_WRONG_TYPE},
        {"{\"typ\":\"dpop+jwt\",\"alg\":\"none\",\"jwk\":@}", "", CLAIMS, TOKEN_WRONG_ALGORITHM},
        {"{\"typ\":\"dpop+jwt\",\"alg\":\"HS256\",\"jwk\":@}", "", CLAIMS, TOKEN_WRONG_ALGORITHM},
        {"{\"typ\":\"dpop+jwt\",\"alg\":\"RS256\",\"jwk\":@}", "", CLAIMS, TOKEN_WRONG_ALGORITHM},
        {"{\"typ\":\"dpop+jwt\",\"alg\":\"EdDSA\",\"jwk\":@}", "", CLAIMS, TOKEN_WRONG_ALGORITHM},
        {"{\"typ\":\"dpop+jwt\",\"jwk\":@}", "", CLAIMS, TOKEN_MALFORMED},
        {"{\"typ\":\"dpop+jwt\",\"alg\":\"ES256\"}", "", CLAIMS, TOKEN_MALFORMED},
        {"{\"typ\":\"dpop+jwt\",\"alg\":\"ES256\",\"jwk\":\"x\"}", "", CLAIMS, TOKEN_MALFORMED},
        {"{\"typ\":\"dpop+jwt\",\"alg\":\"ES256\",\"jwk\":{\"kty\":\"oct\",\"k\":\"AAAA\"}}", "",
         CLAIMS, TOKEN_MALFORMED},
        {"{\"typ\":\"dpop+jwt\",\"alg\":\"ES256\",\"jwk\":{\"kty\":\"EC\",\"crv\":\"P-256\"}}", "",
         CLAIMS, TOKEN_MALFORMED},
        {"{\"typ\":\"dpop+jwt\",\"alg\":\"ES256\",\"crit\":[\"x\"],\"jwk\":@}", "", CLAIMS,
         TOKEN_CRITICAL},
        {HEADER, ",\"d\":\"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI\"", CLAIMS, TOKEN_MALFORMED},
        {HEADER, ",\"use\":\"enc\"", CLAIMS, TOKEN_MALFORMED},
        {HEADER, ",\"alg\":\"RS256\"", CLAIMS, TOKEN_MALFORMED},
        {HEADER, ",\"kty\":\"EC\"", CLAIMS, TOKEN_MALFORMED},
        {"{\"typ\":\"dpop+jwt\",\"alg\":\"ES256\",\"jwk\":{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":"
         "\"l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs\",\"y\":"
         "\"9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA\"}}",
         "", CLAIMS, TOKEN_UNKNOWN_KEY},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        const struct dpop_check check = {"POST", URL, TOKEN, thumbprint(arena), NOW, WINDOW};
        struct dpop_proof found = {0};
        enum token_error error;
        haft_buffer proof;

        haft_buffer_init(&proof, NULL, PROOF);
        put_proof(&proof, rows[i].header, rows[i].more, rows[i].claims);
        error = hf_dpop_verify(crypto, proof.data, proof.size, &check, arena, &found);
        if (error != rows[i].error)
            fail_msg("%zu: %s %s: %s", i, rows[i].header, rows[i].claims,
                     hf_token_error_text(error));
        if (!error) {
            assert_string_equal(found.jti, "j1");
            assert_int_equal(!found.nonce, !strstr(rows[i].claims, "nonce"));
            assert_true(found.issued >= NOW - WINDOW && found.issued <= NOW + WINDOW);
            /* with one bit changed, a part more, or something around it */
            proof.data[proof.size - 4] ^= 1;
            assert_int_not_equal(
                hf_dpop_verify(crypto, proof.data, proof.size, &check, arena, &found), TOKEN_OK);
            proof.data[proof.size - 4] ^= 1;
            haft_buffer_puts(&proof, ".x");
            assert_int_equal(hf_dpop_verify(crypto, proof.data, proof.size, &check, arena, &found),
                             TOKEN_MALFORMED);
            proof.data[proof.size - 2] = ',';
            assert_int_equal(hf_dpop_verify(crypto, proof.data, proof.size, &check, arena, &found),
                             TOKEN_MALFORMED);
        }
        haft_buffer_finish(&proof);
        haft_arena_free(arena);
    }
}

/* Signed by a key that is not the one in the header. */
static void refuses_signatures_of_others(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    const struct dpop_check check = {"POST", URL, TOKEN, thumbprint(arena), NOW, WINDOW};
    crypto_key *own = key;
    struct dpop_proof found;
    unsigned char signature[CRYPTO_SIGNATURE];
    haft_buffer proof;
    size_t size;

    (void)state;
    haft_buffer_init(&proof, NULL, PROOF);
    put_proof(&proof, HEADER, "", CLAIMS);
    proof.size -= strlen(strrchr(haft_arena_copy(arena, proof.data, proof.size), '.'));
    assert_int_equal(crypto->sign(other, proof.data, proof.size, signature, &size), 0);
    haft_buffer_add(&proof, ".", 1);
    hf_base64url_put(&proof, signature, size);
    assert_int_equal(hf_dpop_verify(crypto, proof.data, proof.size, &check, arena, &found),
                     TOKEN_BAD_SIGNATURE);
    /* And a proof of another key that is right in itself. */
    key = other;
    haft_buffer_clear(&proof);
    put_proof(&proof, HEADER, "", CLAIMS);
    key = own;
    assert_int_equal(hf_dpop_verify(crypto, proof.data, proof.size, &check, arena, &found),
                     TOKEN_UNKNOWN_KEY);
    haft_buffer_finish(&proof);
    haft_arena_free(arena);
}

/* RFC 9449, section 7.1. */
static void verifies_the_example_of_the_standard(void **state)
{
    static const char proof[] =
        "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0Vj"
        "NoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5"
        "VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19.eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUI"
        "iwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9wcm90ZWN0ZWRyZXNvdXJjZSIsImlhdCI6MTU2MjI"
        "2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtzbVFFbyJ9.2oW9RP35yRqz"
        "hrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA";
    struct dpop_check check = {"GET",      "https://resource.example.org/protectedresource",
                               TOKEN,      "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I",
                               1562262618, WINDOW};
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    struct dpop_proof found;

    (void)state;
    assert_int_equal(hf_dpop_verify(crypto, proof, strlen(proof), &check, arena, &found), TOKEN_OK);
    assert_string_equal(found.jti, "e1j3V_bKic8-LAEB");
    assert_null(found.nonce);
    assert_int_equal(found.issued, 1562262618);
    check.token = "another";
    assert_int_equal(hf_dpop_verify(crypto, proof, strlen(proof), &check, arena, &found),
                     TOKEN_BAD_CLAIM);
    haft_arena_free(arena);
}

static void survives_without_memory(void **state)
{
    haft_buffer proof;

    (void)state;
    haft_buffer_init(&proof, NULL, PROOF);
    put_proof(&proof, HEADER, "", CLAIMS);
    for (size_t nth = 1;; nth++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        const struct dpop_check check = {"POST", URL, TOKEN, thumbprint(arena), NOW, WINDOW};
        struct dpop_proof found;
        enum token_error error;

        starve_at(nth, false);
        error = hf_dpop_verify(crypto, proof.data, proof.size, &check, arena, &found);
        assert_int_equal(error, starved() ? TOKEN_NO_MEMORY : TOKEN_OK);
        haft_arena_free(arena);
        if (!starved()) {
            assert_true(nth > 4);
            break;
        }
        starve_at(0, false);
    }
    starve_at(0, false);
    haft_buffer_finish(&proof);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judges_proofs),
        cmocka_unit_test(refuses_signatures_of_others),
        cmocka_unit_test(verifies_the_example_of_the_standard),
        cmocka_unit_test(survives_without_memory),
    };

    return cmocka_run_group_tests(tests, open_part, close_part);
}
