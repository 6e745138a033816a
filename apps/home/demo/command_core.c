/* command_core.c - commands about states, events and services. */
#include "demo/command.h"
#include "demo/rest.h"

static void core_ping(struct demo_command *command)
{
    haft_buffer out = demo_buffer(command->demo);
    struct json_writer w = {.out = &out};

    hf_json_begin_object(&w);
    hf_json_integer(json_key(&w, "id"), command->id);
    hf_json_text(json_key(&w, "type"), "pong");
    hf_json_end_object(&w);
    demo_queue(command->session, &out);
}

static void core_features(struct demo_command *command)
{
    haft_value *features = yyjson_obj_get(command->message, "features");

    command->session->coalesce = demo_number(features, "coalesce_messages", 0) > 0;
    demo_result_null(command);
}

static void core_states(struct demo_command *command)
{
    struct demo *demo = command->demo;
    struct json_writer *w = demo_result_begin(command);

    hf_json_begin_array(w);
    for (size_t i = 0; i < demo->n_entities; i++)
        demo_state_write(demo, w, demo->entities[i], demo->entities[i]->state);
    hf_json_end_array(w);
    demo_result_end(command);
}

static void core_config(struct demo_command *command)
{
    demo_config_write(command->demo, demo_result_begin(command));
    demo_result_end(command);
}

static void core_services(struct demo_command *command)
{
    demo_services_write(command->demo, demo_result_begin(command), false);
    demo_result_end(command);
}

static void core_user(struct demo_command *command)
{
    struct json_writer *w = demo_result_begin(command);

    hf_json_begin_object(w);
    hf_json_text(json_key(w, "id"), command->demo->user);
    hf_json_text(json_key(w, "name"), "Demo");
    hf_json_bool(json_key(w, "is_owner"), true);
    hf_json_bool(json_key(w, "is_admin"), true);
    hf_json_begin_array(json_key(w, "credentials"));
    hf_json_end_array(w);
    hf_json_begin_array(json_key(w, "mfa_modules"));
    hf_json_end_array(w);
    hf_json_end_object(w);
    demo_result_end(command);
}

/* ---- subscriptions ---- */

static void core_subscribe(struct demo_command *command, enum demo_subscription_kind kind,
                           const char *what)
{
    if (demo_subscribe(command->session, command->id, kind, what))
        demo_error_subscribe(command);
    else
        demo_result_null(command);
}

static void core_subscribe_events(struct demo_command *command)
{
    const char *type = demo_text(command->message, "event_type");

    core_subscribe(command, DEMO_ON_EVENT, type && strcmp(type, "*") != 0 ? type : NULL);
}

static void core_unsubscribe(struct demo_command *command)
{
    int64_t id = yyjson_get_sint(yyjson_obj_get(command->message, "subscription"));

    if (demo_unsubscribe(command->session, id))
        demo_result_null(command);
    else
        demo_error(command, "not_found", "Subscription not found.");
}

static char *core_json(struct demo *demo, haft_value *value)
{
    haft_buffer out = demo_buffer(demo);

    haft_json_write(value, &out);
    return demo_take(demo, &out);
}

static void core_subscribe_entities(struct demo_command *command)
{
    haft_value *ids = yyjson_obj_get(command->message, "entity_ids");
    char *what = ids ? core_json(command->demo, ids) : NULL;
    char *json = demo_entities_json(command->demo, ids);

    if (!json || (ids && !what)) {
        demo_error_memory(command);
        return;
    }
    core_subscribe(command, DEMO_ON_ENTITIES, what);
    demo_send_event(command->session, command->id, json);
}

static void core_subscribe_trigger(struct demo_command *command)
{
    haft_value *trigger = yyjson_obj_get(command->message, "trigger");
    const char *wrong = demo_trigger_check(command->demo, trigger);
    char *what = core_json(command->demo, trigger);

    if (wrong)
        demo_error(command, "invalid_format", wrong);
    else if (!what)
        demo_error_memory(command);
    else
        core_subscribe(command, DEMO_ON_TRIGGER, what);
}

/* ---- events and services ---- */

static void core_write_context(struct demo_command *command, struct json_writer *w,
                               const struct demo_context *context)
{
    hf_json_begin_object(w);
    demo_context_write(json_key(w, "context"), command->demo, context);
}

static void core_fire(struct demo_command *command)
{
    haft_value *data = yyjson_obj_get(command->message, "event_data");
    struct demo_context context;

    demo_context_new(command->demo, NULL, true, &context);
    demo_fire(command->demo, demo_text(command->message, "event_type"),
              data ? core_json(command->demo, data) : "{}", true, &context);
    core_write_context(command, demo_result_begin(command), &context);
    hf_json_end_object(&command->w);
    demo_result_end(command);
}

