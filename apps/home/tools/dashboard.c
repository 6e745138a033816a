/* dashboard - a summary of the home in numbers, and what is worth a look. */
#include <string.h>

#include "tools/common.h"

HAFT_ENUMERATION(dashboard_section, lights, climate, covers, motion, automations);
HAFT_STRUCT(dashboard_args,
    HAFT_OPTIONAL(HAFT_ARRAY(sections, HAFT_ENUM(section, dashboard_section, "Section"),
                             "Which; all if absent", .min = 1, .max = 5, .unique = true)));

HAFT_STRUCT(dashboard_climate,
    HAFT_STRING(entity_id, "Entity id"),
    HAFT_STRING(mode, "Mode"),
    HAFT_OPTIONAL(HAFT_NUMBER(current, "Temperature")),
    HAFT_OPTIONAL(HAFT_NUMBER(target, "Target")));
/* Of things that are on or off: `active` ones are listed, up to the limit. */
HAFT_STRUCT(dashboard_count,
    HAFT_INTEGER(total, "All"),
    HAFT_INTEGER(active, "On or open"),
    HAFT_INTEGER(unavailable, "Unavailable"),
    HAFT_ARRAY(entities, HAFT_STRING(item, "Entity id"), "Active ones"),
    HAFT_BOOLEAN(truncated, "Some are left out"));
HAFT_STRUCT(dashboard_result,
    HAFT_OPTIONAL(HAFT_OBJECT(lights, dashboard_count, "Lights")),
    HAFT_OPTIONAL(HAFT_ARRAY(climate, HAFT_OBJECT(item, dashboard_climate, "One"), "Climates")),
    HAFT_OPTIONAL(HAFT_OBJECT(covers, dashboard_count, "Covers")),
    HAFT_OPTIONAL(HAFT_OBJECT(motion, dashboard_count, "Motion sensors")),
    HAFT_OPTIONAL(HAFT_OBJECT(automations, dashboard_count, "Automations")));

static bool dashboard_wants(const dashboard_args *in, dashboard_section section)
{
    for (size_t i = 0; in->has_sections && i < in->n_sections; i++)
        if (in->sections[i] == section)
            return true;
    return !in->has_sections;
}

/* Motion is seen by binary sensors of three classes. */
static bool dashboard_is_motion(const entity *one)
{
    const char *class = entity_text(one, "device_class");

    return class &&
           (!strcmp(class, "motion") || !strcmp(class, "occupancy") || !strcmp(class, "presence"));
}

static bool dashboard_is_active(const entity *one)
{
    return !strcmp(one->state, "on") || !strcmp(one->state, "open") ||
           !strcmp(one->state, "opening");
}

static int dashboard_add_up(haft_call *call, const struct hass_states *states, const char *domain,
                            bool (*belongs)(const entity *one), dashboard_count *out)
{
    out->entities = haft_call_alloc(call, HOME_MOST_ENTITIES * sizeof *out->entities);
    if (!out->entities)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < states->n; i++) {
        const entity *one = &states->at[i];

        if (strcmp(one->domain, domain) != 0 || (belongs && !belongs(one)))
            continue;
        out->total++;
        out->unavailable += !strcmp(one->state, "unavailable");
        if (!dashboard_is_active(one))
            continue;
        out->active++;
        if (out->n_entities < HOME_MOST_ENTITIES)
            out->entities[out->n_entities++] = one->entity_id;
        else
            out->truncated = true;
    }
    return 0;
}

static bool dashboard_number(const entity *of, const char *name, double *ret_value)
{
    haft_value *value = entity_attribute(of, name);

    if (yyjson_is_num(value))
        *ret_value = yyjson_get_num(value);
    return yyjson_is_num(value);
}

static int dashboard_climates(haft_call *call, const struct hass_states *states,
                              dashboard_result *out)
{
    out->has_climate = true;
    out->climate = haft_call_alloc(call, HOME_MOST_ENTITIES * sizeof *out->climate);
    if (!out->climate)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < states->n && out->n_climate < HOME_MOST_ENTITIES; i++) {
        const entity *one = &states->at[i];
        dashboard_climate climate = {.entity_id = one->entity_id, .mode = one->state};

        if (strcmp(one->domain, "climate") != 0)
            continue;
        climate.has_current = dashboard_number(one, "current_temperature", &climate.current);
        climate.has_target = dashboard_number(one, "temperature", &climate.target);
        out->climate[out->n_climate++] = climate;
    }
    return 0;
}

static int dashboard(haft_call *call, const dashboard_args *in, dashboard_result *out)
{
    const struct {
        dashboard_section section;
        const char *domain;
        bool (*belongs)(const entity *one);
        bool *has;
        dashboard_count *count;
    } rows[] = {
        {dashboard_section_lights, "light", NULL, &out->has_lights, &out->lights},
        {dashboard_section_covers, "cover", NULL, &out->has_covers, &out->covers},
        {dashboard_section_motion, "binary_sensor", dashboard_is_motion, &out->has_motion,
         &out->motion},
        {dashboard_section_automations, "automation", NULL, &out->has_automations,
         &out->automations},
    };
    struct hass_states states;
    int status = hass_states(call, &states);

    for (size_t i = 0; i < sizeof rows / sizeof *rows && !status; i++) {
        if (!dashboard_wants(in, rows[i].section))
            continue;
        *rows[i].has = true;
        status = dashboard_add_up(call, &states, rows[i].domain, rows[i].belongs, rows[i].count);
    }
    if (!status && dashboard_wants(in, dashboard_section_climate))
        status = dashboard_climates(call, &states, out);
    return status;
}
HAFT_TOOL(dashboard, dashboard_args, dashboard_result,
          "Summarize the home: lights, climate, covers, motion, automations.", HOME_READS_AGAIN);
HOME_EXPORT(dashboard);
