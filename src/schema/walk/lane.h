/* schema/walk/lane.h - what both fast lanes do with a value that has no parts: from a document (quick.c)
 * and from text (quick_text.c). */
#ifndef HAFT_SRC_LANE_H
#define HAFT_SRC_LANE_H

#include <string.h>

#include "schema/model/node.h"

static const struct member fast_whole = {0, NO_MEMBER, NO_MEMBER, NO_MEMBER, NO_MEMBER};

/* Each returns whether the value is accepted, and keeps it at its member of the struct at `base`,
 * if its node is one that is kept; `base` is NULL when nobody wants it. */

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
        return false; /* it does not fit */
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
    /* Without an escape there is no NUL: yyjson knows which have none. */
    if (!(value->tag & YYJSON_SUBTYPE_NOESC) && node->c_string && memchr(text, 0, size))
        return false;
    return !quick->format || quick->format(text, size);
}

static ALWAYS_INLINE void fast_boolean(const struct node *node, bool value, char *base,
                                       const struct member *member)
{
    if (base && node->store == STORE_BOOLEAN)
        *(bool *)(base + member->offset) = value;
}

#endif
