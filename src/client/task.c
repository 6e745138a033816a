/* task.c - the life of a task, from the result that creates it to the result of the tool.
 *
 * The request of the program waits in the state REQUEST_TASK.  Separate requests are sent about the task, which
 * find the program's request by its id: what they bring after it has ended is ignored.  The due of the program's request is the next poll or the last moment, whichever comes first. */
#include "client/task.h"

#include <stdio.h>
#include <string.h>

#include "client/shape.h"

/* ---- times ---- */

/* A number of milliseconds, within limits; -1 if there is none. */
static haft_time client_task_number(yyjson_val *value, const char *modern, const char *legacy,
                                    haft_time least, haft_time most)
{
    yyjson_val *given = yyjson_obj_get(value, modern);
    double number;

    if (!given)
        given = yyjson_obj_get(value, legacy);
    if (!yyjson_is_num(given))
        return -1;
    number = yyjson_get_num(given);
    return number < (double)least ? least : number > (double)most ? most : (haft_time)number;
}

/* Takes over how often to poll, and for how long. */
static void client_task_set_times(haft_client *client, struct client_task *task, yyjson_val *value)
{
    haft_time interval = client_task_number(value, "pollIntervalMs", "pollInterval",
                                            CLIENT_TASK_POLL_MIN_MS, CLIENT_TASK_POLL_MAX_MS);
    haft_time life = client_task_number(value, "ttlMs", "ttl", 0, CLIENT_TASK_MAX_MS);

    task->interval = interval < 0 ? CLIENT_TASK_POLL_MS : (unsigned)interval;
    if (client->options.task_timeout_ms)
        task->end = task->begun + client->options.task_timeout_ms;
    else
        task->end = task->begun + (life < 0 ? CLIENT_TASK_MAX_MS : life + CLIENT_TASK_GRACE_MS);
}

/* ---- time ---- */

static haft_time client_task_last(const haft_client *client, const struct client_task *task,
                                  haft_time now)
{
    return task->end + hf_question_time(client, now);
}

void hf_client_task_arm(haft_client *client, struct client_request *request)
{
    const struct client_task *task = request->task;
    haft_time at;

    if (!task)
        return; /* it has ended while something was sent about it */
    at = client_task_last(client, task, hf_due_now(client));
    if (!task->poll && !task->fetch && task->next < at)
        at = task->next;
    hf_due_set(client, &request->due, at);
}

void hf_client_task_hasten(haft_client *client, struct client_request *request)
{
    struct client_task *task = request->task;
    haft_time now = hf_due_now(client), earliest;

    if (!task)
        return;
    earliest = task->polled + CLIENT_TASK_POLL_MIN_MS;
    task->hinted = task->poll;
    if (earliest < now)
        earliest = now;
    if (earliest < task->next)
        task->next = earliest;
    hf_client_task_arm(client, request);
}

/* Polls after the interval, or soon if something has been heard meanwhile. */
static void client_task_continue(haft_client *client, struct client_request *request)
{
    struct client_task *task = request->task;

    task->next = hf_due_now(client) + (task->hinted ? CLIENT_TASK_POLL_MIN_MS : task->interval);
    task->hinted = false;
    if (task->interval > CLIENT_TASK_LISTEN_MS)
        hf_client_task_listen(client, request);
    hf_client_task_arm(client, request);
}

/* ---- the end ---- */

/* The server does not keep to the protocol: the client wants nothing more of it. */
static void client_task_reject(haft_client *client, struct client_request *request,
                               const haft_reason *reason)
{
    char id[64];

    snprintf(id, sizeof id, "%s", request->task->id);
    hf_client_task_cancel(client, request);
    hf_request_fail(client, request, HAFT_EPROTOCOL, 0, "the server's task %s is malformed: %s %s",
                    id, *reason->path ? reason->path : "the task", reason->text);
}

/* Checks the result of the tool, and ends the request with it; `message` has it as "result". */
static void client_task_complete(haft_client *client, struct client_request *request,
                                 struct document *document, yyjson_val *message)
{
    yyjson_val *result = yyjson_obj_get(message, "result");
    yyjson_val *kind = yyjson_obj_get(result, "resultType");
    haft_reason reason;
    int status = hf_shape_check(&hf_shape_call, result, "result", &reason);

