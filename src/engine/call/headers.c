/* headers.c - the HTTP headers of a modern request must match its body.
 *
 * Proxies route by the headers while the server executes the body; a difference could deceive one
 * of them. Values that a header cannot contain are written as base64 between =?base64? and ?=. */
#include <string.h>

#include "engine/call/headers.h"
#include "engine/call/respond.h"

enum { HEADERS_HTTP_BAD_REQUEST = 400, MAX_ABSENT_DEPTH = 4 };

bool hf_headers_mismatch(haft_call *call, const char *header, const char *why)
{
    const char *message = haft_arena_printf(call->arena, "Header mismatch: %s %s", header, why);

    call->error.http_status = HEADERS_HTTP_BAD_REQUEST;
    hf_respond_error(call, RPC_HEADER_MISMATCH, message, NULL);
    return false;
}

/* Decodes a base64 value; returns false if it is invalid. */
static bool headers_decode(haft_call *call, struct text *value)
{
    static const char before[] = "=?base64?", after[] = "?=";
    size_t n_before = sizeof before - 1, n_after = sizeof after - 1, size = value->size;
    char *plain;

    for (size_t i = 0; i < size; i++)
        if (((unsigned char)value->data[i] < 0x20 && value->data[i] != '\t') ||
            (unsigned char)value->data[i] > 0x7E)
            return false;
    if (size < n_before + n_after || memcmp(value->data, before, n_before) ||
        memcmp(value->data + size - n_after, after, n_after))
        return true;
    plain = haft_arena_alloc(call->arena, size);
    if (!plain ||
        haft_base64_decode(value->data + n_before, size - n_before - n_after, plain, &size) ||
        haft_utf8_valid(plain, size) != size)
        return false;
    *value = (struct text){plain, size};
    return true;
}

bool hf_headers_agree_on_method(haft_call *call, const char *named)
{
    const struct rpc_message *message = &call->request.message.rpc;
    const struct haft_header_index *headers = call->request.headers->index_;
    struct text value = headers->mcp_method;
    yyjson_val *name = named ? yyjson_obj_get(message->params, named) : NULL;

    if (!value.data)
        return hf_headers_mismatch(call, "Mcp-Method", "is required");
    if (value.size != message->method_size || memcmp(value.data, message->method, value.size))
        return hf_headers_mismatch(call, "Mcp-Method", "does not match the method of the request");
    if (!yyjson_is_str(name))
        return true;
    value = headers->mcp_name;
    if (!value.data)
        return hf_headers_mismatch(call, "Mcp-Name", "is required");
    if (!headers_decode(call, &value) || !yyjson_equals_strn(name, value.data, value.size))
        return hf_headers_mismatch(call, "Mcp-Name", "does not match the name in the request");
    return true;
}

/* ---- parameters ---- */

/* Reads a decimal integer as a JSON value. */
static bool read_integer(const char *value, size_t size, yyjson_val *ret_number)
{
    char text[32];

    if (!size || size >= sizeof text)
        return false;
    memcpy(text, value, size);
    text[size] = '\0';
    return yyjson_read_number(text, ret_number, 0, NULL, NULL) == text + size;
}

static bool same_value(struct text value, yyjson_val *argument)
{
    yyjson_val number = {0};

    if (yyjson_is_str(argument))
        return yyjson_equals_strn(argument, value.data, value.size);
    if (yyjson_is_bool(argument)) {
        const char *text = yyjson_get_bool(argument) ? "true" : "false";

        return strlen(text) == value.size && !memcmp(text, value.data, value.size);
    }
    return yyjson_is_num(argument) && read_integer(value.data, value.size, &number) &&
           !hf_json_compare(&number, argument);
}

/* Whether all JSON parsers read the same number, as headers require. */
static bool is_exact(yyjson_val *argument)
{
    double most = 9007199254740991;

    return !yyjson_is_num(argument) ||
           (yyjson_get_num(argument) <= most && yyjson_get_num(argument) >= -most);
}

static bool agree_on(haft_call *call, const struct property *property, yyjson_val *argument)
{
    const haft_headers *headers = call->request.headers;
    char *name = haft_arena_printf(call->arena, "mcp-param-%s", property->header);
    struct text value;
    bool again;

    if (!name)
        return hf_headers_mismatch(call, property->header, "cannot be validated: out of memory");
    for (char *c = name; *c; c++)
        *c = ascii_lower(*c);
    value = hf_header_get(headers->list, headers->n, name, &again);
    if (!argument || yyjson_is_null(argument))
        return !value.data || hf_headers_mismatch(call, name, "has no matching argument");
    if (!value.data)
        return hf_headers_mismatch(call, name, "is required");
    /* Of a repeated header, this server and a proxy may read different values. */
    if (again)
        return hf_headers_mismatch(call, name, "occurs more than once");
    if (!headers_decode(call, &value))
        return hf_headers_mismatch(call, name, "is malformed");
    if (!is_exact(argument))
        return hf_headers_mismatch(call, name, "must be an integer below 2^53");
    return same_value(value, argument) ||
           hf_headers_mismatch(call, name, "does not match the argument");
}

static bool agree_below(haft_call *call, const struct object *object, yyjson_val *arguments,
                        size_t depth)
{
    for (size_t i = 0; object && depth && i < object->n_properties; i++) {
        const struct property *property = &object->properties[i];
        yyjson_val *argument;
        size_t below;
        bool there;

        if (!property->header && !property->node->object)
            continue;
        argument = yyjson_obj_getn(arguments, property->name, property->size);
        there = yyjson_is_obj(argument);
        below = there || depth <= MAX_ABSENT_DEPTH ? depth - 1 : MAX_ABSENT_DEPTH;
        if (property->header && !agree_on(call, property, argument))
            return false;
        /* An absent argument has no headers. */
        if (!property->header &&
            !agree_below(call, property->node->object, there ? argument : NULL, below))
            return false;
    }
    return true;
}

bool hf_headers_agree_on_arguments(haft_call *call)
{
    return !hf_revision_rows[call->revision].modern ||
           agree_below(call, call->item->input->root->object, call->args.json, MAX_HEADER_DEPTH);
}
