/* watch.c - connects libcurl's sockets and timer to libuv. */
#include <string.h>
#include <unistd.h>

#include "http/client/room.h"

static void watch_act(http_client *client, curl_socket_t socket, int flags)
{
    int running;

    if (!client->multi || client->destroyed)
        return;
    client->depth++;
    if (curl_multi_socket_action(client->multi, socket, flags, &running))
        client->broken = true;
    client->depth--;
}

/* A failure makes libcurl's handle unusable: the client starts over. */
static int watch_fail(http_client *client)
{
    client->broken = true;
    hf_http_client_settle_soon(client);
    return -1;
}

static void watch_stop(struct http_watch *watch)
{
    watch->client->uv->poll_stop(&watch->poll);
    watch->polled = 0;
}

static int watch_start(struct http_watch *watch);

static void watch_on_ready(uv_poll_t *poll, int status, int events)
{
    struct http_watch *watch = poll->data;
    http_client *client = watch->client;
    int flags = 0;

    /* Nothing waits: the server has closed an unused connection, or libcurl has paused. */
    if (!watch->events) {
        watch_stop(watch);
        return;
    }
    /* The error is reported by reading, after earlier data; libuv has stopped polling. */
    if (status < 0) {
        watch->polled = 0;
        events = watch->events;
    }
    if (events & UV_READABLE)
        flags |= CURL_CSELECT_IN;
    if (events & UV_WRITABLE)
        flags |= CURL_CSELECT_OUT;
    watch_act(client, watch->socket, flags);
    hf_http_client_settle(client);
    if (status < 0 && !watch->closed && watch->events && watch_start(watch))
        watch_fail(client);
}

/* Polls for the events that libcurl waits for. */
static int watch_start(struct http_watch *watch)
{
    http_client *client = watch->client;
    int status = 0;

    client->uv->ref((uv_handle_t *)&watch->poll);
    if (watch->polled != watch->events)
        status = client->uv->poll_start(&watch->poll, watch->events, watch_on_ready);
    watch->polled = status ? 0 : watch->events;
    return status;
}

void hf_http_watch_attempt_over(http_client *client)
{
    enum { WATCH_SURE = 0x080400 }; /* 8.4.0 does it of itself */

    client->libcurl.nudge = client->libcurl.version < WATCH_SURE;
}

/* After an address that does not answer, libcurl prepares the next one of the same family and opens its socket when it is
 * called next, but waits for neither a socket nor a timer. A change of the pause makes it continue. */
void hf_http_watch_nudge(http_client *client)
{
    client->libcurl.nudge = false;
    client->depth++;
    for (http_request *request = client->requests; request; request = request->next)
        if (request->added && request->phase == PHASE_CONNECT && request->handle->connects) {
            curl_easy_pause(request->easy, CURLPAUSE_RECV);
            curl_easy_pause(request->easy, CURLPAUSE_CONT);
        }
    client->depth--;
}

void hf_http_watch_due(http_client *client)
{
    client->libcurl.due = false; /* libcurl says so again if it is */
    watch_act(client, CURL_SOCKET_TIMEOUT, 0);
}

static void watch_on_time(uv_timer_t *timer)
{
    hf_http_watch_due(timer->data);
    hf_http_client_settle(timer->data);
}

static void watch_release(uv_handle_t *handle)
{
    struct http_watch *watch = handle->data;
    http_client *client = watch->client;

    client->allocator->release(client->allocator->context, watch, sizeof *watch);
    hf_http_client_handle_closed(client);
}

static void watch_close(struct http_watch *watch)
{
    watch->closed = true;
    watch->client->n_passing -= !watch->stays;
    *watch->at = watch->next;
    if (watch->next)
        watch->next->at = watch->at;
    watch->client->uv->close((uv_handle_t *)&watch->poll, watch_release);
}

static struct http_watch *watch_find(const http_client *client, curl_socket_t socket)
{
    struct http_watch *watch = client->watches;

