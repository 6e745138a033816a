/* support/late_store.h - a store that answers when it is told to, from a thread of its own, with an error, or never.
 *
 * Behind it is one in memory.  What a request points to is copied when it comes, as the interface has it; the
 * caller's own may be overwritten then. */
#ifndef HAFT_TESTS_LATE_STORE_H
#define HAFT_TESTS_LATE_STORE_H

#include <haft/store.h>

enum late_mode {
    LATE_AT_ONCE, /* as the store behind it */
    LATE_HELD,    /* when late_store_release is called */
    LATE_DELAYED, /* by its own thread, after delay_ms */
    LATE_NEVER,   /* what waits now, and what comes, waits for ever, or until it is cancelled */
    LATE_FAILS    /* refuses each request with HAFT_EFAIL */
};

struct late_store;

/* Uses `inner`, which must outlive it.  NULL without memory or thread. */
struct late_store *late_store_new(haft_store *inner, enum late_mode mode, unsigned delay_ms);
/* Nothing may be waiting, unless it never answers. */
void late_store_free(struct late_store *late);
haft_store *late_store_of(struct late_store *late);

void late_store_set(struct late_store *late, enum late_mode mode);
/* Answers what waits now, in the order in which it came; `status` in place of the answer unless it is 0.  Returns
 * how many. */
size_t late_store_release(struct late_store *late, int status);
/* How many wait; how many there were. */
size_t late_store_waiting(struct late_store *late);
size_t late_store_requests(struct late_store *late);
/* Whether waiting requests can be cancelled: they can, at first. */
void late_store_hold_on(struct late_store *late);

#endif
