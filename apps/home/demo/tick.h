/* demo/tick.h - what happens in the home as time passes. */
#ifndef HOME_DEMO_TICK_H
#define HOME_DEMO_TICK_H

#include "demo/model.h"

/* Does what is due by now, in the order in which it was due. */
void demo_tick_all(struct demo *demo);
/* Sets what is due first. */
int demo_tick_start(struct demo *demo);

/* One function a domain: does what is due at `at`, and sets the entity's next due. */
typedef int demo_ticker(struct demo *demo, struct demo_entity *entity, int64_t at,
                        const struct demo_context *context);
demo_ticker demo_cover_tick, demo_alarm_tick, demo_vacuum_tick, demo_media_tick, demo_sun_tick,
    demo_sensor_tick, demo_calendar_tick;

#endif
