/* support/failing.h - an allocator that fails on purpose and detects leaks.
 *
 * It may be used by several threads. A fault test runs its subject with the first allocation failing, then the second, until a run has
 * no failure; each run must free everything:
 *
 *     for (size_t nth = 1;; nth++) {
 *         struct failing failing;
 *
 *         failing_init(&failing, nth);
 *         subject(&failing.allocator);
 *         failing_check(&failing);
 *         if (!failing.failures)
 *             break;
 *     } */
#ifndef HAFT_TESTS_FAILING_H
#define HAFT_TESTS_FAILING_H

#include <haft/base.h>
#include <stdatomic.h>

struct failing {
    haft_allocator allocator; /* used by address, so the struct must not move */
    atomic_flag lock;         /* of the members below */
    size_t fail_at;           /* the call that fails, from 1; 0 for none */
    bool keep_failing;        /* all later calls fail as well */
    size_t calls;             /* number of alloc and resize calls */
    size_t failures;
    size_t live_blocks, live_bytes, peak_bytes;
    size_t wrong_sizes; /* calls with an old size that differs from the block's */
};

void failing_init(struct failing *failing, size_t fail_at);

/* Fails the running cmocka test unless everything was freed, with the correct sizes. */
void failing_check(const struct failing *failing);

#endif
