/* authenticator.c - creates authenticators: the options are checked and copied when there is still
 * someone to read the reason. */
#include <stdio.h>
#include <time.h>

#include "auth/wiping.h"
#include "auth/scope.h"
#include "auth/server/server.h"
#include "auth/server/share.h"
#include "base/sha256.h"
#include "base/struct.h"
#include "engine/offer/access.h"
#include "part/crypto.h"
#include "stage/store_state.h"
#include "part/http_client.h"

enum {
    AUTHENTICATOR_SKEW_S = 60,
    AUTHENTICATOR_MAX_SKEW_S = 3600,
    AUTHENTICATOR_CACHED = 10000,
    AUTHENTICATOR_CACHE_MS = 60000,
    AUTHENTICATOR_ISSUERS = 64,
    AUTHENTICATOR_LINE = 512
};

static const char authenticator_algorithms[] = TOKEN_ALGORITHMS;

static int authenticator_refuse(haft_reason *reason, const char *name, const char *text)
{
    return hf_error_set(reason, HAFT_EINVAL, name, "%s: %s", name, text);
}

static int authenticator_no_memory(haft_reason *reason)
{
    return hf_error_set(reason, HAFT_ENOMEM, "", "%s", haft_strerror(HAFT_ENOMEM));
}

static int64_t authenticator_clock(void *context, bool wall)
{
    (void)context;
    /* Seconds are enough for tokens, and time() is much faster than a clock of nanoseconds. */
    return wall ? (int64_t)time(NULL) * 1000 : (int64_t)(uv_hrtime() / 1000000);
}

void hf_authenticator_set_clock(haft_authenticator *base, struct auth_clock clock)
{
    ((struct authenticator *)base)->clock = clock;
}

void hf_authenticator_share(haft_authenticator *base, haft_server *server)
{
    static const char purpose[] = "nonces of DPoP";
    struct authenticator *authenticator = (struct authenticator *)base;
    unsigned char keys[SEAL_KEYS][SEAL_KEY];

    if (hf_server_copy_seal_keys(server, keys))
        hf_hmac_sha256(keys[0], SEAL_KEY, purpose, sizeof purpose - 1, authenticator->nonce_key);
    hf_secret_wipe(keys, sizeof keys);
    authenticator->options.store = server->options.store;
    authenticator->options.store_replay = hf_store_policy(server, STORE_REPLAY);
    authenticator->server = server;
}

bool hf_authenticator_accepts(const struct authenticator *authenticator, int status)
{
    haft_store_away policy = authenticator->options.store_replay;
    bool closed =
        !hf_store_is_away(status) || policy == HAFT_AWAY_CLOSED || policy == HAFT_AWAY_DEFAULT;

    if (authenticator->server)
        hf_store_note(authenticator->server, STORE_REPLAY, status);
    if (status >= 0)
        return status;
    if (authenticator->server)
        hf_store_count(authenticator->server, STORE_REPLAY, closed);
    return !closed;
}

void hf_authenticator_log(const struct authenticator *authenticator, haft_level level,
                          const char *format, ...)
{
    char line[AUTHENTICATOR_LINE], escaped[AUTHENTICATOR_LINE];
    va_list args;
    bool cut;
    size_t size;

    if (!authenticator->options.log)
        return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    size = hf_text_escape(line, strlen(line), false, escaped, sizeof escaped - 1, &cut);
    escaped[size] = '\0';
    authenticator->options.log(authenticator->options.log_context, level, escaped, size);
}

/* ---- checks of options ---- */

static bool authenticator_is_secure(const char *text, struct web_url *ret_url)
{
    return !hf_web_url_read(text, ret_url) && !ret_url->has_fragment &&
           (ret_url->tls || ret_url->loopback);
}

static int authenticator_check_resource(const haft_authenticator_options *options,
                                        haft_reason *reterr_reason)
{
    struct web_url url;

    if (!options->resource)
        return options->n_issuers
                   ? authenticator_refuse(reterr_reason, "resource",
                                          "must be set with issuers: the URL of the endpoint")
                   : 0;
    if (!authenticator_is_secure(options->resource, &url))
        return authenticator_refuse(reterr_reason, "resource",
                                    "expected an https URL without a fragment (http is for "
                                    "loopback addresses only)");
    if (url.query.text)
        return authenticator_refuse(reterr_reason, "resource", "a query is not supported");
    return 0;
}

