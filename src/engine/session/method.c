/* method.c - the methods of the protocol, by revision. */
#include <string.h>

#include "engine/session/method.h"
#include "engine/call/plain_call.h"
#include "engine/call/tool_call.h"

static const struct method methods[] = {
    {"tools/call", REVS_ALL, HAFT_OFFER_TOOL, handle_tool_call, false, "name"},
    {"tools/list", REVS_ALL, HAFT_OFFER_TOOL, handle_list, false, NULL},
    {"resources/read", REVS_ALL, HAFT_OFFER_RESOURCE, handle_resource_read, false, "uri"},
    {"resources/list", REVS_ALL, HAFT_OFFER_RESOURCE, handle_list, false, NULL},
    {"resources/templates/list", REVS_ALL, HAFT_OFFER_RESOURCE, handle_list, false, NULL},
    {"prompts/get", REVS_ALL, HAFT_OFFER_PROMPT, handle_prompt_get, false, "name"},
    {"prompts/list", REVS_ALL, HAFT_OFFER_PROMPT, handle_list, false, NULL},
    {"completion/complete", REVS_ALL, -1, handle_complete, false, NULL},
    {"initialize", REVS_LEGACY, -1, handle_initialize, false, NULL},
    {"ping", REVS_LEGACY, -1, handle_ping, false, NULL},
    {"logging/setLevel", REVS_LEGACY, -1, handle_set_level, true, NULL},
    {"resources/subscribe", REVS_LEGACY, HAFT_OFFER_RESOURCE, handle_subscribe, true, NULL},
    {"resources/unsubscribe", REVS_LEGACY, HAFT_OFFER_RESOURCE, handle_unsubscribe, true, NULL},
    {"server/discover", REVS_MODERN, -1, handle_discover, false, NULL},
    {"subscriptions/listen", REVS_MODERN, -1, handle_listen, false, NULL},
};

bool method_is_reserved(const char *name)
{
    bool found = !strcmp(name, "notifications/cancelled");

    for (size_t i = 0; i < sizeof methods / sizeof *methods && !found; i++)
        found = !strcmp(methods[i].name, name);
    return found;
}

const struct method *method_find(const char *name, size_t size, enum revision revision)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strlen(methods[i].name) == size && !memcmp(methods[i].name, name, size) &&
            (methods[i].revisions & REV_BIT(revision)))
            return &methods[i];
    return NULL;
}
