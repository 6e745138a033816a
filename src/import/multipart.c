/* multipart.c - multipart/form-data (RFC 7578).
 *
 * The boundary is derived from a hash with a key of the process, so that no argument can contain it on purpose; should
 * one contain it anyway, the body is written again with another. */
#include <string.h>

#include "base/percent.h"
#include "import/plan.h"

enum { MULTIPART_BOUNDARY = 5 + HEX_TEXT, MULTIPART_TRIES = 8, MULTIPART_NESTING = 16 };

struct multipart {
    struct body_writer *writer;
    char boundary[MULTIPART_BOUNDARY + 1];
    bool clash; /* a part contains the boundary */
};

/* Appends a quoted string as browsers do. */
static void multipart_quote(haft_buffer *out, const char *text)
{
    haft_buffer_add(out, "\"", 1);
    for (; *text; text++)
        if (*text == '"' || *text == '\r' || *text == '\n')
            haft_buffer_printf(out, "%%%02X", (unsigned)*text);
        else
            haft_buffer_add(out, text, 1);
    haft_buffer_add(out, "\"", 1);
}

/* Begins a part; its content is added next. */
static void part_begin(const struct multipart *multipart, const char *name, const char *file_name,
                       const char *type)
{
    haft_buffer *out = multipart->writer->out;

    haft_buffer_printf(out, "--%s\r\nContent-Disposition: form-data; name=", multipart->boundary);
    multipart_quote(out, name);
    if (file_name) {
        haft_buffer_puts(out, "; filename=");
        multipart_quote(out, file_name);
    }
    if (type)
        haft_buffer_printf(out, "\r\nContent-Type: %s", type);
    haft_buffer_puts(out, "\r\n\r\n");
}

static void part_end(struct multipart *multipart, size_t begin)
{
    haft_buffer *out = multipart->writer->out;
    const char *at, *end;

    if (out->status)
        return;
    at = out->data + begin;
    for (end = out->data + out->size; (at = memchr(at, 'h', (size_t)(end - at))); at++)
        if ((size_t)(end - at) >= MULTIPART_BOUNDARY &&
            !memcmp(at, multipart->boundary, MULTIPART_BOUNDARY))
            multipart->clash = true;
    haft_buffer_puts(out, "\r\n");
}

static int multipart_put_file(struct multipart *multipart, const struct import_parameter *field,
                              const char *name, yyjson_val *value)
{
    struct body_writer *writer = multipart->writer;
    struct import_file file;
    const char *type;
    size_t begin;
    int status = hf_import_read_file(field->argument ? field->argument : name, value, writer->arena,
                                     &file, writer->reason);

    if (status)
        return status;
    type = file.type ? file.type : field->type ? field->type : "application/octet-stream";
    part_begin(multipart, name, file.name ? file.name : name, type);
    begin = writer->out->size;
    haft_buffer_add(writer->out, file.bytes, file.size);
    part_end(multipart, begin);
    return 0;
}

/* Adds a value that is not an array: objects are JSON. */
static int multipart_put(struct multipart *multipart, const struct import_parameter *field,
                         const char *name, yyjson_val *value)
{
    haft_buffer *out = multipart->writer->out;
    const char *type = field->type;
    size_t begin;

    if (yyjson_is_null(value))
        return 0;
    if (field->file)
        return multipart_put_file(multipart, field, name, value);
    if (!type && yyjson_is_ctn(value))
        type = "application/json";
    part_begin(multipart, name, NULL, type);
    begin = out->size;
    if (yyjson_is_str(value) && !(type && hf_import_type_is_json(type, strlen(type))))
        haft_buffer_add(out, yyjson_get_str(value), yyjson_get_len(value));
    else
        haft_json_write(value, out);
    part_end(multipart, begin);
    return 0;
}

