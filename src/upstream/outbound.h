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

enum outbound_state {
    OUTBOUND_NEW,     /* the thread has not been started */
    OUTBOUND_OWN,     /* its own thread runs the loop, */
    OUTBOUND_LENDING, /* and is about to stop for a thread that wants to; */
    OUTBOUND_LENT     /* that thread runs the loop */
};

struct outbound {
    uv_loop_t loop;
    uv_async_t wakeup;
    uv_idle_t soon; /* runs tasks that the borrower's thread has posted */
    uv_thread_t thread, borrower;
    uv_mutex_t lock;
    uv_cond_t turned; /* the state has changed from or to OUTBOUND_LENT */
    struct outbound_task *first, **last;
    enum outbound_state state; /* under the lock, as is the next */
    bool ending;
};

int hf_outbound_init(struct outbound *outbound);
/* Starts the thread unless it runs.  Returns 0, or an error with the reason.  One thread at a time. */
int hf_outbound_start(struct outbound *outbound, haft_reason *reterr_reason);
/* Runs the task on the loop's thread: at once if that is its own thread and the calling one, otherwise soon, in the order of
 * posting.  A task that is posted already is not posted again.  Before the loop is started, tasks wait. */
void hf_outbound_post(struct outbound *outbound, struct outbound_task *task);
/* Whether the thread has been started. */
bool hf_outbound_is_running(struct outbound *outbound);

/* Lends the loop to the calling thread, which runs it until it returns it: a server that does all of its work on one thread
 * needs no wake-ups to call upstreams.  Returns NULL if it has not been started, or is lent.  Other threads go on posting
 * tasks.  The borrower must not block: nothing is sent to upstreams or read from them meanwhile. */
uv_loop_t *hf_outbound_lend(struct outbound *outbound);
void hf_outbound_return(struct outbound *outbound);

/* Runs the tasks that have been posted, then until every handle of the loop is closed, and ends the thread. */
void hf_outbound_finish(struct outbound *outbound);

#endif
