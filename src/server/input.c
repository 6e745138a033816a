/* input.c - asking in the middle of a call, in every era.
 *
 * A handler puts questions and returns; it is called again from the start when they are answered.
 * A legacy client is sent requests, and the call waits for their responses.  A modern client gets
 * the questions as the result, with the answers so far sealed into a state, and sends the request
 * again. */
#include <string.h>

#include "schema/format_check.h"
#include "server/seal.h"

enum { MAX_ROUNDS = 8, ROUND_MS = 10 * 60 * 1000, FORM_LIMIT = 1 << 20 };

/* ---- questions ---- */

static struct question *find_question(const haft_call *call, const char *key)
{
    struct question *question = call->questions;

    while (question && strcmp(question->key, key) != 0)
        question = question->next;
    return question;
}

static struct question *add_question(haft_call *call, const char *key, size_t size)
{
    struct question *question = haft_arena_zalloc(call->arena, 1, sizeof *question);
    struct question **link = &call->questions;

    if (!question)
        return NULL;
    question->key = haft_arena_copy(call->arena, key, size);
    if (!question->key)
        return NULL;
    while (*link)
        link = &(*link)->next;
    *link = question;
    return question;
}

/* The answer to a question; NULL after putting it, with *ret_status what the handler is told. */
static yyjson_val *ask(haft_call *call, const char *key, const char *method, const char *params,
                       int *ret_status)
{
    struct question *question = find_question(call, key);

    if (question && question->answer)
        return question->answer;
    *ret_status = HAFT_AGAIN;
    if (!question)
        question = add_question(call, key, strlen(key));
    if (!question || !params) {
        *ret_status = HAFT_ENOMEM;
        return NULL;
    }
    question->method = method;
    question->params = params;
    question->fresh = true;
    return NULL;
}

/* Puts a question that was answered badly again. */
static int ask_again(haft_call *call, const char *key, const char *method, const char *params)
{
    struct question *question = find_question(call, key);
    int status = 0;

    question->answer = NULL;
    question->request_id = 0;
    ask(call, key, method, params, &status);
    return status;
}

/* JSON of the program's own, checked and on one line; NULL with *ret_status set when it is none. */
static const char *own_json(haft_call *call, const char *json, yyjson_val **ret_value,
                            int *ret_status)
{
    haft_reason reason = {.code = HAFT_EINVAL};
    yyjson_val *value =
        haft_json_read(json, strlen(json), call->server->options.max_depth, call->arena, &reason);
    haft_buffer text;
    const char *copy;

    if (!yyjson_is_obj(value)) {
        *ret_status = value ? HAFT_EINVAL : reason.code;
        return NULL;
    }
    haft_buffer_init(&text, call->server->allocator, FORM_LIMIT);
    haft_json_write(value, &text);
    copy = text_of(call->arena, &text).data;
    *ret_status = copy ? 0 : HAFT_ENOMEM;
    *ret_value = value;
    return copy;
}

/* HAFT_ECAPABILITY, with what is missing kept for the answer. */
static int lacks(haft_call *call, const char *json)
{
    call->error_data = json;
    return HAFT_ECAPABILITY;
}

bool input_put(haft_call *call, const char *key, const char *method, yyjson_val *params)
{
    static const char *const methods[] = {"elicitation/create", "sampling/createMessage",
                                          "roots/list"};
    struct question *question = find_question(call, key);
    haft_buffer text;
    size_t i = 0;

    while (i < sizeof methods / sizeof *methods && strcmp(methods[i], method))
        i++;
    if (i == sizeof methods / sizeof *methods || !yyjson_is_obj(params))
        return false;
    if (!question)
        question = add_question(call, key, strlen(key));
    if (!question)
        return false;
    haft_buffer_init(&text, call->server->allocator, FORM_LIMIT);
    haft_json_write(params, &text);
    question->params = text_of(call->arena, &text).data;
    question->method = methods[i];
    question->answer = NULL;
    question->request_id = 0;
    question->fresh = true;
    return question->params;
}

bool input_give(haft_call *call, const yyjson_val *key, yyjson_val *answer)
{
    struct question *question = add_question(call, yyjson_get_str((void *)(uintptr_t)key),
                                             yyjson_get_len((void *)(uintptr_t)key));

    if (question)
        question->answer = answer;
    return question;
}

