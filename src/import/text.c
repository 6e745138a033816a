/* text.c - descriptions: bounded, and without characters that only models read. */
#include <string.h>

#include "import/shape.h"

static const char text_ellipsis[] = "\xE2\x80\xA6";

/* Most descriptions are short and plain, and need no copy. */
static bool text_is_plain(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c >= 0x7f || (c < ' ' && c != '\n' && c != '\t'))
            return false;
    }
    return true;
}

/* Copies what is visible, and returns the size. */
static size_t text_copy_visible(const char *text, size_t size, char *to)
{
    const char *end = text + size, *from;
    size_t n = 0;

    while (text < end) {
        uint32_t c;

        from = text;
        c = hf_utf8_next(&text);
        if (c != '\n' && c != '\t' && hf_character_is_hidden(c))
            continue;
        memcpy(to + n, from, (size_t)(text - from));
        n += (size_t)(text - from);
    }
    return n;
}

/* Where a text is cut: at the end of a word, if one ends in the last quarter. */
static size_t text_cut(const char *text, size_t most)
{
    size_t size = haft_utf8_valid(text, most), word = size;

    while (word > most - most / 4 && text[word] != ' ' && text[word] != '\n')
        word--;
    size = word > most - most / 4 ? word : size;
    while (size && (text[size - 1] == ' ' || text[size - 1] == '\n'))
        size--;
    return size;
}

const char *hf_import_clean(haft_arena *arena, const char *text, size_t *size, size_t most)
{
    size_t n = strnlen(text, *size), ellipsis = sizeof text_ellipsis - 1;
    char *copy;

    if (n <= most && text_is_plain(text, n)) {
        *size = n;
        return text;
    }
    copy = haft_arena_alloc(arena, n + sizeof text_ellipsis);
    if (!copy)
        return NULL;
    n = text_copy_visible(text, n, copy);
    copy[n] = '\0';
    if (n > most) {
        n = text_cut(copy, most - ellipsis);
        memcpy(copy + n, text_ellipsis, sizeof text_ellipsis);
        n += ellipsis;
    }
    *size = n;
    return copy;
}
