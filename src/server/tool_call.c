/* tool_call.c - tools/call: find, decode, run, check, answer. */
#include <string.h>

#include "server/offer.h"

static void put_quoted(haft_buffer *out, const char *text, size_t size)
{
    haft_buffer_json_string(out, text, size);
}

/* ---- bad arguments ---- */

/* A result that the model can read and mend, with the issues as data. */
static void refuse_arguments(haft_call *call, const haft_issues *issues)
{
    haft_buffer *out, text;

    haft_buffer_init(&text, call->server->allocator, 1 << 20);
    haft_buffer_printf(&text,
                       "Input validation error: Invalid arguments for tool %s: ", call->item->name);
    haft_issues_text(issues, &text);
    haft_buffer_puts(&call->result_meta, "\"" META_ISSUES "\":");
    haft_issues_json(issues, &call->result_meta);
    if (text.status || call->result_meta.status) {
        haft_buffer_clear(&call->result_meta);
        respond_error(call, RPC_INTERNAL_ERROR, NULL, NULL);
    } else {
        out = respond_begin(call);
        buffer_literal(out, "\"content\":[{\"type\":\"text\",\"text\":");
        put_quoted(out, text.data, text.size);
        buffer_literal(out, "}],\"isError\":true");
        respond_end(call, true);
    }
    haft_buffer_finish(&text);
}

/* ---- the handler ---- */

/* Why a result was held back is for the log alone. */
static void log_misfit(haft_call *call, const haft_issues *issues)
{
    haft_buffer text;

    haft_buffer_init(&text, call->server->allocator, 1 << 16);
    haft_issues_text(issues, &text);
    haft_log(call, HAFT_ERROR, "the result does not fit its schema: %.*s", (int)text.size,
             text.data ? text.data : "");
    haft_buffer_finish(&text);
}

/* Checks a struct against the output schema as it is written. */
static int encode_out(haft_call *call)
{
    haft_issues issues;
    int status =
        haft_encode(call->item->output, call->out, call->arena, &call->structured, &issues);

    if (status == HAFT_EISSUES)
        log_misfit(call, &issues);
    if (status || call->n_blocks)
        return status;
    return haft_text_bytes(call, call->structured.data, call->structured.size);
}

/* Checks JSON that the handler gave against the output schema. */
static int check_structured(haft_call *call)
{
    haft_issues issues;
    int status;

    if (!call->structured.size) {
        haft_log(call, HAFT_ERROR, "there is an output schema but no structured content");
        return HAFT_EISSUES;
    }
    status = haft_validate_text(call->item->output, call->structured.data, call->structured.size,
                                call->arena, &issues);
    if (status == HAFT_EISSUES)
        log_misfit(call, &issues);
    return status;
}

static int execute(haft_call *call)
{
    const struct item *item = call->item;
    int status = item->handler ? item->handler(call, (haft_value *)(uintptr_t)call->in, item->data)
                               : item->call(call, call->in, call->out);

    if (status == HAFT_PENDING || status == HAFT_AGAIN || status < 0 || call->is_error ||
        haft_cancelled(call))
        return status;
    return tool_check(call);
}

/* What is checked before a result leaves; also after haft_finish. */
int tool_check(haft_call *call)
{
    call->checked = true;
    if (call->is_error || !call->item->output)
        return 0;
    return call->out ? encode_out(call) : check_structured(call);
}

/* ---- the answer ---- */

static const char *failure_text(int status)
{
    switch (status) {
    case HAFT_EISSUES:
        return "The tool gave a result that does not fit its own description.";
    case HAFT_ETOOBIG:
        return "The tool's result is too large.";
    case HAFT_ENOMEM:
        return "The server is out of memory.";
    case HAFT_EBUSY:
        return "The server is busy. Try again later.";
    default:
        return "The tool failed.";
    }
}

/* Clients of revisions before it pass over what they do not know. */
static void put_structured(haft_call *call, haft_buffer *out)
{
    const struct revision_row *row = revision_row(call->revision);
    bool object = call->structured.size && call->structured.data[0] == '{';
    bool wrap = !row->modern && (call->item->output ? call->item->wraps : !object);

    if (!call->structured.size)
        return;
    haft_buffer_puts(out, wrap ? ",\"structuredContent\":{\"result\":" : ",\"structuredContent\":");
    haft_buffer_add(out, call->structured.data, call->structured.size);
    if (wrap)
        haft_buffer_add(out, "}", 1);
}

void complete_tool(haft_call *call)
{
    haft_buffer *out;
    int status = call->status;

    if (!status && !call->checked)
        status = tool_check(call);
    if (!status)
        status = call->content.status ? call->content.status : call->structured.status;
    if (status == HAFT_ECAPABILITY) {
        input_refuse(call);
        return;
    }
    out = respond_begin(call);
    buffer_literal(out, "\"content\":[");
    if (status && !(call->is_error && call->n_blocks && !call->content.status)) {
        const char *text = failure_text(status);

        haft_log(call, HAFT_ERROR, "failed: %s", haft_strerror(status));
        buffer_literal(out, "{\"type\":\"text\",\"text\":");
        put_quoted(out, text, strlen(text));
        buffer_literal(out, "}],\"isError\":true");
    } else {
        haft_buffer_add(out, call->content.data, call->content.size);
        haft_buffer_add(out, "]", 1);
        if (call->is_error || status)
            buffer_literal(out, ",\"isError\":true");
        else
            put_structured(call, out);
    }
    respond_end(call, true);
}

