/* input.c - sends questions to the client and receives the answers, in every era.
 *
 * A legacy client gets requests, and the call waits for the responses. A modern client gets the
 * questions as the result, with the answers so far sealed into a state, and repeats the request. */
#include <string.h>

#include "engine/call/respond.h"
#include "engine/call/seal.h"
#include "engine/call/tool_call.h"

enum { INPUT_MAX_ROUNDS = 8, ROUND_MS = 10 * 60 * 1000 };

/* ---- modern clients ---- */

/* Answers so far and the handler's state, as the payload of the seal. */
static const char *seal_state(haft_call *call)
{
    haft_buffer payload;
    struct json_writer w = {.out = &payload};
    const char *sealed = NULL;

    haft_buffer_init(&payload, call->server->allocator, call->server->options.max_message);
    hf_json_begin_object(&w);
    hf_json_unsigned(json_key(&w, "r"), call->asking.rounds + 1);
    hf_json_begin_object(json_key(&w, "a"));
    for (struct question *q = call->asking.questions; q; q = q->next)
        if (q->answer)
            hf_json_value(hf_json_name(&w, q->key, strlen(q->key)), q->answer);
    hf_json_end_object(&w);
    json_text_member(&w, "s", call->asking.state);
    if (call->server->keys.single_use && call->server->options.random)
        hf_json_unsigned(json_key(&w, "n"), call->server->options.random());
    hf_json_end_object(&w);
    if (!payload.status)
        sealed = hf_seal(call, payload.data, payload.size);
    haft_buffer_finish(&payload);
    return sealed;
}

/* Restores what a retry contains. The state may be forged by an attacker. */
bool hf_input_restore(haft_call *call)
{
    yyjson_val *state, *responses, *payload, *answers, *key, *answer;
    size_t i, n;

    if (!hf_revision_rows[call->revision].modern)
        return true;
    state = call->request.message.request_state;
    responses = call->request.message.input_responses;
    if (!state && !responses)
        return true;
    if (responses && !yyjson_is_null(responses) && !yyjson_is_obj(responses)) {
        hf_respond_error(call, RPC_INVALID_PARAMS,
                         "Invalid params: \"inputResponses\" must be an object", NULL);
        return false;
    }
    if (state) {
        payload = yyjson_is_str(state)
                      ? hf_unseal(call, yyjson_get_str(state), yyjson_get_len(state))
                      : NULL;
        /* "v" is of a later version of the library, whose contents are not known. */
        if (!payload || yyjson_obj_get(payload, "v")) {
            hf_respond_error(call, RPC_INVALID_PARAMS, "Invalid or expired requestState",
                             "{\"reason\":\"invalid_request_state\"}");
            return false;
        }
        call->asking.rounds = (unsigned)yyjson_get_uint(yyjson_obj_get(payload, "r"));
        call->asking.state = yyjson_get_str(yyjson_obj_get(payload, "s"));
        answers = yyjson_obj_get(payload, "a");
        yyjson_obj_foreach(answers, i, n, key, answer) {
            hf_question_give(call, key, answer);
        }
    }
    if (!yyjson_is_obj(responses))
        return true;
    yyjson_obj_foreach(responses, i, n, key, answer) {
        if (!yyjson_is_obj(answer)) {
            hf_respond_error(call, RPC_INVALID_PARAMS,
                             "Invalid params: an answer must be an object", NULL);
            return false;
        }
        hf_question_give(call, key, answer);
    }
    return true;
}

static void ask_modern(haft_call *call)
{
    const char *state = seal_state(call);
    const struct text *tail = &call->server->modern_tail;
    struct json_writer w;

    if (!state) {
        haft_log(call, HAFT_ERROR, "cannot ask for input: no seal key is set");
        hf_call_unanswered(call);
        hf_respond_error(call, RPC_INTERNAL_ERROR, NULL, NULL);
        return;
    }
    w = (struct json_writer){.out = &call->owner->out};
    hf_rpc_begin_response(&w, call->request.id);
    hf_json_begin_object(json_key(&w, "result"));
    hf_json_text(json_key(&w, "resultType"), "input_required");
    hf_json_begin_object(json_key(&w, "inputRequests"));
    for (struct question *q = call->asking.questions; q; q = q->next)
        if (q->fresh && !q->answer)
            hf_question_write(q, &w);
    hf_json_end_object(&w);
    hf_json_text(json_key(&w, "requestState"), state);
    hf_json_begin_object(json_key(&w, "_meta"));
    hf_json_raw_members(&w, tail->data, tail->size);
    hf_json_end_object(&w);
    hf_json_end_object(&w);
    hf_json_end_object(&w);
    hf_respond_written(call, 0);
}

/* ---- legacy clients ---- */

/* Returns false without memory. */
static bool send_question(haft_call *call, struct question *question)
{
    struct owner *owner = call->owner;
    haft_buffer *out = &owner->out;
    struct json_writer w = {.out = out};

    question->request_id = owner->next_request_id++;
    hf_rpc_begin_request(&w, question->request_id, question->method);
    if (strcmp(question->params, "{}") != 0) {
        hf_json_begin_object(json_key(&w, "params"));
        /* Clients of 2025-11-25 identify URLs by ids, which are unique in the server. */
        if (question->opens) {
            haft_buffer_printf(hf_json_begin_string(json_key(&w, "elicitationId")), "%s-%lld",
                               owner->number, (long long)question->request_id);
            hf_json_end_string(&w);
        }
        hf_json_raw_members(&w, question->params + 1, strlen(question->params) - 2);
        hf_json_end_object(&w);
    }
    hf_json_end_object(&w);
    if (out->status) {
        haft_buffer_clear(out);
        question->request_id = 0;
        return false;
    }
    hf_owner_send(owner, HAFT_OUT_REQUEST, call->request.tag, 0);
    return true;
}

