/* loop/loop.h - what a server needs on a libuv loop besides its own handles: a clock, a wake-up
 * with a mailbox, a timer, and threads for handlers.
 *
 * stdio and every shard of the HTTP server have one. Sessions and endpoints use it as a
 * haft_loop. */
#ifndef HAFT_SRC_LOOP_H
#define HAFT_SRC_LOOP_H

#include "loop/pool.h"

/* Callbacks of the owner, on the loop's thread. */
struct loop_events {
    /* A wake-up arrived: the mailbox has been delivered. `asked`: by haft_loop.wake. */
    void (*woken)(void *context, bool asked);
    /* The timer expired, or loop_stir was called. Returns when to be called next; -1: only after
     * another event. */
    haft_time (*tick)(void *context, haft_time now);
    /* The loop is about to poll for events, and to sleep if there are none. */
    void (*before_sleep)(void *context);
};

struct loop {
    haft_loop interface; /* for sessions, endpoints and apps */
    uv_loop_t *uv;
    const struct loop_events *events;
    void *context; /* for the callbacks */
    uv_async_t wakeup;
    uv_timer_t timer;
    uv_prepare_t prepare;
    uv_thread_t thread; /* thread that runs the loop */
    struct mailbox mailbox;
    struct pool pool;
    haft_posted *mail;  /* taken from the mailbox, not yet delivered */
    haft_time epoch;    /* wall-clock time when the clock was started, */
    uint64_t started;   /* and the loop's time then */
    haft_time timer_at; /* -1 if the timer is not set */
    bool stirred, paused;
    atomic_bool asked;
    unsigned open_handles;
    void (*closed)(void *context);
};

/* Sets up a loop on the uv_loop_t, on its thread. Returns 0, HAFT_ENOMEM or HAFT_EBUSY; on failure
 * there is nothing to close. */
int hf_loop_init(struct loop *loop, uv_loop_t *uv, const haft_allocator *allocator,
                 unsigned workers, size_t max_queue, const struct loop_events *events,
                 void *context);

/* Shutdown, in this order: returns calls that no thread has started, and lets notifications no
 * longer wait for room; waits for the workers, before or after the handles are closed; closes the
 * handles, and calls `closed` when done; frees the rest. */
void hf_loop_give_up(struct loop *loop);
void hf_loop_join(struct loop *loop);
void hf_loop_close(struct loop *loop, void (*closed)(void *context));
void hf_loop_finish(struct loop *loop);

/* Makes the calling thread the loop's thread. */
void hf_loop_adopt(struct loop *loop);

/* Monotonic milliseconds since 1970, unaffected by clock changes, as of the loop's latest
 * wake-up. */
static inline haft_time loop_now(const struct loop *loop)
{
    return loop->epoch + (haft_time)(uv_now(loop->uv) - loop->started);
}

/* Requests a `tick` before the loop sleeps. */
static inline void loop_stir(struct loop *loop)
{
    loop->stirred = true;
}

/* Requests a `tick` at that time or earlier. */
void hf_loop_set_timer(struct loop *loop, haft_time at);

/* Requests a `woken` callback; from any thread. */
void hf_loop_wake(struct loop *loop);

/* While paused, messages of other threads are not delivered. */
void hf_loop_pause(struct loop *loop, bool paused);
/* Delivers them now, without calling `woken`. */
void hf_loop_deliver(struct loop *loop);

#endif
