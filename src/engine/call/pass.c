/* pass.c - answers a call with what another server has answered, and asks what it asks.
 *
 * The result stays a list of blocks, so that stages can read and change it. */
#include "engine/call/pass.h"

#include <string.h>

#include "engine/call/result.h"
#include "protocol/meta.h"

/* ---- results ---- */

static yyjson_val *pass_text(yyjson_val *object, const char *key)
{
    yyjson_val *text = yyjson_obj_get(object, key);

    return yyjson_is_str(text) ? text : NULL;
}

/* For revisions without links: as text. */
static int pass_link(haft_call *call, yyjson_val *block)
{
    const char *name = yyjson_get_str(pass_text(block, "name"));
    const char *uri = yyjson_get_str(pass_text(block, "uri"));
    const char *text = haft_arena_printf(call->arena, "%s: %s", name ? name : "", uri ? uri : "");

    return text ? hf_content_add_text(call, text, strlen(text), true) : HAFT_ENOMEM;
}

/* For revisions without sounds: as the contents of a resource. */
static int pass_audio(haft_call *call, yyjson_val *block)
{
    yyjson_val *data = pass_text(block, "data"), *type = pass_text(block, "mimeType"),
               *object = NULL;
    haft_buffer text;
    struct json_writer w = {.out = &text};
    const char *why;
    size_t offset;
    int status;

    haft_buffer_init(&text, call->server->allocator, call->server->options.max_message);
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "type"), "resource");
    hf_json_begin_object(json_key(&w, "resource"));
    haft_buffer_printf(hf_json_begin_string(json_key(&w, "uri")), "audio:%zu", call->content.n);
    hf_json_end_string(&w);
    if (type)
        hf_json_value(json_key(&w, "mimeType"), type);
    if (data)
        hf_json_value(json_key(&w, "blob"), data);
    hf_json_end_object(&w);
    hf_json_end_object(&w);
    status = text.status ? text.status
                         : hf_json_parse(text.data, text.size, call->arena, &object, &offset, &why);
    haft_buffer_finish(&text);
    return status ? status
                  : hf_content_add(call,
                                   &(struct content_block){.kind = BLOCK_OBJECT, .object = object});
}

static int pass_block(haft_call *call, yyjson_val *block)
{
    static const struct {
        const char *type;
        enum block_kind kind;
        int (*replace)(haft_call *call, yyjson_val *block);
    } rows[] = {{"resource_link", BLOCK_LINK, pass_link}, {"audio", BLOCK_AUDIO, pass_audio}};
    yyjson_val *type = yyjson_obj_get(block, "type");

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (yyjson_equals_str(type, rows[i].type) &&
            !revision_has(call->revision, hf_block_rows[rows[i].kind].column))
            return rows[i].replace(call, block);
    return hf_content_add(call, &(struct content_block){.kind = BLOCK_OBJECT,
                                                        .object = block,
                                                        .meta = yyjson_obj_get(block, "_meta")});
}

static int pass_blocks(haft_call *call, yyjson_val *blocks)
{
    yyjson_val *block;
    size_t i, n;
    int status = 0;

    yyjson_arr_foreach(blocks, i, n, block)
        if (!status)
            status = yyjson_is_obj(block) ? pass_block(call, block) : HAFT_EPROTOCOL;
    return status;
}

static int pass_tool(haft_call *call, yyjson_val *result)
{
    yyjson_val *structured = yyjson_obj_get(result, "structuredContent");

    call->result.is_error = yyjson_is_true(yyjson_obj_get(result, "isError"));
    call->result.checked = call->result.passed = true;
    if (structured)
        haft_json_write(structured, &call->structured);
    return call->structured.status ? call->structured.status
                                   : pass_blocks(call, yyjson_obj_get(result, "content"));
}

static int pass_prompt(haft_call *call, yyjson_val *result)
{
    yyjson_val *messages = yyjson_obj_get(result, "messages"), *message;
    const char *description = yyjson_get_str(pass_text(result, "description"));
    int status = description ? haft_prompt_description(call, description) : 0;
    size_t i, n;

    yyjson_arr_foreach(messages, i, n, message) {
        yyjson_val *content = yyjson_obj_get(message, "content");

        if (!status)
            status = haft_prompt_say(call, yyjson_get_str(pass_text(message, "role")));
        if (!status)
            status = yyjson_is_obj(content) ? pass_block(call, content) : HAFT_EPROTOCOL;
    }
    return status;
}

static int pass_completion(haft_call *call, yyjson_val *completion)
{
    yyjson_val *values = yyjson_obj_get(completion, "values"), *value;
    uint64_t total = yyjson_get_uint(yyjson_obj_get(completion, "total"));
    int status = 0;
    size_t i, n;

    yyjson_arr_foreach(values, i, n, value)
        if (!status)
            status = yyjson_is_str(value) ? haft_completion_add(call, yyjson_get_str(value))
                                          : HAFT_EPROTOCOL;
    if (total > call->result.n_values)
        call->result.n_values = (size_t)total;
    return status;
}

/* What the server says about itself there is not true of this one. */
static int pass_meta(haft_call *call, yyjson_val *meta)
{
    yyjson_val *key, *value;
    size_t i, n, start;
    int status = 0;

    if (!yyjson_is_obj(meta))
        return 0;
    yyjson_obj_foreach(meta, i, n, key, value) {
        if (status || yyjson_equals_str(key, META_SERVER_INFO) ||
            !hf_meta_key_is_right(yyjson_get_str(key), yyjson_get_len(key), false))
            continue;
        start = hf_meta_begin(&call->result_meta, yyjson_get_str(key), yyjson_get_len(key));
        haft_json_write(value, &call->result_meta);
        status = hf_meta_end(&call->result_meta, start, start);
    }
    return status;
}

