/* environment.c - which tools are offered, by environment variables. */
#include "runtime/environment.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 256 };

static bool is_true(const char *value)
{
    return value && (!strcmp(value, "true") || !strcmp(value, "1"));
}

/* TOOL_<NAME>_DISABLED: the name in upper case, every other character an underscore. */
static bool hides(void *context, const char *tool)
{
    static const char before[] = "TOOL_", after[] = "_DISABLED";
    char name[LONGEST_NAME];
    size_t size = strlen(tool), at = sizeof before - 1;

    (void)context;
    if (size + sizeof before + sizeof after > sizeof name)
        return false;
    memcpy(name, before, at);
    for (size_t i = 0; i < size; i++) {
        char c = tool[i];

        if (c >= 'a' && c <= 'z')
            c = (char)(c - 'a' + 'A');
        else if (!(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9'))
            c = '_';
        name[at++] = c;
    }
    memcpy(name + at, after, sizeof after);
    return is_true(getenv(name));
}

int environment_apply(haft_server *server, const char *tools, bool read_only)
{
    haft_visibility visibility = {.tools = tools ? tools : getenv("HAFT_TOOLS"),
                                  .read_only = read_only || is_true(getenv("HAFT_READ_ONLY")),
                                  .hides = hides};

    return haft_set_visibility(server, &visibility);
}
