/* question.c - questions of the server, which the program answers at once or later.
 *
 * A legacy server sends a request and waits.  A modern server ends the request with its questions,
 * and the client repeats the request with the answers and the state that came with them; a task lists
 * its questions, and gets the answers by tasks/update.  The program sees no difference.
 *
 * A question that the program has not answered when its request ends, or the client, belongs to the
 * program alone: answering it frees it. */
#include "client/question.h"

#include <stdio.h>
#include <string.h>

#include "base/list.h"
#include "client/shape.h"

/* ---- making and freeing ---- */

struct haft_question *hf_question_new(haft_client *client, struct document *document,
                                      const char *method, yyjson_val *params)
{
    const haft_allocator *allocator = client->allocator;
    struct haft_question *question = allocator->alloc(allocator->context, sizeof *question);

    if (!question)
        return NULL;
    *question = (struct haft_question){.client = client,
                                       .allocator = allocator,
                                       .document = hf_document_keep(document),
                                       .method = method,
                                       .params = params};
    haft_buffer_init(&question->answer, allocator, CLIENT_ANSWER_LIMIT);
    LIST_APPEND(client->questions.first, client->questions.last, question, previous, next);
    return question;
}

haft_time hf_question_time(const haft_client *client, haft_time now)
{
    const struct client_questions *all = &client->questions;

    return all->total + (all->open ? now - all->since : 0);
}

/* The program gets a question, and has answered one. */
static void question_open(haft_client *client)
{
    if (!client->questions.open++)
        client->questions.since = hf_due_now(client);
}

static void question_close(haft_client *client)
{
    struct client_questions *all = &client->questions;

    all->answered = hf_due_now(client);
    if (!--all->open)
        all->total += all->answered - all->since;
}

/* The client forgets it. */
static void question_detach(struct haft_question *question)
{
    haft_client *client = question->client;

    if (!client)
        return;
    LIST_REMOVE(client->questions.first, client->questions.last, question, previous, next);
    if (question->state == QUESTION_OPEN)
        question_close(client);
    question->client = NULL;
}

static void question_set_ended(struct haft_question *question)
{
    if (question->ended)
        *question->ended = true;
    question->ended = NULL;
}

static void question_free(struct haft_question *question)
{
    const haft_allocator *allocator = question->allocator;
    haft_client *client = question->client;

    question_set_ended(question);
    question_detach(question);
    hf_document_drop(client, question->document);
    haft_buffer_finish(&question->answer);
    allocator->release(allocator->context, question, sizeof *question);
}

/* Its answer is not wanted any more.  The program frees it by answering, if it has it. */
static void question_abandon(struct haft_question *question)
{
    if (question->state == QUESTION_OPEN)
        question_detach(question);
    else
        question_free(question);
}

void hf_question_drop(haft_client *client, const struct client_request *request)
{
    struct haft_question *question = client->questions.first, *next;

    for (; question; question = next) {
        next = question->next;
        if (!request || question->request == request)
            question_abandon(question);
    }
}

void hf_question_settle(haft_client *client, const struct client_request *request, bool again)
{
    struct haft_question *question = client->questions.first, *next;

    for (; question; question = next) {
        next = question->next;
        if (question->request != request || !question->sent)
            continue;
        question->sent = false;
        if (!again)
            question_free(question);
    }
}

void hf_question_cancelled(haft_client *client, const yyjson_val *id)
{
    struct haft_question *question = client->questions.first;

    while (question && !(id && question->id && hf_rpc_same_id(question->id, id)))
        question = question->next;
    if (question)
        question_abandon(question);
}

/* ---- answers to a legacy server ---- */

static int question_respond(haft_client *client, const yyjson_val *id, const haft_buffer *result)
{
    struct json_writer w = {.out = &client->out};

    haft_buffer_clear(&client->out);
    hf_rpc_begin_response(&w, id);
    hf_json_raw(json_key(&w, "result"), result->data, result->size);
    hf_json_end_object(&w);
    return hf_client_deliver(client, HAFT_OUT_RESPONSE);
}

static int question_respond_error(haft_client *client, const yyjson_val *id, int code,
                                  const char *message)
{
    haft_buffer_clear(&client->out);
    hf_rpc_put_error(&client->out, id, code, message, NULL);
    return hf_client_deliver(client, HAFT_OUT_RESPONSE);
}

/* ---- the program's answers ---- */

const char *haft_question_method(const haft_question *question)
{
    return question ? question->method : NULL;
}

