/* parameter.c - parameters as a document describes them: place, style, schema.
 *
 * Version 2.0's collectionFormat and the styles of 3.x are rows of one table, whose columns are all that
 * the writer needs to know. */
#include <string.h>

#include "import/plan.h"
#include "protocol/header.h"

struct style_row {
    const char *word;      /* of `style` or `collectionFormat` */
    const char *delimiter; /* of items that are not exploded */
    const char *raw;       /* the same in a header */
    enum parameter_style style;
    bool explode; /* default */
};

static const struct style_row style_rows[] = {
    {"simple", ",", ",", PARAMETER_SIMPLE, false},
    {"label", ",", ",", PARAMETER_LABEL, false},
    {"matrix", ",", ",", PARAMETER_MATRIX, false},
    {"form", ",", ",", PARAMETER_FORM, true},
    {"spaceDelimited", "%20", " ", PARAMETER_FORM, false},
    {"pipeDelimited", "%7C", "|", PARAMETER_FORM, false},
    {"deepObject", ",", ",", PARAMETER_DEEP, true},
};

/* collectionFormat; in a path or a header the style is simple. */
static const struct style_row collection_rows[] = {
    {"csv", ",", ",", PARAMETER_FORM, false},    {"ssv", "%20", " ", PARAMETER_FORM, false},
    {"tsv", "%09", "\t", PARAMETER_FORM, false}, {"pipes", "%7C", "|", PARAMETER_FORM, false},
    {"multi", ",", ",", PARAMETER_FORM, true},
};

static const struct style_row *style_find(const struct style_row *rows, size_t n, const char *word)
{
    for (size_t i = 0; word && i < n; i++)
        if (!strcmp(rows[i].word, word))
            return &rows[i];
    return NULL;
}

#define STYLE_FIND(rows, word) style_find(rows, sizeof rows / sizeof *rows, word)

static bool parameter_has_pairs(const struct import_parameter *parameter)
{
    return parameter->place != PARAMETER_PATH && parameter->place != PARAMETER_HEADER;
}

void hf_import_read_style(yyjson_val *definition, struct import_parameter *parameter)
{
    const char *style = hf_import_string(yyjson_obj_get(definition, "style"));
    const char *collection = hf_import_string(yyjson_obj_get(definition, "collectionFormat"));
    const struct style_row *row = STYLE_FIND(style_rows, style);
    yyjson_val *explode = yyjson_obj_get(definition, "explode");
    bool pairs = parameter_has_pairs(parameter);

    if (!row)
        row = STYLE_FIND(collection_rows, collection);
    if (!row)
        row = pairs ? STYLE_FIND(style_rows, "form") : STYLE_FIND(style_rows, "simple");
    parameter->style = row->style;
    /* Styles that a place does not have are read as its default. */
    if (pairs && row->style < PARAMETER_FORM)
        parameter->style = PARAMETER_FORM;
    else if (!pairs && (row->style > PARAMETER_MATRIX || parameter->place == PARAMETER_HEADER))
        parameter->style = PARAMETER_SIMPLE;
    parameter->explode = yyjson_is_bool(explode) ? yyjson_get_bool(explode) : row->explode;
    parameter->separator = parameter->place == PARAMETER_HEADER ? row->raw : row->delimiter;
    parameter->reserved = pairs && yyjson_get_bool(yyjson_obj_get(definition, "allowReserved"));
    parameter->empty = yyjson_get_bool(yyjson_obj_get(definition, "allowEmptyValue"));
}

/* ---- headers ---- */

/* Headers that an operation's parameters do not decide: the first are ignored, as the specification says or because
 * they follow from the request; the others would change how it is read. */
static const char *const headers_ignored[] = {"Accept", "Content-Type", "Authorization",
                                              "Content-Length", NULL};
static const char *const headers_refused[] = {
    "Host",           "Connection", "Keep-Alive", "Transfer-Encoding", "TE",
    "Trailer",        "Upgrade",    "Expect",     "Proxy-Connection",  "Proxy-Authorization",
    "HTTP2-Settings", NULL};

