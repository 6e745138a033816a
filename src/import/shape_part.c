/* shape_part.c - keywords that depend on each other: types and null, bounds, properties, items. */
#include <string.h>

#include "import/shape_part.h"

static const char *const shape_types[] = {"string", "number", "integer", "boolean",
                                          "object", "array",  "null"};

/* The name of a type in JSON Schema; NULL if there is none.  2.0 has files. */
static const char *shape_type_named(yyjson_val *type)
{
    if (yyjson_equals_str(type, "file"))
        return "string";
    for (size_t i = 0; i < sizeof shape_types / sizeof *shape_types; i++)
        if (yyjson_equals_str(type, shape_types[i]))
            return shape_types[i];
    return NULL;
}

static bool shape_has_type(yyjson_mut_val *types, const char *name)
{
    yyjson_mut_arr_iter all = yyjson_mut_arr_iter_with(types);
    yyjson_mut_val *type;

    if (yyjson_mut_equals_str(types, name))
        return true;
    while ((type = yyjson_mut_arr_iter_next(&all)))
        if (yyjson_mut_equals_str(type, name))
            return true;
    return false;
}

/* ---- types ---- */

static bool shape_put_type(struct shape_walk *walk, struct shape_schema *schema)
{
    yyjson_val *type = schema->parts[SHAPE_TYPE], *item;
    const char *name = shape_type_named(type);
    yyjson_arr_iter all = yyjson_arr_iter_with(type);
    yyjson_mut_val *names;

    if (name)
        return hf_shape_put(walk, schema->to, "type", yyjson_mut_str(walk->out, name));
    if (!yyjson_arr_size(type))
        return true;
    names = yyjson_mut_arr(walk->out);
    if (!names)
        return hf_shape_no_memory(walk);
    while ((item = yyjson_arr_iter_next(&all))) {
        name = shape_type_named(item);
        if (name && !shape_has_type(names, name) &&
            !hf_shape_append(walk, names, yyjson_mut_str(walk->out, name)))
            return false;
    }
    if (yyjson_mut_arr_size(names) == 1)
        return hf_shape_put(walk, schema->to, "type", yyjson_mut_arr_get_first(names));
    return !yyjson_mut_arr_size(names) || hf_shape_put(walk, schema->to, "type", names);
}

/* Whether a default has one of the types; without types, it has. */
static bool shape_has_type_of(yyjson_val *value, yyjson_mut_val *types)
{
    const char *name = yyjson_is_str(value)    ? "string"
                       : yyjson_is_bool(value) ? "boolean"
                       : yyjson_is_obj(value)  ? "object"
                       : yyjson_is_arr(value)  ? "array"
                       : yyjson_is_null(value) ? "null"
                                               : "number";

    return !types || shape_has_type(types, name) ||
           (yyjson_is_num(value) && hf_json_is_integral(value) && shape_has_type(types, "integer"));
}

/* A default tells a model what happens without an argument; in results it means nothing. */
static bool shape_put_default(struct shape_walk *walk, struct shape_schema *schema)
{
    yyjson_val *value = schema->parts[SHAPE_DEFAULT];

    if (!value || walk->shaper->use != IMPORT_INPUT ||
        !shape_has_type_of(value, yyjson_mut_obj_get(schema->to, "type")))
        return true;
    return hf_shape_copy(walk, schema->to, "default", value);
}

static bool shape_put_enum(struct shape_walk *walk, struct shape_schema *schema)
{
    yyjson_val *values = schema->parts[SHAPE_ENUM];

    return !yyjson_arr_size(values) ||
           hf_shape_put(walk, schema->to, "enum", hf_shape_distinct(walk, values, false));
}

static bool shape_put_description(struct shape_walk *walk, struct shape_schema *schema)
{
    yyjson_val *value = schema->parts[SHAPE_DESCRIPTION];
    size_t size = yyjson_get_len(value);
    const char *text;

    if (!yyjson_is_str(value) || !size)
        return true;
    text = hf_import_clean(walk->shaper->document->cache->work, yyjson_get_str(value), &size,
                           IMPORT_TEXT);
    return hf_shape_put(walk, schema->to, "description",
                        text ? yyjson_mut_strncpy(walk->out, text, size) : NULL);
}

/* ---- numbers ---- */

