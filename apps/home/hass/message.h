/* hass/message.h - between message.c, which reads what Home Assistant says, and connection.c, which
 * decides what follows.  All with the client's locks held, both of them. */
#ifndef HOME_HASS_MESSAGE_H
#define HOME_HASS_MESSAGE_H

#include "hass/client.h"

/* Ends the connection, with a reason. */
void hass_conn_close(struct hass *hass, const char *reason);
/* auth_required has come; auth_ok has.  Each returns false without memory. */
bool hass_conn_authenticate(struct hass *hass);
bool hass_conn_synchronize(struct hass *hass);
/* Sends the command of a job (again); false without memory. */
bool hass_conn_start_job(struct hass *hass, unsigned job);
void hass_conn_job_done(struct hass *hass, unsigned job);

#endif
