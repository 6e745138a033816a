/* walk.c - applies one node to one value: its type, its accepted values, then the rules for its
 * type. */
#include "schema/walk/walk.h"

#include <string.h>

#include "schema/model/sized.h"

/* The maximum recursion: a reference that leads to itself without consuming the value ends here
 * instead of overflowing the stack. */
enum { WALK_MAX_FRAMES = 1024 };

unsigned hf_walk_stop(struct walk *w, int status)
{
    if (!w->status)
        w->status = status;
    /* Setting the remaining steps to 0 makes the test for steps end the walk. */
    w->steps = 0;
    return ABORT_ALL;
}

/* The type bit of a value; 0 if absent. A real is tested for being integral only if that
 * matters. */
static inline unsigned type_of(const yyjson_val *value, const struct node *node)
{
    static const uint8_t types[8] = {
        [YYJSON_TYPE_NULL] = TYPE_NULL,   [YYJSON_TYPE_BOOL] = TYPE_BOOLEAN,
        [YYJSON_TYPE_NUM] = TYPE_INTEGER, [YYJSON_TYPE_STR] = TYPE_STRING,
        [YYJSON_TYPE_ARR] = TYPE_ARRAY,   [YYJSON_TYPE_OBJ] = TYPE_OBJECT,
    };

    if (!value)
        return 0;
    if (unsafe_yyjson_is_real((void *)(uintptr_t)value) &&
        ((node->types & TYPE_NUMBER) == TYPE_NUMBER || !hf_json_is_integral(value)))
        return TYPE_FRACTION;
    return types[unsafe_yyjson_get_type((void *)(uintptr_t)value)];
}

/* The index of the value among the accepted ones, or their number if it is not accepted. */
static size_t find_value(struct walk *w, const struct node *node, yyjson_val *value)
{
    size_t i, n;
    yyjson_val *accepted;

    yyjson_arr_foreach(node->values, i, n, accepted) {
        int equal = value ? hf_json_equal(accepted, value, w->arena) : 0;

        if (equal < 0)
            hf_walk_stop(w, equal);
        if (equal == 1)
            return i;
    }
    return yyjson_arr_size(node->values);
}

static int64_t to_int64(const yyjson_val *number)
{
    return unsafe_yyjson_is_real((void *)(uintptr_t)number) ? (int64_t)number->uni.f64
                                                            : number->uni.i64;
}

/* The bits of an accepted number, for a narrower or unsigned integer. */
static uint64_t walk_bits(const yyjson_val *number)
{
    if (unsafe_yyjson_is_real((void *)(uintptr_t)number) && number->uni.f64 > 0)
        return (uint64_t)number->uni.f64;
    return (uint64_t)to_int64(number);
}

/* Stores in a member narrower than its kind; strings have been checked to fit with their NUL. */
static COLD void store_narrow(const struct node *node, yyjson_val *value, char *to)
{
    float narrow;

    if (node->store == STORE_TEXT) {
        memcpy(to, unsafe_yyjson_get_str(value), unsafe_yyjson_get_len(value) + 1);
    } else if (node->store == STORE_FLOAT) {
        narrow = (float)hf_json_double(value);
        memcpy(to, &narrow, sizeof narrow);
    } else {
        sized_put(to, node->size, walk_bits(value));
    }
}

static APART void store_enum(const struct node *node, size_t index, char *to)
{
    if (node->numbers)
        sized_put(to, node->size, (uint64_t)node->numbers[index]);
    else
        *(int *)(void *)to = (int)index;
}

/* Decodes base64 into bytes; the format check has rejected invalid base64. */
static APART unsigned store_bytes(struct walk *w, const yyjson_val *value, char *to, char *base,
                                  const struct member *member)
{
    size_t size = unsafe_yyjson_get_len((void *)(uintptr_t)value), n = 0;
    unsigned char *bytes = haft_arena_alloc(w->arena, size / 4 * 3 + 1);

    if (!bytes)
        return hf_walk_stop(w, HAFT_ENOMEM);
    if (haft_base64_decode(unsafe_yyjson_get_str((void *)(uintptr_t)value), size, bytes, &n))
        return ABORT;
    bytes[n] = 0;
    *(unsigned char **)(void *)to = bytes;
    *(size_t *)(void *)(base + member->count) = n;
    return PASS;
}

/* Stores an accepted scalar. */
static inline unsigned walk_store(struct walk *w, const struct node *node, yyjson_val *value,
                                  size_t index, struct place place)
{
    char *to = place.base + place.member->offset;

    switch (node->store) {
    case STORE_BOOLEAN:
        *(bool *)to = unsafe_yyjson_get_bool(value);
        break;
    case STORE_INTEGER:
        *(int64_t *)(void *)to = to_int64(value);
        break;
    case STORE_NUMBER:
        *(double *)(void *)to = hf_json_double(value);
        break;
    case STORE_STRING:
        *(const char **)(void *)to = unsafe_yyjson_get_str(value);
        break;
    case STORE_BYTES:
        return store_bytes(w, value, to, place.base, place.member);
    case STORE_ENUM:
        store_enum(node, index, to);
        break;
    case STORE_JSON:
        *(yyjson_val **)(void *)to = value;
        break;
    default:
        if (node->store >= STORE_SIGNED)
            store_narrow(node, value, to);
        break;
    }
    return PASS;
}

