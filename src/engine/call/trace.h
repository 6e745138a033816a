/* engine/call/trace.h - where a call stands in somebody's trace (trace.c). */
#ifndef HAFT_SRC_ENGINE_CALL_TRACE_H
#define HAFT_SRC_ENGINE_CALL_TRACE_H

#include "engine/call/call.h"

/* Reads what a request says about its trace that says something in its _meta, or has headers. */
void hf_trace_read(haft_call *call);

#endif
