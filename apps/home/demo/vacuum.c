/* vacuum.c - the vacuum cleaner, which takes a while to go home. */
#include "demo/service.h"
#include "demo/tick.h"

static const struct demo_field vacuum_speed_fields[] = {
    {.name = "fan_speed", .kind = FIELD_TEXT, .required = true}};
static const struct demo_field vacuum_command_fields[] = {
    {.name = "command", .kind = FIELD_TEXT, .required = true},
    {.name = "params", .kind = FIELD_ANY}};

static int vacuum_set(struct demo_call *call, struct demo_entity *entity, const char *state)
{
    entity->due = 0;
    return demo_set_state(call, entity, state);
}

static int vacuum_start(struct demo_call *call, struct demo_entity *entity)
{
    return vacuum_set(call, entity, "cleaning");
}

static int vacuum_pause(struct demo_call *call, struct demo_entity *entity)
{
    return strcmp(entity->state->text, "cleaning") ? 0 : vacuum_set(call, entity, "paused");
}

static int vacuum_stop(struct demo_call *call, struct demo_entity *entity)
{
    return strcmp(entity->state->text, "docked") ? vacuum_set(call, entity, "idle") : 0;
}

static int vacuum_return(struct demo_call *call, struct demo_entity *entity)
{
    if (!strcmp(entity->state->text, "docked"))
        return 0;
    if (vacuum_set(call, entity, "returning"))
        return HAFT_ENOMEM;
    entity->due = call->demo->now + 30 * (int64_t)DEMO_SECOND;
    return 0;
}

int demo_vacuum_tick(struct demo *demo, struct demo_entity *entity, int64_t at,
                     const struct demo_context *context)
{
    (void)at;
    entity->due = 0;
    return demo_write(demo, entity->id, "docked", entity->state->attributes, false, context, NULL);
}

static int vacuum_locate(struct demo_call *call, struct demo_entity *entity)
{
    return demo_set_state(call, entity, entity->state->text);
}

static int vacuum_set_speed(struct demo_call *call, struct demo_entity *entity)
{
    haft_value *speeds = yyjson_obj_get(demo_attributes(call->demo, entity), "fan_speed_list");
    const char *speed = demo_text(call->data, "fan_speed");
    struct demo_draft draft;

    if (!speed || !demo_lists(speeds, speed))
        return demo_fail(call, DEMO_ERROR, NULL, "Fan speed %s is not one of: %s",
                         speed ? speed : "None", demo_join(call->demo, speeds));
    demo_draft_begin(&draft, call->demo, entity);
    demo_draft_text(&draft, "fan_speed", speed);
    return demo_draft_commit(&draft, &call->context);
}

const struct demo_service demo_services_vacuum[] = {
    {"start", "Starts or resumes the cleaning task.", vacuum_start, SERVICE_TARGET, 8192, NULL, 0},
    {"pause", "Pauses the cleaning task.", vacuum_pause, SERVICE_TARGET, 4, NULL, 0},
    {"stop", "Stops the current cleaning task.", vacuum_stop, SERVICE_TARGET, 8, NULL, 0},
    {"return_to_base", "Tells the vacuum cleaner to return to its dock.", vacuum_return,
     SERVICE_TARGET, 16, NULL, 0},
    {"clean_spot", "Tells the vacuum cleaner to do a spot clean-up.", vacuum_start, SERVICE_TARGET,
     1024, NULL, 0},
    {"locate", "Locates the vacuum cleaner robot.", vacuum_locate, SERVICE_TARGET, 512, NULL, 0},
    {"set_fan_speed", "Sets the fan speed of the vacuum cleaner.", vacuum_set_speed, SERVICE_TARGET,
     32, SERVICE_FIELDS(vacuum_speed_fields)},
    {"send_command", "Sends a command to the vacuum cleaner.", vacuum_locate, SERVICE_TARGET, 256,
     SERVICE_FIELDS(vacuum_command_fields)},
    {0},
};
