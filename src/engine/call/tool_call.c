/* tool_call.c - tools/call: look up, decode, run, validate, respond. */
#include <stdio.h>
#include <string.h>

#include "schema/walk/fill.h"
#include "schema/walk/repair.h"
#include "engine/call/guard.h"
#include "engine/call/event.h"
#include "engine/call/fault.h"
#include "engine/call/headers.h"
#include "engine/call/plain_call.h"
#include "engine/call/respond.h"
#include "engine/call/result.h"
#include "engine/call/tool_call.h"
#include "engine/offer/search.h"
#include "protocol/meta.h"

/* ---- the handler ---- */

/* The reason why a result is invalid goes only to the log. */
static void log_misfit(haft_call *call, const haft_issues *issues)
{
    haft_level level = call->result.lenient ? HAFT_WARNING : HAFT_ERROR;
    haft_buffer text;

    haft_buffer_init(&text, call->server->allocator, 1 << 16);
    haft_issues_text(issues, &text);
    haft_log(call, level, "the result does not match the output schema: %.*s", (int)text.size,
             text.data ? text.data : "");
    haft_buffer_finish(&text);
}

/* Validates the handler's JSON against the output schema. */
static int check_structured(haft_call *call)
{
    haft_issues issues;
    int status;

    if (!call->structured.size) {
        haft_log(call, call->result.lenient ? HAFT_WARNING : HAFT_ERROR,
                 "the tool has an output schema, but its handler returned no structured content");
        return call->result.lenient ? 0 : HAFT_EISSUES;
    }
    status = haft_schema_validate_text(call->item->output, call->structured.data,
                                       call->structured.size, call->arena, &issues);
    if (status == HAFT_EISSUES)
        log_misfit(call, &issues);
    return status == HAFT_EISSUES && call->result.lenient ? 0 : status;
}

int hf_tool_handle(haft_call *call)
{
    const struct item *item = call->item;
    int status = item->handler
                     ? item->handler(call, (haft_value *)(uintptr_t)call->handler.in, item->data)
                     : item->call(call, call->handler.in, call->handler.out);

    if (status)
        return hf_call_understand(call, status);
    return call->result.is_error || haft_call_cancelled(call) ? 0 : hf_tool_check(call);
}

/* Validates a result before it is sent, also after haft_finish. A struct is validated while it is
 * written. */
int hf_tool_check(haft_call *call)
{
    const haft_schema *output = call->item->output;
    haft_issues issues;
    int status;

    call->result.checked = true;
    if (call->result.is_error || call->result.responded || !output)
        return 0;
    if (!call->handler.out)
        return check_structured(call);
    if (call->structured.size) { /* by haft_json */
        hf_content_first(call);
        haft_buffer_clear(&call->structured);
    }
    status = haft_schema_encode(output, call->handler.out, call->arena, &call->structured, &issues);
    if (status == HAFT_EISSUES)
        log_misfit(call, &issues);
    return status || call->content.n ? status : hf_content_mirror(call);
}

/* ---- the response ---- */

static const char *failure_text(int status)
{
    switch (status) {
    case HAFT_EISSUES:
        return "The tool returned a result that does not match its output schema.";
    case HAFT_ETOOBIG:
        return "The tool's result is too large.";
    case HAFT_ENOMEM:
        return "The server is out of memory.";
    case HAFT_ECRASHED:
        return "The tool crashed.";
    case HAFT_EBUSY:
        return "The server is busy. Try again later.";
    default:
        return "The tool failed.";
    }
}

/* The call failed before there was a result, or the handler or a stage reported an error. */
static void complete_fault(haft_call *call, int status)
{
    const struct fault *fault = hf_fault_of(
        call->stages.outcome ? call->stages.outcome : HAFT_OUTCOME_FAILED, call->revision);
    bool said = call->result.is_error && call->content.n && !call->content.status;
    const char *text = said ? NULL : *fault->before ? fault->before : failure_text(status);
    haft_buffer *out;

    if (!said && status == HAFT_EFAIL)
        haft_log(call, HAFT_ERROR, "failed, and the handler did not say why");
    else if (!said)
        haft_log(call, HAFT_ERROR, "failed: %s", haft_strerror(status));
    if (fault->code) {
        hf_respond_error(call, fault->code, said ? hf_call_error_text(call) : text, NULL);
        return;
    }
    out = hf_respond_begin(call);
    buffer_literal(out, "\"content\":[");
    if (said) {
        hf_content_write(call, out);
    } else {
        text_block_write(out, text, strlen(text));
    }
    buffer_literal(out, "],\"isError\":true");
    hf_respond_end(call, true, NULL);
}

