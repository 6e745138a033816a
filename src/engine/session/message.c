/* message.c - messages in: which kind, which era.
 *
 * A message is classified once, as a value, before anything is done about it.  A modern request
 * says in its own _meta what it is; nothing about it is taken from an earlier one.  Everything else
 * belongs to the legacy client that introduced itself by `initialize`, if one did. */
#include <string.h>

#include "engine/call/headers.h"
#include "engine/session/method.h"
#include "engine/call/respond.h"
#include "engine/session/direct.h"

enum {
    BATCH_LIMIT = 100,
    LARGE = 512 << 10,         /* of a message: it can be */
    UNREADABLE_DEPTH = 200000, /* as deep as this, and then takes all the memory of a call */
    MESSAGE_HTTP_BAD_REQUEST = 400
};

/* ---- what is offered now ---- */

void hf_session_refresh(haft_session *session)
{
    session->version_number = atomic_load(&session->owner.server->changes.version_number);
    hf_catalogue_drop(session->catalogue);
    session->catalogue = hf_catalogue_take(session->owner.server);
}

/* ---- errors about other messages than calls ---- */

/* Whether it was answered. */
static bool refuse_message(haft_session *session, const yyjson_val *id, int code,
                           const char *message, void *tag)
{
    /* Before 2025-11-25 an error without an id is invalid; a tag says that the transport waits for
     * it. */
    if (!id && !tag && !hf_revision_rows[session->revision].anonymous) {
        hf_server_log(session->owner.server, HAFT_WARNING, "dropped a message: %s",
                      message ? message : hf_rpc_error_text(code));
        return false;
    }
    hf_rpc_put_error(&session->owner.out, id, code, message, NULL);
    hf_owner_send_as(&session->owner, HAFT_OUT_RESPONSE, tag, code, MESSAGE_HTTP_BAD_REQUEST);
    return true;
}

void haft_session_too_long(haft_session *session, size_t size, void *tag)
{
    (void)size;
    refuse_message(session, NULL, RPC_INVALID_REQUEST, "Invalid Request: the message is too long",
                   tag);
}
/* ---- notifications and responses ---- */

static void message_cancel(haft_session *session, yyjson_val *params)
{
    yyjson_val *id = yyjson_obj_get(params, "requestId"), *reason = rpc_string(params, "reason");
    void *tag;

    if (!id || session->owner.options.shared)
        return;
    for (haft_call *call = session->owner.calls; call; call = call->next) {
        if (call->answered || !hf_rpc_same_id(call->request.id, id))
            continue;
        tag = call->request.batch ? NULL : call->request.tag;
        haft_log(call, HAFT_DEBUG, "cancelled by the client%s%s", reason ? ": " : "",
                 reason ? yyjson_get_str(reason) : "");
        hf_call_give_up(call);
        if (tag)
            hf_owner_let_go(&session->owner, tag, true);
        return;
    }
    hf_session_end_listens(session, id, false);
}

/* A notification to the program is a call that is never answered. */
static void receive_notification(haft_session *session, haft_call *call)
{
    const struct rpc_message *message = &call->request.message.rpc;
    const struct custom_method *custom;

    if (hf_message_is(&call->request.message, "notifications/cancelled")) {
        message_cancel(session, message->params);
        hf_call_release(call);
        return;
    }
    custom = hf_custom_method_find(session->owner.server, message->method, message->method_size);
    if (!custom || session->owner.n_calls >= session->owner.server->options.max_in_flight ||
        !hf_request_set_caller(session, call)) {
        hf_call_release(call);
        return;
    }
    call->request.params = message->params;
    call->request.meta = call->request.message.meta;
    call->request.method = message->method;
    call->answered = true;
    call->revision = session->revision;
    call->client.log_level = -1;
    hf_custom_method_handle(call, custom);
}

/* ---- arrays ---- */

static int receive_one(haft_session *session, haft_call *call, struct batch *batch);

/* A member that there is no memory for; its id has been read.  1 when it is answered. */
static int lose_member(haft_session *session, yyjson_val *member, struct batch *batch)
{
    struct rpc_message message;

    hf_rpc_read(member, &message);
    if (message.kind != RPC_REQUEST)
        return 0;
    hf_rpc_put_error(&session->owner.out, message.id, RPC_INTERNAL_ERROR, NULL, NULL);
    hf_batch_collect(&session->owner, batch, RPC_INTERNAL_ERROR);
    return 1;
}

