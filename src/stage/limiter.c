/* limiter.c - for each key the times of its latest calls, in a ring as long as the limit.
 *
 * When the ring is full, the oldest of them decides: once it has left the window, the new call
 * takes its place. */
#include "stage/limiter.h"

#include <stdatomic.h>
#include <string.h>

enum { SLOTS = 1024 };

struct counter {
    struct counter *next;          /* in its slot */
    struct counter *older, *newer; /* in the order of use */
    uint64_t hash;
    size_t key_size, size; /* of all of it */
    unsigned calls;
    unsigned at, n; /* of the ring: the next place, the oldest's when it is full; how full it is */
    int64_t *times;
    char *key;
};

struct limiter {
    const haft_allocator *allocator;
    atomic_flag lock;
    struct counter *slots[SLOTS];
    struct counter *oldest, *newest;
    size_t n_keys, max_keys;
};

struct limiter *limiter_new(const haft_allocator *allocator, size_t max_keys)
{
    struct limiter *limiter;

    allocator = allocator_or_default(allocator);
    limiter = allocator->alloc(allocator->context, sizeof *limiter);
    if (!limiter)
        return NULL;
    memset(limiter, 0, sizeof *limiter);
    limiter->allocator = allocator;
    limiter->max_keys = max_keys ? max_keys : 1;
    atomic_flag_clear(&limiter->lock);
    return limiter;
}

/* ---- the order of use ---- */

static void take_out(struct limiter *limiter, struct counter *counter)
{
    if (counter->older)
        counter->older->newer = counter->newer;
    else
        limiter->oldest = counter->newer;
    if (counter->newer)
        counter->newer->older = counter->older;
    else
        limiter->newest = counter->older;
}

static void put_last(struct limiter *limiter, struct counter *counter)
{
    counter->older = limiter->newest;
    counter->newer = NULL;
    if (limiter->newest)
        limiter->newest->newer = counter;
    else
        limiter->oldest = counter;
    limiter->newest = counter;
}

/* ---- counters ---- */

COLD static void forget(struct limiter *limiter, struct counter *counter)
{
    struct counter **link = &limiter->slots[counter->hash % SLOTS];

    while (*link != counter)
        link = &(*link)->next;
    *link = counter->next;
    take_out(limiter, counter);
    limiter->n_keys--;
    limiter->allocator->release(limiter->allocator->context, counter, counter->size);
}

void limiter_free(struct limiter *limiter)
{
    if (!limiter)
        return;
    while (limiter->oldest)
        forget(limiter, limiter->oldest);
    limiter->allocator->release(limiter->allocator->context, limiter, sizeof *limiter);
}

APART static struct counter *counter_new(struct limiter *limiter, const char *key, size_t key_size,
                                         uint64_t hash, unsigned calls)
{
    size_t size = sizeof(struct counter) + calls * sizeof(int64_t) + key_size;
    struct counter *counter, **slot = &limiter->slots[hash % SLOTS];

    if (limiter->n_keys == limiter->max_keys)
        forget(limiter, limiter->oldest);
    counter = limiter->allocator->alloc(limiter->allocator->context, size);
    if (!counter)
        return NULL;
    *counter = (struct counter){
        .hash = hash, .key_size = key_size, .size = size, .calls = calls, .next = *slot};
    counter->times = (int64_t *)(void *)(counter + 1);
    counter->key = (char *)(counter->times + calls);
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

/* The counter of a key; NULL when there is none. */
static struct counter *counter_find(struct limiter *limiter, const char *key, size_t size,
                                    uint64_t hash)
{
    struct counter *counter = limiter->slots[hash % SLOTS];

    while (counter && (counter->hash != hash || !is_of(counter, key, size)))
        counter = counter->next;
    return counter;
}

/* The counter of a key, made when there is none; one of another limit is begun anew. */
APART static struct counter *counter_of(struct limiter *limiter, const char *key, size_t size,
                                        unsigned calls)
{
    uint64_t hash = hash_bytes(key, size);
    struct counter *counter = counter_find(limiter, key, size, hash);

    if (counter && counter->calls != calls) {
        forget(limiter, counter);
        counter = NULL;
    }
    if (!counter)
        return counter_new(limiter, key, size, hash, calls);
    take_out(limiter, counter);
    put_last(limiter, counter);
    return counter;
}

/* Whether there is room for another call; else how long until there is. */
static bool has_room(const struct counter *counter, unsigned per_ms, int64_t now, int64_t *ret_wait)
{
    int64_t oldest = counter->times[counter->at];

    if (counter->n < counter->calls || now - oldest >= (int64_t)per_ms)
        return true;
    *ret_wait = oldest + (int64_t)per_ms - now;
    return false;
}

static int count(struct counter *counter, unsigned per_ms, int64_t now, int64_t *ret_wait)
{
    if (!has_room(counter, per_ms, now, ret_wait))
        return 0;
    if (counter->n < counter->calls)
        counter->n++;
    counter->times[counter->at] = now;
    if (++counter->at == counter->calls)
        counter->at = 0;
    return 1;
}

/* Held for a look-up and a handful of stores. */
static void lock(struct limiter *limiter)
{
    while (atomic_flag_test_and_set_explicit(&limiter->lock, memory_order_acquire))
        ;
}

static void unlock(struct limiter *limiter)
{
    atomic_flag_clear_explicit(&limiter->lock, memory_order_release);
}

int limiter_take(struct limiter *limiter, const char *key, size_t size, haft_rate rate, int64_t now,
                 int64_t *ret_wait)
{
    struct counter *counter;
    int status;

    if (!rate.calls) {
        *ret_wait = rate.per_ms;
        return 0;
    }
    lock(limiter);
    /* Who calls is often who called last. */
    counter = limiter->newest;
    if (!counter || counter->calls != rate.calls || !is_of(counter, key, size))
        counter = counter_of(limiter, key, size, rate.calls);
    status = counter ? count(counter, rate.per_ms, now, ret_wait) : HAFT_ENOMEM;
    unlock(limiter);
    return status;
}

int limiter_peek(struct limiter *limiter, const char *key, size_t size, haft_rate rate, int64_t now,
                 int64_t *ret_wait)
{
    const struct counter *counter;
    int status;

    lock(limiter);
    counter = counter_find(limiter, key, size, hash_bytes(key, size));
    status =
        !counter || counter->calls != rate.calls || has_room(counter, rate.per_ms, now, ret_wait);
    unlock(limiter);
    return status;
}

void limiter_give_back(struct limiter *limiter, const char *key, size_t size, haft_rate rate)
{
    struct counter *counter;

    lock(limiter);
    counter = counter_find(limiter, key, size, hash_bytes(key, size));
    if (counter && counter->calls == rate.calls && counter->n) {
        counter->at = (counter->at ? counter->at : counter->calls) - 1;
        counter->n--;
    }
    unlock(limiter);
}
