/* task_ask.c - what the client sends about a task: polls, answers to its questions, and a subscription, which
 * lets it poll sooner.
 *
 * A question is put to the program once, however often the server lists it, and its answer is sent until the
 * server has acknowledged it: a server ignores answers that it has. */
#include "client/task.h"

#include <string.h>

#include "client/shape.h"

/* ---- requests ---- */

static void client_task_ask_ignore(void *context, haft_client *client, int status,
                                   const haft_result *result)
{
    (void)context;
    (void)client;
    (void)status;
    (void)result;
}

int64_t hf_client_task_send(haft_client *client, const struct client_request *request,
                            const char *method, const haft_buffer *responses,
                            haft_client_done *done, unsigned flags)
{
    haft_buffer params;
    struct json_writer w = {.out = &params};
    int64_t id;

    haft_buffer_init(&params, client->allocator, client->out.limit);
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "taskId"), request->task->id);
    if (responses)
        hf_json_raw(json_key(&w, "inputResponses"), responses->data, responses->size);
    hf_json_end_object(&w);
    haft_buffer_add(&params, "", 1);
    id = params.status
             ? params.status
             : hf_request_begin(client,
                                HAFT_WITH(haft_client_exchange, .method = method,
                                          .params = params.data, .timeout_ms = request->timeout_ms,
                                          .done = done ? done : client_task_ask_ignore,
                                          .context = (void *)(intptr_t)request->id),
                                REQUEST_URGENT | flags);
    haft_buffer_finish(&params);
    return id;
}

struct client_request *hf_client_task_of(haft_client *client, void *context)
{
    struct client_request *request = hf_request_find(client, (int64_t)(intptr_t)context);

    return request && request->task ? request : NULL;
}

bool hf_client_task_is_transient(const haft_client *client, int status, const haft_result *result)
{
    static const int codes[] = {408, 429, 500, 502, 503, 504};

    if (client->closed)
        return false;
    if (!status)
        return result->error_code == RPC_INTERNAL_ERROR;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (client->http_status == codes[i])
            return true;
    return status == HAFT_ETIMEOUT || status == HAFT_ECLOSED;
}

void hf_client_task_later(haft_client *client, struct client_request *request, int status)
{
    struct client_task *task = request->task;
    haft_time pause = task->interval;

    if (++task->failures > CLIENT_TASK_FAILURES) {
        if (status)
            hf_request_fail(client, request, status, client->http_status, "%s", client->error);
        else
            hf_request_answer(client, request, client->documents.current,
                              client->documents.message);
        return;
    }
    for (unsigned i = 1; i < task->failures && pause < CLIENT_TASK_RETRY_MAX_MS; i++)
        pause *= 2;
    task->next =
        hf_due_now(client) + (pause < CLIENT_TASK_RETRY_MAX_MS ? pause : CLIENT_TASK_RETRY_MAX_MS);
    hf_client_task_arm(client, request);
}

/* ---- questions ---- */

/* Ends a request because of its questions. */
static void client_task_ask_fail(haft_client *client, struct client_request *request, int status,
                                 const haft_reason *reason)
{
    hf_client_task_cancel(client, request);
    if (status == HAFT_EINVAL)
        hf_request_fail(client, request, HAFT_EPROTOCOL, 0,
                        "the server's request for input is malformed: %s %s", reason->path,
                        reason->text);
    else
        hf_request_fail(client, request, status, 0, "%s", haft_strerror(status));
}

bool hf_client_task_ask(haft_client *client, struct client_request *request,
                        struct document *document, yyjson_val *value)
{
    yyjson_val *questions = rpc_object(value, "inputRequests");
    haft_reason reason;
    int status;

