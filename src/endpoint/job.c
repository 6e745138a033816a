/* job.c - requests to the store, and the exchanges that wait for them. */
#include "endpoint/job.h"
#include "stage/store_state.h"

#include <string.h>

#include "base/list.h"

enum { JOB_ARENA = 256 << 20, SESSION_BYTES = 16 << 10, ALL_EVENT_BYTES = 64 << 20 };

/* ---- the store ---- */

/* The endpoint's store, created on first use; NULL without memory. */
static haft_store *job_store(haft_endpoint *endpoint)
{
    const size_t n = endpoint->options.max_sessions;
    const haft_store_space spaces[] = {
        {.name = "session",
         .max_entries = n,
         .max_bytes = n < SIZE_MAX / SESSION_BYTES ? n * SESSION_BYTES : SIZE_MAX / 2},
        {.name = "events", .max_entries = n, .max_bytes = ALL_EVENT_BYTES, .evicts = true}};

    if (!endpoint->store)
        endpoint->store = endpoint->options.store
                              ? endpoint->options.store
                              : haft_store_memory_new(HAFT_WITH(
                                    haft_store_memory_options, .allocator = endpoint->allocator,
                                    .spaces = spaces, .n_spaces = sizeof spaces / sizeof *spaces));
    return endpoint->store;
}

void hf_endpoint_note_store(haft_endpoint *endpoint, int status)
{
    const char *name = endpoint->store ? endpoint->store->methods->name : "memory";

    if (endpoint->options.store)
        hf_store_note(endpoint->server, STORE_SESSIONS, status);
    if (status >= 0 && endpoint->store_fails)
        hf_server_log(endpoint->server, HAFT_NOTICE, "the session store (%s) is responding again",
                      name);
    else if (status < 0 && !endpoint->store_fails)
        hf_server_log(endpoint->server, HAFT_ERROR, "the session store (%s) failed: %s", name,
                      status == JOB_LATE ? "it did not answer in time" : haft_strerror(status));
    endpoint->store_fails = status < 0;
}

void hf_exchange_refuse_store(haft_exchange *exchange, int status)
{
    if (status == JOB_LATE)
        hf_exchange_refuse(exchange, 504, NULL, RPC_INTERNAL_ERROR,
                           "The session store did not answer in time");
    else if (status == HAFT_ENOMEM)
        hf_exchange_refuse(exchange, 503, HEADER("Retry-After", "1"), RPC_INTERNAL_ERROR,
                           "Out of memory");
    else if (status == HAFT_ETOOBIG)
        hf_exchange_refuse(exchange, 503, HEADER("Retry-After", "10"), RPC_INTERNAL_ERROR,
                           "Too many sessions");
    else
        hf_exchange_refuse(exchange, 503, HEADER("Retry-After", "1"), RPC_INTERNAL_ERROR,
                           "The session store is unavailable");
}

/* ---- life ---- */

struct store_job *hf_job_new(haft_endpoint *endpoint, const struct job_type *type,
                             struct http_session *session, haft_exchange *exchange)
{
    struct store_job *job = endpoint->spare_jobs;

    if (job)
        endpoint->spare_jobs = job->next;
    else
        job = endpoint->allocator->alloc(endpoint->allocator->context, sizeof *job);
    if (!job)
        return NULL;
    memset(job, 0, sizeof *job);
    job->endpoint = endpoint;
    job->type = type;
    job->session = session;
    job->exchange = exchange;
    job->deadline = endpoint->now + (haft_time)atomic_load(&endpoint->server->limits.timeout_ms);
    if (session)
        memcpy(job->id, session->id, sizeof job->id);
    if (exchange)
        exchange->n_jobs++;
    return job;
}

haft_exchange *hf_job_take_exchange(struct store_job *job)
{
    haft_exchange *exchange = job->exchange;

    if (exchange)
        exchange->n_jobs--;
    job->exchange = NULL;
    return exchange;
}

static void job_over(struct store_job *job)
{
    haft_endpoint *endpoint = job->endpoint;

    hf_job_take_exchange(job);
    if (job->linked)
        LIST_TAKE(endpoint->jobs, job, previous, next);
    haft_arena_free(job->arena);
    haft_arena_free(job->kept);
    job->next = endpoint->spare_jobs;
    endpoint->spare_jobs = job;
}

