/* climate.c - thermostats and an air conditioner. */
#include "demo/service.h"

#define CLIMATE_MODES "off,heat,cool,heat_cool,auto,dry,fan_only"

static const struct demo_field climate_mode_fields[] = {
    {.name = "hvac_mode", .kind = FIELD_CHOICE, .required = true, .choices = CLIMATE_MODES}};
static const struct demo_field climate_temperature_fields[] = {
    {.name = "temperature", .kind = FIELD_NUMBER},
    {.name = "target_temp_high", .kind = FIELD_NUMBER},
    {.name = "target_temp_low", .kind = FIELD_NUMBER},
    {.name = "hvac_mode", .kind = FIELD_CHOICE, .choices = CLIMATE_MODES},
};
static const struct demo_field climate_fan_fields[] = {
    {.name = "fan_mode", .kind = FIELD_TEXT, .required = true}};
static const struct demo_field climate_preset_fields[] = {
    {.name = "preset_mode", .kind = FIELD_TEXT, .required = true}};
static const struct demo_field climate_humidity_fields[] = {{.name = "humidity",
                                                             .kind = FIELD_INT,
                                                             .required = true,
                                                             .ranged = true,
                                                             .min = 0,
                                                             .max = 100}};

/* What it does in this mode, with these targets. */
static const char *climate_action(yyjson_mut_val *attributes, const char *mode)
{
    double now = yyjson_mut_get_num(yyjson_mut_obj_get(attributes, "current_temperature"));
    yyjson_mut_val *one = yyjson_mut_obj_get(attributes, "temperature");
    double low = yyjson_mut_get_num(yyjson_mut_obj_get(attributes, "target_temp_low"));
    double high = yyjson_mut_get_num(yyjson_mut_obj_get(attributes, "target_temp_high"));
    bool heats = strcmp(mode, "cool") != 0, cools = strcmp(mode, "heat") != 0;

    if (!strcmp(mode, "off"))
        return "off";
    if (!strcmp(mode, "dry"))
        return "drying";
    if (!strcmp(mode, "fan_only"))
        return "fan";
    if (yyjson_mut_is_num(one))
        low = high = yyjson_mut_get_num(one);
    if (!(low < 0 || low > 0))
        return "idle";
    return heats && now < low ? "heating" : cools && now > high ? "cooling" : "idle";
}

static int climate_commit(struct demo_call *call, struct demo_draft *draft)
{
    if (!draft->failed)
        demo_draft_text(draft, "hvac_action", climate_action(draft->root, draft->state));
    return demo_draft_commit(draft, &call->context);
}

/* Whether the entity has the value in its list; fails the call otherwise. */
static int climate_check(struct demo_call *call, haft_value *attributes, const char *list,
                         const char *value, const char *what, const char *key)
{
    haft_value *values = yyjson_obj_get(attributes, list);

    if (demo_lists(values, value))
        return 0;
    return demo_fail(call, DEMO_VALIDATION, key, "%s mode %s is not valid. Valid %s modes are: %s",
                     what, value,
                     !strcmp(what, "HVAC")     ? "HVAC"
                     : !strcmp(what, "Preset") ? "preset"
                                               : "fan",
                     demo_join(call->demo, values));
}

static int climate_set_mode_to(struct demo_call *call, struct demo_entity *entity, const char *mode)
{
    struct demo_draft draft;

    if (climate_check(call, demo_attributes(call->demo, entity), "hvac_modes", mode, "HVAC",
                      "not_valid_hvac_mode"))
        return -1;
    demo_draft_begin(&draft, call->demo, entity);
    draft.state = mode;
    return climate_commit(call, &draft);
}

static int climate_set_mode(struct demo_call *call, struct demo_entity *entity)
{
    return climate_set_mode_to(call, entity, demo_text(call->data, "hvac_mode"));
}

static int climate_range(struct demo_call *call, haft_value *attributes, const char *name)
{
    double low = demo_number(attributes, "min_temp", 7),
           high = demo_number(attributes, "max_temp", 35);
    double value = demo_number(call->data, name, low);

    if (value >= low && value <= high)
        return 0;
    return demo_fail(call, DEMO_VALIDATION, "temp_out_of_range",
                     "Provided temperature %.1f is not valid. Accepted range is %g to %g", value,
                     low, high);
}

static int climate_check_temperature(struct demo_call *call, haft_value *attributes)
{
    double own = demo_number(attributes, "supported_features", 0);
    unsigned features = own >= 0 && own < 1e9 ? (unsigned)own : 0;
    bool one = yyjson_obj_get(call->data, "temperature");
    bool low = yyjson_obj_get(call->data, "target_temp_low");
    bool high = yyjson_obj_get(call->data, "target_temp_high");

    if (!one && !low && !high)
        return demo_fail(call, DEMO_INVALID, NULL,
                         "must contain at least one of temperature, target_temp_high, "
                         "target_temp_low.");
    if (low != high)
        return demo_fail(call, DEMO_INVALID, NULL,
                         "some but not all values in the same group of inclusion 'temperature' @ "
                         "data[<temperature>]");
    if (one && !(features & 1))
        return demo_fail(call, DEMO_VALIDATION, "missing_target_temperature_entity_feature",
                         "Set temperature action was used with the 'Target temperature' parameter "
                         "but the entity does not support it");
    if (low && !(features & 2))
        return demo_fail(call, DEMO_VALIDATION, "missing_target_temperature_range_entity_feature",
                         "Set temperature action was used with the 'Lower/Upper target "
                         "temperature' parameter but the entity does not support it");
    if (low && demo_number(call->data, "target_temp_low", 0) >
                   demo_number(call->data, "target_temp_high", 0))
        return demo_fail(call, DEMO_VALIDATION, "low_temp_higher_than_high_temp",
                         "'Lower target temperature' can not be higher than 'Upper target "
                         "temperature'");
    if (climate_range(call, attributes, "temperature") ||
        climate_range(call, attributes, "target_temp_low"))
        return -1;
    return climate_range(call, attributes, "target_temp_high");
}

