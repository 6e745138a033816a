/* hass/read.h - copies of states in the memory of a call. */
#ifndef HOME_HASS_READ_H
#define HOME_HASS_READ_H

#include "hass/client.h"

/* With the lock held, which it gives up: copies the states for which `wants` is true, of visible
 * entities, by entity id. */
int hass_read_states(const struct hass_wait *wait,
                     bool (*wants)(const struct state *state, const void *what), const void *what,
                     struct hass_states *ret_states);
/* The same for one of that id, which is tidy; an error if it is not there. */
int hass_read_one(const struct hass_wait *wait, const char *id, entity *ret_entity);

/* The error for an entity that is not there or is hidden; takes the lock. */
int hass_fail_entity(struct hass *hass, haft_call *call, const char *entity_id);

#endif
