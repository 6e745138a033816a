/* store/window.h - a sliding window that limits calls per interval.
 *
 * Up to WINDOW_EXACT calls, the time of each is stored, and the count is exact: a call is refused
 * if and only if there have been `calls` in the preceding `per_ms`. The ring grows with the calls,
 * so a key uses only the memory it needs.
 *
 * Above that, the window is divided into WINDOW_SLICES, and calls are counted per slice. A slice
 * leaves the window when its end does: no window ever contains more than `calls`, and a call may be
 * refused for up to one slice (a thousandth of the window) longer than necessary. */
#ifndef HAFT_SRC_WINDOW_H
#define HAFT_SRC_WINDOW_H

#include <haft/tool.h>

#include "base/base.h"
#include "store/slice.h"

struct window {
    haft_rate rate;
    int64_t *times;       /* ring of call times, or of calls per slice */
    unsigned first, n;    /* used part of the ring */
    unsigned capacity;    /* of the ring */
    uint64_t counted;     /* above WINDOW_EXACT: calls in the window, */
    int64_t newest_slice; /* the number of the latest slice, */
    int64_t slice_until;  /* its end, */
    unsigned slice_at;    /* and its index in the ring */
};

/* To be called in this order for each call. *bytes is updated by the change of the window's memory.
 *
 * Sets the rate; a changed rate resets the window. */
void hf_window_set_rate(struct window *window, haft_rate rate, const haft_allocator *allocator,
                        size_t *bytes);

/* Drops calls that have left the window. Returns true if a call is allowed at that time; otherwise
 * *ret_wait is the number of milliseconds to wait. */
bool hf_window_allows(struct window *window, int64_t now, int64_t *ret_wait);

/* Makes room for one more call. Returns 0 or HAFT_ENOMEM. */
int hf_window_reserve(struct window *window, const haft_allocator *allocator, size_t *bytes);
void hf_window_count(struct window *window, int64_t now);

/* Removes the latest call, as if it had not been counted. */
void hf_window_give_back(struct window *window);

static inline bool window_is_of(const struct window *window, haft_rate rate)
{
    return window->rate.calls == rate.calls && window->rate.per_ms == rate.per_ms;
}

void hf_window_finish(struct window *window, const haft_allocator *allocator);

/* Counts a call that is obviously allowed, without dropping old ones; returns false if the full
 * check is needed. */
static inline bool window_count_quickly(struct window *window, haft_rate rate, int64_t now)
{
    unsigned at = window->first + window->n;

    if (!window->capacity || !window_is_of(window, rate))
        return false;
    if (rate.calls > WINDOW_EXACT) {
        if (now >= window->slice_until || window->counted >= rate.calls)
            return false;
        window->times[window->slice_at]++;
        window->counted++;
        return true;
    }
    if (window->n == window->capacity ||
        (window->n && now - window->times[window->first] >= (int64_t)rate.per_ms))
        return false;
    window->times[at < window->capacity ? at : at - window->capacity] = now;
    window->n++;
    return true;
}

#endif