static COLD unsigned report_int64(struct walk *w, const struct node *node, const yyjson_val *value,
                                  const struct path *at)
{
    static const struct check inclusive;
    bool big = hf_json_double(value) > 0;
    yyjson_val bound = {0};

    if (node->store == STORE_UNSIGNED)
        yyjson_set_uint(&bound, UINT64_MAX);
    else
        yyjson_set_sint(&bound, big ? INT64_MAX : INT64_MIN);
    return hf_report_bound(w, at, &inclusive, &bound, "number", big, NULL);
}

static APART unsigned check_uint64(struct walk *w, const struct node *node, const yyjson_val *value,
                                   const struct path *at)
{
    if (node->size < sizeof(uint64_t) || !unsafe_yyjson_is_real((void *)(uintptr_t)value) ||
        value->uni.f64 < 18446744073709551616.0)
        return PASS;
    return report_int64(w, node, value, at);
}

/* Whether an integer fits the int64_t or uint64_t that stores it; narrower ones have checks. */
static inline unsigned check_int64(struct walk *w, const struct node *node, const yyjson_val *value,
                                   const struct path *at)
{
    if (node->store != STORE_INTEGER)
        return node->store == STORE_UNSIGNED ? check_uint64(w, node, value, at) : PASS;
    /* An integer one below the minimum is parsed as the same double as the minimum, so that double
     * is rejected; the minimum itself is parsed as an integer. */
    if (unsafe_yyjson_is_real((void *)(uintptr_t)value)
            ? value->uni.f64 > -9223372036854775808.0 && value->uni.f64 < 9223372036854775808.0
            : unsafe_yyjson_is_sint((void *)(uintptr_t)value) || value->uni.i64 >= 0)
        return PASS;
    return report_int64(w, node, value, at);
}

/* Whether a string can be stored NUL-terminated. */
static inline unsigned check_text(struct walk *w, const struct node *node, const yyjson_val *value,
                                  const struct path *at)
{
    yyjson_val *text = (yyjson_val *)(uintptr_t)value;

    if (!node->c_string || !memchr(unsafe_yyjson_get_str(text), 0, unsafe_yyjson_get_len(text)))
        return PASS;
    return hf_report_custom(w, at, "Invalid string: must not contain U+0000", FAIL);
}

/* The type-dependent part of a walk: structure first, then rules, then checks. */
static APART unsigned walk_typed(struct walk *w, const struct node *node, yyjson_val *value,
                                 unsigned type, const struct path *at, struct seen *seen,
                                 struct place place)
{
    unsigned verdict = PASS;
    size_t size = 0, index = 0;

    if (node->values) {
        index = find_value(w, node, value);
        if (index == yyjson_arr_size(node->values))
            verdict |= hf_report_value(w, at, node);
    }
    if (type == TYPE_STRING) {
        verdict |= check_text(w, node, value, at);
    } else if (type == TYPE_INTEGER) {
        verdict |= check_int64(w, node, value, at);
    } else if (type == TYPE_OBJECT) {
        size = unsafe_yyjson_get_len(value);
        if (node->object)
            verdict |= hf_walk_object(w, node, value, at, seen, place);
    } else if (type == TYPE_ARRAY) {
        size = unsafe_yyjson_get_len(value);
        if (node->array)
            verdict |= hf_walk_array(w, node, value, at, seen, place);
    }
    if (node->n_rules && (w->issues || !verdict))
        verdict |= hf_walk_rules(w, node, value, at, seen, place);
    if (node->n_checks && (w->issues || !verdict))
        verdict |= hf_walk_checks(w, node, value, at, verdict, size, place);
    if (place.base && !verdict && node->store != STORE_STRUCT)
        verdict |= walk_store(w, node, value, index, place);
    return verdict;
}

/* Allocates a value that is stored behind a pointer. */
static unsigned walk_pointer(struct walk *w, const struct node *node, yyjson_val *value,
                             unsigned type, const struct path *at, struct place place)
{
    static const struct member whole = {0, NO_MEMBER, NO_MEMBER, NO_MEMBER, NO_MEMBER};
    char *made = haft_arena_zalloc(w->arena, 1, node->as->size);

    if (!made)
        return hf_walk_stop(w, HAFT_ENOMEM);
    *(char **)(void *)(place.base + place.member->offset) = made;
    return walk_typed(w, node->as, value, type, at, NULL, (struct place){made, &whole});
}

/* Applies unevaluated* to the parts that no other keyword of this node or below it has
 * evaluated. */
