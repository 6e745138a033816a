/* prompt.c - prompts: adding them, and prompts/get.
 *
 * The arguments of a prompt are texts that a person fills in.  They are declared as a type like
 * those of a tool, and checked by the same schema. */
#include <string.h>

#include "engine/offer.h"

/* ---- adding ---- */

static void put_argument(haft_buffer *buffer, const struct property *property)
{
    const struct meta *meta = property->node->meta;

    haft_buffer_puts(buffer, "{\"name\":");
    haft_buffer_json_string(buffer, property->name, property->size);
    put_text_member(buffer, "title", meta ? meta->title : NULL);
    put_text_member(buffer, "description", meta ? meta->description : NULL);
    haft_buffer_puts(buffer, property->presence == PRESENCE_REQUIRED ? ",\"required\":true}"
                                                                     : ",\"required\":false}");
}

static void put_rest(haft_buffer *buffer, const struct item *item)
{
    const haft_prompt *prompt = item->prompt;
    const struct object *object = item->input ? item->input->root->object : NULL;

    put_text_member(buffer, "title", prompt->title);
    put_text_member(buffer, "description", prompt->description);
    if (object && object->n_properties) {
        haft_buffer_puts(buffer, ",\"arguments\":[");
        for (size_t i = 0; i < object->n_properties; i++) {
            if (i)
                haft_buffer_add(buffer, ",", 1);
            put_argument(buffer, &object->properties[i]);
        }
        haft_buffer_add(buffer, "]", 1);
    }
    put_icons(buffer, prompt->icons, prompt->n_icons);
    put_json_member(buffer, "_meta", prompt->meta);
    haft_buffer_add(buffer, "}", 1);
}

/* What a person can type: texts, and choices among texts. */
static bool is_text(const struct node *node)
{
    return !node->nullable && (node->store == STORE_STRING || node->store == STORE_ENUM);
}

static int compile_arguments(haft_server *server, struct item *item, const haft_type *type)
{
    haft_schema_options options = {.allocator = server->allocator,
                                   .max_depth = server->options.max_depth};
    const struct object *object;
    haft_reason reason;
    int status;

    if (!type)
        return 0;
    if (type->shape != HAFT_SHAPE_STRUCT)
        return server_refuse(server, HAFT_ESCHEMA, item->name, "arguments must be a struct");
    status = haft_schema_compile(type, &options, &item->owned[0], &reason);
    if (status)
        return server_refuse(server, status, item->name, "arguments: %s: %s", reason.path,
                             reason.text);
    item->input = item->owned[0];
    object = item->input->root->object;
    for (size_t i = 0; object && i < object->n_properties; i++)
        if (!is_text(object->properties[i].node))
            return server_refuse(server, HAFT_ESCHEMA, item->name,
                                 "arguments: %s: an argument of a prompt is a text",
                                 object->properties[i].name);
    return 0;
}

static int fill(haft_server *server, struct item *item, const haft_prompt *prompt)
{
    int status;

    item->prompt = prompt;
    item->data = prompt->data;
    item->quick = prompt->quick;
    if (!prompt->get)
        return server_refuse(server, HAFT_EINVAL, item->name, "there is no handler");
    status = compile_arguments(server, item, prompt->arguments);
    if (!status)
        status = check_json_object(server, item->name, "_meta", prompt->meta, item->arena);
    if (!status)
        status = check_icons(server, item->name, prompt->icons, prompt->n_icons);
    return status ? status : offer_render(server, item, put_rest);
}

int prompt_item(haft_server *server, const haft_prompt *prompt, struct hold *hold,
                struct item **ret_item)
{
    int status = lint_name(server, HAFT_OFFER_PROMPT, prompt->name);
    struct item *item;

    if (status)
        return status;
    item = offer_item(server, prompt->name, hold);
    if (!item)
        return HAFT_ENOMEM;
    status = fill(server, item, prompt);
    if (status)
        item_drop(item);
    else
        *ret_item = item;
    return status;
}

