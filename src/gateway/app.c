/* app.c - a gateway as an app of the HTTP server: its routes, and its MCP endpoints with their
 * policies.
 *
 * Every loop has its own instance, with its own endpoints. A new generation reaches a loop as a
 * turnover, which was prepared in advance and cannot fail: the loop applies it before the next
 * request, or when it is woken. An endpoint that is no longer served remains until its requests are
 * answered. */
#include "base/struct.h"
#include "gateway/inflight.h"
#include "endpoint/endpoint.h"
#include "process/isolate.h"

/* ---- endpoints ---- */

static size_t share(size_t n, unsigned loops)
{
    return (n + loops - 1) / loops;
}

/* Creates an endpoint for a loop, possibly on another thread; NULL without memory. */
static struct loop_endpoint *loop_endpoint_new(const haft_gateway *gateway,
                                               const haft_http_loop *loop, struct mcp *mcp)
{
    const haft_allocator *allocator = gateway->allocator;
    struct loop_endpoint *at = allocator->alloc(allocator->context, sizeof *at);
    haft_endpoint_options options =
        HAFT_INIT(haft_endpoint_options, .path = mcp->path,
                  .legacy_sse = gateway->legacy_sse && mcp == gateway->legacy,
                  .max_sessions = share(gateway->max_sessions, loop->n),
                  .session_idle_ms = gateway->session_idle_ms, .number = loop->number,
                  .loop = loop->loop, .replica = loop->replica);

    if (!at)
        return NULL;
    hf_server_make_seal_key(mcp->server, loop->loop);
    *at = (struct loop_endpoint){.mcp = mcp, .endpoint = haft_endpoint_new(mcp->server, &options)};
    if (at->endpoint)
        return at;
    allocator->release(allocator->context, at, sizeof *at);
    return NULL;
}

static void loop_endpoint_free(const haft_gateway *gateway, struct loop_endpoint *at)
{
    haft_endpoint_free(at->endpoint);
    gateway->allocator->release(gateway->allocator->context, at, sizeof *at);
}

static void loop_endpoints_free(const haft_gateway *gateway, struct loop_endpoint *list)
{
    struct loop_endpoint *next;

    for (; list; list = next) {
        next = list->next;
        loop_endpoint_free(gateway, list);
    }
}

static bool generation_serves(const struct generation *generation, const struct mcp *mcp)
{
    const struct served *served = generation->endpoints;

    while (served && served->mcp != mcp)
        served = served->next;
    return served;
}

/* Creates the endpoints of a generation that an earlier one, which may be NULL, does not have. */
static int loop_endpoints_make(const haft_gateway *gateway, const haft_http_loop *loop,
                               const struct generation *generation, const struct generation *before,
                               struct loop_endpoint **ret_list)
{
    for (const struct served *served = generation->endpoints; served; served = served->next) {
        struct loop_endpoint *at;

        if (before && generation_serves(before, served->mcp))
            continue;
        at = loop_endpoint_new(gateway, loop, served->mcp);
        if (!at)
            return HAFT_ENOMEM;
        at->next = *ret_list;
        *ret_list = at;
    }
    return 0;
}

/* ---- other generations ---- */

void hf_turnovers_free(const haft_gateway *gateway, struct turnover *turnovers)
{
    struct turnover *next;

    for (; turnovers; turnovers = next) {
        next = turnovers->next;
        loop_endpoints_free(gateway, turnovers->endpoints);
        hf_generation_drop(turnovers->generation);
        gateway->allocator->release(gateway->allocator->context, turnovers, sizeof *turnovers);
    }
}

int hf_turnovers_make(haft_gateway *gateway, struct generation *generation,
                      struct turnover **ret_turnovers)
{
    struct turnover *all = NULL;
    int status = 0;

    uv_mutex_lock(&gateway->lock);
    for (struct gateway_loop *loop = gateway->loops; loop && !status; loop = loop->next) {
        struct turnover *one = gateway->allocator->alloc(gateway->allocator->context, sizeof *one);

        if (!one) {
            status = HAFT_ENOMEM;
            break;
        }
        *one = (struct turnover){.next = all, .gateway_loop = loop, .generation = generation};
        generation_take(generation);
        all = one;
        status =
            loop_endpoints_make(gateway, &loop->loop, generation, gateway->now, &one->endpoints);
    }
    uv_mutex_unlock(&gateway->lock);
    if (status)
        hf_turnovers_free(gateway, all);
    else
        *ret_turnovers = all;
    return status;
}

/* Returns false if the loop has ended. */
static bool turnover_post(haft_gateway *gateway, struct turnover *turnover)
{
    struct gateway_loop *loop = gateway->loops;

    while (loop && loop != turnover->gateway_loop)
        loop = loop->next;
    if (!loop)
        return false;
    turnover->next = atomic_load(&loop->turnovers);
    atomic_store(&loop->turnovers, turnover);
    loop->loop.loop->wake(loop->loop.loop->context);
    return true;
}

