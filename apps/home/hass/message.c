/* message.c - what Home Assistant says: authentication, results, events.
 *
 * Nothing of it is trusted: a member of another type is treated as absent, and invalid JSON ends the
 * connection. */
#include "hass/message.h"

#include <stdio.h>

#include "hass/events.h"
#include "hass/filter.h"

enum {
    MESSAGE_ARENA = 512 << 20, /* a value of one byte takes sixteen */
    MESSAGE_KEPT = 1 << 20,
    MESSAGE_DEPTH = 128
};

/* Entities whose state changed with a message, for on_change. */
struct message_news {
    struct hass *hass;
    const char **ids;
    size_t n, room;
};

/* A text cut to fit, at a character's beginning. */
static void message_cut(char *ret_text, size_t room, yyjson_val *value, const char *otherwise)
{
    const char *text = yyjson_get_str(value);
    size_t size;

    text = text && *text ? text : otherwise;
    size = strlen(text);
    if (size >= room)
        for (size = room - 1; size && ((unsigned char)text[size] & 0xC0) == 0x80;)
            size--;
    memcpy(ret_text, text, size);
    ret_text[size] = '\0';
}

/* ---- events ---- */

static void message_tell(struct message_news *news, const char *id)
{
    if (!news->hass->on_change || !hass_shows(news->hass, id))
        return;
    if (news->n == news->room) {
        size_t room = news->room ? 2 * news->room : 16;
        const char **ids = haft_arena_alloc(news->hass->message, room * sizeof *ids);

        if (!ids)
            return; /* a subscriber hears of the next change */
        if (news->n)
            memcpy(ids, news->ids, news->n * sizeof *ids);
        news->ids = ids;
        news->room = room;
    }
    news->ids[news->n++] = id;
}

static void message_state_changed(struct message_news *news, yyjson_val *data)
{
    struct hass *hass = news->hass;
    yyjson_val *id = yyjson_obj_get(data, "entity_id"),
               *new_state = yyjson_obj_get(data, "new_state");
    struct state *state;
    int status = 0;

    if (!yyjson_is_str(id))
        return;
    if (yyjson_is_obj(new_state)) {
        status = hass_table_put(&hass->states, new_state, &state);
    } else if (yyjson_is_null(new_state)) {
        hass_table_remove(&hass->states, yyjson_get_str(id), yyjson_get_len(id));
    }
    if (status == HAFT_ENOMEM || status == HAFT_ETOOBIG) /* the old state is not true any more */
        hass_conn_close(hass,
                        status == HAFT_ENOMEM ? "out of memory" : "its states exceed the limit");
    if (hass->watchers)
        uv_cond_broadcast(&hass->changed);
    message_tell(news, yyjson_get_str(id));
}

static void message_list_changed(struct hass *hass, unsigned which)
{
    if (hass->conn.jobs[JOB_LISTS + which])
        hass->conn.stale |= UINT32_C(1) << which;
    else if (!hass_conn_start_job(hass, JOB_LISTS + which))
        hass_conn_close(hass, "out of memory");
}

static void message_event(struct message_news *news, yyjson_val *message, uint64_t id)
{
    yyjson_val *event = yyjson_obj_get(message, "event");
    const uint64_t *jobs = news->hass->conn.jobs;

    if (!id)
        return;
    if (id == jobs[JOB_WATCH_STATES])
        message_state_changed(news, yyjson_obj_get(event, "data"));
    for (unsigned i = 0; i < HASS_REGISTRY_COUNT; i++)
        if (id == jobs[JOB_WATCH_LISTS + i])
            message_list_changed(news->hass, i);
    hass_events_put(news->hass, id, event);
}

/* ---- results ---- */

static void message_all_states(struct hass *hass, yyjson_val *result)
{
    struct state *state;
    yyjson_val *item;
    size_t i, max;
    int status = yyjson_is_arr(result) ? 0 : HAFT_EINVAL;

    if (!status)
        hass_table_begin(&hass->states);
    yyjson_arr_foreach(result, i, max, item) {
        int put = hass_table_put(&hass->states, item, &state);

        if (put && put != HAFT_EINVAL)
            status = put;
    }
    if (status) {
        hass_conn_close(hass, status == HAFT_EINVAL   ? "it did not send its states"
                              : status == HAFT_ENOMEM ? "out of memory"
                                                      : "its states exceed the limit");
        return;
    }
    hass_table_end(&hass->states);
    uv_cond_broadcast(&hass->changed);
    hass_conn_job_done(hass, JOB_STATES);
}

static void message_list(struct hass *hass, unsigned which, yyjson_val *result)
{
    uint32_t bit = UINT32_C(1) << which;

    hass->conn.jobs[JOB_LISTS + which] = 0;
    if (hass_places_put(&hass->places, hass->allocator, (enum hass_registry)which, result) ==
        HAFT_ENOMEM) {
        hass_conn_close(hass, "out of memory");
        return;
    }
    if (hass->conn.stale & bit) {
        hass->conn.stale &= ~bit;
        message_list_changed(hass, which);
    }
    hass_conn_job_done(hass, JOB_LISTS + which);
}

