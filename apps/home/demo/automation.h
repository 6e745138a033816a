/* demo/automation.h - automations, scripts and scenes: triggers, runs and traces. */
#ifndef HOME_DEMO_AUTOMATION_H
#define HOME_DEMO_AUTOMATION_H

#include "demo/service.h"
#include "demo/session.h"

/* Tells a subscription of subscribe_trigger if the event is one of its triggers. */
void demo_trigger_tell(struct demo_session *session, const struct demo_subscription *to,
                       haft_value *event);
/* Runs the automations that the changes of this request trigger, until there are no more. */
void demo_automations_run(struct demo *demo);
void demo_traces_free(struct demo *demo);

/* Makes the entities of the configurations that there are, with runs of the past. */
int demo_configs_load(struct demo *demo);

#endif
