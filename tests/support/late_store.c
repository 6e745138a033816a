/* late_store.c - queues requests, each with a copy of everything it points to. */
#define _POSIX_C_SOURCE 200809L
#include "support/late_store.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_OPS = 8, MAX_SUBSCRIBERS = 8 };

struct late {
    struct late *next;
    haft_store_request *request;
    haft_store_request copy;
    haft_store_op ops[MAX_OPS];
    char *bytes;
    long long due; /* in milliseconds */
};

struct late_store {
    haft_store store; /* must be first */
    haft_store *inner;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    bool has_thread;
    struct late *first, **last;
    size_t waiting;
    atomic_size_t requests;
    enum late_mode mode;
    unsigned delay_ms;
    bool holds_on, ends;
    atomic_bool can_durable, is_durable;
    haft_store_subscriber *subscribers[MAX_SUBSCRIBERS];
};

static long long late_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- copies ---- */

static void late_copy_slice(haft_slice *slice, char **at)
{
    if (slice->size)
        memcpy(*at, slice->data, slice->size);
    slice->data = *at;
    *at += slice->size;
}

static struct late *late_copy(haft_store_request *request)
{
    struct late *late = calloc(1, sizeof *late);
    size_t size = request->group.size + 1;
    char *at;

    for (size_t i = 0; i < request->n_ops; i++)
        size += request->ops[i].key.size + request->ops[i].value.size;
    if (!late || request->n_ops > MAX_OPS || !(late->bytes = malloc(size))) {
        free(late);
        return NULL;
    }
    at = late->bytes;
    late->request = request;
    late->copy = *request;
    memcpy(late->ops, request->ops, request->n_ops * sizeof *request->ops);
    late->copy.ops = late->ops;
    late_copy_slice(&late->copy.group, &at);
    for (size_t i = 0; i < request->n_ops; i++) {
        late_copy_slice(&late->ops[i].key, &at);
        late_copy_slice(&late->ops[i].value, &at);
    }
    return late;
}

static void late_free(struct late *late)
{
    free(late->bytes);
    free(late);
}

/* Without the lock, because the callback may submit again at once. */
static void late_answer(struct late_store *store, struct late *late, int status)
{
    haft_store_request *request = late->request;

    if (!status)
        haft_store_submit(store->inner, &late->copy);
    else
        late->copy.status = status;
    for (size_t i = 0; i < request->n_ops; i++) {
        const haft_slice key = request->ops[i].key, value = request->ops[i].value;

        request->ops[i] = late->ops[i];
        request->ops[i].key = key;
        request->ops[i].value = value;
    }
    request->status = late->copy.status;
    request->is_durable = request->durable && atomic_load(&store->is_durable);
    late_free(late);
    request->done(request);
}

/* ---- the queue; under the lock ---- */

static struct late *late_take(struct late_store *store)
{
    struct late *late = store->first;

    store->first = late->next;
    if (!store->first)
        store->last = &store->first;
    store->waiting--;
    return late;
}

static void late_sleep_until(struct late_store *store, long long due)
{
    struct timespec until = {.tv_sec = due / 1000, .tv_nsec = due % 1000 * 1000000};

    pthread_cond_timedwait(&store->changed, &store->lock, &until);
}

static void *late_run(void *context)
{
    struct late_store *store = context;

    pthread_mutex_lock(&store->lock);
    while (!store->ends) {
        if (store->mode != LATE_DELAYED || !store->first) {
            pthread_cond_wait(&store->changed, &store->lock);
        } else if (store->first->due > late_now()) {
            late_sleep_until(store, store->first->due);
        } else {
            struct late *late = late_take(store);

            pthread_mutex_unlock(&store->lock);
            late_answer(store, late, 0);
            pthread_mutex_lock(&store->lock);
        }
    }
    pthread_mutex_unlock(&store->lock);
    return NULL;
}

/* ---- methods ---- */