haft_value *haft_question_params(const haft_question *question)
{
    return question ? question->params : NULL;
}

/* Ends a question with the result in its buffer. */
static int question_finish(haft_question *question)
{
    haft_client *client = question->client;
    struct client_request *request = question->request;
    int status = 0;

    if (question->answer.status) {
        status = question->answer.status;
        haft_buffer_clear(&question->answer);
        return status;
    }
    hf_client_enter(client);
    if (!request) {
        status = question_respond(client, question->id, &question->answer);
        if (status != HAFT_ENOMEM)
            question_free(question);
        else
            haft_buffer_clear(&question->answer);
    } else {
        question->state = QUESTION_ANSWERED;
        question_close(client);
        question_set_ended(question);
        request->unanswered--;
        if (request->task)
            client->requests.tasks->answer(client, request);
        else if (!request->unanswered && !request->asking)
            hf_round_continue(client, request);
    }
    hf_client_pump(client);
    hf_client_leave(client);
    return status;
}

static int question_misuse(const haft_question *question, const char *why)
{
    hf_client_explain(question->client, 0, "%s: %s", question->method, why);
    return HAFT_EINVAL;
}

/* Returns 0 if the question can still be answered; HAFT_EINVAL if it has been, or is NULL; or
 * HAFT_ECLOSED, and frees it. */
static int question_judge(haft_question *question)
{
    if (!question)
        return HAFT_EINVAL;
    if (question->client && !question->client->closed)
        return question->state == QUESTION_ANSWERED
                   ? question_misuse(question, "the question has been answered")
                   : 0;
    question_free(question);
    return HAFT_ECLOSED;
}

static int question_act(haft_question *question, const char *action, const char *content,
                        size_t size)
{
    struct json_writer w = {.out = &question->answer};

    if (strcmp(question->method, "elicitation/create") != 0)
        return question_misuse(question, "it is not a form; haft_question_answer answers it");
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "action"), action);
    if (content)
        hf_json_raw(json_key(&w, "content"), content, size);
    hf_json_end_object(&w);
    return question_finish(question);
}

int haft_question_decline(haft_question *question)
{
    int status = question_judge(question);

    return status ? status : question_act(question, "decline", NULL, 0);
}

int haft_question_cancel(haft_question *question)
{
    int status = question_judge(question);

    return status ? status : question_act(question, "cancel", NULL, 0);
}

int haft_question_defaults(const haft_question *question, haft_buffer *ret_content)
{
    if (!question || !ret_content)
        return HAFT_EINVAL;
    return hf_entry_defaults(yyjson_obj_get(question->params, "requestedSchema"), ret_content);
}

/* Checks the content of a form, which is `size` bytes. */
static int question_check(haft_question *question, const char *content, size_t size)
{
    haft_client *client = question->client;
    haft_reason reason = {.code = 0};
    yyjson_val *value;
    int status;

    haft_arena_reset(client->scratch);
    value = haft_json_read(content, size, 0, client->scratch, &reason);
    if (!value)
        status = reason.code == HAFT_ENOMEM ? HAFT_ENOMEM : HAFT_EINVAL;
    else
        status = hf_entry_check(yyjson_obj_get(question->params, "requestedSchema"), value,
                                client->scratch, client->allocator, &reason);
    if (status)
        hf_client_explain(client, 0, "the content does not match the form: %s", reason.text);
    return status;
}

int haft_question_accept(haft_question *question, const char *content)
{
    haft_buffer defaults;
    int status = question_judge(question);

    if (status)
        return status;
    if (yyjson_equals_str(yyjson_obj_get(question->params, "mode"), "url"))
        return content ? question_misuse(question, "a URL is accepted without content")
                       : question_act(question, "accept", NULL, 0);
    haft_buffer_init(&defaults, question->allocator, CLIENT_ANSWER_LIMIT);
    status = content ? (haft_buffer_puts(&defaults, content), defaults.status)
                     : haft_question_defaults(question, &defaults);
    if (!status)
        status = question_check(question, defaults.data, defaults.size);
    if (!status)
        status = question_act(question, "accept", defaults.data, defaults.size);
    haft_buffer_finish(&defaults);
    return status;
}

