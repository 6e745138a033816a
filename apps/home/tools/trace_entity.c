/* trace_entity - what happened to an entity: its changes, what caused them, and the runs of automations and
 * scripts that had to do with it.
 *
 * Home Assistant does not say which runs those are.  The latest runs are read, and those whose steps or
 * configuration name the entity are kept; of an automation or a script, its own. */
#include <stdlib.h>
#include <string.h>

#include "tools/clock.h"
#include "tools/records.h"

enum {
    TRACE_CHANGES = 100, /* of a result */
    TRACE_RUNS = 5,
    TRACE_READS = 20,  /* runs that are read */
    TRACE_OWNERS = 50, /* automations and scripts whose runs are listed */
    TRACE_LISTED = 500,
    TRACE_STEPS = 20,
    TRACE_TEXT = 200
};

HAFT_STRUCT(trace_entity_args,
    HOME_ENTITY_ID,
    HAFT_OPTIONAL(HAFT_STRING(start_time, "Default: a day ago")),
    HAFT_OPTIONAL(HAFT_STRING(end_time, "Default: a day later")));
HAFT_STRUCT(trace_change,
    HAFT_STRING(when, NULL),
    HAFT_STRING(from, NULL),
    HAFT_STRING(to, NULL),
    HAFT_OPTIONAL(HAFT_STRING(cause, NULL)));
HAFT_STRUCT(trace_run,
    HAFT_STRING(item, NULL),
    HAFT_STRING(start, NULL),
    HAFT_STRING(outcome, NULL),
    HAFT_OPTIONAL(HAFT_STRING(trigger, NULL)),
    HAFT_ARRAY(steps, HAFT_STRING(step, NULL), NULL));
HAFT_STRUCT(trace_entity_result,
    HAFT_ARRAY(changes, HAFT_OBJECT(change, trace_change, NULL), NULL),
    HAFT_INTEGER(total, NULL),
    HAFT_ARRAY(traces, HAFT_OBJECT(run, trace_run, NULL), NULL));

HAFT_STRUCT(trace_request,
    HAFT_STRING(domain, "Domain"),
    HAFT_OPTIONAL(HAFT_STRING(item_id, "Item")),
    HAFT_OPTIONAL(HAFT_STRING(run_id, "Run")));

/* ---- changes ---- */

/* What the logbook says about a change: who, or what, made it. */
static const char *trace_words(haft_call *call, haft_value *entry)
{
    const char *name = home_member(entry, "context_name"),
               *id = home_member(entry, "context_entity_id"),
               *domain = home_member(entry, "context_domain"),
               *service = home_member(entry, "context_service"),
               *message = home_member(entry, "context_message"), *text = NULL;

    if (name || id)
        text = haft_call_printf(call, "%s%s%s", name ? name : id, message ? " " : "",
                                message ? message : "");
    else if (domain && service)
        text = haft_call_printf(call, "%s.%s", domain, service);
    else if (home_member(entry, "message"))
        text = home_member(entry, "message");
    else if (home_member(entry, "context_user_id"))
        text = "a user";
    else
        return "";
    if (text && strstr(text, "[hidden]"))
        return "[hidden]";
    return text ? home_short(call, text, strlen(text), TRACE_TEXT) : NULL;
}

/* The logbook has the same second and the same state. */
static int trace_cause(haft_call *call, haft_value *logbook, trace_change *change)
{
    enum { SECONDS = 19 };
    haft_value *entry;
    size_t i, n;

    yyjson_arr_foreach(logbook, i, n, entry) {
        const char *when = home_member(entry, "when"), *state = home_member(entry, "state");

        if (!when || (state && strcmp(state, change->to) != 0) ||
            strncmp(when, change->when, SECONDS) != 0)
            continue;
        change->cause = trace_words(call, entry);
        if (!change->cause)
            return HAFT_ENOMEM;
        change->has_cause = *change->cause;
        return 0;
    }
    return 0;
}

static int trace_read(haft_call *call, const trace_entity_args *in, const char *base,
                      const char *key, haft_value **ret_list)
{
    const char *path = home_period(call, base, in->has_start_time ? in->start_time : NULL,
                                   in->has_end_time ? in->end_time : NULL, key, &in->entity_id, 1);
    struct hass_answer answer;
    int status = path ? hass_request(call, "GET", path, NULL, NULL, &answer) : HAFT_ENOMEM;

    if (!status)
        status = hass_json(call, &answer, ret_list);
    if (!status && !yyjson_is_arr(*ret_list))
        status = home_fail(call, "Home Assistant did not send the past of %s.", in->entity_id);
    return status;
}