/* ---- elicitation ---- */

/* A client that declares elicitation without modes does forms. */
static bool can_form(const haft_call *call)
{
    return haft_client_can(call, "elicitation.form") ||
           (haft_client_can(call, "elicitation") && !haft_client_can(call, "elicitation.url"));
}

static const char *elicit_params(haft_call *call, const char *message, const char *schema)
{
    bool mode = call->revision >= REV_2025_11_25;
    haft_buffer params;
    const char *text;

    haft_buffer_init(&params, call->server->allocator, FORM_LIMIT);
    haft_buffer_puts(&params, mode ? "{\"mode\":\"form\",\"message\":" : "{\"message\":");
    haft_buffer_json_string(&params, message, strlen(message));
    haft_buffer_puts(&params, ",\"requestedSchema\":");
    haft_buffer_puts(&params, schema);
    haft_buffer_add(&params, "}", 1);
    text = text_of(call->arena, &params).data;
    return text;
}

/* What the person did with the question; 0 when the answer does not say. */
static int action_of(yyjson_val *answer)
{
    yyjson_val *action = yyjson_obj_get(answer, "action");

    return yyjson_equals_str(action, "accept")    ? HAFT_ACCEPTED
           : yyjson_equals_str(action, "decline") ? HAFT_DECLINED
           : yyjson_equals_str(action, "cancel")  ? HAFT_DISMISSED
                                                  : 0;
}

static int elicit_form(haft_call *call, const char *key, const char *message, const char *schema,
                       haft_value **ret_content)
{
    const char *params;
    yyjson_val *answer;
    int status = 0, action;

    if (!revision_row(call->revision)->elicitation || !can_form(call))
        return lacks(call, "{\"elicitation\":{\"form\":{}}}");
    params = elicit_params(call, message, schema);
    answer = ask(call, key, "elicitation/create", params, &status);
    if (!answer)
        return status;
    action = action_of(answer);
    if (action == HAFT_ACCEPTED)
        *ret_content = rpc_object(answer, "content");
    if (!action || (action == HAFT_ACCEPTED && !*ret_content))
        return ask_again(call, key, "elicitation/create", params);
    return action;
}

int haft_elicit_json(haft_call *call, const char *key, const char *message, const char *schema,
                     haft_value **ret_content)
{
    yyjson_val *value;
    const char *why;
    bool selects;
    int status;

    schema = own_json(call, schema, &value, &status);
    if (!schema)
        return status;
    why = form_check(value, call->arena, &selects);
    if (why) {
        haft_log(call, HAFT_ERROR, "form %s: %s", key, why);
        return HAFT_ESCHEMA;
    }
    if (selects && !revision_row(call->revision)->modes)
        return lacks(call, "{\"elicitation\":{\"form\":{}}}");
    return elicit_form(call, key, message, schema, ret_content);
}

int haft_elicit(haft_call *call, const char *key, const char *message, const haft_type *form,
                void *ret_content)
{
    const struct form *compiled = form_of(call->server, call->item ? call->item->hold : NULL, form);
    haft_value *content = NULL;
    haft_issues issues;
    int action, status;

    if (!compiled)
        return HAFT_ESCHEMA;
    action = elicit_form(call, key, message, compiled->json, &content);
    if (action != HAFT_ACCEPTED)
        return action;
    status = haft_decode(compiled->schema, content, call->arena, ret_content, &issues);
    if (status == HAFT_EISSUES)
        return ask_again(call, key, "elicitation/create",
                         elicit_params(call, message, compiled->json));
    return status ? status : HAFT_ACCEPTED;
}

