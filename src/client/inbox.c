/* inbox.c - what the transport reports.
 *
 * Messages are queued as documents and processed one after the other, because a server in the same
 * process sends some while it processes one of the client's. */
#include <stdio.h>
#include <string.h>

#include "client/client.h"
#include "client/shape.h"
#include "client/task.h"

/* ---- responses ---- */

/* Shapes of results, by method. */
static const struct {
    const char *method;
    const struct shape *shape;
} inbox_shapes[] = {
    {"tools/call", &hf_shape_call},
    {"tools/list", &hf_shape_tools},
    {"resources/read", &hf_shape_read},
    {"resources/list", &hf_shape_resources},
    {"resources/templates/list", &hf_shape_templates},
    {"prompts/get", &hf_shape_get},
    {"prompts/list", &hf_shape_prompts},
    {"completion/complete", &hf_shape_completion},
    {"tasks/get", &hf_shape_task},
};

static const struct shape *inbox_shape(const haft_client *client, const char *method)
{
    for (size_t i = 0; i < sizeof inbox_shapes / sizeof *inbox_shapes; i++)
        if (!strcmp(inbox_shapes[i].method, method))
            return client->lists.lenient && hf_list_shape(method) ? hf_list_shape(method)
                                                                  : inbox_shapes[i].shape;
    return &hf_shape_result;
}

int64_t hf_client_cause(const haft_client *client)
{
    const struct client_request *request =
        client->documents.tag ? hf_request_on_wire(client, (int64_t)(intptr_t)client->documents.tag)
                              : NULL;

    return request ? request->id : 0;
}

static void inbox_malformed(haft_client *client, struct client_request *request, const char *whole,
                            const haft_reason *reason)
{
    char method[64];

    snprintf(method, sizeof method, "%s", request->text.data);
    hf_request_fail(client, request, HAFT_EPROTOCOL, 0,
                    "the server's answer to %s is malformed: %s %s", method,
                    *reason->path ? reason->path : whole, reason->text);
}

/* Turns a call into a task, if the result creates one.  Returns false if it does not, or if it is for the
 * caller. */
static bool inbox_task(haft_client *client, struct client_request *request,
                       struct document *document, yyjson_val *root, yyjson_val *result)
{
    bool legacy = request->flags & REQUEST_AS_TASK && !client_is_modern(client);
    yyjson_val *task = legacy ? rpc_object(result, "task") : result;
    haft_reason reason;

    if (legacy ? !task
               : !client_is_modern(client) ||
                     !yyjson_equals_str(yyjson_obj_get(result, "resultType"), "task"))
        return false;
    if (client->options.no_tasks || strcmp(request->text.data, "tools/call") != 0) {
        hf_error_set(&reason, HAFT_EINVAL, "resultType", "is \"task\", which was not offered");
        inbox_malformed(client, request, "the result", &reason);
    } else if (!client->options.manual_tasks && hf_due_has_time(client)) {
        client->requests.tasks->begin(client, request, document, task);
    } else if (!hf_client_task_read(task, NULL, &reason)) {
        inbox_malformed(client, request, "the task", &reason);
    } else {
        hf_request_answer(client, request, document, root);
    }
    return true;
}

static void inbox_result(haft_client *client, struct client_request *request,
                         struct document *document, yyjson_val *root, yyjson_val *result)
{
    haft_reason reason;
    int status = hf_shape_check(&hf_shape_result, result, "", &reason);

    if (!status && client_is_modern(client) &&
        yyjson_equals_str(yyjson_obj_get(result, "resultType"), "input_required")) {
        if (!client->options.manual_rounds && hf_round_begin(client, request, document, result))
            return;
        hf_request_answer(client, request, document, root);
        return;
    }
    if (!status && inbox_task(client, request, document, root, result))
        return;
    if (!status)
        status = hf_shape_check(inbox_shape(client, request->text.data), result, "", &reason);
    if (status) {
        inbox_malformed(client, request, "the result", &reason);
        return;
    }
    status = hf_tool_check_result(client, request, result, &reason);
    if (status)
        hf_request_fail(client, request, status, 0, "%s", reason.text);
    else
        hf_request_answer(client, request, document, root);
}

static void inbox_error(haft_client *client, struct client_request *request,
                        struct document *document, yyjson_val *root, yyjson_val *error)
{
    haft_reason reason;
    int code;

