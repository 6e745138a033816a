/* record.c - a task as it is in the store, and as clients see it.
 *
 * Other processes write to the store as well, perhaps of other versions, so that every value is checked. */
#include <stdio.h>

#include "protocol/meta.h"
#include "task/task.h"

enum { RECORD_VERSION = 1 };

static const char *const record_states[] = {
#define TASK_STATE_(state, name) [state] = (name),
    TASK_STATES(TASK_STATE_)
#undef TASK_STATE_
};

const char *hf_task_state_name(enum task_state state)
{
    return record_states[state];
}

/* ---- in the store ---- */

void hf_task_record_write(const struct task_record *record, haft_buffer *out)
{
    struct json_writer w = {.out = out};

    hf_json_begin_object(&w);
    hf_json_integer(json_key(&w, "version"), RECORD_VERSION);
    hf_json_text(json_key(&w, "state"), record_states[record->state]);
    hf_json_text(json_key(&w, "tool"), record->tool);
    json_text_member(&w, "principal", record->principal);
    json_text_member(&w, "message", record->message);
    hf_json_integer(json_key(&w, "created"), record->created);
    hf_json_integer(json_key(&w, "updated"), record->updated);
    hf_json_integer(json_key(&w, "ttl"), record->ttl);
    hf_json_integer(json_key(&w, "limit"), record->limit);
    hf_json_integer(json_key(&w, "crash"), (int)record->crash);
    hf_json_bool(json_key(&w, "began"), record->began);
    hf_json_unsigned(json_key(&w, "rounds"), record->rounds);
    json_text_member(&w, "handler", record->state_text);
    if (record->questions)
        hf_json_value(json_key(&w, "questions"), record->questions);
    hf_json_end_object(&w);
}

yyjson_val *hf_task_object(haft_slice value, haft_arena *arena)
{
    haft_reason reason;
    yyjson_val *root =
        value.size ? haft_json_read(value.data, value.size, JSON_MAX_DEPTH, arena, &reason) : NULL;

    return yyjson_is_obj(root) ? root : NULL;
}

static bool record_number(yyjson_val *root, const char *key, int64_t max, int64_t *ret_number)
{
    yyjson_val *value = yyjson_obj_get(root, key);

    *ret_number = yyjson_get_sint(value);
    return yyjson_is_int(value) && *ret_number >= 0 && *ret_number <= max;
}

static const char *record_text(yyjson_val *root, const char *key)
{
    yyjson_val *value = rpc_string(root, key);

    return value && strlen(yyjson_get_str(value)) == yyjson_get_len(value) ? yyjson_get_str(value)
                                                                           : NULL;
}

static bool record_read_state(yyjson_val *root, enum task_state *ret_state)
{
    yyjson_val *name = yyjson_obj_get(root, "state");

    for (int i = 0; i < TASK_STATE_COUNT; i++)
        if (yyjson_equals_str(name, record_states[i])) {
            *ret_state = (enum task_state)i;
            return true;
        }
    return false;
}

/* Questions that are not as ask.c has written them would be sent to clients. */
static bool record_has_questions(yyjson_val *questions)
{
    yyjson_val *key, *question;
    size_t i, n;

    if (!questions)
        return true;
    if (!yyjson_is_obj(questions))
        return false;
    if (questions)
        yyjson_obj_foreach(questions, i, n, key, question)
            if (strlen(yyjson_get_str(key)) != yyjson_get_len(key) ||
                !record_text(question, "key") || !record_text(question, "method") ||
                !rpc_object(question, "params"))
                return false;
    return true;
}

int hf_task_record_read(haft_slice value, haft_arena *arena, struct task_record *ret_record)
{
    yyjson_val *root = hf_task_object(value, arena);
    struct task_record record = {.state = TASK_WORKING};
    int64_t version, crash, rounds;

    if (!root || !record_number(root, "version", RECORD_VERSION, &version) ||
        version != RECORD_VERSION || !record_read_state(root, &record.state) ||
        !record_number(root, "created", (int64_t)1 << 52, &record.created) ||
        !record_number(root, "updated", (int64_t)1 << 52, &record.updated) ||
        !record_number(root, "ttl", (int64_t)1 << 52, &record.ttl) ||
        !record_number(root, "limit", (int64_t)1 << 52, &record.limit) ||
        !record_number(root, "crash", HAFT_TASK_RESUME, &crash) ||
        !record_number(root, "rounds", TASK_MAX_ROUNDS + 1, &rounds))
        return HAFT_EPARSE;
    record.tool = record_text(root, "tool");
    record.principal = record_text(root, "principal");
    record.message = record_text(root, "message");
    record.state_text = record_text(root, "handler");
    record.crash = (haft_task_crash)crash;
    record.rounds = (unsigned)rounds;
    record.began = yyjson_is_true(yyjson_obj_get(root, "began"));
    record.questions = yyjson_obj_get(root, "questions");
    if (!record.tool || !record_has_questions(record.questions) ||
        (!record.principal && yyjson_obj_get(root, "principal")))
        return HAFT_EPARSE;
    *ret_record = record;
    return 0;
}

void hf_task_index_write(char over, const char *principal, char ret_text[INDEX_TEXT])
{
    ret_text[0] = over;
    hf_hex_to_text(hf_task_client(principal), ret_text + 1);
}

/* ---- for clients ---- */

