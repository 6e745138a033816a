/* trace.c - traces of runs: what happened at each step.  Five of each automation and script are kept. */
#include "demo/automation.h"
#include "demo/command.h"

static void trace_drop(struct demo *demo, struct demo_trace *trace)
{
    demo_drop(demo, trace->item);
    demo_drop(demo, trace->json);
}

void demo_traces_free(struct demo *demo)
{
    for (size_t i = 0; i < demo->run.n_traces; i++)
        trace_drop(demo, &demo->run.traces[i]);
    demo_release(demo, demo->run.traces, demo->run.traces_capacity * sizeof *demo->run.traces);
}

/* Makes room for one more of the item. */
static void trace_forget(struct demo *demo, const char *item)
{
    struct demo_runtime *run = &demo->run;
    size_t n = 0, oldest = 0;

    for (size_t i = run->n_traces; i; i--)
        if (!strcmp(run->traces[i - 1].item, item)) {
            oldest = i - 1;
            n++;
        }
    if (n < DEMO_TRACES)
        return;
    trace_drop(demo, &run->traces[oldest]);
    run->n_traces--;
    memmove(run->traces + oldest, run->traces + oldest + 1,
            (run->n_traces - oldest) * sizeof *run->traces);
}

/* ---- writing ---- */

static void trace_write_steps(const struct demo_execution *run, struct json_writer *w)
{
    hf_json_begin_object(w);
    for (const struct demo_step *step = run->first; step; step = step->next) {
        bool again = false;

        for (const struct demo_step *before = run->first; before != step; before = before->next)
            again = again || !strcmp(before->path, step->path);
        if (again)
            continue;
        hf_json_name(w, step->path, strlen(step->path));
        hf_json_begin_array(w);
        for (const struct demo_step *at = step; at; at = at->next) {
            if (strcmp(at->path, step->path) != 0)
                continue;
            hf_json_begin_object(w);
            hf_json_text(json_key(w, "path"), at->path);
            demo_time_write(json_key(w, "timestamp"), run->at);
            if (at->json)
                hf_json_raw(json_key(w, "result"), at->json, strlen(at->json));
            json_text_member(w, "error", at->error);
            hf_json_end_object(w);
        }
        hf_json_end_array(w);
    }
    hf_json_end_object(w);
}

static char *trace_json(const struct demo_execution *run, const char *run_id)
{
    struct demo *demo = run->demo;
    haft_buffer out = demo_buffer(demo);
    struct json_writer w = {.out = &out};

    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "last_step"), run->last ? run->last->path : "");
    hf_json_text(json_key(&w, "run_id"), run_id);
    hf_json_text(json_key(&w, "state"), "stopped");
    hf_json_text(json_key(&w, "script_execution"), run->outcome);
    hf_json_begin_object(json_key(&w, "timestamp"));
    demo_time_write(json_key(&w, "start"), run->at);
    demo_time_write(json_key(&w, "finish"), run->at);
    hf_json_end_object(&w);
    hf_json_text(json_key(&w, "domain"), run->domain);
    hf_json_text(json_key(&w, "item_id"), run->item);
    json_text_member(&w, "error", run->error);
    json_text_member(&w, "trigger", run->description);
    trace_write_steps(run, json_key(&w, "trace"));
    hf_json_value(json_key(&w, "config"), run->config);
    hf_json_null(json_key(&w, "blueprint_inputs"));
    demo_context_write(json_key(&w, "context"), demo, &run->context);
    hf_json_end_object(&w);
    return demo_take(demo, &out);
}

int demo_trace_add(struct demo_execution *run)
{
    struct demo *demo = run->demo;
    struct demo_trace trace = {0};
    const char *item = demo_format(demo, "%s.%s", run->domain, run->item), *json;

    demo_uuid(demo, trace.run_id);
    memcpy(trace.context, run->context.id, sizeof trace.context);
    json = item ? trace_json(run, trace.run_id) : NULL;
    trace.item = json ? demo_dup(demo, item) : NULL;
    trace.json = json ? demo_dup(demo, json) : NULL;
    if (!trace.item || !trace.json ||
        !demo_grow(demo, (void **)&demo->run.traces, demo->run.n_traces, &demo->run.traces_capacity,
                   sizeof trace)) {
        trace_drop(demo, &trace);
        return HAFT_ENOMEM;
    }
    trace_forget(demo, item);
    demo->run.traces[demo->run.n_traces++] = trace;
    return 0;
}

/* ---- commands ---- */

static bool trace_is_of(const struct demo_trace *trace, const char *domain, const char *item)
{
    size_t size = domain ? strlen(domain) : 0;

    return !domain || (!strncmp(trace->item, domain, size) && trace->item[size] == '.' &&
                       (!item || !strcmp(trace->item + size + 1, item)));
}

