/* registry.c - records as clients see them: which columns they have, and how they are changed. */
#include "demo/registry.h"

/* Columns in their order: `a[]` an array, `a{}` an object, `a?` false, `a` null when it is not set; `=` the id. */
static const char *const registry_columns[DEMO_REGISTRIES] = {
    [DEMO_AREAS] =
        "aliases[],area_id=,floor_id,humidity_entity_id,icon,labels[],name,picture,temperature_entity_id",
    [DEMO_FLOORS] = "aliases[],floor_id=,icon,level,name",
    [DEMO_LABELS] = "color,description,icon,label_id=,name",
    [DEMO_DEVICES] =
        "area_id,config_entries[],config_entries_subentries{},configuration_url,connections[],disabled_by,"
        "entry_type,hw_version,id=,identifiers[],labels[],manufacturer,model,model_id,name_by_user,name,"
        "primary_config_entry,serial_number,sw_version,via_device_id",
    [DEMO_ENTRIES] =
        "area_id,categories{},config_entry_id,config_subentry_id,device_id,disabled_by,entity_category,"
        "entity_id=,has_entity_name?,hidden_by,icon,id,labels[],name,options{},original_name,platform,"
        "translation_key,unique_id",
};

static void registry_column(struct json_writer *w, const struct demo_record *record,
                            haft_value *json, const char *column, size_t size)
{
    static const char empty[] = "[]{}false";
    size_t length = strcspn(column, "[{?=,");
    yyjson_val *value = yyjson_obj_getn(json, column, length);

    length = length < size ? length : size;
    hf_json_name(w, column, length);
    if (column[length] == '=' && length < size)
        hf_json_text(w, record->id);
    else if (value)
        hf_json_value(w, value);
    else if (length == size)
        hf_json_null(w);
    else if (column[length] == '?')
        hf_json_raw(w, empty + 4, 5);
    else
        hf_json_raw(w, column[length] == '[' ? empty : empty + 2, 2);
}

void demo_record_write(struct demo *demo, struct json_writer *w, enum demo_registry which,
                       const struct demo_record *record)
{
    const char *column = registry_columns[which];
    haft_value *json = demo_parse(demo, record->json);

    if (!json)
        w->out->status = HAFT_ENOMEM;
    hf_json_begin_object(w);
    while (*column) {
        size_t size = strcspn(column, ",");

        registry_column(w, record, json, column, size);
        column += size;
        column += *column == ',';
    }
    hf_json_number(json_key(w, "created_at"), demo_time_seconds(record->created));
    hf_json_number(json_key(w, "modified_at"), demo_time_seconds(record->modified));
    hf_json_end_object(w);
}

static bool registry_names(const char *list, const char *name)
{
    size_t size = strlen(name);

    for (const char *at = list; (at = strstr(at, name)); at += size)
        if ((at == list || at[-1] == ',') && (!at[size] || at[size] == ','))
            return true;
    return false;
}

int demo_record_merge(struct demo *demo, enum demo_registry which, const char *id,
                      haft_value *object, const char *but)
{
    haft_value *old = demo_record_value(demo, which, id);
    yyjson_alc alc;
    yyjson_mut_doc *doc = yyjson_mut_doc_new(demo_alc(demo, &alc));
    yyjson_mut_val *root = !doc ? NULL : old ? yyjson_val_mut_copy(doc, old) : yyjson_mut_obj(doc);
    yyjson_obj_iter iter;
    yyjson_val *key;

    if (!root || (!old && demo_record(demo, which, id)))
        return HAFT_ENOMEM;
    yyjson_obj_iter_init(object, &iter);
    while ((key = yyjson_obj_iter_next(&iter))) {
        if (registry_names(but, yyjson_get_str(key)))
            continue;
        yyjson_mut_obj_remove_key(root, yyjson_get_str(key));
        if (!yyjson_mut_obj_add(root, yyjson_val_mut_copy(doc, key),
                                yyjson_val_mut_copy(doc, yyjson_obj_iter_get_val(key))))
            return HAFT_ENOMEM;
    }
    return demo_record_put(demo, which, id, yyjson_mut_val_write_opts(root, 0, &alc, NULL, NULL));
}

char *demo_slug(struct demo *demo, const char *name)
{
    size_t size = strlen(name), n = 0;
    char *slug = haft_arena_alloc(demo->scratch, size + 8);

    if (!slug)
        return NULL;
    for (size_t i = 0; i < size; i++) {
        char c = ascii_lower(name[i]);

        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            slug[n++] = c;
        else if (n && slug[n - 1] != '_')
            slug[n++] = '_';
    }
    n -= n && slug[n - 1] == '_';
    slug[n] = '\0';
    if (!n)
        memcpy(slug, "unknown", 8);
    return slug;
}
