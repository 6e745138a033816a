/* schema/walk/lane.h - scalar handling of both fast paths: from a document (quick.c) and from text
 * (quick_text.c). */
#ifndef HAFT_SRC_LANE_H
#define HAFT_SRC_LANE_H

#include <float.h>
#include <string.h>

#include "schema/model/node.h"
#include "schema/model/sized.h"

static const struct member fast_whole = {0, NO_MEMBER, NO_MEMBER, NO_MEMBER, NO_MEMBER};

/* Each returns whether the value is accepted and, if its node has a member, stores it in the struct
 * at `base`. `base` is NULL if the value is only validated. */

static ALWAYS_INLINE bool fast_number(const struct node *node, const yyjson_val *value, char *base,
                                      const struct member *member)
{
    int64_t integer = value->uni.i64;

    if (unsafe_yyjson_is_real((void *)(uintptr_t)value)) {
        if (base && node->store == STORE_NUMBER)
            *(double *)(void *)(base + member->offset) = value->uni.f64;
        return node->quick.reals;
    }
    if (base && node->store == STORE_INTEGER)
        *(int64_t *)(void *)(base + member->offset) = integer;
    else if (base && node->store == STORE_NUMBER)
        *(double *)(void *)(base + member->offset) = (double)integer;
    if (integer < 0 && unsafe_yyjson_is_uint((void *)(uintptr_t)value))
        return false; /* does not match */
    return integer >= node->quick.least && integer <= node->quick.most;
}

static ALWAYS_INLINE bool fast_string(const struct node *node, const yyjson_val *value, char *base,
                                      const struct member *member)
{
    const struct quick *quick = &node->quick;
    size_t size = unsafe_yyjson_get_len((void *)(uintptr_t)value);
    const char *text = value->uni.str;

    if (base && node->store == STORE_STRING)
        *(const char **)(void *)(base + member->offset) = text;
    if (size < quick->least_bytes || size > quick->most_bytes)
        return false;
    /* A string without escapes cannot contain a NUL, and yyjson marks those. */
    if (!(value->tag & YYJSON_SUBTYPE_NOESC) && node->c_string && memchr(text, 0, size))
        return false;
    return !quick->format || quick->format(text, size);
}

/* Stores an accepted value in a member that is narrower than its kind; returns false if it does not
 * fit. Values without such members skip this function. */
static bool fast_narrow(const struct node *node, const yyjson_val *value, char *base,
                        const struct member *member)
{
    bool real = unsafe_yyjson_is_real((void *)(uintptr_t)value);
    size_t size = unsafe_yyjson_get_len((void *)(uintptr_t)value);
    char *to = base ? base + member->offset : NULL;
    double number;
    float narrow;

    switch (node->store) {
    case STORE_TEXT:
        if (!to || size >= node->size)
            return !to;
        memcpy(to, value->uni.str, size);
        to[size] = '\0';
        return true;
    case STORE_FLOAT:
        number = real ? value->uni.f64 : (double)value->uni.i64;
        if (!(number >= -FLT_MAX && number <= FLT_MAX))
            return false;
        narrow = (float)number;
        if (to)
            memcpy(to, &narrow, sizeof narrow);
        return true;
    default:
        if (to)
            sized_put(to, node->size, value->uni.u64);
        return true;
    }
}

static ALWAYS_INLINE void fast_boolean(const struct node *node, bool value, char *base,
                                       const struct member *member)
{
    if (base && node->store == STORE_BOOLEAN)
        *(bool *)(base + member->offset) = value;
}

#endif
