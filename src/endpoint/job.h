/* endpoint/job.h - asynchronous requests of an endpoint to its store.
 *
 * The jobs of a session are queued: only one at a time is submitted, so that events keep their
 * order and the session's version is known when needed. With a store that answers at once, no queue
 * forms. An exchange waits for a job without blocking a thread or the loop. */
#ifndef HAFT_SRC_JOB_H
#define HAFT_SRC_JOB_H

#include <haft/store.h>

#include "endpoint/endpoint.h"

enum {
    JOB_OPS = 2,
    JOB_LATE = -1002 /* status of a job that the store did not answer in time */
};

struct job_type {
    /* Fills in the operations. Returns 0, or an error in place of the store's answer. */
    int (*prepare)(struct store_job *job);
    /* `status` is 1 if they were applied, 0 if a condition was not met, or an error. Returns true
     * to submit the same job again. */
    bool (*finish)(struct store_job *job, int status);
};

/* A message that is stored for reconnecting clients. */
struct job_event {
    haft_outgoing message;
    uint64_t stream, number;
    bool ends; /* the last of its stream */
};

struct store_job {
    haft_store_request request;
    haft_store_op ops[JOB_OPS];
    struct store_job *next, *previous; /* among the endpoint's unfinished jobs; `next` also links
                                      * spare ones */
    struct store_job *behind;          /* in its session's queue */
    struct store_job *next_ready;      /* its turn has come */
    struct store_job *next_answered;   /* answered by the store, on any thread */
    const struct job_type *type;
    haft_endpoint *endpoint;
    struct http_session *session; /* whose queue it is in; NULL if there is none, or it has ended */
    haft_exchange *exchange;      /* that waits for it; NULL if none does any more */
    haft_arena *arena;            /* for data that the store reads */
    haft_arena *kept;             /* for data that the job keeps while it waits */
    haft_time deadline;
    bool linked;    /* in the endpoint's list */
    bool in_line;   /* in its session's queue */
    bool ready;     /* its turn has come */
    bool submitted; /* the store has it */
    bool given_up;  /* over, except that the store still has it */
    bool later;     /* its creator has returned, and the request has been copied */

    /* data of the job; each type uses some */
    char id[SESSION_ID + 1];
    uint64_t version;
    int step;
    unsigned attempts, changes;
    struct http_session *restored; /* not in the table yet */
    haft_request request_copy;
    const haft_request *asked;
    struct job_event event;
};

/* Returns NULL without memory. */
struct store_job *hf_job_new(haft_endpoint *endpoint, const struct job_type *type,
                             struct http_session *session, haft_exchange *exchange);

/* Submits the job, or queues it. Returns 0 if it is finished, and freed; otherwise HAFT_PENDING. */
int hf_job_run(struct store_job *job);

/* For `finish`: takes the waiting exchange, to answer it; NULL if there is none. */
haft_exchange *hf_job_take_exchange(struct store_job *job);

/* Sets up a request with one operation, for `prepare`. */
haft_store_op *hf_job_op(struct store_job *job, const char *space, haft_store_kind kind,
                         const char *key);
/* Creates an arena for results; returns false without memory. */
bool hf_job_reads(struct store_job *job);

/* Copies the data of a job that has to wait. Returns false without memory. */
bool hf_job_keep_request(struct store_job *job);
bool hf_job_keep_message(struct store_job *job);

/* Processes answered jobs, and gives up those past their deadline. */
void hf_jobs_tick(haft_endpoint *endpoint);
void hf_jobs_forget_exchange(haft_exchange *exchange);
/* Removes the jobs from the session's queue. */
void hf_jobs_forget_session(struct http_session *session);
/* Gives up all jobs. Those that the store cannot cancel remain until it answers. */
void hf_jobs_abandon(haft_endpoint *endpoint);
void hf_jobs_free_spare(haft_endpoint *endpoint);
bool hf_jobs_idle(const haft_endpoint *endpoint);

/* How long records in the store last without renewal, in milliseconds; 0 in the endpoint's own
 * store, which nobody else reads (record.c). */
int64_t hf_endpoint_lifetime(const haft_endpoint *endpoint);
/* Logs that the store failed, or works again: once each. */
void hf_endpoint_note_store(haft_endpoint *endpoint, int status);
/* Answers an exchange whose store request failed. */
void hf_exchange_refuse_store(haft_exchange *exchange, int status);

#endif
