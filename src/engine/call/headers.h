/* engine/call/headers.h - the headers of a request, held against what its message says (headers.c). */
#ifndef HAFT_SRC_ENGINE_CALL_HEADERS_H
#define HAFT_SRC_ENGINE_CALL_HEADERS_H

#include "engine/call/call.h"

/* Each is true when the headers are right, or there are none to be; else it has answered. */
bool headers_have_version(haft_call *call);
bool headers_agree_on_version(haft_call *call, yyjson_val *version);
bool headers_agree_on_method(haft_call *call, const struct rpc_message *message);
bool headers_agree_on_arguments(haft_call *call);

#endif
