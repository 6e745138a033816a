/* jwk.c - algorithms by their names in JOSE, and single keys (RFC 7517, RFC 7518, RFC 8037).
 *
 * The type of a key and its `alg` say what it may be used for; a token only picks among that. */
#include "auth/token/jwk.h"

enum {
    JWK_NUMBER = 1026, /* bytes: a modulus of 8192 bits, with zeros that some write in front */
    JWK_MEMBERS = 4
};

static const struct algorithm_row {
    const char *name;
    enum crypto_algorithm algorithm;
} algorithm_rows[] = {
    {"RS256", CRYPTO_RS256}, {"PS256", CRYPTO_PS256},   {"ES256", CRYPTO_ES256},
    {"EdDSA", CRYPTO_EDDSA}, {"Ed25519", CRYPTO_EDDSA}, /* RFC 9864 */
};

bool hf_algorithm_find(const char *name, size_t size, enum crypto_algorithm *ret_algorithm)
{
    for (size_t i = 0; i < sizeof algorithm_rows / sizeof *algorithm_rows; i++)
        if (strlen(algorithm_rows[i].name) == size && !memcmp(algorithm_rows[i].name, name, size)) {
            *ret_algorithm = algorithm_rows[i].algorithm;
            return true;
        }
    return false;
}

algorithm_set hf_algorithm_list(const char *list)
{
    enum crypto_algorithm algorithm;
    algorithm_set set = 0;

    for (size_t size; *list; list += size) {
        size = strcspn(list, " ");
        if (!size)
            size = 1;
        else if (hf_algorithm_find(list, size, &algorithm))
            set |= ALGORITHM_BIT(algorithm);
        else
            return 0;
    }
    return set;
}

bool hf_token_algorithms_valid(const char *algorithms)
{
    return hf_algorithm_list(algorithms);
}

/* ---- types of keys ---- */

static const struct jwk_type {
    const char *kty, *crv;               /* crv: NULL if keys of the type have none */
    const char *first, *second;          /* members that are numbers; second: NULL for one only */
    const char *thumbprint[JWK_MEMBERS]; /* members of the thumbprint, in its order */
    enum crypto_algorithm algorithm;     /* one of them, to import the key for */
    algorithm_set algorithms;
} jwk_types[] = {
    {"RSA",
     NULL,
     "n",
     "e",
     {"e", "kty", "n"},
     CRYPTO_RS256,
     ALGORITHM_BIT(CRYPTO_RS256) | ALGORITHM_BIT(CRYPTO_PS256)},
    {"EC", "P-256", "x", "y", {"crv", "kty", "x", "y"}, CRYPTO_ES256, ALGORITHM_BIT(CRYPTO_ES256)},
    {"OKP", "Ed25519", "x", NULL, {"crv", "kty", "x"}, CRYPTO_EDDSA, ALGORITHM_BIT(CRYPTO_EDDSA)},
};

static const struct jwk_type *jwk_find_type(haft_value *value)
{
    haft_value *kty = yyjson_obj_get(value, "kty"), *crv = yyjson_obj_get(value, "crv");

    for (size_t i = 0; i < sizeof jwk_types / sizeof *jwk_types; i++)
        if (yyjson_equals_str(kty, jwk_types[i].kty) &&
            (!jwk_types[i].crv || yyjson_equals_str(crv, jwk_types[i].crv)))
            return &jwk_types[i];
    return NULL;
}

bool hf_jwk_thumbprint(haft_value *value, unsigned char ret_digest[SHA256_SIZE])
{
    const struct jwk_type *type = jwk_find_type(value);
    struct sha256 hash;

    if (!type)
        return false;
    hf_sha256_init(&hash);
    for (size_t i = 0; i < JWK_MEMBERS && type->thumbprint[i]; i++) {
        const char *name = type->thumbprint[i];
        haft_value *member = yyjson_obj_get(value, name);

        if (!yyjson_is_str(member))
            return false;
        hf_sha256_add(&hash, i ? "\",\"" : "{\"", i ? 3 : 2);
        hf_sha256_add(&hash, name, strlen(name));
        hf_sha256_add(&hash, "\":\"", 3);
        /* Numbers are base64url, or else the key is refused: nothing needs an escape. */
        hf_sha256_add(&hash, yyjson_get_str(member), yyjson_get_len(member));
    }
    hf_sha256_add(&hash, "\"}", 2);
    hf_sha256_finish(&hash, ret_digest);
    return true;
}

