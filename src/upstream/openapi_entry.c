/* openapi_entry.c - a tool that is written in the configuration, as an OpenAPI document with one
 * operation: so there is one way from arguments to requests. */
#include <yyjson.h>

#include "json/writer.h"
#include "upstream/openapi.h"

enum { OPENAPI_ENTRY = 4 << 20, OPENAPI_ENTRY_DEPTH = 200, OPENAPI_ENTRY_METHOD = 16 };

/* The arguments; an empty object without any, because yyjson_obj_foreach does not accept NULL. */
static yyjson_val *openapi_entry_properties(yyjson_val *input)
{
    static yyjson_val none = {.tag = YYJSON_TYPE_OBJ, .uni.ofs = sizeof none};
    yyjson_val *properties = yyjson_obj_get(input, "properties");

    return yyjson_is_obj(properties) ? properties : &none;
}

static bool openapi_entry_requires(yyjson_val *input, const char *name)
{
    yyjson_val *one;
    size_t i, n;

    yyjson_arr_foreach(yyjson_obj_get(input, "required"), i, n, one)
        if (yyjson_equals_str(one, name))
            return true;
    return false;
}

/* Whether the path has the variable {name}. */
static bool openapi_entry_in_path(const char *path, const char *name)
{
    size_t size = strlen(name);

    for (const char *at = strchr(path, '{'); at; at = strchr(at + 1, '{'))
        if (!strncmp(at + 1, name, size) && at[size + 1] == '}')
            return true;
    return false;
}

static bool openapi_entry_has_body(const http_tool_entry *tool)
{
    return !strcmp(tool->method, "POST") || !strcmp(tool->method, "PUT") ||
           !strcmp(tool->method, "PATCH");
}

/* Where an argument goes: "path", "query", "header", "cookie" or "body". */
static const char *openapi_entry_place(const http_tool_entry *tool, const char *name)
{
    if (openapi_entry_in_path(tool->path, name))
        return "path";
    for (size_t i = 0; tool->has_places && i < tool->n_places; i++)
        if (!strcmp(tool->places_keys[i], name))
            return http_argument_place_type.values[tool->places[i]];
    return openapi_entry_has_body(tool) ? "body" : "query";
}

static bool openapi_entry_is_body(const http_tool_entry *tool, yyjson_val *name)
{
    return !strcmp(openapi_entry_place(tool, yyjson_get_str(name)), "body");
}

static void openapi_entry_put_parameters(struct json_writer *w, const http_tool_entry *tool,
                                         yyjson_val *input)
{
    yyjson_val *key, *schema;
    size_t i, n;

    hf_json_begin_array(json_key(w, "parameters"));
    yyjson_obj_foreach(openapi_entry_properties(input), i, n, key, schema) {
        const char *name = yyjson_get_str(key), *place = openapi_entry_place(tool, name);

        if (openapi_entry_is_body(tool, key))
            continue;
        hf_json_begin_object(w);
        hf_json_text(json_key(w, "name"), name);
        hf_json_text(json_key(w, "in"), place);
        hf_json_bool(json_key(w, "required"),
                     !strcmp(place, "path") || openapi_entry_requires(input, name));
        hf_json_value(json_key(w, "schema"), schema);
        hf_json_end_object(w);
    }
    hf_json_end_array(w);
}

/* The arguments of the body as a schema of an object. */
static void openapi_entry_put_schema(struct json_writer *w, const http_tool_entry *tool,
                                     yyjson_val *input)
{
    yyjson_val *key, *schema, *extra = yyjson_obj_get(input, "additionalProperties");
    size_t i, n;

    hf_json_begin_object(json_key(w, "schema"));
    hf_json_text(json_key(w, "type"), "object");
    hf_json_begin_object(json_key(w, "properties"));
    yyjson_obj_foreach(openapi_entry_properties(input), i, n, key, schema)
        if (openapi_entry_is_body(tool, key))
            hf_json_value(hf_json_name(w, yyjson_get_str(key), yyjson_get_len(key)), schema);
    hf_json_end_object(w);
    hf_json_begin_array(json_key(w, "required"));
    yyjson_obj_foreach(openapi_entry_properties(input), i, n, key, schema)
        if (openapi_entry_is_body(tool, key) && openapi_entry_requires(input, yyjson_get_str(key)))
            hf_json_string(w, yyjson_get_str(key), yyjson_get_len(key));
    hf_json_end_array(w);
    if (extra)
        hf_json_value(json_key(w, "additionalProperties"), extra);
    hf_json_end_object(w);
}

static void openapi_entry_put_body(struct json_writer *w, const http_tool_entry *tool,
                                   yyjson_val *input)
{
    yyjson_val *key, *schema;
    size_t i, n;
    bool any = false;

    yyjson_obj_foreach(openapi_entry_properties(input), i, n, key, schema)
        any = any || openapi_entry_is_body(tool, key);
    if (!any)
        return;
    hf_json_begin_object(json_key(w, "requestBody"));
    hf_json_bool(json_key(w, "required"), true);
    hf_json_begin_object(json_key(w, "content"));
    hf_json_begin_object(json_key(w, "application/json"));
    openapi_entry_put_schema(w, tool, input);
    hf_json_end_object(w);
    hf_json_end_object(w);
    hf_json_end_object(w);
}

