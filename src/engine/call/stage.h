/* engine/call/stage.h - the stages of a call (stage.c). */
#ifndef HAFT_SRC_ENGINE_CALL_STAGE_H
#define HAFT_SRC_ENGINE_CALL_STAGE_H

#include "engine/offer/server.h"

/* What `after` stages have of a call whose handler, or another stage, may still be at work. */
struct late {
    _Atomic(const void *) thread; /* that the stages run on, while they do; NULL otherwise */
    haft_arena *arena;            /* made by the first who wants memory */
    struct kept *kept;
};

/* Those that every server has (tool_call.c); between two of them is the one that limits rates. */
extern const haft_stage hf_visibility_stage, hf_validation_stage, hf_deadline_stage;
enum { BUILT_IN_STAGES = STAGES_BEFORE + STAGES_BEHIND };
/* Sets them, in the order that calls come to them. */
void hf_stages_init(haft_server *server, const haft_stage *const built_in[BUILT_IN_STAGES]);

/* As haft_stage_add, in front of all others: for one that needs what a call has only until one of them
 * holds it, its headers. */
int hf_stage_use_first(haft_server *server, const haft_stage *stage);

/* The name of the tool that was asked for, which may not exist. */
const char *hf_call_tool(const haft_call *call);

/* Walk over the stages of a call, on from where the walk was held: each is called again after
 * haft_continue, and a walk that is done is not walked again.  0 when it is done, HAFT_STOP, an
 * error, or HAFT_PENDING: then haft_continue goes to call->posts.resume, perhaps already. */
int hf_stages_before(haft_call *call);
int hf_stages_ready(haft_call *call);
/* What haft_continue was given: 0 when the walk goes on, HAFT_STOP or an error. */
int hf_stages_continue(haft_call *call, int status);
/* The stage that was called last; only while one holds the call. */
const haft_stage *hf_stages_holder(const haft_call *call);

/* For haft_continue: the stage that holds the call is called again. */
enum { STAGE_REPEAT = -1001 };
/* Since the call came in; 0 without a clock. */
uint64_t hf_call_nanoseconds(const haft_call *call);

/* Tells the stages, once. */
void hf_stages_after(haft_call *call, haft_outcome outcome);

#endif
