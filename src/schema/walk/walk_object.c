/* walk_object.c - objects: visits properties in declaration order, regardless of their order in the
 * value.
 *
 * A first pass over the keys finds each one's property. A second pass over the properties visits
 * the values, so that issues are in schema order, as Zod's are, and absent properties are
 * noticed. */
#include "schema/walk/walk.h"

#include <string.h>

enum { WALK_OBJECT_FEW_PROPERTIES = 64, FEW_UNKNOWN = 16 };

static inline bool walk_object_is_named(const struct property *property, const char *name,
                                        size_t size)
{
    return property->size == size && !memcmp(property->name, name, size);
}

/* The index of the property of this name, or n_properties. */
static size_t search_property(const struct object *object, const char *name, size_t size)
{
    if (object->n_slots) {
        size_t at = hf_hash_bytes(name, size);

        for (; object->slots[at & (object->n_slots - 1)]; at++) {
            size_t i = object->slots[at & (object->n_slots - 1)] - 1;

            if (walk_object_is_named(&object->properties[i], name, size))
                return i;
        }
        return object->n_properties;
    }
    for (size_t i = 0; i < object->n_properties; i++)
        if (walk_object_is_named(&object->properties[i], name, size))
            return i;
    return object->n_properties;
}

const struct property *hf_object_property(const struct object *object, const char *name,
                                          size_t size)
{
    size_t found = search_property(object, name, size);

    return found < object->n_properties ? &object->properties[found] : NULL;
}

/* Finds a property's index. Clients send keys in schema order, so the one after the last found is
 * tried first. */
static inline size_t find_property(const struct object *object, const char *name, size_t size,
                                   size_t next)
{
    if (next < object->n_properties && walk_object_is_named(&object->properties[next], name, size))
        return next;
    return search_property(object, name, size);
}

static unsigned walk_absent(struct walk *w, const struct property *property, const struct path *at,
                            struct place place)
{
    struct path here = {at, property->name, 0};
    struct place inside = {place.base, &property->member};
    unsigned verdict;

    if (property->presence == PRESENCE_OPTIONAL)
        return PASS;
    if (property->presence == PRESENCE_DEFAULT)
        return place.base ? hf_walk(w, property->node, property->fallback, &here, NULL, inside)
                          : PASS;
    verdict = property->demanded ? PASS : hf_walk(w, property->node, NULL, &here, NULL, NOWHERE);
    return verdict ? verdict : hf_report_type(w, &here, NULL, "nonoptional", NULL, NULL, ABORT);
}

static inline unsigned walk_present(struct walk *w, const struct property *property,
                                    yyjson_val *value, const struct path *at, struct place place)
{
    struct place inside = {property->member.offset == NO_MEMBER ? NULL : place.base,
                           &property->member};

    if (place.base && property->member.has != NO_MEMBER)
        *(bool *)(place.base + property->member.has) = true;
    return hf_walk(w, property->node, value, &(struct path){at, property->name, 0}, NULL, inside);
}

/* ---- keys that are not properties ---- */

/* Zod checks a record's key as a string and, if it is numeric, also as a number. */
static bool numeric_key(const yyjson_val *key, yyjson_val *ret_number)
{
    const char *text = unsafe_yyjson_get_str((void *)(uintptr_t)key);
    size_t size = unsafe_yyjson_get_len((void *)(uintptr_t)key), i = size && text[0] == '-';
    size_t whole = i;

    while (i < size && text[i] >= '0' && text[i] <= '9')
        i++;
    if (i == whole)
        return false;
    if (i < size && text[i] == '.') {
        size_t point = i++;

        while (i < size && text[i] >= '0' && text[i] <= '9')
            i++;
        if (i == point + 1)
            return false;
    }
    /* Unlike JSON numbers, a key may have leading zeros. */
    while (whole + 1 < size && text[whole] == '0' && text[whole + 1] != '.')
        whole++;
    if (i != size || size - whole > 300)
        return false;
    {
        char number[304];
        size_t n = 0;

        if (text[0] == '-')
            number[n++] = '-';
        memcpy(number + n, text + whole, size - whole);
        number[n + size - whole] = '\0';
        return yyjson_read_number(number, ret_number, 0, NULL, NULL) != NULL;
    }
}

/* Checks a key by the schema of names. */
static unsigned walk_name(struct walk *w, const struct node *node, yyjson_val *key,
                          const struct path *at)
{
    const struct object *object = node->object;
    struct path here = {at, unsafe_yyjson_get_str(key), 0};
    haft_issues *outer = w->issues, own = {0};
    yyjson_val number = {0};
    unsigned verdict = hf_walk_quiet(w, object->names, key, NULL, NULL);

    if (verdict && object->record && numeric_key(key, &number))
        verdict = hf_walk_quiet(w, object->names, &number, NULL, NULL);
    if (!verdict || !w->issues)
        return verdict;
    w->issues = &own;
    hf_walk(w, object->names, key, NULL, NULL, NOWHERE);
    w->issues = outer;
    hf_report_key(w, &here, object->record ? "record" : "object", &own);
    hf_report_message(w, node->message);
    return ABORT;
}

