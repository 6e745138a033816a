/* engine/call/respond.h - responses to requests (respond.c). */
#ifndef HAFT_SRC_ENGINE_CALL_RESPOND_H
#define HAFT_SRC_ENGINE_CALL_RESPOND_H

#include "engine/call/call.h"

/* Start and end a response in owner->out. The caller writes the members of the result in between,
 * each but the first with a preceding comma; `any` tells the end whether there were any. `type` is
 * the handler's resultType, NULL for "complete"; only modern clients see it. */
haft_buffer *hf_respond_begin(haft_call *call);
void hf_respond_end(haft_call *call, bool any, const char *type);
void hf_respond_empty(haft_call *call);
void hf_respond_error(haft_call *call, int code, const char *message, const char *data);
/* The same with a formatted message, in the call's arena. */
void hf_respond_errorf(haft_call *call, int code, const char *format, ...) HAFT_PRINTF_(3, 4);

/* Sends the response in owner->out, and marks the call as answered. */
void hf_respond_written(haft_call *call, int error_code);

#endif
