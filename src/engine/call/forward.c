/* forward.c - headers of a request that its handler passes on, as JSON.
 *
 * Values are base64url, because a header may contain bytes that are not UTF-8. */
#include <string.h>

#include "engine/call/forward.h"

void hf_forward_write(const haft_call *call, struct json_writer *w)
{
    if (!call->request.n_forwarded)
        return;
    hf_json_begin_array(json_key(w, "headers"));
    for (size_t i = 0; i < call->request.n_forwarded; i++) {
        const haft_header *header = &call->request.forwarded[i];

        hf_json_begin_object(w);
        hf_json_text(json_key(w, "name"), header->name);
        buffer_literal(hf_json_slot(json_key(w, "value")), "\"");
        hf_base64url_put(w->out, header->value, strlen(header->value));
        buffer_literal(w->out, "\"");
        hf_json_end_object(w);
    }
    hf_json_end_array(w);
}

static bool forward_read_one(haft_call *call, yyjson_val *object, haft_header *ret_header)
{
    yyjson_val *name = rpc_string(object, "name"), *value = rpc_string(object, "value");
    size_t size = yyjson_get_len(value);
    char *bytes = name && value ? haft_arena_alloc(call->arena, BASE64URL_BYTES(size) + 1) : NULL;

    if (!bytes || hf_base64url_decode(yyjson_get_str(value), size, bytes, &size))
        return false;
    bytes[size] = '\0';
    *ret_header = (haft_header){yyjson_get_str(name), bytes};
    return true;
}

bool hf_forward_read(haft_call *call, yyjson_val *object)
{
    yyjson_val *headers = yyjson_obj_get(object, "headers"), *header;
    haft_header *list;
    size_t i, n;

    if (!headers)
        return true;
    list = haft_arena_alloc(call->arena, (yyjson_arr_size(headers) + 1) * sizeof *list);
    if (!list)
        return false;
    yyjson_arr_foreach(headers, i, n, header)
        if (!forward_read_one(call, header, &list[i]))
            return false;
    call->request.forwarded = list;
    call->request.n_forwarded = yyjson_arr_size(headers);
    return true;
}