int haft_elicit_url(haft_call *call, const char *key, const char *message, const char *url)
{
    const struct revision_row *row = revision_row(call->revision);
    haft_buffer params;
    const char *text;
    yyjson_val *answer;
    int status = 0, action;

    if (!rfc_uri(url, strlen(url))) {
        haft_log(call, HAFT_ERROR, "%s: \"%s\" is no absolute URL", key, url);
        return HAFT_EINVAL;
    }
    if (!row->modes || !haft_client_can(call, "elicitation.url"))
        return lacks(call, "{\"elicitation\":{\"url\":{}}}");
    haft_buffer_init(&params, call->server->allocator, FORM_LIMIT);
    haft_buffer_puts(&params, "{\"mode\":\"url\",\"message\":");
    haft_buffer_json_string(&params, message, strlen(message));
    haft_buffer_puts(&params, ",\"url\":");
    haft_buffer_json_string(&params, url, strlen(url));
    /* Revisions before 2026 tell such questions apart by an id. */
    if (!row->modern) {
        const char *id = haft_arena_printf(call->arena, "%s:%s", haft_request_id(call), key);

        put_text_member(&params, "elicitationId", id);
    }
    haft_buffer_add(&params, "}", 1);
    text = text_of(call->arena, &params).data;
    answer = ask(call, key, "elicitation/create", text, &status);
    if (!answer)
        return status;
    action = action_of(answer);
    return action ? action : ask_again(call, key, "elicitation/create", text);
}

/* ---- sampling and roots ---- */

int haft_sample(haft_call *call, const char *key, const char *request, haft_value **ret_result)
{
    yyjson_val *answer, *value;
    int status = 0;

    if (!haft_client_can(call, "sampling"))
        return lacks(call, "{\"sampling\":{}}");
    request = own_json(call, request, &value, &status);
    if (!request)
        return status;
    if (!yyjson_is_arr(yyjson_obj_get(value, "messages")) ||
        !yyjson_is_num(yyjson_obj_get(value, "maxTokens"))) {
        haft_log(call, HAFT_ERROR, "%s: sampling needs \"messages\" and \"maxTokens\"", key);
        return HAFT_EINVAL;
    }
    if (yyjson_obj_get(value, "tools") && !haft_client_can(call, "sampling.tools"))
        return lacks(call, "{\"sampling\":{\"tools\":{}}}");
    answer = ask(call, key, "sampling/createMessage", request, &status);
    if (answer)
        *ret_result = answer;
    return answer ? 0 : status;
}

int haft_roots(haft_call *call, const char *key, haft_value **ret_roots)
{
    yyjson_val *answer, *roots;
    int status = 0;

    if (!haft_client_can(call, "roots"))
        return lacks(call, "{\"roots\":{}}");
    answer = ask(call, key, "roots/list", "{}", &status);
    if (!answer)
        return status;
    roots = yyjson_obj_get(answer, "roots");
    if (!yyjson_is_arr(roots))
        return ask_again(call, key, "roots/list", "{}");
    *ret_roots = roots;
    return 0;
}

/* ---- state ---- */

const char *haft_state(const haft_call *call)
{
    return call->state;
}

int haft_set_state(haft_call *call, const char *text)
{
    call->state = haft_arena_copy(call->arena, text, strlen(text));
    return call->state ? 0 : HAFT_ENOMEM;
}

/* ---- modern clients ---- */

/* Answers so far and the handler's own state, as the payload of the seal. */
static const char *seal_state(haft_call *call)
{
    haft_buffer payload;
    const char *sealed = NULL;
    bool any = false;

    haft_buffer_init(&payload, call->server->allocator, call->server->options.max_message);
    haft_buffer_printf(&payload, "{\"r\":%u,\"a\":{", call->rounds + 1);
    for (struct question *q = call->questions; q; q = q->next) {
        if (!q->answer)
            continue;
        if (any)
            haft_buffer_add(&payload, ",", 1);
        haft_buffer_json_string(&payload, q->key, strlen(q->key));
        haft_buffer_add(&payload, ":", 1);
        haft_json_write(q->answer, &payload);
        any = true;
    }
    haft_buffer_add(&payload, "}", 1);
    put_text_member(&payload, "s", call->state);
    haft_buffer_add(&payload, "}", 1);
    if (!payload.status)
        sealed = seal(call, payload.data, payload.size);
    haft_buffer_finish(&payload);
    return sealed;
}

