/* smart_scenarios - finds what wastes energy: lights and heating while nobody is at home, heating beside an
 * open window, lights where nobody moves, heating that is too warm.  With `apply` it also
 * changes them, and asks first. */
#include <string.h>

#include "tools/clock.h"

enum {
    SCENARIO_MOST = 50,
    SCENARIO_QUIET_MS = 600000, /* without motion */
    SCENARIO_WARM = 21,         /* degrees; more is waste */
    SCENARIO_SAVING = 20,
    CLIMATE_TARGET = 1
};

HAFT_ENUMERATION(scenario_kind, all, nobody_home, window_heating, energy_saving);
HAFT_STRUCT(smart_scenarios_args,
    HAFT_DEFAULT(HAFT_ENUM(scenario, scenario_kind, "Kind"), scenario_kind_all),
    HAFT_DEFAULT(HAFT_BOOLEAN(apply, "Make the changes"), false));
HAFT_STRUCT(scenario_found,
    HAFT_STRING(scenario, NULL),
    HAFT_STRING(entity_id, NULL),
    HAFT_STRING(reason, NULL),
    HAFT_STRING(service, NULL),
    HAFT_OPTIONAL(HAFT_JSON(config, NULL)));
HAFT_STRUCT(scenario_applied,
    HAFT_STRING(entity_id, NULL),
    HAFT_STRING(state, NULL));
HAFT_STRUCT(smart_scenarios_result,
    HAFT_ARRAY(found, HAFT_OBJECT(item, scenario_found, NULL), NULL),
    HAFT_ARRAY(applied, HAFT_OBJECT(item, scenario_applied, NULL), NULL),
    HAFT_OPTIONAL(HAFT_STRING(left_out, "Cannot be judged")));
HAFT_STRUCT(scenario_preset,
    HAFT_STRING(preset_mode, "Preset"));
HAFT_STRUCT(scenario_temperature,
    HAFT_NUMBER(temperature, "Degrees"));

/* A search: the states, and the result so far. */
struct scenario_view {
    haft_call *call;
    struct hass_states states;
    int64_t now;
    smart_scenarios_result *out;
    const char *data[SCENARIO_MOST]; /* of the services, as JSON; NULL for none */
};

/* ---- looking ---- */

static bool scenario_is(const entity *one, const char *domain, const char *state)
{
    return !strcmp(one->domain, domain) && (!state || !strcmp(one->state, state));
}

static bool scenario_has_class(const entity *one, const char *const classes[])
{
    const char *class = entity_text(one, "device_class");

    for (size_t i = 0; class && classes[i]; i++)
        if (!strcmp(class, classes[i]))
            return true;
    return false;
}

static bool scenario_same_area(const entity *left, const entity *right)
{
    return left->has_area && right->has_area && !strcmp(left->area, right->area);
}

/* It heats, or would; a thermostat without hvac_action goes by its mode. */
static bool scenario_heats(const entity *one)
{
    const char *action = entity_text(one, "hvac_action");

    if (!scenario_is(one, "climate", NULL) || !strcmp(one->state, "unavailable"))
        return false;
    return action ? !strcmp(action, "heating") : !strcmp(one->state, "heat");
}

/* An entity is found once, by the first scenario that does. */
static bool scenario_add(struct scenario_view *view, scenario_kind kind, const entity *one,
                         const char *service, const char *data, const char *reason)
{
    smart_scenarios_result *out = view->out;
    scenario_found *found = &out->found[out->n_found];

    for (size_t i = 0; i < out->n_found; i++)
        if (!strcmp(out->found[i].entity_id, one->entity_id))
            return true;
    if (out->n_found == SCENARIO_MOST)
        return true;
    *found = (scenario_found){.scenario = HOME_NAME(scenario_kind, kind),
                              .entity_id = one->entity_id,
                              .reason = reason,
                              .service = service};
    if (data)
        found->config = haft_json_read(data, strlen(data), 0, haft_call_arena(view->call), NULL);
    found->has_config = found->config;
    view->data[out->n_found++] = data;
    return reason && (!data || found->config);
}

