/* quick.c - the fast path: accepts values that are obviously valid.
 *
 * Nearly all values are valid, have their keys in schema order, and are subject to simple rules: a
 * type, a range, a length or a format. These rules are precomputed as bounds (struct quick); a
 * value within them is accepted in one pass without bookkeeping. Anything else is not rejected but
 * left to the walk (walk.c), which decides, so the fast path can never disagree with it. */
#include <string.h>

#include "schema/walk/lane.h"
#include "schema/walk/quick.h"

/* ---- which nodes have a fast path ---- */

#define TAKES(type) (1u << (type))

static bool takes_array(const struct array *array)
{
    return array && array->items && !array->n_prefix && !array->contains && !array->unevaluated;
}

/* Whether the keys need no escapes in JSON. */
static bool has_plain_names(const struct object *object)
{
    for (size_t i = 0; i < object->n_properties; i++)
        for (size_t k = 0; k < object->properties[i].size; k++)
            if (strchr("\"\\", object->properties[i].name[k]) ||
                (unsigned char)object->properties[i].name[k] < 0x20)
                return false;
    return true;
}

/* The types that the fast path supports, provided that their checks are supported too. */
static unsigned taken(const struct node *node)
{
    unsigned types = 0;

    if (!node->plain || node->store == STORE_JSON)
        return 0;
    if (node->types & TYPE_BOOLEAN)
        types |= TAKES(YYJSON_TYPE_BOOL);
    if (node->types & TYPE_INTEGER)
        types |= TAKES(YYJSON_TYPE_NUM);
    if ((node->types & TYPE_STRING) && node->store != STORE_BYTES)
        types |= TAKES(YYJSON_TYPE_STR);
    if ((node->types & TYPE_ARRAY) && takes_array(node->array))
        types |= TAKES(YYJSON_TYPE_ARR);
    if ((node->types & TYPE_OBJECT) && node->object && node->object->simple &&
        node->store != STORE_MAP && has_plain_names(node->object))
        types |= TAKES(YYJSON_TYPE_OBJ);
    return types;
}

/* Returns false for a bound that is not an integer below 2^63. */
static bool narrow_integer(struct quick *quick, const struct check *check)
{
    yyjson_val *bound = (yyjson_val *)(uintptr_t)&check->bound;
    int64_t to = bound->uni.i64;

    quick->reals = false;
    if (unsafe_yyjson_is_real(bound) || (unsafe_yyjson_is_uint(bound) && to < 0) ||
        (check->exclusive && (to == INT64_MIN || to == INT64_MAX)))
        return false;
    if (check->op == CHECK_MIN && to + check->exclusive > quick->least)
        quick->least = to + check->exclusive;
    if (check->op == CHECK_MAX && to - check->exclusive < quick->most)
        quick->most = to - check->exclusive;
    return true;
}

static void raise_to(size_t *least, size_t to)
{
    *least = to > *least ? to : *least;
}

static void lower_to(size_t *most, size_t to)
{
    *most = to < *most ? to : *most;
}

/* Returns false if the fast path cannot decide the check. */
static bool narrow(struct quick *quick, const struct check *check)
{
    switch (check->op) {
    case CHECK_MIN:
    case CHECK_MAX:
        return narrow_integer(quick, check);
    case CHECK_MIN_LENGTH: /* a code point is one to four bytes */
        if (check->size)
            raise_to(&quick->least_bytes,
                     check->size < SIZE_MAX / 4 ? check->size * 4 - 3 : SIZE_MAX);
        return true;
    case CHECK_MAX_LENGTH:
    case CHECK_MAX_BYTES:
        lower_to(&quick->most_bytes, check->size);
        return true;
    case CHECK_FORMAT:
        if (!check->format->check || quick->format)
            return false;
        quick->format = check->format->check;
        quick->size = hf_format_size(check->format);
        return true;
    case CHECK_MIN_ITEMS:
        raise_to(&quick->least_items, check->size);
        return true;
    case CHECK_MAX_ITEMS:
        lower_to(&quick->most_items, check->size);
        return true;
    default:
        return false;
    }
}

/* Whether a scalar needs the slower functions for narrow members. */
static bool is_narrow(const struct node *node)
{
    return node->store >= STORE_SIGNED;
}

/* Whether the check is a float's range check, which storing performs. */
static bool is_of_float(const struct node *node, const struct check *check)
{
    return check->op == CHECK_FLOAT_FORMAT && node->store == STORE_FLOAT;
}

void hf_quick_prepare(struct node *node)
{
    struct quick *quick = &node->quick;

    *quick = (struct quick){.types = (uint8_t)taken(node),
                            .reals = (node->types & TYPE_NUMBER) == TYPE_NUMBER,
                            .least = INT64_MIN,
                            .most = INT64_MAX,
                            .most_bytes = SIZE_MAX,
                            .most_items = SIZE_MAX};
    for (size_t i = 0; i < node->n_checks; i++)
        if (!narrow(quick, &node->checks[i]) && !is_of_float(node, &node->checks[i]))
            quick->types = 0;
    if (is_narrow(node)) {
        quick->narrow = quick->types;
        quick->types = 0;
    }
}

/* ---- values ---- */

struct quick_fast {
    haft_arena *arena;
    size_t depth; /* remaining levels */
};

