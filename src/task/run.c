/* run.c - the queue of tasks, and their runs.
 *
 * A run reads the task from the store, calls the handler on a thread for tasks, and ends with the
 * outcome, with questions, or, if the handler returned HAFT_PENDING, on the thread that calls
 * haft_finish. */
#include "engine/call/cap.h"
#include "engine/call/respond.h"
#include "engine/call/stage.h"
#include "engine/call/tool_call.h"
#include "task/task.h"

enum { RUN_ACTIVE, RUN_RETURNED, RUN_FINISHED };
enum { RUN_HEAD = 128 };

/* ---- the queue ---- */

/* The first of the queue that has not ended meanwhile, which gets a user; with the lock held. NULL if there is none for
 * this thread. */
static struct task *run_next(struct tasks *tasks)
{
    struct task *task;

    while ((task = hf_task_dequeue(tasks))) {
        task_pin(task);
        if (task->run.call || (!task_is_over(task->record.state) && !task->writing.lost))
            return task;
        task->place = PLACE_NONE;
        hf_tasks_unlock(tasks);
        hf_task_flush(task);
        hf_task_unpin(task);
        hf_tasks_lock(tasks);
    }
    return NULL;
}

/* ---- the end of a run ---- */

struct run_capture {
    struct task *task;
    bool sent;
};

/* The size of a response before its result or error. */
static size_t run_skip(haft_call *call, int error_code)
{
    char room[RUN_HEAD];
    haft_buffer head = {.data = room, .capacity = sizeof room, .limit = sizeof room - 1};
    struct json_writer w = {.out = &head};

    hf_rpc_begin_response(&w, call->request.id);
    if (error_code)
        json_key(&w, "error");
    else
        json_key(&w, "result");
    return head.size;
}

/* Takes the response that the engine has written: {"jsonrpc":"2.0","id":...,"result":{...}}, or an
 * error. */
static void run_take(void *context, const haft_outgoing *message)
{
    struct run_capture *capture = context;
    size_t skipped = run_skip(capture->task->run.call, message->error_code);

    if (capture->sent || skipped >= message->size)
        return;
    capture->sent = true;
    if (message->size - skipped - 1 > capture->task->tasks->options.max_bytes)
        hf_task_fail(capture->task, RPC_INTERNAL_ERROR,
                     "Internal error: the result of the task exceeds %zu bytes",
                     capture->task->tasks->options.max_bytes);
    else if (message->error_code)
        hf_task_end(capture->task, TASK_FAILED, hf_rpc_error_text(message->error_code),
                    message->text + skipped, message->size - skipped - 1);
    else
        hf_task_end(capture->task, TASK_COMPLETED, NULL, message->text + skipped,
                    message->size - skipped - 1);
}

/* Writes the result in the way of every response, and keeps it. */
static void run_complete(struct task *task, int status)
{
    haft_call *call = task->run.call;
    struct owner *owner = call->owner;
    struct run_capture capture = {.task = task};
    yyjson_val one = {.tag = YYJSON_TYPE_NUM | YYJSON_SUBTYPE_UINT, .uni.u64 = 1};

    call->status = status;
    call->request.id = &one; /* that of the client can be of any size */
    owner->transport = (haft_transport){.send = run_take, .context = &capture};
    haft_buffer_init(&owner->out, owner->allocator, task->tasks->options.max_bytes + SPARE_BYTES);
    if (call->error.code)
        hf_respond_error(call, call->error.code, call->error.message, call->error.data);
    else
        hf_complete_tool(call);
    haft_buffer_finish(&owner->out);
    owner->transport = (haft_transport){.send = NULL};
    if (!capture.sent)
        hf_task_fail(task, RPC_INTERNAL_ERROR, "Internal error");
}

