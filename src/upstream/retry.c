/* retry.c - when a failed request may be sent again. */
#include "upstream/retry.h"

#include <string.h>

enum { RETRY_ONE = 100, RETRY_DOUBLINGS = 20, RETRY_AFTER_S = 86400, RETRY_AFTER_DIGITS = 9 };

void hf_retry_earn(struct retry_budget *budget, const struct retry_rules *rules)
{
    budget->hundredths += rules->percent;
    if (budget->hundredths > RETRY_BURST)
        budget->hundredths = RETRY_BURST;
}

bool hf_retry_take(struct retry_budget *budget)
{
    if (budget->hundredths < RETRY_ONE)
        return false;
    budget->hundredths -= RETRY_ONE;
    return true;
}

bool hf_retry_is_idempotent(const char *method)
{
    static const char *const methods[] = {"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"};

    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (!strcmp(method, methods[i]))
            return true;
    return false;
}

bool hf_retry_wants(int status)
{
    return status == 429 || (status >= 502 && status <= 504);
}

int64_t hf_retry_delay(const struct retry_rules *rules, unsigned n, uint32_t random,
                       int64_t after_ms)
{
    unsigned doublings = n > RETRY_DOUBLINGS ? RETRY_DOUBLINGS : n - 1;
    int64_t delay = rules->base_ms << doublings;

    if (delay > rules->most_ms)
        delay = rules->most_ms;
    /* Between a half and the whole, so that callers that failed together do not return together. */
    delay = delay / 2 + (int64_t)(random % (uint32_t)(delay / 2 + 1));
    return delay > after_ms ? delay : after_ms;
}

static int64_t retry_seconds(const char *value)
{
    size_t size = strspn(value, "0123456789");
    int64_t seconds = 0;

    if (!size || value[size] || size > RETRY_AFTER_DIGITS)
        return -1;
    for (size_t i = 0; i < size; i++)
        seconds = seconds * 10 + (value[i] - '0');
    return seconds;
}

/* Days from 1970-01-01 to a date; years begin in March, in eras of 400 years. */
static int64_t retry_days(int64_t year, int64_t month, int64_t day)
{
    int64_t y = month <= 2 ? year - 1 : year, of_era = y % 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

    return y / 400 * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static int64_t retry_number(const char *text, size_t size)
{
    int64_t number = 0;

    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        number = number * 10 + (text[i] - '0');
    }
    return number;
}

/* "Sun, 06 Nov 1994 08:49:37 GMT" to seconds since 1970; -1 for anything else. */
static int64_t retry_date(const char *value)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    int64_t day, year, hour, minute, second, month = 0;

    if (strlen(value) != 29 || strncmp(value + 3, ", ", 2) != 0 || strcmp(value + 25, " GMT") != 0)
        return -1;
    while (month < 12 && strncmp(value + 8, months + 3 * month, 3) != 0)
        month++;
    day = retry_number(value + 5, 2);
    year = retry_number(value + 12, 4);
    hour = retry_number(value + 17, 2);
    minute = retry_number(value + 20, 2);
    second = retry_number(value + 23, 2);
    if (month == 12 || day < 1 || year < 1970 || hour < 0 || minute < 0 || second < 0)
        return -1;
    return retry_days(year, month + 1, day) * 86400 + hour * 3600 + minute * 60 + second;
}

int64_t hf_retry_after(const char *value, int64_t now_s)
{
    int64_t seconds, date;

    if (!value)
        return -1;
    seconds = retry_seconds(value);
    if (seconds < 0) {
        date = retry_date(value);
        if (date < 0)
            return -1;
        seconds = date > now_s ? date - now_s : 0;
    }
    return (seconds > RETRY_AFTER_S ? RETRY_AFTER_S : seconds) * 1000;
}
