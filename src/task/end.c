/* end.c - the end of a task, and of what this process has to do with it. */
#include <stdarg.h>
#include <stdio.h>

#include "task/task.h"

enum { END_TEXT = 1024 };

void hf_task_end(struct task *task, enum task_state state, const char *message, const char *outcome,
                 size_t size)
{
    struct tasks *tasks = task->tasks;
    haft_call *call;
    bool first;

    hf_tasks_lock(tasks);
    first = task->place != PLACE_NEW && !task_is_over(task->record.state) && !task_is_left(task);
    task->poked = task->poked || task->place == PLACE_NEW; /* read when this process has it */
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
    hf_task_drop_queued(task);
    hf_task_unpin(task);
}

void hf_task_fail(struct task *task, int code, const char *format, ...)
{
    char text[END_TEXT], room[END_TEXT * JSON_ESCAPED + 64];
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

/* Whether it may be given up, with the lock held: not if its handler ends, and records that itself, nor if a handler runs
 * that must not run again. */
static bool end_may_give_up(const struct task *task)
{
    return !task_is_left(task) && !task_is_over(task->record.state) && !task->run.ending &&
           !(task->place == PLACE_RUNNING && task->record.crash == HAFT_TASK_FAIL);
}

bool hf_task_give_up(struct task *task)
{
    bool gives_up;

    hf_tasks_lock(task->tasks);
    gives_up = end_may_give_up(task);
    if (gives_up) {
        task->writing.leaves = true;
        if (task->writing.mark != MARK_NONE && task->place != PLACE_RUNNING) {
            task->writing.mark = MARK_NONE; /* the next process runs it */
            task->writing.dirty = true;
        }
    }
    hf_tasks_unlock(task->tasks);
    hf_task_flush(task);
    return gives_up;
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
