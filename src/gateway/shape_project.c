/* shape_project.c - writes what remains of a JSON value.
 *
 * A walk without recursion. Each level has the paths that lead to it, as bits; what no path and no
 * limit concerns is written as a whole. */
#include <stdio.h>
#include <string.h>

#include "gateway/shape_path.h"

/* Levels that are walked; arrays below are not cut. Paths are shorter. */
enum { SHAPE_LEVELS = 128 };

struct shape_level {
    union {
        yyjson_arr_iter items;
        yyjson_obj_iter members;
    } at;
    bool is_object;
    bool whole;              /* everything below is kept */
    uint64_t keep, drop;     /* paths that lead here */
    yyjson_val *key;         /* of the current member; NULL for an item */
    size_t index;            /* of the current item, from 0 */
    uint64_t kept, left_out; /* items */
};

struct projection_walk {
    const struct shape_projection *projection;
    struct json_writer writer;
    struct shape_level *levels;
    size_t depth; /* number of levels */
    bool changed;
    struct shape_cuts *cuts;
};

/* ---- arrays that are cut ---- */

/* Appends text; one that is too long ends in dots. */
static void cut_put(struct shape_cut *cut, size_t *at, const char *text, size_t size)
{
    static const char dots[] = "...";
    size_t room = sizeof cut->path - sizeof dots - *at;
    bool fits = size <= room;

    if (!fits)
        size = haft_utf8_valid(text, room);
    memcpy(cut->path + *at, text, size);
    *at += size;
    memcpy(cut->path + *at, dots, fits ? 0 : sizeof dots - 1);
    cut->path[*at + (fits ? 0 : sizeof dots - 1)] = '\0';
    if (!fits)
        *at = sizeof cut->path; /* nothing more */
}

static void cut_put_key(struct shape_cut *cut, size_t *at, yyjson_val *key)
{
    const char *text = yyjson_get_str(key), *end = text + yyjson_get_len(key);

    for (; text < end && *at < sizeof cut->path; text++) {
        size_t plain = 0;

        while (text + plain < end && text[plain] != '~' && text[plain] != '/')
            plain++;
        if (plain)
            cut_put(cut, at, text, plain);
        text += plain;
        if (text < end && *at < sizeof cut->path)
            cut_put(cut, at, *text == '~' ? "~0" : "~1", 2);
    }
}

/* Records that the array of the last level was cut. */
static void shape_walk_note(struct projection_walk *walk)
{
    const struct shape_level *array = &walk->levels[walk->depth - 1];
    struct shape_cut *cut;
    size_t at = 0;

    if (walk->cuts->n++ >= SHAPE_CUTS)
        return;
    cut = &walk->cuts->list[walk->cuts->n - 1];
    *cut = (struct shape_cut){.kept = array->kept, .total = array->kept + array->left_out};
    for (size_t i = 0; i + 1 < walk->depth && at < sizeof cut->path; i++) {
        const struct shape_level *level = &walk->levels[i];
        char index[24];

        cut_put(cut, &at, "/", 1);
        if (at < sizeof cut->path && level->key)
            cut_put_key(cut, &at, level->key);
        else if (at < sizeof cut->path)
            cut_put(cut, &at, index, (size_t)snprintf(index, sizeof index, "%zu", level->index));
    }
}

/* ---- the walk ---- */

static void shape_walk_open(struct projection_walk *walk, yyjson_val *value, bool whole,
                            uint64_t keep, uint64_t drop)
{
    struct shape_level *level = &walk->levels[walk->depth++];

    *level = (struct shape_level){
        .is_object = yyjson_is_obj(value), .whole = whole, .keep = keep, .drop = drop};
    if (level->is_object) {
        yyjson_obj_iter_init(value, &level->at.members);
        hf_json_begin_object(&walk->writer);
    } else {
        yyjson_arr_iter_init(value, &level->at.items);
        hf_json_begin_array(&walk->writer);
    }
}

static void shape_walk_close(struct projection_walk *walk)
{
    const struct shape_level *level = &walk->levels[walk->depth - 1];

    if (level->is_object)
        hf_json_end_object(&walk->writer);
    else
        hf_json_end_array(&walk->writer);
    if (level->left_out)
        shape_walk_note(walk);
    walk->depth--;
}

/* Moves to the next member or item; NULL after the last. */
static yyjson_val *shape_level_next(struct shape_level *level)
{
    yyjson_val *value;

    if (level->is_object) {
        level->key = yyjson_obj_iter_next(&level->at.members);
        return level->key ? yyjson_obj_iter_get_val(level->key) : NULL;
    }
    level->index = level->at.items.idx;
    value = yyjson_arr_iter_next(&level->at.items);
    return value;
}

/* Whether a limit leaves it out. */
static bool shape_level_is_full(struct shape_level *level, uint64_t max_items)
{
    if (level->is_object || !max_items)
        return false;
    if (level->kept == max_items) {
        level->left_out++;
        return true;
    }
    level->kept++;
    return false;
}

/* Writes a member or item of the last level, or opens it, or leaves it out. */
static void shape_walk_take(struct projection_walk *walk, yyjson_val *value)
{
    const struct shape_projection *projection = walk->projection;
    struct shape_level *level = &walk->levels[walk->depth - 1];
    size_t depth = walk->depth - 1, under = depth < SHAPE_SEGMENTS ? depth + 1 : 0;
    uint64_t keep =
        hf_shape_paths_match(&projection->keep, level->keep, depth, level->key, level->index);
    uint64_t drop =
        hf_shape_paths_match(&projection->drop, level->drop, depth, level->key, level->index);
    bool whole = level->whole || (keep & projection->keep.ends[under]);

    if ((drop & projection->drop.ends[under]) || (!whole && (!keep || !yyjson_is_ctn(value))) ||
        shape_level_is_full(level, projection->max_items)) {
        walk->changed = true;
        return;
    }
    if (level->key)
        hf_json_name(&walk->writer, yyjson_get_str(level->key), yyjson_get_len(level->key));
    if (yyjson_is_ctn(value) && (!whole || drop || projection->max_items) &&
        walk->depth < SHAPE_LEVELS)
        shape_walk_open(walk, value, whole, keep, drop);
    else
        hf_json_value(&walk->writer, value);
}

int hf_shape_project(const struct shape_projection *projection, yyjson_val *value,
                     haft_arena *arena, haft_buffer *out, struct shape_cuts *ret_cuts)
{
    struct projection_walk walk = {
        .projection = projection, .writer = {.out = out}, .cuts = ret_cuts};

    ret_cuts->n = 0;
    if (!yyjson_is_ctn(value))
        return 0;
    walk.levels = haft_arena_alloc(arena, SHAPE_LEVELS * sizeof *walk.levels);
    if (!walk.levels)
        return HAFT_ENOMEM;
    shape_walk_open(&walk, value, !projection->keep.n, UINT64_MAX, UINT64_MAX);
    while (walk.depth) {
        yyjson_val *next = shape_level_next(&walk.levels[walk.depth - 1]);

        if (next)
            shape_walk_take(&walk, next);
        else
            shape_walk_close(&walk);
    }
    return out->status ? out->status : walk.changed;
}