/* Restores what a retry carries.  The state is what an attacker may have made up. */
bool input_restore(haft_call *call)
{
    yyjson_val *state, *responses, *payload, *answers, *key, *answer;
    size_t i, n;

    if (!revision_row(call->revision)->modern)
        return true;
    state = yyjson_obj_get(call->params, "requestState");
    responses = yyjson_obj_get(call->params, "inputResponses");
    if (!state && !responses)
        return true;
    if (responses && !yyjson_is_null(responses) && !yyjson_is_obj(responses)) {
        respond_error(call, RPC_INVALID_PARAMS,
                      "Invalid params: \"inputResponses\" must be an object", NULL);
        return false;
    }
    if (state) {
        payload = yyjson_is_str(state) ? unseal(call, yyjson_get_str(state), yyjson_get_len(state))
                                       : NULL;
        if (!payload) {
            respond_error(call, RPC_INVALID_PARAMS, "Invalid or expired requestState",
                          "{\"reason\":\"invalid_request_state\"}");
            return false;
        }
        call->rounds = (unsigned)yyjson_get_uint(yyjson_obj_get(payload, "r"));
        call->state = yyjson_get_str(yyjson_obj_get(payload, "s"));
        answers = yyjson_obj_get(payload, "a");
        yyjson_obj_foreach(answers, i, n, key, answer) {
            struct question *q = add_question(call, yyjson_get_str(key), yyjson_get_len(key));

            if (q)
                q->answer = answer;
        }
    }
    if (!yyjson_is_obj(responses))
        return true;
    yyjson_obj_foreach(responses, i, n, key, answer) {
        struct question *q;

        if (!yyjson_is_obj(answer)) {
            respond_error(call, RPC_INVALID_PARAMS, "Invalid params: an answer must be an object",
                          NULL);
            return false;
        }
        q = find_question(call, yyjson_get_str(key));
        if (!q)
            q = add_question(call, yyjson_get_str(key), yyjson_get_len(key));
        if (q)
            q->answer = answer;
    }
    return true;
}

static void ask_modern(haft_call *call)
{
    const char *state = seal_state(call);
    haft_buffer *out;
    bool any = false;

    if (!state) {
        server_log(call->server, HAFT_ERROR, "%s: input cannot be asked for without a seal key",
                   haft_call_name(call));
        respond_error(call, RPC_INTERNAL_ERROR, NULL, NULL);
        return;
    }
    out = respond_begin(call);
    haft_buffer_puts(out, "\"resultType\":\"input_required\",\"inputRequests\":{");
    for (struct question *q = call->questions; q; q = q->next) {
        if (q->answer || !q->fresh)
            continue;
        if (any)
            haft_buffer_add(out, ",", 1);
        haft_buffer_json_string(out, q->key, strlen(q->key));
        haft_buffer_printf(out, ":{\"method\":\"%s\",\"params\":", q->method);
        haft_buffer_puts(out, q->params);
        haft_buffer_add(out, "}", 1);
        any = true;
    }
    haft_buffer_puts(out, "},\"requestState\":");
    haft_buffer_json_string(out, state, strlen(state));
    haft_buffer_puts(out, ",\"_meta\":{");
    haft_buffer_add(out, call->server->modern_tail.data, call->server->modern_tail.size);
    haft_buffer_puts(out, "}}}");
    respond_written(call, 0);
}

/* ---- legacy clients ---- */

