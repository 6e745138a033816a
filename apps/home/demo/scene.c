/* scene.c - scenes: states that entities are brought to, by the services of their domains. */
#include "demo/automation.h"
#include "demo/registry.h"

/* How a state of a domain is reached.  An empty state is any other. */
static const struct scene_way {
    const char *domain, *state, *service;
    const char *keys; /* attributes that go along, with what the service calls them */
} scene_ways[] = {
    {"light", "on", "turn_on", "brightness,color_temp_kelvin,rgb_color,hs_color,xy_color,effect"},
    {"light", "off", "turn_off", ""},
    {"switch", "on", "turn_on", ""},
    {"switch", "off", "turn_off", ""},
    {"input_boolean", "on", "turn_on", ""},
    {"input_boolean", "off", "turn_off", ""},
    {"fan", "on", "turn_on", "percentage"},
    {"fan", "off", "turn_off", ""},
    {"automation", "on", "turn_on", ""},
    {"automation", "off", "turn_off", ""},
    {"cover", "open", "open_cover", ""},
    {"cover", "closed", "close_cover", ""},
    {"lock", "locked", "lock", ""},
    {"lock", "unlocked", "unlock", ""},
    {"media_player", "off", "turn_off", ""},
    {"media_player", "on", "turn_on", ""},
    {"media_player", "playing", "media_play", ""},
    {"media_player", "paused", "media_pause", ""},
    {"climate", "", "set_hvac_mode", ""},
};

static const struct scene_way *scene_way(const struct demo_entity *entity, const char *state)
{
    for (size_t i = 0; i < sizeof scene_ways / sizeof *scene_ways; i++)
        if (demo_is_in(entity, scene_ways[i].domain) &&
            (!*scene_ways[i].state || !strcmp(scene_ways[i].state, state)))
            return &scene_ways[i];
    return NULL;
}

/* The data of the service that brings the entity there; NULL without memory. */
static haft_value *scene_data(struct demo *demo, const struct scene_way *way, const char *entity_id,
                              const char *state, haft_value *attributes)
{
    haft_buffer out = demo_buffer(demo);
    struct json_writer w = {.out = &out};
    const char *key = way->keys;

    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "entity_id"), entity_id);
    if (!*way->state)
        hf_json_text(json_key(&w, "hvac_mode"), state);
    while (*key) {
        size_t size = strcspn(key, ",");
        yyjson_val *value = yyjson_obj_getn(attributes, key, size);

        if (value && !yyjson_is_null(value)) {
            hf_json_name(&w, key, size);
            hf_json_value(&w, value);
        }
        key += size;
        key += *key == ',';
    }
    hf_json_end_object(&w);
    return demo_parse(demo, demo_take(demo, &out));
}

static int scene_reproduce(struct demo_call *call, const char *entity_id, haft_value *wanted)
{
    struct demo_entity *entity = demo_find(call->demo, entity_id);
    const char *state = yyjson_is_str(wanted) ? yyjson_get_str(wanted) : demo_text(wanted, "state");
    const struct scene_way *way = entity && state ? scene_way(entity, state) : NULL;
    struct demo_call inner = {.demo = call->demo, .context = call->context};
    haft_value *data;

    if (!way || !demo_is_available(entity))
        return 0;
    inner.domain = way->domain;
    inner.name = way->service;
    data = scene_data(call->demo, way, entity_id, state, wanted);
    if (!data)
        return HAFT_ENOMEM;
    if (!demo_call_service(&inner, data, NULL))
        return 0;
    call->failure = inner.failure;
    call->text = inner.text;
    call->key = inner.key;
    return -1;
}

int demo_reproduce(struct demo_call *call, haft_value *entities)
{
    yyjson_obj_iter iter;
    yyjson_val *key;
    int status = 0;

    yyjson_obj_iter_init(entities, &iter);
    while (!status && (key = yyjson_obj_iter_next(&iter)))
        status = scene_reproduce(call, yyjson_get_str(key), yyjson_obj_iter_get_val(key));
    return status;
}

/* ---- services ---- */

static const struct demo_field scene_on_fields[] = {
    {.name = "transition", .kind = FIELD_NUMBER, .ranged = true, .min = 0, .max = 6553}};
static const struct demo_field scene_apply_fields[] = {
    {.name = "entities", .kind = FIELD_OBJECT, .required = true},
    {.name = "transition", .kind = FIELD_NUMBER, .ranged = true, .min = 0, .max = 6553}};
