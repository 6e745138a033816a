/* completion.c - completion/complete: suggests values for an argument that a person fills in.
 *
 * It completes an argument of a prompt or a variable of a template; the definition's callback
 * provides the values. Without a callback there are no suggestions, which is not an error. */
#include <string.h>

#include "engine/call/guard.h"
#include "engine/call/plain_call.h"
#include "engine/call/respond.h"
#include "engine/offer/uri_template.h"

enum { MOST_VALUES = 100 };

/* The argument for the callback. */
struct argument {
    const char *name, *value;
};

/* ---- for callbacks ---- */

static void completion_complete(haft_call *call);

static bool is_completion(const haft_call *call)
{
    return call->handler.complete == completion_complete;
}

int haft_completion_add(haft_call *call, const char *value)
{
    haft_buffer *values = &call->structured;
    size_t size = strlen(value);

    if (!is_completion(call))
        return HAFT_EINVAL;
    if (haft_utf8_valid(value, size) != size)
        return HAFT_EUTF8;
    if (call->result.n_values++ >= MOST_VALUES)
        return 0;
    if (call->result.n_values > 1)
        haft_buffer_add(values, ",", 1);
    haft_buffer_json_string(values, value, size);
    return values->status;
}

const char *haft_completion_context(const haft_call *call, const char *argument)
{
    yyjson_val *context = rpc_object(call->request.params, "context");

    return yyjson_get_str(rpc_string(rpc_object(context, "arguments"), argument));
}

/* ---- the response ---- */

static void put_completion(haft_call *call)
{
    struct json_writer w = json_members(hf_respond_begin(call), false);

    hf_json_begin_object(json_key(&w, "completion"));
    hf_json_begin_array(json_key(&w, "values"));
    haft_buffer_add(w.out, call->structured.data, call->structured.size);
    hf_json_end_array(&w);
    hf_json_unsigned(json_key(&w, "total"), call->result.n_values);
    hf_json_bool(json_key(&w, "hasMore"), call->result.n_values > MOST_VALUES);
    hf_json_end_object(&w);
    hf_respond_end(call, true, NULL);
}

static void completion_complete(haft_call *call)
{
    if (!call->status)
        call->status = call->structured.status;
    if (!hf_plain_call_failed(call))
        put_completion(call);
}

/* Questions to the client are not possible during completion. */
static int completion_execute(haft_call *call)
{
    const struct item *item = call->item;
    const struct argument *argument = call->handler.in;
    int status = item->prompt ? item->prompt->complete(call, argument->name, argument->value)
                              : item->resource->complete(call, argument->name, argument->value);

    return status == HAFT_AGAIN ? HAFT_EINVAL : status;
}

/* ---- the request ---- */

static struct item *find_prompt(haft_call *call, yyjson_val *name)
{
    struct entry *entry = hf_offer_list_find(&call->catalogue->lists[HAFT_OFFER_PROMPT],
                                             yyjson_get_str(name), yyjson_get_len(name));

    return hf_prompt_admit(call, name, entry);
}

/* Finds a template, or a resource, which has nothing to complete. */
static struct item *completion_find_template(haft_call *call, yyjson_val *uri)
{
    static const haft_offer kinds[] = {HAFT_OFFER_TEMPLATE, HAFT_OFFER_RESOURCE};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct entry *entry = hf_offer_list_find(&call->catalogue->lists[kinds[i]],
                                                 yyjson_get_str(uri), yyjson_get_len(uri));

        int permitted = entry && !entry->disabled ? hf_guard_permits(call, entry->item, NULL) : 0;

        if (permitted < 0) {
            hf_respond_error(call, RPC_INTERNAL_ERROR, NULL, NULL);
            return NULL;
        }
        call->item = permitted ? entry->item : NULL;
        if (permitted)
            return hf_guard_admits(call, "resource") ? entry->item : NULL;
    }
    hf_plain_call_refuse(call, "Resource template", uri, NULL);
    return NULL;
}

/* Finds the item of `ref`; NULL if the request was rejected. */
static struct item *completion_find(haft_call *call)
{
    static const struct {
        const char *type, *key;
        struct item *(*find)(haft_call *call, yyjson_val *name);
    } kinds[] = {
        {"ref/prompt", "name", find_prompt},
        {"ref/resource", "uri", completion_find_template},
    };
    yyjson_val *ref = rpc_object(call->request.params, "ref"), *type = yyjson_obj_get(ref, "type");

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        yyjson_val *name = rpc_string(ref, kinds[i].key);

        if (!yyjson_equals_str(type, kinds[i].type))
            continue;
        if (name)
            return kinds[i].find(call, name);
        hf_respond_errorf(call, RPC_INVALID_PARAMS, "Invalid params: \"ref.%s\" must be a string",
                          kinds[i].key);
        return NULL;
    }
    hf_respond_error(call, RPC_INVALID_PARAMS,
                     "Invalid params: \"ref.type\" must be ref/prompt or ref/resource", NULL);
    return NULL;
}

static bool has_argument(const struct item *item, const char *name)
{
    const struct object *object = item->input ? item->input->root->object : NULL;

    if (item->uri_template)
        return hf_uri_template_has(item->uri_template, name);
    if (!item->input) /* a prompt of another server, which knows its arguments */
        return item->module;
    for (size_t i = 0; object && i < object->n_properties; i++)
        if (!strcmp(object->properties[i].name, name))
            return true;
    return false;
}

static bool can_complete(const struct item *item)
{
    return item->prompt ? item->prompt->complete != NULL
                        : item->uri_template && item->resource->complete;
}

/* Returns a member of `argument`, which must be a string without NUL; NULL if it was rejected. */
static const char *text_member(haft_call *call, const char *key)
{
    yyjson_val *text = rpc_string(rpc_object(call->request.params, "argument"), key);

    if (text && strlen(yyjson_get_str(text)) == yyjson_get_len(text))
        return yyjson_get_str(text);
    hf_respond_errorf(call, RPC_INVALID_PARAMS, "Invalid params: \"argument.%s\" must be a string",
                      key);
    return NULL;
}

void hf_handle_complete(haft_call *call)
{
    struct argument *argument = haft_arena_alloc(call->arena, sizeof *argument);

    if (!argument) {
        hf_respond_error(call, RPC_INTERNAL_ERROR, NULL, NULL);
        return;
    }
    argument->name = text_member(call, "name");
    argument->value = argument->name ? text_member(call, "value") : NULL;
    call->item = argument->value ? completion_find(call) : NULL;
    if (!call->item)
        return;
    call->handler.in = argument;
    if (can_complete(call->item) && has_argument(call->item, argument->name))
        hf_plain_call_start(call, completion_execute, completion_complete);
    else
        put_completion(call);
}
