/* mux.c - dispatches requests to several apps behind one guard.
 *
 * An app is a row: a path, and the functions of an endpoint or of the program. All of them share
 * the guard, so no row can omit its checks. */
#include <string.h>

#include "base/defaults.h"
#include "base/struct.h"
#include "endpoint/mux.h"

enum { METRICS_LIMIT = 16 << 20 };

/* ---- requests ---- */

static const struct mount *mount_find(const struct mux *mux, const char *path)
{
    for (size_t i = 0; i < mux->n_mounts; i++) {
        const struct mount *row = &mux->mounts[i];
        const char *rest;

        if (strncmp(path, row->path, row->size))
            continue;
        rest = path + row->size;
        if (!*rest || (*rest == '/' && (row->below || !rest[1])))
            return row;
    }
    return NULL;
}

static bool mount_allows_origin(const void *context, const haft_request *request,
                                const char *origin, size_t size)
{
    const struct mount *row = mount_find(context, request->path);
    const char *resource;

    /* Metadata is public. */
    if (mux_described(context, request->path, &resource))
        return true;
    return row && row->app->allows_origin &&
           row->app->allows_origin(row->context, request, origin, size);
}

/* ---- life ---- */

int hf_mux_init(struct mux *mux, const haft_http_options *options, const haft_http_loop *loop,
                haft_reason *reterr_reason)
{
    const haft_allocator *allocator = loop->server->allocator;
    haft_endpoint_options own = HAFT_INIT(
        haft_endpoint_options, .path = options->path, .legacy_sse = options->legacy_sse,
        .max_sessions = options->max_sessions, .session_idle_ms = options->session_idle_ms,
        .authenticator = options->authenticator);
    const haft_http_mount *one = options->mounts;
    int status;

    *mux = (struct mux){.guard = {.server = loop->server,
                                  .allowed_hosts = options->allowed_hosts,
                                  .allowed_origins = options->allowed_origins,
                                  .cors_origin = options->cors_origin,
                                  .needs_store = options->needs_store,
                                  .allows_origin = mount_allows_origin,
                                  .context = mux},
                        .allocator = allocator,
                        .loop = *loop,
                        .admit = options->admit,
                        .admit_context = options->admit_context,
                        .authenticator = options->authenticator,
                        .store = options->store,
                        .bodies_stay = true,
                        .rate = options->rate,
                        .total_rate = options->total_rate,
                        .metrics_for_all = options->metrics_for_all};
    if (loop->server->metering.metrics)
        mux->metrics_path = options->metrics_path ? options->metrics_path : DEFAULT_METRICS;
    mux->n_cors = hf_guard_put_cors(&mux->guard, mux->cors);
    mux->room = MOUNT_ROWS * (options->n_mounts + 1);
    mux->mounts = allocator->alloc(allocator->context, mux->room * sizeof *mux->mounts);
    status = mux->mounts ? 0 : HAFT_ENOMEM;
    if (status)
        hf_error_set(reterr_reason, status, NULL, "out of memory");
    else if (*options->path)
        status = hf_mux_mount_endpoint(mux, loop->server, own, reterr_reason);
    for (size_t i = 0; !status && i < options->n_mounts; i++, one = mount_next(one))
        status = hf_mux_mount(mux, one, reterr_reason);
    if (status)
        hf_mux_finish(mux);
    return status;
}

int hf_mux_init_front(struct mux *mux, haft_endpoint *endpoint)
{
    const haft_endpoint_options *options = &endpoint->options;
    struct mount row = {
        .path = options->path, .context = endpoint, .authenticator = options->authenticator};
    haft_reason reason = {0};
    int status;

    *mux = (struct mux){.guard = endpoint->guard,
                        .allocator = endpoint->allocator,
                        .loop = {.server = endpoint->server, .loop = &endpoint->loop, .n = 1},
                        .room = MOUNT_ROWS};
    mux->guard.allows_origin = mount_allows_origin;
    mux->guard.context = mux;
    mux->mounts = mux->allocator->alloc(mux->allocator->context, mux->room * sizeof *mux->mounts);
    status = mux->mounts ? hf_mux_mount_rows(mux, row, options->legacy_sse, &reason) : HAFT_ENOMEM;
    if (status)
        hf_mux_finish(mux);
    if (status == HAFT_EEXISTS)
        hf_server_refuse(endpoint->server, status, "authenticator", "%s", reason.text);
    return status;
}