int hf_pass_result(haft_call *call, yyjson_val *result)
{
    yyjson_val *own = hf_json_copy(result, call->arena);
    yyjson_val *completion = yyjson_obj_get(own, "completion");
    int status;

    if (!own)
        return HAFT_ENOMEM;
    if (!yyjson_is_obj(own))
        return HAFT_EPROTOCOL;
    hf_content_clear(call);
    if (call->item && call->item->tool)
        status = pass_tool(call, own);
    else if (completion)
        status = pass_completion(call, completion);
    else if (call->item && call->item->prompt)
        status = pass_prompt(call, own);
    else
        status = pass_blocks(call, yyjson_obj_get(own, "contents"));
    return status ? status : pass_meta(call, yyjson_obj_get(own, "_meta"));
}

static const char *pass_data(haft_call *call, yyjson_val *data)
{
    haft_buffer text;

    if (!data || hf_json_size(data) > PASS_DATA)
        return NULL;
    haft_buffer_init(&text, call->server->allocator, PASS_DATA);
    haft_json_write(data, &text);
    return hf_text_of(call->arena, &text).data;
}

int hf_pass_error(haft_call *call, int code, const char *message, yyjson_val *data)
{
    size_t size = strlen(message);

    if (code == RPC_MISSING_CAPABILITY) { /* each era has its own answer */
        call->error.data = pass_data(call, yyjson_obj_get(data, "requiredCapabilities"));
        return HAFT_ECAPABILITY;
    }
    if (size > PASS_MESSAGE)
        size = haft_utf8_valid(message, PASS_MESSAGE);
    call->error.message = haft_arena_copy(call->arena, message, size);
    call->error.code = code && call->error.message ? code : RPC_INTERNAL_ERROR;
    call->error.data = pass_data(call, data);
    return HAFT_EFAIL;
}

/* ---- questions ---- */

/* Capabilities that a client needs for a question; NULL if it can be asked. */
static const char *pass_lacks(const haft_call *call, const char *method, yyjson_val *params)
{
    const struct revision_row *row = &hf_revision_rows[call->revision];
    bool opens = yyjson_equals_str(yyjson_obj_get(params, "mode"), "url");
    bool forms =
        haft_client_can(call, "elicitation.form") ||
        (haft_client_can(call, "elicitation") && !haft_client_can(call, "elicitation.url"));

    if (!strcmp(method, "roots/list"))
        return haft_client_can(call, "roots") ? NULL : "{\"roots\":{}}";
    if (!strcmp(method, "sampling/createMessage")) {
        bool tools = yyjson_obj_get(params, "tools") || yyjson_obj_get(params, "toolChoice");

        if (tools && !haft_client_can(call, "sampling.tools"))
            return "{\"sampling\":{\"tools\":{}}}";
        return haft_client_can(call, "sampling") ? NULL : "{\"sampling\":{}}";
    }
    if (opens)
        return row->modes && haft_client_can(call, "elicitation.url")
                   ? NULL
                   : "{\"elicitation\":{\"url\":{}}}";
    return row->elicitation && forms ? NULL : "{\"elicitation\":{\"form\":{}}}";
}

/* The parameters without members of the other connection, and in the form of the client's
 * revision. */
static yyjson_val *pass_params(haft_call *call, yyjson_val *params)
{
    bool modes = hf_revision_rows[call->revision].modes;
    yyjson_val *key, *value, *own = NULL;
    haft_buffer text;
    struct json_writer w = {.out = &text};
    const char *why;
    size_t i, n, offset;

    haft_buffer_init(&text, call->server->allocator, call->server->options.max_message);
    hf_json_begin_object(&w);
    if (params)
        yyjson_obj_foreach(params, i, n, key, value) {
            if (yyjson_equals_str(key, "_meta") || yyjson_equals_str(key, "elicitationId") ||
                yyjson_equals_str(key, "task") || (!modes && yyjson_equals_str(key, "mode")))
                continue;
            hf_json_value(hf_json_name(&w, yyjson_get_str(key), yyjson_get_len(key)), value);
        }
    hf_json_end_object(&w);
    if (!text.status)
        hf_json_parse(text.data, text.size, call->arena, &own, &offset, &why);
    haft_buffer_finish(&text);
    return own;
}

int hf_pass_question(haft_call *call, const char *key, const char *method, yyjson_val *params)
{
    yyjson_val *own;

    if (strcmp(method, "elicitation/create") && strcmp(method, "sampling/createMessage") &&
        strcmp(method, "roots/list"))
        return HAFT_EINVAL;
    call->error.data = pass_lacks(call, method, params);
    if (call->error.data)
        return HAFT_ECAPABILITY;
    own = pass_params(call, params);
    return own && hf_question_put(call, key, method, own) ? HAFT_AGAIN : HAFT_ENOMEM;
}

yyjson_val *hf_pass_answer(const haft_call *call, const char *key)
{
    const struct question *question = call->asking.questions;

    while (question && strcmp(question->key, key))
        question = question->next;
    return question ? question->answer : NULL;
}

void hf_pass_answers(const haft_call *call, struct json_writer *w)
{
    hf_json_begin_object(w);
    for (const struct question *one = call->asking.questions; one; one = one->next)
        if (one->answer)
            hf_json_value(hf_json_name(w, one->key, strlen(one->key)), one->answer);
    hf_json_end_object(w);
}
