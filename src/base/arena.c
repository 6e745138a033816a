/* arena.c - memory of one lifetime.
 *
 * A list of blocks, each twice the size of the previous one, filled from the front. A reset returns
 * to the first block and keeps all of them, so repeating a call needs no further allocation. */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20, ALIGN = 16 };

struct block {
    struct block *next;
    size_t capacity;
    _Alignas(ALIGN) char data[];
};

struct haft_arena {
    const haft_allocator *allocator;
    struct block *first;
    struct block *current; /* block being filled, NULL at the start; blocks after it are idle */
    size_t used;           /* bytes used in the current block */
    size_t total;          /* bytes handed out since the reset */
    size_t held;           /* total size of all blocks */
    size_t limit;
};

static void *default_alloc(void *context, size_t size)
{
    (void)context;
    return malloc(size);
}

static void *default_resize(void *context, void *memory, size_t old_size, size_t size)
{
    (void)context;
    (void)old_size;
    return realloc(memory, size);
}

static void default_release(void *context, void *memory, size_t size)
{
    (void)context;
    (void)size;
    free(memory);
}

const haft_allocator *hf_allocator_or_default(const haft_allocator *allocator)
{
    static const haft_allocator standard = {default_alloc, default_resize, default_release, NULL};

    return allocator ? allocator : &standard;
}

haft_arena *haft_arena_new(const haft_allocator *allocator, size_t limit)
{
    haft_arena *arena;

    allocator = hf_allocator_or_default(allocator);
    arena = allocator->alloc(allocator->context, sizeof *arena);
    if (arena)
        *arena = (haft_arena){.allocator = allocator, .limit = limit};
    return arena;
}

void haft_arena_free(haft_arena *arena)
{
    struct block *block, *next;

    if (!arena)
        return;
    for (block = arena->first; block; block = next) {
        next = block->next;
        arena->allocator->release(arena->allocator->context, block,
                                  sizeof *block + block->capacity);
    }
    arena->allocator->release(arena->allocator->context, arena, sizeof *arena);
}

void haft_arena_reset(haft_arena *arena)
{
    arena->current = NULL;
    arena->used = 0;
    arena->total = 0;
}

size_t haft_arena_used(const haft_arena *arena)
{
    return arena->total;
}

size_t hf_arena_held(const haft_arena *arena)
{
    return arena->held;
}

const haft_allocator *hf_arena_allocator(const haft_arena *arena)
{
    return arena->allocator;
}

/* The link to the block after the current one. */
static struct block **next_link(haft_arena *arena)
{
    return arena->current ? &arena->current->next : &arena->first;
}

/* Moves the first idle block of at least `size` bytes to the position after the current one.
 * Returns NULL if there is none. */
static struct block *reuse_block(haft_arena *arena, size_t size)
{
    struct block **next = next_link(arena), **link = next;
    struct block *block;

    while (*link && (*link)->capacity < size)
        link = &(*link)->next;
    block = *link;
    if (block && link != next) {
        *link = block->next;
        block->next = *next;
        *next = block;
    }
    return block;
}

/* Frees the idle blocks: each is too small for this request, and together they may be what exceeds
 * the limit. */
static void release_idle(haft_arena *arena)
{
    struct block **link = next_link(arena);

    while (*link) {
        struct block *block = *link;

        *link = block->next;
        arena->held -= block->capacity;
        arena->allocator->release(arena->allocator->context, block,
                                  sizeof *block + block->capacity);
    }
}

void hf_arena_trim(haft_arena *arena, size_t keep)
{
    haft_arena_reset(arena);
    if (arena->held > keep)
        release_idle(arena);
}

/* Returns a block of at least `size` bytes after the current one, reused or new. */
static struct block *next_block(haft_arena *arena, size_t size)
{
    size_t capacity = arena->current ? arena->current->capacity * 2 : FIRST_BLOCK;
    struct block *block = reuse_block(arena, size);

    if (block)
        return block;
    if (size > arena->limit - arena->held)
        release_idle(arena);
    if (capacity > LARGEST_BLOCK)
        capacity = LARGEST_BLOCK;
    if (capacity < size)
        capacity = size;
    if (capacity > arena->limit - arena->held)
        capacity = (arena->limit - arena->held) & ~(size_t)(ALIGN - 1);
    if (capacity < size)
        return NULL;
    block = arena->allocator->alloc(arena->allocator->context, sizeof *block + capacity);
    if (!block)
        return NULL;
    block->capacity = capacity;
    block->next = *next_link(arena);
    *next_link(arena) = block;
    arena->held += capacity;
    return block;
}

void *haft_arena_alloc(haft_arena *arena, size_t size)
{
    void *memory;

    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (!arena->current || arena->current->capacity - arena->used < size) {
        struct block *block = next_block(arena, size);

        if (!block)
            return NULL;
        arena->current = block;
        arena->used = 0;
    }
    memory = arena->current->data + arena->used;
    arena->used += size;
    arena->total += size;
    return memory;
}

void *haft_arena_zalloc(haft_arena *arena, size_t count, size_t size)
{
    void *memory;

    if (size && count > SIZE_MAX / size)
        return NULL;
    memory = haft_arena_alloc(arena, count * size);
    if (memory)
        memset(memory, 0, count * size);
    return memory;
}

void *hf_arena_resize(haft_arena *arena, void *memory, size_t old_size, size_t size)
{
    size_t old = (old_size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    size_t new = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    struct block *block = arena->current;
    void *fresh;

    if (size > SIZE_MAX / 2)
        return NULL;
    if (memory && block && arena->used >= old &&
        (char *)memory == block->data + arena->used - old &&
        new <= block->capacity - (arena->used - old)) {
        arena->used = arena->used - old + new;
        arena->total = arena->total - old + new;
        return memory;
    }
    if (memory && new <= old)
        return memory;
    fresh = haft_arena_alloc(arena, size);
    if (fresh && memory)
        memcpy(fresh, memory, old_size);
    return fresh;
}

char *haft_arena_copy(haft_arena *arena, const char *text, size_t size)
{
    char *copy = size < SIZE_MAX ? haft_arena_alloc(arena, size + 1) : NULL;

    if (copy) {
        if (size)
            memcpy(copy, text, size);
        copy[size] = '\0';
    }
    return copy;
}

char *haft_arena_vprintf(haft_arena *arena, const char *format, va_list args)
{
    va_list again;
    char *text = NULL;
    int size;

    va_copy(again, args);
    size = vsnprintf(NULL, 0, format, args);
    if (size >= 0)
        text = haft_arena_alloc(arena, (size_t)size + 1);
    if (text)
        vsnprintf(text, (size_t)size + 1, format, again);
    va_end(again);
    return text;
}

char *haft_arena_printf(haft_arena *arena, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = haft_arena_vprintf(arena, format, args);
    va_end(args);
    return text;
}

arena_mark hf_arena_save(const haft_arena *arena)
{
    return (arena_mark){arena->current, arena->used, arena->total};
}

void hf_arena_rewind(haft_arena *arena, arena_mark mark)
{
    arena->current = mark.block;
    arena->used = mark.used;
    arena->total = mark.total;
}
