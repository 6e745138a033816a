/* command_registry.c - the registries of areas, floors, labels, devices and entities. */
#include "demo/registry.h"

/* What the registries with names have in common. */
static const struct registry_kind {
    const char *name; /* "area": config/area_registry/list */
    enum demo_registry which;
    const char *id, *event, *missing;
} registry_kinds[] = {
    {"area", DEMO_AREAS, "area_id", "area_registry_updated", "Area ID doesn't exist"},
    {"floor", DEMO_FLOORS, "floor_id", "floor_registry_updated", "Floor ID doesn't exist"},
    {"label", DEMO_LABELS, "label_id", "label_registry_updated", "Label ID doesn't exist"},
    {"device", DEMO_DEVICES, "device_id", "device_registry_updated", "Device not found"},
    {"entity", DEMO_ENTRIES, "entity_id", "entity_registry_updated", "Entity not found"},
};

/* The registry of config/<kind>_registry/<verb>. */
static const struct registry_kind *registry_kind(const struct demo_command *command)
{
    const char *name = command->type + sizeof "config/" - 1;

    for (size_t i = 0; i < sizeof registry_kinds / sizeof *registry_kinds; i++)
        if (!strncmp(registry_kinds[i].name, name, strlen(registry_kinds[i].name)))
            return &registry_kinds[i];
    return NULL;
}

static void registry_tell(struct demo_command *command, const struct registry_kind *kind,
                          const char *id, const char *action)
{
    haft_buffer out = demo_buffer(command->demo);
    struct json_writer w = {.out = &out};
    struct demo_context context;

    demo_context_new(command->demo, NULL, true, &context);
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "action"), action);
    hf_json_name(&w, kind->id, strlen(kind->id));
    hf_json_text(&w, id);
    if (kind->which == DEMO_ENTRIES)
        hf_json_empty_object(json_key(&w, "changes"));
    hf_json_end_object(&w);
    demo_fire(command->demo, kind->event, demo_take(command->demo, &out), false, &context);
}

static void registry_list(struct demo_command *command)
{
    const struct registry_kind *kind = registry_kind(command);
    struct demo_store *store = &command->demo->stores[kind->which];
    struct json_writer *w = demo_result_begin(command);

    hf_json_begin_array(w);
    for (size_t i = 0; i < store->n; i++)
        demo_record_write(command->demo, w, kind->which, &store->at[i]);
    hf_json_end_array(w);
    demo_result_end(command);
}

static void registry_answer(struct demo_command *command, const struct registry_kind *kind,
                            const char *id)
{
    demo_record_write(command->demo, demo_result_begin(command), kind->which,
                      demo_record(command->demo, kind->which, id));
    demo_result_end(command);
}

/* Whether another record has the name; its error has been sent then. */
static bool registry_name_is_taken(struct demo_command *command, const struct registry_kind *kind,
                                   const char *id)
{
    struct demo_store *store = &command->demo->stores[kind->which];
    const char *name = demo_text(command->message, "name"), *other;

    for (size_t i = 0; name && i < store->n; i++) {
        other = demo_text(demo_parse(command->demo, store->at[i].json), "name");
        if (other && hf_text_same_ignoring_case(other, name) && strcmp(store->at[i].id, id) != 0) {
            demo_error(command, "invalid_info",
                       demo_complain(command->demo, "The name %s (%s) is already in use", name,
                                     demo_slug(command->demo, name)));
            return true;
        }
    }
    return false;
}

static void registry_create(struct demo_command *command)
{
    const struct registry_kind *kind = registry_kind(command);
    const char *slug = demo_slug(command->demo, demo_text(command->message, "name")), *id = slug;

    if (registry_name_is_taken(command, kind, ""))
        return;
    for (int n = 2; id && demo_record(command->demo, kind->which, id); n++)
        id = demo_format(command->demo, "%s_%d", slug, n);
    if (!id || demo_record_merge(command->demo, kind->which, id, command->message, "id,type")) {
        demo_error_memory(command);
        return;
    }
    registry_tell(command, kind, id, "create");
    registry_answer(command, kind, id);
}

