/* demo_link.c - see demo_link.h.
 *
 * Requests and messages are function calls.  Only the end of a session needs a thread, since a session
 * cannot be closed from its own callback; the same thread lets the time of the home pass. */
#include "hass/demo_link.h"

#include <uv.h>

#include "base/percent.h"
#include "hass/memory.h"

enum { DEMO_LINK_SLICE_MS = 1000, DEMO_LINK_BREATH_MS = 10 };

struct demo_link {
    const haft_allocator *allocator;
    struct demo *demo;
    char *token;
    uv_mutex_t lock;
    uv_cond_t moved;
    uv_thread_t ticker;
    bool ticks, stopping;
    struct demo_session *session;
    unsigned users; /* calls of the session that have not returned */
    bool ended;     /* the home wants the session closed */
    void (*message)(void *who, const char *text, size_t size);
    void (*closed)(void *who, const char *reason);
    void *who;
};

/* ---- requests ---- */

static void demo_link_fail(void (*done)(void *who, const struct link_response *response), void *who,
                           const char *text)
{
    done(who, &(struct link_response){.text = text});
}

static void *demo_link_request(void *context, const struct link_request *request,
                               void (*done)(void *who, const struct link_response *response),
                               void *who)
{
    struct demo_link *link = context;
    haft_arena *arena = haft_arena_new(link->allocator, 1 << 20);
    size_t path_size = strcspn(request->path, "?");
    const char *path;
    struct demo_response response = {.status = 0};
    int status = HAFT_ENOMEM;

    path = arena ? hf_percent_decode(arena, request->path, path_size, false, &status) : NULL;
    if (!path) {
        haft_arena_free(arena);
        demo_link_fail(done, who,
                       status == HAFT_ENOMEM ? "out of memory" : "the path is not valid");
        return NULL;
    }
    haft_buffer_init(&response.body, link->allocator, 64 << 20);
    demo_handle(link->demo,
                &(struct demo_request){
                    .method = request->method,
                    .path = path,
                    .query = request->path[path_size] ? request->path + path_size + 1 : "",
                    .token = link->token,
                    .body = request->body ? request->body : "",
                    .size = request->body ? strlen(request->body) : 0},
                &response);
    haft_buffer_add(&response.body, "", 1);
    if (response.body.status)
        demo_link_fail(done, who, haft_strerror(response.body.status));
    else
        done(who, &(struct link_response){.status = response.status,
                                          .type = response.type,
                                          .body = response.body.data,
                                          .size = response.body.size - 1});
    haft_buffer_finish(&response.body);
    haft_arena_free(arena);
    return NULL;
}

static void demo_link_cancel(void *context, void *handle)
{
    (void)context;
    (void)handle;
}

/* ---- the socket ---- */

static void demo_link_on_send(void *who, const char *text, size_t size)
{
    struct demo_link *link = who;

    link->message(link->who, text, size);
}

static void demo_link_on_end(void *who)
{
    struct demo_link *link = who;

    uv_mutex_lock(&link->lock);
    link->ended = true;
    uv_cond_broadcast(&link->moved);
    uv_mutex_unlock(&link->lock);
}

/* With the lock held, which it gives up meanwhile. */
static void demo_link_end(struct demo_link *link, const char *reason)
{
    struct demo_session *session = link->session;

    if (!session)
        return;
    link->session = NULL;
    while (link->users)
        uv_cond_wait(&link->moved, &link->lock);
    link->ended = false;
    uv_mutex_unlock(&link->lock);
    demo_session_close(session);
    link->closed(link->who, reason);
    uv_mutex_lock(&link->lock);
}