void hf_jobs_free_spare(haft_endpoint *endpoint)
{
    while (endpoint->spare_jobs) {
        struct store_job *job = endpoint->spare_jobs;

        endpoint->spare_jobs = job->next;
        endpoint->allocator->release(endpoint->allocator->context, job, sizeof *job);
    }
}

/* ---- data kept while waiting ---- */

static haft_arena *job_memory(struct store_job *job)
{
    if (!job->kept)
        job->kept = haft_arena_new(job->endpoint->allocator, JOB_ARENA);
    return job->kept;
}

bool hf_job_reads(struct store_job *job)
{
    if (!job->arena)
        job->arena = haft_arena_new(job->endpoint->allocator, JOB_ARENA);
    job->request.arena = job->arena;
    return job->arena;
}

bool hf_job_keep_request(struct store_job *job)
{
    if (!job_memory(job) || !hf_request_copy(job->kept, job->asked, &job->request_copy))
        return false;
    job->asked = &job->request_copy;
    return job->later = true;
}

bool hf_job_keep_message(struct store_job *job)
{
    const char *text = job_memory(job) ? haft_arena_copy(job->kept, job->event.message.text,
                                                         job->event.message.size)
                                       : NULL;

    if (text && job->event.message.scopes)
        job->event.message.scopes = haft_arena_copy(job->kept, job->event.message.scopes,
                                                    strlen(job->event.message.scopes));
    job->event.message.text = text;
    if (!text)
        job->event.message.size = 0;
    return text;
}

/* ---- queues ---- */

static void job_make_ready(struct store_job *job)
{
    haft_endpoint *endpoint = job->endpoint;
    struct store_job **link = &endpoint->ready_jobs;

    if (job->ready || job->submitted)
        return;
    job->ready = true;
    job->next_ready = NULL;
    while (*link)
        link = &(*link)->next_ready;
    *link = job;
}

static void job_leave_line(struct store_job *job)
{
    struct store_job **link, *before = NULL;

    if (!job->in_line)
        return;
    for (link = &job->session->line; *link != job; link = &(*link)->behind)
        before = *link;
    *link = job->behind;
    if (job->session->line_end == job)
        job->session->line_end = before;
    job->in_line = false;
    job->behind = NULL;
    if (!before && job->session->line)
        job_make_ready(job->session->line);
}

static void job_wait(struct store_job *job)
{
    struct http_session *session = job->session;

    if (!job->linked)
        LIST_PUSH(job->endpoint->jobs, job, previous, next);
    job->linked = true;
    if (!session || job->in_line)
        return;
    job->in_line = true;
    if (session->line)
        session->line_end->behind = job;
    else
        session->line = job;
    session->line_end = job;
}

/* ---- submitting ---- */

/* The loop may free the job as soon as it is in the list, and does not end before the wake-up has
 * arrived. */
static void on_job_answered(haft_store_request *request)
{
    struct store_job *job = request->context;
    haft_endpoint *endpoint = job->endpoint;
    struct store_job *first = atomic_load(&endpoint->answered_jobs);

    atomic_fetch_add(&endpoint->n_answering, 1);
    do
        job->next_answered = first;
    while (!atomic_compare_exchange_weak(&endpoint->answered_jobs, &first, job));
    if (endpoint->loop.wake)
        endpoint->loop.wake(endpoint->loop.context);
    atomic_fetch_sub(&endpoint->n_answering, 1);
}

haft_store_op *hf_job_op(struct store_job *job, const char *space, haft_store_kind kind,
                         const char *key)
{
    job->request = (haft_store_request){.space = space,
                                        .group = {job->id, SESSION_ID},
                                        .ops = job->ops,
                                        .n_ops = 1,
                                        .now = job->endpoint->now,
                                        .done = on_job_answered,
                                        .context = job};
    job->ops[0] = (haft_store_op){.kind = kind, .key = HAFT_SLICE(key)};
    return &job->ops[0];
}

