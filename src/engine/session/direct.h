/* engine/session/direct.h - decoding of large arguments directly from the message text
 * (direct.c). */
#ifndef HAFT_SRC_ENGINE_SESSION_DIRECT_H
#define HAFT_SRC_ENGINE_SESSION_DIRECT_H

#include "engine/session/session.h"

/* Parses a message with large arguments that the tool's schema can decode from text, into
 * call->args.direct. Returns false if it has no such arguments, or must be parsed normally. */
bool hf_direct_read(haft_session *session, haft_call *call, const char *text, size_t size,
                    yyjson_val **ret_root);

#endif
