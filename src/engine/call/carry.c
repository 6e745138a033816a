/* carry.c - serializes a call for the process that runs its handler, and the result for the way
 * back.
 *
 * The text is JSON, read by the same strict reader as messages of clients. The result is not
 * trusted: blocks, questions and notifications are written again from the parsed values, and
 * structured content is validated against the tool's schema again. */
#include <stdio.h>
#include <string.h>

#include "engine/call/identity.h"
#include "engine/call/carry.h"
#include "engine/call/notify.h"
#include "engine/call/result.h"
#include "engine/call/tool_call.h"
#include "protocol/meta.h"

enum { NOTICE_MEMORY = 8 << 20 };

/* ---- a call ---- */

#define carry_put_value(w, name, value)                                                            \
    ((value) ? hf_json_value(json_key(w, name), value) : (void)0)

static void put_answers(struct json_writer *w, const haft_call *call)
{
    hf_json_begin_object(json_key(w, "answers"));
    for (const struct question *q = call->asking.questions; q; q = q->next)
        if (q->answer)
            hf_json_value(hf_json_name(w, q->key, strlen(q->key)), q->answer);
    hf_json_end_object(w);
}

static void carry_put_trace(struct json_writer *w, const haft_trace *trace)
{
    if (!trace)
        return;
    hf_json_begin_object(json_key(w, "trace"));
    hf_json_integer(json_key(w, "flags"), trace->flags);
    json_text_member(w, "id", trace->trace_id);
    json_text_member(w, "parent", trace->parent_id);
    json_text_member(w, "span", trace->span_id);
    json_text_member(w, "traceparent", trace->traceparent);
    json_text_member(w, "tracestate", trace->tracestate);
    hf_json_end_object(w);
}

/* The task of a call; what its handler has saved follows the call as it is (isolate.c). */
static void carry_put_task(struct json_writer *w, haft_call *call)
{
    if (call->item->tool->task_late)
        hf_json_bool(json_key(w, "begins"), hf_call_may_begin_task(call));
    if (!call->inner.task)
        return;
    hf_json_begin_object(json_key(w, "task"));
    hf_json_text(json_key(w, "id"), call->inner.task->id);
    hf_json_unsigned(json_key(w, "saves"), call->inner.task->max_saved);
    hf_json_end_object(w);
}

/* Results added by stages go to the handler, which adds to them, and come back. */
static void put_given(struct json_writer *w, haft_call *call, bool with_structured)
{
    hf_json_bool(json_key(w, "error"), call->result.is_error);
    if (!call->content.status && call->content.n) {
        hf_json_begin_array(json_key(w, "content"));
        hf_content_write(call, w->out);
        hf_json_end_array(w);
    }
    if (with_structured && !call->structured.status && call->structured.size)
        hf_json_raw(json_key(w, "structured"), call->structured.data, call->structured.size);
}

void hf_carry_write_call(haft_call *call, haft_buffer *out)
{
    struct json_writer w = {.out = out};

    hf_json_begin_object(&w);
    hf_json_unsigned(json_key(&w, "tool"), call->item->isolate);
    hf_json_integer(json_key(&w, "revision"), (int)call->revision);
    hf_json_integer(json_key(&w, "level"), call->client.log_level);
    hf_json_integer(json_key(&w, "left"), haft_call_time_left(call));
    json_text_member(&w, "client", call->client.name);
    json_text_member(&w, "version", call->client.version);
    if (call->request.principal)
        hf_identity_write(&call->request.identity, json_key(&w, "identity"));
    json_text_member(&w, "name", call->item->name);
    json_text_member(&w, "state", call->asking.state);
    carry_put_value(&w, "can", call->client.capabilities);
    put_answers(&w, call);
    carry_put_trace(&w, call->request.trace);
    carry_put_value(&w, "id", call->request.id);
    carry_put_value(&w, "params", call->request.params);
    /* Only if they are not in the message, or have been changed since. */
    if (call->args.json != yyjson_obj_get(call->request.params, "arguments"))
        carry_put_value(&w, "arguments", call->args.json);
    carry_put_task(&w, call);
    put_given(&w, call, true);
    hf_json_end_object(&w);
}

/* Finds the tool under its current name, if it is offered. */
static struct item *find_isolated(haft_server *server, const struct catalogue *catalogue,
                                  uint64_t number)
{
    const struct offer_list *offers = &catalogue->lists[HAFT_OFFER_TOOL];

    for (size_t i = 0; i < offers->n; i++)
        if (number && offers->entries[i].item->isolate == number)
            return offers->entries[i].item;
    return number ? hf_item_isolated(server, number) : NULL;
}