static bool header_is_one_of(const char *const names[], const char *name)
{
    while (*names && !hf_text_same_ignoring_case(*names, name))
        names++;
    return *names;
}

static int parameter_check_header(struct import_parameter *parameter, haft_reason *reason)
{
    if (header_is_one_of(headers_ignored, parameter->name)) {
        parameter->place = PARAMETER_IGNORED;
        return 0;
    }
    if (header_is_one_of(headers_refused, parameter->name)) {
        if (parameter->required)
            return hf_error_set(reason, HAFT_EINVAL, "", "the header %s cannot be an argument",
                                parameter->name);
        parameter->place = PARAMETER_IGNORED;
        return 0;
    }
    if (!hf_header_name_is_valid(parameter->name))
        return hf_error_set(reason, HAFT_EINVAL, "", "invalid header name \"%.80s\"",
                            parameter->name);
    return 0;
}

/* Whether a security scheme is presented by this parameter: credentials come from the configuration. */
static bool parameter_is_credential(const struct import_document *document,
                                    const struct import_parameter *parameter, const char *in)
{
    yyjson_val *schemes =
        document->version == IMPORT_2_0
            ? yyjson_obj_get(document->root, "securityDefinitions")
            : yyjson_obj_get(yyjson_obj_get(document->root, "components"), "securitySchemes");
    yyjson_val *key, *scheme;
    size_t i, max;

    yyjson_obj_foreach(import_object(schemes), i, max, key, scheme) {
        const char *type = hf_import_string(yyjson_obj_get(scheme, "type"));
        const char *name = hf_import_string(yyjson_obj_get(scheme, "name"));
        const char *place = hf_import_string(yyjson_obj_get(scheme, "in"));

        if (type && name && place && !strcmp(type, "apiKey") && !strcmp(place, in) &&
            (parameter->place == PARAMETER_HEADER
                 ? hf_text_same_ignoring_case(name, parameter->name)
                 : !strcmp(name, parameter->name)))
            return true;
    }
    return false;
}

/* ---- values ---- */

const char *hf_import_string(yyjson_val *value)
{
    const char *text = yyjson_get_str(value);

    return text && strlen(text) == yyjson_get_len(value) ? text : NULL;
}

yyjson_val *hf_import_without(haft_arena *arena, yyjson_val *object, const char *const names[])
{
    const yyjson_alc alc = hf_json_arena(arena);
    yyjson_mut_doc *doc = yyjson_mut_doc_new(&alc);
    yyjson_mut_val *copy = doc ? yyjson_val_mut_copy(doc, object) : NULL;
    yyjson_doc *fixed;

    if (!copy)
        return NULL;
    for (; *names; names++)
        yyjson_mut_obj_remove_key(copy, *names);
    yyjson_mut_doc_set_root(doc, copy);
    fixed = yyjson_mut_doc_imut_copy(doc, &alc);
    return yyjson_doc_get_root(fixed);
}

/* ---- a parameter ---- */

static enum parameter_place parameter_place_of(const char *in)
{
    static const char *const words[] = {"path", "query", "header", "cookie", "formData"};

    for (size_t i = 0; in && i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i], in))
            return (enum parameter_place)i;
    return PARAMETER_IGNORED;
}

bool hf_import_type_is_json(const char *type, size_t size)
{
    const char *end = memchr(type, ';', size);
    struct text name = text_trim(type, end ? (size_t)(end - type) : size);

    return hf_text_is_ignoring_case(name.data, name.size, "application/json") ||
           hf_text_is_ignoring_case(name.data, name.size, "text/json") ||
           (name.size > 5 && hf_text_is_ignoring_case(name.data + name.size - 5, 5, "+json"));
}

/* The schema of 3.x is a member, or that of a media type; 2.0's is the parameter itself. */
static int parameter_read_schema(const struct import_document *document,
                                 struct import_parameter *parameter, haft_reason *reason)
{
    static const char *const others[] = {
        "name", "in", "required", "description", "allowEmptyValue", "collectionFormat", NULL};
    yyjson_val *content = yyjson_obj_get(parameter->definition, "content"), *key, *media;
    size_t i, max;

