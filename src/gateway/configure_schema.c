/* configure_schema.c - a JSON Schema of the configuration file of a gateway, for editors. */
#include "gateway/configure_schema.h"

#include <string.h>

#include "config/option.h"
#include "gateway/upstreams.h"
#include "json/writer.h"

enum { SCHEMA_TEXT_LIMIT = 4 << 20 };

/* ---- parts that are emitted from declared types ---- */

/* The schema of a type, in the arena; NULL on failure. */
static haft_value *schema_of_type(const haft_type *type, haft_arena *arena)
{
    haft_schema *schema = NULL;
    haft_value *value = NULL;
    haft_buffer text;

    if (haft_schema_compile(type, NULL, &schema, NULL))
        return NULL;
    haft_buffer_init(&text, NULL, SCHEMA_TEXT_LIMIT);
    if (!haft_schema_emit(schema, NULL, &text))
        value = haft_json_read(text.data, text.size, 0, arena, NULL);
    haft_buffer_finish(&text);
    haft_schema_free(schema);
    return value;
}

static void schema_put_value(struct json_writer *w, const haft_value *value)
{
    haft_buffer text;

    haft_buffer_init(&text, NULL, SCHEMA_TEXT_LIMIT);
    if (value)
        haft_json_write(value, &text);
    if (!value || text.status)
        w->out->status = w->out->status ? w->out->status : HAFT_ENOMEM;
    else
        hf_json_raw(w, text.data, text.size);
    haft_buffer_finish(&text);
}

/* ---- policies ---- */

static void schema_put_policy_kind(struct json_writer *w, const struct kind *kind,
                                   haft_arena *arena)
{
    hf_json_begin_object(w);
    hf_json_begin_object(json_key(w, "if"));
    hf_json_begin_object(json_key(w, "properties"));
    hf_json_begin_object(json_key(w, "policy"));
    hf_json_text(json_key(w, "const"), kind->kind->name);
    hf_json_end_object(w);
    hf_json_end_object(w);
    hf_json_end_object(w);
    hf_json_begin_object(json_key(w, "then"));
    hf_json_begin_object(json_key(w, "properties"));
    schema_put_value(json_key(w, "options"), schema_of_type(kind->kind->options, arena));
    hf_json_end_object(w);
    hf_json_end_object(w);
    hf_json_end_object(w);
}

static void schema_put_scopes(struct json_writer *w, const char *const *words)
{
    hf_json_begin_object(w);
    hf_json_begin_array(json_key(w, "enum"));
    for (; *words; words++)
        hf_json_text(w, *words);
    hf_json_end_array(w);
    hf_json_end_object(w);
}

static void schema_put_string(struct json_writer *w, const char *description)
{
    hf_json_begin_object(w);
    hf_json_text(json_key(w, "type"), "string");
    hf_json_text(json_key(w, "description"), description);
    hf_json_end_object(w);
}

/* The names are those of built-in kinds and of the program's; plugins may have others. */
static void schema_put_policies(struct json_writer *w, const struct generation *generation,
                                haft_arena *arena)
{
    static const char *const scopes[] = {"edge", "invoke", "both", NULL};

    hf_json_begin_object(w);
    hf_json_text(json_key(w, "type"), "array");
    hf_json_begin_object(json_key(w, "items"));
    hf_json_text(json_key(w, "type"), "object");
    hf_json_begin_array(json_key(w, "required"));
    hf_json_text(w, "name");
    hf_json_text(w, "policy");
    hf_json_end_array(w);
    hf_json_bool(json_key(w, "additionalProperties"), false);
    hf_json_begin_object(json_key(w, "properties"));
    schema_put_string(json_key(w, "name"), "Name that routes and endpoints list");
    schema_put_string(json_key(w, "policy"), "Kind of the policy");
    schema_put_scopes(json_key(w, "scope"), scopes);
    hf_json_begin_object(json_key(w, "options"));
    hf_json_text(json_key(w, "type"), "object");
    hf_json_end_object(w);
    hf_json_end_object(w);
    hf_json_begin_array(json_key(w, "allOf"));
    for (const struct kind *kind = generation->kinds; kind; kind = kind->next)
        if (kind->kind->options)
            schema_put_policy_kind(w, kind, arena);
    hf_json_end_array(w);
    hf_json_end_object(w);
    hf_json_end_object(w);
}