static bool take_answers(haft_call *call, yyjson_val *answers)
{
    yyjson_val *key, *answer;
    size_t i, n;

    if (!yyjson_is_obj(answers))
        return true;
    yyjson_obj_foreach(answers, i, n, key, answer)
        if (!hf_question_give(call, key, answer))
            return false;
    return true;
}

static void copy_text(char *into, size_t size, yyjson_val *object, const char *key)
{
    const char *text = yyjson_get_str(yyjson_obj_get(object, key));

    snprintf(into, size, "%s", text ? text : "");
}

static bool take_trace(haft_call *call, yyjson_val *value)
{
    haft_trace *trace = value ? haft_arena_zalloc(call->arena, 1, sizeof *trace) : NULL;

    if (!trace)
        return !value;
    copy_text(trace->trace_id, sizeof trace->trace_id, value, "id");
    copy_text(trace->parent_id, sizeof trace->parent_id, value, "parent");
    copy_text(trace->span_id, sizeof trace->span_id, value, "span");
    copy_text(trace->traceparent, sizeof trace->traceparent, value, "traceparent");
    trace->tracestate = yyjson_get_str(yyjson_obj_get(value, "tracestate"));
    trace->flags = (unsigned char)yyjson_get_int(yyjson_obj_get(value, "flags"));
    call->request.trace = trace;
    return true;
}

/* Replaces all blocks. */
static bool take_content(haft_call *call, yyjson_val *content)
{
    yyjson_val *block;
    size_t i, n;

    if (!yyjson_is_arr(content))
        return !content;
    hf_content_clear(call);
    yyjson_arr_foreach(content, i, n, block) {
        if (!rpc_string(block, "type"))
            return false;
        hf_content_add(call, &(struct content_block){.kind = BLOCK_OBJECT,
                                                     .object = block,
                                                     .meta = yyjson_obj_get(block, "_meta")});
    }
    return true;
}

static bool take_given(haft_call *call, yyjson_val *root)
{
    yyjson_val *structured = yyjson_obj_get(root, "structured");

    call->result.is_error = yyjson_is_true(yyjson_obj_get(root, "error"));
    if (structured) {
        hf_content_first(call);
        haft_buffer_clear(&call->structured);
        haft_json_write(structured, &call->structured);
    }
    return take_content(call, yyjson_obj_get(root, "content"));
}

/* The process sets what the functions of the task do. */
static bool take_task(haft_call *call, yyjson_val *root)
{
    yyjson_val *value = rpc_object(root, "task"), *begins = yyjson_obj_get(root, "begins");

    call->asking.decided = begins;
    call->asking.may_begin = yyjson_is_true(begins);
    if (!value)
        return true;
    call->inner.task = haft_arena_zalloc(call->arena, 1, sizeof *call->inner.task);
    if (!call->inner.task)
        return false;
    call->inner.task->id = yyjson_get_str(rpc_string(value, "id"));
    call->inner.task->max_saved = (size_t)yyjson_get_uint(yyjson_obj_get(value, "saves"));
    return true;
}

/* The tool may have been renamed since this process was forked. */
static bool take_name(haft_call *call, const char *name)
{
    return !name || !strcmp(name, call->item->name) || hf_item_set_name(call->item, name);
}

/* Fills in a call from the text. */
static int carry_fill(haft_call *call, yyjson_val *root)
{
    int64_t left = yyjson_get_sint(yyjson_obj_get(root, "left"));
    yyjson_val *arguments = yyjson_obj_get(root, "arguments");

    call->catalogue = hf_catalogue_take(call->server);
    call->item =
        find_isolated(call->server, call->catalogue, yyjson_get_uint(yyjson_obj_get(root, "tool")));
    if (!call->item)
        return HAFT_EBUSY;
    hf_identity_read(&call->request.identity, yyjson_obj_get(root, "identity"));
    call->request.principal = call->request.identity.principal;
    call->revision = (enum revision)yyjson_get_int(yyjson_obj_get(root, "revision"));
    call->client.log_level = yyjson_get_int(yyjson_obj_get(root, "level"));
    call->client.name = yyjson_get_str(yyjson_obj_get(root, "client"));
    call->client.version = yyjson_get_str(yyjson_obj_get(root, "version"));
    call->client.capabilities = yyjson_obj_get(root, "can");
    call->asking.state = yyjson_get_str(yyjson_obj_get(root, "state"));
    call->request.method = "tools/call";
    call->request.id = yyjson_obj_get(root, "id");
    call->request.params = yyjson_obj_get(root, "params");
    call->request.meta = rpc_object(call->request.params, "_meta");
    call->progress.token = yyjson_obj_get(call->request.meta, META_PROGRESS);
    call->args.json = arguments ? arguments : yyjson_obj_get(call->request.params, "arguments");
    if (left >= 0)
        call->time.ends = call->server->options.clock() + (uint64_t)left * 1000000;
    return take_name(call, yyjson_get_str(yyjson_obj_get(root, "name"))) &&
                   take_answers(call, yyjson_obj_get(root, "answers")) &&
                   take_trace(call, yyjson_obj_get(root, "trace")) && take_task(call, root) &&
                   take_given(call, root)
               ? 0
               : HAFT_ENOMEM;
}