static bool late_writes(const haft_store_request *request)
{
    for (size_t i = 0; i < request->n_ops; i++)
        if (request->ops[i].kind != HAFT_STORE_GET && request->ops[i].kind != HAFT_STORE_RANGE)
            return true;
    return false;
}

/* Answers a write so that its caller does not know whether it was applied. */
static int late_forget(struct late_store *store, haft_store_request *request, bool applies)
{
    if (applies)
        haft_store_submit(store->inner, request);
    for (size_t i = 0; i < request->n_ops; i++)
        request->ops[i].ret_version = 0;
    request->is_durable = false;
    request->is_unknown = true;
    request->status = HAFT_ETIMEOUT;
    return HAFT_ETIMEOUT;
}

static int late_submit(haft_store *given, haft_store_request *request)
{
    struct late_store *store = (struct late_store *)given;
    struct late *late;
    enum late_mode mode;

    pthread_mutex_lock(&store->lock);
    mode = store->mode;
    pthread_mutex_unlock(&store->lock);
    atomic_fetch_add(&store->requests, 1);
    if (mode == LATE_FAILS)
        return HAFT_EFAIL;
    if ((mode == LATE_DROPS || mode == LATE_MUTE) && late_writes(request))
        return late_forget(store, request, mode == LATE_MUTE);
    if (mode == LATE_AT_ONCE || mode == LATE_DROPS || mode == LATE_MUTE) {
        int status = haft_store_submit(store->inner, request);

        request->is_durable = request->durable && atomic_load(&store->is_durable);
        return status;
    }
    late = late_copy(request);
    if (!late)
        return HAFT_ENOMEM;
    late->due = late_now() + store->delay_ms;
    pthread_mutex_lock(&store->lock);
    *store->last = late;
    store->last = &late->next;
    store->waiting++;
    pthread_cond_signal(&store->changed);
    pthread_mutex_unlock(&store->lock);
    return HAFT_PENDING;
}

static bool late_cancel(haft_store *given, haft_store_request *request)
{
    struct late_store *store = (struct late_store *)given;
    struct late **link, *found = NULL;

    pthread_mutex_lock(&store->lock);
    for (link = &store->first; !store->holds_on && *link && (*link)->request != request;)
        link = &(*link)->next;
    if (!store->holds_on && *link) {
        found = *link;
        *link = found->next;
        if (store->last == &found->next)
            store->last = link;
        store->waiting--;
    }
    pthread_mutex_unlock(&store->lock);
    if (found)
        late_free(found);
    return found;
}

/* ---- channels ---- */

static int late_subscribe(haft_store *given, haft_store_subscriber *subscriber)
{
    struct late_store *store = (struct late_store *)given;
    size_t i = 0;

    pthread_mutex_lock(&store->lock);
    while (i < MAX_SUBSCRIBERS && store->subscribers[i])
        i++;
    if (i < MAX_SUBSCRIBERS)
        store->subscribers[i] = subscriber;
    pthread_mutex_unlock(&store->lock);
    return i < MAX_SUBSCRIBERS ? haft_store_subscribe(store->inner, subscriber) : HAFT_ETOOBIG;
}

static void late_unsubscribe(haft_store *given, haft_store_subscriber *subscriber)
{
    struct late_store *store = (struct late_store *)given;

    haft_store_unsubscribe(store->inner, subscriber);
    pthread_mutex_lock(&store->lock);
    for (size_t i = 0; i < MAX_SUBSCRIBERS; i++)
        if (store->subscribers[i] == subscriber)
            store->subscribers[i] = NULL;
    pthread_mutex_unlock(&store->lock);
}

void late_store_gap(struct late_store *store)
{
    pthread_mutex_lock(&store->lock);
    for (size_t i = 0; i < MAX_SUBSCRIBERS; i++)
        if (store->subscribers[i] && store->subscribers[i]->gap)
            store->subscribers[i]->gap(store->subscribers[i]);
    pthread_mutex_unlock(&store->lock);
}

