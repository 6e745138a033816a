/* task/platform.h - what tasks require from the operating system: threads, and random bytes.
 *
 * Each of the two libraries defines the function: libhaft in src/loop, libhaft-core in src/bare,
 * without threads. */
#ifndef HAFT_SRC_TASK_PLATFORM_H
#define HAFT_SRC_TASK_PLATFORM_H

#include <haft/loop.h>

struct tasks;

/* What the threads call. */
struct task_work {
    bool (*run_one)(struct tasks *tasks, haft_time now);   /* returns false if nothing is queued */
    haft_time (*work)(struct tasks *tasks, haft_time now); /* returns when to be called next */
};

struct task_platform {
    /* Starts `workers` threads that call run_one, and one that calls `work`. Returns NULL if it
     * cannot. */
    void *(*start)(struct tasks *tasks, const struct task_work *work, unsigned workers,
                   const haft_allocator *allocator);
    void (*wake)(void *threads); /* there is something to do; from any thread */
    void (*run)(void *threads);  /* there is something to run; from any thread */
    void (*join)(void *threads); /* lets the threads end, and waits for them */
    void (*free)(void *threads); /* after join, when nothing wakes them any more */
    int (*random)(void *bytes, size_t size);
    haft_time (*now)(void *threads);
    void (*pause)(void); /* waits a few milliseconds */
};

/* NULL if there are no threads. */
const struct task_platform *hf_platform_tasks(void);

#endif
