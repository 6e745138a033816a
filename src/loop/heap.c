/* heap.c - a heap that does not keep the size of the worst moment.
 *
 * glibc maps a large block by itself, so that it is gone when it is freed; but with the first one
 * that is freed it raises the size from which it does so to that one's, up to 32 MiB.  After that
 * the buffers of large messages lie in the heaps, of which there is one for each thread or so,
 * between small blocks that live longer, and leave holes.  With the size held where it was at
 * first, a server under a load of all sizes has a third less memory and stays level; a message of
 * that size pays for it with some page faults. */
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
