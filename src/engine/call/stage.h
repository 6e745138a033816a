/* engine/call/stage.h - the stages of a call (stage.c). */
#ifndef HAFT_SRC_ENGINE_CALL_STAGE_H
#define HAFT_SRC_ENGINE_CALL_STAGE_H

#include "engine/offer/server.h"

/* Memory for `after` stages of a call whose handler, or another stage, may still be running. */
struct late {
    _Atomic(const void *) thread; /* thread that the stages run on; NULL if they are not running */
    haft_arena *arena;            /* created on first use */
    struct kept *kept;
};

/* The stages of every server (tool_call.c); the rate limit stage runs between two of them. */
extern const haft_stage hf_visibility_stage, hf_validation_stage, hf_deadline_stage;
enum { BUILT_IN_STAGES = STAGES_BEFORE + STAGES_BEHIND };
/* Sets the built-in stages, in order. */
void hf_stages_init(haft_server *server, const haft_stage *const built_in[BUILT_IN_STAGES]);

/* Like haft_stage_add, but before all others: for a stage that needs the request headers, which are
 * available only until a stage waits. */
int hf_stage_use_first(haft_server *server, const haft_stage *stage);

/* Sets the stage next to the handler, with `ready` and `after` only, before the server serves: others
 * see its results. */
void hf_stage_use_innermost(haft_server *server, const haft_stage *stage);

/* The name of the requested tool, which may not exist. */
const char *hf_call_tool(const haft_call *call);

/* Run the stages of a call, continuing where they were suspended: a suspended stage is called again
 * after haft_continue, and a completed phase is not repeated. Return 0 if done, HAFT_STOP, an
 * error, or HAFT_PENDING: haft_continue then leads to call->posts.resume, possibly before this
 * returns. */
int hf_stages_before(haft_call *call);
int hf_stages_ready(haft_call *call);
/* Evaluates the status of haft_continue: 0 if the stages go on, HAFT_STOP or an error. */
int hf_stages_continue(haft_call *call, int status);
/* The stage that was called last; only while one suspends the call. */
const haft_stage *hf_stages_holder(const haft_call *call);

/* A status for haft_continue: call the suspending stage again. */
enum { STAGE_REPEAT = -1001 };
/* Time since the call came in; 0 without a clock. */
uint64_t hf_call_nanoseconds(const haft_call *call);

/* Notifies the stages of the end, once. */
void hf_stages_after(haft_call *call, haft_outcome outcome);

#endif
