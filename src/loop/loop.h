/* loop/loop.h - what serves on a libuv loop has besides its own handles: a clock, a wake-up with a
 * mailbox behind it, a timer, and threads for handlers.
 *
 * stdio and every shard of the HTTP server have one.  Sessions and endpoints see it as a haft_loop. */
#ifndef HAFT_SRC_LOOP_H
#define HAFT_SRC_LOOP_H

#include "loop/pool.h"

/* What the owner hears, on the loop's thread. */
struct loop_events {
    /* Somebody rang: what was in the mailbox has been delivered.  `asked`: by haft_loop.wake. */
    void (*woken)(void *context, bool asked);
    /* The time has come, or loop_stir was called.  Returns when to be called next; -1: not before
     * something stirs. */
    haft_time (*tick)(void *context, haft_time now);
    /* The loop is about to look for events, and to sleep when there are none. */
    void (*before_sleep)(void *context);
};

struct loop {
    haft_loop interface; /* for sessions, endpoints and apps */
    uv_loop_t *uv;
    const struct loop_events *events;
    void *context; /* of the events */
    uv_async_t wakeup;
    uv_timer_t timer;
    uv_prepare_t prepare;
    uv_thread_t thread; /* that the loop runs on */
    struct mailbox mailbox;
    struct pool pool;
    haft_posted *mail;  /* taken out of the mailbox, and not delivered yet */
    haft_time epoch;    /* the time of day when the clock was started, */
    uint64_t started;   /* and the loop's time then */
    haft_time timer_at; /* -1 when the timer is not set */
    bool stirred, paused;
    atomic_bool asked;
    unsigned open_handles;
    void (*closed)(void *context);
};

/* Makes a loop of the uv_loop_t, whose thread calls this.  0, or HAFT_ENOMEM or HAFT_EBUSY; then
 * there is nothing to be closed. */
int hf_loop_init(struct loop *loop, uv_loop_t *uv, const haft_allocator *allocator,
                 unsigned workers, size_t max_queue, const struct loop_events *events,
                 void *context);

/* The end, in this order: calls that no thread has begun with come back unrun, and notices wait for
 * no room any more; the workers are waited for, which may be done before or after the handles are
 * closed; `closed` is called when they are; the rest is freed. */
void hf_loop_give_up(struct loop *loop);
void hf_loop_join(struct loop *loop);
void hf_loop_close(struct loop *loop, void (*closed)(void *context));
void hf_loop_finish(struct loop *loop);

/* The calling thread runs the loop from now on. */
void hf_loop_adopt(struct loop *loop);

/* Milliseconds since 1970 that never go back, whatever is done to the time of day: as of when the
 * loop woke up. */
static inline haft_time loop_now(const struct loop *loop)
{
    return loop->epoch + (haft_time)(uv_now(loop->uv) - loop->started);
}

/* Has `tick` called before the loop sleeps. */
static inline void loop_stir(struct loop *loop)
{
    loop->stirred = true;
}

/* Has `tick` called at that time, or before it. */
void hf_loop_set_timer(struct loop *loop, haft_time at);

/* Has `woken` called; from any thread. */
void hf_loop_wake(struct loop *loop);

/* While paused, what other threads have done is not delivered. */
void hf_loop_pause(struct loop *loop, bool paused);
/* Delivers it now; `woken` is not called. */
void hf_loop_deliver(struct loop *loop);

#endif
