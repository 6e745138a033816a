/* task_threads.c - the threads of tasks: workers, and one that does what is due.
 *
 * They are not those of other calls, so that long tasks delay nothing else. */
#include "task/platform.h"

#include <string.h>
#include <time.h>
#include <uv.h>

enum { TASK_THREADS_PAUSE = 2 };

struct task_threads {
    uv_mutex_t lock;
    uv_cond_t woken;  /* for the thread that does what is due */
    uv_cond_t queued; /* for workers */
    struct tasks *tasks;
    const struct task_work *work;
    const haft_allocator *allocator;
    haft_time epoch;  /* wall-clock time when the clock was started, */
    uint64_t started; /* and the clock then, in nanoseconds */
    uint64_t wakes;   /* number of wake-ups so far, */
    uint64_t runs;    /* and of tasks to run */
    bool stopping;
    size_t size; /* of this */
    unsigned n;
    uv_thread_t ids[]; /* the first does what is due */
};

static haft_time task_threads_now(void *context)
{
    const struct task_threads *threads = context;

    return threads->epoch + (haft_time)((uv_hrtime() - threads->started) / 1000000);
}

static void task_threads_signal(struct task_threads *threads, uint64_t *events, uv_cond_t *heard)
{
    uv_mutex_lock(&threads->lock);
    ++*events;
    uv_cond_signal(heard);
    uv_mutex_unlock(&threads->lock);
}

static void task_threads_wake(void *context)
{
    struct task_threads *threads = context;

    task_threads_signal(threads, &threads->wakes, &threads->woken);
}

/* One worker is enough: those that are busy check the queue before they wait. */
static void task_threads_queue(void *context)
{
    struct task_threads *threads = context;

    task_threads_signal(threads, &threads->runs, &threads->queued);
}

/* A worker waits for a task after the given one. Returns false if the threads must end. */
static bool task_threads_wait(struct task_threads *threads, uint64_t *seen)
{
    bool stopping;

    uv_mutex_lock(&threads->lock);
    while (!threads->stopping && threads->runs == *seen)
        uv_cond_wait(&threads->queued, &threads->lock);
    *seen = threads->runs;
    stopping = threads->stopping;
    uv_mutex_unlock(&threads->lock);
    return !stopping;
}

/* The same for a wake-up, at most until then. */
static bool task_threads_wait_until(struct task_threads *threads, uint64_t *seen, haft_time until)
{
    bool stopping;

    uv_mutex_lock(&threads->lock);
    while (!threads->stopping && threads->wakes == *seen) {
        haft_time now = task_threads_now(threads);

        if (now >= until ||
            uv_cond_timedwait(&threads->woken, &threads->lock, (uint64_t)(until - now) * 1000000))
            break;
    }
    *seen = threads->wakes;
    stopping = threads->stopping;
    uv_mutex_unlock(&threads->lock);
    return !stopping;
}

static void task_threads_run(void *context)
{
    struct task_threads *threads = context;
    uint64_t seen = 0;

    do {
        while (threads->work->run_one(threads->tasks, task_threads_now(threads)))
            ;
    } while (task_threads_wait(threads, &seen));
}

static void task_threads_keep_time(void *context)
{
    struct task_threads *threads = context;
    uint64_t seen = 0;
    haft_time next;

    do {
        next = threads->work->work(threads->tasks, task_threads_now(threads));
    } while (task_threads_wait_until(threads, &seen, next));
}

static void task_threads_join(void *context)
{
    struct task_threads *threads = context;

    uv_mutex_lock(&threads->lock);
    threads->stopping = true;
    uv_cond_signal(&threads->woken);
    uv_cond_broadcast(&threads->queued);
    uv_mutex_unlock(&threads->lock);
    for (unsigned i = 0; i < threads->n; i++)
        uv_thread_join(&threads->ids[i]);
    threads->n = 0;
}

static void task_threads_free(void *context)
{
    struct task_threads *threads = context;

    uv_cond_destroy(&threads->queued);
    uv_cond_destroy(&threads->woken);
    uv_mutex_destroy(&threads->lock);
    threads->allocator->release(threads->allocator->context, threads, threads->size);
}

static bool task_threads_init(struct task_threads *threads)
{
    struct timespec now = {0, 0};

    clock_gettime(CLOCK_REALTIME, &now);
    threads->epoch = (haft_time)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    threads->started = uv_hrtime();
    if (uv_mutex_init(&threads->lock))
        return false;
    if (!uv_cond_init(&threads->woken)) {
        if (!uv_cond_init(&threads->queued))
            return true;
        uv_cond_destroy(&threads->woken);
    }
    uv_mutex_destroy(&threads->lock);
    return false;
}

static void *task_threads_start(struct tasks *tasks, const struct task_work *work, unsigned workers,
                                const haft_allocator *allocator)
{
    size_t size = sizeof(struct task_threads) + (workers + 1) * sizeof(uv_thread_t);
    struct task_threads *threads = allocator->alloc(allocator->context, size);

    if (!threads)
        return NULL;
    memset(threads, 0, size);
    threads->size = size;
    threads->tasks = tasks;
    threads->work = work;
    threads->allocator = allocator;
    if (!task_threads_init(threads)) {
        allocator->release(allocator->context, threads, size);
        return NULL;
    }
    while (threads->n <= workers &&
           !uv_thread_create(&threads->ids[threads->n],
                             threads->n ? task_threads_run : task_threads_keep_time, threads))
        threads->n++;
    if (threads->n > 1)
        return threads;
    task_threads_join(threads);
    task_threads_free(threads);
    return NULL;
}

static int task_threads_random(void *bytes, size_t size)
{
    return uv_random(NULL, NULL, bytes, size, 0, NULL) ? HAFT_EBUSY : 0;
}

static void task_threads_pause(void)
{
    uv_sleep(TASK_THREADS_PAUSE);
}

const struct task_platform *hf_platform_tasks(void)
{
    static const struct task_platform platform = {.start = task_threads_start,
                                                  .wake = task_threads_wake,
                                                  .run = task_threads_queue,
                                                  .join = task_threads_join,
                                                  .free = task_threads_free,
                                                  .random = task_threads_random,
                                                  .now = task_threads_now,
                                                  .pause = task_threads_pause};

    return &platform;
}
