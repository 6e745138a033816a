/* reach.c - see reach.h. */
#include "hass/reach.h"

#include "hass/filter.h"

static int reach_refuse(const struct hass_wait *wait, const char *what)
{
    return hass_fail(wait->call,
                     "%s cannot be limited to the entities of this server (--entities).", what);
}

int hass_reach_service(const struct hass_wait *wait, const struct hass_service *service,
                       yyjson_val *data, yyjson_val **ret_data)
{
    *ret_data = data;
    return wait->hass->entities ? reach_refuse(wait, service->service) : 0;
}

int hass_reach_command(const struct hass_wait *wait, const char *type, yyjson_val *fields)
{
    (void)fields;
    return wait->hass->entities ? reach_refuse(wait, type) : 0;
}

int hass_reach_request(const struct hass_wait *wait, const char *method, const char *path,
                       const char *body)
{
    (void)method;
    (void)body;
    return wait->hass->entities ? reach_refuse(wait, path) : 0;
}
