/* stage/limiter.h - rate limits by key.
 *
 * A sliding window (store/window.h): no interval of `per_ms` ever contains more than `calls`. All
 * windows together use at most 16 MiB; beyond that, those of the least recently used keys are
 * dropped. */
#ifndef HAFT_SRC_LIMITER_H
#define HAFT_SRC_LIMITER_H

#include <haft/tool.h>

#include "base/base.h"

struct limiter;

/* Creates a limiter for at most `max_keys` keys; the least recently used are dropped first. NULL
 * without memory. May be used by several threads at once. */
struct limiter *hf_limiter_new(const haft_allocator *allocator, size_t max_keys);
void hf_limiter_free(struct limiter *limiter);

/* Returns 1 if the call is allowed, and counts it; 0 if not, with the milliseconds to wait in
 * *ret_wait; or HAFT_ENOMEM. */
int hf_limiter_take(struct limiter *limiter, const char *key, size_t size, haft_rate rate,
                    int64_t now, int64_t *ret_wait);

/* The result that hf_limiter_take would have, without counting; 1 for an unknown key. */
int hf_limiter_peek(struct limiter *limiter, const char *key, size_t size, haft_rate rate,
                    int64_t now, int64_t *ret_wait);
/* Removes the latest call of a key, as if it had not been counted. */
void hf_limiter_give_back(struct limiter *limiter, const char *key, size_t size, haft_rate rate);

/* ---- what a store has refused ---- */

/* Remembers until when a store refuses calls of a key, so that further ones need not ask it. */
void hf_limiter_block(struct limiter *limiter, const char *key, size_t size, haft_rate rate,
                      int64_t until);
/* Whether that time has not come yet, with the milliseconds to wait in *ret_wait. A refusal of another
 * rate does not apply. */
bool hf_limiter_is_blocked(struct limiter *limiter, const char *key, size_t size, haft_rate rate,
                           int64_t now, int64_t *ret_wait);

#endif
