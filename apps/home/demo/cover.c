/* cover.c - covers, which take time to move: ten steps of a second from one end to the other. */
#include "demo/service.h"
#include "demo/tick.h"

enum { COVER_STEP = 10, COVER_OPEN = 1, COVER_CLOSE = 2, COVER_POSITION = 4, COVER_STOP = 8 };
enum { COVER_TILT_OPEN = 16, COVER_TILT_CLOSE = 32, COVER_TILT_STOP = 64, COVER_TILT_SET = 128 };

static const struct demo_field cover_position_fields[] = {{.name = "position",
                                                           .kind = FIELD_INT,
                                                           .required = true,
                                                           .ranged = true,
                                                           .min = 0,
                                                           .max = 100}};
static const struct demo_field cover_tilt_fields[] = {{.name = "tilt_position",
                                                       .kind = FIELD_INT,
                                                       .required = true,
                                                       .ranged = true,
                                                       .min = 0,
                                                       .max = 100}};

/* Where it is; one that does not know is at one of the ends. */
static double cover_position(struct demo *demo, const struct demo_entity *entity)
{
    bool shut = !strcmp(entity->state->text, "closed") || !strcmp(entity->state->text, "opening");

    return demo_attribute(demo, entity, "current_position", shut ? 0 : 100);
}

static int cover_put(struct demo *demo, struct demo_entity *entity, const char *state,
                     double position, const struct demo_context *context)
{
    bool knows = demo_attribute(demo, entity, "current_position", -1) >= 0;
    struct demo_draft draft;

    demo_draft_begin(&draft, demo, entity);
    draft.state = state;
    if (knows)
        demo_draft_number(&draft, "current_position", position);
    return demo_draft_commit(&draft, context);
}

static int cover_move(struct demo_call *call, struct demo_entity *entity, double target)
{
    double position = cover_position(call->demo, entity);

    entity->target = target;
    if (position == target) {
        entity->due = 0;
        return cover_put(call->demo, entity, target > 0 ? "open" : "closed", target,
                         &call->context);
    }
    entity->due = call->demo->now + DEMO_SECOND;
    return cover_put(call->demo, entity, position < target ? "opening" : "closing", position,
                     &call->context);
}

int demo_cover_tick(struct demo *demo, struct demo_entity *entity, int64_t at,
                    const struct demo_context *context)
{
    double position = cover_position(demo, entity), target = entity->target;
    bool knows = demo_attribute(demo, entity, "current_position", -1) >= 0, there;

    if (knows && position < target)
        position = position + COVER_STEP < target ? position + COVER_STEP : target;
    else if (knows)
        position = position - COVER_STEP > target ? position - COVER_STEP : target;
    else
        position = target;
    there = position == target;
    entity->due = there ? 0 : at + DEMO_SECOND;
    return cover_put(demo, entity,
                     there               ? target > 0 ? "open" : "closed"
                     : position < target ? "opening"
                                         : "closing",
                     position, context);
}

static int cover_open(struct demo_call *call, struct demo_entity *entity)
{
    return cover_move(call, entity, 100);
}

static int cover_close(struct demo_call *call, struct demo_entity *entity)
{
    return cover_move(call, entity, 0);
}

static int cover_stop(struct demo_call *call, struct demo_entity *entity)
{
    double position = cover_position(call->demo, entity);

    if (!entity->due)
        return 0;
    entity->due = 0;
    return cover_put(call->demo, entity, position > 0 ? "open" : "closed", position,
                     &call->context);
}

static int cover_toggle(struct demo_call *call, struct demo_entity *entity)
{
    if (entity->due)
        return cover_stop(call, entity);
    return cover_move(call, entity, cover_position(call->demo, entity) > 0 ? 0 : 100);
}

static int cover_set_position(struct demo_call *call, struct demo_entity *entity)
{
    return cover_move(call, entity, demo_number(call->data, "position", 0));
}

/* ---- tilt, which is quick ---- */

static int cover_tilt_to(struct demo_call *call, struct demo_entity *entity, double position)
{
    struct demo_draft draft;

    demo_draft_begin(&draft, call->demo, entity);
    demo_draft_number(&draft, "current_tilt_position", position);
    return demo_draft_commit(&draft, &call->context);
}

static int cover_tilt_open(struct demo_call *call, struct demo_entity *entity)
{
    return cover_tilt_to(call, entity, 100);
}

static int cover_tilt_close(struct demo_call *call, struct demo_entity *entity)
{
    return cover_tilt_to(call, entity, 0);
}

static int cover_tilt_set(struct demo_call *call, struct demo_entity *entity)
{
    return cover_tilt_to(call, entity, demo_number(call->data, "tilt_position", 0));
}

static int cover_tilt_toggle(struct demo_call *call, struct demo_entity *entity)
{
    double now = demo_attribute(call->demo, entity, "current_tilt_position", 0);

    return cover_tilt_to(call, entity, now > 0 ? 0 : 100);
}

static int cover_tilt_stop(struct demo_call *call, struct demo_entity *entity)
{
    return cover_tilt_to(call, entity,
                         demo_attribute(call->demo, entity, "current_tilt_position", 0));
}

const struct demo_service demo_services_cover[] = {
    {"open_cover", "Opens a cover.", cover_open, SERVICE_TARGET, COVER_OPEN, NULL, 0},
    {"close_cover", "Closes a cover.", cover_close, SERVICE_TARGET, COVER_CLOSE, NULL, 0},
    {"stop_cover", "Stops the cover movement.", cover_stop, SERVICE_TARGET, COVER_STOP, NULL, 0},
    {"toggle", "Toggles a cover open/closed.", cover_toggle, SERVICE_TARGET,
     COVER_OPEN | COVER_CLOSE, NULL, 0},
    {"set_cover_position", "Moves a cover to a specific position.", cover_set_position,
     SERVICE_TARGET, COVER_POSITION, SERVICE_FIELDS(cover_position_fields)},
    {"open_cover_tilt", "Tilts a cover open.", cover_tilt_open, SERVICE_TARGET, COVER_TILT_OPEN,
     NULL, 0},
    {"close_cover_tilt", "Tilts a cover to close.", cover_tilt_close, SERVICE_TARGET,
     COVER_TILT_CLOSE, NULL, 0},
    {"stop_cover_tilt", "Stops a tilting cover movement.", cover_tilt_stop, SERVICE_TARGET,
     COVER_TILT_STOP, NULL, 0},
    {"set_cover_tilt_position", "Moves a cover tilt to a specific position.", cover_tilt_set,
     SERVICE_TARGET, COVER_TILT_SET, SERVICE_FIELDS(cover_tilt_fields)},
    {"toggle_cover_tilt", "Toggles a cover tilt open/closed.", cover_tilt_toggle, SERVICE_TARGET,
     COVER_TILT_OPEN | COVER_TILT_CLOSE, NULL, 0},
    {0},
};
