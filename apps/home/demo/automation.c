/* automation.c - to come */
#include "demo/automation.h"
#include "demo/tick.h"
void demo_trigger_tell(struct demo_session *session, const struct demo_subscription *to,
                       haft_value *event)
{
    (void)session;
    (void)to;
    (void)event;
}
const char *demo_trigger_check(struct demo *demo, haft_value *trigger)
{
    (void)demo;
    (void)trigger;
    return NULL;
}
void demo_automations_run(struct demo *demo)
{
    demo->run.first = demo->run.last = NULL;
}
void demo_traces_free(struct demo *demo)
{
    (void)demo;
}
int demo_configs_load(struct demo *demo)
{
    (void)demo;
    return 0;
}
const struct demo_service *demo_service_made(struct demo *demo, const char *domain,
                                             const char *name)
{
    (void)demo;
    (void)domain;
    (void)name;
    return NULL;
}
void demo_services_made_write(struct demo *demo, struct json_writer *w, const char *domain)
{
    (void)demo;
    (void)w;
    (void)domain;
}
void demo_tick_all(struct demo *demo)
{
    (void)demo;
}
int demo_tick_start(struct demo *demo)
{
    (void)demo;
    return 0;
}