    if (!status && kind && !yyjson_equals_str(kind, "complete"))
        status = hf_error_set(&reason, HAFT_EINVAL, "result", "is not that of a call");
    if (!status && yyjson_obj_get(message, "error"))
        status = hf_error_set(&reason, HAFT_EINVAL, "error", "is unexpected beside a result");
    if (status) {
        client_task_reject(client, request, &reason);
        return;
    }
    status = hf_tool_check_result(client, request, result, &reason);
    if (status)
        hf_request_fail(client, request, status, 0, "%s", reason.text);
    else
        hf_request_answer(client, request, document, message);
}

static void client_task_fail(haft_client *client, struct client_request *request,
                             struct document *document, yyjson_val *value)
{
    haft_reason reason;

    if (hf_shape_check(&hf_shape_error, yyjson_obj_get(value, "error"), "error", &reason))
        client_task_reject(client, request, &reason);
    else
        hf_request_answer(client, request, document, value);
}

static void client_task_end_cancelled(haft_client *client, struct client_request *request,
                                      yyjson_val *value)
{
    const char *why = yyjson_get_str(yyjson_obj_get(value, "statusMessage"));
    char id[64];

    snprintf(id, sizeof id, "%s", request->task->id);
    hf_request_fail(client, request, HAFT_ECANCELLED, 0, "the task %s was cancelled%s%.300s", id,
                    why && *why ? ": " : "", why ? why : "");
}

/* ---- a legacy server ---- */

static void client_task_fetched(void *context, haft_client *client, int status,
                                const haft_result *result)
{
    struct client_request *request = hf_client_task_of(client, context);

    if (!request)
        return;
    request->task->fetch = 0;
    if (hf_client_task_is_transient(client, status, result))
        hf_client_task_later(client, request, status);
    else if (status)
        hf_request_fail(client, request, status, client->http_status, "%s", client->error);
    else if (!result->value)
        hf_request_answer(client, request, client->documents.current, client->documents.message);
    else
        client_task_complete(client, request, client->documents.current, client->documents.message);
}

/* Asks for the result.  The server answers when there is one, and asks its questions meanwhile. */
static void client_task_fetch(haft_client *client, struct client_request *request)
{
    int64_t id = hf_client_task_send(client, request, "tasks/result", NULL, client_task_fetched,
                                     REQUEST_ENDLESS);

    if (id < 0) {
        hf_request_fail(client, request, (int)id, 0, "tasks/result: %s", haft_strerror((int)id));
        return;
    }
    if (request->task)
        request->task->fetch = id;
    hf_client_task_arm(client, request);
}

/* ---- states ---- */

/* Reports the status as progress, if it has changed.  Returns false if the request has ended. */
static bool client_task_report(haft_client *client, struct client_request *request,
                               yyjson_val *value)
{
    struct client_task *task = request->task;
    const char *status = yyjson_get_str(yyjson_obj_get(value, "status"));
    const char *message = yyjson_get_str(yyjson_obj_get(value, "statusMessage"));
    const char *text = message && *message ? message : status;
    uint64_t hash = hf_hash_bytes(text, strlen(text)) ^ hf_hash_bytes(status, strlen(status)) << 1;
    int64_t id = request->id;
    haft_time now = hf_due_now(client);

    if (!request->progress || task->reported == hash)
        return true;
    task->reported = hash;
    request->progress(request->context,
                      (double)(now - hf_question_time(client, now) - task->begun) / 1000, 0, text);
    return !client->ending && hf_request_find(client, id) == request && request->task;
}

/* A task has ended, or asks something; a legacy server is asked for the result. */
static void client_task_follow(haft_client *client, struct client_request *request,
                               struct document *document, yyjson_val *value,
                               enum client_task_status status)
{
    if (!client_is_modern(client))
        client_task_fetch(client, request);
    else if (status == CLIENT_TASK_COMPLETED)
        client_task_complete(client, request, document, value);
    else if (status == CLIENT_TASK_FAILED)
        client_task_fail(client, request, document, value);
    else if (hf_client_task_ask(client, request, document, value))
        client_task_continue(client, request);
}