/* Before 3.1, `exclusiveMinimum` is a boolean about `minimum`. */
static bool shape_put_bound(struct shape_walk *walk, struct shape_schema *schema,
                            enum shape_part bound, enum shape_part exclusive, const char *name,
                            const char *exclusive_name)
{
    yyjson_val *value = schema->parts[bound], *other = schema->parts[exclusive];
    bool excludes = yyjson_is_true(other);

    if (yyjson_is_num(value) &&
        !hf_shape_copy(walk, schema->to, excludes ? exclusive_name : name, value))
        return false;
    return !yyjson_is_num(other) || hf_shape_copy(walk, schema->to, exclusive_name, other);
}

/* ---- objects ---- */

/* Whether a property is left out of schemas for this use: 1, 0 or HAFT_ENOMEM. */
static int shape_is_hidden(struct shape_walk *walk, yyjson_val *property)
{
    const char *word = walk->shaper->use == IMPORT_INPUT ? "readOnly" : "writeOnly";
    haft_reason reason;

    if (yyjson_is_true(yyjson_obj_get(property, word)))
        return 1;
    if (!yyjson_is_str(yyjson_obj_get(property, "$ref")))
        return 0;
    property = hf_import_resolve(walk->shaper->document, property, &reason);
    if (!property && reason.code == HAFT_ENOMEM) {
        hf_shape_no_memory(walk);
        return HAFT_ENOMEM;
    }
    /* Any other reference that cannot be followed fails where it is converted. */
    return yyjson_is_true(yyjson_obj_get(property, word));
}

static bool shape_put_properties(struct shape_walk *walk, struct shape_schema *schema)
{
    yyjson_val *properties = schema->parts[SHAPE_PROPERTIES], *key;
    yyjson_obj_iter all = yyjson_obj_iter_with(properties);
    yyjson_mut_val *to = yyjson_mut_obj(walk->out);

    if (!yyjson_is_obj(properties))
        return true;
    if (!hf_shape_put(walk, schema->to, "properties", to))
        return false;
    while ((key = yyjson_obj_iter_next(&all))) {
        yyjson_val *property = yyjson_obj_iter_get_val(key);
        int hidden = shape_is_hidden(walk, property);

        if (hidden < 0)
            return false;
        if (!hidden &&
            !hf_shape_put_named(walk, to, key, hf_shape_schema(walk, property, schema->depth + 1)))
            return false;
    }
    return true;
}

/* Names of properties that are left out are not required. */
static bool shape_put_required(struct shape_walk *walk, struct shape_schema *schema)
{
    yyjson_val *properties = schema->parts[SHAPE_PROPERTIES];
    yyjson_mut_val *names, *name;
    yyjson_mut_arr_iter all;

    if (!yyjson_arr_size(schema->parts[SHAPE_REQUIRED]))
        return true;
    names = hf_shape_distinct(walk, schema->parts[SHAPE_REQUIRED], true);
    if (!names)
        return false;
    all = yyjson_mut_arr_iter_with(names);
    while ((name = yyjson_mut_arr_iter_next(&all))) {
        yyjson_val *property =
            yyjson_obj_getn(properties, yyjson_mut_get_str(name), yyjson_mut_get_len(name));
        int hidden = property ? shape_is_hidden(walk, property) : 0;

        if (hidden < 0)
            return false;
        if (hidden)
            yyjson_mut_arr_iter_remove(&all);
    }
    return !yyjson_mut_arr_size(names) || hf_shape_put(walk, schema->to, "required", names);
}

/* ---- arrays ---- */

/* Some clients drop an array without `items`. */
static bool shape_put_items(struct shape_walk *walk, struct shape_schema *schema)
{
    yyjson_val *items = schema->parts[SHAPE_ITEMS], *prefix = schema->parts[SHAPE_PREFIX];

    if (yyjson_is_arr(items)) {
        prefix = items;
        items = NULL;
    }
    if (!hf_shape_put_list(walk, schema, "prefixItems", prefix))
        return false;
    if (items)
        return hf_shape_put(walk, schema->to, "items",
                            hf_shape_schema(walk, items, schema->depth + 1));
    return yyjson_arr_size(prefix) ||
           !shape_has_type(yyjson_mut_obj_get(schema->to, "type"), "array") ||
           hf_shape_put(walk, schema->to, "items", yyjson_mut_obj(walk->out));
}

