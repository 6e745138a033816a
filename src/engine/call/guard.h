/* engine/call/guard.h - whether the client of a call may use an item (guard.c).
 *
 * Scopes and rules apply to clients with a principal. An item that a rule denies does not exist for
 * the client; an item whose scopes it lacks is refused with these. */
#ifndef HAFT_SRC_ENGINE_CALL_GUARD_H
#define HAFT_SRC_ENGINE_CALL_GUARD_H

#include "engine/call/call.h"
#include "engine/offer/audience.h"

/* Whether there is anything to check: usually not. */
static inline bool call_is_guarded(const haft_call *call)
{
    return call->request.principal && call->catalogue && call->catalogue->guarded;
}

/* Whether the client may know of an item: by the rules, and by its scopes if they hide what they do not
 * cover; `uri` as in hf_access_permits. Returns 1, 0, or an error. */
int hf_guard_permits(haft_call *call, const struct item *item, const char *uri);

/* Whether the client has the scopes of the call's item, which is a `kind`, such as "resource".
 * Otherwise it has been answered. */
bool hf_guard_admits(haft_call *call, const char *kind);
/* The same for a tool, in a stage: returns 0, HAFT_STOP or HAFT_ENOMEM. */
int hf_guard_tool(haft_call *call);

/* Finds what the client sees in lists: NULL for everything. Returns 0 with a reference, or an
 * error. */
int hf_guard_audience(haft_call *call, struct audience **ret_audience);

#endif
