/* vacuum_command - sends a robot vacuum cleaner to work, and back. */
#include "tools/common.h"

enum {
    VACUUM_PAUSE = 4,
    VACUUM_STOP = 8,
    VACUUM_RETURN = 16,
    VACUUM_FAN_SPEED = 32,
    VACUUM_LOCATE = 512,
    VACUUM_SPOT = 1024,
    VACUUM_START = 8192
};

HAFT_ENUMERATION(vacuum_order, start, stop, pause, return_to_base, clean_spot, locate, set_fan_speed);
HAFT_STRUCT(vacuum_command_args,
    HOME_ENTITY_ID,
    HAFT_ENUM(command, vacuum_order, "What to do; set_fan_speed needs fan_speed"),
    HAFT_OPTIONAL(HAFT_STRING(fan_speed, "Speed of fan_speed_list")));
HAFT_STRUCT(vacuum_data,
    HAFT_STRING(fan_speed, "Speed"));

static void vacuum_command_check(haft_refinement *refinement, const vacuum_command_args *in)
{
    if ((in->command == vacuum_order_set_fan_speed) != in->has_fan_speed)
        haft_refinement_add_issue(refinement, "fan_speed",
                                  "fan_speed and the command set_fan_speed go together");
}
HAFT_REFINE(vacuum_command_args, vacuum_command_check);

static const struct {
    unsigned feature;
    const char *cannot;
} vacuum_rows[] = {
    [vacuum_order_start] = {VACUUM_START, "cannot be started"},
    [vacuum_order_stop] = {VACUUM_STOP, "cannot be stopped"},
    [vacuum_order_pause] = {VACUUM_PAUSE, "cannot be paused"},
    [vacuum_order_return_to_base] = {VACUUM_RETURN, "cannot return to its base"},
    [vacuum_order_clean_spot] = {VACUUM_SPOT, "cannot clean a spot"},
    [vacuum_order_locate] = {VACUUM_LOCATE, "cannot be located"},
    [vacuum_order_set_fan_speed] = {VACUUM_FAN_SPEED, "has one fan speed"},
};

static int vacuum_command(haft_call *call, const vacuum_command_args *in, entity *out)
{
    vacuum_data data = {.fan_speed = in->fan_speed};
    const char *json = NULL;
    int status = hass_require(call, in->entity_id, "vacuum", out);

    if (!status)
        status = home_needs(call, out, vacuum_rows[in->command].feature,
                            vacuum_rows[in->command].cannot);
    if (!status && in->has_fan_speed)
        status = home_offers(call, out, "fan_speed_list", "fan speed", in->fan_speed);
    if (status)
        return status;
    if (in->has_fan_speed) {
        json = hass_data(call, &vacuum_data_type, &data);
        if (!json)
            return HAFT_EFAIL;
    }
    return home_act(call, out, HOME_NAME(vacuum_order, in->command), json, out);
}
HAFT_TOOL(vacuum_command, vacuum_command_args, entity, "Control a robot vacuum cleaner.",
          HOME_WRITES);
HOME_EXPORT(vacuum_command);
