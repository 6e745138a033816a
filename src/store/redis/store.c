/* store.c - the functions of the store. */
#include <limits.h>
#include <stdlib.h>

#include "store/redis/room.h"

/* ---- availability ---- */

static void status_fill(const struct redis_store *store, haft_store_status *ret_status)
{
    ret_status->available = store->available;
    ret_status->reconnects = store->reconnects;
    ret_status->waiting = atomic_load(&store->waiting);
    snprintf(ret_status->error, sizeof ret_status->error, "%s", store->error);
}

/* The store is available while a link is ready and none fails; between, it stays as it was: a
 * connection that is replaced at once changes nothing. */
void hf_redis_note(struct redis_store *store, int ready, int failing, const char *error)
{
    haft_store_status status = HAFT_INIT(haft_store_status, .waiting = 0);
    bool before;

    pthread_mutex_lock(&store->lock);
    before = store->available;
    store->n_ready += (size_t)ready;
    store->n_failing += (size_t)failing;
    if (error)
        snprintf(store->error, sizeof store->error, "%s", error);
    if (store->n_failing)
        store->available = false;
    else if (store->n_ready)
        store->available = true;
    if (store->available != before) {
        status_fill(store, &status);
        for (haft_store_watcher *at = store->watchers; at; at = at->next)
            at->changed(at, &status);
    }
    pthread_mutex_unlock(&store->lock);
}

void hf_redis_note_reconnect(struct redis_store *store)
{
    pthread_mutex_lock(&store->lock);
    store->reconnects++;
    pthread_mutex_unlock(&store->lock);
}

static bool store_has_lanes(struct redis_store *store)
{
    for (size_t i = 0; i < REDIS_LANES; i++)
        if (atomic_load(&store->slots[i].thread))
            return true;
    return false;
}

/* Connects if nothing else does: a state of connections needs one. */
static void redis_store_get_status(haft_store *base, haft_store_status *ret_status)
{
    struct redis_store *store = (struct redis_store *)base;

    if (!store_has_lanes(store))
        hf_redis_home_wake(store, false);
    pthread_mutex_lock(&store->lock);
    status_fill(store, ret_status);
    pthread_mutex_unlock(&store->lock);
}

static void store_watch(haft_store *base, haft_store_watcher *watcher)
{
    struct redis_store *store = (struct redis_store *)base;

    pthread_mutex_lock(&store->lock);
    watcher->next = store->watchers;
    store->watchers = watcher;
    pthread_mutex_unlock(&store->lock);
}

static void store_unwatch(haft_store *base, haft_store_watcher *watcher)
{
    struct redis_store *store = (struct redis_store *)base;
    haft_store_watcher **link = &store->watchers;

    pthread_mutex_lock(&store->lock);
    while (*link && *link != watcher)
        link = &(*link)->next;
    if (*link)
        *link = watcher->next;
    pthread_mutex_unlock(&store->lock);
}

/* ---- loops ---- */

static struct redis_slot *store_slot_of(struct redis_store *store, uintptr_t thread)
{
    for (size_t i = 0; i < REDIS_LANES; i++)
        if (atomic_load_explicit(&store->slots[i].thread, memory_order_relaxed) == thread)
            return &store->slots[i];
    return NULL;
}

static int store_attach(haft_store *base, void *loop)
{
    struct redis_store *store = (struct redis_store *)base;
    uintptr_t self = (uintptr_t)pthread_self();
    struct redis_slot *slot = NULL;
    struct redis_lane *lane;

    if (store_slot_of(store, self))
        return HAFT_EEXISTS;
    lane = hf_redis_lane_new(store, loop);
    if (!lane)
        return HAFT_ENOMEM;
    lane->gone = hf_redis_lane_free;
    for (size_t i = 0; i < REDIS_LANES && !slot; i++) {
        uintptr_t none = 0;

        if (atomic_compare_exchange_strong(&store->slots[i].thread, &none, self))
            slot = &store->slots[i];
    }
    if (!slot) {
        hf_redis_lane_close(lane);
        return HAFT_EBUSY;
    }
    slot->lane = lane;
    hf_redis_link_use(&lane->links[LINK_COMMANDS]);
    return 0;
}

