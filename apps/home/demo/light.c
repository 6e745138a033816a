/* light.c - lights: brightness, colours, effects, and a group that follows its members. */
#include "demo/colour.h"
#include "demo/service.h"

static const struct demo_field light_fields[] = {
    {.name = "brightness", .kind = FIELD_INT, .ranged = true, .min = 0, .max = 255},
    {.name = "brightness_pct", .kind = FIELD_NUMBER, .ranged = true, .min = 0, .max = 100},
    {.name = "brightness_step", .kind = FIELD_INT, .ranged = true, .min = -255, .max = 255},
    {.name = "brightness_step_pct", .kind = FIELD_NUMBER, .ranged = true, .min = -100, .max = 100},
    {.name = "color_temp_kelvin", .kind = FIELD_INT, .ranged = true, .min = 1, .max = 1e6},
    {.name = "rgb_color", .kind = FIELD_RGB},
    {.name = "hs_color", .kind = FIELD_PAIR},
    {.name = "xy_color", .kind = FIELD_PAIR},
    {.name = "color_name", .kind = FIELD_TEXT},
    {.name = "effect", .kind = FIELD_TEXT},
    {.name = "flash", .kind = FIELD_CHOICE, .choices = "short,long"},
    {.name = "transition", .kind = FIELD_NUMBER, .ranged = true, .min = 0, .max = 6553},
};
static const struct demo_field light_off_fields[] = {
    {.name = "flash", .kind = FIELD_CHOICE, .choices = "short,long"},
    {.name = "transition", .kind = FIELD_NUMBER, .ranged = true, .min = 0, .max = 6553},
};

static bool light_has_mode(haft_value *attributes, const char *mode)
{
    return demo_lists(yyjson_obj_get(attributes, "supported_color_modes"), mode);
}

/* The mode in which the light shows a colour; NULL if it cannot. */
static const char *light_colour_mode(haft_value *attributes)
{
    static const char *const modes[] = {"rgb", "rgbw", "hs", "xy"};

    for (size_t i = 0; i < 4; i++)
        if (light_has_mode(attributes, modes[i]))
            return modes[i];
    return NULL;
}

static void light_show_rgb(struct demo_draft *draft, struct demo_rgb rgb, const char *mode,
                           double kelvin)
{
    double h, s, x, y;

    demo_rgb_to_hs(rgb, &h, &s);
    demo_rgb_to_xy(rgb, &x, &y);
    demo_draft_text(draft, "color_mode", mode);
    if (kelvin > 0)
        demo_draft_number(draft, "color_temp_kelvin", kelvin);
    else
        demo_draft_text(draft, "color_temp_kelvin", NULL);
    demo_draft_json(draft, "hs_color", demo_format(draft->demo, "[%g,%g]", h, s));
    demo_draft_json(draft, "rgb_color",
                    demo_format(draft->demo, "[%g,%g,%g]", rgb.r, rgb.g, rgb.b));
    demo_draft_json(draft, "xy_color", demo_format(draft->demo, "[%g,%g]", x, y));
}

static double light_item(haft_value *array, size_t at)
{
    return yyjson_get_num(yyjson_arr_get(array, at));
}

/* The colour that the data asks for. */
static bool light_wanted_rgb(haft_value *data, struct demo_rgb *ret_rgb)
{
    haft_value *rgb = yyjson_obj_get(data, "rgb_color"), *hs = yyjson_obj_get(data, "hs_color"),
               *xy = yyjson_obj_get(data, "xy_color");
    const char *name = demo_text(data, "color_name");

    if (rgb)
        *ret_rgb = (struct demo_rgb){light_item(rgb, 0), light_item(rgb, 1), light_item(rgb, 2)};
    else if (hs)
        *ret_rgb = demo_rgb_of_hs(light_item(hs, 0), light_item(hs, 1));
    else if (xy)
        *ret_rgb = demo_rgb_of_xy(light_item(xy, 0), light_item(xy, 1));
    else
        return name && demo_rgb_of_name(name, ret_rgb);
    return true;
}

