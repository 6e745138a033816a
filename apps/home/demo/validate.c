/* validate.c - objects checked by tables, with the sentences of voluptuous, which Home Assistant uses.
 *
 * It reports the first error: of the members in their order, then of those that are missing. */
#include "demo/service.h"

/* Whether a list, separated by commas, has the name. */
static bool validate_list_has(const char *list, const char *name, size_t size)
{
    while (list && *list) {
        size_t length = strcspn(list, ",");

        if (length == size && !memcmp(list, name, size))
            return true;
        list += length;
        list += *list == ',';
    }
    return false;
}

/* ['a', 'b'] as Python prints it. */
static const char *validate_choices(struct demo *demo, const char *list)
{
    const char *text = "[", *before = "'";

    while (text && *list) {
        size_t length = strcspn(list, ",");

        text = demo_complain(demo, "%s%s%.*s", text, before, (int)length, list);
        before = "', '";
        list += length;
        list += *list == ',';
    }
    return text ? demo_complain(demo, "%s']", text) : NULL;
}

static const char *validate_range(struct demo *demo, const struct demo_field *field, double value)
{
    if (!field->ranged)
        return NULL;
    if (value < field->min)
        return demo_complain(demo, "value must be at least %g", field->min);
    if (value > field->max)
        return demo_complain(demo, "value must be at most %g", field->max);
    return NULL;
}

/* A number, or a text that is one. */
static bool validate_read_number(haft_value *value, double *ret_number)
{
    const char *text = yyjson_get_str(value);
    char *end;

    if (yyjson_is_num(value)) {
        *ret_number = yyjson_get_num(value);
        return true;
    }
    if (!text || !*text)
        return false;
    *ret_number = strtod(text, &end);
    return !*end;
}

static const char *validate_number(struct demo *demo, const struct demo_field *field,
                                   haft_value *value)
{
    double number;

    if (!validate_read_number(value, &number) ||
        (field->kind == FIELD_INT && yyjson_is_str(value) && number != number_whole(number)))
        return field->kind == FIELD_INT ? "expected int" : "expected float";
    return validate_range(demo, field, number);
}

static const char *validate_bool(struct demo *demo, haft_value *value)
{
    static const char words[] = "1,true,yes,on,enable,0,false,no,off,disable";
    const char *text = yyjson_get_str(value);

    if (yyjson_is_bool(value) || yyjson_is_num(value) ||
        (text && validate_list_has(words, text, strlen(text))))
        return NULL;
    return text ? demo_complain(demo, "invalid boolean value %s", text) : "invalid boolean value";
}

static const char *validate_choice(struct demo *demo, const struct demo_field *field,
                                   haft_value *value)
{
    const char *text = yyjson_get_str(value);

    if (text && validate_list_has(field->choices, text, strlen(text)))
        return NULL;
    if (!strchr(field->choices, ','))
        return "not a valid value";
    return demo_complain(demo, "value must be one of %s", validate_choices(demo, field->choices));
}

/* As many numbers as that, each in the range. */
static const char *validate_numbers(struct demo *demo, const struct demo_field *field,
                                    haft_value *value, size_t n)
{
    static const struct demo_field byte = {
        .name = "", .kind = FIELD_INT, .ranged = true, .min = 0, .max = 255};
    static const struct demo_field any = {.name = "", .kind = FIELD_NUMBER};
    yyjson_arr_iter iter;
    yyjson_val *item;
    const char *wrong = NULL;

    if (!yyjson_is_arr(value) || yyjson_arr_size(value) != n)
        return "not a valid value";
    yyjson_arr_iter_init(value, &iter);
    while (!wrong && (item = yyjson_arr_iter_next(&iter)))
        wrong = validate_number(demo, field->kind == FIELD_RGB ? &byte : &any, item);
    return wrong;
}

static const char *validate_texts(haft_value *value)
{
    yyjson_arr_iter iter;
    yyjson_val *item;

    if (!yyjson_is_arr(value))
        return yyjson_is_str(value) || yyjson_is_num(value) ? NULL : "value should be a string";
    yyjson_arr_iter_init(value, &iter);
    while ((item = yyjson_arr_iter_next(&iter)))
        if (!yyjson_is_str(item))
            return "value should be a string";
    return NULL;
}

static const char *validate_entity(struct demo *demo, haft_value *value)
{
    const char *text = yyjson_get_str(value);

    if (!text)
        return "value should be a string";
    return demo_id_is_valid(text)
               ? NULL
               : demo_complain(demo, "Entity ID %s is an invalid entity ID", text);
}

