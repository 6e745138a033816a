/* access.c - what the client knows about each MCP server, and how it is kept.
 *
 * The store has three kinds of entries: "server URL" says which issuer and resource belong to a
 * server, "token ISSUER RESOURCE" has the tokens, and "client ISSUER" a registration. */
#include <time.h>

#include "auth/client/metadata.h"
#include "auth/client/oauth.h"
#include "auth/scope.h"
#include "auth/client/token_answer.h"
#include "auth/wiping.h"
#include "base/sha256.h"
#include "json/writer.h"

enum { ACCESS_MARGIN = 30, ACCESS_SERIES_MS = 60000, ACCESS_KEY = 3 * WEB_URL_LIMIT };

static int access_no_memory(haft_reason *reason)
{
    return hf_error_set(reason, HAFT_ENOMEM, "", "%s", haft_strerror(HAFT_ENOMEM));
}

void hf_tokens_finish(struct oauth *oauth, struct oauth_tokens *tokens)
{
    if (tokens->key)
        oauth->crypto->destroy(tokens->key);
    haft_arena_free(tokens->arena);
    *tokens = (struct oauth_tokens){.arena = NULL};
}

void hf_access_free(struct oauth *oauth, struct oauth_access *access)
{
    hf_tokens_finish(oauth, &access->tokens);
    hf_wiping_free(oauth->memory, access->url);
    oauth->memory->release(oauth->memory->context, access, sizeof *access);
}

/* ---- the store ---- */

static void access_put_token_key(haft_buffer *key, const char *issuer, const char *resource)
{
    haft_buffer_printf(key, "token %s %s", issuer, resource);
    haft_buffer_add(key, "", 1);
}

/* Loads an object; NULL with 0 if there is none. */
static int access_load(struct oauth *oauth, haft_buffer *key, haft_arena *arena,
                       yyjson_val **ret_object, haft_reason *reterr_reason)
{
    haft_buffer value;
    int status;

    *ret_object = NULL;
    if (key->status)
        return access_no_memory(reterr_reason);
    haft_buffer_init(&value, oauth->memory, AUTH_STORE_VALUE);
    status = hf_auth_store_load(&oauth->store, key->data, &value, reterr_reason);
    if (!status) {
        *ret_object = hf_metadata_parse(value.data, value.size, "store", arena, reterr_reason);
        status = *ret_object ? 0 : reterr_reason->code;
    }
    haft_buffer_finish(&value);
    return status == HAFT_ENOTFOUND ? 0 : status;
}

static int64_t access_number(yyjson_val *object, const char *name)
{
    yyjson_val *value = yyjson_obj_get(object, name);

    return yyjson_is_int(value) ? yyjson_get_sint(value) : -1;
}

/* Reads tokens; leaves them empty if the entry cannot be used. */
static int access_read_tokens(struct oauth *oauth, yyjson_val *object, struct oauth_tokens *tokens,
                              haft_reason *reterr_reason)
{
    const char *type = NULL, *pem = NULL;
    const struct {
        const char *name, **place;
    } strings[] = {{"client_id", &tokens->client_id},
                   {"access_token", &tokens->access},
                   {"token_type", &type},
                   {"refresh_token", &tokens->refresh},
                   {"scope", &tokens->asked}};
    bool dpop = oauth->options.dpop;
    int status = 0;

    for (size_t i = 0; i < sizeof strings / sizeof *strings && !status; i++)
        status = hf_metadata_string(object, strings[i].name, TOKEN_ANSWER_TOKEN, strings[i].place,
                                    reterr_reason);
    if (status)
        return status;
    tokens->expires_at = access_number(object, "expires_at");
    tokens->lifetime = access_number(object, "lifetime");
    tokens->type = dpop ? "DPoP" : "Bearer";
    pem = yyjson_get_str(yyjson_obj_get(object, "key"));
    if (dpop && pem)
        tokens->key = oauth->crypto->read(pem, NULL);
    /* Tokens of a run with other options are bound to another key, or to none. */
    if (!type || strcmp(type, tokens->type) != 0 || (dpop && !tokens->key))
        tokens->access = tokens->refresh = NULL;
    return 0;
}

