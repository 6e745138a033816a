/* history - states of the past, or long-term statistics, evenly sampled where there are too many. */
#include <string.h>

#include "tools/records.h"

enum { HISTORY_ENTITIES = 10 };

typedef enum history_step { STEP_5MINUTE, STEP_HOUR, STEP_DAY, STEP_WEEK, STEP_MONTH } history_step;
HAFT_ENUM_NAMES(history_step, HAFT_VALUE(STEP_5MINUTE, "5minute"), HAFT_VALUE(STEP_HOUR, "hour"),
                HAFT_VALUE(STEP_DAY, "day"), HAFT_VALUE(STEP_WEEK, "week"),
                HAFT_VALUE(STEP_MONTH, "month"));
HAFT_STRUCT(history_args,
    HAFT_UNION(entity_id, home_texts, "Entity id, or up to 10"),
    HAFT_STRING(start_time, "ISO 8601"),
    HAFT_OPTIONAL(HAFT_STRING(end_time, "Default: a day later")),
    HAFT_DEFAULT(HAFT_BOOLEAN(minimal_response, "Without attributes"), true),
    HAFT_DEFAULT(HAFT_BOOLEAN(significant_changes_only, "Changes of state"), true),
    HAFT_DEFAULT(HAFT_INTEGER(limit, "Points in all", .min = 1, .max = 1000), 200),
    HAFT_OPTIONAL(HAFT_ENUM(statistics, history_step, "Instead of states")));

/* A state with its attributes, or statistics: mean, min, max, sum, change. */
HAFT_STRUCT(history_point,
    HAFT_STRING(when, NULL),
    HAFT_OPTIONAL(HAFT_STRING(state, NULL)),
    HAFT_OPTIONAL(HAFT_MAP(values, HAFT_JSON(value, NULL), NULL)));
HAFT_STRUCT(history_series,
    HAFT_STRING(entity_id, NULL),
    HAFT_ARRAY(points, HAFT_OBJECT(point, history_point, NULL), NULL),
    HAFT_INTEGER(total, NULL),
    HAFT_BOOLEAN(downsampled, NULL));
HAFT_STRUCT(history_result,
    HAFT_ARRAY(series, HAFT_OBJECT(item, history_series, NULL), NULL));

HAFT_STRUCT(statistics_request,
    HAFT_STRING(start_time, "Start"),
    HAFT_OPTIONAL(HAFT_STRING(end_time, "End")),
    HAFT_ARRAY(statistic_ids, HAFT_STRING(id, "Id"), "Ids"),
    HAFT_STRING(period, "Period"));

/* ---- points ---- */

/* Members of an object as values of a point, without those that `leaves_out` names and without null. */
static int history_values(haft_call *call, haft_value *object, bool statistics, history_point *out)
{
    size_t i, n, room = yyjson_obj_size(object) + 1;
    entity of = {.attributes_keys = haft_call_alloc(call, room * sizeof *of.attributes_keys),
                 .attributes = haft_call_alloc(call, room * sizeof *of.attributes)};
    haft_value *key, *value;

    if (!of.attributes_keys || !of.attributes)
        return HAFT_ENOMEM;
    yyjson_obj_foreach(object, i, n, key, value) {
        const char *name = yyjson_get_str(key);

        if (statistics && (!yyjson_is_num(value) || !strcmp(name, "start") || !strcmp(name, "end")))
            continue;
        of.attributes_keys[of.n_attributes] = name;
        of.attributes[of.n_attributes++] = value;
    }
    if (!statistics && home_brief(call, &of))
        return HAFT_ENOMEM;
    out->has_values = true;
    out->n_values = of.n_attributes;
    out->values_keys = of.attributes_keys;
    out->values = of.attributes;
    return 0;
}

/* A state, as REST sends it. */
static int history_state_point(haft_call *call, const history_args *in, haft_value *from,
                               history_point *out)
{
    const char *when = home_member(from, "last_updated"), *state = home_member(from, "state");

    if (!when)
        when = home_member(from, "last_changed");
    out->when = when ? when : "";
    out->has_state = true;
    out->state = state ? state : "";
    if (in->minimal_response || !yyjson_is_obj(yyjson_obj_get(from, "attributes")))
        return 0;
    return history_values(call, yyjson_obj_get(from, "attributes"), false, out);
}

static int history_statistic_point(haft_call *call, haft_value *from, history_point *out)
{
    double start = yyjson_get_num(yyjson_obj_get(from, "start"));

    out->when = home_time_text(call, start > 0 && start < 1e15 ? (int64_t)start : 0);
    return out->when ? history_values(call, from, true, out) : HAFT_ENOMEM;
}

