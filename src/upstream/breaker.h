/* upstream/breaker.h - a circuit breaker: a server that keeps failing is left alone for a while.
 *
 * It does no I/O; its callers pass the time.  Closed: calls pass.  Open: they do not.  Half-open: one
 * call, the probe, passes, and its outcome decides. */
#ifndef HAFT_SRC_UPSTREAM_BREAKER_H
#define HAFT_SRC_UPSTREAM_BREAKER_H

#include <stdbool.h>
#include <stdint.h>

enum { BREAKER_SLOTS = 12 };

struct breaker_rules {
    unsigned failures; /* in a row that open it; 0 for any number */
    unsigned percent,
        minimum; /* percentage of failures that opens it, and minimum number of calls for it; 0: any */
    int64_t window_ms; /* time that the share is about */
    int64_t open_ms;   /* until the probe */
};

enum breaker_state { BREAKER_CLOSED, BREAKER_OPEN, BREAKER_HALF_OPEN };

enum breaker_outcome {
    BREAKER_SUCCESS,
    BREAKER_FAILURE,
    BREAKER_UNKNOWN /* a cancelled call says nothing about the server */
};

/* Calls that ended during a part of the window. */
struct breaker_slot {
    int64_t number; /* of the part, since time 0 */
    unsigned calls, failed;
};

struct breaker {
    enum breaker_state state;
    unsigned in_row;
    bool probing;  /* half-open: the probe is on its way */
    int64_t until; /* open: when it becomes half-open */
    struct breaker_slot slots[BREAKER_SLOTS];
};

/* Whether a call would pass now. */
bool hf_breaker_allows(const struct breaker *breaker, int64_t now);
/* Milliseconds until a call may pass; 0 if one would pass now, or if the probe decides. */
int64_t hf_breaker_wait(const struct breaker *breaker, int64_t now);
/* Begins a call that hf_breaker_allows, or one that follows a redirect; returns whether it is the probe. */
bool hf_breaker_begin(struct breaker *breaker, int64_t now);
/* Ends a call; `probe` is what hf_breaker_begin returned.  Returns whether the state has changed between open and
 * closed. */
bool hf_breaker_end(struct breaker *breaker, const struct breaker_rules *rules, bool probe,
                    enum breaker_outcome outcome, int64_t now);

#endif
