/* shared_failing.h - the allocator of support/failing.h, for several threads. */
#ifndef HAFT_TESTS_SHARED_FAILING_H
#define HAFT_TESTS_SHARED_FAILING_H

#include <pthread.h>

#include "support/failing.h"

struct shared_failing {
    haft_allocator allocator;
    struct failing failing;
    pthread_mutex_t lock;
};

static void *shared_alloc(void *context, size_t size)
{
    struct shared_failing *shared = context;
    void *memory;

    pthread_mutex_lock(&shared->lock);
    memory = shared->failing.allocator.alloc(shared->failing.allocator.context, size);
    pthread_mutex_unlock(&shared->lock);
    return memory;
}

static void *shared_resize(void *context, void *memory, size_t old_size, size_t size)
{
    struct shared_failing *shared = context;

    pthread_mutex_lock(&shared->lock);
    memory =
        shared->failing.allocator.resize(shared->failing.allocator.context, memory, old_size, size);
    pthread_mutex_unlock(&shared->lock);
    return memory;
}

static void shared_release(void *context, void *memory, size_t size)
{
    struct shared_failing *shared = context;

    pthread_mutex_lock(&shared->lock);
    shared->failing.allocator.release(shared->failing.allocator.context, memory, size);
    pthread_mutex_unlock(&shared->lock);
}

/* The nth allocation fails; 0: none. */
static void shared_failing_open(struct shared_failing *shared, size_t nth)
{
    *shared = (struct shared_failing){{shared_alloc, shared_resize, shared_release, shared},
                                      {.calls = 0},
                                      PTHREAD_MUTEX_INITIALIZER};
    failing_init(&shared->failing, nth);
}

HAFT_MAYBE_UNUSED_ static size_t shared_failing_calls(struct shared_failing *shared)
{
    size_t calls;

    pthread_mutex_lock(&shared->lock);
    calls = shared->failing.calls;
    pthread_mutex_unlock(&shared->lock);
    return calls;
}

HAFT_MAYBE_UNUSED_ static size_t shared_failing_live(struct shared_failing *shared)
{
    size_t live;

    pthread_mutex_lock(&shared->lock);
    live = shared->failing.live_blocks;
    pthread_mutex_unlock(&shared->lock);
    return live;
}

/* Everything has been freed. Returns how many allocations failed. */
static size_t shared_failing_close(struct shared_failing *shared)
{
    failing_check(&shared->failing);
    pthread_mutex_destroy(&shared->lock);
    return shared->failing.failures;
}

#endif
