/* create.c - a call of a tool becomes a task: it is in the store before the client knows its id. */
#include <stdio.h>

#include "base/hex.h"
#include "engine/call/forward.h"
#include "engine/call/identity.h"
#include "engine/call/respond.h"
#include "engine/session/session.h"
#include "protocol/meta.h"
#include "task/task.h"

/* The error of a task that would be lost at the end of the process. */
#define CREATE_NOT_KEPT "Internal error: the store of tasks did not save the task durably"

/* The request of a client that becomes a task; in the memory of its call. */
struct creation {
    struct task_io index, io; /* are sent together */
    atomic_int unanswered;    /* number of them */
    struct task *task;        /* NULL when it has been queued or given up */
    struct task_record record;
    haft_buffer call, text;
    struct call_task view; /* for stages: haft_call_task */
};

/* ---- what is stored ---- */

static bool create_is_of_trace(yyjson_val *key)
{
    return yyjson_equals_str(key, META_TRACEPARENT) || yyjson_equals_str(key, "tracestate");
}

static void create_put_params(haft_call *call, struct json_writer *w)
{
    const haft_trace *trace = call->request.trace;
    yyjson_val *key, *value, *arguments = hf_call_arguments(call);
    size_t i, n;

    hf_json_begin_object(json_key(w, "params"));
    hf_json_text(json_key(w, "name"), call->item->name);
    if (arguments)
        hf_json_value(json_key(w, "arguments"), arguments);
    else
        hf_json_empty_object(json_key(w, "arguments"));
    /* A process that runs an isolated handler reports progress only if the client wants it. */
    hf_json_begin_object(json_key(w, "_meta"));
    if (call->request.meta)
        yyjson_obj_foreach(call->request.meta, i, n, key, value)
            if (!yyjson_equals_str(key, META_PROGRESS) &&
                !yyjson_equals_str(key, META_CLIENT_CAPABILITIES) &&
                !(trace && create_is_of_trace(key)))
                hf_json_value(hf_json_name(w, yyjson_get_str(key), yyjson_get_len(key)), value);
    hf_json_integer(json_key(w, META_PROGRESS), 1);
    if (trace) { /* the spans of the task are children of this call */
        hf_json_text(json_key(w, META_TRACEPARENT), trace->traceparent);
        json_text_member(w, "tracestate", *trace->tracestate ? trace->tracestate : NULL);
    }
    hf_json_end_object(w);
    hf_json_end_object(w);
}

/* Writes all that the handler may ask of its call. */
static void create_put_call(haft_call *call, haft_buffer *out)
{
    struct json_writer w = {.out = out};

    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "revision"), hf_revision_rows[call->revision].name);
    if (call->request.id)
        hf_rpc_write_id(json_key(&w, "id"), call->request.id);
    json_text_member(&w, "client", call->client.name);
    json_text_member(&w, "clientVersion", call->client.version);
    json_text_member(&w, "peer", call->request.peer);
    if (call->client.capabilities)
        hf_json_value(json_key(&w, "can"), call->client.capabilities);
    if (call->request.principal)
        hf_identity_write(&call->request.identity, json_key(&w, "identity"));
    hf_forward_write(call, &w);
    create_put_params(call, &w);
    hf_json_begin_object(json_key(&w, "answers"));
    for (const struct question *q = call->asking.questions; q; q = q->next)
        if (q->answer)
            hf_json_value(hf_json_name(&w, q->key, strlen(q->key)), q->answer);
    hf_json_end_object(&w);
    hf_json_end_object(&w);
}

/* ---- limits ---- */

static size_t create_count(const struct tasks *tasks, uint64_t client)
{
    size_t n = 0;

    for (size_t i = 0; i < TASK_SLOTS; i++)
        for (const struct task *task = tasks->slots[i]; task; task = task->next)
            n += task->client == client && !task_is_over(task->record.state);
    return n;
}

/* Whether the client has as many tasks as it may, with the lock held. Tasks are counted one by one only if all
 * clients with the same hash have so many. */
static bool create_has_most(const struct tasks *tasks, uint64_t client)
{
    size_t most = tasks->options.max_per_client;

    return tasks->clients[client % TASK_SLOTS] >= most && create_count(tasks, client) >= most;
}

