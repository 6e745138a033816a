/* answer.c - answers questions that the server asks during a call, through the program's callback.
 *
 * A legacy server sends a request and waits. A modern server ends the request with its questions,
 * and the client repeats the request with the answers and the state that came with them. The
 * callback sees no difference. */
#include <string.h>

#include "client/client.h"

enum { ANSWER_MAX_ROUNDS = 16, CLIENT_ANSWER_LIMIT = 16 << 20 };

/* Writes the answer to one question, a JSON object, to the buffer. Returns false if it is
 * refused. */
static bool put_answer(haft_client *client, const char *method, yyjson_val *params,
                       haft_buffer *answer)
{
    haft_client_answer *function = client->options.answer;

    if (!function || !method || function(client->options.context, method, params, answer))
        return false;
    return !answer->status &&
           yyjson_is_obj(haft_json_read(answer->data, answer->size, 0, client->scratch, NULL));
}

void hf_answer_request(haft_client *client, yyjson_val *message)
{
    const char *method = yyjson_get_str(yyjson_obj_get(message, "method"));
    yyjson_val *id = yyjson_obj_get(message, "id");
    haft_buffer answer, *out = &client->out;
    struct json_writer w = {.out = out};

    haft_buffer_init(&answer, client->allocator, CLIENT_ANSWER_LIMIT);
    if (put_answer(client, method, rpc_object(message, "params"), &answer)) {
        hf_rpc_begin_response(&w, id);
        hf_json_raw(json_key(&w, "result"), answer.data, answer.size);
        hf_json_end_object(&w);
    } else {
        hf_rpc_put_error(out, id, RPC_METHOD_NOT_FOUND, NULL, NULL);
    }
    haft_buffer_finish(&answer);
    hf_client_deliver(client, HAFT_OUT_RESPONSE);
}

/* Writes {"key":ANSWER,...} for all questions; returns false if one is refused. */
static bool answer_put_answers(haft_client *client, yyjson_val *questions, haft_buffer *responses)
{
    struct json_writer w = {.out = responses};
    haft_buffer answer;
    yyjson_val *key, *question;
    size_t i, n;
    bool all = true;

    haft_buffer_init(&answer, client->allocator, CLIENT_ANSWER_LIMIT);
    hf_json_begin_object(&w);
    if (questions) {
        yyjson_obj_foreach(questions, i, n, key, question) {
            const char *method = yyjson_get_str(yyjson_obj_get(question, "method"));

            haft_buffer_clear(&answer);
            all = put_answer(client, method, rpc_object(question, "params"), &answer);
            if (!all)
                break;
            hf_json_raw(hf_json_name(&w, yyjson_get_str(key), yyjson_get_len(key)), answer.data,
                        answer.size);
        }
    }
    hf_json_end_object(&w);
    haft_buffer_finish(&answer);
    return all && !responses->status;
}

bool hf_answer_round(haft_client *client, struct asked *asked, yyjson_val *result)
{
    yyjson_val *questions = rpc_object(result, "inputRequests");
    yyjson_val *state = yyjson_obj_get(result, "requestState");
    haft_buffer responses;
    bool sent = false;

    if (asked->rounds >= ANSWER_MAX_ROUNDS)
        return false;
    haft_buffer_init(&responses, client->allocator, CLIENT_ANSWER_LIMIT);
    if (answer_put_answers(client, questions, &responses)) {
        int64_t before = asked->wire_id;

        asked->rounds++;
        asked->wire_id = client->next_id++;
        sent = !hf_request_write(client, asked, &responses, state) &&
               !hf_client_deliver(client, HAFT_OUT_REQUEST);
        if (!sent)
            asked->wire_id = before;
    }
    haft_buffer_finish(&responses);
    return sent;
}