void respond_timeout(haft_call *call, unsigned milliseconds)
{
    haft_buffer *out = &call->session->out;
    const struct text *tail = &call->server->modern_tail;
    bool tool = call->item && call->item->tool;

    if (!tool) {
        respond_error(call, RPC_INTERNAL_ERROR, "Internal error: timed out", NULL);
        return;
    }
    buffer_literal(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    rpc_put_id(out, call->id);
    buffer_literal(out, ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"timed out after ");
    if (milliseconds % 1000)
        haft_buffer_printf(out, "%u ms", milliseconds);
    else
        haft_buffer_printf(out, "%u s", milliseconds / 1000);
    buffer_literal(out, "\"}],\"isError\":true");
    if (revision_row(call->revision)->modern) {
        buffer_literal(out, ",\"resultType\":\"complete\",\"_meta\":{");
        haft_buffer_add(out, tail->data, tail->size);
        haft_buffer_add(out, "}", 1);
    }
    buffer_literal(out, "}}");
    respond_written(call, 0);
}

/* ---- the request ---- */

/* The tool that is meant; NULL when it was refused. */
static struct item *find(haft_call *call)
{
    yyjson_val *name = rpc_string(call->params, "name");
    struct entry *entry;

    if (!name) {
        respond_error(call, RPC_INVALID_PARAMS, "Invalid params: \"name\" must be a string", NULL);
        return NULL;
    }
    entry = shelf_find(&call->catalogue->shelves[HAFT_OFFER_TOOL], yyjson_get_str(name),
                       yyjson_get_len(name));
    if (!entry || entry->disabled) {
        stages_after(call, entry ? HAFT_OUTCOME_DISABLED : HAFT_OUTCOME_NOT_FOUND);
        offer_refuse(call, "Tool", name, entry);
        return NULL;
    }
    return entry->item;
}

/* Arguments that are not there, or null, are an empty object. */
static yyjson_val *arguments_of(haft_call *call)
{
    static yyjson_val empty = {.tag = YYJSON_TYPE_OBJ, .uni.ofs = sizeof empty};
    yyjson_val *arguments = yyjson_obj_get(call->params, "arguments");

    return !arguments || yyjson_is_null(arguments) ? &empty : arguments;
}

static int decode(haft_call *call, haft_issues *issues)
{
    const struct item *item = call->item;
    const haft_schema *input = item->input;
    void *in;

    call->in = call->arguments;
    if (!input)
        return 0;
    if (!item->tool->input)
        return haft_validate(input, call->arguments, call->arena, issues);
    in = haft_arena_alloc(call->arena, input->root->size);
    call->in = in;
    return in ? haft_decode(input, call->arguments, call->arena, in, issues) : HAFT_ENOMEM;
}

/* A stage has answered, or failed, in the handler's place. */
static void end_early(haft_call *call, int status)
{
    call->status = status == HAFT_STOP ? 0 : status;
    call->checked = true;
    call->complete = complete_tool;
    call_link(call);
    haft_call_done(call);
}

void handle_tool_call(haft_call *call)
{
    haft_issues issues = {0};
    int status;

    call->item = find(call);
    if (!call->item)
        return;
    call->arguments = arguments_of(call);
    if (!yyjson_is_obj(call->arguments)) {
        respond_error(call, RPC_INVALID_PARAMS, "Invalid params: \"arguments\" must be an object",
                      NULL);
        return;
    }
    if (!headers_agree_on_arguments(call))
        return;
    status = stages_before(call);
    if (status) {
        end_early(call, status);
        return;
    }
    status = decode(call, &issues);
    if (status && issues.count) {
        stages_after(call, HAFT_OUTCOME_INVALID);
        refuse_arguments(call, &issues);
        return;
    }
    if (!status && call->item->tool->output) {
        call->out = haft_arena_zalloc(call->arena, 1, call->item->output->root->size);
        status = call->out ? 0 : HAFT_ENOMEM;
    }
    if (status) {
        stages_after(call, HAFT_OUTCOME_FAILED);
        respond_error(call, RPC_INTERNAL_ERROR, NULL, NULL);
        return;
    }
    if (!input_restore(call)) {
        stages_after(call, HAFT_OUTCOME_INVALID);
        return;
    }
    status = stages_ready(call);
    if (status) {
        end_early(call, status);
        return;
    }
    call_allow(call, 0);
    call->execute = execute;
    call->complete = complete_tool;
    call_link(call);
    call_start(call);
}
