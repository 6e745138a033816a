/* store/window.h - so many calls in so much time, counted in a window that slides.
 *
 * Up to WINDOW_EXACT calls the time of each is kept, and the count is exact: a call is refused if and only if
 * there have been `calls` in the `per_ms` before it.  The ring grows with the calls that come, so a key costs
 * what it uses.
 *
 * Above that the window is divided into WINDOW_SLICES, and calls are counted by slice.  A slice leaves the
 * window as a whole, when its end has: there are never more than `calls` in any window, and a call may be
 * refused for up to a slice (a thousandth of the window) longer than it had to be. */
#ifndef HAFT_SRC_WINDOW_H
#define HAFT_SRC_WINDOW_H

#include <haft/tool.h>

#include "base/base.h"

enum { WINDOW_EXACT = 10000, WINDOW_SLICES = 1000 };

struct window {
    haft_rate rate;
    int64_t *times;       /* a ring: of calls; of slices, the number of their calls */
    unsigned first, n;    /* of the ring, what is in use */
    unsigned capacity;    /* of the ring */
    uint64_t counted;     /* above WINDOW_EXACT: calls in the window, */
    int64_t newest_slice; /* and the number of the latest slice, */
    int64_t slice_until;  /* when it ends, */
    unsigned slice_at;    /* and its place in the ring */
};

/* In this order for each call.  *bytes grows or shrinks by what the window holds.
 *
 * A rate that has changed begins anew. */
void hf_window_set_rate(struct window *window, haft_rate rate, const haft_allocator *allocator,
                        size_t *bytes);

/* Forgets what has left the window.  True if a call is allowed at that time, else *ret_wait is the number of
 * milliseconds until one is. */
bool hf_window_allows(struct window *window, int64_t now, int64_t *ret_wait);

/* Makes room for one more call.  0 or HAFT_ENOMEM. */
int hf_window_reserve(struct window *window, const haft_allocator *allocator, size_t *bytes);
void hf_window_count(struct window *window, int64_t now);

/* Takes the latest call back, as if it had not been counted. */
void hf_window_give_back(struct window *window);

static inline bool window_is_of(const struct window *window, haft_rate rate)
{
    return window->rate.calls == rate.calls && window->rate.per_ms == rate.per_ms;
}

void hf_window_finish(struct window *window, const haft_allocator *allocator);

/* Counts a call that is plainly allowed, without a look at what has left the window; false when it takes a
 * closer look. */
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