/* False without memory. */
static bool send_question(haft_call *call, struct question *question)
{
    haft_session *session = call->session;
    haft_buffer *out = &session->out;

    question->request_id = session->next_request_id++;
    haft_buffer_puts(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    haft_buffer_json_integer(out, question->request_id);
    haft_buffer_printf(out, ",\"method\":\"%s\"", question->method);
    if (strcmp(question->params, "{}") != 0) {
        haft_buffer_puts(out, ",\"params\":");
        haft_buffer_puts(out, question->params);
    }
    haft_buffer_add(out, "}", 1);
    if (out->status) {
        haft_buffer_clear(out);
        question->request_id = 0;
        return false;
    }
    session_send(session, HAFT_OUT_REQUEST, call->tag, 0);
    return true;
}

static void ask_legacy(haft_call *call)
{
    call->waiting = true;
    call_allow(call, ROUND_MS);
    for (struct question *q = call->questions; q; q = q->next) {
        if (q->answer || !q->fresh || q->request_id || send_question(call, q))
            continue;
        /* What cannot be asked is not waited for. */
        call->waiting = false;
        input_withdraw(call, "not needed");
        call->status = HAFT_ENOMEM;
        call_abandon(call);
        return;
    }
}

static bool is_waiting(const haft_call *call)
{
    for (const struct question *q = call->questions; q; q = q->next)
        if (q->fresh && !q->answer)
            return true;
    return false;
}

void input_withdraw(haft_call *call, const char *reason)
{
    haft_session *session = call->session;
    haft_buffer *out = &session->out;

    for (const struct question *q = call->questions; q; q = q->next) {
        if (!q->request_id || q->answer)
            continue;
        haft_buffer_puts(out, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                              "\"params\":{\"requestId\":");
        haft_buffer_json_integer(out, q->request_id);
        haft_buffer_printf(out, ",\"reason\":\"%s\"}}", reason);
        session_send(session, HAFT_OUT_NOTIFICATION, call->tag, 0);
    }
}

/* Calls the handler again with what it has been told. */
static void resume(haft_call *call)
{
    call->waiting = false;
    call_allow(call, 0);
    call_clear_result(call);
    if (call->out)
        memset(call->out, 0, call->item->output->root->size);
    call_start(call);
}

/* Copies an answer into the call's own memory: the message it came in goes away. */
static yyjson_val *keep_answer(haft_call *call, const yyjson_val *result)
{
    haft_buffer text;
    yyjson_val *copy = NULL;
    const char *reason;
    size_t offset;

    haft_buffer_init(&text, call->server->allocator, call->server->options.max_message * 2);
    haft_json_write(result, &text);
    if (!text.status)
        json_parse(text.data, text.size, call->arena, &copy, &offset, &reason);
    haft_buffer_finish(&text);
    return copy;
}

static void take_answer(haft_call *call, struct question *question,
                        const struct rpc_message *message)
{
    if (message->result && yyjson_is_obj(message->result))
        question->answer = keep_answer(call, message->result);
    if (question->answer) {
        if (!is_waiting(call))
            resume(call);
        return;
    }
    /* The client could not be asked after all. */
    call->waiting = false;
    call->status = HAFT_ECAPABILITY;
    call->error_data = NULL;
    haft_call_done(call);
}

void input_answer(haft_session *session, const struct rpc_message *message)
{
    for (haft_call *call = session->calls; call; call = call->next) {
        for (struct question *q = call->waiting ? call->questions : NULL; q; q = q->next) {
            if (!q->request_id || q->answer || !yyjson_is_int(message->id) ||
                yyjson_get_sint(message->id) != q->request_id)
                continue;
            take_answer(call, q, message);
            return;
        }
    }
}

/* ---- both ---- */

void input_ask(haft_call *call)
{
    bool modern = revision_row(call->revision)->modern;

    if (++call->rounds > MAX_ROUNDS || !is_waiting(call)) {
        server_log(call->server, HAFT_ERROR, "%s: asked for input %u times", haft_call_name(call),
                   call->rounds);
        call->status = HAFT_ESTEPS;
        call_abandon(call);
        return;
    }
    if (!modern) {
        ask_legacy(call);
        return;
    }
    call->rounds--;
    session_announce(call->session);
    ask_modern(call);
    call->outcome = HAFT_OUTCOME_INPUT;
    call_abandon(call);
}

void input_refuse(haft_call *call)
{
    static const char text[] = "The client cannot be asked for this: it lacks the capability.";
    const char *data;

    if (revision_row(call->revision)->modern) {
        data = haft_arena_printf(call->arena, "{\"requiredCapabilities\":%s}",
                                 call->error_data ? call->error_data : "{}");
        /* Without the data it is not that error. */
        if (data)
            call->http_status = 400;
        respond_error(call, data ? RPC_MISSING_CAPABILITY : RPC_INTERNAL_ERROR, NULL, data);
        return;
    }
    if (!call->item || !call->item->tool) {
        respond_error(call, RPC_INTERNAL_ERROR, text, NULL);
        return;
    }
    call_clear_result(call);
    call->status = 0;
    haft_error(call, "%s", text);
    complete_tool(call);
}
