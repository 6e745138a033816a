/* table.c - the tasks that this process owns: the lock, the table, and users of a task. */
#include "base/hex.h"
#include "task/task.h"

enum {
    TABLE_ARENA = 64 << 10, /* of what this process keeps of a task */
    TABLE_EXTRA = 4 << 20   /* of its questions */
};

/* ---- lock and time ---- */

void hf_tasks_lock(struct tasks *tasks)
{
    while (atomic_flag_test_and_set_explicit(&tasks->lock, memory_order_acquire))
        ;
}

void hf_tasks_unlock(struct tasks *tasks)
{
    atomic_flag_clear_explicit(&tasks->lock, memory_order_release);
}

haft_time hf_tasks_now(struct tasks *tasks)
{
    void *threads = atomic_load(&tasks->threads);
    haft_time now = threads ? tasks->platform->now(threads) : 0;
    haft_time known = atomic_load(&tasks->now);

    return now > known ? now : known;
}

void hf_tasks_wake(struct tasks *tasks)
{
    void *threads = atomic_load(&tasks->threads);

    if (threads)
        tasks->platform->wake(threads);
}

void hf_tasks_wake_worker(struct tasks *tasks)
{
    void *threads = atomic_load(&tasks->threads);

    if (!threads)
        return;
    tasks->platform->run(threads);
    if (atomic_exchange(&tasks->idle, false)) /* leases and deadlines begin to matter */
        tasks->platform->wake(threads);
}

int hf_tasks_random(struct tasks *tasks, const haft_loop *loop, void *bytes, size_t size)
{
    if (tasks->options.random)
        return tasks->options.random(tasks->options.context, bytes, size);
    if (tasks->platform)
        return tasks->platform->random(bytes, size);
    return loop && loop->random ? loop->random(loop->context, bytes, size) : HAFT_EINVAL;
}

/* ---- the table ---- */

static size_t task_slot(const char *id)
{
    return (size_t)(hex_lower_digit(id[0]) << 8 | hex_lower_digit(id[1]) << 4 |
                    hex_lower_digit(id[2])) %
           TASK_SLOTS;
}

uint64_t hf_task_client(const char *principal)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (const char *at = principal ? principal : ""; *at; at++)
        hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    return principal ? hash : 0;
}

struct task *hf_task_find(struct tasks *tasks, const char *id)
{
    struct task *task = tasks->slots[task_slot(id)];

    while (task && memcmp(task->record.id, id, TASK_ID) != 0)
        task = task->next;
    return task;
}

void hf_task_free(struct task *task)
{
    const haft_allocator *allocator = task->tasks->allocator;

    haft_buffer_finish(&task->questions);
    haft_buffer_finish(&task->state_text);
    haft_buffer_finish(&task->outcome);
    haft_buffer_finish(&task->writing.text);
    haft_buffer_finish(&task->writing.saved);
    haft_buffer_finish(&task->writing.sending);
    haft_arena_free(task->arena);
    allocator->release(allocator->context, task, sizeof *task);
}

int64_t hf_task_left(struct tasks *tasks, const struct task_record *record)
{
    int64_t left = record->created + record->ttl - hf_tasks_now(tasks);

    if (left > record->ttl) /* created in the future: the clock has been set back since then */
        left = record->ttl;
    return left > 0 ? left : 1;
}

struct task *hf_task_new(struct tasks *tasks, const struct task_record *record)
{
    const haft_allocator *allocator = tasks->allocator;
    struct task *task = allocator->alloc(allocator->context, sizeof *task);

    if (!task)
        return NULL;
    memset(task, 0, sizeof *task);
    task->tasks = tasks;
    task->record = *record;
    haft_buffer_init(&task->questions, allocator, TABLE_EXTRA);
    haft_buffer_init(&task->state_text, allocator, tasks->options.max_bytes);
    haft_buffer_init(&task->outcome, allocator, tasks->options.max_bytes + 1);
    haft_buffer_init(&task->writing.text, allocator, TABLE_EXTRA * 2);
    haft_buffer_init(&task->writing.saved, allocator, tasks->options.max_bytes);
    haft_buffer_init(&task->writing.sending, allocator, tasks->options.max_bytes);
    task->arena = haft_arena_new(allocator, TABLE_ARENA);
    if (task->arena)
        task->record.tool = haft_arena_copy(task->arena, record->tool, strlen(record->tool));
    if (task->arena && record->principal)
        task->record.principal =
            haft_arena_copy(task->arena, record->principal, strlen(record->principal));
    if (!task->arena || !task->record.tool || (record->principal && !task->record.principal)) {
        hf_task_free(task);
        return NULL;
    }
    task->record.message = task->record.state_text = NULL;
    task->record.questions = task->record.answers = NULL;
    task->record.outcome = (struct text){NULL, 0};
    task->client = hf_task_client(record->principal);
    task->expires = hf_tasks_now(tasks) + hf_task_left(tasks, record);
    return task;
}

void hf_task_link(struct task *task)
{
    struct task **slot = &task->tasks->slots[task_slot(task->record.id)];

    task->next = *slot;
    *slot = task;
    task->tasks->n_tasks++;
    task->tasks->clients[task->client % TASK_SLOTS]++;
}

void hf_task_collect(struct task *task)
{
    struct task **link = &task->tasks->slots[task_slot(task->record.id)];
    const struct task_writing *writing = &task->writing;
    bool writes = (writing->dirty || writing->leaves) && !writing->lost && !writing->end_sent;

    if (task->place != PLACE_NONE || writing->busy || writes || task->run.users)
        return;
    while (*link && *link != task)
        link = &(*link)->next;
    if (!*link)
        return;
    *link = task->next;
    task->tasks->n_tasks--;
    task->tasks->clients[task->client % TASK_SLOTS]--;
    hf_task_free(task);
}

/* ---- users ---- */

void hf_task_unpin(struct task *task)
{
    struct tasks *tasks = task->tasks;
    haft_call *call = NULL;

    hf_tasks_lock(tasks);
    if (task->run.users == 1) {
        call = task->run.call;
        task->run.call = NULL;
        task->run.loaded = false;
    }
    if (!call) {
        task->run.users--;
        hf_task_collect(task);
    }
    hf_tasks_unlock(tasks);
    if (!call)
        return;
    /* The handler has finished, and no other thread has found the call. */
    hf_catalogue_drop(call->catalogue);
    hf_inner_free(call);
    hf_task_unpin(task);
}

/* Several sessions may call this at once. */
void hf_tasks_start_for(struct tasks *tasks, const haft_call *call)
{
    if (!call->owner->loop.post || atomic_load(&tasks->started) ||
        atomic_exchange(&tasks->started, true))
        return;
    tasks->start(tasks);
}
