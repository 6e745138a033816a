/* clock.c - times as Home Assistant writes them. */
#include "tools/clock.h"

#include <stdio.h>
#include <string.h>

/* Days since 1970 of a date of the Gregorian calendar. */
static int64_t clock_days(int year, int month, int day)
{
    int64_t y = year - (month <= 2), era = y / 400, of_era = y - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

int64_t home_time(const char *text)
{
    int year, month, day, hour, minute, second, off_hours = 0, off_minutes = 0, n = 0;
    const char *zone;
    int64_t offset;

    if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d%n", &year, &month, &day, &hour, &minute, &second,
               &n) != 6 ||
        !n || year < 1970 || month < 1 || month > 12 || day < 1 || day > 31)
        return 0;
    zone = text + n;
    zone += *zone == '.' ? 1 + strspn(zone + 1, "0123456789") : 0;
    if (*zone == '+' || *zone == '-')
        sscanf(zone + 1, "%2d:%2d", &off_hours, &off_minutes);
    offset = (*zone == '-' ? -1 : 1) * (off_hours * 60 + off_minutes);
    return ((clock_days(year, month, day) * 24 + hour) * 60 + minute - offset) * 60000 +
           second * 1000;
}
