/* settle.c - what the owner of a task writes.
 *
 * Every request of the owner carries its lease: it replaces the entry `lease` only if that has the
 * version that the owner wrote last. So a process that has lost its lease writes nothing more, and
 * requests about one task are sent one after the other. A task ends with the request that writes its
 * outcome; from then on nobody holds its lease.
 *
 * After a request that may have been applied, or was refused, the owner reads what the store has. */
#include "task/task.h"

enum {
    SETTLE_PACE = 200,        /* minimum time between two messages of a handler, in milliseconds */
    SETTLE_KEEP = 1000,       /* the entries outlive the task by this */
    SETTLE_READING = 16 << 20 /* bytes of a record that is read */
};

/* The error of a task whose result does not fit into the store. */
#define SETTLE_NO_ROOM "{\"code\":-32603,\"message\":\"Internal error: the store is full\"}"

static int64_t settle_left(const struct task *task, haft_time now)
{
    return (task->expires > now ? task->expires - now : 0) + SETTLE_KEEP;
}

/* ---- the index ---- */

static void settle_noted(struct task_io *io)
{
    const haft_allocator *allocator = io->tasks->allocator;

    allocator->release(allocator->context, io, sizeof *io);
}

/* Notes the end in the index. Without memory, scans read the task until it expires. */
static void settle_note_end(struct task *task)
{
    struct tasks *tasks = task->tasks;
    const haft_allocator *allocator = tasks->allocator;
    struct task_io *io = allocator->alloc(allocator->context, sizeof *io);
    char entry[INDEX_TEXT];

    if (!io)
        return;
    hf_task_io_init(io, tasks, task->record.id, NULL, settle_noted, NULL);
    io->request.space = TASK_INDEX;
    hf_task_index_write(INDEX_OVER, task->record.principal, entry);
    hf_task_io_put(io, "task", entry, sizeof entry)->expires_ms =
        settle_left(task, io->request.now);
    hf_task_io_submit(io);
}

/* ---- requests ---- */

/* The record with what handlers have changed; with the lock held. */
static void settle_put_record(struct task *task, haft_time now)
{
    struct task_record record = task->record;
    haft_arena *arena = NULL;

    if (record.crash == HAFT_TASK_FAIL && task->writing.mark == MARK_NONE &&
        record.state == TASK_WORKING) { /* the handler has not begun, or not continued */
        record.state = record.rounds ? TASK_INPUT : TASK_WORKING;
        record.began = record.rounds;
    }
    if (task->message[0])
        record.message = task->message;
    if (task->state_text.size)
        record.state_text = task->state_text.data;
    if (task->questions.size) {
        arena = haft_arena_new(task->tasks->allocator, 64 << 20);
        record.questions =
            arena ? hf_task_object((haft_slice){task->questions.data, task->questions.size}, arena)
                  : NULL;
        if (!record.questions)
            task->writing.text.status = HAFT_ENOMEM;
    }
    task->record.updated = record.updated = now;
    hf_task_record_write(&record, &task->writing.text);
    haft_arena_free(arena);
}

/* A lease that has expired is taken again, also for the end. */
static void settle_add_lease(struct task *task, struct task_io *io)
{
    struct task_writing *writing = &task->writing;
    bool last = writing->end_sent || writing->leave_sent, deletes = last && writing->lease;
    haft_store_op *op = deletes ? hf_task_io_add(io, HAFT_STORE_DELETE, "lease")
                                : hf_task_io_put(io, "lease", task->tasks->owner, HEX_TEXT);

    op->if_version = true;
    op->version = writing->lease;
    if (!deletes)
        op->expires_ms = last ? 1 : task->tasks->options.lease_ms;
}

static void settle_written(struct task_io *io);

