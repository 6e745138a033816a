/* shape.c - definitions of arrays, tuples and records. */
#include "schema/build/build.h"

#include <string.h>

/* ---- arrays ---- */

haft_def *haft_def_array(haft_builder *builder, haft_def *item)
{
    haft_def *def;
    struct array *array;

    if (!hf_build_accepts(builder, item, "items"))
        return NULL;
    def = hf_def_new(builder);
    if (!def)
        return NULL;
    def->node->types = TYPE_ARRAY;
    array = hf_node_array(builder->schema, def->node);
    if (!array)
        return hf_build_no_memory(builder);
    array->items = item->node;
    return def;
}

static haft_def *array_rule(const haft_def *def, const char *rule, enum check_op op, size_t count)
{
    struct check check = {.op = (uint8_t)op, .size = count};
    haft_def *copy;

    if (!def || def->builder->error.code)
        return NULL;
    if (!def->node->array || (def->node->array->tuple && op != CHECK_UNIQUE))
        return hf_build_fail(def->builder, HAFT_ESCHEMA, rule,
                             "%s applies to arrays, but this is %s", rule, hf_node_kind(def->node));
    copy = hf_def_copy(def);
    if (!copy)
        return NULL;
    check.message = copy->node->message;
    if (hf_node_add_check(def->builder->schema, copy->node, &check))
        return hf_build_no_memory(def->builder);
    return copy;
}

haft_def *haft_def_min_items(haft_def *def, size_t count)
{
    return array_rule(def, "min_items", CHECK_MIN_ITEMS, count);
}

haft_def *haft_def_max_items(haft_def *def, size_t count)
{
    return array_rule(def, "max_items", CHECK_MAX_ITEMS, count);
}

haft_def *haft_def_items(haft_def *def, size_t count)
{
    return array_rule(def, "items", CHECK_ITEMS, count);
}

haft_def *haft_def_unique(haft_def *def)
{
    return array_rule(def, "unique", CHECK_UNIQUE, 0);
}

/* ---- optional items ---- */

/* The number of nodes of a rule that accept an absent value. */
static size_t count_lenient(const struct rule *rule, size_t depth);

/* Whether a node accepts an absent value, as one that accepts anything does. */
static bool shape_is_lenient(const struct node *node, size_t depth)
{
    if (!node || node->types != TYPE_ANY || node->never || node->values || depth > JSON_MAX_DEPTH)
        return false;
    for (size_t i = 0; i < node->n_rules; i++) {
        const struct rule *rule = &node->rules[i];
        size_t n = count_lenient(rule, depth + 1);

        if (rule->op == RULE_ALL ? n != rule->n_nodes : rule->op == RULE_ANY ? !n : n != 1)
            return false;
    }
    return true;
}

static size_t count_lenient(const struct rule *rule, size_t depth)
{
    size_t n = 0;

    for (size_t i = 0; i < rule->n_nodes; i++)
        n += shape_is_lenient(rule->nodes[i], depth);
    return n;
}

/* ---- tuples ---- */

/* Stores the items of a tuple. Optional items at its end are not required, but in Zod only if no
 * further items may follow. */
static bool fill_tuple(haft_builder *builder, struct array *array, haft_def *first, va_list more)
{
    const struct node **prefix;
    size_t n = 0, i = 0;
    va_list counting;

    va_copy(counting, more);
    for (haft_def *item = first; item; item = va_arg(counting, haft_def *))
        n++;
    va_end(counting);
    prefix = hf_build_room(builder, n, sizeof(struct node *));
    if (!prefix)
        return false;
    for (haft_def *item = first; item; item = va_arg(more, haft_def *)) {
        if (!hf_build_accepts(builder, item, "prefixItems"))
            return false;
        prefix[i++] = item->node;
        if (item->presence == PRESENCE_REQUIRED &&
            (array->closed || !shape_is_lenient(item->node, 0)))
            array->n_required = i;
    }
    array->prefix = prefix;
    array->n_prefix = n;
    return true;
}

