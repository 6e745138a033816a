/* loop.c - one clock, wake-up, mailbox, timer and thread pool for each libuv loop.
 *
 * Events arrive in three ways: through a handle of the owner, the wake-up, or the timer. Before the
 * loop sleeps, the tick of an owner with events is called once and returns when it must be called
 * next. */
#include "loop/loop.h"

#include <time.h>

enum { MAX_NOTICES = 1024, NO_TIMER = -1, HANDLES = 3 };

/* ---- the haft_loop interface ---- */

static int loop_on_run(void *context, haft_call *call)
{
    struct loop *loop = context;

    call->posts.errand = (haft_posted){.call = call, .ran = true};
    return hf_pool_add(&loop->pool, &call->posts.errand);
}

/* Messages are not delivered in the middle of another callback. */
static void loop_on_post(void *context, haft_posted *posted)
{
    struct loop *loop = context;
    uv_thread_t self = uv_thread_self();

    if (!posted->ran && uv_thread_equal(&self, &loop->thread))
        haft_session_deliver(session_of(posted->call), posted);
    else
        hf_mailbox_put(&loop->mailbox, posted);
}

static void loop_on_wake(void *context)
{
    struct loop *loop = context;

    atomic_store(&loop->asked, true);
    uv_async_send(&loop->wakeup);
}

static int loop_on_random(void *context, void *bytes, size_t size)
{
    (void)context;
    return uv_random(NULL, NULL, bytes, size, 0, NULL) ? HAFT_EBUSY : 0;
}

/* ---- the wake-up ---- */

void hf_loop_wake(struct loop *loop)
{
    uv_async_send(&loop->wakeup);
}

void hf_loop_deliver(struct loop *loop)
{
    while (!loop->paused) {
        haft_posted *posted;

        if (!loop->mail)
            loop->mail = hf_mailbox_take(&loop->mailbox);
        posted = loop->mail;
        if (!posted)
            return;
        /* It is freed by the delivery. */
        loop->mail = posted->next;
        if (posted->ran)
            haft_call_done(posted->call);
        else
            haft_session_deliver(session_of(posted->call), posted);
    }
}

static void loop_on_wakeup(uv_async_t *handle)
{
    struct loop *loop = handle->data;

    hf_loop_deliver(loop);
    loop->events->woken(loop->context, atomic_exchange(&loop->asked, false));
}

void hf_loop_pause(struct loop *loop, bool paused)
{
    if (loop->paused == paused)
        return;
    loop->paused = paused;
    /* The wake-ups of messages that arrived while paused had no effect. */
    if (!paused)
        uv_async_send(&loop->wakeup);
}

/* ---- time ---- */

static void loop_start_clock(struct loop *loop)
{
    struct timespec now = {0, 0};

    clock_gettime(CLOCK_REALTIME, &now);
    loop->epoch = (haft_time)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    uv_update_time(loop->uv);
    loop->started = uv_now(loop->uv);
}

static void loop_on_timer(uv_timer_t *handle)
{
    struct loop *loop = handle->data;

    loop->timer_at = NO_TIMER;
    loop->stirred = true;
}

void hf_loop_set_timer(struct loop *loop, haft_time at)
{
    haft_time now = loop_now(loop);

    /* An early timer does no harm: it sets the next. */
    if (at < 0 || (loop->timer_at != NO_TIMER && loop->timer_at <= at))
        return;
    loop->timer_at = at;
    uv_timer_start(&loop->timer, loop_on_timer, at > now ? (uint64_t)(at - now) : 0, 0);
}

static void loop_on_prepare(uv_prepare_t *handle)
{
    struct loop *loop = handle->data;

    if (loop->stirred) {
        loop->stirred = false;
        hf_loop_set_timer(loop, loop->events->tick(loop->context, loop_now(loop)));
    }
    loop->events->before_sleep(loop->context);
}

/* ---- life ---- */

static void loop_run_call(void *context, haft_posted *job)
{
    (void)context;
    /* A call cancelled in the queue has no client waiting. */
    if (!haft_call_cancelled(job->call))
        haft_call_run(job->call);
}

static void loop_return_call(void *context, haft_posted *job)
{
    hf_mailbox_put(context, job);
}

int hf_loop_init(struct loop *loop, uv_loop_t *uv, const haft_allocator *allocator,
                 unsigned workers, size_t max_queue, const struct loop_events *events,
                 void *context)
{
    static const struct pool_kind calls = {loop_run_call, loop_return_call};
    int status;

    *loop = (struct loop){.uv = uv, .events = events, .context = context, .timer_at = NO_TIMER};
    loop->interface = (haft_loop)HAFT_INIT(haft_loop, loop_on_run, loop_on_post, loop_on_wake,
                                           loop_on_random, .context = loop);
    hf_loop_adopt(loop);
    loop_start_clock(loop);
    status = hf_mailbox_init(&loop->mailbox, MAX_NOTICES, &loop->wakeup);
    if (status)
        return status;
    status = hf_pool_init(&loop->pool, allocator, workers, max_queue, &calls, &loop->mailbox);
    if (status)
        goto no_pool;
    status = HAFT_EBUSY;
    if (uv_async_init(uv, &loop->wakeup, loop_on_wakeup))
        goto no_wakeup;
    uv_timer_init(uv, &loop->timer);
    uv_prepare_init(uv, &loop->prepare);
    loop->wakeup.data = loop->timer.data = loop->prepare.data = loop;
    loop->open_handles = HANDLES;
    uv_prepare_start(&loop->prepare, loop_on_prepare);
    return 0;

no_wakeup:
    hf_pool_finish(&loop->pool);
no_pool:
    hf_mailbox_finish(&loop->mailbox);
    return status;
}

void hf_loop_adopt(struct loop *loop)
{
    loop->thread = uv_thread_self();
}

void hf_loop_give_up(struct loop *loop)
{
    hf_mailbox_close(&loop->mailbox);
    hf_pool_give_up(&loop->pool);
}

void hf_loop_join(struct loop *loop)
{
    hf_pool_finish(&loop->pool);
}

static void loop_on_handle_closed(uv_handle_t *handle)
{
    struct loop *loop = handle->data;

    if (!--loop->open_handles && loop->closed)
        loop->closed(loop->context);
}

void hf_loop_close(struct loop *loop, void (*closed)(void *context))
{
    loop->closed = closed;
    uv_close((uv_handle_t *)&loop->wakeup, loop_on_handle_closed);
    uv_close((uv_handle_t *)&loop->timer, loop_on_handle_closed);
    uv_close((uv_handle_t *)&loop->prepare, loop_on_handle_closed);
}

void hf_loop_finish(struct loop *loop)
{
    hf_mailbox_finish(&loop->mailbox);
}
