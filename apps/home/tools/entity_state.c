/* entity_state - the states of up to fifty entities, with all their attributes. */
#include "tools/common.h"

HAFT_STRUCT(entity_state_args,
    HAFT_UNION(entity_id, home_texts, "Entity id, or up to 50 of them"));
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
    if (n > 1) {
        status = state_of_several(call, ids, n, out);
        if (status || out->n_entities)
            return status;
    }
    status = hass_state(call, ids[0], out->entities);
    out->n_entities = 1;
    return status ? status : home_whole(call, out->entities);
}
HAFT_TOOL(entity_state, entity_state_args, entity_state_result,
          "Get the state and the attributes of one or several entities.", HOME_READS_AGAIN);
HOME_EXPORT(entity_state);
