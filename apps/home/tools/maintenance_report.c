/* maintenance_report - what needs a look: devices that are gone, low batteries, states that have not changed
 * for long; and how many lights are on, and what the home uses. */
#include <stdlib.h>
#include <string.h>

#include "tools/clock.h"

enum { REPORT_MOST = 50, REPORT_LOW_PERCENT = 20, REPORT_DAY_MS = 86400000 };

HAFT_STRUCT(maintenance_report_args,
    HAFT_DEFAULT(HAFT_INTEGER(days, "Days without a change", .min = 1, .max = 365), 7));
HAFT_STRUCT(report_area,
    HAFT_INTEGER(total, NULL),
    HAFT_INTEGER(on, NULL));
/* By entity id or area: that is shorter than arrays of objects. */
HAFT_STRUCT(maintenance_report_result,
    HAFT_MAP(orphaned, HAFT_STRING(reason, NULL), NULL),
    HAFT_MAP(low_battery, HAFT_NUMBER(percent, NULL), "Percent"),
    HAFT_MAP(stale, HAFT_INTEGER(days, NULL), "Days"),
    HAFT_MAP(lights_by_area, HAFT_OBJECT(item, report_area, NULL), NULL),
    HAFT_MAP(energy, HAFT_STRING(value, NULL), NULL),
    HAFT_BOOLEAN(truncated, NULL));

#define REPORT_PUT(list, key, value)                                                               \
    (out->list##_keys[out->n_##list] = (key), out->list[out->n_##list++] = (value))

/* ---- looking at an entity ---- */

static bool report_is_device(const entity *one)
{
    static const char *const domains[] = {"binary_sensor", "climate", "cover",  "fan",
                                          "light",         "lock",    "sensor", "switch"};

    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++)
        if (!strcmp(domains[i], one->domain))
            return true;
    return false;
}

static bool report_is_class(const entity *one, const char *name)
{
    const char *class = entity_text(one, "device_class");

    return !strcmp(one->domain, "sensor") && class && !strcmp(class, name);
}

/* A state as a number; false if it is not one. */
static bool report_number(const char *text, double *ret_value)
{
    char *end;

    *ret_value = strtod(text, &end);
    return end != text && !*end;
}

/* Whether there is room for one more; what there is no room for is noted. */
static bool report_room(maintenance_report_result *out, size_t n)
{
    out->truncated = out->truncated || n >= REPORT_MOST;
    return n < REPORT_MOST;
}

static void report_orphaned(const entity *one, maintenance_report_result *out)
{
    haft_value *restored = entity_attribute(one, "restored");
    const char *reason = yyjson_is_true(restored) ? "restored: no integration provides it"
                         : !strcmp(one->state, "unavailable") ? "unavailable"
                                                              : NULL;

    if (reason && report_room(out, out->n_orphaned))
        REPORT_PUT(orphaned, one->entity_id, reason);
}

static void report_low(const entity *one, maintenance_report_result *out)
{
    double percent = entity_number(one, "battery_level", 100);

    if (report_is_class(one, "battery") && !report_number(one->state, &percent))
        return;
    if (percent < REPORT_LOW_PERCENT && report_room(out, out->n_low_battery))
        REPORT_PUT(low_battery, one->entity_id, percent);
}

static void report_old(const entity *one, int64_t now, int64_t days, maintenance_report_result *out)
{
    int64_t changed = home_time(one->last_changed), age = (now - changed) / REPORT_DAY_MS;

    if (report_is_device(one) && strcmp(one->state, "unavailable") != 0 && changed > 0 &&
        age >= days && report_room(out, out->n_stale))
        REPORT_PUT(stale, one->entity_id, age);
}

static void report_light(const entity *one, maintenance_report_result *out)
{
    const char *area = one->has_area ? one->area : "no area";
    size_t i = 0;

    if (strcmp(one->domain, "light") != 0 || entity_attribute(one, "entity_id"))
        return;
    while (i < out->n_lights_by_area && strcmp(out->lights_by_area_keys[i], area) != 0)
        i++;
    if (i == out->n_lights_by_area) {
        if (!report_room(out, i))
            return;
        REPORT_PUT(lights_by_area, area, ((report_area){.total = 0}));
    }
    out->lights_by_area[i].total++;
    out->lights_by_area[i].on += !strcmp(one->state, "on");
}

static int report_use(haft_call *call, const entity *one, maintenance_report_result *out)
{
    const char *unit = entity_text(one, "unit_of_measurement"), *text;
    double value;

    if ((!report_is_class(one, "power") && !report_is_class(one, "energy")) ||
        !report_number(one->state, &value) || !report_room(out, out->n_energy))
        return 0;
    text = haft_call_printf(call, "%s %s", one->state, unit ? unit : "");
    REPORT_PUT(energy, one->entity_id, text);
    return text ? 0 : HAFT_ENOMEM;
}

/* ---- the tool ---- */

#define REPORT_ALLOC(name)                                                                         \
    (out->name = haft_call_alloc(call, REPORT_MOST * sizeof *out->name),                           \
     out->name##_keys = haft_call_alloc(call, REPORT_MOST * sizeof *out->name##_keys),             \
     out->name && out->name##_keys)

static bool report_alloc(haft_call *call, maintenance_report_result *out)
{
    return REPORT_ALLOC(orphaned) && REPORT_ALLOC(low_battery) && REPORT_ALLOC(stale) &&
           REPORT_ALLOC(lights_by_area) && REPORT_ALLOC(energy);
}

static int maintenance_report(haft_call *call, const maintenance_report_args *in,
                              maintenance_report_result *out)
{
    struct hass_states states;
    int status = hass_states(call, &states);
    int64_t now = hass_now(call);

    if (status)
        return status;
    if (!report_alloc(call, out))
        return HAFT_ENOMEM;
    for (size_t i = 0; i < states.n && !status; i++) {
        report_orphaned(&states.at[i], out);
        report_low(&states.at[i], out);
        report_old(&states.at[i], now, in->days, out);
        report_light(&states.at[i], out);
        status = report_use(call, &states.at[i], out);
    }
    return status;
}
HAFT_TOOL(maintenance_report, maintenance_report_args, maintenance_report_result,
          "Report devices that are gone or stale, low batteries, lights by area and energy.",
          HOME_READS);
HOME_EXPORT(maintenance_report);
