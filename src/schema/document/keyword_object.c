/* keyword_object.c - keywords for the keys of an object and the schemas of its values. */
#include <string.h>

#include "schema/document/document.h"

/* x-mcp-header: the HTTP header that also carries the property. A keyword of MCP, not of JSON
 * Schema. */
static int read_header(struct site *site, yyjson_val *schema, struct property *property)
{
    yyjson_val *header = yyjson_obj_get(schema, "x-mcp-header");

    property->header = yyjson_get_str(header);
    if (!header || (property->header && strlen(property->header) == yyjson_get_len(header)))
        return 0;
    return hf_document_fail(site->doc, hf_location_of(site->doc, schema), "x-mcp-header",
                            HAFT_ESCHEMA, "\"x-mcp-header\" must be a string without U+0000");
}

int hf_keyword_properties(struct site *site, const struct keyword_row *row, yyjson_val *value)
{
    static const struct member nowhere = {NO_MEMBER, NO_MEMBER, NO_MEMBER, NO_MEMBER, NO_MEMBER};
    struct object *object = hf_node_object(site->doc->schema, site->node);
    size_t i, n = yyjson_obj_size(value);
    yyjson_val *key, *item;

    (void)row;
    if (object)
        object->properties =
            haft_arena_zalloc(site->doc->schema->arena, n + 1, sizeof *object->properties);
    if (!object || !object->properties)
        return hf_site_no_memory(site);
    yyjson_obj_foreach(value, i, n, key, item) {
        struct property *property = &object->properties[i];

        property->name = yyjson_get_str(key);
        property->size = yyjson_get_len(key);
        property->presence = PRESENCE_OPTIONAL;
        property->member = nowhere;
        property->node = hf_site_node(site, item);
        if (site->doc->options->defaults == HAFT_DEFAULTS_FILL &&
            !site->location->base->source->is_metaschema)
            property->fallback = yyjson_obj_get(item, "default");
        if (!property->node || read_header(site, item, property))
            return site->doc->error->code;
    }
    object->n_properties = n;
    return 0;
}

/* Maps the properties by name, so that a long list of required names takes linear time. */
static int map_properties(struct site *site, const struct object *object, struct name_map *map)
{
    int status = 0;

    for (size_t i = 0; i < object->n_properties && !status; i++)
        status = hf_name_map_put(map, site->doc->scratch, object->properties[i].name,
                                 object->properties[i].size, &object->properties[i]);
    return status;
}

int hf_keyword_required(struct site *site, const struct keyword_row *row, yyjson_val *value)
{
    struct object *object = hf_node_object(site->doc->schema, site->node);
    arena_mark mark = hf_arena_save(site->doc->scratch);
    struct name_map map = {NULL, 0, 0};
    const char *const *names = NULL;
    const char **others;
    size_t n = 0, n_others = 0;
    int status;

    if (!object)
        return hf_site_no_memory(site);
    if (!yyjson_is_arr(value))
        return hf_site_refuse(site, row, "a list of strings");
    status = hf_site_names(site, row, value, &names, &n);
    if (status)
        return status;
    if (map_properties(site, object, &map))
        return hf_site_no_memory(site);
    others = (const char **)(uintptr_t)names;
    for (size_t i = 0; i < n; i++) {
        struct property *property = hf_name_map_get(&map, names[i], strlen(names[i]));

        if (property)
            property->presence = PRESENCE_REQUIRED;
        else
            others[n_others++] = names[i];
    }
    object->required = names;
    object->n_required = n_others;
    hf_arena_rewind(site->doc->scratch, mark);
    return 0;
}

int hf_keyword_pattern_properties(struct site *site, const struct keyword_row *row,
                                  yyjson_val *value)
{
    struct haft_schema *schema = site->doc->schema;
    struct object *object = hf_node_object(schema, site->node);
    size_t i, n = yyjson_obj_size(value);
    struct pattern_property *patterns = haft_arena_zalloc(schema->arena, n + 1, sizeof *patterns);
    yyjson_val *key, *item;

    (void)row;
    if (!object || !patterns)
        return hf_site_no_memory(site);
    yyjson_obj_foreach(value, i, n, key, item) {
        haft_reason error = {0};
        int status = hf_pattern_compile(schema->arena, &schema->patterns, yyjson_get_str(key),
                                        yyjson_get_len(key), "", schema->pattern_steps,
                                        &patterns[i].pattern, &error);

        if (status == HAFT_ENOMEM)
            return hf_site_no_memory(site);
        if (status)
            return hf_document_fail(site->doc, hf_location_of(site->doc, item), NULL, status, "%s",
                                    error.text);
        patterns[i].node = hf_site_node(site, item);
        if (!patterns[i].node)
            return site->doc->error->code;
    }
    object->patterns = patterns;
    object->n_patterns = n;
    return 0;
}

int hf_keyword_additional_properties(struct site *site, const struct keyword_row *row,
                                     yyjson_val *value)
{
    struct object *object = hf_node_object(site->doc->schema, site->node);

    (void)row;
    if (!object)
        return hf_site_no_memory(site);
    object->extra = EXTRA_REJECT;
    if (yyjson_is_false(value))
        return 0;
    /* Also for true, because it marks the properties as evaluated. */
    object->extra = EXTRA_CHECK;
    object->extra_node = hf_site_node(site, value);
    return object->extra_node ? 0 : site->doc->error->code;
}

int hf_keyword_names(struct site *site, const struct keyword_row *row, yyjson_val *value)
{
    struct object *object = hf_node_object(site->doc->schema, site->node);

    (void)row;
    if (!object)
        return hf_site_no_memory(site);
    object->names = hf_site_node(site, value);
    return object->names ? 0 : site->doc->error->code;
}

/* The three keywords share one list of schemas and names. */
int hf_keyword_dependents(struct site *site, const struct keyword_row *row, yyjson_val *value)
{
    struct haft_schema *schema = site->doc->schema;
    struct object *object = hf_node_object(schema, site->node);
    size_t i, n = yyjson_obj_size(value), old = object ? object->n_dependents : 0;
    struct dependent *all = haft_arena_zalloc(schema->arena, old + n + 1, sizeof *all);
    yyjson_val *key, *item;

    if (!object || !all)
        return hf_site_no_memory(site);
    if (!yyjson_is_obj(value))
        return hf_site_refuse(site, row, "an object");
    if (old)
        memcpy(all, object->dependents, old * sizeof *all);
    yyjson_obj_foreach(value, i, n, key, item) {
        struct dependent *one = &all[old + i];
        int status = 0;

        one->name = yyjson_get_str(key);
        one->size = yyjson_get_len(key);
        if (yyjson_is_arr(item))
            status = hf_site_names(site, row, item, &one->required, &one->n_required);
        else if (row->keyword == KEYWORD_DEPENDENT_REQUIRED)
            status = hf_site_refuse(site, row, "made of lists of strings");
        else if (!(one->node = hf_site_node(site, item)))
            status = site->doc->error->code;
        if (status)
            return status;
    }
    object->dependents = all;
    object->n_dependents = old + n;
    return 0;
}
