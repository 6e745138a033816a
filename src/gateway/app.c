/* app.c - a gateway behind the HTTP server: its routes, and its MCP endpoints with their policies
 * around them.
 *
 * Every loop has one, with endpoints of its own. */
#include <string.h>

#include "base/struct.h"
#include "gateway/passage.h"
#include "endpoint/endpoint.h"
#include "process/isolate.h"

/* ---- life ---- */

static size_t site_size(const haft_gateway *gateway)
{
    size_t n = 0;

    for (const struct mcp *mcp = gateway->endpoints; mcp; mcp = mcp->next)
        n++;
    return sizeof(struct site) + n * sizeof(haft_endpoint *);
}

static void close_site(void *app)
{
    struct site *site = app;
    const haft_allocator *allocator = site->gateway->allocator;
    size_t i = 0;

    passage_drop_spare(site, 0);
    for (const struct mcp *mcp = site->gateway->endpoints; mcp; mcp = mcp->next)
        haft_endpoint_free(site->endpoints[i++]);
    allocator->release(allocator->context, site, site_size(site->gateway));
}

static size_t share(size_t n, unsigned loops)
{
    return (n + loops - 1) / loops;
}

static void *open_site(void *data, const haft_http_loop *loop, haft_reason *reterr_reason)
{
    haft_gateway *gateway = data;
    size_t size = site_size(gateway), i = 0;
    struct site *site = gateway->allocator->alloc(gateway->allocator->context, size);

    if (!site)
        goto no_memory;
    memset(site, 0, size);
    site->gateway = gateway;
    site->loop = *loop;
    for (const struct mcp *mcp = gateway->endpoints; mcp; mcp = mcp->next, i++) {
        haft_endpoint_options options = HAFT_INIT(
            haft_endpoint_options, .path = mcp->path, .legacy_sse = gateway->legacy_sse && !i,
            .max_sessions = share(gateway->max_sessions, loop->n),
            .session_idle_ms = gateway->session_idle_ms, .number = loop->number,
            .loop = loop->loop);

        server_make_seal_key(mcp->server, loop->loop);
        site->endpoints[i] = haft_endpoint_new(mcp->server, &options);
        if (!site->endpoints[i]) {
            close_site(site);
            goto no_memory;
        }
    }
    return site;

no_memory:
    error_set(reterr_reason, HAFT_ENOMEM, "gateway", "out of memory");
    return NULL;
}

/* ---- the time that passes ---- */

/* Does something with every endpoint. */
#define EACH_ENDPOINT(site, what)                                                                  \
    do {                                                                                           \
        size_t i_ = 0;                                                                             \
        for (const struct mcp *mcp_ = (site)->gateway->endpoints; mcp_; mcp_ = mcp_->next) {       \
            haft_endpoint *endpoint = (site)->endpoints[i_++];                                     \
            what;                                                                                  \
        }                                                                                          \
    } while (0)

static void tick(void *app, haft_time now)
{
    struct site *site = app;

    for (struct passage *passage = site->first; passage; passage = passage->next)
        passage_tick(passage, now);
    if (now - site->used > REST_MS)
        passage_drop_spare(site, 0);
    EACH_ENDPOINT(site, haft_endpoint_tick(endpoint, now));
}

static void shut_down(void *app)
{
    struct site *site = app;

    EACH_ENDPOINT(site, haft_endpoint_shut_down(endpoint));
}

static void abandon(void *app)
{
    struct site *site = app;

    for (struct passage *passage = site->first; passage; passage = passage->next)
        if (passage->visit)
            haft_visit_cancel(passage->visit);
    EACH_ENDPOINT(site, endpoint_abandon(endpoint));
}

static bool idle(const void *app)
{
    const struct site *site = app;

    for (const struct passage *passage = site->first; passage; passage = passage->next)
        if (passage_is_at_work(passage))
            return false;
    EACH_ENDPOINT(site, if (!haft_endpoint_idle(endpoint)) return false);
    return true;
}

/* ---- for programs ---- */

const haft_app *haft_gateway_app(haft_gateway *gateway)
{
    gateway->app = (haft_app)HAFT_INIT(
        haft_app, .open = open_site, .close = close_site, .handle = passage_begin,
        .gone = passage_gone, .tick = tick, .shut_down = shut_down, .abandon = abandon,
        .idle = idle, .data = gateway, .half_closed = passage_half_closed,
        .allows_origin = exposure_allows_origin, .unauthenticated = exposure_unauthenticated);
    return &gateway->app;
}

int gateway_mount(haft_gateway *gateway, haft_http_options *http, haft_http_mount *mount,
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
        status = isolate_start(mcp->server);
    if (status)
        error_set(reterr_reason, status, NULL, "isolated tools cannot run: %s",
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

    if (!struct_read(&own, sizeof own, options))
        return error_set(reterr_reason, HAFT_EINVAL, "haft_http_options", STRUCT_UNSIZED);
    status = gateway_mount(gateway, &own, &mount, &app, reterr_reason);
    return status ? status : haft_http_serve(gateway->server, &own, reterr_reason);
}
