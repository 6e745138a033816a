/* log.c - log lines about a call.
 *
 * They may come from any thread, so the call's memory is not used. */
#include <stdio.h>
#include <string.h>

#include "engine/call/call.h"

enum { MESSAGE = 4096 };

void hf_call_put_id(const haft_call *call, char ret_text[RPC_ID_TEXT])
{
    if (call->request.id)
        hf_rpc_id_to_text(call->request.id, ret_text, RPC_ID_TEXT);
    else
        memcpy(ret_text, "0", 2);
}

void haft_log(haft_call *call, haft_level level, const char *format, ...)
{
    const char *principal = call->request.principal;
    char line[MESSAGE], id[RPC_ID_TEXT];
    va_list args;
    int size;

    if (!hf_server_has_log(call->server))
        return;
    va_start(args, format);
    size = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    hf_call_put_id(call, id);
    hf_log_put(
        call->server,
        &(haft_record){.level = level,
                       .text = line,
                       .size = hf_log_written(size, sizeof line),
                       .request_id = call->request.id ? id : NULL,
                       .tool = haft_call_name(call),
                       .client = call->client.name,
                       .principal = principal,
                       .trace_id = call->request.trace ? call->request.trace->trace_id : NULL});
}
