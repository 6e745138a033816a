/* demo/automation.h - automations, scripts and scenes: triggers, conditions, runs and traces. */
#ifndef HOME_DEMO_AUTOMATION_H
#define HOME_DEMO_AUTOMATION_H

#include "demo/service.h"
#include "demo/session.h"

/* ---- triggers: trigger.c ---- */

/* Tells a subscription of subscribe_trigger if the event is one of its triggers. */
void demo_trigger_tell(struct demo_session *session, const struct demo_subscription *to,
                       haft_value *event);
/* Sends such a subscription the variable `trigger`. */
void demo_trigger_send(struct demo_session *session, int64_t subscription, const char *variable,
                       haft_value *context);
/* If the event is one of the triggers (one, or an array of them): the variable `trigger` as JSON, in the scratch arena.
 * NULL otherwise, also if the state of the trigger has to last: the waiter hears of it when it has. */
char *demo_trigger_match(struct demo *demo, haft_value *triggers, haft_value *event,
                         const struct demo_waiter *waiter);
/* Whether a state is still one that the trigger waits for; `then` is the one that it began with. */
bool demo_trigger_lasts(struct demo *demo, haft_value *trigger, haft_value *then,
                        haft_value *state);

/* ---- triggers whose state has to last: hold.c ---- */

/* Reads a value of `for`.  Returns whether it is a duration. */
bool demo_hold_read(haft_value *value, int64_t *ret_us);
/* Keeps a match of the trigger with that index. */
int demo_hold(struct demo *demo, const struct demo_waiter *waiter, haft_value *trigger, size_t at,
              const char *variable, haft_value *event);
/* A state has changed: forgets what does not last. */
void demo_holds_look(struct demo *demo, haft_value *event);
/* Fires what has lasted.  Returns when the next will have; 0 for never. */
int64_t demo_holds_tick(struct demo *demo);

/* ---- conditions and actions, checked: condition.c ---- */

/* NULL if it is valid, else the error; "" without memory. */
const char *demo_condition_check(struct demo *demo, haft_value *conditions);
const char *demo_action_check(struct demo *demo, haft_value *actions);
/* Whether it holds; `trigger` is JSON or NULL. */
bool demo_condition_holds(struct demo *demo, haft_value *condition, const char *trigger);

/* ---- runs: run.c ---- */

struct demo_step {
    const char *path, *json; /* JSON of the result; NULL for none */
    const char *error;
    struct demo_step *next;
};

struct demo_execution {
    struct demo *demo;
    const char *domain, *item;
    haft_value *config;
    struct demo_context context;
    const char *trigger;     /* JSON of the variable; NULL for none */
    const char *description; /* of the trigger */
    struct demo_step *first, *last;
    const char *outcome, *error; /* script_execution; the error's text */
    enum demo_failure failure;
    bool dry; /* nothing is done: a run of the past */
    int64_t at;
    unsigned depth;
};

/* Runs the actions below `path` ("action", "sequence").  Returns false if they were stopped. */
bool demo_actions_run(struct demo_execution *run, haft_value *actions, const char *path);
void demo_step_add(struct demo_execution *run, const char *path, const char *json,
                   const char *error);

/* Runs an automation: its conditions unless they are skipped, then its actions. */
int demo_automation_run(struct demo *demo, const char *id, const char *trigger,
                        const char *description, bool skip, const struct demo_context *parent);
/* Runs a script; a failure is the caller's. */
int demo_script_run(struct demo_call *call, const char *id);
/* Runs the automations that the changes of this request trigger, until there are no more. */
void demo_automations_run(struct demo *demo);
/* Runs those whose time has come since the last tick. */
void demo_automations_tick(struct demo *demo);

/* ---- traces: trace.c ---- */

int demo_trace_add(struct demo_execution *run);
void demo_traces_free(struct demo *demo);

/* ---- configurations: configs.c ---- */

/* A member that has an old and a new name: "triggers" and "trigger". */
haft_value *demo_config_member(haft_value *config, const char *name);
/* The entity of an automation, a script or a scene; NULL if there is none. */
struct demo_entity *demo_config_entity(struct demo *demo, const char *domain, const char *id);
/* The id of the configuration of an entity; NULL if there is none. */
const char *demo_config_id(struct demo *demo, const struct demo_entity *entity);
/* Makes or changes the entity of a configuration. */
int demo_config_apply(struct demo *demo, enum demo_registry which, const char *id,
                      const struct demo_context *context);
/* NULL if the configuration is valid, else the error. */
const char *demo_config_check(struct demo *demo, enum demo_registry which, haft_value *config);
/* Makes the entities of the existing configurations, with runs of the past. */
int demo_configs_load(struct demo *demo);

/* ---- scenes: scene.c ---- */

/* Brings entities to states: {entity_id: state or {state, ...attributes}}. */
int demo_reproduce(struct demo_call *call, haft_value *entities);

#endif