/* Why there is no room for a task of that client; NULL if there is. With the lock held. */
static const char *create_full(const struct tasks *tasks, uint64_t client)
{
    if (tasks->stopping)
        return "The server is shutting down";
    if (tasks->n_queued >= tasks->options.max_queued)
        return "Too many tasks are waiting to run; try again later";
    if (tasks->n_tasks >= tasks->options.max_tasks)
        return "Too many tasks are unfinished; try again later";
    if (create_has_most(tasks, client))
        return "The client has too many unfinished tasks; try again when one has ended";
    return NULL;
}

/* ---- steps ---- */

/* Ends the creation on the thread of the session. */
static void create_finish(haft_call *call, struct creation *creation, int status)
{
    haft_buffer_finish(&creation->call);
    haft_buffer_finish(&creation->text);
    haft_finish(call, status);
}

static void create_drop(struct creation *creation)
{
    struct task *task = creation->task;

    creation->task = NULL;
    hf_tasks_lock(task->tasks);
    task->writing.lost = true;
    task->place = PLACE_NONE;
    task_pin(task);
    hf_tasks_unlock(task->tasks);
    hf_task_unpin(task);
}

static void create_removed(struct task_io *io)
{
    io->tasks->allocator->release(io->tasks->allocator->context, io, sizeof *io);
}

/* Removes what a request has written, or may have written: the client gets an error, so the task must not run when
 * a process finds it later. If that fails as well, the entries expire. */
static void create_remove(const struct task_io *written)
{
    struct tasks *tasks = written->tasks;
    struct task_io *io;

    if (written->request.status != 1 && !written->request.is_unknown)
        return;
    io = tasks->allocator->alloc(tasks->allocator->context, sizeof *io);
    if (!io)
        return;
    hf_task_io_init(io, tasks, written->id, NULL, create_removed, NULL);
    io->request.space = written->request.space;
    for (size_t i = 0; i < written->request.n_ops; i++)
        hf_task_io_add(io, HAFT_STORE_DELETE, written->ops[i].key.data);
    hf_task_io_submit(io);
}

/* Both requests have been applied. */
static void create_begin(haft_call *call, struct creation *creation)
{
    struct task *task = creation->task;
    struct tasks *tasks = task->tasks;
    const struct task_io *io = &creation->io;
    bool unwanted = atomic_load(&call->cancelled), kept = hf_task_io_is_kept(io);

    creation->task = NULL;
    hf_tasks_lock(tasks);
    task->writing.version = io->ops[1].ret_version;
    task->writing.lease = io->ops[2].ret_version;
    task->writing.renews = io->request.now + tasks->options.lease_ms / 3;
    if (unwanted || !kept)
        task->place = PLACE_NONE;
    else
        hf_task_queue(task);
    task_pin(task);
    hf_tasks_unlock(tasks);
    atomic_fetch_add(&tasks->counts[TASK_WORKING], 1);
    if (unwanted || !kept)
        hf_task_end(task, TASK_CANCELLED,
                    kept ? "The client did not wait for the id" : CREATE_NOT_KEPT, NULL, 0);
    if (tasks->stopping)
        hf_task_give_up(task);
    hf_task_unpin(task);
    hf_tasks_wake_worker(tasks);
    if (!kept)
        haft_log(call, HAFT_ERROR,
                 "cannot create a task: the store (%s) accepted it, but not durably",
                 tasks->store->methods->name);
    create_finish(call, creation,
                  kept ? 0 : hf_task_refuse(call, RPC_INTERNAL_ERROR, CREATE_NOT_KEPT));
}

/* A task that is not in the index would be lost after a crash, and one that is only in the index does not exist. Until both
 * requests have been applied, nobody knows the id, and no handler runs. */
static void create_stored(struct task_io *io)
{
    haft_call *call = io->context;
    struct creation *creation = call->handler.out;
    int index, status;

    if (atomic_fetch_sub(&creation->unanswered, 1) > 1)
        return;
    index = creation->index.request.status;
    status = creation->io.request.status;
    if (index == 1 && status == 1) {
        create_begin(call, creation);
        return;
    }
    create_remove(&creation->index);
    create_remove(&creation->io);
    create_drop(creation);
    create_finish(call, creation,
                  hf_task_refuse_status(call, index < 0    ? index
                                              : status < 0 ? status
                                                           : HAFT_EEXISTS));
}

