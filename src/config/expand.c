/* expand.c - variables of the environment in the strings of a configuration. */
#include "config/expand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"

enum {
    EXPAND_NAME_MAX = 128,
    EXPAND_NAMES_MAX = 1 << 20,
    EXPAND_LIMIT = 4 << 20,
    EXPAND_DEPTH = 64
};

struct expansion {
    haft_buffer text;  /* the copy, as JSON */
    haft_buffer value; /* the string that is being replaced */
    haft_reason *reason;
    char path[sizeof((haft_reason *)NULL)->path];
};

/* ---- whether there is anything ---- */

static bool value_has_variables(yyjson_val *value, unsigned depth)
{
    yyjson_val *name, *each;
    size_t i, n;

    if (yyjson_is_str(value))
        return strstr(yyjson_get_str(value), "${");
    if (!depth)
        return false;
    yyjson_arr_foreach(value, i, n, each)
        if (value_has_variables(each, depth - 1))
            return true;
    yyjson_obj_foreach(value, i, n, name, each)
        if (value_has_variables(each, depth - 1))
            return true;
    return false;
}

/* ---- one string ---- */

static int expand_refuse(struct expansion *expansion, const char *format, const char *name)
{
    return hf_error_set(expansion->reason, HAFT_EINVAL, expansion->path, format, name);
}

/* Appends the variable between ${ and }; `text` begins after the first, and *ret_end is set after the last. */
static int expand_variable(struct expansion *expansion, const char *text, const char **ret_end)
{
    const char *end = strchr(text, '}'), *otherwise = end ? strstr(text, ":-") : NULL, *value;
    char name[EXPAND_NAME_MAX];
    size_t size;

    if (!end)
        return expand_refuse(expansion, "%s has no } at its end; write $${ for the characters ${",
                             "a variable");
    if (otherwise && otherwise > end)
        otherwise = NULL;
    size = (size_t)((otherwise ? otherwise : end) - text);
    if (!size || size >= sizeof name)
        return expand_refuse(expansion, "%s has no name, or one that is too long", "a variable");
    memcpy(name, text, size);
    name[size] = '\0';
    value = getenv(name);
    if (value && *value)
        haft_buffer_puts(&expansion->value, value);
    else if (otherwise)
        haft_buffer_add(&expansion->value, otherwise + 2, (size_t)(end - otherwise - 2));
    else
        return expand_refuse(expansion, "the environment variable %s is not set", name);
    *ret_end = end + 1;
    return 0;
}

static int expand_string(struct expansion *expansion, const char *text)
{
    const char *dollar;
    int status = 0;

    haft_buffer_clear(&expansion->value);
    for (; !status && (dollar = strstr(text, "${"));) {
        bool escaped = dollar > text && dollar[-1] == '$';

        haft_buffer_add(&expansion->value, text, (size_t)(dollar - text) - escaped);
        if (escaped) {
            haft_buffer_puts(&expansion->value, "${");
            text = dollar + 2;
        } else {
            status = expand_variable(expansion, dollar + 2, &text);
        }
    }
    if (status)
        return status;
    haft_buffer_puts(&expansion->value, text);
    if (expansion->value.status)
        return expansion->value.status;
    if (haft_utf8_valid(expansion->value.data, expansion->value.size) != expansion->value.size)
        return expand_refuse(expansion, "%s is not valid UTF-8", "the value of a variable");
    haft_buffer_json_string(&expansion->text, expansion->value.data, expansion->value.size);
    return 0;
}

/* ---- a value ---- */

static int expand_value(struct expansion *expansion, yyjson_val *value, unsigned depth);

/* Puts the name of a member or the number of an item to the path, and removes it again. */
static int expand_member(struct expansion *expansion, const char *name, yyjson_val *value,
                         unsigned depth)
{
    size_t size = strlen(expansion->path);
    int status;

    snprintf(expansion->path + size, sizeof expansion->path - size, "%s%s", size ? "." : "", name);
    status = expand_value(expansion, value, depth - 1);
    if (!status)
        expansion->path[size] = '\0';
    return status;
}

