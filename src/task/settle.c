/* settle.c - what the owner of a task writes.
 *
 * Every request of the owner carries its lease: it replaces the entry `lease` only if that has the
 * version that the owner wrote last. So a process that has lost its lease writes nothing more, and
 * requests about one task are sent one after the other. A task ends with the request that writes its
 * outcome; from then on nobody holds its lease. */
#include <stdarg.h>
#include <stdio.h>

#include "task/task.h"

enum {
    SETTLE_PACE = 200,  /* minimum time between two messages of a handler, in milliseconds */
    SETTLE_KEEP = 1000, /* the entries outlive the task by this */
    SETTLE_ERROR = 1024
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

static void settle_written(struct task_io *io);

/* Builds the next request, with the lock held. Returns false without memory. */
static bool settle_build(struct task *task, haft_time now)
{
    struct task_writing *writing = &task->writing;
    struct task_io *io = &writing->io;
    int64_t left = settle_left(task, now);
    haft_store_op *op;

    writing->end_sent = task_is_over(task->record.state);
    hf_task_io_init(io, task->tasks, task->record.id, NULL, settle_written, task);
    if (writing->dirty) {
        haft_buffer_clear(&writing->text);
        settle_put_record(task, now);
        if (writing->text.status)
            return false;
        op = hf_task_io_put(io, "task", writing->text.data, writing->text.size);
        op->if_version = true;
        op->version = writing->version;
        op->expires_ms = left;
        hf_task_io_publish(io, CHANGE_OF_OWNER);
    }
    if (writing->saves && !writing->end_sent) {
        haft_buffer sending = writing->sending;

        writing->sending = writing->saved;
        writing->saved = sending;
        hf_task_io_put(io, "saved", writing->sending.data, writing->sending.size)->expires_ms =
            left;
    }
    if (task->outcome.size && writing->end_sent)
        hf_task_io_put(io, "outcome", task->outcome.data, task->outcome.size)->expires_ms = left;
    op = writing->end_sent ? hf_task_io_add(io, HAFT_STORE_DELETE, "lease")
                           : hf_task_io_put(io, "lease", task->tasks->owner, HEX_TEXT);
    op->if_version = true;
    op->version = writing->lease;
    op->expires_ms = writing->end_sent ? 0 : task->tasks->options.lease_ms;
    io->request.durable = writing->end_sent || writing->saves;
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
    if (writing->dirty && (task->record.state != TASK_WORKING || !writing->at ||
                           now >= writing->at + SETTLE_PACE || task->tasks->stopping))
        return true;
    return writing->renew ||
           (writing->saves && (now >= writing->at + SETTLE_PACE || task->tasks->stopping));
}

void hf_task_flush(struct task *task)
{
    struct tasks *tasks = task->tasks;
    haft_time now = hf_tasks_now(tasks);
    bool send;

    hf_tasks_lock(tasks);
    send = settle_is_due(task, now) && settle_build(task, now);
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

    hf_server_log(task->tasks->server, HAFT_WARNING,
                  "task %s of %s has been taken over by another process", task->record.id,
                  task->record.tool);
    hf_tasks_lock(task->tasks);
    task->writing.lost = true;
    task->writing.busy = task->writing.dirty = false;
    if (task->place == PLACE_ASKING)
        task->place = PLACE_NONE;
    call = task->run.call;
    task_pin(task);
    hf_tasks_unlock(task->tasks);
    if (call)
        hf_call_cancel(call);
    hf_task_unpin(task);
}

/* The request was not applied because of an error: it is sent again, until the lease expires. */
static void settle_retry(struct task *task, int status)
{
    hf_server_log(task->tasks->server, HAFT_ERROR, "cannot write task %s: %s", task->record.id,
                  haft_strerror(status));
    hf_tasks_lock(task->tasks);
    task->writing.busy = false;
    task->writing.dirty = task->writing.renew = true;
    if (task->writing.sending.size && !task->writing.saves) {
        haft_buffer saved = task->writing.saved;

        task->writing.saved = task->writing.sending;
        task->writing.sending = saved;
        task->writing.saves = true;
    }
    if (status == HAFT_ETOOBIG && task->writing.end_sent && task->outcome.size) {
        haft_buffer_clear(&task->outcome);
        haft_buffer_puts(&task->outcome, SETTLE_NO_ROOM);
        task->record.state = TASK_FAILED;
    }
    task->writing.end_sent = false;
    hf_tasks_unlock(task->tasks);
}

static void settle_written(struct task_io *io)
{
    struct task *task = io->context;
    struct tasks *tasks = task->tasks;
    char id[TASK_ID + 1];
    bool ended;

    if (io->request.status < 0) {
        settle_retry(task, io->request.status);
        return;
    }
    if (!io->request.status) {
        settle_lose(task);
        return;
    }
    memcpy(id, task->record.id, sizeof id);
    hf_tasks_lock(tasks);
    ended = task->writing.end_sent;
    for (size_t i = 0; i < io->request.n_ops; i++) {
        if (io->ops[i].kind != HAFT_STORE_PUT)
            continue;
        if (io->ops[i].key.size == 5 && !memcmp(io->ops[i].key.data, "lease", 5))
            task->writing.lease = io->ops[i].ret_version;
        else if (io->ops[i].key.size == 4)
            task->writing.version = io->ops[i].ret_version;
    }
    if (ended)
        atomic_fetch_add(&tasks->counts[task->record.state], 1);
    haft_buffer_clear(&task->writing.sending);
    task->writing.busy = false;
    task_pin(task);
    hf_tasks_unlock(tasks);
    if (ended)
        settle_note_end(task);
    hf_task_changed(tasks, id);
    hf_task_flush(task);
    hf_task_unpin(task);
}

/* ---- ends ---- */

void hf_task_end(struct task *task, enum task_state state, const char *message, const char *outcome,
                 size_t size)
{
    struct tasks *tasks = task->tasks;
    haft_call *call;
    bool first;

    hf_tasks_lock(tasks);
    first = !task_is_over(task->record.state) && !task->writing.lost;
    if (first) {
        task->record.state = state;
        snprintf(task->message, sizeof task->message, "%s", message ? message : "");
        haft_buffer_clear(&task->questions);
        haft_buffer_clear(&task->outcome);
        haft_buffer_add(&task->outcome, outcome, size);
        task->writing.dirty = true;
        if (task->place == PLACE_ASKING)
            task->place = PLACE_NONE;
    }
    call = first ? task->run.call : NULL;
    task_pin(task);
    hf_tasks_unlock(tasks);
    if (call)
        hf_call_cancel(call);
    if (first)
        hf_task_flush(task);
    hf_task_unpin(task);
}

void hf_task_fail(struct task *task, int code, const char *format, ...)
{
    char text[SETTLE_ERROR], room[SETTLE_ERROR * JSON_ESCAPED + 64];
    haft_buffer out = {.data = room, .capacity = sizeof room, .limit = sizeof room - 1};
    struct json_writer w = {.out = &out};
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    text[haft_utf8_valid(text, strlen(text))] = '\0';
    hf_json_begin_object(&w);
    hf_json_integer(json_key(&w, "code"), code);
    hf_json_text(json_key(&w, "message"), text);
    hf_json_end_object(&w);
    hf_task_end(task, TASK_FAILED, text, out.data, out.size);
}

void hf_task_give_up(struct task *task)
{
    struct tasks *tasks = task->tasks;
    const haft_allocator *allocator = tasks->allocator;
    struct task_io *io = allocator->alloc(allocator->context, sizeof *io);
    haft_store_op *op;

    hf_tasks_lock(tasks);
    if (task->writing.lost || task_is_over(task->record.state)) {
        hf_tasks_unlock(tasks);
        if (io)
            allocator->release(allocator->context, io, sizeof *io);
        return;
    }
    task->writing.lost = true;
    task->writing.dirty = false;
    if (task->place == PLACE_ASKING)
        task->place = PLACE_NONE;
    hf_tasks_unlock(tasks);
    if (!io)
        return; /* the lease expires */
    hf_task_io_init(io, tasks, task->record.id, NULL, settle_noted, NULL);
    op = hf_task_io_add(io, HAFT_STORE_DELETE, "lease");
    op->if_version = true;
    op->version = task->writing.lease;
    hf_task_io_submit(io);
}

void hf_task_cancel_here(struct tasks *tasks, const char *id)
{
    struct task *task;

    hf_tasks_lock(tasks);
    task = hf_task_find(tasks, id);
    if (task)
        task_pin(task);
    hf_tasks_unlock(tasks);
    if (!task)
        return;
    hf_task_end(task, TASK_CANCELLED, "Cancelled by the client", NULL, 0);
    hf_task_unpin(task);
}
