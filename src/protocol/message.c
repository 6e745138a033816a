/* message.c - reading a message: one look at its members, one at those of its params and _meta. */
#include "protocol/message.h"

#include <string.h>

#include "protocol/meta.h"

enum { ENVELOPE_DEPTH = 2 }; /* a message and its params, around what has a depth of its own */

/* Whether a key, whose size has been found to be that of the name, is the name. */
#define KEY_IS(key, name) (!memcmp(key, name, sizeof(name) - 1))

/* Where a member of _meta belongs; NULL for one of somebody else's.  Their sizes differ. */
static yyjson_val **message_meta_slot(struct envelope *envelope, const char *key, size_t size)
{
    switch (size) {
    case sizeof META_VERSION - 1:
        return KEY_IS(key, META_VERSION) ? &envelope->version : NULL;
    case sizeof META_CLIENT_INFO - 1:
        return KEY_IS(key, META_CLIENT_INFO) ? &envelope->client_info : NULL;
    case sizeof META_CLIENT_CAPABILITIES - 1:
        return KEY_IS(key, META_CLIENT_CAPABILITIES) ? &envelope->client_capabilities : NULL;
    case sizeof META_LOG_LEVEL - 1:
        return KEY_IS(key, META_LOG_LEVEL) ? &envelope->log_level : NULL;
    case sizeof META_PROGRESS - 1:
        return KEY_IS(key, META_PROGRESS) ? &envelope->progress_token : NULL;
    case sizeof META_TRACEPARENT - 1:
        return KEY_IS(key, META_TRACEPARENT) ? &envelope->traceparent : NULL;
    default:
        return NULL;
    }
}

static void message_read_meta(struct message *message)
{
    yyjson_val *key, *value, **slot;
    size_t i, n;

    if (!yyjson_is_obj(message->meta)) {
        message->meta = NULL;
        return;
    }
    yyjson_obj_foreach(message->meta, i, n, key, value) {
        slot = message_meta_slot(&message->envelope, unsafe_yyjson_get_str(key),
                                 unsafe_yyjson_get_len(key));
        if (slot)
            *slot = value;
    }
}

/* Likewise of params. */
static yyjson_val **message_param_slot(struct message *message, const char *key, size_t size)
{
    switch (size) {
    case sizeof "name" - 1:
        return KEY_IS(key, "name") ? &message->name : NULL;
    case sizeof "_meta" - 1:
        return KEY_IS(key, "_meta") ? &message->meta : NULL;
    case sizeof "arguments" - 1:
        return KEY_IS(key, "arguments") ? &message->arguments : NULL;
    case sizeof "requestState" - 1:
        return KEY_IS(key, "requestState") ? &message->request_state : NULL;
    case sizeof "inputResponses" - 1:
        return KEY_IS(key, "inputResponses") ? &message->input_responses : NULL;
    default:
        return NULL;
    }
}

static void message_read_params(struct message *message)
{
    yyjson_val *key, *value, **slot;
    size_t i, n;

    yyjson_obj_foreach(message->rpc.params, i, n, key, value) {
        slot = message_param_slot(message, unsafe_yyjson_get_str(key), unsafe_yyjson_get_len(key));
        if (slot)
            *slot = value;
    }
    if (message->meta)
        message_read_meta(message);
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
        rpc->why = status == HAFT_EDEPTH ? "it nests too deep" : "a member occurs more than once";
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
