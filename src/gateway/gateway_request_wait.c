/* gateway_request_wait.c - a request that waits for a policy or a handler that returned
 * HAFT_PENDING.
 *
 * This is a rendezvous between two parties: the carrier of the request, which registers a callback,
 * and the one that continues it, on any thread and possibly earlier. The second of them proceeds. A
 * carrier that has run out of time leaves the request to the other party, which then only finishes
 * it. */
#include <string.h>
#include <uv.h>

#include "engine/call/cap.h"
#include "gateway/gateway.h"
#include "engine/call/inner.h"

enum { WAIT_PARKED = 1, WAIT_CONTINUED = 2, WAIT_ABANDONED = 4 };
enum {
    GATEWAY_REQUEST_WAIT_LOOK_MS = 20,
    TURN_MS = 2,
    GATEWAY_REQUEST_WAIT_GRACE_MS = 1000, /* time for a policy to notice the cancellation */
    NANOSECONDS = 1000000
};

void hf_gateway_request_expect(haft_gateway_request *req)
{
    atomic_store(&req->wait, 0);
}

/* Called by haft_continue and haft_finish, on any thread. */
void hf_gateway_request_continued(void *context, int status)
{
    haft_gateway_request *req = context;
    unsigned before;

    req->wait_status = status;
    before = atomic_fetch_or(&req->wait, WAIT_CONTINUED);
    if (before & WAIT_ABANDONED) {
        req->call->inner.parent = NULL; /* it may no longer exist */
        hf_gateway_request_advance(req);
        haft_gateway_request_free(req);
    } else if (before & WAIT_PARKED) {
        req->on_continued(req->carrier);
    }
}

bool hf_gateway_request_park(haft_gateway_request *req, void (*on_continued)(void *carrier),
                             void *carrier)
{
    req->on_continued = on_continued;
    req->carrier = carrier;
    return !(atomic_fetch_or(&req->wait, WAIT_PARKED) & WAIT_CONTINUED);
}

static bool wait_is_continued(haft_gateway_request *req)
{
    return atomic_load(&req->wait) & WAIT_CONTINUED;
}

/* Leaves the queue. If its turn has just come, it has been continued; otherwise nobody will
 * continue it. */
static void gateway_request_leave_line(haft_gateway_request *req)
{
    req->in_line = false;
    hf_cap_withdraw(req->call);
    if (!wait_is_continued(req))
        hf_gateway_request_continued(req, 0);
}

void hf_gateway_request_give_up(haft_gateway_request *req, int status)
{
    haft_call *call = req->call;

    req->given_up = status;
    call->stages.outcome = status == 504 ? HAFT_OUTCOME_TIMED_OUT : HAFT_OUTCOME_CANCELLED;
    hf_call_cancel(call);
    if (req->step != STEP_HANDLER)
        return;
    if (status == 504 && req->in_line)
        haft_log(call, HAFT_WARNING, "timed out after %u ms while it was queued",
                 call->time.allowed_ms);
    else if (status == 504)
        haft_log(
            call, HAFT_WARNING,
            "timed out after %u ms; its handler returned 1 (HAFT_PENDING), and haft_finish was not called",
            call->time.allowed_ms);
    hf_call_conclude(call, call->stages.outcome, NULL);
    if (req->in_line)
        gateway_request_leave_line(req);
}

/* ---- blocking waits ---- */

struct waiter {
    uv_mutex_t lock;
    uv_cond_t over;
    bool continued;
};

static void waiter_wake(void *carrier)
{
    struct waiter *waiter = carrier;

    uv_mutex_lock(&waiter->lock);
    waiter->continued = true;
    uv_cond_signal(&waiter->over);
    uv_mutex_unlock(&waiter->lock);
}

/* Waits until it is continued, cancelled, or late, with the lock held. Returns the status to give
 * up with, 0 if it was continued. */
static int waiter_wait(struct waiter *waiter, const haft_call *call)
{
    int64_t left = haft_call_time_left(call);
    uint64_t end = uv_hrtime() + (uint64_t)(left > 0 ? left : 0) * NANOSECONDS;

    while (!waiter->continued) {
        uint64_t now = uv_hrtime(), slice = (uint64_t)GATEWAY_REQUEST_WAIT_LOOK_MS * NANOSECONDS;

        if (haft_call_time_left(call) == 0 || (left >= 0 && now >= end))
            return 504;
        if (haft_call_cancelled(call))
            return 499;
        if (left >= 0 && end - now < slice)
            slice = end - now;
        uv_cond_timedwait(&waiter->over, &waiter->lock, slice);
    }
    return 0;
}