/* Clients of revisions before structured content ignore unknown members. */
void hf_complete_tool(haft_call *call)
{
    const haft_buffer *structured = &call->structured;
    haft_buffer *out;
    int status = call->status;

    if (!status && !call->result.checked)
        status = hf_tool_check(call);
    if (!status)
        status = call->content.status ? call->content.status : structured->status;
    if (status == HAFT_ECAPABILITY) {
        hf_input_refuse(call);
        return;
    }
    if (status || (call->result.is_error && !call->result.passed)) {
        complete_fault(call, status);
        return;
    }
    out = hf_respond_begin(call);
    buffer_literal(out, "\"content\":[");
    hf_content_write(call, out);
    buffer_literal(out, "]");
    if (structured->size) {
        bool legacy = !hf_revision_rows[call->revision].modern;
        bool wrap = legacy && (call->item->output ? call->item->wraps : structured->data[0] != '{');

        buffer_literal(out, ",\"structuredContent\":");
        if (wrap)
            buffer_literal(out, "{\"result\":");
        buffer_add(out, structured->data, structured->size);
        if (wrap)
            buffer_literal(out, "}");
    }
    if (call->result.is_error)
        buffer_literal(out, ",\"isError\":true");
    hf_respond_end(call, true, NULL);
}

void hf_respond_timeout(haft_call *call, unsigned milliseconds)
{
    char text[32];

    if (!call->item || !call->item->tool) {
        hf_respond_error(call, RPC_INTERNAL_ERROR, "Internal error: timed out", NULL);
        return;
    }
    if (milliseconds % 1000)
        snprintf(text, sizeof text, "%u ms", milliseconds);
    else
        snprintf(text, sizeof text, "%u s", milliseconds / 1000);
    hf_fault_answer(call, HAFT_OUTCOME_TIMED_OUT, text, strlen(text));
}

/* ---- stages of every tool call ---- */

static int look(haft_call *call, void *data)
{
    (void)data;
    if (call->entry->disabled)
        return hf_fault_refuse(call, HAFT_OUTCOME_DISABLED, call->item->name, "");
    return call->item->scopes && call->request.principal ? hf_guard_tool(call) : 0;
}

const haft_stage hf_visibility_stage = HAFT_INIT(haft_stage, .name = "visibility", .before = look);

/* Responds with a result that the model can read and correct, with the issues as data. */
static int tool_call_refuse_arguments(haft_call *call, const haft_issues *issues)
{
    size_t start = hf_meta_begin(&call->result_meta, META_ISSUES, sizeof META_ISSUES - 1);
    haft_buffer text;
    int status;

    haft_issues_json(issues, &call->result_meta);
    status = hf_meta_end(&call->result_meta, start, start);
    haft_buffer_init(&text, call->server->allocator, 1 << 20);
    haft_issues_text(issues, &text);
    buffer_add(&text, "", 1);
    if (!status)
        status = text.status;
    if (status)
        call->stages.outcome = HAFT_OUTCOME_INTERNAL;
    else
        status = hf_fault_refuse(call, HAFT_OUTCOME_INVALID, call->item->name, text.data);
    haft_buffer_finish(&text);
    return status;
}

/* Logs why the handler gets other arguments than the client sent. */
static void log_repairs(haft_call *call, const struct repairs *repairs)
{
    size_t listed = repairs->n < REPAIRS_LISTED ? repairs->n : REPAIRS_LISTED;
    haft_buffer path;

    if (!hf_server_has_log(call->server))
        return;
    haft_buffer_init(&path, call->server->allocator, 1 << 16);
    for (size_t i = 0; i < listed; i++) {
        const struct repair *repair = &repairs->list[i];

        haft_buffer_clear(&path);
        haft_issue_path(&(haft_issue){.path = repair->path, .n_path = repair->n_path}, &path);
        if (!path.status)
            haft_log(call, HAFT_INFO, "repaired %.*s: converted a string to %s", (int)path.size,
                     path.data, repair->to);
    }
    haft_buffer_finish(&path);
    if (listed < repairs->n)
        haft_log(call, HAFT_INFO, "repaired %zu more arguments", repairs->n - listed);
}

static int decode_leniently(haft_call *call, void *in, haft_issues *issues)
{
    struct repairs repairs;
    int status = hf_schema_read_leniently(call->item->input, &call->args.json, call->arena, in,
                                          issues, &repairs);

    if (repairs.n) {
        if (call->server->metering.observer)
            call->server->metering.observer->repaired(call, repairs.n);
        log_repairs(call, &repairs);
    }
    if (!in)
        call->handler.in = call->args.json;
    return status;
}

/* The JSON value itself, with the defaults of its schema. */
static int decode_json(haft_call *call, bool lenient, haft_issues *issues)
{
    const haft_schema *input = call->item->input;
    int status = lenient ? decode_leniently(call, NULL, issues)
                         : haft_schema_validate(input, call->args.json, call->arena, issues);

    if (status)
        return status;
    status = hf_schema_fill(input, call->args.json, call->arena, &call->args.json);
    call->handler.in = call->args.json;
    return status;
}