static void openapi_entry_put_responses(struct json_writer *w, const http_tool_entry *tool)
{
    hf_json_begin_object(json_key(w, "responses"));
    hf_json_begin_object(json_key(w, "2XX"));
    hf_json_text(json_key(w, "description"), "");
    if (tool->has_output) {
        hf_json_begin_object(json_key(w, "content"));
        hf_json_begin_object(json_key(w, "application/json"));
        hf_json_value(json_key(w, "schema"), tool->output);
        hf_json_end_object(w);
        hf_json_end_object(w);
    }
    hf_json_end_object(w);
    hf_json_end_object(w);
}

static void openapi_entry_put_operation(struct json_writer *w, const char *name,
                                        const http_tool_entry *tool, yyjson_val *input)
{
    char method[OPENAPI_ENTRY_METHOD];
    size_t size = 0;

    for (; tool->method[size] && size < sizeof method; size++)
        method[size] = ascii_lower(tool->method[size]);
    hf_json_begin_object(hf_json_name(w, tool->path, strlen(tool->path)));
    hf_json_begin_object(hf_json_name(w, method, size));
    hf_json_text(json_key(w, "operationId"), name);
    if (tool->has_title)
        hf_json_text(json_key(w, "summary"), tool->title);
    hf_json_text(json_key(w, "description"), tool->description);
    openapi_entry_put_parameters(w, tool, input);
    openapi_entry_put_body(w, tool, input);
    openapi_entry_put_responses(w, tool);
    hf_json_end_object(w);
    hf_json_end_object(w);
}

static void openapi_entry_put(struct json_writer *w, const char *name, const http_tool_entry *tool,
                              yyjson_val *input)
{
    yyjson_val *definitions = yyjson_obj_get(input, "$defs");

    hf_json_begin_object(w);
    hf_json_text(json_key(w, "openapi"), "3.1.0");
    hf_json_begin_object(json_key(w, "info"));
    hf_json_text(json_key(w, "title"), name);
    hf_json_text(json_key(w, "version"), "1");
    hf_json_end_object(w);
    if (definitions) /* where references in the input find them */
        hf_json_value(json_key(w, "$defs"), definitions);
    hf_json_begin_object(json_key(w, "paths"));
    openapi_entry_put_operation(w, name, tool, input);
    hf_json_end_object(w);
    hf_json_end_object(w);
}

/* Whether each variable of the path is an argument; otherwise the reason. */
static bool openapi_entry_path_fits(const char *path, yyjson_val *input, haft_reason *reterr_reason)
{
    for (const char *at = strchr(path, '{'); at; at = strchr(at + 1, '{')) {
        size_t size = strcspn(at + 1, "}");

        if (!yyjson_obj_getn(yyjson_obj_get(input, "properties"), at + 1, size)) {
            hf_error_set(reterr_reason, HAFT_EINVAL, "path",
                         "{%.*s} is not an argument of the tool", (int)size, at + 1);
            return false;
        }
    }
    return true;
}

/* The same for each argument that has a place. */
static bool openapi_entry_places_fit(const http_tool_entry *tool, yyjson_val *input,
                                     haft_reason *reterr_reason)
{
    for (size_t i = 0; tool->has_places && i < tool->n_places; i++)
        if (!yyjson_obj_get(yyjson_obj_get(input, "properties"), tool->places_keys[i])) {
            hf_error_set(reterr_reason, HAFT_EINVAL, "places",
                         "%.100s is not an argument of the tool", tool->places_keys[i]);
            return false;
        }
    return true;
}

haft_value *hf_openapi_document(struct upstream *upstream, const char *name,
                                const http_tool_entry *tool, haft_reason *reterr_reason)
{
    yyjson_val *input = tool->has_input ? tool->input : NULL;
    haft_value *document = NULL;
    haft_buffer out;

    if (input && !yyjson_equals_str(yyjson_obj_get(input, "type"), "object")) {
        hf_error_set(reterr_reason, HAFT_EINVAL, "input", "must be a schema of an object");
        return NULL;
    }
    if (!openapi_entry_path_fits(tool->path, input, reterr_reason) ||
        !openapi_entry_places_fit(tool, input, reterr_reason))
        return NULL;
    haft_buffer_init(&out, upstream->set->allocator, OPENAPI_ENTRY);
    openapi_entry_put(&(struct json_writer){.out = &out}, name, tool, input);
    if (out.status)
        hf_error_set(reterr_reason, out.status, "", "%s", haft_strerror(out.status));
    else
        document =
            haft_json_read(out.data, out.size, OPENAPI_ENTRY_DEPTH, upstream->arena, reterr_reason);
    haft_buffer_finish(&out);
    return document;
}
