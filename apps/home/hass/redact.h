/* hass/redact.h - JSON and text without the entities that --entities hides. */
#ifndef HOME_HASS_REDACT_H
#define HOME_HASS_REDACT_H

#include "hass/client.h"

/* Without the lock: sets *ret_value to the value itself if nothing of it is hidden, or to a copy in the
 * arena.  An item of an array, or a member, that is about a hidden entity is left out; elsewhere its id
 * becomes "[hidden]".  Returns 0 or HAFT_ENOMEM. */
int hass_redact_value(struct hass *hass, haft_arena *arena, yyjson_val *value,
                      yyjson_val **ret_value);

/* The configuration of an automation, an object, without the parts that cannot be checked; strings in it, as its
 * description, are left to hass_redact_value.  redact_config.c. */
int hass_redact_config(struct hass *hass, haft_arena *arena, yyjson_val *config,
                       yyjson_val **ret_config);

#endif