static void late_get_status(haft_store *given, haft_store_status *ret_status)
{
    struct late_store *store = (struct late_store *)given;

    ret_status->available = true;
    ret_status->durable = atomic_load(&store->can_durable);
}

static const haft_store_methods late_methods = HAFT_INIT(
    haft_store_methods, .name = "late", .submit = late_submit, .cancel = late_cancel,
    .subscribe = late_subscribe, .unsubscribe = late_unsubscribe, .get_status = late_get_status);

/* ---- lifetime ---- */

struct late_store *late_store_new(haft_store *inner, enum late_mode mode, unsigned delay_ms)
{
    struct late_store *store = calloc(1, sizeof *store);

    if (!store)
        return NULL;
    *store = (struct late_store){.store = {&late_methods},
                                 .inner = inner,
                                 .last = &store->first,
                                 .mode = mode,
                                 .delay_ms = delay_ms};
    pthread_mutex_init(&store->lock, NULL);
    pthread_cond_init(&store->changed, NULL);
    if (delay_ms && pthread_create(&store->thread, NULL, late_run, store)) {
        free(store);
        return NULL;
    }
    store->has_thread = delay_ms;
    return store;
}

void late_store_free(struct late_store *store)
{
    if (!store)
        return;
    pthread_mutex_lock(&store->lock);
    store->ends = true;
    pthread_cond_signal(&store->changed);
    pthread_mutex_unlock(&store->lock);
    if (store->has_thread)
        pthread_join(store->thread, NULL);
    while (store->first)
        late_free(late_take(store));
    pthread_mutex_destroy(&store->lock);
    pthread_cond_destroy(&store->changed);
    free(store);
}

haft_store *late_store_of(struct late_store *store)
{
    return &store->store;
}

void late_store_set(struct late_store *store, enum late_mode mode)
{
    pthread_mutex_lock(&store->lock);
    store->mode = mode;
    pthread_cond_signal(&store->changed);
    pthread_mutex_unlock(&store->lock);
}

void late_store_hold_on(struct late_store *store)
{
    pthread_mutex_lock(&store->lock);
    store->holds_on = true;
    pthread_mutex_unlock(&store->lock);
}

void late_store_set_durable(struct late_store *store, bool is_durable)
{
    atomic_store(&store->can_durable, true);
    atomic_store(&store->is_durable, is_durable);
}

size_t late_store_release(struct late_store *store, int status)
{
    struct late *late, *next;
    size_t n = 0;

    pthread_mutex_lock(&store->lock);
    late = store->first;
    store->first = NULL;
    store->last = &store->first;
    store->waiting = 0;
    pthread_mutex_unlock(&store->lock);
    for (; late; late = next, n++) {
        next = late->next;
        late_answer(store, late, status);
    }
    return n;
}

bool late_store_release_one(struct late_store *store, int status, bool applies)
{
    struct late *late = NULL;

    pthread_mutex_lock(&store->lock);
    if (store->first)
        late = late_take(store);
    pthread_mutex_unlock(&store->lock);
    if (!late)
        return false;
    if (applies) {
        haft_store_submit(store->inner, &late->copy);
        late->request->is_unknown = true;
    }
    late_answer(store, late, status);
    return true;
}

size_t late_store_waiting(struct late_store *store)
{
    size_t n;

    pthread_mutex_lock(&store->lock);
    n = store->waiting;
    pthread_mutex_unlock(&store->lock);
    return n;
}

bool late_store_wants_durable(struct late_store *store)
{
    bool wants;

    pthread_mutex_lock(&store->lock);
    wants = store->first && store->first->request->durable;
    pthread_mutex_unlock(&store->lock);
    return wants;
}

size_t late_store_requests(struct late_store *store)
{
    return atomic_load(&store->requests);
}
