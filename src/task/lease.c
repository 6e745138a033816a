/* lease.c - what is due by time: leases are renewed, handlers end at their deadline, and tasks whose
 * owner has died are taken over.
 *
 * A lease is an entry that expires. A task without one has no owner: a process that writes the next
 * lease takes it, and in the same request replaces the record in the version that it has read, so that a task
 * which has ended meanwhile is not taken. */
#include "task/task.h"

enum {
    LEASE_BATCH = 64,    /* tasks of one pass */
    LEASE_SLOTS = 64,    /* slots that are checked while the lock is held */
    LEASE_PENDING = 500, /* requests to the store that may be pending when leases are renewed */
    LEASE_STEP = 200,    /* entries of the index in one step of a scan */
    LEASE_SCAN = 8 << 20,
    LEASE_ARENA = 64 << 20,
    LEASE_TICK = 200,
    LEASE_SOON = 10,     /* there is more to do */
    LEASE_WAITERS = 5000 /* waiting requests read their task at least this often */
};

/* ---- tasks of this process ---- */

/* What a pass has to do for a task. */
struct lease_due {
    struct task *task; /* has a user */
    bool late, expired, check;
};

/* Checks one task, with the lock held. Returns whether there is something to do. */
static bool lease_look(struct task *task, haft_time now, struct lease_due *due)
{
    struct task_writing *writing = &task->writing;

    *due = (struct lease_due){.task = task};
    if (task->place == PLACE_NEW)
        return false;
    if (task->run.call)
        atomic_store(&task->run.call->time.now, now);
    if (task->place == PLACE_HELD && !task->tasks->stopping)
        hf_task_queue(task);
    if (now >= writing->renews && atomic_load(&task->tasks->pending) < LEASE_PENDING) {
        writing->renew = true;
        task->poked = true; /* messages can be lost */
    }
    due->expired = now >= task->expires;
    due->late = task->place == PLACE_RUNNING && now >= task->run.deadline &&
                !task_is_over(task->record.state);
    due->check = task->poked;
    task->poked = false;
    return due->late || due->expired || due->check || writing->dirty || writing->renew ||
           writing->saves;
}

/* The entries of the task expire. Its handler is cancelled. */
static void lease_expire(struct task *task)
{
    struct tasks *tasks = task->tasks;
    haft_call *call;

    hf_tasks_lock(tasks);
    task->writing.lost = true;
    task->writing.dirty = false;
    call = task->run.call;
    if (task->place == PLACE_ASKING)
        task->place = PLACE_NONE;
    hf_tasks_unlock(tasks);
    if (call)
        hf_call_cancel(call);
    hf_task_drop_queued(task);
}

static void lease_do(struct tasks *tasks, const struct lease_due *due)
{
    struct task *task = due->task;

    if (due->expired)
        lease_expire(task);
    else if (due->late)
        hf_task_fail(task, RPC_INTERNAL_ERROR, "The task exceeded its time limit of %u ms",
                     task->run.call->time.allowed_ms);
    else if (due->check)
        hf_task_check(tasks, task->record.id);
    hf_task_flush(task);
    hf_task_unpin(task);
}

/* Checks the tasks of some slots. Returns the next slot. */
static size_t lease_pass(struct tasks *tasks, size_t slot, haft_time now)
{
    struct lease_due due[LEASE_BATCH];
    size_t n = 0, end = slot + LEASE_SLOTS < TASK_SLOTS ? slot + LEASE_SLOTS : TASK_SLOTS;

    hf_tasks_lock(tasks);
    for (; slot < end && n < LEASE_BATCH; slot++)
        for (struct task *task = tasks->slots[slot]; task && n < LEASE_BATCH; task = task->next)
            if (lease_look(task, now, &due[n])) {
                task_pin(task);
                n++;
            }
    hf_tasks_unlock(tasks);
    for (size_t i = 0; i < n; i++)
        lease_do(tasks, &due[i]);
    return slot;
}

/* ---- tasks of others ---- */

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

