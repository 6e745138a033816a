/* switch.c - switches and input booleans.  switch.faulty fails on purpose: something must. */
#include "demo/service.h"

static int switch_set(struct demo_call *call, struct demo_entity *entity, bool on)
{
    if (!strcmp(entity->id, "switch.faulty"))
        return demo_fail(call, DEMO_ERROR, NULL,
                         "Failed to communicate with device %s: connection timed out", entity->id);
    return demo_set_on(call, entity, on);
}

static int switch_turn_on(struct demo_call *call, struct demo_entity *entity)
{
    return switch_set(call, entity, true);
}

static int switch_turn_off(struct demo_call *call, struct demo_entity *entity)
{
    return switch_set(call, entity, false);
}

static int switch_toggle(struct demo_call *call, struct demo_entity *entity)
{
    return switch_set(call, entity, !demo_is_on(entity));
}

static int switch_nothing(struct demo_call *call, struct demo_entity *entity)
{
    (void)call;
    (void)entity;
    return 0;
}

const struct demo_service demo_services_switch[] = {
    {"turn_on", "Turns a switch on.", switch_turn_on, SERVICE_TARGET, 0, NULL, 0},
    {"turn_off", "Turns a switch off.", switch_turn_off, SERVICE_TARGET, 0, NULL, 0},
    {"toggle", "Toggles a switch on/off.", switch_toggle, SERVICE_TARGET, 0, NULL, 0},
    {0},
};

const struct demo_service demo_services_input_boolean[] = {
    {"turn_on", "Turns on the helper.", switch_turn_on, SERVICE_TARGET, 0, NULL, 0},
    {"turn_off", "Turns off the helper.", switch_turn_off, SERVICE_TARGET, 0, NULL, 0},
    {"toggle", "Toggles the helper on/off.", switch_toggle, SERVICE_TARGET, 0, NULL, 0},
    {"reload", "Reloads helpers from the YAML-configuration.", switch_nothing, 0, 0, NULL, 0},
    {0},
};