/* Leaves the request to the party that continues it; returns false if that has happened
 * meanwhile. */
static bool gateway_request_abandon(haft_gateway_request *req, int status)
{
    atomic_fetch_add(&req->owners, 1);
    hf_gateway_request_give_up(req, status);
    if (atomic_fetch_or(&req->wait, WAIT_ABANDONED) & WAIT_CONTINUED) {
        atomic_fetch_sub(&req->owners, 1);
        return false;
    }
    req->abandoned = status;
    hf_inner_detach(req->call);
    return true;
}

/* Waits briefly for a policy that checks haft_call_cancelled, so that it can release its
 * resources. */
static void waiter_indulge(struct waiter *waiter, const haft_gateway_request *req)
{
    uint64_t end = uv_hrtime() + (uint64_t)GATEWAY_REQUEST_WAIT_GRACE_MS * NANOSECONDS, now;

    if (req->step != STEP_INBOUND)
        return;
    hf_call_cancel(req->call);
    while (!waiter->continued && (now = uv_hrtime()) < end)
        uv_cond_timedwait(&waiter->over, &waiter->lock, end - now);
}

/* Polls for its turn, because the turn is given with a lock held, without a wake-up. */
static void gateway_request_wait_in_line(haft_gateway_request *req)
{
    int64_t left = haft_call_time_left(req->call);
    uint64_t end = uv_hrtime() + (uint64_t)(left > 0 ? left : 0) * NANOSECONDS;

    while (!wait_is_continued(req)) {
        bool late = haft_call_time_left(req->call) == 0 || (left >= 0 && uv_hrtime() >= end);

        if (late || haft_call_cancelled(req->call))
            hf_gateway_request_give_up(req, late ? 504 : 499);
        else
            uv_sleep(TURN_MS);
    }
}

/* Returns true if the request can proceed, false if it was abandoned. */
static bool gateway_request_wait(haft_gateway_request *req)
{
    struct waiter waiter = {.continued = false};
    bool goes_on = true;
    int status;

    if (req->in_line) {
        gateway_request_wait_in_line(req);
        return true;
    }
    if (uv_mutex_init(&waiter.lock))
        return !gateway_request_abandon(req, 500);
    if (uv_cond_init(&waiter.over)) {
        uv_mutex_destroy(&waiter.lock);
        return !gateway_request_abandon(req, 500);
    }
    uv_mutex_lock(&waiter.lock);
    if (hf_gateway_request_park(req, waiter_wake, &waiter)) {
        status = waiter_wait(&waiter, req->call);
        if (status)
            waiter_indulge(&waiter, req);
        goes_on = !status || !gateway_request_abandon(req, status);
        while (goes_on && !waiter.continued)
            uv_cond_wait(&waiter.over, &waiter.lock);
    }
    uv_mutex_unlock(&waiter.lock);
    uv_cond_destroy(&waiter.over);
    uv_mutex_destroy(&waiter.lock);
    return goes_on;
}

void hf_gateway_request_run(haft_gateway_request *req)
{
    while (hf_gateway_request_advance(req) == HAFT_PENDING && gateway_request_wait(req))
        ;
}

void haft_gateway_request_run(haft_gateway_request *req)
{
    hf_gateway_request_run(req);
}

/* The handler of an abandoned request may still write to the request's response. */
const haft_response *haft_gateway_request_response(const haft_gateway_request *req)
{
    static const haft_response late = {.status = 504, .body = ""},
                               cancelled = {.status = 499, .body = ""},
                               failed = {.status = 500, .body = ""};

    switch (req->abandoned) {
    case 0:
        return &req->response;
    case 504:
        return &late;
    case 499:
        return &cancelled;
    default:
        return &failed;
    }
}

void haft_gateway_request_free(haft_gateway_request *req)
{
    struct generation *generation = req ? req->generation : NULL;

    if (!req || atomic_fetch_sub(&req->owners, 1) != 1)
        return;
    hf_inner_free(req->call);
    hf_generation_drop(generation);
}
