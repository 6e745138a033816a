/* shape_cache.c - results that are used again, and where they are kept. */
#include <string.h>

#include "base/list.h"
#include "gateway/shape_cache.h"

/* ---- values ---- */

static struct text value_place(char **at, const haft_buffer *from)
{
    struct text text = {*at, from->size};

    if (from->size)
        memcpy(*at, from->data, from->size);
    *at += from->size;
    return text;
}

struct shape_value *hf_shape_value_new(haft_call *call)
{
    const haft_allocator *allocator = call->server->allocator;
    const bool mirrors = call->content.mirrors;
    struct shape_value *value = NULL;
    haft_buffer content;
    size_t size;
    char *at;

    haft_buffer_init(&content, allocator, SIZE_MAX);
    if (!mirrors)
        hf_content_write(call, &content);
    size = sizeof *value + content.size + call->structured.size + call->result_meta.size;
    if (!content.status)
        value = allocator->alloc(allocator->context, size);
    if (value) {
        *value = (struct shape_value){.allocator = allocator,
                                      .size = size,
                                      .is_error = call->result.is_error,
                                      .mirrors = mirrors};
        atomic_init(&value->refs, 1);
        at = (char *)(value + 1);
        value->content = value_place(&at, &content);
        value->structured = value_place(&at, &call->structured);
        value->meta = value_place(&at, &call->result_meta);
    }
    haft_buffer_finish(&content);
    return value;
}

void hf_shape_value_drop(struct shape_value *value)
{
    if (value && atomic_fetch_sub(&value->refs, 1) == 1)
        value->allocator->release(value->allocator->context, value, value->size);
}

int hf_shape_value_give(const struct shape_value *value, haft_call *call)
{
    struct content_block block = {
        .kind = BLOCK_RENDERED, .in_arena = true, .is_utf8 = true, .text = value->content};
    int status = 0;

    call->result.is_error = value->is_error;
    haft_buffer_clear(&call->structured);
    haft_buffer_clear(&call->result_meta);
    haft_buffer_add(&call->structured, value->structured.data, value->structured.size);
    haft_buffer_add(&call->result_meta, value->meta.data, value->meta.size);
    if (value->mirrors) {
        status = hf_content_mirror(call);
    } else if (value->content.size) {
        block.text.data = haft_arena_copy(call->arena, value->content.data, value->content.size);
        status = block.text.data ? hf_content_add(call, &block) : HAFT_ENOMEM;
    }
    return status                    ? status
           : call->structured.status ? call->structured.status
                                     : call->result_meta.status;
}

/* ---- the cache ---- */

struct shape_cached {
    struct shape_cached *same; /* next in its slot */
    struct shape_cached *previous, *next;
    unsigned char key[SHAPE_KEY];
    uint64_t serial;
    haft_time ends;
    struct shape_value *value;
};

int hf_shape_cache_init(struct shape_cache *cache, size_t max_entries, size_t max_bytes,
                        haft_arena *arena)
{
    *cache = (struct shape_cache){.allocator = hf_arena_allocator(arena),
                                  .max_entries = max_entries,
                                  .max_bytes = max_bytes,
                                  .n_slots = 1};
    while (cache->n_slots < max_entries)
        cache->n_slots *= 2;
    cache->slots = haft_arena_zalloc(arena, cache->n_slots, sizeof(struct shape_cached *));
    return cache->slots ? 0 : HAFT_ENOMEM;
}

static struct shape_cached **shape_cache_slot(struct shape_cache *cache,
                                              const unsigned char key[SHAPE_KEY])
{
    uint64_t hash;

    memcpy(&hash, key, sizeof hash);
    return &cache->slots[hash & (cache->n_slots - 1)];
}

/* The link to the entry of that key; a link to NULL if there is none. */
static struct shape_cached **shape_cache_link(struct shape_cache *cache,
                                              const unsigned char key[SHAPE_KEY])
{
    struct shape_cached **link = shape_cache_slot(cache, key);

    while (*link && memcmp((*link)->key, key, SHAPE_KEY) != 0)
        link = &(*link)->same;
    return link;
}

static size_t cached_size(const struct shape_value *value)
{
    return sizeof(struct shape_cached) + value->size;
}

static void shape_cache_remove(struct shape_cache *cache, struct shape_cached *cached)
{
    struct shape_cached **link = shape_cache_link(cache, cached->key);

    *link = cached->same;
    LIST_REMOVE(cache->first, cache->last, cached, previous, next);
    cache->n--;
    cache->bytes -= cached_size(cached->value);
    hf_shape_value_drop(cached->value);
    cache->allocator->release(cache->allocator->context, cached, sizeof *cached);
}

void hf_shape_cache_finish(struct shape_cache *cache)
{
    while (cache->first)
        shape_cache_remove(cache, cache->first);
}

struct shape_value *hf_shape_cache_find(struct shape_cache *cache,
                                        const unsigned char key[SHAPE_KEY], haft_time now)
{
    struct shape_cached *cached = *shape_cache_link(cache, key);

    if (!cached)
        return NULL;
    if (cached->ends <= now) {
        shape_cache_remove(cache, cached);
        return NULL;
    }
    LIST_REMOVE(cache->first, cache->last, cached, previous, next);
    LIST_APPEND(cache->first, cache->last, cached, previous, next);
    atomic_fetch_add(&cached->value->refs, 1);
    return cached->value;
}

void hf_shape_cache_put(struct shape_cache *cache, const unsigned char key[SHAPE_KEY],
                        uint64_t serial, haft_time ends, struct shape_value *value)
{
    struct shape_cached *cached = *shape_cache_link(cache, key), **slot;
    size_t size = cached_size(value);

    if (cached)
        shape_cache_remove(cache, cached);
    if (!cache->max_entries || size > cache->max_bytes)
        return;
    while (cache->n == cache->max_entries || cache->bytes > cache->max_bytes - size)
        shape_cache_remove(cache, cache->first);
    cached = cache->allocator->alloc(cache->allocator->context, sizeof *cached);
    if (!cached)
        return;
    slot = shape_cache_slot(cache, key);
    *cached = (struct shape_cached){.same = *slot, .serial = serial, .ends = ends, .value = value};
    memcpy(cached->key, key, SHAPE_KEY);
    atomic_fetch_add(&value->refs, 1);
    *slot = cached;
    LIST_APPEND(cache->first, cache->last, cached, previous, next);
    cache->n++;
    cache->bytes += size;
}

void hf_shape_cache_purge(struct shape_cache *cache, uint64_t serial)
{
    for (struct shape_cached *cached = cache->first, *next; cached; cached = next) {
        next = cached->next;
        if (cached->serial == serial)
            shape_cache_remove(cache, cached);
    }
}
