/* stage/limiter.h - so many calls in so much time, by key.
 *
 * A window that slides (store/window.h): at no moment have there been more than `calls` in the `per_ms`
 * before it.  Whose calls are counted together is said by a key.  All windows together hold at most 16 MiB:
 * when they would hold more, those of the keys that were used longest ago are forgotten. */
#ifndef HAFT_SRC_LIMITER_H
#define HAFT_SRC_LIMITER_H

#include <haft/tool.h>

#include "base/base.h"

struct limiter;

/* Of the keys at most `max_keys` are remembered; the one that was used longest ago is forgotten
 * first.  NULL without memory.  May be used by several threads at once. */
struct limiter *hf_limiter_new(const haft_allocator *allocator, size_t max_keys);
void hf_limiter_free(struct limiter *limiter);

/* 1 when the call is allowed, and counted; 0 when it is not, with the milliseconds until one is in
 * *ret_wait; HAFT_ENOMEM. */
int hf_limiter_take(struct limiter *limiter, const char *key, size_t size, haft_rate rate,
                    int64_t now, int64_t *ret_wait);

/* As hf_limiter_take would answer, without counting; 1 for a key that is not known. */
int hf_limiter_peek(struct limiter *limiter, const char *key, size_t size, haft_rate rate,
                    int64_t now, int64_t *ret_wait);
/* Takes the latest call of a key back, as if it had not been counted. */
void hf_limiter_give_back(struct limiter *limiter, const char *key, size_t size, haft_rate rate);

#endif