static bool accept_array(struct quick_fast *fast, const struct node *node, yyjson_val *value,
                         char *base, const struct member *member);
static bool accept_object(struct quick_fast *fast, const struct node *node, yyjson_val *value,
                          char *base, const struct member *member);

static COLD bool accept_narrow(const struct node *node, yyjson_val *value, char *base,
                               const struct member *member)
{
    unsigned type = unsafe_yyjson_get_type(value);
    bool fits = (node->quick.narrow >> type & 1) &&
                (type == YYJSON_TYPE_STR ? fast_string(node, value, NULL, member)
                                         : fast_number(node, value, NULL, member));

    return fits && fast_narrow(node, value, base, member);
}

/* Returns the next value in the document, or NULL if this one is not accepted. Only containers need
 * a function call. */
static ALWAYS_INLINE yyjson_val *quick_accept_value(struct quick_fast *fast,
                                                    const struct node *node, yyjson_val *value,
                                                    char *base, const struct member *member)
{
    unsigned type = unsafe_yyjson_get_type(value);
    bool fits;

    if (!(node->quick.types >> type & 1)) {
        fits = accept_narrow(node, value, base, member);
        return fits ? value + 1 : NULL;
    }
    if (type >= YYJSON_TYPE_ARR) {
        fits = type == YYJSON_TYPE_OBJ ? accept_object(fast, node, value, base, member)
                                       : accept_array(fast, node, value, base, member);
        return fits ? unsafe_yyjson_get_next(value) : NULL;
    }
    if (type == YYJSON_TYPE_STR)
        return fast_string(node, value, base, member) ? value + 1 : NULL;
    if (type == YYJSON_TYPE_NUM)
        return fast_number(node, value, base, member) ? value + 1 : NULL;
    fast_boolean(node, unsafe_yyjson_get_bool(value), base, member);
    return value + 1;
}

/* ---- containers ---- */

static APART bool accept_array(struct quick_fast *fast, const struct node *node, yyjson_val *value,
                               char *base, const struct member *member)
{
    const struct node *each = node->array->items;
    size_t n = unsafe_yyjson_get_len(value), stride = 0;
    yyjson_val *item = unsafe_yyjson_get_first(value);
    char *items = NULL;

    if (!fast->depth || n < node->quick.least_items || n > node->quick.most_items)
        return false;
    if (base && node->store == STORE_ARRAY) {
        if (node->list) {
            base += member->offset;
            member = &node->inner;
        }
        stride = each->size;
        items = haft_arena_zalloc(fast->arena, n ? n : 1, stride);
        if (!items)
            return false;
        *(char **)(void *)(base + member->offset) = items;
        *(size_t *)(void *)(base + member->count) = n;
    } else if (base && node->store == STORE_INLINE) {
        stride = each->size;
        items = base + member->offset;
        if (member->count != NO_MEMBER)
            *(size_t *)(void *)(base + member->count) = n;
    }
    fast->depth--;
    for (; n && item; n--, items = items ? items + stride : NULL)
        item = quick_accept_value(fast, each, item, items, &fast_whole);
    fast->depth++;
    return item;
}

/* Accepts keys in property order; optional ones may be missing. */
static APART bool accept_object(struct quick_fast *fast, const struct node *node, yyjson_val *value,
                                char *base, const struct member *member)
{
    const struct property *property = node->object->properties;
    size_t n = node->object->n_properties, left = unsafe_yyjson_get_len(value);
    yyjson_val *key = unsafe_yyjson_get_first(value);

    if (!fast->depth)
        return false;
    fast->depth--;
    base = base && node->store == STORE_STRUCT ? base + member->offset : NULL;
    for (; n; n--, property++) {
        if (left && unsafe_yyjson_get_len(key) == property->size &&
            same_bytes(key->uni.str, property->name, property->size)) {
            left--;
            key = quick_accept_value(fast, property->node, key + 1, base, &property->member);
            if (!key)
                return false;
            if (base && property->member.has != NO_MEMBER)
                *(bool *)(base + property->member.has) = true;
        } else if (property->presence != PRESENCE_OPTIONAL) {
            return false;
        }
    }
    fast->depth++;
    return !left;
}

bool hf_quick_accept(const haft_schema *schema, yyjson_val *value, haft_arena *arena, char *to)
{
    struct quick_fast fast = {arena, schema->max_depth};

    return schema->covered && quick_accept_value(&fast, schema->root, value, to, &fast_whole);
}

/* ---- from text ---- */

static bool has_lane(const struct node *node)
{
    return node->quick.types || node->quick.narrow;
}

/* Whether every value of this node has a part that the fast path does not support. */
static bool is_blocked(const struct node *node)
{
    if (node->array && node->array->items && !has_lane(node->array->items))
        return true;
    for (size_t i = 0; node->object && i < node->object->n_properties; i++)
        if (node->object->properties[i].presence != PRESENCE_OPTIONAL &&
            !has_lane(node->object->properties[i].node))
            return true;
    return false;
}

bool hf_quick_reads(const haft_schema *schema)
{
    bool blocked = !schema->typed || !schema->covered || !has_lane(schema->root);

    for (const struct node *node = schema->nodes; node && !blocked; node = node->all)
        blocked = is_blocked(node);
    return !blocked;
}