int haft_prompt_add(haft_server *server, const haft_prompt *prompt)
{
    struct item *item;
    int status = prompt_item(server, prompt, NULL, &item);

    return status ? status : shelf_put(server, HAFT_OFFER_PROMPT, item, NULL);
}

/* ---- for handlers ---- */

int haft_prompt_say(haft_call *call, const char *role)
{
    static const char *const roles[] = {"user", "assistant"};

    for (size_t i = 0; role && i < sizeof roles / sizeof *roles; i++) {
        if (strcmp(role, roles[i]))
            continue;
        call->role = roles[i];
        return 0;
    }
    return HAFT_EINVAL;
}

int haft_prompt_description(haft_call *call, const char *text)
{
    size_t size = strlen(text);

    if (haft_utf8_valid(text, size) != size)
        return HAFT_EUTF8;
    call->description = haft_arena_copy(call->arena, text, size);
    return call->description ? 0 : HAFT_ENOMEM;
}

/* ---- prompts/get ---- */

static int execute(haft_call *call)
{
    return call->item->prompt->get(call, call->in);
}

static void complete(haft_call *call)
{
    const char *description = call->description;
    haft_buffer *out;

    if (offer_failed(call))
        return;
    if (!description)
        description = call->item->prompt->description;
    out = respond_begin(call);
    if (description) {
        haft_buffer_puts(out, "\"description\":");
        haft_buffer_json_string(out, description, strlen(description));
        haft_buffer_add(out, ",", 1);
    }
    haft_buffer_puts(out, "\"messages\":[");
    haft_buffer_add(out, call->content.data, call->content.size);
    haft_buffer_add(out, "]", 1);
    respond_end(call, true);
}

static void refuse_arguments(haft_call *call, const haft_issues *issues)
{
    haft_buffer text;
    const char *message, *data;

    haft_buffer_init(&text, call->server->allocator, 1 << 20);
    haft_buffer_printf(&text, "Invalid arguments for prompt %s: ", call->item->name);
    haft_issues_text(issues, &text);
    message = text_of(call->arena, &text).data;
    haft_buffer_init(&text, call->server->allocator, 1 << 20);
    haft_buffer_puts(&text, "{\"issues\":");
    haft_issues_json(issues, &text);
    haft_buffer_add(&text, "}", 1);
    data = text_of(call->arena, &text).data;
    respond_error(call, RPC_INVALID_PARAMS, message, data);
}

/* The arguments as the declared struct.  False when they were refused. */
static bool decode(haft_call *call)
{
    const haft_schema *input = call->item->input;
    yyjson_val *arguments = yyjson_obj_get(call->params, "arguments");
    haft_issues issues = {0};
    const char *reason;
    size_t offset;
    void *in;
    int status;

    call->arguments = arguments;
    if (!input)
        return true;
    in = haft_arena_zalloc(call->arena, 1, input->root->size ? input->root->size : 1);
    status = in ? 0 : HAFT_ENOMEM;
    /* None at all are no arguments. */
    if (!status && (!arguments || yyjson_is_null(arguments)))
        status = json_parse("{}", 2, call->arena, &call->arguments, &offset, &reason);
    if (!status)
        status = haft_schema_decode(input, call->arguments, call->arena, in, &issues);
    call->in = in;
    if (status && issues.count)
        refuse_arguments(call, &issues);
    else if (status)
        respond_error(call, RPC_INTERNAL_ERROR, NULL, NULL);
    return !status;
}

void handle_prompt_get(haft_call *call)
{
    yyjson_val *name = rpc_string(call->params, "name");
    struct entry *entry;

    if (!name) {
        respond_error(call, RPC_INVALID_PARAMS, "Invalid params: \"name\" must be a string", NULL);
        return;
    }
    entry = shelf_find(&call->catalogue->shelves[HAFT_OFFER_PROMPT], yyjson_get_str(name),
                       yyjson_get_len(name));
    if (!entry || entry->disabled) {
        offer_refuse(call, "Prompt", name, entry);
        return;
    }
    call->item = entry->item;
    if (decode(call) && input_restore(call))
        offer_start(call, execute, complete);
}
