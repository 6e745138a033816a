/* body.c - bodies as a document describes them: which media type is sent, and what its members are. */
#include <string.h>

#include "import/plan.h"

enum { BODY_MAX_FIELDS = 1000, BODY_MAX_NESTING = 16 };

/* A body that is being read. */
struct body_reader {
    const struct import_document *document;
    haft_arena *arena;
    struct import_body *body;
    yyjson_val *encoding; /* of the media type */
    int status;           /* HAFT_ENOMEM if a reference could not be followed for that reason */
    haft_reason *reason;
};

static int body_no_memory(const struct body_reader *reader)
{
    return hf_error_set(reader->reason, HAFT_ENOMEM, "", "out of memory");
}

/* ---- media types ---- */

static bool type_begins(const char *type, const char *beginning)
{
    return strlen(type) >= strlen(beginning) &&
           hf_text_is_ignoring_case(type, strlen(beginning), beginning);
}

bool hf_import_type_is_text(const char *type)
{
    static const char *const words[] = {"text/",
                                        "application/xml",
                                        "application/yaml",
                                        "application/x-yaml",
                                        "application/javascript",
                                        "application/graphql",
                                        "application/x-ndjson",
                                        "application/jsonl",
                                        "application/sql",
                                        "application/toml"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (type_begins(type, words[i]))
            return true;
    for (const char *at = type; (at = strchr(at, '+')); at++)
        if (type_begins(at, "+xml") || type_begins(at, "+yaml"))
            return true;
    return false;
}

/* How a media type is written.  One that says nothing is JSON if its schema has members or items. */
static enum body_kind body_kind_of(struct body_reader *reader, const char *type, yyjson_val *schema)
{
    yyjson_val *resolved = hf_import_peek(reader->document, schema, &reader->status);
    yyjson_val *of = yyjson_obj_get(resolved, "type");

    if (hf_import_type_is_json(type, strlen(type)))
        return BODY_JSON;
    if (type_begins(type, "application/x-www-form-urlencoded"))
        return BODY_FORM;
    if (type_begins(type, "multipart/"))
        return BODY_MULTIPART;
    if (hf_import_type_is_text(type))
        return BODY_TEXT;
    if (yyjson_equals_str(of, "object") || yyjson_equals_str(of, "array") ||
        yyjson_obj_get(resolved, "properties"))
        return BODY_JSON;
    return BODY_BYTES;
}

/* The Content-Type to send: a range is replaced by a type. */
static const char *body_type_of(enum body_kind kind, const char *type)
{
    static const char *const types[] = {"application/json", "application/x-www-form-urlencoded",
                                        "multipart/form-data", "text/plain",
                                        "application/octet-stream"};
    const char *star = strchr(type, '*');

    for (const char *at = type; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7F)
            return types[kind];
    return (star && (!strchr(type, ';') || star < strchr(type, ';'))) || !strchr(type, '/') ||
                   kind == BODY_MULTIPART
               ? types[kind]
               : type;
}

/* ---- members ---- */

/* Keywords that say nothing about a value beyond its members, or nothing about it at all. */
static bool keyword_is_harmless(yyjson_val *key, yyjson_val *value)
{
    static const char *const words[] = {
        "type",    "properties", "required",     "title",      "description", "example", "examples",
        "default", "xml",        "externalDocs", "deprecated", "allOf",       "$comment"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (yyjson_equals_str(key, words[i]))
            return true;
    if (yyjson_equals_str(key, "additionalProperties"))
        return yyjson_is_bool(value);
    if (yyjson_equals_str(key, "nullable"))
        return !yyjson_get_bool(value);
    return !strncmp(yyjson_get_str(key), "x-", 2) &&
           !(yyjson_equals_str(key, "x-nullable") && yyjson_get_bool(value));
}

static bool schema_is_plain(yyjson_val *schema)
{
    yyjson_val *type = yyjson_obj_get(schema, "type"), *key, *value;
    size_t i, max;

    if (!yyjson_is_obj(schema) || (type && !yyjson_equals_str(type, "object")))
        return false;
    yyjson_obj_foreach(import_object(schema), i, max, key, value) {
        if (!keyword_is_harmless(key, value))
            return false;
    }
    return true;
}

static struct import_parameter *body_field(const struct import_body *body, const char *name)
{
    for (size_t i = 0; i < body->n_fields; i++)
        if (!strcmp(body->fields[i].name, name))
            return &body->fields[i];
    return NULL;
}

/* How a field of a form is written. */
static void field_read_encoding(struct body_reader *reader, struct import_parameter *field)
{
    yyjson_val *encoding = yyjson_obj_get(reader->encoding, field->name);
    const char *type = hf_import_string(yyjson_obj_get(encoding, "contentType"));
    bool styled = yyjson_obj_get(encoding, "style") || yyjson_obj_get(encoding, "explode") ||
                  yyjson_obj_get(encoding, "allowReserved");

    hf_import_read_style(encoding, field);
    field->objects_as_json = !styled;
    if (reader->body->kind == BODY_MULTIPART) {
        field->file =
            hf_import_is_file(reader->document, field->schema, &field->list, &reader->status);
        field->type = type && !strpbrk(type, "*,\r\n") && strchr(type, '/') ? type : NULL;
        return;
    }
    if (!styled && type && hf_import_type_is_json(type, strlen(type)))
        field->style = PARAMETER_JSON;
}

/* Returns 1, 0 if the body cannot be lifted, or an error. */
static int body_add_field(struct body_reader *reader, yyjson_val *key, yyjson_val *schema)
{
    struct import_body *body = reader->body;
    const char *name = hf_import_string(key);
    yyjson_val *resolved = hf_import_peek(reader->document, schema, &reader->status);

    if (yyjson_get_bool(yyjson_obj_get(resolved, "readOnly")))
        return 1;
    if (!name || body->n_fields == BODY_MAX_FIELDS || body_field(body, name))
        return 0;
    if (body->n_fields == body->fields_room) {
        size_t room = body->fields_room ? 2 * body->fields_room : 8;
        struct import_parameter *moved = hf_arena_resize(
            reader->arena, body->fields, body->fields_room * sizeof *moved, room * sizeof *moved);

        if (!moved)
            return body_no_memory(reader);
        body->fields = moved;
        body->fields_room = room;
    }
    body->fields[body->n_fields] = (struct import_parameter){
        .name = name,
        .place = body->kind == BODY_JSON ? PARAMETER_BODY : PARAMETER_FIELD,
        .schema = schema};
    if (body->kind != BODY_JSON)
        field_read_encoding(reader, &body->fields[body->n_fields]);
    body->n_fields++;
    return 1;
}

/* Adds the members of an object schema, and of those that it consists of.  Returns 1, 0 if there is more to it
 * than members, or an error. */
static int body_add_fields(struct body_reader *reader, yyjson_val *schema, unsigned depth)
{
    yyjson_val *key, *value;
    size_t i, max;
    int status = 1;

    schema = hf_import_peek(reader->document, schema, &reader->status);
    if (depth > BODY_MAX_NESTING || !schema_is_plain(schema))
        return 0;
    yyjson_arr_foreach(yyjson_obj_get(schema, "allOf"), i, max, value) {
        status = body_add_fields(reader, value, depth + 1);
        if (status <= 0)
            return status;
    }
    yyjson_obj_foreach(import_object(yyjson_obj_get(schema, "properties")), i, max, key, value) {
        status = body_add_field(reader, key, value);
        if (status <= 0)
            return status;
    }
    return 1;
}

/* Marks the fields that are required; after all of them are there. */
static void body_require(struct body_reader *reader, yyjson_val *schema, unsigned depth)
{
    struct import_parameter *field;
    yyjson_val *value;
    size_t i, max;

    schema = hf_import_peek(reader->document, schema, &reader->status);
    if (depth > BODY_MAX_NESTING)
        return;
    yyjson_arr_foreach(yyjson_obj_get(schema, "allOf"), i, max, value) {
        body_require(reader, value, depth + 1);
    }
    yyjson_arr_foreach(yyjson_obj_get(schema, "required"), i, max, value) {
        const char *name = hf_import_string(value);

        field = name ? body_field(reader->body, name) : NULL;
        if (field)
            field->required = true;
    }
}

static int body_read_schema(struct body_reader *reader, yyjson_val *schema)
{
    struct import_body *body = reader->body;
    int status;

    body->whole = (struct import_parameter){
        .name = "body", .place = PARAMETER_BODY, .required = body->required, .schema = schema};
    if (body->kind > BODY_MULTIPART)
        return 0;
    status = body_add_fields(reader, schema, 0);
    if (status < 0)
        return status;
    body->plain = status && body->n_fields;
    body_require(reader, schema, 0);
    return 0;
}

/* ---- version 3 ---- */

static int body_read_content(struct body_reader *reader, yyjson_val *request)
{
    yyjson_val *content = yyjson_obj_get(request, "content"), *key, *value, *chosen = NULL;
    const char *type = NULL;
    size_t i, max;

    yyjson_obj_foreach(import_object(content), i, max, key, value) {
        const char *name = hf_import_string(key);

        if (name && (!type || (!hf_import_type_is_json(type, strlen(type)) &&
                               hf_import_type_is_json(name, strlen(name))))) {
            type = name;
            chosen = hf_import_peek(reader->document, value, &reader->status);
        }
    }
    if (!type)
        return 0;
    reader->body = haft_arena_zalloc(reader->arena, 1, sizeof *reader->body);
    if (!reader->body)
        return body_no_memory(reader);
    value = yyjson_obj_get(chosen, "schema");
    reader->encoding = yyjson_obj_get(chosen, "encoding");
    reader->body->kind = body_kind_of(reader, type, value);
    reader->body->type = body_type_of(reader->body->kind, type);
    reader->body->required = yyjson_get_bool(yyjson_obj_get(request, "required"));
    reader->body->description = hf_import_string(yyjson_obj_get(request, "description"));
    return body_read_schema(reader, value);
}

/* ---- version 2 ---- */

/* What the operation consumes: JSON if that is among it. */
static const char *body_consumed(const struct import_document *document, yyjson_val *operation)
{
    yyjson_val *consumes = yyjson_obj_get(operation, "consumes"), *value;
    const char *type = NULL;
    size_t i, max;

    if (!consumes)
        consumes = yyjson_obj_get(document->root, "consumes");
    yyjson_arr_foreach(consumes, i, max, value) {
        const char *name = hf_import_string(value);

        if (name && (!type || (!hf_import_type_is_json(type, strlen(type)) &&
                               hf_import_type_is_json(name, strlen(name)))))
            type = name;
    }
    return type ? type : "application/json";
}

static int body_read_whole(struct body_reader *reader, yyjson_val *operation,
                           yyjson_val *definition)
{
    const char *type = body_consumed(reader->document, operation);
    yyjson_val *schema = yyjson_obj_get(definition, "schema");
    const char *name = hf_import_string(yyjson_obj_get(definition, "name"));
    int status;

    reader->body->kind = body_kind_of(reader, type, schema);
    reader->body->type = body_type_of(reader->body->kind, type);
    reader->body->required = yyjson_get_bool(yyjson_obj_get(definition, "required"));
    reader->body->description = hf_import_string(yyjson_obj_get(definition, "description"));
    status = body_read_schema(reader, schema);
    if (name)
        reader->body->whole.name = name;
    return status;
}

static int body_read_form(struct body_reader *reader, yyjson_val *operation,
                          yyjson_val *const parameters[], size_t n)
{
    const char *type = body_consumed(reader->document, operation);
    struct import_body *body = reader->body;
    int status = 0;

    body->fields = haft_arena_zalloc(reader->arena, n, sizeof *body->fields);
    if (!body->fields)
        return body_no_memory(reader);
    body->kind = type_begins(type, "multipart/") ? BODY_MULTIPART : BODY_FORM;
    body->lifted = true;
    for (size_t i = 0; i < n && !status; i++) {
        struct import_parameter *field = &body->fields[body->n_fields];

        if (!yyjson_equals_str(yyjson_obj_get(parameters[i], "in"), "formData"))
            continue;
        status = hf_import_read_parameter(reader->document, parameters[i], field, reader->reason);
        body->n_fields++;
        if (field->file)
            body->kind = BODY_MULTIPART;
        body->required = body->required || field->required;
    }
    body->type = body_type_of(body->kind, "");
    return status;
}

/* ---- both ---- */

int hf_import_read_body(const struct import_document *document, const char *method,
                        yyjson_val *operation, yyjson_val *const parameters[], size_t n,
                        struct import_body **ret_body, haft_reason *reterr_reason)
{
    struct body_reader reader = {
        .document = document, .arena = document->import->arena, .reason = reterr_reason};
    yyjson_val *request = yyjson_obj_get(operation, "requestBody");
    int status = 0;

    *ret_body = NULL;
    if (!strcmp(method, "GET") || !strcmp(method, "HEAD"))
        return 0;
    if (document->version != IMPORT_2_0) {
        if (!request)
            return 0;
        request = hf_import_resolve(document, request, reterr_reason);
        if (!request)
            return reterr_reason->code;
        status = body_read_content(&reader, request);
    } else if (n) {
        size_t at = 0;

        reader.body = haft_arena_zalloc(reader.arena, 1, sizeof *reader.body);
        if (!reader.body)
            return body_no_memory(&reader);
        while (at < n && !yyjson_equals_str(yyjson_obj_get(parameters[at], "in"), "body"))
            at++;
        status = at < n ? body_read_whole(&reader, operation, parameters[at])
                        : body_read_form(&reader, operation, parameters, n);
    }
    if (!status && reader.status)
        status = body_no_memory(&reader);
    if (!status)
        *ret_body = reader.body;
    return status;
}

/* ---- schemas ---- */

static yyjson_mut_val *body_shape_text(yyjson_mut_doc *out, const struct import_body *body)
{
    yyjson_mut_val *shape = yyjson_mut_obj(out);

    if (!yyjson_mut_obj_add_str(out, shape, "type", "string"))
        return NULL;
    if (body->kind == BODY_BYTES &&
        !yyjson_mut_obj_add_str(out, shape, "contentEncoding", "base64"))
        return NULL;
    return yyjson_mut_obj_add_strcpy(out, shape, "contentMediaType", body->type) ? shape : NULL;
}

/* An object of the fields, each as it would be as an argument. */
static yyjson_mut_val *body_shape_fields(struct import_shaper *shaper,
                                         const struct import_body *body)
{
    yyjson_mut_doc *out = shaper->out;
    yyjson_mut_val *shape = yyjson_mut_obj(out), *properties, *required = yyjson_mut_arr(out);

    if (!yyjson_mut_obj_add_str(out, shape, "type", "object"))
        return NULL;
    properties = yyjson_mut_obj_add_obj(out, shape, "properties");
    for (size_t i = 0; i < body->n_fields; i++) {
        const struct import_parameter *field = &body->fields[i];
        yyjson_mut_val *key = yyjson_mut_strcpy(out, field->name);
        yyjson_mut_val *value = hf_import_argument_shape(shaper, field);

        if (!value || !yyjson_mut_obj_add(properties, key, value) ||
            (field->required && !yyjson_mut_arr_add_strcpy(out, required, field->name)))
            return NULL;
    }
    if (yyjson_mut_arr_size(required) && !yyjson_mut_obj_add_val(out, shape, "required", required))
        return NULL;
    return shape;
}

yyjson_mut_val *hf_import_body_shape(struct import_shaper *shaper, const struct import_body *body)
{
    yyjson_mut_doc *out = shaper->out;
    yyjson_mut_val *shape = body->kind > BODY_MULTIPART ? body_shape_text(out, body)
                            : body->kind != BODY_JSON && body->plain
                                ? body_shape_fields(shaper, body)
                            : body->whole.schema ? hf_import_shape(shaper, body->whole.schema)
                                                 : yyjson_mut_obj(out);

    if (yyjson_mut_is_true(shape))
        shape = yyjson_mut_obj(out);
    if (yyjson_mut_is_obj(shape) && body->description &&
        !yyjson_mut_obj_get(shape, "description") &&
        !yyjson_mut_obj_add_strcpy(out, shape, "description", body->description))
        shape = NULL;
    if (!shape && !shaper->reason.code)
        hf_error_set(&shaper->reason, HAFT_ENOMEM, "", "out of memory");
    return shape;
}