/* Returns HAFT_PENDING, or the result. */
static int job_ask(struct store_job *job)
{
    haft_store *store = job_store(job->endpoint);
    int status = store ? job->type->prepare(job) : HAFT_ENOMEM;

    if (!status)
        status = haft_store_submit(store, &job->request);
    job->submitted = status == HAFT_PENDING;
    return status ? status : job->request.status;
}

/* Starts a job that is first in its queue. */
static int job_start(struct store_job *job)
{
    for (;;) {
        int status = job_ask(job);

        if (job->submitted) {
            job_wait(job);
            return HAFT_PENDING;
        }
        job_leave_line(job);
        if (!job->type->finish(job, status)) {
            job_over(job);
            return 0;
        }
        if (job->session && job->session->line) {
            job_wait(job);
            return HAFT_PENDING;
        }
    }
}

int hf_job_run(struct store_job *job)
{
    if (!job->session || !job->session->line)
        return job_start(job);
    job_wait(job);
    return HAFT_PENDING;
}

/* ---- results ---- */

static void job_answered(struct store_job *job)
{
    job->submitted = false;
    if (job->given_up) {
        job_over(job);
        return;
    }
    job_leave_line(job);
    if (job->type->finish(job, job->request.status))
        hf_job_run(job);
    else
        job_over(job);
}

static void job_give_up(struct store_job *job)
{
    job_leave_line(job);
    if (job->submitted && haft_store_cancel(job->endpoint->store, &job->request))
        job->submitted = false;
    job->given_up = true;
    job->type->finish(job, JOB_LATE);
    hf_job_take_exchange(job);
    job->session = NULL;
    /* A job that has become ready is in the list of ready jobs. */
    if (!job->submitted && !job->ready)
        job_over(job);
}

static struct store_job *jobs_take_answered(haft_endpoint *endpoint)
{
    struct store_job *job = atomic_exchange(&endpoint->answered_jobs, NULL), *first = NULL, *next;

    /* The list is in reverse order. */
    for (; job; job = next) {
        next = job->next_answered;
        job->next_answered = first;
        first = job;
    }
    return first;
}

static void jobs_start_ready(haft_endpoint *endpoint)
{
    while (endpoint->ready_jobs) {
        struct store_job *job = endpoint->ready_jobs;

        endpoint->ready_jobs = job->next_ready;
        job->ready = false;
        if (job->given_up)
            job_over(job);
        else
            job_start(job);
    }
}

/* Giving up one job may end others, so the search starts again. */
static void jobs_give_up_late(haft_endpoint *endpoint, bool all)
{
    struct store_job *job = endpoint->jobs;

    while (job)
        if (!job->given_up && (all || job->deadline <= endpoint->now)) {
            job_give_up(job);
            job = endpoint->jobs;
        } else {
            job = job->next;
        }
}

void hf_jobs_tick(haft_endpoint *endpoint)
{
    struct store_job *job = jobs_take_answered(endpoint), *next;

    for (; job; job = next) {
        next = job->next_answered;
        job_answered(job);
    }
    jobs_start_ready(endpoint);
    jobs_give_up_late(endpoint, false);
    jobs_start_ready(endpoint);
}

void hf_jobs_forget_exchange(haft_exchange *exchange)
{
    for (struct store_job *job = exchange->endpoint->jobs; job && exchange->n_jobs; job = job->next)
        if (job->exchange == exchange)
            hf_job_take_exchange(job);
    exchange->n_jobs = 0;
}

void hf_jobs_forget_session(struct http_session *session)
{
    struct store_job *job = session->line, *behind;

    for (; job; job = behind) {
        behind = job->behind;
        job->behind = NULL;
        job->in_line = false;
        job->session = NULL;
        job_make_ready(job);
    }
    session->line = session->line_end = NULL;
}

void hf_jobs_abandon(haft_endpoint *endpoint)
{
    jobs_give_up_late(endpoint, true);
    jobs_start_ready(endpoint);
}

bool hf_jobs_idle(const haft_endpoint *endpoint)
{
    return !endpoint->jobs && !atomic_load(&((haft_endpoint *)(uintptr_t)endpoint)->n_answering);
}
