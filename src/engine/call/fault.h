/* engine/call/fault.h - how failures of a tool's call are sent to clients.
 *
 * One row per outcome and set of revisions; the functions that write responses read it. */
#ifndef HAFT_SRC_ENGINE_CALL_FAULT_H
#define HAFT_SRC_ENGINE_CALL_FAULT_H

#include "engine/call/call.h"

/* Outcome, revisions, the JSON-RPC error code (0: a result with isError), and the text before and
 * after the subject; a detail may follow. Without text, it is the handler's or that of its
 * status. */
#define FAULTS(X)                                                                                  \
    X(HAFT_OUTCOME_ERROR, REVS_ALL, 0, "", "")                                                     \
    X(HAFT_OUTCOME_INVALID, REVS_ALL, 0, "Input validation error: Invalid arguments for tool ",    \
      ": ")                                                                                        \
    X(HAFT_OUTCOME_NOT_FOUND, REVS_ALL, RPC_INVALID_PARAMS, "Tool ", " not found")                 \
    X(HAFT_OUTCOME_DISABLED, REVS_ALL, RPC_INVALID_PARAMS, "Tool ", " disabled")                   \
    X(HAFT_OUTCOME_FORBIDDEN, REVS_ALL, RPC_FORBIDDEN, "Forbidden: the tool ", " requires the ")   \
    X(HAFT_OUTCOME_RATE_LIMITED, REVS_ALL, 0, "Rate limited: ", " may be called ")                 \
    X(HAFT_OUTCOME_TIMED_OUT, REVS_ALL, 0, "timed out after ", "")                                 \
    X(HAFT_OUTCOME_FAILED, REVS_ALL, 0, "", "")                                                    \
    X(HAFT_OUTCOME_INTERNAL, REVS_ALL, RPC_INTERNAL_ERROR, "Internal error", "")

struct fault {
    haft_outcome outcome;
    unsigned revisions;
    int code;
    const char *before, *after;
};

/* NULL if the outcome is not a fault. */
const struct fault *hf_fault_of(haft_outcome outcome, enum revision revision);

/* Refuses a call with such an outcome, for stages: sets the outcome and the row's text around
 * `about`, followed by `detail`. Returns HAFT_STOP or HAFT_ENOMEM. */
int hf_fault_refuse(haft_call *call, haft_outcome outcome, const char *about, const char *detail);

/* Responds to a call that has no item, or whose handler may be running: reads only its id and
 * revision. `about` has `size` bytes and is truncated for quoting. */
void hf_fault_answer(haft_call *call, haft_outcome outcome, const char *about, size_t size);

#endif
