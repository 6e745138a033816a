/* lifecycle.c - the handshake with a client: initialize, discover, ping. */
#include <string.h>

#include "engine/session/method.h"
#include "engine/session/remember.h"
#include "engine/call/identity.h"
#include "engine/call/notify.h"
#include "engine/call/plain_call.h"
#include "engine/call/respond.h"
#include "engine/call/result.h"
#include "protocol/meta.h"

enum { CLIENT_LIMIT = 1 << 20 };

static void put_list_capability(struct json_writer *w, bool subscribe)
{
    hf_json_begin_object(w);
    if (subscribe)
        hf_json_bool(json_key(w, "subscribe"), true);
    hf_json_bool(json_key(w, "listChanged"), true);
    hf_json_end_object(w);
}

/* Writes the capabilities of the experimental tasks. Clients that cannot be told apart would list the tasks of all. */
static void put_experimental_tasks(const haft_call *call, struct json_writer *w)
{
    hf_json_begin_object(json_key(w, "tasks"));
    if (call_knows_client(call))
        hf_json_empty_object(json_key(w, "list"));
    hf_json_empty_object(json_key(w, "cancel"));
    hf_json_begin_object(json_key(w, "requests"));
    hf_json_begin_object(json_key(w, "tools"));
    hf_json_empty_object(json_key(w, "call"));
    hf_json_end_object(w);
    hf_json_end_object(w);
    hf_json_end_object(w);
}

/* Whether the server itself declares the extension, with or without the program's options. */
static bool is_attached(const struct extension *first, bool tasks, yyjson_val *name)
{
    while (first && !yyjson_equals_str(name, first->name))
        first = first->next;
    return first || (tasks && yyjson_equals_str(name, META_TASKS));
}

/* The extensions of the program's options, and those that are attached. */
static void put_extensions(haft_call *call, bool tasks, struct json_writer *w)
{
    const struct extension *first = atomic_load(&call->server->changes.extensions);
    const char *own = call->server->options.extensions;
    yyjson_val *all, *key, *value;
    size_t i, n;

    if (!first && !tasks) {
        hf_put_json_member(w, "extensions", own);
        return;
    }
    hf_json_begin_object(json_key(w, "extensions"));
    all = own ? haft_json_read(own, strlen(own), 0, call->arena, NULL) : NULL;
    if (all)
        yyjson_obj_foreach(all, i, n, key, value)
            if (!is_attached(first, tasks, key))
                hf_json_value(hf_json_name(w, yyjson_get_str(key), yyjson_get_len(key)), value);
    if (tasks)
        hf_json_empty_object(hf_json_name(w, META_TASKS, sizeof META_TASKS - 1));
    for (const struct extension *at = first; at; at = at->next)
        hf_json_raw(hf_json_name(w, at->name, strlen(at->name)), at->settings,
                    strlen(at->settings));
    hf_json_end_object(w);
}

/* Writes the server's capabilities, in the form of either era; `offered` has bits of lists. */
static void put_capabilities(haft_call *call, struct json_writer *w, unsigned offered)
{
    const struct revision_row *row = &hf_revision_rows[call->revision];
    const haft_server_options *options = &call->server->options;
    unsigned resources = 1u << HAFT_OFFER_RESOURCE | 1u << HAFT_OFFER_TEMPLATE;

    hf_json_begin_object(json_key(w, "capabilities"));
    hf_json_empty_object(json_key(w, "logging"));
    hf_json_empty_object(json_key(w, "completions"));
    if (offered & 1u << HAFT_OFFER_TOOL)
        put_list_capability(json_key(w, "tools"), false);
    if (offered & 1u << HAFT_OFFER_PROMPT)
        put_list_capability(json_key(w, "prompts"), false);
    if (offered & resources)
        put_list_capability(json_key(w, "resources"), options->resource_subscriptions);
    if (call->server->tasks.hooks && row->tasks == TASKS_EXPERIMENTAL)
        put_experimental_tasks(call, w);
    if (row->modern)
        put_extensions(call, call->server->tasks.hooks && row->tasks == TASKS_EXTENSION, w);
    hf_json_end_object(w);
}

