/* wiping.c - an allocator for secrets. */
#include "auth/wiping.h"

#include "base/sha256.h"

static void *wiping_alloc(void *context, size_t size)
{
    const haft_allocator *under = hf_allocator_or_default(NULL);

    (void)context;
    return under->alloc(under->context, size);
}

static void wiping_release(void *context, void *memory, size_t size)
{
    const haft_allocator *under = hf_allocator_or_default(NULL);

    (void)context;
    hf_secret_wipe(memory, size);
    under->release(under->context, memory, size);
}

/* Always moves: the allocator below would leave the old bytes where they were. */
static void *wiping_resize(void *context, void *memory, size_t old_size, size_t size)
{
    void *moved = wiping_alloc(context, size);

    if (!moved || !memory)
        return moved;
    memcpy(moved, memory, old_size < size ? old_size : size);
    wiping_release(context, memory, old_size);
    return moved;
}

const haft_allocator hf_wiping_allocator = {wiping_alloc, wiping_resize, wiping_release, NULL};

char *hf_wiping_copy(const haft_allocator *allocator, const char *text)
{
    size_t size = text ? strlen(text) + 1 : 0;
    char *copy = size ? allocator->alloc(allocator->context, size) : NULL;

    if (copy)
        memcpy(copy, text, size);
    return copy;
}

void hf_wiping_free(const haft_allocator *allocator, char *text)
{
    if (text)
        allocator->release(allocator->context, text, strlen(text) + 1);
}
