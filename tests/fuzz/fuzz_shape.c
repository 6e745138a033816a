/* fuzz_shape.c - any paths and a limit for lists, on any JSON.
 *
 * The first two lines are paths to keep and to drop, separated by commas, the third a number, and the rest JSON.
 * Whatever they are, what remains is JSON, is not larger, and stays as it is when it is shaped again without a
 * path to an item by its number. */
#include <stdlib.h>
#include <string.h>

#include "gateway/shape_path.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_PATHS = 80 };

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* Takes a line off the input. */
static char *next_line(const char **at, const char *end, haft_arena *arena)
{
    const char *start = *at,
               *stop = start < end ? memchr(start, '\n', (size_t)(end - start)) : NULL;

    stop = stop ? stop : end;
    *at = stop < end ? stop + 1 : end;
    return haft_arena_copy(arena, start, (size_t)(stop - start));
}

static int read_paths(struct shape_paths *paths, char *line, haft_arena *arena)
{
    const char *texts[MOST_PATHS];
    haft_reason reason = {.code = 0};
    size_t n = 0;
    int status;

    while (*line && n < MOST_PATHS) {
        size_t size = strcspn(line, ",");
        bool more = line[size];

        texts[n++] = line;
        line[size] = '\0';
        line += size + more;
    }
    status = hf_shape_paths_read(paths, texts, n, arena, &reason);
    require(!status || (status == HAFT_EINVAL && *reason.text));
    return status;
}

static bool has_index(const struct shape_paths *paths)
{
    for (size_t i = 0; i < paths->n; i++)
        for (size_t k = 0; k < paths->list[i].n; k++)
            if (paths->list[i].segments[k].is_index)
                return true;
    return false;
}

static void check(const struct shape_projection *projection, yyjson_val *value, size_t written,
                  haft_arena *arena)
{
    struct shape_cuts cuts, again;
    haft_buffer out, other;
    yyjson_val *shaped = NULL;
    const char *reason;
    size_t offset;
    int status;

    haft_buffer_init(&out, NULL, 1 << 22);
    haft_buffer_init(&other, NULL, 1 << 22);
    status = hf_shape_project(projection, value, arena, &out, &cuts);
    require(status == 0 || status == 1);
    require(status || !cuts.n);
    for (size_t i = 0; i < cuts.n && i < SHAPE_CUTS; i++)
        require(cuts.list[i].kept == projection->max_items &&
                cuts.list[i].total > cuts.list[i].kept &&
                memchr(cuts.list[i].path, '\0', SHAPE_CUT_PATH));
    if (status) {
        require(out.size < written);
        require(!hf_json_parse(out.data, out.size, arena, &shaped, &offset, &reason));
        require(yyjson_get_type(shaped) == yyjson_get_type(value));
        if (!has_index(&projection->keep) && !has_index(&projection->drop))
            require(hf_shape_project(projection, shaped, arena, &other, &again) == 0);
    }
    haft_buffer_finish(&out);
    haft_buffer_finish(&other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *at = (const char *)data, *end = at + size, *reason;
    haft_arena *arena = haft_arena_new(NULL, 64 << 20);
    struct shape_projection projection = {.max_items = 0};
    char *keep = next_line(&at, end, arena), *drop = next_line(&at, end, arena),
         *limit = next_line(&at, end, arena);
    yyjson_val *value = NULL;
    haft_buffer text;
    size_t offset;

    projection.max_items = strtoul(limit, NULL, 10) % 1000;
    if (!read_paths(&projection.keep, keep, arena) && !read_paths(&projection.drop, drop, arena) &&
        !hf_json_text_is_deep(at, (size_t)(end - at), JSON_MAX_DEPTH) &&
        !hf_json_parse(at, (size_t)(end - at), arena, &value, &offset, &reason)) {
        haft_buffer_init(&text, NULL, 1 << 22);
        haft_json_write(value, &text);
        check(&projection, value, text.size, arena);
        haft_buffer_finish(&text);
    }
    haft_arena_free(arena);
    return 0;
}
