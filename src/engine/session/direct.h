/* engine/session/direct.h - large arguments, straight from the text of their message (direct.c). */
#ifndef HAFT_SRC_ENGINE_SESSION_DIRECT_H
#define HAFT_SRC_ENGINE_SESSION_DIRECT_H

#include "engine/session/session.h"

/* As hf_json_parse, but for large arguments that the tool's schema can read from text: these are in
 * call->args.direct. */
int hf_direct_parse(haft_session *session, haft_call *call, const char *text, size_t size,
                    yyjson_val **ret_root, size_t *reterr_offset, const char **reterr_reason);

#endif
