/* legacy.c - the methods of experimental tasks only: tasks/result, which waits for the end of a task
 * and asks its questions meanwhile, and tasks/list. */
#include <stdlib.h>
#include <string.h>

#include "engine/call/identity.h"
#include "engine/call/respond.h"
#include "protocol/meta.h"
#include "task/task.h"

enum {
    LEGACY_PAGE = 100,
    LEGACY_READING = 64 << 20, /* bytes of a task that is read, and not kept */
    LEGACY_LIST = 1 << 20      /* bytes of a page */
};

/* ---- tasks/result ---- */

/* In the memory of the call. */
struct waiting {
    struct task_io io;
    struct task_waiter waiter;
    struct task_record record;
    char id[TASK_ID + 1];
    bool glances; /* the call has waited: the task is read to see whether it must go on waiting */
    haft_arena
        *glance; /* memory for that, because a call can wait for hours; NULL: that of the call */
};

static void result_read(struct task_io *io);

static void result_look(haft_call *call, struct waiting *waiting)
{
    struct tasks *tasks = call->server->tasks.service;

    waiting->glance = NULL;
    if (waiting->glances) {
        waiting->glance = haft_arena_new(tasks->allocator, LEGACY_READING);
        if (!waiting->glance) {
            haft_finish(call, hf_task_refuse_status(call, HAFT_ENOMEM));
            return;
        }
    }
    hf_task_io_init(&waiting->io, tasks, waiting->id,
                    waiting->glance ? waiting->glance : call->arena, result_read, call);
    hf_task_view_add(&waiting->io);
    hf_task_io_submit(&waiting->io);
}

/* The task has changed, or the client is gone. */
static void result_woken(struct task_waiter *waiter)
{
    haft_call *call = waiter->context;

    if (haft_call_cancelled(call))
        haft_finish(call, HAFT_ECANCELLED);
    else
        result_look(call, call->handler.user_data);
}

/* The client is gone: the waiter is woken elsewhere, because the call must not be ended here. */
static void result_cancelled(haft_call *call, void *context)
{
    struct waiting *waiting = context;
    struct tasks *tasks = call->server->tasks.service;

    atomic_store(&waiting->waiter.changed, true);
    atomic_store(&tasks->news, true);
    hf_tasks_wake(tasks);
}

/* Puts a question on the call, with the id of the task. */
static bool result_ask(haft_call *call, yyjson_val *key, yyjson_val *question, const char *id)
{
    yyjson_val *params = yyjson_obj_get(question, "params"), *name, *value, *whole;
    haft_buffer text;
    struct json_writer w = {.out = &text};
    bool asked;
    size_t i, n;

    haft_buffer_init(&text, call->server->allocator, call->server->options.max_message);
    hf_json_begin_object(&w);
    if (params)
        yyjson_obj_foreach(params, i, n, name, value)
            if (!yyjson_equals_str(name, "_meta"))
                hf_json_value(hf_json_name(&w, yyjson_get_str(name), yyjson_get_len(name)), value);
    hf_json_begin_object(json_key(&w, "_meta"));
    hf_json_begin_object(json_key(&w, META_RELATED_TASK));
    hf_json_text(json_key(&w, "taskId"), id);
    hf_json_end_object(&w);
    hf_json_end_object(&w);
    hf_json_end_object(&w);
    whole = text.status ? NULL : hf_task_object((haft_slice){text.data, text.size}, call->arena);
    asked = whole && hf_question_put(call, yyjson_get_str(key),
                                     yyjson_get_str(yyjson_obj_get(question, "method")), whole);
    haft_buffer_finish(&text);
    return asked;
}

/* Asks what is open. Returns the status for the call. */
static int result_ask_all(haft_call *call, const struct task_record *record)
{
    yyjson_val *key, *question;
    size_t i, n;

    call->asking.rounds = 0;
    if (record->questions)
        yyjson_obj_foreach(record->questions, i, n, key, question)
            if (hf_task_is_open(record, key) && !result_ask(call, key, question, record->id))
                return hf_task_refuse(call, RPC_INTERNAL_ERROR, "Out of memory");
    return HAFT_AGAIN;
}

