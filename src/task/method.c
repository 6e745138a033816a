/* method.c - requests of clients about tasks: tasks/get, tasks/update, tasks/cancel.
 *
 * They read and write the store only, so that any process which uses the store can serve them. An
 * answer or a cancellation is published; the owner of the task reads it. */
#include <string.h>

#include "engine/call/respond.h"
#include "protocol/meta.h"
#include "task/task.h"

enum { METHOD_TRIES = 16 };

/* ---- reading ---- */

/* A request about one task; in the memory of its call. */
struct inquiry {
    struct task_io io;
    struct task_record record;
    yyjson_val *answers; /* tasks/update: those that remain to be stored */
    haft_buffer text;
    unsigned tries;
    void (*then)(haft_call *call, int status); /* of hf_task_answer */
};

/* Reads the record of a finished request into the inquiry. Returns 0, or the error of the call. */
static int method_read(haft_call *call, struct inquiry *inquiry)
{
    int status = hf_task_view_read(&inquiry->io, call->arena, &inquiry->record);

    if (!status && !hf_task_is_of(&inquiry->record, call))
        status = HAFT_ENOTFOUND;
    return status ? hf_task_refuse_status(call, status) : 0;
}

static struct inquiry *method_begin(haft_call *call, void (*then)(struct task_io *io))
{
    struct tasks *tasks = call->server->tasks.service;
    struct inquiry *inquiry = haft_arena_zalloc(call->arena, 1, sizeof *inquiry);
    char id[TASK_ID + 1];

    if (!inquiry) {
        hf_task_refuse(call, RPC_INTERNAL_ERROR, "Out of memory");
        return NULL;
    }
    if (!hf_task_id_of(call, id))
        return NULL;
    call->handler.out = inquiry;
    hf_task_io_init(&inquiry->io, tasks, id, call->arena, then, call);
    hf_task_view_add(&inquiry->io);
    return inquiry;
}

/* ---- tasks/get ---- */

static void get_done(struct task_io *io)
{
    haft_call *call = io->context;

    haft_finish(call, method_read(call, call->handler.out));
}

static int get_execute(haft_call *call)
{
    struct inquiry *inquiry = method_begin(call, get_done);

    if (!inquiry)
        return HAFT_EFAIL;
    hf_task_io_submit(&inquiry->io);
    return HAFT_PENDING;
}

static void get_complete(haft_call *call)
{
    struct tasks *tasks = call->server->tasks.service;
    const struct inquiry *inquiry = call->handler.out;
    bool legacy = !hf_revision_rows[call->revision].modern;
    struct json_writer w;

    if (call->status) {
        hf_respond_error(call, RPC_INTERNAL_ERROR, NULL, NULL);
        return;
    }
    w = json_members(hf_respond_begin(call), false);
    if (legacy)
        hf_task_write(&w, tasks, &inquiry->record, true);
    else
        hf_task_write_detailed(&w, tasks, &inquiry->record);
    hf_respond_end(call, true, NULL);
}

/* ---- answers ---- */

static void method_read_answers(struct task_io *io);

static void answer_again(haft_call *call, struct inquiry *inquiry, const char *id)
{
    hf_task_io_init(&inquiry->io, inquiry->io.tasks, id, call->arena, method_read_answers, call);
    hf_task_view_add(&inquiry->io);
    hf_task_io_submit(&inquiry->io);
}

static void answer_stored(struct task_io *io)
{
    haft_call *call = io->context;
    struct inquiry *inquiry = call->handler.out;
    char id[TASK_ID + 1];

    memcpy(id, inquiry->record.id, sizeof id);
    haft_buffer_finish(&inquiry->text);
    if (io->request.status < 0) {
        inquiry->then(call, hf_task_refuse_status(call, io->request.status));
        return;
    }
    if (!io->request.status) { /* another client has answered at the same time */
        if (inquiry->tries++ < METHOD_TRIES)
            answer_again(call, inquiry, id);
        else
            inquiry->then(call, hf_task_refuse(call, RPC_INTERNAL_ERROR,
                                               "Internal error: the task changes too often"));
        return;
    }
    hf_task_check(io->tasks, id);
    inquiry->then(call, 0);
}

