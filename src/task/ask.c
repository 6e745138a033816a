/* ask.c - questions of a handler in a task, and the answers.
 *
 * The record has every question that the handler has asked, under a key that is used once: a
 * question whose answer was invalid is asked again under another. The handler runs again from the
 * start when all of them have answers; meanwhile the task holds no thread. */
#include <stdio.h>

#include "task/task.h"

enum { ASK_ARENA = 64 << 20, ASK_KEY = 1024 };

/* ---- questions ---- */

/* Writes the key that clients see: that of the handler, or a new one if it has been used. Returns
 * false if the question is still open under an earlier one, or if it is too long. */
static bool ask_key(yyjson_val *asked, const struct question *question, char ret_key[ASK_KEY])
{
    unsigned n = 1;
    int size = snprintf(ret_key, ASK_KEY, "%s", question->key);

    while (size >= 0 && size < ASK_KEY && yyjson_obj_get(asked, ret_key))
        size = snprintf(ret_key, ASK_KEY, "%s#%u", question->key, ++n);
    return size >= 0 && size < ASK_KEY;
}

static void ask_put(struct json_writer *w, const char *key, const struct question *question)
{
    hf_json_begin_object(hf_json_name(w, key, strlen(key)));
    hf_json_text(json_key(w, "key"), question->key);
    hf_json_text(json_key(w, "method"), question->method);
    hf_json_raw(json_key(w, "params"), question->params, strlen(question->params));
    hf_json_end_object(w);
}

/* Adds the open questions of the call to those asked so far. Returns their number, or an error. */
static int ask_collect(struct task *task, haft_buffer *out)
{
    haft_call *call = task->run.call;
    yyjson_val *asked = NULL, *key, *value;
    struct json_writer w = {.out = out};
    char own[ASK_KEY];
    size_t i, n;
    int added = 0;

    if (task->questions.size)
        asked =
            hf_task_object((haft_slice){task->questions.data, task->questions.size}, call->arena);
    hf_json_begin_object(&w);
    if (asked)
        yyjson_obj_foreach(asked, i, n, key, value)
            hf_json_value(hf_json_name(&w, yyjson_get_str(key), yyjson_get_len(key)), value);
    for (const struct question *q = call->asking.questions; q; q = q->next) {
        if (!q->fresh || q->answer || !ask_key(asked, q, own))
            continue;
        ask_put(&w, own, q);
        added++;
    }
    hf_json_end_object(&w);
    return out->status ? out->status : added;
}

/* The run of this handler has ended; the task is nobody else's. */
void hf_task_ask(struct task *task)
{
    haft_call *call = task->run.call;
    struct tasks *tasks = task->tasks;
    haft_buffer questions;
    int added;

    haft_buffer_init(&questions, tasks->allocator, tasks->options.max_bytes);
    added = ask_collect(task, &questions);
    if (added <= 0 || task->record.rounds >= TASK_MAX_ROUNDS) {
        haft_buffer_finish(&questions);
        if (!added)
            haft_log(call, HAFT_ERROR, "the handler returned HAFT_AGAIN without asking for input");
        hf_task_fail(task, RPC_INTERNAL_ERROR, "Internal error: %s",
                     added < 0    ? haft_strerror(added)
                     : added == 0 ? "the tool did not ask for input"
                                  : "the tool asked for input too often");
        return;
    }
    hf_tasks_lock(tasks);
    haft_buffer_clear(&task->state_text);
    if (call->asking.state)
        haft_buffer_add(&task->state_text, call->asking.state, strlen(call->asking.state) + 1);
    haft_buffer_finish(&task->questions);
    task->questions = questions;
    if (!task_is_over(task->record.state) && !task_is_left(task)) {
        task->record.state = TASK_INPUT;
        task->writing.mark = MARK_NONE;
        task->record.rounds++;
        task->place = PLACE_ASKING;
        task->writing.dirty = true;
    }
    hf_tasks_unlock(tasks);
}

/* ---- answers ---- */

struct ask_check {
    struct task_io io;
    haft_arena *arena;
    struct task *task; /* has a user */
};

enum { CHECK_TASK, CHECK_ANSWERS, CHECK_CANCEL };

static void ask_check_free(struct ask_check *check)
{
    const haft_allocator *allocator = check->task->tasks->allocator;
    struct task *task = check->task;

    haft_arena_free(check->arena);
    allocator->release(allocator->context, check, sizeof *check);
    hf_task_unpin(task);
}

/* Whether the record that was read has the questions of this process' latest round, and all have answers; with the
 * lock held. The round decides, not the version: a renewal of the lease is often under way at the same time. */
static bool ask_is_answered(struct ask_check *check)
{
    struct task *task = check->task;
    struct task_record record;

    if (task->place != PLACE_ASKING || task_is_left(task) ||
        hf_task_record_read(check->io.ops[CHECK_TASK].ret_value, check->arena, &record) ||
        record.rounds != task->record.rounds)
        return false;
    if (check->io.ops[CHECK_ANSWERS].status == 1)
        record.answers = hf_task_object(check->io.ops[CHECK_ANSWERS].ret_value, check->arena);
    return hf_task_seen_state(&record) == TASK_WORKING;
}

static void ask_checked(struct task_io *io)
{
    struct ask_check *check = io->context;
    struct task *task = check->task;
    struct tasks *tasks = task->tasks;
    bool answered = false;

    if (io->request.status > 0 && io->ops[CHECK_CANCEL].status == 1) {
        hf_task_end(task, TASK_CANCELLED, "Cancelled by the client", NULL, 0);
    } else if (io->request.status > 0 && io->ops[CHECK_TASK].status == 1) {
        hf_tasks_lock(tasks);
        answered = ask_is_answered(check);
        if (answered && task->run.call) { /* another user still has the call that asked */
            answered = false;
            task->poked = true;
        }
        if (answered) {
            task->record.state = TASK_WORKING;
            if (!hf_task_needs_mark(task)) /* otherwise when it goes on */
                task->writing.dirty = true;
            task->writing.at = 0;
            hf_task_queue(task);
        }
        hf_tasks_unlock(tasks);
    }
    if (answered) {
        hf_task_flush(task);
        hf_tasks_wake_worker(tasks);
    }
    ask_check_free(check);
}

void hf_task_check(struct tasks *tasks, const char *id)
{
    const haft_allocator *allocator = tasks->allocator;
    struct ask_check *check = allocator->alloc(allocator->context, sizeof *check);
    struct task *task;

    hf_tasks_lock(tasks);
    task = hf_task_find(tasks, id);
    if (task && check)
        task_pin(task);
    else if (task)
        task->poked = true; /* tried again by the next tick */
    hf_tasks_unlock(tasks);
    if (!check)
        return;
    if (!task) {
        allocator->release(allocator->context, check, sizeof *check);
        return;
    }
    check->task = task;
    check->arena = haft_arena_new(allocator, ASK_ARENA);
    if (!check->arena) {
        hf_tasks_lock(tasks);
        task->poked = true;
        hf_tasks_unlock(tasks);
        ask_check_free(check);
        return;
    }
    hf_task_io_init(&check->io, tasks, id, check->arena, ask_checked, check);
    hf_task_io_add(&check->io, HAFT_STORE_GET, "task");
    hf_task_io_add(&check->io, HAFT_STORE_GET, "answers");
    hf_task_io_add(&check->io, HAFT_STORE_GET, "cancel");
    hf_task_io_submit(&check->io);
}