static int authenticator_check_options(const haft_authenticator_options *options,
                                       haft_reason *reterr_reason)
{
    int status = authenticator_check_resource(options, reterr_reason);

    if (status)
        return status;
    if (!options->n_issuers && !options->key_file)
        return authenticator_refuse(reterr_reason, "issuers",
                                    "either issuers or key_file must be set");
    if (options->n_issuers > AUTHENTICATOR_ISSUERS || (options->n_issuers && !options->issuers))
        return authenticator_refuse(reterr_reason, "n_issuers", "expected at most 64 issuers");
    if (!hf_scope_list_is_valid(options->scopes))
        return authenticator_refuse(reterr_reason, "scopes",
                                    "expected scopes separated by spaces, without quotes");
    if (options->dpop > HAFT_DPOP_REQUIRED)
        return authenticator_refuse(reterr_reason, "dpop", "unknown value");
    if (!options->n_issuers && (options->dpop == HAFT_DPOP_REQUIRED || options->dpop_nonce))
        return authenticator_refuse(reterr_reason, "dpop", "cannot be used without issuers");
    if (options->dpop_nonce && options->dpop == HAFT_DPOP_REFUSED)
        return authenticator_refuse(reterr_reason, "dpop_nonce",
                                    "cannot be used if DPoP is refused");
    if (options->skew_s > AUTHENTICATOR_MAX_SKEW_S)
        return authenticator_refuse(reterr_reason, "skew_s", "must be at most 3,600 seconds");
    return 0;
}

static int authenticator_check_asking(const haft_issuer *issuer, haft_reason *reterr_reason)
{
    static const char name[] = "issuer.introspection";
    struct web_url url;

    if (!issuer->introspection)
        return issuer->client_secret || issuer->client_key
                   ? authenticator_refuse(reterr_reason, name,
                                          "must be set with client_secret or client_key")
                   : 0;
    if (*issuer->introspection && !authenticator_is_secure(issuer->introspection, &url))
        return authenticator_refuse(reterr_reason, name, "expected an https URL");
    if (!issuer->client_id || !issuer->client_secret == !issuer->client_key)
        return authenticator_refuse(reterr_reason, name,
                                    "needs client_id, and either client_secret or client_key");
    return 0;
}

static int authenticator_check_issuer(const haft_issuer *issuer, haft_reason *reterr_reason)
{
    struct web_url url;

    if (!issuer->url || !authenticator_is_secure(issuer->url, &url) || url.query.text)
        return authenticator_refuse(reterr_reason, "issuer.url",
                                    "expected an https URL without query and fragment (http is "
                                    "for loopback addresses only)");
    if (issuer->jwks_uri && !authenticator_is_secure(issuer->jwks_uri, &url))
        return authenticator_refuse(reterr_reason, "issuer.jwks_uri", "expected an https URL");
    if (issuer->algorithms && !hf_token_algorithms_valid(issuer->algorithms))
        return authenticator_refuse(reterr_reason, "issuer.algorithms",
                                    "expected some of " TOKEN_ALGORITHMS ", separated by "
                                    "spaces");
    return authenticator_check_asking(issuer, reterr_reason);
}

/* ---- copies ---- */

static bool authenticator_copy(struct authenticator *authenticator, const char **text)
{
    if (!*text)
        return true;
    *text = haft_arena_copy(authenticator->arena, *text, strlen(*text));
    return *text;
}

static bool authenticator_copy_audiences(struct authenticator *authenticator)
{
    const char *const *given = authenticator->options.audiences, **own;
    size_t n = 0;

    while (given && given[n])
        n++;
    own = haft_arena_zalloc(authenticator->arena, n + 1, sizeof *own);
    authenticator->options.audiences = own;
    for (size_t i = 0; own && i < n; i++) {
        own[i] = given[i];
        if (!authenticator_copy(authenticator, &own[i]))
            return false;
    }
    return own;
}

static int authenticator_open_key(struct issuer *issuer, haft_reason *reterr_reason)
{
    const struct crypto_functions *crypto = issuer->authenticator->crypto;

    if (!issuer->options.client_key)
        return 0;
    issuer->key = crypto->read(issuer->options.client_key, reterr_reason);
    return issuer->key ? 0 : HAFT_EINVAL;
}

static int authenticator_add_issuer(struct authenticator *authenticator, struct issuer *issuer,
                                    const haft_issuer *given, haft_reason *reterr_reason)
{
    haft_issuer *options = &issuer->options;
    const char **const strings[] = {
        &options->url,           &options->jwks_uri,   &options->introspection, &options->client_id,
        &options->client_secret, &options->client_key, &options->algorithms,    &options->ca_file};
    int status;

    issuer->authenticator = authenticator;
    if (!hf_struct_read(options, sizeof *options, given))
        return authenticator_refuse(reterr_reason, "issuers", STRUCT_UNSIZED);
    status = authenticator_check_issuer(options, reterr_reason);
    if (status)
        return status;
    if (!options->algorithms)
        options->algorithms = authenticator_algorithms;
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        if (!authenticator_copy(authenticator, strings[i]))
            return authenticator_no_memory(reterr_reason);
    hf_web_url_read(options->url, &issuer->url);
    for (size_t i = 0; &authenticator->issuers[i] != issuer; i++)
        if (!strcmp(authenticator->issuers[i].options.url, options->url))
            return authenticator_refuse(reterr_reason, "issuer.url",
                                        "two issuers have the same URL");
    return authenticator_open_key(issuer, reterr_reason);
}