haft_call *hf_carry_read_call(struct owner *owner, const char *text, size_t size, int *ret_status)
{
    haft_call *call = hf_call_new(owner);
    haft_reason reason = {.code = HAFT_EPARSE};
    yyjson_val *root =
        call ? haft_json_read(text, size, JSON_MAX_DEPTH, call->arena, &reason) : NULL;

    *ret_status = !call ? HAFT_ENOMEM : !root ? reason.code : carry_fill(call, root);
    if (*ret_status && call)
        hf_call_release(call);
    return *ret_status ? NULL : call;
}

/* ---- its result ---- */

static void put_questions(struct json_writer *w, const haft_call *call)
{
    hf_json_begin_object(json_key(w, "questions"));
    for (const struct question *q = call->asking.questions; q; q = q->next)
        if (q->fresh && !q->answer)
            hf_question_write(q, w);
    hf_json_end_object(w);
}

/* The error of haft_protocol_error. */
static void carry_put_error(struct json_writer *w, const haft_call *call)
{
    hf_json_begin_object(json_key(w, "protocol"));
    hf_json_integer(json_key(w, "code"), call->error.code);
    json_text_member(w, "message", call->error.message);
    hf_json_end_object(w);
}

void hf_carry_write_result(haft_call *call, int status, haft_buffer *out)
{
    struct json_writer w = {.out = out};

    if (!status)
        status = call->content.status ? call->content.status : call->structured.status;
    hf_json_begin_object(&w);
    hf_json_integer(json_key(&w, "status"), status);
    json_text_member(&w, "state", call->asking.state);
    if (status == HAFT_ECAPABILITY && call->error.data)
        hf_json_raw(json_key(&w, "lacks"), call->error.data, strlen(call->error.data));
    if (status == HAFT_AGAIN)
        put_questions(&w, call);
    if (status == HAFT_AGAIN && call->asking.begins_task)
        hf_json_bool(json_key(&w, "begins"), true);
    if (status == HAFT_EFAIL && call->error.code)
        carry_put_error(&w, call);
    if (!call->result_meta.status && call->result_meta.size) {
        hf_json_begin_object(json_key(&w, "meta"));
        hf_json_raw_members(&w, call->result_meta.data, call->result_meta.size);
        hf_json_end_object(&w);
    }
    put_given(&w, call, !status);
    hf_json_end_object(&w);
}

static bool take_meta(haft_call *call, yyjson_val *meta)
{
    size_t i, n, start, there = call->result_meta.size;
    yyjson_val *key, *value;
    int status;

    if (!yyjson_is_obj(meta))
        return !meta;
    yyjson_obj_foreach(meta, i, n, key, value) {
        if (yyjson_equals_str(key, META_SERVER_INFO) ||
            !hf_meta_key_is_right(yyjson_get_str(key), yyjson_get_len(key), false))
            return false;
        start = hf_meta_begin(&call->result_meta, yyjson_get_str(key), yyjson_get_len(key));
        haft_json_write(value, &call->result_meta);
        status = hf_meta_end(&call->result_meta, start, there);
        if (status && !call->content.status)
            call->content.status = status;
    }
    return true;
}

static bool take_questions(haft_call *call, yyjson_val *questions)
{
    yyjson_val *key, *question;
    size_t i, n;

    if (!yyjson_is_obj(questions))
        return false;
    yyjson_obj_foreach(questions, i, n, key, question) {
        yyjson_val *method = rpc_string(question, "method");

        if (!method || strlen(yyjson_get_str(key)) != yyjson_get_len(key) ||
            !hf_question_put(call, yyjson_get_str(key), yyjson_get_str(method),
                             yyjson_obj_get(question, "params")))
            return false;
    }
    return true;
}