/* Writes the answers so far and the new ones. Returns the number of new ones. */
static size_t answer_put(const struct inquiry *inquiry, haft_buffer *out)
{
    const struct task_record *record = &inquiry->record;
    struct json_writer w = {.out = out};
    yyjson_val *key, *value;
    size_t i, n, added = 0;

    hf_json_begin_object(&w);
    if (record->answers)
        yyjson_obj_foreach(record->answers, i, n, key, value)
            hf_json_value(hf_json_name(&w, yyjson_get_str(key), yyjson_get_len(key)), value);
    if (inquiry->answers)
        yyjson_obj_foreach(inquiry->answers, i, n, key, value) {
            if (!yyjson_is_obj(value) || !hf_task_is_open(record, key) ||
                !yyjson_obj_getn(record->questions, yyjson_get_str(key), yyjson_get_len(key)))
                continue;
            hf_json_value(hf_json_name(&w, yyjson_get_str(key), yyjson_get_len(key)), value);
            added++;
        }
    hf_json_end_object(&w);
    return added;
}

static void method_read_answers(struct task_io *io)
{
    haft_call *call = io->context;
    struct inquiry *inquiry = call->handler.out;
    struct tasks *tasks = io->tasks;
    uint64_t version = io->ops[1].ret_version;
    bool any = io->ops[1].status == 1;
    int status = method_read(call, inquiry);
    haft_store_op *op;

    if (status || inquiry->record.state != TASK_INPUT) {
        inquiry->then(call, status);
        return;
    }
    haft_buffer_init(&inquiry->text, tasks->allocator, tasks->options.max_bytes);
    if (!answer_put(inquiry, &inquiry->text) || inquiry->text.status) {
        status = inquiry->text.status ? hf_task_refuse_status(call, inquiry->text.status) : 0;
        haft_buffer_finish(&inquiry->text);
        inquiry->then(call, status);
        return;
    }
    hf_task_io_init(io, tasks, inquiry->record.id, call->arena, answer_stored, call);
    op = hf_task_io_put(io, "answers", inquiry->text.data, inquiry->text.size);
    op->if_version = true;
    op->version = any ? version : 0;
    op->expires_ms = hf_task_left(tasks, &inquiry->record);
    hf_task_io_publish(io, CHANGE_OF_CLIENT);
    io->request.durable = true;
    hf_task_io_submit(io);
}

void hf_task_answer(struct tasks *tasks, haft_call *call, const char *id, yyjson_val *answers,
                    void (*then)(haft_call *call, int status))
{
    struct inquiry *inquiry = haft_arena_zalloc(call->arena, 1, sizeof *inquiry);

    if (!inquiry) {
        then(call, hf_task_refuse(call, RPC_INTERNAL_ERROR, "Out of memory"));
        return;
    }
    call->handler.out = inquiry;
    inquiry->answers = answers;
    inquiry->then = then;
    inquiry->io.tasks = tasks;
    answer_again(call, inquiry, id);
}

/* ---- tasks/update ---- */

static int update_execute(haft_call *call)
{
    yyjson_val *answers = yyjson_obj_get(call->request.params, "inputResponses"), *key, *value;
    char id[TASK_ID + 1];
    size_t i, n;

    if (!hf_task_id_of(call, id))
        return HAFT_EFAIL;
    if (!yyjson_is_obj(answers))
        return hf_task_refuse(call, RPC_INVALID_PARAMS,
                              "Invalid params: \"inputResponses\" must be an object");
    if (answers)
        yyjson_obj_foreach(answers, i, n, key, value)
            if (!yyjson_is_obj(value))
                return hf_task_refuse(call, RPC_INVALID_PARAMS,
                                      "Invalid params: an answer must be an object");
    hf_task_answer(call->server->tasks.service, call, id, answers, haft_finish);
    return HAFT_PENDING;
}

