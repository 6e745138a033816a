/* tools/acts.h - the arguments of the tools that `control` hands on to, by home_tool_<name>->call. */
#ifndef HOME_TOOLS_ACTS_H
#define HOME_TOOLS_ACTS_H

#include "tools/common.h"

HAFT_STRUCT(control_light_args,
    HOME_ENTITY_ID,
    HAFT_ENUM(action, home_action, "What to do"),
    HAFT_OPTIONAL(HAFT_INTEGER(brightness, "Brightness", .min = 0, .max = 255)),
    HAFT_OPTIONAL(HAFT_INTEGER(color_temp_kelvin, "White, in kelvin", .min = 1000, .max = 20000)),
    HAFT_OPTIONAL(HAFT_ARRAY(rgb_color, HAFT_INTEGER(channel, NULL, .min = 0, .max = 255),
                             "Red, green, blue", .min = 3, .max = 3)),
    HAFT_OPTIONAL(HAFT_NUMBER(transition, "Seconds", .min = 0, .max = 6553)),
    HAFT_OPTIONAL(HAFT_STRING(effect, "Effect of effect_list")));

HAFT_ENUMERATION(cover_action, open, close, stop, toggle, set);
HAFT_STRUCT(control_cover_args,
    HOME_ENTITY_ID,
    HAFT_ENUM(action, cover_action, "What to do; set needs position"),
    HAFT_OPTIONAL(HAFT_INTEGER(position, "0 closed, 100 open", .min = 0, .max = 100)));

HAFT_ENUMERATION(fan_speed, off, low, medium, high);
HAFT_STRUCT(set_fan_speed_args,
    HOME_ENTITY_ID,
    HAFT_OPTIONAL(HAFT_ENUM(speed, fan_speed, "Either this")),
    HAFT_OPTIONAL(HAFT_INTEGER(percentage, "or this", .min = 0, .max = 100)));

HAFT_ENUMERATION(hvac_mode, heat, cool, heat_cool, auto, off, fan_only, dry);
HAFT_STRUCT(set_climate_args,
    HOME_ENTITY_ID,
    HAFT_OPTIONAL(HAFT_ENUM(mode, hvac_mode, "Mode")),
    HAFT_OPTIONAL(HAFT_NUMBER(target_temp, "Temperature")),
    HAFT_OPTIONAL(HAFT_NUMBER(target_temp_low, "Range, with target_temp_high")),
    HAFT_OPTIONAL(HAFT_NUMBER(target_temp_high, "Range, with target_temp_low")),
    HAFT_OPTIONAL(HAFT_STRING(fan_mode, "Fan mode of fan_modes")));

HAFT_STRUCT(set_switch_args,
    HOME_ENTITY_ID,
    HAFT_ENUM(action, home_action, "What to do"));

extern const haft_tool *const home_tool_control_light;
extern const haft_tool *const home_tool_control_cover;
extern const haft_tool *const home_tool_set_fan_speed;
extern const haft_tool *const home_tool_set_climate;
extern const haft_tool *const home_tool_set_switch;

#endif
