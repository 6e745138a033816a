/* state.c - the states of a call, and which may follow which. */
#include "engine/state.h"

#include "engine/session.h"

const char *call_state_name(enum call_state state)
{
    static const char *const names[] = {
#define STATE_(state, name, next) name,
        CALL_STATES(STATE_)
#undef STATE_
    };

    return names[state];
}

bool call_state_may_follow(enum call_state from, enum call_state to)
{
    static const unsigned next_of[] = {
#define TO(state) (1u << (state))
#define STATE_(state, name, next) next,
        CALL_STATES(STATE_)
#undef STATE_
#undef TO
    };

    return next_of[from] >> to & 1;
}

void call_check_move(haft_call *call, enum call_state to)
{
    if (!call_state_may_follow(call->state, to))
        haft_log(call, HAFT_CRITICAL, "illegal move of a call from \"%s\" to \"%s\"",
                 call_state_name(call->state), call_state_name(to));
}