static void method_acknowledge(haft_call *call)
{
    if (call->status)
        hf_respond_error(call, RPC_INTERNAL_ERROR, NULL, NULL);
    else
        hf_respond_empty(call);
}

/* ---- tasks/cancel ---- */

static void cancel_stored(struct task_io *io)
{
    haft_call *call = io->context;
    struct inquiry *inquiry = call->handler.out;
    int status = io->request.status;

    if (status == 1)
        hf_task_cancel_here(io->tasks, inquiry->record.id);
    inquiry->record.state = TASK_CANCELLED;
    inquiry->record.message = "Cancelled by the client";
    inquiry->record.updated = io->request.now;
    haft_finish(call, status == 1 ? 0 : hf_task_refuse_status(call, status));
}

static void cancel_read(struct task_io *io)
{
    haft_call *call = io->context;
    struct inquiry *inquiry = call->handler.out;
    struct tasks *tasks = io->tasks;
    int status = method_read(call, inquiry);

    if (!status && task_is_over(inquiry->record.state) &&
        hf_revision_rows[call->revision].tasks == TASKS_EXPERIMENTAL)
        status = hf_task_refuse(call, RPC_INVALID_PARAMS, "The task has ended already");
    if (status || task_is_over(inquiry->record.state)) {
        haft_finish(call, status);
        return;
    }
    hf_task_io_init(io, tasks, inquiry->record.id, NULL, cancel_stored, call);
    hf_task_io_put(io, "cancel", "1", 1)->expires_ms = hf_task_left(tasks, &inquiry->record);
    hf_task_io_publish(io, CHANGE_OF_CLIENT);
    io->request.durable = true;
    hf_task_io_submit(io);
}

static int cancel_execute(haft_call *call)
{
    struct inquiry *inquiry = method_begin(call, cancel_read);

    if (!inquiry)
        return HAFT_EFAIL;
    hf_task_io_submit(&inquiry->io);
    return HAFT_PENDING;
}

/* A client of experimental tasks gets the task. */
static void cancel_complete(haft_call *call)
{
    if (hf_revision_rows[call->revision].modern)
        method_acknowledge(call);
    else
        get_complete(call);
}

/* ---- dispatch ---- */

void hf_task_method_start(haft_call *call, int (*execute)(haft_call *call),
                          void (*complete)(haft_call *call))
{
    call->handler.execute = execute;
    call->handler.complete = complete;
    hf_call_allow(call, 0);
    hf_call_link(call);
    hf_call_start(call);
}

static const struct task_method {
    const char *name;
    int (*execute)(haft_call *call);
    void (*complete)(haft_call *call);
} task_methods[] = {
    {"tasks/get", get_execute, get_complete},
    {"tasks/update", update_execute, method_acknowledge},
    {"tasks/cancel", cancel_execute, cancel_complete},
    {"tasks/result", hf_task_result, hf_task_complete_result},
    {"tasks/list", hf_task_list, hf_task_complete_list},
};

void hf_task_handle(struct tasks *tasks, haft_call *call)
{
    size_t i = 0;

    if (call->owner->now > atomic_load(&tasks->now))
        atomic_store(&tasks->now, call->owner->now);
    if (hf_revision_rows[call->revision].tasks == TASKS_EXTENSION &&
        !haft_client_can(call, "extensions." META_TASKS)) {
        hf_task_refuse_extension(call);
        hf_respond_error(call, call->error.code, NULL, call->error.data);
        return;
    }
    hf_tasks_start_for(tasks, call);
    while (strcmp(task_methods[i].name, call->request.method) != 0)
        i++;
    hf_task_method_start(call, task_methods[i].execute, task_methods[i].complete);
}
