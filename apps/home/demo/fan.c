/* fan.c - fans: a percentage, a preset mode, a direction. */
#include "demo/service.h"

#define FAN_PERCENTAGE .kind = FIELD_INT, .ranged = true, .min = 0, .max = 100

static const struct demo_field fan_on_fields[] = {{.name = "percentage", FAN_PERCENTAGE},
                                                  {.name = "preset_mode", .kind = FIELD_TEXT}};
static const struct demo_field fan_percentage_fields[] = {
    {.name = "percentage", .required = true, FAN_PERCENTAGE}};
static const struct demo_field fan_step_fields[] = {{.name = "percentage_step", FAN_PERCENTAGE}};
static const struct demo_field fan_preset_fields[] = {
    {.name = "preset_mode", .kind = FIELD_TEXT, .required = true}};
static const struct demo_field fan_oscillate_fields[] = {
    {.name = "oscillating", .kind = FIELD_BOOL, .required = true}};
static const struct demo_field fan_direction_fields[] = {
    {.name = "direction", .kind = FIELD_CHOICE, .required = true, .choices = "forward,reverse"}};

static int fan_speed(struct demo_call *call, struct demo_entity *entity, double percentage)
{
    struct demo_draft draft;

    percentage = percentage < 0 ? 0 : percentage > 100 ? 100 : percentage;
    demo_draft_begin(&draft, call->demo, entity);
    draft.state = percentage > 0 ? "on" : "off";
    demo_draft_number(&draft, "percentage", percentage);
    if (yyjson_obj_get(demo_attributes(call->demo, entity), "preset_mode"))
        demo_draft_text(&draft, "preset_mode", NULL);
    return demo_draft_commit(&draft, &call->context);
}

static int fan_set_preset(struct demo_call *call, struct demo_entity *entity)
{
    haft_value *modes = yyjson_obj_get(demo_attributes(call->demo, entity), "preset_modes");
    const char *mode = demo_text(call->data, "preset_mode");
    struct demo_draft draft;

    if (!mode || !demo_lists(modes, mode))
        return demo_fail(call, DEMO_VALIDATION, "not_valid_preset_mode",
                         "Preset mode %s is not valid, valid preset modes are: %s.",
                         mode ? mode : "None", demo_join(call->demo, modes));
    demo_draft_begin(&draft, call->demo, entity);
    draft.state = "on";
    demo_draft_text(&draft, "preset_mode", mode);
    return demo_draft_commit(&draft, &call->context);
}

static int fan_turn_on(struct demo_call *call, struct demo_entity *entity)
{
    double now = demo_attribute(call->demo, entity, "percentage", 0);

    if (yyjson_obj_get(call->data, "preset_mode"))
        return fan_set_preset(call, entity);
    return fan_speed(call, entity, demo_number(call->data, "percentage", now > 0 ? now : 67));
}

static int fan_turn_off(struct demo_call *call, struct demo_entity *entity)
{
    return fan_speed(call, entity, 0);
}

static int fan_toggle(struct demo_call *call, struct demo_entity *entity)
{
    return demo_is_on(entity) ? fan_turn_off(call, entity) : fan_turn_on(call, entity);
}

static int fan_set_percentage(struct demo_call *call, struct demo_entity *entity)
{
    return fan_speed(call, entity, demo_number(call->data, "percentage", 0));
}

static double fan_step(struct demo_call *call, const struct demo_entity *entity)
{
    double own = demo_attribute(call->demo, entity, "percentage_step", 10);

    return demo_number(call->data, "percentage_step", own < 10 ? 10 : own);
}

static int fan_increase(struct demo_call *call, struct demo_entity *entity)
{
    return fan_speed(call, entity,
                     (double)(int)(demo_attribute(call->demo, entity, "percentage", 0) +
                                   fan_step(call, entity) + 0.5));
}

static int fan_decrease(struct demo_call *call, struct demo_entity *entity)
{
    return fan_speed(call, entity,
                     (double)(int)(demo_attribute(call->demo, entity, "percentage", 0) -
                                   fan_step(call, entity) + 0.5));
}

static int fan_oscillate(struct demo_call *call, struct demo_entity *entity)
{
    struct demo_draft draft;

    demo_draft_begin(&draft, call->demo, entity);
    demo_draft_bool(&draft, "oscillating",
                    yyjson_is_true(yyjson_obj_get(call->data, "oscillating")));
    return demo_draft_commit(&draft, &call->context);
}

static int fan_set_direction(struct demo_call *call, struct demo_entity *entity)
{
    struct demo_draft draft;

    demo_draft_begin(&draft, call->demo, entity);
    demo_draft_text(&draft, "direction", demo_text(call->data, "direction"));
    return demo_draft_commit(&draft, &call->context);
}

const struct demo_service demo_services_fan[] = {
    {"turn_on", "Turns fan on.", fan_turn_on, SERVICE_TARGET, 32, SERVICE_FIELDS(fan_on_fields)},
    {"turn_off", "Turns fan off.", fan_turn_off, SERVICE_TARGET, 16, NULL, 0},
    {"toggle", "Toggles a fan on/off.", fan_toggle, SERVICE_TARGET, 16 | 32, NULL, 0},
    {"set_percentage", "Sets the speed of a fan.", fan_set_percentage, SERVICE_TARGET, 1,
     SERVICE_FIELDS(fan_percentage_fields)},
    {"increase_speed", "Increases the speed of a fan.", fan_increase, SERVICE_TARGET, 1,
     SERVICE_FIELDS(fan_step_fields)},
    {"decrease_speed", "Decreases the speed of a fan.", fan_decrease, SERVICE_TARGET, 1,
     SERVICE_FIELDS(fan_step_fields)},
    {"set_preset_mode", "Sets preset mode of a fan.", fan_set_preset, SERVICE_TARGET, 8,
     SERVICE_FIELDS(fan_preset_fields)},
    {"oscillate", "Controls the oscillation of a fan.", fan_oscillate, SERVICE_TARGET, 2,
     SERVICE_FIELDS(fan_oscillate_fields)},
    {"set_direction", "Sets a fan's rotation direction.", fan_set_direction, SERVICE_TARGET, 4,
     SERVICE_FIELDS(fan_direction_fields)},
    {0},
};
