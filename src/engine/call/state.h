/* engine/call/state.h - the states of a call, changed only by its session's thread. */
#ifndef HAFT_SRC_ENGINE_CALL_STATE_H
#define HAFT_SRC_ENGINE_CALL_STATE_H

#include <haft/tool.h>

/* Each state with its name and successors. */
#define CALL_STATES(X)                                                                             \
    X(CALL_READ, "read", TO(CALL_STAGES) | TO(CALL_IN_LINE) | TO(CALL_RUNNING) | TO(CALL_OVER))    \
    X(CALL_STAGES, "in stages",                                                                    \
      TO(CALL_HELD) | TO(CALL_IN_LINE) | TO(CALL_RUNNING) | TO(CALL_OVER))                         \
    /* a stage returned HAFT_PENDING; waits for haft_continue */                                   \
    X(CALL_HELD, "held by a stage", TO(CALL_STAGES) | TO(CALL_OVER))                               \
    /* its tool has the maximum number of running calls */                                         \
    X(CALL_IN_LINE, "in line", TO(CALL_RUNNING) | TO(CALL_OVER))                                   \
    /* its handler runs, or waits for a thread */                                                  \
    X(CALL_RUNNING, "running", TO(CALL_PENDING) | TO(CALL_ASKING) | TO(CALL_OVER))                 \
    /* its handler returned HAFT_PENDING; waits for haft_finish */                                 \
    X(CALL_PENDING, "pending", TO(CALL_ASKING) | TO(CALL_OVER))                                    \
    /* waits for answers of a legacy client */                                                     \
    X(CALL_ASKING, "asking", TO(CALL_IN_LINE) | TO(CALL_RUNNING) | TO(CALL_OVER))                  \
    /* used only by the session's thread */                                                        \
    X(CALL_OVER, "over", TO(CALL_OVER))

enum call_state {
#define STATE_(state, name, next) state,
    CALL_STATES(STATE_)
#undef STATE_
};

const char *hf_call_state_name(enum call_state state);

/* Whether a transition is allowed. */
bool hf_call_state_may_follow(enum call_state from, enum call_state to);

/* Logs a transition that is not in the table. */
void hf_call_check_move(haft_call *call, enum call_state to);

#endif
