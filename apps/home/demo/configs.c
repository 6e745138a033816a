/* configs.c - configurations of automations, scripts and scenes, and the entities that they make. */
#include "demo/automation.h"
#include "demo/registry.h"
#include "demo/rest.h"

static const char *const configs_domains[DEMO_REGISTRIES] = {
    [DEMO_AUTOMATIONS] = "automation", [DEMO_SCRIPTS] = "script", [DEMO_SCENES] = "scene"};

haft_value *demo_config_member(haft_value *config, const char *name)
{
    haft_value *value = yyjson_obj_get(config, name);

    return value ? value : yyjson_obj_getn(config, name, strlen(name) - 1);
}

struct demo_entity *demo_config_entity(struct demo *demo, const char *domain, const char *id)
{
    for (size_t i = 0; i < demo->n_entities; i++) {
        struct demo_entity *entity = demo->entities[i];
        const char *own;

        if (!demo_is_in(entity, domain))
            continue;
        own = demo_config_id(demo, entity);
        if (own && !strcmp(own, id))
            return entity;
    }
    return NULL;
}

const char *demo_config_id(struct demo *demo, const struct demo_entity *entity)
{
    if (demo_is_in(entity, "script"))
        return strchr(entity->id, '.') + 1;
    return demo_text(demo_attributes(demo, entity), "id");
}

/* ---- entities ---- */

static int configs_entry(struct demo *demo, const char *entity_id, const char *domain,
                         const char *id, const char *name)
{
    char uuid[DEMO_UUID + 1];
    haft_buffer out = demo_buffer(demo);
    struct json_writer w = {.out = &out};

    demo_uuid(demo, uuid);
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "id"), uuid);
    hf_json_text(json_key(&w, "unique_id"), id);
    hf_json_text(json_key(&w, "platform"), strcmp(domain, "scene") ? domain : "homeassistant");
    hf_json_text(json_key(&w, "original_name"), name);
    hf_json_end_object(&w);
    return demo_record_put(demo, DEMO_ENTRIES, entity_id, demo_take(demo, &out));
}

static void configs_scene_members(struct demo_draft *draft, haft_value *config)
{
    haft_value *entities = yyjson_obj_get(config, "entities");
    yyjson_mut_val *list = yyjson_mut_arr(draft->doc);
    yyjson_obj_iter iter;
    yyjson_val *key;

    yyjson_obj_iter_init(entities, &iter);
    while (list && (key = yyjson_obj_iter_next(&iter)))
        if (!yyjson_mut_arr_add_strcpy(draft->doc, list, yyjson_get_str(key)))
            list = NULL;
    draft->failed = draft->failed || !list;
    if (draft->failed)
        return;
    yyjson_mut_obj_remove_key(draft->root, "entity_id");
    draft->failed = !yyjson_mut_obj_add_val(draft->doc, draft->root, "entity_id", list);
}

static int configs_write(struct demo *demo, enum demo_registry which, const char *entity_id,
                         const char *id, haft_value *config, const struct demo_context *context)
{
    struct demo_entity *entity = demo_find(demo, entity_id);
    const char *name = demo_text(config, which == DEMO_SCENES ? "name" : "alias");
    const char *mode = demo_text(config, "mode"), *icon = demo_text(config, "icon");
    struct demo_draft draft;

    if (entity)
        demo_draft_begin(&draft, demo, entity);
    else
        demo_draft_new(&draft, demo, entity_id,
                       which == DEMO_SCENES    ? "unknown"
                       : which == DEMO_SCRIPTS ? "off"
                                               : "on");
    if (which == DEMO_SCENES) {
        configs_scene_members(&draft, config);
    } else if (!entity) {
        demo_draft_text(&draft, "last_triggered", NULL);
        demo_draft_number(&draft, "current", 0);
    }
    if (which != DEMO_SCRIPTS)
        demo_draft_text(&draft, "id", id);
    if (which != DEMO_SCENES)
        demo_draft_text(&draft, "mode", mode ? mode : "single");
    if (icon)
        demo_draft_text(&draft, "icon", icon);
    demo_draft_text(&draft, "friendly_name", name ? name : id);
    return demo_draft_commit(&draft, context);
}

int demo_config_apply(struct demo *demo, enum demo_registry which, const char *id,
                      const struct demo_context *context)
{
    const char *domain = configs_domains[which];
    haft_value *config = demo_record_value(demo, which, id);
    struct demo_entity *entity = demo_config_entity(demo, domain, id);
    const char *name = demo_text(config, which == DEMO_SCENES ? "name" : "alias"), *slug,
               *entity_id;

    if (!config)
        return HAFT_ENOMEM;
    if (entity)
        return configs_write(demo, which, entity->id, id, config, context);
    slug = which == DEMO_SCRIPTS ? id : demo_slug(demo, name ? name : id);
    entity_id = slug ? demo_format(demo, "%s.%s", domain, slug) : NULL;
    for (int n = 2; entity_id && demo_find(demo, entity_id); n++)
        entity_id = demo_format(demo, "%s.%s_%d", domain, slug, n);
    if (!entity_id || configs_write(demo, which, entity_id, id, config, context))
        return HAFT_ENOMEM;
    return configs_entry(demo, entity_id, domain, id, name ? name : id);
}

