/* light_showcase - plays a pattern on lights for a while, and gives them their looks back.
 *
 * A call that is cancelled also restores them, without waiting. */
#include <uv.h>

#include "tools/lights.h"

enum { SHOWCASE_STEP_MS = 250 };

HAFT_STRUCT(light_showcase_args,
    HAFT_ARRAY(lights, HAFT_STRING(id, NULL), "Lights or groups", .min = 1, .max = 20),
    HAFT_DEFAULT(HAFT_NUMBER(duration, "Seconds", .min = 0.5, .max = 25), 10),
    HAFT_DEFAULT(HAFT_ENUM(pattern, home_pattern, "Pattern"), home_pattern_rainbow));
HAFT_STRUCT(light_showcase_result,
    HAFT_INTEGER(steps, NULL),
    HAFT_ARRAY(lights, HAFT_STRING(id, NULL), NULL));

/* Shows a step: what changes, light by light. */
static int showcase_step(haft_call *call, const entity *lights, size_t n, home_pattern pattern,
                         unsigned k, struct home_look *shown)
{
    int status = 0;

    for (size_t i = 0; i < n && !status; i++) {
        struct home_look look = home_look_for(&lights[i], home_pattern_look(pattern, i, n, k));

        if (k && home_same_look(&look, &shown[i]))
            continue;
        status = home_show(call, &lights[i], &look);
        shown[i] = look;
    }
    return status;
}

/* A home that is slower than the steps misses some of them, and does not last longer for it. */
static int showcase_play(haft_call *call, const light_showcase_args *in, const entity *lights,
                         size_t n, light_showcase_result *out)
{
    struct home_look *shown = haft_call_alloc(call, n * sizeof *shown);
    unsigned steps = (unsigned)(in->duration * 1000 / SHOWCASE_STEP_MS), k = 0;
    uint64_t begin = uv_hrtime();
    int status = shown ? 0 : HAFT_ENOMEM;

    while (!status && k < steps) {
        uint64_t now = uv_hrtime(), next;

        haft_progress(call, k, steps, "step %u of %u", k + 1, steps);
        status = showcase_step(call, lights, n, in->pattern, k, shown);
        out->steps += !status;
        now = (uv_hrtime() - begin) / 1000000;
        k = (unsigned)(now / SHOWCASE_STEP_MS) > k ? (unsigned)(now / SHOWCASE_STEP_MS) : k + 1;
        next = (uint64_t)k * SHOWCASE_STEP_MS;
        if (!status && next > now)
            status = hass_sleep(call, (unsigned)(next - now));
    }
    if (!status)
        haft_progress(call, steps, steps, "restoring");
    return status;
}

static int light_showcase(haft_call *call, const light_showcase_args *in,
                          light_showcase_result *out)
{
    entity *lights;
    size_t n;
    int status = home_lights(call, in->lights, in->n_lights, &lights, &n);

    if (status)
        return status;
    out->lights = haft_call_alloc(call, n * sizeof *out->lights);
    if (!out->lights)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < n; i++)
        out->lights[out->n_lights++] = lights[i].entity_id;
    return home_restore(call, lights, n, showcase_play(call, in, lights, n, out));
}
HAFT_TOOL(light_showcase, light_showcase_args, light_showcase_result,
          "Play a pattern on lights for up to 25 seconds, then restore them.", HOME_WRITES,
          .timeout_ms = 60000);
HOME_EXPORT(light_showcase);
