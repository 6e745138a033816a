/* message.c - parses a message: one pass over its members, one over those of its params and _meta. */
#include "protocol/message.h"

#include <string.h>

#include "protocol/meta.h"

enum { ENVELOPE_DEPTH = 2 }; /* a message and its params, around values with a separate limit */

/* Members that are looked for, and where they go; the sizes of their names differ. */
#define MESSAGE_PARAMS(X)                                                                          \
    X("name", name)                                                                                \
    X("_meta", meta)                                                                               \
    X("arguments", arguments)                                                                      \
    X("requestState", request_state)                                                               \
    X("inputResponses", input_responses)
#define MESSAGE_META(X)                                                                            \
    X(META_VERSION, envelope.version)                                                              \
    X(META_CLIENT_INFO, envelope.client_info)                                                      \
    X(META_CLIENT_CAPABILITIES, envelope.client_capabilities)                                      \
    X(META_LOG_LEVEL, envelope.log_level)                                                          \
    X(META_PROGRESS, envelope.progress_token)                                                      \
    X(META_TRACEPARENT, envelope.traceparent)

static void message_read_params(struct message *message)
{
    yyjson_val *key, *value;
    size_t i, n;

#define MESSAGE_MEMBER(name, member)                                                               \
    case sizeof name - 1:                                                                          \
        if (!memcmp(unsafe_yyjson_get_str(key), name, sizeof name - 1))                            \
            message->member = value;                                                               \
        break;
    yyjson_obj_foreach(message->rpc.params, i, n, key, value) {
        switch (unsafe_yyjson_get_len(key)) {
            MESSAGE_PARAMS(MESSAGE_MEMBER)
        }
    }
    if (!yyjson_is_obj(message->meta)) {
        message->meta = NULL;
        return;
    }
    yyjson_obj_foreach(message->meta, i, n, key, value) {
        switch (unsafe_yyjson_get_len(key)) {
            MESSAGE_META(MESSAGE_MEMBER)
        }
    }
#undef MESSAGE_MEMBER
}

int hf_message_read(struct message *ret_message, yyjson_val *root, size_t max_depth,
                    haft_arena *arena)
{
    static const haft_incoming_kind kinds[] = {[RPC_REQUEST] = HAFT_INCOMING_REQUEST,
                                               [RPC_NOTIFICATION] = HAFT_INCOMING_NOTIFICATION,
                                               [RPC_RESPONSE] = HAFT_INCOMING_RESPONSE};
    struct rpc_message *rpc = &ret_message->rpc;
    yyjson_val *key, *checked = root;
    int status;

    ret_message->kind = HAFT_INCOMING_INVALID;
    ret_message->root = root;
    hf_rpc_read(root, rpc);
    if (rpc->kind == RPC_INVALID)
        return 0;
    max_depth += ENVELOPE_DEPTH;
    /* Of most messages, the params are all that is left to look at. */
    if (rpc->kind != RPC_RESPONSE && rpc->plain) {
        checked = rpc->params;
        max_depth--;
    }
    status = checked ? hf_json_check(checked, max_depth, arena, &key) : 0;
    if (status == HAFT_ENOMEM)
        return status;
    if (status) {
        rpc->kind = RPC_INVALID;
        rpc->why = status == HAFT_EDEPTH ? "nested too deeply" : "a member occurs more than once";
        return 0;
    }
    ret_message->kind = kinds[rpc->kind];
    if (rpc->params)
        message_read_params(ret_message);
    return 0;
}

bool hf_message_is(const struct message *message, const char *method)
{
    return message->rpc.method && strlen(method) == message->rpc.method_size &&
           !memcmp(message->rpc.method, method, message->rpc.method_size);
}
