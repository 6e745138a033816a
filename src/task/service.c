/* service.c - the tasks of a server: options, the table of tasks that this process owns, threads. */
#include "base/defaults.h"
#include "base/hex.h"
#include "base/struct.h"
#include "task/task.h"

enum {
    SERVICE_QUEUED = 1000,
    SERVICE_BYTES = 4 << 20,
    SERVICE_MAX_TTL = 24 * 60 * 60 * 1000,
    SERVICE_POLL = 1000,
    SERVICE_LEASE = 15000,
    SERVICE_MIN_LEASE = 100,
    SERVICE_ENTRIES = 8,        /* of a task in the store, at most */
    SERVICE_MEMORY = 256 << 20, /* of all tasks in memory */
    SERVICE_OWNER_BYTES = 8
};

/* ---- life ---- */

static void service_start_threads(struct tasks *tasks)
{
    static const struct task_work work = {hf_tasks_run_one, hf_tasks_work};

    void *threads;

    if (!tasks->platform || tasks->stopping)
        return;
    threads = tasks->platform->start(tasks, &work, tasks->options.workers, tasks->allocator);
    atomic_store(&tasks->threads, threads);
    if (!threads)
        hf_server_log(tasks->server, HAFT_ERROR,
                      "cannot start the threads for tasks; tasks do not run");
}

static void service_start(struct tasks *tasks)
{
    if (!atomic_exchange(&tasks->started, true))
        service_start_threads(tasks);
}

/* Handlers that run are waited for. */
static void service_join(struct tasks *tasks)
{
    void *threads = atomic_load(&tasks->threads);

    hf_tasks_stop(tasks, 0);
    if (threads)
        tasks->platform->join(threads);
}

/* Nothing else uses the server any more. */
static void service_free(struct tasks *tasks)
{
    const haft_allocator *allocator = tasks->allocator;

    service_join(tasks);
    if (tasks->subscribed)
        haft_store_unsubscribe(tasks->store, &tasks->subscriber);
    hf_tasks_wake_waiters(tasks);
    hf_tasks_read_news(tasks);
    while (atomic_load(&tasks->pending))
        if (tasks->platform)
            tasks->platform->pause();
    if (atomic_load(&tasks->threads)) /* what the store answered has used them until now */
        tasks->platform->free(atomic_exchange(&tasks->threads, NULL));
    hf_task_scan_free(tasks);
    hf_task_watches_free(tasks);
    for (size_t i = 0; i < TASK_SLOTS; i++)
        while (tasks->slots[i]) {
            struct task *task = tasks->slots[i];

            tasks->slots[i] = task->next;
            if (task->run.call) {
                hf_catalogue_drop(task->run.call->catalogue);
                hf_inner_free(task->run.call);
            }
            hf_task_free(task);
        }
    tasks->server->tasks = (struct server_tasks){0};
    haft_store_free(tasks->own_store);
    allocator->release(allocator->context, tasks, sizeof *tasks);
}

static void service_count(struct tasks *tasks, struct task_counts *counts)
{
    size_t all, queued, running;

    hf_tasks_lock(tasks);
    all = tasks->n_tasks;
    queued = tasks->n_queued;
    running = tasks->n_running;
    hf_tasks_unlock(tasks);
    counts->queued += queued;
    counts->running += running;
    counts->waiting += all > queued + running ? all - queued - running : 0;
    counts->created += atomic_load(&tasks->counts[TASK_WORKING]);
    counts->completed += atomic_load(&tasks->counts[TASK_COMPLETED]);
    counts->failed += atomic_load(&tasks->counts[TASK_FAILED]);
    counts->cancelled += atomic_load(&tasks->counts[TASK_CANCELLED]);
}

static const struct task_hooks service_hooks = {.take = hf_task_take,
                                                .may_take = hf_task_may_take,
                                                .handle = hf_task_handle,
                                                .admit_ids = hf_task_admit_ids,
                                                .watch = hf_task_watch,
                                                .news = hf_task_news,
                                                .unwatch = hf_task_unwatch,
                                                .follow = hf_task_follow,
                                                .start = service_start,
                                                .leave = hf_tasks_leave,
                                                .stop = hf_tasks_stop,
                                                .count = service_count,
                                                .join = service_join,
                                                .free = service_free};

