/* limiter.c - a sliding window of recent calls for each key, which grows with their number. */
#include "stage/limiter.h"

#include <stdatomic.h>
#include <string.h>

#include "base/list.h"
#include "store/window.h"

enum {
    LIMITER_SLOTS = 1024,
    MAX_BYTES = 16 << 20 /* all windows together */
};

struct counter {
    struct counter *next;          /* in its slot */
    struct counter *older, *newer; /* in order of use */
    uint64_t hash;
    struct window window;
    int64_t blocked_until; /* a store has refused calls; 0 if it has not */
    haft_rate blocked_rate;
    size_t bytes; /* size of the window */
    size_t key_size;
    char key[];
};

struct limiter {
    const haft_allocator *allocator;
    atomic_flag lock;
    struct counter *slots[LIMITER_SLOTS];
    struct counter *oldest, *newest;
    size_t n_keys, max_keys;
    size_t bytes; /* size of all windows */
};

struct limiter *hf_limiter_new(const haft_allocator *allocator, size_t max_keys)
{
    struct limiter *limiter;

    allocator = hf_allocator_or_default(allocator);
    limiter = allocator->alloc(allocator->context, sizeof *limiter);
    if (!limiter)
        return NULL;
    memset(limiter, 0, sizeof *limiter);
    limiter->allocator = allocator;
    limiter->max_keys = max_keys ? max_keys : 1;
    atomic_flag_clear(&limiter->lock);
    return limiter;
}

/* ---- order of use ---- */

static void take_out(struct limiter *limiter, struct counter *counter)
{
    LIST_REMOVE(limiter->oldest, limiter->newest, counter, older, newer);
}

static void put_last(struct limiter *limiter, struct counter *counter)
{
    LIST_APPEND(limiter->oldest, limiter->newest, counter, older, newer);
}

/* ---- counters ---- */

COLD static void forget(struct limiter *limiter, struct counter *counter)
{
    struct counter **link = &limiter->slots[counter->hash % LIMITER_SLOTS];

    while (*link != counter)
        link = &(*link)->next;
    *link = counter->next;
    take_out(limiter, counter);
    limiter->n_keys--;
    limiter->bytes -= counter->bytes;
    hf_window_finish(&counter->window, limiter->allocator);
    limiter->allocator->release(limiter->allocator->context, counter,
                                sizeof *counter + counter->key_size);
}

void hf_limiter_free(struct limiter *limiter)
{
    if (!limiter)
        return;
    while (limiter->oldest)
        forget(limiter, limiter->oldest);
    limiter->allocator->release(limiter->allocator->context, limiter, sizeof *limiter);
}

APART static struct counter *counter_new(struct limiter *limiter, const char *key, size_t key_size,
                                         uint64_t hash)
{
    struct counter *counter, **slot = &limiter->slots[hash % LIMITER_SLOTS];

    if (limiter->n_keys == limiter->max_keys)
        forget(limiter, limiter->oldest);
    counter = limiter->allocator->alloc(limiter->allocator->context, sizeof *counter + key_size);
    if (!counter)
        return NULL;
    *counter = (struct counter){.hash = hash, .key_size = key_size, .next = *slot};
    memcpy(counter->key, key, key_size);
    *slot = counter;
    put_last(limiter, counter);
    limiter->n_keys++;
    return counter;
}

static inline bool is_of(const struct counter *counter, const char *key, size_t size)
{
    return counter->key_size == size && same_bytes(counter->key, key, size);
}

/* Finds the counter of a key; NULL if there is none. */
static struct counter *counter_find(struct limiter *limiter, const char *key, size_t size,
                                    uint64_t hash)
{
    struct counter *counter = limiter->slots[hash % LIMITER_SLOTS];

    while (counter && (counter->hash != hash || !is_of(counter, key, size)))
        counter = counter->next;
    return counter;
}

