/* server.c - a server in this process, for a client on a loop.
 *
 * A session behind a queue: a message that the client sends is processed when the loop runs next, so
 * that nothing is reported before `send` returns. */
#include <haft/engine.h>
#include <string.h>

#include "connect/link.h"
#include "engine/offer/platform.h"
#include "engine/session/session.h"

struct server_message {
    struct server_message *next;
    size_t size;
    char text[];
};

struct server_link {
    struct connect_link link;
    haft_session *session;
    uv_timer_t timer;
    struct server_message *first, *last;
    bool busy; /* the session is on the stack */
};

static void server_answer(void *context, const haft_outgoing *message)
{
    struct server_link *server = context;

    hf_connect_link_message(&server->link, message->text, message->size, NULL);
}

static struct server_message *server_take(struct server_link *server)
{
    struct server_message *message = server->first;

    server->first = message ? message->next : NULL;
    if (!server->first)
        server->last = NULL;
    return message;
}

static void server_free_message(struct server_link *server, struct server_message *message)
{
    const haft_allocator *allocator = server->link.allocator;

    allocator->release(allocator->context, message, sizeof *message + message->size);
}

static void server_on_timer_closed(uv_handle_t *handle)
{
    struct server_link *server = handle->data;

    hf_connect_link_handle_closed(&server->link);
}

static void server_finish(struct server_link *server)
{
    struct server_message *message;

    while ((message = server_take(server)))
        server_free_message(server, message);
    haft_session_free(server->session);
    server->session = NULL;
    uv_close((uv_handle_t *)&server->timer, server_on_timer_closed);
}

/* Processes what was sent, and the session's deadlines. */
static void server_on_timer(uv_timer_t *timer)
{
    struct server_link *server = timer->data;
    struct connect_link *link = &server->link;
    struct server_message *message;
    haft_time now = (haft_time)uv_now(link->loop), next;

    server->busy = true;
    while (!link->over && (message = server_take(server))) {
        int status = haft_session_receive(server->session, message->text, message->size, NULL, now);

        server_free_message(server, message);
        if (status)
            hf_connect_link_failed(link, NULL,
                                   &(haft_failure){.status = status,
                                                   .text = haft_strerror(status),
                                                   .maybe_handled = true});
    }
    next = haft_session_tick(server->session, now);
    server->busy = false;
    if (link->over)
        server_finish(server);
    else if (server->first || next >= 0)
        uv_timer_start(timer, server_on_timer,
                       server->first || next <= now ? 0 : (uint64_t)(next - now), 0);
}

static void server_send(struct connect_link *link, const haft_outgoing *message)
{
    struct server_link *server = (struct server_link *)link;
    const haft_allocator *allocator = link->allocator;
    struct server_message *kept =
        allocator->alloc(allocator->context, sizeof *kept + message->size);

    if (!kept) {
        hf_connect_link_fail_later(link, message->tag, HAFT_ENOMEM, "out of memory");
        return;
    }
    *kept = (struct server_message){.size = message->size};
    memcpy(kept->text, message->text, message->size);
    if (server->last)
        server->last->next = kept;
    else
        server->first = kept;
    server->last = kept;
    uv_timer_start(&server->timer, server_on_timer, 0, 0);
}

static void server_end(struct connect_link *link)
{
    struct server_link *server = (struct server_link *)link;

    if (!server->busy)
        server_finish(server);
}

static void server_release(struct connect_link *link)
{
    link->allocator->release(link->allocator->context, link, sizeof(struct server_link));
}

static const struct connect_class server_class = {
    .send = server_send, .end = server_end, .release = server_release};

struct connect_link *hf_connect_server_open(uv_loop_t *loop, const haft_allocator *allocator,
                                            const haft_target *target,
                                            const struct connect_limits *limits,
                                            haft_reason *reterr_reason)
{
    struct server_link *server = allocator->alloc(allocator->context, sizeof *server);
    haft_transport transport = HAFT_INIT(haft_transport, .send = server_answer, .context = server);
    int status =
        server ? hf_connect_link_init(&server->link, &server_class, allocator, loop, target, limits)
               : HAFT_ENOMEM;

    if (status) {
        if (server)
            allocator->release(allocator->context, server, sizeof *server);
        hf_error_set(reterr_reason, status, "", "%s", haft_strerror(status));
        return NULL;
    }
    server->first = server->last = NULL;
    server->busy = false;
    uv_timer_init(server->link.loop, &server->timer);
    server->timer.data = server;
    hf_connect_link_opened(&server->link);
    server->session =
        haft_session_new(target->server, HAFT_WITH(haft_session_options, .transport = &transport));
    if (server->session && !hf_platform_start(target->server)) {
        server->session->owner.inside = true;
        return &server->link;
    }
    hf_connect_link_close(&server->link);
    hf_error_set(reterr_reason, HAFT_ENOMEM, "", "out of memory");
    return NULL;
}