/* ---- reading ---- */

static int jwk_refuse(haft_reason *reason, const char *text)
{
    hf_error_set(reason, HAFT_EINVAL, "", "%s", text);
    return 1;
}

/* A private key that has been published is known to others, who could sign with it. */
static bool jwk_is_private(haft_value *value)
{
    static const char *const members[] = {"d", "p", "q", "dp", "dq", "qi", "oth", "k"};

    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (yyjson_obj_get(value, members[i]))
            return true;
    return false;
}

/* Whether `use` and `key_ops` allow to verify signatures. */
static bool jwk_is_for_signatures(haft_value *value)
{
    haft_value *use = yyjson_obj_get(value, "use"), *operations = yyjson_obj_get(value, "key_ops");
    yyjson_arr_iter iter;

    if (use && !yyjson_equals_str(use, "sig"))
        return false;
    if (!operations)
        return true;
    iter = yyjson_arr_iter_with(operations);
    for (haft_value *item; (item = yyjson_arr_iter_next(&iter));)
        if (yyjson_equals_str(item, "verify"))
            return true;
    return false;
}

static bool jwk_number(haft_value *value, const char *name, unsigned char ret_bytes[JWK_NUMBER],
                       size_t *ret_size)
{
    haft_value *text = yyjson_obj_get(value, name);

    return yyjson_is_str(text) && BASE64URL_BYTES(yyjson_get_len(text)) <= JWK_NUMBER &&
           !hf_base64url_decode(yyjson_get_str(text), yyjson_get_len(text), ret_bytes, ret_size);
}

static int jwk_import(const struct crypto_functions *crypto, const struct jwk_type *type,
                      haft_value *value, crypto_public **ret_key, haft_reason *reterr_reason)
{
    unsigned char first[JWK_NUMBER], second[JWK_NUMBER];
    struct crypto_numbers numbers = {first, second, 0, 0};
    haft_reason reason = {0};

    if (!jwk_number(value, type->first, first, &numbers.first_size) ||
        (type->second && !jwk_number(value, type->second, second, &numbers.second_size)))
        return jwk_refuse(reterr_reason, "a number of the key is missing or not valid base64url");
    *ret_key = crypto->import(type->algorithm, &numbers, &reason);
    if (*ret_key)
        return 0;
    return reason.code == HAFT_ENOMEM ? HAFT_ENOMEM : jwk_refuse(reterr_reason, reason.text);
}

/* What the key may be used for by its type and its `alg`. */
static algorithm_set jwk_algorithms(const struct jwk_type *type, haft_value *value)
{
    haft_value *name = yyjson_obj_get(value, "alg");
    enum crypto_algorithm algorithm;

    if (!name)
        return type->algorithms;
    if (!yyjson_is_str(name) ||
        !hf_algorithm_find(yyjson_get_str(name), yyjson_get_len(name), &algorithm))
        return 0;
    return type->algorithms & ALGORITHM_BIT(algorithm);
}

int hf_jwk_read(const struct crypto_functions *crypto, haft_value *value, algorithm_set allowed,
                struct jwk *ret_jwk, haft_reason *reterr_reason)
{
    const struct jwk_type *type = jwk_find_type(value);
    struct jwk jwk = {.key = NULL};
    int status;

    if (!yyjson_is_obj(value))
        return jwk_refuse(reterr_reason, "the key is not an object");
    if (hf_token_string(value, "kid", &jwk.kid) < 0 || (jwk.kid && strlen(jwk.kid) > TOKEN_KID))
        return jwk_refuse(reterr_reason, "the kid is not a string of at most 256 bytes");
    if (!type)
        return jwk_refuse(reterr_reason, "the type of the key is not supported");
    if (jwk_is_private(value))
        return jwk_refuse(reterr_reason, "the key is private, so others may know it");
    if (!jwk_is_for_signatures(value))
        return jwk_refuse(reterr_reason, "the key is not for signatures");
    jwk.algorithms = jwk_algorithms(type, value) & allowed;
    if (!jwk.algorithms)
        return jwk_refuse(reterr_reason, "the key is for an algorithm that is not accepted");
    status = jwk_import(crypto, type, value, &jwk.key, reterr_reason);
    if (!status)
        *ret_jwk = jwk;
    return status;
}