void hf_generation_use(haft_gateway *gateway, struct generation *generation,
                       struct turnover *turnovers)
{
    struct turnover *next, *left = NULL;
    struct generation *before;

    uv_mutex_lock(&gateway->lock);
    before = gateway->now;
    gateway->now = generation;
    for (; turnovers; turnovers = next) {
        next = turnovers->next;
        if (turnover_post(gateway, turnovers))
            continue;
        turnovers->next = left;
        left = turnovers;
    }
    uv_mutex_unlock(&gateway->lock);
    hf_turnovers_free(gateway, left);
    hf_generation_drop(before);
}

/* Ends its streams now, and its sessions when its requests are answered. */
static void loop_endpoint_leave(struct loop_endpoint *at)
{
    at->leaving = true;
    haft_endpoint_shut_down(at->endpoint);
}

static void turnover_apply(struct gateway_loop *gateway_loop, struct turnover *turnover)
{
    struct loop_endpoint *next;

    for (struct loop_endpoint *at = gateway_loop->endpoints; at; at = at->next)
        if (!at->leaving && !generation_serves(turnover->generation, at->mcp))
            loop_endpoint_leave(at);
    for (struct loop_endpoint *at = turnover->endpoints; at; at = next) {
        next = at->next;
        at->next = gateway_loop->endpoints;
        gateway_loop->endpoints = at;
        if (gateway_loop->shut_down)
            haft_endpoint_shut_down(at->endpoint);
    }
    turnover->endpoints = NULL;
    hf_generation_drop(gateway_loop->generation);
    gateway_loop->generation = turnover->generation;
    turnover->generation = NULL;
    hf_protected_set_authenticators(gateway_loop);
}

/* Applies them in order, since each builds on the previous one. */
static void gateway_loop_turn_over(struct gateway_loop *gateway_loop)
{
    struct turnover *latest, *oldest = NULL, *next;

    uv_mutex_lock(&gateway_loop->gateway->lock);
    latest = atomic_load(&gateway_loop->turnovers);
    atomic_store(&gateway_loop->turnovers, NULL);
    uv_mutex_unlock(&gateway_loop->gateway->lock);
    for (; latest; latest = next) {
        next = latest->next;
        latest->next = oldest;
        oldest = latest;
    }
    for (struct turnover *one = oldest; one; one = one->next)
        turnover_apply(gateway_loop, one);
    hf_turnovers_free(gateway_loop->gateway, oldest);
}

struct generation *hf_gateway_loop_generation(struct gateway_loop *gateway_loop)
{
    if (atomic_load_explicit(&gateway_loop->turnovers, memory_order_acquire))
        gateway_loop_turn_over(gateway_loop);
    return gateway_loop->generation;
}

/* ---- lifetime ---- */

static void close_gateway_loop(void *app)
{
    struct gateway_loop *gateway_loop = app, **link;
    haft_gateway *gateway = gateway_loop->gateway;

    uv_mutex_lock(&gateway->lock);
    for (link = &gateway->loops; *link && *link != gateway_loop;)
        link = &(*link)->next;
    if (*link)
        *link = gateway_loop->next;
    uv_mutex_unlock(&gateway->lock);
    hf_inflight_drop_spare(gateway_loop, 0);
    hf_turnovers_free(gateway, atomic_load(&gateway_loop->turnovers));
    loop_endpoints_free(gateway, gateway_loop->endpoints);
    hf_generation_drop(gateway_loop->generation);
    gateway->allocator->release(gateway->allocator->context, gateway_loop, sizeof *gateway_loop);
}

static void *open_gateway_loop(void *data, const haft_http_loop *loop, haft_reason *reterr_reason)
{
    haft_gateway *gateway = data;
    struct gateway_loop *gateway_loop;

    if (hf_protected_check_routes(gateway->now, reterr_reason))
        return NULL;
    gateway_loop = gateway->allocator->alloc(gateway->allocator->context, sizeof *gateway_loop);
    if (gateway_loop) {
        *gateway_loop = (struct gateway_loop){.gateway = gateway, .loop = *loop};
        gateway_loop->generation = hf_generation_hold(gateway);
    }
    if (gateway_loop && loop_endpoints_make(gateway, loop, gateway_loop->generation, NULL,
                                            &gateway_loop->endpoints)) {
        close_gateway_loop(gateway_loop);
        gateway_loop = NULL;
    }
    if (!gateway_loop) {
        hf_error_set(reterr_reason, HAFT_ENOMEM, "gateway", "out of memory");
        return NULL;
    }
    hf_protected_set_authenticators(gateway_loop);
    uv_mutex_lock(&gateway->lock);
    gateway_loop->next = gateway->loops;
    gateway->loops = gateway_loop;
    uv_mutex_unlock(&gateway->lock);
    return gateway_loop;
}

