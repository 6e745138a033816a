/* handler.c - the call of a task: made from what the store has, so that a task which another process
 * has begun is run in the same way as a new one; and what handlers do in a task. */
#include <stdio.h>

#include "engine/call/forward.h"
#include "engine/call/identity.h"
#include "engine/call/tool_call.h"
#include "engine/call/trace.h"
#include "protocol/meta.h"
#include "task/task.h"

/* ---- for handlers ---- */

const char *haft_call_task(const haft_call *call)
{
    return call->inner.task ? call->inner.task->id : NULL;
}

int haft_task_save(haft_call *call, const void *bytes, size_t size)
{
    return call->inner.task ? call->inner.task->save(call->inner.task, bytes, size) : 0;
}

const void *haft_task_saved(haft_call *call, size_t *ret_size)
{
    if (!call->inner.task || !call->inner.task->saved)
        return NULL;
    *ret_size = call->inner.task->saved_size;
    return call->inner.task->saved;
}

int haft_task_begin(haft_call *call)
{
    if (call->inner.task || !hf_call_may_begin_task(call))
        return 0;
    call->asking.begins_task = true;
    return HAFT_AGAIN;
}

/* ---- in a task ---- */

static struct task *handler_task(struct call_task *view)
{
    return (struct task *)((char *)view - offsetof(struct task, run.view));
}

static void handler_progress(struct call_task *view, double done, double total, const char *text)
{
    struct task *task = handler_task(view);
    char message[TASK_MESSAGE];

    if (*text)
        snprintf(message, sizeof message, "%s", text);
    else if (total > 0)
        snprintf(message, sizeof message, "%g of %g", done, total);
    else
        snprintf(message, sizeof message, "%g", done);
    message[haft_utf8_valid(message, strlen(message))] = '\0';
    hf_tasks_lock(task->tasks);
    if (!task_is_over(task->record.state) && !task_is_left(task) &&
        strcmp(task->message, message) != 0) {
        memcpy(task->message, message, sizeof message);
        task->writing.dirty = true;
    }
    hf_tasks_unlock(task->tasks);
    hf_task_flush(task);
}

static int handler_save(struct call_task *view, const void *bytes, size_t size)
{
    struct task *task = handler_task(view);
    haft_buffer *saved = &task->writing.saved;
    int status;

    hf_tasks_lock(task->tasks);
    haft_buffer_clear(saved);
    haft_buffer_add(saved, bytes, size);
    status = saved->status;
    task->writing.saves = !status;
    if (status)
        haft_buffer_clear(saved);
    hf_tasks_unlock(task->tasks);
    if (!status)
        hf_task_flush(task);
    return status;
}

/* ---- the call ---- */

enum { LOAD_CALL, LOAD_TASK, LOAD_ANSWERS, LOAD_SAVED, LOAD_CANCEL };

bool hf_task_load_is_cancelled(const struct task_io *io)
{
    return io->ops[LOAD_CANCEL].status == 1;
}

static bool handler_give(haft_call *call, yyjson_val *key, yyjson_val *answer)
{
    return !yyjson_is_obj(answer) || hf_question_give(call, key, answer);
}

/* Gives the handler the answers: those from before the task, and those to its questions. A question
 * that was asked again has the key of its latest attempt. */
static bool handler_take_answers(haft_call *call, yyjson_val *root,
                                 const struct task_record *record)
{
    yyjson_val *before = rpc_object(root, "answers"), *key, *value, *question;
    size_t i, n;

    if (before)
        yyjson_obj_foreach(before, i, n, key, value)
            if (!handler_give(call, key, value))
                return false;
    if (record->questions)
        yyjson_obj_foreach(record->questions, i, n, key, question) {
            value = yyjson_obj_getn(record->answers, yyjson_get_str(key), yyjson_get_len(key));
            if (value && !handler_give(call, yyjson_obj_get(question, "key"), value))
                return false;
        }
    return true;
}

