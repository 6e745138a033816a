/* identity.c - ids, contexts and times.  Random numbers come from the seed, the time from the caller. */
#include "demo/model.h"

static uint64_t identity_mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

uint64_t demo_random(struct demo *demo)
{
    demo->random += UINT64_C(0x9e3779b97f4a7c15);
    return identity_mix(demo->random);
}

double demo_noise(const struct demo *demo, const char *name, int64_t at)
{
    uint64_t x = identity_mix(demo->seed ^ (uint64_t)at);

    for (; *name; name++)
        x = identity_mix(x ^ (unsigned char)*name);
    return (double)(x >> 11) / WHOLE_BELOW;
}

void demo_uuid(struct demo *demo, char ret_text[DEMO_UUID + 1])
{
    hf_hex_to_text(demo_random(demo), ret_text);
    hf_hex_to_text(demo_random(demo), ret_text + HEX_TEXT);
    ret_text[DEMO_UUID] = '\0';
}

/* A ULID: 48 bits of milliseconds and 80 random bits, five bits a character. */
static void identity_ulid(struct demo *demo, char ret_text[DEMO_ULID + 1])
{
    static const char digits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    uint64_t ms = (uint64_t)(demo->now / 1000), left = demo_random(demo), right = demo_random(demo);

    for (int i = 9; i >= 0; i--, ms >>= 5)
        ret_text[i] = digits[ms & 31];
    for (int i = 0; i < 8; i++, left >>= 5, right >>= 5) {
        ret_text[10 + i] = digits[left & 31];
        ret_text[18 + i] = digits[right & 31];
    }
    ret_text[DEMO_ULID] = '\0';
}

void demo_context_new(struct demo *demo, const struct demo_context *parent, bool by_user,
                      struct demo_context *ret_context)
{
    identity_ulid(demo, ret_context->id);
    ret_context->parent[0] = '\0';
    if (parent)
        memcpy(ret_context->parent, parent->id, sizeof ret_context->parent);
    ret_context->by_user = by_user;
}

static void identity_or_null(struct json_writer *w, const char *text)
{
    if (*text)
        hf_json_text(w, text);
    else
        hf_json_null(w);
}

void demo_context_write(struct json_writer *w, const struct demo *demo,
                        const struct demo_context *context)
{
    hf_json_begin_object(w);
    hf_json_text(json_key(w, "id"), context->id);
    identity_or_null(json_key(w, "parent_id"), context->parent);
    identity_or_null(json_key(w, "user_id"), context->by_user ? demo->user : "");
    hf_json_end_object(w);
}

/* ---- times ---- */

void demo_time_text(int64_t us, char ret_text[DEMO_TIME])
{
    char text[TIME_TEXT];
    unsigned micros = (unsigned)(us < 0 ? 0 : us % DEMO_SECOND);

    hf_time_to_text(us / 1000, text);
    text[19] = '\0'; /* of seconds */
    snprintf(ret_text, DEMO_TIME, "%s.%06u+00:00", text, micros);
}

void demo_time_write(struct json_writer *w, int64_t us)
{
    char text[DEMO_TIME];

    demo_time_text(us, text);
    hf_json_text(w, text);
}

double demo_time_seconds(int64_t us)
{
    return (double)us / DEMO_SECOND;
}

/* So many digits at *text, which moves past them; -1 if there are fewer. */
static int identity_digits(const char **text, int n)
{
    int value = 0;

    for (; n; n--, (*text)++) {
        if (**text < '0' || **text > '9')
            return -1;
        value = value * 10 + (**text - '0');
    }
    return value;
}

/* Days since 1970-01-01, of a date that exists; -1 otherwise. */
static int64_t identity_days(int year, int month, int day)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100) || year % 400 == 0;
    int64_t era, shifted;

    if (year < 1970 || month < 1 || month > 12 || day < 1 ||
        day > lengths[month - 1] + (leap && month == 2))
        return -1;
    shifted = year - (month <= 2);
    era = shifted / 400;
    shifted -= era * 400;
    return era * 146097 + shifted * 365 + shifted / 4 - shifted / 100 +
           (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1 - 719468;
}

static bool identity_read_zone(const char *text, int64_t *us)
{
    int sign = *text == '-' ? -1 : 1, hours, minutes;

    if (!*text || (*text == 'Z' && !text[1]))
        return true;
    if (*text != '+' && *text != '-')
        return false;
    text++;
    hours = identity_digits(&text, 2);
    text += *text == ':';
    minutes = identity_digits(&text, 2);
    *us -= sign * (int64_t)(hours * 60 + minutes) * 60 * DEMO_SECOND;
    return hours >= 0 && hours < 24 && minutes >= 0 && minutes < 60 && !*text;
}

static bool identity_read_clock(const char *text, int64_t *us)
{
    int hour, minute, second = 0;
    int64_t unit = DEMO_SECOND / 10;

    hour = identity_digits(&text, 2);
    if (hour < 0 || hour > 23 || *text++ != ':')
        return false;
    minute = identity_digits(&text, 2);
    if (*text == ':') {
        text++;
        second = identity_digits(&text, 2);
    }
    if (minute < 0 || minute > 59 || second < 0 || second > 59)
        return false;
    *us += ((hour * 60 + minute) * 60 + second) * (int64_t)DEMO_SECOND;
    if (*text == '.')
        for (text++; *text >= '0' && *text <= '9'; text++, unit /= 10)
            *us += (*text - '0') * unit;
    return identity_read_zone(text, us);
}

bool demo_time_read(const char *text, int64_t *ret_us)
{
    int year, month, day;
    int64_t days, us;

    year = identity_digits(&text, 4);
    if (year < 0 || *text++ != '-')
        return false;
    month = identity_digits(&text, 2);
    if (month < 0 || *text++ != '-')
        return false;
    day = identity_digits(&text, 2);
    days = identity_days(year, month, day);
    if (days < 0)
        return false;
    us = days * 86400 * DEMO_SECOND;
    if (*text &&
        ((*text != 'T' && *text != ' ' && *text != '+') || !identity_read_clock(text + 1, &us)))
        return false;
    *ret_us = us;
    return true;
}
