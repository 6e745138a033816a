/* crew.c - the gateway's own threads, started when there is something for them.
 *
 * A task that is taken is run, also at the end.  Whoever hands one over has something else to do
 * when it is refused. */
#include <string.h>
#include <uv.h>

#include "gateway/gateway.h"

struct task {
    void (*run)(void *argument);
    void *argument;
};

struct crew {
    const haft_allocator *allocator;
    uv_mutex_t lock;
    uv_cond_t work;
    struct task waiting[CREW_WAITING]; /* a ring */
    size_t first, n_waiting, max_waiting;
    uv_thread_t *threads;
    unsigned n_threads, max_threads, idle;
    bool stopping;
};

static void work(void *context)
{
    struct crew *crew = context;

    uv_mutex_lock(&crew->lock);
    for (;;) {
        struct task task;

        if (!crew->n_waiting && crew->stopping)
            break;
        if (!crew->n_waiting) {
            crew->idle++;
            uv_cond_wait(&crew->work, &crew->lock);
            crew->idle--;
            continue;
        }
        task = crew->waiting[crew->first];
        crew->first = (crew->first + 1) % CREW_WAITING;
        crew->n_waiting--;
        uv_mutex_unlock(&crew->lock);
        task.run(task.argument);
        uv_mutex_lock(&crew->lock);
    }
    uv_mutex_unlock(&crew->lock);
}

struct crew *crew_new(const haft_allocator *allocator, unsigned threads, size_t max_waiting)
{
    struct crew *crew = allocator->alloc(allocator->context, sizeof *crew);

    if (!crew)
        return NULL;
    memset(crew, 0, sizeof *crew);
    crew->allocator = allocator;
    crew->max_threads = threads;
    crew->max_waiting = max_waiting < CREW_WAITING ? max_waiting : CREW_WAITING;
    crew->threads = allocator->alloc(allocator->context, threads * sizeof *crew->threads);
    if (!crew->threads)
        goto no_threads;
    if (uv_mutex_init(&crew->lock))
        goto no_lock;
    if (uv_cond_init(&crew->work))
        goto no_condition;
    return crew;

no_condition:
    uv_mutex_destroy(&crew->lock);
no_lock:
    allocator->release(allocator->context, crew->threads, threads * sizeof *crew->threads);
no_threads:
    allocator->release(allocator->context, crew, sizeof *crew);
    return NULL;
}

void crew_free(struct crew *crew)
{
    const haft_allocator *allocator;

    if (!crew)
        return;
    allocator = crew->allocator;
    uv_mutex_lock(&crew->lock);
    crew->stopping = true;
    uv_cond_broadcast(&crew->work);
    uv_mutex_unlock(&crew->lock);
    for (unsigned i = 0; i < crew->n_threads; i++)
        uv_thread_join(&crew->threads[i]);
    uv_cond_destroy(&crew->work);
    uv_mutex_destroy(&crew->lock);
    allocator->release(allocator->context, crew->threads,
                       crew->max_threads * sizeof *crew->threads);
    allocator->release(allocator->context, crew, sizeof *crew);
}

static int run(void *context, void (*task)(void *argument), void *argument)
{
    struct crew *crew = context;
    int status = HAFT_EBUSY;

    uv_mutex_lock(&crew->lock);
    if (crew->idle <= crew->n_waiting && crew->n_threads < crew->max_threads &&
        !uv_thread_create(&crew->threads[crew->n_threads], work, crew))
        crew->n_threads++;
    if (crew->n_threads && crew->n_waiting < crew->max_waiting) {
        crew->waiting[(crew->first + crew->n_waiting++) % CREW_WAITING] =
            (struct task){task, argument};
        uv_cond_signal(&crew->work);
        status = 0;
    }
    uv_mutex_unlock(&crew->lock);
    return status;
}

haft_executor crew_executor(struct crew *crew)
{
    return (haft_executor){run, crew};
}
