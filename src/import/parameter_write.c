/* parameter_write.c - values of parameters in the styles of OpenAPI.
 *
 * A style differs from the others in what precedes an item, whether its name does, and what is between items; a value is
 * a scalar, the items of an array, or keys and values of an object.  Null is left out. */
#include <string.h>

#include "base/percent.h"
#include "import/plan.h"

enum { PARAMETER_MAX_DEEP = 16, PARAMETER_SCALAR = 1 << 26 };

/* ---- memory ---- */

static void *text_alloc(void *context, size_t size)
{
    return haft_arena_alloc(context, size);
}

static void *text_resize(void *context, void *memory, size_t old_size, size_t size)
{
    return memory ? hf_arena_resize(context, memory, old_size, size)
                  : haft_arena_alloc(context, size);
}

static void text_release(void *context, void *memory, size_t size)
{
    (void)context;
    (void)memory;
    (void)size;
}

haft_buffer *hf_import_text_init(struct import_text *text, haft_arena *arena)
{
    text->allocator = (haft_allocator){text_alloc, text_resize, text_release, arena};
    haft_buffer_init(&text->buffer, &text->allocator, IMPORT_TEXT_LIMIT);
    return &text->buffer;
}

const char *hf_import_text_end(haft_buffer *text)
{
    haft_buffer_add(text, "", 1);
    if (text->status)
        return NULL;
    text->size--;
    return text->data;
}

/* ---- scalars ---- */

yyjson_val *hf_import_value(const struct import_parameter *parameter, yyjson_val *arguments)
{
    yyjson_val *value = parameter->fixed;

    if (!value && parameter->argument)
        value = yyjson_obj_get(arguments, parameter->argument);
    return value ? value : parameter->fallback;
}

/* As reserved expansion, except for what would end the value: & + # and brackets. */
static void style_put_reserved(haft_buffer *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((text[i] && strchr(":/?@!$'()*,;=", text[i])) || percent_byte(text + i, size - i) >= 0)
            haft_buffer_add(out, text + i, 1);
        else
            hf_percent_encode(out, text + i, 1);
}

static void style_put_encoded(haft_buffer *out, const struct import_parameter *parameter,
                              const char *text, size_t size)
{
    if (parameter->place == PARAMETER_HEADER)
        haft_buffer_add(out, text, size);
    else if (parameter->reserved)
        style_put_reserved(out, text, size);
    else
        hf_percent_encode(out, text, size);
}

static void style_put_key(haft_buffer *out, const struct import_parameter *parameter,
                          const char *text, size_t size)
{
    if (parameter->place == PARAMETER_HEADER)
        haft_buffer_add(out, text, size);
    else
        hf_percent_encode(out, text, size);
}

/* Appends JSON text, encoded. */
static void style_put_json(haft_buffer *out, const struct import_parameter *parameter,
                           yyjson_val *value)
{
    haft_buffer text;

    haft_buffer_init(&text, out->allocator, PARAMETER_SCALAR);
    haft_json_write(value, &text);
    if (text.status)
        out->status = out->status ? out->status : text.status;
    else
        style_put_encoded(out, parameter, text.data, text.size);
    haft_buffer_finish(&text);
}

static void style_put_scalar(haft_buffer *out, const struct import_parameter *parameter,
                             yyjson_val *value)
{
    if (yyjson_is_str(value))
        style_put_encoded(out, parameter, yyjson_get_str(value), yyjson_get_len(value));
    else if (yyjson_is_int(value) || yyjson_is_bool(value))
        haft_json_write(value, out);
    else
        style_put_json(out, parameter, value);
}

/* ---- pairs ---- */

/* Begins a pair of the query, a form or the cookies, up to its name. */
static void style_put_pair(haft_buffer *out, const struct import_parameter *parameter)
{
    if (out->size)
        haft_buffer_puts(out, parameter->place == PARAMETER_COOKIE ? "; " : "&");
}

