/* store/slice.h - the slices of a window that is too large to store the time of each call. */
#ifndef HAFT_SRC_SLICE_H
#define HAFT_SRC_SLICE_H

#include <stdint.h>

enum { WINDOW_EXACT = 10000, WINDOW_SLICES = 1000 };

/* The slice that contains a time, counted from time 0. */
static inline int64_t slice_at(int64_t per_ms, int64_t now)
{
    return now / per_ms * WINDOW_SLICES + now % per_ms * WINDOW_SLICES / per_ms;
}

/* The start of a slice. */
static inline int64_t slice_begin(int64_t per_ms, int64_t slice)
{
    int64_t rest = slice % WINDOW_SLICES * per_ms;

    return slice / WINDOW_SLICES * per_ms + rest / WINDOW_SLICES + (rest % WINDOW_SLICES != 0);
}

#endif
