/* headers.c - looking for a name, line by line. */
#include "support/headers.h"

#include <string.h>

const char *headers_get(const void *text, const char *name, size_t *ret_size)
{
    const char *line = text;
    size_t size = strlen(name);

    while (line && *line) {
        if (!strncmp(line, name, size) && line[size] == ':') {
            line += size + 1 + strspn(line + size + 1, " ");
            *ret_size = strcspn(line, "\n");
            return line;
        }
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return NULL;
}
