/* loop/pool.h - threads that run jobs, started when there is something to run.
 *
 * A job is linked by a member of its own, so handing one over needs no memory. */
#ifndef HAFT_SRC_POOL_H
#define HAFT_SRC_POOL_H

#include "loop/mailbox.h"

/* What its jobs are. */
struct pool_kind {
    void (*run)(void *context, haft_posted *job);
    /* It has been run, or no thread will: with the pool's lock held. */
    void (*done)(void *context, haft_posted *job);
};

struct pool {
    uv_mutex_t lock;
    uv_cond_t work;
    haft_posted *first, **last; /* jobs that wait for a thread */
    size_t waiting, max_waiting;
    unsigned busy; /* threads that run a job */
    unsigned n_threads, max_threads;
    uv_thread_t *threads;
    bool stopping;
    const struct pool_kind *kind;
    void *context; /* of the kind's functions */
    const haft_allocator *allocator;
};

int hf_pool_init(struct pool *pool, const haft_allocator *allocator, unsigned max_threads,
                 size_t max_waiting, const struct pool_kind *kind, void *context);

/* Waits until every job is done. */
void hf_pool_finish(struct pool *pool);

/* 0, or HAFT_EBUSY: the job is still the caller's. */
int hf_pool_add(struct pool *pool, haft_posted *job);

/* Is done with the jobs that no thread has begun with. */
void hf_pool_give_up(struct pool *pool);

#endif
