/* call.c - the life of a call: taken from the spare ones, run here or on another thread, answered
 * once, put back.
 *
 * A call that its client has given up is never answered, but lives until its handler has
 * finished. */
#include "engine/call/call.h"
#include "engine/call/event.h"
#include "engine/call/cap.h"
#include "engine/call/respond.h"
#include "engine/call/tool_call.h"

#include <stddef.h>
#include <string.h>

enum {
    SPARE_CALLS = 16,         /* per session, */
    SPARE_ALL_BYTES = 1 << 20 /* and their total memory */
};

/* ---- memory ---- */

static void call_free(haft_call *call)
{
    const haft_allocator *allocator = call->owner->allocator;

    haft_buffer_finish(&call->structured);
    haft_buffer_finish(&call->result_meta);
    haft_arena_free(call->arena);
    allocator->release(allocator->context, call, sizeof *call);
}

static haft_call *call_make(struct owner *owner)
{
    const haft_allocator *allocator = owner->allocator;
    haft_call *call = allocator->alloc(allocator->context, sizeof *call);
    size_t limit = owner->server->options.max_message;

    if (!call)
        return NULL;
    memset(call, 0, sizeof *call);
    call->owner = owner;
    call->server = owner->server;
    call->arena = haft_arena_new(allocator, CALL_ARENA + limit);
    if (!call->arena) {
        allocator->release(allocator->context, call, sizeof *call);
        return NULL;
    }
    haft_buffer_init(&call->structured, allocator, limit);
    haft_buffer_init(&call->result_meta, allocator, limit);
    return call;
}

void hf_call_clear_result(haft_call *call)
{
    call->content = (struct content){.status = 0};
    haft_buffer_clear(&call->structured);
    haft_buffer_clear(&call->result_meta);
    call->result.is_error = false;
    call->result.checked = call->result.lenient = call->result.passed = false;
    call->error.code = 0;
    call->error.message = call->error.data = NULL;
    call->result.role = call->result.description = NULL;
    call->result.n_values = 0;
}

haft_call *hf_call_new(struct owner *owner)
{
    haft_call *call = owner->spare;

    if (!call)
        return call_make(owner);
    owner->spare = call->next;
    owner->n_spare--;
    owner->spare_bytes -= call->spare_bytes;
    call->next = NULL;
    return call;
}

void hf_call_link(haft_call *call)
{
    struct owner *owner = call->owner;

    call->next = owner->calls;
    call->link.previous = NULL;
    if (call->next)
        call->next->link.previous = call;
    owner->calls = call;
    owner->n_calls++;
    call->link.linked = true;
}

/* A call that will not be answered must not delay the rest of its batch. */
static void leave_batch(haft_call *call)
{
    struct batch *batch = call->request.batch;

    call->request.batch = NULL;
    batch->left--;
    hf_batch_send(call->owner, batch);
}

/* Keeps a call and its memory for reuse; returns false if there are enough. */
static bool keep_spare(haft_call *call)
{
    struct owner *owner = call->owner;
    size_t bytes;

    if (owner->closed || owner->n_spare >= SPARE_CALLS)
        return false;
    hf_arena_trim(call->arena, SPARE_BYTES);
    hf_buffer_trim(&call->structured, SPARE_BYTES);
    hf_buffer_trim(&call->result_meta, SPARE_BYTES);
    bytes = hf_arena_held(call->arena) + call->structured.capacity + call->result_meta.capacity;
    if (bytes > SPARE_ALL_BYTES - owner->spare_bytes)
        return false;
    memset((char *)call + offsetof(haft_call, link), 0, sizeof *call - offsetof(haft_call, link));
    call->spare_bytes = bytes;
    call->next = owner->spare;
    owner->spare = call;
    owner->n_spare++;
    owner->spare_bytes += bytes;
    return true;
}

void hf_call_release(haft_call *call)
{
    if (call->request.batch)
        leave_batch(call);
    if (call->link.linked) {
        if (call->next)
            call->next->link.previous = call->link.previous;
        if (call->link.previous)
            call->link.previous->next = call->next;
        else
            call->owner->calls = call->next;
        call->owner->n_calls--;
    }
    hf_catalogue_drop(call->catalogue);
    if (atomic_load(&call->args.materialized))
        hf_direct_release(call);
    haft_arena_free(call->stages.late.arena);
    if (!keep_spare(call))
        call_free(call);
}

