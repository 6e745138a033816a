/* metadata.c - the metadata of protected resources (RFC 9728), by which clients find the
 * authorization servers of an endpoint.
 *
 * The document of the endpoint /mcp is at /.well-known/oauth-protected-resource/mcp, and without the
 * path if it is the only one. It is public: pages of any origin may read it. */
#include <string.h>

#include "endpoint/mux.h"
#include "engine/offer/access.h"

enum { METADATA_ROOM = 256 << 10 };

/* ---- documents ---- */

const char *hf_metadata_path(const char *path)
{
    const size_t prefix = sizeof WELL_KNOWN_RESOURCE - 1;
    const char *resource = path + prefix;

    if (strncmp(path, WELL_KNOWN_RESOURCE, prefix) || (*resource && *resource != '/'))
        return NULL;
    return strcmp(resource, "/") ? resource : "";
}

int hf_metadata_put(const struct metadata *metadata, haft_buffer *document)
{
    haft_authenticator *authenticator = metadata->authenticator;
    const haft_allocator *allocator = document->allocator;
    haft_buffer scopes;
    int status;

    haft_buffer_init(&scopes, allocator, METADATA_ROOM);
    status = metadata->server ? hf_server_scopes(metadata->server, &scopes) : 0;
    haft_buffer_add(&scopes, "", 1);
    status = status ? status : scopes.status;
    if (!status)
        status = authenticator->class->describe(authenticator, metadata->resource,
                                                metadata->server ? metadata->server->name : NULL,
                                                *scopes.data ? scopes.data : NULL, document);
    haft_buffer_finish(&scopes);
    return status;
}

static void metadata_respond(const struct metadata *metadata, const haft_allocator *allocator,
                             const haft_responder *responder, void *context)
{
    static const haft_header headers[] = {{"Content-Type", "application/json"},
                                          {"Cache-Control", "max-age=3600"},
                                          {"Access-Control-Allow-Origin", "*"}};
    haft_response response = {
        .status = 200, .headers = headers, .n_headers = sizeof headers / sizeof *headers};
    haft_buffer document;

    haft_buffer_init(&document, allocator, METADATA_ROOM);
    if (hf_metadata_put(metadata, &document) || document.status)
        response = (haft_response){
            .status = 503, .headers = HEADER("Retry-After", "1"), .n_headers = 1, .body = ""};
    else
        response.body = document.data;
    response.size = response.status == 200 ? document.size : 0;
    responder->respond(context, &response);
    haft_buffer_finish(&document);
}

void hf_metadata_answer(const struct metadata *metadata, const haft_allocator *allocator,
                        const haft_request *request, const haft_responder *responder, void *context)
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

    if (!strcmp(request->method, "GET") || !strcmp(request->method, "HEAD")) {
        metadata_respond(metadata, allocator, responder, context);
        return;
    }
    if (!strcmp(request->method, "OPTIONS"))
        response.status = 204;
    responder->respond(context, &response);
}

/* ---- of mounts ---- */

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

bool hf_mount_describe(const struct mux *mux, struct mount *row)
{
    haft_buffer document;
    int status;

    if (!row->authenticator || strcmp(row->path, row->resource))
        return true;
    haft_buffer_init(&document, mux->allocator, METADATA_ROOM);
    status =
        hf_metadata_put(&(struct metadata){row->authenticator, row->resource, NULL}, &document);
    haft_buffer_finish(&document);
    row->is_described = !status;
    return status != HAFT_ENOMEM;
}

const struct mount *hf_mux_described(const struct mux *mux, const char *path,
                                     const char **ret_resource)
{
    const struct mount *only = NULL;
    const char *resource = hf_metadata_path(path);
    size_t n = 0;

    if (!resource)
        return NULL;
    for (size_t i = 0; i < mux->n_mounts; i++) {
        const struct mount *row = &mux->mounts[i];
        haft_server *server;

        if (!row->is_described)
            continue;
        *ret_resource = hf_mount_resource(row, resource, &server);
        if (*resource && hf_path_is(resource, *ret_resource))
            return row;
        only = row;
        n++;
    }
    return n == 1 && !*resource ? only : NULL;
}

void hf_mux_show_metadata(struct mux *mux, const struct mount *row, const char *resource,
                          const haft_request *request, const haft_responder *responder,
                          void *context, haft_time now)
{
    struct metadata metadata = {.authenticator = row->authenticator, .resource = resource};

    hf_mount_resource(row, resource, &metadata.server);
    if (!mux->limiter || hf_limit_allows(mux, request, false, responder, context, now))
        hf_metadata_answer(&metadata, mux->allocator, request, responder, context);
}
