/* fuzz_token.c - any token and any proof: what is accepted keeps the rules, and has one encoding.
 *
 * The mutator knows the form of a token: it changes the JSON of its parts and encodes it again, and mostly signs the
 * result with a key that the verifier accepts, so that the fuzzer gets behind the signature. */
#include <stdlib.h>
#include <string.h>

#include <haft/part.h>

#include "auth/token/jwk.h"
#include "part/crypto.h"

#define ISSUER "https://as.example"
#define RESOURCE "https://rs.example/mcp"
#define X "WbP3tOVqmPBaExOVb4ay1YMn6HM3zhFKEWU5h8heBCE"
#define KEY "\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" X "\""

enum { NOW = 1800000000, PART = 8192, ARENA = 1 << 22 };

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* Of this file only. */
static const char pem[] = "-----BEGIN PRIVATE KEY-----\n"
                          "MC4CAQAwBQYDK2VwBCIEIJ3gr16lEfddTdmR6KaFH/a96i00Qr85a4mu2DHQdQGZ\n"
                          "-----END PRIVATE KEY-----\n";
static const struct crypto_functions *crypto;
static crypto_key *key;
static struct token_keys *keys;
static char thumbprint[TOKEN_DIGEST + 1];

static void require(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const char jwks[] = "{\"keys\":[{" KEY ",\"kid\":\"k\"}]}", jwk[] = "{" KEY "}";
    haft_arena *arena = haft_arena_new(NULL, ARENA);
    unsigned char digest[SHA256_SIZE];
    haft_reason reason = {0};
    haft_buffer text;

    (void)argc, (void)argv;
    haft_part_register(&haft_crypto_part);
    crypto = hf_crypto_open("this test", &reason);
    key = crypto ? crypto->read(pem, &reason) : NULL;
    keys = key ? hf_token_keys_read(crypto, NULL, jwks, strlen(jwks), "EdDSA RS256", NULL, NULL,
                                    &reason)
               : NULL;
    require(keys && hf_jwk_thumbprint(haft_json_read(jwk, strlen(jwk), 0, arena, NULL), digest));
    haft_buffer_init(&text, NULL, 64);
    hf_base64url_put(&text, digest, sizeof digest);
    memcpy(thumbprint, text.data, TOKEN_DIGEST);
    haft_buffer_finish(&text);
    haft_arena_free(arena);
    return 0;
}

/* ---- what must hold ---- */

/* The parts encode back to the text: there is no other text for the same token. */
static void check_encoding(const struct jwt *jwt, const char *text, size_t size)
{
    const char *dot = memchr(text, '.', size);
    haft_buffer again;

    haft_buffer_init(&again, NULL, 2 * TOKEN_LIMIT);
    haft_buffer_add(&again, text, (size_t)(dot - text) + 1);
    hf_base64url_put(&again, jwt->payload, jwt->payload_size);
    require(again.size == jwt->signed_size);
    haft_buffer_add(&again, ".", 1);
    hf_base64url_put(&again, jwt->signature, jwt->signature_size);
    require(again.size == size && !memcmp(again.data, text, size));
    haft_buffer_finish(&again);
}

static void check_name(const char *name)
{
    for (; name && *name; name++)
        require((unsigned char)*name >= ' ' && *name != 0x7F);
}

static void check_claims(const struct token_claims *claims)
{
    const char *scopes = claims->scopes;

    require(!strcmp(claims->issuer, ISSUER) && (claims->subject || claims->client));
    require(claims->expires > NOW - 60);
    check_name(claims->subject);
    check_name(claims->client);
    require(!claims->jkt || strlen(claims->jkt) == TOKEN_DIGEST);
    require(!claims->x5t || strlen(claims->x5t) == TOKEN_DIGEST);
    for (size_t n; scopes; scopes = scopes[n] ? scopes + n + 1 : NULL) {
        n = strcspn(scopes, " ");
        require(n && (n > 1 || *scopes != '*'));
        for (size_t i = 0; i < n; i++)
            require(scopes[i] > ' ' && scopes[i] < 0x7F && scopes[i] != '"' && scopes[i] != '\\');
    }
}

static bool is_audience(haft_value *value)
{
    yyjson_arr_iter iter = yyjson_arr_iter_with(value);

    if (yyjson_is_str(value))
        return hf_audience_equal(yyjson_get_str(value), RESOURCE);
    for (haft_value *item; (item = yyjson_arr_iter_next(&iter));)
        if (yyjson_is_str(item) && hf_audience_equal(yyjson_get_str(item), RESOURCE))
            return true;
    return false;
}