int haft_question_answer(haft_question *question, const char *result)
{
    haft_reason reason = {.code = 0};
    yyjson_val *value;
    int status = question_judge(question);

    if (status)
        return status;
    if (!result)
        return question_misuse(question, "the result is NULL");
    haft_arena_reset(question->client->scratch);
    value = haft_json_read(result, strlen(result), 0, question->client->scratch, &reason);
    if (!yyjson_is_obj(value) && reason.code == HAFT_ENOMEM)
        return HAFT_ENOMEM;
    if (!yyjson_is_obj(value))
        return question_misuse(question, value ? "the result is not a JSON object" : reason.text);
    haft_buffer_puts(&question->answer, result);
    return question_finish(question);
}

int haft_question_refuse(haft_question *question, int code, const char *message)
{
    int status = question_judge(question);
    haft_client *client;

    if (status)
        return status;
    client = question->client;
    hf_client_enter(client);
    if (!question->request) {
        status = question_respond_error(client, question->id, code, message);
        if (status != HAFT_ENOMEM)
            question_free(question);
    } else {
        struct client_request *request = question->request;

        question_free(question);
        hf_round_give_up(client, request);
    }
    hf_client_pump(client);
    hf_client_leave(client);
    return status;
}

/* ---- putting questions ---- */

/* The simple form: the program answers at once. */
static int question_by_answer(haft_client *client, haft_question *question, const bool *ended)
{
    haft_buffer text;
    int status;

    haft_buffer_init(&text, client->allocator, CLIENT_ANSWER_LIMIT);
    status =
        client->options.answer(client->options.context, question->method, question->params, &text);
    haft_buffer_add(&text, "", 1);
    if (!status)
        status = text.status;
    if (!status && !*ended)
        status = haft_question_answer(question, text.data);
    haft_buffer_finish(&text);
    return status;
}

/* Puts a question to the program; it may be gone afterwards. */
void hf_question_present(haft_client *client, haft_question *question)
{
    bool ended = false;
    int status;

    question->state = QUESTION_OPEN;
    question->ended = &ended;
    question_open(client);
    status = client->options.ask ? client->options.ask(client->options.context, question)
                                 : question_by_answer(client, question, &ended);
    if (ended)
        return;
    question->ended = NULL;
    if (status && haft_question_refuse(question, RPC_METHOD_NOT_FOUND, NULL) == HAFT_ENOMEM)
        question_free(question);
}

bool hf_question_is_known(const haft_client *client, const char *method)
{
    static const char *const names[] = {"elicitation/create", "sampling/createMessage",
                                        "roots/list", NULL};
    const char *const *name = names;

    while (method && *name && strcmp(*name, method) != 0)
        name++;
    return method && *name && (client->options.ask || client->options.answer);
}

int hf_question_check(const char *method, yyjson_val *params, const char *path,
                      haft_reason *reterr_reason)
{
    yyjson_val *mode = yyjson_obj_get(params, "mode");

    if (strcmp(method, "elicitation/create") != 0)
        return 0;
    if (mode && !yyjson_equals_str(mode, "form") && !yyjson_equals_str(mode, "url"))
        return hf_error_set(reterr_reason, HAFT_EINVAL, path, "has a mode other than form and url");
    return hf_shape_check(yyjson_equals_str(mode, "url") ? &hf_shape_url : &hf_shape_form, params,
                          path, reterr_reason);
}

void hf_question_take(haft_client *client, struct document *document, yyjson_val *message)
{
    const char *method = yyjson_get_str(yyjson_obj_get(message, "method"));
    yyjson_val *id = yyjson_obj_get(message, "id"), *params = rpc_object(message, "params");
    const haft_buffer empty = {.data = (char[]){"{}"}, .size = 2};
    haft_question *question;
    haft_reason reason;

    if (!strcmp(method, "ping")) {
        question_respond(client, id, &empty);
        return;
    }
    if (!hf_question_is_known(client, method)) {
        question_respond_error(client, id, RPC_METHOD_NOT_FOUND, NULL);
        return;
    }
    if (client->questions.open >= QUESTIONS_OPEN) {
        question_respond_error(client, id, RPC_INTERNAL_ERROR, "too many questions are open");
        return;
    }
    if (hf_question_check(method, params, "params", &reason)) {
        char text[sizeof reason.path + sizeof reason.text + 1];

        snprintf(text, sizeof text, "%s %s", reason.path, reason.text);
        question_respond_error(client, id, RPC_INVALID_PARAMS, text);
        return;
    }
    question = hf_question_new(client, document, method, params);
    if (!question) {
        question_respond_error(client, id, RPC_INTERNAL_ERROR, NULL);
        return;
    }
    question->id = id;
    hf_question_present(client, question);
}