/* How the run ended, for stages. */
static haft_outcome run_outcome(struct task *task, int status)
{
    haft_call *call = task->run.call;
    enum task_state state;

    hf_tasks_lock(task->tasks);
    state = task->record.state;
    hf_tasks_unlock(task->tasks);
    if (status == CALL_LATE ||
        (state == TASK_FAILED && hf_tasks_now(task->tasks) >= task->run.deadline))
        return HAFT_OUTCOME_TIMED_OUT;
    if (state == TASK_CANCELLED || haft_call_cancelled(call))
        return HAFT_OUTCOME_CANCELLED;
    return status == HAFT_AGAIN    ? HAFT_OUTCOME_INPUT
           : status                ? HAFT_OUTCOME_FAILED
           : call->result.is_error ? HAFT_OUTCOME_ERROR
                                   : HAFT_OUTCOME_OK;
}

/* Lets stages see the run, and change its result, as at the end of any call. */
static haft_outcome run_conclude(struct task *task, int *status)
{
    haft_call *call = task->run.call;
    haft_outcome outcome;

    if (!*status && !call->result.checked && !haft_call_cancelled(call)) {
        *status = hf_tool_check(call);
        call->result.checked = !*status;
    }
    outcome = run_outcome(task, *status);
    call->owner->now = hf_tasks_now(task->tasks);
    hf_stages_after(call, outcome);
    return outcome;
}

/* The handler has finished with the status. Releases its user. */
static void run_over(struct task *task, int status)
{
    haft_call *call = task->run.call;
    struct tasks *tasks = task->tasks;
    haft_outcome outcome;

    if (call->line.running)
        hf_cap_leave(call);
    outcome = run_conclude(task, &status);
    hf_tasks_lock(tasks);
    task->place = PLACE_NONE;
    task->run.ending++;
    hf_tasks_unlock(tasks);
    if (outcome == HAFT_OUTCOME_INPUT)
        hf_task_ask(task);
    else if (status == CALL_LATE)
        hf_task_fail(task, RPC_INTERNAL_ERROR, "The task exceeded its time limit of %u ms",
                     call->time.allowed_ms);
    else if (outcome == HAFT_OUTCOME_CANCELLED || outcome == HAFT_OUTCOME_TIMED_OUT)
        hf_task_fail(task, RPC_INTERNAL_ERROR, "The task was cancelled"); /* if it has not ended */
    else
        run_complete(task, status);
    hf_tasks_lock(tasks);
    tasks->n_running--;
    task->run.ending--;
    hf_tasks_unlock(tasks);
    if (tasks->stopping) /* the task has asked; hf_tasks_stop may have passed it by */
        hf_task_give_up(task);
    hf_task_flush(task);
    hf_task_unpin(task);
}

/* A pending handler has finished, or the turn of a queued call has come: then with the server's lock
 * held. */
static void run_finished(void *context, int status)
{
    struct task *task = context;
    struct tasks *tasks = task->tasks;
    int active = RUN_ACTIVE;

    if (task->run.in_line) {
        hf_tasks_lock(tasks);
        hf_task_queue(task);
        hf_tasks_unlock(tasks);
        hf_tasks_wake_worker(tasks);
        return;
    }
    task->run.finished = hf_call_understand(task->run.call, status);
    if (!atomic_compare_exchange_strong(&task->run.phase, &active, RUN_FINISHED))
        run_over(task, task->run.finished);
}

/* ---- a run ---- */

static void run_handler(struct task *task)
{
    haft_call *call = task->run.call;
    int active = RUN_ACTIVE, status;

    atomic_store(&task->run.phase, RUN_ACTIVE);
    if (call->time.started)
        call->time.started = call->server->options.clock();
    status = call->item->isolate ? hf_inner_run(call) : hf_tool_execute(call);
    if (status == HAFT_PENDING) {
        if (atomic_compare_exchange_strong(&task->run.phase, &active, RUN_RETURNED))
            return; /* the task may be gone */
        status = task->run.finished;
    } else {
        hf_call_uncancel(call);
    }
    run_over(task, status);
}

