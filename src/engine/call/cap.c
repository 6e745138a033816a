/* cap.c - limits the concurrent calls of a tool and queues the others.
 *
 * All sessions share one queue, under the server's lock. A free slot is handed to the first call in
 * the queue: it is counted as running from then on, although its session starts it later, on its own
 * thread. */
#include "engine/call/cap.h"

int hf_cap_enter(haft_call *call)
{
    struct cap *cap = call->item->cap;
    int status = HAFT_EBUSY;

    hf_server_lock(call->server);
    if (cap->running < cap->max_running) {
        cap->running++;
        call->line.running = true;
        status = 1;
    } else if (cap->n_waiting < cap->max_waiting) {
        call->line.behind = NULL;
        atomic_store(&call->line.turn, false);
        if (cap->last)
            cap->last->line.behind = call;
        else
            cap->first = call;
        cap->last = call;
        cap->n_waiting++;
        call->owner->n_queued++;
        status = 0;
    }
    hf_server_unlock(call->server);
    return status;
}

/* Passes a free slot on, with the lock held. Sessions leave the queue before they are freed, so the
 * first call's session exists. */
static void pass_on(struct cap *cap)
{
    haft_call *next = cap->first;

    if (!next) {
        cap->running--;
        return;
    }
    cap->first = next->line.behind;
    if (!cap->first)
        cap->last = NULL;
    cap->n_waiting--;
    atomic_store(&next->line.turn, true);
    hf_owner_wake(next->owner);
}

void hf_cap_leave(haft_call *call)
{
    call->line.running = false;
    hf_server_lock(call->server);
    pass_on(call->item->cap);
    hf_server_unlock(call->server);
}

static void leave_line(struct cap *cap, haft_call *call)
{
    haft_call *before = NULL, **link = &cap->first;

    while (*link != call) {
        before = *link;
        link = &before->line.behind;
    }
    *link = call->line.behind;
    if (cap->last == call)
        cap->last = before;
    cap->n_waiting--;
}

void hf_cap_withdraw(haft_call *call)
{
    hf_server_lock(call->server);
    if (atomic_load(&call->line.turn))
        pass_on(call->item->cap);
    else
        leave_line(call->item->cap, call);
    hf_server_unlock(call->server);
    call->owner->n_queued--;
}

bool hf_cap_has_turn(haft_call *call)
{
    if (!atomic_load(&call->line.turn))
        return false;
    call->line.running = true;
    call->owner->n_queued--;
    return true;
}