static void create_store(struct tasks *tasks, haft_call *call, struct creation *creation)
{
    const struct task_record *record = &creation->record;
    char entry[INDEX_TEXT];
    haft_store_op *op;

    atomic_init(&creation->unanswered, 2);
    hf_task_io_init(&creation->io, tasks, record->id, NULL, create_stored, call);
    creation->io.request.durable = true;
    op = hf_task_io_put(&creation->io, "call", creation->call.data, creation->call.size);
    op->expires_ms = record->ttl;
    op = hf_task_io_put(&creation->io, "task", creation->text.data, creation->text.size);
    op->if_version = true;
    op->expires_ms = record->ttl;
    op = hf_task_io_put(&creation->io, "lease", tasks->owner, HEX_TEXT);
    op->if_version = true;
    op->expires_ms = tasks->options.lease_ms;
    hf_task_io_init(&creation->index, tasks, record->id, NULL, create_stored, call);
    creation->index.request.space = TASK_INDEX;
    hf_task_index_write(INDEX_LIVE, record->principal, entry);
    hf_task_io_put(&creation->index, "task", entry, sizeof entry)->expires_ms = record->ttl;
    /* First the index, so that it is on disk when the task is; in one transaction if the store can. */
    creation->index.request.is_followed = true;
    hf_task_io_submit(&creation->index);
    hf_task_io_submit(&creation->io);
}

/* The time to live that the client, the tool or the server wants. */
static int64_t create_ttl(const struct tasks *tasks, haft_call *call)
{
    yyjson_val *wanted = yyjson_obj_get(rpc_object(call->request.params, "task"), "ttl");
    int64_t ttl = call->item->tool->task_ttl_ms;

    if (hf_revision_rows[call->revision].tasks == TASKS_EXPERIMENTAL && yyjson_is_int(wanted) &&
        yyjson_get_sint(wanted) > 0)
        ttl = yyjson_get_sint(wanted);
    if (!ttl)
        ttl = tasks->options.ttl_ms;
    return ttl > tasks->options.max_ttl_ms ? tasks->options.max_ttl_ms : ttl;
}

static int create_record(struct tasks *tasks, haft_call *call, struct task_record *record)
{
    unsigned char bytes[TASK_ID_BYTES];
    /* The clocks of loops and of tasks start at different times; all else uses the latter. */
    haft_time known = hf_tasks_now(tasks),
              now = call->owner->now > known ? call->owner->now : known;

    if (hf_tasks_random(tasks, &call->owner->loop, bytes, sizeof bytes)) {
        haft_log(call, HAFT_ERROR,
                 "cannot create a task without random bytes: set `random` of "
                 "haft_task_options, or of the loop");
        return hf_task_refuse(call, RPC_INTERNAL_ERROR, NULL);
    }
    *record = (struct task_record){.tool = call->item->name,
                                   .principal = call->request.principal,
                                   .created = now,
                                   .updated = now,
                                   .ttl = create_ttl(tasks, call),
                                   .limit = call->item->tool->task_timeout_ms,
                                   .crash = call->item->tool->task_crash,
                                   .state_text = call->asking.state};
    hf_hex_put(bytes, sizeof bytes, record->id);
    return 0;
}

/* Reserves the place of the task. */
static int create_reserve(struct tasks *tasks, haft_call *call, struct creation *creation)
{
    struct task *task = hf_task_new(tasks, &creation->record);
    const char *full;

    if (!task)
        return hf_task_refuse(call, RPC_INTERNAL_ERROR, "Out of memory");
    if (call->asking.state)
        haft_buffer_add(&task->state_text, call->asking.state, strlen(call->asking.state) + 1);
    task->place = PLACE_NEW;
    hf_tasks_lock(tasks);
    full = create_full(tasks, task->client);
    if (!full)
        hf_task_link(task);
    hf_tasks_unlock(tasks);
    if (full) {
        hf_task_free(task);
        return hf_task_refuse(call, RPC_INTERNAL_ERROR, full);
    }
    creation->task = task;
    return 0;
}