/* Waits for a change. One between the reading and this is found when all waiters are woken. */
static void result_wait(haft_call *call, struct waiting *waiting)
{
    waiting->glances = true;
    atomic_store(&waiting->waiter.changed, false);
    haft_call_on_cancel(call, result_cancelled, waiting);
    hf_task_wait(call->server->tasks.service, &waiting->waiter); /* the call may be gone then */
}

/* Goes on waiting, or reads the task again, into the memory of the call. */
static void result_glance(haft_call *call, struct waiting *waiting)
{
    struct task_record record;
    bool waits = !hf_task_view_read(&waiting->io, waiting->glance, &record) &&
                 !haft_call_cancelled(call) && hf_task_seen_state(&record) == TASK_WORKING;

    haft_arena_free(waiting->glance);
    waiting->glances = waits;
    if (waits)
        result_wait(call, waiting);
    else
        result_look(call, waiting);
}

static void result_read(struct task_io *io)
{
    haft_call *call = io->context;
    struct waiting *waiting = call->handler.user_data;
    int status;

    if (waiting->glance) {
        result_glance(call, waiting);
        return;
    }
    status = hf_task_view_read(io, call->arena, &waiting->record);
    if (!status && !hf_task_is_of(&waiting->record, call))
        status = HAFT_ENOTFOUND;
    if (status) {
        haft_finish(call, hf_task_refuse_status(call, status));
    } else if (task_is_over(waiting->record.state) || haft_call_cancelled(call)) {
        haft_finish(call, 0);
    } else if (hf_task_seen_state(&waiting->record) == TASK_INPUT) {
        haft_finish(call, result_ask_all(call, &waiting->record));
    } else {
        result_wait(call, waiting);
    }
}

static void result_answered(haft_call *call, int status)
{
    if (status)
        haft_finish(call, status);
    else
        result_look(call, call->handler.user_data);
}

/* The answers that the client has given on this stream; NULL if there are none. */
static yyjson_val *result_answers(haft_call *call)
{
    haft_buffer text;
    struct json_writer w = {.out = &text};
    yyjson_val *answers = NULL;

    if (!call->asking.questions)
        return NULL;
    haft_buffer_init(&text, call->server->allocator, call->server->options.max_message * 2);
    hf_json_begin_object(&w);
    for (const struct question *q = call->asking.questions; q; q = q->next)
        if (q->answer)
            hf_json_value(hf_json_name(&w, q->key, strlen(q->key)), q->answer);
    hf_json_end_object(&w);
    if (!text.status)
        answers = hf_task_object((haft_slice){text.data, text.size}, call->arena);
    haft_buffer_finish(&text);
    return answers;
}

/* Runs at first, and again after the client has answered questions. */
int hf_task_result(haft_call *call)
{
    struct tasks *tasks = call->server->tasks.service;
    struct waiting *waiting = call->handler.user_data;
    yyjson_val *answers = result_answers(call);
    int64_t most = tasks->options.max_ttl_ms;

    if (!waiting) {
        waiting = haft_arena_zalloc(call->arena, 1, sizeof *waiting);
        if (!waiting)
            return HAFT_ENOMEM;
        if (!hf_task_id_of(call, waiting->id))
            return HAFT_EFAIL;
        waiting->waiter.woken = result_woken;
        waiting->waiter.context = call;
        memcpy(waiting->waiter.id, waiting->id, sizeof waiting->id);
        call->handler.user_data = waiting;
    }
    hf_call_allow(call, most > UINT32_MAX ? UINT32_MAX : (unsigned)most);
    if (answers)
        hf_task_answer(tasks, call, waiting->id, answers, result_answered);
    else
        result_look(call, waiting);
    return HAFT_PENDING;
}