static void style_put_named(haft_buffer *out, const struct import_parameter *parameter,
                            yyjson_val *value)
{
    style_put_pair(out, parameter);
    style_put_key(out, parameter, parameter->name, strlen(parameter->name));
    haft_buffer_add(out, "=", 1);
    style_put_scalar(out, parameter, value);
}

/* ---- items ---- */

/* Appends what is between items: all but the first are preceded by the separator. */
static void style_put_between(haft_buffer *out, bool *first, const char *separator)
{
    if (!*first)
        haft_buffer_puts(out, separator);
    *first = false;
}

/* "a,b" or "key,a,other,b"; with `equals` "key=a,other=b". */
static void style_put_joined(haft_buffer *out, const struct import_parameter *parameter,
                             yyjson_val *value, const char *separator, bool equals)
{
    yyjson_val *key, *item;
    bool first = true;
    size_t i, max;

    yyjson_arr_foreach(value, i, max, item) {
        if (yyjson_is_null(item))
            continue;
        style_put_between(out, &first, separator);
        style_put_scalar(out, parameter, item);
    }
    yyjson_obj_foreach(import_object(value), i, max, key, item) {
        if (yyjson_is_null(item))
            continue;
        style_put_between(out, &first, separator);
        style_put_key(out, parameter, yyjson_get_str(key), yyjson_get_len(key));
        haft_buffer_puts(out, equals ? "=" : separator);
        style_put_scalar(out, parameter, item);
    }
}

/* Each item with its name, or each member with its key, after `before` or between pairs. */
static void style_put_exploded(haft_buffer *out, const struct import_parameter *parameter,
                               yyjson_val *value, const char *before)
{
    yyjson_val *key, *item;
    size_t i, max;

    yyjson_arr_foreach(value, i, max, item) {
        if (yyjson_is_null(item))
            continue;
        if (before)
            haft_buffer_puts(out, before);
        else
            style_put_pair(out, parameter);
        style_put_key(out, parameter, parameter->name, strlen(parameter->name));
        haft_buffer_add(out, "=", 1);
        style_put_scalar(out, parameter, item);
    }
    yyjson_obj_foreach(import_object(value), i, max, key, item) {
        if (yyjson_is_null(item))
            continue;
        if (before)
            haft_buffer_puts(out, before);
        else
            style_put_pair(out, parameter);
        style_put_key(out, parameter, yyjson_get_str(key), yyjson_get_len(key));
        haft_buffer_add(out, "=", 1);
        style_put_scalar(out, parameter, item);
    }
}

/* A position in a nested value: "name[key][0]". */
struct deep_place {
    const struct deep_place *above;
    const char *key;
    size_t size, index;
};

static void deep_put_name(haft_buffer *out, const struct import_parameter *parameter,
                          const struct deep_place *place)
{
    if (!place) {
        style_put_key(out, parameter, parameter->name, strlen(parameter->name));
        return;
    }
    deep_put_name(out, parameter, place->above);
    haft_buffer_puts(out, "%5B");
    if (place->key)
        style_put_key(out, parameter, place->key, place->size);
    else
        haft_buffer_printf(out, "%zu", place->index);
    haft_buffer_puts(out, "%5D");
}

static void style_put_deep(haft_buffer *out, const struct import_parameter *parameter,
                           yyjson_val *value, const struct deep_place *place, unsigned depth)
{
    yyjson_val *key, *item;
    size_t i, max;

    if (yyjson_is_null(value))
        return;
    if (!yyjson_is_ctn(value) || depth == PARAMETER_MAX_DEEP) {
        style_put_pair(out, parameter);
        deep_put_name(out, parameter, place);
        haft_buffer_add(out, "=", 1);
        style_put_scalar(out, parameter, value);
        return;
    }
    yyjson_arr_foreach(value, i, max, item) {
        style_put_deep(out, parameter, item, &(struct deep_place){place, NULL, 0, i}, depth + 1);
    }
    yyjson_obj_foreach(import_object(value), i, max, key, item) {
        style_put_deep(out, parameter, item,
                       &(struct deep_place){place, yyjson_get_str(key), yyjson_get_len(key), 0},
                       depth + 1);
    }
}

