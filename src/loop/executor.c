/* executor.c - runs tasks on a pool's threads.
 *
 * An accepted task always runs, also at shutdown. The caller must handle a rejected task. */
#include "loop/executor.h"

#include <string.h>

#include "loop/pool.h"

struct task {
    haft_posted job; /* must be first */
    void (*run)(void *argument);
    void *argument;
};

struct executor {
    struct pool pool;
    const haft_allocator *allocator;
    haft_posted *spare; /* spare tasks, under the pool's lock */
    size_t n_tasks;
    struct task tasks[];
};

static void executor_run_task(void *context, haft_posted *job)
{
    const struct task *task = (const struct task *)job;

    (void)context;
    task->run(task->argument);
}

static void executor_put_back(void *context, haft_posted *job)
{
    struct executor *executor = context;

    job->next = executor->spare;
    executor->spare = job;
}

static const struct pool_kind tasks_kind = {executor_run_task, executor_put_back};

struct executor *hf_executor_new(const haft_allocator *allocator, unsigned threads,
                                 size_t max_waiting)
{
    size_t n = threads + max_waiting, size = sizeof(struct executor) + n * sizeof(struct task);
    struct executor *executor = allocator->alloc(allocator->context, size);

    if (!executor)
        return NULL;
    memset(executor, 0, size);
    executor->allocator = allocator;
    executor->n_tasks = n;
    for (size_t i = 0; i < n; i++)
        executor_put_back(executor, &executor->tasks[i].job);
    if (hf_pool_init(&executor->pool, allocator, threads, max_waiting, &tasks_kind, executor)) {
        allocator->release(allocator->context, executor, size);
        return NULL;
    }
    return executor;
}

void hf_executor_free(struct executor *executor)
{
    if (!executor)
        return;
    hf_pool_finish(&executor->pool);
    executor->allocator->release(executor->allocator->context, executor,
                                 sizeof *executor + executor->n_tasks * sizeof *executor->tasks);
}

static int executor_run(void *context, void (*run)(void *argument), void *argument)
{
    struct executor *executor = context;
    struct task *task;
    int status;

    uv_mutex_lock(&executor->pool.lock);
    task = (struct task *)executor->spare;
    if (task)
        executor->spare = task->job.next;
    uv_mutex_unlock(&executor->pool.lock);
    if (!task)
        return HAFT_EBUSY;
    task->run = run;
    task->argument = argument;
    status = hf_pool_add(&executor->pool, &task->job);
    if (status) {
        uv_mutex_lock(&executor->pool.lock);
        executor_put_back(executor, &task->job);
        uv_mutex_unlock(&executor->pool.lock);
    }
    return status;
}

haft_executor hf_executor_interface(struct executor *executor)
{
    return (haft_executor){executor_run, executor};
}
