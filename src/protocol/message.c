/* message.c - reading a message: one look at its members, one at those of its params and _meta. */
#include "protocol/message.h"

#include <stddef.h>
#include <string.h>

#include "protocol/meta.h"

enum { ENVELOPE_DEPTH = 2 }; /* a message and its params, around what has a depth of its own */

/* A member that is looked for, and where it goes in a message. */
struct member_place {
    const char *key;
    size_t size, offset;
};

#define MEMBER_PLACE(key, member)                                                                  \
    {                                                                                              \
        key, sizeof key - 1, offsetof(struct message, member)                                      \
    }
static const struct member_place message_params[] = {
    MEMBER_PLACE("name", name), MEMBER_PLACE("arguments", arguments), MEMBER_PLACE("_meta", meta),
    MEMBER_PLACE("requestState", request_state), MEMBER_PLACE("inputResponses", input_responses)};
static const struct member_place message_meta[] = {
    MEMBER_PLACE(META_VERSION, envelope.version),
    MEMBER_PLACE(META_CLIENT_INFO, envelope.client_info),
    MEMBER_PLACE(META_CLIENT_CAPABILITIES, envelope.client_capabilities),
    MEMBER_PLACE(META_LOG_LEVEL, envelope.log_level),
    MEMBER_PLACE(META_PROGRESS, envelope.progress_token),
    MEMBER_PLACE(META_TRACEPARENT, envelope.traceparent)};
#undef MEMBER_PLACE

static void message_collect(struct message *message, yyjson_val *object,
                            const struct member_place *places, size_t n_places)
{
    yyjson_val *key, *value;
    size_t i, n;

    yyjson_obj_foreach(object, i, n, key, value) {
        const char *text = unsafe_yyjson_get_str(key);
        size_t size = unsafe_yyjson_get_len(key), k = 0;

        while (k < n_places && (size != places[k].size || memcmp(text, places[k].key, size)))
            k++;
        if (k < n_places)
            *(yyjson_val **)(void *)((char *)message + places[k].offset) = value;
    }
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
        message_collect(ret_message, rpc->params, message_params,
                        sizeof message_params / sizeof *message_params);
    if (!yyjson_is_obj(ret_message->meta))
        ret_message->meta = NULL;
    if (ret_message->meta)
        message_collect(ret_message, ret_message->meta, message_meta,
                        sizeof message_meta / sizeof *message_meta);
    return 0;
}

bool hf_message_is(const struct message *message, const char *method)
{
    return message->rpc.method && strlen(method) == message->rpc.method_size &&
           !memcmp(message->rpc.method, method, message->rpc.method_size);
}
