/* engine/session/direct.h - large arguments, straight from the text of their message (direct.c). */
#ifndef HAFT_SRC_ENGINE_SESSION_DIRECT_H
#define HAFT_SRC_ENGINE_SESSION_DIRECT_H

#include "engine/session/session.h"

/* Parses a message with large arguments that the tool's schema can read from text: these are in
 * call->args.direct.  False when it does not have such arguments, or is to be parsed as any other. */
bool hf_direct_read(haft_session *session, haft_call *call, const char *text, size_t size,
                    yyjson_val **ret_root);

#endif
