/* engine/call/cap.h - limits on concurrent calls of a tool (cap.c). */
#ifndef HAFT_SRC_ENGINE_CALL_CAP_H
#define HAFT_SRC_ENGINE_CALL_CAP_H

#include "engine/call/call.h"

/* Returns 1 if the call may run now, 0 if it was queued, or HAFT_EBUSY. */
int hf_cap_enter(haft_call *call);
/* The call no longer runs: the next in the queue may. */
void hf_cap_leave(haft_call *call);
/* Removes a call that has not run from the queue. */
void hf_cap_withdraw(haft_call *call);
/* Whether its turn has come; it is then counted as running. */
bool hf_cap_has_turn(haft_call *call);

#endif
