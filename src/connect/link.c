/* link.c - the loop of a client, its timers, and its end. */
#include "connect/link.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/sha256.h"

enum { LINK_ARENA = 16 << 20 };

/* ---- handles ---- */

void hf_connect_link_opened(struct connect_link *link)
{
    link->handles++;
}

/* Headers may be secrets. */
static void link_wipe(const haft_target *target)
{
    for (size_t i = 0; i < target->n_headers; i++)
        hf_secret_wipe((char *)target->headers[i].value, strlen(target->headers[i].value));
}

static void link_release(struct connect_link *link)
{
    void (*closed)(void *context) = link->closed;
    void *context = link->closed_context;
    haft_arena *arena = link->arena;

    link_wipe(&link->target);
    link->class->release(link);
    haft_arena_free(arena);
    if (closed)
        closed(context);
}

void hf_connect_link_handle_closed(struct connect_link *link)
{
    if (--link->handles)
        return;
    link->gone = true;
    if (!link->has_own)
        link_release(link);
}

static void link_on_closed(uv_handle_t *handle)
{
    hf_connect_link_handle_closed(handle->data);
}

/* Lets the own loop run until everything on it is closed. */
static void link_finish_own(struct connect_link *link)
{
    link->running = true;
    while (!link->gone)
        uv_run(&link->own, UV_RUN_ONCE);
    while (uv_loop_close(&link->own) == UV_EBUSY)
        uv_run(&link->own, UV_RUN_ONCE);
    link_release(link);
}

void hf_connect_link_close(struct connect_link *link)
{
    if (link->over)
        return;
    link->over = true;
    uv_update_time(link->loop);
    uv_timer_stop(&link->timer);
    link->class->end(link);
    uv_close((uv_handle_t *)&link->timer, link_on_closed);
    uv_close((uv_handle_t *)&link->wait_timer, link_on_closed);
    uv_close((uv_handle_t *)&link->late_timer, link_on_closed);
    if (!link->has_own)
        return;
    if (link->running)
        link->deferred = true;
    else
        link_finish_own(link);
}

/* Fills closed standard descriptors with /dev/null, for good: a socket or a pipe with such a number would not
 * be closed by libuv, would receive what the program prints, and would be inherited by children. */
static void link_keep_standard(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        int null = fcntl(fd, F_GETFD) < 0 ? open("/dev/null", fd ? O_WRONLY : O_RDONLY) : fd;

        if (null > STDERR_FILENO)
            close(null); /* another thread was faster */
    }
}

int hf_connect_link_init(struct connect_link *link, const struct connect_class *class,
                         const haft_allocator *allocator, uv_loop_t *loop,
                         const haft_target *target, const struct connect_limits *limits)
{
    memset(link, 0, sizeof *link);
    link->class = class;
    link->allocator = allocator;
    link->limits = *limits;
    link->arena = haft_arena_new(allocator, LINK_ARENA);
    if (!link->arena || hf_connect_target_copy(target, link->arena, &link->target)) {
        haft_arena_free(link->arena);
        return HAFT_ENOMEM;
    }
    link_keep_standard();
    link->has_own = !loop;
    if (link->has_own && uv_loop_init(&link->own)) {
        haft_arena_free(link->arena);
        return HAFT_EBUSY;
    }
    link->loop = loop ? loop : &link->own;
    uv_timer_init(link->loop, &link->timer);
    uv_timer_init(link->loop, &link->wait_timer);
    uv_timer_init(link->loop, &link->late_timer);
    link->timer.data = link->wait_timer.data = link->late_timer.data = link;
    link->handles = 3;
    return 0;
}

/* ---- reports ---- */

void hf_connect_link_message(struct connect_link *link, const char *text, size_t size, void *tag)
{
    if (link->over)
        return;
    link->heard = true;
    link->receiver.message(link->receiver.context, text, size, tag, (haft_time)uv_now(link->loop));
}

void hf_connect_link_too_long(struct connect_link *link, size_t size)
{
    if (link->over)
        return;
    link->heard = true;
    link->receiver.too_long(link->receiver.context, size, NULL);
}

void hf_connect_link_failed(struct connect_link *link, void *tag, const haft_failure *failure)
{
    if (link->over || !link->receiver.failed)
        return;
    link->heard = true;
    link->receiver.failed(link->receiver.context, tag, failure);
}

void hf_connect_link_closed(struct connect_link *link)
{
    if (link->over)
        return;
    link->heard = true;
    link->receiver.closed(link->receiver.context, NULL);
}

