/* hass/reach.h - what a service, a command or a request may reach.
 *
 * With --entities everything that could touch a hidden entity is refused, also if it is only not known
 * whether it could. */
#ifndef HOME_HASS_REACH_H
#define HOME_HASS_REACH_H

#include "hass/client.h"

/* Each returns 0, or an error of the call, and waits for the connection if it needs the cache.  All are
 * called without the lock. */

/* Whether a service may be called; *ret_data is the data to send, in which targets have become the ids of
 * visible entities.  Entities and areas that do not exist are errors, with or without a filter. */
int hass_reach_service(const struct hass_wait *wait, const struct hass_service *service,
                       yyjson_val *data, yyjson_val **ret_data);
int hass_reach_command(const struct hass_wait *wait, const char *type, yyjson_val *fields);
int hass_reach_request(const struct hass_wait *wait, const char *method, const char *path,
                       const char *body);

/* Whether the path is that of the configuration of an automation. */
bool hass_is_config_path(const char *path);

/* request.c: a request that is not looked at. */
int hass_exchange(const struct hass_wait *wait, const char *method, const char *path,
                  const char *body, struct hass_answer *ret_answer);

#endif
