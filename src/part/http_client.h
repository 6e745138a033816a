/* part/http_client.h - libhaft's way to the HTTP client, which is an optional part. */
#ifndef HAFT_SRC_HTTP_CLIENT_OPEN_H
#define HAFT_SRC_HTTP_CLIENT_OPEN_H

#include "http/client/client.h"

/* The functions of the client; opens the part.  Returns NULL on failure, with the reason, which begins
 * with `needed_by`: an option with its value, for instance.  To be called before a sandbox is entered.
 * From any thread. */
const struct http_client_functions *hf_http_client_open(const char *needed_by,
                                                        haft_reason *reterr_reason);

/* http->create with what it needs of libhaft; options may be NULL. */
http_client *hf_http_client_new(const struct http_client_functions *http, uv_loop_t *loop,
                                const struct http_client_options *options,
                                haft_reason *reterr_reason);

#endif
