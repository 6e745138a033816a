/* issuer.c - the public keys of an issuer.
 *
 * They are fresh for as long as the issuer says, within bounds, and fetched again before that has
 * passed, so that no request waits. When the issuer cannot be reached, they are used for a day. A
 * token with an unknown key makes the thread fetch them again, once a minute in the long run, since
 * anyone can send such tokens; the first few at once, so that nobody can use up the fetch that a new
 * key needs. */
#include <stdio.h>

#include "auth/client/metadata.h"
#include "auth/server/server.h"

enum {
    ISSUER_MIN_S = 300,
    ISSUER_MAX_S = 3600,
    ISSUER_METADATA_MS = 86400000,
    ISSUER_USABLE_MS = 86400000,
    ISSUER_UNKNOWN_MS = 60000, /* between fetches for unknown keys, */
    ISSUER_UNKNOWN_BURST = 4,  /* but for so many at once */
    ISSUER_RETRY_MS = 5000,
    ISSUER_STALE_RETRY_MS = 30000,
    ISSUER_ARENA = 2 << 20
};

/* ---- for checks, on any thread ---- */

void hf_key_set_drop(struct key_set *keys)
{
    if (!keys || atomic_fetch_sub(&keys->references, 1) > 1)
        return;
    hf_token_keys_free(keys->keys);
    keys->allocator->release(keys->allocator->context, keys, sizeof *keys);
}

/* Under the lock. Returns whether a fetch is going to happen. */
static bool issuer_want(struct issuer *issuer)
{
    if (issuer->state != ISSUER_IDLE)
        return true;
    if (hf_auth_thread_wake(issuer->authenticator))
        return false;
    issuer->state = ISSUER_WANTED;
    return true;
}

/* Under the lock. Whether keys that are still fresh should be fetched again. */
static bool issuer_is_due(const struct issuer *issuer, int64_t now)
{
    return (issuer->stale || now >= issuer->refresh_at) && now >= issuer->retry_at;
}

static enum issuer_answer issuer_decide(struct issuer *issuer, bool waited, int64_t now)
{
    bool usable = issuer->keys && now < issuer->usable_until;

    if (issuer->keys && now < issuer->fresh_until) {
        if (issuer_is_due(issuer, now))
            issuer_want(issuer);
        return ISSUER_READY;
    }
    /* Old keys are better than none if there are no newer ones. */
    if (waited || (issuer->state == ISSUER_IDLE && now < issuer->retry_at))
        return usable ? ISSUER_READY : ISSUER_DOWN;
    return issuer_want(issuer) ? ISSUER_WAIT : ISSUER_DOWN;
}

enum issuer_answer hf_issuer_take(struct issuer *issuer, bool waited, struct key_set **ret_keys,
                                  unsigned *ret_generation)
{
    struct authenticator *authenticator = issuer->authenticator;
    enum issuer_answer answer;

    uv_mutex_lock(&authenticator->lock);
    answer = issuer_decide(issuer, waited, authenticator_now(authenticator, false));
    if (answer == ISSUER_READY) {
        issuer->used = true;
        *ret_keys = issuer->keys;
        atomic_fetch_add(&issuer->keys->references, 1);
    }
    *ret_generation = issuer->generation;
    uv_mutex_unlock(&authenticator->lock);
    return answer;
}

/* Under the lock: whether an unknown key may cause a fetch now. A key that has done so does not again
 * for a while. */
static bool issuer_may_ask(struct issuer *issuer, const char *kid, int64_t now)
{
    struct asked_key *oldest = issuer->asked;
    struct siphash hash;
    uint64_t digest;

    if (now < issuer->unknown_at - (ISSUER_UNKNOWN_BURST - 1) * ISSUER_UNKNOWN_MS)
        return false;
    siphash_init_pair(&hash, issuer->authenticator->digest_key);
    hf_siphash_bytes(&hash, kid ? kid : "", kid ? strlen(kid) : 0);
    digest = siphash_finish_pair(&hash).first;
    for (size_t i = 0; i < ISSUER_ASKED; i++) {
        if (issuer->asked[i].digest == digest && now < issuer->asked[i].until)
            return false;
        if (issuer->asked[i].until < oldest->until)
            oldest = &issuer->asked[i];
    }
    *oldest = (struct asked_key){digest, now + ISSUER_UNKNOWN_MS};
    return true;
}

