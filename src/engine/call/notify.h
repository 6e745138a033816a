/* engine/call/notify.h - log levels by their names (notify.c). */
#ifndef HAFT_SRC_ENGINE_CALL_NOTIFY_H
#define HAFT_SRC_ENGINE_CALL_NOTIFY_H

#include "json/json.h"

/* The level of that name; -1 when there is none. */
int hf_level_named(const yyjson_val *name);

#endif