static void store_detach(haft_store *base, void *loop)
{
    struct redis_store *store = (struct redis_store *)base;
    struct redis_slot *slot = store_slot_of(store, (uintptr_t)pthread_self());
    struct redis_lane *lane = slot ? slot->lane : NULL;

    if (!lane || lane->loop != loop)
        return;
    slot->lane = NULL;
    atomic_store(&slot->thread, 0);
    hf_redis_lane_close(lane);
}

/* ---- requests ---- */

/* Passes a job to the lane of this thread, or to the home lane. */
static int store_post(struct redis_store *store, struct redis_job *job)
{
    struct redis_slot *slot = store_slot_of(store, (uintptr_t)pthread_self());
    struct redis_lane *lane = slot ? slot->lane : NULL;

    if (!lane)
        return hf_redis_home_post(store, job);
    if (atomic_load(&lane->n_jobs) >= store->options.max_waiting)
        return HAFT_EBUSY;
    if (job->is_take && lane->links[LINK_COMMANDS].failing)
        return HAFT_ECLOSED;
    atomic_fetch_add(&lane->n_jobs, 1);
    atomic_fetch_add(&store->waiting, 1);
    hf_redis_lane_accept(lane, job);
    return 0;
}

static int redis_store_submit(haft_store *base, haft_store_request *request)
{
    struct redis_store *store = (struct redis_store *)base;
    struct redis_job *job;
    int status = 0;

    if (strlen(request->space) >= REDIS_SPACE)
        return request->status = HAFT_ETOOBIG;
    for (size_t i = 0; i < request->n_ops; i++) {
        haft_store_op *op = &request->ops[i];

        if (op->kind == HAFT_STORE_APPEND && op->value.size > op->max_bytes)
            return request->status = op->status = HAFT_ETOOBIG;
    }
    job = hf_redis_job_new(store, request, &status);
    if (!job)
        return request->status = status;
    request->store_data[0] = job;
    status = store_post(store, job);
    if (!status)
        return HAFT_PENDING;
    request->store_data[0] = NULL;
    hf_redis_job_free(store, job);
    return request->status = status;
}

static bool redis_store_cancel(haft_store *base, haft_store_request *request)
{
    struct redis_store *store = (struct redis_store *)base;
    struct redis_job *job;

    pthread_mutex_lock(&store->claim_lock);
    job = request->store_data[0];
    if (job)
        job->request = NULL;
    request->store_data[0] = NULL;
    pthread_mutex_unlock(&store->claim_lock);
    return job;
}

static int redis_store_scan(haft_store *base, haft_store_scan *scan)
{
    struct redis_store *store = (struct redis_store *)base;
    int status = 0;
    struct redis_job *job = hf_redis_job_new_scan(store, scan, &status);

    if (!job)
        return scan->status = status;
    status = store_post(store, job);
    if (!status)
        return HAFT_PENDING;
    hf_redis_job_free(store, job);
    return scan->status = status;
}

/* ---- life ---- */

static void redis_store_free(haft_store *base)
{
    struct redis_store *store = (struct redis_store *)base;

    hf_redis_home_stop(store);
    hf_redis_channels_free(store);
    hf_redis_tls_free(store->tls);
    pthread_mutex_destroy(&store->claim_lock);
    pthread_mutex_destroy(&store->lock);
    pthread_mutex_destroy(&store->home_lock);
    memset(store->url.password, 0, sizeof store->url.password);
    redis_release(store, store, sizeof *store);
}

static const haft_store_methods redis_methods = HAFT_INIT(
    haft_store_methods, .name = "redis", .submit = redis_store_submit, .cancel = redis_store_cancel,
    .scan = redis_store_scan, .subscribe = hf_redis_subscribe, .unsubscribe = hf_redis_unsubscribe,
    .free = redis_store_free, .attach = store_attach, .detach = store_detach,
    .get_status = redis_store_get_status, .watch = store_watch, .unwatch = store_unwatch);

/* ---- options ---- */

static void option_default(unsigned *option, unsigned value)
{
    if (!*option)
        *option = value;
    else if (*option > INT_MAX)
        *option = INT_MAX; /* a number that others can be added to */
}