/* Applies every pattern property that matches the key; reports whether one did. */
static unsigned walk_patterns(struct walk *w, const struct object *object, yyjson_val *key,
                              yyjson_val *value, const struct path *at, bool *ret_matched)
{
    struct path here = {at, unsafe_yyjson_get_str(key), 0};
    unsigned verdict = PASS;

    *ret_matched = false;
    for (size_t i = 0; i < object->n_patterns; i++) {
        int matched = hf_pattern_match(object->patterns[i].pattern, &w->scratch,
                                       unsafe_yyjson_get_str(key), unsafe_yyjson_get_len(key));

        if (matched < 0)
            return hf_walk_stop(w, matched);
        if (matched) {
            *ret_matched = true;
            verdict |= hf_walk(w, object->patterns[i].node, value, &here, NULL, NOWHERE);
        }
    }
    return verdict;
}

/* Unknown keys, collected for a single issue. */
struct unknown {
    yyjson_val *few[FEW_UNKNOWN], **keys;
    size_t n, capacity;
};

static void add_unknown(struct walk *w, struct unknown *unknown, yyjson_val *key)
{
    if (unknown->n == unknown->capacity && w->issues) {
        size_t size = unknown->capacity * sizeof(yyjson_val *);
        yyjson_val **keys = haft_arena_alloc(w->arena, size * 2);

        if (!keys) {
            hf_walk_stop(w, HAFT_ENOMEM);
            return;
        }
        memcpy(keys, unknown->keys, size);
        unknown->keys = keys;
        unknown->capacity *= 2;
    }
    if (unknown->n < unknown->capacity)
        unknown->keys[unknown->n] = key;
    unknown->n++;
}

/* The place of one entry of a map. */
static struct place map_entry(struct place place, const struct node *node, size_t i,
                              struct member *member)
{
    *member = (struct member){i * node->object->extra_node->size, NO_MEMBER, NO_MEMBER, NO_MEMBER,
                              NO_MEMBER};
    return (struct place){*(char **)(void *)(place.base + place.member->offset), member};
}

static unsigned walk_extra(struct walk *w, const struct node *node, yyjson_val *key,
                           yyjson_val *value, const struct path *at, size_t nth, struct place place,
                           struct unknown *unknown)
{
    const struct object *object = node->object;
    struct path here = {at, unsafe_yyjson_get_str(key), 0};
    struct member member;
    struct place inside = NOWHERE;

    if (object->extra == EXTRA_REJECT)
        add_unknown(w, unknown, key);
    if (object->extra != EXTRA_CHECK)
        return PASS;
    if (place.base && node->store == STORE_MAP) {
        inside = map_entry(place, node, nth, &member);
        (*(const char ***)(void *)(place.base + place.member->keys))[nth] = here.key;
    }
    return hf_walk(w, object->extra_node, value, &here, NULL, inside);
}

/* Checks names, patterns and extra keys: a pass over all keys, made only if necessary. */
static unsigned walk_keys(struct walk *w, const struct node *node, yyjson_val *value,
                          const struct path *at, struct seen *seen, struct place place)
{
    const struct object *object = node->object;
    struct unknown unknown = {.keys = unknown.few, .capacity = FEW_UNKNOWN};
    unsigned verdict = PASS;
    size_t i, n, next = 0, nth = 0;
    yyjson_val *key, *item;

    yyjson_obj_foreach(value, i, n, key, item) {
        size_t found =
            find_property(object, unsafe_yyjson_get_str(key), unsafe_yyjson_get_len(key), next);
        bool known = found < object->n_properties, matched = false;
        unsigned name = object->names ? walk_name(w, node, key, at) : PASS;

        next = known ? found + 1 : next;
        verdict |= name;
        if (name && object->record)
            continue;
        if (object->n_patterns)
            verdict |= walk_patterns(w, object, key, item, at, &matched);
        if (!known && !matched)
            verdict |= walk_extra(w, node, key, item, at, nth++, place, &unknown);
        if (known || matched || object->extra == EXTRA_CHECK)
            seen_add(seen, i);
        if (verdict && !w->issues)
            return verdict;
    }
    if (unknown.n) {
        verdict |= hf_report_keys(w, at, object, unknown.keys, unknown.n);
        hf_report_message(w, node->message);
    }
    return verdict;
}

/* ---- dependencies between keys ---- */

static unsigned require(struct walk *w, yyjson_val *value, const struct path *at,
                        const char *const *names, size_t n)
{
    unsigned verdict = PASS;

    for (size_t i = 0; i < n; i++) {
        struct path here = {at, names[i], 0};

        if (!yyjson_obj_get(value, names[i]))
            verdict |= hf_report_type(w, &here, NULL, "nonoptional", NULL, NULL, ABORT);
    }
    return verdict;
}