/* The client's name in the form of log lines. */
static struct text quote_name(const haft_session *session)
{
    haft_buffer quoted;

    if (!session->client.name_size)
        return (struct text){0};
    haft_buffer_init(&quoted, session->owner.allocator, CLIENT_LIMIT);
    haft_buffer_json_string(&quoted, session->client.name, session->client.name_size);
    return hf_text_of(session->client_arena, &quoted);
}

/* Keeps the client's information for the lifetime of the session. */
int hf_session_remember_client(haft_session *session, yyjson_val *params)
{
    haft_arena *arena = haft_arena_new(session->owner.allocator, CLIENT_LIMIT);
    haft_buffer text;
    yyjson_val *copy = NULL, *info;
    const char *reason;
    size_t offset;
    int status;

    if (!arena)
        return HAFT_ENOMEM;
    haft_buffer_init(&text, session->owner.allocator, CLIENT_LIMIT / 2);
    haft_json_write(params, &text);
    status = text.status ? text.status
                         : hf_json_parse(text.data, text.size, arena, &copy, &offset, &reason);
    haft_buffer_finish(&text);
    if (status) {
        haft_arena_free(arena);
        return status;
    }
    haft_arena_free(session->client_arena);
    session->client_arena = arena;
    info = rpc_object(copy, "clientInfo");
    session->client.name = yyjson_get_str(yyjson_obj_get(info, "name"));
    session->client.name_size = yyjson_get_len(yyjson_obj_get(info, "name"));
    session->client.version = yyjson_get_str(yyjson_obj_get(info, "version"));
    session->client.capabilities = rpc_object(copy, "capabilities");
    session->client.quoted = quote_name(session);
    return 0;
}

void hf_handle_initialize(haft_call *call)
{
    haft_session *session = session_of(call);
    yyjson_val *version = rpc_string(call->request.params, "protocolVersion");
    enum revision revision;
    struct json_writer w;
    int status;

    if (!version) {
        hf_respond_error(call, RPC_INVALID_PARAMS,
                         "Invalid params: \"protocolVersion\" must be a string", NULL);
        return;
    }
    /* It must be the first message, so it cannot be part of a batch. */
    if (call->request.batch) {
        hf_respond_error(call, RPC_INVALID_REQUEST,
                         "Invalid Request: initialize must not be in a batch", NULL);
        return;
    }
    /* Calls in flight still use the earlier information. */
    if (session->owner.n_calls) {
        hf_respond_error(call, RPC_INVALID_REQUEST,
                         "Invalid Request: initialize is not allowed while calls are in flight",
                         NULL);
        return;
    }
    revision = hf_revision_named(yyjson_get_str(version), yyjson_get_len(version));
    if (revision == REVISIONS || hf_revision_rows[revision].modern)
        revision = REV_NEWEST_LEGACY;
    status = hf_session_remember_client(session, call->request.params);
    if (status) {
        hf_respond_error(call, RPC_INTERNAL_ERROR, NULL, NULL);
        return;
    }
    session->initialized = true;
    session->declared = atomic_load(&call->server->changes.offered);
    session->revision = revision;
    session->client.log_level = HAFT_DEBUG;
    session->n_changes++;
    hf_event_of_meeting(session, session->client.name);
    call->revision = revision;
    w = json_members(hf_respond_begin(call), false);
    hf_json_text(json_key(&w, "protocolVersion"), hf_revision_rows[revision].name);
    put_capabilities(call, &w, session->declared);
    hf_json_raw(json_key(&w, "serverInfo"), call->server->info.data, call->server->info.size);
    json_text_member(&w, "instructions", call->server->options.instructions);
    hf_respond_end(call, true, NULL);
}

void hf_handle_discover(haft_call *call)
{
    struct json_writer w = json_members(hf_respond_begin(call), false);

    hf_revision_put_modern(json_key(&w, "supportedVersions"));
    put_capabilities(call, &w, atomic_load(&call->server->changes.offered));
    json_text_member(&w, "instructions", call->server->options.instructions);
    hf_put_cache_hints(call, &w);
    hf_respond_end(call, true, NULL);
}

