/* copy.c - copies of values.
 *
 * A value and everything in it is one array in yyjson's memory, in which containers have relative
 * sizes; only strings are elsewhere. */
#include <string.h>

#include "json/json.h"

static bool copy_has_text(const yyjson_val *value)
{
    return unsafe_yyjson_get_type((yyjson_val *)(uintptr_t)value) == YYJSON_TYPE_STR ||
           unsafe_yyjson_get_type((yyjson_val *)(uintptr_t)value) == YYJSON_TYPE_RAW;
}

yyjson_val *hf_json_copy(yyjson_val *value, haft_arena *arena)
{
    yyjson_val *end = value ? unsafe_yyjson_get_next(value) : NULL, *copy;
    size_t n = (size_t)(end - value), size = 0;
    char *text;

    if (!value)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (copy_has_text(&value[i]))
            size += unsafe_yyjson_get_len(&value[i]) + 1;
    copy = haft_arena_zalloc(arena, n, sizeof *copy);
    text = size ? haft_arena_alloc(arena, size) : NULL;
    if (!copy || (size && !text))
        return NULL;
    memcpy(copy, value, n * sizeof *copy);
    for (size_t i = 0; i < n; i++) {
        size_t length;

        if (!copy_has_text(&value[i]))
            continue;
        length = unsafe_yyjson_get_len(&value[i]);
        memcpy(text, value[i].uni.str, length);
        text[length] = '\0';
        copy[i].uni.str = text;
        text += length + 1;
    }
    return copy;
}
