/* run.c - the actions of automations and scripts, one after the other, with a trace of each.
 *
 * A delay is over at once: nothing in the demo home waits for a run. */
#include "demo/automation.h"
#include "demo/jinja.h"

enum { RUN_DEPTH = 8, RUN_REPEATS = 100 };

void demo_step_add(struct demo_execution *run, const char *path, const char *json,
                   const char *error)
{
    struct demo_step *step = haft_arena_zalloc(run->demo->scratch, 1, sizeof *step);

    if (!step || !path)
        return; /* the trace lacks a step; the run goes on */
    *step = (struct demo_step){.path = path, .json = json, .error = error};
    if (run->last)
        run->last->next = step;
    else
        run->first = step;
    run->last = step;
}

static bool run_fail(struct demo_execution *run, const char *path, enum demo_failure failure,
                     const char *error)
{
    error = error ? error : "Unknown error";
    demo_step_add(run, path, NULL, error);
    run->outcome = "error";
    run->error = error;
    run->failure = failure;
    return false;
}

/* ---- templates in data ---- */

/* JSON in which each string with a template is replaced by what it renders to; NULL with the error set. */
static haft_value *run_render(struct demo_execution *run, haft_value *data, const char **ret_error)
{
    yyjson_alc alc;
    yyjson_mut_doc *doc = yyjson_mut_doc_new(demo_alc(run->demo, &alc));
    yyjson_mut_val *root = doc ? yyjson_mut_obj(doc) : NULL;
    yyjson_obj_iter iter;
    yyjson_val *key;
    yyjson_doc *copy;

    *ret_error = "";
    yyjson_obj_iter_init(data, &iter);
    while (root && (key = yyjson_obj_iter_next(&iter))) {
        yyjson_val *value = yyjson_obj_iter_get_val(key);
        const char *text = yyjson_get_str(value);
        yyjson_mut_val *put = NULL;

        if (text && (strstr(text, "{{") || strstr(text, "{%"))) {
            struct demo_jinja jinja = {.demo = run->demo, .trigger = run->trigger};
            char *result = demo_jinja_render(&jinja, text);
            haft_value *number =
                result ? haft_json_read(result, strlen(result), 0, run->demo->scratch, NULL) : NULL;

            *ret_error = jinja.error;
            if (!result)
                return NULL;
            put = number ? yyjson_val_mut_copy(doc, number) : yyjson_mut_strcpy(doc, result);
        } else {
            put = yyjson_val_mut_copy(doc, value);
        }
        if (!yyjson_mut_obj_add(root, yyjson_val_mut_copy(doc, key), put))
            return NULL;
    }
    if (!root)
        return NULL;
    yyjson_mut_doc_set_root(doc, root);
    copy = yyjson_mut_doc_imut_copy(doc, &alc);
    return copy ? yyjson_doc_get_root(copy) : NULL;
}

/* ---- kinds of actions ---- */

static char *run_call_json(struct demo_execution *run, const struct demo_call *call,
                           haft_value *data, haft_value *target)
{
    haft_buffer out = demo_buffer(run->demo);
    struct json_writer w = {.out = &out};

    hf_json_begin_object(&w);
    hf_json_begin_object(json_key(&w, "params"));
    hf_json_text(json_key(&w, "domain"), call->domain);
    hf_json_text(json_key(&w, "service"), call->name);
    if (data)
        hf_json_value(json_key(&w, "service_data"), data);
    else
        hf_json_empty_object(json_key(&w, "service_data"));
    if (target)
        hf_json_value(json_key(&w, "target"), target);
    else
        hf_json_empty_object(json_key(&w, "target"));
    hf_json_end_object(&w);
    hf_json_bool(json_key(&w, "running_script"), false);
    hf_json_end_object(&w);
    return demo_take(run->demo, &out);
}

static bool run_service(struct demo_execution *run, haft_value *action, const char *service,
                        const char *path)
{
    struct demo *demo = run->demo;
    const char *dot = strchr(service, '.'), *error = NULL;
    struct demo_call call = {.demo = demo, .context = run->context};
    haft_value *data = yyjson_obj_get(action, "data"), *target = yyjson_obj_get(action, "target");

    call.domain = dot ? haft_arena_copy(demo->scratch, service, (size_t)(dot - service)) : NULL;
    if (!call.domain)
        return run_fail(run, path, DEMO_ERROR, "Invalid action");
    call.name = dot + 1;
    call.wants_response = yyjson_obj_get(action, "response_variable");
    data = data ? run_render(run, data, &error) : NULL;
    if (!data && yyjson_obj_get(action, "data"))
        return run_fail(
            run, path, DEMO_ERROR,
            demo_complain(demo, "Error rendering data template: %s", error ? error : ""));
    if (!run->dry && demo_call_service(&call, data, target))
        return run_fail(run, path, call.failure, call.text);
    demo_step_add(run, path, run_call_json(run, &call, data, target), NULL);
    return true;
}

static bool run_condition(struct demo_execution *run, haft_value *condition, const char *path)
{
    bool holds = run->dry || demo_condition_holds(run->demo, condition, run->trigger);

    demo_step_add(run, path, holds ? "{\"result\":true}" : "{\"result\":false}", NULL);
    if (!holds)
        run->outcome = "aborted";
    return holds;
}

static bool run_event(struct demo_execution *run, haft_value *action, const char *path)
{
    haft_value *data = yyjson_obj_get(action, "event_data");
    haft_buffer out = demo_buffer(run->demo);

    if (data)
        haft_json_write(data, &out);
    else
        haft_buffer_puts(&out, "{}");
    if (run->dry)
        haft_buffer_finish(&out);
    else
        demo_fire(run->demo, demo_text(action, "event"), demo_take(run->demo, &out), false,
                  &run->context);
    demo_step_add(run, path, NULL, NULL);
    return true;
}

