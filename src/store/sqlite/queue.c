/* queue.c - a queue with limits, and copies of requests. */
#include "store/sqlite/queue.h"

#include <string.h>
#include <time.h>

/* ---- copies ---- */

static haft_slice job_copy(haft_slice slice, char **at)
{
    haft_slice copy = {*at, slice.size};

    if (slice.size)
        memcpy(*at, slice.data, slice.size);
    (*at)[slice.size] = '\0';
    *at += slice.size + 1;
    return copy;
}

static bool job_add_size(size_t *size, size_t more)
{
    if (more > QUEUE_MAX_BYTES || *size > QUEUE_MAX_BYTES - more)
        return false;
    *size += more + 1;
    return true;
}

/* Returns 0 if it is too large. */
static size_t job_size(const haft_store_request *request, const haft_store_scan *scan)
{
    size_t n_ops = request ? request->n_ops : 0;
    size_t size = sizeof(struct job) + 2 * n_ops * sizeof(haft_slice);

    if (!job_add_size(&size, strlen(request ? request->space : scan->space)) ||
        !job_add_size(&size, request ? request->group.size : scan->prefix.size))
        return 0;
    for (size_t i = 0; i < n_ops; i++)
        if (!job_add_size(&size, request->ops[i].key.size) ||
            !job_add_size(&size, request->ops[i].value.size))
            return 0;
    return size;
}

static struct job *job_new(const haft_allocator *allocator, haft_store_request *request,
                           haft_store_scan *scan, size_t size)
{
    struct job *job = allocator->alloc(allocator->context, size);
    size_t n_ops = request ? request->n_ops : 0;
    haft_slice space = HAFT_SLICE(request ? request->space : scan->space);
    char *at;

    if (!job)
        return NULL;
    *job = (struct job){.request = request, .scan = scan, .size = size};
    at = (char *)&job->slices[2 * n_ops];
    job->names.space = job_copy(space, &at).data;
    job->names.group = job_copy(request ? request->group : scan->prefix, &at);
    job->names.keys = job->slices;
    job->names.values = job->slices + n_ops;
    for (size_t i = 0; i < n_ops; i++) {
        job->slices[i] = job_copy(request->ops[i].key, &at);
        job->slices[n_ops + i] = job_copy(request->ops[i].value, &at);
    }
    return job;
}

/* ---- the queue ---- */

int hf_queue_init(struct queue *queue, const haft_allocator *allocator, size_t max)
{
    pthread_condattr_t monotonic;

    *queue = (struct queue){.allocator = allocator, .max = max};
    queue->last = &queue->first;
    if (pthread_mutex_init(&queue->lock, NULL))
        return HAFT_EFAIL;
    if (!pthread_condattr_init(&monotonic)) {
        int status = pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);

        if (!status)
            status = pthread_cond_init(&queue->changed, &monotonic);
        pthread_condattr_destroy(&monotonic);
        if (!status)
            return 0;
    }
    pthread_mutex_destroy(&queue->lock);
    return HAFT_EFAIL;
}

void hf_queue_finish(struct queue *queue)
{
    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->lock);
}

/* The caller must hold the lock. */
static int queue_check(const struct queue *queue, size_t size)
{
    if (queue->closing)
        return HAFT_ECLOSED;
    return queue->n >= queue->max || size > QUEUE_MAX_BYTES - queue->bytes ? HAFT_EBUSY : 0;
}

/* Adds a job that has been counted; NULL if there was no memory for it. */
static void queue_put(struct queue *queue, struct job *job, size_t size, bool writes)
{
    pthread_mutex_lock(&queue->lock);
    if (job) {
        job->writes = writes;
        *queue->last = job;
        queue->last = &job->next;
    } else {
        queue->n--;
        queue->bytes -= size;
    }
    pthread_mutex_unlock(&queue->lock);
}

int hf_queue_add(struct queue *queue, haft_store_request *request, haft_store_scan *scan,
                 bool writes)
{
    bool is_followed = request && request->is_followed; /* it may be gone when it is in the queue */
    size_t size = job_size(request, scan);
    struct job *job = NULL;
    int status;

    pthread_mutex_lock(&queue->lock);
    status = !size || size > QUEUE_MAX_BYTES ? HAFT_ETOOBIG : queue_check(queue, size);
    if (!status) { /* counted before it is there, so that copying needs no lock */
        queue->n++;
        queue->bytes += size;
    }
    pthread_mutex_unlock(&queue->lock);
    if (!status) {
        job = job_new(queue->allocator, request, scan, size);
        queue_put(queue, job, size, writes);
        status = job ? HAFT_PENDING : HAFT_ENOMEM;
    }
    /* After a failure too, for one that this request follows. Without the lock, which the thread takes next. */
    if (!job || !is_followed)
        pthread_cond_signal(&queue->changed);
    return status;
}

bool hf_queue_cancel(struct queue *queue, const haft_store_request *request)
{
    struct job **link, *found;

    pthread_mutex_lock(&queue->lock);
    for (link = &queue->first; *link && (*link)->request != request;)
        link = &(*link)->next;
    found = *link;
    if (found) {
        *link = found->next;
        if (queue->last == &found->next)
            queue->last = link;
    }
    pthread_mutex_unlock(&queue->lock);
    if (found)
        hf_queue_release(queue, found);
    return found;
}

void hf_queue_release(struct queue *queue, struct job *job)
{
    size_t size = job->size;

    queue->allocator->release(queue->allocator->context, job, size);
    pthread_mutex_lock(&queue->lock);
    queue->n--;
    queue->bytes -= size;
    pthread_mutex_unlock(&queue->lock);
}

void hf_queue_wake(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

void hf_queue_close(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->closing = true;
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

/* ---- taking ---- */

/* Waits once; the caller must hold the lock. */
static void queue_wait(struct queue *queue, int64_t wait_ms)
{
    struct timespec until;

    if (wait_ms < 0) {
        pthread_cond_wait(&queue->changed, &queue->lock);
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)(wait_ms / 1000);
    until.tv_nsec += (long)(wait_ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&queue->changed, &queue->lock, &until);
}

struct job *hf_queue_take(struct queue *queue, int64_t wait_ms, bool *ret_closing)
{
    struct job *first, **link;
    size_t n = 0, bytes = 0;

    pthread_mutex_lock(&queue->lock);
    if (!queue->first && !queue->closing)
        queue_wait(queue, wait_ms);
    first = queue->first;
    for (link = &queue->first; *link && n < QUEUE_BATCH && bytes < QUEUE_BATCH_BYTES; n++) {
        bytes += (*link)->size;
        link = &(*link)->next;
    }
    queue->first = *link;
    *link = NULL;
    if (!queue->first)
        queue->last = &queue->first;
    *ret_closing = queue->closing;
    pthread_mutex_unlock(&queue->lock);
    return first;
}
