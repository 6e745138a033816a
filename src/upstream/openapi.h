/* upstream/openapi.h - tools of an HTTP upstream: operations of an OpenAPI document, or written in the
 * configuration. */
#ifndef HAFT_SRC_UPSTREAM_OPENAPI_H
#define HAFT_SRC_UPSTREAM_OPENAPI_H

#include "import/import.h"
#include "upstream/http.h"

/* A tool; immutable once it has been made. */
struct http_tool {
    haft_tool tool;
    haft_schema *input, *output; /* compiled; NULL if there is none */
    const struct import_operation *operation;
    struct http_upstream *http;
    const struct http_credential **credentials; /* that the operation requires */
    size_t n_credentials;
};

/* The handler (openapi_call.c). */
int hf_openapi_call(haft_call *call, const void *in, void *out);

/* The OpenAPI document with one operation that a tool of the configuration stands for
 * (openapi_entry.c); NULL with the reason. */
haft_value *hf_openapi_document(struct upstream *upstream, const char *name,
                                const http_tool_entry *tool, haft_reason *reterr_reason);

#endif
