/* prompt.c - adding prompts.
 *
 * The arguments of a prompt are strings that a person fills in. They are declared as a type, like
 * those of a tool, and validated by its schema. */
#include <string.h>

#include "engine/offer/lint.h"
#include "engine/offer/scope.h"
#include "engine/offer/server.h"

/* ---- adding ---- */

static void put_argument(struct json_writer *w, const struct property *property)
{
    const struct meta *meta = property->node->meta;

    hf_json_begin_object(w);
    hf_json_string(json_key(w, "name"), property->name, property->size);
    json_text_member(w, "title", meta ? meta->title : NULL);
    json_text_member(w, "description", meta ? meta->description : NULL);
    hf_json_bool(json_key(w, "required"), property->presence == PRESENCE_REQUIRED);
    hf_json_end_object(w);
}

static void prompt_put_rest(haft_buffer *buffer, const struct item *item)
{
    struct json_writer w = json_members(buffer, true);
    const haft_prompt *prompt = item->prompt;
    const struct object *object = item->input ? item->input->root->object : NULL;

    json_text_member(&w, "title", prompt->title);
    json_text_member(&w, "description", prompt->description);
    if (object && object->n_properties) {
        hf_json_begin_array(json_key(&w, "arguments"));
        for (size_t i = 0; i < object->n_properties; i++)
            put_argument(&w, &object->properties[i]);
        hf_json_end_array(&w);
    }
    hf_put_icons(&w, prompt->icons, prompt->n_icons);
    hf_put_json_member(&w, "_meta", prompt->meta);
    hf_json_end_object(&w);
}

/* Whether a person can type the value: strings, and enumerations of strings. */
static bool prompt_is_text(const struct node *node)
{
    return !node->nullable &&
           (node->store == STORE_STRING || node->store == STORE_TEXT || node->store == STORE_ENUM);
}

static int compile_arguments(haft_server *server, struct item *item, const haft_type *type)
{
    haft_schema_options options = HAFT_INIT(haft_schema_options, .allocator = server->allocator,
                                            .max_depth = server->options.max_depth);
    const struct object *object;
    haft_reason reason;
    int status;

    if (!type)
        return 0;
    if (type->shape != HAFT_SHAPE_STRUCT)
        return hf_server_refuse(server, HAFT_ESCHEMA, item->name, "arguments must be a struct");
    status = haft_schema_compile(type, &options, &item->owned[0], &reason);
    if (status)
        return hf_server_refuse(server, status, item->name, "arguments: %s: %s", reason.path,
                                reason.text);
    item->input = item->owned[0];
    object = item->input->root->object;
    for (size_t i = 0; object && i < object->n_properties; i++)
        if (!prompt_is_text(object->properties[i].node))
            return hf_server_refuse(server, HAFT_ESCHEMA, item->name,
                                    "arguments: %s: an argument of a prompt must be a string",
                                    object->properties[i].name);
    return 0;
}

static int prompt_fill(haft_server *server, struct item *item, const haft_prompt *prompt)
{
    int status;

    item->prompt = prompt;
    item->data = prompt->data;
    item->quick = prompt->quick;
    if (!prompt->get)
        return hf_server_refuse(server, HAFT_EINVAL, item->name, "the handler is missing");
    status = compile_arguments(server, item, prompt->arguments);
    if (!status)
        status = hf_check_json_object(server, item->name, "_meta", prompt->meta, item->arena);
    if (!status)
        status = hf_check_icons(server, item->name, prompt->icons, prompt->n_icons);
    if (!status)
        status = hf_item_set_scopes(server, item, prompt->scopes);
    return status ? status : hf_item_render(server, item, prompt_put_rest);
}

int hf_prompt_item(haft_server *server, const haft_prompt *prompt, struct module *module,
                   struct item **ret_item)
{
    int status = hf_lint_name(server, HAFT_OFFER_PROMPT, prompt->name);
    const void *view = NULL;
    struct item *item;

    if (status)
        return status;
    item = hf_item_new_named(server, prompt->name, module);
    if (!item)
        return HAFT_ENOMEM;
    status = hf_server_view(server, "haft_prompt", prompt, sizeof *prompt, item->arena, &view);
    if (!status)
        status = prompt_fill(server, item, view);
    if (status)
        hf_item_drop(item);
    else
        *ret_item = item;
    return status;
}

int haft_prompt_add(haft_server *server, const haft_prompt *prompt)
{
    struct item *item;
    int status = hf_prompt_item(server, prompt, NULL, &item);

    return status ? status : hf_offer_list_put(server, HAFT_OFFER_PROMPT, item, NULL);
}
