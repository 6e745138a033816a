/* statistics.c - long-term statistics of sensors, which follow from their curves for any time of the past. */
#include "demo/command.h"

#define STATISTICS_MINUTE (60 * (int64_t)DEMO_SECOND)
#define STATISTICS_DAY (1440 * STATISTICS_MINUTE)

enum { STATISTICS_ROWS = 10000 };

static bool statistics_is_meter(struct demo *demo, const char *id)
{
    struct demo_entity *entity = demo_find(demo, id);
    const char *class = entity ? demo_text(demo_attributes(demo, entity), "state_class") : NULL;

    return class && !strcmp(class, "total_increasing");
}

static int64_t statistics_step(const char *period)
{
    static const struct {
        const char *name;
        int64_t minutes;
    } periods[] = {
        {"5minute", 5}, {"hour", 60}, {"day", 1440}, {"week", 7 * 1440}, {"month", 30 * 1440}};

    for (size_t i = 0; i < sizeof periods / sizeof *periods; i++)
        if (!strcmp(periods[i].name, period))
            return periods[i].minutes * STATISTICS_MINUTE;
    return 60 * STATISTICS_MINUTE;
}

static bool statistics_wants(haft_value *types, const char *type)
{
    return !types || demo_lists(types, type);
}

static void statistics_number(struct json_writer *w, haft_value *types, const char *name,
                              double value)
{
    if (!statistics_wants(types, name))
        return;
    hf_json_name(w, name, strlen(name));
    hf_json_number(w, value);
}

/* A period of a meter: what it shows at the end, and how much that is more than before. */
static void statistics_meter(struct demo *demo, struct json_writer *w, const char *id, int64_t from,
                             int64_t to, haft_value *types)
{
    double first = 0, before = 0, now = 0;

    demo_house_value(demo, id, demo->started - 30 * STATISTICS_DAY, &first);
    demo_house_value(demo, id, from, &before);
    demo_house_value(demo, id, to, &now);
    statistics_number(w, types, "state", now);
    statistics_number(w, types, "sum", now - first);
    statistics_number(w, types, "change", now - before);
}

static void statistics_measure(struct demo *demo, struct json_writer *w, const char *id,
                               int64_t from, int64_t to, haft_value *types)
{
    int64_t step =
        (to - from) / 48 > 5 * STATISTICS_MINUTE ? (to - from) / 48 : 5 * STATISTICS_MINUTE;
    double sum = 0, low = 0, high = 0, value;
    int n = 0;

    for (int64_t at = from; at < to; at += step, n++) {
        demo_house_value(demo, id, at, &value);
        sum += value;
        low = !n || value < low ? value : low;
        high = !n || value > high ? value : high;
    }
    statistics_number(w, types, "mean", n ? sum / n : 0);
    statistics_number(w, types, "min", low);
    statistics_number(w, types, "max", high);
}

static void statistics_entity(struct demo_command *command, const char *id, int64_t from,
                              int64_t to, int64_t step)
{
    struct json_writer *w = &command->w;
    haft_value *types = yyjson_obj_get(command->message, "types");
    bool meter = statistics_is_meter(command->demo, id);
    double value;
    int n = 0;

    if (!demo_find(command->demo, id) || !demo_house_value(command->demo, id, from, &value))
        return;
    hf_json_name(w, id, strlen(id));
    hf_json_begin_array(w);
    for (int64_t at = from - from % step; at + step <= to && n < STATISTICS_ROWS; at += step, n++) {
        hf_json_begin_object(w);
        hf_json_integer(json_key(w, "start"), at / 1000);
        hf_json_integer(json_key(w, "end"), (at + step) / 1000);
        if (meter)
            statistics_meter(command->demo, w, id, at, at + step, types);
        else
            statistics_measure(command->demo, w, id, at, at + step, types);
        hf_json_end_object(w);
    }
    hf_json_end_array(w);
}

void demo_statistics(struct demo_command *command)
{
    haft_value *message = command->message, *ids = yyjson_obj_get(message, "statistic_ids");
    const char *end = demo_text(message, "end_time");
    int64_t step = statistics_step(demo_text(message, "period")), from = 0;
    int64_t to = command->demo->now, oldest = command->demo->started - 365 * STATISTICS_DAY;
    struct json_writer *w;

    demo_time_read(demo_text(message, "start_time"), &from);
    if (end)
        demo_time_read(end, &to);
    from = from < oldest ? oldest : from;
    to = to > command->demo->now ? command->demo->now : to;
    w = demo_result_begin(command);
    hf_json_begin_object(w);
    if (yyjson_is_str(ids))
        statistics_entity(command, yyjson_get_str(ids), from, to, step);
    for (size_t i = 0; i < yyjson_arr_size(ids); i++)
        statistics_entity(command, yyjson_get_str(yyjson_arr_get(ids, i)), from, to, step);
    hf_json_end_object(w);
    demo_result_end(command);
}

void demo_statistic_ids(struct demo_command *command)
{
    struct demo *demo = command->demo;
    const char *wanted = demo_text(command->message, "statistic_type");
    struct json_writer *w = demo_result_begin(command);
    double value;

    hf_json_begin_array(w);
    for (size_t i = 0; i < demo->n_entities; i++) {
        const char *id = demo->entities[i]->id;
        bool meter = statistics_is_meter(demo, id);
        haft_value *attributes = demo_attributes(demo, demo->entities[i]);
        const char *unit = demo_text(attributes, "unit_of_measurement");

        if (!demo_house_value(demo, id, demo->now, &value) ||
            (wanted && strcmp(wanted, meter ? "sum" : "mean") != 0))
            continue;
        hf_json_begin_object(w);
        hf_json_text(json_key(w, "statistic_id"), id);
        hf_json_text(json_key(w, "display_unit_of_measurement"), unit ? unit : "");
        hf_json_bool(json_key(w, "has_mean"), !meter);
        hf_json_bool(json_key(w, "has_sum"), meter);
        hf_json_null(json_key(w, "name"));
        hf_json_text(json_key(w, "source"), "recorder");
        hf_json_text(json_key(w, "statistics_unit_of_measurement"), unit ? unit : "");
        hf_json_null(json_key(w, "unit_class"));
        hf_json_end_object(w);
    }
    hf_json_end_array(w);
    demo_result_end(command);
}
