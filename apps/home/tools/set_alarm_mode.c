/* set_alarm_mode - arms or disarms an alarm panel.  It asks before it disarms. */
#include "tools/common.h"

HAFT_ENUMERATION(alarm_mode, disarmed, armed_home, armed_away, armed_night, armed_vacation,
                 armed_custom_bypass);
HAFT_STRUCT(set_alarm_mode_args,
    HOME_ENTITY_ID,
    HAFT_ENUM(mode, alarm_mode, "Mode"),
    HAFT_OPTIONAL(HAFT_STRING(code, "Code of the alarm", .max = 64, .secret = true)));
HAFT_STRUCT(alarm_data,
    HAFT_OPTIONAL(HAFT_STRING(code, "Code")));

static const struct {
    const char *service;
    unsigned feature; /* 0: every panel can */
} alarm_rows[] = {
    [alarm_mode_disarmed] = {"alarm_disarm", 0},
    [alarm_mode_armed_home] = {"alarm_arm_home", 1},
    [alarm_mode_armed_away] = {"alarm_arm_away", 2},
    [alarm_mode_armed_night] = {"alarm_arm_night", 4},
    [alarm_mode_armed_vacation] = {"alarm_arm_vacation", 32},
    [alarm_mode_armed_custom_bypass] = {"alarm_arm_custom_bypass", 16},
};

/* An error that says which modes the panel has. */
static int alarm_supports(haft_call *call, const entity *panel, alarm_mode mode)
{
    const char *possible = HOME_NAME(alarm_mode, alarm_mode_disarmed);

    if (!alarm_rows[mode].feature || entity_supports(panel, alarm_rows[mode].feature))
        return 0;
    for (size_t i = 1; i < sizeof alarm_rows / sizeof *alarm_rows && possible; i++)
        if (entity_supports(panel, alarm_rows[i].feature))
            possible = haft_call_printf(call, "%s, %s", possible, HOME_NAME(alarm_mode, i));
    if (!possible)
        return HAFT_ENOMEM;
    return home_fail(call, "%s does not have the mode \"%s\". Possible: %s.", panel->entity_id,
                     HOME_NAME(alarm_mode, mode), possible);
}

static int set_alarm_mode(haft_call *call, const set_alarm_mode_args *in, entity *out)
{
    alarm_data data = {.has_code = in->has_code, .code = in->code};
    const char *json;
    int status = hass_require(call, in->entity_id, "alarm_control_panel", out);

    if (!status)
        status = alarm_supports(call, out, in->mode);
    if (!status && in->mode == alarm_mode_disarmed)
        status = home_confirm(call, "disarm", "Disarm %s (%s)?", out->name, out->entity_id);
    if (status)
        return status;
    json = hass_data(call, &alarm_data_type, &data);
    return json ? home_act(call, out, alarm_rows[in->mode].service, json, out) : HAFT_EFAIL;
}
HAFT_TOOL(set_alarm_mode, set_alarm_mode_args, entity,
          "Arm or disarm an alarm panel. The user may be asked to confirm.", HOME_WRITES);
HOME_EXPORT(set_alarm_mode);
