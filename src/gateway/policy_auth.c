/* policy_auth.c - authentication by API keys. Names with passwords are in policy_basic.c.
 *
 * Only hashes of secrets are kept, and a comparison takes the same time wherever it fails. */
#include <string.h>

#include "auth/server/api_keys.h"
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

struct keys {
    const char *challenge;
    struct api_keys *list;
};

/* The key in a request; NULL if there is none. */
static const char *presented(haft_call *call)
{
    const char *key = hf_auth_behind_scheme(haft_request_header(call, "authorization"), "bearer");

    if (key && *key)
        return key + strspn(key, " ");
    return haft_request_header(call, "x-api-key");
}

static int check_key(haft_call *call, void *data)
{
    const struct keys *keys = data;
    const char *secret = presented(call);
    const haft_identity *owner =
        secret ? hf_api_keys_find(keys->list, secret, strlen(secret)) : NULL;
    int status;

    if (owner)
        return haft_call_set_identity(call, owner);
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

    if (!keys ||
        !(keys->challenge = haft_arena_printf(arena, "Bearer realm=\"%s\"", options->realm)))
        return HAFT_ENOMEM;
    keys->list = hf_api_keys_read(gateway->allocator, options->file, reason);
    if (!keys->list)
        return reason->code;
    *ret_policy = (haft_policy)HAFT_INIT(haft_policy, .inbound = check_key, .data = keys,
                                         .authenticates = true);
    return 0;
}

static void drop_api_key(void *data)
{
    const struct keys *keys = data;

    hf_api_keys_drop(keys->list);
}

const haft_policy_kind hf_policy_api_key =
    HAFT_INIT(haft_policy_kind, .name = "api-key", .options = &api_key_options_type,
              .make = make_api_key, .drop = drop_api_key);
