/* automation.c - automations and scripts: their services, and what makes them run. */
#include "demo/automation.h"

/* ---- runs ---- */

static int automation_mark(struct demo *demo, struct demo_entity *entity, int64_t at,
                           const struct demo_context *context)
{
    struct demo_draft draft;

    demo_draft_begin(&draft, demo, entity);
    demo_draft_time(&draft, "last_triggered", at);
    return demo_draft_commit(&draft, context);
}

static void automation_tell(struct demo *demo, const struct demo_entity *entity,
                            const struct demo_execution *run)
{
    haft_buffer out = demo_buffer(demo);
    struct json_writer w = {.out = &out};

    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "name"), demo_name(demo, entity));
    hf_json_text(json_key(&w, "entity_id"), entity->id);
    if (run->description)
        hf_json_text(json_key(&w, "source"), run->description);
    hf_json_end_object(&w);
    demo_fire(demo, strcmp(run->domain, "script") ? "automation_triggered" : "script_started",
              demo_take(demo, &out), false, &run->context);
}

static bool automation_conditions_hold(struct demo_execution *run)
{
    haft_value *conditions = demo_config_member(run->config, "conditions");
    size_t n = yyjson_is_arr(conditions) ? yyjson_arr_size(conditions) : conditions ? 1 : 0;

    for (size_t i = 0; i < n; i++) {
        haft_value *condition =
            yyjson_is_arr(conditions) ? yyjson_arr_get(conditions, i) : conditions;
        bool holds = run->dry || demo_condition_holds(run->demo, condition, run->trigger);

        demo_step_add(run, demo_format(run->demo, "condition/%zu", i),
                      holds ? "{\"result\":true}" : "{\"result\":false}", NULL);
        if (!holds) {
            run->outcome = "failed_conditions";
            return false;
        }
    }
    return true;
}

static int automation_execute(struct demo_execution *run, bool skip)
{
    struct demo *demo = run->demo;
    struct demo_entity *entity = demo_config_entity(demo, "automation", run->item);
    char *described = NULL;

    if (run->trigger)
        described =
            demo_format(demo, "trigger/%s", demo_text(demo_parse(demo, run->trigger), "idx"));
    demo_step_add(run, described ? described : "trigger", NULL, NULL);
    if (skip || automation_conditions_hold(run)) {
        if (entity && automation_mark(demo, entity, run->at, &run->context))
            return HAFT_ENOMEM;
        if (entity && !run->dry)
            automation_tell(demo, entity, run);
        demo_actions_run(run, demo_config_member(run->config, "actions"), "action");
    }
    return demo_trace_add(run);
}

int demo_automation_run(struct demo *demo, const char *id, const char *trigger,
                        const char *description, bool skip, const struct demo_context *parent)
{
    struct demo_execution run = {.demo = demo,
                                 .domain = "automation",
                                 .item = id,
                                 .config = demo_record_value(demo, DEMO_AUTOMATIONS, id),
                                 .trigger = trigger,
                                 .description = description,
                                 .outcome = "finished",
                                 .dry = !parent,
                                 .at =
                                     parent ? demo->now : demo->now - 3600 * (int64_t)DEMO_SECOND};

    if (!run.config)
        return HAFT_ENOMEM;
    demo_context_new(demo, parent, false, &run.context);
    return automation_execute(&run, skip);
}

int demo_script_run(struct demo_call *call, const char *id)
{
    struct demo *demo = call->demo;
    struct demo_entity *entity = demo_config_entity(demo, "script", id);
    struct demo_execution run = {.demo = demo,
                                 .domain = "script",
                                 .item = id,
                                 .config = demo_record_value(demo, DEMO_SCRIPTS, id),
                                 .outcome = "finished",
                                 .at = demo->now,
                                 .context = call->context};

    if (!run.config || (entity && automation_mark(demo, entity, run.at, &call->context)))
        return HAFT_ENOMEM;
    if (entity)
        automation_tell(demo, entity, &run);
    demo->run.depth++;
    if (demo->run.depth < 16)
        demo_actions_run(&run, yyjson_obj_get(run.config, "sequence"), "sequence");
    demo->run.depth--;
    if (demo_trace_add(&run))
        return HAFT_ENOMEM;
    if (run.failure == DEMO_FINE)
        return 0;
    return demo_fail(call, run.failure == DEMO_NO_SERVICE ? DEMO_ERROR : run.failure, NULL, "%s",
                     run.error ? run.error : "Unknown error");
}