void hf_mux_finish(struct mux *mux)
{
    for (size_t i = 0; mux->mounts && i < mux->n_mounts; i++) {
        struct mount *row = &mux->mounts[i];

        if (row->owns && row->app->close)
            row->app->close(row->context);
        if (row->authenticator)
            row->authenticator->class->drop(row->authenticator);
    }
    hf_credentials_finish(mux);
    if (mux->mounts)
        mux->allocator->release(mux->allocator->context, mux->mounts,
                                mux->room * sizeof *mux->mounts);
    mux->mounts = NULL;
    mux->n_mounts = 0;
}

const char *hf_mux_unauthenticated(const struct mux *mux, const char **ret_path)
{
    *ret_path = "";
    for (size_t i = 0; i < mux->n_mounts; i++) {
        const struct mount *row = &mux->mounts[i];
        const char *text = NULL;

        if (row->authenticator)
            continue;
        if (row->app->unauthenticated)
            text = row->app->unauthenticated(row->context);
        if (text)
            return text;
        if (row->app->unauthenticated)
            continue;
        *ret_path = row->path;
        return row->app == &hf_endpoint_app ? "endpoint " : "the app at ";
    }
    return NULL;
}

bool hf_mux_takes_tokens(const struct mux *mux)
{
    for (size_t i = 0; i < mux->n_mounts; i++) {
        const struct mount *row = &mux->mounts[i];

        if (row->authenticator || (row->app->takes_tokens && row->app->takes_tokens(row->context)))
            return true;
    }
    return false;
}

bool hf_mux_authenticates(const struct mux *mux)
{
    for (size_t i = 0; i < mux->n_mounts; i++)
        if (mux->mounts[i].authenticator)
            return true;
    return false;
}

size_t hf_mux_max_body(const struct mux *mux, const haft_http_options *options)
{
    size_t most = mux->loop.server->options.max_message;
    const haft_http_mount *one = options->mounts;

    for (size_t i = 0; i < options->n_mounts; i++, one = mount_next(one))
        if (one->server && one->server->options.max_message > most)
            most = one->server->options.max_message;
    return most;
}

/* Metrics are available to local requests only, unless configured otherwise. */
static bool is_for_metrics(const struct mux *mux, const haft_request *request)
{
    return hf_path_is(request->path, mux->metrics_path) &&
           (!strcmp(request->method, "GET") || !strcmp(request->method, "HEAD")) &&
           (mux->metrics_for_all || hf_request_is_local(request));
}

static void show_metrics(struct mux *mux, const haft_responder *responder, void *context)
{
    haft_buffer text;

    haft_buffer_init(&text, mux->allocator, METRICS_LIMIT);
    if (haft_metrics_write(mux->guard.server, &text))
        hf_guard_refuse(&mux->guard, responder, context, 503, NULL, NULL, RPC_INTERNAL_ERROR,
                        "Out of memory");
    else
        hf_guard_respond(&mux->guard, responder, context, 200, HEADER("Cache-Control", "no-store"),
                         "text/plain; version=0.0.4; charset=utf-8", text.data, text.size);
    haft_buffer_finish(&text);
}

/* Preflight requests for an app, which need not handle them. */
static bool is_preflight(const struct mux *mux, const haft_request *request)
{
    return mux->guard.cors_origin && !strcmp(request->method, "OPTIONS") &&
           haft_header_find(request->headers, request->n_headers, "access-control-request-method");
}

/* Preflight requests that the mount answers itself. Browsers send no credentials with them, and an
 * endpoint answers every OPTIONS as one. */
