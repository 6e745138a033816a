/* wrap.c - lists schemas in a form that clients accept; some drop the whole list because of one
 * unsupported schema.
 *
 * Arguments are always an object, so their schema is listed with that type. An output that is not
 * an object is wrapped in one for clients before 2026-07-28: the root becomes a property, so
 * references to the root must be adjusted. */
#include <string.h>

#include "engine/offer/wrap.h"

#define PLACE "#/properties/result"

enum {
    SCHEMA_LIMIT = 64 << 20,
    WRAP_MAX_DEPTH = 2048 /* a schema can nest 512 levels, and its JSON needs several for each */
};

static bool wrap_is_one_of(yyjson_val *key, const char *const *names)
{
    while (*names && !yyjson_equals_str(key, *names))
        names++;
    return *names;
}

/* Inserts the new location into a pointer from the root. */
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

/* A schema with its own $id is the root for its references. */
static bool is_root(yyjson_val *schema)
{
    const char *id = yyjson_get_str(yyjson_obj_get(schema, "$id"));

    return id && id[0] != '#';
}

/* Adjusts the references below a schema, or below an object of names (`names`), whose keys are not
 * keywords. Returns false without memory or if nested too deep. */
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
            ok = ok && (!wrap_is_one_of(key, refs) || move_ref(member, arena));
        else if (names || !wrap_is_one_of(key, data))
            ok = ok && move_refs(member, !names && wrap_is_one_of(key, maps), arena, depth - 1);
    }
    return ok;
}

/* A boolean schema is written as an object, because some clients require objects. */
static void wrap_put_schema(struct json_writer *w, yyjson_val *schema)
{
    if (!yyjson_is_bool(schema)) {
        hf_json_value(w, schema);
        return;
    }
    hf_json_begin_object(w);
    if (yyjson_is_false(schema))
        hf_json_empty_object(json_key(w, "not"));
    hf_json_end_object(w);
}

static void put_properties(struct json_writer *w, yyjson_val *properties)
{
    yyjson_val *key, *schema;
    size_t i, n;

    hf_json_begin_object(w);
    yyjson_obj_foreach(properties, i, n, key, schema)
        wrap_put_schema(hf_json_name(w, yyjson_get_str(key), yyjson_get_len(key)), schema);
    hf_json_end_object(w);
}

/* Whether a document can be listed unchanged. */
static bool is_plain(yyjson_val *root, enum listed_as as)
{
    yyjson_val *properties = yyjson_obj_get(root, "properties"), *key, *schema;
    size_t i, n;

    if (!yyjson_is_obj(root) || (as == AS_ARGUMENTS && !properties) || as == AS_RESULT ||
        (as != AS_IT_IS && !yyjson_equals_str(yyjson_obj_get(root, "type"), "object")))
        return false;
    if (!properties || as == AS_IT_IS)
        return true;
    yyjson_obj_foreach(properties, i, n, key, schema)
        if (yyjson_is_bool(schema))
            return false;
    return true;
}

static void put_object(haft_buffer *buffer, yyjson_val *root, enum listed_as as)
{
    struct json_writer w = {.out = buffer};
    yyjson_val *key, *value;
    size_t i, n;

    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "type"), "object");
    yyjson_obj_foreach(root, i, n, key, value) {
        if (yyjson_equals_str(key, "type"))
            continue;
        hf_json_name(&w, yyjson_get_str(key), yyjson_get_len(key));
        if (yyjson_equals_str(key, "properties"))
            put_properties(&w, value);
        else
            hf_json_value(&w, value);
    }
    if (as == AS_ARGUMENTS && !yyjson_obj_get(root, "properties"))
        hf_json_empty_object(json_key(&w, "properties"));
    hf_json_end_object(&w);
}

static int wrap_put_wrapped(haft_buffer *buffer, yyjson_val *root, haft_arena *arena)
{
    struct json_writer w = {.out = buffer};

    if (!move_refs(root, false, arena, WRAP_MAX_DEPTH))
        return HAFT_ENOMEM;
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "type"), "object");
    hf_json_begin_object(json_key(&w, "properties"));
    wrap_put_schema(json_key(&w, "result"), root);
    hf_json_end_object(&w);
    hf_json_begin_array(json_key(&w, "required"));
    hf_json_text(&w, "result");
    hf_json_end_array(&w);
    hf_json_bool(json_key(&w, "additionalProperties"), false);
    hf_json_end_object(&w);
    return 0;
}

int hf_put_listed(haft_buffer *buffer, const haft_schema *schema, enum listed_as as,
                  const haft_allocator *allocator)
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
    status = haft_schema_emit(schema, NULL, &text);
    haft_buffer_add(&text, "", 1);
    if (!status)
        status = text.status;
    if (!status)
        status = hf_json_parse(text.data, text.size - 1, arena, &root, &offset, &reason);
    if (!status && is_plain(root, as))
        hf_put_json_line(buffer, text.data);
    else if (!status && as == AS_RESULT)
        status = wrap_put_wrapped(buffer, root, arena);
    else if (!status && as == AS_IT_IS)
        wrap_put_schema(&(struct json_writer){.out = buffer}, root);
    else if (!status)
        put_object(buffer, root, as);
    haft_buffer_finish(&text);
    haft_arena_free(arena);
    return status ? status : buffer->status;
}
