/* intersection.c - definitions that require a value to match two others.
 *
 * Objects reject unknown keys, so each side would reject the keys of the other. Two plain objects
 * are therefore merged into one, and an object and a union of objects become a union of merged
 * objects. If user-defined checks prevent a merge, both sides accept unknown keys and a third part
 * rejects the keys that are unknown to both. */
#include "schema/build/build.h"

#include <string.h>

/* The depth to which nested objects are merged; deeper ones are checked one after the other. */
enum { FOLD_DEPTH = 16 };

static bool intersection_is_plain(const struct node *node)
{
    return node->types == TYPE_OBJECT && node->object && !node->object->record && !node->n_checks &&
           !node->n_rules && !node->nullable && !node->message &&
           node->object->extra != EXTRA_CHECK;
}

static struct node *intersect(haft_builder *builder, const struct node *left,
                              const struct node *right, size_t depth);

/* A key of both sides must match both, and is required if either side requires it. */
static bool intersection_share(haft_builder *builder, struct property *property,
                               const struct property *other, size_t depth)
{
    if (property->presence == PRESENCE_REQUIRED || other->presence == PRESENCE_REQUIRED) {
        property->presence = PRESENCE_REQUIRED;
        property->demanded = property->demanded && other->demanded;
        property->fallback = NULL;
    } else if (other->presence == PRESENCE_DEFAULT && property->presence == PRESENCE_OPTIONAL) {
        property->presence = PRESENCE_DEFAULT;
        property->fallback = other->fallback;
    }
    if (property->node == other->node)
        return true;
    property->node = intersect(builder, property->node, other->node, depth + 1);
    return property->node;
}

/* Merges two objects: a key is unknown if it is unknown to both. */
static struct node *fold(haft_builder *builder, const struct node *left, const struct node *right,
                         size_t depth)
{
    const struct object *ours = left->object, *theirs = right->object;
    struct node *node = hf_build_node(builder);
    struct object *object = node ? hf_node_object(builder->schema, node) : NULL;
    size_t n = ours->n_properties;

    if (!object)
        return hf_build_no_memory(builder);
    node->types = TYPE_OBJECT;
    object->extra = ours->extra == EXTRA_REJECT ? theirs->extra : ours->extra;
    object->properties =
        hf_build_room(builder, n + theirs->n_properties, sizeof *object->properties);
    if (!object->properties)
        return NULL;
    if (n)
        memcpy(object->properties, ours->properties, n * sizeof *ours->properties);
    for (size_t i = 0; i < theirs->n_properties; i++) {
        size_t at = 0;

        while (at < n && strcmp(object->properties[at].name, theirs->properties[i].name) != 0)
            at++;
        if (at == n)
            object->properties[n++] = theirs->properties[i];
        else if (!intersection_share(builder, &object->properties[at], &theirs->properties[i],
                                     depth))
            return NULL;
    }
    object->n_properties = n;
    return node;
}

/* Whether an object intersects a union of objects some of which reject unknown keys. */
static bool has_closed_options(const struct node *side, const struct node *node)
{
    const struct rule *rule = node->n_rules == 1 ? &node->rules[0] : NULL;
    bool closed = intersection_is_plain(side) && side->object->extra == EXTRA_REJECT;

    if (!intersection_is_plain(side) || !rule ||
        (rule->op != RULE_ANY && rule->op != RULE_DISCRIMINATED) || node->nullable ||
        node->n_checks || node->message)
        return false;
    for (size_t i = 0; i < rule->n_nodes; i++) {
        if (!intersection_is_plain(rule->nodes[i]))
            return false;
        closed |= rule->nodes[i]->object->extra == EXTRA_REJECT;
    }
    return closed;
}