/* Adds the items of an array or the members of an object as one text: "a,b" or "key,a". */
static int multipart_put_joined(struct multipart *multipart, const struct import_parameter *field,
                                const char *name, yyjson_val *value)
{
    struct import_parameter joined = *field;
    haft_buffer *out = multipart->writer->out;
    int byte = percent_byte(field->separator, strlen(field->separator));
    char separator[2] = {(char)byte};
    size_t begin;

    if (byte > 0)
        joined.separator = separator;
    joined.place = PARAMETER_HEADER; /* not encoded */
    joined.style = PARAMETER_SIMPLE;
    part_begin(multipart, name, NULL, NULL);
    begin = out->size;
    hf_import_put_parameter(out, &joined, value);
    part_end(multipart, begin);
    return 0;
}

/* Adds a part for each scalar of a nested value: "name[key]", and "name[0]" for items. */
static int multipart_put_deep(struct multipart *multipart, const struct import_parameter *field,
                              const char *name, yyjson_val *value, unsigned depth)
{
    struct body_writer *writer = multipart->writer;
    yyjson_val *key, *item;
    size_t i, max;
    int status = 0;

    if (!yyjson_is_ctn(value) || depth == MULTIPART_NESTING)
        return multipart_put(multipart, field, name, value);
    yyjson_arr_foreach(value, i, max, item) {
        const char *inner = status ? NULL : haft_arena_printf(writer->arena, "%s[%zu]", name, i);

        if (!status)
            status = inner ? multipart_put_deep(multipart, field, inner, item, depth + 1)
                           : hf_error_set(writer->reason, HAFT_ENOMEM, "", "out of memory");
    }
    yyjson_obj_foreach(import_object(value), i, max, key, item) {
        const char *inner =
            status ? NULL : haft_arena_printf(writer->arena, "%s[%s]", name, yyjson_get_str(key));

        if (!status)
            status = inner ? multipart_put_deep(multipart, field, inner, item, depth + 1)
                           : hf_error_set(writer->reason, HAFT_ENOMEM, "", "out of memory");
    }
    return status;
}

/* Adds a field: the items of an array are fields of the same name and objects are JSON, unless a style is given. */
static int multipart_put_field(struct multipart *multipart, const struct import_parameter *field,
                               const char *name, yyjson_val *value)
{
    bool styled = !field->file && !field->objects_as_json && yyjson_is_ctn(value);
    yyjson_val *key, *item;
    size_t i, max;
    int status = 0;

    if (styled && field->style == PARAMETER_DEEP)
        return multipart_put_deep(multipart, field, name, value, 0);
    if (styled && !field->explode)
        return multipart_put_joined(multipart, field, name, value);
    if (!yyjson_is_arr(value) && !styled)
        return multipart_put(multipart, field, name, value);
    yyjson_arr_foreach(value, i, max, item) {
        if (!status)
            status = multipart_put(multipart, field, name, item);
    }
    yyjson_obj_foreach(import_object(value), i, max, key, item) {
        if (!status)
            status = multipart_put(multipart, field, yyjson_get_str(key), item);
    }
    return status;
}

static int multipart_put_all(struct multipart *multipart)
{
    const struct import_parameter *field;
    const char *name;
    yyjson_val *value;
    size_t at = 0;
    int status = 0;

    multipart->clash = false;
    haft_buffer_clear(multipart->writer->out);
    while (!status && hf_import_next_field(multipart->writer, &at, &field, &name, &value))
        status = multipart_put_field(multipart, field, name, value);
    haft_buffer_printf(multipart->writer->out, "--%s--\r\n", multipart->boundary);
    return status;
}

int hf_import_write_multipart(struct body_writer *writer)
{
    struct multipart multipart = {.writer = writer, .boundary = "haft-", .clash = true};
    uint64_t word = (uint64_t)(uintptr_t)writer;
    int status = 0;

    for (unsigned i = 0; i < MULTIPART_TRIES && multipart.clash && !status; i++) {
        word = hf_hash_word(word + i);
        hf_hex_to_text(word, multipart.boundary + 5);
        status = multipart_put_all(&multipart);
    }
    if (!status && multipart.clash)
        return hf_error_set(writer->reason, HAFT_EINVAL, "", "no boundary for the body");
    writer->type =
        haft_arena_printf(writer->arena, "%s; boundary=%s", writer->body->type, multipart.boundary);
    return status || writer->type ? status
                                  : hf_error_set(writer->reason, HAFT_ENOMEM, "", "out of memory");
}
