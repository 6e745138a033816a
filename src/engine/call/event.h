/* engine/call/event.h - what watchers hear of a call (event.c). */
#ifndef HAFT_SRC_ENGINE_CALL_EVENT_H
#define HAFT_SRC_ENGINE_CALL_EVENT_H

#include "engine/call/call.h"

/* A call has come; it is over, as its outcome says.  The end is told once. */
void hf_event_of_start(haft_call *call);
void hf_event_of_end(haft_call *call);

#endif