/* Decodes the arguments and, if the handler runs in this process, allocates its output struct. */
static int tool_call_decode(haft_call *call, bool here, haft_issues *issues)
{
    const struct item *item = call->item;
    haft_hint hint = item->calls.lenient;
    bool lenient =
        hint == HAFT_UNSET ? atomic_load(&call->server->limits.lenient) : hint == HAFT_YES;
    void *in = NULL;
    int status = 0;

    if (call->args.direct.of && !atomic_load(&call->args.materialized)) {
        call->handler.in = call->args.direct.in;
    } else {
        /* They may have been changed through the JSON that was handed out. */
        if (call->args.direct.of && !hf_direct_undo(call))
            return HAFT_ENOMEM;
        call->handler.in = call->args.json;
        if (item->input && item->tool->input) {
            call->handler.in = in = haft_arena_alloc(call->arena, item->input->root->size);
            if (!in)
                return HAFT_ENOMEM;
            status =
                lenient ? decode_leniently(call, in, issues)
                        : haft_schema_decode(item->input, call->args.json, call->arena, in, issues);
        } else if (item->input) {
            status = decode_json(call, lenient, issues);
        }
    }
    if (!status && here && item->tool->output) {
        call->handler.out = haft_arena_zalloc(call->arena, 1, item->output->root->size);
        if (!call->handler.out)
            return HAFT_ENOMEM;
    }
    return status;
}

/* Whether the arguments exceed the limit of items and members; each is one value. */
static bool has_too_many(const haft_call *call)
{
    size_t max = call->server->options.max_elements, n = 0;
    yyjson_val *at = call->args.json, *end;

    for (end = unsafe_yyjson_get_next(at); at < end && n <= max; at++)
        if (yyjson_is_ctn(at))
            n += unsafe_yyjson_get_len(at);
    return n > max;
}

static int refuse_many(haft_call *call)
{
    char text[96];

    snprintf(text, sizeof text, "arguments contain more than the maximum of %zu elements",
             call->server->options.max_elements);
    return hf_fault_refuse(call, HAFT_OUTCOME_INVALID, call->item->name, text);
}

static int check_arguments(haft_call *call, void *data)
{
    haft_issues issues = {0};
    int status;

    (void)data;
    if (call->server->options.max_elements && !call->inner.req && has_too_many(call))
        return refuse_many(call);
    status = tool_call_decode(call, !call->item->isolate, &issues);
    if (status && issues.count)
        return call->inner.on_invalid ? call->inner.on_invalid(call, &issues)
                                      : tool_call_refuse_arguments(call, &issues);
    if (status)
        call->stages.outcome = HAFT_OUTCOME_INTERNAL;
    return status;
}

int hf_tool_execute(haft_call *call)
{
    haft_issues issues = {0};
    int status = tool_call_decode(call, true, &issues);

    return status ? status : hf_tool_handle(call);
}

const haft_stage hf_validation_stage =
    HAFT_INIT(haft_stage, .name = "validation", .before = check_arguments);

static int set_deadline(haft_call *call, void *data)
{
    (void)data;
    if (!call->inner.req) /* a request has a deadline from the start */
        hf_call_allow(call, 0);
    return 0;
}

const haft_stage hf_deadline_stage =
    HAFT_INIT(haft_stage, .name = "deadline", .before = set_deadline);

bool hf_call_may_begin_task(haft_call *call)
{
    const struct task_hooks *hooks = call->server->tasks.hooks;

    if (!call->item || !call->item->tool->task_late)
        return false;
    if (call->asking.decided)
        return call->asking.may_begin;
    return hooks && hooks->may_take(call->server->tasks.service, call);
}

/* ---- the request ---- */

/* A stage answered or failed in place of the handler. */
static void end_early(haft_call *call, int status)
{
    call->status = status == HAFT_STOP ? 0 : status;
    call->result.checked = true;
    call->handler.complete = hf_complete_tool;
    hf_call_end(call);
}

/* Finds the tool of that name; for call_tool it is the tool that its arguments name, if possible. */
static void tool_call_find(haft_call *call, yyjson_val *name)
{
    call->entry = hf_offer_list_find(&call->catalogue->lists[HAFT_OFFER_TOOL], yyjson_get_str(name),
                                     yyjson_get_len(name));
    if (call->entry && call->entry->role == SEARCH_CALL)
        call->catalogue->search->redirect(call);
}

/* Starts a call of the tool of that name (NULL: no name): notifies watchers and sets the arguments;
 * absent arguments and null are an empty object. Returns 0, HAFT_ENOTFOUND, or the JSON-RPC code of
 * the error in the arguments. */