    if (hf_shape_check(&hf_shape_error, error, "", &reason)) {
        inbox_malformed(client, request, "the error", &reason);
        return;
    }
    code = yyjson_get_int(yyjson_obj_get(error, "code"));
    if (code == RPC_UNSUPPORTED_VERSION && hf_negotiate_retry(client, request, error))
        return;
    /* The list of tools has changed, and with it the headers that repeat arguments. */
    if (code == RPC_HEADER_MISMATCH && !(request->flags & REQUEST_RETRIED) &&
        client_has_headers(client) && !strcmp(request->text.data, "tools/call")) {
        request->flags |= REQUEST_RETRIED;
        hf_list_changed(client, HAFT_OFFER_TOOL);
        hf_request_repeat(client, request);
        return;
    }
    hf_request_answer(client, request, document, root);
}

/* The request that a response without an id is about: that of the connection, or that of the
 * negotiation. */
static struct client_request *inbox_anonymous(const haft_client *client, void *tag)
{
    struct client_request *request =
        tag ? hf_request_on_wire(client, (int64_t)(intptr_t)tag) : NULL;

    return request || !client->negotiation.id ? request
                                              : hf_request_find(client, client->negotiation.id);
}

/* The transport need not receive anything more for the request. */
static void inbox_let_go(haft_client *client, const struct client_request *request)
{
    if (client->transport.let_go)
        client->transport.let_go(client->transport.context, (void *)(intptr_t)request->wire_id,
                                 true);
}

/* Remembers an answer to a request that was never sent. */
static void inbox_note_id(haft_client *client, yyjson_val *id)
{
    bool ours = yyjson_is_int(id) && yyjson_get_sint(id) > 0 &&
                yyjson_get_sint(id) < client->requests.next_id;
    char text[RPC_ID_TEXT];

    if (!id || ours)
        return;
    hf_rpc_id_to_text(id, text, sizeof text);
    snprintf(client->documents.note, sizeof client->documents.note,
             "the server also answered a request that was not sent: id %s", text);
}

static void inbox_response(haft_client *client, struct document *document, yyjson_val *root,
                           const struct rpc_message *message)
{
    yyjson_val *error = rpc_object(root, "error");
    struct client_request *request = NULL;

    if (yyjson_is_int(message->id))
        request = hf_request_on_wire(client, yyjson_get_sint(message->id));
    else if (!message->id && error)
        request = inbox_anonymous(client, document->tag);
    if (!request || request->state != REQUEST_SENT) {
        inbox_note_id(client, message->id);
        client->strays++;
        return;
    }
    inbox_let_go(client, request);
    if (error && !message->result)
        inbox_error(client, request, document, root, error);
    else if (!message->error && message->result)
        inbox_result(client, request, document, root, message->result);
    else
        hf_request_fail(client, request, HAFT_EPROTOCOL, 0,
                        "invalid message from the server: a response needs either a result or an "
                        "error");
}

/* ---- notifications ---- */

static void inbox_progress(haft_client *client, yyjson_val *params)
{
    yyjson_val *token = yyjson_obj_get(params, "progressToken");
    yyjson_val *progress = yyjson_obj_get(params, "progress");
    yyjson_val *total = yyjson_obj_get(params, "total");
    const char *text = yyjson_get_str(yyjson_obj_get(params, "message"));
    struct client_request *request =
        yyjson_is_int(token) ? hf_request_on_wire(client, yyjson_get_sint(token)) : NULL;

    if (!request || request->state != REQUEST_SENT) {
        client->requests.tasks->notified(client, "notifications/progress", params);
        return;
    }
    hf_request_restart(client, request);
    if (request->progress && yyjson_is_num(progress))
        request->progress(request->context, yyjson_get_num(progress), yyjson_get_num(total),
                          text ? text : "");
}

/* A server takes back a question, or ends a subscription. */
static void inbox_cancelled(haft_client *client, yyjson_val *params)
{
    yyjson_val *id = yyjson_obj_get(params, "requestId");
    struct client_request *request =
        yyjson_is_int(id) ? hf_request_on_wire(client, yyjson_get_sint(id)) : NULL;

    if (!client_is_modern(client))
        hf_question_cancelled(client, id);
    else if (request && request->state == REQUEST_SENT && request->flags & REQUEST_ENDLESS)
        hf_request_fail(client, request, HAFT_ECLOSED, 0, "the server has ended the subscription");
}