    if (document->version == IMPORT_2_0) {
        parameter->schema =
            hf_import_without(document->import->arena, parameter->definition, others);
        return parameter->schema ? 0 : hf_error_set(reason, HAFT_ENOMEM, "", "out of memory");
    }
    parameter->schema = yyjson_obj_get(parameter->definition, "schema");
    yyjson_obj_foreach(import_object(content), i, max, key, media) {
        parameter->style = PARAMETER_JSON;
        parameter->schema = yyjson_obj_get(media, "schema");
        if (!hf_import_type_is_json(yyjson_get_str(key), yyjson_get_len(key)))
            parameter->type = yyjson_get_str(key);
        break;
    }
    return 0;
}

int hf_import_read_parameter(const struct import_document *document, yyjson_val *definition,
                             struct import_parameter *ret_parameter, haft_reason *reterr_reason)
{
    const char *in = hf_import_string(yyjson_obj_get(definition, "in"));
    struct import_parameter parameter = {
        .name = hf_import_string(yyjson_obj_get(definition, "name")),
        .place = parameter_place_of(in),
        .definition = definition,
    };
    int status;

    if (!parameter.name || !*parameter.name || !in)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "", "a parameter without name or place");
    parameter.required = parameter.place == PARAMETER_PATH ||
                         yyjson_get_bool(yyjson_obj_get(definition, "required"));
    if (parameter.place == PARAMETER_HEADER) {
        status = parameter_check_header(&parameter, reterr_reason);
        if (status)
            return status;
    }
    if (parameter.place != PARAMETER_PATH && parameter_is_credential(document, &parameter, in))
        parameter.place = PARAMETER_IGNORED;
    if (parameter.place != PARAMETER_IGNORED) {
        hf_import_read_style(definition, &parameter);
        if (document->version == IMPORT_2_0 && !yyjson_obj_get(definition, "collectionFormat"))
            parameter.explode = false; /* csv */
        status = parameter_read_schema(document, &parameter, reterr_reason);
        if (status)
            return status;
        parameter.file = parameter.place == PARAMETER_FIELD &&
                         hf_import_is_file(document, parameter.schema, &parameter.list, &status);
        if (status)
            return hf_error_set(reterr_reason, status, "", "out of memory");
    }
    *ret_parameter = parameter;
    return 0;
}

/* ---- schemas of arguments ---- */

static bool schema_is_of_bytes(yyjson_val *schema)
{
    yyjson_val *type = yyjson_obj_get(schema, "type");

    if (yyjson_equals_str(type, "file"))
        return true;
    return yyjson_equals_str(type, "string") &&
           (yyjson_equals_str(yyjson_obj_get(schema, "format"), "binary") ||
            (yyjson_is_str(yyjson_obj_get(schema, "contentMediaType")) &&
             !yyjson_obj_get(schema, "contentEncoding")));
}

yyjson_val *hf_import_peek(const struct import_document *document, yyjson_val *value, int *status)
{
    haft_reason reason = {0};
    yyjson_val *found = hf_import_resolve(document, value, &reason);

    if (!found && reason.code == HAFT_ENOMEM)
        *status = HAFT_ENOMEM;
    return found;
}

bool hf_import_is_file(const struct import_document *document, yyjson_val *schema, bool *ret_list,
                       int *status)
{
    *ret_list = false;
    schema = hf_import_peek(document, schema, status);
    if (schema_is_of_bytes(schema))
        return true;
    if (!yyjson_equals_str(yyjson_obj_get(schema, "type"), "array"))
        return false;
    schema = hf_import_peek(document, yyjson_obj_get(schema, "items"), status);
    *ret_list = schema_is_of_bytes(schema);
    return *ret_list;
}