static void message_job_result(struct hass *hass, unsigned job, bool success, yyjson_val *message)
{
    yyjson_val *result = success ? yyjson_obj_get(message, "result") : NULL;
    char text[200], reason[256];

    if (job >= JOB_LISTS && job < JOB_STATES) {
        message_list(hass, job - JOB_LISTS, result);
    } else if (!success && (job == JOB_STATES || job == JOB_WATCH_STATES)) {
        message_cut(text, sizeof text, yyjson_obj_get(yyjson_obj_get(message, "error"), "message"),
                    "it refused to send its states");
        snprintf(reason, sizeof reason, "%s", text);
        hass_conn_close(hass, reason);
    } else if (job == JOB_STATES) {
        message_all_states(hass, result);
    } else {
        hass_conn_job_done(hass, job); /* subscriptions that are refused are done without */
    }
}

static void message_command_result(struct hass *hass, struct command *command, bool success,
                                   yyjson_val *message)
{
    yyjson_val *result = yyjson_obj_get(message, "result"),
               *error = yyjson_obj_get(message, "error");
    haft_buffer text;

    command->state = success ? COMMAND_DONE : COMMAND_ERROR;
    message_cut(command->code, sizeof command->code, yyjson_obj_get(error, "code"),
                "unknown_error");
    message_cut(command->message, sizeof command->message, yyjson_obj_get(error, "message"),
                "Home Assistant gave no reason.");
    haft_buffer_init(&text, hass->allocator, 64 << 20);
    if (success && result)
        haft_json_write(result, &text);
    else
        haft_buffer_puts(&text, "null");
    if (!text.status)
        command->result = hass_alloc(hass->allocator, text.size);
    if (command->result) {
        memcpy(command->result, text.data, text.size);
        command->result_size = text.size;
    }
    haft_buffer_finish(&text);
    uv_cond_broadcast(&hass->moved);
}

static void message_subscription_refused(struct hass *hass, uint64_t id, yyjson_val *error)
{
    char code[64], text[256];

    message_cut(code, sizeof code, yyjson_obj_get(error, "code"), "unknown_error");
    message_cut(text, sizeof text, yyjson_obj_get(error, "message"),
                "Home Assistant gave no reason.");
    if (id)
        hass_events_refuse(hass, id, code, text);
}

static void message_result(struct hass *hass, yyjson_val *message, uint64_t id, bool success)
{
    struct command **link = &hass->commands, *command;

    for (unsigned job = 0; id && job < JOB_COUNT; job++)
        if (hass->conn.jobs[job] == id) {
            message_job_result(hass, job, success, message);
            return;
        }
    while ((command = *link) && command->id != id)
        link = &command->next;
    if (!command) {
        if (!success)
            message_subscription_refused(hass, id, yyjson_obj_get(message, "error"));
        return;
    }
    *link = command->next;
    message_command_result(hass, command, success, message);
}

/* ---- messages ---- */

static void message_refused(struct hass *hass, yyjson_val *message)
{
    char text[200];

    message_cut(text, sizeof text, yyjson_obj_get(message, "message"), "no reason was given");
    hass->conn.refused = true;
    hass_conn_close(hass, text);
}

static void message_one(struct message_news *news, yyjson_val *message)
{
    struct hass *hass = news->hass;
    const char *type = yyjson_get_str(yyjson_obj_get(message, "type"));
    uint64_t id = yyjson_get_uint(yyjson_obj_get(message, "id"));
    bool memory = true;

    if (!type || hass->conn.close)
        return;
    if (!strcmp(type, "event"))
        message_event(news, message, id);
    else if (!strcmp(type, "result"))
        message_result(hass, message, id, yyjson_is_true(yyjson_obj_get(message, "success")));
    else if (!strcmp(type, "pong"))
        message_result(hass, message, id, true);
    else if (!strcmp(type, "auth_required"))
        memory = hass_conn_authenticate(hass);
    else if (!strcmp(type, "auth_ok"))
        memory = hass_conn_synchronize(hass);
    else if (!strcmp(type, "auth_invalid"))
        message_refused(hass, message);
    if (!memory)
        hass_conn_close(hass, "out of memory");
}

static void message_value(struct message_news *news, yyjson_val *value)
{
    struct hass *hass = news->hass;
    yyjson_val *item;
    size_t i, max;

    hass->conn.heard_at = uv_hrtime();
    hass->conn.ping_at = hass->conn.missed = 0;
    if (yyjson_is_arr(value)) {
        yyjson_arr_foreach(value, i, max, item)
            message_one(news, item);
    } else {
        message_one(news, value);
    }
}

void hass_on_message(void *who, const char *text, size_t size)
{
    struct hass *hass = who;
    struct message_news news = {.hass = hass};
    size_t offset;
    const char *reason;
    yyjson_val *value;
    int status = 0;

    uv_mutex_lock(&hass->reading);
    if (!hass->message)
        hass->message = haft_arena_new(hass->allocator, MESSAGE_ARENA);
    if (!hass->message)
        status = HAFT_ENOMEM;
    else if (hf_json_text_is_deep(text, size, MESSAGE_DEPTH))
        status = HAFT_EPARSE;
    else
        status = hf_json_parse(text, size, hass->message, &value, &offset, &reason);
    uv_mutex_lock(&hass->lock);
    if (status)
        hass_conn_close(hass, status == HAFT_ENOMEM ? "out of memory" : "it sent malformed JSON");
    else
        message_value(&news, value);
    uv_mutex_unlock(&hass->lock);
    for (size_t i = 0; i < news.n; i++)
        hass->on_change(hass->on_change_context, news.ids[i]);
    if (hass->message)
        hf_arena_trim(hass->message, MESSAGE_KEPT);
    uv_mutex_unlock(&hass->reading);
    hass_drain(hass);
}