/* The record that the command is about; NULL with the error sent. */
static const char *registry_subject(struct demo_command *command, const struct registry_kind *kind)
{
    const char *id = demo_text(command->message, kind->id);

    if (id && demo_record(command->demo, kind->which, id))
        return id;
    demo_error(command, kind->which < DEMO_DEVICES ? "invalid_info" : "not_found", kind->missing);
    return NULL;
}

static void registry_update(struct demo_command *command)
{
    const struct registry_kind *kind = registry_kind(command);
    const char *id = registry_subject(command, kind), *but;

    if (!id || registry_name_is_taken(command, kind, id))
        return;
    but = demo_format(command->demo, "id,type,%s", kind->id);
    if (!but || demo_record_merge(command->demo, kind->which, id, command->message, but))
        demo_error_memory(command);
    else {
        registry_tell(command, kind, id, "update");
        registry_answer(command, kind, id);
    }
}

/* What refers to a record that goes away no longer does. */
static int registry_forget(struct demo *demo, enum demo_registry in, const char *member,
                           const char *id)
{
    struct demo_store *store = &demo->stores[in];
    haft_value *none = demo_parse_relaxed(demo, demo_format(demo, "'%s':null", member));

    for (size_t i = 0; i < store->n; i++) {
        const char *now = demo_text(demo_parse(demo, store->at[i].json), member);

        if (!none)
            return HAFT_ENOMEM;
        if (now && !strcmp(now, id) && demo_record_merge(demo, in, store->at[i].id, none, ""))
            return HAFT_ENOMEM;
    }
    return 0;
}

static void registry_delete(struct demo_command *command)
{
    const struct registry_kind *kind = registry_kind(command);
    const char *id = registry_subject(command, kind);
    int status = 0;

    if (!id)
        return;
    if (kind->which == DEMO_AREAS) {
        status = registry_forget(command->demo, DEMO_DEVICES, "area_id", id);
        if (!status)
            status = registry_forget(command->demo, DEMO_ENTRIES, "area_id", id);
    } else if (kind->which == DEMO_FLOORS) {
        status = registry_forget(command->demo, DEMO_AREAS, "floor_id", id);
    }
    if (status) {
        demo_error_memory(command);
        return;
    }
    demo_record_remove(command->demo, kind->which, id);
    registry_tell(command, kind, id, "remove");
    demo_result_null(command);
}

/* ---- entities ---- */

/* The name that the user gave is the name of the state. */
static int registry_rename(struct demo *demo, const char *id)
{
    struct demo_entity *entity = demo_find(demo, id);
    haft_value *entry = demo_record_value(demo, DEMO_ENTRIES, id);
    const char *name = demo_text(entry, "name"), *original = demo_text(entry, "original_name");
    struct demo_context context;
    struct demo_draft draft;

    if (!entity || (!name && !original))
        return 0;
    demo_context_new(demo, NULL, true, &context);
    demo_draft_begin(&draft, demo, entity);
    demo_draft_text(&draft, "friendly_name", name ? name : original);
    return demo_draft_commit(&draft, &context);
}

static void registry_entity_update(struct demo_command *command)
{
    const struct registry_kind *kind = registry_kind(command);
    const char *id = registry_subject(command, kind);
    struct json_writer *w;

    if (!id)
        return;
    if (demo_record_merge(command->demo, DEMO_ENTRIES, id, command->message, "id,type,entity_id") ||
        registry_rename(command->demo, id)) {
        demo_error_memory(command);
        return;
    }
    registry_tell(command, kind, id, "update");
    w = demo_result_begin(command);
    hf_json_begin_object(w);
    demo_record_write(command->demo, json_key(w, "entity_entry"), DEMO_ENTRIES,
                      demo_record(command->demo, DEMO_ENTRIES, id));
    hf_json_end_object(w);
    demo_result_end(command);
}