void hf_call_free_spare(struct owner *owner)
{
    while (owner->spare) {
        haft_call *call = owner->spare;

        owner->spare = call->next;
        owner->n_spare--;
        owner->spare_bytes -= call->spare_bytes;
        call_free(call);
    }
}

/* ---- running ---- */

void hf_call_check_move(haft_call *call, enum call_state to)
{
    if (!hf_call_state_may_follow(call->state, to))
        haft_log(call, HAFT_CRITICAL, "invalid transition of a call from \"%s\" to \"%s\"",
                 hf_call_state_name(call->state), hf_call_state_name(to));
}

int hf_call_run_isolated(haft_call *call)
{
    struct isolation *isolation = atomic_load(&call->server->isolation.runner);

    if (isolation)
        return isolation->run(isolation, call);
    haft_log(call, HAFT_ERROR,
             "is isolated, but no process was started for it: call haft_server_isolate first");
    return HAFT_EINVAL;
}

/* Tells the metrics that the call starts or stops waiting for a thread or its turn. */
static void set_queued(haft_call *call, bool queued)
{
    if (call->stages.queued == queued)
        return;
    call->stages.queued = queued;
    if (call->server->metering.observer)
        call->server->metering.observer->queued(call, queued);
}

void haft_call_run(haft_call *call)
{
    /* With a `done` callback, `execute` runs a whole request and handles isolation itself. */
    bool isolated = call->item && call->item->isolate && !call->inner.done;

    if (call->stages.queued)
        set_queued(call, false);
    call->status = isolated ? hf_call_run_isolated(call) : call->handler.execute(call);
    if (call->status != HAFT_PENDING)
        hf_call_uncancel(call);
}

bool hf_call_is_unwanted(haft_call *call)
{
    return call->answered || call->owner->closed || atomic_load(&call->cancelled);
}

void hf_call_conclude(haft_call *call, haft_outcome outcome, void (*answer)(haft_call *call))
{
    struct owner *owner = call->owner;

    if (call->stages.staged)
        hf_stages_after(call, outcome);
    if (!owner->keeps_calls && !hf_call_is_unwanted(call)) {
        if (call->link.linked)
            owner->announce(owner);
        if (answer)
            answer(call);
        else if (call->error.code)
            hf_respond_error(call, call->error.code, call->error.message, call->error.data);
        else
            call->handler.complete(call);
    }
    if (call->stages.reported)
        hf_event_of_end(call);
    if (call->state != CALL_OVER) {
        if (call_is_shared(call)) {
            hf_call_give_up(call);
            return;
        }
        call_move(call, CALL_OVER);
    }
    if (owner->keeps_calls)
        return;
    if (call->link.held) {
        call->link.let_go = true;
        return;
    }
    hf_call_release(call);
    if (owner->closed)
        owner->collect(owner);
}

void hf_call_unanswered(haft_call *call)
{
    if (call->item && call->item->module && call->item->module->unanswered)
        call->item->module->unanswered(call);
}

void hf_call_end(haft_call *call)
{
    haft_outcome outcome = call->stages.outcome;

    if (call->line.running)
        hf_cap_leave(call);
    if (call->status == HAFT_AGAIN && call->asking.begins_task && !hf_call_is_unwanted(call) &&
        call->server->tasks.hooks->take(call->server->tasks.service, call, true))
        return;
    if (call->status == HAFT_AGAIN && !hf_call_is_unwanted(call)) {
        hf_input_ask(call);
        return;
    }
    if (call->status == HAFT_AGAIN && outcome != HAFT_OUTCOME_INPUT)
        hf_call_unanswered(call);
    call_move(call, CALL_OVER);
    if (call->status == CALL_LATE && !hf_call_is_unwanted(call)) {
        hf_call_time_out(call);
        return;
    }
    if (call->stages.staged && !outcome) {
        bool wanted = !atomic_load(&call->cancelled) && !call->owner->closed;

        if (wanted && !call->status && !call->result.checked)
            call->status = hf_tool_check(call);
        outcome = !wanted                 ? HAFT_OUTCOME_CANCELLED
                  : call->status          ? HAFT_OUTCOME_FAILED
                  : call->result.is_error ? HAFT_OUTCOME_ERROR
                  : call->asking.is_task  ? HAFT_OUTCOME_TASK
                                          : HAFT_OUTCOME_OK;
    }
    hf_call_conclude(call, outcome, NULL);
}