/* Parses each member again into a separate call, so that it can outlive the array. */
static int receive_member(haft_session *session, haft_call *whole, yyjson_val *member, void *tag,
                          struct batch *batch)
{
    haft_call *call = hf_call_new(&session->owner);
    yyjson_val *copy = NULL;
    const char *reason;
    size_t offset;

    if (!call)
        return lose_member(session, member, batch);
    haft_buffer_clear(&whole->structured);
    haft_json_write(member, &whole->structured);
    if (whole->structured.status ||
        hf_json_parse(whole->structured.data, whole->structured.size, call->arena, &copy, &offset,
                      &reason) ||
        hf_message_read(&call->request.message, copy, session->owner.server->options.max_depth,
                        call->arena)) {
        hf_call_release(call);
        return lose_member(session, member, batch);
    }
    call->request.tag = tag;
    if (!batch->full || call->request.message.kind == HAFT_INCOMING_REQUEST)
        return receive_one(session, call, batch);
    hf_call_release(call);
    return 0;
}

static int receive_batch(haft_session *session, haft_call *whole, yyjson_val *array, void *tag)
{
    const haft_allocator *allocator = session->owner.allocator;
    struct batch *batch = allocator->alloc(allocator->context, sizeof *batch);
    size_t i, n;
    yyjson_val *member;
    int status = 0;

    /* 1 when there will be an answer. */
    if (!batch)
        return HAFT_ENOMEM;
    *batch = (struct batch){.tag = tag, .open = true};
    haft_buffer_init(&batch->responses, allocator, session->owner.server->options.max_message * 4);
    yyjson_arr_foreach(array, i, n, member) {
        batch->full = i >= BATCH_LIMIT;
        status |= receive_member(session, whole, member, tag, batch) > 0;
    }
    batch->open = false;
    /* A request remains without an answer, and the client cannot be notified. */
    if (batch->lost && !tag)
        status = HAFT_ENOMEM;
    hf_batch_send(&session->owner, batch);
    return status;
}

/* ---- a message ---- */

/* An object without an id may have been meant as a notification, and one with a result as an
 * answer: neither is ever answered.  One with an invalid id is a request all the same.  1 when there was an
 * answer, or HAFT_EINVAL. */
static int receive_invalid(haft_session *session, haft_call *call, struct batch *batch)
{
    const struct rpc_message *message = &call->request.message.rpc;
    const char *why = haft_arena_printf(call->arena, "Invalid Request: %s", message->why);
    bool answered = false;

    if (yyjson_is_obj(call->request.message.root) &&
        (!message->has_id || message->result || message->error)) {
        hf_server_log(session->owner.server, HAFT_WARNING, "dropped a message: %s", message->why);
    } else if (batch && message->id) {
        call->request.id = message->id;
        call->request.batch = batch;
        batch->left++;
        hf_respond_error(call, RPC_INVALID_REQUEST, why, NULL);
        answered = true;
    } else {
        /* The tag of an array belongs to its other messages. */
        answered = refuse_message(session, message->id, RPC_INVALID_REQUEST, why,
                                  batch ? NULL : call->request.tag);
    }
    hf_call_release(call);
    return answered ? 1 : HAFT_EINVAL;
}

/* A response to nothing, where each message stands for itself. */
static int refuse_response(haft_session *session, haft_call *call)
{
    void *tag = call->request.tag;

    hf_call_release(call);
    return refuse_message(session, NULL, RPC_INVALID_REQUEST,
                          "Invalid Request: unexpected response", tag);
}

/* A message that is not a request.  The call is taken over.  As haft_incoming_process. */
static int receive_other(haft_session *session, haft_call *call, struct batch *batch)
{
    /* Modern clients without a session have nothing to tell about, and are asked nothing. */
    bool alone = session->owner.options.shared && session->owner.options.modern;

    switch (call->request.message.kind) {
    case HAFT_INCOMING_NOTIFICATION:
        if (alone)
            break;
        receive_notification(session, call);
        return 0;
    case HAFT_INCOMING_RESPONSE:
        if (alone)
            return refuse_response(session, call);
        hf_input_answer(&session->owner, &call->request.message.rpc);
        break;
    default:
        return receive_invalid(session, call, batch);
    }
    hf_call_release(call);
    return 0;
}

