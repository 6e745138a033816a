/* control_automation - turns an automation on or off. */
#include "tools/common.h"

HAFT_STRUCT(control_automation_args,
    HOME_ENTITY_ID,
    HAFT_ENUM(action, home_action, "What to do"));

static int control_automation(haft_call *call, const control_automation_args *in, entity *out)
{
    int status = hass_require(call, in->entity_id, "automation", out);

    return status ? status : home_act(call, out, home_action_name(in->action), NULL, out);
}
HAFT_TOOL(control_automation, control_automation_args, entity, "Turn an automation on or off.",
          HOME_WRITES_MILDLY);
HOME_EXPORT(control_automation);