static int climate_set_temperature(struct demo_call *call, struct demo_entity *entity)
{
    static const char *const names[] = {"temperature", "target_temp_high", "target_temp_low"};
    haft_value *attributes = demo_attributes(call->demo, entity);
    const char *mode = demo_text(call->data, "hvac_mode");
    struct demo_draft draft;

    if (climate_check_temperature(call, attributes) ||
        (mode &&
         climate_check(call, attributes, "hvac_modes", mode, "HVAC", "not_valid_hvac_mode")))
        return -1;
    demo_draft_begin(&draft, call->demo, entity);
    for (size_t i = 0; i < 3; i++)
        if (yyjson_obj_get(call->data, names[i]))
            demo_draft_number(&draft, names[i], demo_number(call->data, names[i], 0));
        else if (yyjson_obj_get(attributes, names[i]))
            demo_draft_text(&draft, names[i], NULL);
    if (mode)
        draft.state = mode;
    return climate_commit(call, &draft);
}

static int climate_set_fan(struct demo_call *call, struct demo_entity *entity)
{
    const char *mode = demo_text(call->data, "fan_mode");
    struct demo_draft draft;

    if (climate_check(call, demo_attributes(call->demo, entity), "fan_modes", mode ? mode : "",
                      "Fan", "not_valid_fan_mode"))
        return -1;
    demo_draft_begin(&draft, call->demo, entity);
    demo_draft_text(&draft, "fan_mode", mode);
    return climate_commit(call, &draft);
}

static int climate_set_preset(struct demo_call *call, struct demo_entity *entity)
{
    haft_value *attributes = demo_attributes(call->demo, entity);
    const char *mode = demo_text(call->data, "preset_mode");
    struct demo_draft draft;

    if (climate_check(call, attributes, "preset_modes", mode ? mode : "", "Preset",
                      "not_valid_preset_mode"))
        return -1;
    demo_draft_begin(&draft, call->demo, entity);
    demo_draft_text(&draft, "preset_mode", mode);
    if (yyjson_is_num(yyjson_obj_get(attributes, "temperature")))
        demo_draft_number(&draft, "temperature",
                          !strcmp(mode, "eco")    ? 18
                          : !strcmp(mode, "away") ? 15
                                                  : 21.5);
    return climate_commit(call, &draft);
}

static int climate_set_humidity(struct demo_call *call, struct demo_entity *entity)
{
    struct demo_draft draft;

    demo_draft_begin(&draft, call->demo, entity);
    demo_draft_number(&draft, "humidity", demo_number(call->data, "humidity", 0));
    return climate_commit(call, &draft);
}

static int climate_turn_on(struct demo_call *call, struct demo_entity *entity)
{
    haft_value *modes = yyjson_obj_get(demo_attributes(call->demo, entity), "hvac_modes");

    return climate_set_mode_to(call, entity, demo_lists(modes, "heat_cool") ? "heat_cool" : "heat");
}

static int climate_turn_off(struct demo_call *call, struct demo_entity *entity)
{
    return climate_set_mode_to(call, entity, "off");
}

static int climate_toggle(struct demo_call *call, struct demo_entity *entity)
{
    return strcmp(entity->state->text, "off") ? climate_turn_off(call, entity)
                                              : climate_turn_on(call, entity);
}

const struct demo_service demo_services_climate[] = {
    {"set_hvac_mode", "Sets HVAC operation mode.", climate_set_mode, SERVICE_TARGET, 0,
     SERVICE_FIELDS(climate_mode_fields)},
    {"set_temperature", "Sets the temperature setpoint.", climate_set_temperature, SERVICE_TARGET,
     1 | 2, SERVICE_FIELDS(climate_temperature_fields)},
    {"set_fan_mode", "Sets fan operation mode.", climate_set_fan, SERVICE_TARGET, 8,
     SERVICE_FIELDS(climate_fan_fields)},
    {"set_preset_mode", "Sets preset mode.", climate_set_preset, SERVICE_TARGET, 16,
     SERVICE_FIELDS(climate_preset_fields)},
    {"set_humidity", "Sets target humidity.", climate_set_humidity, SERVICE_TARGET, 4,
     SERVICE_FIELDS(climate_humidity_fields)},
    {"turn_on", "Turns climate device on.", climate_turn_on, SERVICE_TARGET, 256, NULL, 0},
    {"turn_off", "Turns climate device off.", climate_turn_off, SERVICE_TARGET, 128, NULL, 0},
    {"toggle", "Toggles climate device, from on to off, or off to on.", climate_toggle,
     SERVICE_TARGET, 128, NULL, 0},
    {0},
};
