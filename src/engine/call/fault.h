/* engine/call/fault.h - how what went wrong with a tool's call is put on the wire.
 *
 * One row for an outcome in the revisions that answer it so; what writes the answers reads them. */
#ifndef HAFT_SRC_ENGINE_CALL_FAULT_H
#define HAFT_SRC_ENGINE_CALL_FAULT_H

#include "engine/call/call.h"

/* Outcome, revisions, the code of a JSON-RPC error (0: a result with isError), and its text: what
 * comes before and after what it is about; detail may follow.  No text: it is the handler's, or a
 * sentence that goes with its status. */
#define FAULTS(X)                                                                                  \
    X(HAFT_OUTCOME_ERROR, REVS_ALL, 0, "", "")                                                     \
    X(HAFT_OUTCOME_INVALID, REVS_ALL, 0, "Input validation error: Invalid arguments for tool ",    \
      ": ")                                                                                        \
    X(HAFT_OUTCOME_NOT_FOUND, REVS_ALL, RPC_INVALID_PARAMS, "Tool ", " not found")                 \
    X(HAFT_OUTCOME_DISABLED, REVS_ALL, RPC_INVALID_PARAMS, "Tool ", " disabled")                   \
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

/* NULL for an outcome that is no fault. */
const struct fault *hf_fault_of(haft_outcome outcome, enum revision revision);

/* What a stage does to refuse a call with such an outcome: settles it, with the row's text around
 * `about` and `detail` behind it.  HAFT_STOP or HAFT_ENOMEM. */
int hf_fault_refuse(haft_call *call, haft_outcome outcome, const char *about, const char *detail);

/* The answer of a call that has no item, or whose handler may be running: nothing of the call but
 * its id and revision is touched.  `about` is of that size, and cut to what may be quoted. */
void hf_fault_answer(haft_call *call, haft_outcome outcome, const char *about, size_t size);

#endif