int hf_access_reload(struct oauth *oauth, struct oauth_access *access, haft_reason *reterr_reason)
{
    struct oauth_tokens tokens = {.arena = haft_arena_new(oauth->memory, OAUTH_ARENA)};
    haft_reason reason = {0};
    yyjson_val *object = NULL;
    haft_buffer key;
    int64_t network;
    int status = 0;

    if (!tokens.arena)
        return access_no_memory(reterr_reason);
    haft_buffer_init(&key, oauth->memory, ACCESS_KEY);
    haft_buffer_printf(&key, "server %s", access->url);
    haft_buffer_add(&key, "", 1);
    status = access_load(oauth, &key, tokens.arena, &object, &reason);
    if (object) {
        tokens.issuer = yyjson_get_str(yyjson_obj_get(object, "issuer"));
        tokens.resource = yyjson_get_str(yyjson_obj_get(object, "resource"));
        network = access_number(object, "network");
        if (network > NETWORK_PUBLIC && network <= NETWORK_LOOPBACK)
            access->network = (enum network)network;
    }
    if (!status && tokens.issuer && tokens.resource) {
        haft_buffer_clear(&key);
        access_put_token_key(&key, tokens.issuer, tokens.resource);
        status = access_load(oauth, &key, tokens.arena, &object, &reason);
        if (object)
            status = access_read_tokens(oauth, object, &tokens, &reason);
    }
    haft_buffer_finish(&key);
    if (status && reterr_reason)
        *reterr_reason = reason;
    if (status || !tokens.issuer || !tokens.resource || !object) {
        hf_tokens_finish(oauth, &tokens);
        return status;
    }
    hf_tokens_finish(oauth, &access->tokens);
    access->tokens = tokens;
    return 0;
}

static int access_save(struct oauth *oauth, haft_buffer *key, haft_buffer *value,
                       haft_reason *reterr_reason)
{
    haft_buffer_add(value, "", 1);
    if (key->status || value->status)
        return access_no_memory(reterr_reason);
    return hf_auth_store_save(&oauth->store, key->data, value->data, value->size - 1,
                              reterr_reason);
}

static int access_put_tokens(const struct oauth *oauth, const struct oauth_tokens *tokens,
                             haft_buffer *value)
{
    struct json_writer w = {.out = value};
    char pem[CRYPTO_PEM];

    hf_json_begin_object(&w);
    json_text_member(&w, "client_id", tokens->client_id);
    json_text_member(&w, "access_token", tokens->access);
    json_text_member(&w, "token_type", tokens->type);
    json_text_member(&w, "refresh_token", tokens->refresh);
    json_text_member(&w, "scope", tokens->asked);
    hf_json_integer(json_key(&w, "expires_at"), tokens->expires_at);
    hf_json_integer(json_key(&w, "lifetime"), tokens->lifetime);
    if (tokens->key) {
        if (oauth->crypto->write(tokens->key, pem))
            return HAFT_EFAIL;
        hf_json_text(json_key(&w, "key"), pem);
        hf_secret_wipe(pem, sizeof pem);
    }
    hf_json_end_object(&w);
    return 0;
}

int hf_access_keep(struct oauth *oauth, struct oauth_access *access, struct oauth_tokens *tokens,
                   haft_reason *reterr_reason)
{
    haft_buffer key, value;
    struct json_writer w = {.out = &value};
    int status;

    hf_tokens_finish(oauth, &access->tokens);
    access->tokens = *tokens;
    haft_buffer_init(&key, oauth->memory, ACCESS_KEY);
    haft_buffer_init(&value, oauth->memory, AUTH_STORE_VALUE);
    access_put_token_key(&key, tokens->issuer, tokens->resource);
    status = access_put_tokens(oauth, tokens, &value);
    status = status ? hf_error_set(reterr_reason, status, "", "the key cannot be saved")
                    : access_save(oauth, &key, &value, reterr_reason);
    if (!status) {
        haft_buffer_clear(&key);
        haft_buffer_clear(&value);
        haft_buffer_printf(&key, "server %s", access->url);
        haft_buffer_add(&key, "", 1);
        hf_json_begin_object(&w);
        hf_json_text(json_key(&w, "issuer"), tokens->issuer);
        hf_json_text(json_key(&w, "resource"), tokens->resource);
        hf_json_integer(json_key(&w, "network"), access->network);
        hf_json_end_object(&w);
        status = access_save(oauth, &key, &value, reterr_reason);
    }
    haft_buffer_finish(&key);
    haft_buffer_finish(&value);
    return status;
}

int hf_access_drop(struct oauth *oauth, struct oauth_access *access, haft_reason *reterr_reason)
{
    haft_buffer key;
    int status = 0, later;

    if (!access->tokens.arena)
        return 0;
    haft_buffer_init(&key, oauth->memory, ACCESS_KEY);
    access_put_token_key(&key, access->tokens.issuer, access->tokens.resource);
    status = key.status ? access_no_memory(reterr_reason)
                        : hf_auth_store_save(&oauth->store, key.data, NULL, 0, reterr_reason);
    haft_buffer_clear(&key);
    haft_buffer_printf(&key, "server %s", access->url);
    haft_buffer_add(&key, "", 1);
    later = key.status ? access_no_memory(reterr_reason)
                       : hf_auth_store_save(&oauth->store, key.data, NULL, 0, reterr_reason);
    haft_buffer_finish(&key);
    hf_tokens_finish(oauth, &access->tokens);
    return status ? status : later;
}

