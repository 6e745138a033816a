/* engine/call/view.h - memory for stages and handlers, and the calls above a call (view.c). */
#ifndef HAFT_SRC_ENGINE_CALL_VIEW_H
#define HAFT_SRC_ENGINE_CALL_VIEW_H

#include "engine/offer/server.h"

/* From here to its end on this thread, `after` stages use separate memory. */
void hf_late_begin(haft_call *call);
void hf_late_end(haft_call *call);
/* Whether the caller is such a stage. */
bool hf_late_is_here(const haft_call *call);
/* The arena for data that the caller keeps with the call; NULL without memory. */
haft_arena *hf_call_memory(haft_call *call);

/* The outermost call: the call itself, unless it was made within another. Only that call gets
 * ticks. */
haft_call *hf_call_root(const haft_call *call);

#endif