/* Continues the task as its tool wants. */
static void takeover_apply(struct takeover *takeover, struct task *task)
{
    struct tasks *tasks = task->tasks;
    const struct task_record *record = &takeover->record;
    bool asks = hf_task_seen_state(record) == TASK_INPUT;
    bool fails = record->state == TASK_WORKING && record->began && record->crash == HAFT_TASK_FAIL;

    if (takeover->cancelled) {
        hf_task_end(task, TASK_CANCELLED, "Cancelled by the client", NULL, 0);
    } else if (fails) {
        hf_task_fail(task, RPC_INTERNAL_ERROR, "The server restarted while the task ran");
    } else {
        hf_tasks_lock(tasks);
        if (asks) {
            task->place = PLACE_ASKING;
        } else {
            task->record.state = TASK_WORKING;
            hf_task_queue(task);
        }
        hf_tasks_unlock(tasks);
        hf_tasks_wake_worker(tasks);
    }
}

static void takeover_taken(struct task_io *io)
{
    struct takeover *takeover = io->context;
    struct tasks *tasks = io->tasks;
    struct task *task = takeover->task;

    hf_tasks_lock(tasks);
    task_pin(task);
    task->place = PLACE_NONE;
    task->writing.version = io->ops[0].ret_version;
    task->writing.lease = io->ops[1].ret_version;
    task->writing.renews = io->request.now + tasks->options.lease_ms / 3;
    task->writing.lost = io->request.status != 1;
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

    if (hf_task_view_read(io, takeover->arena, record) || io->ops[TAKE_LEASE].status == 1 ||
        task_is_over(record->state)) {
        takeover_free(tasks, takeover);
        return;
    }
    takeover->cancelled = io->ops[TAKE_CANCEL].status == 1;
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
    takeover->arena = haft_arena_new(tasks->allocator, LEASE_ARENA);
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

struct task_scan {
    haft_store_scan scan;
    struct tasks *tasks;
    haft_arena *arena;
    atomic_bool busy;
    haft_time begun; /* start of the latest scan */
    haft_time next;  /* start of the next one, unless tasks are given up before */
};

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
    scan->arena = haft_arena_new(tasks->allocator, LEASE_SCAN);
    if (!scan->arena) {
        tasks->allocator->release(tasks->allocator->context, scan, sizeof *scan);
        return NULL;
    }
    return scan;
}

