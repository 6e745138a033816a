/* support/counting.h - an allocator that any thread may use and any may read: how much is out at
 * the moment. */
#ifndef HAFT_TESTS_COUNTING_H
#define HAFT_TESTS_COUNTING_H

#include <haft/base.h>
#include <stdatomic.h>
#include <sys/types.h>

struct counts {
    _Atomic(int64_t) bytes, blocks;
};

struct counting {
    haft_allocator allocator; /* to be used by its address; the struct must not move */
    struct counts *counts, own;
    pid_t pid; /* a process that was forked from this one counts nothing */
};

/* Counts in `where`, which may be memory that other processes see; NULL for in itself. */
void counting_init(struct counting *counting, struct counts *where);

#endif
