/* engine/call/cap.h - so many calls of a tool at once (cap.c). */
#ifndef HAFT_SRC_ENGINE_CALL_CAP_H
#define HAFT_SRC_ENGINE_CALL_CAP_H

#include "engine/call/call.h"

/* 1 when the call may run now, 0 when it waits in line, or HAFT_EBUSY. */
int hf_cap_enter(haft_call *call);
/* It runs no more: the next in line may. */
void hf_cap_leave(haft_call *call);
/* It leaves the line without having run. */
void hf_cap_withdraw(haft_call *call);
/* Whether its turn has come; it counts as running then. */
bool hf_cap_has_turn(haft_call *call);

#endif
