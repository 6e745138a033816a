/* engine/call/respond.h - answers on the wire (respond.c). */
#ifndef HAFT_SRC_ENGINE_CALL_RESPOND_H
#define HAFT_SRC_ENGINE_CALL_RESPOND_H

#include "engine/call/call.h"

/* Starts and ends a response in owner->out.  Between them the members of the result are written,
 * each but the first with a comma before it; `any` tells the end whether there were any.  `type` is a
 * resultType of the handler's own, NULL for "complete"; only modern clients see it. */
haft_buffer *hf_respond_begin(haft_call *call);
void hf_respond_end(haft_call *call, bool any, const char *type);
void hf_respond_empty(haft_call *call);
void hf_respond_error(haft_call *call, int code, const char *message, const char *data);
/* The same of a formatted text in the call's arena. */
void hf_respond_errorf(haft_call *call, int code, const char *format, ...) HAFT_PRINTF_(3, 4);

/* Sends the response that stands in owner->out, and marks the call as answered. */
void hf_respond_written(haft_call *call, int error_code);

#endif