/* Reads the capabilities that the client lacks, for the error response. */
static bool take_lacks(haft_call *call, yyjson_val *lacks)
{
    haft_buffer text;

    if (!lacks)
        return true;
    if (!yyjson_is_obj(lacks))
        return false;
    haft_buffer_init(&text, call->server->allocator, 1 << 16);
    haft_json_write(lacks, &text);
    call->error.data = hf_text_of(call->arena, &text).data;
    return call->error.data;
}

static bool take_error(haft_call *call, yyjson_val *error)
{
    yyjson_val *code = yyjson_obj_get(error, "code"), *message = rpc_string(error, "message");

    if (!error)
        return true;
    if (!yyjson_is_int(code) || yyjson_get_sint(code) < INT32_MIN ||
        yyjson_get_sint(code) > INT32_MAX || !yyjson_get_sint(code) || !message)
        return false;
    call->error.code = yyjson_get_int(code);
    call->error.message = yyjson_get_str(message);
    return true;
}

/* The handler wants its call to become a task, which must be possible. */
static bool take_begin(haft_call *call, yyjson_val *begins)
{
    call->asking.begins_task = begins;
    return !begins || (yyjson_is_true(begins) && !call->inner.task && hf_call_may_begin_task(call));
}

static bool is_status(yyjson_val *status)
{
    int64_t value = yyjson_get_sint(status);

    return yyjson_is_int(status) && (!value || value == HAFT_AGAIN || (value < 0 && value > -100));
}

static bool take_result(haft_call *call, yyjson_val *root, int status)
{
    yyjson_val *state = rpc_string(root, "state");

    if (state && haft_call_set_state(call, yyjson_get_str(state)))
        return false;
    return take_given(call, root) && take_meta(call, yyjson_obj_get(root, "meta")) &&
           (status != HAFT_AGAIN || (take_questions(call, yyjson_obj_get(root, "questions")) &&
                                     take_begin(call, yyjson_obj_get(root, "begins")))) &&
           (status != HAFT_EFAIL || take_error(call, yyjson_obj_get(root, "protocol"))) &&
           (status != HAFT_ECAPABILITY || take_lacks(call, yyjson_obj_get(root, "lacks")));
}

int hf_carry_read_result(haft_call *call, const char *text, size_t size)
{
    haft_reason reason = {.code = HAFT_EPARSE};
    yyjson_val *root = haft_json_read(text, size, JSON_MAX_DEPTH, call->arena, &reason);
    yyjson_val *status = yyjson_obj_get(root, "status");

    if (root && is_status(status) && take_result(call, root, yyjson_get_int(status)))
        return yyjson_get_int(status);
    if (!root && reason.code == HAFT_ENOMEM)
        return HAFT_ENOMEM;
    haft_log(call, HAFT_ERROR, "its process sent an invalid result");
    hf_call_clear_result(call);
    return HAFT_ECRASHED;
}

/* ---- notifications ---- */

static int take_notice(haft_call *call, yyjson_val *root)
{
    yyjson_val *method = rpc_string(root, "method"), *params = rpc_object(root, "params");
    const char *message = yyjson_get_str(rpc_string(params, "message"));

    if (yyjson_equals_str(method, "notifications/progress")) {
        haft_progress(call, yyjson_get_num(yyjson_obj_get(params, "progress")),
                      yyjson_get_num(yyjson_obj_get(params, "total")), message ? "%s" : NULL,
                      message);
        return 0;
    }
    if (yyjson_equals_str(method, "notifications/message")) {
        int level = hf_level_named(yyjson_obj_get(params, "level"));
        const char *data = yyjson_get_str(rpc_string(params, "data"));

        if (level < 0 || !data)
            return HAFT_EPARSE;
        haft_message(call, (haft_level)level, yyjson_get_str(rpc_string(params, "logger")), "%s",
                     data);
        return 0;
    }
    return HAFT_EPARSE;
}

int hf_carry_read_notice(haft_call *call, const char *text, size_t size)
{
    haft_arena *arena = haft_arena_new(call->server->allocator, NOTICE_MEMORY);
    yyjson_val *root = arena ? haft_json_read(text, size, 0, arena, NULL) : NULL;
    int status = root ? take_notice(call, root) : arena ? HAFT_EPARSE : HAFT_ENOMEM;

    haft_arena_free(arena);
    return status;
}
