/* state.c - the states of a call, and their transitions. */
#include "engine/call/state.h"

const char *hf_call_state_name(enum call_state state)
{
    static const char *const names[] = {
#define STATE_(state, name, next) name,
        CALL_STATES(STATE_)
#undef STATE_
    };

    return names[state];
}

bool hf_call_state_may_follow(enum call_state from, enum call_state to)
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
