/* set_switch - turns a switch or a helper switch on or off. */
#include "tools/acts.h"

static int set_switch(haft_call *call, const set_switch_args *in, entity *out)
{
    int status = hass_require(call, in->entity_id, "switch,input_boolean", out);

    return status ? status : home_act(call, out, home_action_name(in->action), NULL, out);
}
HAFT_TOOL(set_switch, set_switch_args, entity, "Turn a switch or an input_boolean on or off.",
          HOME_WRITES);
HOME_EXPORT(set_switch);
