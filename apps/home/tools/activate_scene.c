/* activate_scene - activates a scene, and returns what it changed. */
#include "tools/common.h"

HAFT_STRUCT(activate_scene_args,
    HOME_ENTITY_ID,
    HAFT_OPTIONAL(HAFT_NUMBER(transition, "Seconds", .min = 0, .max = 6553)));
HAFT_STRUCT(scene_data,
    HAFT_STRING(entity_id, "Scene"),
    HAFT_OPTIONAL(HAFT_NUMBER(transition, "Seconds")));
HAFT_STRUCT(activate_scene_result,
    HAFT_ARRAY(changed, HAFT_OBJECT(item, entity, NULL), NULL),
    HAFT_INTEGER(total, NULL),
    HAFT_BOOLEAN(truncated, NULL));

static int activate_scene(haft_call *call, const activate_scene_args *in,
                          activate_scene_result *out)
{
    scene_data data = {.has_transition = in->has_transition, .transition = in->transition};
    struct hass_service service = {.domain = "scene", .service = "turn_on"};
    struct hass_states changed;
    entity scene;
    int status = hass_require(call, in->entity_id, "scene", &scene);

    if (status)
        return status;
    data.entity_id = scene.entity_id;
    service.data = hass_data(call, &scene_data_type, &data);
    if (!service.data)
        return HAFT_EFAIL;
    status = hass_call(call, &service, &changed, NULL);
    if (status)
        return status;
    out->total = (int64_t)changed.n;
    return home_result_of(call, &changed, &out->changed, &out->n_changed, &out->truncated);
}
HAFT_TOOL(activate_scene, activate_scene_args, activate_scene_result,
          "Activate a scene, and return the entities that it changed.", HOME_WRITES);
HOME_EXPORT(activate_scene);