static int option_copy(struct redis_store *store, const char *name, const char *text, char *ret,
                       haft_reason *reterr_reason)
{
    if (text && strlen(text) >= REDIS_NAME)
        return store->host->error_set(reterr_reason, HAFT_EINVAL, name, "it has %d or more bytes",
                                      REDIS_NAME);
    if (text)
        snprintf(ret, REDIS_NAME, "%s", text);
    return 0;
}

/* The first line of a file. */
static int option_read_file(struct redis_store *store, const char *path, haft_reason *reterr_reason)
{
    char line[REDIS_NAME + sizeof "\r\n"]; /* one byte more than a password may have */
    FILE *file = fopen(path, "re");
    bool ok = file && fgets(line, sizeof line, file);
    int status;

    if (file)
        fclose(file);
    if (!ok)
        return store->host->error_set(reterr_reason, HAFT_EINVAL, "password_file",
                                      "cannot read a password from the file %.120s", path);
    line[strcspn(line, "\r\n")] = '\0';
    status = option_copy(store, "password_file", line, store->url.password, reterr_reason);
    memset(line, 0, sizeof line);
    return status;
}

static int options_read_password(struct redis_store *store, const haft_redis_options *options,
                                 haft_reason *reterr_reason)
{
    const char *variable;
    int status = 0;

    if (!store->url.user[0])
        status = option_copy(store, "user", options->user, store->url.user, reterr_reason);
    if (status || store->url.password[0])
        return status;
    if (options->password)
        return option_copy(store, "password", options->password, store->url.password,
                           reterr_reason);
    if (options->password_file)
        return option_read_file(store, options->password_file, reterr_reason);
    if (!options->password_env)
        return 0;
    variable = getenv(options->password_env);
    if (!variable)
        return store->host->error_set(reterr_reason, HAFT_EINVAL, "password_env",
                                      "the environment variable %.60s is not set",
                                      options->password_env);
    return option_copy(store, "password_env", variable, store->url.password, reterr_reason);
}

static int options_read(struct redis_store *store, const haft_redis_options *options,
                        haft_reason *reterr_reason)
{
    haft_redis_options *own = &store->options;
    const char *prefix = options->prefix ? options->prefix : "haft";
    int status;

    *own = *options;
    option_default(&own->connect_ms, 2000);
    option_default(&own->take_ms, 100);
    option_default(&own->command_ms, 2000);
    option_default(&own->max_waiting, 1000);
    option_default(&own->min_reconnect_ms, 50);
    option_default(&own->max_reconnect_ms, 5000);
    option_default(&own->replicas, 1);
    option_default(&own->replica_ms, 1000);
    if (!*prefix || strpbrk(prefix, "{}") || (unsigned)own->durability > HAFT_REDIS_APPEND_FILE)
        return store->host->error_set(reterr_reason, HAFT_EINVAL, "options",
                                      "the prefix is empty or has braces, or the durability is "
                                      "unknown");
    status = option_copy(store, "prefix", prefix, store->prefix, reterr_reason);
    if (!status)
        status = options_read_password(store, options, reterr_reason);
    if (!status)
        status = hf_redis_tls_new(&store->url, options, store->host, &store->tls, reterr_reason);
    own->prefix = own->user = own->password = own->password_file = own->password_env = NULL;
    own->ca_file = own->certificate = own->key = NULL;
    return status;
}

haft_store *hf_redis_create(const char *url, const haft_redis_options *options,
                            const struct redis_host *host, haft_reason *reterr_reason)
{
    const haft_allocator *allocator = options->allocator;
    struct redis_store *store = allocator->alloc(allocator->context, sizeof *store);

    if (!store) {
        host->error_set(reterr_reason, HAFT_ENOMEM, "", "out of memory");
        return NULL;
    }
    memset(store, 0, sizeof *store);
    store->store.methods = &redis_methods;
    store->host = host;
    store->allocator = allocator;
    pthread_mutex_init(&store->claim_lock, NULL);
    pthread_mutex_init(&store->lock, NULL);
    pthread_mutex_init(&store->home_lock, NULL);
    if (hf_redis_url_parse(url, host, &store->url, reterr_reason) ||
        options_read(store, options, reterr_reason)) {
        redis_store_free(&store->store);
        return NULL;
    }
    return &store->store;
}
