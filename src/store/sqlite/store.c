/* store.c - the methods of the store, its construction and its end. */
#include <signal.h>
#include <string.h>

#include "store/sqlite/part.h"
#include "store/sqlite/writer.h"

enum {
    STORE_BUSY_MS = 5000,
    STORE_MAX_BUSY_MS = 60000,
    STORE_POLL_MS = 200,
    STORE_MIN_POLL_MS = 10,
    STORE_QUEUE = 1000
};

/* ---- methods ---- */

static int store_submit(haft_store *given, haft_store_request *request)
{
    struct sqlite_store *store = (struct sqlite_store *)given;
    int status = HAFT_EINVAL;

    if (request->done)
        status = hf_queue_add(&store->queue, request, NULL, hf_apply_writes(&store->db, request));
    if (status != HAFT_PENDING)
        request->status = status;
    return status;
}

static bool store_cancel(haft_store *given, haft_store_request *request)
{
    struct sqlite_store *store = (struct sqlite_store *)given;

    return hf_queue_cancel(&store->queue, request);
}

static int store_scan(haft_store *given, haft_store_scan *scan)
{
    struct sqlite_store *store = (struct sqlite_store *)given;
    int status = scan->done ? hf_queue_add(&store->queue, NULL, scan, false) : HAFT_EINVAL;

    if (status != HAFT_PENDING)
        scan->status = status;
    return status;
}

static int store_subscribe(haft_store *given, haft_store_subscriber *subscriber)
{
    struct sqlite_store *store = (struct sqlite_store *)given;

    hf_channels_add(&store->channels, subscriber);
    hf_queue_wake(&store->queue);
    return 0;
}

static void store_unsubscribe(haft_store *given, haft_store_subscriber *subscriber)
{
    struct sqlite_store *store = (struct sqlite_store *)given;

    hf_channels_remove(&store->channels, subscriber);
}

/* ---- life ---- */

static void store_release(struct sqlite_store *store)
{
    const haft_allocator *allocator = store->db.allocator;

    for (size_t i = 0; i < store->db.n_limits; i++)
        if (store->db.limits[i].name)
            allocator->release(allocator->context, (char *)(uintptr_t)store->db.limits[i].name,
                               strlen(store->db.limits[i].name) + 1);
    if (store->db.limits)
        allocator->release(allocator->context, store->db.limits,
                           store->db.n_limits * sizeof *store->db.limits);
    if (store->file)
        allocator->release(allocator->context, store->file, strlen(store->file) + 1);
    allocator->release(allocator->context, store, sizeof *store);
}

static void store_free(haft_store *given)
{
    struct sqlite_store *store = (struct sqlite_store *)given;

    hf_queue_close(&store->queue);
    pthread_join(store->thread, NULL);
    hf_queue_finish(&store->queue);
    hf_channels_finish(&store->channels);
    store_release(store);
}

static void sqlite_get_status(haft_store *base, haft_store_status *ret_status)
{
    (void)base;
    ret_status->available = true;
    ret_status->durable = true;
}

static const haft_store_methods store_methods =
    HAFT_INIT(haft_store_methods, .name = "sqlite", .submit = store_submit, .cancel = store_cancel,
              .scan = store_scan, .subscribe = store_subscribe, .unsubscribe = store_unsubscribe,
              .free = store_free, .get_status = sqlite_get_status);

static char *store_copy_text(const haft_allocator *allocator, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = allocator->alloc(allocator->context, size);

    return copy ? memcpy(copy, text, size) : NULL;
}

