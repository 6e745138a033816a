/* dev_session.c - the lines of both sides. */
#include "dev_session.h"

#include <stdio.h>
#include <stdlib.h>

#include "dev_request.h"
#include "protocol/meta.h"

enum { DEV_ARENA_LIMIT = 1 << 30, DEV_ARENA_KEPT = 1 << 20, DEV_ANSWER_LIMIT = 4096 };

/* The current line. */
struct dev_line {
    struct dev_session *session;
    uint64_t now;
    const char *down; /* why there is no server, or NULL */
};

/* Handles a message; returns whether to pass it on unchanged. */
typedef bool dev_look(const struct dev_line *line, const struct dev_message *message);

bool dev_session_init(struct dev_session *session, const struct dev_output *out)
{
    *session = (struct dev_session){.out = *out, .ready = true};
    haft_buffer_init(&session->initialized, NULL, DEV_MAX_LINE + 1);
    session->arena = haft_arena_new(NULL, DEV_ARENA_LIMIT);
    return session->arena;
}

static void dev_free_all(struct dev_request *list)
{
    while (list) {
        struct dev_request *next = list->next;

        dev_request_free(list);
        list = next;
    }
}

void dev_session_finish(struct dev_session *session)
{
    dev_free_all(session->requests);
    dev_free_all(session->asked);
    dev_free_all(session->subscriptions);
    dev_request_free(session->initialize);
    dev_request_free(session->level);
    haft_buffer_finish(&session->initialized);
    haft_arena_free(session->arena);
}

/* ---- lines ---- */

/* 0, or HAFT_EPARSE or HAFT_ENOMEM. */
static int dev_parse(struct dev_session *session, const char *text, size_t size,
                     yyjson_val **ret_root)
{
    const char *reason;
    size_t offset;
    int status;

    hf_arena_trim(session->arena, DEV_ARENA_KEPT);
    if (hf_json_text_is_deep(text, size, JSON_MAX_DEPTH))
        return HAFT_EPARSE;
    status = hf_json_parse(text, size, session->arena, ret_root, &offset, &reason);
    if (status == HAFT_ENOMEM)
        session->out.note(session->out.context, "out of memory; a message is passed on unread");
    return status == HAFT_ENOMEM || !status ? status : HAFT_EPARSE;
}

static bool dev_look_at(const struct dev_line *line, dev_look *look, const char *text,
                        struct scan_range part, yyjson_val *root)
{
    struct dev_message message = {text + part.start, part.end - part.start, {0}};

    if (!yyjson_is_obj(root))
        return true;
    hf_rpc_read(root, &message.rpc);
    return look(line, &message);
}

/* Returns whether to pass the line on: an array, if that applies to one of its messages. */
static bool dev_look_at_all(const struct dev_line *line, dev_look *look, const char *text,
                            size_t size, yyjson_val *root)
{
    size_t at = scan_value(text, size, 0).start + 1;
    struct scan_range part;
    bool passes = false;
    yyjson_arr_iter items;

    if (!yyjson_is_arr(root))
        return dev_look_at(line, look, text, scan_value(text, size, 0), root);
    items = yyjson_arr_iter_with(root);
    while (scan_next_item(text, size, &at, &part))
        passes |= dev_look_at(line, look, text, part, yyjson_arr_iter_next(&items));
    return passes;
}

/* ---- the client ---- */

static bool dev_client_request(const struct dev_line *line, const struct dev_message *message)
{
    struct dev_session *session = line->session;
    struct dev_request *request = dev_request_new(message, NULL, line->now);
    struct scan_range id = {0, 0};

    if (!request) {
        dev_message_id(message, &id);
        dev_send_error(session, message->text + id.start, id.end - id.start,
                       "haft dev is out of memory");
        return false;
    }
    if (line->down || session->n_requests == DEV_MAX_REQUESTS) {
        dev_request_fail(session, request,
                         line->down ? line->down : "too many requests in flight for haft dev");
        return false;
    }
    request->next = session->requests;
    session->requests = request;
    session->n_requests++;
    return true;
}

static bool dev_is_method(const struct rpc_message *rpc, const char *method)
{
    return rpc->method_size == strlen(method) && !memcmp(rpc->method, method, rpc->method_size);
}