/* Takes a slot of a tool that limits its running calls. Returns whether the handler runs now. */
static bool run_enter(struct task *task)
{
    haft_call *call = task->run.call;
    struct tasks *tasks = task->tasks;
    int status;

    if (!call->item->cap || call->line.running)
        return true;
    if (task->run.in_line) {
        task->run.in_line = false;
        return hf_cap_has_turn(call);
    }
    task->run.in_line = true; /* its turn may come before this returns */
    hf_inner_on_finish(call, run_finished, task);
    status = hf_cap_enter(call);
    if (!status)
        return false;
    task->run.in_line = false;
    if (status > 0)
        return true;
    hf_tasks_lock(tasks);
    task->place = PLACE_HELD;
    hf_tasks_unlock(tasks);
    return false;
}

/* Has the store know that the handler begins, if its tool wants to run at most once. Returns whether it can begin;
 * otherwise the task is queued again when it can. No thread waits for that. */
static bool run_mark(struct task *task)
{
    struct tasks *tasks = task->tasks;
    bool needs, waits;

    hf_tasks_lock(tasks);
    needs = hf_task_needs_mark(task);
    if (needs) {
        task->record.began = true;
        task->writing.mark = MARK_WANTED;
        task->writing.dirty = true;
        task->writing.at = 0;
        task->run.marking = true;
        tasks->schedule.n_marking++;
    }
    hf_tasks_unlock(tasks);
    if (!needs)
        return true;
    hf_task_flush(task);
    hf_tasks_lock(tasks);
    waits =
        task->writing.mark != MARK_KEPT && !task_is_over(task->record.state) && !task_is_left(task);
    if (waits)
        task->place = PLACE_MARKING;
    hf_tasks_unlock(tasks);
    return !waits;
}

static void run_begin(struct task *task)
{
    struct tasks *tasks = task->tasks;
    bool over;

    if (!run_enter(task) || !run_mark(task))
        return;
    hf_inner_on_finish(task->run.call, run_finished, task);
    hf_tasks_lock(tasks);
    over = task_is_over(task->record.state) || task_is_left(task);
    task->place = PLACE_RUNNING;
    tasks->n_running++;
    tasks->schedule.n_busy++;
    tasks->schedule.n_marking -= task->run.marking;
    task->run.marking = false;
    if (!task->record.began && !over) {
        task->record.began = true;
        task->writing.dirty = true;
    }
    hf_tasks_unlock(tasks);
    if (over) {
        run_over(task, HAFT_ECANCELLED);
    } else {
        hf_task_flush(task);
        run_handler(task);
    }
    hf_tasks_lock(tasks);
    tasks->schedule.n_busy--;
    hf_tasks_unlock(tasks);
}

/* The store does not answer for the moment: the task stays with its call, and is queued again by the next tick. */
static void run_hold(struct task *task, int status)
{
    struct tasks *tasks = task->tasks;
    bool first = !task->run.tries++;

    if (first)
        hf_server_log(tasks->server, HAFT_WARNING, "cannot read task %s: %s; trying again",
                      task->record.id, haft_strerror(status));
    hf_tasks_lock(tasks);
    task->place = PLACE_HELD;
    tasks->schedule.n_loading--;
    hf_tasks_unlock(tasks);
}

/* The store has answered, on any thread: the task is queued again, now with its call. */
static void run_loaded(struct task_io *io)
{
    struct task *task = io->context;
    struct tasks *tasks = task->tasks;
    const char *text = NULL;
    int code, status;

    if (io->request.status < 0) {
        run_hold(task, io->request.status);
        return;
    }
    status = hf_task_call_new(task, io, &text, &code);
    if (status == 0) {
        hf_tasks_lock(tasks);
        task->run.loaded = true;
        task->run.tries = 0;
        tasks->schedule.n_loading--;
        hf_task_queue(task);
        task_pin(task);
        hf_tasks_unlock(tasks);
        if (hf_task_load_is_cancelled(io)) /* perhaps by another process */
            hf_task_end(task, TASK_CANCELLED, "Cancelled by the client", NULL, 0);
        hf_tasks_wake_worker(tasks);
        hf_task_drop_queued(task); /* it may have ended meanwhile */
        hf_task_unpin(task);
        return; /* the queue has the user */
    }
    hf_tasks_lock(tasks);
    task->place = PLACE_NONE;
    tasks->schedule.n_loading--;
    hf_tasks_unlock(tasks);
    hf_task_fail(task, text ? code : RPC_INTERNAL_ERROR, "%s", text ? text : "Out of memory");
    hf_task_unpin(task);
    hf_tasks_wake_worker(tasks); /* another one can be read */
}