static int store_copy_limits(struct db *db, const haft_store_space *spaces, size_t n)
{
    const haft_allocator *allocator = db->allocator;

    if (!n)
        return 0;
    if (n > SIZE_MAX / sizeof *spaces)
        return HAFT_ENOMEM;
    db->limits = allocator->alloc(allocator->context, n * sizeof *spaces);
    if (!db->limits)
        return HAFT_ENOMEM;
    memset(db->limits, 0, n * sizeof *spaces);
    db->n_limits = n;
    for (size_t i = 0; i < n; i++) {
        const char *name = spaces[i].name;

        db->limits[i] = spaces[i];
        db->limits[i].name = name ? store_copy_text(allocator, name) : NULL;
        if (name && !db->limits[i].name)
            return HAFT_ENOMEM;
    }
    return 0;
}

static struct sqlite_store *store_new(const struct sqlite_host *host, const char *file,
                                      const haft_sqlite_options *options)
{
    const haft_allocator *allocator = options->allocator;
    struct sqlite_store *store = allocator->alloc(allocator->context, sizeof *store);
    unsigned poll_ms = options->poll_ms ? options->poll_ms : STORE_POLL_MS;

    if (!store)
        return NULL;
    memset(store, 0, sizeof *store);
    store->store.methods = &store_methods;
    store->db.host = host;
    store->db.allocator = allocator;
    store->poll_ms = poll_ms < STORE_MIN_POLL_MS ? STORE_MIN_POLL_MS : poll_ms;
    store->file = store_copy_text(allocator, file);
    store->report =
        (struct report){.log = options->log, .context = options->log_context, .file = store->file};
    if (store->file && !store_copy_limits(&store->db, options->spaces, options->n_spaces))
        return store;
    store_release(store);
    return NULL;
}

/* The program's signal handlers must not run on the store's thread. */
static int store_start(struct sqlite_store *store)
{
    sigset_t all, before;
    int status;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    status = pthread_create(&store->thread, NULL, hf_writer_run, store);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status ? HAFT_EFAIL : 0;
}

static int store_set_up(struct sqlite_store *store, const haft_sqlite_options *options,
                        haft_reason *reterr_reason)
{
    unsigned busy_ms = options->busy_timeout_ms ? options->busy_timeout_ms : STORE_BUSY_MS;
    bool checked = true;
    int status;

    busy_ms = busy_ms < STORE_MAX_BUSY_MS ? busy_ms : STORE_MAX_BUSY_MS;
    status = hf_file_open(&store->db, store->file, busy_ms, &checked, reterr_reason);
    if (status)
        return status;
    if (!checked)
        hf_report_line(&store->report, HAFT_INFO,
                       "the file is large: the check for damage ended before its end");
    if (hf_db_begin(&store->db, false, false) || hf_db_commit(&store->db))
        return hf_report_reason(reterr_reason, hf_report_status(store->db.error), "%s",
                                hf_report_text(store->db.error));
    store->swept_at = store->db.clock;
    hf_channels_advance(&store->channels, store->db.message);
    if (store_start(store))
        return hf_report_reason(reterr_reason, HAFT_EFAIL, "a thread cannot be started");
    return 0;
}

haft_store *hf_sqlite_store_open(const struct sqlite_host *host, const char *file,
                                 const haft_sqlite_options *options, haft_reason *reterr_reason)
{
    size_t max_queue = options->max_queue ? options->max_queue : STORE_QUEUE;
    struct sqlite_store *store = store_new(host, file, options);

    if (!store) {
        hf_report_reason(reterr_reason, HAFT_ENOMEM, "out of memory");
        return NULL;
    }
    if (hf_queue_init(&store->queue, options->allocator, max_queue)) {
        hf_report_reason(reterr_reason, HAFT_EFAIL, "a lock cannot be created");
        store_release(store);
        return NULL;
    }
    if (hf_channels_init(&store->channels)) {
        hf_report_reason(reterr_reason, HAFT_EFAIL, "a lock cannot be created");
        hf_queue_finish(&store->queue);
        store_release(store);
        return NULL;
    }
    if (!store_set_up(store, options, reterr_reason))
        return &store->store;
    hf_file_close(&store->db);
    hf_channels_finish(&store->channels);
    hf_queue_finish(&store->queue);
    store_release(store);
    return NULL;
}
