/* engine/call/state.h - where a call stands: one of these at any moment, moved by its session's thread
 * alone. */
#ifndef HAFT_SRC_ENGINE_CALL_STATE_H
#define HAFT_SRC_ENGINE_CALL_STATE_H

#include <haft/tool.h>

/* Each with its name and the states that may come next. */
#define CALL_STATES(X)                                                                             \
    X(CALL_READ, "read", TO(CALL_STAGES) | TO(CALL_IN_LINE) | TO(CALL_RUNNING) | TO(CALL_OVER))    \
    X(CALL_STAGES, "in stages",                                                                    \
      TO(CALL_HELD) | TO(CALL_IN_LINE) | TO(CALL_RUNNING) | TO(CALL_OVER))                         \
    /* a stage has returned HAFT_PENDING; haft_continue is next */                                 \
    X(CALL_HELD, "held by a stage", TO(CALL_STAGES) | TO(CALL_OVER))                               \
    /* as many calls of its tool run as may */                                                     \
    X(CALL_IN_LINE, "in line", TO(CALL_RUNNING) | TO(CALL_OVER))                                   \
    /* its handler runs, or waits for a thread to run on */                                        \
    X(CALL_RUNNING, "running", TO(CALL_PENDING) | TO(CALL_ASKING) | TO(CALL_OVER))                 \
    /* its handler has returned HAFT_PENDING; haft_finish is next */                               \
    X(CALL_PENDING, "pending", TO(CALL_ASKING) | TO(CALL_OVER))                                    \
    /* a legacy client has been asked; its answers are next */                                     \
    X(CALL_ASKING, "asking", TO(CALL_IN_LINE) | TO(CALL_RUNNING) | TO(CALL_OVER))                  \
    /* nobody but the session's thread uses it any more */                                         \
    X(CALL_OVER, "over", TO(CALL_OVER))

enum call_state {
#define STATE_(state, name, next) state,
    CALL_STATES(STATE_)
#undef STATE_
};

const char *hf_call_state_name(enum call_state state);

/* Whether a call may go from one to the other. */
bool hf_call_state_may_follow(enum call_state from, enum call_state to);

/* Logs a move that is not in the table. */
void hf_call_check_move(haft_call *call, enum call_state to);

#endif