/* ---- finding one ---- */

bool hf_access_covers(const struct oauth_access *access, const char *url)
{
    struct web_url wanted, resource;

    return access->tokens.access && !hf_web_url_read(url, &wanted) &&
           !hf_web_url_read(access->tokens.resource, &resource) &&
           (wanted.tls || wanted.loopback) && hf_web_url_is_within(&wanted, &resource);
}

bool hf_access_is_expired(const struct oauth_access *access)
{
    const struct oauth_tokens *tokens = &access->tokens;
    int64_t margin = (tokens->lifetime + 9) / 10;

    if (tokens->expires_at < 0 || tokens->unused)
        return false;
    return (int64_t)time(NULL) + (margin < ACCESS_MARGIN ? margin : ACCESS_MARGIN) >=
           tokens->expires_at;
}

/* Forgets a server that there is nothing to know about. */
static bool access_make_room(struct oauth *oauth)
{
    struct oauth_access **place = &oauth->accesses, *access;

    while (*place && ((*place)->tokens.arena || (*place)->flow))
        place = &(*place)->next;
    access = *place;
    if (!access)
        return false;
    *place = access->next;
    oauth->n_accesses--;
    hf_access_free(oauth, access);
    return true;
}

static int access_new(struct oauth *oauth, const char *url, struct oauth_access **ret_access,
                      haft_reason *reterr_reason)
{
    struct oauth_access *access;
    struct web_url parts;
    int status;

    if (oauth->n_accesses == OAUTH_ACCESSES && !access_make_room(oauth))
        return hf_error_set(reterr_reason, HAFT_EBUSY, url,
                            "the authorizer is used for too many servers");
    access = oauth->memory->alloc(oauth->memory->context, sizeof *access);
    if (!access)
        return access_no_memory(reterr_reason);
    *access = (struct oauth_access){.url = hf_wiping_copy(oauth->memory, url)};
    status = access->url ? 0 : access_no_memory(reterr_reason);
    if (!status) {
        hf_web_url_read(url, &parts);
        if (parts.loopback)
            access->network = NETWORK_LOOPBACK;
        status = hf_access_reload(oauth, access, reterr_reason);
    }
    if (status) {
        hf_access_free(oauth, access);
        return status;
    }
    access->next = oauth->accesses;
    oauth->accesses = access;
    oauth->n_accesses++;
    *ret_access = access;
    return 0;
}

int hf_access_find(struct oauth *oauth, const char *url, struct oauth_access **ret_access,
                   haft_reason *reterr_reason)
{
    struct oauth_access *access;
    struct web_url parts, server;
    haft_buffer name;
    int status = 0;

    if (hf_web_url_read(url, &parts))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "url", "the URL of the server is invalid");
    haft_buffer_init(&name, oauth->memory, 2 * WEB_URL_LIMIT);
    hf_web_url_put_origin(&parts, &name);
    haft_buffer_add(&name, parts.path.text, parts.path.size);
    haft_buffer_add(&name, "", 1);
    if (name.status)
        status = access_no_memory(reterr_reason);
    for (access = oauth->accesses; access && !status; access = access->next)
        if (!strcmp(access->url, name.data))
            break;
    for (struct oauth_access *each = oauth->accesses; each && !access && !status; each = each->next)
        if (!hf_web_url_read(each->url, &server) && hf_web_url_is_within(&parts, &server) &&
            hf_access_covers(each, url))
            access = each;
    if (!status && !access)
        status = access_new(oauth, name.data, &access, reterr_reason);
    haft_buffer_finish(&name);
    if (!status)
        *ret_access = access;
    return status;
}

struct oauth_series *hf_access_series(struct oauth_access *access, const char *operation,
                                      int64_t now_ms)
{
    uint64_t hash = operation ? hf_hash_bytes(operation, strlen(operation)) | 1 : 1;
    struct oauth_series *oldest = access->series;

    for (size_t i = 0; i < OAUTH_OPERATIONS; i++) {
        struct oauth_series *each = &access->series[i];

        if (each->operation == hash) {
            if (now_ms - each->ended_ms > ACCESS_SERIES_MS)
                *each = (struct oauth_series){.operation = hash, .ended_ms = now_ms};
            return each;
        }
        if (!each->operation || each->ended_ms < oldest->ended_ms)
            oldest = !oldest->operation ? oldest : each;
    }
    *oldest = (struct oauth_series){.operation = hash, .ended_ms = now_ms};
    return oldest;
}
