/* part/http_client.h - access to the HTTP client, an optional part. */
#ifndef HAFT_SRC_HTTP_CLIENT_OPEN_H
#define HAFT_SRC_HTTP_CLIENT_OPEN_H

#include "http/client/client.h"

/* Opens the part and returns its functions. Returns NULL on failure, with the reason, which starts
 * with `needed_by`, for example an option with its value. Must be called before a sandbox is
 * entered. Callable on any thread. */
const struct http_client_functions *hf_http_client_open(const char *needed_by,
                                                        haft_reason *reterr_reason);

/* Calls http->create with what it needs from libhaft; options may be NULL. */
http_client *hf_http_client_new(const struct http_client_functions *http, uv_loop_t *loop,
                                const struct http_client_options *options,
                                haft_reason *reterr_reason);

#endif
