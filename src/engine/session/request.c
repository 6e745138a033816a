/* request.c - requests: finds the client, the revision and the method of a request, and refuses an
 * invalid request before its method is called. */
#include <string.h>

#include "engine/call/headers.h"
#include "engine/call/identity.h"
#include "engine/session/subscriber.h"
#include "engine/call/notify.h"
#include "engine/call/respond.h"
#include "engine/call/tool_call.h"
#include "engine/call/trace.h"
#include "engine/session/method.h"
#include "protocol/meta.h"

enum { ENVELOPE_DATA = 256, REQUEST_HTTP_BAD_REQUEST = 400, HTTP_NOT_FOUND = 404 };

/* ---- modern requests ---- */

static void refuse_version(haft_call *call, const yyjson_val *version)
{
    haft_buffer data;
    struct json_writer w = {.out = &data};

    haft_buffer_init(&data, call->server->allocator, 1 << 16);
    hf_json_begin_object(&w);
    hf_revision_put_modern(json_key(&w, "supported"));
    hf_json_value(json_key(&w, "requested"), version);
    hf_json_end_object(&w);
    haft_buffer_add(&data, "", 1);
    /* Without the data it is not that error. */
    if (!data.status)
        call->error.http_status = REQUEST_HTTP_BAD_REQUEST;
    hf_respond_error(call, data.status ? RPC_INTERNAL_ERROR : RPC_UNSUPPORTED_VERSION, NULL,
                     data.status ? NULL : data.data);
    haft_buffer_finish(&data);
}

static void refuse_envelope(haft_call *call, const char *key, const char *what)
{
    char room[ENVELOPE_DATA];
    haft_buffer data = {.data = room, .capacity = sizeof room, .limit = sizeof room - 1};
    struct json_writer w = {.out = &data};

    hf_json_begin_object(&w);
    hf_json_begin_object(json_key(&w, "envelope"));
    hf_json_begin_array(hf_json_name(&w, what, strlen(what)));
    hf_json_text(&w, key);
    hf_json_end_array(&w);
    hf_json_end_object(&w);
    hf_json_end_object(&w);
    haft_buffer_add(&data, "", 1);
    call->error.http_status = REQUEST_HTTP_BAD_REQUEST;
    hf_respond_error(
        call, RPC_INVALID_PARAMS,
        haft_arena_printf(call->arena, "Invalid params: _meta[\"%s\"] is %s", key, what),
        data.status ? NULL : room);
}

/* What a modern request says about its client, in the order in which clients expect to be told.  False
 * when it was refused. */
static bool read_envelope(haft_session *session, haft_call *call)
{
    const struct envelope *envelope = &call->request.message.envelope;
    yyjson_val *info = yyjson_is_obj(envelope->client_info) ? envelope->client_info : NULL;
    yyjson_val *name = yyjson_obj_get(info, "name"), *version = envelope->version;
    const haft_headers *headers = call->request.headers;
    struct text stated = headers ? headers->index_->mcp_protocol_version : (struct text){NULL, 0};
    enum revision named;

    /* The log of a refused request also names the client. */
    call->client.name = yyjson_get_str(name);
    call->client.name_size = yyjson_get_len(name);
    if (headers && !stated.data)
        return hf_headers_mismatch(call, "MCP-Protocol-Version", "is required");
    if (!yyjson_is_str(version)) {
        refuse_envelope(call, META_VERSION, version ? "malformed" : "missing");
        return false;
    }
    call->client.capabilities = envelope->client_capabilities;
    if (!yyjson_is_obj(call->client.capabilities)) {
        refuse_envelope(call, META_CLIENT_CAPABILITIES,
                        call->client.capabilities ? "malformed" : "missing");
        return false;
    }
    if (headers && !yyjson_equals_strn(version, stated.data, stated.size))
        return hf_headers_mismatch(call, "MCP-Protocol-Version", "does not match _meta");
    named = hf_revision_named(yyjson_get_str(version), yyjson_get_len(version));
    if (named == REVISIONS || !hf_revision_rows[named].modern) {
        refuse_version(call, version);
        return false;
    }
    call->revision = named;
    call->client.version = yyjson_get_str(yyjson_obj_get(info, "version"));
    call->client.log_level = -1;
    if (envelope->log_level) {
        call->client.log_level = hf_level_named(envelope->log_level);
        if (call->client.log_level < 0) {
            refuse_envelope(call, META_LOG_LEVEL, "malformed");
            return false;
        }
    }
    if (!session->introduced && !session->owner.options.shared)
        hf_event_of_meeting(session, call->client.name);
    return true;
}

/* ---- requests ---- */

static bool is_duplicate(const haft_session *session, const yyjson_val *id)
{
    for (const haft_call *call = session->owner.calls; call; call = call->next)
        if (!call->answered && hf_rpc_same_id(call->request.id, id))
            return true;
    for (const struct listen *listen = session->listens; listen; listen = listen->next)
        if (hf_rpc_same_id(listen->id, id))
            return true;
    return false;
}