haft_def *haft_def_tuple(haft_builder *builder, haft_def *rest, haft_def *first, ...)
{
    haft_def *def = hf_def_new(builder);
    struct array *array;
    bool filled;
    va_list more;

    if (!def || (rest && !hf_build_accepts(builder, rest, "items")))
        return NULL;
    def->node->types = TYPE_ARRAY;
    array = hf_node_array(builder->schema, def->node);
    if (!array)
        return hf_build_no_memory(builder);
    def->node->expected = "tuple";
    array->tuple = true;
    array->closed = !rest;
    array->items = rest ? rest->node : NULL;
    va_start(more, first);
    filled = fill_tuple(builder, array, first, more);
    va_end(more);
    return filled ? def : NULL;
}

/* ---- records ---- */

/* A record with listed keys is an object with all of them. */
static bool fill_listed(haft_builder *builder, struct object *object, const struct value_list *keys,
                        const haft_def *value, bool partial)
{
    struct property *properties = hf_build_room(builder, keys->n, sizeof *properties);
    bool may_be_absent =
        partial || value->presence != PRESENCE_REQUIRED || shape_is_lenient(value->node, 0);

    if (!properties)
        return false;
    for (size_t i = 0; i < keys->n; i++)
        properties[i] =
            (struct property){.name = yyjson_get_str(keys->items[i]),
                              .size = yyjson_get_len(keys->items[i]),
                              .node = value->node,
                              .presence = value->presence == PRESENCE_DEFAULT ? PRESENCE_DEFAULT
                                          : may_be_absent                     ? PRESENCE_OPTIONAL
                                                                              : PRESENCE_REQUIRED,
                              .fallback = value->fallback,
                              .member = {NO_MEMBER, NO_MEMBER, NO_MEMBER, NO_MEMBER, NO_MEMBER}};
    object->properties = properties;
    object->n_properties = keys->n;
    object->extra = EXTRA_REJECT;
    return true;
}

static bool keys_are_strings(haft_builder *builder, const struct value_list *keys)
{
    for (size_t i = 0; i < keys->n; i++)
        if (!yyjson_is_str(keys->items[i]))
            return hf_build_fail(builder, HAFT_ESCHEMA, "propertyNames",
                                 "a key of a record is not a string");
    return true;
}

static haft_def *shape_record(haft_builder *builder, const haft_def *key, const haft_def *value,
                              bool partial)
{
    struct value_list keys = {0};
    haft_def *def;
    struct object *object;
    int listed;

    if (!hf_build_accepts(builder, key, "propertyNames") ||
        !hf_build_accepts(builder, value, "additionalProperties"))
        return NULL;
    if (!(key->node->types & (TYPE_STRING | TYPE_NUMBER)) || key->node->never)
        return hf_build_fail(builder, HAFT_ESCHEMA, "propertyNames",
                             "the keys of a record must be strings, but this is %s",
                             hf_node_kind(key->node));
    def = hf_def_new(builder);
    listed = def ? hf_values_of(builder, key->node, &keys) : HAFT_ENOMEM;
    if (listed < 0 || !keys_are_strings(builder, &keys))
        return NULL;
    def->node->types = TYPE_OBJECT;
    object = hf_node_object(builder->schema, def->node);
    if (!object)
        return hf_build_no_memory(builder);
    object->record = true;
    def->node->expected = "record";
    if (listed)
        return fill_listed(builder, object, &keys, value, partial) ? def : NULL;
    object->extra = EXTRA_CHECK;
    object->extra_node = value->node;
    if (key->node->types != TYPE_STRING || key->node->n_checks)
        object->names = key->node;
    return def;
}

haft_def *haft_def_record(haft_builder *builder, haft_def *key, haft_def *value)
{
    return shape_record(builder, key, value, false);
}

haft_def *haft_def_partial_record(haft_builder *builder, haft_def *key, haft_def *value)
{
    return shape_record(builder, key, value, true);
}
