/* jinja_filter.c - functions and filters of templates, a row each. */
#include <math.h>

#include "demo/colour.h"
#include "demo/jinja_value.h"
#include "demo/service.h"

/* An argument by its place, or by its name; undefined if it is not there. */
struct jinja_value demo_jinja_argument(const struct jinja_arguments *of, size_t at,
                                       const char *name)
{
    for (size_t i = 0; i < of->n; i++)
        if (of->names[i] && !strcmp(of->names[i], name))
            return of->at[i];
    return at < of->n && !of->names[at] ? of->at[at] : jinja_undefined(name);
}

const char *demo_jinja_text_argument(struct jinja_run *run, const struct jinja_arguments *of,
                                     size_t at)
{
    return at < of->n ? demo_jinja_text(run, of->at[at]) : "";
}

static struct demo_entity *filter_entity(struct jinja_run *run, const struct jinja_arguments *of)
{
    const char *id = demo_jinja_text_argument(run, of, 0);

    if (run->jinja->entities && !run->quiet) {
        haft_buffer_puts(run->jinja->entities, id);
        haft_buffer_add(run->jinja->entities, "\n", 1);
    }
    return demo_find(run->demo, id);
}

/* ---- functions ---- */

static struct jinja_value filter_states(struct jinja_run *run, const struct jinja_arguments *of)
{
    struct demo_entity *entity = filter_entity(run, of);

    return jinja_text(entity ? entity->state->text : "unknown");
}

static struct jinja_value filter_is_state(struct jinja_run *run, const struct jinja_arguments *of)
{
    struct demo_entity *entity = filter_entity(run, of);
    struct jinja_value wanted = demo_jinja_argument(of, 1, "value");

    if (!entity)
        return jinja_bool(false);
    if (wanted.kind == JINJA_JSON)
        return jinja_bool(demo_lists(wanted.json, entity->state->text));
    return jinja_bool(wanted.kind == JINJA_TEXT && !strcmp(wanted.text, entity->state->text));
}

static struct jinja_value filter_state_attr(struct jinja_run *run, const struct jinja_arguments *of)
{
    struct demo_entity *entity = filter_entity(run, of);
    haft_value *value = entity ? yyjson_obj_get(demo_attributes(run->demo, entity),
                                                demo_jinja_text_argument(run, of, 1))
                               : NULL;

    return value ? demo_jinja_of_json(value) : jinja_none();
}

static struct jinja_value filter_is_state_attr(struct jinja_run *run,
                                               const struct jinja_arguments *of)
{
    bool comparable;

    return jinja_bool(!demo_jinja_compare(run, filter_state_attr(run, of),
                                          demo_jinja_argument(of, 2, "value"), &comparable));
}

static struct jinja_value filter_has_value(struct jinja_run *run, const struct jinja_arguments *of)
{
    struct demo_entity *entity = filter_entity(run, of);

    return jinja_bool(entity && demo_is_available(entity) &&
                      strcmp(entity->state->text, "unknown") != 0);
}

static struct jinja_value filter_now(struct jinja_run *run, const struct jinja_arguments *of)
{
    char text[DEMO_TIME];

    (void)of;
    run->jinja->time = true;
    demo_time_text(run->demo->now, text);
    text[10] = ' '; /* as Python prints it */
    return jinja_text(demo_format(run->demo, "%s", text));
}

static struct jinja_value filter_as_timestamp(struct jinja_run *run,
                                              const struct jinja_arguments *of)
{
    int64_t us;

    if (!demo_time_read(demo_jinja_text_argument(run, of, 0), &us))
        return jinja_none();
    return jinja_float(demo_time_seconds(us));
}

static struct jinja_value filter_range(struct jinja_run *run, const struct jinja_arguments *of)
{
    double from = of->n > 1 ? of->at[0].number : 0, to = of->n ? of->at[of->n > 1].number : 0;
    haft_buffer out = demo_buffer(run->demo);
    struct json_writer w = {.out = &out};

    if (to - from > 10000)
        demo_jinja_fail(run, "OverflowError: range too big");
    hf_json_begin_array(&w);
    for (int i = 0; i < 10000 && from + i < to; i++)
        hf_json_number(&w, from + i);
    hf_json_end_array(&w);
    return demo_jinja_of_json(demo_parse(run->demo, demo_take(run->demo, &out)));
}

static struct jinja_value filter_area_of(struct jinja_run *run, const struct jinja_arguments *of)
{
    return jinja_text(demo_area_of(run->demo, demo_jinja_text_argument(run, of, 0)));
}

static struct jinja_value filter_area_name(struct jinja_run *run, const struct jinja_arguments *of)
{
    const char *id = demo_jinja_text_argument(run, of, 0);
    const char *area = strchr(id, '.') ? demo_area_of(run->demo, id) : id;