/* Ends a run that has not begun. */
static void run_abandon(struct task *task)
{
    hf_tasks_lock(task->tasks);
    task->place = PLACE_NONE;
    hf_tasks_unlock(task->tasks);
    hf_task_flush(task);
    hf_task_unpin(task);
}

/* `held` is the call of a try that failed; NULL if this is the first one. */
static void run_load(struct task *task, haft_call *held, haft_time now)
{
    struct tasks *tasks = task->tasks;
    haft_call *call = held ? held : hf_inner_new(tasks->server, NULL, now);
    struct task_io *io = &task->run.io;

    if (!call) {
        hf_task_fail(task, RPC_INTERNAL_ERROR, "Out of memory");
        run_abandon(task);
        return;
    }
    haft_arena_reset(call->arena); /* of what the try before has read */
    hf_tasks_lock(tasks);
    task->run.call = call;
    task->place = PLACE_LOADING;
    tasks->schedule.n_loading++;
    hf_tasks_unlock(tasks);
    hf_task_io_init(io, tasks, task->record.id, call->arena, run_loaded, task);
    hf_task_io_add(io, HAFT_STORE_GET, "call");
    hf_task_io_add(io, HAFT_STORE_GET, "task");
    hf_task_io_add(io, HAFT_STORE_GET, "answers");
    hf_task_io_add(io, HAFT_STORE_GET, "saved");
    hf_task_io_add(io, HAFT_STORE_GET, "cancel");
    hf_task_io_submit(io);
}

void hf_task_drop_queued(struct task *task)
{
    struct tasks *tasks = task->tasks;
    haft_call *call;
    bool queued, marking;

    hf_tasks_lock(tasks);
    queued = (task_is_over(task->record.state) || task->writing.lost) &&
             (hf_task_unqueue(task) || task->place == PLACE_MARKING || task->place == PLACE_HELD);
    call = task->run.call;
    marking = queued && task->run.marking;
    if (queued)
        task->place = PLACE_NONE;
    if (marking) {
        tasks->schedule.n_marking--;
        task->run.marking = false;
    }
    hf_tasks_unlock(tasks);
    if (marking)
        hf_tasks_wake_worker(tasks); /* another one can be marked */
    if (!queued || !call)
        return; /* the caller has a user */
    if (task->run.in_line)
        hf_cap_has_turn(call);
    task->run.in_line = false;
    if (call->line.running)
        hf_cap_leave(call);
    hf_task_unpin(task); /* that of the call */
}

bool hf_tasks_run_one(struct tasks *tasks, haft_time now)
{
    struct task *task;
    haft_call *call;
    bool loaded, over;

    if (now > atomic_load(&tasks->now))
        atomic_store(&tasks->now, now);
    hf_tasks_lock(tasks);
    task = tasks->stopping ? NULL : run_next(tasks);
    call = task ? task->run.call : NULL;
    loaded = call && task->run.loaded;
    over = task && (task_is_over(task->record.state) || task_is_left(task));
    hf_tasks_unlock(tasks);
    if (!task)
        return false;
    if (call)
        hf_task_unpin(task); /* the user of the queue; that of the call remains */
    if (loaded)
        run_begin(task);
    else if (over)
        run_abandon(task);
    else
        run_load(task, call, now);
    return true;
}