void hf_handle_ping(haft_call *call)
{
    hf_respond_empty(call);
}

void hf_handle_set_level(haft_call *call)
{
    int level = hf_level_named(yyjson_obj_get(call->request.params, "level"));

    if (level < 0) {
        hf_respond_error(call, RPC_INVALID_PARAMS, "Invalid params: \"level\" must be a log level",
                         NULL);
        return;
    }
    session_of(call)->client.log_level = level;
    session_of(call)->n_changes++;
    hf_respond_empty(call);
}

/* ---- methods added by the program ---- */

/* Adds members of a result's own `_meta` to the existing ones, without duplicates. */
static int join_meta(haft_call *call, yyjson_val *meta)
{
    haft_buffer *out = &call->result_meta;
    yyjson_val *there = NULL, *key, *value;
    const char *text, *reason;
    size_t i, n, start;
    int status = 0;

    if (!meta)
        return 0;
    if (!yyjson_is_obj(meta))
        return HAFT_EINVAL;
    text = haft_arena_printf(call->arena, "{%.*s}", (int)out->size, out->size ? out->data : "");
    if (!text || hf_json_parse(text, strlen(text), call->arena, &there, &n, &reason))
        return HAFT_ENOMEM;
    yyjson_obj_foreach(meta, i, n, key, value) {
        if (yyjson_obj_getn(there, yyjson_get_str(key), yyjson_get_len(key)) ||
            yyjson_equals_str(key, META_SERVER_INFO))
            continue;
        start = hf_meta_begin(out, yyjson_get_str(key), yyjson_get_len(key));
        haft_json_write(value, out);
        status = hf_meta_end(out, start, 0);
        if (status)
            break;
    }
    return status;
}

/* The result as JSON; NULL if it cannot be sent, with the error in *ret_status. */
static yyjson_val *own_result(haft_call *call, int *ret_status)
{
    const haft_buffer *text = &call->structured;
    yyjson_val *result = NULL;
    const char *reason;
    size_t offset;

    *ret_status = call->status < 0 ? call->status : text->status;
    if (*ret_status || call->result.is_error)
        return NULL;
    *ret_status = hf_json_parse(text->size ? text->data : "{}", text->size ? text->size : 2,
                                call->arena, &result, &offset, &reason);
    if (!*ret_status && !yyjson_is_obj(result))
        *ret_status = HAFT_EINVAL;
    if (!*ret_status)
        *ret_status = join_meta(call, yyjson_obj_get(result, "_meta"));
    if (*ret_status == HAFT_EINVAL && call->status >= 0)
        haft_log(call, HAFT_ERROR, "the result of a method and its _meta must be objects");
    return *ret_status ? NULL : result;
}

/* Writes the members of the result between ours. Its own resultType is kept, in revisions that have
 * one. */
void hf_complete_custom(haft_call *call)
{
    yyjson_val *result, *key, *value;
    struct json_writer w;
    size_t i, n;
    int status;

    result = own_result(call, &status);
    if (status == HAFT_ECAPABILITY) {
        hf_input_refuse(call);
        return;
    }
    if (!result) {
        bool invalid = status == HAFT_EINVAL || status == HAFT_ENOTFOUND;
        const char *text = invalid ? hf_call_error_text(call) : NULL;

        hf_respond_error(call, text ? RPC_INVALID_PARAMS : RPC_INTERNAL_ERROR, text, NULL);
        return;
    }
    w = json_members(hf_respond_begin(call), false);
    yyjson_obj_foreach(result, i, n, key, value) {
        if (yyjson_equals_str(key, "_meta") || yyjson_equals_str(key, "resultType"))
            continue;
        hf_json_value(hf_json_name(&w, yyjson_get_str(key), yyjson_get_len(key)), value);
    }
    hf_respond_end(call, w.comma, yyjson_get_str(yyjson_obj_get(result, "resultType")));
}