/* Distributes an intersection with a union of objects over its options. */
static struct node *distribute(haft_builder *builder, const struct node *object,
                               const struct node *options, bool options_first, size_t depth)
{
    const struct rule *old = &options->rules[0];
    struct node *node = hf_build_node(builder);
    struct rule *rule = node ? hf_node_add_rule(builder->schema, node, (enum rule_op)old->op,
                                                old->nodes, old->n_nodes)
                             : NULL;

    if (!rule)
        return hf_build_no_memory(builder);
    node->types = options->types;
    rule->text = old->text;
    if (old->tags)
        rule->tags = hf_build_room(builder, old->n_nodes, sizeof *rule->tags);
    for (size_t i = 0; i < old->n_nodes; i++) {
        rule->nodes[i] = options_first ? fold(builder, old->nodes[i], object, depth)
                                       : fold(builder, object, old->nodes[i], depth);
        if (!rule->nodes[i])
            return NULL;
    }
    return old->tags && !rule->tags ? NULL : node;
}

/* A copy of one side that accepts unknown keys. */
static struct node *loosened(haft_builder *builder, const struct node *side)
{
    struct node *node = hf_build_node(builder);
    struct object *object = node ? hf_build_room(builder, 1, sizeof *object) : NULL;

    if (!object)
        return NULL;
    *node = *side;
    node->id = NO_ID;
    *object = *side->object;
    if (object->extra == EXTRA_REJECT)
        object->extra = EXTRA_IGNORE;
    node->object = object;
    return node;
}

/* A node that only rejects the keys that both sides reject. */
static struct node *key_guard(haft_builder *builder, const struct object *left,
                              const struct object *right)
{
    const struct object *sides[] = {left, right};
    struct node *node = hf_build_node(builder), *any = node ? hf_build_node(builder) : NULL;
    struct object *object = any ? hf_node_object(builder->schema, node) : NULL;

    if (!object)
        return hf_build_no_memory(builder);
    object->extra = EXTRA_REJECT;
    object->properties = hf_build_room(builder, left->n_properties + right->n_properties,
                                       sizeof *object->properties);
    if (!object->properties)
        return NULL;
    for (size_t side = 0; side < 2; side++) {
        for (size_t i = 0; i < sides[side]->n_properties; i++) {
            struct property property = sides[side]->properties[i];
            size_t at = 0;

            while (at < object->n_properties &&
                   strcmp(object->properties[at].name, property.name) != 0)
                at++;
            property.node = any;
            property.presence = PRESENCE_OPTIONAL;
            property.demanded = false;
            property.fallback = NULL;
            object->properties[at] = property;
            if (at == object->n_properties)
                object->n_properties++;
        }
    }
    return node;
}

/* Combines both sides, unchanged or with a node that reconciles their keys. */
static struct node *ask_both(haft_builder *builder, const struct node *left,
                             const struct node *right)
{
    const struct node *parts[] = {left, right, NULL};
    struct node *node = hf_build_node(builder);
    size_t n = 2;

    if (!node)
        return NULL;
    if (left->object && right->object) {
        if (left->object->names || right->object->names)
            return hf_build_fail(builder, HAFT_ESCHEMA, "allOf",
                                 "a record whose keys have rules cannot be intersected");
        parts[0] = loosened(builder, left);
        parts[1] = loosened(builder, right);
        if (left->object->extra == EXTRA_REJECT && right->object->extra == EXTRA_REJECT) {
            parts[2] = key_guard(builder, left->object, right->object);
            n = 3;
        }
        if (!parts[0] || !parts[1] || !parts[n - 1])
            return NULL;
    }
    return hf_node_add_rule(builder->schema, node, RULE_ALL, parts, n)
               ? node
               : hf_build_no_memory(builder);
}

static struct node *intersect(haft_builder *builder, const struct node *left,
                              const struct node *right, size_t depth)
{
    if (depth >= FOLD_DEPTH)
        return ask_both(builder, left, right);
    if (intersection_is_plain(left) && intersection_is_plain(right))
        return fold(builder, left, right, depth);
    if (has_closed_options(left, right))
        return distribute(builder, left, right, false, depth);
    if (has_closed_options(right, left))
        return distribute(builder, right, left, true, depth);
    return ask_both(builder, left, right);
}

haft_def *haft_def_intersection(haft_def *left, haft_def *right)
{
    haft_def *def;

    if (!left || !hf_build_accepts(left->builder, right, "allOf"))
        return NULL;
    def = hf_def_new(left->builder);
    if (!def)
        return NULL;
    def->node = intersect(left->builder, left->node, right->node, 0);
    return def->node ? def : NULL;
}
