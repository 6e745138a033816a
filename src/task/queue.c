/* queue.c - the order in which tasks run.
 *
 * A task whose call has been read from the store runs before those that must be read first. The handler of a tool with
 * HAFT_TASK_FAIL begins only when the store knows it: the task is taken off the queue, marked, and queued again. No more
 * tasks are marked than there are threads to run them, because a marked task fails if the process dies. */
#include "task/task.h"

enum {
    QUEUE_LOADS = 64 /* tasks that are read from the store, or have been and wait for a mark */
};

/* ---- lists ---- */

static void queue_init(struct task_queue *queue)
{
    queue->last = &queue->first;
}

static void queue_link(struct task **link, struct task_queue *queue, struct task *task)
{
    task->behind = *link;
    task->link = link;
    *link = task;
    if (task->behind)
        task->behind->link = &task->behind;
    else
        queue->last = &task->behind;
}

static void queue_unlink(struct task_queue *queue, struct task *task)
{
    *task->link = task->behind;
    if (task->behind)
        task->behind->link = task->link;
    else
        queue->last = task->link;
    task->behind = NULL;
    task->link = NULL;
}

void hf_task_queues_init(struct tasks *tasks)
{
    queue_init(&tasks->schedule.ready);
    queue_init(&tasks->schedule.unmarked);
}

/* ---- marks ---- */

bool hf_task_needs_mark(const struct task *task)
{
    return task->record.crash == HAFT_TASK_FAIL && task->writing.mark == MARK_NONE &&
           !task_is_over(task->record.state) && !task_is_left(task);
}

/* Whether a task that is marked now would find a thread. */
static bool queue_may_mark(const struct tasks *tasks)
{
    return tasks->schedule.n_marking + tasks->schedule.n_busy < tasks->options.workers;
}

bool hf_task_resume(struct task *task)
{
    if (task->place != PLACE_MARKING || task->writing.mark != MARK_KEPT)
        return false;
    hf_task_queue(task);
    return true;
}

/* ---- the queue ---- */

void hf_task_queue(struct task *task)
{
    struct tasks *tasks = task->tasks;
    struct task_queue *ready = &tasks->schedule.ready;

    task->place = PLACE_QUEUED;
    tasks->n_queued++;
    queue_link(task->run.loaded ? &ready->first : ready->last, ready, task);
}

/* Waits until there is a thread for it. */
static void queue_set_aside(struct tasks *tasks, struct task *task)
{
    struct task_schedule *schedule = &tasks->schedule;

    queue_unlink(&schedule->ready, task);
    queue_link(schedule->unmarked.last, &schedule->unmarked, task);
    task->run.aside = true;
    schedule->n_unmarked++;
}

bool hf_task_unqueue(struct task *task)
{
    struct task_schedule *schedule = &task->tasks->schedule;

    if (!task->link)
        return false;
    queue_unlink(task->run.aside ? &schedule->unmarked : &schedule->ready, task);
    schedule->n_unmarked -= task->run.aside;
    task->run.aside = false;
    task->tasks->n_queued--;
    return true;
}

struct task *hf_task_dequeue(struct tasks *tasks)
{
    const struct task_schedule *schedule = &tasks->schedule;
    bool may_mark = queue_may_mark(tasks);
    struct task *task = schedule->unmarked.first;

    if (!task || (!may_mark && hf_task_needs_mark(task)))
        while ((task = schedule->ready.first) && task->run.loaded && !may_mark &&
               hf_task_needs_mark(task))
            queue_set_aside(tasks, task);
    if (!task || (!task->run.loaded && schedule->n_loading + schedule->n_unmarked >= QUEUE_LOADS))
        return NULL;
    hf_task_unqueue(task);
    return task;
}