static int tool_call_begin(haft_call *call, yyjson_val *name)
{
    static yyjson_val empty = {.tag = YYJSON_TYPE_OBJ, .uni.ofs = sizeof empty};
    yyjson_val *arguments = call->request.message.arguments;
    haft_server *server = call->server;

    if (server->watching.timed && server->options.clock)
        call->time.started = server->options.clock();
    call->stages.staged = true;
    if (name)
        tool_call_find(call, name);
    if (server->watching.n_watchers)
        hf_event_of_start(call);
    if (!call->entry)
        return HAFT_ENOTFOUND;
    if (call_is_guarded(call)) {
        int permitted = hf_guard_permits(call, call->entry->item, NULL);

        if (permitted < 1) {
            call->entry = NULL;
            call->args.direct.of = NULL;
            return permitted ? (int)RPC_INTERNAL_ERROR : (int)HAFT_ENOTFOUND;
        }
    }
    call->item = call->entry->item;
    if (call->args.direct.of || call->args.redirected)
        return 0;
    if (call->args.direct.text)
        return hf_direct_undo(call) ? 0 : RPC_INTERNAL_ERROR;
    if (!arguments || yyjson_is_null(arguments))
        arguments = &empty;
    if (!yyjson_is_obj(arguments))
        return RPC_INVALID_PARAMS;
    call->args.json = arguments;
    return 0;
}

void hf_tool_call_refused(haft_call *call, haft_outcome outcome)
{
    tool_call_begin(call, rpc_string(call->request.params, "name"));
    call->stages.outcome = outcome;
    hf_call_end(call);
}

static void answer_not_found(haft_call *call)
{
    yyjson_val *name = call->request.message.name;

    hf_fault_answer(call, HAFT_OUTCOME_NOT_FOUND, yyjson_get_str(name), yyjson_get_len(name));
}

/* Continues the stages of a call, until one suspends or ends it, or the handler is next. */
static void tool_call_walk(haft_call *call, int status)
{
    const struct server_stages *stages = &call->server->stages;
    const struct message *message = &call->request.message;

    while (!status) {
        call->posts.finished = false;
        status = hf_stages_before(call);
        if (!status && call->stages.walked == stages->before.n &&
            (message->request_state || message->input_responses) && !hf_input_restore(call)) {
            call->stages.outcome = HAFT_OUTCOME_INVALID;
            status = HAFT_STOP;
        }
        if (!status && stages->ready.n)
            status = hf_stages_ready(call);
        if (!status && call->server->tasks.hooks &&
            call->server->tasks.hooks->take(call->server->tasks.service, call, false))
            return;
        if (!status) {
            call->handler.execute = hf_tool_handle;
            call->handler.complete = hf_complete_tool;
            hf_call_start(call);
            return;
        }
        if (status == HAFT_PENDING && !call->posts.finished) {
            call->request.headers = NULL; /* they are valid only until this returns */
            call_move(call, CALL_HELD);
            return;
        }
        if (status == HAFT_PENDING)
            status = hf_stages_continue(call, call->posts.finish.status);
    }
    end_early(call, status);
}

/* haft_continue was called; the stage that called it may not have returned yet. */
static void tool_call_resume(haft_call *call, int status)
{
    call->posts.finish.status = status;
    call->posts.finished = true;
    if (call->state != CALL_HELD)
        return;
    if (hf_call_is_unwanted(call)) {
        hf_call_end(call);
        return;
    }
    call_move(call, CALL_STAGES);
    tool_call_walk(call, hf_stages_continue(call, status));
}

void hf_handle_tool_call(haft_call *call)
{
    yyjson_val *name = call->request.message.name;
    int status;

    if (!yyjson_is_str(name)) {
        hf_respond_error(call, RPC_INVALID_PARAMS, "Invalid params: \"name\" must be a string",
                         NULL);
        hf_tool_call_refused(call, HAFT_OUTCOME_INVALID);
        return;
    }
    status = tool_call_begin(call, name);
    if (status == HAFT_ENOTFOUND) {
        hf_call_conclude(call, HAFT_OUTCOME_NOT_FOUND, answer_not_found);
        return;
    }
    if (status || (call->request.headers && call->item->input && call->item->input->headers &&
                   !call->args.redirected && !hf_headers_agree_on_arguments(call))) {
        call->stages.outcome =
            status == RPC_INTERNAL_ERROR ? HAFT_OUTCOME_INTERNAL : HAFT_OUTCOME_INVALID;
        call->error.code = status;
        if (status == RPC_INVALID_PARAMS)
            call->error.message = "Invalid params: \"arguments\" must be an object";
        hf_call_end(call);
        return;
    }
    hf_call_link(call);
    call_move(call, CALL_STAGES);
    call->posts.resume = tool_call_resume;
    tool_call_walk(call, 0);
}
