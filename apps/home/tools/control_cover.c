/* control_cover - opens, closes, stops or positions a blind, a shutter or a garage door.  It asks before it
 * opens a door. */
#include <string.h>

#include "tools/acts.h"

enum { COVER_CAN_OPEN = 1, COVER_CAN_CLOSE = 2, COVER_CAN_SET = 4, COVER_CAN_STOP = 8 };

static void control_cover_check(haft_refinement *refinement, const control_cover_args *in)
{
    if (in->action == cover_action_set && !in->has_position)
        haft_refinement_add_issue(refinement, "position", "The action set needs a position");
    if (in->action != cover_action_set && in->has_position)
        haft_refinement_add_issue(refinement, "position", "Only the action set has a position");
}
HAFT_REFINE(control_cover_args, control_cover_check);

HAFT_STRUCT(cover_data,
    HAFT_INTEGER(position, "Position"));

static const struct {
    const char *service;
    unsigned features;
    const char *cannot;
} cover_rows[] = {
    [cover_action_open] = {"open_cover", COVER_CAN_OPEN, "cannot be opened"},
    [cover_action_close] = {"close_cover", COVER_CAN_CLOSE, "cannot be closed"},
    [cover_action_stop] = {"stop_cover", COVER_CAN_STOP, "cannot be stopped"},
    [cover_action_toggle] = {"toggle", COVER_CAN_OPEN | COVER_CAN_CLOSE,
                             "cannot be opened or closed"},
    [cover_action_set] = {"set_cover_position", COVER_CAN_SET, "cannot be set to a position"},
};

/* A cover that people come in by. */
static bool cover_is_door(const entity *cover)
{
    const char *class = entity_text(cover, "device_class");

    return class && (!strcmp(class, "garage") || !strcmp(class, "door") || !strcmp(class, "gate"));
}

static bool cover_opens(const control_cover_args *in, const entity *cover)
{
    return in->action == cover_action_open || (in->action == cover_action_set && in->position) ||
           (in->action == cover_action_toggle && strcmp(cover->state, "open") != 0);
}

static int control_cover(haft_call *call, const control_cover_args *in, entity *out)
{
    cover_data data = {.position = in->position};
    const char *json = NULL;
    int status = hass_require(call, in->entity_id, "cover", out);

    if (!status)
        status =
            home_needs(call, out, cover_rows[in->action].features, cover_rows[in->action].cannot);
    if (!status && cover_is_door(out) && cover_opens(in, out))
        status = home_confirm(call, "open_door", "Open %s (%s)?", out->name, out->entity_id);
    if (status)
        return status;
    if (in->action == cover_action_set) {
        json = hass_data(call, &cover_data_type, &data);
        if (!json)
            return HAFT_EFAIL;
    }
    return home_act(call, out, cover_rows[in->action].service, json, out);
}
HAFT_TOOL(control_cover, control_cover_args, entity,
          "Open, close, stop or position a cover: a blind, a shutter, a garage door.", HOME_WRITES);
HOME_EXPORT(control_cover);
