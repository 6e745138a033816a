/* buffer.c - a growing text buffer with a limit and a sticky error, and writers for JSON tokens. */
#include "base/base.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BUFFER_FIRST_CAPACITY = 256, RUN = 64 };

void haft_buffer_init(haft_buffer *buffer, const haft_allocator *allocator, size_t limit)
{
    *buffer = (haft_buffer){.limit = limit, .allocator = hf_allocator_or_default(allocator)};
}

void haft_buffer_finish(haft_buffer *buffer)
{
    if (buffer->data)
        buffer->allocator->release(buffer->allocator->context, buffer->data, buffer->capacity);
    haft_buffer_init(buffer, buffer->allocator, buffer->limit);
}

void haft_buffer_clear(haft_buffer *buffer)
{
    buffer->size = 0;
    buffer->status = 0;
}

void hf_buffer_trim(haft_buffer *buffer, size_t keep)
{
    if (buffer->capacity > keep)
        haft_buffer_finish(buffer);
    else
        haft_buffer_clear(buffer);
}

/* And for a NUL, which printf wants. */
bool hf_buffer_reserve(haft_buffer *buffer, size_t size)
{
    size_t capacity = buffer->capacity, needed;
    char *data;

    if (buffer->status)
        return false;
    if (size > buffer->limit - buffer->size || buffer->size + size == SIZE_MAX) {
        buffer->status = HAFT_ETOOBIG;
        return false;
    }
    needed = buffer->size + size + 1;
    if (needed <= capacity)
        return true;
    capacity = !capacity                 ? BUFFER_FIRST_CAPACITY
               : capacity > SIZE_MAX / 2 ? SIZE_MAX
                                         : capacity * 2;
    if (capacity > buffer->limit)
        capacity = buffer->limit;
    if (capacity < needed)
        capacity = needed;
    data = buffer->allocator->resize(buffer->allocator->context, buffer->data, buffer->capacity,
                                     capacity);
    if (!data) {
        buffer->status = HAFT_ENOMEM;
        return false;
    }
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

void haft_buffer_add(haft_buffer *buffer, const void *bytes, size_t size)
{
    /* The usual case first: it fits, and nothing has gone wrong. */
    if (!size || ((size >= buffer->capacity - buffer->size || buffer->status) &&
                  !hf_buffer_reserve(buffer, size)))
        return;
    memcpy(buffer->data + buffer->size, bytes, size);
    buffer->size += size;
}

void haft_buffer_puts(haft_buffer *buffer, const char *text)
{
    haft_buffer_add(buffer, text, strlen(text));
}

void haft_buffer_printf(haft_buffer *buffer, const char *format, ...)
{
    va_list args;
    int size;

    if (buffer->status)
        return;
    va_start(args, format);
    size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (size < 0) /* longer than INT_MAX, or an invalid wide character */
        buffer->status = HAFT_ETOOBIG;
    if (!hf_buffer_reserve(buffer, (size_t)size))
        return;
    va_start(args, format);
    vsnprintf(buffer->data + buffer->size, (size_t)size + 1, format, args);
    va_end(args);
    buffer->size += (size_t)size;
}

/* How a byte is written inside a JSON string: '.' unchanged, 'u' as \u00xx, 'x' part of a
 * multi-byte character, otherwise the character that follows the backslash. */
static const char escapes[] = "uuuuuuuubtnufruu"
                              "uuuuuuuuuuuuuuuu"
                              "..\"............."
                              "................"
                              "................"
                              "............\\..."
                              "................"
                              "................"
                              "xxxxxxxxxxxxxxxx"
                              "xxxxxxxxxxxxxxxx"
                              "xxxxxxxxxxxxxxxx"
                              "xxxxxxxxxxxxxxxx"
                              "xxxxxxxxxxxxxxxx"
                              "xxxxxxxxxxxxxxxx"
                              "xxxxxxxxxxxxxxxx"
                              "xxxxxxxxxxxxxxxx";

/* Whether eight bytes can be copied into a JSON string unchanged: printable ASCII except quote and
 * backslash. */
static bool buffer_is_plain(uint64_t word)
{
    return !(word & EACH_BYTE(0x80)) && !word_ends_plain(word);
}

/* Copies text up to the first byte that needs more than two bytes, to a place with enough room; *to
 * is advanced. Returns the number of bytes consumed. */
static size_t put_short(char **to, const char *text, size_t size)
{
    char *at = *to;
    size_t i = 0;

    while (i < size) {
        size_t stop = size;
        uint64_t word;

        if (size - i >= sizeof word) {
            memcpy(&word, text + i, sizeof word);
            if (buffer_is_plain(word)) {
                memcpy(at, &word, sizeof word);
                at += sizeof word;
                i += sizeof word;
                continue;
            }
            stop = i + sizeof word;
        }
        for (; i < stop; i++) {
            char escape = escapes[(unsigned char)text[i]];

            if (escape == '.') {
                *at++ = text[i];
                continue;
            }
            if (escape == 'u' || escape == 'x')
                goto out;
            *at++ = '\\';
            *at++ = escape;
        }
    }
out:
    *to = at;
    return i;
}

size_t hf_line_end_found(const char *text, const char **ret_escape)
{
    static const struct {
        const char *bytes, *escape;
    } ends[] = {{"\xC2\x85", "\\u0085"}, {"\xE2\x80\xA8", "\\u2028"}, {"\xE2\x80\xA9", "\\u2029"}};

    /* Byte by byte: the text may end, without a NUL, after a character that differs earlier. */
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t size = 0;

        while (ends[i].bytes[size] && text[size] == ends[i].bytes[size])
            size++;
        if (ends[i].bytes[size])
            continue;
        *ret_escape = ends[i].escape;
        return size;
    }
    return 0;
}

