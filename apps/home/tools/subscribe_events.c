/* subscribe_events - passes events of Home Assistant on to the client while the call lasts: as log messages,
 * and as updates of ha://states/{id}. */
#include <string.h>
#include <uv.h>

#include "json/json.h"
#include "tools/common.h"

enum { EVENT_MOST = 20, EVENT_TEXT = 400, EVENT_LOOK_MS = 1000, EVENT_MOST_SEEN = 10000 };

HAFT_STRUCT(subscribe_events_args,
    HAFT_DEFAULT(HAFT_STRING(event_type, "Type of the events", .min = 1, .max = 255), "state_changed"),
    HAFT_OPTIONAL(HAFT_STRING(entity_id, "Only about this one")),
    HAFT_DEFAULT(HAFT_NUMBER(seconds, "For how long", .min = 0.1, .max = 3600), 60));
HAFT_STRUCT(subscribe_events_result,
    HAFT_STRING(subscription, NULL),
    HAFT_INTEGER(events, NULL),
    HAFT_INTEGER(dropped, NULL),
    HAFT_ARRAY(latest, HAFT_STRING(text, NULL), NULL));

/* The entity that an event is about; NULL if it does not say. */
static const char *event_entity(haft_value *event)
{
    haft_value *data = yyjson_obj_get(event, "data");
    const char *id = yyjson_get_str(yyjson_obj_get(data, "entity_id"));

    return id ? id
              : yyjson_get_str(yyjson_obj_get(yyjson_obj_get(data, "service_data"), "entity_id"));
}

/* "light.hallway: off -> on", or the data of another event; NULL without memory. */
static const char *event_summary(haft_call *call, const char *type, haft_value *event)
{
    haft_value *data = yyjson_obj_get(event, "data");
    const char *from = yyjson_get_str(yyjson_obj_get(yyjson_obj_get(data, "old_state"), "state"));
    const char *to = yyjson_get_str(yyjson_obj_get(yyjson_obj_get(data, "new_state"), "state"));
    const char *text = NULL;
    haft_buffer json;

    if (!strcmp(type, "state_changed") && event_entity(event))
        return haft_call_printf(call, "%s: %s -> %s", event_entity(event), from ? from : "(new)",
                                to ? to : "(removed)");
    haft_buffer_init(&json, NULL, 1 << 20);
    if (data)
        haft_json_write(data, &json);
    else
        haft_buffer_puts(&json, "{}");
    if (!json.status) {
        size_t size = json.size < EVENT_TEXT ? json.size : haft_utf8_valid(json.data, EVENT_TEXT);

        text = haft_call_printf(call, "%s: %.*s", type, (int)size, json.data);
    }
    haft_buffer_finish(&json);
    return text;
}

/* Sends an event to the client, and an update to subscribers of the resource, unless hass_watch sends that
 * anyway. */
static int event_pass_on(haft_call *call, const subscribe_events_args *in, haft_value *event,
                         subscribe_events_result *out)
{
    const char *id = event_entity(event), *text, *uri;

    if (in->has_entity_id && (!id || strcmp(id, in->entity_id) != 0))
        return 0;
    text = event_summary(call, in->event_type, event);
    if (!text)
        return HAFT_ENOMEM;
    haft_message(call, HAFT_INFO, "home", "%s", text);
    if (id && !strcmp(in->event_type, "state_changed") && !hass_is_watched(call)) {
        uri = haft_call_printf(call, "ha://states/%s", id);
        if (!uri)
            return HAFT_ENOMEM;
        haft_resource_updated(haft_call_server(call), uri);
    }
    out->events++;
    haft_progress(call, (double)out->events, 0, "%s", text);
    if (out->n_latest == EVENT_MOST)
        memmove(out->latest, out->latest + 1, --out->n_latest * sizeof *out->latest);
    out->latest[out->n_latest++] = text;
    return 0;
}

static int event_follow(haft_call *call, const subscribe_events_args *in,
                        struct hass_events *events, subscribe_events_result *out)
{
    uint64_t ends = uv_hrtime() + (uint64_t)(in->seconds * 1e9), now, dropped = 0;
    unsigned seen = 0; /* each takes memory of the call, so that it ends after many of them */
    int status = 0;

    while (!status && seen < EVENT_MOST_SEEN && (now = uv_hrtime()) < ends) {
        uint64_t left = (ends - now) / 1000000 + 1;
        haft_value *event = NULL;

        status = hass_next_event(
            call, events, left < EVENT_LOOK_MS ? (unsigned)left : EVENT_LOOK_MS, &event, &dropped);
        seen += !status;
        if (!status)
            status = event_pass_on(call, in, event, out);
        else if (status == HASS_UNCHANGED)
            status = 0;
        out->dropped = (int64_t)dropped;
    }
    return status;
}

static int subscribe_events(haft_call *call, const subscribe_events_args *in,
                            subscribe_events_result *out)
{
    struct hass_events *events = NULL;
    struct hass_areas areas;
    entity about;
    int status = in->has_entity_id
                     ? hass_state(call, in->entity_id, &about)
                     : hass_areas(call, &areas); /* a home that is not there is an error soon */

    out->subscription = in->event_type;
    out->latest = haft_call_alloc(call, EVENT_MOST * sizeof *out->latest);
    if (!status && !out->latest)
        status = HAFT_ENOMEM;
    if (!status)
        status = hass_subscribe(call, in->event_type, &events);
    if (!status)
        status = event_follow(call, in, events, out);
    hass_unsubscribe(call, events);
    return status;
}
HAFT_TOOL(subscribe_events, subscribe_events_args, subscribe_events_result,
          "Follow events of Home Assistant, as log messages, until cancelled or for some seconds.",
          HOME_READS, .timeout_ms = 3700000, .max_running = 32);
HOME_EXPORT(subscribe_events);
