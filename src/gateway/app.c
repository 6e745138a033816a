/* app.c - a gateway behind the HTTP server: its routes, and its MCP endpoints with their policies
 * around them.
 *
 * Every loop has one, with endpoints of its own. */
#include <string.h>

#include "base/struct.h"
#include "gateway/inflight.h"
#include "endpoint/endpoint.h"
#include "process/isolate.h"

/* ---- life ---- */

static size_t gateway_loop_size(const haft_gateway *gateway)
{
    size_t n = 0;

    for (const struct mcp *mcp = gateway->endpoints; mcp; mcp = mcp->next)
        n++;
    return sizeof(struct gateway_loop) + n * sizeof(haft_endpoint *);
}

static void close_gateway_loop(void *app)
{
    struct gateway_loop *gateway_loop = app;
    const haft_allocator *allocator = gateway_loop->gateway->allocator;
    size_t i = 0;

    hf_inflight_drop_spare(gateway_loop, 0);
    for (const struct mcp *mcp = gateway_loop->gateway->endpoints; mcp; mcp = mcp->next)
        haft_endpoint_free(gateway_loop->endpoints[i++]);
    allocator->release(allocator->context, gateway_loop, gateway_loop_size(gateway_loop->gateway));
}

static size_t share(size_t n, unsigned loops)
{
    return (n + loops - 1) / loops;
}

static void *open_gateway_loop(void *data, const haft_http_loop *loop, haft_reason *reterr_reason)
{
    haft_gateway *gateway = data;
    size_t size = gateway_loop_size(gateway), i = 0;
    struct gateway_loop *gateway_loop =
        gateway->allocator->alloc(gateway->allocator->context, size);

    if (!gateway_loop)
        goto no_memory;
    memset(gateway_loop, 0, size);
    gateway_loop->gateway = gateway;
    gateway_loop->loop = *loop;
    for (const struct mcp *mcp = gateway->endpoints; mcp; mcp = mcp->next, i++) {
        haft_endpoint_options options = HAFT_INIT(
            haft_endpoint_options, .path = mcp->path, .legacy_sse = gateway->legacy_sse && !i,
            .max_sessions = share(gateway->max_sessions, loop->n),
            .session_idle_ms = gateway->session_idle_ms, .number = loop->number,
            .loop = loop->loop);

        hf_server_make_seal_key(mcp->server, loop->loop);
        gateway_loop->endpoints[i] = haft_endpoint_new(mcp->server, &options);
        if (!gateway_loop->endpoints[i]) {
            close_gateway_loop(gateway_loop);
            goto no_memory;
        }
    }
    return gateway_loop;

no_memory:
    hf_error_set(reterr_reason, HAFT_ENOMEM, "gateway", "out of memory");
    return NULL;
}

/* ---- the time that passes ---- */

/* Does something with every endpoint. */
#define EACH_ENDPOINT(gateway_loop, what)                                                          \
    do {                                                                                           \
        size_t i_ = 0;                                                                             \
        for (const struct mcp *mcp_ = (gateway_loop)->gateway->endpoints; mcp_;                    \
             mcp_ = mcp_->next) {                                                                  \
            haft_endpoint *endpoint = (gateway_loop)->endpoints[i_++];                             \
            what;                                                                                  \
        }                                                                                          \
    } while (0)

static void tick(void *app, haft_time now)
{
    struct gateway_loop *gateway_loop = app;

    for (struct inflight *inflight = gateway_loop->first; inflight; inflight = inflight->next)
        hf_inflight_tick(inflight, now);
    if (now - gateway_loop->used > REST_MS)
        hf_inflight_drop_spare(gateway_loop, 0);
    EACH_ENDPOINT(gateway_loop, haft_endpoint_tick(endpoint, now));
}

static void shut_down(void *app)
{
    struct gateway_loop *gateway_loop = app;

    EACH_ENDPOINT(gateway_loop, haft_endpoint_shut_down(endpoint));
}

static void abandon(void *app)
{
    struct gateway_loop *gateway_loop = app;

    for (struct inflight *inflight = gateway_loop->first; inflight; inflight = inflight->next)
        if (inflight->req)
            haft_gateway_request_cancel(inflight->req);
    EACH_ENDPOINT(gateway_loop, hf_endpoint_abandon(endpoint));
}

static bool idle(const void *app)
{
    const struct gateway_loop *gateway_loop = app;

    for (const struct inflight *inflight = gateway_loop->first; inflight; inflight = inflight->next)
        if (hf_inflight_is_at_work(inflight))
            return false;
    EACH_ENDPOINT(gateway_loop, if (!haft_endpoint_idle(endpoint)) return false);
    return true;
}

/* ---- for programs ---- */

const haft_app *haft_gateway_app(haft_gateway *gateway)
{
    gateway->app = (haft_app)HAFT_INIT(
        haft_app, .open = open_gateway_loop, .close = close_gateway_loop,
        .handle = hf_inflight_begin, .gone = hf_inflight_gone, .tick = tick, .shut_down = shut_down,
        .abandon = abandon, .idle = idle, .data = gateway, .half_closed = hf_inflight_half_closed,
        .allows_origin = hf_exposure_allows_origin, .unauthenticated = hf_exposure_unauthenticated);
    return &gateway->app;
}

int hf_gateway_mount(haft_gateway *gateway, haft_http_options *http, haft_http_mount *mount,
                     haft_app *app, haft_reason *reterr_reason)
{
    int status = 0;

    gateway->max_sessions = http->max_sessions;
    gateway->session_idle_ms = http->session_idle_ms;
    gateway->legacy_sse = http->legacy_sse;
    *app = *haft_gateway_app(gateway);
    *mount = (haft_http_mount)HAFT_INIT(haft_http_mount, .path = "/", .app = app);
    http->path = "";
    http->mounts = mount;
    http->n_mounts = 1;
    /* What isolated tools are forked from. */
    for (const struct mcp *mcp = gateway->endpoints; mcp && !status; mcp = mcp->next)
        status = hf_isolate_start(mcp->server);
    if (status)
        hf_error_set(reterr_reason, status, NULL, "isolated tools cannot run: %s",
                     haft_strerror(status));
    return status;
}

int haft_gateway_serve(haft_gateway *gateway, const haft_http_options *options,
                       haft_reason *reterr_reason)
{
    haft_http_options own;
    haft_http_mount mount;
    haft_app app;
    int status;

    if (!hf_struct_read(&own, sizeof own, options))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "haft_http_options", STRUCT_UNSIZED);
    status = hf_gateway_mount(gateway, &own, &mount, &app, reterr_reason);
    return status ? status : haft_http_serve(gateway->server, &own, reterr_reason);
}
