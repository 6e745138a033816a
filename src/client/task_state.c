/* task_state.c - what a server says about a task, and the keys of the questions that the client knows of it. */
#include "client/task.h"

#include <string.h>

#include "client/shape.h"

/* ---- reading ---- */

static enum client_task_status client_task_status_of(yyjson_val *value)
{
    static const char *const names[] = {
        [CLIENT_TASK_WORKING] = "working",     [CLIENT_TASK_INPUT_REQUIRED] = "input_required",
        [CLIENT_TASK_COMPLETED] = "completed", [CLIENT_TASK_FAILED] = "failed",
        [CLIENT_TASK_CANCELLED] = "cancelled",
    };
    yyjson_val *status = yyjson_obj_get(value, "status");

    for (int i = CLIENT_TASK_WORKING; i <= CLIENT_TASK_CANCELLED; i++)
        if (yyjson_equals_str(status, names[i]))
            return (enum client_task_status)i;
    return CLIENT_TASK_UNKNOWN;
}

enum client_task_status hf_client_task_read(yyjson_val *value, const char *id,
                                            haft_reason *reterr_reason)
{
    yyjson_val *given = yyjson_obj_get(value, "taskId");
    const char *text = yyjson_get_str(given);
    enum client_task_status status;

    if (hf_shape_check(&hf_shape_task, value, "", reterr_reason))
        return CLIENT_TASK_UNKNOWN;
    status = client_task_status_of(value);
    if (!*text || strlen(text) != yyjson_get_len(given) ||
        yyjson_get_len(given) > CLIENT_TASK_ID_MAX)
        hf_error_set(reterr_reason, HAFT_EINVAL, "taskId",
                     "must be a string of 1 to %d bytes without a NUL", CLIENT_TASK_ID_MAX);
    else if (id && strcmp(text, id) != 0)
        hf_error_set(reterr_reason, HAFT_EINVAL, "taskId", "is that of another task");
    else if (!status)
        hf_error_set(reterr_reason, HAFT_EINVAL, "status", "has the unknown value %.40s",
                     yyjson_get_str(yyjson_obj_get(value, "status")));
    else
        return status;
    return CLIENT_TASK_UNKNOWN;
}

/* ---- questions ---- */

static bool client_task_knows(const struct client_task *task, uint64_t hash)
{
    uint64_t known;

    for (size_t at = 0; at < task->keys.size; at += sizeof known) {
        memcpy(&known, task->keys.data + at, sizeof known);
        if (known == hash)
            return true;
    }
    return false;
}

bool hf_client_task_is_new(struct client_task *task, yyjson_val *key)
{
    uint64_t hash = hf_hash_bytes(yyjson_get_str(key), yyjson_get_len(key));

    if (client_task_knows(task, hash))
        return false;
    haft_buffer_add(&task->keys, &hash, sizeof hash);
    return true;
}

bool hf_client_task_has_new(const struct client_task *task, yyjson_val *questions)
{
    yyjson_obj_iter iter = yyjson_obj_iter_with(questions);
    yyjson_val *key;

    while ((key = yyjson_obj_iter_next(&iter)))
        if (!client_task_knows(task, hf_hash_bytes(yyjson_get_str(key), yyjson_get_len(key))))
            return true;
    return false;
}
