/* entity_state - the states of up to fifty entities, with all their attributes. */
#include <string.h>

#include "picture.h"
#include "tools/common.h"

HAFT_STRUCT(entity_state_args,
    HAFT_UNION(entity_id, home_texts, "Entity id, or up to 50 of them"),
    HAFT_DEFAULT(HAFT_BOOLEAN(picture, "With the picture of a camera"), false));
HAFT_STRUCT(entity_state_result,
    HAFT_ARRAY(entities, HAFT_OBJECT(item, entity, NULL), NULL),
    HAFT_OPTIONAL(HAFT_ARRAY(not_found, HAFT_STRING(item, NULL), NULL)));

static const entity *state_find(const struct hass_states *states, const char *entity_id)
{
    for (size_t i = 0; i < states->n; i++)
        if (home_same_text(states->at[i].entity_id, entity_id))
            return &states->at[i];
    return NULL;
}

static int state_of_several(haft_call *call, const char *const *ids, size_t n,
                            entity_state_result *out)
{
    struct hass_states states;
    int status = hass_states(call, &states);

    for (size_t i = 0; i < n && !status; i++) {
        const entity *one = state_find(&states, ids[i]);

        if (!one) {
            out->not_found[out->n_not_found++] = ids[i];
            continue;
        }
        out->entities[out->n_entities] = *one;
        status = home_whole(call, &out->entities[out->n_entities++]);
    }
    out->has_not_found = out->n_not_found > 0;
    return status;
}

/* The picture of a camera, after the text that a result without one would have. */
static int state_picture(haft_call *call, const entity_state_result *out)
{
    struct hass_answer picture;
    const char *text;
    entity camera;
    int status = hass_require(call, out->entities[0].entity_id, "camera", &camera);

    if (!status)
        status = home_picture(call, &camera, &picture);
    if (status)
        return status;
    text = hass_data(call, &entity_state_result_type, out);
    status = text ? haft_text_bytes(call, text, strlen(text)) : HAFT_EFAIL;
    return status ? status : haft_image(call, picture.type, picture.body, picture.size);
}

/* One that does not exist is an error; among several, those that do are returned. */
static int entity_state(haft_call *call, const entity_state_args *in, entity_state_result *out)
{
    size_t n;
    const char *const *ids = home_texts_list(&in->entity_id, &n);
    int status;

    out->entities = haft_call_alloc(call, n * sizeof *out->entities);
    out->not_found = haft_call_alloc(call, n * sizeof *out->not_found);
    if (!out->entities || !out->not_found)
        return HAFT_ENOMEM;
    if (n > 1 && in->picture)
        return home_fail(call, "A picture is of one camera; ask for one entity.");
    if (n > 1) {
        status = state_of_several(call, ids, n, out);
        if (status || out->n_entities)
            return status;
    }
    status = hass_state(call, ids[0], out->entities);
    out->n_entities = 1;
    if (!status)
        status = home_whole(call, out->entities);
    return status || !in->picture ? status : state_picture(call, out);
}
HAFT_TOOL(entity_state, entity_state_args, entity_state_result,
          "Get the state and the attributes of one or several entities.", HOME_READS_AGAIN);
HOME_EXPORT(entity_state);