static void inbox_notification(haft_client *client, const struct rpc_message *message)
{
    static const struct {
        const char *method;
        haft_offer kind;
    } rows[] = {{"notifications/tools/list_changed", HAFT_OFFER_TOOL},
                {"notifications/prompts/list_changed", HAFT_OFFER_PROMPT},
                {"notifications/resources/list_changed", HAFT_OFFER_RESOURCE}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].method, message->method)) {
            hf_list_changed(client, rows[i].kind);
            if (rows[i].kind == HAFT_OFFER_RESOURCE)
                hf_list_changed(client, HAFT_OFFER_TEMPLATE);
        }
    if (!strcmp(message->method, "notifications/progress"))
        inbox_progress(client, message->params);
    else if (!strcmp(message->method, "notifications/cancelled"))
        inbox_cancelled(client, message->params);
    else
        client->requests.tasks->notified(client, message->method, message->params);
    if (!client->ending)
        hf_subscribe_notified(client, message->method, message->params);
    if (client->options.notify && !client->ending)
        client->options.notify(client->options.context, message->method, message->params);
}

/* ---- messages ---- */

/* A message that is not JSON-RPC: the fault of the request that it answers, if that is known. */
static void inbox_invalid(haft_client *client, const struct document *document,
                          const yyjson_val *id, const char *why, const char *start)
{
    struct client_request *request =
        yyjson_is_int((yyjson_val *)(uintptr_t)id)
            ? hf_request_on_wire(client, yyjson_get_sint((yyjson_val *)(uintptr_t)id))
        : document->tag ? hf_request_on_wire(client, (int64_t)(intptr_t)document->tag)
        : document->id  ? hf_request_on_wire(client, document->id)
                        : NULL;

    if (!request || request->state != REQUEST_SENT) {
        if (!document->root)
            snprintf(client->documents.note, sizeof client->documents.note,
                     "the server also sent a line that is not a message: %s", start);
        client->strays++;
        return;
    }
    inbox_let_go(client, request);
    hf_request_fail(client, request, HAFT_EPROTOCOL, 0, "invalid message from the server: %s%s%s",
                    why, *start ? ": " : "", start);
}

static void inbox_message(haft_client *client, struct document *document, yyjson_val *root)
{
    struct rpc_message message;

    hf_rpc_read(root, &message);
    switch (message.kind) {
    case RPC_RESPONSE:
        inbox_response(client, document, root, &message);
        return;
    case RPC_REQUEST:
        /* A modern server has no requests, and takes no responses. */
        if (client->negotiation.phase == NEGOTIATE_READY && client_is_modern(client))
            client->strays++;
        else
            hf_question_take(client, document, root);
        return;
    case RPC_NOTIFICATION:
        inbox_notification(client, &message);
        return;
    case RPC_INVALID:
        break;
    }
    /* An error about a request that could not be read has no id. */
    if (rpc_object(root, "error") && !message.id)
        inbox_response(client, document, root, &message);
    else
        inbox_invalid(client, document, message.id,
                      message.why ? message.why : "it is not JSON-RPC", "");
}

static bool inbox_one(haft_client *client)
{
    struct document *document = client->documents.first;
    size_t i, n;
    yyjson_val *one;

    if (!document)
        return false;
    client->documents.first = document->next;
    if (!document->next)
        client->documents.last = NULL;
    document->next = NULL;
    client->documents.tag = document->tag;
    if (!document->root)
        inbox_invalid(client, document, NULL, document->why, document->start);
    else if (!yyjson_is_arr(document->root))
        inbox_message(client, document, document->root);
    else /* Some old revisions send several messages as an array. */
        yyjson_arr_foreach(document->root, i, n, one)
            if (!client->ending)
                inbox_message(client, document, one);
    client->documents.tag = NULL;
    hf_document_drop(client, document);
    return true;
}

/* A message was lost: any request may wait for it. */
static bool inbox_lost(haft_client *client)
{
    int status = client->documents.lost;

    if (!status)
        return false;
    client->documents.lost = 0;
    hf_request_fail_all(client, true, status, haft_strerror(status));
    return true;
}

static bool inbox_report_lost(haft_client *client)
{
    if (!client->lost)
        return false;
    client->lost = false;
    if (client->options.lost)
        client->options.lost(client->options.context, client, HAFT_ECLOSED);
    return true;
}

void hf_client_pump(haft_client *client)
{
    if (client->busy)
        return;
    client->busy = true;
    while (!client->ending &&
           (hf_request_report(client) || hf_list_report(client) || hf_negotiate_report(client) ||
            hf_subscribe_report(client) || inbox_one(client) || inbox_lost(client) ||
            inbox_report_lost(client)))
        ;
    if (!client->ending)
        hf_subscribe_revive(client);
    client->busy = false;
}

