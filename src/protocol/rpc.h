/* protocol/rpc.h - JSON-RPC 2.0: what a message is, and how one is written. */
#ifndef HAFT_SRC_RPC_H
#define HAFT_SRC_RPC_H

#include "json/writer.h"

#define RPC_ERRORS(X)                                                                              \
    X(RPC_PARSE_ERROR, -32700, "Parse error")                                                      \
    X(RPC_INVALID_REQUEST, -32600, "Invalid Request")                                              \
    X(RPC_METHOD_NOT_FOUND, -32601, "Method not found")                                            \
    X(RPC_INVALID_PARAMS, -32602, "Invalid params")                                                \
    X(RPC_INTERNAL_ERROR, -32603, "Internal error")                                                \
    X(RPC_FORBIDDEN, -32003, "Forbidden")                                                          \
    X(RPC_HEADER_MISMATCH, -32020, "Header mismatch")                                              \
    X(RPC_MISSING_CAPABILITY, -32021, "Missing required client capability")                        \
    X(RPC_UNSUPPORTED_VERSION, -32022, "Unsupported protocol version")

enum rpc_error {
#define RPC_ERROR_(name, code, text) name = code,
    RPC_ERRORS(RPC_ERROR_)
#undef RPC_ERROR_
};

const char *hf_rpc_error_text(int code);

enum rpc_kind { RPC_REQUEST, RPC_NOTIFICATION, RPC_RESPONSE, RPC_INVALID };

/* A message taken apart; the values are those of the message. */
struct rpc_message {
    enum rpc_kind kind;
    yyjson_val *id;     /* NULL when there is none that can be read */
    bool has_id;        /* there is one, whatever it is: no notification */
    const char *method; /* of a request or notification */
    size_t method_size;
    yyjson_val *params; /* an object, or NULL */
    yyjson_val *result; /* of a response: this, or */
    yyjson_val *error;
    const char *why; /* of an invalid one: the error */
    bool plain;      /* it has no members but these */
};

/* Takes apart one message, which is not an array. */
void hf_rpc_read(yyjson_val *root, struct rpc_message *ret_message);

/* The id as it came: value and type. */
void hf_rpc_put_id(haft_buffer *buffer, const yyjson_val *id);

/* The id as text for people: its digits, or the characters of a string without quotes, in which
 * U+0000 is written as \\u0000.  Text that does not fit `room`, NUL included, is cut at a whole character;
 * RPC_ID_NUMBER has room for every number, and RPC_ID_TEXT for what logs and spans keep of an id.
 * Returns the size without the NUL. */
enum { RPC_ID_NUMBER = NUMBER_TEXT, RPC_ID_TEXT = 65 };
size_t hf_rpc_id_to_text(const yyjson_val *id, char *ret_text, size_t room);

bool hf_rpc_same_id(const yyjson_val *left, const yyjson_val *right);

/* Begin a message, up to its method or its id: the caller writes what follows and ends the object. */
void hf_rpc_begin_request(struct json_writer *w, int64_t id, const char *method);
void hf_rpc_begin_notification(struct json_writer *w, const char *method);
void hf_rpc_begin_response(struct json_writer *w, const yyjson_val *id);
/* The id as it came, as the value that is next. */
void hf_rpc_write_id(struct json_writer *w, const yyjson_val *id);

/* {"jsonrpc":"2.0","id":ID,"error":{"code":...,"message":"...","data":DATA}}.  No id and no data
 * when they are NULL; message NULL for the code's own. */
void hf_rpc_put_error(haft_buffer *buffer, const yyjson_val *id, int code, const char *message,
                      const char *data);

/* A member of an object, only if it is of the type; NULL when not. */
static inline yyjson_val *rpc_object(yyjson_val *object, const char *key)
{
    yyjson_val *value = yyjson_obj_get(object, key);

    return yyjson_is_obj(value) ? value : NULL;
}

static inline yyjson_val *rpc_string(yyjson_val *object, const char *key)
{
    yyjson_val *value = yyjson_obj_get(object, key);

    return yyjson_is_str(value) ? value : NULL;
}

#endif
