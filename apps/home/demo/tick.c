/* tick.c - time passes: due changes, domain by domain, and sensors, the sun and the calendar. */
#include "demo/tick.h"

#include <math.h>

#include "demo/calendar.h"
#include "demo/colour.h"

#define TICK_MINUTE (60 * (int64_t)DEMO_SECOND)
#define TICK_DAY (1440 * TICK_MINUTE)

static const struct tick_row {
    const char *domain;
    demo_ticker *tick;
} tick_rows[] = {
    {"cover", demo_cover_tick},       {"alarm_control_panel", demo_alarm_tick},
    {"vacuum", demo_vacuum_tick},     {"media_player", demo_media_tick},
    {"sun", demo_sun_tick},           {"sensor", demo_sensor_tick},
    {"calendar", demo_calendar_tick},
};

static struct demo_entity *tick_next(struct demo *demo)
{
    struct demo_entity *next = NULL;

    for (size_t i = 0; i < demo->n_entities; i++) {
        struct demo_entity *entity = demo->entities[i];

        if (entity->due && entity->due <= demo->now && (!next || entity->due < next->due))
            next = entity;
    }
    return next;
}

void demo_tick_all(struct demo *demo)
{
    struct demo_context context;
    struct demo_entity *entity;
    int64_t real = demo->now;

    while ((entity = tick_next(demo))) {
        /* A change that was due long ago happened yesterday. */
        int64_t at = entity->due < real - TICK_DAY ? real - TICK_DAY : entity->due;
        demo_ticker *tick = NULL;

        for (size_t i = 0; i < sizeof tick_rows / sizeof *tick_rows; i++)
            if (demo_is_in(entity, tick_rows[i].domain))
                tick = tick_rows[i].tick;
        entity->due = 0;
        demo->now = at; /* it happened then, whenever it is processed */
        demo_context_new(demo, NULL, false, &context);
        if (tick && tick(demo, entity, at, &context))
            entity->due = real + DEMO_SECOND; /* without memory; it is tried again */
        demo->now = real;
    }
}

int demo_tick_start(struct demo *demo)
{
    struct demo_context context;
    int status = 0;

    demo_context_new(demo, NULL, false, &context);
    for (size_t i = 0; !status && i < demo->n_entities; i++) {
        struct demo_entity *entity = demo->entities[i];
        double value;

        if (demo_is_in(entity, "sun"))
            status = demo_sun_tick(demo, entity, demo->now, &context);
        else if (demo_is_in(entity, "calendar"))
            status = demo_calendar_tick(demo, entity, demo->now, &context);
        else if (demo_house_value(demo, entity->id, demo->now, &value))
            entity->due = demo->now - demo->now % (5 * TICK_MINUTE) + 5 * TICK_MINUTE;
    }
    return status;
}

/* ---- sensors ---- */

int demo_sensor_tick(struct demo *demo, struct demo_entity *entity, int64_t at,
                     const struct demo_context *context)
{
    char text[NUMBER_TEXT];
    double value;

    entity->due = at - at % (5 * TICK_MINUTE) + 5 * TICK_MINUTE;
    if (!demo_house_value(demo, entity->id, at, &value))
        return 0;
    hf_number_to_text(value, text);
    return demo_write(demo, entity->id, text, entity->state->attributes, false, context, NULL);
}

/* ---- the sun ---- */

/* When it rises or sets on a day at the place of the home; `up` for rising.  Accurate to a few minutes. */
static int64_t tick_sun_at(int64_t day, bool up)
{
    const double radians = 3.14159265358979 / 180, latitude = 52.3731339, longitude = 4.8903147;
    double n = (double)(day / TICK_DAY) - 10957 + 0.0008;
    double anomaly = fmod(357.5291 + 0.98560028 * n, 360) * radians;
    double center = 1.9148 * sin(anomaly) + 0.02 * sin(2 * anomaly);
    double ecliptic = fmod(anomaly / radians + center + 180 + 102.9372, 360) * radians;
    double declination = asin(sin(ecliptic) * sin(23.44 * radians));
    double noon = 0.5 - longitude / 360 + 0.0053 * sin(anomaly) - 0.0069 * sin(2 * ecliptic);
    double angle = acos((sin(-0.83 * radians) - sin(latitude * radians) * sin(declination)) /
                        (cos(latitude * radians) * cos(declination)));
    double half = angle / radians / 360;

    return day + (int64_t)((noon + (up ? -half : half)) * 86400) * DEMO_SECOND;
}

static int64_t tick_sun_next(int64_t at, bool up)
{
    int64_t day = at - at % TICK_DAY, when = tick_sun_at(day, up);

    return when > at ? when : tick_sun_at(day + TICK_DAY, up);
}

int demo_sun_tick(struct demo *demo, struct demo_entity *entity, int64_t at,
                  const struct demo_context *context)
{
    int64_t rises = tick_sun_next(at, true), sets = tick_sun_next(at, false);
    struct demo_draft draft;

    demo_draft_begin(&draft, demo, entity);
    draft.state = sets < rises ? "above_horizon" : "below_horizon";
    demo_draft_time(&draft, "next_dawn", rises - 35 * TICK_MINUTE);
    demo_draft_time(&draft, "next_dusk", sets + 35 * TICK_MINUTE);
    demo_draft_time(&draft, "next_rising", rises);
    demo_draft_time(&draft, "next_setting", sets);
    demo_draft_bool(&draft, "rising", at % TICK_DAY < TICK_DAY / 2);
    entity->due = rises < sets ? rises : sets;
    return demo_draft_commit(&draft, context);
}
