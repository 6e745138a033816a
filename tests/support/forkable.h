/* support/forkable.h - malloc behind one lock, which fork acquires.
 *
 * The C library's malloc works in a forked process even if other threads were inside it; that of
 * the sanitizers does not, and the process would deadlock. */
#ifndef HAFT_TESTS_FORKABLE_H
#define HAFT_TESTS_FORKABLE_H

#include <haft/base.h>

extern const haft_allocator forkable_allocator;

/* Must be called before the first fork. */
void forkable_start(void);

#endif