static void check_token(const char *text, size_t size, haft_arena *arena)
{
    static const char *const audiences[] = {RESOURCE, NULL};
    const struct token_rules rules = {ISSUER, audiences, size & 1, 60};
    struct token_claims claims;
    struct jwt jwt;

    if (hf_jwt_read(text, size, arena, &jwt))
        return;
    require(size <= TOKEN_LIMIT && hf_jwt_is_like(text, size));
    check_encoding(&jwt, text, size);
    require(strcmp(jwt.algorithm, "none") != 0 && *jwt.algorithm != 'H');
    require(!yyjson_obj_get(jwt.header, "crit"));
    if (!hf_jwt_check(&jwt, &rules, NOW, arena, &claims)) {
        check_claims(&claims);
        require(is_audience(yyjson_obj_get(jwt.claims, "aud")));
        require(yyjson_is_num(yyjson_obj_get(jwt.claims, "exp")));
        require(rules.any_type || (jwt.type && strlen(jwt.type) >= strlen("at+jwt")));
    }
    if (!hf_jwt_verify(&jwt, keys)) {
        require(!strcmp(jwt.algorithm, "EdDSA") || !strcmp(jwt.algorithm, "Ed25519"));
        require(!jwt.kid || !strcmp(jwt.kid, "k"));
        jwt.signature[size % jwt.signature_size] ^= 1;
        require(hf_jwt_verify(&jwt, keys) == TOKEN_BAD_SIGNATURE);
    }
}

static void check_proof(const char *text, size_t size, haft_arena *arena)
{
    const struct dpop_check check = {"POST", RESOURCE, "token", thumbprint, NOW, 300};
    struct dpop_proof proof;

    if (hf_dpop_verify(crypto, text, size, &check, arena, &proof))
        return;
    require(*proof.jti && proof.issued >= NOW - 300 && proof.issued <= NOW + 300);
    require(!proof.nonce || *proof.nonce);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft_arena *arena = haft_arena_new(NULL, ARENA);

    check_token((const char *)data, size, arena);
    check_proof((const char *)data, size, arena);
    haft_arena_free(arena);
    return 0;
}

/* ---- mutation ---- */

static const char *const headers[] = {
    "{\"alg\":\"EdDSA\",\"typ\":\"at+jwt\",\"kid\":\"k\"}",
    "{\"alg\":\"Ed25519\",\"typ\":\"application/at+jwt\"}",
    "{\"alg\":\"EdDSA\",\"typ\":\"dpop+jwt\",\"jwk\":{" KEY "}}",
    "{\"alg\":\"EdDSA\",\"crit\":[\"x\"],\"b64\":false}",
};
static const char *const bodies[] = {
    "{\"iss\":\"" ISSUER "\",\"aud\":\"" RESOURCE
    "\",\"exp\":1800000100,\"sub\":\"a\",\"scope\":\"a b\"}",
    "{\"iss\":\"" ISSUER "\",\"aud\":[\"" RESOURCE
    "\"],\"exp\":1800000100.5,\"nbf\":1,\"iat\":2,\"client_id\":\"c\",\"scp\":[\"a\",\"*\"],"
    "\"cnf\":{\"jkt\":\"" X "\",\"x5t#S256\":\"" X "\"}}",
    "{\"jti\":\"j\",\"htm\":\"POST\",\"htu\":\"" RESOURCE "\",\"iat\":1800000000,\"nonce\":\"n\","
    "\"ath\":\"PEaenWxYddN6Q_NT1PiOYfz4EsZu7jRXRlpAsNpBU-A\"}",
};

/* The JSON of a part, or another one to begin with. */
static size_t take_part(const uint8_t *data, size_t size, const char *const *others, size_t n,
                        unsigned seed, uint8_t part[PART])
{
    const char *other = others[seed % n];
    size_t got;

    if (seed % 16 && size && size <= PART && BASE64URL_BYTES(size) <= PART &&
        !hf_base64url_decode((const char *)data, size, part, &got))
        return got;
    memcpy(part, other, strlen(other));
    return strlen(other);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static uint8_t header[PART], body[PART];
    const uint8_t *dot = size ? memchr(data, '.', size) : NULL, *second;
    size_t header_size, body_size;
    unsigned char signature[CRYPTO_SIGNATURE];
    haft_buffer out;
    size_t n;

    if (seed % 8 == 0) /* the text itself */
        return LLVMFuzzerMutate(data, size, max_size);
    second = dot ? memchr(dot + 1, '.', size - (size_t)(dot + 1 - data)) : NULL;
    header_size = take_part(data, dot ? (size_t)(dot - data) : 0, headers, 4, seed / 8, header);
    body_size = take_part(dot ? dot + 1 : data, second ? (size_t)(second - dot - 1) : 0, bodies, 3,
                          seed / 128, body);
    if (seed % 3 == 0)
        header_size = LLVMFuzzerMutate(header, header_size, PART);
    else
        body_size = LLVMFuzzerMutate(body, body_size, PART);
    haft_buffer_init(&out, NULL, 4 * PART);
    hf_base64url_put(&out, header, header_size);
    haft_buffer_add(&out, ".", 1);
    hf_base64url_put(&out, body, body_size);
    require(!crypto->sign(key, out.data, out.size, signature, &n));
    if (seed % 32 == 1)
        signature[seed / 32 % n] ^= 1;
    haft_buffer_add(&out, ".", 1);
    hf_base64url_put(&out, signature, n);
    if (!out.status && out.size <= max_size) {
        memcpy(data, out.data, out.size);
        size = out.size;
    }
    haft_buffer_finish(&out);
    return size;
}
