/* house.c - builds the house from its tables, with a past of 24 hours that depends on the seed alone. */
#include "demo/house.h"

#include <math.h>

#include "demo/colour.h"
#include "demo/automation.h"
#include "demo/tick.h"

enum { HOUSE_QUIET = 1000 }; /* depth at which nothing runs automations */

#define HOUSE_MINUTE (60 * (int64_t)DEMO_SECOND)
#define HOUSE_HOUR (60 * HOUSE_MINUTE)
#define HOUSE_DAY (24 * HOUSE_HOUR)

/* ---- sensors that vary ---- */

static const struct house_curve {
    const char *id;
    double base, swing, noise; /* a day's wave, and what varies at random */
    double hourly;             /* of a meter: how much it counts in an hour */
    int decimals;
} house_curves[] = {
    {"sensor.living_room_temperature", 20, 1.2, 0.3, 0, 1},
    {"sensor.living_room_humidity", 47, 4, 2, 0, 0},
    {"sensor.bedroom_temperature", 19.5, 1, 0.3, 0, 1},
    {"sensor.bathroom_humidity", 58, 6, 5, 0, 0},
    {"sensor.outdoor_temperature", 8, 5, 0.8, 0, 1},
    {"sensor.washing_machine_power", 40, 0, 36, 0, 1},
    {"sensor.house_power", 480, 180, 120, 0, 0},
    {"sensor.house_energy", 8000, 0, 0.1, 0.48, 2},
    {"sensor.solar_energy", 3300, 0, 0.1, 0.21, 2},
    {"sensor.hallway_illuminance", 60, 50, 10, 0, 0},
};

bool demo_house_value(const struct demo *demo, const char *id, int64_t at, double *ret_value)
{
    const struct house_curve *curve = NULL;
    double hours, value;

    for (size_t i = 0; i < sizeof house_curves / sizeof *house_curves; i++)
        if (!strcmp(house_curves[i].id, id))
            curve = &house_curves[i];
    if (!curve)
        return false;
    at -= at % (5 * HOUSE_MINUTE);
    hours = (double)at / (double)HOUSE_HOUR;
    value = curve->base + curve->swing * sin((fmod(hours, 24) - 9) / 24 * 6.283185307179586);
    value += curve->noise * (2 * demo_noise(demo, id, at) - 1);
    if (curve->hourly > 0) /* since 2026; it never goes back */
        value = curve->base + curve->hourly * (hours - 490896) +
                curve->noise * curve->hourly * demo_noise(demo, id, at);
    *ret_value = demo_round(value, curve->decimals);
    return true;
}

/* ---- the past ---- */

static const char *house_opposite(const char *state)
{
    static const char *const pairs[][2] = {{"on", "off"},
                                           {"locked", "unlocked"},
                                           {"open", "closed"},
                                           {"home", "not_home"},
                                           {"playing", "paused"}};

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int k = 0; k < 2; k++)
            if (!strcmp(pairs[i][k], state))
                return pairs[i][!k];
    return NULL;
}

static int house_remember_curve(struct demo *demo, struct demo_entity *entity)
{
    char text[NUMBER_TEXT];
    double value;
    int status = 0;

    for (int64_t at = demo->now - HOUSE_DAY; !status && at < entity->state->changed;
         at += 30 * HOUSE_MINUTE)
        if (demo_house_value(demo, entity->id, at, &value)) {
            hf_number_to_text(value, text);
            status = demo_remember(demo, entity, text, at - at % (5 * HOUSE_MINUTE));
        }
    return status;
}

/* States that alternate, up to the one that it has now; the past begins a day and a bit ago. */
static int house_remember_flips(struct demo *demo, struct demo_entity *entity)
{
    const char *other = house_opposite(entity->state->text);
    int64_t at[16], before = entity->state->changed;
    size_t n = 0;
    int status = 0;

    if (!other || before < demo->now - HOUSE_DAY)
        return 0;
    while (n < 16 && before > demo->now - HOUSE_DAY) {
        before -= 2 * HOUSE_HOUR + (int64_t)(demo_noise(demo, entity->id, before) * 3 * HOUSE_HOUR);
        at[n++] = before;
    }
    for (; n && !status; n--)
        status = demo_remember(demo, entity, n % 2 ? other : entity->state->text, at[n - 1]);
    return status;
}

/* ---- devices and entries of the registry ---- */

static void house_member_or_null(struct json_writer *w, const char *name, const char *text)
{
    hf_json_name(w, name, strlen(name));
    if (text)
        hf_json_text(w, text);
    else
        hf_json_null(w);
}

/* The id of the device with that name, which is made if there is none; NULL without memory. */
static const char *house_device(struct demo *demo, const struct house_entity *row)
{
    struct demo_store *devices = &demo->stores[DEMO_DEVICES];
    char id[DEMO_UUID + 1];
    haft_buffer out;
    struct json_writer w = {.out = &out};

    for (size_t i = 0; i < devices->n; i++) {
        const char *name = demo_text(demo_parse(demo, devices->at[i].json), "name");

        if (name && !strcmp(name, row->device))
            return devices->at[i].id;
    }
    demo_uuid(demo, id);
    out = demo_buffer(demo);
    hf_json_begin_object(&w);
    house_member_or_null(&w, "area_id", row->area);
    hf_json_text(json_key(&w, "name"), row->device);
    hf_json_text(json_key(&w, "manufacturer"), "Demo");
    hf_json_text(json_key(&w, "model"), row->device);
    hf_json_end_object(&w);
    if (demo_record_put(demo, DEMO_DEVICES, id, demo_take(demo, &out)))
        return NULL;
    return devices->at[devices->n - 1].id;
}