int demo_configs_load(struct demo *demo)
{
    struct demo_context context;

    for (enum demo_registry which = DEMO_AUTOMATIONS; which <= DEMO_SCENES; which++)
        for (size_t i = 0; i < demo->stores[which].n; i++) {
            const char *id = demo->stores[which].at[i].id;

            haft_arena_reset(demo->scratch);
            demo_context_new(demo, NULL, false, &context);
            if (demo_config_apply(demo, which, id, &context))
                return HAFT_ENOMEM;
            for (size_t n = 0; which == DEMO_AUTOMATIONS && n < 2 && i < 2; n++)
                if (demo_automation_run(demo, id, NULL, "time", false, NULL))
                    return HAFT_ENOMEM;
        }
    return 0;
}

/* ---- checks ---- */

static const struct demo_field configs_automation_fields[] = {
    {.name = "id", .kind = FIELD_TEXT},
    {.name = "alias", .kind = FIELD_TEXT},
    {.name = "description", .kind = FIELD_TEXT},
    {.name = "triggers", .kind = FIELD_ANY},
    {.name = "trigger", .kind = FIELD_ANY},
    {.name = "conditions", .kind = FIELD_ANY},
    {.name = "condition", .kind = FIELD_ANY},
    {.name = "actions", .kind = FIELD_ANY},
    {.name = "action", .kind = FIELD_ANY},
    {.name = "mode", .kind = FIELD_CHOICE, .choices = "parallel,queued,restart,single"},
    {.name = "max", .kind = FIELD_INT, .ranged = true, .min = 2, .max = 1000},
    {.name = "max_exceeded", .kind = FIELD_TEXT},
    {.name = "variables", .kind = FIELD_OBJECT},
    {.name = "trigger_variables", .kind = FIELD_OBJECT},
    {.name = "trace", .kind = FIELD_OBJECT},
    {.name = "initial_state", .kind = FIELD_BOOL},
};
static const struct demo_field configs_script_fields[] = {
    {.name = "alias", .kind = FIELD_TEXT},
    {.name = "description", .kind = FIELD_TEXT},
    {.name = "icon", .kind = FIELD_TEXT},
    {.name = "sequence", .kind = FIELD_ANY, .required = true},
    {.name = "fields", .kind = FIELD_OBJECT},
    {.name = "mode", .kind = FIELD_CHOICE, .choices = "parallel,queued,restart,single"},
    {.name = "max", .kind = FIELD_INT, .ranged = true, .min = 2, .max = 1000},
    {.name = "variables", .kind = FIELD_OBJECT},
    {.name = "trace", .kind = FIELD_OBJECT},
};
static const struct demo_field configs_scene_fields[] = {
    {.name = "id", .kind = FIELD_TEXT},
    {.name = "name", .kind = FIELD_TEXT, .required = true},
    {.name = "entities", .kind = FIELD_OBJECT, .required = true},
    {.name = "icon", .kind = FIELD_TEXT},
    {.name = "metadata", .kind = FIELD_OBJECT},
};

static const char *configs_check_automation(struct demo *demo, haft_value *config)
{
    haft_value *triggers = demo_config_member(config, "triggers");
    haft_value *conditions = demo_config_member(config, "conditions");
    haft_value *actions = demo_config_member(config, "actions");
    const char *wrong =
        demo_validate(demo, configs_automation_fields,
                      sizeof configs_automation_fields / sizeof *configs_automation_fields, config,
                      NULL, false, false);

    if (!wrong && !triggers)
        wrong = "required key not provided @ data['triggers']";
    if (!wrong && !actions)
        wrong = "required key not provided @ data['actions']";
    if (!wrong)
        wrong = demo_trigger_check(demo, triggers);
    if (!wrong && conditions)
        wrong = demo_condition_check(demo, conditions);
    return wrong ? wrong : demo_action_check(demo, actions);
}

const char *demo_config_check(struct demo *demo, enum demo_registry which, haft_value *config)
{
    const char *wrong;

    if (which == DEMO_AUTOMATIONS)
        return configs_check_automation(demo, config);
    if (which == DEMO_SCENES)
        return demo_validate(demo, configs_scene_fields,
                             sizeof configs_scene_fields / sizeof *configs_scene_fields, config,
                             NULL, false, false);
    wrong = demo_validate(demo, configs_script_fields,
                          sizeof configs_script_fields / sizeof *configs_script_fields, config,
                          NULL, false, false);
    return wrong ? wrong : demo_action_check(demo, yyjson_obj_get(config, "sequence"));
}