static void result_put_meta(struct json_writer *w, yyjson_val *meta, const char *id)
{
    yyjson_val *key, *value;
    size_t i, n;

    hf_json_begin_object(json_key(w, "_meta"));
    if (meta)
        yyjson_obj_foreach(meta, i, n, key, value)
            if (!yyjson_equals_str(key, META_SERVER_INFO))
                hf_json_value(hf_json_name(w, yyjson_get_str(key), yyjson_get_len(key)), value);
    hf_json_begin_object(json_key(w, META_RELATED_TASK));
    hf_json_text(json_key(w, "taskId"), id);
    hf_json_end_object(w);
    hf_json_end_object(w);
}

static void result_fail(haft_call *call, yyjson_val *error)
{
    yyjson_val *data = yyjson_obj_get(error, "data"), *code = yyjson_obj_get(error, "code");
    haft_buffer text;

    haft_buffer_init(&text, call->server->allocator, call->server->options.max_message);
    if (data)
        haft_json_write(data, &text);
    haft_buffer_add(&text, "", 1);
    hf_respond_error(call, yyjson_is_int(code) ? yyjson_get_int(code) : RPC_INTERNAL_ERROR,
                     yyjson_get_str(rpc_string(error, "message")),
                     data && !text.status ? text.data : NULL);
    haft_buffer_finish(&text);
}

void hf_task_complete_result(haft_call *call)
{
    const struct waiting *waiting = call->handler.user_data;
    const struct task_record *record = waiting ? &waiting->record : NULL;
    yyjson_val *root, *key, *value;
    struct json_writer w;
    size_t i, n;

    if (call->status || record->state == TASK_CANCELLED) {
        hf_respond_error(call, RPC_INTERNAL_ERROR, call->status ? NULL : "The task was cancelled",
                         NULL);
        return;
    }
    root = hf_task_object((haft_slice){record->outcome.data, record->outcome.size}, call->arena);
    if (record->state == TASK_FAILED || !root) {
        result_fail(call, root);
        return;
    }
    w = json_members(hf_respond_begin(call), false);
    if (root)
        yyjson_obj_foreach(root, i, n, key, value)
            if (!yyjson_equals_str(key, "_meta") && !yyjson_equals_str(key, "resultType"))
                hf_json_value(hf_json_name(&w, yyjson_get_str(key), yyjson_get_len(key)), value);
    result_put_meta(&w, yyjson_obj_get(root, "_meta"), record->id);
    hf_respond_end(call, true, NULL);
}

/* ---- tasks/list ---- */

struct listing {
    struct task_io io;
    haft_store_scan scan;
    size_t next;
    haft_arena *reading; /* memory of the task that is read: its result can be large */
    haft_buffer text;    /* the tasks of the page so far, an array of JSON */
    struct json_writer writer;
    struct text tasks; /* all of it, in the memory of the call */
};

static void list_read(struct task_io *io);

static void list_finish(haft_call *call, struct listing *listing, int status)
{
    hf_json_end_array(&listing->writer);
    if (!status && listing->text.status)
        status = hf_task_refuse_status(call, listing->text.status);
    listing->tasks = hf_text_of(call->arena, &listing->text);
    if (!status && !listing->tasks.data)
        status = hf_task_refuse_status(call, HAFT_ENOMEM);
    haft_arena_free(listing->reading);
    haft_finish(call, status);
}

/* Reads the next task of the page, or ends. */
static void list_step(haft_call *call, struct listing *listing)
{
    struct tasks *tasks = call->server->tasks.service;
    char wanted[INDEX_TEXT];

    hf_task_index_write(INDEX_LIVE, call->request.principal, wanted);
    for (; listing->next < listing->scan.n_found; listing->next++) {
        const haft_store_found *found = &listing->scan.ret_found[listing->next];
        const char *id = hf_task_group_id(tasks, found->group);

        if (!id || found->value.size != INDEX_TEXT ||
            memcmp(found->value.data + 1, wanted + 1, HEX_TEXT) != 0)
            continue;
        listing->next++;
        hf_task_io_init(&listing->io, tasks, id, listing->reading, list_read, call);
        hf_task_view_add(&listing->io);
        hf_task_io_submit(&listing->io);
        return;
    }
    list_finish(call, listing, 0);
}