void hf_client_keep(haft_client *client, const char *text, size_t size, void *tag)
{
    struct documents *documents = &client->documents;
    struct document *document;

    hf_client_show(client, false, text, size);
    document = hf_document_read(client, text, size);
    if (!document) {
        documents->lost = HAFT_ENOMEM;
        return;
    }
    document->tag = tag;
    document->next = NULL;
    if (documents->last)
        documents->last->next = document;
    else
        documents->first = document;
    documents->last = document;
}

/* ---- the receiver ---- */

static int inbox_on_message(void *context, const char *text, size_t size, void *tag, haft_time now)
{
    haft_client *client = context;
    int status;

    (void)now;
    if (client->ending)
        return 0;
    hf_client_enter(client);
    hf_client_keep(client, text, size, tag);
    status = client->documents.lost == HAFT_ENOMEM ? HAFT_ENOMEM : 0;
    hf_client_pump(client);
    hf_client_leave(client);
    return status;
}

/* The only request that was sent, without subscriptions; NULL if there are several. */
static struct client_request *inbox_only(const haft_client *client)
{
    const struct client_requests *all = &client->requests;
    struct client_request *only = NULL;

    for (size_t i = 0; i < all->buckets; i++)
        for (struct client_request *one = all->by_wire[i]; one; one = one->by_wire) {
            if (one->flags & REQUEST_ENDLESS)
                continue;
            if (only)
                return NULL;
            only = one;
        }
    return only;
}

static void inbox_on_too_long(void *context, size_t size, void *tag)
{
    haft_client *client = context;
    struct client_request *request;

    if (client->ending)
        return;
    hf_client_enter(client);
    request = tag ? hf_request_on_wire(client, (int64_t)(intptr_t)tag) : inbox_only(client);
    if (request)
        hf_request_fail(client, request, HAFT_ETOOBIG, 0,
                        "a message of the server with %zu bytes exceeds the limit", size);
    else
        client->strays++;
    hf_client_pump(client);
    hf_client_leave(client);
}

static void inbox_on_closed(void *context, void *tag)
{
    static const char text[] = "the server has ended the connection";
    haft_client *client = context;
    struct client_request *request =
        tag ? hf_request_on_wire(client, (int64_t)(intptr_t)tag) : NULL;

    if (client->ending || client->closed)
        return;
    hf_client_enter(client);
    hf_client_pump(client); /* an answer may be among what was received */
    if (client->ending) {
        hf_client_leave(client);
        return;
    }
    if (tag) {
        request = hf_request_on_wire(client, (int64_t)(intptr_t)tag);
        if (request)
            hf_request_fail(client, request, HAFT_ECLOSED, 0, "%s", text);
    } else if (!hf_negotiate_survives(client)) {
        client->closed = true;
        client->lost = client->negotiation.again;
        hf_request_fail_all(client, false, HAFT_ECLOSED, text);
        hf_client_explain(client, 0, "%s", text);
    }
    hf_client_pump(client);
    hf_client_leave(client);
}

static void inbox_on_failed(void *context, void *tag, const haft_failure *failure)
{
    haft_client *client = context;
    const char *text = failure->text ? failure->text : haft_strerror(failure->status);
    struct client_request *request;

    if (client->ending)
        return;
    hf_client_enter(client);
    request = tag ? hf_request_on_wire(client, (int64_t)(intptr_t)tag) : NULL;
    if (!tag) {
        hf_negotiate_failed(client, failure);
        hf_request_fail_all(client, true, failure->status, text);
    } else if (request && !(failure->session_gone &&
                            hf_negotiate_session_gone(client, request, failure->maybe_handled)))
        hf_request_fail(client, request, failure->status, failure->http_status, "%s%s", text,
                        failure->maybe_handled ? "; the server may have executed the request" : "");
    hf_client_pump(client);
    hf_client_leave(client);
}

static void inbox_on_held(void *context, void *tag, bool held)
{
    haft_client *client = context;
    struct client_request *request = hf_request_on_wire(client, (int64_t)(intptr_t)tag);

    if (!client->ending && request)
        hf_request_hold(client, request, held);
}

static void inbox_on_tick(void *context, haft_time now)
{
    haft_client *client = context;

    if (client->ending)
        return;
    hf_client_enter(client);
    hf_due_run(client, now);
    hf_client_pump(client);
    hf_client_leave(client);
}

haft_receiver hf_client_receiver(haft_client *client)
{
    return (haft_receiver){.message = inbox_on_message,
                           .too_long = inbox_on_too_long,
                           .closed = inbox_on_closed,
                           .context = client,
                           .failed = inbox_on_failed,
                           .held = inbox_on_held,
                           .tick = inbox_on_tick};
}
