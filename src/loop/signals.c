/* signals.c - watches signals while a process serves, and restores their handlers afterwards.
 *
 * libuv resets an unwatched signal to its default action. For SIGHUP that terminates the process,
 * which the sender of a reload does not intend; so SIGHUP is blocked between the watcher and the
 * restored handler. */
#include "loop/signals.h"

#include <string.h>

static void do_nothing(int number)
{
    (void)number;
}

/* A handler instead of SIG_IGN, because programs that a tool starts would inherit SIG_IGN. */
void hf_signals_begin(struct signals *signals)
{
    struct sigaction action = {.sa_flags = SA_RESTART};

    memset(signals, 0, sizeof *signals);
    action.sa_handler = do_nothing;
    sigemptyset(&action.sa_mask);
    sigaction(SIGHUP, NULL, &signals->hangup);
    sigaction(SIGPIPE, NULL, &signals->pipe);
    if (signals->pipe.sa_handler == SIG_DFL)
        sigaction(SIGPIPE, &action, NULL);
}

void hf_signals_watch(struct signals *signals, uv_loop_t *loop, int number, bool wanted,
                      uv_signal_cb heard, void *data)
{
    uv_signal_t *watcher = &signals->watchers[signals->n];
    struct sigaction action;
    bool ignored = !sigaction(number, NULL, &action) && action.sa_handler == SIG_IGN;

    if ((ignored && !wanted) || uv_signal_init(loop, watcher))
        return;
    watcher->data = data;
    signals->n++;
    uv_signal_start(watcher, heard, number);
}

void hf_signals_unwatch(struct signals *signals)
{
    sigset_t hangup, before;

    if (!signals->n)
        return;
    sigemptyset(&hangup);
    sigaddset(&hangup, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &hangup, &before);
    for (size_t i = 0; i < signals->n; i++)
        uv_close((uv_handle_t *)&signals->watchers[i], NULL);
    sigaction(SIGHUP, &signals->hangup, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    signals->n = 0;
}

void hf_signals_end(struct signals *signals)
{
    sigaction(SIGPIPE, &signals->pipe, NULL);
}
