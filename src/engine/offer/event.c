/* event.c - notifies the program of events: tools, calls, clients.
 *
 * A watcher is called on the thread of the event, without locks held; the end of a call is reported
 * after its response was handed over. Without watchers, an event costs a load and a branch. */
#include "engine/offer/event.h"
#include "engine/offer/server.h"

#include <string.h>

const char *haft_event_name(haft_event_kind kind)
{
    static const char *const names[] = {
#define HAFT_EVENT_(name, text) text,
        HAFT_EVENTS(HAFT_EVENT_)
#undef HAFT_EVENT_
    };

    return kind < HAFT_EVENT_COUNT_ ? names[kind] : "unknown";
}

int haft_event_watch(haft_server *server, haft_event_function *function, void *context)
{
    size_t n = server->watching.n_watchers;

    if (!function)
        return hf_server_refuse(server, HAFT_EINVAL, "watch", "the function is missing");
    if (n == MAX_WATCHERS)
        return hf_server_refuse(server, HAFT_ETOOBIG, "watch",
                                "there are already %d watchers, the maximum", MAX_WATCHERS);
    server->watching.watchers[n] = (struct watcher){function, context};
    server->watching.n_watchers++;
    server->watching.timed = true;
    return 0;
}

void hf_event_tell(const haft_server *server, const haft_event *event)
{
    for (size_t i = 0; i < server->watching.n_watchers; i++)
        server->watching.watchers[i].function(server->watching.watchers[i].context, event);
}

void hf_event_of_tool(haft_server *server, haft_event_kind kind, const char *name, int status)
{
    if (server->watching.n_watchers)
        hf_event_tell(server, &(haft_event){.kind = kind,
                                            .tool = name,
                                            .status = status,
                                            .reason = status ? server->error.text : NULL});
}

/* ---- what is offered ---- */

/* Reports how a tool differs between two catalogues. */
static void tell_difference(haft_server *server, const struct entry *old, const struct entry *now)
{
    const char *name = old->item->name;

    if (!now)
        hf_event_of_tool(server, HAFT_EVENT_REMOVED, name, 0);
    else if (now->item != old->item)
        hf_event_of_tool(server, HAFT_EVENT_UPDATED, name, 0);
    if (now && now->disabled != old->disabled)
        hf_event_of_tool(server, now->disabled ? HAFT_EVENT_DISABLED : HAFT_EVENT_ENABLED, name, 0);
}

void hf_event_of_change(haft_server *server, const struct catalogue *from,
                        const struct catalogue *to)
{
    const struct offer_list *old = &from->lists[HAFT_OFFER_TOOL],
                            *now = &to->lists[HAFT_OFFER_TOOL];

    for (size_t i = 0; i < now->n; i++) {
        const struct item *item = now->entries[i].item;
        const struct entry *before = hf_offer_list_find(old, item->name, item->name_size);

        if (!before || before->item != item)
            hf_event_of_tool(server, HAFT_EVENT_STORED, item->name, 0);
    }
    for (size_t i = 0; i < old->n; i++) {
        const struct item *item = old->entries[i].item;

        tell_difference(server, &old->entries[i],
                        hf_offer_list_find(now, item->name, item->name_size));
    }
}
