/* engine/call/tool_call.h - calls of tools (tool_call.c). */
#ifndef HAFT_SRC_ENGINE_CALL_TOOL_CALL_H
#define HAFT_SRC_ENGINE_CALL_TOOL_CALL_H

#include "engine/call/call.h"

void hf_handle_tool_call(haft_call *call);
/* Reports a call that was answered with an error before its stages ran, to stages and watchers. */
void hf_tool_call_refused(haft_call *call, haft_outcome outcome);

/* Writes the members of a tool's or resource's result: content, structuredContent, isError. */
void hf_complete_tool(haft_call *call);
int hf_tool_check(haft_call *call);
/* Decodes the arguments and runs the handler, in the process that the call was sent to. */
int hf_tool_execute(haft_call *call);
/* Runs the handler and validates its result. */
int hf_tool_handle(haft_call *call);

/* Responds to a call that has passed its deadline, without accessing data that its handler may be
 * writing. */
void hf_respond_timeout(haft_call *call, unsigned milliseconds);

/* Whether haft_task_begin makes the call a task. */
bool hf_call_may_begin_task(haft_call *call);

#endif
