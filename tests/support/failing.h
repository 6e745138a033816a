/* support/failing.h - an allocator that fails on purpose and counts what is not given back.
 *
 * A fault test runs its subject with the first call failing, then the second, until a run ends
 * without a failure; after each run nothing may be left:
 *
 *     for (size_t nth = 1;; nth++) {
 *         struct failing failing;
 *
 *         failing_init(&failing, nth);
 *         subject(&failing.allocator);
 *         failing_check(&failing);
 *         if (!failing.failures)
 *             break;
 *     }
 */
#ifndef HAFT_TESTS_FAILING_H
#define HAFT_TESTS_FAILING_H

#include <haft/base.h>

struct failing {
    haft_allocator allocator; /* to be used by its address; the struct must not move */
    size_t fail_at;           /* the call that fails, counted from 1; 0 for none */
    bool keep_failing;        /* and every call after it too */
    size_t calls;             /* of alloc and resize */
    size_t failures;
    size_t live_blocks, live_bytes, peak_bytes;
    size_t wrong_sizes; /* an old size that was not the block's */
};

void failing_init(struct failing *failing, size_t fail_at);

/* Fails the running cmocka test unless everything was given back, each with its right size. */
void failing_check(const struct failing *failing);

#endif