static void demo_link_tick(void *context)
{
    struct demo_link *link = context;

    uv_mutex_lock(&link->lock);
    while (!link->stopping) {
        int64_t ms;

        if (link->ended && link->session) {
            demo_link_end(link, "Home Assistant closed the connection");
            continue;
        }
        uv_mutex_unlock(&link->lock);
        ms = demo_tick(link->demo) / 1000;
        uv_mutex_lock(&link->lock);
        ms = ms < 0 || ms > DEMO_LINK_SLICE_MS ? DEMO_LINK_SLICE_MS : ms;
        if (!link->stopping && !(link->ended && link->session))
            uv_cond_timedwait(&link->moved, &link->lock,
                              (uint64_t)(ms < DEMO_LINK_BREATH_MS ? DEMO_LINK_BREATH_MS : ms) *
                                  1000000);
    }
    uv_mutex_unlock(&link->lock);
}

static int demo_link_open(void *context, void (*message)(void *who, const char *text, size_t size),
                          void (*closed)(void *who, const char *reason), void *who)
{
    struct demo_link *link = context;
    struct demo_session *session;

    uv_mutex_lock(&link->lock);
    if (!link->ticks)
        link->ticks = !uv_thread_create(&link->ticker, demo_link_tick, link);
    link->message = message;
    link->closed = closed;
    link->who = who;
    link->ended = false;
    uv_mutex_unlock(&link->lock);
    if (!link->ticks)
        return HAFT_EFAIL;
    session = demo_session_open(link->demo, demo_link_on_send, demo_link_on_end, link);
    uv_mutex_lock(&link->lock);
    link->session = session;
    uv_cond_broadcast(&link->moved);
    uv_mutex_unlock(&link->lock);
    return session ? 0 : HAFT_ENOMEM;
}

static void demo_link_send(void *context, const char *text, size_t size)
{
    struct demo_link *link = context;
    struct demo_session *session;

    uv_mutex_lock(&link->lock);
    session = link->session;
    link->users += session != NULL;
    uv_mutex_unlock(&link->lock);
    if (!session)
        return;
    demo_session_receive(session, text, size);
    uv_mutex_lock(&link->lock);
    link->users--;
    uv_cond_broadcast(&link->moved); /* also the ticker: there may be something to do sooner */
    uv_mutex_unlock(&link->lock);
}

static void demo_link_close(void *context)
{
    struct demo_link *link = context;

    uv_mutex_lock(&link->lock);
    demo_link_end(link, "the connection was closed");
    uv_mutex_unlock(&link->lock);
}

/* ---- making one ---- */

static void demo_link_free(void *context)
{
    struct demo_link *link = context;

    if (!link)
        return;
    uv_mutex_lock(&link->lock);
    link->stopping = true;
    uv_cond_broadcast(&link->moved);
    uv_mutex_unlock(&link->lock);
    if (link->ticks)
        uv_thread_join(&link->ticker);
    uv_cond_destroy(&link->moved);
    uv_mutex_destroy(&link->lock);
    hass_drop(link->allocator, link->token);
    hass_release(link->allocator, link, sizeof *link);
}

struct hass_link demo_link_with_token(struct demo *demo, const char *token)
{
    const haft_allocator *allocator = hf_allocator_or_default(NULL);
    struct demo_link *link = hass_alloc(allocator, sizeof *link);
    struct hass_link ops = {.request = demo_link_request,
                            .cancel = demo_link_cancel,
                            .open = demo_link_open,
                            .send = demo_link_send,
                            .close = demo_link_close,
                            .free = demo_link_free};

    if (!link)
        return ops;
    *link = (struct demo_link){
        .allocator = allocator, .demo = demo, .token = hass_keep(allocator, token)};
    if (!link->token || uv_mutex_init(&link->lock))
        goto no_lock;
    if (uv_cond_init(&link->moved))
        goto no_cond;
    ops.context = link;
    ops.token = link->token;
    return ops;
no_cond:
    uv_mutex_destroy(&link->lock);
no_lock:
    hass_drop(allocator, link->token);
    hass_release(allocator, link, sizeof *link);
    return ops;
}

struct hass_link demo_link_new(struct demo *demo)
{
    return demo_link_with_token(demo, "demo");
}