/* From the end: the states that differ from the one before. */
static int trace_changes(haft_call *call, haft_value *states, haft_value *logbook,
                         trace_entity_result *out)
{
    size_t n = yyjson_arr_size(states);
    int status = 0;

    out->changes = haft_arena_zalloc(haft_call_arena(call), TRACE_CHANGES, sizeof *out->changes);
    if (!out->changes)
        return HAFT_ENOMEM;
    for (size_t i = n; i && !status; i--) {
        haft_value *state = yyjson_arr_get(states, i - 1);
        const char *from = i > 1 ? home_member(yyjson_arr_get(states, i - 2), "state") : NULL;
        const char *to = home_member(state, "state"), *when = home_member(state, "last_changed");
        trace_change *change = &out->changes[out->n_changes];

        if (!to || !when || (from && !strcmp(from, to)))
            continue;
        out->total += from != NULL;
        if (!from || out->n_changes == TRACE_CHANGES)
            continue;
        *change = (trace_change){.when = when, .from = from, .to = to};
        out->n_changes++;
        status = trace_cause(call, logbook, change);
    }
    return status;
}

/* ---- runs ---- */

/* Runs, as trace/list has them. */
struct trace_runs {
    haft_value *at[TRACE_LISTED];
    size_t n;
};

static const char *trace_start(haft_value *run)
{
    const char *start = home_member(yyjson_obj_get(run, "timestamp"), "start");

    return start ? start : "";
}

static int trace_later(const void *left, const void *right)
{
    return strcmp(trace_start(*(haft_value *const *)right),
                  trace_start(*(haft_value *const *)left));
}

/* Adds the runs of an item, or of all of the domain. */
static int trace_list_runs(haft_call *call, const char *domain, const char *item,
                           struct trace_runs *runs)
{
    trace_request request = {.domain = domain, .has_item_id = item, .item_id = item};
    const char *fields = hass_data(call, &trace_request_type, &request);
    haft_value *list, *run;
    size_t i, n;
    int status = fields ? hass_command(call, "trace/list", fields, "not_found", &list) : HAFT_EFAIL;

    if (status || !yyjson_is_arr(list))
        return status;
    yyjson_arr_foreach(list, i, n, run)
        if (runs->n < TRACE_LISTED && yyjson_is_obj(run))
            runs->at[runs->n++] = run;
    return 0;
}

/* The id by which runs of an entity are known; NULL if it does not run. */
static const char *trace_item(const entity *of)
{
    if (!strcmp(of->domain, "automation"))
        return entity_text(of, "id");
    return strcmp(of->domain, "script") ? NULL : of->entity_id + strlen("script.");
}

/* With --entities only the runs of what the model sees can be asked for, one by one. */
static int trace_list_visible(haft_call *call, struct trace_runs *runs)
{
    struct hass_states states;
    size_t asked = 0;
    int status = hass_states(call, &states);

    for (size_t i = 0; !status && i < states.n && asked < TRACE_OWNERS; i++) {
        const char *item = trace_item(&states.at[i]);

        if (!item)
            continue;
        asked++;
        status = trace_list_runs(call, states.at[i].domain, item, runs);
    }
    return status;
}

static int trace_list_all(haft_call *call, const entity *of, struct trace_runs *runs)
{
    const char *item = trace_item(of);
    int status;

    if (item)
        return trace_list_runs(call, of->domain, item, runs);
    if (hass_is_filtered(call))
        return trace_list_visible(call, runs);
    status = trace_list_runs(call, "automation", NULL, runs);
    return status ? status : trace_list_runs(call, "script", NULL, runs);
}

static bool trace_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/* Whether a string somewhere in the value names the entity.  It nests no deeper than a message may. */
static bool trace_names(haft_value *value, const char *entity_id)
{
    size_t i, n, size = strlen(entity_id);
    haft_value *key, *item;

    if (yyjson_is_str(value)) {
        const char *text = yyjson_get_str(value), *at = text;

        while ((at = strstr(at, entity_id))) {
            if ((at == text || !trace_is_word(at[-1])) && !trace_is_word(at[size]))
                return true;
            at++;
        }
    }
    if (yyjson_is_arr(value))
        yyjson_arr_foreach(value, i, n, item)
            if (trace_names(item, entity_id))
                return true;
    if (yyjson_is_obj(value))
        yyjson_obj_foreach(value, i, n, key, item)
            if (trace_names(key, entity_id) || trace_names(item, entity_id))
                return true;
    return false;
}

/* Whether what went wrong in a run may be told: an error about a hidden entity can tell its code or its state.
 * With --entities the configuration of the automation must be visible as a whole. */
static int trace_may_tell(haft_call *call, haft_value *run, bool *ret_may)
{
    const char *item = home_member(run, "item_id"), *domain = home_member(run, "domain");
    const char *id = home_encode(call, item ? item : ""), *path;
    struct hass_answer answer;
    int status;

    *ret_may = !hass_is_filtered(call);
    if (*ret_may || !item || !domain || strcmp(domain, "automation") != 0)
        return 0;
    path = id ? haft_call_printf(call, "/api/config/automation/config/%s", id) : NULL;
    status = path ? hass_request(call, "GET", path, NULL, "404", &answer) : HAFT_ENOMEM;
    *ret_may = !status && answer.status == 200 && !strstr(answer.body, "[hidden]");
    return status;
}

static const char *trace_text(const char *text, bool may_tell)
{
    return !text || (may_tell && !strstr(text, "[hidden]")) ? text : "[hidden]";
}

