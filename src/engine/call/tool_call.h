/* engine/call/tool_call.h - calls of tools (tool_call.c). */
#ifndef HAFT_SRC_ENGINE_CALL_TOOL_CALL_H
#define HAFT_SRC_ENGINE_CALL_TOOL_CALL_H

#include "engine/call/call.h"

void hf_handle_tool_call(haft_call *call);
/* A call of a tool has been answered with an error before anything was done about it: those who
 * follow calls hear of it. */
void hf_tool_call_refused(haft_call *call, haft_outcome outcome);

/* Members of a tool's or resource's result: content, structuredContent, isError. */
void hf_complete_tool(haft_call *call);
int hf_tool_check(haft_call *call);
/* Decodes the arguments and runs the handler, in the process that the call was carried to. */
int hf_tool_execute(haft_call *call);
/* The handler, and the check of what it gives. */
int hf_tool_handle(haft_call *call);

/* The answer to a call that has passed its deadline: nothing of what its handler may be writing is
 * touched. */
void hf_respond_timeout(haft_call *call, unsigned milliseconds);

#endif
