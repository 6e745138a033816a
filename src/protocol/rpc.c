/* rpc.c - JSON-RPC 2.0 as MCP has it: ids are strings or integers, parameters are objects. */
#include "protocol/rpc.h"

#include <string.h>

const char *rpc_error_text(int code)
{
    switch (code) {
#define RPC_ERROR_(name, value, text)                                                              \
    case name:                                                                                     \
        return text;
        RPC_ERRORS(RPC_ERROR_)
#undef RPC_ERROR_
    default:
        return "Error";
    }
}

static bool is_id(yyjson_val *id)
{
    return yyjson_is_str(id) || yyjson_is_int(id);
}

static void invalid(struct rpc_message *message, const char *why)
{
    message->kind = RPC_INVALID;
    message->why = why;
}

/* The members of a message. */
enum member { JSONRPC, ID, METHOD, PARAMS, RESULT, ERROR, MEMBERS };

/* Which member a key names; MEMBERS for none. */
static enum member member_of(const char *key, size_t size)
{
    static const struct {
        const char *name;
        size_t size;
    } names[MEMBERS] = {
        [JSONRPC] = {"jsonrpc", 7}, [ID] = {"id", 2},         [METHOD] = {"method", 6},
        [PARAMS] = {"params", 6},   [RESULT] = {"result", 6}, [ERROR] = {"error", 5}};
    int i = 0;

    while (i < MEMBERS && (names[i].size != size || memcmp(names[i].name, key, size)))
        i++;
    return (enum member)i;
}

/* Finds each member once: one that is there twice makes the message ambiguous. */
static bool collect(yyjson_val *root, yyjson_val *found[MEMBERS])
{
    size_t i, n;
    yyjson_val *key, *value;

    yyjson_obj_foreach(root, i, n, key, value) {
        enum member member = member_of(unsafe_yyjson_get_str(key), unsafe_yyjson_get_len(key));

        if (member == MEMBERS)
            continue;
        if (found[member])
            return false;
        found[member] = value;
    }
    return true;
}

void rpc_read(yyjson_val *root, struct rpc_message *ret_message)
{
    yyjson_val *found[MEMBERS] = {NULL}, *id, *method, *params;
    struct rpc_message *message = ret_message;

    *message = (struct rpc_message){.kind = RPC_INVALID};
    if (!yyjson_is_obj(root)) {
        message->why = "a message must be an object";
        return;
    }
    if (!collect(root, found)) {
        message->why = "a member is there twice";
        return;
    }
    id = found[ID];
    method = found[METHOD];
    params = found[PARAMS];
    if (is_id(id))
        message->id = id;
    message->result = found[RESULT];
    message->error = found[ERROR];
    if (!yyjson_equals_str(found[JSONRPC], "2.0")) {
        invalid(message, "\"jsonrpc\" must be \"2.0\"");
        return;
    }
    if (id && !message->id) {
        invalid(message, "\"id\" must be a string or an integer");
        return;
    }
    if (!method && message->id && (message->result || message->error)) {
        message->kind = RPC_RESPONSE;
        return;
    }
    if (!yyjson_is_str(method)) {
        invalid(message, "\"method\" must be a string");
        return;
    }
    if (params && !yyjson_is_obj(params)) {
        invalid(message, "\"params\" must be an object");
        return;
    }
    message->method = yyjson_get_str(method);
    message->method_size = yyjson_get_len(method);
    message->params = params;
    message->kind = message->id ? RPC_REQUEST : RPC_NOTIFICATION;
}

void rpc_put_id(haft_buffer *buffer, const yyjson_val *id)
{
    haft_json_write(id, buffer);
}

bool rpc_same_id(const yyjson_val *left, const yyjson_val *right)
{
    yyjson_val *l = (yyjson_val *)(uintptr_t)left, *r = (yyjson_val *)(uintptr_t)right;

    if (yyjson_is_str(l))
        return yyjson_is_str(r) && yyjson_get_len(l) == yyjson_get_len(r) &&
               !memcmp(yyjson_get_str(l), yyjson_get_str(r), yyjson_get_len(l));
    return yyjson_is_int(l) && yyjson_is_int(r) && !json_compare(l, r);
}

void rpc_put_error(haft_buffer *buffer, const yyjson_val *id, int code, const char *message,
                   const char *data)
{
    haft_buffer_puts(buffer, "{\"jsonrpc\":\"2.0\",");
    if (id) {
        haft_buffer_puts(buffer, "\"id\":");
        rpc_put_id(buffer, id);
        haft_buffer_add(buffer, ",", 1);
    }
    haft_buffer_puts(buffer, "\"error\":{\"code\":");
    haft_buffer_json_integer(buffer, code);
    haft_buffer_puts(buffer, ",\"message\":");
    if (!message)
        message = rpc_error_text(code);
    haft_buffer_json_string(buffer, message, strlen(message));
    if (data) {
        haft_buffer_puts(buffer, ",\"data\":");
        haft_buffer_puts(buffer, data);
    }
    haft_buffer_puts(buffer, "}}");
}

yyjson_val *rpc_object(yyjson_val *object, const char *key)
{
    yyjson_val *value = yyjson_obj_get(object, key);

    return yyjson_is_obj(value) ? value : NULL;
}

yyjson_val *rpc_string(yyjson_val *object, const char *key)
{
    yyjson_val *value = yyjson_obj_get(object, key);

    return yyjson_is_str(value) ? value : NULL;
}
