/* support/counting.h - an allocator that counts the memory currently allocated; usable and readable
 * from any thread. */
#ifndef HAFT_TESTS_COUNTING_H
#define HAFT_TESTS_COUNTING_H

#include <haft/base.h>
#include <stdatomic.h>
#include <sys/types.h>

struct counts {
    _Atomic(int64_t) bytes, blocks;
};

struct counting {
    haft_allocator allocator; /* used by address, so the struct must not move */
    struct counts *counts, own;
    pid_t pid; /* forked processes do not count */
};

/* Counts in `where`, which may be memory shared with other processes; NULL for its own. */
void counting_init(struct counting *counting, struct counts *where);

#endif