/* Finds or creates the counter of a key. */
APART static struct counter *counter_of(struct limiter *limiter, const char *key, size_t size)
{
    uint64_t hash = hf_hash_bytes(key, size);
    struct counter *counter = counter_find(limiter, key, size, hash);

    if (!counter)
        return counter_new(limiter, key, size, hash);
    take_out(limiter, counter);
    put_last(limiter, counter);
    return counter;
}

/* Evicts the least recently used windows if all windows together have become too large. */
COLD static void make_room(struct limiter *limiter, const struct counter *counter)
{
    while (limiter->bytes > MAX_BYTES && limiter->oldest != counter)
        forget(limiter, limiter->oldest);
}

static int limiter_count(struct limiter *limiter, struct counter *counter, haft_rate rate,
                         int64_t now, int64_t *ret_wait)
{
    struct window *window = &counter->window;
    size_t before = counter->bytes;
    int status;

    if (window_count_quickly(window, rate, now))
        return 1;
    hf_window_set_rate(window, rate, limiter->allocator, &counter->bytes);
    status = hf_window_allows(window, now, ret_wait);
    if (status && hf_window_reserve(window, limiter->allocator, &counter->bytes))
        status = HAFT_ENOMEM;
    if (status > 0)
        hf_window_count(window, now);
    if (counter->bytes != before) {
        limiter->bytes = limiter->bytes - before + counter->bytes;
        make_room(limiter, counter);
    }
    return status;
}

/* Held for a lookup and a few stores. */
static void lock(struct limiter *limiter)
{
    while (atomic_flag_test_and_set_explicit(&limiter->lock, memory_order_acquire))
        ;
}

static void unlock(struct limiter *limiter)
{
    atomic_flag_clear_explicit(&limiter->lock, memory_order_release);
}

int hf_limiter_take(struct limiter *limiter, const char *key, size_t size, haft_rate rate,
                    int64_t now, int64_t *ret_wait)
{
    struct counter *counter;
    int status;

    lock(limiter);
    /* Fast path: the same key as last time. */
    counter = limiter->newest;
    if (!counter || !is_of(counter, key, size))
        counter = counter_of(limiter, key, size);
    status = counter ? limiter_count(limiter, counter, rate, now, ret_wait) : HAFT_ENOMEM;
    unlock(limiter);
    return status;
}

int hf_limiter_peek(struct limiter *limiter, const char *key, size_t size, haft_rate rate,
                    int64_t now, int64_t *ret_wait)
{
    struct counter *counter;
    int status;

    lock(limiter);
    counter = counter_find(limiter, key, size, hf_hash_bytes(key, size));
    status = !counter || !window_is_of(&counter->window, rate) ||
             hf_window_allows(&counter->window, now, ret_wait);
    unlock(limiter);
    return status;
}

void hf_limiter_give_back(struct limiter *limiter, const char *key, size_t size, haft_rate rate)
{
    struct counter *counter;

    lock(limiter);
    counter = counter_find(limiter, key, size, hf_hash_bytes(key, size));
    if (counter && window_is_of(&counter->window, rate))
        hf_window_give_back(&counter->window);
    unlock(limiter);
}

/* ---- what a store has refused ---- */

void hf_limiter_block(struct limiter *limiter, const char *key, size_t size, haft_rate rate,
                      int64_t until)
{
    struct counter *counter;

    lock(limiter);
    counter = counter_of(limiter, key, size);
    if (counter) {
        counter->blocked_until = until;
        counter->blocked_rate = rate;
    }
    unlock(limiter);
}

bool hf_limiter_is_blocked(struct limiter *limiter, const char *key, size_t size, haft_rate rate,
                           int64_t now, int64_t *ret_wait)
{
    const struct counter *counter;
    bool blocked;

    lock(limiter);
    counter = counter_find(limiter, key, size, hf_hash_bytes(key, size));
    blocked = counter && counter->blocked_until > now &&
              counter->blocked_rate.calls == rate.calls &&
              counter->blocked_rate.per_ms == rate.per_ms;
    if (blocked)
        *ret_wait = counter->blocked_until - now;
    unlock(limiter);
    return blocked;
}
