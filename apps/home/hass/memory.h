/* hass/memory.h - an allocator's functions, for those who have one and do not want to spell it out. */
#ifndef HOME_HASS_MEMORY_H
#define HOME_HASS_MEMORY_H

#include "base/base.h"
#include "base/sha256.h"

static inline void *hass_alloc(const haft_allocator *allocator, size_t size)
{
    return allocator->alloc(allocator->context, size);
}

/* NULL is fine. */
static inline void hass_release(const haft_allocator *allocator, void *memory, size_t size)
{
    if (memory)
        allocator->release(allocator->context, memory, size);
}

/* A copy of text; NULL for NULL, and without memory. */
static inline char *hass_keep(const haft_allocator *allocator, const char *text)
{
    size_t size = text ? strlen(text) + 1 : 0;
    char *copy = text ? hass_alloc(allocator, size) : NULL;

    if (copy)
        memcpy(copy, text, size);
    return copy;
}
static inline void hass_drop(const haft_allocator *allocator, char *text)
{
    hass_release(allocator, text, text ? strlen(text) + 1 : 0);
}
/* The same for what may be the access token: nothing of it stays in memory. */
static inline void hass_release_secret(const haft_allocator *allocator, void *memory, size_t size)
{
    if (memory)
        hf_secret_wipe(memory, size);
    hass_release(allocator, memory, size);
}
static inline void hass_drop_secret(const haft_allocator *allocator, char *text)
{
    hass_release_secret(allocator, text, text ? strlen(text) + 1 : 0);
}

#endif
