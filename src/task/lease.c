/* lease.c - what is due by time: leases are renewed, handlers end at their deadline, and what is left at
 * a shutdown is given up.
 *
 * A lease is an entry that expires. A task without one has no owner, and is taken over (takeover.c). */
#include "task/task.h"

enum {
    LEASE_BATCH = 64,    /* tasks of one pass */
    LEASE_SLOTS = 64,    /* slots that are checked while the lock is held */
    LEASE_PENDING = 500, /* requests to the store that may be pending when leases are renewed */
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
    if (now >= writing->renews && !task_is_left(task) && !task_is_over(task->record.state) &&
        atomic_load(&task->tasks->pending) < LEASE_PENDING) {
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

static size_t lease_length(const struct task *task)
{
    size_t n = 0;

    for (; task; task = task->next)
        n++;
    return n;
}

/* Checks the tasks of some slots. Returns the next slot. */
static size_t lease_pass(struct tasks *tasks, size_t slot, haft_time now)
{
    struct lease_due due[LEASE_BATCH];
    size_t n = 0, end = slot + LEASE_SLOTS < TASK_SLOTS ? slot + LEASE_SLOTS : TASK_SLOTS;

    hf_tasks_lock(tasks);
    /* A slot is not cut off, unless it is longer than a batch: its rest would wait for the next tick each time. */
    for (; slot < end && (!n || n + lease_length(tasks->slots[slot]) <= LEASE_BATCH); slot++)
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
    if (hf_task_scan_goes_on(tasks) || atomic_load(&tasks->pending) >= LEASE_PENDING)
        return now + LEASE_SOON;
    if (atomic_load(&tasks->n_tasks) || atomic_load(&tasks->freed))
        return now + TASK_TICK;
    atomic_store(&tasks->idle, true);
    if (!atomic_load(&tasks->n_tasks))
        return now + tasks->options.lease_ms / 2;
    atomic_store(&tasks->idle, false); /* one has been created meanwhile */
    return now + TASK_TICK;
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
    hf_task_scan(tasks, now);
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

    if (!hf_task_give_up(task))
        return;
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

/* When a shutdown that begins now must be over. */
static haft_time stop_limit(struct tasks *tasks, unsigned ms)
{
    return hf_tasks_now(tasks) + (tasks->own_store ? 0 : ms); /* memory outlives nothing */
}

void hf_tasks_leave(struct tasks *tasks, unsigned ms)
{
    haft_time end = stop_limit(tasks, ms);
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
}

void hf_tasks_stop(struct tasks *tasks, unsigned ms)
{
    haft_time end = stop_limit(tasks, ms);
    struct task *task;
    size_t slot = 0;

    hf_tasks_leave(tasks, ms);
    while (tasks->threads && tasks->n_running && hf_tasks_now(tasks) < end)
        stop_pause(tasks);
    while ((task = stop_next(tasks, &slot, true))) {
        stop_end(task);
        hf_task_unpin(task);
    }
}
