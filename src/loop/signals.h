/* loop/signals.h - signal handling of a server process. */
#ifndef HAFT_SRC_SIGNALS_H
#define HAFT_SRC_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <uv.h>

enum { MAX_SIGNALS = 4 };

struct signals {
    uv_signal_t watchers[MAX_SIGNALS];
    size_t n;
    struct sigaction pipe, hangup; /* original handlers */
};

/* Saves the handlers, and ignores SIGPIPE. */
void hf_signals_begin(struct signals *signals);

/* Calls `heard` on the loop. A signal ignored by nohup stays ignored, unless it is `wanted`. */
void hf_signals_watch(struct signals *signals, uv_loop_t *loop, int number, bool wanted,
                      uv_signal_cb heard, void *data);

/* Closes the watchers. From now on a SIGHUP gets the original handling, so no other thread that
 * could receive it may be left. */
void hf_signals_unwatch(struct signals *signals);

/* Restores the rest, after hf_signals_unwatch. */
void hf_signals_end(struct signals *signals);

#endif
