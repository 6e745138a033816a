/* client/mirror.h - arguments of a tool that are repeated in headers. */
#ifndef HAFT_SRC_MIRROR_H
#define HAFT_SRC_MIRROR_H

#include <haft/transport.h>

#include "json/json.h"

/* Why a tool with this schema cannot be called over HTTP: a header that it requires is invalid, or
 * not on an argument. NULL if it can be called. */
const char *hf_mirror_fault(yyjson_val *schema);
/* The headers that repeat arguments, encoded.  Returns 0 or HAFT_ENOMEM. */
int hf_mirror_headers(yyjson_val *schema, yyjson_val *arguments, haft_arena *arena,
                      haft_header **ret_headers, size_t *ret_n);

/* A value as a header can hold it: as it is, or as base64.  NULL without memory. */
const char *hf_mirror_encode(const char *text, size_t size, haft_arena *arena);

#endif
