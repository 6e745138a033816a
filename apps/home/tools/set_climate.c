/* set_climate - sets mode, temperature and fan of a thermostat or an air conditioner. */
#include "tools/acts.h"

enum { CLIMATE_TEMPERATURE = 1, CLIMATE_RANGE = 2, CLIMATE_FAN_MODE = 8 };

static void set_climate_check(haft_refinement *refinement, const set_climate_args *in)
{
    if (in->has_target_temp_low != in->has_target_temp_high)
        haft_refinement_add_issue(refinement,
                                  in->has_target_temp_low ? "target_temp_high" : "target_temp_low",
                                  "target_temp_low and target_temp_high go together");
    else if (in->has_target_temp_low && in->target_temp_low > in->target_temp_high)
        haft_refinement_add_issue(refinement, "target_temp_low", "It is above target_temp_high");
    if (in->has_target_temp && in->has_target_temp_low)
        haft_refinement_add_issue(refinement, "target_temp",
                                  "Give either target_temp or a range, not both");
    if (!in->has_mode && !in->has_target_temp && !in->has_target_temp_low && !in->has_fan_mode)
        haft_refinement_add_issue(refinement, "",
                                  "Give at least one of mode, target_temp, target_temp_low with "
                                  "target_temp_high, and fan_mode");
}
HAFT_REFINE(set_climate_args, set_climate_check);

HAFT_STRUCT(climate_mode_data,
    HAFT_STRING(hvac_mode, "Mode"));
HAFT_STRUCT(climate_temperature_data,
    HAFT_OPTIONAL(HAFT_NUMBER(temperature, "Temperature")),
    HAFT_OPTIONAL(HAFT_NUMBER(target_temp_low, "Low")),
    HAFT_OPTIONAL(HAFT_NUMBER(target_temp_high, "High")));
HAFT_STRUCT(climate_fan_data,
    HAFT_STRING(fan_mode, "Fan mode"));

static int climate_supports(haft_call *call, const set_climate_args *in, const entity *climate)
{
    int status = 0;

    if (in->has_mode)
        status = home_offers(call, climate, "hvac_modes", "mode", HOME_NAME(hvac_mode, in->mode));
    if (!status && in->has_target_temp)
        status = home_needs(call, climate, CLIMATE_TEMPERATURE, "has no single target temperature");
    if (!status && in->has_target_temp)
        status = home_within(call, climate, "min_temp", "max_temp", "target_temp", in->target_temp);
    if (!status && in->has_target_temp_low)
        status = home_needs(call, climate, CLIMATE_RANGE, "has no temperature range");
    if (!status && in->has_target_temp_low)
        status = home_within(call, climate, "min_temp", "max_temp", "target_temp_low",
                             in->target_temp_low);
    if (!status && in->has_target_temp_low)
        status = home_within(call, climate, "min_temp", "max_temp", "target_temp_high",
                             in->target_temp_high);
    if (!status && in->has_fan_mode)
        status = home_needs(call, climate, CLIMATE_FAN_MODE, "has no fan modes");
    if (!status && in->has_fan_mode)
        status = home_offers(call, climate, "fan_modes", "fan mode", in->fan_mode);
    return status;
}

/* One service of several; `before` says what those before it have done. */
static int climate_step(haft_call *call, const char *service, const haft_type *type,
                        const void *data, entity *change, const char *before)
{
    const char *json = hass_data(call, type, data);
    int status = json ? hass_act(call, change, service, json, change) : HAFT_EFAIL;

    return status && *before ? home_fail_after(call, status, "%s", before) : status;
}

/* The mode comes first: some devices accept a temperature only in the mode that it is for. */
static int set_climate(haft_call *call, const set_climate_args *in, entity *out)
{
    climate_mode_data mode = {.hvac_mode = HOME_NAME(hvac_mode, in->mode)};
    climate_temperature_data temperature = {.has_temperature = in->has_target_temp,
                                            .temperature = in->target_temp,
                                            .has_target_temp_low = in->has_target_temp_low,
                                            .target_temp_low = in->target_temp_low,
                                            .has_target_temp_high = in->has_target_temp_high,
                                            .target_temp_high = in->target_temp_high};
    climate_fan_data fan = {.fan_mode = in->fan_mode};
    int status = hass_require(call, in->entity_id, "climate", out);

    if (!status)
        status = climate_supports(call, in, out);
    if (!status && in->has_mode)
        status = climate_step(call, "set_hvac_mode", &climate_mode_data_type, &mode, out, "");
    if (!status && (in->has_target_temp || in->has_target_temp_low))
        status = climate_step(call, "set_temperature", &climate_temperature_data_type, &temperature,
                              out, in->has_mode ? "The mode was set." : "");
    if (!status && in->has_fan_mode)
        status = climate_step(call, "set_fan_mode", &climate_fan_data_type, &fan, out,
                              in->has_mode || in->has_target_temp || in->has_target_temp_low
                                  ? "What else was asked for was set."
                                  : "");
    return status ? status : home_whole(call, out);
}
HAFT_TOOL(set_climate, set_climate_args, entity,
          "Set the mode, target temperature and fan of a thermostat.", HOME_WRITES_AGAIN);
HOME_EXPORT(set_climate);
