/* round.c - rounds of questions: a modern server ends a request with its questions, and the client
 * repeats the request with the answers and the state that came with them. */
#include "client/question.h"

#include <stdio.h>

#include "client/shape.h"
#include "client/task.h"

size_t hf_round_put_answers(haft_client *client, const struct client_request *request,
                            haft_buffer *out)
{
    struct json_writer w = {.out = out};
    size_t n = 0;

    hf_json_begin_object(&w);
    for (struct haft_question *one = client->questions.first; one; one = one->next)
        if (one->request == request && one->state == QUESTION_ANSWERED && !one->sent) {
            hf_json_raw(hf_json_name(&w, yyjson_get_str(one->key), yyjson_get_len(one->key)),
                        one->answer.data, one->answer.size);
            one->sent = true;
            n++;
        }
    hf_json_end_object(&w);
    return n;
}

/* Repeats a request with the answers. */
void hf_round_continue(haft_client *client, struct client_request *request)
{
    yyjson_val *state = yyjson_obj_get(request->asked, "requestState");
    struct document *round = request->round;
    haft_buffer responses;
    int status;

    haft_buffer_init(&responses, client->allocator, CLIENT_ANSWER_LIMIT);
    hf_round_put_answers(client, request, &responses);
    status = responses.status;
    request->state = REQUEST_SENT;
    if (!status)
        status = hf_request_send(
            client, request, yyjson_obj_get(request->asked, "inputRequests") ? &responses : NULL,
            yyjson_is_null(state) ? NULL : state);
    haft_buffer_finish(&responses);
    hf_question_drop(client, request);
    request->round = NULL;
    hf_document_drop(client, round);
    if (status)
        hf_request_fail(client, request, status, 0, "cannot send the answers: %s",
                        haft_strerror(status));
    else
        hf_request_restart(client, request);
}

/* The program does not answer: the result is the caller's. */
void hf_round_give_up(haft_client *client, struct client_request *request)
{
    struct document *round = hf_document_keep(request->round);
    yyjson_val *root = round->root;
    size_t i, n;
    yyjson_val *one;

    yyjson_arr_foreach(round->root, i, n, one)
        if (yyjson_obj_get(one, "result") == request->asked)
            root = one;
    hf_request_answer(client, request, round, root);
    hf_document_drop(client, round);
}

int hf_round_make_all(haft_client *client, struct client_request *request,
                      struct document *document, yyjson_val *questions, haft_reason *reterr_reason)
{
    yyjson_val *key, *one;
    size_t i, n;

    if (yyjson_obj_size(questions) > QUESTIONS_OPEN)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "inputRequests",
                            "has more than %d questions", QUESTIONS_OPEN);
    yyjson_obj_foreach(questions, i, n, key, one) {
        const char *method = yyjson_get_str(yyjson_obj_get(one, "method"));
        yyjson_val *params = rpc_object(one, "params");
        char path[sizeof reterr_reason->path];
        haft_question *question;

        if (request->task && !hf_client_task_is_new(request->task, key))
            continue;
        if (!hf_question_is_known(client, method))
            return HAFT_ECAPABILITY;
        snprintf(path, sizeof path, "inputRequests.%.64s.params", yyjson_get_str(key));
        if (hf_question_check(method, params, path, reterr_reason))
            return HAFT_EINVAL;
        question = hf_question_new(client, document, method, params);
        if (!question)
            return HAFT_ENOMEM;
        question->request = request;
        question->key = key;
        request->unanswered++;
    }
    return 0;
}

static haft_question *round_next_new(const haft_client *client,
                                     const struct client_request *request)
{
    haft_question *question = client->questions.first;

    while (question && (question->request != request || question->state != QUESTION_NEW))
        question = question->next;
    return question;
}

static void round_fail(haft_client *client, struct client_request *request, int status,
                       const haft_reason *reason)
{
    if (status == HAFT_ENOMEM)
        hf_request_fail(client, request, status, 0, "%s", haft_strerror(status));
    else
        hf_request_fail(client, request, HAFT_EPROTOCOL, 0,
                        "the server's request for input is malformed: %s %s", reason->path,
                        reason->text);
}

bool hf_round_present(haft_client *client, struct client_request *request)
{
    enum client_request_state state = request->state;
    int64_t id = request->id;
    haft_question *question;

    request->asking = true;
    while (!client->ending && (question = round_next_new(client, request))) {
        hf_question_present(client, question);
        if (hf_request_find(client, id) != request || request->state != state)
            return false;
    }
    request->asking = false;
    return !client->ending;
}

bool hf_round_begin(haft_client *client, struct client_request *request, struct document *document,
                    yyjson_val *result)
{
    yyjson_val *questions = rpc_object(result, "inputRequests");
    haft_reason reason;
    int status;

    if (request->rounds >= client->options.max_rounds) {
        hf_request_fail(client, request, HAFT_EPROTOCOL, 0,
                        "the server asked for input too many times");
        return true;
    }
    if (hf_shape_check(&hf_shape_input_required, result, "", &reason)) {
        round_fail(client, request, HAFT_EINVAL, &reason);
        return true;
    }
    request->rounds++;
    request->round = hf_document_keep(document);
    request->asked = result;
    request->state = REQUEST_ASKING;
    request->unanswered = 0;
    status = questions ? hf_round_make_all(client, request, document, questions, &reason) : 0;
    if (status == HAFT_ECAPABILITY) {
        request->state = REQUEST_SENT;
        hf_question_drop(client, request);
        hf_document_drop(client, document);
        request->round = NULL;
        return false;
    }
    if (status) {
        round_fail(client, request, status, &reason);
        return true;
    }
    if (hf_round_present(client, request) && !request->unanswered)
        hf_round_continue(client, request);
    return true;
}
