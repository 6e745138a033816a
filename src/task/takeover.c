/* takeover.c - takes over tasks whose owner has died or given them up.
 *
 * A scan of the index finds tasks that live. One without a lease has no owner: a process that writes the next
 * lease takes it, and in the same request replaces the record in the version that it has read, so that a task
 * which has ended meanwhile is not taken. During an update, a process may not have the tool of a task yet, or any
 * more: it leaves the task to the others for a while, and takes it only if none of them does. */
#include "task/task.h"

enum {
    SCAN_STEP = 200, /* entries of the index in one step of a scan */
    SCAN_ARENA = 8 << 20,
    TAKEOVER_ARENA = 64 << 20,
    UNSERVED_MAX = 64,   /* tasks of unknown tools that are remembered */
    UNSERVED_LEASES = 4, /* how long they are left to others: so many times lease_ms */
};

/* A task without an owner whose tool this process does not offer. */
struct unserved_task {
    char id[TASK_ID + 1];
    haft_time since, seen; /* when it was found first, and last; `seen` 0: unused */
};

struct task_scan {
    haft_store_scan scan;
    struct tasks *tasks;
    haft_arena *arena;
    atomic_bool busy;
    haft_time begun; /* start of the latest scan */
    haft_time next;  /* start of the next one, unless tasks are given up before */
    struct unserved_task unserved[UNSERVED_MAX]; /* under the lock of the tasks */
};

/* ---- tools that are not offered ---- */

static bool unserved_is_offered(const struct tasks *tasks, const char *tool)
{
    struct catalogue *now = hf_catalogue_take(tasks->server);
    const struct entry *entry =
        hf_offer_list_find(&now->lists[HAFT_OFFER_TOOL], tool, strlen(tool));
    bool offered = entry && !entry->disabled;

    hf_catalogue_drop(now);
    return offered;
}

/* The row of a task, or one that is unused or whose task has not been found for some time; NULL if all are
 * in use. */
static struct unserved_task *unserved_find(struct task_scan *scan, const char *id, haft_time now)
{
    haft_time long_ago = now - 2 * (haft_time)scan->tasks->options.lease_ms;
    struct unserved_task *unused = NULL;

    for (size_t i = 0; i < UNSERVED_MAX; i++) {
        struct unserved_task *row = &scan->unserved[i];

        if (row->seen >= long_ago && row->seen && !strcmp(row->id, id))
            return row;
        if (!row->seen || row->seen < long_ago)
            unused = row;
    }
    if (unused) {
        *unused = (struct unserved_task){.since = now};
        memcpy(unused->id, id, sizeof unused->id);
    }
    return unused;
}

/* Whether a task is left to processes that have its tool. */
static bool takeover_leaves(struct tasks *tasks, const struct task_record *record)
{
    haft_time now = hf_tasks_now(tasks);
    struct unserved_task *row;
    bool leaves;

    if (unserved_is_offered(tasks, record->tool))
        return false;
    hf_tasks_lock(tasks);
    row = unserved_find(tasks->scan, record->id, now);
    leaves = !row || now - row->since < UNSERVED_LEASES * (haft_time)tasks->options.lease_ms;
    if (row)
        row->seen = leaves ? now : 0;
    hf_tasks_unlock(tasks);
    return leaves;
}

/* ---- one task ---- */

struct takeover {
    struct task_io io;
    haft_arena *arena;
    struct task_record record;
    struct task *task;
    bool cancelled;
};

enum { TAKE_TASK, TAKE_ANSWERS, TAKE_OUTCOME, TAKE_LEASE, TAKE_CANCEL };

static void takeover_free(struct tasks *tasks, struct takeover *takeover)
{
    haft_arena_free(takeover->arena);
    tasks->allocator->release(tasks->allocator->context, takeover, sizeof *takeover);
}

/* Whether the task fails because its handler may have run. */
static bool takeover_fails(const struct task_record *record)
{
    return record->state == TASK_WORKING && record->began && record->crash == HAFT_TASK_FAIL;
}

