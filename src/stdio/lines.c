/* lines.c - a line buffer that grows to the longest line and shrinks when it is empty. */
#include "stdio/lines.h"

#include <string.h>

enum { ROOM = 64 << 10, KEEP = 256 << 10, LEAST = 1024 };

void hf_lines_init(struct lines *lines, const haft_allocator *allocator, size_t limit)
{
    size_t most = SIZE_MAX - 4; /* a line may have a byte order mark and a CR besides */

    *lines = (struct lines){.allocator = hf_allocator_or_default(allocator),
                            .limit = limit < most ? limit : most};
}

void hf_lines_finish(struct lines *lines)
{
    if (lines->data)
        lines->allocator->release(lines->allocator->context, lines->data, lines->capacity);
    lines->data = NULL;
    lines->start = lines->end = lines->searched = lines->capacity = 0;
}

static void move_to_front(struct lines *lines)
{
    if (!lines->start)
        return;
    memmove(lines->data, lines->data + lines->start, lines->end - lines->start);
    lines->end -= lines->start;
    lines->searched -= lines->start;
    lines->start = 0;
}

static bool lines_grow(struct lines *lines)
{
    const haft_allocator *allocator = lines->allocator;
    size_t capacity = lines->capacity ? lines->capacity * 2 : ROOM;
    char *data = allocator->resize(allocator->context, lines->data, lines->capacity, capacity);

    if (!data)
        return false;
    lines->data = data;
    lines->capacity = capacity;
    return true;
}

/* Discards the partial line. */
static void start_skipping(struct lines *lines)
{
    lines->skipping = true;
    lines->reported = false;
    lines->lost = lines->end - lines->start;
    lines->start = lines->end = lines->searched = 0;
}

char *hf_lines_room(struct lines *lines, size_t *ret_size)
{
    if (lines->start == lines->end) {
        lines->start = lines->end = lines->searched = 0;
        if (lines->capacity > KEEP)
            hf_lines_finish(lines);
    }
    move_to_front(lines);
    /* A read that filled the buffer suggests a fast sender, so the buffer grows. */
    if (lines->brimful && lines->capacity < KEEP)
        lines_grow(lines);
    if (lines->capacity - lines->end < LEAST && !lines_grow(lines)) {
        if (!lines->capacity)
            return NULL;
        /* Without memory for the rest, a line is too long. */
        if (lines->capacity == lines->end)
            start_skipping(lines);
    }
    *ret_size = lines->capacity - lines->end;
    return lines->data + lines->end;
}

void hf_lines_filled(struct lines *lines, size_t size)
{
    lines->end += size;
    lines->brimful = lines->end == lines->capacity;
}

size_t hf_lines_left(const struct lines *lines)
{
    return lines->end - lines->start;
}

static bool lines_is_blank(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r')
            return false;
    return true;
}

/* Takes the text from `start` to `end` as a line, unless it must be skipped. */
static int lines_take(struct lines *lines, size_t end, size_t next, const char **ret_line,
                      size_t *ret_size)
{
    const char *line = lines->data + lines->start;
    size_t size = end - lines->start;

    lines->start = lines->searched = next;
    if (!lines->begun && size >= 3 && !memcmp(line, "\xEF\xBB\xBF", 3)) {
        line += 3;
        size -= 3;
    }
    lines->begun = true;
    if (size && line[size - 1] == '\r')
        size--;
    *ret_line = line;
    *ret_size = size;
    if (size > lines->limit)
        return HAFT_ETOOBIG;
    return lines_is_blank(line, size) ? 0 : 1;
}

/* The end of the line at `start`, or NULL. */
static const char *find_end(struct lines *lines)
{
    const char *found = NULL;

    if (lines->searched < lines->end)
        found = memchr(lines->data + lines->searched, '\n', lines->end - lines->searched);
    if (!found)
        lines->searched = lines->end;
    return found;
}

/* Skips to the end of a line that is too long. Returns false if it has not arrived yet. */
static bool skip(struct lines *lines, bool last)
{
    const char *end = find_end(lines);

    lines->start = lines->searched = end ? (size_t)(end - lines->data) + 1 : lines->end;
    if (!end && !last)
        return false;
    lines->skipping = false;
    lines->begun = true;
    return true;
}

int hf_lines_next(struct lines *lines, bool last, const char **ret_line, size_t *ret_size)
{
    for (;;) {
        const char *end;
        int status;

        if (lines->skipping && !lines->reported) {
            lines->reported = true;
            *ret_line = NULL;
            *ret_size = lines->lost;
            return HAFT_ETOOBIG;
        }
        if (lines->skipping && !skip(lines, last))
            return 0;
        if (lines->start == lines->end)
            return 0;
        end = find_end(lines);
        if (end) {
            status = lines_take(lines, (size_t)(end - lines->data), (size_t)(end - lines->data) + 1,
                                ret_line, ret_size);
        } else if (last) {
            status = lines_take(lines, lines->end, lines->end, ret_line, ret_size);
        } else {
            /* A byte order mark and a CR may still be removed. */
            if (lines->end - lines->start <= lines->limit + 4)
                return 0;
            start_skipping(lines);
            continue;
        }
        if (status)
            return status;
    }
}
