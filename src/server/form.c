/* form.c - declared types as forms for a person: flat, of scalars, in the subset of JSON Schema that
 * elicitation allows. */
#include <string.h>

#include "json/json.h"
#include "server/server.h"

enum { FORM_LIMIT = 1 << 20 };

static void put_member(haft_buffer *out, const char *key, const yyjson_val *value)
{
    haft_buffer_printf(out, ",\"%s\":", key);
    haft_json_write(value, out);
}

static bool is_form_format(const char *name)
{
    return name && (!strcmp(name, "email") || !strcmp(name, "uri") || !strcmp(name, "date") ||
                    !strcmp(name, "date-time"));
}

static void put_check(haft_buffer *out, const struct check *check)
{
    switch ((enum check_op)check->op) {
    case CHECK_MIN_LENGTH:
        haft_buffer_printf(out, ",\"minLength\":%zu", check->size);
        break;
    case CHECK_MAX_LENGTH:
        haft_buffer_printf(out, ",\"maxLength\":%zu", check->size);
        break;
    case CHECK_MIN:
        if (!check->exclusive)
            put_member(out, "minimum", &check->bound);
        break;
    case CHECK_MAX:
        if (!check->exclusive)
            put_member(out, "maximum", &check->bound);
        break;
    case CHECK_FORMAT:
        if (is_form_format(check->format->json_name))
            haft_buffer_printf(out, ",\"format\":\"%s\"", check->format->json_name);
        break;
    default:
        break;
    }
}

/* False for what a form cannot hold. */
static bool put_field(haft_buffer *out, const struct property *property)
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
    haft_buffer_json_string(out, property->name, property->size);
    haft_buffer_printf(out, ":{\"type\":\"%s\"", type);
    if (node->values)
        put_member(out, "enum", node->values);
    if (node->meta) {
        put_text_member(out, "title", node->meta->title);
        put_text_member(out, "description", node->meta->description);
    }
    for (size_t i = 0; i < node->n_checks; i++)
        put_check(out, &node->checks[i]);
    if (property->presence == PRESENCE_DEFAULT)
        put_member(out, "default", property->fallback);
    haft_buffer_add(out, "}", 1);
    return true;
}

static bool put_form(haft_buffer *out, const struct object *object)
{
    bool any = false;

    haft_buffer_puts(out, "{\"type\":\"object\",\"properties\":{");
    for (size_t i = 0; i < object->n_properties; i++) {
        if (i)
            haft_buffer_add(out, ",", 1);
        if (!put_field(out, &object->properties[i]))
            return false;
    }
    haft_buffer_add(out, "}", 1);
    for (size_t i = 0; i < object->n_properties; i++) {
        if (object->properties[i].presence != PRESENCE_REQUIRED)
            continue;
        haft_buffer_puts(out, any ? "," : ",\"required\":[");
        haft_buffer_json_string(out, object->properties[i].name, object->properties[i].size);
        any = true;
    }
    haft_buffer_puts(out, any ? "]}" : "}");
    return true;
}

static struct form *form_new(haft_server *server, const haft_type *type)
{
    haft_schema_options options = {.allocator = server->allocator};
    struct form *form = NULL;
    haft_schema *schema;
    haft_reason reason;
    haft_buffer text;
    bool fits;

    if (haft_schema_compile(type, &options, &schema, &reason)) {
        server_log(server, HAFT_ERROR, "form %s: %s: %s", type->name, reason.path, reason.text);
        return NULL;
    }
    haft_buffer_init(&text, server->allocator, FORM_LIMIT);
    fits = schema->root->object && put_form(&text, schema->root->object);
    if (!fits)
        server_log(server, HAFT_ERROR,
                   "form %s: only strings, numbers, booleans and enums fit a form", type->name);
    if (fits && !text.status)
        form = haft_arena_zalloc(schema->arena, 1, sizeof *form);
    if (form) {
        form->type = type;
        form->schema = schema;
        form->json = text_of(schema->arena, &text).data;
    }
    haft_buffer_finish(&text);
    if (!form || !form->json) {
        haft_schema_free(schema);
        return NULL;
    }
    return form;
}

static const struct form *find(haft_server *server, const haft_type *type)
{
    const struct form *form = server->forms;

    while (form && form->type != type)
        form = form->next;
    return form;
}

const struct form *form_of(haft_server *server, const haft_type *type)
{
    const struct form *form;
    struct form *made;

    server_lock(server);
    form = find(server, type);
    server_unlock(server);
    if (form)
        return form;
    made = form_new(server, type);
    if (!made)
        return NULL;
    server_lock(server);
    form = find(server, type);
    if (!form) {
        made->next = server->forms;
        server->forms = made;
    }
    server_unlock(server);
    /* Another thread was first. */
    if (form)
        haft_schema_free(made->schema);
    return form ? form : made;
}