/* Adds a member that is a string, with one more keyword; false without memory. */
static bool file_add_text(yyjson_mut_doc *out, yyjson_mut_val *object, const char *name,
                          const char *keyword, const char *value)
{
    yyjson_mut_val *text = yyjson_mut_obj(out);

    return yyjson_mut_obj_add_str(out, text, "type", "string") &&
           yyjson_mut_obj_add_str(out, text, keyword, value) &&
           yyjson_mut_obj_add_val(out, object, name, text);
}

static bool file_add_object(yyjson_mut_doc *out, yyjson_mut_val *either)
{
    yyjson_mut_val *object = yyjson_mut_arr_add_obj(out, either);
    yyjson_mut_val *members = yyjson_mut_obj(out), *required = yyjson_mut_arr(out);

    return yyjson_mut_obj_add_str(out, object, "type", "object") &&
           file_add_text(out, members, "data", "contentEncoding", "base64") &&
           file_add_text(out, members, "type", "description", "Media type, such as image/png") &&
           file_add_text(out, members, "name", "description", "File name") &&
           yyjson_mut_arr_add_str(out, required, "data") &&
           yyjson_mut_obj_add_val(out, object, "properties", members) &&
           yyjson_mut_obj_add_val(out, object, "required", required) &&
           yyjson_mut_obj_add_bool(out, object, "additionalProperties", false);
}

/* The argument for a file: bytes, or bytes with their type and name. */
static yyjson_mut_val *parameter_file_shape(yyjson_mut_doc *out)
{
    yyjson_mut_val *file = yyjson_mut_obj(out), *either = yyjson_mut_arr(out);
    yyjson_mut_val *text = yyjson_mut_arr_add_obj(out, either);

    return yyjson_mut_obj_add_str(out, text, "type", "string") &&
                   yyjson_mut_obj_add_str(out, text, "contentEncoding", "base64") &&
                   file_add_object(out, either) &&
                   yyjson_mut_obj_add_val(out, file, "anyOf", either)
               ? file
               : NULL;
}

static yyjson_mut_val *parameter_files_shape(yyjson_mut_doc *out, bool list)
{
    yyjson_mut_val *file = parameter_file_shape(out), *array;

    if (!file || !list)
        return file;
    array = yyjson_mut_obj(out);
    return yyjson_mut_obj_add_str(out, array, "type", "array") &&
                   yyjson_mut_obj_add_val(out, array, "items", file)
               ? array
               : NULL;
}

/* A parameter without a schema is text, unless it is JSON. */
static yyjson_mut_val *parameter_text_shape(yyjson_mut_doc *out,
                                            const struct import_parameter *parameter)
{
    yyjson_mut_val *text = yyjson_mut_obj(out);

    if (parameter->style == PARAMETER_JSON && !parameter->type)
        return text;
    return yyjson_mut_obj_add_str(out, text, "type", "string") ? text : NULL;
}

yyjson_mut_val *hf_import_argument_shape(struct import_shaper *shaper,
                                         const struct import_parameter *parameter)
{
    yyjson_mut_doc *out = shaper->out;
    yyjson_val *source = parameter->definition ? parameter->definition : parameter->schema;
    yyjson_val *description = yyjson_obj_get(source, "description");
    yyjson_mut_val *shape = parameter->file     ? parameter_files_shape(out, parameter->list)
                            : parameter->schema ? hf_import_shape(shaper, parameter->schema)
                                                : parameter_text_shape(out, parameter);

    if (!shape) {
        if (parameter->file || !parameter->schema || !shaper->reason.code)
            hf_error_set(&shaper->reason, HAFT_ENOMEM, "", "out of memory");
        return NULL;
    }
    if (yyjson_mut_is_true(shape))
        shape = yyjson_mut_obj(out);
    if (yyjson_mut_is_obj(shape) && yyjson_is_str(description) &&
        !yyjson_mut_obj_get(shape, "description") &&
        !yyjson_mut_obj_add_strncpy(out, shape, "description", yyjson_get_str(description),
                                    yyjson_get_len(description)))
        shape = NULL;
    if (!shape)
        hf_error_set(&shaper->reason, HAFT_ENOMEM, "", "out of memory");
    return shape;
}
