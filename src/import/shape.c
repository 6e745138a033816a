/* shape.c - converts the schemas of OpenAPI to JSON Schema 2020-12.
 *
 * A table says what becomes of each keyword.  Anything that is not in it is left out, as are keywords with
 * values that JSON Schema does not allow: documents in use contain both, and a schema that accepts more is
 * better than no tool, because the API checks its arguments as well. */
#include <string.h>

#include "import/shape_part.h"
#include "schema/text/pattern.h"

enum { SHAPE_FEW = 256, SHAPE_STEPS = 100000 };

enum shape_rule {
    SHAPE_AS_PART, /* kept for later, by its row's part */
    SHAPE_AS_TEXT,
    SHAPE_AS_FLAG,
    SHAPE_AS_SIZE,   /* a number of characters, items or properties */
    SHAPE_AS_FACTOR, /* a number above 0 */
    SHAPE_AS_PATTERN,
    SHAPE_AS_VALUE, /* any */
    SHAPE_AS_SCHEMA,
    SHAPE_AS_SWITCH,   /* a schema or a boolean */
    SHAPE_AS_LIST,     /* of schemas */
    SHAPE_AS_CHOICE,   /* a list of schemas that a discriminator may tell apart */
    SHAPE_AS_MAP,      /* of schemas */
    SHAPE_AS_PATTERNS, /* a map whose keys are patterns */
    SHAPE_AS_NAMES,    /* a map of lists of names */
    SHAPE_AS_SELF      /* a reference to the definition that it is in, by an anchor */
};

struct shape_row {
    const char *name;
    enum shape_rule rule;
    enum shape_part part;
};

static const struct shape_row shape_rows[] = {
    {"type", SHAPE_AS_PART, SHAPE_TYPE},
    {"description", SHAPE_AS_PART, SHAPE_DESCRIPTION},
    {"properties", SHAPE_AS_PART, SHAPE_PROPERTIES},
    {"required", SHAPE_AS_PART, SHAPE_REQUIRED},
    {"$ref", SHAPE_AS_PART, SHAPE_REF},
    {"enum", SHAPE_AS_PART, SHAPE_ENUM},
    {"items", SHAPE_AS_PART, SHAPE_ITEMS},
    {"nullable", SHAPE_AS_PART, SHAPE_NULLABLE},
    {"x-nullable", SHAPE_AS_PART, SHAPE_X_NULLABLE},
    {"default", SHAPE_AS_PART, SHAPE_DEFAULT},
    {"minimum", SHAPE_AS_PART, SHAPE_MINIMUM},
    {"maximum", SHAPE_AS_PART, SHAPE_MAXIMUM},
    {"exclusiveMinimum", SHAPE_AS_PART, SHAPE_ABOVE},
    {"exclusiveMaximum", SHAPE_AS_PART, SHAPE_BELOW},
    {"prefixItems", SHAPE_AS_PART, SHAPE_PREFIX},
    {"format", SHAPE_AS_TEXT, SHAPE_PARTS},
    {"title", SHAPE_AS_TEXT, SHAPE_PARTS},
    {"pattern", SHAPE_AS_PATTERN, SHAPE_PARTS},
    {"minLength", SHAPE_AS_SIZE, SHAPE_PARTS},
    {"maxLength", SHAPE_AS_SIZE, SHAPE_PARTS},
    {"minItems", SHAPE_AS_SIZE, SHAPE_PARTS},
    {"maxItems", SHAPE_AS_SIZE, SHAPE_PARTS},
    {"uniqueItems", SHAPE_AS_FLAG, SHAPE_PARTS},
    {"minProperties", SHAPE_AS_SIZE, SHAPE_PARTS},
    {"maxProperties", SHAPE_AS_SIZE, SHAPE_PARTS},
    {"multipleOf", SHAPE_AS_FACTOR, SHAPE_PARTS},
    {"additionalProperties", SHAPE_AS_SWITCH, SHAPE_PARTS},
    {"allOf", SHAPE_AS_LIST, SHAPE_PARTS},
    {"anyOf", SHAPE_AS_CHOICE, SHAPE_PARTS},
    {"oneOf", SHAPE_AS_CHOICE, SHAPE_PARTS},
    {"not", SHAPE_AS_SCHEMA, SHAPE_PARTS},
    {"deprecated", SHAPE_AS_FLAG, SHAPE_PARTS},
    {"const", SHAPE_AS_VALUE, SHAPE_PARTS},
    {"patternProperties", SHAPE_AS_PATTERNS, SHAPE_PARTS},
    {"propertyNames", SHAPE_AS_SCHEMA, SHAPE_PARTS},
    {"unevaluatedProperties", SHAPE_AS_SWITCH, SHAPE_PARTS},
    {"unevaluatedItems", SHAPE_AS_SWITCH, SHAPE_PARTS},
    {"contains", SHAPE_AS_SCHEMA, SHAPE_PARTS},
    {"minContains", SHAPE_AS_SIZE, SHAPE_PARTS},
    {"maxContains", SHAPE_AS_SIZE, SHAPE_PARTS},
    {"if", SHAPE_AS_SCHEMA, SHAPE_PARTS},
    {"then", SHAPE_AS_SCHEMA, SHAPE_PARTS},
    {"else", SHAPE_AS_SCHEMA, SHAPE_PARTS},
    {"dependentSchemas", SHAPE_AS_MAP, SHAPE_PARTS},
    {"dependentRequired", SHAPE_AS_NAMES, SHAPE_PARTS},
    {"contentEncoding", SHAPE_AS_TEXT, SHAPE_PARTS},
    {"contentMediaType", SHAPE_AS_TEXT, SHAPE_PARTS},
    {"contentSchema", SHAPE_AS_SCHEMA, SHAPE_PARTS},
    {"$dynamicRef", SHAPE_AS_SELF, SHAPE_PARTS},
    {"$recursiveRef", SHAPE_AS_SELF, SHAPE_PARTS},
};

