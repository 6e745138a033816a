/* install_diff.c - shows an edit: the lines between the common start and the common end. */
#include "install_edit.h"

#include "show.h"

enum { INSTALL_AROUND = 3 };

/* The end of the line that starts at `at`, after its line end. */
static size_t install_line_end(const char *text, size_t size, size_t at)
{
    const char *end = memchr(text + at, '\n', size - at);

    return end ? (size_t)(end - text) + 1 : size;
}

/* The start of the line before the one at `at`, which is not 0. */
static size_t install_line_before(const char *text, size_t at)
{
    for (at--; at && text[at - 1] != '\n';)
        at--;
    return at;
}

/* Writes each line from `start` to `end` after the mark, without control characters. */
static void install_put_marked(haft_buffer *out, char mark, const char *text, size_t start,
                               size_t end)
{
    while (start < end) {
        size_t next = install_line_end(text, end, start), stop = next;

        while (stop > start && (text[stop - 1] == '\n' || text[stop - 1] == '\r'))
            stop--;
        haft_buffer_add(out, &mark, 1);
        for (size_t i = start; i < stop;) {
            bool harmful;
            size_t n = next_character(text + i, stop - i, &harmful);

            haft_buffer_add(out, harmful ? " " : text + i, harmful ? 1 : n);
            i += n;
        }
        haft_buffer_puts(out, "\n");
        start = next;
    }
}

void install_diff(const char *old_text, size_t old_size, const char *text, size_t size,
                  haft_buffer *out)
{
    size_t same = 0, first, old_end = old_size, end = size, last;

    /* Skip common lines at the start, and at the end. */
    while (same < old_size && same < size) {
        size_t next = install_line_end(old_text, old_size, same);

        if (next > size || install_line_end(text, size, same) != next ||
            memcmp(old_text + same, text + same, next - same) != 0)
            break;
        same = next;
    }
    while (old_end > same && end > same) {
        size_t old_start = install_line_before(old_text, old_end);
        size_t start = install_line_before(text, end);

        if (old_start < same || start < same || old_end - old_start != end - start ||
            memcmp(old_text + old_start, text + start, end - start) != 0)
            break;
        old_end = old_start;
        end = start;
    }
    first = same;
    for (int i = 0; i < INSTALL_AROUND && first; i++)
        first = install_line_before(text, first);
    last = end;
    for (int i = 0; i < INSTALL_AROUND && last < size; i++)
        last = install_line_end(text, size, last);
    install_put_marked(out, ' ', text, first, same);
    install_put_marked(out, '-', old_text, same, old_end);
    install_put_marked(out, '+', text, same, end);
    install_put_marked(out, ' ', text, end, last);
}
