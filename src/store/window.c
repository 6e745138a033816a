/* window.c - a sliding window over the times of calls. */
#include "store/window.h"

enum { WINDOW_FIRST_CAPACITY = 8 };

static bool is_sliced(haft_rate rate)
{
    return rate.calls > WINDOW_EXACT;
}

static unsigned window_at(const struct window *window, unsigned i)
{
    return (window->first + i) % window->capacity;
}

/* ---- memory ---- */

/* Copies the used part to the front of a larger ring. */
static int window_grow(struct window *window, unsigned capacity, const haft_allocator *allocator,
                       size_t *bytes)
{
    int64_t *times = allocator->alloc(allocator->context, capacity * sizeof *times);

    if (!times)
        return HAFT_ENOMEM;
    memset(times, 0, capacity * sizeof *times);
    for (unsigned i = 0; i < window->n; i++)
        times[i] = window->times[window_at(window, i)];
    *bytes += (capacity - window->capacity) * sizeof *times;
    if (window->times)
        allocator->release(allocator->context, window->times,
                           window->capacity * sizeof *window->times);
    window->times = times;
    window->first = 0;
    window->capacity = capacity;
    return 0;
}

void hf_window_set_rate(struct window *window, haft_rate rate, const haft_allocator *allocator,
                        size_t *bytes)
{
    if (window_is_of(window, rate))
        return;
    *bytes -= window->capacity * sizeof *window->times;
    hf_window_finish(window, allocator);
    window->rate = rate;
}

int hf_window_reserve(struct window *window, const haft_allocator *allocator, size_t *bytes)
{
    unsigned capacity = window->capacity ? window->capacity * 2 : WINDOW_FIRST_CAPACITY;
    unsigned calls = window->rate.calls;

    if (is_sliced(window->rate))
        return window->capacity ? 0 : window_grow(window, WINDOW_SLICES + 1, allocator, bytes);
    if (window->n < window->capacity || window->n == calls)
        return 0;
    return window_grow(window, capacity < calls ? capacity : calls, allocator, bytes);
}

void hf_window_finish(struct window *window, const haft_allocator *allocator)
{
    if (window->times)
        allocator->release(allocator->context, window->times,
                           window->capacity * sizeof *window->times);
    *window = (struct window){.rate = window->rate};
}

/* ---- exact ---- */

static bool exact_allows(struct window *window, int64_t now, int64_t *ret_wait)
{
    int64_t per_ms = window->rate.per_ms;

    while (window->n && now - window->times[window->first] >= per_ms) {
        window->first = window_at(window, 1);
        window->n--;
    }
    if (window->n < window->rate.calls)
        return true;
    *ret_wait = window->times[window->first] + per_ms - now;
    return false;
}

/* ---- by slices ---- */

static void slices_set_newest(struct window *window, int64_t slice)
{
    window->newest_slice = slice;
    window->slice_until = slice_begin(window->rate.per_ms, slice + 1);
    window->slice_at = (unsigned)((uint64_t)slice % (WINDOW_SLICES + 1));
}

/* The oldest slice that can still have a call in the window is WINDOW_SLICES before the newest. */
static void slices_advance(struct window *window, int64_t slice)
{
    int64_t steps = slice - window->newest_slice;

    if (steps <= 0)
        return;
    if (steps > WINDOW_SLICES)
        steps = WINDOW_SLICES + 1;
    for (int64_t i = 1; i <= steps; i++) {
        int64_t *count = &window->times[(uint64_t)(window->newest_slice + i) % (WINDOW_SLICES + 1)];

        if (steps > WINDOW_SLICES)
            count = &window->times[i - 1];
        window->counted -= (uint64_t)*count;
        *count = 0;
    }
    slices_set_newest(window, slice);
}

static bool slices_allow(struct window *window, int64_t now, int64_t *ret_wait)
{
    int64_t slice = slice_at(window->rate.per_ms, now);

    if (window->capacity)
        slices_advance(window, slice);
    else
        slices_set_newest(window, slice);
    if (window->counted < window->rate.calls)
        return true;
    for (int64_t oldest = window->newest_slice - WINDOW_SLICES; oldest <= window->newest_slice;
         oldest++)
        if (oldest >= 0 && window->times[(uint64_t)oldest % (WINDOW_SLICES + 1)]) {
            *ret_wait = slice_begin(window->rate.per_ms, oldest + WINDOW_SLICES + 1) - now;
            break;
        }
    return false;
}

/* ---- both ---- */

bool hf_window_allows(struct window *window, int64_t now, int64_t *ret_wait)
{
    if (!window->rate.calls) {
        *ret_wait = window->rate.per_ms;
        return false;
    }
    return is_sliced(window->rate) ? slices_allow(window, now, ret_wait)
                                   : exact_allows(window, now, ret_wait);
}

void hf_window_count(struct window *window, int64_t now)
{
    if (is_sliced(window->rate)) {
        window->times[window->slice_at]++;
        window->counted++;
    } else {
        window->times[window_at(window, window->n)] = now;
        window->n++;
    }
}

void hf_window_give_back(struct window *window)
{
    int64_t *slice;

    if (!is_sliced(window->rate)) {
        window->n -= window->n ? 1 : 0;
        return;
    }
    slice = window->capacity ? &window->times[window->slice_at] : NULL;
    if (slice && *slice) {
        --*slice;
        window->counted--;
    }
}
