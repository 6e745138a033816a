/* support/starving.h - arenas that are full on purpose.
 *
 * An arena asks its allocator for a block now and then and gives out pieces of it, so an allocator
 * that fails (failing.h) reaches few of the places that ask an arena.  Here the nth piece is not
 * there, whichever arena is asked for it.  A program that uses it is linked with HAFT_STARVES
 * (tests/CMakeLists.txt), and has one thread. */
#ifndef HAFT_TESTS_STARVING_H
#define HAFT_TESTS_STARVING_H

#include <stdbool.h>
#include <stddef.h>

/* From now on the nth piece that is asked for is not there, nor, when it goes on, those after it; 0
 * for none. */
void starve_at(size_t nth, bool goes_on);

/* How many pieces have not been there since then. */
size_t starved(void);

#endif
