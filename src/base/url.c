/* url.c - splitting of URLs. */
#include "base/url.h"

#include <stdbool.h>
#include <string.h>

static bool url_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The length of the scheme, without its colon; 0 if there is none. */
static size_t url_scheme_size(const char *text, size_t size)
{
    size_t i;

    if (!size || !url_is_letter(text[0]))
        return 0;
    for (i = 1; i < size && (url_is_letter(text[i]) || (text[i] >= '0' && text[i] <= '9') ||
                             text[i] == '+' || text[i] == '-' || text[i] == '.');
         i++)
        ;
    return i < size && text[i] == ':' ? i : 0;
}

static size_t url_until(const char *text, size_t size, char stop)
{
    const char *found = size ? memchr(text, stop, size) : NULL;

    return found ? (size_t)(found - text) : size;
}

/* Returns the part after the first `stop` and sets *size to the length before it; the part is
 * absent if there is no `stop`. */
static struct url_part url_cut_after(const char *text, size_t *size, char stop)
{
    size_t n = url_until(text, *size, stop);
    struct url_part part = {NULL, 0};

    if (n < *size)
        part = (struct url_part){text + n + 1, *size - n - 1};
    *size = n;
    return part;
}

struct url hf_url_split(const char *text, size_t size)
{
    struct url url = {.fragment = url_cut_after(text, &size, '#')};
    size_t n = url_scheme_size(text, size);

    if (n) {
        url.scheme = (struct url_part){text, n};
        text += n + 1;
        size -= n + 1;
    }
    url.query = url_cut_after(text, &size, '?');
    if (size >= 2 && text[0] == '/' && text[1] == '/') {
        n = url_until(text + 2, size - 2, '/');
        url.authority = (struct url_part){text + 2, n};
        text += n + 2;
        size -= n + 2;
    }
    url.path = (struct url_part){text, size};
    return url;
}