static void light_put_colour(struct demo_draft *draft, haft_value *attributes, haft_value *data)
{
    double low = demo_number(attributes, "min_color_temp_kelvin", 2000);
    double high = demo_number(attributes, "max_color_temp_kelvin", 6535);
    double kelvin = demo_number(data, "color_temp_kelvin", 0);
    const char *mode = light_colour_mode(attributes);
    struct demo_rgb rgb;

    if (kelvin > 0) {
        kelvin = kelvin < low ? low : kelvin > high ? high : kelvin;
        if (light_has_mode(attributes, "color_temp"))
            light_show_rgb(draft, demo_rgb_of_kelvin(kelvin), "color_temp", kelvin);
        else if (mode)
            light_show_rgb(draft, demo_rgb_of_kelvin(kelvin), mode, 0);
    } else if (light_wanted_rgb(data, &rgb) && mode) {
        light_show_rgb(draft, rgb, mode, 0);
    }
}

/* The requested brightness, given in one of four ways and the present one; -1 without a request. */
static double light_wanted_brightness(haft_value *data, double now)
{
    double value = -1;

    if (yyjson_obj_get(data, "brightness"))
        value = demo_number(data, "brightness", 255);
    else if (yyjson_obj_get(data, "brightness_pct"))
        value = demo_round(demo_number(data, "brightness_pct", 100) * 255 / 100, 0);
    else if (yyjson_obj_get(data, "brightness_step"))
        value = now + demo_number(data, "brightness_step", 0);
    else if (yyjson_obj_get(data, "brightness_step_pct"))
        value = now + demo_round(demo_number(data, "brightness_step_pct", 0) * 255 / 100, 0);
    else
        return -1;
    return value < 0 ? 0 : value > 255 ? 255 : value;
}

/* The attributes that it had when it was last on: a light comes back as it was. */
static haft_value *light_last_on(struct demo *demo, const struct demo_entity *entity)
{
    for (size_t i = entity->n_history; i; i--)
        if (!strcmp(entity->history[i - 1]->text, "on")) {
            haft_value *attributes = demo_parse(demo, entity->history[i - 1]->attributes);

            return demo_text(attributes, "color_mode") ? attributes : NULL;
        }
    return NULL;
}

static void light_restore(struct demo_draft *draft, const struct demo_entity *entity)
{
    static const char *const names[] = {"color_mode", "color_temp_kelvin", "hs_color",
                                        "rgb_color",  "xy_color",          "effect"};
    haft_value *attributes = demo_attributes(draft->demo, entity), *last;

    if (demo_is_on(entity))
        return;
    last = light_last_on(draft->demo, entity);
    for (size_t i = 0; last && i < sizeof names / sizeof *names; i++)
        if (yyjson_obj_get(last, names[i]))
            demo_draft_value(draft, names[i], yyjson_obj_get(last, names[i]));
    if (light_has_mode(attributes, "onoff"))
        demo_draft_text(draft, "color_mode", "onoff");
    else
        demo_draft_number(draft, "brightness", demo_number(last, "brightness", 255));
    if (!last && light_has_mode(attributes, "brightness"))
        demo_draft_text(draft, "color_mode", "brightness");
    else if (!last && light_has_mode(attributes, "color_temp"))
        light_show_rgb(draft, demo_rgb_of_kelvin(2700), "color_temp", 2700);
    else if (!last && light_colour_mode(attributes))
        light_show_rgb(draft, (struct demo_rgb){255, 255, 255}, light_colour_mode(attributes), 0);
}

static int light_switch_off(struct demo_call *call, struct demo_entity *entity)
{
    static const char *const names[] = {"brightness", "color_mode", "color_temp_kelvin",
                                        "hs_color",   "rgb_color",  "xy_color",
                                        "effect"};
    haft_value *attributes = demo_attributes(call->demo, entity);
    struct demo_draft draft;

    demo_draft_begin(&draft, call->demo, entity);
    draft.state = "off";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (yyjson_obj_get(attributes, names[i]))
            demo_draft_text(&draft, names[i], NULL);
    return demo_draft_commit(&draft, &call->context);
}

