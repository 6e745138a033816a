/* form.c - elicitation forms: flat, with scalars and choices, in the subset of JSON Schema that
 * elicitation permits. Declared types are converted; JSON of the program is checked. */
#include <string.h>

#include "json/json.h"
#include "engine/offer/form.h"
#include "engine/offer/server.h"

enum { OFFER_FORM_LIMIT = 1 << 20 };

static bool is_form_format(const char *name)
{
    return name && (!strcmp(name, "email") || !strcmp(name, "uri") || !strcmp(name, "date") ||
                    !strcmp(name, "date-time"));
}

static void put_check(struct json_writer *w, const struct check *check)
{
    switch ((enum check_op)check->op) {
    case CHECK_MIN_LENGTH:
        hf_json_unsigned(json_key(w, "minLength"), check->size);
        break;
    case CHECK_MAX_LENGTH:
        hf_json_unsigned(json_key(w, "maxLength"), check->size);
        break;
    case CHECK_MIN:
        if (!check->exclusive)
            hf_json_value(json_key(w, "minimum"), &check->bound);
        break;
    case CHECK_MAX:
        if (!check->exclusive)
            hf_json_value(json_key(w, "maximum"), &check->bound);
        break;
    case CHECK_FORMAT:
        if (is_form_format(check->format->json_name))
            hf_json_text(json_key(w, "format"), check->format->json_name);
        break;
    default:
        break;
    }
}

/* Returns false if a form cannot contain the field. */
static bool put_field(struct json_writer *w, const struct property *property)
{
    const struct node *node = property->node;
    const char *type = node->values                  ? "string"
                       : node->types == TYPE_STRING  ? "string"
                       : node->types == TYPE_INTEGER ? "integer"
                       : node->types == TYPE_NUMBER  ? "number"
                       : node->types == TYPE_BOOLEAN ? "boolean"
                                                     : NULL;

    if (!type || node->nullable || node->store == STORE_BYTES)
        return false;
    hf_json_begin_object(hf_json_name(w, property->name, property->size));
    hf_json_text(json_key(w, "type"), type);
    if (node->values)
        hf_json_value(json_key(w, "enum"), node->values);
    if (node->meta) {
        json_text_member(w, "title", node->meta->title);
        json_text_member(w, "description", node->meta->description);
    }
    for (size_t i = 0; i < node->n_checks; i++)
        put_check(w, &node->checks[i]);
    if (property->presence == PRESENCE_DEFAULT)
        hf_json_value(json_key(w, "default"), property->fallback);
    hf_json_end_object(w);
    return true;
}

static bool put_form(haft_buffer *out, const struct object *object)
{
    struct json_writer w = {.out = out};
    bool any = false;

    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "type"), "object");
    hf_json_begin_object(json_key(&w, "properties"));
    for (size_t i = 0; i < object->n_properties; i++)
        if (!put_field(&w, &object->properties[i]))
            return false;
    hf_json_end_object(&w);
    for (size_t i = 0; i < object->n_properties; i++) {
        if (object->properties[i].presence != PRESENCE_REQUIRED)
            continue;
        if (!any)
            hf_json_begin_array(json_key(&w, "required"));
        hf_json_string(&w, object->properties[i].name, object->properties[i].size);
        any = true;
    }
    if (any)
        hf_json_end_array(&w);
    hf_json_end_object(&w);
    return true;
}

/* ---- forms given as JSON ---- */

static bool form_is_text(yyjson_val *value)
{
    return yyjson_is_str(value);
}

static bool is_number(yyjson_val *value)
{
    return yyjson_is_num(value);
}

static bool is_integer(yyjson_val *value)
{
    return yyjson_is_int(value);
}

static bool is_boolean(yyjson_val *value)
{
    return yyjson_is_bool(value);
}

static bool is_format(yyjson_val *value)
{
    return is_form_format(yyjson_get_str(value));
}

static bool is_choice(yyjson_val *value)
{
    return yyjson_is_str(yyjson_obj_get(value, "const")) &&
           yyjson_is_str(yyjson_obj_get(value, "title"));
}

/* Whether all items of a list pass. */
static bool are(yyjson_val *list, bool (*passes)(yyjson_val *value))
{
    yyjson_val *value;
    size_t i, n;

    yyjson_arr_foreach(list, i, n, value)
        if (!passes(value))
            return false;
    return yyjson_is_arr(list);
}

static bool are_texts(yyjson_val *value)
{
    return are(value, form_is_text);
}

static bool are_choices(yyjson_val *value)
{
    return are(value, is_choice);
}

/* Options of a multiple choice: strings, or strings with titles. */
static bool is_selection(yyjson_val *value)
{
    return (yyjson_equals_str(yyjson_obj_get(value, "type"), "string") &&
            are_texts(yyjson_obj_get(value, "enum"))) ||
           are_choices(yyjson_obj_get(value, "anyOf"));
}

enum { FORM_STRING = 1, FORM_NUMBER = 2, FORM_BOOLEAN = 4, FORM_ARRAY = 8, FORM_ALL = 15 };

/* The types of a field, the required values of their keywords, and the error messages. */
static const struct {
    const char *name;
    unsigned type;
} field_types[] = {
    {"string", FORM_STRING},   {"number", FORM_NUMBER}, {"integer", FORM_NUMBER},
    {"boolean", FORM_BOOLEAN}, {"array", FORM_ARRAY},
};

