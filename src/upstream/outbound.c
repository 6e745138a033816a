/* outbound.c - the thread and libuv loop on which upstreams are called. */
#include "upstream/outbound.h"

#include <pthread.h>
#include <signal.h>

#include "base/base.h"

int hf_outbound_init(struct outbound *outbound)
{
    *outbound = (struct outbound){.last = &outbound->first};
    return uv_mutex_init(&outbound->lock) ? HAFT_ENOMEM : 0;
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

static void outbound_woken(uv_async_t *wakeup)
{
    struct outbound *outbound = wakeup->data;
    bool ending;

    outbound_run_tasks(outbound);
    uv_mutex_lock(&outbound->lock);
    ending = outbound->ending && !outbound->first;
    uv_mutex_unlock(&outbound->lock);
    if (ending && !uv_is_closing((uv_handle_t *)wakeup))
        uv_close((uv_handle_t *)wakeup, NULL);
}

static void outbound_main(void *context)
{
    struct outbound *outbound = context;
    sigset_t set;

    /* A program that does not read its input is an error of the write, not the end of this process. */
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    uv_run(&outbound->loop, UV_RUN_DEFAULT);
}

static int outbound_open(struct outbound *outbound)
{
    if (uv_loop_init(&outbound->loop))
        return HAFT_ENOMEM;
    if (uv_async_init(&outbound->loop, &outbound->wakeup, outbound_woken)) {
        uv_loop_close(&outbound->loop);
        return HAFT_ENOMEM;
    }
    outbound->wakeup.data = outbound;
    /* Tasks that have been posted before. */
    uv_async_send(&outbound->wakeup);
    if (!uv_thread_create(&outbound->thread, outbound_main, outbound))
        return 0;
    uv_close((uv_handle_t *)&outbound->wakeup, NULL);
    uv_run(&outbound->loop, UV_RUN_DEFAULT);
    uv_loop_close(&outbound->loop);
    return HAFT_EBUSY;
}

int hf_outbound_start(struct outbound *outbound, haft_reason *reterr_reason)
{
    int status = 0;

    uv_mutex_lock(&outbound->lock);
    if (!outbound->running) {
        status = outbound_open(outbound);
        outbound->running = !status;
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
    running = outbound->running;
    uv_mutex_unlock(&outbound->lock);
    return running;
}

bool hf_outbound_is_here(const struct outbound *outbound)
{
    uv_thread_t self = uv_thread_self();

    return outbound->running && uv_thread_equal(&self, &outbound->thread);
}

void hf_outbound_post(struct outbound *outbound, struct outbound_task *task)
{
    bool wake = false;

    uv_mutex_lock(&outbound->lock);
    if (hf_outbound_is_here(outbound) && !task->posted && !outbound->first) {
        uv_mutex_unlock(&outbound->lock);
        task->run(task);
        return;
    }
    if (!task->posted) {
        task->posted = true;
        task->next = NULL;
        *outbound->last = task;
        outbound->last = &task->next;
        wake = outbound->running;
    }
    uv_mutex_unlock(&outbound->lock);
    if (wake)
        uv_async_send(&outbound->wakeup);
}

void hf_outbound_finish(struct outbound *outbound)
{
    if (outbound->running) {
        uv_mutex_lock(&outbound->lock);
        outbound->ending = true;
        uv_mutex_unlock(&outbound->lock);
        uv_async_send(&outbound->wakeup);
        uv_thread_join(&outbound->thread);
        uv_loop_close(&outbound->loop);
        outbound->running = false;
    }
    uv_mutex_destroy(&outbound->lock);
}