/* Builds the next request, with the lock held. Returns false without memory. */
static bool settle_build(struct task *task, haft_time now)
{
    struct task_writing *writing = &task->writing;
    struct task_io *io = &writing->io;
    int64_t left = settle_left(task, now);
    haft_store_op *op;

    writing->end_sent = task_is_over(task->record.state);
    writing->leave_sent = writing->leaves;
    hf_task_io_init(io, task->tasks, task->record.id, NULL, settle_written, task);
    if (writing->dirty) {
        haft_buffer_clear(&writing->text);
        settle_put_record(task, now);
        if (writing->text.status) {
            writing->end_sent = writing->leave_sent = false;
            return false;
        }
        op = hf_task_io_put(io, "task", writing->text.data, writing->text.size);
        op->if_version = true;
        op->version = writing->version;
        op->expires_ms = left;
    }
    if (writing->dirty || writing->leave_sent)
        hf_task_io_publish(io, writing->leave_sent ? CHANGE_FREED : CHANGE_OF_OWNER);
    if (writing->saves && !writing->end_sent) {
        haft_buffer sending = writing->sending;

        writing->sending = writing->saved;
        writing->saved = sending;
        hf_task_io_put(io, "saved", writing->sending.data, writing->sending.size)->expires_ms =
            left;
    }
    settle_add_lease(task, io); /* deletes an entry before the outcome adds one, for a full store */
    if (task->outcome.size && writing->end_sent)
        hf_task_io_put(io, "outcome", task->outcome.data, task->outcome.size)->expires_ms = left;
    io->request.durable = writing->end_sent || writing->saves || writing->mark == MARK_WANTED;
    if (writing->mark == MARK_WANTED)
        writing->mark = MARK_SENT;
    writing->dirty = writing->renew = writing->saves = false;
    writing->at = now;
    writing->renews = now + task->tasks->options.lease_ms / 3;
    return true;
}

/* Whether there is something to write now, with the lock held. */
static bool settle_is_due(const struct task *task, haft_time now)
{
    const struct task_writing *writing = &task->writing;

    if (writing->busy || writing->lost || writing->end_sent)
        return false;
    if (writing->unsure)
        return now >= writing->at + SETTLE_PACE || task->tasks->stopping;
    if (writing->leaves)
        return true;
    if (writing->dirty && (task->record.state != TASK_WORKING || !writing->at ||
                           now >= writing->at + SETTLE_PACE || task->tasks->stopping))
        return true;
    return writing->renew ||
           (writing->saves && (now >= writing->at + SETTLE_PACE || task->tasks->stopping));
}

static bool settle_build_reading(struct task *task, haft_time now);

void hf_task_flush(struct task *task)
{
    struct tasks *tasks = task->tasks;
    haft_time now = hf_tasks_now(tasks);
    bool send;

    hf_tasks_lock(tasks);
    send = settle_is_due(task, now) &&
           (task->writing.unsure ? settle_build_reading(task, now) : settle_build(task, now));
    if (send)
        task->writing.busy = true;
    hf_tasks_unlock(tasks);
    if (send)
        hf_task_io_submit(&task->writing.io);
}

/* Another process has the task: the handler is cancelled, and its result is dropped. */
static void settle_lose(struct task *task)
{
    haft_call *call;

    if (!task->writing.leaves)
        hf_server_log(task->tasks->server, HAFT_WARNING,
                      "task %s of %s has been taken over by another process", task->record.id,
                      task->record.tool);
    hf_tasks_lock(task->tasks);
    task->writing.lost = true;
    task->writing.busy = task->writing.dirty = task->writing.unsure = false;
    if (task->place == PLACE_ASKING)
        task->place = PLACE_NONE;
    call = task->run.call;
    task_pin(task);
    hf_tasks_unlock(task->tasks);
    if (call)
        hf_call_cancel(call);
    hf_task_drop_queued(task);
    hf_task_unpin(task);
}

/* The latest request must be sent again: all that it had is due; with the lock held. */
static void settle_restore(struct task_writing *writing)
{
    writing->busy = writing->end_sent = writing->leave_sent = false;
    if (writing->mark == MARK_SENT)
        writing->mark = MARK_WANTED;
    writing->dirty = writing->renew = !writing->lost;
    if (writing->sending.size && !writing->saves) {
        haft_buffer saved = writing->saved;

        writing->saved = writing->sending;
        writing->sending = saved;
        writing->saves = true;
    }
}

