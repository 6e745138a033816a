/* visibility.c - which tools are offered: first by the program, then by the operator of the
 * server. */
#define _GNU_SOURCE /* environ */
#include "config/visibility.h"

#include <string.h>
#include <unistd.h>

enum { VISIBILITY_LONGEST_NAME = 256, NAMES_LIMIT = 4 << 20 };

static const char before[] = "TOOL_", after[] = "_DISABLED";

/* Writes TOOL_<NAME>_DISABLED: the name in upper case, every other character an underscore. Returns
 * false if that is too long for a variable. */
static bool visibility_variable(const char *tool, char ret_name[VISIBILITY_LONGEST_NAME])
{
    size_t size = strlen(tool), at = sizeof before - 1;

    if (size + sizeof before + sizeof after > VISIBILITY_LONGEST_NAME)
        return false;
    memcpy(ret_name, before, at);
    for (size_t i = 0; i < size; i++) {
        char c = tool[i];

        if (c >= 'a' && c <= 'z')
            c = (char)(c - 'a' + 'A');
        else if (!(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9'))
            c = '_';
        ret_name[at++] = c;
    }
    memcpy(ret_name + at, after, sizeof after);
    return true;
}

static bool is_one_of(const char *value, const char *word, const char *digit)
{
    return !strcmp(value, word) || !strcmp(value, digit);
}

/* Only false shows a tool: a value that nobody understands was meant to hide it. */
static bool is_disabled_by_variable(const char *tool)
{
    char name[VISIBILITY_LONGEST_NAME];
    const char *value = visibility_variable(tool, name) ? hf_settings_variable(name) : NULL;

    return value && !is_one_of(value, "false", "0");
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

/* ---- mistakes ---- */

/* Whether a tool of the server has this variable, "TOOL_A_DISABLED=true". */
static bool visibility_has(haft_server *server, const char *variable, size_t size)
{
    struct catalogue *now = hf_catalogue_take(server);
    const struct offer_list *tools = &now->lists[HAFT_OFFER_TOOL];
    char name[VISIBILITY_LONGEST_NAME];
    bool has = false;

    for (size_t i = 0; i < tools->n && !has; i++)
        has = visibility_variable(tools->entries[i].item->name, name) && strlen(name) == size &&
              !memcmp(name, variable, size);
    hf_catalogue_drop(now);
    return has;
}

/* The size of the variable's name, if it is one of these and has a value; 0 if not. */
static size_t visibility_is_ours(const char *variable)
{
    size_t size = strcspn(variable, "="), least = sizeof before + sizeof after - 2;

    return size > least && variable[size] && variable[size + 1] &&
                   !strncmp(variable, before, sizeof before - 1) &&
                   !memcmp(variable + size - (sizeof after - 1), after, sizeof after - 1)
               ? size
               : 0;
}

void hf_visibility_doubt(haft_server *own, haft_server *(*at)(const void *context, size_t i),
                         const void *context)
{
    for (char **variable = environ; variable && *variable; variable++) {
        size_t size = visibility_is_ours(*variable);
        const char *value = *variable + size + 1;
        haft_server *server;
        bool has = false;

        if (!size)
            continue;
        for (size_t i = 0; !has && (server = at(context, i)); i++)
            has = visibility_has(server, *variable, size);
        if (!has)
            hf_server_log(own, HAFT_WARNING, "%.*s: no tool has this name", (int)size, *variable);
        else if (!is_one_of(value, "true", "1") && !is_one_of(value, "false", "0"))
            hf_server_log(own, HAFT_WARNING,
                          "%.*s: expected true or false, not %s; the tool is hidden", (int)size,
                          *variable, value);
    }
}