enum issuer_answer hf_issuer_refresh(struct issuer *issuer, const char *kid,
                                     unsigned *ret_generation)
{
    struct authenticator *authenticator = issuer->authenticator;
    int64_t now = authenticator_now(authenticator, false);
    enum issuer_answer answer = ISSUER_DOWN;

    uv_mutex_lock(&authenticator->lock);
    if (issuer->state != ISSUER_IDLE) {
        answer = ISSUER_WAIT;
    } else if (issuer_may_ask(issuer, kid, now) && issuer_want(issuer)) {
        issuer->unknown_at =
            (now > issuer->unknown_at ? now : issuer->unknown_at) + ISSUER_UNKNOWN_MS;
        answer = ISSUER_WAIT;
    }
    *ret_generation = issuer->generation;
    uv_mutex_unlock(&authenticator->lock);
    return answer;
}

enum issuer_answer hf_issuer_ask_metadata(struct issuer *issuer, unsigned *ret_generation)
{
    struct authenticator *authenticator = issuer->authenticator;
    int64_t now = authenticator_now(authenticator, false);
    enum issuer_answer answer = ISSUER_DOWN;

    if (now < issuer->metadata_until)
        return ISSUER_READY;
    uv_mutex_lock(&authenticator->lock);
    if (issuer->state != ISSUER_IDLE || (now >= issuer->retry_at && issuer_want(issuer)))
        answer = ISSUER_WAIT;
    *ret_generation = issuer->generation;
    uv_mutex_unlock(&authenticator->lock);
    return answer;
}

void hf_issuer_expire(struct issuer *issuer)
{
    struct authenticator *authenticator = issuer->authenticator;

    uv_mutex_lock(&authenticator->lock);
    if (issuer->keys) {
        issuer->stale = issuer->used = true;
        issuer->retry_at = 0;
        issuer->again = issuer->state == ISSUER_FETCHING;
        hf_auth_thread_wake(authenticator);
    }
    uv_mutex_unlock(&authenticator->lock);
}

/* ---- the end of a fetch, on the thread ---- */

static void issuer_end(struct issuer *issuer)
{
    struct authenticator *authenticator = issuer->authenticator;

    uv_mutex_lock(&authenticator->lock);
    issuer->state = ISSUER_IDLE;
    issuer->generation++;
    uv_mutex_unlock(&authenticator->lock);
    hf_check_keys_fetched(issuer);
    uv_async_send(&authenticator->thread.wake);
}

static void issuer_fail(struct issuer *issuer, const char *why)
{
    struct authenticator *authenticator = issuer->authenticator;
    bool keys;

    uv_mutex_lock(&authenticator->lock);
    keys = issuer->keys;
    issuer->stale = true;
    issuer->retry_at =
        authenticator_now(authenticator, false) + (keys ? ISSUER_STALE_RETRY_MS : ISSUER_RETRY_MS);
    uv_mutex_unlock(&authenticator->lock);
    issuer->metadata_until = 0;
    hf_authenticator_log(authenticator, keys ? HAFT_WARNING : HAFT_ERROR,
                         "issuer %s: cannot fetch its keys: %s%s", issuer->options.url, why,
                         keys ? "; the earlier keys remain in use" : "");
    issuer_end(issuer);
}

/* Tokens that were verified with other keys are verified again. */
static void issuer_compare(struct issuer *issuer)
{
    const struct authenticator *authenticator = issuer->authenticator;
    struct siphash_pair digest;
    struct siphash hash;

    siphash_init_pair(&hash, authenticator->digest_key);
    hf_siphash_bytes(&hash, issuer->fetch.answer.data, issuer->fetch.answer.size);
    digest = siphash_finish_pair(&hash);
    if (authenticator->cache &&
        (digest.first != issuer->digest.first || digest.second != issuer->digest.second))
        hf_token_cache_clear(authenticator->cache);
    issuer->digest = digest;
}

