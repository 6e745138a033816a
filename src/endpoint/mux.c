/* endpoint_front.c - several that answer requests, behind one door.
 *
 * Who answers is a row: a path, and the functions of an endpoint or of a program's own.  The door
 * is the same for all of them: no row can forget to ask where a request comes from. */
#include <string.h>

#include "base/defaults.h"
#include "base/struct.h"
#include "endpoint/mux.h"

enum { METRICS_LIMIT = 16 << 20 };

/* ---- rows ---- */

static size_t path_size(const char *path)
{
    size_t size = strlen(path);

    return size && path[size - 1] == '/' ? size - 1 : size;
}

/* Where a row goes: behind the longer ones. */
static int place_of(const struct front *front, const char *path, size_t *ret_at,
                    haft_reason *reason)
{
    size_t size = path_size(path), at = 0;

    if (path[0] != '/')
        return error_set(reason, HAFT_EINVAL, path, "a path begins with a slash");
    for (size_t i = 0; i < front->n_mounts; i++) {
        const struct mounted *row = &front->mounts[i];

        if (row->size == size && !memcmp(row->path, path, size))
            return error_set(reason, HAFT_EINVAL, path, "something is there already");
        at += row->size >= size;
    }
    *ret_at = at;
    return 0;
}

/* Adds a row; what it owns is closed when it cannot be. */
static int mount(struct front *front, struct mounted row, haft_reason *reason)
{
    size_t at = 0;
    int status = place_of(front, row.path, &at, reason);

    if (status) {
        if (row.owns && row.app->close)
            row.app->close(row.context);
        return status;
    }
    row.size = path_size(row.path);
    memmove(front->mounts + at + 1, front->mounts + at,
            (front->n_mounts - at) * sizeof *front->mounts);
    front->mounts[at] = row;
    front->n_mounts++;
    return 0;
}

static int mount_endpoint(struct front *front, haft_server *server, haft_endpoint_options options,
                          haft_reason *reason)
{
    struct mounted row = {.path = options.path, .owns = true, .app = &endpoint_app};
    int status;

    options.number = front->loop.number;
    options.cors_origin = front->door.cors_origin;
    options.store = front->store;
    options.loop = front->loop.loop;
    server_make_seal_key(server, options.loop);
    row.context = haft_endpoint_new(server, &options);
    if (!row.context)
        return error_set(reason, HAFT_ENOMEM, NULL, "out of memory");
    status = mount(front, row, reason);
    row.owns = false;
    if (!status && options.legacy_sse) {
        row.path = "/sse";
        status = mount(front, row, reason);
        row.path = "/messages";
        if (!status)
            status = mount(front, row, reason);
    }
    return status;
}

static int mount_app(struct front *front, const char *path, const haft_app *app,
                     haft_reason *reason)
{
    struct mounted row = {.path = path, .below = true, .owns = true, .app = app};

    row.context = app->open(app->data, &front->loop, reason);
    if (!row.context)
        return reason && reason->code ? reason->code
                                      : error_set(reason, HAFT_EINVAL, path, "it does not open");
    return mount(front, row, reason);
}

/* Several loops may be at this at once. */
static int mount_view(struct front *front, const haft_app **app, haft_reason *reason)
{
    haft_server *server = front->loop.server;
    const void *view = NULL;
    int status;

    server_lock(server);
    status = *app ? struct_view(*app, sizeof **app, server->arena, &view) : 0;
    server_unlock(server);
    *app = view;
    return !status ? 0
                   : error_set(reason, status, "haft_app", "%s",
                               status == HAFT_EINVAL ? STRUCT_UNSIZED : "out of memory");
}

static int mount_one(struct front *front, const haft_http_mount *given, haft_reason *reason)
{
    haft_http_mount own, *one = &own;
    haft_endpoint_options options;

    if (!struct_read(one, sizeof *one, given))
        return error_set(reason, HAFT_EINVAL, "haft_http_mount", STRUCT_UNSIZED);
    if (mount_view(front, &one->app, reason))
        return reason ? reason->code : HAFT_EINVAL;
    options = (haft_endpoint_options)HAFT_INIT(
        haft_endpoint_options, .path = one->path, .legacy_sse = one->legacy_sse,
        .max_sessions = one->max_sessions, .session_idle_ms = one->session_idle_ms);
    if (!one->path || !one->server == !one->app)
        return error_set(reason, HAFT_EINVAL, one->path ? one->path : "mounts",
                         "a mount is a path, and either a server or an app");
    if (one->app)
        return mount_app(front, one->path, one->app, reason);
    if (options.max_sessions)
        options.max_sessions = (options.max_sessions + front->loop.n - 1) / front->loop.n;
    return mount_endpoint(front, one->server, options, reason);
}

/* ---- requests ---- */

