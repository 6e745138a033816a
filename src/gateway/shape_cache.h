/* gateway/shape_cache.h - results that are used again (shape_cache.c).
 *
 * Bounded in number and bytes; the least recently used leave first. The owner's lock guards it; values are
 * counted, and do not change. */
#ifndef HAFT_SRC_GATEWAY_SHAPE_CACHE_H
#define HAFT_SRC_GATEWAY_SHAPE_CACHE_H

#include "base/sha256.h"
#include "engine/call/call.h"

enum { SHAPE_KEY = SHA256_SIZE };

/* The result of a call, as it was written. */
struct shape_value {
    atomic_uint refs;
    const haft_allocator *allocator;
    size_t size; /* of all */
    bool is_error, mirrors;
    struct text content, structured, meta;
};

/* Copies the result of a call that is over; NULL without memory. */
struct shape_value *hf_shape_value_new(haft_call *call);
void hf_shape_value_drop(struct shape_value *value);
/* Makes it the result of another call, which nobody else uses. Returns 0 or an error. */
int hf_shape_value_give(const struct shape_value *value, haft_call *call);

struct shape_cached;

struct shape_cache {
    const haft_allocator *allocator;
    size_t max_entries, max_bytes; /* 0 entries: nothing is cached */
    struct shape_cached **slots;   /* a power of two of them */
    size_t n_slots;
    struct shape_cached *first, *last; /* least recently used first */
    size_t n, bytes;
};

/* Sets it up, with a table in the arena. Returns 0 or HAFT_ENOMEM. */
int hf_shape_cache_init(struct shape_cache *cache, size_t max_entries, size_t max_bytes,
                        haft_arena *arena);
void hf_shape_cache_finish(struct shape_cache *cache);
/* Returns a reference; NULL if there is none that is still valid. */
struct shape_value *hf_shape_cache_find(struct shape_cache *cache,
                                        const unsigned char key[SHAPE_KEY], haft_time now);
/* Keeps a value, with another reference, unless it is too large or memory runs out. */
void hf_shape_cache_put(struct shape_cache *cache, const unsigned char key[SHAPE_KEY],
                        uint64_t serial, haft_time ends, struct shape_value *value);
/* Removes the values of a tool. */
void hf_shape_cache_purge(struct shape_cache *cache, uint64_t serial);

#endif