/* Nobody: every person is elsewhere, and there is one. */
static bool scenario_nobody(const struct scenario_view *view)
{
    size_t persons = 0;

    for (size_t i = 0; i < view->states.n; i++) {
        const entity *one = &view->states.at[i];

        if (!scenario_is(one, "person", NULL))
            continue;
        persons++;
        if (!strcmp(one->state, "home") || !strcmp(one->state, "unknown") ||
            !strcmp(one->state, "unavailable"))
            return false;
    }
    return persons > 0;
}

/* The service that makes a climate use less: a preset that it has, or a lower temperature. */
static int scenario_cooler(struct scenario_view *view, const entity *one, const char *preset,
                           const char **ret_service, const char **ret_data)
{
    scenario_preset mode = {.preset_mode = preset};
    scenario_temperature target = {.temperature = SCENARIO_SAVING};

    *ret_data = NULL;
    *ret_service = "turn_off";
    if (entity_lists(one, "preset_modes", preset)) {
        *ret_service = "set_preset_mode";
        *ret_data = hass_data(view->call, &scenario_preset_type, &mode);
        return *ret_data ? 0 : HAFT_EFAIL;
    }
    if (!entity_supports(one, CLIMATE_TARGET))
        return 0;
    *ret_service = "set_temperature";
    *ret_data = hass_data(view->call, &scenario_temperature_type, &target);
    return *ret_data ? 0 : HAFT_EFAIL;
}

/* With hidden persons it cannot be judged. */
static int scenario_nobody_home(struct scenario_view *view)
{
    const char *service, *data;
    int status = 0;

    if (!hass_sees_domain(view->call, "person")) {
        view->out->has_left_out = true;
        view->out->left_out = HOME_NAME(scenario_kind, scenario_kind_nobody_home);
        return 0;
    }
    if (!scenario_nobody(view))
        return 0;
    for (size_t i = 0; i < view->states.n && !status; i++) {
        const entity *one = &view->states.at[i];

        if (scenario_is(one, "light", "on") && !entity_attribute(one, "entity_id"))
            status = scenario_add(view, scenario_kind_nobody_home, one, "turn_off", NULL,
                                  "on while nobody is at home")
                         ? 0
                         : HAFT_ENOMEM;
        if (!scenario_heats(one))
            continue;
        status = scenario_cooler(view, one, "away", &service, &data);
        if (!status && !scenario_add(view, scenario_kind_nobody_home, one, service, data,
                                     "heating while nobody is at home"))
            status = HAFT_ENOMEM;
    }
    return status;
}

static int scenario_window_heating(struct scenario_view *view)
{
    static const char *const openings[] = {"window", "door", "opening", NULL};

    for (size_t i = 0; i < view->states.n; i++)
        for (size_t k = 0; scenario_heats(&view->states.at[i]) && k < view->states.n; k++) {
            const entity *climate = &view->states.at[i], *window = &view->states.at[k];

            if (!scenario_is(window, "binary_sensor", "on") ||
                !scenario_has_class(window, openings) || !scenario_same_area(window, climate))
                continue;
            if (!scenario_add(
                    view, scenario_kind_window_heating, climate, "turn_off", NULL,
                    haft_call_printf(view->call, "heating while %s is open", window->entity_id)))
                return HAFT_ENOMEM;
        }
    return 0;
}

/* Whether the area of a light has sensors, none of which has reported motion for a while. */
static bool scenario_is_quiet(const struct scenario_view *view, const entity *light)
{
    static const char *const sensors[] = {"motion", "occupancy", "presence", NULL};
    bool any = false;

    for (size_t i = 0; i < view->states.n; i++) {
        const entity *one = &view->states.at[i];

        if (!scenario_is(one, "binary_sensor", NULL) || !scenario_has_class(one, sensors) ||
            !scenario_same_area(one, light))
            continue;
        if (strcmp(one->state, "off") != 0 ||
            view->now - home_time(one->last_changed) < SCENARIO_QUIET_MS)
            return false;
        any = true;
    }
    return any;
}