static int house_entry(struct demo *demo, const struct house_entity *row)
{
    const char *device = row->device ? house_device(demo, row) : NULL;
    char id[DEMO_UUID + 1];
    haft_buffer out = demo_buffer(demo);
    struct json_writer w = {.out = &out};

    if (row->device && !device)
        return HAFT_ENOMEM;
    demo_uuid(demo, id);
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "id"), id);
    hf_json_text(json_key(&w, "unique_id"), strchr(row->id, '.') + 1);
    hf_json_text(json_key(&w, "platform"), "demo");
    house_member_or_null(&w, "area_id", device ? NULL : row->area);
    house_member_or_null(&w, "device_id", device);
    hf_json_text(json_key(&w, "original_name"), row->name);
    hf_json_begin_array(json_key(&w, "labels"));
    if (!strcmp(row->id, "light.bedroom") || !strcmp(row->id, "light.office_desk"))
        hf_json_text(&w, "night");
    hf_json_end_array(&w);
    hf_json_end_object(&w);
    return demo_record_put(demo, DEMO_ENTRIES, row->id, demo_take(demo, &out));
}

/* ---- the whole ---- */

/* A table's attributes and the name, as drafts write them. */
static char *house_attributes(struct demo *demo, const char *attributes, const char *name)
{
    yyjson_alc alc;
    haft_value *value = demo_parse(demo, demo_relaxed(demo, attributes));
    yyjson_mut_doc *doc = yyjson_mut_doc_new(demo_alc(demo, &alc));
    yyjson_mut_val *root = doc && value ? yyjson_val_mut_copy(doc, value) : NULL;

    if (!root || !yyjson_mut_obj_add_strcpy(doc, root, "friendly_name", name))
        return NULL;
    return yyjson_mut_val_write_opts(root, 0, &alc, NULL, NULL);
}

static int house_entity(struct demo *demo, const struct house_entity *row)
{
    struct demo_context context;
    char *attributes = house_attributes(demo, row->attributes, row->name), text[NUMBER_TEXT];
    const char *state = row->state;
    struct demo_entity *entity;
    double value;
    int status;

    demo_context_new(demo, NULL, false, &context);
    if (demo_house_value(demo, row->id, demo->now, &value)) {
        hf_number_to_text(value, text);
        state = text;
    }
    if (!attributes || demo_write(demo, row->id, state, attributes, false, &context, NULL))
        return HAFT_ENOMEM;
    entity = demo_find(demo, row->id);
    entity->state->changed = demo->now - (int64_t)(row->hours * (double)HOUSE_HOUR);
    entity->state->updated = entity->state->reported = entity->state->changed;
    status = house_remember_curve(demo, entity);
    if (!status)
        status = house_remember_flips(demo, entity);
    if (!status && strcmp(row->id, "zone.home") != 0)
        status = house_entry(demo, row);
    return status;
}

/* The camera's picture has an address with a separate token. */
static int house_camera(struct demo *demo)
{
    struct demo_entity *camera = demo_find(demo, "camera.front_door");
    struct demo_context context = camera->state->context;
    char token[DEMO_UUID + 1];
    struct demo_draft draft;
    const char *path;

    demo_uuid(demo, token);
    path = demo_format(demo, "/api/camera_proxy/%s?token=%s", camera->id, token);
    demo_draft_begin(&draft, demo, camera);
    demo_draft_text(&draft, "access_token", token);
    demo_draft_text(&draft, "entity_picture", path);
    return demo_draft_commit(&draft, &context);
}

static int house_extra(struct demo *demo, size_t n)
{
    struct demo_context context;
    char id[64], name[64], *attributes;

    for (size_t i = 1; i <= n; i++) {
        haft_arena_reset(demo->scratch);
        demo_context_new(demo, NULL, false, &context);
        snprintf(id, sizeof id, "sensor.extra_%04zu", i);
        snprintf(name, sizeof name, "Extra %04zu", i);
        attributes = house_attributes(demo, "'unit_of_measurement':'W'", name);
        if (!attributes || demo_write(demo, id, "0", attributes, false, &context, NULL))
            return HAFT_ENOMEM;
    }
    return 0;
}

int demo_house_build(struct demo *demo, size_t extra)
{
    int status = 0;

    demo->run.depth = HOUSE_QUIET;
    for (size_t i = 0; !status && i < demo_house_n_records; i++) {
        const struct house_record *row = &demo_house_records[i];

        status = demo_record_put(demo, (enum demo_registry)row->store, row->id,
                                 demo_relaxed(demo, row->json));
    }
    for (size_t i = 0; !status && i < demo_house_n_entities; i++) {
        haft_arena_reset(demo->scratch);
        status = house_entity(demo, &demo_house_entities[i]);
    }
    if (!status)
        status = house_camera(demo);
    if (!status)
        status = house_extra(demo, extra);
    if (!status)
        status = demo_configs_load(demo);
    if (!status)
        status = demo_tick_start(demo);
    demo->run.depth = 0;
    return status;
}
