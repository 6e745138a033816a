/* fuzz_jwks.c - any document with keys: what is used is public, for signatures and within the limits, and every key is either used
 * or reported. */
#include <stdlib.h>
#include <string.h>

#include <haft/part.h>

#include "auth/token/jwk.h"
#include "part/crypto.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct crypto_functions *crypto;

static void require(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    haft_reason reason = {0};

    (void)argc, (void)argv;
    haft_part_register(&haft_crypto_part);
    crypto = hf_crypto_open("this test", &reason);
    require(crypto);
    return 0;
}

static void count(void *context, const char *why)
{
    size_t *n = context;

    require(!strncmp(why, "key ", 4) && strlen(why) > 8);
    ++*n;
}

/* The keys that could be used at most. */
static size_t count_public(haft_value *list)
{
    yyjson_arr_iter iter = yyjson_arr_iter_with(list);
    size_t n = 0;

    for (haft_value *item; (item = yyjson_arr_iter_next(&iter));)
        n += yyjson_is_str(yyjson_obj_get(item, "kty")) && !yyjson_obj_get(item, "d") &&
             !yyjson_equals_str(yyjson_obj_get(item, "use"), "enc");
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *algorithms = size & 1 ? "RS256 PS256 ES256 EdDSA Ed25519" : "ES256 EdDSA";
    size_t left_out = 0;
    haft_reason reason = {0};
    struct token_keys *keys = hf_token_keys_read(crypto, NULL, (const char *)data, size, algorithms,
                                                 count, &left_out, &reason);

    if (keys) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 24);
        haft_value *list =
            yyjson_obj_get(haft_json_read((const char *)data, size, 0, arena, NULL), "keys");

        require(hf_token_keys_count(keys) && hf_token_keys_count(keys) <= TOKEN_KEYS);
        require(hf_token_keys_count(keys) + left_out == yyjson_arr_size(list));
        require(hf_token_keys_count(keys) <= count_public(list));
        haft_arena_free(arena);
    } else {
        require(reason.code < 0 && *reason.text);
    }
    hf_token_keys_free(keys);
    return 0;
}
