/* token_driver.c - judges access tokens for a test that compares the verdicts with those of another verifier.
 *
 * The first line is {"jwks": TEXT, "issuer", "audience", "now", "any_type"}; each line behind it is a token as a JSON string. The
 * answer is the name of the error, or OK. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auth/token/token.h"
#include "part/crypto.h"

enum { SKEW = 60, ARENA = 64 << 20 };

struct verifier {
    struct token_keys *keys;
    const char *audiences[2];
    struct token_rules rules;
    int64_t now;
};

static const char *name_of(enum token_error error)
{
#define NAME(name, text) #name,
    static const char *const names[] = {TOKEN_ERRORS(NAME)};
#undef NAME

    return names[error] + strlen("TOKEN_");
}

static void complain(void *context, const char *why)
{
    (void)context;
    fprintf(stderr, "left out: %s\n", why);
}

/* Strings stay in the arena. */
static bool configure(struct verifier *verifier, const char *line, size_t size, haft_arena *arena)
{
    haft_value *row = haft_json_read(line, size, 0, arena, NULL), *jwks;
    haft_reason reason = {0};
    const struct crypto_functions *crypto = hf_crypto_open("this program", &reason);

    jwks = yyjson_obj_get(row, "jwks");
    verifier->now = yyjson_get_sint(yyjson_obj_get(row, "now"));
    verifier->audiences[0] = yyjson_get_str(yyjson_obj_get(row, "audience"));
    verifier->rules = (struct token_rules){
        .issuer = yyjson_get_str(yyjson_obj_get(row, "issuer")),
        .audiences = verifier->audiences,
        .any_type = yyjson_get_bool(yyjson_obj_get(row, "any_type")),
        .skew_s = SKEW,
    };
    if (crypto && yyjson_is_str(jwks))
        verifier->keys =
            hf_token_keys_read(crypto, NULL, yyjson_get_str(jwks), yyjson_get_len(jwks),
                               "RS256 PS256 ES256 EdDSA Ed25519", complain, NULL, &reason);
    if (!verifier->keys)
        fprintf(stderr, "%s\n", reason.text);
    return verifier->keys && verifier->rules.issuer && verifier->audiences[0];
}

static enum token_error judge(const struct verifier *verifier, const char *line, size_t size,
                              haft_arena *arena)
{
    haft_value *token = haft_json_read(line, size, 0, arena, NULL);
    struct token_claims claims;
    enum token_error error;
    struct jwt jwt;

    error = hf_jwt_read(yyjson_get_str(token), yyjson_get_len(token), arena, &jwt);
    if (!error)
        error = hf_jwt_check(&jwt, &verifier->rules, verifier->now, arena, &claims);
    return error ? error : hf_jwt_verify(&jwt, verifier->keys);
}

int main(void)
{
    haft_arena *settings = haft_arena_new(NULL, ARENA), *arena = haft_arena_new(NULL, ARENA);
    struct verifier verifier = {.now = 0};
    char *line = NULL;
    size_t capacity = 0;
    ssize_t n = getline(&line, &capacity, stdin);

    if (n <= 0 || !configure(&verifier, line, (size_t)n, settings))
        return 1;
    while ((n = getline(&line, &capacity, stdin)) > 0) {
        puts(name_of(judge(&verifier, line, (size_t)n, arena)));
        haft_arena_reset(arena);
    }
    free(line);
    hf_token_keys_free(verifier.keys);
    haft_arena_free(arena);
    haft_arena_free(settings);
    return 0;
}