bool hf_task_is_open(const struct task_record *record, yyjson_val *key)
{
    return !yyjson_obj_getn(record->answers, yyjson_get_str(key), yyjson_get_len(key));
}

enum task_state hf_task_seen_state(const struct task_record *record)
{
    yyjson_val *key, *question;
    size_t i, n;

    if (record->state != TASK_INPUT)
        return record->state;
    if (record->questions)
        yyjson_obj_foreach(record->questions, i, n, key, question)
            if (hf_task_is_open(record, key))
                return TASK_INPUT;
    return TASK_WORKING;
}

static void record_put_time(struct json_writer *w, haft_time time)
{
    char text[TIME_TEXT];

    hf_json_string(w, text, hf_time_to_text(time, text));
}

void hf_task_write(struct json_writer *w, const struct tasks *tasks,
                   const struct task_record *record, bool legacy)
{
    hf_json_text(json_key(w, "taskId"), record->id);
    hf_json_text(
        json_key(w, "status"),
        record_states[legacy && record->is_error ? TASK_FAILED : hf_task_seen_state(record)]);
    if (record->message && *record->message)
        hf_json_text(json_key(w, "statusMessage"), record->message);
    record_put_time(json_key(w, "createdAt"), record->created);
    record_put_time(json_key(w, "lastUpdatedAt"), record->updated);
    hf_json_integer(legacy ? json_key(w, "ttl") : json_key(w, "ttlMs"), record->ttl);
    hf_json_unsigned(legacy ? json_key(w, "pollInterval") : json_key(w, "pollIntervalMs"),
                     tasks->options.poll_ms);
}

/* The outcome of a task whose entry is missing or invalid. */
static void record_put_lost(struct json_writer *w)
{
    hf_json_begin_object(json_key(w, "error"));
    hf_json_integer(json_key(w, "code"), RPC_INTERNAL_ERROR);
    hf_json_text(json_key(w, "message"), "Internal error: the result of the task is lost");
    hf_json_end_object(w);
}

void hf_task_write_detailed(struct json_writer *w, const struct tasks *tasks,
                            const struct task_record *record)
{
    struct task_record shown = *record;
    bool lost =
        (record->state == TASK_COMPLETED || record->state == TASK_FAILED) && !record->outcome.size;
    yyjson_val *key, *question;
    size_t i, n;

    if (lost)
        shown.state = TASK_FAILED;
    hf_task_write(w, tasks, &shown, false);
    if (lost)
        record_put_lost(w);
    else if (record->state == TASK_COMPLETED)
        hf_json_raw(json_key(w, "result"), record->outcome.data, record->outcome.size);
    else if (record->state == TASK_FAILED)
        hf_json_raw(json_key(w, "error"), record->outcome.data, record->outcome.size);
    if (hf_task_seen_state(record) != TASK_INPUT)
        return;
    hf_json_begin_object(json_key(w, "inputRequests"));
    if (record->questions)
        yyjson_obj_foreach(record->questions, i, n, key, question) {
            if (!hf_task_is_open(record, key))
                continue;
            hf_json_begin_object(hf_json_name(w, yyjson_get_str(key), yyjson_get_len(key)));
            hf_json_value(json_key(w, "method"), yyjson_obj_get(question, "method"));
            hf_json_value(json_key(w, "params"), yyjson_obj_get(question, "params"));
            hf_json_end_object(w);
        }
    hf_json_end_object(w);
}

/* ---- reading all of it ---- */

enum { VIEW_TASK, VIEW_ANSWERS, VIEW_OUTCOME };

void hf_task_view_add(struct task_io *io)
{
    hf_task_io_add(io, HAFT_STORE_GET, "task");
    hf_task_io_add(io, HAFT_STORE_GET, "answers");
    hf_task_io_add(io, HAFT_STORE_GET, "outcome");
}

/* The outcome is sent as it is in the store, on one line, so it must be an object of JSON. */
static void record_read_outcome(haft_slice value, haft_arena *arena, struct task_record *record)
{
    yyjson_val *root = hf_task_object(value, arena);
    haft_buffer text;

    if (!root)
        return;
    record->is_error = yyjson_is_true(yyjson_obj_get(root, "isError"));
    haft_buffer_init(&text, hf_arena_allocator(arena), value.size * JSON_ESCAPED + 1);
    haft_json_write(root, &text);
    record->outcome = hf_text_of(arena, &text);
    if (!record->outcome.data)
        record->outcome.size = 0;
}

int hf_task_view_read(struct task_io *io, haft_arena *arena, struct task_record *ret_record)
{
    const haft_store_op *ops = io->ops;
    int status;

    if (io->request.status < 0)
        return io->request.status;
    if (ops[VIEW_TASK].status != 1)
        return HAFT_ENOTFOUND;
    status = hf_task_record_read(ops[VIEW_TASK].ret_value, arena, ret_record);
    if (status)
        return status;
    memcpy(ret_record->id, io->id, TASK_ID);
    ret_record->id[TASK_ID] = '\0';
    if (ops[VIEW_ANSWERS].status == 1)
        ret_record->answers = hf_task_object(ops[VIEW_ANSWERS].ret_value, arena);
    if (ops[VIEW_OUTCOME].status == 1 && task_is_over(ret_record->state))
        record_read_outcome(ops[VIEW_OUTCOME].ret_value, arena, ret_record);
    return 0;
}
