/* context.c - which client a call is for. */
#include "home.h"

struct hass *home_hass(const haft_call *call)
{
    struct hass *own = haft_tool_data(call);

    return own ? own : haft_server_data(call);
}
