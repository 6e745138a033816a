/* gateway/shape_path.h - paths in JSON, and what remains of a value (shape_path.c, shape_project.c).
 *
 * A path is a JSON Pointer (RFC 6901) whose segment "*" is every member of an object and every item of an
 * array. */
#ifndef HAFT_SRC_GATEWAY_SHAPE_PATH_H
#define HAFT_SRC_GATEWAY_SHAPE_PATH_H

#include "json/writer.h"

enum {
    SHAPE_PATHS = 64,    /* in a set, whose members are bits */
    SHAPE_SEGMENTS = 32, /* in a path */
    SHAPE_CUTS = 3,      /* arrays that are named */
    SHAPE_CUT_PATH = 80  /* size of such a name */
};

struct shape_segment {
    struct text name; /* without escapes */
    bool any;         /* "*" */
    bool is_index;    /* can also be an item's */
    size_t index;
};

struct shape_path {
    struct shape_segment *segments;
    size_t n;
};

struct shape_paths {
    struct shape_path *list;
    size_t n;
    uint64_t ends[SHAPE_SEGMENTS + 1]; /* which have so many segments */
};

/* Reads paths into the arena; the strings are copied. Returns 0, HAFT_ENOMEM, or
 * HAFT_EINVAL with the reason, whose path is the position of the string. */
int hf_shape_paths_read(struct shape_paths *ret_paths, const char *const *texts, size_t n,
                        haft_arena *arena, haft_reason *reterr_reason);
/* Which of the paths in the set have this segment at a depth: a key, or an index if the key is NULL. */
uint64_t hf_shape_paths_match(const struct shape_paths *paths, uint64_t set, size_t depth,
                              yyjson_val *key, size_t index);

struct shape_projection {
    struct shape_paths keep, drop; /* without paths in `keep`, everything remains */
    uint64_t max_items;            /* of an array; 0 for any number */
};

/* Arrays that were cut. */
struct shape_cut {
    char path[SHAPE_CUT_PATH]; /* a JSON Pointer, cut if it is long */
    uint64_t kept, total;
};
struct shape_cuts {
    struct shape_cut list[SHAPE_CUTS]; /* the first of them */
    size_t n;                          /* all */
};

/* Writes what remains of an object or array: `drop` prevails over `keep`. Returns 1, or 0 if
 * everything remains; or an error, also of the buffer. */
int hf_shape_project(const struct shape_projection *projection, yyjson_val *value,
                     haft_arena *arena, haft_buffer *out, struct shape_cuts *ret_cuts);

#endif