/* Continues the task as its tool wants. */
static void takeover_apply(struct takeover *takeover, struct task *task)
{
    struct tasks *tasks = task->tasks;
    const struct task_record *record = &takeover->record;
    bool ends = takeover->cancelled || takeover_fails(record);

    hf_tasks_lock(tasks);
    task->run.ending += ends; /* it is not given up before */
    if (ends) {
        task->place = PLACE_NONE;
    } else if (hf_task_seen_state(record) == TASK_INPUT) {
        task->place = PLACE_ASKING;
    } else {
        task->record.state = TASK_WORKING;
        hf_task_queue(task);
    }
    hf_tasks_unlock(tasks);
    if (!ends) {
        hf_tasks_wake_worker(tasks);
        return;
    }
    if (takeover->cancelled)
        hf_task_end(task, TASK_CANCELLED, "Cancelled by the client", NULL, 0);
    else
        hf_task_fail(task, RPC_INTERNAL_ERROR, "The server restarted while the task ran");
    hf_tasks_lock(tasks);
    task->run.ending--;
    hf_tasks_unlock(tasks);
}

static void takeover_taken(struct task_io *io)
{
    struct takeover *takeover = io->context;
    struct tasks *tasks = io->tasks;
    struct task *task = takeover->task;

    hf_tasks_lock(tasks);
    task_pin(task);
    task->writing.version = io->ops[0].ret_version;
    task->writing.lease = io->ops[1].ret_version;
    task->writing.renews = io->request.now + tasks->options.lease_ms / 3;
    task->writing.lost = io->request.status != 1;
    if (task->writing.lost)
        task->place = PLACE_NONE;
    hf_tasks_unlock(tasks);
    if (io->request.status == 1) {
        hf_server_log(tasks->server, HAFT_NOTICE, "took over task %s of %s", task->record.id,
                      task->record.tool);
        takeover_apply(takeover, task);
    }
    if (tasks->stopping)
        hf_task_give_up(task);
    hf_task_unpin(task);
    takeover_free(tasks, takeover);
}

/* Creates the struct of a task that is to be taken over. */
static struct task *takeover_task(struct tasks *tasks, const struct task_record *record)
{
    struct task *task = hf_task_new(tasks, record);
    struct json_writer w;

    if (!task)
        return NULL;
    w = (struct json_writer){.out = &task->questions};
    if (record->questions)
        hf_json_value(&w, record->questions);
    if (record->state_text)
        haft_buffer_add(&task->state_text, record->state_text, strlen(record->state_text) + 1);
    if (task->questions.status || task->state_text.status) {
        hf_task_free(task);
        return NULL;
    }
    task->place = PLACE_NEW;
    hf_tasks_lock(tasks);
    if (tasks->n_tasks >= tasks->options.max_tasks || hf_task_find(tasks, record->id) ||
        tasks->stopping) {
        hf_tasks_unlock(tasks);
        hf_task_free(task);
        return NULL;
    }
    hf_task_link(task);
    hf_tasks_unlock(tasks);
    return task;
}

static void takeover_read(struct task_io *io)
{
    struct takeover *takeover = io->context;
    struct tasks *tasks = io->tasks;
    struct task_record *record = &takeover->record;
    uint64_t version = io->ops[TAKE_TASK].ret_version;
    haft_slice value = io->ops[TAKE_TASK].ret_value;
    haft_store_op *op;

    takeover->cancelled = io->ops[TAKE_CANCEL].status == 1;
    if (hf_task_view_read(io, takeover->arena, record) || io->ops[TAKE_LEASE].status == 1 ||
        task_is_over(record->state) ||
        (!takeover->cancelled && !takeover_fails(record) && takeover_leaves(tasks, record))) {
        takeover_free(tasks, takeover);
        return;
    }
    takeover->task = takeover_task(tasks, record);
    if (!takeover->task) {
        takeover_free(tasks, takeover);
        return;
    }
    hf_task_io_init(io, tasks, record->id, NULL, takeover_taken, takeover);
    op = hf_task_io_put(io, "task", value.data, value.size);
    op->if_version = true;
    op->version = version;
    op->expires_ms = hf_task_left(tasks, record);
    op = hf_task_io_put(io, "lease", tasks->owner, HEX_TEXT);
    op->if_version = true;
    op->expires_ms = tasks->options.lease_ms;
    hf_task_io_submit(io);
}