/* Makes one step of a scan, if one is due. */
static void lease_scan(struct tasks *tasks, haft_time now)
{
    struct task_scan *scan = tasks->scan ? tasks->scan : (tasks->scan = scan_new(tasks));
    int status;

    if (!scan || tasks->stopping || atomic_load(&scan->busy))
        return;
    if (!scan->scan.cursor) {
        if (now < scan->next && !(now >= scan->begun + LEASE_TICK && atomic_load(&tasks->freed)))
            return;
        atomic_store(&tasks->freed, false);
        scan->begun = now;
    }
    scan->scan = (haft_store_scan){.space = TASK_INDEX,
                                   .prefix = HAFT_SLICE(tasks->tag),
                                   .cursor = scan->scan.cursor,
                                   .limit = LEASE_STEP,
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

/* ---- all of it ---- */

/* Lets waiting requests read their task: messages can be lost. */
void hf_tasks_wake_waiters(struct tasks *tasks)
{
    hf_tasks_lock(tasks);
    for (struct task_waiter *waiter = tasks->waiters; waiter; waiter = waiter->next)
        atomic_store(&waiter->changed, true);
    if (tasks->waiters)
        atomic_store(&tasks->news, true);
    hf_tasks_unlock(tasks);
}

/* Wakes workers for tasks that have been held back. */
static void lease_wake_workers(struct tasks *tasks)
{
    size_t n = atomic_load(&tasks->n_queued);

    for (size_t i = 0; i < n && i < tasks->options.workers; i++)
        hf_tasks_wake_worker(tasks);
}

/* When there is something to do again. */
static haft_time lease_next(struct tasks *tasks, haft_time now)
{
    const struct task_scan *scan = tasks->scan;

    if ((scan && (atomic_load(&scan->busy) || scan->scan.cursor)) ||
        atomic_load(&tasks->pending) >= LEASE_PENDING)
        return now + LEASE_SOON;
    if (atomic_load(&tasks->n_tasks) || atomic_load(&tasks->freed))
        return now + LEASE_TICK;
    atomic_store(&tasks->idle, true);
    if (!atomic_load(&tasks->n_tasks))
        return now + tasks->options.lease_ms / 2;
    atomic_store(&tasks->idle, false); /* one has been created meanwhile */
    return now + LEASE_TICK;
}

haft_time hf_tasks_work(struct tasks *tasks, haft_time now)
{
    haft_time before = atomic_load(&tasks->now);

    if (now > before)
        atomic_store(&tasks->now, now);
    for (size_t slot = 0; slot < TASK_SLOTS;)
        slot = lease_pass(tasks, slot, now);
    if (now / LEASE_WAITERS != before / LEASE_WAITERS)
        hf_tasks_wake_waiters(tasks);
    if (atomic_load(&tasks->news))
        hf_tasks_read_news(tasks);
    lease_scan(tasks, now);
    lease_wake_workers(tasks);
    return lease_next(tasks, now);
}

/* ---- shutting down ---- */

/* Whether the task is given up at once, with the lock held: nothing has run, or it can run again. */
static bool stop_gives_up(const struct task *task)
{
    return task->place != PLACE_RUNNING || task->record.crash != HAFT_TASK_FAIL;
}

/* A task of this or a later slot that has not been dealt with, with a user; NULL if there is none. */
static struct task *stop_next(struct tasks *tasks, size_t *slot, bool all)
{
    struct task *found = NULL;

    hf_tasks_lock(tasks);
    for (; *slot < TASK_SLOTS && !found; *slot += !found)
        for (struct task *task = tasks->slots[*slot]; task && !found; task = task->next)
            if (task->place != PLACE_NEW && !task->run.ending && !task_is_left(task) &&
                !task_is_over(task->record.state) && (all || stop_gives_up(task)))
                found = task;
    if (found)
        task_pin(found);
    hf_tasks_unlock(tasks);
    return found;
}

static void stop_give_up(struct task *task)
{
    haft_call *call;

    hf_task_give_up(task);
    hf_tasks_lock(task->tasks);
    call = task->run.call;
    hf_tasks_unlock(task->tasks);
    if (call)
        hf_call_cancel(call);
}

/* Ends a task that is left when the time for the shutdown is over. */
static void stop_end(struct task *task)
{
    bool gives_up;

    hf_tasks_lock(task->tasks);
    gives_up = stop_gives_up(task); /* it has asked meanwhile */
    hf_tasks_unlock(task->tasks);
    if (gives_up)
        stop_give_up(task);
    else
        hf_task_fail(task, RPC_INTERNAL_ERROR, "The server was shut down while the task ran");
}

static void stop_pause(struct tasks *tasks)
{
    if (tasks->platform)
        tasks->platform->pause();
}

void hf_tasks_stop(struct tasks *tasks, unsigned ms)
{
    haft_time end = hf_tasks_now(tasks) + (tasks->own_store ? 0 : ms); /* memory outlives nothing */
    struct task *task;
    size_t slot = 0;

    hf_tasks_lock(tasks);
    tasks->stopping = true;
    hf_tasks_unlock(tasks);
    while ((task = stop_next(tasks, &slot, false))) {
        stop_give_up(task);
        hf_task_unpin(task);
        while (tasks->pending >= LEASE_PENDING && hf_tasks_now(tasks) < end)
            stop_pause(tasks); /* the queue of the store has a limit */
    }
    while (tasks->threads && tasks->n_running && hf_tasks_now(tasks) < end)
        stop_pause(tasks);
    slot = 0;
    while ((task = stop_next(tasks, &slot, true))) {
        stop_end(task);
        hf_task_unpin(task);
    }
}