static int light_switch_on(struct demo_call *call, struct demo_entity *entity)
{
    haft_value *attributes = demo_attributes(call->demo, entity);
    const char *effect = demo_text(call->data, "effect");
    double brightness = light_wanted_brightness(
        call->data, demo_number(attributes, "brightness", demo_is_on(entity) ? 255 : 0));
    struct demo_draft draft;

    if (brightness == 0)
        return light_switch_off(call, entity);
    demo_draft_begin(&draft, call->demo, entity);
    light_restore(&draft, entity);
    draft.state = "on";
    if (brightness > 0 && !light_has_mode(attributes, "onoff"))
        demo_draft_number(&draft, "brightness", brightness);
    light_put_colour(&draft, attributes, call->data);
    if (effect && demo_lists(yyjson_obj_get(attributes, "effect_list"), effect))
        demo_draft_text(&draft, "effect", effect);
    return demo_draft_commit(&draft, &call->context);
}

/* ---- groups ---- */

/* A group is on while a member is, as bright as they are on average. */
static int light_follow(struct demo_call *call, struct demo_entity *group)
{
    haft_value *members = yyjson_obj_get(demo_attributes(call->demo, group), "entity_id");
    double sum = 0, n = 0;
    size_t on = 0;
    struct demo_draft draft;

    for (size_t i = 0; i < yyjson_arr_size(members); i++) {
        struct demo_entity *member =
            demo_find(call->demo, yyjson_get_str(yyjson_arr_get(members, i)));
        double brightness;

        if (!member || !demo_is_on(member))
            continue;
        on++;
        brightness = demo_attribute(call->demo, member, "brightness", -1);
        sum += brightness < 0 ? 0 : brightness;
        n += brightness >= 0;
    }
    demo_draft_begin(&draft, call->demo, group);
    draft.state = on ? "on" : "off";
    if (n > 0)
        demo_draft_number(&draft, "brightness", demo_round(sum / n, 0));
    else
        demo_draft_text(&draft, "brightness", NULL);
    demo_draft_text(&draft, "color_mode", on ? "brightness" : NULL);
    return demo_draft_commit(&draft, &call->context);
}

static int light_set(struct demo_call *call, struct demo_entity *entity, bool on)
{
    haft_value *members = yyjson_obj_get(demo_attributes(call->demo, entity), "entity_id");
    int status = 0;

    if (!members)
        return on ? light_switch_on(call, entity) : light_switch_off(call, entity);
    for (size_t i = 0; !status && i < yyjson_arr_size(members); i++) {
        struct demo_entity *member =
            demo_find(call->demo, yyjson_get_str(yyjson_arr_get(members, i)));

        if (member && demo_is_available(member))
            status = on ? light_switch_on(call, member) : light_switch_off(call, member);
    }
    return status;
}

static int light_change(struct demo_call *call, struct demo_entity *entity, bool on)
{
    struct demo *demo = call->demo;
    int status = light_set(call, entity, on);

    for (size_t i = 0; !status && i < demo->n_entities; i++)
        if (demo_is_in(demo->entities[i], "light") &&
            strstr(demo->entities[i]->state->attributes, "\"entity_id\""))
            status = light_follow(call, demo->entities[i]);
    return status;
}

/* ---- services ---- */

static int light_turn_on(struct demo_call *call, struct demo_entity *entity)
{
    const char *name = demo_text(call->data, "color_name");
    struct demo_rgb rgb;

    if (name && !demo_rgb_of_name(name, &rgb))
        return demo_fail(call, DEMO_INVALID, NULL,
                         "Unknown color %s for dictionary value @ data['color_name']", name);
    return light_change(call, entity, true);
}

static int light_turn_off(struct demo_call *call, struct demo_entity *entity)
{
    return light_change(call, entity, false);
}

static int light_toggle(struct demo_call *call, struct demo_entity *entity)
{
    return light_change(call, entity, !demo_is_on(entity));
}

const struct demo_service demo_services_light[] = {
    {"turn_on", "Turns on one or more lights and adjusts their properties.", light_turn_on,
     SERVICE_TARGET, 0, SERVICE_FIELDS(light_fields)},
    {"turn_off", "Turns off one or more lights.", light_turn_off, SERVICE_TARGET, 0,
     SERVICE_FIELDS(light_off_fields)},
    {"toggle", "Toggles one or more lights, from on to off, or off to on, based on their state.",
     light_toggle, SERVICE_TARGET, 0, SERVICE_FIELDS(light_fields)},
    {0},
};
