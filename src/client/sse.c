/* sse.c - parses server-sent events: into lines, then fields, then events. */
#include "client/sse.h"

#include <string.h>

enum { SSE_LONGEST_NAME = 256, LONGEST_ID = 1024, RETRY_DIGITS = 9 };

void hf_sse_init(struct sse *sse, const haft_allocator *allocator, size_t limit)
{
    *sse = (struct sse){0};
    haft_buffer_init(&sse->line, allocator, limit);
    haft_buffer_init(&sse->data, allocator, limit);
    haft_buffer_init(&sse->name, allocator, limit < SSE_LONGEST_NAME ? limit : SSE_LONGEST_NAME);
    haft_buffer_init(&sse->id, allocator, LONGEST_ID);
    haft_buffer_init(&sse->last_id, allocator, LONGEST_ID);
}

void hf_sse_finish(struct sse *sse)
{
    haft_buffer_finish(&sse->line);
    haft_buffer_finish(&sse->data);
    haft_buffer_finish(&sse->name);
    haft_buffer_finish(&sse->id);
    haft_buffer_finish(&sse->last_id);
}

static bool sse_is_text(const char *text, size_t size, const char *expected)
{
    return size == strlen(expected) && !memcmp(text, expected, size);
}

/* An event without a name is a message, and so is one named "message"; the caller may want another. */
static bool sse_is_message(const struct sse *sse)
{
    return !sse->name.status &&
           (!sse->name.size || sse_is_text(sse->name.data, sse->name.size, "message") ||
            (sse->also && sse_is_text(sse->name.data, sse->name.size, sse->also)));
}

static void end_event(struct sse *sse, sse_function *on_event, void *context)
{
    if (sse->has_data && sse->data.size && sse_is_message(sse))
        on_event(context, sse->data.data, sse->data.size);
    if (sse->has_id) {
        haft_buffer_clear(&sse->last_id);
        haft_buffer_add(&sse->last_id, sse->id.data, sse->id.size);
        if (sse->id.status)
            sse->last_id.status = sse->id.status;
    }
    haft_buffer_clear(&sse->data);
    haft_buffer_clear(&sse->name);
    sse->has_data = sse->has_id = false;
}

static void take_retry(struct sse *sse, const char *digits, size_t size)
{
    uint64_t value = 0;

    for (size_t i = 0; i < size; i++) {
        if (digits[i] < '0' || digits[i] > '9')
            return;
        value = value * 10 + (uint64_t)(digits[i] - '0');
    }
    sse->retry = value;
    sse->has_retry = true;
}

static void take_field(struct sse *sse, const char *line, size_t size)
{
    const char *colon = memchr(line, ':', size);
    size_t n = colon ? (size_t)(colon - line) : size;
    const char *value = colon ? colon + 1 : line + size;
    size_t n_value = (size_t)(line + size - value);

    if (n_value && *value == ' ') {
        value++;
        n_value--;
    }
    if (sse_is_text(line, n, "data")) {
        if (sse->has_data)
            buffer_literal(&sse->data, "\n");
        sse->has_data = true;
        haft_buffer_add(&sse->data, value, n_value);
    } else if (sse_is_text(line, n, "event")) {
        haft_buffer_clear(&sse->name);
        haft_buffer_add(&sse->name, value, n_value);
    } else if (sse_is_text(line, n, "id") && !memchr(value, '\0', n_value)) {
        haft_buffer_clear(&sse->id);
        haft_buffer_add(&sse->id, value, n_value);
        sse->has_id = true;
    } else if (sse_is_text(line, n, "retry") && n_value && n_value <= RETRY_DIGITS) {
        take_retry(sse, value, n_value);
    }
}

static void end_line(struct sse *sse, sse_function *on_event, void *context)
{
    static const char mark[] = "\xEF\xBB\xBF";
    const char *line = sse->line.data;
    size_t size = sse->line.size;

    if (!sse->begun && size >= sizeof mark - 1 && !memcmp(line, mark, sizeof mark - 1)) {
        line += sizeof mark - 1;
        size -= sizeof mark - 1;
    }
    sse->begun = true;
    if (!size)
        end_event(sse, on_event, context);
    else
        take_field(sse, line, size);
    haft_buffer_clear(&sse->line);
}

static size_t to_line_end(const char *bytes, size_t size)
{
    const char *lf = memchr(bytes, '\n', size);
    size_t n = lf ? (size_t)(lf - bytes) : size;
    const char *cr = memchr(bytes, '\r', n);

    return cr ? (size_t)(cr - bytes) : n;
}

int hf_sse_feed(struct sse *sse, const char *bytes, size_t size, sse_function *on_event,
                void *context)
{
    while (size) {
        size_t n;

        if (sse->after_cr && *bytes == '\n') {
            bytes++;
            size--;
        }
        sse->after_cr = false;
        n = size ? to_line_end(bytes, size) : 0;
        haft_buffer_add(&sse->line, bytes, n);
        if (sse->line.status)
            return sse->line.status;
        if (n == size)
            return 0;
        sse->after_cr = bytes[n] == '\r';
        end_line(sse, on_event, context);
        if (sse->data.status)
            return sse->data.status;
        bytes += n + 1;
        size -= n + 1;
    }
    return 0;
}
