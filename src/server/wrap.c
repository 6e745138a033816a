/* wrap.c - an output schema inside the object that clients before 2026-07-28 want around it.
 *
 * What was the root is now a property, so whatever refers to the root, or from it, has further to
 * go. */
#include <string.h>

#include "server/server.h"

#define PLACE "#/properties/result"

enum { SCHEMA_LIMIT = 64 << 20, MAX_DEPTH = 2048 /* a schema nests 512 deep, and its JSON more */ };

static bool is_one_of(yyjson_val *key, const char *const *names)
{
    while (*names && !yyjson_equals_str(key, *names))
        names++;
    return *names;
}

/* Puts the place in front of a pointer from the root. */
static bool move_ref(yyjson_val *ref, haft_arena *arena)
{
    const char *text = yyjson_get_str(ref);
    const char *moved;

    if (!text || text[0] != '#' || (text[1] && text[1] != '/'))
        return true;
    moved = haft_arena_printf(arena, PLACE "%s", text + 1);
    if (moved)
        yyjson_set_str(ref, moved);
    return moved;
}

/* A schema with an address of its own is a root of its own. */
static bool is_root(yyjson_val *schema)
{
    const char *id = yyjson_get_str(yyjson_obj_get(schema, "$id"));

    return id && id[0] != '#';
}

/* Below a schema, or below `names`: an object whose keys are names and no keywords.  False without
 * memory or too deep. */
static bool move_refs(yyjson_val *value, bool names, haft_arena *arena, size_t depth)
{
    static const char *const refs[] = {"$ref", "$dynamicRef", NULL};
    static const char *const data[] = {"const", "enum", "default", "examples", NULL};
    static const char *const maps[] = {"properties",  "patternProperties", "$defs",
                                       "definitions", "dependentSchemas",  "dependencies",
                                       NULL};
    yyjson_val *key, *member;
    bool ok = depth > 0;
    size_t i, n;

    if (yyjson_is_arr(value)) {
        yyjson_arr_foreach(value, i, n, member)
            ok = ok && move_refs(member, false, arena, depth - 1);
        return ok;
    }
    if (!names && is_root(value))
        return true;
    yyjson_obj_foreach(value, i, n, key, member) {
        if (!names && yyjson_is_str(member))
            ok = ok && (!is_one_of(key, refs) || move_ref(member, arena));
        else if (names || !is_one_of(key, data))
            ok = ok && move_refs(member, !names && is_one_of(key, maps), arena, depth - 1);
    }
    return ok;
}

int put_wrapped(haft_buffer *buffer, const haft_schema *schema, const haft_allocator *allocator)
{
    haft_arena *arena = haft_arena_new(allocator, SCHEMA_LIMIT);
    yyjson_val *root = NULL;
    const char *reason;
    haft_buffer text;
    size_t offset;
    int status;

    if (!arena)
        return HAFT_ENOMEM;
    haft_buffer_init(&text, allocator, buffer->limit);
    status = haft_emit(schema, NULL, &text);
    if (!status)
        status = json_parse(text.data, text.size, arena, &root, &offset, &reason);
    if (!status && !move_refs(root, false, arena, MAX_DEPTH))
        status = HAFT_ENOMEM;
    if (!status) {
        haft_buffer_puts(buffer, "{\"type\":\"object\",\"properties\":{\"result\":");
        haft_json_write(root, buffer);
        haft_buffer_puts(buffer, "},\"required\":[\"result\"],\"additionalProperties\":false}");
    }
    haft_buffer_finish(&text);
    haft_arena_free(arena);
    return status ? status : buffer->status;
}
