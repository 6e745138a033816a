/* jwt.c - JSON Web Tokens that the client signs: assertions (RFC 7523) and DPoP proofs (RFC 9449). */
#include <time.h>

#include "auth/client/assertion.h"
#include "auth/client/flow.h"
#include "auth/form.h"
#include "base/sha256.h"
#include "json/writer.h"

enum { JWT_LIMIT = 16 << 10, JWT_SECONDS = 120, JWT_ID = 16 };

/* Appends header.claims.signature. */
static int jwt_sign(const struct crypto_functions *crypto, const crypto_key *key,
                    const haft_buffer *header, const haft_buffer *claims, haft_buffer *out)
{
    unsigned char signature[CRYPTO_SIGNATURE];
    size_t start = out->size, size;

    if (header->status || claims->status)
        return HAFT_ENOMEM;
    hf_base64url_put(out, header->data, header->size);
    haft_buffer_add(out, ".", 1);
    hf_base64url_put(out, claims->data, claims->size);
    if (out->status)
        return HAFT_ENOMEM;
    if (crypto->sign(key, out->data + start, out->size - start, signature, &size))
        return HAFT_EFAIL;
    haft_buffer_add(out, ".", 1);
    hf_base64url_put(out, signature, size);
    return out->status ? HAFT_ENOMEM : 0;
}

/* Writes a random id as the member `jti`. */
static bool jwt_put_id(struct json_writer *w)
{
    unsigned char bytes[JWT_ID];
    haft_buffer *out = w->out;

    if (uv_random(NULL, NULL, bytes, sizeof bytes, 0, NULL))
        return false;
    json_key(w, "jti");
    out = hf_json_begin_string(w);
    hf_base64url_put(out, bytes, sizeof bytes);
    hf_json_end_string(w);
    return true;
}

static void jwt_put_bytes(struct json_writer *w, const unsigned char *bytes, size_t size)
{
    hf_base64url_put(hf_json_begin_string(w), bytes, size);
    hf_json_end_string(w);
}

int hf_assertion_put(const struct crypto_functions *crypto, const crypto_key *key,
                     const haft_allocator *memory, const char *client_id, const char *audience,
                     haft_buffer *out)
{
    int64_t now = (int64_t)time(NULL);
    haft_buffer header, claims;
    struct json_writer w = {.out = &header};
    int status = HAFT_EFAIL;

    haft_buffer_init(&header, memory, JWT_LIMIT);
    haft_buffer_init(&claims, memory, JWT_LIMIT);
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "alg"), crypto->algorithm(key));
    hf_json_text(json_key(&w, "typ"), "JWT");
    hf_json_end_object(&w);
    w = (struct json_writer){.out = &claims};
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "iss"), client_id);
    hf_json_text(json_key(&w, "sub"), client_id);
    hf_json_text(json_key(&w, "aud"), audience);
    hf_json_integer(json_key(&w, "iat"), now);
    hf_json_integer(json_key(&w, "exp"), now + JWT_SECONDS);
    if (jwt_put_id(&w)) {
        hf_json_end_object(&w);
        status = jwt_sign(crypto, key, &header, &claims, out);
    }
    haft_buffer_finish(&header);
    haft_buffer_finish(&claims);
    return status;
}

const char *hf_jwt_client_assertion(struct oauth_flow *flow, const char *client_id)
{
    const struct oauth *oauth = flow->oauth;
    const char *text = NULL;
    haft_buffer out;

    haft_buffer_init(&out, oauth->memory, JWT_LIMIT);
    if (!hf_assertion_put(oauth->crypto, oauth->key, oauth->memory, client_id, flow->issuer.issuer,
                          &out))
        text = haft_arena_copy(flow->arena, out.data, out.size);
    haft_buffer_finish(&out);
    return text;
}

/* ---- DPoP ---- */

static int jwt_put_proof_header(const struct oauth *oauth, const crypto_key *key,
                                haft_buffer *header)
{
    struct json_writer w = {.out = header};
    unsigned char x[CRYPTO_COORDINATE], y[CRYPTO_COORDINATE];

    if (oauth->crypto->point(key, x, y))
        return HAFT_EFAIL;
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "typ"), "dpop+jwt");
    hf_json_text(json_key(&w, "alg"), oauth->crypto->algorithm(key));
    hf_json_begin_object(json_key(&w, "jwk"));
    hf_json_text(json_key(&w, "kty"), "EC");
    hf_json_text(json_key(&w, "crv"), "P-256");
    jwt_put_bytes(json_key(&w, "x"), x, sizeof x);
    jwt_put_bytes(json_key(&w, "y"), y, sizeof y);
    hf_json_end_object(&w);
    hf_json_end_object(&w);
    return 0;
}

static int jwt_put_proof_claims(const char *method, const char *url, const char *token,
                                const char *nonce, haft_buffer *claims)
{
    struct json_writer w = {.out = claims};
    unsigned char digest[SHA256_SIZE];
    struct sha256 hash;

    hf_json_begin_object(&w);
    if (!jwt_put_id(&w))
        return HAFT_EFAIL;
    hf_json_text(json_key(&w, "htm"), method);
    hf_json_string(json_key(&w, "htu"), url, strcspn(url, "?#"));
    hf_json_integer(json_key(&w, "iat"), (int64_t)time(NULL));
    if (token) {
        hf_sha256_init(&hash);
        hf_sha256_add(&hash, token, strlen(token));
        hf_sha256_finish(&hash, digest);
        jwt_put_bytes(json_key(&w, "ath"), digest, sizeof digest);
    }
    if (nonce)
        hf_json_text(json_key(&w, "nonce"), nonce);
    hf_json_end_object(&w);
    return 0;
}

int hf_jwt_proof(const struct oauth *oauth, const crypto_key *key, const char *method,
                 const char *url, const char *token, const char *nonce, haft_buffer *proof)
{
    haft_buffer header, claims;
    int status;

    haft_buffer_init(&header, oauth->memory, JWT_LIMIT);
    haft_buffer_init(&claims, oauth->memory, JWT_LIMIT);
    status = jwt_put_proof_header(oauth, key, &header);
    if (!status)
        status = jwt_put_proof_claims(method, url, token, nonce, &claims);
    if (!status)
        status = jwt_sign(oauth->crypto, key, &header, &claims, proof);
    haft_buffer_finish(&header);
    haft_buffer_finish(&claims);
    return status;
}
