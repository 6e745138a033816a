/* pool.c - an intrusive queue of jobs, and the threads that process it. */
#include "loop/pool.h"

int hf_pool_init(struct pool *pool, const haft_allocator *allocator, unsigned max_threads,
                 size_t max_waiting, const struct pool_kind *kind, void *context)
{
    allocator = hf_allocator_or_default(allocator);
    *pool = (struct pool){.max_waiting = max_waiting,
                          .max_threads = max_threads,
                          .kind = kind,
                          .context = context,
                          .allocator = allocator};
    pool->last = &pool->first;
    pool->threads = allocator->alloc(allocator->context, max_threads * sizeof *pool->threads);
    if (!pool->threads)
        return HAFT_ENOMEM;
    if (uv_mutex_init(&pool->lock))
        goto no_lock;
    if (uv_cond_init(&pool->work))
        goto no_condition;
    return 0;

no_condition:
    uv_mutex_destroy(&pool->lock);
no_lock:
    allocator->release(allocator->context, pool->threads, max_threads * sizeof *pool->threads);
    return HAFT_ENOMEM;
}

void hf_pool_finish(struct pool *pool)
{
    const haft_allocator *allocator = pool->allocator;

    uv_mutex_lock(&pool->lock);
    pool->stopping = true;
    uv_cond_broadcast(&pool->work);
    uv_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->n_threads; i++)
        uv_thread_join(&pool->threads[i]);
    uv_cond_destroy(&pool->work);
    uv_mutex_destroy(&pool->lock);
    allocator->release(allocator->context, pool->threads,
                       pool->max_threads * sizeof *pool->threads);
}

/* The caller must hold the lock. */
static haft_posted *next_job(struct pool *pool)
{
    haft_posted *job = pool->first;

    if (!job)
        return NULL;
    pool->first = job->next;
    if (!pool->first)
        pool->last = &pool->first;
    pool->waiting--;
    return job;
}

static void pool_work(void *context)
{
    struct pool *pool = context;

    uv_mutex_lock(&pool->lock);
    for (;;) {
        haft_posted *job = next_job(pool);

        if (!job && pool->stopping)
            break;
        if (!job) {
            uv_cond_wait(&pool->work, &pool->lock);
            continue;
        }
        pool->busy++;
        uv_mutex_unlock(&pool->lock);
        pool->kind->run(pool->context, job);
        uv_mutex_lock(&pool->lock);
        /* Before the loop is notified; otherwise a fast client's next call would find no free
         * thread. */
        pool->busy--;
        pool->kind->done(pool->context, job);
    }
    uv_mutex_unlock(&pool->lock);
}

/* Starts a thread for a waiting job, up to the limit. The caller must hold the lock. */
static void start_thread(struct pool *pool)
{
    unsigned free_threads = pool->n_threads - pool->busy;

    if (free_threads >= pool->waiting || pool->n_threads == pool->max_threads)
        return;
    if (!uv_thread_create(&pool->threads[pool->n_threads], pool_work, pool))
        pool->n_threads++;
}

int hf_pool_add(struct pool *pool, haft_posted *job)
{
    int status = HAFT_EBUSY;

    job->next = NULL;
    uv_mutex_lock(&pool->lock);
    if (pool->waiting + pool->busy < pool->max_waiting + pool->max_threads) {
        *pool->last = job;
        pool->last = &job->next;
        pool->waiting++;
        start_thread(pool);
        uv_cond_signal(&pool->work);
        status = 0;
        if (!pool->n_threads) {
            next_job(pool);
            status = HAFT_EBUSY;
        }
    }
    uv_mutex_unlock(&pool->lock);
    return status;
}

void hf_pool_give_up(struct pool *pool)
{
    haft_posted *job;

    uv_mutex_lock(&pool->lock);
    while ((job = next_job(pool)))
        pool->kind->done(pool->context, job);
    uv_mutex_unlock(&pool->lock);
}
