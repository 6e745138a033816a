/* lock_control - locks, unlocks or opens a door.  It asks before it unlocks or opens. */
#include "tools/common.h"

enum { LOCK_OPEN = 1 };

HAFT_ENUMERATION(lock_action, lock, unlock, open);
HAFT_STRUCT(lock_control_args,
    HOME_ENTITY_ID,
    HAFT_ENUM(action, lock_action, "What to do; open also pulls the latch"),
    HAFT_OPTIONAL(HAFT_STRING(code, "Code of the lock", .max = 64, .secret = true)));
HAFT_STRUCT(lock_data,
    HAFT_OPTIONAL(HAFT_STRING(code, "Code")));

static int lock_control(haft_call *call, const lock_control_args *in, entity *out)
{
    lock_data data = {.has_code = in->has_code, .code = in->code};
    const char *action = HOME_NAME(lock_action, in->action), *json;
    int status = hass_require(call, in->entity_id, "lock", out);

    if (!status && in->action == lock_action_open)
        status = home_needs(call, out, LOCK_OPEN, "cannot be opened, only unlocked");
    if (!status && in->action != lock_action_lock)
        status = home_confirm(call, "unlock", "%s %s (%s)?",
                              in->action == lock_action_open ? "Open" : "Unlock", out->name,
                              out->entity_id);
    if (status)
        return status;
    json = hass_data(call, &lock_data_type, &data);
    return json ? home_act(call, out, action, json, out) : HAFT_EFAIL;
}
HAFT_TOOL(lock_control, lock_control_args, entity,
          "Lock, unlock or open a lock. The user may be asked to confirm.", HOME_WRITES);
HOME_EXPORT(lock_control);
