/* upstream/outbound.h - the thread and libuv loop on which upstreams are called. */
#ifndef HAFT_SRC_OUTBOUND_H
#define HAFT_SRC_OUTBOUND_H

#include <haft/base.h>
#include <stdbool.h>
#include <uv.h>

/* Work for the loop's thread, embedded in what it belongs to: posting cannot fail. */
struct outbound_task {
    struct outbound_task *next;
    void (*run)(struct outbound_task *task);
    void *owner; /* what it belongs to */
    bool posted; /* under the lock: it is posted once at a time */
};

struct outbound {
    uv_loop_t loop;
    uv_async_t wakeup;
    uv_thread_t thread;
    uv_mutex_t lock;
    struct outbound_task *first, **last;
    bool running, ending; /* under the lock, except on the thread */
};

int hf_outbound_init(struct outbound *outbound);
/* Starts the thread unless it runs.  Returns 0, or an error with the reason.  One thread at a time. */
int hf_outbound_start(struct outbound *outbound, haft_reason *reterr_reason);
/* Runs the task on the thread: at once if that is the calling thread, otherwise soon, in the order of posting.  A task that
 * is posted already is not posted again.  Before the loop is started, tasks wait. */
void hf_outbound_post(struct outbound *outbound, struct outbound_task *task);
/* Whether the thread has been started. */
bool hf_outbound_is_running(struct outbound *outbound);
/* Whether this is the loop's thread. */
bool hf_outbound_is_here(const struct outbound *outbound);
/* Runs the tasks that have been posted, then until every handle of the loop is closed, and ends the thread. */
void hf_outbound_finish(struct outbound *outbound);

#endif