static const struct {
    const char *name;
    unsigned types;
    bool (*fits)(yyjson_val *value);
    const char *what;
} field_keywords[] = {
    {"title", FORM_ALL, form_is_text, "a string"},
    {"description", FORM_ALL, form_is_text, "a string"},
    {"default", FORM_STRING, form_is_text, "a string"},
    {"default", FORM_NUMBER, is_number, "a number"},
    {"default", FORM_BOOLEAN, is_boolean, "true or false"},
    {"default", FORM_ARRAY, are_texts, "a list of strings"},
    {"format", FORM_STRING, is_format, "email, uri, date or date-time"},
    {"minLength", FORM_STRING, is_integer, "a whole number"},
    {"maxLength", FORM_STRING, is_integer, "a whole number"},
    {"enum", FORM_STRING, are_texts, "a list of strings"},
    {"enumNames", FORM_STRING, are_texts, "a list of strings"},
    {"oneOf", FORM_STRING, are_choices, "a list of {const, title}"},
    {"minimum", FORM_NUMBER, is_number, "a number"},
    {"maximum", FORM_NUMBER, is_number, "a number"},
    {"minItems", FORM_ARRAY, is_integer, "a whole number"},
    {"maxItems", FORM_ARRAY, is_integer, "a whole number"},
    {"items", FORM_ARRAY, is_selection, "a string enum, or anyOf with {const, title}"},
};

static const char *check_field(const char *name, yyjson_val *field, bool *ret_selects,
                               haft_arena *arena)
{
    yyjson_val *named = yyjson_obj_get(field, "type"), *value;
    unsigned type = 0;

    for (size_t i = 0; i < sizeof field_types / sizeof *field_types; i++)
        if (yyjson_equals_str(named, field_types[i].name))
            type = field_types[i].type;
    if (!type)
        return haft_arena_printf(
            arena, "%s: a form may contain only strings, numbers, booleans and selections", name);
    if (type == FORM_ARRAY && !yyjson_obj_get(field, "items"))
        return haft_arena_printf(arena, "%s: \"items\" is missing", name);
    for (size_t i = 0; i < sizeof field_keywords / sizeof *field_keywords; i++) {
        value = yyjson_obj_get(field, field_keywords[i].name);
        if (value && field_keywords[i].types & type && !field_keywords[i].fits(value))
            return haft_arena_printf(arena, "%s: \"%s\" must be %s", name, field_keywords[i].name,
                                     field_keywords[i].what);
    }
    *ret_selects |= type == FORM_ARRAY;
    return NULL;
}

const char *hf_form_check(yyjson_val *schema, haft_arena *arena, bool *ret_selects)
{
    yyjson_val *properties = yyjson_obj_get(schema, "properties"), *key, *field;
    yyjson_val *required = yyjson_obj_get(schema, "required");
    const char *why = NULL;
    size_t i, n;

    *ret_selects = false;
    if (!yyjson_equals_str(yyjson_obj_get(schema, "type"), "object"))
        return "\"type\" must be \"object\"";
    if (!yyjson_is_obj(properties))
        return "\"properties\" must be an object";
    if (required && !are_texts(required))
        return "\"required\" must be a list of strings";
    yyjson_obj_foreach(properties, i, n, key, field) {
        why = check_field(yyjson_get_str(key), field, ret_selects, arena);
        if (why)
            return why;
    }
    return NULL;
}

/* ---- forms of declared types ---- */

static struct form *form_new(haft_server *server, const haft_type *type)
{
    haft_schema_options options = HAFT_INIT(haft_schema_options, .allocator = server->allocator);
    struct form *form = NULL;
    haft_schema *schema;
    haft_reason reason;
    haft_buffer text;
    bool fits;

    if (haft_schema_compile(type, &options, &schema, &reason)) {
        hf_server_log(server, HAFT_ERROR, "form %s: %s: %s", type->name, reason.path, reason.text);
        return NULL;
    }
    haft_buffer_init(&text, server->allocator, OFFER_FORM_LIMIT);
    fits = schema->root->object && put_form(&text, schema->root->object);
    if (!fits)
        hf_server_log(server, HAFT_ERROR,
                      "form %s: a form may contain only strings, numbers, booleans and enums",
                      type->name);
    if (fits && !text.status)
        form = haft_arena_zalloc(schema->arena, 1, sizeof *form);
    if (form) {
        form->type = type;
        form->schema = schema;
        form->json = hf_text_of(schema->arena, &text).data;
    }
    haft_buffer_finish(&text);
    if (!form || !form->json) {
        haft_schema_free(schema);
        return NULL;
    }
    return form;
}

static const struct form *form_find(const struct form *form, const haft_type *type)
{
    while (form && form->type != type)
        form = form->next;
    return form;
}

/* Types are identified by address, which may be reused after a shared object is unloaded: forms of
 * its types are kept with the module. */
const struct form *hf_form_of(haft_server *server, struct module *module, const haft_type *type)
{
    struct form **forms = module ? &module->forms : &server->forms, *made;
    const struct form *form;

    hf_server_lock(server);
    form = form_find(*forms, type);
    hf_server_unlock(server);
    if (form)
        return form;
    made = form_new(server, type);
    if (!made)
        return NULL;
    hf_server_lock(server);
    form = form_find(*forms, type);
    if (!form) {
        made->next = *forms;
        *forms = made;
    }
    hf_server_unlock(server);
    /* Another thread has created the form meanwhile. */
    if (form)
        haft_schema_free(made->schema);
    return form ? form : made;
}

void hf_forms_free(struct form *forms)
{
    while (forms) {
        struct form *next = forms->next;

        haft_schema_free(forms->schema);
        forms = next;
    }
}
