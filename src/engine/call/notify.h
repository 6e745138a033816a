/* engine/call/notify.h - names of log levels (notify.c). */
#ifndef HAFT_SRC_ENGINE_CALL_NOTIFY_H
#define HAFT_SRC_ENGINE_CALL_NOTIFY_H

#include "json/json.h"

/* Finds a level by name; -1 if there is none. */
int hf_level_named(const yyjson_val *name);

#endif
