/* visibility.c - which tools are offered: the program's word, then that of whoever runs the
 * server. */
#include "config/visibility.h"

#include <stdlib.h>
#include <string.h>

enum { VISIBILITY_LONGEST_NAME = 256, NAMES_LIMIT = 4 << 20 };

static bool is_true(const char *value)
{
    return value && (!strcmp(value, "true") || !strcmp(value, "1"));
}

/* TOOL_<NAME>_DISABLED: the name in upper case, every other character an underscore. */
static bool is_disabled_by_variable(const char *tool)
{
    static const char before[] = "TOOL_", after[] = "_DISABLED";
    char name[VISIBILITY_LONGEST_NAME];
    size_t size = strlen(tool), at = sizeof before - 1;

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

static bool hides(void *context, const char *tool)
{
    const haft_visibility *program = context;

    return is_disabled_by_variable(tool) ||
           (program->hides && program->hides(program->context, tool));
}

/* The names that are not to be seen, at the end of those that are: the last that matches decides. */
static int visibility_put_names(const struct settings *settings, haft_buffer *names)
{
    haft_buffer_puts(names, settings->tools ? settings->tools : "");
    for (size_t i = 0; settings->disabled && settings->disabled[i]; i++)
        haft_buffer_printf(names, "%s-%s", names->size ? "," : "", settings->disabled[i]);
    haft_buffer_add(names, "", 1);
    return names->status;
}

/* Whether the server has it already: then clients must not be told of a change. */
static bool visibility_is(haft_server *server, const haft_visibility *wanted)
{
    struct catalogue *now = hf_catalogue_take(server);
    const haft_visibility *has = &now->visibility;
    bool same = has->hides == wanted->hides && has->context == wanted->context &&
                has->read_only == wanted->read_only && !has->tools == !wanted->tools &&
                (!has->tools || !strcmp(has->tools, wanted->tools));

    hf_catalogue_drop(now);
    return same;
}

int hf_visibility_apply(haft_server *server, const struct settings *settings)
{
    const haft_visibility *program = &settings->program->visibility;
    haft_visibility visibility = HAFT_INIT(haft_visibility, .read_only = settings->read_only,
                                           .hides = hides, .context = (void *)(uintptr_t)program);
    haft_buffer names;
    int status;

    haft_buffer_init(&names, server->allocator, NAMES_LIMIT);
    status = visibility_put_names(settings, &names);
    if (status) {
        hf_server_refuse(server, status, "tools", "%s", haft_strerror(status));
    } else {
        visibility.tools = names.size > 1 ? names.data : NULL;
        if (!visibility_is(server, &visibility))
            status = haft_server_set_visibility(server, &visibility);
    }
    haft_buffer_finish(&names);
    return status;
}
