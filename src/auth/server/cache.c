/* cache.c - verified tokens by their digests, the least recently used of which are forgotten.
 *
 * The cache is in stripes with a lock each, so that threads rarely meet. A hit moves an entry in its
 * list and allocates nothing. */
#include "auth/server/server.h"
#include "base/list.h"

enum { CACHE_STRIPES = 8, CACHE_ALONE = 64, CACHE_BUCKETS = 16 };

struct cache_entry {
    struct cache_entry *chain;
    struct cache_entry *newer, *older;
    struct siphash_pair digest;
    struct known *known; /* NULL: it was refused */
    enum token_error error;
    int64_t until;
};

struct cache_stripe {
    uv_mutex_t lock;
    struct cache_entry **buckets; /* NULL until the first token */
    size_t n_buckets;             /* a power of two */
    size_t n, max;
    struct cache_entry *newest, *oldest;
};

struct token_cache {
    const haft_allocator *allocator;
    size_t n_stripes;
    struct cache_stripe stripes[CACHE_STRIPES];
};

struct token_cache *hf_token_cache_new(const haft_allocator *allocator, size_t max)
{
    struct token_cache *cache = allocator->alloc(allocator->context, sizeof *cache);
    size_t n = max < CACHE_ALONE ? 1 : CACHE_STRIPES;

    if (!cache)
        return NULL;
    *cache = (struct token_cache){.allocator = allocator};
    for (; cache->n_stripes < n; cache->n_stripes++) {
        struct cache_stripe *stripe = &cache->stripes[cache->n_stripes];

        if (uv_mutex_init(&stripe->lock)) {
            hf_token_cache_free(cache);
            return NULL;
        }
        stripe->max = max / n;
        for (stripe->n_buckets = CACHE_BUCKETS; stripe->n_buckets < stripe->max;)
            stripe->n_buckets *= 2;
    }
    return cache;
}

static void cache_remove(struct token_cache *cache, struct cache_stripe *stripe,
                         struct cache_entry *entry)
{
    struct cache_entry **place = &stripe->buckets[entry->digest.second & (stripe->n_buckets - 1)];

    while (*place != entry)
        place = &(*place)->chain;
    *place = entry->chain;
    LIST_REMOVE(stripe->oldest, stripe->newest, entry, older, newer);
    stripe->n--;
    hf_known_drop(entry->known);
    cache->allocator->release(cache->allocator->context, entry, sizeof *entry);
}

void hf_token_cache_clear(struct token_cache *cache)
{
    for (size_t i = 0; i < cache->n_stripes; i++) {
        struct cache_stripe *stripe = &cache->stripes[i];

        uv_mutex_lock(&stripe->lock);
        while (stripe->oldest)
            cache_remove(cache, stripe, stripe->oldest);
        uv_mutex_unlock(&stripe->lock);
    }
}

void hf_token_cache_free(struct token_cache *cache)
{
    const haft_allocator *allocator;

    if (!cache)
        return;
    allocator = cache->allocator;
    for (size_t i = 0; i < cache->n_stripes; i++) {
        struct cache_stripe *stripe = &cache->stripes[i];

        while (stripe->oldest)
            cache_remove(cache, stripe, stripe->oldest);
        if (stripe->buckets)
            allocator->release(allocator->context, stripe->buckets,
                               stripe->n_buckets * sizeof *stripe->buckets);
        uv_mutex_destroy(&stripe->lock);
    }
    allocator->release(allocator->context, cache, sizeof *cache);
}

static struct cache_entry *cache_look(const struct cache_stripe *stripe, struct siphash_pair digest)
{
    struct cache_entry *entry =
        stripe->buckets ? stripe->buckets[digest.second & (stripe->n_buckets - 1)] : NULL;

    while (entry && (entry->digest.first != digest.first || entry->digest.second != digest.second))
        entry = entry->chain;
    return entry;
}

static struct cache_stripe *cache_stripe_of(struct token_cache *cache, struct siphash_pair digest)
{
    return &cache->stripes[digest.first & (cache->n_stripes - 1)];
}

static void cache_to_front(struct cache_stripe *stripe, struct cache_entry *entry)
{
    if (stripe->newest == entry)
        return;
    LIST_REMOVE(stripe->oldest, stripe->newest, entry, older, newer);
    LIST_APPEND(stripe->oldest, stripe->newest, entry, older, newer);
}

enum token_memory hf_token_cache_find(struct token_cache *cache, struct siphash_pair digest,
                                      int64_t now_ms, struct known **ret_known,
                                      enum token_error *ret_error)
{
    struct cache_stripe *stripe = cache_stripe_of(cache, digest);
    enum token_memory memory = TOKEN_UNSEEN;
    struct cache_entry *entry;

    uv_mutex_lock(&stripe->lock);
    entry = cache_look(stripe, digest);
    if (entry && now_ms >= entry->until) {
        cache_remove(cache, stripe, entry);
    } else if (entry) {
        if (entry->known)
            cache_to_front(stripe, entry);
        memory = entry->known ? TOKEN_ACCEPTED : TOKEN_REFUSED;
        if (entry->known)
            atomic_fetch_add(&entry->known->references, 1);
        *ret_known = entry->known;
        *ret_error = entry->error;
    }
    uv_mutex_unlock(&stripe->lock);
    return memory;
}

static bool cache_make_buckets(struct token_cache *cache, struct cache_stripe *stripe)
{
    size_t size = stripe->n_buckets * sizeof *stripe->buckets;

    if (!stripe->buckets) {
        stripe->buckets = cache->allocator->alloc(cache->allocator->context, size);
        if (stripe->buckets)
            memset(stripe->buckets, 0, size);
    }
    return stripe->buckets;
}

/* Refusals are at the old end and take the place of nothing but refusals: anyone can cause them. */
static void cache_add(struct token_cache *cache, struct cache_stripe *stripe,
                      struct cache_entry entry)
{
    struct cache_entry *added, **place;

    if (stripe->n == stripe->max && stripe->oldest && (entry.known || !stripe->oldest->known))
        cache_remove(cache, stripe, stripe->oldest);
    if (stripe->n == stripe->max || !cache_make_buckets(cache, stripe))
        return;
    added = cache->allocator->alloc(cache->allocator->context, sizeof *added);
    if (!added)
        return;
    place = &stripe->buckets[entry.digest.second & (stripe->n_buckets - 1)];
    *added = entry;
    added->chain = *place;
    *place = added;
    if (added->known) {
        atomic_fetch_add(&added->known->references, 1);
        LIST_APPEND(stripe->oldest, stripe->newest, added, older, newer);
    } else {
        LIST_APPEND(stripe->newest, stripe->oldest, added, newer, older);
    }
    stripe->n++;
}

void hf_token_cache_put(struct token_cache *cache, struct siphash_pair digest, struct known *known,
                        enum token_error error, int64_t until_ms)
{
    struct cache_stripe *stripe = cache_stripe_of(cache, digest);
    struct cache_entry *old;

    uv_mutex_lock(&stripe->lock);
    old = cache_look(stripe, digest);
    if (old)
        cache_remove(cache, stripe, old);
    cache_add(
        cache, stripe,
        (struct cache_entry){.digest = digest, .known = known, .error = error, .until = until_ms});
    uv_mutex_unlock(&stripe->lock);
}
