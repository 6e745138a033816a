/* hass/events.h - subscriptions of tools, as the connection sees them.  All with the lock held. */
#ifndef HOME_HASS_EVENTS_H
#define HOME_HASS_EVENTS_H

#include "hass/client.h"

/* Subscribes again; false without memory. */
bool hass_events_renew(struct hass *hass);
/* The connection is lost. */
void hass_events_lost(struct hass *hass);
/* Home Assistant has refused the subscription of that id. */
void hass_events_refuse(struct hass *hass, uint64_t id, const char *code, const char *message);
/* An event of the subscription of that id. */
void hass_events_put(struct hass *hass, uint64_t id, yyjson_val *event);

#endif
