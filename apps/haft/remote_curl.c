/* remote_curl.c - libcurl tells which sockets and what time it waits for; libuv does the waiting. */
#include <stdlib.h>

#include "remote_http.h"

struct watch {
    uv_poll_t poll;
    struct carrier *carrier;
    curl_socket_t socket;
};

static void reap(struct carrier *carrier)
{
    CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(carrier->multi, &left)))
        if (message->msg == CURLMSG_DONE)
            carrier->done(carrier->context, message->easy_handle, message->data.result);
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    struct watch *watch = poll->data;
    struct carrier *carrier = watch->carrier;
    int flags = status < 0 ? CURL_CSELECT_ERR : 0, running;

    if (events & UV_READABLE)
        flags |= CURL_CSELECT_IN;
    if (events & UV_WRITABLE)
        flags |= CURL_CSELECT_OUT;
    curl_multi_socket_action(carrier->multi, watch->socket, flags, &running);
    reap(carrier);
}

static void on_time(uv_timer_t *timer)
{
    struct carrier *carrier = timer->data;
    int running;

    curl_multi_socket_action(carrier->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    reap(carrier);
}

static void free_watch(uv_handle_t *handle)
{
    struct watch *watch = handle->data;

    watch->carrier->open--;
    free(watch);
}

static struct watch *watch_new(struct carrier *carrier, curl_socket_t socket)
{
    struct watch *watch = calloc(1, sizeof *watch);

    if (!watch)
        return NULL;
    watch->carrier = carrier;
    watch->socket = socket;
    watch->poll.data = watch;
    if (uv_poll_init_socket(carrier->loop, &watch->poll, socket)) {
        free(watch);
        return NULL;
    }
    carrier->open++;
    curl_multi_assign(carrier->multi, socket, watch);
    return watch;
}

static int set_watch(CURL *easy, curl_socket_t socket, int what, void *context, void *assigned)
{
    struct carrier *carrier = context;
    struct watch *watch = assigned;

    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        if (watch) {
            curl_multi_assign(carrier->multi, socket, NULL);
            uv_close((uv_handle_t *)&watch->poll, free_watch);
        }
        return 0;
    }
    if (!watch)
        watch = watch_new(carrier, socket);
    if (!watch)
        return -1;
    uv_poll_start(&watch->poll,
                  ((what & CURL_POLL_IN) ? UV_READABLE : 0) |
                      ((what & CURL_POLL_OUT) ? UV_WRITABLE : 0),
                  on_ready);
    return 0;
}

static int set_timer(CURLM *multi, long milliseconds, void *context)
{
    struct carrier *carrier = context;

    (void)multi;
    if (milliseconds < 0)
        uv_timer_stop(&carrier->timer);
    else
        uv_timer_start(&carrier->timer, on_time, (uint64_t)milliseconds, 0);
    return 0;
}

int carrier_open(struct carrier *carrier, uv_loop_t *loop)
{
    carrier->loop = loop;
    carrier->multi = curl_multi_init();
    if (!carrier->multi)
        return HAFT_ENOMEM;
    uv_timer_init(loop, &carrier->timer);
    carrier->timer.data = carrier;
    carrier->open = 1;
    curl_multi_setopt(carrier->multi, CURLMOPT_SOCKETFUNCTION, set_watch);
    curl_multi_setopt(carrier->multi, CURLMOPT_SOCKETDATA, carrier);
    curl_multi_setopt(carrier->multi, CURLMOPT_TIMERFUNCTION, set_timer);
    curl_multi_setopt(carrier->multi, CURLMOPT_TIMERDATA, carrier);
    return 0;
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct carrier *carrier = handle->data;

    carrier->open--;
}

void carrier_close(struct carrier *carrier)
{
    if (!carrier->multi)
        return;
    curl_multi_cleanup(carrier->multi);
    uv_close((uv_handle_t *)&carrier->timer, on_timer_closed);
    while (carrier->open)
        uv_run(carrier->loop, UV_RUN_ONCE);
}
