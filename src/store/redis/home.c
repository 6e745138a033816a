/* home.c - the lane with its own thread, for threads without a loop and for channels. */
#include <signal.h>

#include "store/redis/room.h"

struct redis_home {
    struct redis_store *store;
    uv_loop_t loop;
    uv_async_t wakeup;
    pthread_t thread;
    struct redis_lane *lane;
    struct redis_job *mail, **mail_end; /* under the store's home_lock, like the following */
    bool channels, connects, stops;
    bool stopped; /* on its thread */
};

static void home_accept(struct redis_home *home, struct redis_job *job)
{
    struct redis_job *next;

    for (; job; job = next) {
        next = job->next;
        hf_redis_lane_accept(home->lane, job);
    }
}

static void home_on_wakeup(uv_async_t *wakeup)
{
    struct redis_home *home = wakeup->data;
    struct redis_store *store = home->store;
    struct redis_link *channels = &home->lane->links[LINK_CHANNELS];
    struct redis_job *mail;
    bool updates, connects, stops;

    pthread_mutex_lock(&store->home_lock);
    mail = home->mail;
    home->mail = NULL;
    home->mail_end = &home->mail;
    updates = home->channels;
    connects = home->connects;
    stops = home->stops;
    home->channels = home->connects = false;
    pthread_mutex_unlock(&store->home_lock);

    if (home->stopped)
        return;
    home_accept(home, mail);
    if (connects)
        hf_redis_link_use(&home->lane->links[LINK_COMMANDS]);
    if (updates) {
        hf_redis_link_use(channels);
        hf_redis_channels_update(channels, false);
    }
    hf_redis_lane_deliver(home->lane);
    if (stops) {
        home->stopped = true;
        hf_redis_lane_close(home->lane);
        store->host->close((uv_handle_t *)&home->wakeup, NULL);
    }
}

static void *home_run(void *argument)
{
    struct redis_home *home = argument;

    home->store->host->run(&home->loop, UV_RUN_DEFAULT);
    return NULL;
}

/* Starts the thread, without signals: they are for the program's own threads. */
static int home_start_thread(struct redis_home *home)
{
    sigset_t all, before;
    int status;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    status = pthread_create(&home->thread, NULL, home_run, home);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

static void home_free(struct redis_home *home)
{
    const struct redis_host *host = home->store->host;

    host->loop_close(&home->loop);
    if (home->lane)
        hf_redis_lane_free(home->lane);
    redis_release(home->store, home, sizeof *home);
}

/* The caller holds home_lock. */
static int home_start(struct redis_store *store)
{
    const struct redis_host *host = store->host;
    struct redis_home *home = redis_alloc(store, sizeof *home);

    if (!home)
        return HAFT_ENOMEM;
    home->store = store;
    home->mail_end = &home->mail;
    if (host->loop_init(&home->loop)) {
        redis_release(store, home, sizeof *home);
        return HAFT_ENOMEM;
    }
    home->wakeup.data = home;
    if (host->async_init(&home->loop, &home->wakeup, home_on_wakeup))
        goto no_wakeup;
    home->lane = hf_redis_lane_new(store, &home->loop);
    if (!home->lane)
        goto no_lane;
    if (home_start_thread(home))
        goto no_thread;
    store->home = home;
    return 0;

no_thread:
    hf_redis_lane_close(home->lane);
no_lane:
    host->close((uv_handle_t *)&home->wakeup, NULL);
    host->run(&home->loop, UV_RUN_DEFAULT);
no_wakeup:
    home_free(home);
    return HAFT_ENOMEM;
}

int hf_redis_home_post(struct redis_store *store, struct redis_job *job)
{
    int status = 0;

    pthread_mutex_lock(&store->home_lock);
    if (!store->home)
        status = home_start(store);
    if (!status && atomic_fetch_add(&store->home->lane->n_jobs, 1) >= store->options.max_waiting) {
        atomic_fetch_sub(&store->home->lane->n_jobs, 1);
        status = HAFT_EBUSY;
    }
    if (!status) {
        atomic_fetch_add(&store->waiting, 1);
        job->next = NULL;
        *store->home->mail_end = job;
        store->home->mail_end = &job->next;
        store->host->async_send(&store->home->wakeup);
    }
    pthread_mutex_unlock(&store->home_lock);
    return status;
}

int hf_redis_home_wake(struct redis_store *store, bool channels)
{
    int status = 0;

    pthread_mutex_lock(&store->home_lock);
    if (!store->home)
        status = home_start(store);
    if (!status) {
        store->home->channels |= channels;
        store->home->connects |= !channels;
        store->host->async_send(&store->home->wakeup);
    }
    pthread_mutex_unlock(&store->home_lock);
    return status;
}

void hf_redis_home_stop(struct redis_store *store)
{
    struct redis_home *home = store->home;

    if (!home)
        return;
    pthread_mutex_lock(&store->home_lock);
    home->stops = true;
    store->host->async_send(&home->wakeup);
    pthread_mutex_unlock(&store->home_lock);
    pthread_join(home->thread, NULL);
    store->home = NULL;
    home_free(home);
}
