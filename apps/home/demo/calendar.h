/* demo/calendar.h - the calendar: the same appointments every week. */
#ifndef HOME_DEMO_CALENDAR_H
#define HOME_DEMO_CALENDAR_H

#include "demo/service.h"

/* Writes the events between two times as an array. */
void demo_calendar_write(struct demo *demo, struct json_writer *w, int64_t from, int64_t to,
                         bool rest);

#endif