static unsigned walk_unevaluated(struct walk *w, const struct node *node, yyjson_val *value,
                                 const struct path *at, struct seen *seen)
{
    unsigned verdict = PASS;
    size_t i, n;
    yyjson_val *key, *item;

    if (yyjson_is_obj(value) && node->object && node->object->unevaluated) {
        yyjson_obj_foreach(value, i, n, key, item) {
            struct path here = {at, yyjson_get_str(key), 0};

            if (!seen_has(seen, i) && node->object->unevaluated->never)
                verdict |= hf_report_keys(w, at, node->object, &key, 1);
            else if (!seen_has(seen, i))
                verdict |= hf_walk(w, node->object->unevaluated, item, &here, NULL, NOWHERE);
            seen_add(seen, i);
        }
    }
    if (yyjson_is_arr(value) && node->array && node->array->unevaluated) {
        yyjson_arr_foreach(value, i, n, item) {
            struct path here = {at, NULL, i};

            if (!seen_has(seen, i))
                verdict |= hf_walk(w, node->array->unevaluated, item, &here, NULL, NOWHERE);
            seen_add(seen, i);
        }
    }
    return verdict;
}

/* A node with unevaluated* sees only what it and its subschemas evaluated; the result is then added
 * to the caller's set. */
static unsigned walk_tracking(struct walk *w, const struct node *node, yyjson_val *value,
                              unsigned type, const struct path *at, struct seen *outer,
                              struct place place)
{
    struct seen seen;
    unsigned verdict;

    if (!hf_seen_init(w, &seen, value))
        return hf_walk_stop(w, HAFT_ENOMEM);
    verdict = walk_typed(w, node, value, type, at, &seen, place);
    if (w->issues || !verdict)
        verdict |= walk_unevaluated(w, node, value, at, &seen);
    if (outer && !verdict)
        hf_seen_merge(outer, &seen);
    return verdict;
}

static unsigned walk_entered(struct walk *w, const struct node *node, yyjson_val *value,
                             const struct path *at, struct seen *seen, struct place place)
{
    unsigned type = type_of(value, node);

    if (node->nullable && type == TYPE_NULL) {
        if (place.base && place.member->null != NO_MEMBER)
            *(bool *)(place.base + place.member->null) = true;
        return PASS;
    }
    if (node->never || (!(type & node->types) && (value || node->types != TYPE_ANY)))
        return hf_report_type(w, at, node, node->expected, NULL, value, ABORT);
    if (place.base && node->store == STORE_POINTER)
        return walk_pointer(w, node, value, type, at, place);
    if (node->tracks && (type & (TYPE_OBJECT | TYPE_ARRAY)))
        return walk_tracking(w, node, value, type, at, seen, place);
    return walk_typed(w, node, value, type, at, seen, place);
}

/* Walks a node with references, alternatives or a document's scope. */
static APART unsigned walk_full(struct walk *w, const struct node *node, yyjson_val *value,
                                const struct path *at, struct seen *seen, struct place place)
{
    const struct scope *outer = w->scope;
    struct scope scope = {outer, node->resource};
    unsigned verdict;

    if (w->frames == WALK_MAX_FRAMES)
        return hf_walk_stop(w, HAFT_ESTEPS);
    if (node->resource && (!outer || outer->resource != node->resource))
        w->scope = &scope;
    w->frames++;
    verdict = walk_entered(w, node, value, at, seen, place);
    w->frames--;
    w->scope = outer;
    return verdict;
}

unsigned hf_walk(struct walk *w, const struct node *node, yyjson_val *value, const struct path *at,
                 struct seen *seen, struct place place)
{
    unsigned type, verdict;

    if (!w->steps)
        return hf_walk_stop(w, HAFT_ESTEPS);
    w->steps--;
    if (!node->plain)
        return walk_full(w, node, value, at, seen, place);
    type = type_of(value, node);
    if (!(type & node->types) && (value || node->types != TYPE_ANY))
        return hf_report_type(w, at, node, node->expected, NULL, value, ABORT);
    if (type & (TYPE_OBJECT | TYPE_ARRAY))
        return walk_typed(w, node, value, type, at, seen, place);
    /* Fast path for the most common case: a scalar, its checks, its member. */
    verdict = type == TYPE_STRING    ? check_text(w, node, value, at)
              : type == TYPE_INTEGER ? check_int64(w, node, value, at)
                                     : PASS;
    if (node->n_checks && (w->issues || !verdict) && value)
        verdict |= hf_walk_checks(w, node, value, at, verdict, 0, place);
    if (place.base && !verdict)
        verdict |= walk_store(w, node, value, 0, place);
    return verdict;
}

unsigned hf_walk_quiet(struct walk *w, const struct node *node, yyjson_val *value,
                       const struct path *at, struct seen *seen)
{
    haft_issues *issues = w->issues;
    unsigned verdict;

    w->issues = NULL;
    verdict = hf_walk(w, node, value, at, seen, NOWHERE);
    w->issues = issues;
    return verdict;
}