/* ---- what triggers them ---- */

static void automation_look(struct demo *demo, const char *id, haft_value *event,
                            const struct demo_change *change)
{
    haft_value *config = demo_record_value(demo, DEMO_AUTOMATIONS, id);
    struct demo_waiter waiter = {.automation = id, .context = &change->context};
    char *trigger =
        demo_trigger_match(demo, demo_config_member(config, "triggers"), event, &waiter);
    struct demo_entity *entity = trigger ? demo_config_entity(demo, "automation", id) : NULL;

    if (entity && demo_is_on(entity))
        demo_automation_run(demo, id, trigger, demo_text(demo_parse(demo, trigger), "description"),
                            false, &change->context);
}

void demo_automations_run(struct demo *demo)
{
    struct demo_change *change;

    while ((change = demo->run.first)) {
        haft_value *event = demo_parse(demo, change->event);

        demo->run.first = change->next;
        if (!demo->run.first)
            demo->run.last = NULL;
        demo->run.depth = change->depth;
        for (size_t i = 0; event && i < demo->stores[DEMO_AUTOMATIONS].n; i++)
            automation_look(demo, demo->stores[DEMO_AUTOMATIONS].at[i].id, event, change);
    }
    demo->run.depth = 0;
}

/* Whether a time of day lies between two moments of which the first is past. */
static bool automation_is_time(const char *text, int64_t after, int64_t until)
{
    const int64_t day = 86400 * (int64_t)DEMO_SECOND;
    int hour, minute, second = 0;
    int64_t at;

    if (!text || sscanf(text, "%2d:%2d:%2d", &hour, &minute, &second) < 2)
        return false;
    at = until - until % day + ((hour * 60 + minute) * 60 + second) * (int64_t)DEMO_SECOND;
    at = at > until ? at - day : at;
    return at > after;
}

/* The index of the trigger whose time has come; -1 if there is none. */
static int automation_time_trigger(struct demo *demo, haft_value *config)
{
    haft_value *triggers = demo_config_member(config, "triggers");
    size_t n = yyjson_is_arr(triggers) ? yyjson_arr_size(triggers) : triggers ? 1 : 0;

    for (size_t i = 0; i < n; i++) {
        haft_value *of = yyjson_is_arr(triggers) ? yyjson_arr_get(triggers, i) : triggers;
        const char *kind = demo_text(of, demo_text(of, "trigger") ? "trigger" : "platform");

        if (kind && !strcmp(kind, "time") &&
            automation_is_time(demo_text(of, "at"), demo->ticked, demo->now))
            return (int)i;
    }
    return -1;
}

void demo_automations_tick(struct demo *demo)
{
    for (size_t i = 0; demo->ticked && i < demo->stores[DEMO_AUTOMATIONS].n; i++) {
        const char *id = demo->stores[DEMO_AUTOMATIONS].at[i].id;
        int at = automation_time_trigger(demo, demo_record_value(demo, DEMO_AUTOMATIONS, id));
        struct demo_entity *entity = at < 0 ? NULL : demo_config_entity(demo, "automation", id);
        struct demo_context context;

        if (!entity || !demo_is_on(entity))
            continue;
        demo_context_new(demo, NULL, false, &context);
        demo_automation_run(
            demo, id,
            demo_relaxed(demo, demo_format(demo, "'id':'%d','idx':'%d','platform':'time'", at, at)),
            "time", false, &context);
    }
    demo->ticked = demo->now;
}