static const struct shape_row *shape_row_of(yyjson_val *key)
{
    const char *name = yyjson_get_str(key);
    size_t size = yyjson_get_len(key);

    for (size_t i = 0; i < sizeof shape_rows / sizeof *shape_rows; i++)
        if (*shape_rows[i].name == *name && strlen(shape_rows[i].name) == size &&
            !memcmp(shape_rows[i].name, name, size))
            return &shape_rows[i];
    return NULL;
}

/* ---- building ---- */

yyjson_mut_val *hf_shape_fail(struct shape_walk *walk, int code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (!walk->shaper->reason.code)
        hf_error_vset(&walk->shaper->reason, code, "", format, args);
    va_end(args);
    return NULL;
}

yyjson_mut_val *hf_shape_no_memory(struct shape_walk *walk)
{
    return hf_shape_fail(walk, HAFT_ENOMEM, "%s", haft_strerror(HAFT_ENOMEM));
}

bool hf_shape_put(struct shape_walk *walk, yyjson_mut_val *object, const char *key,
                  yyjson_mut_val *value)
{
    if (value && yyjson_mut_obj_add_val(walk->out, object, key, value))
        return true;
    hf_shape_no_memory(walk);
    return false;
}

bool hf_shape_put_named(struct shape_walk *walk, yyjson_mut_val *object, yyjson_val *key,
                        yyjson_mut_val *value)
{
    yyjson_mut_val *name = yyjson_mut_strn(walk->out, yyjson_get_str(key), yyjson_get_len(key));

    if (value && name && yyjson_mut_obj_add(object, name, value))
        return true;
    hf_shape_no_memory(walk);
    return false;
}

bool hf_shape_append(struct shape_walk *walk, yyjson_mut_val *array, yyjson_mut_val *value)
{
    if (value && yyjson_mut_arr_append(array, value))
        return true;
    hf_shape_no_memory(walk);
    return false;
}

bool hf_shape_copy(struct shape_walk *walk, yyjson_mut_val *object, const char *key,
                   yyjson_val *value)
{
    return hf_shape_put(walk, object, key, yyjson_val_mut_copy(walk->out, value));
}

yyjson_mut_val *hf_shape_distinct(struct shape_walk *walk, yyjson_val *array, bool strings)
{
    yyjson_mut_val *to = yyjson_mut_arr(walk->out);
    bool few = yyjson_arr_size(array) <= SHAPE_FEW;
    yyjson_arr_iter all = yyjson_arr_iter_with(array);
    yyjson_val *item, *other;

    if (!to)
        return hf_shape_no_memory(walk);
    while ((item = yyjson_arr_iter_next(&all))) {
        yyjson_arr_iter before = yyjson_arr_iter_with(array);

        if (strings && !yyjson_is_str(item))
            continue;
        while (few && (other = yyjson_arr_iter_next(&before)) != item)
            if (yyjson_equals(other, item))
                break;
        if ((!few || other == item) &&
            !hf_shape_append(walk, to, yyjson_val_mut_copy(walk->out, item)))
            return NULL;
    }
    return to;
}

