/* engine/call/trace.h - the trace context of a call (trace.c). */
#ifndef HAFT_SRC_ENGINE_CALL_TRACE_H
#define HAFT_SRC_ENGINE_CALL_TRACE_H

#include "engine/call/call.h"

/* Reads the trace context of a request from its _meta or headers. */
void hf_trace_read(haft_call *call);

#endif
