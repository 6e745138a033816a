/* history.c - the past: states of a period over REST and WebSocket, the logbook, and long-term statistics. */
#include <math.h>

#include "demo/command.h"
#include "demo/rest.h"

#define HISTORY_HOUR (3600 * (int64_t)DEMO_SECOND)
#define HISTORY_DAY (24 * HISTORY_HOUR)

/* What of the past is asked for. */
struct history_period {
    int64_t from, to;
    bool minimal, no_attributes, all_changes, skip_initial;
};

/* The states of an entity in the period, in the scratch arena: the one that it had at the start, then the changes.
 * Without all_changes those whose state is the same are left out, but for climates, thermostats and such. */
static const struct demo_state **history_select(struct demo *demo, const struct demo_entity *entity,
                                                const struct history_period *period, size_t *ret_n)
{
    const struct demo_state **list =
        haft_arena_zalloc(demo->scratch, entity->n_history + 1, sizeof *list);
    const struct demo_state *before = NULL;
    bool significant = demo_is_in(entity, "climate") || demo_is_in(entity, "media_player");

    *ret_n = 0;
    for (size_t i = 0; list && i < entity->n_history; i++) {
        const struct demo_state *state = entity->history[i];

        if (state->updated < period->from) {
            before = state;
            continue;
        }
        if (state->updated >= period->to)
            break;
        if (before && !period->skip_initial && !*ret_n)
            list[(*ret_n)++] = before;
        if (period->all_changes || significant || !*ret_n ||
            strcmp(list[*ret_n - 1]->text, state->text) != 0)
            list[(*ret_n)++] = state;
        before = NULL;
    }
    if (list && before && !period->skip_initial && !*ret_n)
        list[(*ret_n)++] = before;
    return list;
}

static int64_t history_later(int64_t time, int64_t from)
{
    return time < from ? from : time;
}

/* ---- REST ---- */

static void history_write(struct json_writer *w, const struct demo_entity *entity,
                          const struct demo_state *state, const struct history_period *period,
                          bool whole)
{
    hf_json_begin_object(w);
    if (whole)
        hf_json_text(json_key(w, "entity_id"), entity->id);
    hf_json_text(json_key(w, "state"), state->text);
    if (whole && !period->no_attributes)
        hf_json_raw(json_key(w, "attributes"), state->attributes, strlen(state->attributes));
    else if (whole)
        hf_json_empty_object(json_key(w, "attributes"));
    demo_time_write(json_key(w, "last_changed"), history_later(state->changed, period->from));
    if (whole)
        demo_time_write(json_key(w, "last_updated"), history_later(state->updated, period->from));
    hf_json_end_object(w);
}

static void history_write_entity(struct demo_rest *rest, const char *id,
                                 const struct history_period *period)
{
    struct demo_entity *entity = demo_find(rest->demo, id);
    const struct demo_state **list;
    size_t n;

    if (!entity)
        return;
    list = history_select(rest->demo, entity, period, &n);
    if (!list)
        rest->response->body.status = HAFT_ENOMEM;
    if (!n)
        return;
    hf_json_begin_array(&rest->w);
    for (size_t i = 0; i < n; i++)
        history_write(&rest->w, entity, list[i], period, !period->minimal || !i || i + 1 == n);
    hf_json_end_array(&rest->w);
}

/* Reads the period; false with the answer written. */
static bool history_read(struct demo_rest *rest, struct history_period *ret_period)
{
    const char *end = demo_rest_query(rest, "end_time");

    ret_period->from = rest->demo->now - HISTORY_DAY;
    if (*rest->tail && !demo_time_read(rest->tail, &ret_period->from)) {
        demo_rest_message(rest, 400, "Invalid datetime");
        return false;
    }
    ret_period->to = ret_period->from + HISTORY_DAY;
    if (end && !demo_time_read(end, &ret_period->to)) {
        demo_rest_message(rest, 400, "Invalid end_time");
        return false;
    }
    return true;
}