/* ---- null ---- */

/* Whether a keyword besides the type and the list of values may refuse null. */
static bool shape_refuses_null(yyjson_mut_val *schema)
{
    static const char *const words[] = {"$ref", "allOf", "anyOf", "oneOf", "const", "not", "if"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (yyjson_mut_obj_get(schema, words[i]))
            return true;
    return false;
}

/* The schema or null; the description stays outside. */
static bool shape_or_null(struct shape_walk *walk, struct shape_schema *schema)
{
    yyjson_mut_val *description = yyjson_mut_obj_remove_key(schema->to, "description");
    yyjson_mut_val *whole = yyjson_mut_obj(walk->out), *either = yyjson_mut_arr(walk->out);
    yyjson_mut_val *null = yyjson_mut_obj(walk->out);

    if (!whole || !null || !hf_shape_put(walk, null, "type", yyjson_mut_str(walk->out, "null")) ||
        !hf_shape_put(walk, whole, "anyOf", either) || !hf_shape_append(walk, either, schema->to) ||
        !hf_shape_append(walk, either, null) ||
        (description && !hf_shape_put(walk, whole, "description", description)))
        return hf_shape_no_memory(walk);
    schema->to = whole;
    return true;
}

static bool shape_allow_null(struct shape_walk *walk, struct shape_schema *schema)
{
    yyjson_mut_val *type = yyjson_mut_obj_get(schema->to, "type");
    yyjson_mut_val *values = yyjson_mut_obj_get(schema->to, "enum"), *value, *types;
    yyjson_mut_arr_iter all = yyjson_mut_arr_iter_with(values);

    if (shape_refuses_null(schema->to))
        return shape_or_null(walk, schema);
    if (values) {
        while ((value = yyjson_mut_arr_iter_next(&all)) && !yyjson_mut_is_null(value))
            continue;
        if (!value && !hf_shape_append(walk, values, yyjson_mut_null(walk->out)))
            return false;
    }
    if (!type || shape_has_type(type, "null"))
        return true;
    if (yyjson_mut_is_arr(type))
        return hf_shape_append(walk, type, yyjson_mut_str(walk->out, "null"));
    types = yyjson_mut_arr(walk->out);
    yyjson_mut_obj_remove_key(schema->to, "type");
    return hf_shape_put(walk, schema->to, "type", types) && hf_shape_append(walk, types, type) &&
           hf_shape_append(walk, types, yyjson_mut_str(walk->out, "null"));
}

/* ---- references ---- */

bool hf_shape_put_definition(struct shape_walk *walk, yyjson_mut_val *object,
                             struct import_definition *definition)
{
    char text[sizeof "#/$defs/" + IMPORT_DEFINITION_NAME];

    memcpy(text, "#/$defs/", sizeof "#/$defs/");
    memcpy(text + sizeof "#/$defs/" - 1, definition->name, strlen(definition->name) + 1);
    return hf_shape_put(walk, object, "$ref", yyjson_mut_strcpy(walk->out, text));
}

static bool shape_put_ref(struct shape_walk *walk, struct shape_schema *schema)
{
    struct import_definition *definition;

    if (!yyjson_is_str(schema->parts[SHAPE_REF]))
        return true;
    definition = hf_shape_define(walk, schema->parts[SHAPE_REF]);
    return definition && hf_shape_put_definition(walk, schema->to, definition);
}

bool hf_shape_put_parts(struct shape_walk *walk, struct shape_schema *schema)
{
    bool nullable = yyjson_is_true(schema->parts[SHAPE_NULLABLE]) ||
                    yyjson_is_true(schema->parts[SHAPE_X_NULLABLE]);

    return shape_put_ref(walk, schema) && shape_put_type(walk, schema) &&
           shape_put_description(walk, schema) && shape_put_enum(walk, schema) &&
           shape_put_default(walk, schema) &&
           shape_put_bound(walk, schema, SHAPE_MINIMUM, SHAPE_ABOVE, "minimum",
                           "exclusiveMinimum") &&
           shape_put_bound(walk, schema, SHAPE_MAXIMUM, SHAPE_BELOW, "maximum",
                           "exclusiveMaximum") &&
           shape_put_properties(walk, schema) && shape_put_required(walk, schema) &&
           shape_put_items(walk, schema) && (!nullable || shape_allow_null(walk, schema));
}
