/* support/late_store.h - a store that answers on demand, from its own thread, with an error, or
 * never.
 *
 * It wraps an in-memory store. Data of a request is copied when it arrives, as the interface
 * requires; the caller's data may then be overwritten. */
#ifndef HAFT_TESTS_LATE_STORE_H
#define HAFT_TESTS_LATE_STORE_H

#include <haft/store.h>

enum late_mode {
    LATE_AT_ONCE, /* like the wrapped store */
    LATE_HELD,    /* when late_store_release is called */
    LATE_DELAYED, /* on its own thread, after delay_ms */
    LATE_NEVER,   /* current and new requests wait forever, or until cancelled */
    LATE_FAILS,   /* fails each request with HAFT_EFAIL */
    LATE_DROPS, /* writes nothing, and answers that each write may have been applied (is_unknown) */
    LATE_MUTE   /* the same, but it was applied */
};

struct late_store;

/* Wraps `inner`, which must outlive it. NULL without memory or thread. */
struct late_store *late_store_new(haft_store *inner, enum late_mode mode, unsigned delay_ms);
/* No request may be waiting, except in LATE_NEVER. */
void late_store_free(struct late_store *late);
haft_store *late_store_of(struct late_store *late);

void late_store_set(struct late_store *late, enum late_mode mode);
/* Answers waiting requests in order; with `status` in place of the result unless it is 0. Returns
 * their number. */
size_t late_store_release(struct late_store *late, int status);
/* The same for the first one. With `applies`, the request is applied nevertheless, and nobody knows
 * (is_unknown). Returns false if there is none. */
bool late_store_release_one(struct late_store *late, int status, bool applies);
/* The number of waiting requests; the number of all requests. */
size_t late_store_waiting(struct late_store *late);
size_t late_store_requests(struct late_store *late);
/* Whether the first waiting request must be durable. */
bool late_store_wants_durable(struct late_store *late);
/* Makes waiting requests impossible to cancel; initially they can be cancelled. */
void late_store_hold_on(struct late_store *late);
/* Makes it a store that can be durable; and lets durable requests be so or not. */
void late_store_set_durable(struct late_store *late, bool is_durable);
/* Tells subscribers that messages may have been lost. */
void late_store_gap(struct late_store *late);

#endif