static int scenario_energy_saving(struct scenario_view *view)
{
    const char *service, *data;
    int status = 0;

    for (size_t i = 0; i < view->states.n && !status; i++) {
        const entity *one = &view->states.at[i];
        double target = entity_number(one, "temperature", 0);

        if (scenario_is(one, "light", "on") && scenario_is_quiet(view, one))
            status = scenario_add(view, scenario_kind_energy_saving, one, "turn_off", NULL,
                                  "on where nobody has moved for 10 minutes")
                         ? 0
                         : HAFT_ENOMEM;
        if (!scenario_heats(one) || target <= SCENARIO_WARM)
            continue;
        status = scenario_cooler(view, one, "eco", &service, &data);
        if (!status && !scenario_add(view, scenario_kind_energy_saving, one, service, data,
                                     haft_call_printf(view->call, "heating to %g degrees", target)))
            status = HAFT_ENOMEM;
    }
    return status;
}

/* ---- changing ---- */

static int scenario_apply(struct scenario_view *view)
{
    smart_scenarios_result *out = view->out;
    entity one;
    int status = 0;

    if (out->n_found)
        status = home_confirm(view->call, "smart_scenarios", "Change %zu %s (%s%s)?", out->n_found,
                              out->n_found == 1 ? "device" : "devices", out->found[0].entity_id,
                              out->n_found == 1 ? "" : ", ...");
    for (size_t i = 0; i < out->n_found && !status; i++) {
        status = hass_require(view->call, out->found[i].entity_id, NULL, &one);
        if (!status)
            status = hass_act(view->call, &one, out->found[i].service, view->data[i], &one);
        if (status)
            return i ? home_fail_after(view->call, status,
                                       "%s and what came before it were changed.",
                                       out->found[i - 1].entity_id)
                     : status;
        out->applied[out->n_applied++] = (scenario_applied){one.entity_id, one.state};
    }
    return status;
}

static int smart_scenarios(haft_call *call, const smart_scenarios_args *in,
                           smart_scenarios_result *out)
{
    static int (*const look[])(struct scenario_view *
                               view) = {[scenario_kind_all] = NULL,
                                        [scenario_kind_nobody_home] = scenario_nobody_home,
                                        [scenario_kind_window_heating] = scenario_window_heating,
                                        [scenario_kind_energy_saving] = scenario_energy_saving};
    struct scenario_view *view = haft_call_alloc(call, sizeof *view);
    int status = view ? 0 : HAFT_ENOMEM;

    if (status)
        return status;
    *view = (struct scenario_view){.call = call, .now = hass_now(call), .out = out};
    out->found = haft_call_alloc(call, SCENARIO_MOST * sizeof *out->found);
    out->applied = haft_call_alloc(call, SCENARIO_MOST * sizeof *out->applied);
    if (!out->found || !out->applied)
        return HAFT_ENOMEM;
    status = hass_states(call, &view->states);
    for (size_t i = 1; i < sizeof look / sizeof *look && !status; i++)
        if (in->scenario == scenario_kind_all || in->scenario == (scenario_kind)i)
            status = look[i](view);
    if (!status && out->has_left_out && in->scenario == scenario_kind_nobody_home)
        status = home_fail(
            call, "nobody_home needs to see every person, and --entities does not show them.");
    return status || !in->apply ? status : scenario_apply(view);
}
HAFT_TOOL(smart_scenarios, smart_scenarios_args, smart_scenarios_result,
          "Find lights and heating that waste energy; with apply, turn them off or down.",
          HOME_WRITES);
HOME_EXPORT(smart_scenarios);