static void ask_legacy(haft_call *call)
{
    call_move(call, CALL_ASKING);
    hf_call_allow(call, ROUND_MS);
    for (struct question *q = call->asking.questions; q; q = q->next) {
        if (q->answer || !q->fresh || q->request_id || send_question(call, q))
            continue;
        /* If one question cannot be sent, the others are withdrawn. */
        hf_input_withdraw(call, "not needed");
        hf_call_unanswered(call);
        call->status = HAFT_ENOMEM;
        hf_call_end(call);
        return;
    }
}

static bool is_waiting(const haft_call *call)
{
    for (const struct question *q = call->asking.questions; q; q = q->next)
        if (q->fresh && !q->answer)
            return true;
    return false;
}

void hf_input_withdraw(haft_call *call, const char *reason)
{
    struct owner *owner = call->owner;

    for (const struct question *q = call->asking.questions; q; q = q->next) {
        struct json_writer w = {.out = &owner->out};

        if (!q->request_id || q->answer)
            continue;
        hf_rpc_begin_notification(&w, "notifications/cancelled");
        hf_json_begin_object(json_key(&w, "params"));
        hf_json_integer(json_key(&w, "requestId"), q->request_id);
        hf_json_text(json_key(&w, "reason"), reason);
        hf_json_end_object(&w);
        hf_json_end_object(&w);
        hf_owner_send(owner, HAFT_OUT_NOTIFICATION, call->request.tag, 0);
    }
}

/* Calls the handler again, with the answers. */
static void resume(haft_call *call)
{
    hf_call_allow(call, 0);
    hf_call_clear_result(call);
    if (call->handler.out)
        memset(call->handler.out, 0, call->item->output->root->size);
    hf_call_start(call);
}

/* Copies an answer into the call's memory, because the message is freed. */
static yyjson_val *keep_answer(haft_call *call, const yyjson_val *result)
{
    haft_buffer text;
    yyjson_val *copy = NULL;
    const char *reason;
    size_t offset;

    haft_buffer_init(&text, call->server->allocator, call->server->options.max_message * 2);
    haft_json_write(result, &text);
    if (!text.status)
        hf_json_parse(text.data, text.size, call->arena, &copy, &offset, &reason);
    haft_buffer_finish(&text);
    return copy;
}

static void input_take_answer(haft_call *call, struct question *question,
                              const struct rpc_message *message)
{
    if (message->result && yyjson_is_obj(message->result))
        question->answer = keep_answer(call, message->result);
    if (question->answer) {
        if (!is_waiting(call))
            resume(call);
        return;
    }
    /* The client does not support the question after all. */
    hf_call_unanswered(call);
    call->status = HAFT_ECAPABILITY;
    call->error.data = NULL;
    hf_call_end(call);
}

void hf_input_answer(struct owner *owner, const struct rpc_message *message)
{
    for (haft_call *call = owner->calls; call; call = call->next) {
        for (struct question *q = call->state == CALL_ASKING ? call->asking.questions : NULL; q;
             q = q->next) {
            if (!q->request_id || q->answer || !yyjson_is_int(message->id) ||
                yyjson_get_sint(message->id) != q->request_id)
                continue;
            input_take_answer(call, q, message);
            return;
        }
    }
}

/* ---- both ---- */

void hf_input_ask(haft_call *call)
{
    bool modern = hf_revision_rows[call->revision].modern;

    if (++call->asking.rounds > INPUT_MAX_ROUNDS || !is_waiting(call)) {
        if (is_waiting(call))
            haft_log(call, HAFT_ERROR,
                     "the handler asked for input %u times, which exceeds the limit",
                     call->asking.rounds);
        else
            haft_log(call, HAFT_ERROR, "the handler returned HAFT_AGAIN without asking for input");
        hf_call_unanswered(call);
        call->status = HAFT_ESTEPS;
        hf_call_end(call);
        return;
    }
    if (!modern) {
        ask_legacy(call);
        return;
    }
    call->asking.rounds--;
    call->owner->announce(call->owner);
    ask_modern(call);
    call->stages.outcome = HAFT_OUTCOME_INPUT;
    hf_call_end(call);
}

/* The data of the error that lists them; NULL without memory. */
static const char *missing_capabilities(haft_call *call)
{
    const char *lacking = call->error.data ? call->error.data : "{}";
    haft_buffer data;
    struct json_writer w = {.out = &data};

    haft_buffer_init(&data, call->server->allocator, call->server->options.max_message);
    hf_json_begin_object(&w);
    hf_json_raw(json_key(&w, "requiredCapabilities"), lacking, strlen(lacking));
    hf_json_end_object(&w);
    return hf_text_of(call->arena, &data).data;
}

void hf_input_refuse(haft_call *call)
{
    static const char text[] = "The tool needs input of a kind that the client does not support.";
    const char *data;

    if (hf_revision_rows[call->revision].modern) {
        data = missing_capabilities(call);
        /* Without the data, it would not be that error. */
        if (data)
            call->error.http_status = 400;
        hf_respond_error(call, data ? RPC_MISSING_CAPABILITY : RPC_INTERNAL_ERROR, NULL, data);
        return;
    }
    if (!call->item || !call->item->tool) {
        hf_respond_error(call, RPC_INTERNAL_ERROR, text, NULL);
        return;
    }
    hf_call_clear_result(call);
    call->status = 0;
    haft_error(call, "%s", text);
    hf_complete_tool(call);
}
