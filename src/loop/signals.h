/* loop/signals.h - the signals of a process that serves. */
#ifndef HAFT_SRC_SIGNALS_H
#define HAFT_SRC_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <uv.h>

enum { MAX_SIGNALS = 4 };

struct signals {
    uv_signal_t watchers[MAX_SIGNALS];
    size_t n;
    struct sigaction pipe, hangup; /* as they were found */
};

/* Remembers what is found, and outlives a peer that does not read. */
void hf_signals_begin(struct signals *signals);

/* Has `heard` called on the loop.  What nohup has ignored stays so, unless it is `wanted`. */
void hf_signals_watch(struct signals *signals, uv_loop_t *loop, int number, bool wanted,
                      uv_signal_cb heard, void *data);

/* Closes the watchers.  A SIGHUP that comes now or later finds what was found: by then the thread
 * must be the last that might take it. */
void hf_signals_unwatch(struct signals *signals);

/* The end, after hf_signals_unwatch. */
void hf_signals_end(struct signals *signals);

#endif