    while (watch && watch->socket != socket)
        watch = watch->next;
    return watch;
}

static struct http_watch *socket_watch_new(http_client *client, curl_socket_t socket)
{
    struct http_watch *watch = client->allocator->alloc(client->allocator->context, sizeof *watch);

    if (!watch)
        return NULL;
    memset(watch, 0, sizeof *watch);
    watch->client = client;
    watch->socket = socket;
    watch->poll.data = watch;
    if (client->uv->poll_init(client->loop, &watch->poll, socket))
        goto no_poll;
    client->handles++;
    client->n_passing++;
    watch->at = &client->watches;
    watch->next = client->watches;
    if (watch->next)
        watch->next->at = &watch->next;
    client->watches = watch;
    return watch;

no_poll:
    client->allocator->release(client->allocator->context, watch, sizeof *watch);
    return NULL;
}

/* A handle closed after its socket would remove the events of a new socket with the same number.
 * For connections that have been used, libcurl reports when it closes the socket; for others, and
 * for the sockets of its resolver threads, this callback is the only notice.
 *
 * Polling a used connection goes on until there is an event: the next request mostly waits for the
 * same events, and to stop and start costs three system calls. It does not keep the loop alive. */
static void watch_remove(struct http_watch *watch)
{
    http_client *client = watch->client;

    curl_multi_assign(client->multi, watch->socket, NULL);
    watch->events = 0;
    if (watch->stays) {
        client->uv->unref((uv_handle_t *)&watch->poll);
        return;
    }
    watch_close(watch);
    hf_http_watch_attempt_over(client);
}

static struct http_watch *watch_assign(http_client *client, curl_socket_t socket)
{
    struct http_watch *watch = watch_find(client, socket);

    if (!watch)
        watch = socket_watch_new(client, socket);
    if (watch && curl_multi_assign(client->multi, socket, watch))
        return NULL;
    return watch;
}

int hf_http_watch_socket(CURL *easy, curl_socket_t socket, int what, void *context, void *assigned)
{
    http_client *client = context;
    struct http_watch *watch = assigned;
    int events =
        ((what & CURL_POLL_IN) ? UV_READABLE : 0) | ((what & CURL_POLL_OUT) ? UV_WRITABLE : 0);

    if (what == CURL_POLL_REMOVE) {
        if (watch)
            watch_remove(watch);
        return 0;
    }
    if (!watch)
        watch = watch_assign(client, socket);
    if (watch) {
        watch->easy = easy;
        watch->events = events;
    }
    if (!watch || watch_start(watch))
        return watch_fail(client);
    return 0;
}

void hf_http_watch_keep(http_client *client, const CURL *easy)
{
    for (struct http_watch *watch = client->watches; watch && client->n_passing;
         watch = watch->next)
        if (watch->easy == easy && watch->events && !watch->stays) {
            watch->stays = true;
            client->n_passing--;
        }
}

int hf_http_watch_socket_closes(void *context, curl_socket_t socket)
{
    http_client *client = context;
    struct http_watch *watch = watch_find(client, socket);

    hf_http_watch_attempt_over(client);
    if (watch)
        watch_close(watch);
    if (client->pool.taking && client->pool.taken == socket) {
        client->pool.taking = false;
        return 0;
    }
    return close(socket);
}

int hf_http_watch_time(CURLM *multi, long ms, void *context)
{
    http_client *client = context;

    (void)multi;
    if (client->destroyed)
        return 0;
    client->uv->timer_stop(&client->curl_timer);
    client->libcurl.due = !ms;
    if (!ms)
        hf_http_client_settle_soon(client);
    else if (ms > 0 && client->uv->timer_start(&client->curl_timer, watch_on_time, (uint64_t)ms, 0))
        return watch_fail(client);
    return 0;
}

void hf_http_watch_close_all(http_client *client)
{
    while (client->watches) {
        if (client->multi)
            curl_multi_assign(client->multi, client->watches->socket, NULL);
        watch_close(client->watches);
    }
}
