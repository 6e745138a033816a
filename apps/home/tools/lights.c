/* lights.c - see lights.h. */
#include "tools/lights.h"

#include <math.h>
#include <string.h>

#include "json/writer.h"

enum { LIGHT_DATA_MOST = 4096 };

/* ---- which lights ---- */

static bool lights_have(const entity *lights, size_t n, const char *id)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(lights[i].entity_id, id))
            return true;
    return false;
}

static const entity *lights_find(const struct hass_states *states, const char *id)
{
    for (size_t i = 0; i < states->n; i++)
        if (!strcmp(states->at[i].entity_id, id))
            return &states->at[i];
    return NULL;
}

struct lights_list {
    const struct hass_states *states;
    entity *at;
    size_t n, room;
};

static void lights_add(struct lights_list *list, const entity *light)
{
    if (list->n < list->room && !lights_have(list->at, list->n, light->entity_id) &&
        strcmp(light->state, "unavailable") != 0)
        list->at[list->n++] = *light;
}

/* A light, or the members of a group that are lights themselves; groups of groups are not followed. */
static void lights_add_all(struct lights_list *list, const entity *light)
{
    haft_value *members = entity_attribute(light, "entity_id"), *member;
    size_t i, n;

    if (!yyjson_is_arr(members)) {
        lights_add(list, light);
        return;
    }
    yyjson_arr_foreach(members, i, n, member) {
        const entity *one =
            yyjson_is_str(member) ? lights_find(list->states, yyjson_get_str(member)) : NULL;

        if (one && !strcmp(one->domain, "light") && !entity_attribute(one, "entity_id"))
            lights_add(list, one);
    }
}

int home_lights(haft_call *call, const char *const *ids, size_t n, entity **ret_at, size_t *ret_n)
{
    struct hass_states states;
    struct lights_list list = {.states = &states};
    entity one;
    int status = 0;

    for (size_t i = 0; i < n && !status; i++)
        status = hass_require(call, ids[i], "light", &one);
    if (!status)
        status = hass_states(call, &states);
    if (status)
        return status;
    list.room = states.n;
    list.at = haft_call_alloc(call, (states.n + 1) * sizeof *list.at);
    if (!list.at)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < states.n; i++) {
        bool wanted = !n && !strcmp(states.at[i].domain, "light") &&
                      !entity_attribute(&states.at[i], "entity_id");

        for (size_t k = 0; k < n; k++)
            wanted = wanted || !strcmp(ids[k], states.at[i].entity_id);
        if (wanted)
            lights_add_all(&list, &states.at[i]);
    }
    if (!list.n)
        return home_fail(call, "There are no lights that are available.");
    *ret_at = list.at;
    *ret_n = list.n;
    return 0;
}

/* ---- looks ---- */

static bool lights_show(const entity *light, const char *const modes[])
{
    for (size_t i = 0; modes[i]; i++)
        if (entity_lists(light, "supported_color_modes", modes[i]))
            return true;
    return false;
}

static bool lights_has_color(const entity *light)
{
    static const char *const modes[] = {"hs", "xy", "rgb", "rgbw", "rgbww", NULL};

    return lights_show(light, modes);
}

static bool lights_dims(const entity *light)
{
    static const char *const modes[] = {"brightness", "color_temp", "white", NULL};

    return lights_has_color(light) || lights_show(light, modes);
}

struct home_look home_look_of(const entity *light)
{
    const char *mode = entity_text(light, "color_mode"), *effect = entity_text(light, "effect");
    haft_value *rgb = entity_attribute(light, "rgb_color");
    struct home_look look = {.on = !strcmp(light->state, "on")};

    if (!look.on)
        return look;
    look.brightness = (int)entity_number(light, "brightness", 0);
    if (mode && !strcmp(mode, "color_temp"))
        look.kelvin = (int)entity_number(light, "color_temp_kelvin", 0);
    else if (mode && strcmp(mode, "brightness") != 0 && yyjson_arr_size(rgb) == 3)
        look.has_rgb = true;
    for (size_t i = 0; look.has_rgb && i < 3; i++)
        look.rgb[i] = (int)yyjson_get_num(yyjson_arr_get(rgb, i));
    if (effect && strcmp(effect, "off") != 0 && strcmp(effect, "none") != 0)
        look.effect = effect;
    return look;
}

struct home_look home_look_for(const entity *light, struct home_look look)
{
    bool white = entity_lists(light, "supported_color_modes", "color_temp");