static void list_read(struct task_io *io)
{
    haft_call *call = io->context;
    struct listing *listing = call->handler.user_data;
    struct json_writer *w = &listing->writer;
    struct task_record record;
    int status = hf_task_view_read(io, listing->reading, &record);

    if (status && status != HAFT_ENOTFOUND && status != HAFT_EPARSE) {
        list_finish(call, listing, hf_task_refuse_status(call, status));
        return;
    }
    if (!status && hf_task_is_of(&record, call)) {
        hf_json_begin_object(w);
        hf_task_write(w, io->tasks, &record, true);
        hf_json_end_object(w);
    }
    haft_arena_reset(listing->reading);
    list_step(call, listing);
}

static void list_scanned(haft_store_scan *scan)
{
    haft_call *call = scan->context;
    struct tasks *tasks = call->server->tasks.service;

    if (scan->status < 0)
        list_finish(call, call->handler.user_data, hf_task_refuse_status(call, scan->status));
    else
        list_step(call, call->handler.user_data);
    atomic_fetch_sub(&tasks->pending, 1);
}

static bool list_cursor(haft_call *call, uint64_t *ret_cursor)
{
    yyjson_val *cursor = yyjson_obj_get(call->request.params, "cursor");
    const char *text = yyjson_get_str(cursor);
    char *end;

    *ret_cursor = 0;
    if (!cursor)
        return true;
    if (!text || !*text || strlen(text) > 20 || strspn(text, "0123456789") != strlen(text))
        return false;
    *ret_cursor = strtoull(text, &end, 10);
    return *ret_cursor != 0;
}

int hf_task_list(haft_call *call)
{
    struct tasks *tasks = call->server->tasks.service;
    struct listing *listing = haft_arena_zalloc(call->arena, 1, sizeof *listing);
    int status;

    if (!call_knows_client(call))
        return hf_task_refuse(call, RPC_METHOD_NOT_FOUND,
                              "The server does not list tasks of clients without authentication");
    if (!listing)
        return HAFT_ENOMEM;
    call->handler.user_data = listing;
    listing->scan = (haft_store_scan){.space = TASK_INDEX,
                                      .prefix = HAFT_SLICE(tasks->tag),
                                      .limit = LEGACY_PAGE / 2, /* a step can find some more */
                                      .now = call->owner->now,
                                      .arena = call->arena,
                                      .done = list_scanned,
                                      .context = call};
    if (!list_cursor(call, &listing->scan.cursor))
        return hf_task_refuse(call, RPC_INVALID_PARAMS, "Invalid params: the cursor is not valid");
    listing->reading = haft_arena_new(tasks->allocator, LEGACY_READING);
    if (!listing->reading)
        return HAFT_ENOMEM;
    haft_buffer_init(&listing->text, tasks->allocator, LEGACY_LIST);
    listing->writer.out = &listing->text;
    hf_json_begin_array(&listing->writer);
    atomic_fetch_add(&tasks->pending, 1);
    status = haft_store_scan_step(tasks->store, &listing->scan);
    if (status != HAFT_PENDING) {
        listing->scan.status = status;
        list_scanned(&listing->scan);
    }
    return HAFT_PENDING;
}

void hf_task_complete_list(haft_call *call)
{
    const struct listing *listing = call->handler.user_data;
    struct json_writer w;

    if (call->status) {
        hf_respond_error(call, RPC_INTERNAL_ERROR, NULL, NULL);
        return;
    }
    w = json_members(hf_respond_begin(call), false);
    hf_json_raw(json_key(&w, "tasks"), listing->tasks.data, listing->tasks.size);
    if (listing->scan.cursor)
        haft_buffer_printf(hf_json_begin_string(json_key(&w, "nextCursor")), "%llu",
                           (unsigned long long)listing->scan.cursor);
    if (listing->scan.cursor)
        hf_json_end_string(&w);
    hf_respond_end(call, true, NULL);
}
