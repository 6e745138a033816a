/* forkable.c - a fork-safe malloc; see forkable.h. */
#include "support/forkable.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void take_lock(void)
{
    pthread_mutex_lock(&lock);
}

static void leave_lock(void)
{
    pthread_mutex_unlock(&lock);
}

static void *forkable_alloc(void *context, size_t size)
{
    void *memory;

    (void)context;
    take_lock();
    memory = malloc(size);
    leave_lock();
    return memory;
}

static void *forkable_resize(void *context, void *memory, size_t old_size, size_t size)
{
    void *fresh;

    (void)context;
    (void)old_size;
    take_lock();
    fresh = realloc(memory, size);
    leave_lock();
    return fresh;
}

static void forkable_release(void *context, void *memory, size_t size)
{
    (void)context;
    (void)size;
    take_lock();
    free(memory);
    leave_lock();
}

const haft_allocator forkable_allocator = {forkable_alloc, forkable_resize, forkable_release, NULL};

void forkable_start(void)
{
    pthread_atfork(take_lock, leave_lock, leave_lock);
}
