/* identity.c - the identity of the client that makes a call. */
#include <stddef.h>
#include <string.h>

#include "base/struct.h"
#include "engine/call/identity.h"
#include "engine/offer/access.h"

static const struct identity_text {
    const char *key;
    size_t at;
} identity_texts[] = {
    {"principal", offsetof(haft_identity, principal)},
    {"method", offsetof(haft_identity, method)},
    {"issuer", offsetof(haft_identity, issuer)},
    {"subject", offsetof(haft_identity, subject)},
    {"client", offsetof(haft_identity, client)},
    {"scopes", offsetof(haft_identity, scopes)},
    {"claims", offsetof(haft_identity, claims)},
};

enum { IDENTITY_TEXTS = sizeof identity_texts / sizeof *identity_texts };

static const char **identity_text(haft_identity *identity, size_t i)
{
    return (const char **)(void *)((char *)identity + identity_texts[i].at);
}

/* One allocation for all: every request of an identified client has a copy. */
bool hf_identity_copy(haft_identity *ret_identity, const haft_identity *from, haft_arena *arena)
{
    size_t sizes[IDENTITY_TEXTS], all = 0;
    haft_identity copy;
    char *at;

    if (!hf_struct_read(&copy, sizeof copy, from))
        return false;
    for (size_t i = 0; i < IDENTITY_TEXTS; i++) {
        const char *text = *identity_text(&copy, i);

        sizes[i] = text ? strlen(text) + 1 : 0;
        all += sizes[i];
    }
    at = haft_arena_alloc(arena, all);
    if (!at)
        return false;
    for (size_t i = 0; i < IDENTITY_TEXTS; i++) {
        if (!sizes[i])
            continue;
        *identity_text(&copy, i) = memcpy(at, *identity_text(&copy, i), sizes[i]);
        at += sizes[i];
    }
    *ret_identity = copy;
    return true;
}

void hf_identity_write(const haft_identity *identity, struct json_writer *w)
{
    haft_identity own = *identity;

    hf_json_begin_object(w);
    for (size_t i = 0; i < IDENTITY_TEXTS; i++) {
        const char *key = identity_texts[i].key, *text = *identity_text(&own, i);

        if (text)
            hf_json_text(hf_json_name(w, key, strlen(key)), text);
    }
    hf_json_bool(json_key(w, "fixed"), own.fixed);
    hf_json_integer(json_key(w, "expires"), own.expires);
    hf_json_end_object(w);
}

void hf_identity_read(haft_identity *ret_identity, yyjson_val *object)
{
    *ret_identity = (haft_identity){.struct_size = sizeof *ret_identity};
    for (size_t i = 0; i < IDENTITY_TEXTS; i++)
        *identity_text(ret_identity, i) =
            yyjson_get_str(yyjson_obj_get(object, identity_texts[i].key));
    ret_identity->fixed = yyjson_is_true(yyjson_obj_get(object, "fixed"));
    ret_identity->expires = yyjson_get_sint(yyjson_obj_get(object, "expires"));
}

/* ---- for handlers ---- */

const haft_identity *haft_call_identity(const haft_call *call)
{
    return call->request.principal ? &call->request.identity : NULL;
}

bool haft_call_has_scope(const haft_call *call, const char *scope)
{
    struct catalogue *now = NULL;
    const struct access *access;
    bool has;

    if (!call->request.principal)
        return true;
    /* Requests to a gateway have no catalogue. */
    if (!call->catalogue)
        now = hf_catalogue_take(call->server);
    access = call->catalogue ? call->catalogue->access : now->access;
    has = hf_access_grants(access, call->request.identity.scopes, scope, strlen(scope));
    hf_catalogue_drop(now);
    return has;
}
