/* loop/heap.h - what a process that only serves asks of the C library's heap.  Nothing, where
 * that has no such wishes. */
#ifndef HAFT_SRC_HEAP_H
#define HAFT_SRC_HEAP_H

/* Large blocks go back to the system as soon as they are freed, from now on.  For whoever owns the
 * process, before it has threads; what the environment says about malloc stands. */
void hf_heap_settle(void);

/* Gives back what is free, which takes about as long as there is much of it: for when nothing is to
 * be done. */
void hf_heap_trim(void);

#endif
