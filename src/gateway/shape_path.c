/* shape_path.c - reads and matches paths in JSON. */
#include <stdio.h>
#include <string.h>

#include "gateway/shape_path.h"

enum { SHAPE_INDEX_DIGITS = 9 };

/* Reads an index: decimal digits, without a zero in front. */
static bool segment_read_index(struct shape_segment *segment)
{
    size_t size = segment->name.size, index = 0;

    if (!size || size > SHAPE_INDEX_DIGITS || (size > 1 && segment->name.data[0] == '0'))
        return false;
    for (size_t i = 0; i < size; i++) {
        if (segment->name.data[i] < '0' || segment->name.data[i] > '9')
            return false;
        index = index * 10 + (size_t)(segment->name.data[i] - '0');
    }
    segment->index = index;
    return true;
}

/* Reads up to the next slash, and replaces ~0 and ~1. Returns the end, or NULL if the escape is wrong or
 * memory ran out: then the name is NULL. */
static const char *segment_read(struct shape_segment *segment, const char *text, haft_arena *arena)
{
    size_t size = strcspn(text, "/"), n = 0;
    char *name = haft_arena_alloc(arena, size + 1);

    segment->name = (struct text){name, 0};
    if (!name)
        return NULL;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '~' && (i + 1 == size || (text[i + 1] != '0' && text[i + 1] != '1')))
            return NULL;
        name[n++] = text[i] != '~' ? text[i] : text[++i] == '0' ? '~' : '/';
    }
    name[n] = '\0';
    segment->name.size = n;
    segment->any = size == 1 && *text == '*';
    segment->is_index = segment_read_index(segment);
    return text + size;
}

static int shape_path_read(struct shape_path *ret_path, const char *text, haft_arena *arena,
                           haft_reason *reterr_reason)
{
    size_t n = 0;

    for (const char *c = text; *c; c++)
        n += *c == '/';
    if (*text != '/' || n > SHAPE_SEGMENTS)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "",
                            "expected a JSON Pointer such as /items/*/name, with 1 to %d parts",
                            SHAPE_SEGMENTS);
    ret_path->segments = haft_arena_zalloc(arena, n, sizeof *ret_path->segments);
    if (!ret_path->segments)
        return HAFT_ENOMEM;
    for (ret_path->n = 0; ret_path->n < n; ret_path->n++) {
        struct shape_segment *segment = &ret_path->segments[ret_path->n];

        text = segment_read(segment, text + 1, arena);
        if (!text)
            return !segment->name.data ? HAFT_ENOMEM
                                       : hf_error_set(reterr_reason, HAFT_EINVAL, "",
                                                      "after ~, a JSON Pointer has 0 or 1");
    }
    return 0;
}

int hf_shape_paths_read(struct shape_paths *ret_paths, const char *const *texts, size_t n,
                        haft_arena *arena, haft_reason *reterr_reason)
{
    *ret_paths = (struct shape_paths){.n = n};
    if (n > SHAPE_PATHS)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "", "at most %d paths are possible",
                            SHAPE_PATHS);
    ret_paths->list = haft_arena_zalloc(arena, n + 1, sizeof *ret_paths->list);
    if (!ret_paths->list)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        haft_reason reason = {.code = 0};
        int status = shape_path_read(&ret_paths->list[i], texts[i], arena, &reason);
        char place[24];

        snprintf(place, sizeof place, "%zu", i);
        if (status == HAFT_EINVAL)
            return hf_error_set(reterr_reason, status, place, "%s", reason.text);
        if (status)
            return status;
        ret_paths->ends[ret_paths->list[i].n] |= UINT64_C(1) << i;
    }
    return 0;
}

static bool segment_is(const struct shape_segment *segment, yyjson_val *key, size_t index)
{
    if (segment->any)
        return true;
    if (!key)
        return segment->is_index && segment->index == index;
    return yyjson_equals_strn(key, segment->name.data, segment->name.size);
}

uint64_t hf_shape_paths_match(const struct shape_paths *paths, uint64_t set, size_t depth,
                              yyjson_val *key, size_t index)
{
    uint64_t matching = 0;

    for (size_t i = 0; i < paths->n && set >> i; i++)
        if (set >> i & 1 && depth < paths->list[i].n &&
            segment_is(&paths->list[i].segments[depth], key, index))
            matching |= UINT64_C(1) << i;
    return matching;
}