static void handler_take_client(haft_call *call, yyjson_val *root)
{
    yyjson_val *identity = rpc_object(root, "identity"), *name = rpc_string(root, "client");
    yyjson_val *revision = rpc_string(root, "revision");
    enum revision named =
        revision ? hf_revision_named(yyjson_get_str(revision), yyjson_get_len(revision))
                 : REVISIONS;

    if (identity) {
        hf_identity_read(&call->request.identity, identity);
        call->request.principal = call->request.identity.principal;
    }
    if (named < REVISIONS)
        call->revision = named;
    call->client.name = yyjson_get_str(name);
    call->client.name_size = yyjson_get_len(name);
    call->client.version = yyjson_get_str(rpc_string(root, "clientVersion"));
    call->client.capabilities = rpc_object(root, "can");
    call->request.peer = yyjson_get_str(rpc_string(root, "peer"));
    call->request.method = "tools/call";
    call->request.id = yyjson_obj_get(root, "id");
    call->request.params = rpc_object(root, "params");
    call->request.meta = rpc_object(call->request.params, "_meta");
    call->args.json = rpc_object(call->request.params, "arguments");
    if (rpc_string(call->request.meta, META_TRACEPARENT))
        hf_trace_read(call);
}

static void handler_set_view(struct task *task, const struct task_io *io)
{
    const haft_store_op *saved = &io->ops[LOAD_SAVED];

    task->run.view = (struct call_task){.id = task->record.id,
                                        .max_saved = task->tasks->options.max_bytes,
                                        .progress = handler_progress,
                                        .save = handler_save};
    if (saved->status == 1 && task->record.crash == HAFT_TASK_RESUME) {
        task->run.view.saved = saved->ret_value.size ? saved->ret_value.data : "";
        task->run.view.saved_size = saved->ret_value.size;
    }
    task->run.call->inner.task = &task->run.view;
}

static int handler_fill(struct task *task, struct task_io *io, yyjson_val *root,
                        const char **reterr_text, int *reterr_code)
{
    haft_call *call = task->run.call;
    struct task_record record;
    const struct entry *entry;

    *reterr_text = "Internal error: the task in the store is invalid";
    if (!root || hf_task_record_read(io->ops[LOAD_TASK].ret_value, call->arena, &record))
        return HAFT_EPARSE;
    if (io->ops[LOAD_ANSWERS].status == 1)
        record.answers = hf_task_object(io->ops[LOAD_ANSWERS].ret_value, call->arena);
    handler_take_client(call, root);
    if (!call->args.json || !(yyjson_is_str(call->request.id) || yyjson_is_num(call->request.id)))
        return HAFT_EPARSE;
    *reterr_text = "The tool of the task is not offered any more";
    *reterr_code = RPC_INVALID_PARAMS;
    call->catalogue = hf_catalogue_take(call->server);
    entry = hf_offer_list_find(&call->catalogue->lists[HAFT_OFFER_TOOL], record.tool,
                               strlen(record.tool));
    if (!entry || entry->disabled)
        return HAFT_ENOTFOUND;
    *reterr_text = NULL;
    *reterr_code = RPC_INTERNAL_ERROR;
    hf_inner_set_tool(call, entry);
    call->asking.state = record.state_text;
    handler_set_view(task, io);
    return hf_forward_read(call, root) && handler_take_answers(call, root, &record) ? 0
                                                                                    : HAFT_ENOMEM;
}

int hf_task_call_new(struct task *task, struct task_io *io, const char **reterr_text,
                     int *reterr_code)
{
    haft_call *call = task->run.call;
    haft_time now = hf_tasks_now(task->tasks);
    int64_t limit = task->expires > now ? task->expires - now : 1;
    int status;

    *reterr_code = RPC_INTERNAL_ERROR;
    status = handler_fill(task, io, hf_task_object(io->ops[LOAD_CALL].ret_value, call->arena),
                          reterr_text, reterr_code);
    if (status)
        return status;
    if (task->record.limit && task->record.limit < limit)
        limit = task->record.limit;
    task->run.deadline = call->time.deadline = now + limit;
    call->time.allowed_ms = limit > UINT32_MAX ? UINT32_MAX : (unsigned)limit;
    return 0;
}