static void issuer_publish(struct issuer *issuer, struct key_set *keys)
{
    struct authenticator *authenticator = issuer->authenticator;
    int64_t now = authenticator_now(authenticator, false), age = issuer->fetch.max_age;
    struct key_set *old;

    age = age < ISSUER_MIN_S ? ISSUER_MIN_S : age > ISSUER_MAX_S ? ISSUER_MAX_S : age;
    uv_mutex_lock(&authenticator->lock);
    old = issuer->keys;
    issuer->keys = keys;
    issuer->refresh_at = now + age * 1000 / 5 * 4;
    issuer->fresh_until = now + age * 1000;
    issuer->usable_until = issuer->fresh_until + ISSUER_USABLE_MS;
    issuer->retry_at = 0;
    issuer->used = issuer->stale = issuer->again;
    issuer->again = false;
    uv_mutex_unlock(&authenticator->lock);
    hf_key_set_drop(old);
    issuer_compare(issuer);
    issuer_end(issuer);
}

static void issuer_left_out(void *context, const char *why)
{
    const struct issuer *issuer = context;

    hf_authenticator_log(issuer->authenticator, HAFT_DEBUG, "issuer %s: a key is left out: %s",
                         issuer->options.url, why);
}

static void issuer_keys_fetched(struct auth_fetch *fetch, const char *error)
{
    struct issuer *issuer = fetch->context;
    const haft_allocator *memory = issuer->authenticator->memory;
    haft_reason reason = {0};
    struct key_set *keys;
    char text[64];

    if (error || fetch->status != 200) {
        snprintf(text, sizeof text, "it answered %d", fetch->status);
        issuer_fail(issuer, error ? error : text);
        return;
    }
    keys = memory->alloc(memory->context, sizeof *keys);
    if (keys) {
        *keys = (struct key_set){.allocator = memory};
        atomic_init(&keys->references, 1);
        keys->keys = hf_token_keys_read(issuer->authenticator->crypto, memory, fetch->answer.data,
                                        fetch->answer.size, issuer->options.algorithms,
                                        issuer_left_out, issuer, &reason);
    }
    if (keys && keys->keys) {
        issuer_publish(issuer, keys);
        return;
    }
    /* An issuer withdraws its keys by publishing none. */
    if (keys && issuer->keys && reason.code == HAFT_ENOTFOUND) {
        hf_authenticator_log(issuer->authenticator, HAFT_ERROR,
                             "issuer %s: %s; the earlier keys are no longer used",
                             issuer->options.url, reason.text);
        issuer_publish(issuer, keys);
        return;
    }
    hf_key_set_drop(keys);
    issuer_fail(issuer, keys ? reason.text : haft_strerror(HAFT_ENOMEM));
}

/* ---- what is fetched ---- */

static void issuer_get(struct issuer *issuer, const char *url,
                       void (*done)(struct auth_fetch *fetch, const char *error))
{
    int status;

    issuer->fetch.authenticator = issuer->authenticator;
    issuer->fetch.client = hf_auth_fetch_client(issuer);
    issuer->fetch.done = done;
    issuer->fetch.context = issuer;
    status = hf_auth_fetch_start(&issuer->fetch,
                                 &(struct http_request_options){
                                     .url = url,
                                     .headers = &(struct http_field){"Accept", "application/json"},
                                     .n_headers = 1,
                                     .may_repeat = true});
    if (status)
        issuer_fail(issuer, haft_strerror(status));
}

static void issuer_get_keys(struct issuer *issuer)
{
    const char *url = issuer->options.jwks_uri ? issuer->options.jwks_uri : issuer->jwks_uri;

    if (url)
        issuer_get(issuer, url, issuer_keys_fetched);
    else
        issuer_fail(issuer, "its metadata has no jwks_uri");
}

/* Whether the metadata may name this URL. */
static bool issuer_may_use(const struct issuer *issuer, const char *text)
{
    struct web_url url;

    return !text || (!hf_web_url_read(text, &url) && !url.has_fragment &&
                     hf_web_url_may_follow(&url, &issuer->url));
}

