/* body_write.c - bodies of requests: JSON, forms, text and bytes. */
#include <string.h>

#include "import/plan.h"
#include "json/writer.h"

/* ---- fields ---- */

static const struct import_parameter *field_find(const struct import_body *body, const char *name)
{
    for (size_t i = 0; i < body->n_fields; i++)
        if (!strcmp(body->fields[i].name, name))
            return &body->fields[i];
    return NULL;
}

/* A member that the document does not mention. */
static const struct import_parameter field_unknown = {.name = "",
                                                      .place = PARAMETER_FIELD,
                                                      .style = PARAMETER_FORM,
                                                      .separator = ",",
                                                      .explode = true,
                                                      .objects_as_json = true};

bool hf_import_next_field(const struct body_writer *writer, size_t *at,
                          const struct import_parameter **ret_field, const char **ret_name,
                          yyjson_val **ret_value)
{
    const struct import_body *body = writer->body;
    yyjson_val *key, *value;
    size_t i, max;

    if (body->lifted) {
        while (*at < body->n_fields) {
            const struct import_parameter *field = &body->fields[(*at)++];

            value = hf_import_value(field, writer->arguments);
            if (value) {
                *ret_field = field;
                *ret_name = field->name;
                *ret_value = value;
                return true;
            }
        }
        return false;
    }
    yyjson_obj_foreach(import_object(hf_import_value(&body->whole, writer->arguments)), i, max, key,
                       value) {
        if (i < *at)
            continue;
        *at = i + 1;
        *ret_field = field_find(body, yyjson_get_str(key));
        if (!*ret_field)
            *ret_field = &field_unknown;
        *ret_name = yyjson_get_str(key);
        *ret_value = value;
        return true;
    }
    return false;
}

/* ---- kinds ---- */

static int body_write_json(struct body_writer *writer)
{
    struct json_writer json = {.out = writer->out};
    const struct import_parameter *field;
    const char *name;
    yyjson_val *value;
    size_t at = 0;

    if (!writer->body->lifted) {
        hf_json_value(&json, hf_import_value(&writer->body->whole, writer->arguments));
        return 0;
    }
    hf_json_begin_object(&json);
    while (hf_import_next_field(writer, &at, &field, &name, &value))
        hf_json_value(hf_json_name(&json, name, strlen(name)), value);
    hf_json_end_object(&json);
    return 0;
}

static int body_write_form(struct body_writer *writer)
{
    const struct import_parameter *field;
    struct import_parameter named;
    const char *name;
    yyjson_val *value;
    size_t at = 0;

    while (hf_import_next_field(writer, &at, &field, &name, &value)) {
        named = *field;
        named.name = name;
        hf_import_put_parameter(writer->out, &named, value);
    }
    return 0;
}

static int body_write_text(struct body_writer *writer)
{
    yyjson_val *value = hf_import_value(&writer->body->whole, writer->arguments);

    if (yyjson_is_str(value))
        haft_buffer_add(writer->out, yyjson_get_str(value), yyjson_get_len(value));
    else
        haft_json_write(value, writer->out);
    return 0;
}

static int body_write_bytes(struct body_writer *writer)
{
    const struct import_parameter *whole = &writer->body->whole;
    struct import_file file;
    int status = hf_import_read_file(whole->argument, hf_import_value(whole, writer->arguments),
                                     writer->arena, &file, writer->reason);

    if (!status)
        haft_buffer_add(writer->out, file.bytes, file.size);
    return status;
}

/* ---- files ---- */

/* Splits "data:image/png;base64,...". */
static struct text file_data_url(struct text data, haft_arena *arena, const char **ret_type)
{
    static const char marker[] = ";base64,";
    const char *comma = memchr(data.data, ',', data.size);
    size_t before = comma ? (size_t)(comma + 1 - data.data) : 0, marked = sizeof marker - 1;

    if (data.size < 5 || memcmp(data.data, "data:", 5) || before < 5 + marked ||
        memcmp(comma + 1 - marked, marker, marked))
        return data;
    if (before > 5 + marked)
        *ret_type = haft_arena_copy(arena, data.data + 5, before - 5 - marked);
    return (struct text){comma + 1, data.size - before};
}

/* Whether it can be in the header of a part: control characters would end it. */
static bool file_is_header(const char *text)
{
    for (; text && *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7F)
            return false;
    return true;
}

int hf_import_read_file(const char *argument, yyjson_val *value, haft_arena *arena,
                        struct import_file *ret_file, haft_reason *reterr_reason)
{
    yyjson_val *data = yyjson_is_obj(value) ? yyjson_obj_get(value, "data") : value;
    struct import_file file = {.type = hf_import_string(yyjson_obj_get(value, "type")),
                               .name = hf_import_string(yyjson_obj_get(value, "name"))};
    struct text text = {yyjson_get_str(data), yyjson_get_len(data)};
    char *bytes;

    if (!text.data)
        return hf_error_set(reterr_reason, HAFT_EINVAL, argument, "must be bytes in base64");
    text = file_data_url(text, arena, &file.type);
    bytes = haft_arena_alloc(arena, text.size / 4 * 3 + 1);
    if (!bytes)
        return hf_error_set(reterr_reason, HAFT_ENOMEM, argument, "out of memory");
    if (haft_base64_decode(text.data, text.size, bytes, &file.size))
        return hf_error_set(reterr_reason, HAFT_EINVAL, argument, "is not valid base64");
    if (!file_is_header(file.type) || !file_is_header(file.name))
        return hf_error_set(reterr_reason, HAFT_EINVAL, argument,
                            "type and name must not contain control characters");
    file.bytes = bytes;
    *ret_file = file;
    return 0;
}

/* ---- all ---- */

static bool body_is_given(const struct body_writer *writer)
{
    const struct import_parameter *field;
    const char *name;
    yyjson_val *value;
    size_t at = 0;

    if (writer->body->lifted)
        return writer->body->required || hf_import_next_field(writer, &at, &field, &name, &value);
    return hf_import_value(&writer->body->whole, writer->arguments);
}

int hf_import_write_body(struct body_writer *writer)
{
    static int (*const kinds[])(struct body_writer *) = {
        [BODY_JSON] = body_write_json,
        [BODY_FORM] = body_write_form,
        [BODY_MULTIPART] = hf_import_write_multipart,
        [BODY_TEXT] = body_write_text,
        [BODY_BYTES] = body_write_bytes,
    };
    int status;

    if (!body_is_given(writer))
        return writer->body->required && !writer->body->lifted
                   ? hf_error_set(writer->reason, HAFT_EINVAL, writer->body->whole.argument,
                                  "is required")
                   : 0;
    writer->type = writer->body->type;
    status = kinds[writer->body->kind](writer);
    if (!status && writer->out->status)
        status = hf_error_set(writer->reason, writer->out->status, "", "the body: %s",
                              haft_strerror(writer->out->status));
    return status ? status : 1;
}
