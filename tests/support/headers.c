/* headers.c - converts lines to headers and back. */
#include "support/headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void headers_read(struct header_lines *lines, const char *text, const haft_header **ret_headers,
                  size_t *ret_n)
{
    char *at = lines->text;

    if (text && strlen(text) >= sizeof lines->text)
        abort();
    snprintf(lines->text, sizeof lines->text, "%s", text ? text : "");
    for (lines->n = 0; *at; lines->n++) {
        char *end = at + strcspn(at, "\n"), *value = at + strcspn(at, ":\n");

        if (lines->n == sizeof lines->list / sizeof *lines->list || value == end)
            abort();
        *value++ = '\0';
        value += strspn(value, " ");
        lines->list[lines->n] = (haft_header){at, value};
        at = end + (*end == '\n');
        *end = '\0';
    }
    *ret_headers = lines->list;
    *ret_n = lines->n;
}

void headers_write(const haft_header *headers, size_t n, char *to, size_t room)
{
    size_t used = 0;

    *to = '\0';
    for (size_t i = 0; i < n; i++) {
        int size =
            snprintf(to + used, room - used, "%s: %s\r\n", headers[i].name, headers[i].value);

        if (size < 0 || (size_t)size >= room - used)
            abort();
        used += (size_t)size;
    }
}
