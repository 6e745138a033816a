/* store/sqlite/queue.h - requests that wait for the writer thread, with copies of their names and values. */
#ifndef HAFT_SRC_SQLITE_QUEUE_H
#define HAFT_SRC_SQLITE_QUEUE_H

#include <pthread.h>

#include "store/sqlite/apply.h"

enum {
    QUEUE_BATCH = 256,            /* maximum number of requests in a transaction, */
    QUEUE_BATCH_BYTES = 16 << 20, /* which begins with at most this much, */
    QUEUE_MAX_BYTES = 256 << 20   /* and of all requests that wait */
};

/* A request, or a step of a scan. */
struct job {
    struct job *next;
    haft_store_request *request; /* NULL for a scan */
    haft_store_scan *scan;
    struct apply_names names;
    size_t size; /* of this allocation */
    bool writes;
    int status;          /* result */
    haft_slice slices[]; /* keys, values; then their bytes */
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const haft_allocator *allocator;
    struct job *first, **last;
    size_t n, bytes; /* of jobs that wait, and of those that are being processed */
    size_t max;
    bool closing;
};

/* Returns 0 or HAFT_EFAIL. */
int hf_queue_init(struct queue *queue, const haft_allocator *allocator, size_t max);
void hf_queue_finish(struct queue *queue);

/* Adds a copy; `writes` is of a request. Returns HAFT_PENDING, HAFT_EBUSY, HAFT_ECLOSED or HAFT_ENOMEM. */
int hf_queue_add(struct queue *queue, haft_store_request *request, haft_store_scan *scan,
                 bool writes);
/* Removes a request that the writer has not taken. */
bool hf_queue_cancel(struct queue *queue, const haft_store_request *request);

/* Waits for jobs, for at most `wait_ms` unless it is negative. Returns a list of jobs for one transaction; NULL
 * if there are none in time. *ret_closing says whether there will be no others. */
struct job *hf_queue_take(struct queue *queue, int64_t wait_ms, bool *ret_closing);
/* Frees a job after it has been answered. */
void hf_queue_release(struct queue *queue, struct job *job);
/* Wakes the writer: it looks again how long it may wait. */
void hf_queue_wake(struct queue *queue);
void hf_queue_close(struct queue *queue);

#endif
