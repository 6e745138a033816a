/* refuse.c - errors of requests about tasks, and which tasks a client may see. */
#include <string.h>

#include "base/hex.h"
#include "protocol/meta.h"
#include "task/task.h"

enum { REFUSE_HTTP_BAD_REQUEST = 400 };

int hf_task_refuse(haft_call *call, int code, const char *message)
{
    call->error.code = code;
    call->error.message = message;
    return HAFT_EFAIL;
}

int hf_task_refuse_extension(haft_call *call)
{
    call->error.data = META_TASKS_REQUIRED;
    call->error.http_status = REFUSE_HTTP_BAD_REQUEST;
    return hf_task_refuse(call, RPC_MISSING_CAPABILITY, NULL);
}

int hf_task_refuse_status(haft_call *call, int status)
{
    switch (status) {
    case HAFT_ENOTFOUND:
        return hf_task_refuse(call, RPC_INVALID_PARAMS, "Task not found");
    case HAFT_ETOOBIG:
        haft_log(call, HAFT_ERROR,
                 "there is no room for a task: the store is full, or the arguments "
                 "exceed the limit of a task");
        return hf_task_refuse(call, RPC_INTERNAL_ERROR,
                              "Internal error: there is no room for the task");
    case HAFT_ENOMEM:
        return hf_task_refuse(call, RPC_INTERNAL_ERROR, "Out of memory");
    default:
        haft_log(call, HAFT_ERROR, "the store of tasks failed: %s", haft_strerror(status));
        return hf_task_refuse(call, RPC_INTERNAL_ERROR,
                              "Internal error: the store of tasks failed");
    }
}

bool hf_task_is_of(const struct task_record *record, const haft_call *call)
{
    const char *principal = call->request.principal;

    return record->principal && principal ? !strcmp(record->principal, principal)
                                          : !record->principal && !principal;
}

bool hf_task_id_is_right(yyjson_val *value)
{
    const char *text = yyjson_get_str(value);

    if (!yyjson_is_str(value) || yyjson_get_len(value) != TASK_ID)
        return false;
    for (size_t i = 0; i < TASK_ID; i++)
        if (hex_lower_digit(text[i]) < 0)
            return false;
    return true;
}

bool hf_task_id_of(haft_call *call, char ret_id[TASK_ID + 1])
{
    yyjson_val *id = yyjson_obj_get(call->request.params, "taskId");

    if (!yyjson_is_str(id)) {
        hf_task_refuse(call, RPC_INVALID_PARAMS, "Invalid params: \"taskId\" must be a string");
        return false;
    }
    if (!hf_task_id_is_right(id)) {
        hf_task_refuse_status(call, HAFT_ENOTFOUND);
        return false;
    }
    memcpy(ret_id, yyjson_get_str(id), TASK_ID);
    ret_id[TASK_ID] = '\0';
    return true;
}