static bool mux_is_preflight_of(const struct mux *mux, const struct mount *by,
                                const haft_request *request)
{
    return by->app == &hf_endpoint_app && mux->guard.cors_origin &&
           !strcmp(request->method, "OPTIONS");
}

/* Whether the app sends CORS headers itself. */
static bool has_own_cors(const struct mux *mux, const haft_request *request)
{
    struct text origin = request->index_->origin;

    return mux->guard.cors_origin && origin.data &&
           mount_allows_origin(mux, request, origin.data, origin.size);
}

/* OPTIONS *: the methods that the server supports. */
static void answer_for_all(struct mux *mux, const haft_responder *responder, void *context)
{
    hf_guard_respond(&mux->guard, responder, context, 204,
                     HEADER("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"), NULL, NULL,
                     0);
}

/* ---- admission ---- */

static const struct pending_request nobody;

struct pending_request hf_mux_serve(const struct mount *by, haft_request *request,
                                    const haft_responder *responder, void *context, haft_time now)
{
    struct pending_request pending = {.by = by};

    pending.exchange = by->app->handle(by->context, request, responder, context, now);
    return pending.exchange ? pending : nobody;
}

/* `admit` may identify a client itself, also another one than the authenticator. */
static void mux_match_identity(haft_request *request)
{
    if (request->identity && !request->principal)
        request->principal = request->identity->principal;
    if (request->identity && request->principal != request->identity->principal &&
        (!request->identity->principal || strcmp(request->principal, request->identity->principal)))
        request->identity = NULL;
}

struct pending_request hf_mux_enter(struct mux *mux, const struct mount *by, haft_request *request,
                                    const haft_responder *responder, void *context, haft_time now)
{
    mux_match_identity(request);
    if (mux->limiter && mux->guard.server->options.store)
        return hf_limit_ask(mux, by, request, responder, context, now);
    if (mux->limiter &&
        !hf_limit_allows(mux, request, by->app == &hf_endpoint_app, responder, context, now))
        return nobody;
    return hf_mux_serve(by, request, responder, context, now);
}

void hf_mux_fail_admit(struct mux *mux, int status, const haft_responder *responder, void *context)
{
    if (status < 0)
        hf_server_log(mux->guard.server, HAFT_ERROR, "admit: %s", haft_strerror(status));
    else
        hf_server_log(mux->guard.server, HAFT_ERROR,
                      "admit returned %d, which is not a haft status code", status);
    hf_guard_refuse(&mux->guard, responder, context, 500, NULL, NULL, RPC_INTERNAL_ERROR,
                    "Internal Server Error");
}

struct pending_request hf_mux_admit(struct mux *mux, const struct mount *by,
                                    const haft_request *request, const haft_responder *responder,
                                    void *context, haft_time now)
{
    struct admitting admitting = {.request = *request,
                                  .mux = mux,
                                  .by = by,
                                  .responder = responder,
                                  .context = context,
                                  .now = now};
    int status =
        mux->admit ? mux->admit(mux->admit_context, &admitting.request, responder, context) : 0;

    if (status == HAFT_PENDING && admitting.admission)
        return (struct pending_request){&hf_admission_row, admitting.admission};
    if (admitting.admission)
        hf_admission_free(admitting.admission);
    if (!status)
        return hf_mux_enter(mux, by, &admitting.request, responder, context, now);
    if (status != HAFT_STOP)
        hf_mux_fail_admit(mux, status, responder, context);
    return nobody;
}

