/* seen.c - remembers digests of a server's tools.
 *
 * A server may change the description of a tool after a person has read it. `haft tools` marks what
 * differs from the last time. */
#include "seen.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "base/hex.h"
#include "base/sha256.h"
#include "json/writer.h"
#include "state.h"

enum { SEEN_FILE_LIMIT = 16 << 20, SEEN_DIGEST = SHA256_SIZE * 2 };

/* ---- digests ---- */

/* The file of a server: its name is a digest of the URL, or of the command and its directory. */
static bool seen_path(const struct invocation *call, char *ret_path, size_t room)
{
    unsigned char digest[SHA256_SIZE];
    char name[sizeof "seen/" + SEEN_DIGEST + sizeof ".json"] = "seen/", here[PATH_MAX] = "";
    struct sha256 hash;

    hf_sha256_init(&hash);
    if (!call->child) {
        hf_sha256_add(&hash, call->operands[0], strlen(call->operands[0]) + 1);
    } else {
        if (!getcwd(here, sizeof here))
            return false;
        hf_sha256_add(&hash, here, strlen(here) + 1);
        for (char **word = call->child; *word; word++)
            hf_sha256_add(&hash, *word, strlen(*word) + 1);
    }
    hf_sha256_finish(&hash, digest);
    hf_hex_put(digest, SHA256_SIZE / 2, name + 5);
    memcpy(name + 5 + SHA256_SIZE, ".json", sizeof ".json");
    return state_path(name, ret_path, room);
}

/* The digest of everything that a model sees of a tool. */
static bool seen_digest(yyjson_val *tool, char ret_text[SEEN_DIGEST + 1])
{
    unsigned char digest[SHA256_SIZE];
    struct sha256 hash;
    haft_buffer text;
    bool ok;

    haft_buffer_init(&text, NULL, SEEN_FILE_LIMIT);
    haft_json_write(tool, &text);
    ok = !text.status;
    hf_sha256_init(&hash);
    hf_sha256_add(&hash, text.data, text.size);
    hf_sha256_finish(&hash, digest);
    hf_hex_put(digest, SHA256_SIZE, ret_text);
    ret_text[SEEN_DIGEST] = '\0';
    haft_buffer_finish(&text);
    return ok;
}

/* ---- the file ---- */

/* The tools of the last time, by name; NULL if there are none. */
static yyjson_val *seen_read(const char *path, haft_arena *arena)
{
    haft_buffer text;
    yyjson_val *root = NULL;

    haft_buffer_init(&text, NULL, SEEN_FILE_LIMIT);
    if (!access(path, R_OK) && !file_read(path, &text))
        root = haft_json_read(text.data, text.size, 0, arena, NULL);
    haft_buffer_finish(&text);
    root = yyjson_obj_get(root, "tools");
    return yyjson_is_obj(root) ? root : NULL;
}

/* Replaces the file. A failure is not reported: the list has been printed. */
static void seen_write(const char *path, const haft_buffer *text)
{
    char temporary[PATH_MAX + sizeof ".XXXXXX"];
    bool written;
    int fd;

    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    fd = text->status ? -1 : mkstemp(temporary);
    if (fd < 0)
        return;
    written = !write_all(fd, text->data, text->size);
    if (close(fd) || !written || rename(temporary, path))
        unlink(temporary);
}

/* Names in their order, so that long lists are compared quickly. */
struct seen_name {
    const char *text;
    yyjson_val *digest; /* NULL for a tool of today */
};

struct seen_names {
    struct seen_name *list; /* NULL without memory */
    size_t n;
};

static int seen_order(const void *left, const void *right)
{
    const struct seen_name *one = left, *other = right;

    return strcmp(one->text, other->text);
}

static const struct seen_name *seen_find(const struct seen_names *names, const char *text)
{
    struct seen_name key = {.text = text ? text : ""};

    return names->n ? bsearch(&key, names->list, names->n, sizeof key, seen_order) : NULL;
}

/* The names of the last time. */
static struct seen_names seen_before(yyjson_val *before, haft_arena *arena)
{
    struct seen_names names = {
        .list = haft_arena_zalloc(arena, yyjson_obj_size(before) + 1, sizeof *names.list)};
    yyjson_obj_iter iter = yyjson_obj_iter_with(before);
    yyjson_val *key;

    while (names.list && (key = yyjson_obj_iter_next(&iter)))
        names.list[names.n++] =
            (struct seen_name){yyjson_get_str(key), yyjson_obj_iter_get_val(key)};
    if (names.n)
        qsort(names.list, names.n, sizeof *names.list, seen_order);
    return names;
}

static struct seen_names seen_today(yyjson_val *tools, haft_arena *arena)
{
    struct seen_names names = {
        .list = haft_arena_zalloc(arena, yyjson_arr_size(tools) + 1, sizeof *names.list)};
    yyjson_val *tool;
    size_t i, n;

    yyjson_arr_foreach(tools, i, n, tool) {
        const char *name = yyjson_get_str(yyjson_obj_get(tool, "name"));

        if (names.list && name)
            names.list[names.n++].text = name;
    }
    if (names.n)
        qsort(names.list, names.n, sizeof *names.list, seen_order);
    return names;
}

/* The names of the last time that are not among the tools. */
static const char **seen_removed(yyjson_val *before, yyjson_val *tools, haft_arena *arena)
{
    const char **removed = haft_arena_zalloc(arena, yyjson_obj_size(before) + 1, sizeof *removed);
    struct seen_names today = seen_today(tools, arena);
    yyjson_obj_iter iter = yyjson_obj_iter_with(before);
    yyjson_val *key;
    size_t n = 0;

    while (removed && today.list && (key = yyjson_obj_iter_next(&iter)))
        if (!seen_find(&today, yyjson_get_str(key)))
            removed[n++] = yyjson_get_str(key);
    return removed;
}

struct seen seen_compare(const struct invocation *call, yyjson_val *tools, haft_arena *arena)
{
    char path[PATH_MAX], digest[SEEN_DIGEST + 1];
    struct seen seen = {0};
    struct seen_names names;
    haft_buffer text;
    struct json_writer w = {.out = &text};
    yyjson_val *before, *tool;
    size_t i, n;

    if (!seen_path(call, path, sizeof path))
        return seen;
    before = seen_read(path, arena);
    names = seen_before(before, arena);
    if (before && names.list) {
        seen.marks = haft_arena_zalloc(arena, yyjson_arr_size(tools) + 1, sizeof *seen.marks);
        seen.removed = seen_removed(before, tools, arena);
    }
    haft_buffer_init(&text, NULL, SEEN_FILE_LIMIT);
    hf_json_begin_object(&w);
    hf_json_begin_object(json_key(&w, "tools"));
    yyjson_arr_foreach(tools, i, n, tool) {
        yyjson_val *name = yyjson_obj_get(tool, "name");
        const struct seen_name *last = seen_find(&names, yyjson_get_str(name));

        if (!seen_digest(tool, digest))
            continue;
        hf_json_text(hf_json_name(&w, yyjson_get_str(name), yyjson_get_len(name)), digest);
        if (seen.marks)
            seen.marks[i] = !last                                     ? "new"
                            : yyjson_equals_str(last->digest, digest) ? NULL
                                                                      : "changed";
    }
    hf_json_end_object(&w);
    hf_json_end_object(&w);
    haft_buffer_puts(&text, "\n");
    seen_write(path, &text);
    haft_buffer_finish(&text);
    return seen;
}
