/* session_loop.c - a session on its own loop: the session's tick runs before the loop sleeps, if
 * there were events. */
#include "loop/session_loop.h"

#include "process/isolate.h"

static void own_on_woken(void *context, bool asked)
{
    struct session_loop *own = context;

    (void)asked;
    loop_stir(&own->loop);
}

static haft_time own_on_tick(void *context, haft_time now)
{
    struct session_loop *own = context;

    return own->session ? haft_session_tick(own->session, now) : -1;
}

static void own_before_sleep(void *context)
{
    struct session_loop *own = context;

    own->before_sleep(own->context);
}

static const struct loop_events own_events = {own_on_woken, own_on_tick, own_before_sleep};

/* ---- life ---- */

static void own_close(struct session_loop *own)
{
    hf_loop_close(&own->loop, NULL);
    uv_run(&own->uv, UV_RUN_DEFAULT);
    hf_loop_finish(&own->loop);
    uv_loop_close(&own->uv);
}

static int own_make_session(struct session_loop *own, const haft_transport *transport)
{
    haft_session_options options =
        HAFT_INIT(haft_session_options, .transport = transport, .loop = &own->loop.interface);
    int status = hf_server_make_seal_key(own->server, options.loop);

    if (status)
        return status;
    own->session = haft_session_new(own->server, &options);
    if (!own->session)
        return HAFT_ENOMEM;
    own->receiver = haft_session_receiver(own->session);
    return 0;
}

int hf_session_loop_init(struct session_loop *own, haft_server *server, unsigned workers,
                         size_t max_queue, const haft_transport *transport,
                         void (*before_sleep)(void *context), void *context)
{
    int status;

    *own =
        (struct session_loop){.server = server, .before_sleep = before_sleep, .context = context};
    /* Must precede the creation of threads. */
    status = hf_isolate_start(server);
    if (status)
        return status;
    if (uv_loop_init(&own->uv))
        return HAFT_EBUSY;
    status =
        hf_loop_init(&own->loop, &own->uv, server->allocator, workers, max_queue, &own_events, own);
    if (status) {
        uv_loop_close(&own->uv);
        return status;
    }
    status = own_make_session(own, transport);
    if (status) {
        hf_loop_join(&own->loop);
        own_close(own);
    }
    return status;
}

void hf_session_loop_finish(struct session_loop *own)
{
    own_close(own);
}

void hf_session_loop_run(struct session_loop *own)
{
    uv_run(&own->uv, UV_RUN_DEFAULT);
}

void hf_session_loop_stop(struct session_loop *own)
{
    uv_stop(&own->uv);
}

void hf_session_loop_close(struct session_loop *own)
{
    haft_session *session = own->session;

    if (!session)
        return;
    own->session = NULL;
    haft_session_free(session);
    hf_loop_give_up(&own->loop);
    hf_loop_pause(&own->loop, false);
    hf_loop_deliver(&own->loop);
}
