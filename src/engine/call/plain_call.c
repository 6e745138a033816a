/* plain_call.c - handling of resources and prompts, from lookup to response.
 *
 * A tool that fails returns a result that the model can read; resources and prompts have no such
 * result, so their failures are protocol errors. */
#include "engine/call/plain_call.h"
#include "engine/call/respond.h"

#include <string.h>

enum { QUOTED = 200 };

/* ---- serving ---- */

void hf_plain_call_start(haft_call *call, int (*execute)(haft_call *call),
                         void (*complete)(haft_call *call))
{
    hf_call_allow(call, 0);
    call->handler.execute = execute;
    call->handler.complete = complete;
    hf_call_link(call);
    hf_call_start(call);
}

const char *hf_call_error_text(haft_call *call)
{
    return call->result.is_error && !call->content.status ? hf_content_last_text(call) : NULL;
}

bool hf_plain_call_failed(haft_call *call)
{
    int status = call->status ? call->status : call->content.status;
    const char *text = hf_call_error_text(call);

    if (!status && !call->result.is_error)
        return false;
    if (status == HAFT_ECAPABILITY) {
        hf_input_refuse(call);
        return true;
    }
    if (text && (status == HAFT_EINVAL || status == HAFT_ENOTFOUND)) {
        hf_respond_error(call, RPC_INVALID_PARAMS, text, NULL);
        return true;
    }
    if (!text)
        haft_log(call, HAFT_ERROR, "failed: %s", haft_strerror(status));
    hf_respond_error(call, RPC_INTERNAL_ERROR,
                     status == HAFT_EBUSY ? "Internal error: the server is busy" : text, NULL);
    return true;
}

/* ---- errors ---- */

const char *hf_plain_call_data(haft_call *call, const char *key, const char *text, size_t size)
{
    haft_buffer data;
    struct json_writer w = {.out = &data};

    haft_buffer_init(&data, call->server->allocator, call->server->options.max_message * 2);
    hf_json_begin_object(&w);
    hf_json_string(hf_json_name(&w, key, strlen(key)), text, size);
    hf_json_end_object(&w);
    return hf_text_of(call->arena, &data).data;
}

int hf_quotable_size(const char *text, size_t size)
{
    return (int)haft_utf8_valid(text, size < QUOTED ? size : QUOTED);
}

void hf_plain_call_refuse(haft_call *call, const char *kind, yyjson_val *name,
                          const struct entry *entry)
{
    const char *text = yyjson_get_str(name);

    hf_respond_errorf(call, RPC_INVALID_PARAMS, "%s %.*s %s", kind,
                      hf_quotable_size(text, yyjson_get_len(name)), text,
                      entry ? "disabled" : "not found");
}
