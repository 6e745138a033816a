/* loop/pool.h - threads that run handlers, started when there is something to run. */
#ifndef HAFT_SRC_POOL_H
#define HAFT_SRC_POOL_H

#include "loop/mailbox.h"

struct pool {
    uv_mutex_t lock;
    uv_cond_t work;
    haft_posted *first, **last; /* calls that wait for a thread */
    size_t waiting, max_waiting;
    unsigned busy; /* threads that run a call */
    unsigned n_threads, max_threads;
    uv_thread_t *threads;
    bool stopping;
    struct mailbox *results;
    const haft_allocator *allocator;
};

/* What has been run goes to the mailbox. */
int pool_init(struct pool *pool, const haft_allocator *allocator, unsigned max_threads,
              size_t max_waiting, struct mailbox *results);

/* Waits for the threads: all calls must have come back. */
void pool_finish(struct pool *pool);

/* 0, or HAFT_EBUSY. */
int pool_run(struct pool *pool, haft_call *call);

/* Sends back what no thread has begun with. */
void pool_give_up(struct pool *pool);

#endif