void hf_session_identify(haft_session *session, const haft_headers *headers)
{
    const haft_session_options *options = &session->owner.options;

    if (headers && (headers->identity || headers->principal)) {
        session->identity = headers->identity;
        session->principal = headers->identity && headers->identity->principal
                                 ? headers->identity->principal
                             : headers->principal ? headers->principal
                                                  : "";
    } else {
        session->identity = options->identity;
        session->principal = options->principal;
    }
    /* Without memory it is tried again with the next message. */
    if (session->subscriber.unknown)
        hf_subscriber_set(&session->subscriber, session->owner.allocator, session->principal,
                          session->identity);
}

/* Sets the principal and the identity of a call. Returns false without memory. */
static bool set_identity(const haft_session *session, haft_call *call)
{
    const char *principal = session->principal;
    haft_identity *identity = &call->request.identity;

    identity->struct_size = sizeof *identity;
    if (session->identity == session->owner.options.identity && session->identity) {
        *identity = session->own_identity; /* lives as long as the session */
    } else if (session->identity) {
        if (!hf_identity_copy(identity, session->identity, call->arena))
            return false;
    }
    if (!identity->principal) {
        identity->principal = principal == session->owner.options.principal
                                  ? principal
                                  : haft_arena_copy(call->arena, principal, strlen(principal));
    }
    call->request.principal = identity->principal;
    return identity->principal;
}

bool hf_request_set_caller(const haft_session *session, haft_call *call)
{
    const haft_session_options *options = &session->owner.options;
    const haft_headers *headers = call->request.headers;
    const char *peer = headers && headers->peer ? headers->peer : options->peer;

    if (session->principal && !set_identity(session, call))
        return false;
    call->request.peer = peer;
    if (peer && peer != options->peer)
        call->request.peer = haft_arena_copy(call->arena, peer, strlen(peer));
    return call->request.peer || !peer;
}

/* A method that the protocol does not have, or whose lists have never held anything: one of the program's
 * own, or an error. */
static void handle_other(haft_call *call, const struct method *method)
{
    const struct rpc_message *message = &call->request.message.rpc;
    const struct custom_method *custom =
        method ? NULL : hf_custom_method_find(call->server, message->method, message->method_size);

    if (custom) {
        hf_custom_method_handle(call, custom);
        return;
    }
    if (hf_revision_rows[call->revision].modern)
        call->error.http_status = HTTP_NOT_FOUND;
    hf_respond_error(call, RPC_METHOD_NOT_FOUND, NULL, NULL);
    if (method && method->handle == hf_handle_tool_call)
        hf_tool_call_refused(call, HAFT_OUTCOME_NOT_FOUND);
}

void hf_handle_task(haft_call *call)
{
    const struct task_hooks *hooks = call->server->tasks.hooks;

    if (hooks)
        hooks->handle(call->server->tasks.service, call);
    else
        handle_other(call, NULL);
}

/* Whether the client has as many calls in flight as it may.  A ping takes no room. */
static bool is_full(const haft_call *call)
{
    return call->owner->n_calls >= call->server->options.max_in_flight &&
           !hf_message_is(&call->request.message, "ping");
}

/* Whether the client can have one more request of this id.  The clients of a shared session have nothing
 * to do with each other, and are not asked. */
static bool session_has_room(const haft_session *session, haft_call *call,
                             haft_outcome *reterr_outcome)
{
    if (is_duplicate(session, call->request.id)) {
        hf_respond_error(call, RPC_INVALID_REQUEST, "Invalid Request: the id is already in use",
                         NULL);
        return false;
    }
    if (!is_full(call))
        return true;
    *reterr_outcome = HAFT_OUTCOME_INTERNAL;
    hf_respond_error(call, RPC_INTERNAL_ERROR, "Too many calls are in flight", NULL);
    return false;
}

void hf_request_admit(haft_session *session, haft_call *call)
{
    const struct rpc_message *message = &call->request.message.rpc;
    bool shared = session->owner.options.shared, modern = hf_revision_rows[call->revision].modern;
    haft_outcome refused = HAFT_OUTCOME_INVALID;
    const struct method *method = NULL;

    if (call->request.message.envelope.traceparent ||
        (call->request.headers && call->request.headers->index_->traceparent.data))
        hf_trace_read(call);
    if (!hf_request_set_caller(session, call)) {
        refused = HAFT_OUTCOME_INTERNAL;
        hf_respond_error(call, RPC_INTERNAL_ERROR, "Out of memory", NULL);
    } else if (!modern || read_envelope(session, call)) {
        method = hf_method_find(message->method, message->method_size, call->revision);
        if (call->request.headers && modern &&
            !hf_headers_agree_on_method(call, method ? method->named : NULL)) {
            /* It has been answered. */
        } else if (call->request.batch && call->request.batch->full) {
            hf_respond_error(call, RPC_INVALID_REQUEST,
                             "Invalid Request: too many messages in the batch", NULL);
        } else if (shared && method && method->remembers) {
            call->error.http_status = REQUEST_HTTP_BAD_REQUEST;
            hf_respond_error(call, RPC_INVALID_REQUEST,
                             "Invalid Request: this method requires a session", NULL);
        } else if (shared || session_has_room(session, call, &refused)) {
            if (method && (!modern || !method->offers ||
                           method->offers & atomic_load(&call->server->changes.offered)))
                method->handle(call);
            else
                handle_other(call, method);
            return;
        }
    }
    if (!method)
        method = hf_method_find(message->method, message->method_size, call->revision);
    if (method && method->handle == hf_handle_tool_call)
        hf_tool_call_refused(call, refused);
}