static const char *validate_value(struct demo *demo, const struct demo_field *field,
                                  haft_value *value)
{
    int64_t time;

    switch (field->kind) {
    case FIELD_TEXT_OR_NULL:
        return yyjson_is_str(value) || yyjson_is_null(value) ? NULL : "expected str";
    case FIELD_TEXT:
        return yyjson_is_str(value) || yyjson_is_num(value) ? NULL : "value should be a string";
    case FIELD_INT:
    case FIELD_NUMBER:
        return validate_number(demo, field, value);
    case FIELD_BOOL:
        return validate_bool(demo, value);
    case FIELD_CHOICE:
        return validate_choice(demo, field, value);
    case FIELD_TEXTS:
        return validate_texts(value);
    case FIELD_OBJECT:
        return yyjson_is_obj(value) ? NULL : "expected a dictionary";
    case FIELD_ARRAY:
        return yyjson_is_arr(value) ? NULL : "expected a list";
    case FIELD_RGB:
        return validate_numbers(demo, field, value, 3);
    case FIELD_PAIR:
        return validate_numbers(demo, field, value, 2);
    case FIELD_TIME:
        return yyjson_is_str(value) && demo_time_read(yyjson_get_str(value), &time)
                   ? NULL
                   : demo_complain(demo, "Invalid datetime specified: %s",
                                   yyjson_is_str(value) ? yyjson_get_str(value) : "None");
    case FIELD_ENTITY:
        return validate_entity(demo, value);
    case FIELD_TARGET:
        return yyjson_is_obj(value) ? NULL : "expected a dictionary";
    default:
        return NULL;
    }
}

/* ---- targets, which every service that has entities takes ---- */

static bool validate_ids(haft_value *value, bool entities)
{
    yyjson_arr_iter iter;
    yyjson_val *item;
    const char *text = yyjson_get_str(value);

    if (text && entities) { /* several may be in one text */
        char id[256];

        if (!strcmp(text, "all") || !strcmp(text, "none"))
            return true;
        while (*text) {
            size_t size = strcspn(text, ",");
            struct text part = text_trim(text, size);

            if (part.size >= sizeof id)
                return false;
            memcpy(id, part.data, part.size);
            id[part.size] = '\0';
            if (!demo_id_is_valid(id))
                return false;
            text += size;
            text += *text == ',';
        }
        return true;
    }
    if (!yyjson_is_arr(value))
        return text || yyjson_is_null(value);
    yyjson_arr_iter_init(value, &iter);
    while ((item = yyjson_arr_iter_next(&iter)))
        if (!yyjson_is_str(item) || (entities && !demo_id_is_valid(yyjson_get_str(item))))
            return false;
    return true;
}

/* ---- the whole ---- */

/* A value as Python prints it: near enough for what is not a scalar. */
static const char *validate_repr(struct demo *demo, haft_value *value)
{
    haft_buffer out;
    char *text;

    if (!value || yyjson_is_null(value))
        return "None";
    if (yyjson_is_bool(value))
        return yyjson_get_bool(value) ? "True" : "False";
    out = demo_buffer(demo);
    haft_json_write(value, &out);
    text = demo_take(demo, &out);
    for (char *at = text; at && *at; at++)
        if (*at == '"')
            *at = '\'';
    return text;
}

static const char *validate_finish(struct demo *demo, const char *wrong, const char *key,
                                   haft_value *value, bool got, bool of_value)
{
    const char *text = demo_complain(demo, "%s%s @ data['%s']", wrong,
                                     of_value ? " for dictionary value" : "", key);

    if (text && got)
        text = demo_complain(demo, "%s. Got %s", text, validate_repr(demo, value));
    return text ? text : "";
}

static const char *validate_member(struct demo *demo, const struct demo_field *fields, size_t n,
                                   yyjson_val *key, const char *base, bool any, bool got)
{
    const char *name = yyjson_get_str(key), *wrong = NULL;
    yyjson_val *value = yyjson_obj_iter_get_val(key);

    for (size_t i = 0; i < n; i++)
        if (!strcmp(fields[i].name, name)) {
            wrong = validate_value(demo, &fields[i], value);
            return wrong ? validate_finish(demo, wrong, name, value, got, true) : NULL;
        }
    if (validate_list_has(base, name, strlen(name))) {
        bool is_target = validate_list_has(DEMO_TARGET_KEYS, name, strlen(name));

        if (is_target && !validate_ids(value, !strcmp(name, "entity_id")))
            return validate_finish(demo, "not a valid value", name, value, got, true);
        return NULL;
    }
    return any ? NULL : validate_finish(demo, "extra keys not allowed", name, value, got, false);
}

const char *demo_validate(struct demo *demo, const struct demo_field *fields, size_t n,
                          haft_value *object, const char *base, bool any, bool got)
{
    yyjson_obj_iter iter;
    yyjson_val *key;
    const char *wrong = NULL;

    if (!yyjson_is_obj(object))
        return "expected a dictionary";
    yyjson_obj_iter_init(object, &iter);
    while (!wrong && (key = yyjson_obj_iter_next(&iter)))
        wrong = validate_member(demo, fields, n, key, base, any, got);
    for (size_t i = 0; !wrong && i < n; i++)
        if (fields[i].required && !yyjson_obj_get(object, fields[i].name))
            wrong = validate_finish(demo, "required key not provided", fields[i].name, NULL, got,
                                    false);
    return wrong;
}