static unsigned walk_dependents(struct walk *w, const struct object *object, yyjson_val *value,
                                const struct path *at, struct seen *seen)
{
    unsigned verdict = require(w, value, at, object->required, object->n_required);

    for (size_t i = 0; i < object->n_dependents; i++) {
        const struct dependent *dependent = &object->dependents[i];

        if (!yyjson_obj_getn(value, dependent->name, dependent->size))
            continue;
        verdict |= require(w, value, at, dependent->required, dependent->n_required);
        if (dependent->node)
            verdict |= hf_walk(w, dependent->node, value, at, seen, NOWHERE);
    }
    return verdict;
}

/* ---- the object ---- */

/* Allocates a map's entries and sets its count. */
static unsigned prepare_map(struct walk *w, const struct node *node, const yyjson_val *value,
                            struct place place)
{
    size_t n = unsafe_yyjson_get_len((void *)(uintptr_t)value);
    void *values = haft_arena_zalloc(w->arena, n ? n : 1, node->object->extra_node->size);
    void *keys = haft_arena_zalloc(w->arena, n ? n : 1, sizeof(char *));

    if (!values || !keys)
        return hf_walk_stop(w, HAFT_ENOMEM);
    *(void **)(void *)(place.base + place.member->offset) = values;
    *(void **)(void *)(place.base + place.member->keys) = keys;
    *(size_t *)(void *)(place.base + place.member->count) = n;
    return PASS;
}

static inline unsigned walk_properties(struct walk *w, const struct object *object,
                                       yyjson_val *const *values, const struct path *at,
                                       struct place place)
{
    unsigned verdict = PASS;

    for (size_t i = 0; i < object->n_properties; i++) {
        const struct property *property = &object->properties[i];

        verdict |= values[i] ? walk_present(w, property, values[i], at, place)
                             : walk_absent(w, property, at, place);
        if (verdict && !w->issues)
            return verdict;
    }
    return verdict;
}

/* Finds each key's property. *ret_unknown is the number of keys without one. */
static inline unsigned match_keys(struct walk *w, const struct object *object, yyjson_val *value,
                                  const struct path *at, yyjson_val **values, size_t *ret_unknown)
{
    unsigned verdict = PASS;
    size_t i, n, next = 0, unknown = 0;
    yyjson_val *key, *item;

    yyjson_obj_foreach(value, i, n, key, item) {
        size_t found =
            find_property(object, unsafe_yyjson_get_str(key), unsafe_yyjson_get_len(key), next);

        if (found == object->n_properties) {
            unknown++;
            continue;
        }
        if (values[found])
            verdict |= hf_report_duplicate(w, at, key);
        values[found] = item;
        next = found + 1;
    }
    *ret_unknown = unknown;
    return verdict;
}

static unsigned walk_members(struct walk *w, const struct node *node, yyjson_val *value,
                             const struct path *at, struct seen *seen, struct place place)
{
    const struct object *object = node->object;
    yyjson_val *few[WALK_OBJECT_FEW_PROPERTIES], **values = few, *key;
    size_t unknown = 0;
    unsigned verdict;

    if (object->n_properties > WALK_OBJECT_FEW_PROPERTIES)
        values = haft_arena_alloc(w->arena, object->n_properties * sizeof *values);
    if (!values)
        return hf_walk_stop(w, HAFT_ENOMEM);
    memset(values, 0, object->n_properties * sizeof *values);
    verdict = match_keys(w, object, value, at, values, &unknown);
    if (object->simple && !seen) {
        verdict |= walk_properties(w, object, values, at, place);
        if (unknown && object->extra == EXTRA_REJECT && (w->issues || !verdict))
            verdict |= walk_keys(w, node, value, at, NULL, place);
        return verdict;
    }
    if (!verdict && unknown && object->extra == EXTRA_CHECK && w->schema->covered) {
        int twice = hf_json_duplicate(value, w->arena, &key);

        if (twice < 0)
            return hf_walk_stop(w, twice);
        if (twice)
            verdict |= hf_report_duplicate(w, at, key);
    }
    if (place.base && node->store == STORE_MAP)
        verdict |= prepare_map(w, node, value, place);
    if (verdict && !w->issues)
        return verdict;
    verdict |= walk_properties(w, object, values, at, place);
    if ((unknown && object->extra != EXTRA_IGNORE) || object->n_patterns || object->names || seen)
        verdict |= walk_keys(w, node, value, at, seen, place);
    if (object->n_required || object->n_dependents)
        verdict |= walk_dependents(w, object, value, at, seen);
    return verdict;
}

unsigned hf_walk_object(struct walk *w, const struct node *node, yyjson_val *value,
                        const struct path *at, struct seen *seen, struct place place)
{
    unsigned verdict;

    if (w->depth == w->schema->max_depth)
        return hf_walk_stop(w, HAFT_EDEPTH);
    /* The properties' offsets are relative to the struct. */
    if (place.base && node->store == STORE_STRUCT)
        place.base += place.member->offset;
    w->depth++;
    verdict = walk_members(w, node, value, at, seen, place);
    w->depth--;
    return verdict;
}
