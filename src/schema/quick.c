/* quick.c - the fast lane: values that are plainly all right.
 *
 * Nearly every value that is sent is right, has its keys in the order the schema lists them, and
 * meets rules that are a type, a range, a length or a format.  Such a value is accepted here, in
 * one pass without bookkeeping.  Anything else is not refused but left to the walk (walk.c), which
 * alone decides what is wrong; so this can only ever agree with it. */
#include "schema/quick.h"

#include <string.h>

#include "json/json.h"

struct quick {
    haft_arena *arena;
    size_t depth; /* levels left */
};

static APART bool accept_container(struct quick *q, const struct node *node, yyjson_val *value,
                                   char *base, const struct member *member);

/* Whether a number below 2^63 is on the right side of a whole bound. */
static inline bool in_bound(const struct check *check, int64_t value)
{
    const yyjson_val *bound = &check->bound;

    if (!unsafe_yyjson_is_sint((void *)(uintptr_t)bound))
        return false;
    if (check->op == CHECK_MIN)
        return value > bound->uni.i64 || (!check->exclusive && value == bound->uni.i64);
    return check->op == CHECK_MAX &&
           (value < bound->uni.i64 || (!check->exclusive && value == bound->uni.i64));
}

static inline bool accept_number(const struct node *node, const yyjson_val *value, char *base,
                                 const struct member *member)
{
    int64_t integer = value->uni.i64;

    if (unsafe_yyjson_is_real((void *)(uintptr_t)value)) {
        if (node->types != TYPE_NUMBER || node->n_checks)
            return false;
        if (base && node->store == STORE_NUMBER)
            *(double *)(void *)(base + member->offset) = value->uni.f64;
        return true;
    }
    if (!(node->types & TYPE_INTEGER) || integer < 0)
        return false;
    for (size_t i = 0; i < node->n_checks; i++)
        if (!in_bound(&node->checks[i], integer))
            return false;
    if (base && node->store == STORE_INTEGER)
        *(int64_t *)(void *)(base + member->offset) = integer;
    else if (base && node->store == STORE_NUMBER)
        *(double *)(void *)(base + member->offset) = (double)integer;
    return true;
}

static inline bool fits_text(const struct check *check, const char *text, size_t size)
{
    if (check->op == CHECK_FORMAT)
        return check->format->check && check->format->check(text, size);
    /* A code point is one to four bytes. */
    if (check->op == CHECK_MAX_LENGTH)
        return size <= check->size;
    return check->op == CHECK_MIN_LENGTH && (size + 3) / 4 >= check->size;
}

static inline bool accept_string(const struct node *node, const yyjson_val *value, char *base,
                                 const struct member *member)
{
    size_t size = unsafe_yyjson_get_len((void *)(uintptr_t)value);
    const char *text = value->uni.str;

    if (!(node->types & TYPE_STRING) || node->store == STORE_BYTES)
        return false;
    for (size_t i = 0; i < node->n_checks; i++)
        if (!fits_text(&node->checks[i], text, size))
            return false;
    /* Without an escape there is no NUL: yyjson knows which have none. */
    if (node->c_string && !(value->tag & YYJSON_SUBTYPE_NOESC) && memchr(text, 0, size))
        return false;
    if (base && node->store == STORE_STRING)
        *(const char **)(void *)(base + member->offset) = text;
    return true;
}

/* Only what has parts is worth a call. */
static ALWAYS_INLINE bool accept(struct quick *q, const struct node *node, yyjson_val *value,
                                 char *base, const struct member *member)
{
    unsigned type = unsafe_yyjson_get_type(value);

    if (type >= YYJSON_TYPE_ARR)
        return accept_container(q, node, value, base, member);
    if (!node->plain || node->store == STORE_JSON)
        return false;
    if (type == YYJSON_TYPE_STR)
        return accept_string(node, value, base, member);
    if (type == YYJSON_TYPE_NUM)
        return accept_number(node, value, base, member);
    if (type != YYJSON_TYPE_BOOL || node->types != TYPE_BOOLEAN || node->n_checks)
        return false;
    if (base)
        *(bool *)(base + member->offset) = unsafe_yyjson_get_bool(value);
    return true;
}

