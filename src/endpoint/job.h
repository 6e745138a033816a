/* endpoint/job.h - what an endpoint asks its store for.
 *
 * The jobs of one session stand in line: one at a time is the store's, so that events keep their order and a
 * session's version is known when it is needed.  A store that answers at once makes no line.  Whoever waits for a
 * job is an exchange; neither a thread nor the loop is held. */
#ifndef HAFT_SRC_JOB_H
#define HAFT_SRC_JOB_H

#include <haft/store.h>

#include "endpoint/endpoint.h"

enum {
    JOB_OPS = 2,
    JOB_LATE = -1002 /* the store has not answered in time, in place of an error */
};

struct job_type {
    /* Fills in the operations.  0, or an error in place of the store's answer. */
    int (*prepare)(struct store_job *job);
    /* `status` is 1 when they were applied, 0 when a condition did not hold, or an error.  True when there is
     * more to ask, in the same job. */
    bool (*finish)(struct store_job *job, int status);
};

/* A message that is kept for those who come back for it. */
struct job_event {
    haft_outgoing message;
    uint64_t stream, number;
    bool ends; /* it is the last of its stream */
};

struct store_job {
    haft_store_request request;
    haft_store_op ops[JOB_OPS];
    struct store_job *next,
        *previous;                   /* of the endpoint's that are not over; `next` of spare ones */
    struct store_job *behind;        /* in its session's line */
    struct store_job *next_ready;    /* its turn has come */
    struct store_job *next_answered; /* by the store, on any thread */
    const struct job_type *type;
    haft_endpoint *endpoint;
    struct http_session
        *session;            /* in whose line it stands; NULL for none, or for one that has ended */
    haft_exchange *exchange; /* that waits for it; NULL when nobody does any more */
    haft_arena *arena;       /* of what the store reads */
    haft_arena *kept;        /* of what the job must remember while it waits */
    haft_time deadline;
    bool linked;    /* among the endpoint's */
    bool in_line;   /* of its session */
    bool ready;     /* its turn has come */
    bool submitted; /* the store has it */
    bool given_up;  /* it is over but for the store, which still has it */
    bool later;     /* whoever made it has returned, and `hf_request_copy` is what it wanted */

    /* what it is about; each type uses some */
    char id[SESSION_ID + 1];
    uint64_t version;
    int step;
    unsigned attempts, changes;
    struct http_session *restored; /* not in the table yet */
    haft_request request_copy;
    const haft_request *asked;
    struct job_event event;
};

/* NULL without memory. */
struct store_job *hf_job_new(haft_endpoint *endpoint, const struct job_type *type,
                             struct http_session *session, haft_exchange *exchange);

/* Asks the store, or stands in line for that.  0 when it is over, and gone; else HAFT_PENDING. */
int hf_job_run(struct store_job *job);

/* For `finish`, which answers it: whoever waits, and does so no longer; NULL when nobody does. */
haft_exchange *hf_job_take_exchange(struct store_job *job);

/* The request of one operation, for `prepare`. */
haft_store_op *hf_job_op(struct store_job *job, const char *space, haft_store_kind kind,
                         const char *key);
/* An arena for what is read; false without memory. */
bool hf_job_reads(struct store_job *job);

/* For one that waits: copies what it points to.  False without memory. */
bool hf_job_keep_request(struct store_job *job);
bool hf_job_keep_message(struct store_job *job);

/* Goes on with those that have been answered, and gives up those whose time is over. */
void hf_jobs_tick(haft_endpoint *endpoint);
void hf_jobs_forget_exchange(haft_exchange *exchange);
/* They leave its line. */
void hf_jobs_forget_session(struct http_session *session);
/* Gives them all up.  Those that the store does not give back stay until it answers. */
void hf_jobs_abandon(haft_endpoint *endpoint);
void hf_jobs_free_spare(haft_endpoint *endpoint);
bool hf_jobs_idle(const haft_endpoint *endpoint);

/* How long what is in the store lasts without being renewed, in milliseconds; 0 in a store of the endpoint's own, which
 * nobody else looks at (record.c). */
int64_t hf_endpoint_lifetime(const haft_endpoint *endpoint);
/* Logs that the store has failed, or answers again: once each. */
void hf_endpoint_note_store(haft_endpoint *endpoint, int status);
/* Answers whoever waits for a store that has failed. */
void hf_exchange_refuse_store(haft_exchange *exchange, int status);

#endif