/* ---- upstreams ---- */

static const struct upstream_kind *schema_kind_named(const char *name)
{
    const struct upstream_kind *kind = NULL;

    for (size_t i = 0; (kind = hf_upstreams_kind(i)) && strcmp(kind->name, name) != 0; i++)
        ;
    return kind;
}

/* Members of an entry: those that name a kind have the kind's options. */
static void schema_put_entry(struct json_writer *w, haft_value *entry, haft_arena *arena)
{
    yyjson_val *properties = yyjson_obj_get(entry, "properties"), *name, *each;
    size_t i, n;

    if (!properties && !w->out->status)
        w->out->status = HAFT_ENOMEM;
    if (!properties)
        return;
    hf_json_begin_object(w);
    hf_json_text(json_key(w, "type"), "object");
    hf_json_bool(json_key(w, "additionalProperties"), false);
    hf_json_begin_object(json_key(w, "properties"));
    yyjson_obj_foreach(properties, i, n, name, each) {
        const struct upstream_kind *kind = schema_kind_named(yyjson_get_str(name));

        hf_json_name(w, yyjson_get_str(name), yyjson_get_len(name));
        schema_put_value(w, kind ? schema_of_type(kind->options, arena) : each);
    }
    hf_json_end_object(w);
    hf_json_end_object(w);
}

static void schema_put_upstreams(struct json_writer *w, haft_arena *arena)
{
    hf_json_begin_object(w);
    hf_json_text(json_key(w, "type"), "object");
    schema_put_entry(json_key(w, "additionalProperties"),
                     schema_of_type(&upstream_entry_type, arena), arena);
    hf_json_end_object(w);
}

/* ---- the file ---- */

static void schema_put_gateway(struct json_writer *w, const struct generation *generation,
                               haft_arena *arena)
{
    yyjson_val *section =
        yyjson_obj_get(schema_of_type(&gateway_section_type, arena), "properties");
    yyjson_val *name, *each;
    size_t i, n;

    if (!section && !w->out->status)
        w->out->status = HAFT_ENOMEM;
    if (!section)
        return;
    hf_json_begin_object(w);
    hf_json_text(json_key(w, "type"), "object");
    hf_json_bool(json_key(w, "additionalProperties"), false);
    hf_json_begin_object(json_key(w, "properties"));
    yyjson_obj_foreach(section, i, n, name, each) {
        hf_json_name(w, yyjson_get_str(name), yyjson_get_len(name));
        if (yyjson_equals_str(name, "policies"))
            schema_put_policies(w, generation, arena);
        else if (yyjson_equals_str(name, "upstreams"))
            schema_put_upstreams(w, arena);
        else
            schema_put_value(w, each);
    }
    hf_json_end_object(w);
    hf_json_end_object(w);
}

static void schema_put_plugins(struct json_writer *w)
{
    hf_json_begin_object(w);
    hf_json_text(json_key(w, "type"), "array");
    hf_json_text(json_key(w, "description"), "Shared objects with tools, routes and policies");
    hf_json_begin_object(json_key(w, "items"));
    hf_json_text(json_key(w, "type"), "string");
    hf_json_end_object(w);
    hf_json_end_object(w);
}

int hf_configure_put_schema(const haft_gateway *gateway, haft_buffer *out)
{
    haft_arena *arena = haft_arena_new(gateway->allocator, SCHEMA_TEXT_LIMIT);
    struct json_writer w = {.out = out};

    if (!arena)
        return HAFT_ENOMEM;
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "$schema"), "https://json-schema.org/draft/2020-12/schema");
    hf_json_text(json_key(&w, "title"), "Configuration of haft serve");
    hf_json_text(json_key(&w, "type"), "object");
    hf_json_bool(json_key(&w, "additionalProperties"), false);
    hf_json_begin_object(json_key(&w, "properties"));
    schema_put_string(json_key(&w, "$schema"), "Address of this schema, for editors");
    hf_option_put_schema(&w);
    schema_put_plugins(json_key(&w, "plugins"));
    schema_put_gateway(json_key(&w, "gateway"), gateway->own, arena);
    hf_json_end_object(&w);
    hf_json_end_object(&w);
    haft_arena_free(arena);
    return out->status;
}
