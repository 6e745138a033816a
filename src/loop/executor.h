/* loop/executor.h - a pool for tasks that are no calls: the threads behind a haft_executor. */
#ifndef HAFT_SRC_EXECUTOR_H
#define HAFT_SRC_EXECUTOR_H

#include <haft/loop.h>

struct executor;

/* NULL without memory.  Tasks beyond `max_waiting` are refused (HAFT_EBUSY) while all threads are
 * busy. */
struct executor *hf_executor_new(const haft_allocator *allocator, unsigned threads,
                                 size_t max_waiting);

/* Waits until every task that was taken has been run. */
void hf_executor_free(struct executor *executor);

haft_executor hf_executor_interface(struct executor *executor);

#endif
