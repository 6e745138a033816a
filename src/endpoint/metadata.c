/* metadata.c - the metadata of protected resources (RFC 9728), by which clients find the
 * authorization servers of an endpoint.
 *
 * The document of the endpoint /mcp is at /.well-known/oauth-protected-resource/mcp, and without the
 * path if it is the only one. It is public: pages of any origin may read it. */
#include <string.h>

#include "endpoint/mux.h"

enum { METADATA_ROOM = 256 << 10 };

const char *hf_mount_resource(const struct mount *row, const char *path, haft_server **ret_server)
{
    const char *resource = NULL;

    *ret_server = NULL;
    if (row->app == &hf_endpoint_app)
        *ret_server = ((const haft_endpoint *)row->context)->server;
    else if (row->app->resource)
        resource = row->app->resource(row->context, path, ret_server);
    return resource ? resource : row->resource;
}

/* Appends the document. Returns 0, HAFT_ENOTFOUND if the authenticator has none, or an error. */
static int metadata_put(const struct mux *mux, const struct mount *row, const char *resource,
                        haft_buffer *document)
{
    haft_server *server;

    (void)mux;
    hf_mount_resource(row, resource, &server);
    return row->authenticator->class->describe(row->authenticator, resource, NULL, document);
}

bool hf_mount_describe(const struct mux *mux, struct mount *row)
{
    haft_buffer document;
    int status;

    if (!row->authenticator || strcmp(row->path, row->resource))
        return true;
    haft_buffer_init(&document, mux->allocator, METADATA_ROOM);
    status = metadata_put(mux, row, row->resource, &document);
    haft_buffer_finish(&document);
    row->is_described = !status;
    return status != HAFT_ENOMEM;
}

const struct mount *hf_mux_described(const struct mux *mux, const char *path,
                                     const char **ret_resource)
{
    const size_t prefix = sizeof WELL_KNOWN_RESOURCE - 1;
    const struct mount *only = NULL;
    const char *rest = path + prefix;
    bool is_root = !strcmp(rest, "/") || !*rest;
    size_t n = 0;

    if (strncmp(path, WELL_KNOWN_RESOURCE, prefix) || (*rest && *rest != '/'))
        return NULL;
    for (size_t i = 0; i < mux->n_mounts; i++) {
        const struct mount *row = &mux->mounts[i];
        haft_server *server;

        if (!row->is_described)
            continue;
        *ret_resource = hf_mount_resource(row, is_root ? "" : rest, &server);
        if (!is_root && hf_path_is(rest, *ret_resource))
            return row;
        only = row;
        n++;
    }
    if (n != 1 || !is_root)
        return NULL;
    return only;
}

static void metadata_respond(struct mux *mux, const struct mount *row, const char *resource,
                             const haft_responder *responder, void *context)
{
    static const haft_header headers[] = {{"Content-Type", "application/json"},
                                          {"Cache-Control", "max-age=3600"},
                                          {"Access-Control-Allow-Origin", "*"}};
    haft_response response = {
        .status = 200, .headers = headers, .n_headers = sizeof headers / sizeof *headers};
    haft_buffer document;

    haft_buffer_init(&document, mux->allocator, METADATA_ROOM);
    if (metadata_put(mux, row, resource, &document) || document.status) {
        hf_guard_refuse(&mux->guard, responder, context, 503, HEADER("Retry-After", "1"), NULL,
                        RPC_INTERNAL_ERROR, "Out of memory");
    } else {
        response.body = document.data;
        response.size = document.size;
        responder->respond(context, &response);
    }
    haft_buffer_finish(&document);
}

void hf_mux_show_metadata(struct mux *mux, const struct mount *row, const char *resource,
                          const haft_request *request, const haft_responder *responder,
                          void *context, haft_time now)
{
    static const haft_header headers[] = {{"Allow", "GET, HEAD, OPTIONS"},
                                          {"Access-Control-Allow-Origin", "*"},
                                          {"Access-Control-Allow-Methods", "GET, HEAD"},
                                          {"Access-Control-Allow-Headers", "*"},
                                          {"Access-Control-Max-Age", "86400"}};
    haft_response response = {.status = 405,
                              .headers = headers,
                              .n_headers = sizeof headers / sizeof *headers,
                              .body = ""};

    if (mux->limiter && !hf_limit_allows(mux, request, false, responder, context, now))
        return;
    if (!strcmp(request->method, "GET") || !strcmp(request->method, "HEAD")) {
        metadata_respond(mux, row, resource, responder, context);
        return;
    }
    if (!strcmp(request->method, "OPTIONS"))
        response.status = 204;
    responder->respond(context, &response);
}
