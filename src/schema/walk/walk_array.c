/* walk_array.c - arrays, tuples and contains. */
#include "schema/walk/walk.h"

/* Zod's tuple checks the number of items before any item. */
static unsigned walk_tuple_size(struct walk *w, const struct node *node, size_t size,
                                const struct path *at)
{
    const struct array *array = node->array;
    struct check check = {.op = CHECK_MIN_ITEMS, .aborts = true, .message = node->message};

    if (array->items)
        return PASS;
    if (size < array->n_required) {
        check.size = array->n_required;
        hf_report_size(w, at, &check, "array", false, false);
        return ABORT;
    }
    if (size > array->n_prefix) {
        check.size = array->n_prefix;
        hf_report_size(w, at, &check, "array", true, false);
        return ABORT;
    }
    return PASS;
}

/* The first of the leading size checks that the array exceeds; its items are then not visited. A
 * user-defined check before it must see the items. */
static const struct check *exceeded(const struct node *node, size_t size)
{
    for (size_t i = 0; i < node->n_checks; i++) {
        const struct check *check = &node->checks[i];

        if (check->op < CHECK_MIN_ITEMS || check->op > CHECK_ITEMS)
            return NULL;
        if (check->op != CHECK_MIN_ITEMS && size > check->size)
            return check;
    }
    return NULL;
}

/* Reports missing items of the prefix. */
static unsigned walk_absent_items(struct walk *w, const struct array *array, size_t size,
                                  const struct path *at)
{
    unsigned verdict = PASS;

    for (size_t i = size; i < array->n_required; i++) {
        struct path here = {at, NULL, i};

        verdict |= hf_walk(w, array->prefix[i], NULL, &here, NULL, NOWHERE);
    }
    return verdict;
}

static unsigned walk_contains(struct walk *w, const struct array *array, yyjson_val *value,
                              const struct path *at, struct seen *seen)
{
    size_t i, n, found = 0;
    yyjson_val *item;

    yyjson_arr_foreach(value, i, n, item) {
        struct path here = {at, NULL, i};

        if (hf_walk_quiet(w, array->contains, item, &here, NULL))
            continue;
        found++;
        if (array->contains_evaluates)
            seen_add(seen, i);
    }
    if (w->status)
        return ABORT_ALL;
    if (found < array->min_contains)
        return hf_report_custom(w, at, "Invalid input: too few items match the contains schema",
                                FAIL);
    if (found > array->max_contains)
        return hf_report_custom(w, at, "Invalid input: too many items match the contains schema",
                                FAIL);
    return PASS;
}

/* Allocates the C items and sets their count; NULL if they are not stored. */
static unsigned prepare_items(struct walk *w, const struct node *node, const yyjson_val *value,
                              struct place place, char **ret_items)
{
    size_t n = unsafe_yyjson_get_len((void *)(uintptr_t)value);
    size_t stride = node->array->items ? node->array->items->size : 0;

    *ret_items = NULL;
    if (place.base && node->store == STORE_INLINE && n * stride <= node->size) {
        *ret_items = place.base + place.member->offset;
        if (place.member->count != NO_MEMBER)
            *(size_t *)(void *)(place.base + place.member->count) = n;
    }
    if (!place.base || node->store != STORE_ARRAY)
        return PASS;
    if (node->list)
        place = (struct place){place.base + place.member->offset, &node->inner};
    *ret_items = haft_arena_zalloc(w->arena, n ? n : 1, stride);
    if (!*ret_items)
        return hf_walk_stop(w, HAFT_ENOMEM);
    *(char **)(void *)(place.base + place.member->offset) = *ret_items;
    *(size_t *)(void *)(place.base + place.member->count) = n;
    return PASS;
}

static unsigned walk_items(struct walk *w, const struct array *array, yyjson_val *value,
                           const struct path *at, struct seen *seen, char *items)
{
    unsigned verdict = PASS;
    size_t i, n;
    yyjson_val *item;

    yyjson_arr_foreach(value, i, n, item) {
        const struct node *node = i < array->n_prefix ? array->prefix[i] : array->items;
        struct path here = {at, NULL, i};
        struct member member = {0, NO_MEMBER, NO_MEMBER, NO_MEMBER, NO_MEMBER};

        if (!node)
            break;
        if (items)
            member.offset = i * node->size;
        verdict |= hf_walk(w, node, item, &here, NULL, (struct place){items, &member});
        seen_add(seen, i);
        if (verdict && !w->issues)
            return verdict;
    }
    return verdict;
}

unsigned hf_walk_array(struct walk *w, const struct node *node, yyjson_val *value,
                       const struct path *at, struct seen *seen, struct place place)
{
    const struct array *array = node->array;
    size_t size = unsafe_yyjson_get_len(value);
    const struct check *most = array->tuple ? NULL : exceeded(node, size);
    unsigned verdict = PASS;
    char *items;

    if (w->depth == w->schema->max_depth)
        return hf_walk_stop(w, HAFT_EDEPTH);
    if (most)
        return hf_report_size(w, at, most, "array", true, most->op == CHECK_ITEMS) | ABORT_ALL;
    if (array->tuple)
        verdict |= walk_tuple_size(w, node, size, at);
    if (array->tuple && !array->items && size < array->n_required)
        return verdict;
    verdict |= prepare_items(w, node, value, place, &items);
    if (w->status)
        return verdict;
    w->depth++;
    verdict |= walk_items(w, array, value, at, seen, items);
    if (array->tuple)
        verdict |= walk_absent_items(w, array, size, at);
    if (!array->tuple && array->closed && size > array->n_prefix)
        verdict |= hf_report_custom(w, at, "Invalid input: no further items are accepted", ABORT);
    if (array->contains && (w->issues || !verdict))
        verdict |= walk_contains(w, array, value, at, seen);
    w->depth--;
    return verdict;
}