/* Ends all waiting of a call, so that it can be concluded. */
static void call_stop_waiting(haft_call *call)
{
    if (call->state == CALL_IN_LINE)
        hf_cap_withdraw(call);
    if (call->state == CALL_ASKING)
        hf_call_unanswered(call);
    if (call->stages.queued)
        set_queued(call, false);
    call_move(call, CALL_OVER);
}

void hf_call_give_up(haft_call *call)
{
    hf_call_cancel(call);
    call->answered = true;
    if (call->request.batch)
        leave_batch(call);
    if (call->state != CALL_IN_LINE && call->state != CALL_ASKING)
        return;
    call_stop_waiting(call);
    hf_call_end(call);
}

static void answer_late(haft_call *call)
{
    hf_respond_timeout(call, call->time.allowed_ms);
}

void hf_call_time_out(haft_call *call)
{
    if (call->state == CALL_HELD)
        haft_log(
            call, HAFT_WARNING,
            "timed out after %u ms; the stage \"%s\" returned 1 (HAFT_PENDING), and haft_continue was not called",
            call->time.allowed_ms, hf_stages_holder(call)->name);
    else
        haft_log(call, HAFT_WARNING, "timed out after %u ms%s", call->time.allowed_ms,
                 call->state != CALL_PENDING ? ""
                 : call->item && call->item->module && call->item->module->foreign
                     ? "; its upstream has not answered"
                     : "; its handler returned 1 (HAFT_PENDING), and haft_finish was not called");
    if (call->state == CALL_ASKING)
        hf_input_withdraw(call, "timed out");
    if (!call_is_shared(call))
        call_stop_waiting(call);
    call->stages.outcome = HAFT_OUTCOME_TIMED_OUT;
    hf_call_conclude(call, HAFT_OUTCOME_TIMED_OUT, answer_late);
}

void hf_call_allow(haft_call *call, unsigned milliseconds)
{
    const struct item *item = call->item;

    if (!milliseconds)
        milliseconds = item && item->calls.timeout_ms
                           ? item->calls.timeout_ms
                           : atomic_load(&call->server->limits.timeout_ms);
    call->time.allowed_ms = milliseconds;
    call->time.deadline = call->owner->now + milliseconds;
    call->time.now = call->owner->now;
    if (call->inner.parent && call->inner.parent->time.deadline &&
        call->inner.parent->time.deadline < call->time.deadline)
        call->time.deadline = call->inner.parent->time.deadline;
}

void haft_call_done(haft_call *call)
{
    if (call->inner.done) {
        call->inner.done(call);
        return;
    }
    if (call->stages.queued)
        set_queued(call, false);
    if (call->status == HAFT_PENDING) {
        call_move(call, CALL_PENDING);
        if (!call->posts.finished)
            return;
        call->status = call->posts.finish.status;
    }
    hf_call_end(call);
}

int hf_call_understand(haft_call *call, int status)
{
    if (!status || status == HAFT_PENDING || status == HAFT_AGAIN || hf_status_is_known(status))
        return status;
    haft_log(call, HAFT_ERROR, "the handler returned %d, which is not a haft status code", status);
    return HAFT_EINVAL;
}

void hf_call_finish(haft_call *call, int status)
{
    status = hf_call_understand(call, status);
    call->posts.finish.status = status;
    call->posts.finished = true;
    if (call->state != CALL_PENDING)
        return;
    call->status = status;
    hf_call_end(call);
}

void hf_call_start(haft_call *call)
{
    struct owner *owner = call->owner;
    const struct item *item = call->item;
    int status = item && item->cap && !call->line.running ? hf_cap_enter(call) : 1;

    if (!status) {
        call_move(call, CALL_IN_LINE);
        set_queued(call, true);
        return;
    }
    if (status < 0) {
        call->status = status;
        hf_call_end(call);
        return;
    }
    call_move(call, CALL_RUNNING);
    call->posts.finished = false;
    if (!owner->loop.run || !item || item->quick) {
        haft_call_run(call);
    } else {
        set_queued(call, true);
        status = owner->loop.run(owner->loop.context, call);
        if (!status)
            return;
        call->status = status;
    }
    haft_call_done(call);
}
