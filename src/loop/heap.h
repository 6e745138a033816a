/* loop/heap.h - tuning of the C library's heap for a server process; does nothing with other C
 * libraries. */
#ifndef HAFT_SRC_HEAP_H
#define HAFT_SRC_HEAP_H

/* Makes large blocks return to the system when they are freed. For the owner of the process, before
 * it has threads; malloc settings in the environment take precedence. */
void hf_heap_settle(void);

/* Returns free memory to the system. It takes time in proportion, so call it when idle. */
void hf_heap_trim(void);

#endif
