/* jwt.c - JSON Web Tokens in their compact form (RFC 7515, RFC 7519), read and not yet trusted.
 *
 * The reading is strict: a token has one encoding, and two readers cannot understand it differently. */
#include "auth/token/jwk.h"

enum { JWT_PARTS = 3 };

/* Splits at the dots; false unless there are three parts. The last one may be empty. */
static bool jwt_split(const char *text, size_t size, struct text ret_parts[JWT_PARTS])
{
    const char *end = text + size;

    for (size_t i = 0; i < JWT_PARTS; i++) {
        const char *dot = memchr(text, '.', (size_t)(end - text));

        if (!dot != (i == JWT_PARTS - 1))
            return false;
        ret_parts[i] = (struct text){text, (size_t)((dot ? dot : end) - text)};
        text = dot ? dot + 1 : end;
    }
    return ret_parts[0].size && ret_parts[1].size;
}

bool hf_jwt_is_like(const char *text, size_t size)
{
    struct text parts[JWT_PARTS];

    if (!jwt_split(text, size, parts))
        return false;
    for (size_t i = 0; i < JWT_PARTS; i++)
        if (!hf_base64url_is_all(parts[i].data, parts[i].size))
            return false;
    return true;
}

/* Decodes a part into the arena, with a NUL. */
static enum token_error jwt_decode(struct text part, haft_arena *arena, unsigned char **ret_bytes,
                                   size_t *ret_size)
{
    unsigned char *bytes = haft_arena_alloc(arena, BASE64URL_BYTES(part.size) + 1);

    if (!bytes)
        return TOKEN_NO_MEMORY;
    if (hf_base64url_decode(part.data, part.size, bytes, ret_size))
        return TOKEN_MALFORMED;
    bytes[*ret_size] = '\0';
    *ret_bytes = bytes;
    return TOKEN_OK;
}

/* Reads a part that is a JSON object. */
static enum token_error jwt_read_object(struct text part, haft_arena *arena, struct text *ret_text,
                                        haft_value **ret_object)
{
    haft_reason reason = {0};
    unsigned char *bytes;
    enum token_error error = jwt_decode(part, arena, &bytes, &ret_text->size);

    if (error)
        return error;
    ret_text->data = (const char *)bytes;
    *ret_object = haft_json_read(ret_text->data, ret_text->size, TOKEN_DEPTH, arena, &reason);
    if (!*ret_object)
        return reason.code == HAFT_ENOMEM ? TOKEN_NO_MEMORY : TOKEN_MALFORMED;
    return yyjson_is_obj(*ret_object) ? TOKEN_OK : TOKEN_MALFORMED;
}

/* Reads the header. Keys in it, and addresses of keys, are not looked at: the issuer determines the
 * keys. */
static enum token_error jwt_read_header(struct jwt *jwt)
{
    haft_value *encoded = yyjson_obj_get(jwt->header, "b64");
    enum crypto_algorithm algorithm;

    if (hf_token_string(jwt->header, "alg", &jwt->algorithm) != 1 ||
        hf_token_string(jwt->header, "typ", &jwt->type) < 0 ||
        hf_token_string(jwt->header, "kid", &jwt->kid) < 0 ||
        (jwt->kid && strlen(jwt->kid) > TOKEN_KID))
        return TOKEN_MALFORMED;
    if (!hf_algorithm_find(jwt->algorithm, strlen(jwt->algorithm), &algorithm))
        return TOKEN_WRONG_ALGORITHM;
    if (yyjson_obj_get(jwt->header, "crit") || (encoded && !yyjson_is_true(encoded)))
        return TOKEN_CRITICAL;
    return TOKEN_OK;
}

enum token_error hf_jwt_read(const char *text, size_t size, haft_arena *arena, struct jwt *ret_jwt)
{
    struct text parts[JWT_PARTS], header, payload;
    struct jwt jwt = {.text = NULL};
    enum token_error error;

    if (size > TOKEN_LIMIT)
        return TOKEN_TOO_LONG;
    if (!jwt_split(text, size, parts))
        return TOKEN_MALFORMED;
    error = jwt_read_object(parts[0], arena, &header, &jwt.header);
    if (!error)
        error = jwt_read_header(&jwt);
    if (!error)
        error = jwt_read_object(parts[1], arena, &payload, &jwt.claims);
    if (!error)
        error = jwt_decode(parts[2], arena, &jwt.signature, &jwt.signature_size);
    if (error)
        return error;
    if (!jwt.signature_size)
        return TOKEN_MALFORMED;
    jwt.signed_size = parts[0].size + 1 + parts[1].size;
    jwt.text = haft_arena_copy(arena, text, size);
    if (!jwt.text)
        return TOKEN_NO_MEMORY;
    jwt.payload = payload.data;
    jwt.payload_size = payload.size;
    hf_token_string(jwt.claims, "iss", &jwt.issuer);
    *ret_jwt = jwt;
    return TOKEN_OK;
}
