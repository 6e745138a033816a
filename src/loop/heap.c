/* heap.c - keeps the heap from staying at its peak size.
 *
 * glibc allocates large blocks with mmap, so that freeing them returns the memory at once; but
 * freeing the first such block raises the mmap threshold to its size, up to 32 MiB. Later buffers
 * of large messages are then in the heaps, of which there is about one per thread, between small
 * long-lived blocks, and leave holes. With a fixed threshold, a server under mixed load uses a
 * third less memory and stays level, at the price of some page faults for large messages. */
#include "loop/heap.h"

#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

enum { MAPPED_FROM = 128 << 10 };

void hf_heap_settle(void)
{
#ifdef __GLIBC__
    const char *tunables = getenv("GLIBC_TUNABLES");

    if (!getenv("MALLOC_MMAP_THRESHOLD_") && !(tunables && strstr(tunables, "glibc.malloc.")))
        mallopt(M_MMAP_THRESHOLD, MAPPED_FROM);
#endif
}

void hf_heap_trim(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