void demo_rest_history(struct demo_rest *rest)
{
    const char *ids = demo_rest_query(rest, "filter_entity_id");
    const char *significant = demo_rest_query(rest, "significant_changes_only");
    struct history_period period = {0};
    char id[256];

    if (!history_read(rest, &period))
        return;
    if (!ids || !*ids) {
        demo_rest_message(rest, 400, "filter_entity_id is missing");
        return;
    }
    period.minimal = demo_rest_query(rest, "minimal_response");
    period.no_attributes = demo_rest_query(rest, "no_attributes");
    period.skip_initial = demo_rest_query(rest, "skip_initial_state");
    period.all_changes = significant && !strcmp(significant, "0");
    hf_json_begin_array(&rest->w);
    while (*ids && period.from <= rest->demo->now) {
        size_t size = strcspn(ids, ",");

        if (size < sizeof id) {
            memcpy(id, ids, size);
            id[size] = '\0';
            history_write_entity(rest, id, &period);
        }
        ids += size;
        ids += *ids == ',';
    }
    hf_json_end_array(&rest->w);
}

/* ---- the logbook ---- */

/* A change that people want to read: of a state, and not of a number. */
static bool history_is_told(const struct demo_entity *entity, const struct demo_state *state,
                            const struct demo_state *before)
{
    return before && strcmp(before->text, state->text) != 0 &&
           !strstr(state->attributes, "unit_of_measurement") && !demo_is_in(entity, "scene");
}

/* Whether a list, separated by commas, has the id. */
static bool history_names(const char *list, const char *id)
{
    size_t length = strlen(id);

    while (*list) {
        size_t size = strcspn(list, ",");

        if (size == length && !memcmp(list, id, size))
            return true;
        list += size;
        list += *list == ',';
    }
    return false;
}

struct history_entry {
    const struct demo_entity *entity;
    const struct demo_state *state;
};

static int history_order(const void *left, const void *right)
{
    const struct history_entry *l = left, *r = right;
    int64_t a = l->state->updated, b = r->state->updated;

    return a < b ? -1 : a > b ? 1 : strcmp(l->entity->id, r->entity->id);
}

static void history_write_entry(struct demo_rest *rest, const struct history_entry *entry)
{
    const struct demo_context *context = &entry->state->context;
    struct json_writer *w = &rest->w;
    const char *name = demo_name(rest->demo, entry->entity);

    hf_json_begin_object(w);
    demo_time_write(json_key(w, "when"), entry->state->updated);
    hf_json_text(json_key(w, "name"), name);
    hf_json_text(json_key(w, "state"), entry->state->text);
    hf_json_string(json_key(w, "domain"), entry->entity->id, strcspn(entry->entity->id, "."));
    hf_json_text(json_key(w, "entity_id"), entry->entity->id);
    if (context->by_user)
        hf_json_text(json_key(w, "context_user_id"), rest->demo->user);
    else
        hf_json_null(json_key(w, "context_user_id"));
    hf_json_end_object(w);
}

void demo_rest_logbook(struct demo_rest *rest)
{
    struct demo *demo = rest->demo;
    const char *wanted = demo_rest_query(rest, "entity");
    struct history_period period = {0};
    struct history_entry *entries;
    size_t n = 0, room = 1;

    if (!history_read(rest, &period))
        return;
    for (size_t i = 0; i < demo->n_entities; i++)
        room += demo->entities[i]->n_history;
    entries = haft_arena_zalloc(demo->scratch, room, sizeof *entries);
    if (!entries) {
        rest->response->body.status = HAFT_ENOMEM;
        return;
    }
    for (size_t i = 0; i < demo->n_entities; i++) {
        const struct demo_entity *entity = demo->entities[i];

        if (wanted && !history_names(wanted, entity->id))
            continue;
        for (size_t k = 1; k < entity->n_history; k++)
            if (entity->history[k]->updated >= period.from &&
                entity->history[k]->updated < period.to &&
                history_is_told(entity, entity->history[k], entity->history[k - 1]))
                entries[n++] = (struct history_entry){entity, entity->history[k]};
    }
    qsort(entries, n, sizeof *entries, history_order);
    hf_json_begin_array(&rest->w);
    for (size_t i = 0; i < n; i++)
        history_write_entry(rest, &entries[i]);
    hf_json_end_array(&rest->w);
}

/* ---- WebSocket ---- */

