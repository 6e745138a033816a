/* tools/records.h - what the tools share that read what Home Assistant has written down. */
#ifndef HOME_TOOLS_RECORDS_H
#define HOME_TOOLS_RECORDS_H

#include "tools/common.h"

/* Text for a part of a path or of a query; NULL without memory. */
const char *home_encode(haft_call *call, const char *text);

/* "/api/history/period/START?filter_entity_id=ID,ID&end_time=END": `base` is all up to the period, `key` the
 * parameter with the entities.  Each time may be NULL.  Returns NULL without memory. */
const char *home_period(haft_call *call, const char *base, const char *start, const char *end,
                        const char *key, const char *const *ids, size_t n_ids);

/* A member that is a string; NULL if it is not. */
const char *home_member(haft_value *object, const char *key);

/* Valid UTF-8 of at most that many bytes, with " ..." where something was cut off; what is not UTF-8 becomes
 * '?'.  NULL without memory. */
const char *home_short(haft_call *call, const char *text, size_t size, size_t most);

/* "2026-06-01T12:00:00.000Z" of milliseconds since 1970; NULL without memory. */
const char *home_time_text(haft_call *call, int64_t milliseconds);

#endif
