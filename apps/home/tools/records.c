/* records.c - see records.h. */
#include "tools/records.h"

#include <string.h>
#include <time.h>

#include "base/percent.h"

enum { RECORDS_PATH = 32 << 10 };

/* The text of a buffer, in the call's memory; the buffer is finished. */
static const char *records_take(haft_call *call, haft_buffer *text)
{
    const char *copy = text->status ? NULL
                                    : haft_arena_copy(haft_call_arena(call),
                                                      text->size ? text->data : "", text->size);

    haft_buffer_finish(text);
    return copy;
}

const char *home_encode(haft_call *call, const char *text)
{
    haft_buffer out;

    haft_buffer_init(&out, NULL, RECORDS_PATH);
    hf_percent_encode(&out, text, strlen(text));
    return records_take(call, &out);
}

const char *home_period(haft_call *call, const char *base, const char *start, const char *end,
                        const char *key, const char *const *ids, size_t n_ids)
{
    haft_buffer out;

    haft_buffer_init(&out, NULL, RECORDS_PATH);
    haft_buffer_puts(&out, base);
    if (start) {
        haft_buffer_puts(&out, "/");
        hf_percent_encode(&out, start, strlen(start));
    }
    haft_buffer_printf(&out, "?%s=", key);
    for (size_t i = 0; i < n_ids; i++) {
        haft_buffer_puts(&out, i ? "," : "");
        hf_percent_encode(&out, ids[i], strlen(ids[i]));
    }
    if (end) {
        haft_buffer_puts(&out, "&end_time=");
        hf_percent_encode(&out, end, strlen(end));
    }
    return records_take(call, &out);
}

const char *home_member(haft_value *object, const char *key)
{
    return yyjson_get_str(yyjson_obj_get(object, key));
}

const char *home_short(haft_call *call, const char *text, size_t size, size_t most)
{
    size_t n = size < most ? size : most, valid;
    char *copy;

    if (n < size)
        while (n && ((unsigned char)text[n] & 0xC0) == 0x80)
            n--;
    copy = haft_call_printf(call, "%.*s%s", (int)n, text, n < size ? " ..." : "");
    if (!copy)
        return NULL;
    size = strlen(copy);
    while ((valid = haft_utf8_valid(copy, size)) < size)
        copy[valid] = '?';
    return copy;
}

const char *home_time_text(haft_call *call, int64_t milliseconds)
{
    time_t seconds = (time_t)(milliseconds / 1000);
    struct tm tm;
    char text[32];

    if (!gmtime_r(&seconds, &tm) || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm))
        return "";
    return haft_call_printf(call, "%s.%03dZ", text, (int)(milliseconds % 1000));
}
