/* lock.c - locks and the alarm panel, whose code is 1234. */
#include "demo/service.h"
#include "demo/tick.h"

#define LOCK_CODE "1234"

static const struct demo_field lock_code_fields[] = {{.name = "code", .kind = FIELD_TEXT}};

/* ---- locks ---- */

static bool lock_code_has_format(const char *code)
{
    return strspn(code, "0123456789") == 4 && strlen(code) == 4;
}

/* A code may come as a number. */
static const char *lock_code(struct demo_call *call)
{
    haft_value *code = yyjson_obj_get(call->data, "code");

    if (yyjson_is_num(code))
        return demo_format(call->demo, "%.0f", yyjson_get_num(code));
    return yyjson_get_str(code);
}

static int lock_set(struct demo_call *call, struct demo_entity *entity, const char *state)
{
    const char *format = demo_text(demo_attributes(call->demo, entity), "code_format");
    const char *code = lock_code(call);
    struct demo_draft draft;

    if (format && (!code || !lock_code_has_format(code)))
        return demo_fail(call, DEMO_VALIDATION, "add_default_code",
                         "The code for %s doesn't match pattern %s", entity->id, format);
    if (format && strcmp(code, LOCK_CODE) != 0)
        return demo_fail(call, DEMO_VALIDATION, "invalid_code", "Invalid code provided for %s",
                         entity->id);
    demo_draft_begin(&draft, call->demo, entity);
    draft.state = state;
    demo_draft_text(&draft, "changed_by", format ? "Demo" : NULL);
    return demo_draft_commit(&draft, &call->context);
}

static int lock_lock(struct demo_call *call, struct demo_entity *entity)
{
    return lock_set(call, entity, "locked");
}

static int lock_unlock(struct demo_call *call, struct demo_entity *entity)
{
    return lock_set(call, entity, "unlocked");
}

static int lock_open(struct demo_call *call, struct demo_entity *entity)
{
    return lock_set(call, entity, "open");
}

const struct demo_service demo_services_lock[] = {
    {"lock", "Locks a lock.", lock_lock, SERVICE_TARGET, 0, SERVICE_FIELDS(lock_code_fields)},
    {"unlock", "Unlocks a lock.", lock_unlock, SERVICE_TARGET, 0, SERVICE_FIELDS(lock_code_fields)},
    {"open", "Opens a lock.", lock_open, SERVICE_TARGET, 1, SERVICE_FIELDS(lock_code_fields)},
    {0},
};

/* ---- the alarm panel ---- */

enum { ALARM_DELAY = 30 * DEMO_SECOND };

static const char *const alarm_modes[] = {"armed_away", "armed_vacation"};

static int alarm_check(struct demo_call *call, const struct demo_entity *entity, bool arms)
{
    const char *code = lock_code(call);

    if (arms && !code)
        return demo_fail(call, DEMO_VALIDATION, "code_arm_required",
                         "Arming requires a code but none was given for %s", entity->id);
    if (!code || strcmp(code, LOCK_CODE) != 0)
        return demo_fail(call, DEMO_VALIDATION, "invalid_code", "Invalid alarm code provided");
    return 0;
}

static int alarm_put(struct demo *demo, struct demo_entity *entity, const char *state,
                     const char *next, const struct demo_context *context)
{
    struct demo_draft draft;

    demo_draft_begin(&draft, demo, entity);
    draft.state = state;
    if (next)
        demo_draft_text(&draft, "next_state", next);
    else
        demo_draft_remove(&draft, "next_state");
    demo_draft_text(&draft, "changed_by", "Demo");
    return demo_draft_commit(&draft, context);
}

/* Those who leave have time to do so. */
static int alarm_arm(struct demo_call *call, struct demo_entity *entity, const char *state)
{
    if (alarm_check(call, entity, true))
        return -1;
    for (size_t i = 0; i < 2; i++)
        if (!strcmp(alarm_modes[i], state)) {
            entity->target = (double)i;
            entity->due = call->demo->now + ALARM_DELAY;
            return alarm_put(call->demo, entity, "arming", state, &call->context);
        }
    entity->due = 0;
    return alarm_put(call->demo, entity, state, NULL, &call->context);
}

int demo_alarm_tick(struct demo *demo, struct demo_entity *entity, int64_t at,
                    const struct demo_context *context)
{
    (void)at;
    entity->due = 0;
    return alarm_put(demo, entity, alarm_modes[entity->target > 0], NULL, context);
}

static int alarm_disarm(struct demo_call *call, struct demo_entity *entity)
{
    if (alarm_check(call, entity, false))
        return -1;
    entity->due = 0;
    return alarm_put(call->demo, entity, "disarmed", NULL, &call->context);
}

static int alarm_home(struct demo_call *call, struct demo_entity *entity)
{
    return alarm_arm(call, entity, "armed_home");
}

static int alarm_away(struct demo_call *call, struct demo_entity *entity)
{
    return alarm_arm(call, entity, "armed_away");
}

static int alarm_night(struct demo_call *call, struct demo_entity *entity)
{
    return alarm_arm(call, entity, "armed_night");
}

static int alarm_vacation(struct demo_call *call, struct demo_entity *entity)
{
    return alarm_arm(call, entity, "armed_vacation");
}

static int alarm_bypass(struct demo_call *call, struct demo_entity *entity)
{
    return alarm_arm(call, entity, "armed_custom_bypass");
}

static int alarm_trigger(struct demo_call *call, struct demo_entity *entity)
{
    entity->due = 0;
    return alarm_put(call->demo, entity, "triggered", NULL, &call->context);
}

#define ALARM_ROW(name, text, run, feature)                                                        \
    {                                                                                              \
        name, text, run, SERVICE_TARGET, feature, SERVICE_FIELDS(lock_code_fields)                 \
    }

const struct demo_service demo_services_alarm_control_panel[] = {
    ALARM_ROW("alarm_disarm", "Disarms an alarm.", alarm_disarm, 0),
    ALARM_ROW("alarm_arm_home", "Arms an alarm in the home mode.", alarm_home, 1),
    ALARM_ROW("alarm_arm_away", "Arms an alarm in the away mode.", alarm_away, 2),
    ALARM_ROW("alarm_arm_night", "Arms an alarm in the night mode.", alarm_night, 4),
    ALARM_ROW("alarm_arm_vacation", "Arms an alarm in the vacation mode.", alarm_vacation, 32),
    ALARM_ROW("alarm_arm_custom_bypass", "Arms an alarm while allowing bypass.", alarm_bypass, 16),
    ALARM_ROW("alarm_trigger", "Triggers an alarm manually.", alarm_trigger, 8),
    {0},
};