void hf_connect_link_held(struct connect_link *link, void *tag, bool held)
{
    if (link->over || !link->receiver.held)
        return;
    link->heard = true;
    link->receiver.held(link->receiver.context, tag, held);
}

static void link_on_late(uv_timer_t *timer)
{
    struct connect_link *link = timer->data;
    void *tag = link->late_all ? NULL : link->late_tag;
    haft_failure failure = link->late;

    link->late_tag = NULL;
    link->late_all = false;
    link->late = (haft_failure){0};
    hf_connect_link_failed(link, tag, &failure);
}

void hf_connect_link_fail_later(struct connect_link *link, void *tag, int status, const char *text)
{
    if (link->over)
        return;
    link->late_all = link->late_all || link->late.status;
    link->late_tag = tag;
    link->late = (haft_failure){.status = status, .text = text};
    uv_timer_start(&link->late_timer, link_on_late, 0, 0);
}

/* ---- the functions for the client ---- */

static void link_send(void *context, const haft_outgoing *message)
{
    struct connect_link *link = context;

    if (!link->over)
        link->class->send(link, message);
}

static void link_let_go(void *context, void *tag, bool over)
{
    struct connect_link *link = context;

    if (!link->over && tag && link->late_tag == tag) {
        link->late_tag = NULL;
        if (!link->late_all) {
            link->late = (haft_failure){0};
            uv_timer_stop(&link->late_timer);
        }
    }
    if (!link->over)
        link->class->let_go(link, tag, over);
}

uint64_t hf_connect_link_now(struct connect_link *link)
{
    if (link->has_own)
        uv_update_time(link->loop);
    return uv_now(link->loop);
}

static haft_time link_now(void *context)
{
    return (haft_time)hf_connect_link_now(context);
}

static void link_on_tick(uv_timer_t *timer)
{
    struct connect_link *link = timer->data;

    link->heard = true;
    link->receiver.tick(link->receiver.context, (haft_time)uv_now(link->loop));
}

static void link_set_timer(void *context, haft_time at)
{
    struct connect_link *link = context;
    haft_time now = (haft_time)hf_connect_link_now(link);

    if (link->over)
        return;
    if (at < 0 || at == INT64_MAX)
        uv_timer_stop(&link->timer);
    else
        uv_timer_start(&link->timer, link_on_tick, at > now ? (uint64_t)(at - now) : 0, 0);
}

static void link_on_waited(uv_timer_t *timer)
{
    (void)timer; /* the loop has woken up */
}

haft_time hf_connect_link_wait(struct connect_link *link, unsigned milliseconds)
{
    uint64_t now, end;

    if (link->running) /* from within a callback: the loop runs already */
        return (haft_time)hf_connect_link_now(link);
    now = hf_connect_link_now(link);
    end = now + milliseconds;
    link->heard = false;
    link->running = true;
    if (milliseconds)
        uv_timer_start(&link->wait_timer, link_on_waited, milliseconds, 0);
    do {
        uv_run(link->loop, milliseconds ? UV_RUN_ONCE : UV_RUN_NOWAIT);
        now = uv_now(link->loop);
    } while (!link->heard && !link->over && now < end);
    link->running = false;
    if (link->deferred)
        link_finish_own(link);
    else
        uv_timer_stop(&link->wait_timer);
    return (haft_time)now;
}

static haft_time link_wait(void *context, unsigned milliseconds)
{
    return hf_connect_link_wait(context, milliseconds);
}

static void link_close(void *context)
{
    hf_connect_link_close(context);
}

static void link_negotiated(void *context, const char *revision)
{
    struct connect_link *link = context;

    if (!link->over && link->class->negotiated)
        link->class->negotiated(link, revision);
}

static int link_restart(void *context)
{
    struct connect_link *link = context;

    return link->over ? HAFT_ECLOSED : link->class->restart(link);
}

static void link_listen(void *context, bool listen)
{
    struct connect_link *link = context;

    if (!link->over && link->class->listen)
        link->class->listen(link, listen);
}

haft_transport hf_connect_link_transport(struct connect_link *link)
{
    return (haft_transport)HAFT_INIT(
        haft_transport, .send = link_send, .let_go = link->class->let_go ? link_let_go : NULL,
        .wait = link->has_own ? link_wait : NULL, .close = link_close, .context = link,
        .negotiated = link_negotiated, .restart = link->class->restart ? link_restart : NULL,
        .listen = link->class->listen ? link_listen : NULL, .now = link_now,
        .set_timer = link_set_timer);
}

struct connect_link *hf_connect_link_of(const haft_transport *transport)
{
    return transport->close == link_close ? transport->context : NULL;
}