/* Returns HAFT_PENDING: haft_finish is called, perhaps before this returns. */
static int create_execute(haft_call *call)
{
    struct tasks *tasks = call->server->tasks.service;
    struct creation *creation = haft_arena_zalloc(call->arena, 1, sizeof *creation);
    int status;

    if (!creation)
        return HAFT_ENOMEM;
    call->handler.out = creation;
    hf_tasks_start_for(tasks, call);
    if (call->owner->now > atomic_load(&tasks->now))
        atomic_store(&tasks->now, call->owner->now);
    status = create_record(tasks, call, &creation->record);
    if (status)
        return status;
    creation->view.id = creation->record.id;
    call->inner.task = &creation->view;
    haft_buffer_init(&creation->call, tasks->allocator, tasks->options.max_bytes);
    haft_buffer_init(&creation->text, tasks->allocator, tasks->options.max_bytes);
    create_put_call(call, &creation->call);
    hf_task_record_write(&creation->record, &creation->text);
    status = creation->call.status ? creation->call.status : creation->text.status;
    if (status)
        hf_task_refuse_status(call, status);
    else
        status = create_reserve(tasks, call, creation);
    if (status) {
        haft_buffer_finish(&creation->call);
        haft_buffer_finish(&creation->text);
        return status;
    }
    create_store(tasks, call, creation);
    return HAFT_PENDING;
}

static void create_complete(haft_call *call)
{
    struct tasks *tasks = call->server->tasks.service;
    const struct creation *creation = call->handler.out;
    bool legacy = !hf_revision_rows[call->revision].modern;
    struct json_writer w;

    if (call->status) {
        hf_respond_error(call, RPC_INTERNAL_ERROR, NULL, NULL);
        return;
    }
    w = json_members(hf_respond_begin(call), false);
    if (legacy)
        hf_json_begin_object(json_key(&w, "task"));
    hf_task_write(&w, tasks, &creation->record, legacy);
    if (legacy)
        hf_json_end_object(&w);
    hf_respond_end(call, true, "task");
    if (legacy)
        hf_session_follow_task(call, creation->record.id);
}

/* ---- which calls become tasks ---- */

static bool create_is_supported(const haft_call *call)
{
    return haft_client_can(call, "extensions." META_TASKS);
}

bool hf_task_may_take(struct tasks *tasks, haft_call *call)
{
    (void)tasks;
    return hf_revision_rows[call->revision].tasks == TASKS_EXTENSION && !call->inner.parent &&
           !call->owner->keeps_calls && create_is_supported(call);
}

/* Ends a call with the error that it has. */
static void create_refuse(haft_call *call)
{
    call->status = HAFT_EFAIL;
    call->result.checked = true;
    call->stages.outcome = HAFT_OUTCOME_INVALID;
    hf_call_end(call);
}

/* Whether the call becomes a task: 1, 0, or -1 if it has an error. */
static int create_decide(haft_call *call, bool late)
{
    const haft_tool *tool = call->item->tool;
    bool asked = rpc_object(call->request.params, "task"),
         required = tool->task == HAFT_TASK_REQUIRED;

    switch (hf_revision_rows[call->revision].tasks) {
    case TASKS_EXTENSION:
        if (!tool->task)
            return 0;
        if (!create_is_supported(call))
            return required ? hf_task_refuse_extension(call) : 0;
        return !tool->task_late || late;
    case TASKS_EXPERIMENTAL:
        if (asked && !tool->task)
            return hf_task_refuse(call, RPC_METHOD_NOT_FOUND, "The tool does not support tasks");
        if (!asked && required)
            return hf_task_refuse(call, RPC_METHOD_NOT_FOUND, "The tool must be called as a task");
        return asked;
    default:
        return required ? hf_task_refuse(call, RPC_METHOD_NOT_FOUND,
                                         "The tool requires a client that supports tasks")
                        : 0;
    }
}

bool hf_task_take(struct tasks *tasks, haft_call *call, bool late)
{
    int decided = call->owner->keeps_calls ? 0 : create_decide(call, late);

    (void)tasks;
    if (!decided)
        return false;
    if (decided < 0) {
        create_refuse(call);
        return true;
    }
    call->asking.begins_task = false;
    call->asking.is_task = true;
    if (late)
        hf_call_clear_result(call);
    call->handler.execute = create_execute;
    call->handler.complete = create_complete;
    call->result.checked = true;
    if (late)
        call->state = CALL_RUNNING; /* also a handler that was pending */
    else
        call_move(call, CALL_RUNNING);
    call->posts.finished = false;
    call->status = create_execute(call);
    haft_call_done(call);
    return true;
}