/* ---- services of automations ---- */

static const struct demo_field automation_trigger_fields[] = {
    {.name = "skip_condition", .kind = FIELD_BOOL}};
static const struct demo_field automation_off_fields[] = {
    {.name = "stop_actions", .kind = FIELD_BOOL}};

static int automation_on(struct demo_call *call, struct demo_entity *entity)
{
    return demo_set_on(call, entity, true);
}

static int automation_off(struct demo_call *call, struct demo_entity *entity)
{
    return demo_set_on(call, entity, false);
}

static int automation_toggle(struct demo_call *call, struct demo_entity *entity)
{
    return demo_set_on(call, entity, !demo_is_on(entity));
}

static int automation_trigger(struct demo_call *call, struct demo_entity *entity)
{
    const char *id = demo_config_id(call->demo, entity);
    haft_value *skip = yyjson_obj_get(call->data, "skip_condition");

    return id ? demo_automation_run(call->demo, id, NULL, NULL, !yyjson_is_false(skip),
                                    &call->context)
              : 0;
}

static int automation_reload(struct demo_call *call, struct demo_entity *entity)
{
    (void)entity;
    demo_fire(call->demo, "automation_reloaded", "{}", false, &call->context);
    return 0;
}

const struct demo_service demo_services_automation[] = {
    {"trigger", "Triggers the actions of an automation.", automation_trigger, SERVICE_TARGET, 0,
     SERVICE_FIELDS(automation_trigger_fields)},
    {"toggle", "Toggles (enable / disable) an automation.", automation_toggle, SERVICE_TARGET, 0,
     NULL, 0},
    {"turn_on", "Enables an automation.", automation_on, SERVICE_TARGET, 0, NULL, 0},
    {"turn_off", "Disables an automation.", automation_off, SERVICE_TARGET, 0,
     SERVICE_FIELDS(automation_off_fields)},
    {"reload", "Reloads the automation configuration.", automation_reload, 0, 0, NULL, 0},
    {0},
};

/* ---- services of scripts ---- */

static const struct demo_field script_on_fields[] = {{.name = "variables", .kind = FIELD_OBJECT}};

static int script_on(struct demo_call *call, struct demo_entity *entity)
{
    const char *id = demo_config_id(call->demo, entity);

    return id ? demo_script_run(call, id) : 0;
}

static int script_nothing(struct demo_call *call, struct demo_entity *entity)
{
    (void)call;
    (void)entity; /* a run is over when it has begun */
    return 0;
}

static int script_named(struct demo_call *call, struct demo_entity *entity)
{
    (void)entity;
    return demo_script_run(call, call->name);
}

const struct demo_service demo_services_script[] = {
    {"turn_on", "Runs the sequence of actions defined in a script.", script_on, SERVICE_TARGET, 0,
     SERVICE_FIELDS(script_on_fields)},
    {"turn_off", "Stops a running script.", script_nothing, SERVICE_TARGET, 0, NULL, 0},
    {"toggle", "Starts a script if it isn't running, stops it otherwise.", script_on,
     SERVICE_TARGET, 0, NULL, 0},
    {"reload", "Reloads all the available scripts.", script_nothing, 0, 0, NULL, 0},
    {0},
};

static const struct demo_service script_made = {
    "", "Runs the script.", script_named, SERVICE_RESPONDS | SERVICE_ANY_DATA, 0, NULL, 0};

const struct demo_service *demo_service_made(struct demo *demo, const char *domain,
                                             const char *name)
{
    return !strcmp(domain, "script") && demo_record(demo, DEMO_SCRIPTS, name) ? &script_made : NULL;
}

void demo_services_made_write(struct demo *demo, struct json_writer *w, const char *domain)
{
    struct demo_store *scripts = &demo->stores[DEMO_SCRIPTS];

    for (size_t i = 0; !strcmp(domain, "script") && i < scripts->n; i++)
        demo_service_write(w, domain, scripts->at[i].id, &script_made);
}