static const struct mounted *mount_find(const struct front *front, const char *path)
{
    for (size_t i = 0; i < front->n_mounts; i++) {
        const struct mounted *row = &front->mounts[i];
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
    const struct mounted *row = mount_find(context, request->path);

    return row && row->app->allows_origin &&
           row->app->allows_origin(row->context, request, origin, size);
}

/* ---- life ---- */

int front_init(struct front *front, const haft_http_options *options, const haft_http_loop *loop,
               haft_reason *reterr_reason)
{
    const haft_allocator *allocator = loop->server->allocator;
    haft_endpoint_options own = HAFT_INIT(
        haft_endpoint_options, .path = options->path, .legacy_sse = options->legacy_sse,
        .max_sessions = options->max_sessions, .session_idle_ms = options->session_idle_ms);
    const haft_http_mount *one = options->mounts;
    int status;

    *front = (struct front){.door = {.server = loop->server,
                                     .allowed_hosts = options->allowed_hosts,
                                     .allowed_origins = options->allowed_origins,
                                     .cors_origin = options->cors_origin,
                                     .allows_origin = mount_allows_origin,
                                     .context = front},
                            .allocator = allocator,
                            .loop = *loop,
                            .admit = options->admit,
                            .admit_context = options->admit_context,
                            .store = options->store,
                            .rate = options->rate,
                            .total_rate = options->total_rate,
                            .metrics_for_all = options->metrics_for_all};
    if (loop->server->metering.metrics)
        front->metrics_path = options->metrics_path ? options->metrics_path : DEFAULT_METRICS;
    front->n_cors = door_put_cors(&front->door, front->cors);
    front->room = 3 * (options->n_mounts + 1);
    front->mounts = allocator->alloc(allocator->context, front->room * sizeof *front->mounts);
    status = front->mounts ? 0 : HAFT_ENOMEM;
    if (status)
        error_set(reterr_reason, status, NULL, "out of memory");
    else if (*options->path)
        status = mount_endpoint(front, loop->server, own, reterr_reason);
    for (size_t i = 0; !status && i < options->n_mounts; i++, one = mount_next(one))
        status = mount_one(front, one, reterr_reason);
    if (status)
        front_finish(front);
    return status;
}

void front_finish(struct front *front)
{
    for (size_t i = 0; front->mounts && i < front->n_mounts; i++)
        if (front->mounts[i].owns && front->mounts[i].app->close)
            front->mounts[i].app->close(front->mounts[i].context);
    if (front->mounts)
        front->allocator->release(front->allocator->context, front->mounts,
                                  front->room * sizeof *front->mounts);
    front->mounts = NULL;
    front->n_mounts = 0;
}

const char *front_unauthenticated(const struct front *front, const char **ret_path)
{
    *ret_path = "";
    for (size_t i = 0; i < front->n_mounts; i++) {
        const struct mounted *row = &front->mounts[i];
        const char *text = NULL;

        if (row->app->unauthenticated)
            text = row->app->unauthenticated(row->context);
        if (text)
            return text;
        if (row->app->unauthenticated)
            continue;
        *ret_path = row->path;
        return row->app == &endpoint_app ? "endpoint " : "what is mounted at ";
    }
    return NULL;
}

size_t front_max_body(const struct front *front, const haft_http_options *options)
{
    size_t most = front->loop.server->options.max_message;

    for (size_t i = 0; i < options->n_mounts; i++) {
        const haft_server *server = options->mounts[i].server;

        if (server && server->options.max_message > most)
            most = server->options.max_message;
    }
    return most;
}

/* Whether it comes from this machine, and not through a proxy here. */
static bool is_local(const haft_request *request)
{
    size_t size;

    return (!request->peer || !strncmp(request->peer, "127.", 4) ||
            !strcmp(request->peer, "::1")) &&
           !request_header(request, "x-forwarded-for", &size) &&
           !request_header(request, "forwarded", &size);
}

/* What is counted is nobody's business, unless it was said to be. */
static bool is_for_metrics(const struct front *front, const haft_request *request)
{
    return path_is(request->path, front->metrics_path) &&
           (!strcmp(request->method, "GET") || !strcmp(request->method, "HEAD")) &&
           (front->metrics_for_all || is_local(request));
}

static void show_metrics(struct front *front, const haft_responder *responder, void *context)
{
    haft_buffer text;

    haft_buffer_init(&text, front->allocator, METRICS_LIMIT);
    if (haft_metrics_write(front->door.server, &text))
        door_refuse(&front->door, responder, context, 503, NULL, NULL, RPC_INTERNAL_ERROR,
                    "Out of memory");
    else
        door_respond(&front->door, responder, context, 200, HEADER("Cache-Control", "no-store"),
                     "text/plain; version=0.0.4; charset=utf-8", text.data, text.size);
    haft_buffer_finish(&text);
}

/* A page may ask whether it may ask an app, which need not know of that. */
static bool is_preflight(const struct front *front, const haft_request *request)
{
    size_t size;

    return front->door.cors_origin && !strcmp(request->method, "OPTIONS") &&
           request_header(request, "access-control-request-method", &size);
}

/* Whether whoever answers tells the page by itself that it may read the answer. */
static bool has_own_cors(const struct front *front, const haft_request *request)
{
    size_t size;
    const char *origin = request_header(request, "origin", &size);

    return front->door.cors_origin && origin && mount_allows_origin(front, request, origin, size);
}

/* OPTIONS *: what the server takes anywhere. */
static void answer_for_all(struct front *front, const haft_responder *responder, void *context)
{
    door_respond(&front->door, responder, context, 204,
                 HEADER("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"), NULL, NULL, 0);
}

/* ---- who is let in ---- */

static const struct taken nobody;

struct taken front_serve(const struct mounted *by, haft_request *request,
                         const haft_responder *responder, void *context, haft_time now)
{
    struct taken taken = {.by = by};

    taken.exchange = by->app->handle(by->context, request, responder, context, now);
    return taken.exchange ? taken : nobody;
}

struct taken front_enter(struct front *front, const struct mounted *by, haft_request *request,
                         const haft_responder *responder, void *context, haft_time now)
{
    if (front->limiter && front->door.server->options.store)
        return limit_ask(front, by, request, responder, context, now);
    if (front->limiter &&
        !limit_allows(front, request, by->app == &endpoint_app, responder, context, now))
        return nobody;
    return front_serve(by, request, responder, context, now);
}

void front_fail_admit(struct front *front, int status, const haft_responder *responder,
                      void *context)
{
    if (status < 0)
        server_log(front->door.server, HAFT_ERROR, "admit: %s", haft_strerror(status));
    else
        server_log(front->door.server, HAFT_ERROR, "admit returned %d, which is not a status",
                   status);
    door_refuse(&front->door, responder, context, 500, NULL, NULL, RPC_INTERNAL_ERROR,
                "Internal Server Error");
}

static struct taken front_admit(struct front *front, const struct mounted *by,
                                const haft_request *request, const haft_responder *responder,
                                void *context, haft_time now)
{
    struct admitting admitting = {.request = *request,
                                  .front = front,
                                  .by = by,
                                  .responder = responder,
                                  .context = context,
                                  .now = now};
    int status = front->admit(front->admit_context, &admitting.request, responder, context);

    if (status == HAFT_PENDING && admitting.admission)
        return (struct taken){&admission_row, admitting.admission};
    if (admitting.admission)
        admission_free(admitting.admission);
    if (!status)
        return front_enter(front, by, &admitting.request, responder, context, now);
    if (status != HAFT_STOP)
        front_fail_admit(front, status, responder, context);
    return nobody;
}

struct taken front_handle(struct front *front, haft_request *request,
                          const haft_responder *responder, void *context, haft_time now)
{
    struct taken taken;

    if (!door_opens(&front->door, request, responder, context))
        return nobody;
    if (front->metrics_path && is_for_metrics(front, request)) {
        show_metrics(front, responder, context);
        return nobody;
    }
    if (!strcmp(request->path, "*")) {
        answer_for_all(front, responder, context);
        return nobody;
    }
    taken.by = mount_find(front, request->path);
    if (!taken.by) {
        door_refuse(&front->door, responder, context, 404, NULL, NULL, RPC_INVALID_REQUEST,
                    "Not Found");
        return nobody;
    }
    if (taken.by->app != &endpoint_app && !has_own_cors(front, request)) {
        if (is_preflight(front, request)) {
            door_preflight(&front->door, "GET, HEAD, POST, PUT, PATCH, DELETE", request, responder,
                           context);
            return nobody;
        }
        if (front->app_responder)
            responder = front->app_responder;
    }
    return front->admit ? front_admit(front, taken.by, request, responder, context, now)
                        : front_enter(front, taken.by, request, responder, context, now);
}

void front_gone(struct taken taken)
{
    taken.by->app->gone(taken.by->context, taken.exchange);
}

bool front_half_closed(struct taken taken)
{
    const haft_app *app = taken.by->app;

    return !app->half_closed || app->half_closed(taken.by->context, taken.exchange);
}

/* ---- all of them ---- */

void front_tick(struct front *front, haft_time now)
{
    admissions_tick(front, now);
    for (size_t i = 0; i < front->n_mounts; i++)
        if (front->mounts[i].owns && front->mounts[i].app->tick)
            front->mounts[i].app->tick(front->mounts[i].context, now);
}

void front_shut_down(struct front *front)
{
    front->door.closing = true;
    for (size_t i = 0; i < front->n_mounts; i++)
        if (front->mounts[i].owns && front->mounts[i].app->shut_down)
            front->mounts[i].app->shut_down(front->mounts[i].context);
}

void front_abandon(struct front *front)
{
    admissions_abandon(front);
    for (size_t i = 0; i < front->n_mounts; i++)
        if (front->mounts[i].owns && front->mounts[i].app->abandon)
            front->mounts[i].app->abandon(front->mounts[i].context);
}

bool front_idle(const struct front *front)
{
    if (front->admissions || atomic_load(&((struct front *)(uintptr_t)front)->n_continuing))
        return false;
    for (size_t i = 0; i < front->n_mounts; i++)
        if (front->mounts[i].owns && front->mounts[i].app->idle &&
            !front->mounts[i].app->idle(front->mounts[i].context))
            return false;
    return true;
}