/* ---- styles ---- */

static bool value_has_items(yyjson_val *value)
{
    yyjson_val *key, *item;
    size_t i, max;

    yyjson_arr_foreach(value, i, max, item) {
        if (!yyjson_is_null(item))
            return true;
    }
    yyjson_obj_foreach(import_object(value), i, max, key, item) {
        if (!yyjson_is_null(item))
            return true;
    }
    return false;
}

static void style_put_label(haft_buffer *out, const struct import_parameter *parameter,
                            yyjson_val *value)
{
    haft_buffer_add(out, ".", 1);
    if (!yyjson_is_ctn(value))
        style_put_scalar(out, parameter, value);
    else
        style_put_joined(out, parameter, value, parameter->explode ? "." : ",", parameter->explode);
}

static void style_put_matrix(haft_buffer *out, const struct import_parameter *parameter,
                             yyjson_val *value)
{
    if (yyjson_is_ctn(value) && parameter->explode) {
        style_put_exploded(out, parameter, value, ";");
        return;
    }
    haft_buffer_add(out, ";", 1);
    style_put_key(out, parameter, parameter->name, strlen(parameter->name));
    if (yyjson_is_str(value) && !yyjson_get_len(value))
        return;
    haft_buffer_add(out, "=", 1);
    if (yyjson_is_ctn(value))
        style_put_joined(out, parameter, value, ",", false);
    else
        style_put_scalar(out, parameter, value);
}

static void style_put_form(haft_buffer *out, const struct import_parameter *parameter,
                           yyjson_val *value)
{
    if (!yyjson_is_ctn(value) || (parameter->objects_as_json && yyjson_is_obj(value))) {
        style_put_named(out, parameter, value);
        return;
    }
    if (parameter->explode && value_has_items(value)) {
        style_put_exploded(out, parameter, value, NULL);
        return;
    }
    style_put_pair(out, parameter);
    style_put_key(out, parameter, parameter->name, strlen(parameter->name));
    haft_buffer_add(out, "=", 1);
    style_put_joined(out, parameter, value, parameter->separator, false);
}

/* JSON, or with another media type the text itself. */
static void style_put_content(haft_buffer *out, const struct import_parameter *parameter,
                              yyjson_val *value)
{
    if (parameter->place != PARAMETER_PATH && parameter->place != PARAMETER_HEADER) {
        style_put_pair(out, parameter);
        style_put_key(out, parameter, parameter->name, strlen(parameter->name));
        haft_buffer_add(out, "=", 1);
    }
    if (parameter->type)
        style_put_scalar(out, parameter, value);
    else
        style_put_json(out, parameter, value);
}

void hf_import_put_parameter(haft_buffer *out, const struct import_parameter *parameter,
                             yyjson_val *value)
{
    if (yyjson_is_null(value))
        return;
    /* An array without items is as absent, unless the parameter may be empty. */
    if (parameter->style != PARAMETER_JSON && yyjson_is_ctn(value) && !value_has_items(value) &&
        !parameter->empty && !(parameter->objects_as_json && yyjson_is_obj(value)))
        return;
    switch (parameter->style) {
    case PARAMETER_SIMPLE:
        if (yyjson_is_ctn(value))
            style_put_joined(out, parameter, value, parameter->separator, parameter->explode);
        else
            style_put_scalar(out, parameter, value);
        break;
    case PARAMETER_LABEL:
        style_put_label(out, parameter, value);
        break;
    case PARAMETER_MATRIX:
        style_put_matrix(out, parameter, value);
        break;
    case PARAMETER_FORM:
        style_put_form(out, parameter, value);
        break;
    case PARAMETER_DEEP:
        style_put_deep(out, parameter, value, NULL, 0);
        break;
    case PARAMETER_JSON:
        style_put_content(out, parameter, value);
        break;
    }
}