/* ---- series ---- */

/* At most `most` of what an array has; NULL is an empty one. */
static int history_sample(haft_call *call, const history_args *in, haft_value *list, size_t most,
                          history_series *out)
{
    size_t total = yyjson_is_arr(list) ? yyjson_arr_size(list) : 0;
    size_t n = total < most ? total : most, next = 0, at, all;
    haft_value *item;
    int status = 0;

    out->points = haft_arena_zalloc(haft_call_arena(call), n + 1, sizeof *out->points);
    if (!out->points)
        return HAFT_ENOMEM;
    out->total = (int64_t)total;
    out->downsampled = n < total;
    if (!n)
        return 0;
    yyjson_arr_foreach(list, at, all, item) {
        if (next == n || at != home_evenly(next, total, most))
            continue;
        next++;
        status = in->has_statistics
                     ? history_statistic_point(call, item, &out->points[out->n_points++])
                     : history_state_point(call, in, item, &out->points[out->n_points++]);
        if (status)
            break;
    }
    return status;
}

/* What an answer has about an entity: arrays of REST begin with a state that has its id. */
static haft_value *history_of(haft_value *answer, const char *entity_id)
{
    haft_value *list;
    size_t i, n;

    if (yyjson_is_obj(answer))
        return yyjson_obj_get(answer, entity_id);
    yyjson_arr_foreach(answer, i, n, list)
        if (yyjson_equals_str(yyjson_obj_get(yyjson_arr_get_first(list), "entity_id"), entity_id))
            return list;
    return NULL;
}

static int history_states(haft_call *call, const history_args *in, const char *const *ids, size_t n,
                          haft_value **ret_answer)
{
    const char *path =
        home_period(call, "/api/history/period", in->start_time,
                    in->has_end_time ? in->end_time : NULL, "filter_entity_id", ids, n);
    struct hass_answer answer;
    int status;

    /* The first state needs its entity id, which a minimal response has too. */
    if (path)
        path = haft_call_printf(call, "%s%s%s", path,
                                in->minimal_response ? "&minimal_response&no_attributes" : "",
                                in->significant_changes_only ? "" : "&significant_changes_only=0");
    if (!path)
        return HAFT_ENOMEM;
    status = hass_request(call, "GET", path, NULL, NULL, &answer);
    return status ? status : hass_json(call, &answer, ret_answer);
}

static int history_statistics(haft_call *call, const history_args *in, const char *const *ids,
                              size_t n, haft_value **ret_answer)
{
    statistics_request request = {.start_time = in->start_time,
                                  .has_end_time = in->has_end_time,
                                  .end_time = in->end_time,
                                  .n_statistic_ids = n,
                                  .period = history_step_type.values[in->statistics]};
    const char *fields;

    request.statistic_ids = haft_call_alloc(call, n * sizeof *request.statistic_ids);
    if (!request.statistic_ids)
        return HAFT_ENOMEM;
    memcpy(request.statistic_ids, ids, n * sizeof *ids);
    fields = hass_data(call, &statistics_request_type, &request);
    return fields
               ? hass_command(call, "recorder/statistics_during_period", fields, NULL, ret_answer)
               : HAFT_EFAIL;
}

static int history(haft_call *call, const history_args *in, history_result *out)
{
    size_t n, most;
    const char *const *ids = home_texts_list(&in->entity_id, &n);
    haft_value *answer = NULL;
    entity one;
    int status = n <= HISTORY_ENTITIES ? 0
                                       : home_fail(call, "%zu entities are too many; at most %d.",
                                                   n, HISTORY_ENTITIES);

    for (size_t i = 0; i < n && !status; i++)
        status = hass_state(call, ids[i], &one);
    if (!status)
        status = in->has_statistics ? history_statistics(call, in, ids, n, &answer)
                                    : history_states(call, in, ids, n, &answer);
    if (status)
        return status;
    out->series = haft_arena_zalloc(haft_call_arena(call), n, sizeof *out->series);
    if (!out->series)
        return HAFT_ENOMEM;
    most = (size_t)in->limit / n;
    for (size_t i = 0; i < n && !status; i++) {
        out->series[i].entity_id = ids[i];
        status =
            history_sample(call, in, history_of(answer, ids[i]), most ? most : 1, &out->series[i]);
        out->n_series++;
    }
    return status;
}
HAFT_TOOL(history, history_args, history_result,
          "Get past states of entities, or long-term statistics, evenly sampled to the limit.",
          HOME_READS_AGAIN);
HOME_EXPORT(history);