/* Returns NULL, or what is wrong with the metadata. Until there is a right one, the earlier applies. */
static const char *issuer_read_metadata(struct issuer *issuer, haft_reason *reason)
{
    struct issuer_metadata found;

    if (!issuer->fetch.is_json)
        return "its metadata is not application/json";
    if (hf_issuer_metadata_read(issuer->fetch.answer.data, issuer->fetch.answer.size,
                                issuer->next_arena, &found, reason))
        return reason->text;
    if (strcmp(found.issuer, issuer->options.url) != 0)
        return "its metadata names another issuer";
    if (!issuer_may_use(issuer, found.jwks) || !issuer_may_use(issuer, found.introspection))
        return "its metadata names a URL that is not https";
    haft_arena_free(issuer->arena);
    issuer->arena = issuer->next_arena;
    issuer->next_arena = NULL;
    issuer->jwks_uri = found.jwks;
    issuer->introspection = found.introspection;
    issuer->metadata_until = authenticator_now(issuer->authenticator, false) + ISSUER_METADATA_MS;
    return NULL;
}

static void issuer_metadata_fetched(struct auth_fetch *fetch, const char *error)
{
    struct issuer *issuer = fetch->context;
    haft_reason reason = {0};
    char text[64];

    if (!error && fetch->status >= 400 && fetch->status < 500 && ++issuer->way < issuer->n_ways) {
        issuer_get(issuer, issuer->ways[issuer->way], issuer_metadata_fetched);
        return;
    }
    if (!error && fetch->status != 200) {
        snprintf(text, sizeof text, "it has no metadata: it answered %d", fetch->status);
        error = text;
    }
    if (!error)
        error = issuer_read_metadata(issuer, &reason);
    if (error)
        issuer_fail(issuer, error);
    else
        issuer_get_keys(issuer);
}

static void issuer_discover(struct issuer *issuer)
{
    const haft_allocator *memory = issuer->authenticator->memory;

    issuer->way = 0;
    if (issuer->next_arena)
        haft_arena_reset(issuer->next_arena);
    else
        issuer->next_arena = haft_arena_new(memory, ISSUER_ARENA);
    if (!issuer->next_arena || hf_issuer_metadata_urls(issuer->next_arena, issuer->options.url,
                                                       issuer->ways, &issuer->n_ways))
        issuer_fail(issuer, haft_strerror(HAFT_ENOMEM));
    else
        issuer_get(issuer, issuer->ways[0], issuer_metadata_fetched);
}

static bool issuer_needs_metadata(const struct issuer *issuer)
{
    bool asks = issuer->options.introspection && !*issuer->options.introspection;

    return (asks || !issuer->options.jwks_uri) &&
           authenticator_now(issuer->authenticator, false) >= issuer->metadata_until;
}

/* ---- the thread ---- */

void hf_issuer_go_on(struct issuer *issuer)
{
    struct authenticator *authenticator = issuer->authenticator;
    int64_t now = authenticator_now(authenticator, false);
    bool start;

    uv_mutex_lock(&authenticator->lock);
    if (issuer->state == ISSUER_IDLE && issuer->used && issuer_is_due(issuer, now))
        issuer->state = ISSUER_WANTED;
    start = issuer->state == ISSUER_WANTED;
    if (start)
        issuer->state = ISSUER_FETCHING;
    uv_mutex_unlock(&authenticator->lock);
    if (!start)
        return;
    if (!issuer->fetch.answer.limit)
        haft_buffer_init(&issuer->fetch.answer, authenticator->memory, TOKEN_KEYS_LIMIT);
    if (issuer_needs_metadata(issuer))
        issuer_discover(issuer);
    else
        issuer_get_keys(issuer);
}

int64_t hf_issuer_next(struct issuer *issuer)
{
    struct authenticator *authenticator = issuer->authenticator;
    int64_t next = -1;

    uv_mutex_lock(&authenticator->lock);
    if (issuer->state == ISSUER_IDLE && issuer->used)
        next = issuer->stale || issuer->refresh_at < issuer->retry_at ? issuer->retry_at
                                                                      : issuer->refresh_at;
    uv_mutex_unlock(&authenticator->lock);
    return next;
}

void hf_issuer_finish(struct issuer *issuer)
{
    if (issuer->fetch.answer.limit)
        haft_buffer_finish(&issuer->fetch.answer);
    haft_arena_free(issuer->arena);
    haft_arena_free(issuer->next_arena);
    hf_key_set_drop(issuer->keys);
    if (issuer->key)
        issuer->authenticator->crypto->destroy(issuer->key);
}
