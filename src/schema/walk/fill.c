/* fill.c - fills in defaults in a valid value.
 *
 * Values are immutable cells: a container without missing members is used as it is; otherwise it is
 * copied, with the missing members at the end. The walk determines which alternative applies. */
#include "schema/walk/fill.h"

#include <string.h>

#include "schema/walk/walk.h"

enum { FILL_MAX_FRAMES = 1024 };

/* A member of an object under construction, or an item of an array. */
struct part {
    yyjson_val key;
    yyjson_val *value;
};

struct parts {
    struct part *list;
    size_t n;
    bool changed;
};

static yyjson_val *fill_value(struct walk *w, const struct node *node, yyjson_val *value);

static size_t fill_length(yyjson_val *value)
{
    return (size_t)(unsafe_yyjson_get_next(value) - value);
}

static bool fill_room(struct walk *w, struct parts *parts, size_t n)
{
    parts->list = haft_arena_zalloc(w->arena, n ? n : 1, sizeof *parts->list);
    if (!parts->list)
        hf_walk_stop(w, HAFT_ENOMEM);
    return parts->list;
}

/* Creates a container of these parts. */
static yyjson_val *fill_assemble(struct walk *w, yyjson_val *value, const struct parts *parts)
{
    bool object = yyjson_is_obj(value);
    size_t total = 1;
    yyjson_val *made, *to;

    if (!parts->changed || w->status)
        return value;
    for (size_t i = 0; i < parts->n; i++)
        total += fill_length(parts->list[i].value) + object;
    made = haft_arena_alloc(w->arena, total * sizeof *made);
    if (!made) {
        hf_walk_stop(w, HAFT_ENOMEM);
        return value;
    }
    made->tag = (uint64_t)parts->n << YYJSON_TAG_BIT | unsafe_yyjson_get_type(value);
    made->uni.ofs = total * sizeof *made;
    to = made + 1;
    for (size_t i = 0; i < parts->n; i++) {
        size_t length = fill_length(parts->list[i].value);

        if (object)
            *to++ = parts->list[i].key;
        memcpy(to, parts->list[i].value, length * sizeof *to);
        to += length;
    }
    return made;
}

/* ---- objects and arrays ---- */

/* Fills a member by every node that applies to its name. */
static yyjson_val *fill_member(struct walk *w, const struct object *object, yyjson_val *key,
                               yyjson_val *value)
{
    const char *name = unsafe_yyjson_get_str(key);
    size_t size = unsafe_yyjson_get_len(key);
    const struct property *property = hf_object_property(object, name, size);
    bool known = property;

    if (property)
        value = fill_value(w, property->node, value);
    for (size_t i = 0; i < object->n_patterns && !w->status; i++) {
        int matched = hf_pattern_match(object->patterns[i].pattern, &w->scratch, name, size);

        if (matched < 0)
            hf_walk_stop(w, matched);
        if (matched > 0)
            value = fill_value(w, object->patterns[i].node, value);
        known |= matched > 0;
    }
    return known || object->extra != EXTRA_CHECK ? value : fill_value(w, object->extra_node, value);
}

static yyjson_val *fill_object(struct walk *w, const struct object *object, yyjson_val *value)
{
    struct parts parts = {0};
    size_t i, n;
    yyjson_val *key, *item;

    if (!fill_room(w, &parts, unsafe_yyjson_get_len(value) + object->n_properties))
        return value;
    yyjson_obj_foreach(value, i, n, key, item) {
        parts.list[parts.n] = (struct part){*key, fill_member(w, object, key, item)};
        parts.changed |= parts.list[parts.n++].value != item;
    }
    for (i = 0; i < object->n_properties && !w->status; i++) {
        const struct property *property = &object->properties[i];
        struct part *part = &parts.list[parts.n];

        if (!property->fallback || yyjson_obj_getn(value, property->name, property->size))
            continue;
        yyjson_set_strn(&part->key, property->name, property->size);
        part->value = fill_value(w, property->node, property->fallback);
        parts.changed = true;
        parts.n++;
    }
    return fill_assemble(w, value, &parts);
}

static yyjson_val *fill_array(struct walk *w, const struct array *array, yyjson_val *value)
{
    struct parts parts = {0};
    size_t i, n;
    yyjson_val *item;

    if (!fill_room(w, &parts, unsafe_yyjson_get_len(value)))
        return value;
    yyjson_arr_foreach(value, i, n, item) {
        const struct node *node = i < array->n_prefix ? array->prefix[i] : array->items;

        parts.list[parts.n].value = node ? fill_value(w, node, item) : item;
        parts.changed |= parts.list[parts.n++].value != item;
    }
    return fill_assemble(w, value, &parts);
}

/* ---- rules ---- */

/* Fills by the first alternative that accepts the value. */
static yyjson_val *fill_alternative(struct walk *w, const struct rule *rule, yyjson_val *value)
{
    for (size_t i = 0; i < rule->n_nodes && !w->status; i++)
        if (!hf_walk_quiet(w, rule->nodes[i], value, NULL, NULL))
            return fill_value(w, rule->nodes[i], value);
    return value;
}

static yyjson_val *fill_by_rule(struct walk *w, const struct rule *rule, yyjson_val *value)
{
    size_t chosen;

    switch ((enum rule_op)rule->op) {
    case RULE_ALL:
    case RULE_REF:
        for (size_t i = 0; i < rule->n_nodes; i++)
            value = fill_value(w, rule->nodes[i], value);
        return value;
    case RULE_ANY:
    case RULE_ONE:
    case RULE_DISCRIMINATED:
        return fill_alternative(w, rule, value);
    case RULE_IF:
        chosen = hf_walk_quiet(w, rule->nodes[0], value, NULL, NULL) ? 2 : 1;
        return rule->nodes[chosen] ? fill_value(w, rule->nodes[chosen], value) : value;
    default: /* "not" has no defaults; a dynamic reference needs the scope of the walk */
        return value;
    }
}

/* Returns the value, or a copy with its defaults filled in. */
static yyjson_val *fill_value(struct walk *w, const struct node *node, yyjson_val *value)
{
    if (w->status || (node->nullable && yyjson_is_null(value)))
        return value;
    if (w->depth > w->schema->max_depth || w->frames == FILL_MAX_FRAMES) {
        hf_walk_stop(w, HAFT_EDEPTH);
        return value;
    }
    if (!w->steps) {
        hf_walk_stop(w, HAFT_ESTEPS);
        return value;
    }
    w->steps--;
    w->frames++;
    w->depth += yyjson_is_ctn(value);
    if (node->object && yyjson_is_obj(value))
        value = fill_object(w, node->object, value);
    else if (node->array && yyjson_is_arr(value))
        value = fill_array(w, node->array, value);
    w->depth -= yyjson_is_ctn(value);
    for (size_t i = 0; i < node->n_rules && !w->status; i++)
        value = fill_by_rule(w, &node->rules[i], value);
    w->frames--;
    return value;
}

int hf_schema_fill_by(const haft_schema *schema, const struct node *node, yyjson_val *value,
                      haft_arena *arena, yyjson_val **ret_value)
{
    struct walk w = {
        .schema = schema, .arena = arena, .scratch = {.arena = arena}, .steps = schema->max_steps};

    *ret_value = fill_value(&w, node, value);
    return w.status;
}

int hf_schema_fill(const haft_schema *schema, yyjson_val *value, haft_arena *arena,
                   yyjson_val **ret_value)
{
    *ret_value = value;
    return schema->fills ? hf_schema_fill_by(schema, schema->root, value, arena, ret_value) : 0;
}
