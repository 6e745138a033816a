/* support/forkable.h - malloc in the keeping of one lock, which a fork waits for.
 *
 * The C library's malloc can be used in the copy of a process whose other threads were within it; the
 * one that sanitizers bring cannot, and a copy then waits for ever. */
#ifndef HAFT_TESTS_FORKABLE_H
#define HAFT_TESTS_FORKABLE_H

#include <haft/base.h>

extern const haft_allocator forkable_allocator;

/* Before the first fork. */
void forkable_start(void);

#endif