static void takeover_try(struct tasks *tasks, const char *id)
{
    struct takeover *takeover =
        tasks->allocator->alloc(tasks->allocator->context, sizeof *takeover);

    if (!takeover)
        return;
    memset(takeover, 0, sizeof *takeover);
    takeover->arena = haft_arena_new(tasks->allocator, TAKEOVER_ARENA);
    if (!takeover->arena) {
        takeover_free(tasks, takeover);
        return;
    }
    hf_task_io_init(&takeover->io, tasks, id, takeover->arena, takeover_read, takeover);
    hf_task_view_add(&takeover->io);
    hf_task_io_add(&takeover->io, HAFT_STORE_GET, "lease");
    hf_task_io_add(&takeover->io, HAFT_STORE_GET, "cancel");
    hf_task_io_submit(&takeover->io);
}

/* ---- the scan ---- */

void hf_task_scan_free(struct tasks *tasks)
{
    struct task_scan *scan = tasks->scan;

    if (!scan)
        return;
    haft_arena_free(scan->arena);
    tasks->allocator->release(tasks->allocator->context, scan, sizeof *scan);
    tasks->scan = NULL;
}

static void scan_done(haft_store_scan *found)
{
    struct task_scan *scan = found->context;
    struct tasks *tasks = scan->tasks;

    for (size_t i = 0; found->status >= 0 && i < found->n_found && !tasks->stopping; i++) {
        const haft_store_found *entry = &found->ret_found[i];
        const char *found_id = hf_task_group_id(tasks, entry->group);
        char id[TASK_ID + 1];
        bool own;

        if (!found_id || entry->value.size != INDEX_TEXT || entry->value.data[0] != INDEX_LIVE)
            continue;
        memcpy(id, found_id, TASK_ID);
        id[TASK_ID] = '\0';
        hf_tasks_lock(tasks);
        own = hf_task_find(tasks, id);
        hf_tasks_unlock(tasks);
        if (!own)
            takeover_try(tasks, id);
    }
    if (found->status < 0 || !found->cursor) {
        found->cursor = 0;
        scan->next = hf_tasks_now(tasks) + tasks->options.lease_ms / 2;
    }
    haft_arena_reset(scan->arena);
    atomic_store(&scan->busy, false);
    atomic_fetch_sub(&tasks->pending, 1);
}

static struct task_scan *scan_new(struct tasks *tasks)
{
    struct task_scan *scan = tasks->allocator->alloc(tasks->allocator->context, sizeof *scan);

    if (!scan)
        return NULL;
    memset(scan, 0, sizeof *scan);
    scan->tasks = tasks;
    scan->arena = haft_arena_new(tasks->allocator, SCAN_ARENA);
    if (!scan->arena) {
        tasks->allocator->release(tasks->allocator->context, scan, sizeof *scan);
        return NULL;
    }
    return scan;
}

bool hf_task_scan_goes_on(const struct tasks *tasks)
{
    return tasks->scan && (atomic_load(&tasks->scan->busy) || tasks->scan->scan.cursor);
}

void hf_task_scan(struct tasks *tasks, haft_time now)
{
    struct task_scan *scan = tasks->scan ? tasks->scan : (tasks->scan = scan_new(tasks));
    int status;

    if (!scan || tasks->stopping || atomic_load(&scan->busy))
        return;
    if (!scan->scan.cursor) {
        if (now < scan->next && !(now >= scan->begun + TASK_TICK && atomic_load(&tasks->freed)))
            return;
        atomic_store(&tasks->freed, false);
        scan->begun = now;
    }
    scan->scan = (haft_store_scan){.space = TASK_INDEX,
                                   .prefix = HAFT_SLICE(tasks->tag),
                                   .cursor = scan->scan.cursor,
                                   .limit = SCAN_STEP,
                                   .now = now,
                                   .arena = scan->arena,
                                   .done = scan_done,
                                   .context = scan};
    atomic_store(&scan->busy, true);
    atomic_fetch_add(&tasks->pending, 1);
    status = haft_store_scan_step(tasks->store, &scan->scan);
    if (status == HAFT_PENDING)
        return;
    scan->scan.status = status;
    scan_done(&scan->scan);
}
