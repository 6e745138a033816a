/* dashboard - a summary of the home in numbers, and what is worth a look. */
#include <string.h>

#include "tools/common.h"

HAFT_ENUMERATION(dashboard_section, lights, climate, covers, motion, automations);
HAFT_STRUCT(dashboard_args,
    HAFT_OPTIONAL(HAFT_ARRAY(sections, HAFT_ENUM(section, dashboard_section, NULL),
                             "Which; all if absent", .min = 1)));

HAFT_STRUCT(dashboard_climate,
    HAFT_STRING(entity_id, NULL),
    HAFT_STRING(mode, NULL),
    HAFT_OPTIONAL(HAFT_NUMBER(current, NULL)),
    HAFT_OPTIONAL(HAFT_NUMBER(target, NULL)));
/* Of things that are on or off: `active` ones are listed, up to the limit. */
HAFT_STRUCT(dashboard_count,
    HAFT_ENUM(section, dashboard_section, NULL),
    HAFT_INTEGER(total, NULL),
    HAFT_INTEGER(active, "On, open or seen"),
    HAFT_INTEGER(unavailable, NULL),
    HAFT_ARRAY(entities, HAFT_STRING(item, NULL), "Active ones"),
    HAFT_BOOLEAN(truncated, NULL));
HAFT_STRUCT(dashboard_result,
    HAFT_ARRAY(summary, HAFT_OBJECT(item, dashboard_count, NULL), NULL),
    HAFT_OPTIONAL(HAFT_ARRAY(climate, HAFT_OBJECT(item, dashboard_climate, NULL), NULL)));

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

/* A climate is active in every mode but off. */
static bool dashboard_is_active(const entity *one)
{
    if (!strcmp(one->domain, "climate"))
        return strcmp(one->state, "off") != 0 && strcmp(one->state, "unavailable") != 0 &&
               strcmp(one->state, "unknown") != 0;
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

static const struct {
    dashboard_section section;
    const char *domain;
    bool (*belongs)(const entity *one);
} dashboard_rows[] = {
    {dashboard_section_lights, "light", NULL},
    {dashboard_section_climate, "climate", NULL},
    {dashboard_section_covers, "cover", NULL},
    {dashboard_section_motion, "binary_sensor", dashboard_is_motion},
    {dashboard_section_automations, "automation", NULL},
};

static int dashboard(haft_call *call, const dashboard_args *in, dashboard_result *out)
{
    size_t n = sizeof dashboard_rows / sizeof *dashboard_rows;
    struct hass_states states;
    int status = hass_states(call, &states);

    out->summary = haft_arena_zalloc(haft_call_arena(call), n, sizeof *out->summary);
    if (!status && !out->summary)
        status = HAFT_ENOMEM;
    for (size_t i = 0; i < n && !status; i++) {
        dashboard_count *count = &out->summary[out->n_summary];

        if (!dashboard_wants(in, dashboard_rows[i].section))
            continue;
        count->section = dashboard_rows[i].section;
        out->n_summary++;
        status = dashboard_add_up(call, &states, dashboard_rows[i].domain,
                                  dashboard_rows[i].belongs, count);
    }
    if (!status && dashboard_wants(in, dashboard_section_climate))
        status = dashboard_climates(call, &states, out);
    return status;
}
HAFT_TOOL(dashboard, dashboard_args, dashboard_result,
          "Summarize the home: lights, climate, covers, motion, automations.", HOME_READS_AGAIN);
HOME_EXPORT(dashboard);
