/* target.c - which entities a service is for: named, or in an area, a device, a floor or with a label. */
#include "demo/service.h"

struct target_list {
    struct demo *demo;
    const char *domain;
    struct demo_entity **at;
    size_t n;
};

static void target_collect(struct target_list *list, struct demo_entity *entity)
{
    if (!entity || (list->domain && !demo_is_in(entity, list->domain)))
        return;
    for (size_t i = 0; i < list->n; i++)
        if (list->at[i] == entity)
            return;
    list->at[list->n++] = entity;
}

static haft_value *target_entry(struct demo *demo, const char *entity_id)
{
    return demo_record_value(demo, DEMO_ENTRIES, entity_id);
}

const char *demo_area_of(struct demo *demo, const char *entity_id)
{
    haft_value *entry = target_entry(demo, entity_id);
    const char *area = demo_text(entry, "area_id"), *device = demo_text(entry, "device_id");

    if (area || !device)
        return area;
    return demo_text(demo_record_value(demo, DEMO_DEVICES, device), "area_id");
}

/* One or several ids in one text. */
static void target_named(struct target_list *list, const char *text)
{
    char id[256];

    if (!strcmp(text, "all")) {
        for (size_t i = 0; i < list->demo->n_entities; i++)
            target_collect(list, list->demo->entities[i]);
        return;
    }
    while (*text) {
        size_t size = strcspn(text, ",");
        struct text part = text_trim(text, size);

        if (part.size < sizeof id) {
            memcpy(id, part.data, part.size);
            id[part.size] = '\0';
            target_collect(list, demo_find(list->demo, id));
        }
        text += size;
        text += *text == ',';
    }
}

/* Whether the entity belongs to the area, floor, device or label with that id. */
static bool target_belongs(struct demo *demo, const char *key, const char *id,
                           const char *entity_id)
{
    haft_value *entry = target_entry(demo, entity_id), *area;
    const char *device = demo_text(entry, "device_id"), *area_id;

    if (!strcmp(key, "device_id"))
        return device && !strcmp(device, id);
    area_id = demo_area_of(demo, entity_id);
    if (!strcmp(key, "area_id"))
        return area_id && !strcmp(area_id, id);
    area = area_id ? demo_record_value(demo, DEMO_AREAS, area_id) : NULL;
    if (!strcmp(key, "floor_id")) {
        const char *floor = demo_text(area, "floor_id");

        return floor && !strcmp(floor, id);
    }
    return demo_lists(yyjson_obj_get(entry, "labels"), id) ||
           demo_lists(yyjson_obj_get(area, "labels"), id) ||
           (device &&
            demo_lists(yyjson_obj_get(demo_record_value(demo, DEMO_DEVICES, device), "labels"),
                       id));
}

/* Entities that a key other than entity_id names; those that the registry hides are left out. */
static void target_expand(struct target_list *list, const char *key, const char *id)
{
    struct demo_store *entries = &list->demo->stores[DEMO_ENTRIES];

    for (size_t i = 0; i < entries->n; i++) {
        const char *entity_id = entries->at[i].id;
        arena_mark mark = hf_arena_save(list->demo->scratch);
        bool belongs = target_belongs(list->demo, key, id, entity_id) &&
                       !demo_text(target_entry(list->demo, entity_id), "hidden_by");

        hf_arena_rewind(list->demo->scratch, mark);
        if (belongs)
            target_collect(list, demo_find(list->demo, entity_id));
    }
}

static void target_each(struct target_list *list, const char *key, haft_value *value)
{
    bool named = !strcmp(key, "entity_id");
    yyjson_arr_iter iter;
    yyjson_val *item;

    if (yyjson_is_str(value)) {
        if (named)
            target_named(list, yyjson_get_str(value));
        else
            target_expand(list, key, yyjson_get_str(value));
        return;
    }
    yyjson_arr_iter_init(value, &iter);
    while ((item = yyjson_arr_iter_next(&iter))) {
        if (named)
            target_named(list, yyjson_get_str(item));
        else
            target_expand(list, key, yyjson_get_str(item));
    }
}

int demo_targets(struct demo *demo, haft_value *data, const char *domain,
                 struct demo_entity ***ret_entities, size_t *ret_n, size_t *ret_named)
{
    static const char *const keys[] = {"area_id", "device_id", "floor_id", "label_id"};
    struct target_list list = {.demo = demo, .domain = domain};
    haft_value *named = yyjson_obj_get(data, "entity_id");

    list.at = haft_arena_zalloc(demo->scratch, demo->n_entities + 1, sizeof(struct demo_entity *));
    if (!list.at)
        return HAFT_ENOMEM;
    target_each(&list, "entity_id", named);
    *ret_named = yyjson_equals_str(named, "all") ? 0 : list.n;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        target_each(&list, keys[i], yyjson_obj_get(data, keys[i]));
    *ret_entities = list.at;
    *ret_n = list.n;
    return 0;
}