static void registry_entity_get(struct demo_command *command)
{
    const struct registry_kind *kind = registry_kind(command);
    const char *id = registry_subject(command, kind);

    if (id)
        registry_answer(command, kind, id);
}

static void registry_display(struct json_writer *w, const char *id, haft_value *entry)
{
    hf_json_begin_object(w);
    hf_json_text(json_key(w, "ei"), id);
    hf_json_text(json_key(w, "pl"), "demo");
    json_text_member(w, "ai", demo_text(entry, "area_id"));
    json_text_member(w, "di", demo_text(entry, "device_id"));
    if (yyjson_arr_size(yyjson_obj_get(entry, "labels")))
        hf_json_value(json_key(w, "lb"), yyjson_obj_get(entry, "labels"));
    else
        hf_json_raw(json_key(w, "lb"), "[]", 2);
    json_text_member(w, "ic", demo_text(entry, "icon"));
    if (demo_text(entry, "hidden_by"))
        hf_json_bool(json_key(w, "hb"), true);
    json_text_member(w, "en",
                     demo_text(entry, demo_text(entry, "name") ? "name" : "original_name"));
    hf_json_end_object(w);
}

static void registry_entity_display(struct demo_command *command)
{
    static const char categories[] = "{\"0\":\"config\",\"1\":\"diagnostic\"}";
    struct demo_store *store = &command->demo->stores[DEMO_ENTRIES];
    struct json_writer *w = demo_result_begin(command);

    hf_json_begin_object(w);
    hf_json_raw(json_key(w, "entity_categories"), categories, sizeof categories - 1);
    hf_json_begin_array(json_key(w, "entities"));
    for (size_t i = 0; i < store->n; i++)
        registry_display(w, store->at[i].id, demo_parse(command->demo, store->at[i].json));
    hf_json_end_array(w);
    hf_json_end_object(w);
    demo_result_end(command);
}

#define REGISTRY_MAY(field, of_kind)                                                               \
    {                                                                                              \
        .name = field, .kind = of_kind                                                             \
    }
#define REGISTRY_MUST(field, of_kind)                                                              \
    {                                                                                              \
        .name = field, .kind = of_kind, .required = true                                           \
    }
#define AREA_FIELDS                                                                                \
    REGISTRY_MAY("aliases", FIELD_TEXTS), REGISTRY_MAY("floor_id", FIELD_TEXT_OR_NULL),            \
        REGISTRY_MAY("icon", FIELD_TEXT_OR_NULL), REGISTRY_MAY("labels", FIELD_TEXTS),             \
        REGISTRY_MAY("picture", FIELD_TEXT_OR_NULL),                                               \
        REGISTRY_MAY("humidity_entity_id", FIELD_TEXT_OR_NULL),                                    \
        REGISTRY_MAY("temperature_entity_id", FIELD_TEXT_OR_NULL)
#define FLOOR_FIELDS                                                                               \
    REGISTRY_MAY("aliases", FIELD_TEXTS), REGISTRY_MAY("icon", FIELD_TEXT_OR_NULL),                \
        REGISTRY_MAY("level", FIELD_ANY)
#define LABEL_FIELDS                                                                               \
    REGISTRY_MAY("color", FIELD_TEXT_OR_NULL), REGISTRY_MAY("description", FIELD_TEXT_OR_NULL),    \
        REGISTRY_MAY("icon", FIELD_TEXT_OR_NULL)

static const struct demo_field registry_area_create[] = {REGISTRY_MUST("name", FIELD_TEXT),
                                                         AREA_FIELDS};
static const struct demo_field registry_area_update[] = {
    REGISTRY_MUST("area_id", FIELD_TEXT), REGISTRY_MAY("name", FIELD_TEXT), AREA_FIELDS};
static const struct demo_field registry_area_delete[] = {REGISTRY_MUST("area_id", FIELD_TEXT)};
static const struct demo_field registry_floor_create[] = {REGISTRY_MUST("name", FIELD_TEXT),
                                                          FLOOR_FIELDS};