static int authenticator_add_issuers(struct authenticator *authenticator,
                                     haft_reason *reterr_reason)
{
    const char *given = (const char *)authenticator->options.issuers;
    size_t n = authenticator->options.n_issuers, size;
    int status = 0;

    if (!n)
        return 0;
    authenticator->options.n_issuers = 0;
    authenticator->crypto = hf_crypto_open("issuers", reterr_reason);
    authenticator->http =
        authenticator->crypto ? hf_http_client_open("issuers", reterr_reason) : NULL;
    if (!authenticator->http)
        return HAFT_ENOTFOUND;
    authenticator->issuers =
        haft_arena_zalloc(authenticator->arena, n, sizeof *authenticator->issuers);
    if (!authenticator->issuers)
        return authenticator_no_memory(reterr_reason);
    /* The distance of two is what the program was compiled with. */
    memcpy(&size, given, sizeof size);
    for (size_t i = 0; i < n && !status; i++) {
        authenticator->options.n_issuers = i + 1;
        status = authenticator_add_issuer(authenticator, &authenticator->issuers[i],
                                          (const haft_issuer *)(const void *)(given + i * size),
                                          reterr_reason);
    }
    return status;
}

static int authenticator_read_includes(struct authenticator *authenticator,
                                       haft_reason *reterr_reason)
{
    haft_access access = HAFT_INIT(haft_access, .includes = authenticator->options.includes);

    authenticator->options.includes = NULL;
    if (!access.includes)
        return 0;
    return hf_access_read(authenticator->memory, &access, &authenticator->access, reterr_reason);
}

static int authenticator_fill(struct authenticator *authenticator, haft_reason *reterr_reason)
{
    haft_authenticator_options *options = &authenticator->options;
    const char **const strings[] = {&options->resource, &options->resource_name, &options->scopes,
                                    &options->key_file, &options->certificate_header};
    int status = authenticator_add_issuers(authenticator, reterr_reason);

    if (!status)
        status = authenticator_read_includes(authenticator, reterr_reason);
    if (status)
        return status;
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        if (!authenticator_copy(authenticator, strings[i]))
            return authenticator_no_memory(reterr_reason);
    if (!authenticator_copy_audiences(authenticator))
        return authenticator_no_memory(reterr_reason);
    if (options->resource)
        hf_web_url_read(options->resource, &authenticator->resource);
    if (options->max_cached)
        authenticator->cache = hf_token_cache_new(authenticator->memory, options->max_cached);
    authenticator->replay = hf_replay_new(authenticator->memory);
    if ((options->max_cached && !authenticator->cache) || !authenticator->replay)
        return authenticator_no_memory(reterr_reason);
    return options->key_file ? haft_authenticator_reload(&authenticator->base, reterr_reason) : 0;
}

/* ---- lifetime ---- */

static void authenticator_hold(haft_authenticator *base)
{
    atomic_fetch_add(&((struct authenticator *)base)->references, 1);
}

void hf_authenticator_destroy(struct authenticator *authenticator)
{
    const haft_allocator *memory = authenticator->memory;

    for (size_t i = 0; i < authenticator->options.n_issuers; i++)
        hf_issuer_finish(&authenticator->issuers[i]);
    hf_token_cache_free(authenticator->cache);
    hf_replay_free(authenticator->replay);
    hf_api_keys_drop(authenticator->keys);
    hf_access_let_go(authenticator->access);
    haft_arena_free(authenticator->arena);
    uv_mutex_destroy(&authenticator->lock);
    hf_secret_wipe(authenticator, sizeof *authenticator);
    memory->release(memory->context, authenticator, sizeof *authenticator);
}

static void authenticator_drop(haft_authenticator *base)
{
    struct authenticator *authenticator = (struct authenticator *)base;

    if (atomic_fetch_sub(&authenticator->references, 1) == 1 && hf_auth_thread_close(authenticator))
        hf_authenticator_destroy(authenticator);
}

static unsigned authenticator_version(haft_authenticator *base)
{
    struct authenticator *authenticator = (struct authenticator *)base;
    unsigned version;

    uv_mutex_lock(&authenticator->lock);
    version = authenticator->version + 1;
    uv_mutex_unlock(&authenticator->lock);
    return version;
}

