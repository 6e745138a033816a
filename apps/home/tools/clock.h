/* tools/clock.h - times as Home Assistant writes them. */
#ifndef HOME_TOOLS_CLOCK_H
#define HOME_TOOLS_CLOCK_H

#include "tools/common.h"

/* "2026-06-01T12:00:00.123456+00:00" in milliseconds since 1970; 0 if it is not such a time. */
int64_t home_time(const char *text);

#endif
