/* discriminator.c - alternatives that a discriminator tells apart.
 *
 * JSON Schema has no discriminators.  Alternatives that only the discriminator tells apart all match the same value, so
 * that "oneOf" would refuse every value: it becomes "anyOf".  Values that the mapping has for an alternative are written
 * beside the reference to it, where a model finds them. */
#include <string.h>

#include "import/shape_part.h"

enum {
    DISCRIMINATOR_DEPTH = 3,
    DISCRIMINATOR_PARTS = 8
}; /* of "allOf" in which one is looked for */

/* What a schema refers to, or the schema itself; NULL if that is missing.  Without memory, shaper->reason is set. */
static yyjson_val *discriminator_follow(struct shape_walk *walk, yyjson_val *schema)
{
    yyjson_val *text = yyjson_obj_get(schema, "$ref"), *found;
    haft_reason reason = {.code = 0};

    if (!yyjson_is_str(text))
        return schema;
    found = hf_import_follow(walk->shaper->document, true, &text, &reason);
    if (!found && reason.code == HAFT_ENOMEM)
        hf_shape_no_memory(walk);
    return found;
}

static yyjson_val *discriminator_of(yyjson_val *schema)
{
    yyjson_val *one = yyjson_obj_get(schema, "discriminator");

    return yyjson_is_str(yyjson_obj_get(one, "propertyName")) ? one : NULL;
}

/* That of a schema, or of one that it extends with "allOf"; NULL for none. */
static yyjson_val *discriminator_find(struct shape_walk *walk, yyjson_val *schema, unsigned depth)
{
    yyjson_val *one, *part;
    yyjson_arr_iter all;

    schema = discriminator_follow(walk, schema);
    one = discriminator_of(schema);
    all = yyjson_arr_iter_with(yyjson_obj_get(schema, "allOf"));
    for (size_t n = DISCRIMINATOR_PARTS; !one && depth && n && (part = yyjson_arr_iter_next(&all));
         n--)
        one = discriminator_find(walk, part, depth - 1);
    return one;
}

/* The discriminator of the schema, or one that all its alternatives have; NULL for none. */
static yyjson_val *discriminator_among(struct shape_walk *walk, const struct shape_schema *schema,
                                       yyjson_val *list)
{
    yyjson_val *one = discriminator_of(schema->from), *item, *common = NULL;
    yyjson_arr_iter all = yyjson_arr_iter_with(list);

    while (!one && (item = yyjson_arr_iter_next(&all))) {
        yyjson_val *other = discriminator_find(walk, item, DISCRIMINATOR_DEPTH);

        if (!other || (common && other != common))
            return NULL;
        common = other;
    }
    return one ? one : common;
}

/* Whether a value of a mapping, which is a reference or the name of a schema, means this reference. */
static bool discriminator_means(yyjson_val *value, const char *reference)
{
    const char *text = yyjson_get_str(value), *slash = strrchr(reference, '/');

    return text &&
           (!strcmp(text, reference) || (!strchr(text, '/') && slash && !strcmp(text, slash + 1)));
}

/* Whether the alternative itself states values for the property; they are not compared with the mapping's. */
static bool discriminator_is_stated(struct shape_walk *walk, yyjson_val *item, yyjson_val *property)
{
    yyjson_val *members = yyjson_obj_get(discriminator_follow(walk, item), "properties");
    yyjson_val *schema =
        yyjson_obj_getn(members, yyjson_get_str(property), yyjson_get_len(property));

    schema = discriminator_follow(walk, schema);
    return yyjson_obj_get(schema, "enum") || yyjson_obj_get(schema, "const");
}

/* Adds {"properties": {PROPERTY: {"enum": [...]}}} with the values of the mapping for the alternative, if it has any.  An
 * output is not held to them: the API may send the name of the schema instead. */
static bool discriminator_put_values(struct shape_walk *walk, yyjson_val *one, yyjson_val *item,
                                     yyjson_mut_val *to)
{
    yyjson_val *property = yyjson_obj_get(one, "propertyName"), *key;
    const char *reference = yyjson_get_str(yyjson_obj_get(item, "$ref"));
    yyjson_obj_iter all = yyjson_obj_iter_with(yyjson_obj_get(one, "mapping"));
    yyjson_mut_val *values = NULL, *members, *schema;

    if (!reference || walk->shaper->use != IMPORT_INPUT || yyjson_mut_obj_get(to, "properties") ||
        discriminator_is_stated(walk, item, property))
        return true;
    while ((key = yyjson_obj_iter_next(&all))) {
        if (!discriminator_means(yyjson_obj_iter_get_val(key), reference))
            continue;
        if (!values && !(values = yyjson_mut_arr(walk->out)))
            return hf_shape_no_memory(walk);
        if (!hf_shape_append(walk, values,
                             yyjson_mut_strn(walk->out, yyjson_get_str(key), yyjson_get_len(key))))
            return false;
    }
    if (!values)
        return true;
    members = yyjson_mut_obj(walk->out);
    schema = yyjson_mut_obj(walk->out);
    return hf_shape_put(walk, to, "properties", members) &&
           hf_shape_put_named(walk, members, property, schema) &&
           hf_shape_put(walk, schema, "enum", values);
}

bool hf_shape_put_choice(struct shape_walk *walk, struct shape_schema *schema, const char *name,
                         yyjson_val *list)
{
    yyjson_val *one = discriminator_among(walk, schema, list), *item;
    yyjson_arr_iter all = yyjson_arr_iter_with(list);
    yyjson_mut_val *to;

    if (walk->shaper->reason.code == HAFT_ENOMEM)
        return false;
    /* With both keywords there is no room for another. */
    if (!one || !yyjson_arr_size(list) ||
        (yyjson_obj_get(schema->from, "anyOf") && yyjson_obj_get(schema->from, "oneOf")))
        return hf_shape_put_list(walk, schema, name, list);
    to = yyjson_mut_arr(walk->out);
    if (!hf_shape_put(walk, schema->to, "anyOf", to))
        return false;
    while ((item = yyjson_arr_iter_next(&all))) {
        yyjson_mut_val *alternative = hf_shape_schema(walk, item, schema->depth + 1);

        if (!alternative || !discriminator_put_values(walk, one, item, alternative) ||
            !hf_shape_append(walk, to, alternative))
            return false;
    }
    return walk->shaper->reason.code != HAFT_ENOMEM;
}