static const struct demo_field scene_create_fields[] = {
    {.name = "scene_id", .kind = FIELD_TEXT, .required = true},
    {.name = "entities", .kind = FIELD_OBJECT},
    {.name = "snapshot_entities", .kind = FIELD_TEXTS}};

static int scene_turn_on(struct demo_call *call, struct demo_entity *entity)
{
    const char *id = demo_config_id(call->demo, entity);
    haft_value *config = id ? demo_record_value(call->demo, DEMO_SCENES, id) : NULL;
    char now[DEMO_TIME];

    demo_time_text(call->demo->now, now);
    if (demo_set_state(call, entity, now))
        return HAFT_ENOMEM;
    return demo_reproduce(call, yyjson_obj_get(config, "entities"));
}

static int scene_apply(struct demo_call *call, struct demo_entity *entity)
{
    (void)entity;
    return demo_reproduce(call, yyjson_obj_get(call->data, "entities"));
}

/* The states that entities have now, into an object that is open. */
static void scene_snapshot(struct demo *demo, struct json_writer *w, haft_value *ids)
{
    size_t n = yyjson_is_arr(ids) ? yyjson_arr_size(ids) : ids ? 1 : 0;

    for (size_t i = 0; i < n; i++) {
        const char *id = yyjson_get_str(yyjson_is_arr(ids) ? yyjson_arr_get(ids, i) : ids);
        struct demo_entity *entity = demo_find(demo, id);
        const char *attributes = entity ? entity->state->attributes : "{}";

        if (!entity)
            continue;
        hf_json_name(w, id, strlen(id));
        hf_json_begin_object(w);
        hf_json_text(json_key(w, "state"), entity->state->text);
        hf_json_raw_members(w, attributes + 1, strlen(attributes) - 2);
        hf_json_end_object(w);
    }
}

static int scene_create(struct demo_call *call, struct demo_entity *none)
{
    struct demo *demo = call->demo;
    const char *id = demo_text(call->data, "scene_id"), *slug = id ? demo_slug(demo, id) : NULL;
    haft_value *entities = yyjson_obj_get(call->data, "entities");
    haft_buffer out;
    struct json_writer w = {.out = &out};
    yyjson_obj_iter iter;
    yyjson_val *key;

    (void)none;
    if (!id || !slug || strcmp(slug, id) != 0)
        return demo_fail(call, DEMO_INVALID, NULL,
                         "invalid slug %s for dictionary value @ data['scene_id']", id ? id : "");
    out = demo_buffer(demo);
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "id"), id);
    hf_json_text(json_key(&w, "name"), id);
    hf_json_begin_object(json_key(&w, "entities"));
    yyjson_obj_iter_init(entities, &iter);
    while ((key = yyjson_obj_iter_next(&iter))) {
        hf_json_name(&w, yyjson_get_str(key), yyjson_get_len(key));
        hf_json_value(&w, yyjson_obj_iter_get_val(key));
    }
    scene_snapshot(demo, &w, yyjson_obj_get(call->data, "snapshot_entities"));
    hf_json_end_object(&w);
    hf_json_end_object(&w);
    if (demo_record_put(demo, DEMO_SCENES, id, demo_take(demo, &out)))
        return HAFT_ENOMEM;
    return demo_config_apply(demo, DEMO_SCENES, id, &call->context);
}

static int scene_delete(struct demo_call *call, struct demo_entity *entity)
{
    const char *id = demo_config_id(call->demo, entity);

    if (id)
        demo_record_remove(call->demo, DEMO_SCENES, id);
    demo_record_remove(call->demo, DEMO_ENTRIES, entity->id);
    return demo_remove(call->demo, entity, &call->context);
}

static int scene_reload(struct demo_call *call, struct demo_entity *entity)
{
    (void)call;
    (void)entity;
    return 0;
}

const struct demo_service demo_services_scene[] = {
    {"turn_on", "Activates a scene.", scene_turn_on, SERVICE_TARGET, 0,
     SERVICE_FIELDS(scene_on_fields)},
    {"apply", "Activates a scene with configuration.", scene_apply, 0, 0,
     SERVICE_FIELDS(scene_apply_fields)},
    {"create", "Creates a new scene.", scene_create, 0, 0, SERVICE_FIELDS(scene_create_fields)},
    {"delete", "Deletes a dynamically created scene.", scene_delete, SERVICE_TARGET, 0, NULL, 0},
    {"reload", "Reloads the scenes from the YAML-configuration.", scene_reload, 0, 0, NULL, 0},
    {0},
};
