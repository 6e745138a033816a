/* object.c - definitions of objects, and objects derived from others: extended, merged, picked,
 * partial.
 *
 * A derived object is a new list of properties. It does not inherit annotations (description,
 * examples). Checks across fields were written for the complete object, so an object that has some
 * cannot lose or replace fields. */
#include "schema/build/build.h"

#include <string.h>

static size_t object_find(const struct object *object, const char *name)
{
    size_t i = 0;

    while (i < object->n_properties && strcmp(object->properties[i].name, name) != 0)
        i++;
    return i;
}

/* Adds a property to a list with sufficient room, or replaces the one with the same name. */
static void object_put(struct object *object, const struct property *property)
{
    size_t i = object_find(object, property->name);

    object->properties[i] = *property;
    if (i == object->n_properties)
        object->n_properties++;
}

static bool object_is_object(const haft_def *def, const char *use)
{
    if (!def || def->builder->error.code)
        return false;
    if (!def->node->object || def->node->object->record || def->node->n_rules)
        hf_build_fail(def->builder, HAFT_ESCHEMA, use, "%s needs an object, but this is %s", use,
                      hf_node_kind(def->node));
    return !def->builder->error.code;
}

static bool has_no_checks(const haft_def *def, const char *use)
{
    if (def->node->n_checks)
        hf_build_fail(def->builder, HAFT_ESCHEMA, use,
                      "%s cannot be used on an object that has refinements", use);
    return !def->node->n_checks;
}

/* Copies the definition with its own list of properties, with room for `more`. */
static haft_def *reshaped(const haft_def *def, size_t more)
{
    haft_def *copy = hf_def_copy(def);
    const struct object *old;
    struct object *object;

    if (!copy)
        return NULL;
    old = def->node->object;
    object = hf_build_room(def->builder, 1, sizeof *object);
    if (!object)
        return NULL;
    *object = *old;
    object->properties =
        hf_build_room(def->builder, old->n_properties + more, sizeof *object->properties);
    if (!object->properties)
        return NULL;
    if (old->n_properties)
        memcpy(object->properties, old->properties, old->n_properties * sizeof *old->properties);
    copy->node->object = object;
    return copy;
}

/* ---- from names and definitions ---- */

static size_t count_pairs(va_list pairs)
{
    size_t n = 0;
    va_list counting;

    va_copy(counting, pairs);
    while (va_arg(counting, const char *)) {
        n++;
        if (!va_arg(counting, haft_def *))
            break;
    }
    va_end(counting);
    return n;
}

/* Adds the pairs to the list; names within an object must differ, those of an extension may
 * replace. */
static bool object_put_pairs(haft_builder *builder, struct object *object, size_t n, va_list pairs)
{
    size_t old = object->n_properties;

    for (size_t i = 0; i < n; i++) {
        const char *name = hf_build_text(builder, va_arg(pairs, const char *), "properties");
        const haft_def *def = va_arg(pairs, haft_def *);
        size_t at;

        if (!name || !hf_build_accepts(builder, def, name))
            return false;
        at = object_find(object, name);
        if (at >= old && at < object->n_properties)
            return hf_build_fail(builder, HAFT_ESCHEMA, name, "duplicate name");
        object_put(object, &(struct property){
                               .name = name,
                               .size = strlen(name),
                               .node = def->node,
                               .presence = def->presence,
                               .fallback = def->fallback,
                               .member = {NO_MEMBER, NO_MEMBER, NO_MEMBER, NO_MEMBER, NO_MEMBER}});
    }
    return true;
}

haft_def *haft_def_object(haft_builder *builder, ...)
{
    haft_def *def = hf_def_new(builder);
    struct object *object;
    va_list pairs;
    bool done = false;
    size_t n;

    if (!def)
        return NULL;
    def->node->types = TYPE_OBJECT;
    object = hf_node_object(builder->schema, def->node);
    if (!object)
        return hf_build_no_memory(builder);
    object->extra = EXTRA_REJECT;
    va_start(pairs, builder);
    n = count_pairs(pairs);
    object->properties = hf_build_room(builder, n, sizeof *object->properties);
    if (object->properties)
        done = object_put_pairs(builder, object, n, pairs);
    va_end(pairs);
    return done ? def : NULL;
}

haft_def *haft_def_extend(haft_def *object, ...)
{
    haft_def *copy = NULL;
    size_t n, before;
    va_list pairs;

    if (!object_is_object(object, "extend"))
        return NULL;
    va_start(pairs, object);
    n = count_pairs(pairs);
    copy = reshaped(object, n);
    if (copy) {
        copy->node->meta = NULL;
        before = copy->node->object->n_properties;
        if (!object_put_pairs(object->builder, copy->node->object, n, pairs))
            copy = NULL;
        else if (copy->node->object->n_properties != before + n && copy->node->n_checks)
            copy = hf_build_fail(object->builder, HAFT_ESCHEMA, "extend",
                                 "extend cannot replace a key of an object that has refinements");
    }
    va_end(pairs);
    return copy;
}

/* ---- unknown keys ---- */