/* "action/0", or "action/0: what went wrong". */
static int trace_steps(haft_call *call, haft_value *steps, bool may_tell, trace_run *out)
{
    haft_value *path, *list;
    size_t i, n;

    out->steps = haft_call_alloc(call, TRACE_STEPS * sizeof *out->steps);
    if (!out->steps)
        return HAFT_ENOMEM;
    if (!yyjson_is_obj(steps))
        return 0;
    yyjson_obj_foreach(steps, i, n, path, list) {
        const char *error = trace_text(home_member(yyjson_arr_get_last(list), "error"), may_tell);
        const char *text = haft_call_printf(call, "%s%s%s", yyjson_get_str(path), error ? ": " : "",
                                            error ? error : "");

        if (out->n_steps == TRACE_STEPS)
            break;
        if (text)
            text = home_short(call, text, strlen(text), TRACE_TEXT);
        if (!text)
            return HAFT_ENOMEM;
        out->steps[out->n_steps++] = text;
    }
    return 0;
}

static int trace_add(haft_call *call, haft_value *run, haft_value *whole, trace_entity_result *out)
{
    bool may_tell;
    int status = trace_may_tell(call, run, &may_tell);
    trace_run *to = &out->traces[out->n_traces];
    const char *alias = home_member(yyjson_obj_get(whole, "config"), "alias"),
               *item = home_member(run, "item_id"), *outcome = home_member(run, "script_execution"),
               *error = trace_text(home_member(run, "error"), may_tell),
               *state = home_member(run, "state"),
               *trigger = trace_text(home_member(run, "trigger"), may_tell);

    if (status)
        return status;
    outcome = outcome ? outcome : state ? state : "";
    *to = (trace_run){
        .item = alias  ? alias
                : item ? item
                       : "",
        .start = trace_start(run),
        .outcome = haft_call_printf(call, "%s%s%s", outcome, error ? ": " : "", error ? error : ""),
        .has_trigger = trigger,
        .trigger = trigger};
    if (!to->outcome)
        return HAFT_ENOMEM;
    out->n_traces++;
    return trace_steps(call, yyjson_obj_get(whole, "trace"), may_tell, to);
}

/* Whether a run was in the period; one whose time is not known was. */
static bool trace_is_in(const trace_entity_args *in, haft_value *run)
{
    int64_t at = home_time(trace_start(run)),
            from = in->has_start_time ? home_time(in->start_time) : 0,
            to = in->has_end_time ? home_time(in->end_time) : 0;

    return !at || ((!from || at >= from) && (!to || at <= to));
}

static int trace_runs_of(haft_call *call, const trace_entity_args *in, const entity *of,
                         trace_entity_result *out)
{
    struct trace_runs *runs = haft_arena_zalloc(haft_call_arena(call), 1, sizeof *runs);
    size_t read = 0;
    int status = runs ? trace_list_all(call, of, runs) : HAFT_ENOMEM;

    out->traces = haft_arena_zalloc(haft_call_arena(call), TRACE_RUNS, sizeof *out->traces);
    if (status || !out->traces)
        return status ? status : HAFT_ENOMEM;
    qsort(runs->at, runs->n, sizeof *runs->at, trace_later);
    for (size_t i = 0; !status && i < runs->n && read < TRACE_READS && out->n_traces < TRACE_RUNS;
         i++) {
        const char *domain = home_member(runs->at[i], "domain");
        trace_request request = {.domain = domain ? domain : "automation",
                                 .has_item_id = true,
                                 .item_id = home_member(runs->at[i], "item_id"),
                                 .has_run_id = true,
                                 .run_id = home_member(runs->at[i], "run_id")};
        haft_value *whole = NULL;
        const char *fields;

        if (!request.item_id || !request.run_id || !trace_is_in(in, runs->at[i]))
            continue;
        read++;
        fields = hass_data(call, &trace_request_type, &request);
        status = fields ? hass_command(call, "trace/get", fields, "not_found", &whole) : HAFT_EFAIL;
        if (!status && whole && (trace_item(of) || trace_names(whole, of->entity_id)))
            status = trace_add(call, runs->at[i], whole, out);
    }
    return status;
}

static int trace_entity(haft_call *call, const trace_entity_args *in, trace_entity_result *out)
{
    haft_value *history, *logbook;
    entity of;
    int status = hass_state(call, in->entity_id, &of);

    if (!status)
        status = trace_read(call, in, "/api/history/period", "filter_entity_id", &history);
    if (!status)
        status = trace_read(call, in, "/api/logbook", "entity", &logbook);
    if (!status)
        status = trace_changes(call, yyjson_arr_get_first(history), logbook, out);
    return status ? status : trace_runs_of(call, in, &of, out);
}
HAFT_TOOL(trace_entity, trace_entity_args, trace_entity_result,
          "Explain what happened to an entity: its latest changes, their causes, and runs of "
          "automations and scripts that name it.",
          HOME_READS_AGAIN);
HOME_EXPORT(trace_entity);