    if (!lights_dims(light)) /* it can only be bright or dark */
        look.on = look.on && (!look.brightness || look.brightness > 40);
    if (!look.on)
        return (struct home_look){.on = false, .transition = look.transition};
    if (!lights_dims(light))
        return (struct home_look){.on = true};
    look.has_rgb = look.has_rgb && lights_has_color(light);
    if (look.has_rgb || !white)
        look.kelvin = 0;
    if (look.kelvin)
        look.kelvin =
            (int)fmin(fmax(look.kelvin, entity_number(light, "min_color_temp_kelvin", look.kelvin)),
                      entity_number(light, "max_color_temp_kelvin", look.kelvin));
    return look;
}

bool home_same_look(const struct home_look *left, const struct home_look *right)
{
    return left->on == right->on && left->brightness == right->brightness &&
           left->kelvin == right->kelvin && left->has_rgb == right->has_rgb &&
           !memcmp(left->rgb, right->rgb, sizeof left->rgb);
}

void home_hue(double degrees, int ret_rgb[3])
{
    for (int i = 0; i < 3; i++) {
        double at = fmod(degrees + 360 - i * 120, 360) / 60; /* from the pure channel */
        double level = at <= 1 || at >= 5 ? 1 : at <= 2 ? 2 - at : at >= 4 ? at - 4 : 0;

        ret_rgb[i] = (int)(level * 255 + 0.5);
    }
}

struct home_look home_pattern_look(home_pattern pattern, size_t i, size_t n, unsigned k)
{
    struct home_look look = {.on = true, .brightness = 255, .kelvin = 4000};

    switch (pattern) {
    case home_pattern_sweep:
        look.brightness = k % (n > 1 ? n : 2) == i ? 255 : 30;
        break;
    case home_pattern_pulse:
        look.brightness = k % 2 ? 60 : 255;
        break;
    case home_pattern_rainbow:
        look.has_rgb = true;
        home_hue((double)(k * 30 % 360) + 360.0 * (double)i / (double)n, look.rgb);
        look.kelvin = k % 2 ? 2700 : 5500; /* of lights without color */
        look.brightness = k % 2 ? 200 : 255;
        break;
    default:
        break;
    }
    return look;
}

/* ---- showing them ---- */

/* Members of an object, as service data of light.turn_on or turn_off. */
static void lights_write(haft_buffer *out, const struct home_look *look)
{
    struct json_writer w = json_members(out, false);

    if (look->on && look->brightness)
        hf_json_integer(json_key(&w, "brightness"), look->brightness);
    if (look->on && look->kelvin)
        hf_json_integer(json_key(&w, "color_temp_kelvin"), look->kelvin);
    if (look->on && look->has_rgb) {
        hf_json_begin_array(json_key(&w, "rgb_color"));
        for (int i = 0; i < 3; i++)
            hf_json_integer(&w, look->rgb[i]);
        hf_json_end_array(&w);
    }
    if (look->on && look->effect)
        hf_json_text(json_key(&w, "effect"), look->effect);
    if (look->transition > 0)
        hf_json_number(json_key(&w, "transition"), look->transition);
}

int home_show(haft_call *call, const entity *light, const struct home_look *look)
{
    struct hass_service service = {.domain = "light", .service = look->on ? "turn_on" : "turn_off"};
    haft_buffer members, out;
    struct json_writer w = {.out = &out};

    haft_buffer_init(&members, NULL, LIGHT_DATA_MOST);
    haft_buffer_init(&out, NULL, LIGHT_DATA_MOST);
    lights_write(&members, look);
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "entity_id"), light->entity_id);
    hf_json_raw_members(&w, members.data, members.size);
    hf_json_end_object(&w);
    if (!members.status && !out.status)
        service.data = haft_arena_copy(haft_call_arena(call), out.data, out.size);
    haft_buffer_finish(&out);
    haft_buffer_finish(&members);
    return service.data ? hass_call(call, &service, NULL, NULL) : HAFT_ENOMEM;
}

void home_tell_look(struct hass *hass, const char *entity_id, const struct home_look *look)
{
    haft_buffer members;

    haft_buffer_init(&members, NULL, LIGHT_DATA_MOST);
    lights_write(&members, look);
    haft_buffer_add(&members, "", 1);
    if (!members.status)
        hass_tell(hass, look->on ? "turn_on" : "turn_off", entity_id, members.data);
    haft_buffer_finish(&members);
}

int home_restore(haft_call *call, const entity *lights, size_t n, int status)
{
    for (size_t i = 0; i < n; i++) {
        struct home_look before = home_look_of(&lights[i]);

        if (!status && !haft_call_cancelled(call))
            status = home_show(call, &lights[i], &before);
        else
            home_tell_look(haft_server_data(call), lights[i].entity_id, &before);
    }
    return status;
}