static void history_command_entity(struct demo_command *command, const char *id,
                                   const struct history_period *period)
{
    struct json_writer *w = &command->w;
    struct demo_entity *entity = demo_find(command->demo, id);
    const struct demo_state **list;
    size_t n;

    if (!entity)
        return;
    list = history_select(command->demo, entity, period, &n);
    if (!list)
        w->out->status = HAFT_ENOMEM;
    if (!n)
        return;
    hf_json_name(w, id, strlen(id));
    hf_json_begin_array(w);
    for (size_t i = 0; i < n; i++) {
        int64_t changed = history_later(list[i]->changed, period->from);
        int64_t updated = history_later(list[i]->updated, period->from);

        hf_json_begin_object(w);
        hf_json_text(json_key(w, "s"), list[i]->text);
        if (period->no_attributes || (period->minimal && i && i + 1 < n))
            hf_json_empty_object(json_key(w, "a"));
        else
            hf_json_raw(json_key(w, "a"), list[i]->attributes, strlen(list[i]->attributes));
        if (changed != updated)
            hf_json_number(json_key(w, "lc"), demo_time_seconds(changed));
        hf_json_number(json_key(w, "lu"), demo_time_seconds(updated));
        hf_json_end_object(w);
    }
    hf_json_end_array(w);
}

static void history_command(struct demo_command *command)
{
    haft_value *message = command->message, *ids = yyjson_obj_get(message, "entity_ids");
    const char *end = demo_text(message, "end_time");
    struct history_period period = {0};
    struct json_writer *w;

    demo_time_read(demo_text(message, "start_time"), &period.from);
    period.to = command->demo->now + 1;
    if (end)
        demo_time_read(end, &period.to);
    period.minimal = yyjson_is_true(yyjson_obj_get(message, "minimal_response"));
    period.no_attributes = yyjson_is_true(yyjson_obj_get(message, "no_attributes"));
    period.skip_initial = yyjson_is_false(yyjson_obj_get(message, "include_start_time_state"));
    period.all_changes = yyjson_is_false(yyjson_obj_get(message, "significant_changes_only"));
    w = demo_result_begin(command);
    hf_json_begin_object(w);
    if (yyjson_is_str(ids))
        history_command_entity(command, yyjson_get_str(ids), &period);
    for (size_t i = 0; i < yyjson_arr_size(ids); i++)
        history_command_entity(command, yyjson_get_str(yyjson_arr_get(ids, i)), &period);
    hf_json_end_object(w);
    demo_result_end(command);
}

static const struct demo_field history_fields[] = {
    {.name = "start_time", .kind = FIELD_TIME, .required = true},
    {.name = "end_time", .kind = FIELD_TIME},
    {.name = "entity_ids", .kind = FIELD_TEXTS, .required = true},
    {.name = "include_start_time_state", .kind = FIELD_BOOL},
    {.name = "significant_changes_only", .kind = FIELD_BOOL},
    {.name = "minimal_response", .kind = FIELD_BOOL},
    {.name = "no_attributes", .kind = FIELD_BOOL},
};
static const struct demo_field history_statistic_fields[] = {
    {.name = "start_time", .kind = FIELD_TIME, .required = true},
    {.name = "end_time", .kind = FIELD_TIME},
    {.name = "statistic_ids", .kind = FIELD_TEXTS, .required = true},
    {.name = "period",
     .kind = FIELD_CHOICE,
     .required = true,
     .choices = "5minute,hour,day,week,month"},
    {.name = "types", .kind = FIELD_TEXTS},
    {.name = "units", .kind = FIELD_OBJECT},
};
static const struct demo_field history_list_fields[] = {
    {.name = "statistic_type", .kind = FIELD_CHOICE, .choices = "mean,sum"}};

const struct demo_command_row demo_commands_history[] = {
    {"history/history_during_period", history_command, COMMAND_FIELDS(history_fields)},
    {"recorder/statistics_during_period", demo_statistics,
     COMMAND_FIELDS(history_statistic_fields)},
    {"recorder/list_statistic_ids", demo_statistic_ids, COMMAND_FIELDS(history_list_fields)},
    {0},
};