/* The request was not applied because of an error, or nobody knows: it is sent again, until another process takes the
 * task. */
static void settle_retry(struct task *task, int status, bool is_unknown)
{
    hf_server_log(task->tasks->server, HAFT_ERROR, "cannot write task %s: %s", task->record.id,
                  haft_strerror(status));
    hf_tasks_lock(task->tasks);
    if (status == HAFT_ETOOBIG && task->writing.end_sent && task->outcome.size) {
        haft_buffer_clear(&task->outcome);
        haft_buffer_puts(&task->outcome, SETTLE_NO_ROOM);
        task->record.state = TASK_FAILED;
    }
    settle_restore(&task->writing);
    task->writing.unsure = task->writing.unsure || is_unknown;
    hf_tasks_unlock(task->tasks);
}

/* Notes that the lease has been given up, with the lock held. */
static void settle_leave(struct task *task)
{
    if (!task->writing.leave_sent)
        return;
    task->writing.lost = true;
    task->writing.dirty = task->writing.leave_sent = false;
    if (task->place == PLACE_ASKING)
        task->place = PLACE_NONE;
}

/* The latest request was applied. */
static void settle_applied(struct task *task, bool ended)
{
    struct tasks *tasks = task->tasks;
    char id[TASK_ID + 1];
    bool resumes;

    memcpy(id, task->record.id, sizeof id);
    hf_tasks_lock(tasks);
    if (ended)
        atomic_fetch_add(&tasks->counts[task->record.state], 1);
    haft_buffer_clear(&task->writing.sending);
    task->writing.busy = false;
    settle_leave(task);
    resumes = hf_task_resume(task);
    task_pin(task);
    hf_tasks_unlock(tasks);
    if (resumes)
        hf_tasks_wake_worker(tasks);
    if (ended)
        settle_note_end(task);
    hf_task_changed(tasks, id);
    hf_task_flush(task);
    hf_task_unpin(task);
}

static bool settle_is_key(const haft_store_op *op, const char *key)
{
    return op->key.size == strlen(key) && !memcmp(op->key.data, key, op->key.size);
}

/* Notes the mark of an applied request, with the lock held. One that the process might take with it is written again. */
static void settle_mark(struct task *task, bool is_kept)
{
    struct task_writing *writing = &task->writing;

    if (writing->mark != MARK_SENT)
        return;
    writing->mark = is_kept ? MARK_KEPT : MARK_WANTED;
    writing->dirty = writing->dirty || writing->mark == MARK_WANTED;
}

static void settle_refused(struct task *task);

static void settle_written(struct task_io *io)
{
    struct task *task = io->context;
    struct task_writing *writing = &task->writing;
    bool ended, is_kept;

    if (io->request.status < 0) {
        settle_retry(task, io->request.status, io->request.is_unknown);
        return;
    }
    if (!io->request.status) {
        settle_refused(task);
        return;
    }
    is_kept = hf_task_io_is_kept(io); /* the store may have a lock */
    hf_tasks_lock(task->tasks);
    ended = writing->end_sent;
    settle_mark(task, is_kept);
    for (size_t i = 0; i < io->request.n_ops; i++) {
        if (io->ops[i].kind != HAFT_STORE_PUT)
            continue;
        if (settle_is_key(&io->ops[i], "lease"))
            writing->lease = io->ops[i].ret_version;
        else if (settle_is_key(&io->ops[i], "task"))
            writing->version = io->ops[i].ret_version;
    }
    hf_tasks_unlock(task->tasks);
    settle_applied(task, ended);
}

/* ---- doubt ---- */

/* What the store has of a task whose latest request may have been applied, or was refused. */
enum settle_finding {
    FOUND_OWN,   /* the lease of this process */
    FOUND_FREE,  /* no lease, and no process has taken the task: it has expired */
    FOUND_ENDED, /* the end that this process wrote */
    FOUND_TAKEN  /* another process has written */
};

enum { DOUBT_LEASE, DOUBT_TASK };

