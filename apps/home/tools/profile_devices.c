/* profile_devices - measures how long lights take: from the call of a service to the event that the state
 * has changed.  The lights get their looks back. */
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "tools/lights.h"

enum { PROFILE_MOST = 20, PROFILE_WAIT_MS = 2000, PROFILE_MOST_RUNS = 10, PROFILE_KINDS = 4 };

HAFT_STRUCT(profile_devices_args,
    HAFT_OPTIONAL(HAFT_STRING(entity_id, "Light or group; default all")),
    HAFT_DEFAULT(HAFT_INTEGER(iterations, "Repetitions", .min = 1, .max = 10), 3));
HAFT_ENUMERATION(profile_kind, on, off, brightness, color);
HAFT_STRUCT(profile_latency,
    HAFT_STRING(entity_id, NULL),
    HAFT_STRING(change, NULL),
    HAFT_NUMBER(median, NULL),
    HAFT_NUMBER(p95, NULL),
    HAFT_INTEGER(missed, "No change in 2 s"));
HAFT_STRUCT(profile_devices_result,
    HAFT_ARRAY(latency_ms, HAFT_OBJECT(item, profile_latency, NULL), NULL),
    HAFT_INTEGER(iterations, NULL),
    HAFT_BOOLEAN(truncated, NULL));

/* ---- figures ---- */

struct profile_samples {
    double ms[PROFILE_MOST_RUNS];
    size_t n;
    int64_t missed;
};

static int profile_compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* Of the nearest rank, to a tenth of a millisecond; 0 if nothing was measured. */
static double profile_rank(const struct profile_samples *samples, unsigned percent)
{
    size_t rank = (samples->n * percent + 99) / 100;

    return samples->n ? (double)(int64_t)(samples->ms[rank ? rank - 1 : 0] * 10 + 0.5) / 10 : 0;
}

static void profile_add(profile_devices_result *out, const char *entity_id, profile_kind change,
                        struct profile_samples *samples)
{
    qsort(samples->ms, samples->n, sizeof *samples->ms, profile_compare);
    out->latency_ms[out->n_latency_ms++] =
        (profile_latency){.entity_id = entity_id,
                          .change = HOME_NAME(profile_kind, change),
                          .median = profile_rank(samples, 50),
                          .p95 = profile_rank(samples, 95),
                          .missed = samples->missed};
}

/* ---- measuring ---- */

static int profile_measure(haft_call *call, const entity *light, struct home_look look,
                           struct profile_samples *samples)
{
    uint64_t before = hass_changes(call, light->entity_id), begin = uv_hrtime();
    int status = home_show(call, light, &look);

    if (!status)
        status = hass_wait_change(call, light->entity_id, before, PROFILE_WAIT_MS);
    if (!status)
        samples->ms[samples->n++] = (double)(uv_hrtime() - begin) / 1e6;
    samples->missed += status == HASS_UNCHANGED;
    return status == HASS_UNCHANGED ? 0 : status;
}

/* Each look differs from the one before, so that there is a change to wait for. */
static int profile_light(haft_call *call, const entity *light, int64_t iterations,
                         profile_devices_result *out)
{
    struct home_look full = {.on = true, .brightness = 200, .has_rgb = true, .rgb = {255, 0, 0}};
    struct home_look can = home_look_for(light, full);
    struct profile_samples of[PROFILE_KINDS] = {{.n = 0}};
    struct home_look dark = {.on = false}, lit = {.on = true};
    struct profile_samples first = {.n = 0}; /* until it is off */
    int status = strcmp(light->state, "off") ? profile_measure(call, light, dark, &first) : 0;

    for (int64_t i = 0; i < iterations && !status; i++) {
        status = profile_measure(call, light, lit, &of[profile_kind_on]);
        if (!status && can.brightness)
            status = profile_measure(call, light,
                                     (struct home_look){.on = true, .brightness = i % 2 ? 90 : 40},
                                     &of[profile_kind_brightness]);
        if (!status && can.has_rgb)
            status = profile_measure(
                call, light,
                (struct home_look){
                    .on = true, .has_rgb = true, .rgb = {i % 2 ? 0 : 255, i % 2 ? 255 : 0, 0}},
                &of[profile_kind_color]);
        if (!status)
            status = profile_measure(call, light, dark, &of[profile_kind_off]);
    }
    for (unsigned kind = 0; kind < PROFILE_KINDS; kind++)
        if (of[kind].n || of[kind].missed)
            profile_add(out, light->entity_id, (profile_kind)kind, &of[kind]);
    return status;
}

static int profile_devices(haft_call *call, const profile_devices_args *in,
                           profile_devices_result *out)
{
    entity *lights;
    size_t n, used;
    int status = home_lights(call, &in->entity_id, in->has_entity_id, &lights, &n);

    if (status)
        return status;
    used = n < PROFILE_MOST ? n : PROFILE_MOST;
    out->iterations = in->iterations;
    out->truncated = used < n;
    out->latency_ms = haft_call_alloc(call, used * PROFILE_KINDS * sizeof *out->latency_ms);
    if (!out->latency_ms)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < used && !status; i++) {
        haft_progress(call, (double)i, (double)used, "%s", lights[i].entity_id);
        status = profile_light(call, &lights[i], in->iterations, out);
        status = home_restore(call, &lights[i], 1, status);
    }
    return status;
}
HAFT_TOOL(profile_devices, profile_devices_args, profile_devices_result,
          "Measure how fast lights react, by switching them; their state is restored.", HOME_WRITES,
          .rate = {5, 60000}, .timeout_ms = 300000);
HOME_EXPORT(profile_devices);
