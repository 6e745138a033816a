/* bikes_server.c - the API on a free port of loopback: a gateway on its own thread. */
#include "bikes.h"

#include <uv.h>

static struct {
    haft_gateway *gateway;
    haft_policy policy;
    uv_loop_t loop;
    uv_async_t stop;
    uv_thread_t thread;
    uv_sem_t settled; /* posted once `url` is known */
    haft_http *http;
    const char *url; /* NULL if it could not be served */
} api;

static void closed(void *context)
{
    (void)context;
    uv_close((uv_handle_t *)&api.stop, NULL);
}

static void stop_serving(uv_async_t *handle)
{
    (void)handle;
    if (api.http)
        haft_http_close(api.http, 0, closed, NULL);
    else
        closed(NULL);
    api.http = NULL;
}

static void serve(void *context)
{
    haft_http_mount mount = HAFT_INIT(haft_http_mount, .path = "/");
    haft_http_options options = HAFT_INIT(haft_http_options, .address = "127.0.0.1:0", .path = "",
                                          .mounts = &mount, .n_mounts = 1, .workers = 1);

    (void)context;
    mount.app = haft_gateway_app(api.gateway);
    api.http = haft_http_new(haft_gateway_server(api.gateway), &options, &api.loop, NULL);
    api.url = api.http ? haft_http_url(api.http) : NULL;
    uv_sem_post(&api.settled);
    uv_run(&api.loop, UV_RUN_DEFAULT);
}

/* The thread, and what it needs. */
static int start_thread(void)
{
    if (uv_sem_init(&api.settled, 0))
        return HAFT_ENOMEM;
    if (uv_loop_init(&api.loop))
        goto no_loop;
    if (uv_async_init(&api.loop, &api.stop, stop_serving))
        goto no_stop;
    if (!uv_thread_create(&api.thread, serve, NULL))
        return 0;
    uv_close((uv_handle_t *)&api.stop, NULL);
    uv_run(&api.loop, UV_RUN_DEFAULT);
no_stop:
    uv_loop_close(&api.loop);
no_loop:
    uv_sem_destroy(&api.settled);
    return HAFT_ENOMEM;
}

/* The key is only read. */
static int make_gateway(const char *key)
{
    int status = 0;

    api.policy = (haft_policy)HAFT_INIT(haft_policy, .name = "key", .inbound = bikes_check_key,
                                        .data = (void *)(uintptr_t)key, .authenticates = true);
    api.gateway = haft_gateway_new(HAFT_WITH(haft_gateway_options, .one_thread = true));
    if (!api.gateway)
        return HAFT_ENOMEM;
    status = haft_policy_add(api.gateway, &api.policy);
    for (size_t i = 0; bikes_routes[i] && !status; i++)
        status = haft_route_add(api.gateway, bikes_routes[i]);
    return status;
}

int bikes_serve(const char *key, const char **ret_url)
{
    int status = make_gateway(key);

    if (!status)
        status = start_thread();
    if (status) {
        haft_gateway_free(api.gateway);
        return status;
    }
    uv_sem_wait(&api.settled);
    *ret_url = api.url;
    if (api.url)
        return 0;
    bikes_stop();
    return HAFT_EBUSY;
}

void bikes_stop(void)
{
    uv_async_send(&api.stop);
    uv_thread_join(&api.thread);
    uv_loop_close(&api.loop);
    uv_sem_destroy(&api.settled);
    haft_gateway_free(api.gateway);
}