static bool run_all_hold(struct demo_execution *run, haft_value *conditions)
{
    if (!yyjson_is_arr(conditions))
        return demo_condition_holds(run->demo, conditions, run->trigger);
    for (size_t i = 0; i < yyjson_arr_size(conditions); i++)
        if (!demo_condition_holds(run->demo, yyjson_arr_get(conditions, i), run->trigger))
            return false;
    return true;
}

static bool run_choose(struct demo_execution *run, haft_value *action, const char *path)
{
    haft_value *options = yyjson_obj_get(action, "choose");
    size_t n = yyjson_is_arr(options) ? yyjson_arr_size(options) : 1;

    demo_step_add(run, path, NULL, NULL);
    for (size_t i = 0; i < n; i++) {
        haft_value *option = yyjson_is_arr(options) ? yyjson_arr_get(options, i) : options;

        if (run_all_hold(run, yyjson_obj_get(option, "conditions")))
            return demo_actions_run(run, yyjson_obj_get(option, "sequence"),
                                    demo_format(run->demo, "%s/choose/%zu/sequence", path, i));
    }
    return demo_actions_run(run, yyjson_obj_get(action, "default"),
                            demo_format(run->demo, "%s/default", path));
}

static bool run_if(struct demo_execution *run, haft_value *action, const char *path)
{
    bool holds = run_all_hold(run, yyjson_obj_get(action, "if"));
    const char *branch = holds ? "then" : "else";

    demo_step_add(run, path, holds ? "{\"choice\":\"then\"}" : "{\"choice\":\"else\"}", NULL);
    return demo_actions_run(run, yyjson_obj_get(action, branch),
                            demo_format(run->demo, "%s/%s", path, branch));
}

static bool run_repeat(struct demo_execution *run, haft_value *action, const char *path)
{
    haft_value *repeat = yyjson_obj_get(action, "repeat");
    double count = demo_number(repeat, "count", 0);

    demo_step_add(run, path, NULL, NULL);
    if (count < 0 || count > RUN_REPEATS)
        return run_fail(run, path, DEMO_ERROR, "The demo home repeats at most 100 times");
    for (int i = 0; i < count; i++)
        if (!demo_actions_run(run, yyjson_obj_get(repeat, "sequence"),
                              demo_format(run->demo, "%s/repeat/sequence", path)))
            return false;
    return true;
}

static bool run_stop(struct demo_execution *run, haft_value *action, const char *path)
{
    bool error = yyjson_is_true(yyjson_obj_get(action, "error"));

    if (error)
        return run_fail(run, path, DEMO_ERROR, demo_text(action, "stop"));
    demo_step_add(run, path, NULL, NULL);
    return false;
}

/* ---- all of them ---- */

static bool run_one(struct demo_execution *run, haft_value *action, const char *path)
{
    const char *service = demo_text(action, "action"), *scene = demo_text(action, "scene");

    service = service ? service : demo_text(action, "service");
    if (yyjson_is_false(yyjson_obj_get(action, "enabled")))
        return true;
    if (service)
        return run_service(run, action, service, path);
    if (yyjson_is_str(action) || yyjson_obj_get(action, "condition") ||
        yyjson_obj_get(action, "and") || yyjson_obj_get(action, "or") ||
        yyjson_obj_get(action, "not"))
        return run_condition(run, action, path);
    if (demo_text(action, "event"))
        return run_event(run, action, path);
    if (yyjson_obj_get(action, "choose"))
        return run_choose(run, action, path);
    if (yyjson_obj_get(action, "if"))
        return run_if(run, action, path);
    if (yyjson_obj_get(action, "repeat"))
        return run_repeat(run, action, path);
    if (yyjson_obj_get(action, "stop"))
        return run_stop(run, action, path);
    if (yyjson_obj_get(action, "sequence"))
        return demo_actions_run(run, yyjson_obj_get(action, "sequence"),
                                demo_format(run->demo, "%s/sequence", path));
    if (yyjson_obj_get(action, "parallel"))
        return demo_actions_run(run, yyjson_obj_get(action, "parallel"),
                                demo_format(run->demo, "%s/parallel", path));
    if (scene) {
        struct demo_call call = {
            .demo = run->demo, .domain = "scene", .name = "turn_on", .context = run->context};
        haft_value *data =
            demo_parse_relaxed(run->demo, demo_format(run->demo, "'entity_id':'%s'", scene));

        if (!run->dry && demo_call_service(&call, data, NULL))
            return run_fail(run, path, call.failure, call.text);
    }
    demo_step_add(run, path, NULL, NULL); /* a delay, variables */
    return true;
}

bool demo_actions_run(struct demo_execution *run, haft_value *actions, const char *path)
{
    size_t n = yyjson_is_arr(actions) ? yyjson_arr_size(actions) : actions ? 1 : 0;
    bool goes_on = path;

    if (run->depth >= RUN_DEPTH)
        return run_fail(run, path ? path : "", DEMO_ERROR, "Actions are nested too deep");
    run->depth++;
    for (size_t i = 0; goes_on && i < n; i++) {
        const char *here = demo_format(run->demo, "%s/%zu", path, i);

        goes_on = here &&
                  run_one(run, yyjson_is_arr(actions) ? yyjson_arr_get(actions, i) : actions, here);
    }
    run->depth--;
    return goes_on;
}
