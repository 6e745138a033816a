/* engine/call/event.h - events about calls (event.c). */
#ifndef HAFT_SRC_ENGINE_CALL_EVENT_H
#define HAFT_SRC_ENGINE_CALL_EVENT_H

#include "engine/call/call.h"

/* Report the start of a call, and its end with its outcome. The end is reported once. */
void hf_event_of_start(haft_call *call);
void hf_event_of_end(haft_call *call);

#endif
