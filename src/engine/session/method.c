/* method.c - the methods of the protocol, by revision. */
#include <string.h>

#include "engine/session/method.h"
#include "engine/call/plain_call.h"
#include "engine/call/tool_call.h"

/* Bits of lists. Resources and templates are one list for clients. */
enum {
    METHOD_TOOLS = 1u << HAFT_OFFER_TOOL,
    METHOD_RESOURCES = 1u << HAFT_OFFER_RESOURCE | 1u << HAFT_OFFER_TEMPLATE,
    METHOD_PROMPTS = 1u << HAFT_OFFER_PROMPT
};

#define NAMED(name) name, sizeof(name) - 1

static const struct method methods[] = {
    {NAMED("tools/call"), REVS_ALL, METHOD_TOOLS, hf_handle_tool_call, false, "name"},
    {NAMED("tools/list"), REVS_ALL, METHOD_TOOLS, hf_handle_list, false, NULL},
    {NAMED("resources/read"), REVS_ALL, METHOD_RESOURCES, hf_handle_resource_read, false, "uri"},
    {NAMED("resources/list"), REVS_ALL, METHOD_RESOURCES, hf_handle_list, false, NULL},
    {NAMED("resources/templates/list"), REVS_ALL, METHOD_RESOURCES, hf_handle_list, false, NULL},
    {NAMED("prompts/get"), REVS_ALL, METHOD_PROMPTS, hf_handle_prompt_get, false, "name"},
    {NAMED("prompts/list"), REVS_ALL, METHOD_PROMPTS, hf_handle_list, false, NULL},
    {NAMED("completion/complete"), REVS_ALL, 0, hf_handle_complete, false, NULL},
    {NAMED("initialize"), REVS_LEGACY, 0, hf_handle_initialize, false, NULL},
    {NAMED("ping"), REVS_LEGACY, 0, hf_handle_ping, false, NULL},
    {NAMED("logging/setLevel"), REVS_LEGACY, 0, hf_handle_set_level, true, NULL},
    {NAMED("resources/subscribe"), REVS_LEGACY, METHOD_RESOURCES, hf_handle_subscribe, true, NULL},
    {NAMED("resources/unsubscribe"), REVS_LEGACY, METHOD_RESOURCES, hf_handle_unsubscribe, true,
     NULL},
    {NAMED("tasks/get"), REVS_TASKS, 0, hf_handle_task, false, "taskId"},
    {NAMED("tasks/update"), REVS_MODERN, 0, hf_handle_task, false, "taskId"},
    {NAMED("tasks/cancel"), REVS_TASKS, 0, hf_handle_task, false, "taskId"},
    {NAMED("tasks/result"), REVS_OLD_TASKS, 0, hf_handle_task, false, NULL},
    {NAMED("tasks/list"), REVS_OLD_TASKS, 0, hf_handle_task, false, NULL},
    {NAMED("server/discover"), REVS_MODERN, 0, hf_handle_discover, false, NULL},
    {NAMED("subscriptions/listen"), REVS_MODERN, 0, hf_handle_listen, false, NULL},
};

bool hf_method_is_reserved(const char *name)
{
    bool found = !strcmp(name, "notifications/cancelled");

    for (size_t i = 0; i < sizeof methods / sizeof *methods && !found; i++)
        found = !strcmp(methods[i].name, name);
    return found;
}

const struct method *hf_method_find(const char *name, size_t size, enum revision revision)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (methods[i].name_size == size && same_bytes(methods[i].name, name, size) &&
            (methods[i].revisions & REV_BIT(revision)))
            return &methods[i];
    return NULL;
}
