/* renewal.c - one program at a time uses a refresh token.
 *
 * Programs that share a token file would otherwise use the same refresh token at the same instant, which
 * an authorization server with rotation takes for theft: it ends the login. A program holds the lock from
 * reading the store until it has saved what it got; the next one then finds a new token. The lock is a
 * file beside the store, which is never removed; the system releases it if a program dies. */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "auth/client/flow.h"

enum {
    RENEWAL_PAUSE_MS = 20,
    RENEWAL_WAIT_MS = 45000 /* longer than the requests of a renewal can take */
};

struct renewal_timer {
    uv_timer_t handle; /* the first member */
    struct oauth_flow *flow;
    const haft_allocator *allocator;
};

static void renewal_timer_closed(uv_handle_t *handle)
{
    struct renewal_timer *timer = (struct renewal_timer *)handle;

    timer->allocator->release(timer->allocator->context, timer, sizeof *timer);
}

static void renewal_stop_timer(struct flow_renewal *renewal)
{
    if (renewal->timer)
        uv_close((uv_handle_t *)renewal->timer, renewal_timer_closed);
    renewal->timer = NULL;
}

/* Returns 1 with the lock, 0 if another program has it. Without a file that can be locked there is
 * nothing to wait for. */
static int renewal_try(struct oauth_flow *flow)
{
    const char *file = flow->oauth->store.file;
    struct flow_renewal *renewal = &flow->renewal;
    const char *name;

    if (!file)
        return 1;
    if (renewal->lock < 0) {
        name = haft_arena_printf(flow->arena, "%s.renew", file);
        if (!name)
            return hf_flow_no_memory(flow);
        renewal->lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    }
    if (renewal->lock < 0 || !flock(renewal->lock, LOCK_EX | LOCK_NB))
        return 1;
    return errno != EWOULDBLOCK && errno != EINTR;
}

static int renewal_step(struct oauth_flow *flow)
{
    struct flow_renewal *renewal = &flow->renewal;
    int status = renewal_try(flow);

    if (!status && uv_now(flow->loop.uv) < renewal->until)
        return HAFT_PENDING;
    renewal_stop_timer(renewal);
    if (!status)
        return hf_flow_refuse(
            flow, HAFT_EBUSY,
            "another program has been renewing the token for %d seconds; its lock "
            "is %.200s.renew",
            RENEWAL_WAIT_MS / 1000, flow->oauth->store.file);
    return status < 0 ? status : renewal->next(flow);
}

static void renewal_timer_fired(uv_timer_t *handle)
{
    hf_flow_run(((struct renewal_timer *)handle)->flow, renewal_step);
}

int hf_renewal_begin(struct oauth_flow *flow, flow_step *next)
{
    const haft_allocator *allocator = flow->oauth->memory;
    struct renewal_timer *timer;
    int status = renewal_try(flow);

    if (status)
        return status < 0 ? status : next(flow);
    timer = allocator->alloc(allocator->context, sizeof *timer);
    if (!timer)
        return hf_flow_no_memory(flow);
    timer->flow = flow;
    timer->allocator = allocator;
    uv_timer_init(flow->loop.uv, &timer->handle);
    flow->renewal.timer = &timer->handle;
    flow->renewal.next = next;
    flow->renewal.until = uv_now(flow->loop.uv) + RENEWAL_WAIT_MS;
    uv_timer_start(&timer->handle, renewal_timer_fired, RENEWAL_PAUSE_MS, RENEWAL_PAUSE_MS);
    return HAFT_PENDING;
}

void hf_renewal_end(struct oauth_flow *flow)
{
    renewal_stop_timer(&flow->renewal);
    if (flow->renewal.lock >= 0)
        close(flow->renewal.lock);
    flow->renewal.lock = -1;
}