/* ---- REST ---- */

static void configs_get(struct demo_rest *rest, enum demo_registry which)
{
    struct demo_record *record = demo_record(rest->demo, which, rest->tail);

    if (record)
        hf_json_raw(&rest->w, record->json, strlen(record->json));
    else
        demo_rest_message(rest, 404, "Resource not found");
}

/* The body with the id of the path. */
static char *configs_with_id(struct demo_rest *rest, enum demo_registry which, haft_value *body)
{
    haft_buffer out = demo_buffer(rest->demo);
    struct json_writer w = {.out = &out};
    yyjson_obj_iter iter;
    yyjson_val *key;

    hf_json_begin_object(&w);
    if (which != DEMO_SCRIPTS)
        hf_json_text(json_key(&w, "id"), rest->tail);
    yyjson_obj_iter_init(body, &iter);
    while ((key = yyjson_obj_iter_next(&iter))) {
        if (yyjson_equals_str(key, "id"))
            continue;
        hf_json_name(&w, yyjson_get_str(key), yyjson_get_len(key));
        hf_json_value(&w, yyjson_obj_iter_get_val(key));
    }
    hf_json_end_object(&w);
    return demo_take(rest->demo, &out);
}

static void configs_ok(struct demo_rest *rest)
{
    hf_json_begin_object(&rest->w);
    hf_json_text(json_key(&rest->w, "result"), "ok");
    hf_json_end_object(&rest->w);
}

/* A script is a service. */
static void configs_tell(struct demo_rest *rest, enum demo_registry which, const char *event,
                         const struct demo_context *context)
{
    haft_buffer out;
    struct json_writer w = {.out = &out};

    if (which != DEMO_SCRIPTS)
        return;
    out = demo_buffer(rest->demo);
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "domain"), "script");
    hf_json_text(json_key(&w, "service"), rest->tail);
    hf_json_end_object(&w);
    demo_fire(rest->demo, event, demo_take(rest->demo, &out), false, context);
}

static void configs_post(struct demo_rest *rest, enum demo_registry which)
{
    struct demo *demo = rest->demo;
    haft_value *body =
        rest->request->size
            ? haft_json_read(rest->request->body, rest->request->size, 0, demo->scratch, NULL)
            : NULL;
    const char *wrong, *slug = demo_slug(demo, rest->tail);
    struct demo_context context;
    bool is_new;

    if (!body) {
        demo_rest_message(rest, 400, "Invalid JSON specified");
        return;
    }
    wrong = demo_config_check(demo, which, body);
    if (!wrong && which == DEMO_SCRIPTS && (!slug || strcmp(slug, rest->tail) != 0))
        wrong = demo_complain(demo, "invalid slug %s (try %s)", rest->tail, slug);
    if (wrong) {
        demo_rest_message(rest, 400, demo_format(demo, "Message malformed: %s", wrong));
        return;
    }
    demo_context_new(demo, NULL, true, &context);
    is_new = !demo_record(demo, which, rest->tail);
    if (demo_record_put(demo, which, rest->tail, configs_with_id(rest, which, body)) ||
        demo_config_apply(demo, which, rest->tail, &context)) {
        rest->response->body.status = HAFT_ENOMEM;
        return;
    }
    if (is_new)
        configs_tell(rest, which, "service_registered", &context);
    configs_ok(rest);
}

static void configs_delete(struct demo_rest *rest, enum demo_registry which)
{
    struct demo *demo = rest->demo;
    struct demo_entity *entity;
    struct demo_context context;

    if (!demo_record(demo, which, rest->tail)) {
        demo_rest_message(rest, 400, "Resource not found");
        return;
    }
    entity = demo_config_entity(demo, configs_domains[which], rest->tail);
    demo_context_new(demo, NULL, true, &context);
    if (entity) {
        demo_record_remove(demo, DEMO_ENTRIES, entity->id);
        demo_remove(demo, entity, &context);
    }
    demo_record_remove(demo, which, rest->tail);
    configs_tell(rest, which, "service_removed", &context);
    configs_ok(rest);
}

static void configs_rest(struct demo_rest *rest, enum demo_registry which)
{
    if (!strcmp(rest->request->method, "GET"))
        configs_get(rest, which);
    else if (!strcmp(rest->request->method, "POST"))
        configs_post(rest, which);
    else
        configs_delete(rest, which);
}

void demo_rest_automation(struct demo_rest *rest)
{
    configs_rest(rest, DEMO_AUTOMATIONS);
}

void demo_rest_script(struct demo_rest *rest)
{
    configs_rest(rest, DEMO_SCRIPTS);
}

void demo_rest_scene(struct demo_rest *rest)
{
    configs_rest(rest, DEMO_SCENES);
}
