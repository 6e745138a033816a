/* rpc.c - JSON-RPC 2.0 as MCP has it: ids are strings or integers, parameters are objects. */
#include "protocol/rpc.h"

#include <string.h>

const char *hf_rpc_error_text(int code)
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

/* The members of a message, and their names as NAME_KEY needs them. */
#define RPC_MEMBERS(X)                                                                             \
    X(JSONRPC, 'j', "jsonrpc")                                                                     \
    X(ID, 'i', "id")                                                                               \
    X(METHOD, 'm', "method")                                                                       \
    X(PARAMS, 'p', "params")                                                                       \
    X(RESULT, 'r', "result")                                                                       \
    X(ERROR, 'e', "error")

enum rpc_member {
#define RPC_MEMBER_(member, first, name) member,
    RPC_MEMBERS(RPC_MEMBER_) MEMBERS
#undef RPC_MEMBER_
};

void hf_rpc_read(yyjson_val *root, struct rpc_message *ret_message)
{
    yyjson_val *found[MEMBERS] = {NULL}, *id, *method, *params, *key, *value;
    struct rpc_message *message = ret_message;
    unsigned twice = 0; /* bits of members that are there twice: they make a message ambiguous */
    bool answers;
    size_t i, n;

    *message = (struct rpc_message){.kind = RPC_INVALID, .plain = true};
    if (!yyjson_is_obj(root)) {
        message->why = "a message must be an object";
        return;
    }
    yyjson_obj_foreach(root, i, n, key, value) {
        const char *text = unsafe_yyjson_get_str(key);
        enum rpc_member member = MEMBERS;

        switch (NAME_KEY(*text, unsafe_yyjson_get_len(key))) {
#define RPC_CASE(name, first, wanted)                                                              \
    case NAME_KEY(first, sizeof wanted - 1):                                                       \
        member = memcmp(text, wanted, sizeof wanted - 1) ? MEMBERS : name;                         \
        break;
            RPC_MEMBERS(RPC_CASE)
#undef RPC_CASE
        }
        if (member == MEMBERS) {
            message->plain = false;
            continue;
        }
        if (found[member])
            twice |= 1u << member;
        found[member] = value;
    }
    id = found[ID];
    method = found[METHOD];
    params = found[PARAMS];
    message->has_id = id;
    if ((yyjson_is_str(id) || yyjson_is_int(id)) && !(twice & 1u << ID))
        message->id = id;
    message->result = found[RESULT];
    message->error = found[ERROR];
    answers = !method && message->id && (message->result || message->error);
    message->why = twice ? "a member occurs more than once"
                   : !yyjson_equals_strn(found[JSONRPC], "2.0", 3) ? "\"jsonrpc\" must be \"2.0\""
                   : id && !message->id               ? "\"id\" must be a string or an integer"
                   : answers                          ? NULL
                   : !yyjson_is_str(method)           ? "\"method\" must be a string"
                   : params && !yyjson_is_obj(params) ? "\"params\" must be an object"
                                                      : NULL;
    if (message->why)
        return;
    message->kind = answers ? RPC_RESPONSE : message->id ? RPC_REQUEST : RPC_NOTIFICATION;
    message->method = yyjson_get_str(method);
    message->method_size = yyjson_get_len(method);
    message->params = answers ? NULL : params;
}

void hf_rpc_put_id(haft_buffer *buffer, const yyjson_val *id)
{
    yyjson_val *value = (yyjson_val *)(uintptr_t)id;

    if (yyjson_is_str(value))
        haft_buffer_json_string(buffer, unsafe_yyjson_get_str(value), unsafe_yyjson_get_len(value));
    else if (value->uni.i64 >= 0 || yyjson_is_sint(value))
        haft_buffer_json_integer(buffer, value->uni.i64);
    else
        haft_json_write(id, buffer);
}

/* Of any integer of 64 bits, signed or not. */
static size_t rpc_number_to_text(yyjson_val *id, char ret_text[RPC_ID_NUMBER])
{
    uint64_t number = unsafe_yyjson_get_uint(id);
    size_t size;

    if (!yyjson_is_uint(id) || number <= INT64_MAX)
        return hf_integer_to_text(unsafe_yyjson_get_sint(id), ret_text);
    size = hf_integer_to_text((int64_t)(number / 10), ret_text);
    ret_text[size++] = (char)('0' + number % 10);
    ret_text[size] = '\0';
    return size;
}

static size_t rpc_string_to_text(const char *string, size_t n, char *ret_text, size_t room)
{
    static const char nul[] = "\\u0000";
    size_t size = 0;

    for (size_t i = 0; i < n; i++) {
        size_t bytes = string[i] ? 1 : sizeof nul - 1;

        if (size + bytes >= room)
            break;
        memcpy(ret_text + size, string[i] ? string + i : nul, bytes);
        size += bytes;
    }
    size = haft_utf8_valid(ret_text, size);
    ret_text[size] = '\0';
    return size;
}

size_t hf_rpc_id_to_text(const yyjson_val *id, char *ret_text, size_t room)
{
    yyjson_val *value = (yyjson_val *)(uintptr_t)id;
    char number[RPC_ID_NUMBER];

    if (yyjson_is_str(value))
        return rpc_string_to_text(unsafe_yyjson_get_str(value), unsafe_yyjson_get_len(value),
                                  ret_text, room);
    if (room >= RPC_ID_NUMBER)
        return rpc_number_to_text(value, ret_text);
    return rpc_string_to_text(number, rpc_number_to_text(value, number), ret_text, room);
}

bool hf_rpc_same_id(const yyjson_val *left, const yyjson_val *right)
{
    yyjson_val *l = (yyjson_val *)(uintptr_t)left, *r = (yyjson_val *)(uintptr_t)right;

    if (yyjson_is_str(l))
        return yyjson_is_str(r) && yyjson_get_len(l) == yyjson_get_len(r) &&
               !memcmp(yyjson_get_str(l), yyjson_get_str(r), yyjson_get_len(l));
    return yyjson_is_int(l) && yyjson_is_int(r) && !hf_json_compare(l, r);
}

void hf_rpc_write_id(struct json_writer *w, const yyjson_val *id)
{
    hf_rpc_put_id(hf_json_slot(w), id);
}

static void rpc_begin(struct json_writer *w)
{
    hf_json_begin_object(w);
    hf_json_text(json_key(w, "jsonrpc"), "2.0");
}

void hf_rpc_begin_request(struct json_writer *w, int64_t id, const char *method)
{
    rpc_begin(w);
    hf_json_integer(json_key(w, "id"), id);
    hf_json_text(json_key(w, "method"), method);
}

void hf_rpc_begin_notification(struct json_writer *w, const char *method)
{
    rpc_begin(w);
    hf_json_text(json_key(w, "method"), method);
}

void hf_rpc_begin_response(struct json_writer *w, const yyjson_val *id)
{
    rpc_begin(w);
    if (id)
        hf_rpc_write_id(json_key(w, "id"), id);
}

void hf_rpc_put_error(haft_buffer *buffer, const yyjson_val *id, int code, const char *message,
                      const char *data)
{
    struct json_writer w = {.out = buffer};

    hf_rpc_begin_response(&w, id);
    hf_json_begin_object(json_key(&w, "error"));
    hf_json_integer(json_key(&w, "code"), code);
    hf_json_text(json_key(&w, "message"), message ? message : hf_rpc_error_text(code));
    if (data)
        hf_json_raw(json_key(&w, "data"), data, strlen(data));
    hf_json_end_object(&w);
    hf_json_end_object(&w);
}
