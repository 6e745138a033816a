/* support/starving.h - arenas that fail on purpose.
 *
 * An arena allocates large blocks and hands out pieces, so a failing allocator (failing.h) reaches
 * few of the callers of an arena. Here the nth piece of any arena fails. A program that uses this
 * is linked with HAFT_STARVES (tests/CMakeLists.txt), and has one thread. */
#ifndef HAFT_TESTS_STARVING_H
#define HAFT_TESTS_STARVING_H

#include <stdbool.h>
#include <stddef.h>

/* From now on the nth request for a piece fails and, if `goes_on`, all later ones; 0 for none. */
void starve_at(size_t nth, bool goes_on);

/* The number of failures since then. */
size_t starved(void);

#endif
