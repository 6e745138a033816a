/* host.c - the engine's callbacks, answered with libuv.
 *
 * Everything happens in one of three ways: a guest's handle, the bell of the mailbox, the alarm.
 * Each marks the host as stirred; before the loop sleeps again the engine is told the time once
 * and says when it wants to be woken. */
#include "loop/host.h"

#include <string.h>
#include <time.h>

#include "base/sha256.h"
#include "process/isolate.h"

enum { MAX_NOTICES = 1024, NO_ALARM = -1 };

/* ---- time ---- */

haft_time host_now(const struct host *host)
{
    return host->epoch + (haft_time)((uv_hrtime() - host->made) / 1000000);
}

static void host_start_clock(struct host *host)
{
    struct timespec now = {0, 0};

    clock_gettime(CLOCK_REALTIME, &now);
    host->epoch = (haft_time)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    host->made = uv_hrtime();
}

/* ---- what the engine asks for ---- */

static void on_send(void *context, const haft_outgoing *message)
{
    struct host *host = context;

    host->guest.send(host->guest.context, message);
}

static int host_on_run(void *context, haft_call *call)
{
    struct host *host = context;

    return pool_run(&host->pool, call);
}

static void host_on_post(void *context, haft_posted *posted)
{
    struct host *host = context;
    uv_thread_t self = uv_thread_self();

    if (uv_thread_equal(&self, &host->thread))
        haft_session_deliver(posted->call->session, posted);
    else
        mailbox_put(&host->mailbox, posted);
}

static void host_on_wake(void *context)
{
    struct host *host = context;

    atomic_store(&host->woken, true);
    uv_async_send(&host->bell);
}

static void host_on_gone(void *context)
{
    struct host *host = context;

    host->gone = true;
}

/* ---- what wakes the loop ---- */

static void deliver(struct host *host)
{
    while (!host->paused) {
        haft_posted *posted;

        if (!host->mail)
            host->mail = mailbox_take(&host->mailbox);
        posted = host->mail;
        if (!posted)
            return;
        /* It is gone once it is delivered. */
        host->mail = posted->next;
        host->stirred = true;
        if (posted->ran)
            haft_call_done(posted->call);
        else
            haft_session_deliver(posted->call->session, posted);
    }
}

static void host_on_async(uv_async_t *handle)
{
    struct host *host = handle->data;

    if (atomic_exchange(&host->woken, false))
        host->stirred = true;
    deliver(host);
}

static void on_alarm(uv_timer_t *handle)
{
    struct host *host = handle->data;

    host->alarm_at = NO_ALARM;
    host->stirred = true;
}

static void set_alarm(struct host *host, haft_time at, haft_time now)
{
    /* One that goes off too early does no harm: it sets the next. */
    if (at < 0 || (host->alarm_at != NO_ALARM && host->alarm_at <= at))
        return;
    host->alarm_at = at;
    uv_update_time(&host->loop);
    uv_timer_start(&host->alarm, on_alarm, at > now ? (uint64_t)(at - now) : 0, 0);
}

static void on_sleep(uv_prepare_t *handle)
{
    struct host *host = handle->data;

    if (host->stirred && host->session) {
        haft_time now = host_now(host);

        host->stirred = false;
        set_alarm(host, haft_session_tick(host->session, now), now);
    }
    host->guest.settle(host->guest.context);
}

/* ---- life ---- */

static void ignore_close(uv_handle_t *handle)
{
    (void)handle;
}

static void host_close_loop(struct host *host)
{
    uv_close((uv_handle_t *)&host->bell, ignore_close);
    uv_close((uv_handle_t *)&host->alarm, ignore_close);
    uv_close((uv_handle_t *)&host->sleep, ignore_close);
    uv_run(&host->loop, UV_RUN_DEFAULT);
    uv_loop_close(&host->loop);
}

/* What seals the state of unfinished calls, for a server that was not given anything. */
static int make_seal_key(haft_server *server)
{
    unsigned char key[sizeof server->seal_key];

    if (server->has_seal_key)
        return 0;
    if (uv_random(NULL, NULL, key, sizeof key, 0, NULL))
        return HAFT_EBUSY;
    haft_server_set_seal_key(server, key);
    secret_wipe(key, sizeof key);
    return 0;
}

static int open_loop(struct host *host)
{
    if (uv_loop_init(&host->loop))
        return HAFT_EBUSY;
    if (uv_async_init(&host->loop, &host->bell, host_on_async)) {
        uv_loop_close(&host->loop);
        return HAFT_EBUSY;
    }
    uv_timer_init(&host->loop, &host->alarm);
    uv_prepare_init(&host->loop, &host->sleep);
    host->bell.data = host->alarm.data = host->sleep.data = host;
    uv_prepare_start(&host->sleep, on_sleep);
    return 0;
}

int host_init(struct host *host, haft_server *server, unsigned workers, size_t max_queue,
              struct guest guest)
{
    haft_session_options options = {.send = on_send,
                                    .run = host_on_run,
                                    .post = host_on_post,
                                    .wake = host_on_wake,
                                    .gone = host_on_gone,
                                    .context = host};
    int status;

    *host = (struct host){.server = server, .guest = guest, .alarm_at = NO_ALARM};
    host->thread = uv_thread_self();
    host_start_clock(host);
    /* Before there are threads. */
    status = isolate_start(server);
    if (!status)
        status = make_seal_key(server);
    if (!status)
        status = open_loop(host);
    if (status)
        return status;
    status = mailbox_init(&host->mailbox, MAX_NOTICES, &host->bell);
    if (status)
        goto no_mailbox;
    status = pool_init(&host->pool, server->allocator, workers, max_queue, &host->mailbox);
    if (status)
        goto no_pool;
    status = HAFT_ENOMEM;
    host->session = haft_session_new(server, &options);
    if (!host->session)
        goto no_session;
    return 0;

no_session:
    pool_finish(&host->pool);
no_pool:
    mailbox_finish(&host->mailbox);
no_mailbox:
    host_close_loop(host);
    return status;
}

void host_join(struct host *host)
{
    pool_finish(&host->pool);
}

void host_finish(struct host *host)
{
    host_close_loop(host);
    mailbox_finish(&host->mailbox);
}

void host_run(struct host *host)
{
    uv_run(&host->loop, UV_RUN_DEFAULT);
}

void host_stop(struct host *host)
{
    uv_stop(&host->loop);
}

int host_receive(struct host *host, const char *text, size_t size, haft_time now)
{
    host->stirred = true;
    return haft_session_receive(host->session, text, size, NULL, now);
}

void host_close_session(struct host *host)
{
    haft_session *session = host->session;

    if (!session)
        return;
    host->session = NULL;
    haft_session_free(session);
    mailbox_close(&host->mailbox);
    pool_give_up(&host->pool);
    host_pause(host, false);
    deliver(host);
}

void host_pause(struct host *host, bool paused)
{
    if (host->paused == paused)
        return;
    host->paused = paused;
    /* What came meanwhile has rung already. */
    if (!paused)
        uv_async_send(&host->bell);
}
