/* time.c - formatting of times, without the C library's time functions. */
#include "base/base.h"

enum { TIME_DAY = 86400000 };

/* The largest time with a four-digit year, 9999-12-31T23:59:59.999Z. */
static const int64_t last = INT64_C(253402300799999);

/* Writes two digits and the character `after`. */
static inline char *time_put(char *at, unsigned value, char after)
{
    at[0] = (char)('0' + value / 10);
    at[1] = (char)('0' + value % 10);
    at[2] = after;
    return at + 3;
}

size_t hf_time_to_text(int64_t ms, char ret_text[TIME_TEXT])
{
    unsigned days, rest, era, of_era, of_year, year, month, day, shifted;
    char *at = ret_text;

    ms = ms < 0 ? 0 : ms > last ? last : ms;
    rest = (unsigned)(ms % TIME_DAY);
    /* Converts days since 1970-01-01 to a date; years start in March, in eras of 400 years. */
    days = (unsigned)(ms / TIME_DAY) + 719468;
    era = days / 146097;
    of_era = days - era * 146097;
    year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    of_year = of_era - (365 * year + year / 4 - year / 100);
    shifted = (5 * of_year + 2) / 153;
    day = of_year - (153 * shifted + 2) / 5 + 1;
    month = shifted < 10 ? shifted + 3 : shifted - 9;
    year += era * 400 + (month <= 2);
    at = time_put(at, year / 100, '-') - 1;
    at = time_put(at, year % 100, '-');
    at = time_put(at, month, '-');
    at = time_put(at, day, 'T');
    at = time_put(at, rest / 3600000, ':');
    at = time_put(at, rest / 60000 % 60, ':');
    at = time_put(at, rest / 1000 % 60, '.');
    *at++ = (char)('0' + rest % 1000 / 100);
    at = time_put(at, rest % 100, 'Z');
    *at = '\0';
    return (size_t)(at - ret_text);
}