static int expand_array(struct expansion *expansion, yyjson_val *array, unsigned depth)
{
    yyjson_val *each;
    size_t i, n;
    int status = 0;

    haft_buffer_puts(&expansion->text, "[");
    yyjson_arr_foreach(array, i, n, each) {
        char number[24];

        snprintf(number, sizeof number, "%zu", i);
        haft_buffer_puts(&expansion->text, i ? "," : "");
        status = expand_member(expansion, number, each, depth);
        if (status)
            return status;
    }
    haft_buffer_puts(&expansion->text, "]");
    return 0;
}

static int expand_object(struct expansion *expansion, yyjson_val *object, unsigned depth)
{
    yyjson_val *name, *each;
    size_t i, n;
    int status = 0;

    haft_buffer_puts(&expansion->text, "{");
    yyjson_obj_foreach(object, i, n, name, each) {
        haft_buffer_puts(&expansion->text, i ? "," : "");
        haft_json_write(name, &expansion->text);
        haft_buffer_puts(&expansion->text, ":");
        status = expand_member(expansion, yyjson_get_str(name), each, depth);
        if (status)
            return status;
    }
    haft_buffer_puts(&expansion->text, "}");
    return 0;
}

static int expand_value(struct expansion *expansion, yyjson_val *value, unsigned depth)
{
    if (!depth)
        return HAFT_EDEPTH;
    if (yyjson_is_str(value) && strstr(yyjson_get_str(value), "${"))
        return expand_string(expansion, yyjson_get_str(value));
    if (yyjson_is_arr(value))
        return expand_array(expansion, value, depth);
    if (yyjson_is_obj(value))
        return expand_object(expansion, value, depth);
    haft_json_write(value, &expansion->text);
    return 0;
}

haft_value *hf_expand_variables(haft_value *value, haft_arena *arena, haft_reason *reterr_reason)
{
    struct expansion expansion = {.reason = reterr_reason};
    haft_value *copy = NULL;
    int status;

    if (!value_has_variables(value, EXPAND_DEPTH))
        return value;
    *reterr_reason = (haft_reason){.code = 0};
    haft_buffer_init(&expansion.text, NULL, EXPAND_LIMIT);
    haft_buffer_init(&expansion.value, NULL, EXPAND_LIMIT);
    status = expand_value(&expansion, value, EXPAND_DEPTH);
    if (!status)
        status = expansion.text.status;
    if (!status)
        copy = haft_json_read(expansion.text.data, expansion.text.size, EXPAND_DEPTH, arena, NULL);
    if (!copy && !reterr_reason->code)
        hf_error_set(reterr_reason, status ? status : HAFT_ENOMEM, "", "%s",
                     haft_strerror(status ? status : HAFT_ENOMEM));
    haft_buffer_finish(&expansion.text);
    haft_buffer_finish(&expansion.value);
    return copy;
}

/* ---- the names ---- */

static void names_put_string(haft_buffer *names, const char *text)
{
    for (const char *dollar; (dollar = strstr(text, "${")); text = dollar + 2) {
        size_t size = strcspn(dollar + 2, ":}");

        if (dollar > text && dollar[-1] == '$')
            continue;
        haft_buffer_add(names, dollar + 2, size);
        haft_buffer_puts(names, "=");
    }
}

static void names_put(haft_buffer *names, yyjson_val *value, unsigned depth)
{
    yyjson_val *name, *each;
    size_t i, n;

    if (yyjson_is_str(value))
        names_put_string(names, yyjson_get_str(value));
    if (!depth)
        return;
    yyjson_arr_foreach(value, i, n, each)
        names_put(names, each, depth - 1);
    yyjson_obj_foreach(value, i, n, name, each)
        names_put(names, each, depth - 1);
}

const char *hf_expand_names(haft_value *value, haft_arena *arena)
{
    const char *copy;
    haft_buffer names;

    haft_buffer_init(&names, NULL, EXPAND_NAMES_MAX);
    haft_buffer_puts(&names, "=");
    names_put(&names, value, EXPAND_DEPTH);
    copy = names.status ? NULL : haft_arena_copy(arena, names.data, names.size);
    haft_buffer_finish(&names);
    return copy;
}