static bool authenticator_knows(haft_authenticator *base, uint64_t owner)
{
    struct authenticator *authenticator = (struct authenticator *)base;
    bool knows;

    uv_mutex_lock(&authenticator->lock);
    knows = authenticator->keys && hf_api_keys_have(authenticator->keys, owner);
    uv_mutex_unlock(&authenticator->lock);
    return knows;
}

static const struct authenticator_class authenticator_class = {.check = hf_check_begin,
                                                               .foresee = hf_check_foresee,
                                                               .cancel = hf_check_cancel,
                                                               .release = hf_check_release,
                                                               .describe = hf_document_describe,
                                                               .challenge = hf_refusal_challenge,
                                                               .attach = hf_document_attach,
                                                               .only = hf_document_only,
                                                               .version = authenticator_version,
                                                               .knows = authenticator_knows,
                                                               .hold = authenticator_hold,
                                                               .drop = authenticator_drop};

static void authenticator_complete(haft_authenticator_options *options)
{
    options->skew_s = options->skew_s ? options->skew_s : AUTHENTICATOR_SKEW_S;
    options->cache_ms = options->cache_ms ? options->cache_ms : AUTHENTICATOR_CACHE_MS;
    options->max_cached = options->max_cached ? options->max_cached : AUTHENTICATOR_CACHED;
    if (options->max_cached == SIZE_MAX)
        options->max_cached = 0;
}

/* Memory, a lock, and random keys. */
static struct authenticator *authenticator_make(const haft_authenticator_options *options,
                                                const haft_allocator *allocator)
{
    struct authenticator *made = allocator->alloc(allocator->context, sizeof *made);

    if (!made)
        return NULL;
    *made = (struct authenticator){.base = {&authenticator_class},
                                   .memory = allocator,
                                   .options = *options,
                                   .clock = {authenticator_clock, NULL}};
    atomic_init(&made->references, 1);
    made->arena = haft_arena_new(allocator, AUTHENTICATOR_ARENA);
    if (made->arena && !uv_random(NULL, NULL, made->digest_key, sizeof made->digest_key, 0, NULL) &&
        !uv_random(NULL, NULL, made->nonce_key, sizeof made->nonce_key, 0, NULL) &&
        !uv_mutex_init(&made->lock))
        return made;
    haft_arena_free(made->arena);
    allocator->release(allocator->context, made, sizeof *made);
    return NULL;
}

haft_authenticator *hf_authenticator_create(const haft_authenticator_options *given,
                                            const haft_allocator *allocator,
                                            haft_reason *reterr_reason)
{
    haft_authenticator_options options;
    struct authenticator *authenticator;

    if (!given || !hf_struct_read(&options, sizeof options, given)) {
        hf_error_set(reterr_reason, HAFT_EINVAL, "options", STRUCT_UNSIZED);
        return NULL;
    }
    if (authenticator_check_options(&options, reterr_reason))
        return NULL;
    authenticator_complete(&options);
    authenticator = authenticator_make(&options, allocator);
    if (!authenticator) {
        authenticator_no_memory(reterr_reason);
        return NULL;
    }
    if (authenticator_fill(authenticator, reterr_reason)) {
        authenticator_drop(&authenticator->base);
        return NULL;
    }
    return &authenticator->base;
}

haft_authenticator *haft_authenticator_new(const haft_authenticator_options *options,
                                           haft_reason *reterr_reason)
{
    return hf_authenticator_create(options, &hf_wiping_allocator, reterr_reason);
}

void haft_authenticator_free(haft_authenticator *authenticator)
{
    if (authenticator)
        authenticator->class->drop(authenticator);
}

int haft_authenticator_reload(haft_authenticator *base, haft_reason *reterr_reason)
{
    struct authenticator *authenticator = (struct authenticator *)base;
    struct api_keys *keys, *old;
    haft_reason reason = {0};

    for (size_t i = 0; i < authenticator->options.n_issuers; i++)
        hf_issuer_expire(&authenticator->issuers[i]);
    if (authenticator->cache)
        hf_token_cache_clear(authenticator->cache);
    if (!authenticator->options.key_file)
        return 0;
    keys = hf_api_keys_read(authenticator->memory, authenticator->options.key_file, &reason);
    if (!keys) {
        if (reterr_reason)
            *reterr_reason = reason;
        return reason.code;
    }
    uv_mutex_lock(&authenticator->lock);
    old = authenticator->keys;
    authenticator->keys = keys;
    authenticator->version++;
    uv_mutex_unlock(&authenticator->lock);
    hf_api_keys_drop(old);
    return 0;
}
