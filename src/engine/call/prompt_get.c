/* prompt_get.c - prompts/get, and the functions for handlers of prompts. */
#include <string.h>

#include "engine/call/guard.h"
#include "engine/call/plain_call.h"
#include "engine/call/respond.h"

/* ---- for handlers ---- */

int haft_prompt_say(haft_call *call, const char *role)
{
    static const char *const roles[] = {"user", "assistant"};

    for (size_t i = 0; role && i < sizeof roles / sizeof *roles; i++) {
        if (strcmp(role, roles[i]))
            continue;
        call->result.role = roles[i];
        return 0;
    }
    return HAFT_EINVAL;
}

int haft_prompt_description(haft_call *call, const char *text)
{
    size_t size = strlen(text);

    if (haft_utf8_valid(text, size) != size)
        return HAFT_EUTF8;
    call->result.description = haft_arena_copy(call->arena, text, size);
    return call->result.description ? 0 : HAFT_ENOMEM;
}

/* ---- prompts/get ---- */

static int prompt_get_execute(haft_call *call)
{
    return call->item->prompt->get(call, call->handler.in);
}

static void prompt_get_complete(haft_call *call)
{
    const char *description = call->result.description;
    struct json_writer w;

    if (hf_plain_call_failed(call))
        return;
    if (!description)
        description = call->item->prompt->description;
    w = json_members(hf_respond_begin(call), false);
    json_text_member(&w, "description", description);
    hf_json_begin_array(json_key(&w, "messages"));
    hf_content_write(call, w.out);
    hf_json_end_array(&w);
    hf_respond_end(call, true, NULL);
}

static void prompt_get_refuse_arguments(haft_call *call, const haft_issues *issues)
{
    haft_buffer text;
    struct json_writer w = {.out = &text};
    const char *message, *data;

    haft_buffer_init(&text, call->server->allocator, 1 << 20);
    haft_buffer_printf(&text, "Invalid arguments for prompt %s: ", call->item->name);
    haft_issues_text(issues, &text);
    message = hf_text_of(call->arena, &text).data;
    haft_buffer_init(&text, call->server->allocator, 1 << 20);
    hf_json_begin_object(&w);
    haft_issues_json(issues, hf_json_slot(json_key(&w, "issues")));
    hf_json_end_object(&w);
    data = hf_text_of(call->arena, &text).data;
    hf_respond_error(call, RPC_INVALID_PARAMS, message, data);
}

/* Decodes the arguments into the declared struct. Returns false if they were rejected. */
static bool prompt_get_decode(haft_call *call)
{
    const haft_schema *input = call->item->input;
    yyjson_val *arguments = yyjson_obj_get(call->request.params, "arguments");
    haft_issues issues = {0};
    const char *reason;
    size_t offset;
    void *in;
    int status;

    call->args.json = arguments;
    if (!input)
        return true;
    in = haft_arena_zalloc(call->arena, 1, input->root->size ? input->root->size : 1);
    status = in ? 0 : HAFT_ENOMEM;
    /* Absent arguments are an empty object. */
    if (!status && (!arguments || yyjson_is_null(arguments)))
        status = hf_json_parse("{}", 2, call->arena, &call->args.json, &offset, &reason);
    if (!status)
        status = haft_schema_decode(input, call->args.json, call->arena, in, &issues);
    call->handler.in = in;
    if (status && issues.count)
        prompt_get_refuse_arguments(call, &issues);
    else if (status)
        hf_respond_error(call, RPC_INTERNAL_ERROR, NULL, NULL);
    return !status;
}

struct item *hf_prompt_admit(haft_call *call, yyjson_val *name, const struct entry *entry)
{
    int permitted = entry ? hf_guard_permits(call, entry->item, NULL) : 0;

    if (permitted < 0) {
        hf_respond_error(call, RPC_INTERNAL_ERROR, NULL, NULL);
        return NULL;
    }
    if (!permitted || entry->disabled) {
        hf_plain_call_refuse(call, "Prompt", name, permitted ? entry : NULL);
        return NULL;
    }
    call->item = entry->item;
    return hf_guard_admits(call, "prompt") ? entry->item : NULL;
}

void hf_handle_prompt_get(haft_call *call)
{
    yyjson_val *name = rpc_string(call->request.params, "name");
    struct entry *entry;

    if (!name) {
        hf_respond_error(call, RPC_INVALID_PARAMS, "Invalid params: \"name\" must be a string",
                         NULL);
        return;
    }
    entry = hf_offer_list_find(&call->catalogue->lists[HAFT_OFFER_PROMPT], yyjson_get_str(name),
                               yyjson_get_len(name));
    call->item = hf_prompt_admit(call, name, entry);
    if (!call->item)
        return;
    if (prompt_get_decode(call) && hf_input_restore(call))
        hf_plain_call_start(call, prompt_get_execute, prompt_get_complete);
}
