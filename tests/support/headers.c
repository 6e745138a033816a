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

bool headers_at(const void *text, size_t index, const char **ret_name, size_t *ret_name_size,
                const char **ret_value, size_t *ret_value_size)
{
    const char *line = text;

    for (; line && *line && index; index--) {
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    if (!line || !*line)
        return false;
    *ret_name = line;
    *ret_name_size = strcspn(line, ":\n");
    line += *ret_name_size + (line[*ret_name_size] == ':');
    line += strspn(line, " ");
    *ret_value = line;
    *ret_value_size = strcspn(line, "\n");
    return true;
}
