/* metadata.c - the metadata of protected resources (RFC 9728), by which clients find the
 * authorization servers of an endpoint.
 *
 * The document of the endpoint /mcp is at /.well-known/oauth-protected-resource/mcp, and without the
 * path if it is the only one. It is public: pages of any origin may read it. */
#include <string.h>

#include "endpoint/mux.h"

enum { METADATA_ROOM = 256 << 10 };

/* Appends the document. Returns 0, HAFT_ENOTFOUND if the authenticator has none, or an error. */
static int metadata_put(const struct mux *mux, const struct mount *row, haft_buffer *document)
{
    (void)mux;
    return row->authenticator->class->describe(row->authenticator, row->resource, NULL, document);
}

bool hf_mount_describe(const struct mux *mux, struct mount *row)
{
    haft_buffer document;
    int status = HAFT_ENOTFOUND;

    if (!row->authenticator || strcmp(row->path, row->resource))
        return true;
    haft_buffer_init(&document, mux->allocator, METADATA_ROOM);
    status = metadata_put(mux, row, &document);
    haft_buffer_finish(&document);
    row->is_described = !status;
    return status != HAFT_ENOMEM;
}

const struct mount *hf_mux_described(const struct mux *mux, const char *path)
{
    const size_t prefix = sizeof WELL_KNOWN_RESOURCE - 1;
    const struct mount *only = NULL;
    const char *resource = path + prefix;
    size_t n = 0;

    if (strncmp(path, WELL_KNOWN_RESOURCE, prefix) || (*resource && *resource != '/'))
        return NULL;
    for (size_t i = 0; i < mux->n_mounts; i++) {
        const struct mount *row = &mux->mounts[i];

        if (!row->is_described)
            continue;
        if (hf_path_is(*resource ? resource : "/", row->resource))
            return row;
        only = row;
        n++;
    }
    return n == 1 && (!*resource || !strcmp(resource, "/")) ? only : NULL;
}

static void metadata_respond(struct mux *mux, const struct mount *row,
                             const haft_responder *responder, void *context)
{
    static const haft_header headers[] = {{"Content-Type", "application/json"},
                                          {"Cache-Control", "max-age=3600"},
                                          {"Access-Control-Allow-Origin", "*"}};
    haft_response response = {
        .status = 200, .headers = headers, .n_headers = sizeof headers / sizeof *headers};
    haft_buffer document;

    haft_buffer_init(&document, mux->allocator, METADATA_ROOM);
    if (metadata_put(mux, row, &document) || document.status) {
        hf_guard_refuse(&mux->guard, responder, context, 503, HEADER("Retry-After", "1"), NULL,
                        RPC_INTERNAL_ERROR, "Out of memory");
    } else {
        response.body = document.data;
        response.size = document.size;
        responder->respond(context, &response);
    }
    haft_buffer_finish(&document);
}

void hf_mux_show_metadata(struct mux *mux, const struct mount *row, const haft_request *request,
                          const haft_responder *responder, void *context, haft_time now)
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
        metadata_respond(mux, row, responder, context);
        return;
    }
    if (!strcmp(request->method, "OPTIONS"))
        response.status = 204;
    responder->respond(context, &response);
}