/* ---- ticks ---- */

/* When all requests are answered, ends its sessions and removes their data. Returns true if it can
 * be freed. */
static bool loop_endpoint_is_over(struct loop_endpoint *at)
{
    if (!at->leaving || at->n_inflight || !haft_endpoint_idle(at->endpoint))
        return false;
    if (!at->ended)
        hf_endpoint_end_sessions(at->endpoint);
    at->ended = true;
    if (!haft_endpoint_idle(at->endpoint))
        return false;
    hf_endpoint_abandon(at->endpoint);
    return haft_endpoint_idle(at->endpoint);
}

static void tick(void *app, haft_time now)
{
    struct gateway_loop *gateway_loop = app;
    struct loop_endpoint **link = &gateway_loop->endpoints;

    hf_gateway_loop_generation(gateway_loop);
    for (struct inflight *inflight = gateway_loop->first; inflight; inflight = inflight->next)
        hf_inflight_tick(inflight, now);
    if (now - gateway_loop->used > REST_MS)
        hf_inflight_drop_spare(gateway_loop, 0);
    while (*link) {
        struct loop_endpoint *at = *link;

        haft_endpoint_tick(at->endpoint, now);
        if (loop_endpoint_is_over(at)) {
            *link = at->next;
            loop_endpoint_free(gateway_loop->gateway, at);
        } else {
            link = &at->next;
        }
    }
}

static void shut_down(void *app)
{
    struct gateway_loop *gateway_loop = app;

    gateway_loop->shut_down = true;
    for (struct loop_endpoint *at = gateway_loop->endpoints; at; at = at->next)
        haft_endpoint_shut_down(at->endpoint);
}

static void abandon(void *app)
{
    struct gateway_loop *gateway_loop = app;

    for (struct inflight *inflight = gateway_loop->first; inflight; inflight = inflight->next)
        if (inflight->req)
            haft_gateway_request_cancel(inflight->req);
    for (struct loop_endpoint *at = gateway_loop->endpoints; at; at = at->next)
        hf_endpoint_abandon(at->endpoint);
}

static bool idle(const void *app)
{
    const struct gateway_loop *gateway_loop = app;

    for (const struct inflight *inflight = gateway_loop->first; inflight; inflight = inflight->next)
        if (hf_inflight_is_at_work(inflight))
            return false;
    for (const struct loop_endpoint *at = gateway_loop->endpoints; at; at = at->next)
        if (!haft_endpoint_idle(at->endpoint))
            return false;
    return true;
}

/* ---- for programs ---- */

const haft_app *haft_gateway_app(haft_gateway *gateway)
{
    gateway->app = (haft_app)HAFT_INIT(
        haft_app, .open = open_gateway_loop, .close = close_gateway_loop,
        .handle = hf_inflight_begin, .gone = hf_inflight_gone, .tick = tick, .shut_down = shut_down,
        .abandon = abandon, .idle = idle, .data = gateway, .half_closed = hf_inflight_half_closed,
        .allows_origin = hf_exposure_allows_origin, .unauthenticated = hf_exposure_unauthenticated,
        .resource = hf_protected_path, .takes_tokens = hf_exposure_takes_tokens);
    return &gateway->app;
}

int hf_gateway_mount(haft_gateway *gateway, haft_http_options *http, haft_http_mount *mount,
                     haft_app *app, haft_reason *reterr_reason)
{
    int status = 0;

    gateway->max_sessions = http->max_sessions;
    gateway->session_idle_ms = http->session_idle_ms;
    gateway->legacy_sse = http->legacy_sse;
    gateway->legacy = gateway->now->endpoints ? gateway->now->endpoints->mcp : NULL;
    *app = *haft_gateway_app(gateway);
    gateway->authenticator = http->authenticator;
    *mount = (haft_http_mount)HAFT_INIT(haft_http_mount, .path = "/", .app = app,
                                        .authenticator = http->authenticator);
    http->path = "";
    http->mounts = mount;
    http->n_mounts = 1;
    status = hf_protected_check(gateway, gateway->now, reterr_reason);
    if (status)
        return status;
    if (!http->authenticator)
        hf_exposure_note_scopes(gateway);
    /* Start the processes that isolated tools are forked from. */
    for (const struct mcp *mcp = gateway->servers; mcp && !status; mcp = mcp->next)
        status = hf_isolate_start(mcp->server);
    if (status)
        hf_error_set(reterr_reason, status, NULL, "cannot run isolated tools: %s",
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