/* ---- keywords that depend on no other ---- */

static bool shape_is_size(yyjson_val *value)
{
    return yyjson_is_num(value) && hf_json_is_integral(value) && hf_json_double(value) >= 0;
}

/* Whether haft and clients can compile the pattern: 1, 0 or HAFT_ENOMEM. */
static int shape_accepts_pattern(struct shape_walk *walk, yyjson_val *pattern)
{
    haft_arena *arena = walk->shaper->document->cache->work;
    const struct pattern *compiled;
    struct pattern *list = NULL;
    haft_reason reason;
    int status;

    if (!hf_import_pattern_is_strict(yyjson_get_str(pattern), yyjson_get_len(pattern)))
        return 0;
    status = hf_pattern_compile(arena, &list, yyjson_get_str(pattern), yyjson_get_len(pattern), "",
                                SHAPE_STEPS, &compiled, &reason);
    hf_patterns_free(list);
    if (status == HAFT_ENOMEM)
        hf_shape_no_memory(walk);
    return status == HAFT_ENOMEM ? status : !status;
}

static bool shape_put_pattern(struct shape_walk *walk, struct shape_schema *schema,
                              yyjson_val *pattern)
{
    int status = yyjson_is_str(pattern) ? shape_accepts_pattern(walk, pattern) : 0;

    if (status <= 0)
        return !status;
    return hf_shape_copy(walk, schema->to, "pattern", pattern);
}

bool hf_shape_put_list(struct shape_walk *walk, struct shape_schema *schema, const char *name,
                       yyjson_val *list)
{
    yyjson_arr_iter all = yyjson_arr_iter_with(list);
    yyjson_mut_val *to;
    yyjson_val *item;

    if (!yyjson_arr_size(list))
        return true;
    to = yyjson_mut_arr(walk->out);
    if (!hf_shape_put(walk, schema->to, name, to))
        return false;
    while ((item = yyjson_arr_iter_next(&all)))
        if (!hf_shape_append(walk, to, hf_shape_schema(walk, item, schema->depth + 1)))
            return false;
    return true;
}

static bool shape_put_map(struct shape_walk *walk, struct shape_schema *schema,
                          const struct shape_row *row, yyjson_val *map)
{
    yyjson_obj_iter all = yyjson_obj_iter_with(map);
    yyjson_mut_val *to = yyjson_mut_obj(walk->out);
    yyjson_val *key;

    if (!yyjson_is_obj(map))
        return true;
    if (!hf_shape_put(walk, schema->to, row->name, to))
        return false;
    while ((key = yyjson_obj_iter_next(&all))) {
        yyjson_val *value = yyjson_obj_iter_get_val(key);
        int status = row->rule == SHAPE_AS_PATTERNS ? shape_accepts_pattern(walk, key) : 1;

        if (status < 0)
            return false;
        if (!status || (row->rule == SHAPE_AS_NAMES && !yyjson_is_arr(value)))
            continue;
        if (!hf_shape_put_named(walk, to, key,
                                row->rule == SHAPE_AS_NAMES
                                    ? hf_shape_distinct(walk, value, true)
                                    : hf_shape_schema(walk, value, schema->depth + 1)))
            return false;
    }
    return true;
}

/* Anchors are followed only to the definition that contains the reference, which is what they are used for. */
static bool shape_put_self(struct shape_walk *walk, struct shape_schema *schema, const char *name,
                           yyjson_val *reference)
{
    const char *text = yyjson_get_str(reference);
    yyjson_val *self = walk->definition ? walk->definition->schema : NULL;

    if (text && *text == '#' &&
        (text[1] ? yyjson_equals_str(yyjson_obj_get(self, "$dynamicAnchor"), text + 1)
                 : yyjson_is_true(yyjson_obj_get(self, "$recursiveAnchor"))))
        return hf_shape_put_definition(walk, schema->to, walk->definition);
    hf_shape_fail(walk, HAFT_EINVAL, "%s %.80s is not supported", name, text ? text : "");
    return false;
}

