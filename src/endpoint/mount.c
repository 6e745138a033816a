/* mount.c - the rows of a mux: paths, and the endpoints and apps that handle them. */
#include <string.h>

#include "base/defaults.h"
#include "base/struct.h"
#include "endpoint/mux.h"

static size_t path_size(const char *path)
{
    size_t size = strlen(path);

    return size && path[size - 1] == '/' ? size - 1 : size;
}

/* The position of a row: after those with longer paths. */
static int place_of(const struct mux *mux, const char *path, size_t *ret_at, haft_reason *reason)
{
    size_t size = path_size(path), at = 0;

    if (path[0] != '/')
        return hf_error_set(reason, HAFT_EINVAL, path, "a path must begin with a slash");
    for (size_t i = 0; i < mux->n_mounts; i++) {
        const struct mount *row = &mux->mounts[i];

        if (row->size == size && !memcmp(row->path, path, size))
            return hf_error_set(reason, HAFT_EINVAL, path, "this path is already in use");
        at += row->size >= size;
    }
    *ret_at = at;
    return 0;
}

/* Adds a row; closes what the row owns on failure. */
static int mux_mount(struct mux *mux, struct mount row, haft_reason *reason)
{
    size_t at = 0;
    int status = place_of(mux, row.path, &at, reason);

    row.resource = row.resource ? row.resource : row.path;
    if (!status && row.authenticator && row.authenticator->class->attach)
        status = row.authenticator->class->attach(row.authenticator, row.resource, reason);
    if (status) {
        if (row.owns && row.app->close)
            row.app->close(row.context);
        return status;
    }
    row.size = path_size(row.path);
    if (row.authenticator)
        row.authenticator->class->hold(row.authenticator);
    memmove(mux->mounts + at + 1, mux->mounts + at, (mux->n_mounts - at) * sizeof *mux->mounts);
    mux->mounts[at] = row;
    mux->n_mounts++;
    return hf_mount_describe(mux, &mux->mounts[at])
               ? 0
               : hf_error_set(reason, HAFT_ENOMEM, NULL, "out of memory");
}

int hf_mux_mount_rows(struct mux *mux, struct mount row, bool legacy_sse, haft_reason *reason)
{
    int status;

    row.resource = row.path;
    row.app = &hf_endpoint_app;
    status = mux_mount(mux, row, reason);
    row.owns = false;
    if (!status && legacy_sse) {
        row.path = "/sse";
        status = mux_mount(mux, row, reason);
        row.path = "/messages";
        if (!status)
            status = mux_mount(mux, row, reason);
    }
    return status;
}

int hf_mux_mount_endpoint(struct mux *mux, haft_server *server, haft_endpoint_options options,
                          haft_reason *reason)
{
    struct mount row = {.path = options.path, .owns = true, .authenticator = options.authenticator};

    options.authenticator = NULL;
    options.number = mux->loop.number;
    options.replica = mux->loop.replica;
    options.cors_origin = mux->guard.cors_origin;
    options.store = mux->store;
    options.loop = mux->loop.loop;
    hf_server_make_seal_key(server, options.loop);
    row.context = hf_endpoint_new(server, &options);
    if (!row.context)
        return hf_error_set(reason, HAFT_ENOMEM, NULL, "out of memory");
    hf_endpoint_set_authenticator(row.context, row.authenticator);
    return hf_mux_mount_rows(mux, row, options.legacy_sse, reason);
}

static int mount_app(struct mux *mux, const haft_http_mount *one, haft_reason *reason)
{
    struct mount row = {.path = one->path,
                        .below = true,
                        .owns = true,
                        .app = one->app,
                        .authenticator = one->authenticator};

    row.context = row.app->open(row.app->data, &mux->loop, reason);
    if (!row.context)
        return reason && reason->code
                   ? reason->code
                   : hf_error_set(reason, HAFT_EINVAL, row.path, "the app's open function failed");
    return mux_mount(mux, row, reason);
}

/* Several loops may do this at once. */
static int mount_view(struct mux *mux, const haft_app **app, haft_reason *reason)
{
    haft_server *server = mux->loop.server;
    const void *view = NULL;
    int status;

    hf_server_lock(server);
    status = *app ? hf_struct_view(*app, sizeof **app, server->arena, &view) : 0;
    hf_server_unlock(server);
    *app = view;
    return !status ? 0
                   : hf_error_set(reason, status, "haft_app", "%s",
                                  status == HAFT_EINVAL ? STRUCT_UNSIZED : "out of memory");
}

int hf_mux_mount(struct mux *mux, const haft_http_mount *given, haft_reason *reason)
{
    haft_http_mount own, *one = &own;
    haft_endpoint_options options;

    if (!hf_struct_read(one, sizeof *one, given))
        return hf_error_set(reason, HAFT_EINVAL, "haft_http_mount", STRUCT_UNSIZED);
    if (mount_view(mux, &one->app, reason))
        return reason ? reason->code : HAFT_EINVAL;
    options = (haft_endpoint_options)HAFT_INIT(
        haft_endpoint_options, .path = one->path, .legacy_sse = one->legacy_sse,
        .max_sessions = one->max_sessions, .session_idle_ms = one->session_idle_ms);
    if (!one->path || !one->server == !one->app)
        return hf_error_set(reason, HAFT_EINVAL, one->path ? one->path : "mounts",
                            "a mount needs a path and either a server or an app");
    if (one->app)
        return mount_app(mux, one, reason);
    options.authenticator = one->authenticator ? one->authenticator : mux->authenticator;
    if (options.max_sessions)
        options.max_sessions = (options.max_sessions + mux->loop.n - 1) / mux->loop.n;
    return hf_mux_mount_endpoint(mux, one->server, options, reason);
}