const char *demo_failure_code(const struct demo_call *call)
{
    switch (call->failure) {
    case DEMO_NO_SERVICE:
        return "not_found";
    case DEMO_INVALID:
        return "invalid_format";
    case DEMO_VALIDATION:
        return "service_validation_error";
    case DEMO_ERROR:
        return "home_assistant_error";
    default:
        return "unknown_error";
    }
}

static void core_failed(struct demo_command *command, const struct demo_call *call)
{
    const char *text = call->failure == DEMO_VALIDATION
                           ? demo_complain(command->demo, "Validation error: %s", call->text)
                           : call->text;
    haft_buffer out = demo_buffer(command->demo);
    struct json_writer w = {.out = &out};

    hf_json_begin_object(&w);
    hf_json_integer(json_key(&w, "id"), command->id);
    hf_json_text(json_key(&w, "type"), "result");
    hf_json_bool(json_key(&w, "success"), false);
    hf_json_begin_object(json_key(&w, "error"));
    hf_json_text(json_key(&w, "code"), demo_failure_code(call));
    hf_json_text(json_key(&w, "message"), text ? text : "Unknown error");
    if (call->key) {
        hf_json_text(json_key(&w, "translation_key"), call->key);
        hf_json_text(json_key(&w, "translation_domain"), "homeassistant");
        hf_json_begin_object(json_key(&w, "translation_placeholders"));
        hf_json_text(json_key(&w, "domain"), call->domain);
        hf_json_text(json_key(&w, "service"), call->name);
        hf_json_end_object(&w);
    }
    hf_json_end_object(&w);
    hf_json_end_object(&w);
    demo_queue(command->session, &out);
}

static void core_call(struct demo_command *command)
{
    haft_value *message = command->message;
    struct demo_call call = {.demo = command->demo,
                             .domain = demo_text(message, "domain"),
                             .name = demo_text(message, "service")};
    struct json_writer *w;

    call.wants_response = yyjson_is_true(yyjson_obj_get(message, "return_response"));
    demo_context_new(command->demo, NULL, true, &call.context);
    if (demo_call_service(&call, yyjson_obj_get(message, "service_data"),
                          yyjson_obj_get(message, "target"))) {
        core_failed(command, &call);
        return;
    }
    w = demo_result_begin(command);
    core_write_context(command, w, &call.context);
    if (call.response)
        hf_json_raw(json_key(w, "response"), call.response, strlen(call.response));
    else
        hf_json_null(json_key(w, "response"));
    hf_json_end_object(w);
    demo_result_end(command);
}

static const struct demo_field core_call_fields[] = {
    {.name = "domain", .kind = FIELD_TEXT, .required = true},
    {.name = "service", .kind = FIELD_TEXT, .required = true},
    {.name = "service_data", .kind = FIELD_OBJECT},
    {.name = "target", .kind = FIELD_TARGET},
    {.name = "return_response", .kind = FIELD_BOOL},
};
static const struct demo_field core_event_type[] = {{.name = "event_type", .kind = FIELD_TEXT}};
static const struct demo_field core_entity_ids[] = {{.name = "entity_ids", .kind = FIELD_TEXTS},
                                                    {.name = "include", .kind = FIELD_OBJECT},
                                                    {.name = "exclude", .kind = FIELD_OBJECT}};
static const struct demo_field core_subscription[] = {
    {.name = "subscription", .kind = FIELD_INT, .required = true}};
static const struct demo_field core_trigger[] = {
    {.name = "trigger", .kind = FIELD_ANY, .required = true},
    {.name = "variables", .kind = FIELD_OBJECT}};
static const struct demo_field core_fire_fields[] = {
    {.name = "event_type", .kind = FIELD_TEXT, .required = true},
    {.name = "event_data", .kind = FIELD_OBJECT}};
static const struct demo_field core_feature_fields[] = {
    {.name = "features", .kind = FIELD_OBJECT, .required = true}};

const struct demo_command_row demo_commands_core[] = {
    {"ping", core_ping, NULL, 0},
    {"supported_features", core_features, COMMAND_FIELDS(core_feature_fields)},
    {"get_states", core_states, NULL, 0},
    {"get_config", core_config, NULL, 0},
    {"get_services", core_services, NULL, 0},
    {"auth/current_user", core_user, NULL, 0},
    {"subscribe_events", core_subscribe_events, COMMAND_FIELDS(core_event_type)},
    {"unsubscribe_events", core_unsubscribe, COMMAND_FIELDS(core_subscription)},
    {"subscribe_entities", core_subscribe_entities, COMMAND_FIELDS(core_entity_ids)},
    {"subscribe_trigger", core_subscribe_trigger, COMMAND_FIELDS(core_trigger)},
    {"fire_event", core_fire, COMMAND_FIELDS(core_fire_fields)},
    {"call_service", core_call, COMMAND_FIELDS(core_call_fields)},
    {0},
};