static bool fits_count(const struct node *node, size_t n)
{
    for (size_t i = 0; i < node->n_checks; i++) {
        const struct check *check = &node->checks[i];

        if (!(check->op == CHECK_MIN_ITEMS && n >= check->size) &&
            !(check->op == CHECK_MAX_ITEMS && n <= check->size))
            return false;
    }
    return true;
}

static APART bool accept_array(struct quick *q, const struct node *node, yyjson_val *value,
                               char *base, const struct member *member)
{
    const struct array *array = node->array;
    struct member at = {NO_MEMBER, NO_MEMBER, NO_MEMBER, NO_MEMBER, NO_MEMBER};
    size_t n = unsafe_yyjson_get_len(value), stride;
    yyjson_val *item = unsafe_yyjson_get_first(value);
    char *items = NULL;

    if (!array || !array->items || array->n_prefix || array->contains || array->unevaluated ||
        !fits_count(node, n))
        return false;
    stride = array->items->size;
    if (base && node->store == STORE_ARRAY) {
        if (node->list) {
            base += member->offset;
            member = &node->inner;
        }
        items = haft_arena_zalloc(q->arena, n ? n : 1, stride);
        if (!items)
            return false;
        *(char **)(void *)(base + member->offset) = items;
        *(size_t *)(void *)(base + member->count) = n;
    }
    at.offset = 0;
    for (; n; n--, at.offset += stride, item = unsafe_yyjson_get_next(item))
        if (!accept(q, array->items, item, items, &at))
            return false;
    return true;
}

static inline bool is_key(const yyjson_val *key, const struct property *property)
{
    return unsafe_yyjson_get_len((void *)(uintptr_t)key) == property->size &&
           same_bytes(key->uni.str, property->name, property->size);
}

/* Keys in the order of the properties, with optional ones left out. */
static bool accept_object(struct quick *q, const struct node *node, yyjson_val *value, char *base,
                          const struct member *member)
{
    const struct object *object = node->object;
    const struct property *property, *end;
    size_t left = unsafe_yyjson_get_len(value);
    yyjson_val *key = unsafe_yyjson_get_first(value);

    if (!object || !object->simple || node->n_checks || (base && node->store != STORE_STRUCT))
        return false;
    if (base)
        base += member->offset;
    end = object->properties + object->n_properties;
    for (property = object->properties; property < end; property++) {
        if (left && is_key(key, property)) {
            char *to = property->member.offset == NO_MEMBER ? NULL : base;

            if (!accept(q, property->node, key + 1, to, &property->member))
                return false;
            if (to && property->member.has != NO_MEMBER)
                *(bool *)(base + property->member.has) = true;
            key = unsafe_yyjson_get_next(key + 1);
            left--;
        } else if (property->presence != PRESENCE_OPTIONAL) {
            return false;
        }
    }
    return !left;
}

static APART bool accept_container(struct quick *q, const struct node *node, yyjson_val *value,
                                   char *base, const struct member *member)
{
    bool fits = false;

    if (!q->depth || !node->plain)
        return false;
    q->depth--;
    if (unsafe_yyjson_is_arr(value))
        fits = (node->types & TYPE_ARRAY) && accept_array(q, node, value, base, member);
    else
        fits = (node->types & TYPE_OBJECT) && accept_object(q, node, value, base, member);
    q->depth++;
    return fits;
}

bool quick_accept(const haft_schema *schema, yyjson_val *value, haft_arena *arena, char *to)
{
    static const struct member whole = {0, NO_MEMBER, NO_MEMBER, NO_MEMBER, NO_MEMBER};
    struct quick q = {arena, schema->max_depth};

    return schema->covered && accept(&q, schema->root, value, to, &whole);
}
