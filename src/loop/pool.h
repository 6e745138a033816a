/* loop/pool.h - threads that run jobs, started on demand.
 *
 * Jobs are linked through their own members, so adding one needs no memory. */
#ifndef HAFT_SRC_POOL_H
#define HAFT_SRC_POOL_H

#include "loop/mailbox.h"

/* The functions for a pool's jobs. */
struct pool_kind {
    void (*run)(void *context, haft_posted *job);
    /* The job has run, or never will; called with the pool's lock held. */
    void (*done)(void *context, haft_posted *job);
};

struct pool {
    uv_mutex_t lock;
    uv_cond_t work;
    haft_posted *first, **last; /* jobs waiting for a thread */
    size_t waiting, max_waiting;
    unsigned busy; /* threads running a job */
    unsigned n_threads, max_threads;
    uv_thread_t *threads;
    bool stopping;
    const struct pool_kind *kind;
    void *context; /* for the kind's functions */
    const haft_allocator *allocator;
};

int hf_pool_init(struct pool *pool, const haft_allocator *allocator, unsigned max_threads,
                 size_t max_waiting, const struct pool_kind *kind, void *context);

/* Waits until all jobs are done. */
void hf_pool_finish(struct pool *pool);

/* Returns 0, or HAFT_EBUSY: the job remains the caller's. */
int hf_pool_add(struct pool *pool, haft_posted *job);

/* Calls `done` for the jobs that no thread has started. */
void hf_pool_give_up(struct pool *pool);

#endif