/* Writes any text: runs of unchanged bytes and the escapes between them. */
static void buffer_put_long(haft_buffer *buffer, const char *text, size_t size)
{
    size_t start = 0, line_end;
    const char *escaped;

    if (haft_utf8_valid(text, size) != size) {
        buffer->status = HAFT_EUTF8;
        return;
    }
    for (size_t i = 0; i < size; i++) {
        char escape = escapes[(unsigned char)text[i]];

        line_end = line_end_size(text + i, &escaped);
        if (line_end) {
            buffer_add(buffer, text + start, i - start);
            buffer_add(buffer, escaped, 6);
            i += line_end - 1;
            start = i + 1;
            continue;
        }
        if (escape == '.' || escape == 'x')
            continue;
        buffer_add(buffer, text + start, i - start);
        start = i + 1;
        if (escape == 'u')
            haft_buffer_printf(buffer, "\\u%04x", (unsigned)(unsigned char)text[i]);
        else
            buffer_add(buffer, (char[]){'\\', escape}, 2);
    }
    buffer_add(buffer, text + start, size - start);
}

/* Makes room for `size` bytes, if the limit permits. */
static bool buffer_has_room(haft_buffer *buffer, size_t size)
{
    return size < buffer->capacity - buffer->size ||
           (size <= buffer->limit - buffer->size && hf_buffer_reserve(buffer, size));
}

void haft_buffer_json_string(haft_buffer *buffer, const char *text, size_t size)
{
    size_t start = buffer->size, done = 0;

    if (!hf_buffer_reserve(buffer, size + 2))
        return;
    buffer->data[buffer->size++] = '"';
    while (done < size && buffer_has_room(buffer, size - done + RUN)) {
        size_t n = size - done < RUN ? size - done : RUN;
        char *to = buffer->data + buffer->size;
        size_t put = put_short(&to, text + done, n);

        buffer->size = (size_t)(to - buffer->data);
        done += put;
        if (put < n)
            break;
    }
    if (done < size)
        buffer_put_long(buffer, text + done, size - done);
    buffer_literal(buffer, "\"");
    if (buffer->status)
        buffer->size = start;
}

/* Sets the high bit of each byte that equals `byte`; all eight bytes must be ASCII. */
static uint64_t word_equals(uint64_t word, unsigned char byte)
{
    return ~((word ^ EACH_BYTE(byte)) + EACH_BYTE(0x7f)) & EACH_BYTE(0x80);
}

/* Counts how many of eight bytes need a backslash; returns false if one needs another kind of
 * escape. */
static bool word_escapes(uint64_t word, size_t *ret_n)
{
    uint64_t control = ~(word + EACH_BYTE(0x60)) & EACH_BYTE(0x80);
    uint64_t escaped = word_equals(word, '"') | word_equals(word, '\\');

    if (word & EACH_BYTE(0x80))
        return false;
    if (control) {
        uint64_t blank =
            word_equals(word, '\n') | word_equals(word, '\t') | word_equals(word, '\r');

        if (control != blank)
            return false;
        escaped |= blank;
    }
    *ret_n = (size_t)((escaped >> 7) * EACH_BYTE(1) >> 56);
    return true;
}

/* The number of extra bytes that the character at *at takes when escaped; *at is advanced. */
static size_t string_excess(const char *text, size_t *at)
{
    char escape = escapes[(unsigned char)text[*at]];
    const char *escaped;
    size_t line_end = escape == 'x' ? line_end_size(text + *at, &escaped) : 0;

    *at += line_end ? line_end : 1;
    if (line_end)
        return 6 - line_end;
    return escape == '.' || escape == 'x' ? 0 : escape == 'u' ? 5 : 1;
}

size_t hf_json_string_size(const char *text, size_t size)
{
    size_t excess = 2, i = 0, n;
    uint64_t word;

    while (size - i >= sizeof word) {
        size_t end = i + sizeof word;

        memcpy(&word, text + i, sizeof word);
        if (word_escapes(word, &n)) {
            excess += n;
            i = end;
        }
        while (i < end)
            excess += string_excess(text, &i);
    }
    while (i < size)
        excess += string_excess(text, &i);
    return size + excess;
}

/* Writes directly into the buffer if there is room for the longest integer, otherwise through the
 * stack. */
void haft_buffer_json_integer(haft_buffer *buffer, int64_t value)
{
    char text[NUMBER_TEXT];

    if (NUMBER_TEXT < buffer->capacity - buffer->size && !buffer->status)
        buffer->size += hf_integer_to_text(value, buffer->data + buffer->size);
    else
        haft_buffer_add(buffer, text, hf_integer_to_text(value, text));
}

void haft_buffer_json_number(haft_buffer *buffer, double value)
{
    char text[NUMBER_TEXT];

    if (!isfinite(value))
        buffer_literal(buffer, "null");
    else if (NUMBER_TEXT < buffer->capacity - buffer->size && !buffer->status)
        buffer->size += hf_number_to_text(value, buffer->data + buffer->size);
    else
        haft_buffer_add(buffer, text, hf_number_to_text(value, text));
}