static haft_def *with_extra(const haft_def *object, const char *use, enum extra extra,
                            const struct node *node)
{
    haft_def *copy = object_is_object(object, use) ? reshaped(object, 0) : NULL;

    if (copy) {
        copy->node->object->extra = (uint8_t)extra;
        copy->node->object->extra_node = node;
    }
    return copy;
}

haft_def *haft_def_strict(haft_def *object)
{
    return with_extra(object, "strict", EXTRA_REJECT, NULL);
}

haft_def *haft_def_loose(haft_def *object)
{
    return with_extra(object, "loose", EXTRA_IGNORE, NULL);
}

haft_def *haft_def_catchall(haft_def *object, haft_def *value)
{
    if (!object || !hf_build_accepts(object->builder, value, "additionalProperties"))
        return NULL;
    if (value->node->never)
        return haft_def_strict(object);
    return with_extra(object, "catchall", EXTRA_CHECK, value->node);
}

/* ---- from other objects ---- */

haft_def *haft_def_merge(haft_def *object, haft_def *other)
{
    haft_def *copy;

    if (!object_is_object(object, "merge") || !has_no_checks(object, "merge") ||
        !hf_build_accepts(object->builder, other, "merge") || !object_is_object(other, "merge"))
        return NULL;
    copy = reshaped(object, other->node->object->n_properties);
    if (!copy)
        return NULL;
    for (size_t i = 0; i < other->node->object->n_properties; i++)
        object_put(copy->node->object, &other->node->object->properties[i]);
    copy->node->object->extra = other->node->object->extra;
    copy->node->object->extra_node = other->node->object->extra_node;
    copy->node->checks = other->node->checks;
    copy->node->n_checks = other->node->n_checks;
    copy->node->meta = NULL;
    return copy;
}

/* Keeps the named properties in the given order, or all others in their own order. */
static haft_def *selected(const haft_def *object, const char *use, bool keep, const char *first,
                          va_list more)
{
    haft_def *copy = NULL;
    struct object *shape;
    size_t n = 0;

    if (object_is_object(object, use) && has_no_checks(object, use))
        copy = reshaped(object, 0);
    if (!copy)
        return NULL;
    shape = copy->node->object;
    copy->node->meta = NULL;
    for (const char *name = first; name; name = va_arg(more, const char *)) {
        size_t i = object_find(shape, name);

        if (i == shape->n_properties)
            return hf_build_fail(object->builder, HAFT_ESCHEMA, name, "%s: unknown key", use);
        if (keep && i >= n) {
            struct property found = shape->properties[i];

            memmove(&shape->properties[n + 1], &shape->properties[n], (i - n) * sizeof found);
            shape->properties[n++] = found;
        } else if (!keep) {
            shape->n_properties--;
            memmove(&shape->properties[i], &shape->properties[i + 1],
                    (shape->n_properties - i) * sizeof *shape->properties);
        }
    }
    if (keep)
        shape->n_properties = n;
    return copy;
}

haft_def *haft_def_pick(haft_def *object, const char *first, ...)
{
    va_list more;
    haft_def *def;

    va_start(more, first);
    def = selected(object, "pick", true, first, more);
    va_end(more);
    return def;
}

haft_def *haft_def_omit(haft_def *object, const char *first, ...)
{
    va_list more;
    haft_def *def;

    va_start(more, first);
    def = selected(object, "omit", false, first, more);
    va_end(more);
    return def;
}

haft_def *haft_def_partial(haft_def *object)
{
    haft_def *copy = NULL;

    if (object_is_object(object, "partial") && has_no_checks(object, "partial"))
        copy = reshaped(object, 0);
    if (!copy)
        return NULL;
    for (size_t i = 0; i < copy->node->object->n_properties; i++)
        if (copy->node->object->properties[i].presence == PRESENCE_REQUIRED)
            copy->node->object->properties[i].presence = PRESENCE_OPTIONAL;
    copy->node->meta = NULL;
    return copy;
}

haft_def *haft_def_required(haft_def *object)
{
    haft_def *copy = object_is_object(object, "required") ? reshaped(object, 0) : NULL;

    if (!copy)
        return NULL;
    for (size_t i = 0; i < copy->node->object->n_properties; i++) {
        struct property *property = &copy->node->object->properties[i];

        if (property->presence != PRESENCE_REQUIRED)
            property->demanded = true;
        property->presence = PRESENCE_REQUIRED;
        property->fallback = NULL;
    }
    copy->node->meta = NULL;
    return copy;
}

haft_def *haft_def_keyof(haft_def *object)
{
    struct value_list list = {0};
    haft_def *def;

    if (!object_is_object(object, "keyof"))
        return NULL;
    for (size_t i = 0; i < object->node->object->n_properties; i++) {
        const struct property *property = &object->node->object->properties[i];
        yyjson_val *name = hf_build_room(object->builder, 1, sizeof *name);

        if (!name)
            return NULL;
        unsafe_yyjson_set_strn(name, property->name, property->size);
        if (!hf_values_add(object->builder, &list, name))
            return NULL;
    }
    if (!list.n)
        return hf_build_fail(object->builder, HAFT_ESCHEMA, "keyof", "the object has no keys");
    def = hf_def_new(object->builder);
    if (def)
        def->node->values = hf_values_array(object->builder, list.items, list.n);
    return def && def->node->values ? def : NULL;
}
