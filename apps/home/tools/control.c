/* control - turns anything on or off that can be, by the tool of its domain. */
#include <string.h>

#include "tools/acts.h"

HAFT_STRUCT(control_args,
    HOME_ENTITY_ID,
    HAFT_ENUM(action, home_action, "What to do; a cover opens and closes"),
    HAFT_OPTIONAL(HAFT_INTEGER(brightness, "Of a light", .min = 0, .max = 255)),
    HAFT_OPTIONAL(HAFT_INTEGER(position, "Of a cover: 100 open", .min = 0, .max = 100)),
    HAFT_OPTIONAL(HAFT_INTEGER(fan_speed, "Of a fan, in percent", .min = 0, .max = 100)),
    HAFT_OPTIONAL(HAFT_NUMBER(temperature, "Of a climate")));

/* Checks which arguments go with which domain. */
static int control_check(haft_call *call, const control_args *in, const char *domain)
{
    const struct {
        bool given;
        const char *name, *domain;
    } rows[] = {{in->has_brightness, "brightness", "light"},
                {in->has_position, "position", "cover"},
                {in->has_fan_speed, "fan_speed", "fan"},
                {in->has_temperature, "temperature", "climate"}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].given && strcmp(rows[i].domain, domain) != 0)
            return home_fail(call, "%s is for entities of the domain %s, not for %s.", rows[i].name,
                             rows[i].domain, in->entity_id);
        if (rows[i].given && in->action != home_action_turn_on)
            return home_fail(call, "%s needs the action turn_on.", rows[i].name);
    }
    return 0;
}

static int control_of_light(haft_call *call, const control_args *in, entity *out)
{
    control_light_args light = {.entity_id = in->entity_id,
                                .action = in->action,
                                .has_brightness = in->has_brightness,
                                .brightness = in->brightness};

    return home_tool_control_light->call(call, &light, out);
}

static int control_of_cover(haft_call *call, const control_args *in, entity *out)
{
    static const cover_action actions[] = {[home_action_turn_on] = cover_action_open,
                                           [home_action_turn_off] = cover_action_close,
                                           [home_action_toggle] = cover_action_toggle};
    control_cover_args cover = {.entity_id = in->entity_id,
                                .action = in->has_position ? cover_action_set : actions[in->action],
                                .has_position = in->has_position,
                                .position = in->position};

    return home_tool_control_cover->call(call, &cover, out);
}

static int control_of_switch(haft_call *call, const control_args *in, entity *out)
{
    set_switch_args its = {.entity_id = in->entity_id, .action = in->action};

    return home_tool_set_switch->call(call, &its, out);
}

/* Home Assistant finds the service that turns this kind of thing on. */
static int control_other(haft_call *call, const control_args *in, entity *out)
{
    int status = hass_require(call, in->entity_id, NULL, out);

    if (!status)
        status = hass_act_as(call, "homeassistant", home_action_name(in->action), out, NULL, out);
    return status ? status : home_whole(call, out);
}

static int control_of_fan(haft_call *call, const control_args *in, entity *out)
{
    set_fan_speed_args fan = {
        .entity_id = in->entity_id, .has_percentage = true, .percentage = in->fan_speed};

    return in->has_fan_speed ? home_tool_set_fan_speed->call(call, &fan, out)
                             : control_other(call, in, out);
}

static int control_of_climate(haft_call *call, const control_args *in, entity *out)
{
    set_climate_args climate = {
        .entity_id = in->entity_id, .has_target_temp = true, .target_temp = in->temperature};

    return in->has_temperature ? home_tool_set_climate->call(call, &climate, out)
                               : control_other(call, in, out);
}

/* Home Assistant answers 200 for what cannot be turned on, and does nothing: so the domains that can be
 * are listed.  Locks and alarms have tools that ask first. */
static const struct {
    const char *domain;
    int (*act)(haft_call *call, const control_args *in, entity *out);
    const char *instead; /* the tool to use, without `act` */
} control_rows[] = {
    {"light", control_of_light, NULL},
    {"switch", control_of_switch, NULL},
    {"input_boolean", control_of_switch, NULL},
    {"cover", control_of_cover, NULL},
    {"fan", control_of_fan, NULL},
    {"climate", control_of_climate, NULL},
    {"automation", control_other, NULL},
    {"camera", control_other, NULL},
    {"group", control_other, NULL},
    {"humidifier", control_other, NULL},
    {"media_player", control_other, NULL},
    {"remote", control_other, NULL},
    {"script", control_other, NULL},
    {"siren", control_other, NULL},
    {"water_heater", control_other, NULL},
    {"lock", NULL, "lock_control"},
    {"alarm_control_panel", NULL, "set_alarm_mode"},
    {"vacuum", NULL, "vacuum_command"},
    {"scene", NULL, "activate_scene"},
};

static int control(haft_call *call, const control_args *in, entity *out)
{
    size_t i = 0, n = sizeof control_rows / sizeof *control_rows;
    int status = hass_require(call, in->entity_id, NULL, out);

    if (status)
        return status;
    while (i < n && strcmp(control_rows[i].domain, out->domain) != 0)
        i++;
    if (i == n)
        return home_fail(call,
                         "%s cannot be turned on or off: entities of the domain %s only report.",
                         out->entity_id, out->domain);
    if (!control_rows[i].act)
        return home_fail(call, "%s cannot be turned on or off. Use %s.", out->entity_id,
                         control_rows[i].instead);
    status = control_check(call, in, out->domain);
    return status ? status : control_rows[i].act(call, in, out);
}
HAFT_TOOL(control, control_args, entity, "Turn any entity on or off, with the tool of its domain.",
          HOME_WRITES);
HOME_EXPORT(control);