    return jinja_text(area ? demo_text(demo_record_value(run->demo, DEMO_AREAS, area), "name")
                           : NULL);
}

static struct jinja_value filter_areas(struct jinja_run *run, const struct jinja_arguments *of)
{
    struct demo_store *store = &run->demo->stores[DEMO_AREAS];
    haft_buffer out = demo_buffer(run->demo);
    struct json_writer w = {.out = &out};

    (void)of;
    hf_json_begin_array(&w);
    for (size_t i = 0; i < store->n; i++)
        hf_json_text(&w, store->at[i].id);
    hf_json_end_array(&w);
    return demo_jinja_of_json(demo_parse(run->demo, demo_take(run->demo, &out)));
}

static struct jinja_value filter_area_entities(struct jinja_run *run,
                                               const struct jinja_arguments *of)
{
    const char *wanted = demo_jinja_text_argument(run, of, 0), *area;
    haft_buffer out = demo_buffer(run->demo);
    struct json_writer w = {.out = &out};

    hf_json_begin_array(&w);
    for (size_t i = 0; i < run->demo->n_entities; i++) {
        area = demo_area_of(run->demo, run->demo->entities[i]->id);
        if (area && !strcmp(area, wanted))
            hf_json_text(&w, run->demo->entities[i]->id);
    }
    hf_json_end_array(&w);
    return demo_jinja_of_json(demo_parse(run->demo, demo_take(run->demo, &out)));
}

/* ---- numbers: functions and filters ---- */

static struct jinja_value filter_convert(struct jinja_run *run, const struct jinja_arguments *of,
                                         bool whole)
{
    struct jinja_value otherwise = demo_jinja_argument(of, 1, "default");
    const char *name = whole ? "int" : "float";
    double number;

    if (of->n && demo_jinja_read_number(of->at[0], &number))
        return whole ? jinja_int(trunc(number)) : jinja_float(number);
    if (otherwise.kind != JINJA_UNDEFINED)
        return otherwise;
    demo_jinja_fail(run,
                    "ValueError: Template error: %s got invalid input '%s' when rendering template "
                    "but no default was specified",
                    name, demo_jinja_text_argument(run, of, 0));
    return jinja_none();
}

static struct jinja_value filter_int(struct jinja_run *run, const struct jinja_arguments *of)
{
    return filter_convert(run, of, true);
}

static struct jinja_value filter_float(struct jinja_run *run, const struct jinja_arguments *of)
{
    return filter_convert(run, of, false);
}

static struct jinja_value filter_round(struct jinja_run *run, const struct jinja_arguments *of)
{
    struct jinja_value digits = demo_jinja_argument(of, 1, "precision"),
                       method = demo_jinja_argument(of, 2, "method");
    int decimals =
        demo_jinja_is_number(digits) && fabs(digits.number) <= 15 ? (int)digits.number : 0;
    double number, scale = pow(10, decimals);

    if (!of->n || !demo_jinja_read_number(of->at[0], &number)) {
        demo_jinja_fail(run,
                        "ValueError: Template error: round got invalid input '%s' when rendering "
                        "template but no default was specified",
                        demo_jinja_text_argument(run, of, 0));
        return jinja_none();
    }
    if (method.kind == JINJA_TEXT && !strcmp(method.text, "floor"))
        number = floor(number * scale) / scale;
    else if (method.kind == JINJA_TEXT && !strcmp(method.text, "ceil"))
        number = ceil(number * scale) / scale;
    else
        number = demo_round(number, decimals);
    return decimals ? jinja_float(number) : jinja_int(number);
}

static struct jinja_value filter_abs(struct jinja_run *run, const struct jinja_arguments *of)
{
    struct jinja_value value = of->n ? of->at[0] : jinja_none();

    if (!demo_jinja_is_number(value))
        demo_jinja_fail(run, "TypeError: bad operand type for abs()");
    value.number = fabs(value.number);
    return value;
}

/* The items of what is given: of the one list, or the arguments themselves. */
static struct jinja_value filter_extreme(struct jinja_run *run, const struct jinja_arguments *of,
                                         int sign)
{
    haft_value *list = of->n == 1 ? demo_jinja_list(run, of->at[0]) : NULL;
    size_t n = list ? yyjson_arr_size(list) : of->n;
    struct jinja_value best = jinja_undefined("max"), value;
    bool comparable;

    for (size_t i = 0; i < n; i++) {
        value = list ? demo_jinja_of_json(yyjson_arr_get(list, i)) : of->at[i];
        if (!i || demo_jinja_compare(run, value, best, &comparable) == sign)
            best = value;
    }
    return best;
}

