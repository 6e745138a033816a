/* policy_auth.c - authentication by API keys. Names with passwords are in policy_basic.c.
 *
 * Only hashes of secrets are kept, and a comparison takes the same time wherever it fails. */
#include <string.h>
#include <uv.h>

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
    const char *challenge, *file;
    const haft_allocator *allocator;
    uv_mutex_t lock;       /* of: */
    struct api_keys *list; /* replaced when the file is read again */
};

/* Takes a reference. */
static struct api_keys *api_key_list(struct keys *keys)
{
    struct api_keys *list;

    uv_mutex_lock(&keys->lock);
    list = keys->list;
    hf_api_keys_hold(list);
    uv_mutex_unlock(&keys->lock);
    return list;
}

/* The key in a request; NULL if there is none. */
static const char *presented(haft_call *call)
{
    const char *key = hf_auth_behind_scheme(haft_request_header(call, "authorization"), "bearer");

    if (key && *key)
        return key + strspn(key, " ");
    return haft_request_header(call, "x-api-key");
}

/* Sets the identity of the call. Returns HAFT_ENOTFOUND if the key is unknown. */
static int api_key_identify(haft_call *call, struct keys *keys, const char *secret)
{
    struct api_keys *list = api_key_list(keys);
    const haft_identity *owner = hf_api_keys_find(list, secret, strlen(secret));
    int status = owner ? haft_call_set_identity(call, owner) : HAFT_ENOTFOUND;

    hf_api_keys_drop(list);
    return status;
}

static int check_key(haft_call *call, void *data)
{
    struct keys *keys = data;
    const char *secret = presented(call);
    int status = secret ? api_key_identify(call, keys, secret) : HAFT_ENOTFOUND;

    if (status != HAFT_ENOTFOUND)
        return status;
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
    keys->file = options->file;
    keys->allocator = gateway->allocator;
    keys->list = hf_api_keys_read(gateway->allocator, options->file, reason);
    if (!keys->list)
        return reason->code;
    if (uv_mutex_init(&keys->lock)) {
        hf_api_keys_drop(keys->list);
        return HAFT_ENOMEM;
    }
    *ret_policy = (haft_policy)HAFT_INIT(haft_policy, .inbound = check_key, .data = keys,
                                         .authenticates = true);
    return 0;
}

static void drop_api_key(void *data)
{
    struct keys *keys = data;

    hf_api_keys_drop(keys->list);
    uv_mutex_destroy(&keys->lock);
}

static int reload_api_key(void *data, haft_reason *reterr_reason)
{
    struct keys *keys = data;
    haft_reason reason = {0};
    struct api_keys *list = hf_api_keys_read(keys->allocator, keys->file, &reason), *old;

    if (!list) {
        *reterr_reason = reason;
        return reason.code;
    }
    uv_mutex_lock(&keys->lock);
    old = keys->list;
    keys->list = list;
    uv_mutex_unlock(&keys->lock);
    hf_api_keys_drop(old);
    return 0;
}

const haft_policy_kind hf_policy_api_key =
    HAFT_INIT(haft_policy_kind, .name = "api-key", .options = &api_key_options_type,
              .make = make_api_key, .drop = drop_api_key, .reload = reload_api_key);
