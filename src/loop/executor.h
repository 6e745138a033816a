/* loop/executor.h - a thread pool for tasks other than calls: the threads of a haft_executor. */
#ifndef HAFT_SRC_EXECUTOR_H
#define HAFT_SRC_EXECUTOR_H

#include <haft/loop.h>

struct executor;

/* Returns NULL without memory. If all threads are busy, tasks beyond `max_waiting` are rejected
 * (HAFT_EBUSY). */
struct executor *hf_executor_new(const haft_allocator *allocator, unsigned threads,
                                 size_t max_waiting);

/* Waits until every accepted task has run. */
void hf_executor_free(struct executor *executor);

haft_executor hf_executor_interface(struct executor *executor);

#endif