/* Takes over a state of a task; `created` if a result has created it, which contains nothing more. */
static void client_task_take(haft_client *client, struct client_request *request,
                             struct document *document, yyjson_val *value, bool created)
{
    struct client_task *task = request->task;
    haft_reason reason;
    enum client_task_status status = hf_client_task_read(value, task->id, &reason);

    if (!status) {
        client_task_reject(client, request, &reason);
        return;
    }
    client_task_set_times(client, task, value);
    if (status == CLIENT_TASK_CANCELLED) {
        client_task_end_cancelled(client, request, value);
        return;
    }
    if ((status == CLIENT_TASK_WORKING || status == CLIENT_TASK_INPUT_REQUIRED) &&
        !client_task_report(client, request, value))
        return;
    if (status == CLIENT_TASK_WORKING || (created && client_is_modern(client))) {
        client_task_continue(client, request);
        if (status != CLIENT_TASK_WORKING)
            hf_client_task_hasten(client, request);
    } else {
        client_task_follow(client, request, document, value, status);
    }
}

/* ---- polling ---- */

static void client_task_polled(void *context, haft_client *client, int status,
                               const haft_result *result)
{
    struct client_request *request = hf_client_task_of(client, context);

    if (!request)
        return;
    request->task->poll = 0;
    if (hf_client_task_is_transient(client, status, result)) {
        hf_client_task_later(client, request, status);
    } else if (status) {
        hf_request_fail(client, request, status, client->http_status, "%s", client->error);
    } else if (!result->value) {
        hf_request_answer(client, request, client->documents.current, client->documents.message);
    } else {
        request->task->failures = 0;
        client_task_take(client, request, client->documents.current, result->value, false);
    }
}

/* Sends a poll.  Returns 0 or an error. */
static int client_task_poll(haft_client *client, struct client_request *request)
{
    int64_t id = hf_client_task_send(client, request, "tasks/get", NULL, client_task_polled, 0);

    if (id < 0 || !request->task)
        return id < 0 ? (int)id : 0;
    request->task->poll = id;
    request->task->polled = hf_due_now(client);
    hf_client_task_arm(client, request);
    return 0;
}

static void client_task_expire(haft_client *client, struct client_request *request, haft_time now)
{
    struct client_task *task = request->task;
    char reason[160];
    int status;

    if (now >= client_task_last(client, task, now)) {
        snprintf(reason, sizeof reason, "timed out after %lld s; the task is %.64s",
                 (long long)(task->end - task->begun) / 1000, task->id);
        hf_request_cancel(client, request, HAFT_ETIMEOUT, reason);
        return;
    }
    if (task->poll || task->fetch || now < task->next) {
        hf_client_task_arm(client, request);
        return;
    }
    hf_client_task_answer(client, request); /* those that could not be sent before */
    if (!request->task)
        return;
    status = client_task_poll(client, request);
    if (status)
        hf_request_fail(client, request, status, 0, "tasks/get: %s", haft_strerror(status));
}

/* ---- beginning and ending ---- */

/* Gives a request its task; false without memory. */
static bool client_task_attach(haft_client *client, struct client_request *request, const char *id)
{
    const haft_allocator *allocator = client->allocator;
    size_t size = sizeof(struct client_task) + strlen(id) + 1;
    struct client_task *task = allocator->alloc(allocator->context, size);
    haft_time now = hf_due_now(client);

    if (!task)
        return false;
    *task = (struct client_task){.token = request->wire_id,
                                 .begun = now - hf_question_time(client, now),
                                 .interval = CLIENT_TASK_POLL_MS,
                                 .size = size};
    task->end = task->begun + CLIENT_TASK_MAX_MS;
    memcpy(task->id, id, strlen(id) + 1);
    haft_buffer_init(&task->keys, allocator,
                     sizeof(uint64_t) * QUESTIONS_OPEN * ((size_t)client->options.max_rounds + 1));
    hf_request_detach(client, request);
    request->state = REQUEST_TASK;
    request->task = task;
    return true;
}

static void client_task_begin(haft_client *client, struct client_request *request,
                              struct document *document, yyjson_val *value)
{
    int64_t id = request->id;
    haft_reason reason;