static void service_set_defaults(haft_task_options *options)
{
#define SERVICE_DEFAULT(member, value) options->member = options->member ? options->member : (value)
    SERVICE_DEFAULT(workers, DEFAULT_TASK_WORKERS);
    SERVICE_DEFAULT(max_queued, SERVICE_QUEUED);
    SERVICE_DEFAULT(max_tasks, DEFAULT_TASKS);
    SERVICE_DEFAULT(max_per_client, DEFAULT_CLIENT_TASKS);
    SERVICE_DEFAULT(max_bytes, SERVICE_BYTES);
    SERVICE_DEFAULT(ttl_ms, DEFAULT_TASK_TTL);
    SERVICE_DEFAULT(max_ttl_ms, SERVICE_MAX_TTL);
    SERVICE_DEFAULT(poll_ms, SERVICE_POLL);
    SERVICE_DEFAULT(lease_ms, SERVICE_LEASE);
#undef SERVICE_DEFAULT
    if (options->lease_ms < SERVICE_MIN_LEASE)
        options->lease_ms = SERVICE_MIN_LEASE;
    if (options->ttl_ms > options->max_ttl_ms)
        options->ttl_ms = options->max_ttl_ms;
}

static haft_store *service_memory(const struct tasks *tasks)
{
    const haft_store_space spaces[] = {
        {.name = TASK_SPACE,
         .max_entries = tasks->options.max_tasks * SERVICE_ENTRIES,
         .max_bytes = SERVICE_MEMORY},
        {.name = TASK_INDEX, .max_entries = tasks->options.max_tasks * 2}};

    return haft_store_memory_new(HAFT_WITH(haft_store_memory_options, .allocator = tasks->allocator,
                                           .spaces = spaces,
                                           .n_spaces = sizeof spaces / sizeof *spaces));
}

/* The versions of leases decide. By the name an owner finds out whether a write was its own. */
static void service_name(struct tasks *tasks)
{
    unsigned char bytes[SERVICE_OWNER_BYTES] = {0};

    if (hf_tasks_random(tasks, NULL, bytes, sizeof bytes))
        memset(tasks->owner, '-', sizeof tasks->owner - 1);
    else
        hf_hex_put(bytes, sizeof bytes, tasks->owner);
}

int haft_server_set_tasks(haft_server *server, const haft_task_options *options)
{
    const haft_allocator *allocator = server->allocator;
    struct tasks *tasks;

    if (server->tasks.hooks)
        return hf_server_refuse(server, HAFT_EEXISTS, "tasks", "tasks are enabled already");
    tasks = allocator->alloc(allocator->context, sizeof *tasks);
    if (!tasks)
        return hf_server_refuse(server, HAFT_ENOMEM, "tasks", "out of memory");
    memset(tasks, 0, sizeof *tasks);
    tasks->server = server;
    tasks->allocator = allocator;
    hf_task_queues_init(tasks);
    tasks->start = service_start_threads;
    atomic_flag_clear(&tasks->lock);
    if (!hf_struct_read(&tasks->options, sizeof tasks->options, options) ||
        tasks->options.ttl_ms < 0 || tasks->options.max_ttl_ms < 0) {
        allocator->release(allocator->context, tasks, sizeof *tasks);
        return hf_server_refuse(server, HAFT_EINVAL, "tasks",
                                options && options->struct_size
                                    ? "the time to live must not be negative"
                                    : STRUCT_UNSIZED);
    }
    service_set_defaults(&tasks->options);
    if (tasks->options.endpoint)
        hf_hex_to_text(hf_task_client(tasks->options.endpoint), tasks->tag);
    tasks->options.endpoint = NULL;
    tasks->platform = hf_platform_tasks();
    tasks->store = tasks->options.store;
    if (!tasks->store)
        tasks->store = tasks->own_store = service_memory(tasks);
    if (!tasks->store || hf_tasks_subscribe(tasks)) {
        haft_store_free(tasks->own_store);
        allocator->release(allocator->context, tasks, sizeof *tasks);
        return hf_server_refuse(server, HAFT_ENOMEM, "tasks", "out of memory");
    }
    service_name(tasks);
    server->tasks = (struct server_tasks){&service_hooks, tasks};
    return 0;
}

haft_time haft_server_run_tasks(haft_server *server, haft_time now)
{
    struct tasks *tasks = server->tasks.service;
    haft_time next;

    if (!tasks)
        return -1;
    next = hf_tasks_work(tasks, now);
    while (hf_tasks_run_one(tasks, now))
        ;
    if (atomic_load(&tasks->news))
        hf_tasks_read_news(tasks);
    return next;
}

void haft_server_stop_tasks(haft_server *server, unsigned milliseconds)
{
    if (server->tasks.hooks)
        server->tasks.hooks->stop(server->tasks.service, milliseconds);
}
