/* keys.c - the keys of an issuer (RFC 7517), and the choice of one for a token. */
#include "auth/token/jwk.h"

#include <stdio.h>

enum { KEYS_SCRATCH = 32 * TOKEN_KEYS_LIMIT, KEYS_WHY = 512 };

struct token_keys {
    const haft_allocator *allocator;
    const struct crypto_functions *crypto;
    haft_arena *arena; /* for strings */
    algorithm_set allowed;
    size_t n;
    struct jwk keys[TOKEN_KEYS];
};

void hf_token_keys_free(struct token_keys *keys)
{
    if (!keys)
        return;
    for (size_t i = 0; i < keys->n; i++)
        keys->crypto->forget(keys->keys[i].key);
    haft_arena_free(keys->arena);
    keys->allocator->release(keys->allocator->context, keys, sizeof *keys);
}

size_t hf_token_keys_count(const struct token_keys *keys)
{
    return keys->n;
}

/* Whether a token with this kid could be of either key: then the first is used. */
static bool keys_has_twin(const struct token_keys *keys, const struct jwk *key)
{
    for (size_t i = 0; i < keys->n; i++)
        if (key->kid && keys->keys[i].kid && !strcmp(keys->keys[i].kid, key->kid) &&
            keys->keys[i].algorithms & key->algorithms)
            return true;
    return false;
}

/* Adds a key of the document. Returns as hf_jwk_read. */
static int token_keys_add(struct token_keys *keys, haft_value *value, haft_reason *reterr_reason)
{
    struct jwk key = {.key = NULL};
    int status = hf_jwk_read(keys->crypto, value, keys->allowed, &key, reterr_reason);

    if (status)
        return status;
    if (keys_has_twin(keys, &key)) {
        hf_error_set(reterr_reason, HAFT_EINVAL, "", "another key has the same kid");
        status = 1;
    } else if (key.kid) {
        key.kid = haft_arena_copy(keys->arena, key.kid, strlen(key.kid));
        status = key.kid ? 0 : HAFT_ENOMEM;
    }
    if (status)
        keys->crypto->forget(key.key);
    else
        keys->keys[keys->n++] = key;
    return status;
}

/* Adds all keys of a document. Returns 0 or a negative number with the reason. */
static int keys_fill(struct token_keys *keys, haft_value *document,
                     void (*left_out)(void *context, const char *why), void *context,
                     haft_reason *reterr_reason)
{
    haft_value *list = yyjson_obj_get(document, "keys");
    haft_reason reason = {0};
    yyjson_arr_iter iter;
    char why[KEYS_WHY];
    int status;

    if (!yyjson_is_arr(list))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "keys", "the document has no list of keys");
    if (yyjson_arr_size(list) > TOKEN_KEYS)
        return hf_error_set(reterr_reason, HAFT_ETOOBIG, "keys",
                            "the document has more than %d keys", TOKEN_KEYS);
    iter = yyjson_arr_iter_with(list);
    for (haft_value *item; (item = yyjson_arr_iter_next(&iter));) {
        status = token_keys_add(keys, item, &reason);
        if (status < 0)
            return hf_error_set(reterr_reason, status, "keys", "out of memory");
        if (status && left_out) {
            snprintf(why, sizeof why, "key %zu: %s", iter.idx, reason.text);
            left_out(context, why);
        }
    }
    return keys->n ? 0
                   : hf_error_set(reterr_reason, HAFT_ENOTFOUND, "keys",
                                  "the document has no key that can be used");
}

static struct token_keys *keys_new(const struct crypto_functions *crypto,
                                   const haft_allocator *allocator, const char *algorithms)
{
    struct token_keys *keys;

    allocator = hf_allocator_or_default(allocator);
    keys = allocator->alloc(allocator->context, sizeof *keys);
    if (!keys)
        return NULL;
    *keys = (struct token_keys){.allocator = allocator,
                                .crypto = crypto,
                                .arena = haft_arena_new(allocator, TOKEN_KEYS_LIMIT),
                                .allowed = hf_algorithm_list(algorithms)};
    if (keys->arena)
        return keys;
    hf_token_keys_free(keys);
    return NULL;
}

struct token_keys *hf_token_keys_read(const struct crypto_functions *crypto,
                                      const haft_allocator *allocator, const char *text,
                                      size_t size, const char *algorithms,
                                      void (*left_out)(void *context, const char *why),
                                      void *context, haft_reason *reterr_reason)
{
    struct token_keys *keys = NULL;
    haft_arena *scratch;
    haft_value *document;
    int status;

    if (size > TOKEN_KEYS_LIMIT) {
        hf_error_set(reterr_reason, HAFT_ETOOBIG, "", "the document is larger than %d KiB",
                     TOKEN_KEYS_LIMIT >> 10);
        return NULL;
    }
    scratch = haft_arena_new(allocator, KEYS_SCRATCH);
    keys = scratch ? keys_new(crypto, allocator, algorithms) : NULL;
    if (!keys) {
        hf_error_set(reterr_reason, HAFT_ENOMEM, "", "out of memory");
        haft_arena_free(scratch);
        return NULL;
    }
    document = haft_json_read(text, size, TOKEN_DEPTH, scratch, reterr_reason);
    status = document ? keys_fill(keys, document, left_out, context, reterr_reason) : HAFT_EPARSE;
    haft_arena_free(scratch);
    if (!status)
        return keys;
    hf_token_keys_free(keys);
    return NULL;
}

/* ---- verification ---- */

/* Finds the key of a token: that with its kid; without a kid, the only one for its algorithm. */
static enum token_error keys_find(const struct token_keys *keys, const struct jwt *jwt,
                                  enum crypto_algorithm algorithm, const struct jwk **ret_key)
{
    enum token_error error = TOKEN_UNKNOWN_KEY;
    size_t n = 0;

    for (size_t i = 0; i < keys->n; i++) {
        const struct jwk *key = &keys->keys[i];

        if (jwt->kid && (!key->kid || strcmp(key->kid, jwt->kid) != 0))
            continue;
        if (key->algorithms & ALGORITHM_BIT(algorithm)) {
            *ret_key = key;
            n++;
        } else if (jwt->kid) {
            error = TOKEN_WRONG_ALGORITHM;
        }
    }
    return n == 1 ? TOKEN_OK : error;
}

enum token_error hf_jwt_verify(const struct jwt *jwt, const struct token_keys *keys)
{
    enum crypto_algorithm algorithm;
    const struct jwk *key = NULL;
    enum token_error error;
    int status;

    if (!jwt->algorithm || !hf_algorithm_find(jwt->algorithm, strlen(jwt->algorithm), &algorithm) ||
        !(keys->allowed & ALGORITHM_BIT(algorithm)))
        return TOKEN_WRONG_ALGORITHM;
    error = keys_find(keys, jwt, algorithm, &key);
    if (error)
        return error;
    status = keys->crypto->verify(key->key, algorithm, jwt->text, jwt->signed_size, jwt->signature,
                                  jwt->signature_size);
    return status == 1 ? TOKEN_OK : status ? TOKEN_NO_MEMORY : TOKEN_BAD_SIGNATURE;
}