    if (!hf_client_task_read(value, NULL, &reason)) {
        hf_request_fail(client, request, HAFT_EPROTOCOL, 0,
                        "the server's answer to tools/call is malformed: %s %s",
                        *reason.path ? reason.path : "the task", reason.text);
        return;
    }
    if (!client_task_attach(client, request, yyjson_get_str(yyjson_obj_get(value, "taskId")))) {
        hf_request_fail(client, request, HAFT_ENOMEM, 0, "%s", haft_strerror(HAFT_ENOMEM));
        return;
    }
    request->task->owned = true;
    if (request->begun) {
        request->begun(request->context, client, request->task->id, value);
        if (client->ending || hf_request_find(client, id) != request || !request->task)
            return;
    }
    hf_request_flush(client);
    client_task_take(client, request, document, value, true);
}

static void client_task_drop(haft_client *client, struct client_request *request)
{
    struct client_task *task = request->task;

    request->task = NULL;
    hf_client_task_unlisten(client, task);
    haft_buffer_finish(&task->keys);
    client->allocator->release(client->allocator->context, task, task->size);
}

int64_t hf_client_task_await(haft_client *client, const haft_client_exchange *exchange)
{
    struct client_request *request;
    int64_t id;
    int status = HAFT_ENOMEM;

    if (client->closed || client->ending)
        return HAFT_ECLOSED;
    request = hf_request_make(client, exchange, 0);
    if (!request)
        return HAFT_ENOMEM;
    id = request->id;
    haft_buffer_add(&request->text, "tasks/get", sizeof "tasks/get");
    haft_buffer_add(&request->text, "{}", sizeof "{}");
    if (!request->text.status && client_task_attach(client, request, exchange->task)) {
        if (client->options.task_timeout_ms)
            request->task->end = request->task->begun + client->options.task_timeout_ms;
        status = client_task_poll(client, request);
    }
    if (!status)
        return id;
    if (request->task)
        client_task_drop(client, request);
    request->done = NULL;
    hf_request_forget(client, request);
    return status;
}

int hf_client_task_cancel(haft_client *client, const struct client_request *request)
{
    int64_t id;

    if (!request->task->owned || client->closed)
        return 0;
    id = hf_client_task_send(client, request, "tasks/cancel", NULL, NULL, 0);
    return id < 0 ? (int)id : 0;
}

/* ---- notifications ---- */

/* The next request with a task, after one, in any order. */
static struct client_request *client_task_next(const haft_client *client, size_t *bucket,
                                               struct client_request *after)
{
    const struct client_requests *all = &client->requests;
    struct client_request *request = after ? after->by_id : NULL;

    for (;;) {
        for (; request; request = request->by_id)
            if (request->task)
                return request;
        if (*bucket == all->buckets)
            return NULL;
        request = all->by_id[(*bucket)++];
    }
}

static void client_task_notified(haft_client *client, const char *method, yyjson_val *params)
{
    bool progress = !strcmp(method, "notifications/progress");
    yyjson_val *token = yyjson_obj_get(params, "progressToken");
    const char *id = yyjson_get_str(yyjson_obj_get(params, "taskId"));
    const char *text = yyjson_get_str(yyjson_obj_get(params, "message"));
    struct client_request *request = NULL;
    size_t bucket = 0;

    if (!progress && strncmp(method, "notifications/tasks", 19) != 0)
        return;
    while ((request = client_task_next(client, &bucket, request))) {
        if (!progress && id && !strcmp(request->task->id, id))
            hf_client_task_hasten(client, request);
        if (!progress || !yyjson_is_int(token) || yyjson_get_sint(token) != request->task->token)
            continue;
        if (request->progress)
            request->progress(request->context, yyjson_get_num(yyjson_obj_get(params, "progress")),
                              yyjson_get_num(yyjson_obj_get(params, "total")), text ? text : "");
        return;
    }
}

const struct client_task_methods hf_client_task_methods = {.begin = client_task_begin,
                                                           .notified = client_task_notified,
                                                           .expire = client_task_expire,
                                                           .answer = hf_client_task_answer,
                                                           .cancel = hf_client_task_cancel,
                                                           .drop = client_task_drop};