static bool shape_put_row(struct shape_walk *walk, struct shape_schema *schema,
                          const struct shape_row *row, yyjson_val *value)
{
    switch (row->rule) {
    case SHAPE_AS_PART:
        schema->parts[row->part] = value;
        return true;
    case SHAPE_AS_TEXT:
        return !yyjson_is_str(value) || hf_shape_copy(walk, schema->to, row->name, value);
    case SHAPE_AS_FLAG:
        return !yyjson_is_true(value) || hf_shape_copy(walk, schema->to, row->name, value);
    case SHAPE_AS_SIZE:
        return !shape_is_size(value) || hf_shape_copy(walk, schema->to, row->name, value);
    case SHAPE_AS_FACTOR:
        return !yyjson_is_num(value) || hf_json_double(value) <= 0 ||
               hf_shape_copy(walk, schema->to, row->name, value);
    case SHAPE_AS_PATTERN:
        return shape_put_pattern(walk, schema, value);
    case SHAPE_AS_VALUE:
        return hf_shape_copy(walk, schema->to, row->name, value);
    case SHAPE_AS_SWITCH:
        if (yyjson_is_bool(value))
            return hf_shape_copy(walk, schema->to, row->name, value);
        /* fall through */
    case SHAPE_AS_SCHEMA:
        return hf_shape_put(walk, schema->to, row->name,
                            hf_shape_schema(walk, value, schema->depth + 1));
    case SHAPE_AS_LIST:
        return hf_shape_put_list(walk, schema, row->name, value);
    case SHAPE_AS_CHOICE:
        return hf_shape_put_choice(walk, schema, row->name, value);
    case SHAPE_AS_MAP:
    case SHAPE_AS_PATTERNS:
    case SHAPE_AS_NAMES:
        return shape_put_map(walk, schema, row, value);
    case SHAPE_AS_SELF:
        break;
    }
    return shape_put_self(walk, schema, row->name, value);
}

/* ---- a schema ---- */

/* true accepts everything and false nothing; as objects, because some clients require them. */
static yyjson_mut_val *shape_boolean(struct shape_walk *walk, bool accepts)
{
    yyjson_mut_val *to = yyjson_mut_obj(walk->out);

    if (!to)
        return hf_shape_no_memory(walk);
    return accepts || hf_shape_put(walk, to, "not", yyjson_mut_obj(walk->out)) ? to : NULL;
}

static yyjson_mut_val *shape_object(struct shape_walk *walk, yyjson_val *from, size_t depth)
{
    struct shape_schema schema = {.from = from, .to = yyjson_mut_obj(walk->out), .depth = depth};
    yyjson_val *ref = yyjson_obj_get(from, "$ref"), *key;
    yyjson_obj_iter all = yyjson_obj_iter_with(from);

    if (!schema.to)
        return hf_shape_no_memory(walk);
    /* Before 3.1 a reference stands alone.  Its description is kept, which cannot change what the schema
     * accepts: many documents have one there. */
    if (yyjson_is_str(ref) && walk->shaper->document->version != IMPORT_3_1) {
        schema.parts[SHAPE_REF] = ref;
        schema.parts[SHAPE_DESCRIPTION] = yyjson_obj_get(from, "description");
        return hf_shape_put_parts(walk, &schema) ? schema.to : NULL;
    }
    while ((key = yyjson_obj_iter_next(&all))) {
        const struct shape_row *row = shape_row_of(key);

        if (row && !shape_put_row(walk, &schema, row, yyjson_obj_iter_get_val(key)))
            return NULL;
    }
    return hf_shape_put_parts(walk, &schema) ? schema.to : NULL;
}

yyjson_mut_val *hf_shape_schema(struct shape_walk *walk, yyjson_val *schema, size_t depth)
{
    size_t most = import_max_depth(walk->shaper->document);

    if (depth > most)
        return hf_shape_fail(walk, HAFT_EDEPTH, "schemas are nested deeper than %zu levels", most);
    if (yyjson_is_bool(schema))
        return shape_boolean(walk, yyjson_get_bool(schema));
    if (!yyjson_is_obj(schema))
        return hf_shape_fail(walk, HAFT_EINVAL, "a schema is not an object");
    return shape_object(walk, schema, depth);
}