static const struct demo_field registry_floor_update[] = {
    REGISTRY_MUST("floor_id", FIELD_TEXT), REGISTRY_MAY("name", FIELD_TEXT), FLOOR_FIELDS};
static const struct demo_field registry_floor_delete[] = {REGISTRY_MUST("floor_id", FIELD_TEXT)};
static const struct demo_field registry_label_create[] = {REGISTRY_MUST("name", FIELD_TEXT),
                                                          LABEL_FIELDS};
static const struct demo_field registry_label_update[] = {
    REGISTRY_MUST("label_id", FIELD_TEXT), REGISTRY_MAY("name", FIELD_TEXT), LABEL_FIELDS};
static const struct demo_field registry_label_delete[] = {REGISTRY_MUST("label_id", FIELD_TEXT)};
static const struct demo_field registry_device_update[] = {
    REGISTRY_MUST("device_id", FIELD_TEXT), REGISTRY_MAY("area_id", FIELD_TEXT_OR_NULL),
    REGISTRY_MAY("name_by_user", FIELD_TEXT_OR_NULL), REGISTRY_MAY("labels", FIELD_TEXTS),
    REGISTRY_MAY("disabled_by", FIELD_TEXT_OR_NULL)};
static const struct demo_field registry_entity_id[] = {REGISTRY_MUST("entity_id", FIELD_ENTITY)};
static const struct demo_field registry_entity_fields[] = {
    REGISTRY_MUST("entity_id", FIELD_ENTITY),
    REGISTRY_MAY("area_id", FIELD_TEXT_OR_NULL),
    REGISTRY_MAY("name", FIELD_TEXT_OR_NULL),
    REGISTRY_MAY("icon", FIELD_TEXT_OR_NULL),
    REGISTRY_MAY("labels", FIELD_TEXTS),
    REGISTRY_MAY("aliases", FIELD_TEXTS),
    REGISTRY_MAY("hidden_by", FIELD_TEXT_OR_NULL),
    REGISTRY_MAY("disabled_by", FIELD_TEXT_OR_NULL),
    REGISTRY_MAY("device_class", FIELD_TEXT_OR_NULL),
    REGISTRY_MAY("categories", FIELD_OBJECT)};

const struct demo_command_row demo_commands_registry[] = {
    {"config/area_registry/list", registry_list, NULL, 0},
    {"config/area_registry/create", registry_create, COMMAND_FIELDS(registry_area_create)},
    {"config/area_registry/update", registry_update, COMMAND_FIELDS(registry_area_update)},
    {"config/area_registry/delete", registry_delete, COMMAND_FIELDS(registry_area_delete)},
    {"config/floor_registry/list", registry_list, NULL, 0},
    {"config/floor_registry/create", registry_create, COMMAND_FIELDS(registry_floor_create)},
    {"config/floor_registry/update", registry_update, COMMAND_FIELDS(registry_floor_update)},
    {"config/floor_registry/delete", registry_delete, COMMAND_FIELDS(registry_floor_delete)},
    {"config/label_registry/list", registry_list, NULL, 0},
    {"config/label_registry/create", registry_create, COMMAND_FIELDS(registry_label_create)},
    {"config/label_registry/update", registry_update, COMMAND_FIELDS(registry_label_update)},
    {"config/label_registry/delete", registry_delete, COMMAND_FIELDS(registry_label_delete)},
    {"config/device_registry/list", registry_list, NULL, 0},
    {"config/device_registry/update", registry_update, COMMAND_FIELDS(registry_device_update)},
    {"config/entity_registry/list", registry_list, NULL, 0},
    {"config/entity_registry/list_for_display", registry_entity_display, NULL, 0},
    {"config/entity_registry/get", registry_entity_get, COMMAND_FIELDS(registry_entity_id)},
    {"config/entity_registry/update", registry_entity_update,
     COMMAND_FIELDS(registry_entity_fields)},
    {0},
};