struct pending_request hf_mux_handle(struct mux *mux, haft_request *request,
                                     const haft_responder *responder, void *context, haft_time now)
{
    struct pending_request pending;
    const char *resource;

    if (!hf_guard_opens(&mux->guard, request, responder, context))
        return nobody;
    if (mux->metrics_path && is_for_metrics(mux, request)) {
        show_metrics(mux, responder, context);
        return nobody;
    }
    if (!strcmp(request->path, "*")) {
        answer_for_all(mux, responder, context);
        return nobody;
    }
    pending.by = mux_described(mux, request->path, &resource);
    if (pending.by) {
        hf_mux_show_metadata(mux, pending.by, resource, request, responder, context, now);
        return nobody;
    }
    pending.by = mount_find(mux, request->path);
    if (!pending.by) {
        hf_guard_refuse(&mux->guard, responder, context, 404, NULL, NULL, RPC_INVALID_REQUEST,
                        "Not Found");
        return nobody;
    }
    if (pending.by->app != &hf_endpoint_app && !has_own_cors(mux, request)) {
        if (is_preflight(mux, request)) {
            hf_guard_preflight(&mux->guard, "GET, HEAD, POST, PUT, PATCH, DELETE", request,
                               responder, context);
            return nobody;
        }
        if (mux->app_responder)
            responder = mux->app_responder;
    }
    if (pending.by->authenticator && !mux_is_preflight_of(mux, pending.by, request))
        return hf_mux_check(mux, pending.by, request, responder, context, now);
    if (mux->admit)
        return hf_mux_admit(mux, pending.by, request, responder, context, now);
    if (mux->limiter)
        return hf_mux_enter(mux, pending.by, request, responder, context, now);
    pending.exchange =
        pending.by->app->handle(pending.by->context, request, responder, context, now);
    return pending.exchange ? pending : nobody;
}

bool hf_mux_refuses_early(struct mux *mux, const haft_request *request,
                          const haft_responder *responder, void *context, haft_time now)
{
    const struct mount *by = mount_find(mux, request->path);
    const char *resource;

    if (!by || !by->authenticator || !by->authenticator->class->foresee ||
        mux_is_preflight_of(mux, by, request) || hf_mux_described(mux, request->path, &resource) ||
        (mux->metrics_path && is_for_metrics(mux, request)))
        return false;
    if (!hf_guard_opens(&mux->guard, request, responder, context))
        return true;
    if (by->app != &hf_endpoint_app && !has_own_cors(mux, request)) {
        if (is_preflight(mux, request))
            return false;
        if (mux->app_responder)
            responder = mux->app_responder;
    }
    return hf_credentials_foresee(mux, by, request, responder, context, now);
}

void hf_mux_gone(struct pending_request pending)
{
    pending.by->app->gone(pending.by->context, pending.exchange);
}

bool hf_mux_half_closed(struct pending_request pending)
{
    const haft_app *app = pending.by->app;

    return !app->half_closed || app->half_closed(pending.by->context, pending.exchange);
}

/* ---- all mounts ---- */

void hf_mux_tick(struct mux *mux, haft_time now)
{
    hf_admissions_tick(mux, now);
    for (size_t i = 0; i < mux->n_mounts; i++)
        if (mux->mounts[i].owns && mux->mounts[i].app->tick)
            mux->mounts[i].app->tick(mux->mounts[i].context, now);
}

void hf_mux_shut_down(struct mux *mux)
{
    mux->guard.closing = true;
    for (size_t i = 0; i < mux->n_mounts; i++)
        if (mux->mounts[i].owns && mux->mounts[i].app->shut_down)
            mux->mounts[i].app->shut_down(mux->mounts[i].context);
}

void hf_mux_abandon(struct mux *mux)
{
    hf_admissions_abandon(mux);
    for (size_t i = 0; i < mux->n_mounts; i++)
        if (mux->mounts[i].owns && mux->mounts[i].app->abandon)
            mux->mounts[i].app->abandon(mux->mounts[i].context);
}

bool hf_mux_idle(const struct mux *mux)
{
    if (mux->admissions || mux->n_checks ||
        atomic_load(&((struct mux *)(uintptr_t)mux)->n_continuing))
        return false;
    for (size_t i = 0; i < mux->n_mounts; i++)
        if (mux->mounts[i].owns && mux->mounts[i].app->idle &&
            !mux->mounts[i].app->idle(mux->mounts[i].context))
            return false;
    return true;
}