/* A message that is not an array, or a member of one.  The call is taken over.  As
 * haft_incoming_process. */
static int receive_one(haft_session *session, haft_call *call, struct batch *batch)
{
    struct request *request = &call->request;
    yyjson_val *token = request->message.envelope.progress_token;

    atomic_store_explicit(&call->time.now, session->owner.now, memory_order_relaxed);
    if (request->message.kind != HAFT_INCOMING_REQUEST)
        return receive_other(session, call, batch);
    request->batch = batch;
    if (batch)
        batch->left++;
    request->id = request->message.rpc.id;
    request->method = request->message.rpc.method;
    request->params = request->message.rpc.params;
    request->meta = request->message.meta;
    call->progress.token = yyjson_is_str(token) || yyjson_is_int(token) ? token : NULL;
    /* A modern request says which revision it is of (request.c). */
    call->revision = REV_NEWEST;
    if (!request->message.envelope.version && !session->owner.options.modern) {
        call->revision = session->revision;
        call->client = session->client;
    }
    /* Another may be offered by now than when the arguments were read. */
    if (call->catalogue && call->catalogue != session->catalogue) {
        call->args.direct.of = NULL;
        hf_catalogue_drop(call->catalogue);
        call->catalogue = NULL;
    }
    if (!call->catalogue) {
        atomic_fetch_add(&session->catalogue->refs, 1);
        call->catalogue = session->catalogue;
    }
    call->link.held = true;
    hf_request_admit(session, call);
    call->link.held = false;
    /* One that was handled at once has not been linked, and is done with. */
    if (call->link.let_go || (call->answered && !call->link.linked))
        hf_call_release(call);
    return 1;
}

/* Reads a message into the call that it may become; NULL without memory. */
static haft_call *session_read(haft_session *session, const char *text, size_t size, void *tag,
                               haft_time now)
{
    haft_server *server = session->owner.server;
    haft_call *call = hf_call_new(&session->owner);
    const char *reason = NULL;
    yyjson_val *root = NULL;
    size_t offset = 0;
    int status = 0;

    session->owner.now = now;
    if (server->metering.metrics) {
        atomic_fetch_add(&server->metering.received, size);
        if (now > atomic_load(&server->metering.heard))
            atomic_store(&server->metering.heard, now);
    }
    if (!call)
        return NULL;
    call->request.tag = tag;
    /* What nests beyond all reason is not even read, and so its id is not known. */
    if (size > LARGE && hf_json_text_is_deep(text, size, UNREADABLE_DEPTH)) {
        call->error.code = RPC_INVALID_REQUEST;
        call->error.message = "Invalid Request: nested too deeply";
        return call;
    }
    /* Where elements are counted, that comes before anything else is done with the arguments. */
    if (size < server->limits.direct_from || server->options.max_elements ||
        !hf_direct_read(session, call, text, size, &root))
        status = hf_json_parse(text, size, call->arena, &root, &offset, &reason);
    if (!status && yyjson_is_arr(root))
        call->request.message = (struct message){.kind = HAFT_INCOMING_ARRAY, .root = root};
    else if (!status)
        status =
            hf_message_read(&call->request.message, root, server->options.max_depth, call->arena);
    if (status == HAFT_ENOMEM) {
        hf_call_release(call);
        return NULL;
    }
    if (status) {
        call->error.code = RPC_PARSE_ERROR;
        call->error.message =
            haft_arena_printf(call->arena, "Parse error: %s at byte %zu",
                              status == HAFT_EUTF8 ? "not valid UTF-8" : reason, offset);
    }
    return call;
}

haft_incoming *haft_incoming_read(haft_session *session, const char *text, size_t size, void *tag,
                                  haft_time now)
{
    return (haft_incoming *)session_read(session, text, size, tag, now);
}

const struct message *hf_incoming_message(const haft_incoming *incoming)
{
    return &((const haft_call *)incoming)->request.message;
}

