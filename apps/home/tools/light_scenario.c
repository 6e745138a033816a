/* light_scenario - gives lights a mood: what each of them can show of it. */
#include "tools/lights.h"

enum { MOOD_WAIT_MS = 1000 };

HAFT_ENUMERATION(light_mood, chill, nightly, focus, romantic, party, cyberpunk, movie, reading,
                 dinner);
HAFT_STRUCT(light_scenario_args,
    HAFT_ENUM(name, light_mood, "Mood"),
    HAFT_OPTIONAL(HAFT_ARRAY(lights, HAFT_STRING(id, NULL), "Lights or groups; default all", .min = 1)),
    HAFT_OPTIONAL(HAFT_NUMBER(transition, "Seconds", .min = 0)));
HAFT_STRUCT(light_scenario_result,
    HAFT_ARRAY(changed, HAFT_OBJECT(item, entity, NULL), NULL),
    HAFT_BOOLEAN(truncated, NULL));

/* A light shows its color of the palette, or else the white, or else the brightness. */
static const struct {
    int brightness, kelvin;
    int palette[3][3];
    size_t n_palette;
} mood_rows[] = {
    [light_mood_chill] = {120, 2700, {{255, 147, 41}, {255, 120, 80}}, 2},
    [light_mood_nightly] = {15, 2000, {{255, 60, 0}}, 1},
    [light_mood_focus] = {255, 5000, {{0}}, 0},
    [light_mood_romantic] = {60, 2200, {{255, 40, 60}, {255, 100, 30}}, 2},
    [light_mood_party] = {255, 4000, {{255, 0, 100}, {0, 120, 255}, {120, 255, 0}}, 3},
    [light_mood_cyberpunk] = {200, 6500, {{255, 0, 200}, {0, 240, 255}, {110, 0, 255}}, 3},
    [light_mood_movie] = {25, 2200, {{40, 30, 120}}, 1},
    [light_mood_reading] = {220, 4000, {{0}}, 0},
    [light_mood_dinner] = {140, 2500, {{0}}, 0},
};

static struct home_look mood_look(light_mood mood, size_t i)
{
    struct home_look look = {
        .on = true, .brightness = mood_rows[mood].brightness, .kelvin = mood_rows[mood].kelvin};

    look.has_rgb = mood_rows[mood].n_palette > 0;
    for (size_t k = 0; look.has_rgb && k < 3; k++)
        look.rgb[k] = mood_rows[mood].palette[i % mood_rows[mood].n_palette][k];
    return look;
}

/* The lights as they are now. */
static int mood_read(haft_call *call, entity *lights, size_t n, light_scenario_result *out)
{
    struct hass_states changed = {.at = lights, .n = n};
    int status = 0;

    for (size_t i = 0; i < n && !status; i++)
        status = hass_state(call, lights[i].entity_id, &lights[i]);
    return status ? status
                  : home_result_of(call, &changed, &out->changed, &out->n_changed, &out->truncated);
}

static int light_scenario(haft_call *call, const light_scenario_args *in,
                          light_scenario_result *out)
{
    entity *lights;
    size_t n;
    int status = home_lights(call, in->lights, in->has_lights ? in->n_lights : 0, &lights, &n);

    for (size_t i = 0; !status && i < n; i++) {
        struct home_look look = home_look_for(&lights[i], mood_look(in->name, i));
        struct home_look now = home_look_of(&lights[i]);
        uint64_t before = hass_changes(call, lights[i].entity_id);

        look.transition = in->has_transition ? in->transition : 0;
        status = home_show(call, &lights[i], &look);
        if (status && i)
            return home_fail_after(call, status, "%s and the lights before it were changed.",
                                   lights[i - 1].entity_id);
        if (!status && !home_same_look(&look, &now))
            status = hass_wait_change(call, lights[i].entity_id, before, MOOD_WAIT_MS);
        status = status == HASS_UNCHANGED ? 0 : status;
    }
    return status ? status : mood_read(call, lights, n, out);
}
HAFT_TOOL(light_scenario, light_scenario_args, light_scenario_result,
          "Set lights to a mood; each shows what it can of it.", HOME_WRITES);
HOME_EXPORT(light_scenario);
