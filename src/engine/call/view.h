/* engine/call/view.h - the memory that stages and handlers have of a call, and the calls above it (view.c). */
#ifndef HAFT_SRC_ENGINE_CALL_VIEW_H
#define HAFT_SRC_ENGINE_CALL_VIEW_H

#include "engine/offer/server.h"

/* From here to its end on this thread, `after` stages have memory of their own (view.c). */
void hf_late_begin(haft_call *call);
void hf_late_end(haft_call *call);
/* Whether the caller is such a stage. */
bool hf_late_is_here(const haft_call *call);
/* The arena for what the caller wants to keep with the call; NULL without memory. */
haft_arena *hf_call_memory(haft_call *call);

/* The call from outside that this one goes back to: itself, unless it was made within another.  It
 * alone is told the time. */
haft_call *hf_call_root(const haft_call *call);

#endif