    if (!hf_client_task_has_new(request->task, questions))
        return true; /* the server has not processed the answers */
    if (request->rounds >= client->options.max_rounds) {
        hf_client_task_cancel(client, request);
        hf_request_fail(client, request, HAFT_EPROTOCOL, 0,
                        "the server asked for input too many times");
        return false;
    }
    request->rounds++;
    hf_document_drop(client, request->round);
    request->round = hf_document_keep(document);
    request->asked = value;
    status = client->options.manual_rounds
                 ? HAFT_ECAPABILITY
                 : hf_round_make_all(client, request, document, questions, &reason);
    if (!status && request->task->keys.status)
        status = HAFT_ENOMEM;
    if (status == HAFT_ECAPABILITY)
        hf_round_give_up(client, request);
    else if (status)
        client_task_ask_fail(client, request, status, &reason);
    if (status || !hf_round_present(client, request))
        return false;
    hf_client_task_answer(client, request);
    return request->task;
}

/* ---- answers ---- */

static void client_task_ask_updated(void *context, haft_client *client, int status,
                                    const haft_result *result)
{
    struct client_request *request = hf_client_task_of(client, context);
    bool again = hf_client_task_is_transient(client, status, result);

    if (!request)
        return;
    request->task->update = 0;
    hf_question_settle(client, request, again);
    if (again) {
        hf_client_task_later(client, request, status);
        return;
    }
    if (status) {
        hf_request_fail(client, request, status, client->http_status, "%s", client->error);
        return;
    }
    /* After an error of the server the next poll tells what has become of the task. */
    hf_client_task_answer(client, request);
    if (request->task)
        hf_client_task_hasten(client, request);
}

void hf_client_task_answer(haft_client *client, struct client_request *request)
{
    haft_buffer responses;
    int64_t id = 0;

    if (request->task->update || request->asking)
        return;
    haft_buffer_init(&responses, client->allocator, CLIENT_ANSWER_LIMIT);
    if (hf_round_put_answers(client, request, &responses))
        id = responses.status ? responses.status
                              : hf_client_task_send(client, request, "tasks/update", &responses,
                                                    client_task_ask_updated, 0);
    haft_buffer_finish(&responses);
    if (id < 0)
        hf_request_fail(client, request, (int)id, 0, "cannot send the answers: %s",
                        haft_strerror((int)id));
    else if (request->task)
        request->task->update = id;
}

/* ---- a subscription ---- */

static void client_task_ask_deaf(void *context, haft_client *client, int status,
                                 const haft_result *result)
{
    struct client_request *request = hf_client_task_of(client, context);

    (void)status;
    (void)result;
    if (request)
        request->task->listen = 0; /* polls are enough */
}

/* Whether the server has said that it supports tasks. */
static bool client_task_ask_is_offered(const haft_client *client)
{
    return yyjson_obj_get(yyjson_obj_get(client->negotiation.capabilities, "extensions"),
                          CLIENT_TASK_EXTENSION);
}

void hf_client_task_listen(haft_client *client, struct client_request *request)
{
    struct client_task *task = request->task;
    haft_buffer params;
    struct json_writer w = {.out = &params};
    int64_t id = 0;

    if (task->listened || !client_is_modern(client) || !client_task_ask_is_offered(client))
        return;
    task->listened = true;
    haft_buffer_init(&params, client->allocator, client->out.limit);
    hf_json_begin_object(&w);
    hf_json_begin_object(json_key(&w, "notifications"));
    hf_json_begin_array(json_key(&w, "taskIds"));
    hf_json_text(&w, task->id);
    hf_json_end_array(&w);
    hf_json_end_object(&w);
    hf_json_end_object(&w);
    haft_buffer_add(&params, "", 1);
    if (!params.status)
        id = hf_request_begin(client,
                              HAFT_WITH(haft_client_exchange, .method = "subscriptions/listen",
                                        .params = params.data, .done = client_task_ask_deaf,
                                        .context = (void *)(intptr_t)request->id),
                              REQUEST_URGENT | REQUEST_ENDLESS);
    haft_buffer_finish(&params);
    if (request->task)
        task->listen = id > 0 ? id : 0;
}

void hf_client_task_unlisten(haft_client *client, struct client_task *task)
{
    struct client_request *listen = task->listen ? hf_request_find(client, task->listen) : NULL;

    if (!listen || listen->state == REQUEST_ENDED)
        return; /* its callback finds nothing */
    listen->done = NULL;
    hf_request_cancel(client, listen, HAFT_ECANCELLED, "cancelled");
    hf_request_forget(client, listen);
}
