/* format_time.c - dates, times and durations: Zod's subset of ISO 8601, and RFC 3339.
 *
 * Both use the same parsing functions and differ in how these are combined. */
#include "schema/text/format_check.h"

/* A position in the text; functions advance it only on success. */
struct cursor {
    const char *at, *end;
};

static bool format_time_take(struct cursor *cursor, char c)
{
    if (cursor->at == cursor->end || *cursor->at != c)
        return false;
    cursor->at++;
    return true;
}

/* Reads exactly `digits` digits with a value from `low` to `high`. */
static bool take_number(struct cursor *cursor, size_t digits, int low, int high, int *ret_value)
{
    int value = 0;

    if ((size_t)(cursor->end - cursor->at) < digits ||
        hf_ascii_span(cursor->at, digits, SET_DIGIT, "") != digits)
        return false;
    for (size_t i = 0; i < digits; i++)
        value = value * 10 + (cursor->at[i] - '0');
    if (value < low || value > high)
        return false;
    cursor->at += digits;
    *ret_value = value;
    return true;
}

/* Reads one or more digits. */
static bool take_digits(struct cursor *cursor)
{
    size_t digits = hf_ascii_span(cursor->at, (size_t)(cursor->end - cursor->at), SET_DIGIT, "");

    cursor->at += digits;
    return digits > 0;
}

static bool take_date(struct cursor *cursor)
{
    static const int lengths[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year, month, day, leap;

    if (!take_number(cursor, 4, 0, 9999, &year) || !format_time_take(cursor, '-') ||
        !take_number(cursor, 2, 1, 12, &month) || !format_time_take(cursor, '-'))
        return false;
    leap = month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return take_number(cursor, 2, 1, lengths[month - 1] + leap, &day);
}

struct clock {
    int hour, minute, second;
    bool seconds; /* seconds are present */
};

static bool take_clock(struct cursor *cursor, int last_second, struct clock *ret_clock)
{
    *ret_clock = (struct clock){0};
    if (!take_number(cursor, 2, 0, 23, &ret_clock->hour) || !format_time_take(cursor, ':') ||
        !take_number(cursor, 2, 0, 59, &ret_clock->minute))
        return false;
    if (!format_time_take(cursor, ':'))
        return true;
    ret_clock->seconds = true;
    if (!take_number(cursor, 2, 0, last_second, &ret_clock->second))
        return false;
    return !format_time_take(cursor, '.') || take_digits(cursor);
}

/* Reads "+hh:mm", in minutes. */
static bool take_offset(struct cursor *cursor, int *ret_minutes)
{
    bool minus = cursor->at < cursor->end && *cursor->at == '-';
    int hours, minutes;

    if (!format_time_take(cursor, '-') && !format_time_take(cursor, '+'))
        return false;
    if (!take_number(cursor, 2, 0, 23, &hours) || !format_time_take(cursor, ':') ||
        !take_number(cursor, 2, 0, 59, &minutes))
        return false;
    *ret_minutes = (hours * 60 + minutes) * (minus ? -1 : 1);
    return true;
}

/* ---- Zod ---- */

static bool zod_moment(const char *text, size_t size, bool offset, bool local)
{
    struct cursor cursor = {text, text + size};
    struct clock clock;
    int minutes;

    if (!take_date(&cursor) || !format_time_take(&cursor, 'T') || !take_clock(&cursor, 59, &clock))
        return false;
    if (cursor.at == cursor.end)
        return local;
    return clock.seconds &&
           (format_time_take(&cursor, 'Z') || (offset && take_offset(&cursor, &minutes))) &&
           cursor.at == cursor.end;
}

bool hf_zod_date_time(const char *text, size_t size)
{
    return zod_moment(text, size, false, false);
}

bool hf_zod_date_time_offset(const char *text, size_t size)
{
    return zod_moment(text, size, true, false);
}

bool hf_zod_date_time_local(const char *text, size_t size)
{
    return zod_moment(text, size, false, true);
}

bool hf_zod_date(const char *text, size_t size)
{
    struct cursor cursor = {text, text + size};

    return take_date(&cursor) && cursor.at == cursor.end;
}

bool hf_zod_time(const char *text, size_t size)
{
    struct cursor cursor = {text, text + size};
    struct clock clock;

    return take_clock(&cursor, 59, &clock) && cursor.at == cursor.end;
}

/* ---- RFC 3339 ---- */

bool hf_rfc_date(const char *text, size_t size)
{
    return hf_zod_date(text, size);
}

/* A full-time: the offset is required, and second 60 is valid only at the end of a day in UTC. */
static bool take_full_time(struct cursor *cursor)
{
    enum { FORMAT_TIME_DAY = 24 * 60 };
    struct clock clock;
    int offset = 0;

    if (!take_clock(cursor, 60, &clock) || !clock.seconds)
        return false;
    if (!format_time_take(cursor, 'Z') && !format_time_take(cursor, 'z') &&
        !take_offset(cursor, &offset))
        return false;
    return clock.second < 60 ||
           (clock.hour * 60 + clock.minute - offset + FORMAT_TIME_DAY) % FORMAT_TIME_DAY ==
               FORMAT_TIME_DAY - 1;
}

bool hf_rfc_time(const char *text, size_t size)
{
    struct cursor cursor = {text, text + size};

    return take_full_time(&cursor) && cursor.at == cursor.end;
}

bool hf_rfc_date_time(const char *text, size_t size)
{
    struct cursor cursor = {text, text + size};

    return take_date(&cursor) &&
           (format_time_take(&cursor, 'T') || format_time_take(&cursor, 't')) &&
           take_full_time(&cursor) && cursor.at == cursor.end;
}

/* ---- durations ---- */

/* Reads numbers with units from `units`, in that order. RFC 3339 permits no gaps between units; ISO
 * 8601 does, and permits a fraction of seconds. Returns their number, or -1 if malformed. */
static int take_units(struct cursor *cursor, const char *units, bool iso)
{
    const char *unit = units;
    int count = 0;

    while (cursor->at < cursor->end && ascii_in(*cursor->at, SET_DIGIT)) {
        const char *first = unit;
        bool fraction;

        take_digits(cursor);
        fraction = iso && (format_time_take(cursor, '.') || format_time_take(cursor, ','));
        if (fraction && !take_digits(cursor))
            return -1;
        while (*unit && !format_time_take(cursor, *unit))
            unit++;
        if (!*unit || (fraction && *unit != 'S') || (!iso && count && unit != first))
            return -1;
        unit++;
        count++;
    }
    return count;
}

static bool is_duration(const char *text, size_t size, bool iso)
{
    struct cursor cursor = {text, text + size}, weeks;
    int days, times = 0;

    if (!format_time_take(&cursor, 'P'))
        return false;
    weeks = cursor;
    if (take_digits(&weeks) && format_time_take(&weeks, 'W'))
        return weeks.at == weeks.end;
    days = take_units(&cursor, "YMD", iso);
    if (days >= 0 && format_time_take(&cursor, 'T')) {
        times = take_units(&cursor, "HMS", iso);
        if (times == 0)
            return false;
    }
    return days >= 0 && times >= 0 && days + times > 0 && cursor.at == cursor.end;
}

bool hf_zod_duration(const char *text, size_t size)
{
    return is_duration(text, size, true);
}

bool hf_rfc_duration(const char *text, size_t size)
{
    return is_duration(text, size, false);
}
