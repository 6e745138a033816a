/* policy_auth.c - authentication by API keys. Names with passwords are in policy_basic.c.
 *
 * Only hashes of secrets are kept, and a comparison takes the same time wherever it fails. */
#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "base/sha256.h"
#include "gateway/auth.h"
#include "gateway/policies.h"

const char *hf_auth_behind_scheme(const char *header, const char *scheme)
{
    size_t i = 0;

    for (; header && scheme[i]; i++)
        if (ascii_lower(header[i]) != scheme[i])
            return NULL;
    return header && header[i] == ' ' ? header + i + 1 : NULL;
}

/* ---- API keys ---- */

HAFT_STRUCT(api_key_options,
            HAFT_STRING(file, "File with a line per key: its SHA-256 in hexadecimal, and the name of its owner", .min = 1),
            HAFT_DEFAULT(HAFT_STRING(realm, "Realm in WWW-Authenticate"), "gateway"));

struct key {
    struct key *next;
    unsigned char digest[SHA256_SIZE];
    const char *owner;
};

struct keys {
    const char *challenge;
    struct key *first;
};

/* The key in a request; NULL if there is none. */
static const char *presented(haft_call *call)
{
    const char *key = hf_auth_behind_scheme(haft_request_header(call, "authorization"), "bearer");

    if (key && *key)
        return key + strspn(key, " ");
    return haft_request_header(call, "x-api-key");
}

static const char *owner_of(const struct keys *keys, const char *secret)
{
    unsigned char digest[SHA256_SIZE];
    const char *owner = NULL;
    size_t size = strlen(secret);
    struct sha256 hash;

    if (size > AUTH_MAX_SECRET)
        return NULL;
    hf_sha256_init(&hash);
    hf_sha256_add(&hash, secret, size);
    hf_sha256_finish(&hash, digest);
    for (const struct key *key = keys->first; key; key = key->next)
        if (hf_digest_equal(key->digest, digest))
            owner = key->owner;
    return owner;
}

static int check_key(haft_call *call, void *data)
{
    const struct keys *keys = data;
    const char *secret = presented(call), *owner = secret ? owner_of(keys, secret) : NULL;
    int status;

    if (owner)
        return haft_call_set_principal(call, owner);
    if (!secret && haft_call_authenticated(call))
        return 0;
    status = haft_response_set_header(call, "WWW-Authenticate", keys->challenge);
    return status
               ? status
               : stopped(haft_problem(call, 401, "%s",
                                      secret
                                          ? "Unknown API key."
                                          : "An API key is required: Authorization: Bearer KEY."));
}

static int make_api_key(haft_gateway *gateway, const void *given, haft_arena *arena,
                        haft_policy *ret_policy, haft_reason *reason)
{
    const api_key_options *options = given;
    struct keys *keys = haft_arena_zalloc(arena, 1, sizeof *keys);
    char *text = hf_auth_read_file(arena, options->file, reason), *line;
    unsigned number = 0;

    (void)gateway;
    if (!text)
        return reason->code;
    if (!keys ||
        !(keys->challenge = haft_arena_printf(arena, "Bearer realm=\"%s\"", options->realm)))
        return HAFT_ENOMEM;
    while ((line = hf_auth_next_line(&text, &number))) {
        struct key *key = haft_arena_zalloc(arena, 1, sizeof *key);
        size_t size = strcspn(line, " \t");

        if (!key)
            return HAFT_ENOMEM;
        key->owner = line + size + strspn(line + size, " \t");
        if (size != 2 * SHA256_SIZE || !*key->owner || !hf_hex_read_lower(line, size, key->digest))
            return hf_error_set(reason, HAFT_EINVAL, options->file,
                                "%s, line %u: expected 64 hexadecimal digits and a name",
                                options->file, number);
        key->next = keys->first;
        keys->first = key;
    }
    *ret_policy = (haft_policy)HAFT_INIT(haft_policy, .inbound = check_key, .data = keys,
                                         .authenticates = true);
    return 0;
}

const haft_policy_kind hf_policy_api_key = HAFT_INIT(
    haft_policy_kind, .name = "api-key", .options = &api_key_options_type, .make = make_api_key);