static bool dev_client_notification(const struct dev_line *line, const struct dev_message *message)
{
    struct dev_session *session = line->session;
    struct dev_request *request;

    if (dev_is_method(&message->rpc, "notifications/initialized")) {
        haft_buffer_clear(&session->initialized);
        haft_buffer_add(&session->initialized, message->text, message->size);
        if (session->initialized.status)
            session->out.note(session->out.context,
                              "out of memory; the client has to connect again after a restart");
    }
    if (dev_is_method(&message->rpc, "notifications/cancelled")) {
        request =
            dev_request_take(&session->requests, yyjson_obj_get(message->rpc.params, "requestId"));
        if (request) {
            session->n_requests--;
            session->out.ended(session->out.context, request, DEV_CANCELLED, NULL, 0);
            dev_request_free(request);
        }
    }
    return !line->down;
}

/* The response to a request of the server; one to an older server is dropped. */
static bool dev_client_response(const struct dev_line *line, const struct dev_message *message)
{
    struct dev_session *session = line->session;
    struct dev_request *asked = dev_request_take(&session->asked, message->rpc.id);
    struct scan_range id = {0, 0};
    haft_buffer text;

    if (!asked)
        return !session->generation && !line->down;
    session->n_asked--;
    haft_buffer_init(&text, NULL, DEV_MAX_LINE + DEV_ANSWER_LIMIT);
    if (dev_message_id(message, &id))
        scan_replace(&text, message->text, message->size, id, asked->id, strlen(asked->id));
    if (text.status)
        session->out.note(session->out.context, "out of memory; the client's answer is lost");
    else
        session->out.to_server(session->out.context, text.data, text.size);
    haft_buffer_finish(&text);
    dev_request_free(asked);
    return false;
}

static bool dev_look_at_client(const struct dev_line *line, const struct dev_message *message)
{
    switch (message->rpc.kind) {
    case RPC_REQUEST:
        return dev_client_request(line, message);
    case RPC_NOTIFICATION:
        return dev_client_notification(line, message);
    case RPC_RESPONSE:
        return dev_client_response(line, message);
    case RPC_INVALID:
        break;
    }
    return !line->down;
}

void dev_session_client(struct dev_session *session, const char *text, size_t size, uint64_t now,
                        const char *down)
{
    const struct dev_line line = {session, now, down};
    yyjson_val *root;
    int status = dev_parse(session, text, size, &root);

    if (!status ? dev_look_at_all(&line, dev_look_at_client, text, size, root) : !down)
        session->out.to_server(session->out.context, text, size);
}

/* ---- the server ---- */

/* Keeps a request that the server has accepted, to repeat it to the next server. */
static void dev_keep(struct dev_request **kept, struct dev_request *request)
{
    dev_request_free(*kept);
    *kept = request;
}

static void dev_drop_subscription(struct dev_session *session, const char *uri)
{
    for (struct dev_request **link = &session->subscriptions; *link; link = &(*link)->next)
        if (uri && (*link)->uri && !strcmp((*link)->uri, uri)) {
            struct dev_request *found = *link;

            *link = found->next;
            session->n_subscriptions--;
            dev_request_free(found);
            return;
        }
}

static void dev_add_subscription(struct dev_session *session, struct dev_request *request)
{
    dev_drop_subscription(session, request->uri);
    if (session->n_subscriptions == DEV_MAX_SUBSCRIPTIONS) {
        session->out.note(session->out.context,
                          "more than %d subscriptions; the others end with the next restart",
                          DEV_MAX_SUBSCRIPTIONS);
        dev_request_free(request);
        return;
    }
    request->next = session->subscriptions;
    session->subscriptions = request;
    session->n_subscriptions++;
}

static void dev_accepted(struct dev_session *session, struct dev_request *request,
                         yyjson_val *result)
{
    switch (request->kind->role) {
    case DEV_INITIALIZE:
        session->lists |= dev_lists_of(result);
        dev_keep(&session->initialize, request);
        return;
    case DEV_LEVEL:
        dev_keep(&session->level, request);
        return;
    case DEV_SUBSCRIBE:
        dev_add_subscription(session, request);
        return;
    case DEV_UNSUBSCRIBE:
        dev_drop_subscription(session, request->uri);
        break;
    case DEV_LISTEN:
        break;
    }
    dev_request_free(request);
}

static void dev_report(struct dev_session *session, const struct dev_request *request,
                       const struct rpc_message *rpc)
{
    yyjson_val *text = rpc_string(rpc->error, "message");

    if (rpc->error)
        session->out.ended(session->out.context, request, DEV_ERROR, yyjson_get_str(text),
                           yyjson_get_len(text));
    else if (yyjson_is_true(yyjson_obj_get(rpc->result, "isError")))
        session->out.ended(session->out.context, request, DEV_TOOL_ERROR, NULL, 0);
    else
        session->out.ended(session->out.context, request, DEV_OK, NULL, 0);
}

