/* engine/call/headers.h - compares the headers of a request with its message (headers.c). */
#ifndef HAFT_SRC_ENGINE_CALL_HEADERS_H
#define HAFT_SRC_ENGINE_CALL_HEADERS_H

#include "engine/call/call.h"
#include "protocol/header.h"

/* Each is for a request with headers, and returns true if they match the message; otherwise it has
 * sent the error. */

/* `named` is the member of the params that Mcp-Name repeats; NULL if there is none. */
bool hf_headers_agree_on_method(haft_call *call, const char *named);
/* For a tool with an input schema. */
bool hf_headers_agree_on_arguments(haft_call *call);

/* Sends the error; returns false. */
bool hf_headers_mismatch(haft_call *call, const char *header, const char *why);

#endif
