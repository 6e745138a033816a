/* set_fan_speed - sets the speed of a fan, by name or in percent. */
#include "tools/acts.h"

enum { FAN_SET_SPEED = 1 };

static void set_fan_speed_check(haft_refinement *refinement, const set_fan_speed_args *in)
{
    if (in->has_speed == in->has_percentage)
        haft_refinement_add_issue(refinement, "speed", "Give either speed or percentage");
}
HAFT_REFINE(set_fan_speed_args, set_fan_speed_check);

HAFT_STRUCT(fan_data,
    HAFT_INTEGER(percentage, "Percent"));

static int set_fan_speed(haft_call *call, const set_fan_speed_args *in, entity *out)
{
    static const int64_t percentages[] = {
        [fan_speed_off] = 0, [fan_speed_low] = 33, [fan_speed_medium] = 66, [fan_speed_high] = 100};
    fan_data data = {.percentage = in->has_speed ? percentages[in->speed] : in->percentage};
    const char *json;
    int status = hass_require(call, in->entity_id, "fan", out);

    if (status)
        return status;
    if (!data.percentage)
        return home_act(call, out, "turn_off", NULL, out);
    status = home_needs(call, out, FAN_SET_SPEED, "has one speed: only off is possible here");
    if (status)
        return status;
    json = hass_data(call, &fan_data_type, &data);
    return json ? home_act(call, out, "set_percentage", json, out) : HAFT_EFAIL;
}
HAFT_TOOL(set_fan_speed, set_fan_speed_args, entity,
          "Set the speed of a fan, by name or in percent.", HOME_WRITES_AGAIN);
HOME_EXPORT(set_fan_speed);
