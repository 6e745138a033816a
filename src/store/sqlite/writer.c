/* writer.c - group commit: all requests that wait when the thread is free become one transaction, and are
 * answered after its commit. */
#include "store/sqlite/writer.h"

#include "store/sqlite/entry.h"

enum { WRITER_SWEEP_STEP = 64, WRITER_SWEEP_MS = 1000, WRITER_CLEAN_PAUSE_MS = 10000 };

/* ---- transactions ---- */

static int writer_apply(struct db *db, struct job *job)
{
    if (job->scan)
        return hf_apply_scan(db, job->scan, &job->names);
    return hf_apply(db, job->request, &job->names);
}

static int writer_sweep(struct sqlite_store *store)
{
    int n = hf_entries_sweep(&store->db, WRITER_SWEEP_STEP);

    store->more_expired = n == WRITER_SWEEP_STEP;
    store->swept_at = store->db.clock;
    return n;
}

/* Requests that only read do not remove expired entries: looks from time to time whether there are any. */
static void writer_look(struct sqlite_store *store)
{
    sqlite3_stmt *row;

    if (store->db.met_expired)
        store->more_expired = true;
    if (store->more_expired || store->db.clock - store->swept_at < WRITER_SWEEP_MS)
        return;
    store->swept_at = store->db.clock;
    if (hf_db_first(&store->db, &row, DB_EXPIRED, "i", store->db.clock) < 1)
        return;
    store->more_expired = true;
    hf_db_end(row);
}

/* Runs the jobs in one transaction, those that write only if `writes`. Returns 0, or -1 with db->error
 * set; then nothing was applied. */
static int writer_transact(struct sqlite_store *store, struct job *jobs, bool writes, bool durable)
{
    struct db *db = &store->db;

    if (hf_db_begin(db, writes, durable))
        return -1;
    for (struct job *job = jobs; job && !db->error; job = job->next)
        if (writes || !job->writes)
            job->status = writer_apply(db, job);
    if (writes && !db->error && writer_sweep(store) >= 0)
        hf_spaces_save(db);
    else if (!writes && !db->error)
        writer_look(store);
    if (hf_db_commit(db))
        return -1;
    hf_channels_advance(&store->channels, db->message);
    for (struct job *job = jobs; job; job = job->next)
        if (job->writes && writes && job->status > 0)
            job->request->is_durable = db->is_full;
    return 0;
}

/* ---- answers ---- */

static void writer_reject(struct job *job, int status)
{
    job->status = status;
    for (size_t i = 0; job->request && i < job->request->n_ops; i++)
        job->request->ops[i].status = 0;
}

static void writer_answer(struct sqlite_store *store, struct job *jobs)
{
    struct job *next;

    for (struct job *job = jobs; job; job = job->next)
        if (job->request && job->status > 0)
            hf_channels_publish(&store->channels, job->request, &job->names);
    for (struct job *job = jobs; job; job = next) {
        haft_store_request *request = job->request;
        haft_store_scan *scan = job->scan;
        int status = job->status;

        next = job->next;
        hf_queue_release(&store->queue, job); /* the caller may submit another from `done` */
        if (request) {
            request->status = status;
            request->done(request);
        } else {
            scan->status = status;
            scan->done(scan);
        }
    }
}

/* ---- a batch ---- */

/* After a failure, requests that only read are tried without the others. */
static void writer_read_only(struct sqlite_store *store, struct job *jobs, int status)
{
    bool any = false;

    for (struct job *job = jobs; job; job = job->next) {
        any = any || !job->writes;
        if (job->writes)
            writer_reject(job, status);
    }
    if (!any || !writer_transact(store, jobs, false, false))
        return;
    hf_report_error(&store->report, store->db.error);
    for (struct job *job = jobs; job; job = job->next)
        if (!job->writes)
            writer_reject(job, hf_report_status(store->db.error));
}

static void writer_try(struct sqlite_store *store, struct job *jobs, bool writes, bool durable)
{
    int error;

    if (!writer_transact(store, jobs, writes, durable)) {
        if (writes)
            hf_report_success(&store->report);
        return;
    }
    error = store->db.error;
    if (writes && jobs->next && hf_report_is_full(error)) { /* smaller ones may still fit */
        for (struct job *job = jobs, *next; job; job = next) {
            next = job->next;
            job->next = NULL;
            writer_try(store, job, job->writes, durable);
            job->next = next;
        }
        return;
    }
    hf_report_error(&store->report, error);
    if (writes)
        writer_read_only(store, jobs, hf_report_status(error));
    for (struct job *job = jobs; job && !writes; job = job->next)
        writer_reject(job, hf_report_status(error));
}

static void writer_process(struct sqlite_store *store, struct job *jobs, bool closing)
{
    bool writes = false, durable = false;

    for (struct job *job = jobs; job; job = job->next) {
        writes = writes || job->writes;
        durable = durable || (job->writes && job->request->durable);
    }
    if (store->gives_up) {
        for (struct job *job = jobs; job; job = job->next)
            writer_reject(job, HAFT_ECLOSED);
    } else {
        writer_try(store, jobs, writes, durable);
        store->gives_up = closing && (store->db.error & 0xff) == SQLITE_BUSY;
    }
    writer_answer(store, jobs);
}

/* ---- between batches ---- */

/* Removes expired entries, some at a time, at the time of the latest request. */
static void writer_clean(struct sqlite_store *store)
{
    struct db *db = &store->db;
    int64_t clock = db->clock;

    if (!store->more_expired || hf_db_time() < store->clean_after)
        return;
    store->more_expired = false;
    if (!hf_db_begin(db, true, false)) {
        hf_db_set_now(db, clock - db->shift);
        if (writer_sweep(store) >= 0)
            hf_spaces_save(db);
        if (!hf_db_commit(db))
            return;
    }
    store->clean_after = hf_db_time() + WRITER_CLEAN_PAUSE_MS;
}

static int64_t writer_wait(struct sqlite_store *store)
{
    int64_t left;

    if (store->more_expired && hf_db_time() >= store->clean_after)
        return 0;
    if (!hf_channels_has_any(&store->channels))
        return -1;
    left = store->polled_at + store->poll_ms - hf_db_time();
    return left > 0 ? left : 0;
}

static void writer_poll(struct sqlite_store *store)
{
    if (!hf_channels_has_any(&store->channels) ||
        hf_db_time() - store->polled_at < (int64_t)store->poll_ms)
        return;
    if (hf_channels_poll(&store->channels, &store->db))
        hf_report_error(&store->report, store->db.error);
    store->polled_at = hf_db_time();
}

void *hf_writer_run(void *context)
{
    struct sqlite_store *store = context;
    struct job *jobs;
    bool closing;

    do {
        jobs = hf_queue_take(&store->queue, writer_wait(store), &closing);
        if (jobs)
            writer_process(store, jobs, closing);
        if (!closing) {
            writer_clean(store);
            writer_poll(store);
        }
    } while (jobs || !closing);
    hf_file_close(&store->db);
    return NULL;
}
