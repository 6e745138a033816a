/* hold.c - triggers with `for`: they fire when their state has lasted that long.
 *
 * A match is kept with its end; a change of the entity that ends the state forgets it. */
#include "demo/automation.h"

/* ---- durations ---- */

static bool hold_read_text(const char *text, double *ret_seconds)
{
    double part[3] = {0};
    int n = 0;
    char *end;

    for (; n < 3; n++) {
        part[n] = strtod(text, &end);
        if (end == text || part[n] < 0 || part[n] > 1e9)
            return false;
        if (*end != ':')
            break;
        text = end + 1;
    }
    if (n == 3 || *end)
        return false;
    *ret_seconds = n ? part[0] * 3600 + part[1] * 60 + part[2] : part[0];
    return true;
}

bool demo_hold_read(haft_value *value, int64_t *ret_us)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {
        {"days", 86400}, {"hours", 3600}, {"minutes", 60}, {"seconds", 1}, {"milliseconds", 1e-3}};
    double seconds = 0;

    if (yyjson_is_num(value)) {
        seconds = yyjson_get_num(value);
    } else if (yyjson_is_obj(value)) {
        for (size_t i = 0; i < sizeof units / sizeof *units; i++)
            seconds += units[i].seconds * demo_number(value, units[i].name, 0);
    } else if (!yyjson_is_str(value) || !hold_read_text(yyjson_get_str(value), &seconds)) {
        return false;
    }
    if (seconds < 0 || seconds > 1e9)
        return false;
    *ret_us = (int64_t)(seconds * DEMO_SECOND);
    return true;
}

/* ---- the list ---- */

struct demo_hold {
    struct demo_hold *next;
    struct demo_session *session; /* of a subscription; NULL: of an automation */
    int64_t subscription;
    char *automation;
    size_t at; /* index of the trigger */
    char *trigger, *variable, *entity_id, *event_context;
    struct demo_context context;
    int64_t due;
};

static void hold_free(struct demo *demo, struct demo_hold *hold)
{
    demo_drop(demo, hold->automation);
    demo_drop(demo, hold->trigger);
    demo_drop(demo, hold->variable);
    demo_drop(demo, hold->entity_id);
    demo_drop(demo, hold->event_context);
    demo_release(demo, hold, sizeof *hold);
}

static bool hold_is_of(const struct demo_hold *hold, const struct demo_waiter *waiter)
{
    return waiter->session
               ? hold->session == waiter->session && hold->subscription == waiter->subscription
               : !hold->session && !strcmp(hold->automation, waiter->automation);
}

void demo_holds_drop(struct demo *demo, const struct demo_waiter *waiter)
{
    struct demo_hold **at = &demo->run.holds, *hold;

    while ((hold = *at)) {
        if (waiter && !hold_is_of(hold, waiter)) {
            at = &hold->next;
            continue;
        }
        *at = hold->next;
        hold_free(demo, hold);
    }
}

static char *hold_json(struct demo *demo, haft_value *value)
{
    haft_buffer out = demo_buffer(demo);
    char *text;

    haft_json_write(value, &out);
    text = demo_take(demo, &out);
    return text ? demo_dup(demo, text) : NULL;
}

int demo_hold(struct demo *demo, const struct demo_waiter *waiter, haft_value *trigger, size_t at,
              const char *variable, haft_value *event)
{
    const char *id = demo_text(yyjson_obj_get(event, "data"), "entity_id");
    struct demo_hold *hold;
    int64_t us;

    for (hold = demo->run.holds; hold; hold = hold->next)
        if (hold_is_of(hold, waiter) && hold->at == at && !strcmp(hold->entity_id, id))
            return 0; /* the state lasts */
    if (!demo_hold_read(yyjson_obj_get(trigger, "for"), &us))
        return 0;
    hold = demo_alloc(demo, sizeof *hold);
    if (!hold)
        return HAFT_ENOMEM;
    *hold = (struct demo_hold){.session = waiter->session,
                               .subscription = waiter->subscription,
                               .automation =
                                   demo_dup(demo, waiter->automation ? waiter->automation : ""),
                               .at = at,
                               .trigger = hold_json(demo, trigger),
                               .variable = demo_dup(demo, variable),
                               .entity_id = demo_dup(demo, id),
                               .event_context = hold_json(demo, yyjson_obj_get(event, "context")),
                               .due = demo->now + us};
    if (waiter->context)
        hold->context = *waiter->context;
    if (!hold->automation || !hold->trigger || !hold->variable || !hold->entity_id ||
        !hold->event_context) {
        hold_free(demo, hold);
        return HAFT_ENOMEM;
    }
    hold->next = demo->run.holds;
    demo->run.holds = hold;
    return 0;
}

/* ---- their ends ---- */

static bool hold_lasts(struct demo *demo, const struct demo_hold *hold, haft_value *state)
{
    haft_value *then = yyjson_obj_get(demo_parse(demo, hold->variable), "to_state");

    return demo_trigger_lasts(demo, demo_parse(demo, hold->trigger), then, state);
}

void demo_holds_look(struct demo *demo, haft_value *event)
{
    haft_value *data = yyjson_obj_get(event, "data");
    const char *id = demo_text(data, "entity_id");
    struct demo_hold **at = &demo->run.holds, *hold;

    while ((hold = *at)) {
        if (!id || strcmp(hold->entity_id, id) != 0 ||
            hold_lasts(demo, hold, yyjson_obj_get(data, "new_state"))) {
            at = &hold->next;
            continue;
        }
        *at = hold->next;
        hold_free(demo, hold);
    }
}

/* The state of the entity now; NULL if it is gone. */
static haft_value *hold_state(struct demo *demo, const char *id)
{
    const struct demo_entity *entity = demo_find(demo, id);
    haft_buffer out = demo_buffer(demo);
    struct json_writer w = {.out = &out};

    if (entity)
        demo_state_write(demo, &w, entity, entity->state);
    else
        hf_json_null(&w);
    return demo_parse(demo, demo_take(demo, &out));
}

static void hold_fire(struct demo *demo, const struct demo_hold *hold)
{
    struct demo_entity *entity;

    if (!hold_lasts(demo, hold, hold_state(demo, hold->entity_id)))
        return;
    if (hold->session) {
        demo_trigger_send(hold->session, hold->subscription, hold->variable,
                          demo_parse(demo, hold->event_context));
        return;
    }
    entity = demo_config_entity(demo, "automation", hold->automation);
    if (entity && demo_is_on(entity) && demo_record(demo, DEMO_AUTOMATIONS, hold->automation))
        demo_automation_run(demo, hold->automation, hold->variable,
                            demo_text(demo_parse(demo, hold->variable), "description"), false,
                            &hold->context);
}

int64_t demo_holds_tick(struct demo *demo)
{
    struct demo_hold **at = &demo->run.holds, *hold;
    int64_t next = 0;

    while ((hold = *at)) {
        if (hold->due > demo->now) {
            next = !next || hold->due < next ? hold->due : next;
            at = &hold->next;
            continue;
        }
        *at = hold->next;
        hold_fire(demo, hold);
        hold_free(demo, hold);
        at = &demo->run.holds; /* a run may have changed the list */
        next = 0;
    }
    return next;
}
