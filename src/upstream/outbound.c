/* outbound.c - the thread and libuv loop on which upstreams are called. */
#include "upstream/outbound.h"

#include <pthread.h>
#include <signal.h>

#include "base/base.h"

int hf_outbound_init(struct outbound *outbound)
{
    *outbound = (struct outbound){.last = &outbound->first};
    if (uv_mutex_init(&outbound->lock))
        return HAFT_ENOMEM;
    if (!uv_cond_init(&outbound->turned))
        return 0;
    uv_mutex_destroy(&outbound->lock);
    return HAFT_ENOMEM;
}

/* Runs tasks in the order of posting; they may post more. */
static void outbound_run_tasks(struct outbound *outbound)
{
    for (;;) {
        struct outbound_task *task;

        uv_mutex_lock(&outbound->lock);
        task = outbound->first;
        if (task) {
            outbound->first = task->next;
            if (!outbound->first)
                outbound->last = &outbound->first;
            task->posted = false;
        }
        uv_mutex_unlock(&outbound->lock);
        if (!task)
            return;
        task->run(task);
    }
}

static void outbound_close_handles(struct outbound *outbound)
{
    uv_close((uv_handle_t *)&outbound->wakeup, NULL);
    uv_close((uv_handle_t *)&outbound->soon, NULL);
}

static void outbound_on_wakeup(uv_async_t *wakeup)
{
    struct outbound *outbound = wakeup->data;
    bool ending, lending;

    outbound_run_tasks(outbound);
    uv_mutex_lock(&outbound->lock);
    ending = outbound->ending && !outbound->first;
    lending = outbound->state == OUTBOUND_LENDING;
    uv_mutex_unlock(&outbound->lock);
    if (lending)
        uv_stop(&outbound->loop);
    if (ending && !uv_is_closing((uv_handle_t *)wakeup))
        outbound_close_handles(outbound);
}

static void outbound_on_soon(uv_idle_t *soon)
{
    uv_idle_stop(soon);
    outbound_run_tasks(soon->data);
}

/* Waits for the loop if it is to be lent.  Returns whether it was. */
static bool outbound_step_aside(struct outbound *outbound)
{
    bool lends;

    uv_mutex_lock(&outbound->lock);
    lends = outbound->state == OUTBOUND_LENDING;
    if (lends) {
        outbound->state = OUTBOUND_LENT;
        uv_cond_broadcast(&outbound->turned);
    }
    while (outbound->state == OUTBOUND_LENT)
        uv_cond_wait(&outbound->turned, &outbound->lock);
    uv_mutex_unlock(&outbound->lock);
    return lends;
}

static void outbound_main(void *context)
{
    struct outbound *outbound = context;
    sigset_t set;

    /* A program that does not read its input is an error of the write, not the end of this process. */
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    do
        uv_run(&outbound->loop, UV_RUN_DEFAULT);
    while (outbound_step_aside(outbound));
}

static int outbound_open(struct outbound *outbound)
{
    if (uv_loop_init(&outbound->loop))
        return HAFT_ENOMEM;
    if (uv_async_init(&outbound->loop, &outbound->wakeup, outbound_on_wakeup)) {
        uv_loop_close(&outbound->loop);
        return HAFT_ENOMEM;
    }
    uv_idle_init(&outbound->loop, &outbound->soon);
    outbound->wakeup.data = outbound->soon.data = outbound;
    /* Tasks that have been posted before. */
    uv_async_send(&outbound->wakeup);
    if (!uv_thread_create(&outbound->thread, outbound_main, outbound))
        return 0;
    outbound_close_handles(outbound);
    uv_run(&outbound->loop, UV_RUN_DEFAULT);
    uv_loop_close(&outbound->loop);
    return HAFT_EBUSY;
}

int hf_outbound_start(struct outbound *outbound, haft_reason *reterr_reason)
{
    int status = 0;

    uv_mutex_lock(&outbound->lock);
    if (outbound->state == OUTBOUND_NEW) {
        status = outbound_open(outbound);
        outbound->state = status ? OUTBOUND_NEW : OUTBOUND_OWN;
    }
    uv_mutex_unlock(&outbound->lock);
    return status ? hf_error_set(reterr_reason, status, "",
                                 "cannot start the thread that calls upstreams: %s",
                                 haft_strerror(status))
                  : 0;
}

bool hf_outbound_is_running(struct outbound *outbound)
{
    bool running;

    uv_mutex_lock(&outbound->lock);
    running = outbound->state != OUTBOUND_NEW;
    uv_mutex_unlock(&outbound->lock);
    return running;
}

/* ---- posting ---- */

static bool outbound_is_here(const uv_thread_t *thread)
{
    uv_thread_t self = uv_thread_self();

    return uv_thread_equal(&self, thread);
}

static void outbound_add(struct outbound *outbound, struct outbound_task *task)
{
    task->posted = true;
    task->next = NULL;
    *outbound->last = task;
    outbound->last = &task->next;
}

/* The borrower may be in the middle of a call that the task would end, so its tasks wait for the loop as well; an idle handle
 * takes no system call. */
void hf_outbound_post(struct outbound *outbound, struct outbound_task *task)
{
    enum outbound_state state;
    bool at_once, adds, borrows;

    uv_mutex_lock(&outbound->lock);
    state = outbound->state;
    at_once = (state == OUTBOUND_OWN || state == OUTBOUND_LENDING) && !task->posted &&
              !outbound->first && outbound_is_here(&outbound->thread);
    adds = !at_once && !task->posted;
    borrows = state == OUTBOUND_LENT && outbound_is_here(&outbound->borrower);
    if (adds)
        outbound_add(outbound, task);
    uv_mutex_unlock(&outbound->lock);
    if (at_once)
        task->run(task);
    else if (adds && borrows)
        uv_idle_start(&outbound->soon, outbound_on_soon);
    else if (adds && state != OUTBOUND_NEW)
        uv_async_send(&outbound->wakeup);
}

/* ---- lending ---- */

uv_loop_t *hf_outbound_lend(struct outbound *outbound)
{
    bool lends;

    uv_mutex_lock(&outbound->lock);
    lends = outbound->state == OUTBOUND_OWN && !outbound->ending;
    if (lends) {
        outbound->state = OUTBOUND_LENDING;
        outbound->borrower = uv_thread_self();
        uv_async_send(&outbound->wakeup);
        while (outbound->state == OUTBOUND_LENDING)
            uv_cond_wait(&outbound->turned, &outbound->lock);
    }
    uv_mutex_unlock(&outbound->lock);
    return lends ? &outbound->loop : NULL;
}

void hf_outbound_return(struct outbound *outbound)
{
    uv_idle_stop(&outbound->soon);
    uv_mutex_lock(&outbound->lock);
    outbound->state = OUTBOUND_OWN;
    uv_cond_broadcast(&outbound->turned);
    uv_mutex_unlock(&outbound->lock);
    uv_async_send(&outbound->wakeup); /* tasks that have been posted and not run */
}

void hf_outbound_finish(struct outbound *outbound)
{
    if (outbound->state != OUTBOUND_NEW) {
        uv_mutex_lock(&outbound->lock);
        outbound->ending = true;
        uv_mutex_unlock(&outbound->lock);
        uv_async_send(&outbound->wakeup);
        uv_thread_join(&outbound->thread);
        uv_loop_close(&outbound->loop);
        outbound->state = OUTBOUND_NEW;
    }
    uv_cond_destroy(&outbound->turned);
    uv_mutex_destroy(&outbound->lock);
}