static bool dev_server_response(const struct dev_line *line, const struct dev_message *message)
{
    struct dev_session *session = line->session;
    struct dev_request *request;
    bool handshake;

    if (dev_session_is_own(message->rpc.id, &handshake)) {
        if (handshake)
            dev_session_greeted(session, &message->rpc);
        return false;
    }
    request = dev_request_take(&session->requests, message->rpc.id);
    if (!request)
        return true;
    session->n_requests--;
    dev_report(session, request, &message->rpc);
    if (request->kind && message->rpc.result)
        dev_accepted(session, request, message->rpc.result);
    else
        dev_request_free(request);
    return true;
}

/* Sends the client a message of the server with another value in it. */
static bool dev_pass_changed(struct dev_session *session, const struct dev_message *message,
                             struct scan_range part, const char *with)
{
    haft_buffer text;

    haft_buffer_init(&text, NULL, DEV_MAX_LINE + DEV_ANSWER_LIMIT);
    scan_replace(&text, message->text, message->size, part, with, strlen(with));
    if (text.status)
        session->out.note(session->out.context, "out of memory; a message of the server is lost");
    else
        session->out.to_client(session->out.context, text.data, text.size);
    haft_buffer_finish(&text);
    return false;
}

/* A later server counts its requests from the start again, and the client may still answer one of an
 * older server: from the second server on, haft makes the ids unique. */
static bool dev_server_request(const struct dev_line *line, const struct dev_message *message)
{
    struct dev_session *session = line->session;
    char shown[48];
    struct dev_request *asked;
    struct scan_range id = {0, 0};

    snprintf(shown, sizeof shown, "haft-dev-%u-%u", session->generation, ++session->n_repeated);
    asked = session->n_asked < DEV_MAX_ASKED
                ? dev_request_new(message, session->generation ? shown : NULL, line->now)
                : NULL;
    dev_message_id(message, &id);
    if (!asked) {
        session->out.note(session->out.context,
                          "out of memory, or too many requests of the server; one is dropped");
        return false;
    }
    asked->next = session->asked;
    session->asked = asked;
    session->n_asked++;
    return session->generation ? dev_pass_changed(session, message, id, asked->shown) : true;
}

/* What the server takes back has another id for the client. */
static bool dev_server_cancels(struct dev_session *session, const struct dev_message *message)
{
    struct dev_request *asked = session->asked;
    struct scan_member params, id;

    if (!scan_find(message->text, message->size, 0, "params", &params) ||
        message->text[params.value.start] != '{' ||
        !scan_find(message->text, message->size, params.value.start, "requestId", &id))
        return true;
    while (asked && (strlen(asked->id) != id.value.end - id.value.start ||
                     memcmp(asked->id, message->text + id.value.start, strlen(asked->id))))
        asked = asked->next;
    return asked ? dev_pass_changed(session, message, id.value, dev_request_shown(asked)) : true;
}

/* Whether it says that a subscription began which the client knows to be there. */
static bool dev_is_known_subscription(const struct dev_session *session,
                                      const struct rpc_message *rpc)
{
    yyjson_val *id = yyjson_obj_get(yyjson_obj_get(rpc->params, "_meta"), META_SUBSCRIPTION);
    const struct dev_request *request = dev_request_find(session->requests, id);

    return request && request->resent;
}

static bool dev_look_at_server(const struct dev_line *line, const struct dev_message *message)
{
    struct dev_session *session = line->session;

    switch (message->rpc.kind) {
    case RPC_REQUEST:
        return dev_server_request(line, message);
    case RPC_NOTIFICATION:
        if (dev_is_method(&message->rpc, "notifications/cancelled") && session->generation)
            return dev_server_cancels(session, message);
        return !dev_is_method(&message->rpc, "notifications/subscriptions/acknowledged") ||
               !dev_is_known_subscription(session, &message->rpc);
    case RPC_RESPONSE:
        return dev_server_response(line, message);
    case RPC_INVALID:
        break;
    }
    return true;
}

void dev_session_server(struct dev_session *session, const char *text, size_t size, uint64_t now)
{
    const struct dev_line line = {session, now, NULL};
    yyjson_val *root;
    int status = dev_parse(session, text, size, &root);
    char shown[DEV_NAME_TEXT];
    bool cut = false;

    if (status == HAFT_EPARSE) {
        shown[hf_text_escape(text, size, false, shown, sizeof shown - 1, &cut)] = '\0';
        session->out.note(session->out.context,
                          "the server wrote a line to standard output that is not JSON: %s%s",
                          shown, cut ? "..." : "");
    } else if (status || dev_look_at_all(&line, dev_look_at_server, text, size, root)) {
        session->out.to_client(session->out.context, text, size);
    }
}