static struct jinja_value filter_min(struct jinja_run *run, const struct jinja_arguments *of)
{
    return filter_extreme(run, of, -1);
}

static struct jinja_value filter_max(struct jinja_run *run, const struct jinja_arguments *of)
{
    return filter_extreme(run, of, 1);
}

static struct jinja_value filter_sum(struct jinja_run *run, const struct jinja_arguments *of)
{
    haft_value *list = of->n ? demo_jinja_list(run, of->at[0]) : NULL;
    struct jinja_value sum = jinja_int(0), value;

    for (size_t i = 0; i < yyjson_arr_size(list); i++) {
        value = demo_jinja_of_json(yyjson_arr_get(list, i));
        sum.kind = value.kind == JINJA_FLOAT ? JINJA_FLOAT : sum.kind;
        sum.number += demo_jinja_is_number(value) ? value.number : 0;
    }
    return sum;
}

static struct jinja_value filter_is_number(struct jinja_run *run, const struct jinja_arguments *of)
{
    double number;

    (void)run;
    return jinja_bool(of->n && demo_jinja_read_number(of->at[0], &number));
}

/* ---- tables ---- */

static const struct filter_row {
    const char *name;
    jinja_function *run;
    bool is_function, is_filter;
} filter_rows[] = {
    {"states", filter_states, true, true},
    {"is_state", filter_is_state, true, true},
    {"state_attr", filter_state_attr, true, true},
    {"is_state_attr", filter_is_state_attr, true, true},
    {"has_value", filter_has_value, true, true},
    {"now", filter_now, true, false},
    {"utcnow", filter_now, true, false},
    {"as_timestamp", filter_as_timestamp, true, true},
    {"range", filter_range, true, false},
    {"area_id", filter_area_of, true, true},
    {"area_name", filter_area_name, true, true},
    {"areas", filter_areas, true, false},
    {"area_entities", filter_area_entities, true, true},
    {"int", filter_int, true, true},
    {"float", filter_float, true, true},
    {"round", filter_round, false, true},
    {"abs", filter_abs, false, true},
    {"min", filter_min, true, true},
    {"max", filter_max, true, true},
    {"sum", filter_sum, false, true},
    {"is_number", filter_is_number, true, true},
    {"upper", demo_filter_upper, false, true},
    {"lower", demo_filter_lower, false, true},
    {"title", demo_filter_title, false, true},
    {"capitalize", demo_filter_capitalize, false, true},
    {"trim", demo_filter_trim, false, true},
    {"replace", demo_filter_replace, false, true},
    {"string", demo_filter_string, false, true},
    {"default", demo_filter_default, false, true},
    {"d", demo_filter_default, false, true},
    {"iif", demo_filter_iif, true, true},
    {"length", demo_filter_length, false, true},
    {"count", demo_filter_length, false, true},
    {"join", demo_filter_join, false, true},
    {"list", demo_filter_list, false, true},
    {"first", demo_filter_first, false, true},
    {"last", demo_filter_last, false, true},
    {"map", demo_filter_map, false, true},
    {"selectattr", demo_filter_selectattr, false, true},
    {"rejectattr", demo_filter_rejectattr, false, true},
    {"to_json", demo_filter_to_json, false, true},
    {"tojson", demo_filter_to_json, false, true},
};

static const struct filter_row *filter_find(const char *name)
{
    for (size_t i = 0; i < sizeof filter_rows / sizeof *filter_rows; i++)
        if (!strcmp(filter_rows[i].name, name))
            return &filter_rows[i];
    return NULL;
}

struct jinja_value demo_jinja_call(struct jinja_run *run, const char *name,
                                   const struct jinja_arguments *arguments)
{
    const struct filter_row *row = filter_find(name);

    if (row && row->is_function)
        return row->run(run, arguments);
    demo_jinja_fail(run, "UndefinedError: '%s' is undefined", name);
    return jinja_none();
}

struct jinja_value demo_jinja_filter(struct jinja_run *run, const char *name,
                                     struct jinja_value value,
                                     const struct jinja_arguments *arguments)
{
    const struct filter_row *row = filter_find(name);
    struct jinja_arguments all = {.n = 1};

    if (!row || !row->is_filter) {
        demo_jinja_fail(run, "TemplateSyntaxError: No filter named '%s'.", name);
        return jinja_none();
    }
    all.at[0] = value;
    for (size_t i = 0; i < arguments->n && all.n < JINJA_ARGUMENTS; i++) {
        all.at[all.n] = arguments->at[i];
        all.names[all.n++] = arguments->names[i];
    }
    return row->run(run, &all);
}
