/* engine/call/notify.h - names of log levels, progress, and messages of other servers (notify.c). */
#ifndef HAFT_SRC_ENGINE_CALL_NOTIFY_H
#define HAFT_SRC_ENGINE_CALL_NOTIFY_H

#include <haft/tool.h>

#include "json/json.h"

/* Finds a level by name; -1 if there is none. */
int hf_level_named(const yyjson_val *name);
/* The name of a level; NULL for other numbers. */
const char *hf_level_text(int level);

/* Whether haft_progress would report to anyone. */
bool hf_progress_is_wanted(const haft_call *call);

/* Sends the parameters of another server's notifications/message to the client, if it wants messages
 * of that level.  May be called from any thread. */
void hf_message_pass(haft_call *call, yyjson_val *params);

#endif