static void trace_list(struct demo_command *command)
{
    const char *domain = demo_text(command->message, "domain");
    const char *item = demo_text(command->message, "item_id");
    struct demo_runtime *run = &command->demo->run;
    struct json_writer *w = demo_result_begin(command);

    hf_json_begin_array(w);
    for (size_t i = 0; i < run->n_traces; i++) {
        haft_value *trace;
        yyjson_obj_iter iter;
        yyjson_val *key;

        if (!trace_is_of(&run->traces[i], domain, item))
            continue;
        trace = demo_parse(command->demo, run->traces[i].json);
        if (!trace)
            w->out->status = HAFT_ENOMEM;
        hf_json_begin_object(w);
        yyjson_obj_iter_init(trace, &iter);
        while ((key = yyjson_obj_iter_next(&iter)) && !yyjson_equals_str(key, "trace")) {
            hf_json_name(w, yyjson_get_str(key), yyjson_get_len(key));
            hf_json_value(w, yyjson_obj_iter_get_val(key));
        }
        hf_json_end_object(w);
    }
    hf_json_end_array(w);
    demo_result_end(command);
}

static void trace_get(struct demo_command *command)
{
    struct demo_runtime *run = &command->demo->run;
    const char *run_id = demo_text(command->message, "run_id");

    for (size_t i = 0; i < run->n_traces; i++)
        if (!strcmp(run->traces[i].run_id, run_id) &&
            trace_is_of(&run->traces[i], demo_text(command->message, "domain"),
                        demo_text(command->message, "item_id"))) {
            demo_result_json(command, run->traces[i].json);
            return;
        }
    demo_error(command, "not_found", "The trace could not be found");
}

static void trace_contexts(struct demo_command *command)
{
    const char *domain = demo_text(command->message, "domain");
    const char *item = demo_text(command->message, "item_id");
    struct demo_runtime *run = &command->demo->run;
    struct json_writer *w;

    if (!domain != !item) {
        demo_error(command, "invalid_format",
                   "some but not all values in the same group of inclusion 'id' @ data[<id>]. Got "
                   "None");
        return;
    }
    w = demo_result_begin(command);
    hf_json_begin_object(w);
    for (size_t i = 0; i < run->n_traces; i++) {
        const struct demo_trace *trace = &run->traces[i];
        const char *dot = strchr(trace->item, '.');

        if (!trace_is_of(trace, domain, item))
            continue;
        hf_json_name(w, trace->context, strlen(trace->context));
        hf_json_begin_object(w);
        hf_json_text(json_key(w, "run_id"), trace->run_id);
        hf_json_string(json_key(w, "domain"), trace->item, (size_t)(dot - trace->item));
        hf_json_text(json_key(w, "item_id"), dot + 1);
        hf_json_end_object(w);
    }
    hf_json_end_object(w);
    demo_result_end(command);
}

/* ---- validate_config ---- */

static void trace_verdict(struct json_writer *w, const char *wrong)
{
    hf_json_begin_object(w);
    hf_json_bool(json_key(w, "valid"), !wrong);
    if (wrong)
        hf_json_text(json_key(w, "error"), wrong);
    else
        hf_json_null(json_key(w, "error"));
    hf_json_end_object(w);
}

static void trace_validate(struct demo_command *command)
{
    static const struct {
        const char *names[2];
        const char *(*check)(struct demo *demo, haft_value *value);
    } parts[] = {
        {{"triggers", "trigger"}, demo_trigger_check},
        {{"conditions", "condition"}, demo_condition_check},
        {{"actions", "action"}, demo_action_check},
    };
    struct json_writer *w = demo_result_begin(command);

    hf_json_begin_object(w);
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 2; k++) {
            haft_value *value = yyjson_obj_get(command->message, parts[i].names[k]);

            if (!value)
                continue;
            hf_json_name(w, parts[i].names[k], strlen(parts[i].names[k]));
            trace_verdict(w, parts[i].check(command->demo, value));
        }
    hf_json_end_object(w);
    demo_result_end(command);
}

#define TRACE_DOMAIN .name = "domain", .kind = FIELD_CHOICE, .choices = "automation,script"

static const struct demo_field trace_list_fields[] = {{TRACE_DOMAIN, .required = true},
                                                      {.name = "item_id", .kind = FIELD_TEXT}};
static const struct demo_field trace_get_fields[] = {
    {TRACE_DOMAIN, .required = true},
    {.name = "item_id", .kind = FIELD_TEXT, .required = true},
    {.name = "run_id", .kind = FIELD_TEXT, .required = true}};
static const struct demo_field trace_context_fields[] = {{TRACE_DOMAIN},
                                                         {.name = "item_id", .kind = FIELD_TEXT}};
static const struct demo_field trace_validate_fields[] = {
    {.name = "triggers", .kind = FIELD_ANY},   {.name = "trigger", .kind = FIELD_ANY},
    {.name = "conditions", .kind = FIELD_ANY}, {.name = "condition", .kind = FIELD_ANY},
    {.name = "actions", .kind = FIELD_ANY},    {.name = "action", .kind = FIELD_ANY}};

const struct demo_command_row demo_commands_trace[] = {
    {"trace/list", trace_list, COMMAND_FIELDS(trace_list_fields)},
    {"trace/get", trace_get, COMMAND_FIELDS(trace_get_fields)},
    {"trace/contexts", trace_contexts, COMMAND_FIELDS(trace_context_fields)},
    {"validate_config", trace_validate, COMMAND_FIELDS(trace_validate_fields)},
    {0},
};