static bool settle_is_own(const struct tasks *tasks, haft_slice lease)
{
    return tasks->owner[0] != '-' && lease.size == HEX_TEXT &&
           !memcmp(lease.data, tasks->owner, HEX_TEXT);
}

/* The state in the store, if the task has ended there; otherwise TASK_WORKING. */
static enum task_state settle_end_of(const struct task_io *io)
{
    const haft_store_op *entry = &io->ops[DOUBT_TASK];
    struct task_record record;

    if (io->request.status < 0 || entry->status != 1 ||
        hf_task_record_read(entry->ret_value, io->request.arena, &record))
        return TASK_WORKING;
    return task_is_over(record.state) ? record.state : TASK_WORKING;
}

/* Each request of an owner writes the lease. So a new lease with the name of this process is that of a request whose
 * answer was lost, and a new record with the lease as it was is not its own. */
static enum settle_finding settle_judge(const struct task *task, const struct task_io *io,
                                        enum task_state end)
{
    const haft_store_op *lease = &io->ops[DOUBT_LEASE], *entry = &io->ops[DOUBT_TASK];
    const struct task_writing *writing = &task->writing;
    bool is_new = lease->ret_version != writing->lease;
    bool is_same = entry->status == 1 && entry->ret_version == writing->version;
    bool ended = task_is_over(end);

    if (!is_new && writing->refused) /* nothing explains that */
        return FOUND_TAKEN;
    if (lease->status == 1)
        return entry->status == 1 && !ended && (is_new || is_same) &&
                       settle_is_own(task->tasks, lease->ret_value)
                   ? FOUND_OWN
                   : FOUND_TAKEN;
    if (is_same)
        return FOUND_FREE;
    return ended && end == task->record.state ? FOUND_ENDED : FOUND_TAKEN;
}

static void settle_read(struct task_io *io)
{
    struct task *task = io->context;
    struct task_writing *writing = &task->writing;
    enum task_state end = settle_end_of(io);
    enum settle_finding finding = FOUND_TAKEN;
    int status = io->request.status;

    hf_tasks_lock(task->tasks);
    if (status >= 0) {
        finding = settle_judge(task, io, end);
        writing->lease = finding == FOUND_OWN ? io->ops[DOUBT_LEASE].ret_version : 0;
        writing->version = io->ops[DOUBT_TASK].ret_version;
        writing->unsure = writing->refused = false;
    }
    haft_arena_free(writing->reading);
    writing->reading = NULL;
    writing->end_sent = finding == FOUND_ENDED;
    if (finding == FOUND_ENDED)
        writing->dirty = writing->renew = writing->saves = false;
    hf_tasks_unlock(task->tasks);
    if (status < 0)
        settle_retry(task, status, true);
    else if (finding == FOUND_TAKEN)
        settle_lose(task);
    else
        settle_applied(task, finding == FOUND_ENDED);
}

/* Builds a request that reads what the store has, with the lock held. Returns false without memory. */
static bool settle_build_reading(struct task *task, haft_time now)
{
    struct task_writing *writing = &task->writing;

    writing->at = now;
    writing->reading = haft_arena_new(task->tasks->allocator, SETTLE_READING);
    if (!writing->reading)
        return false;
    hf_task_io_init(&writing->io, task->tasks, task->record.id, writing->reading, settle_read,
                    task);
    hf_task_io_add(&writing->io, HAFT_STORE_GET, "lease");
    hf_task_io_add(&writing->io, HAFT_STORE_GET, "task");
    return true;
}

/* The store has another version of the lease or of the record: it is that of a request whose answer was lost, or the
 * lease has expired, or another process has taken the task. */
static void settle_refused(struct task *task)
{
    bool send;

    hf_tasks_lock(task->tasks);
    settle_restore(&task->writing);
    task->writing.unsure = task->writing.refused = true;
    send = settle_build_reading(task, hf_tasks_now(task->tasks));
    task->writing.busy = send;
    hf_tasks_unlock(task->tasks);
    if (send)
        hf_task_io_submit(&task->writing.io);
}
