/* control_light - turns a light on or off, and sets its brightness, color or effect. */
#include "tools/acts.h"

enum { LIGHT_EFFECT = 4 };

/* What Home Assistant refuses for every light. */
static void control_light_check(haft_refinement *refinement, const control_light_args *in)
{
    bool sets =
        in->has_brightness || in->has_color_temp_kelvin || in->has_rgb_color || in->has_effect;

    if (in->action == home_action_turn_off && sets)
        haft_refinement_add_issue(refinement, "action",
                                  "turn_off accepts only transition; use turn_on to set the light");
    if (in->has_color_temp_kelvin && in->has_rgb_color)
        haft_refinement_add_issue(refinement, "rgb_color",
                                  "Give either color_temp_kelvin or rgb_color");
}
HAFT_REFINE(control_light_args, control_light_check);

HAFT_STRUCT(light_data,
    HAFT_OPTIONAL(HAFT_INTEGER(brightness, "Brightness")),
    HAFT_OPTIONAL(HAFT_INTEGER(color_temp_kelvin, "Kelvin")),
    HAFT_OPTIONAL(HAFT_ARRAY(rgb_color, HAFT_INTEGER(channel, "Channel"), "Color")),
    HAFT_OPTIONAL(HAFT_NUMBER(transition, "Seconds")),
    HAFT_OPTIONAL(HAFT_STRING(effect, "Effect")));

/* An error unless the light has one of these color modes. */
static int light_needs_mode(haft_call *call, const entity *light, const char *const modes[],
                            const char *cannot)
{
    const char *possible;

    for (size_t i = 0; modes[i]; i++)
        if (entity_lists(light, "supported_color_modes", modes[i]))
            return 0;
    possible = home_listed(call, light, "supported_color_modes");
    if (!possible)
        return HAFT_ENOMEM;
    return home_fail(call, "%s cannot %s. Its color modes: %s.", light->entity_id, cannot,
                     possible);
}

static int light_supports(haft_call *call, const control_light_args *in, const entity *light)
{
    static const char *const dims[] = {"brightness", "color_temp", "hs",    "xy", "rgb",
                                       "rgbw",       "rgbww",      "white", NULL};
    static const char *const whites[] = {"color_temp", NULL};
    static const char *const colors[] = {"hs", "xy", "rgb", "rgbw", "rgbww", NULL};
    int status = 0;

    if (in->has_brightness)
        status = light_needs_mode(call, light, dims, "be dimmed");
    if (!status && in->has_color_temp_kelvin)
        status = light_needs_mode(call, light, whites, "change its color temperature");
    if (!status && in->has_color_temp_kelvin)
        status = home_within(call, light, "min_color_temp_kelvin", "max_color_temp_kelvin",
                             "color_temp_kelvin", (double)in->color_temp_kelvin);
    if (!status && in->has_rgb_color)
        status = light_needs_mode(call, light, colors, "show colors");
    if (!status && in->has_effect)
        status = home_needs(call, light, LIGHT_EFFECT, "has no effects");
    if (!status && in->has_effect)
        status = home_offers(call, light, "effect_list", "effect", in->effect);
    return status;
}

static int control_light(haft_call *call, const control_light_args *in, entity *out)
{
    light_data data = {.has_brightness = in->has_brightness,
                       .brightness = in->brightness,
                       .has_color_temp_kelvin = in->has_color_temp_kelvin,
                       .color_temp_kelvin = in->color_temp_kelvin,
                       .has_rgb_color = in->has_rgb_color,
                       .n_rgb_color = in->n_rgb_color,
                       .rgb_color = in->rgb_color,
                       .has_transition = in->has_transition,
                       .transition = in->transition,
                       .has_effect = in->has_effect,
                       .effect = in->effect};
    int status = hass_require(call, in->entity_id, "light", out);
    const char *json;

    if (!status)
        status = light_supports(call, in, out);
    if (status)
        return status;
    json = hass_data(call, &light_data_type, &data);
    return json ? home_act(call, out, home_action_name(in->action), json, out) : HAFT_EFAIL;
}
HAFT_TOOL(control_light, control_light_args, entity,
          "Turn a light on or off, and set its brightness, color or effect.", HOME_WRITES);
HOME_EXPORT(control_light);
