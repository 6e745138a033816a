/* hass/command.h - commands of the WebSocket API, inside the client. */
#ifndef HOME_HASS_COMMAND_H
#define HOME_HASS_COMMAND_H

#include "hass/client.h"
#include "hass/redact.h"

/* Sends a command, once, and waits for its answer.  Returns 0 with the command done or failed (to be
 * finished), or an error of the call. */
int hass_send_command(const struct hass_wait *wait, const char *type, yyjson_val *fields,
                      bool reads, struct command *ret_command);
void hass_command_finish(const struct hass_wait *wait, struct command *command);
/* The result of one that is done. */
int hass_command_value(const struct hass_wait *wait, const struct command *command,
                       haft_value **ret_value);

/* A JSON object that a tool gave, NULL for an empty one. */
int hass_object(haft_call *call, const char *json, yyjson_val **ret_object);
/* An error of Home Assistant, in its own words but for hidden ids. */
int hass_fail_words(haft_call *call, const char *code, const char *message);

#endif