haft_incoming_kind haft_incoming_kind_of(const haft_incoming *message)
{
    return hf_incoming_message(message)->kind;
}

bool haft_incoming_is(const haft_incoming *message, const char *method)
{
    return hf_message_is(hf_incoming_message(message), method);
}

bool haft_incoming_is_modern(const haft_incoming *message)
{
    return hf_incoming_message(message)->envelope.version;
}

void haft_incoming_drop(haft_incoming *message)
{
    hf_call_release((haft_call *)message);
}

/* Where an error needs an id, answers each request by its id, so that none keeps waiting.  Returns 1 if
 * there was an answer. */
static int refuse_array(haft_session *session, yyjson_val *array, const char *why, void *tag)
{
    struct rpc_message message;
    yyjson_val *member;
    bool answered = false;
    size_t i, n;

    if (tag || hf_revision_rows[session->revision].anonymous)
        return refuse_message(session, NULL, RPC_INVALID_REQUEST, why, tag);
    yyjson_arr_foreach(array, i, n, member) {
        hf_rpc_read(member, &message);
        if (message.kind == RPC_REQUEST)
            answered |= refuse_message(session, message.id, RPC_INVALID_REQUEST, why, NULL);
    }
    return answered || refuse_message(session, NULL, RPC_INVALID_REQUEST, why, NULL);
}

static bool has_message(yyjson_val *array)
{
    struct rpc_message message;
    yyjson_val *member;
    size_t i, n;

    yyjson_arr_foreach(array, i, n, member) {
        hf_rpc_read(member, &message);
        if (message.kind != RPC_INVALID || message.id)
            return true;
    }
    return false;
}

/* An array, if this client may send them. */
static int receive_array(haft_session *session, haft_call *call)
{
    yyjson_val *root = call->request.message.root;
    const char *why = NULL;

    if (!session->initialized || !hf_revision_rows[session->revision].batches)
        why = "Invalid Request: batches are not accepted";
    else if (!has_message(root))
        why = "Invalid Request: the batch is empty";
    else if (hf_json_is_deep(root, JSON_MAX_DEPTH))
        why = "Invalid Request: nested too deeply";
    return why ? refuse_array(session, root, why, call->request.tag)
               : receive_batch(session, call, root, call->request.tag);
}

/* Takes over a call whose message has been read. */
static int session_process(haft_session *session, haft_call *call, const haft_headers *headers)
{
    struct haft_header_index index;
    haft_headers own;
    int status;

    /* Headers that the program passes have no index yet: makes it once, for all that search them. */
    if (headers && !headers->index_) {
        own = *headers;
        hf_headers_index(own.list, own.n, &index);
        own.index_ = &index;
        headers = &own;
    }
    call->request.headers = headers;
    hf_session_identify(session, headers);
    if (session->version_number != atomic_load(&session->owner.server->changes.version_number))
        hf_session_refresh(session);
    session->held++;
    if (call->request.message.root && call->request.message.kind != HAFT_INCOMING_ARRAY) {
        status = receive_one(session, call, NULL);
    } else {
        status = call->request.message.root
                     ? receive_array(session, call)
                     : refuse_message(session, NULL, call->error.code, call->error.message,
                                      call->request.tag);
        hf_call_release(call);
    }
    session->held--;
    if (session->owner.closed)
        hf_session_collect(session);
    return status;
}

int haft_incoming_process(haft_incoming *message, haft_session *session,
                          const haft_headers *headers)
{
    haft_call *call = (haft_call *)message;

    /* It may have been read for another session of the same server, and moves over to this one. */
    session->owner.now = call->owner->now;
    call->owner = &session->owner;
    return session_process(session, call, headers);
}

int haft_session_receive_http(haft_session *session, const char *text, size_t size,
                              const haft_headers *headers, void *tag, haft_time now)
{
    haft_call *call = session_read(session, text, size, tag, now);

    return call ? session_process(session, call, headers) : HAFT_ENOMEM;
}

int haft_session_receive(haft_session *session, const char *text, size_t size, void *tag,
                         haft_time now)
{
    haft_call *call = session_read(session, text, size, tag, now);

    return call && session_process(session, call, NULL) != HAFT_ENOMEM ? 0 : HAFT_ENOMEM;
}
