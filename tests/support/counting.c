/* counting.c - malloc with a count of allocated memory; see counting.h. */
#include "support/counting.h"

#include <stdlib.h>
#include <unistd.h>

static void count(struct counting *counting, int64_t blocks, int64_t bytes)
{
    if (getpid() != counting->pid)
        return;
    atomic_fetch_add(&counting->counts->blocks, blocks);
    atomic_fetch_add(&counting->counts->bytes, bytes);
}

static void *counting_alloc(void *context, size_t size)
{
    void *memory = malloc(size);

    if (memory)
        count(context, 1, (int64_t)size);
    return memory;
}

static void *counting_resize(void *context, void *memory, size_t old_size, size_t size)
{
    bool is_new = !memory;
    void *fresh = realloc(memory, size);

    if (fresh)
        count(context, is_new, (int64_t)size - (int64_t)old_size);
    return fresh;
}

static void counting_release(void *context, void *memory, size_t size)
{
    free(memory);
    count(context, -1, -(int64_t)size);
}

void counting_init(struct counting *counting, struct counts *where)
{
    counting->allocator =
        (haft_allocator){counting_alloc, counting_resize, counting_release, counting};
    counting->pid = getpid();
    atomic_init(&counting->own.bytes, 0);
    atomic_init(&counting->own.blocks, 0);
    counting->counts = where ? where : &counting->own;
}
