/* engine/call/headers.h - the headers of a request, held against what its message says (headers.c). */
#ifndef HAFT_SRC_ENGINE_CALL_HEADERS_H
#define HAFT_SRC_ENGINE_CALL_HEADERS_H

#include "engine/call/call.h"

/* Each returns true if the headers agree with the message, or HTTP is not in use; otherwise it has sent
 * the error. */
bool hf_headers_have_version(haft_call *call);
bool hf_headers_agree_on_version(haft_call *call);
/* `named` is the member of the params that Mcp-Name repeats; NULL for none. */
bool hf_headers_agree_on_method(haft_call *call, const char *named);
bool hf_headers_agree_on_arguments(haft_call *call);

#endif
