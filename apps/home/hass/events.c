/* events.c - events of Home Assistant that a tool waits for.
 *
 * A subscription lives in the client while its tool uses it, and is renewed with the connection.  Its
 * queue is bounded: events that do not fit are counted, and the tool gets the count. */
#include "hass/events.h"

#include <stdio.h>

#include "hass/build.h"
#include "hass/command.h"
#include "hass/filter.h"

enum { EVENTS_MAX = 256, EVENTS_MAX_BYTES = 1 << 20 };

struct hass_event_text {
    struct hass_event_text *next;
    size_t size;
    char text[];
};

struct hass_events {
    struct hass_events *next;
    char *type;
    uint64_t id; /* of the subscription; 0 while there is no connection */
    struct hass_event_text *first, **last;
    size_t n, bytes;
    uint64_t dropped;
    char refused[256]; /* why Home Assistant refused it; "" if it did not */
};

/* ---- with the client's lock held ---- */

static bool events_post(struct hass *hass, struct hass_events *events)
{
    haft_arena *arena = haft_arena_new(hass->allocator, 1 << 16);
    struct hass_build build;
    yyjson_val *fields;

    hass_build(&build, hass->allocator);
    hf_json_text(json_key(&build.w, "event_type"), events->type);
    fields = hass_built(&build, arena);
    events->id = fields ? hass_post(hass, "subscribe_events", fields) : 0;
    haft_arena_free(arena);
    return events->id != 0;
}

bool hass_events_renew(struct hass *hass)
{
    bool posted = true;

    for (struct hass_events *events = hass->events; events; events = events->next)
        posted = events_post(hass, events) && posted;
    return posted;
}

void hass_events_lost(struct hass *hass)
{
    for (struct hass_events *events = hass->events; events; events = events->next)
        events->id = 0;
}

void hass_events_refuse(struct hass *hass, uint64_t id, const char *code, const char *message)
{
    for (struct hass_events *events = hass->events; events; events = events->next)
        if (events->id == id)
            snprintf(events->refused, sizeof events->refused, "%.60s: %.180s", code, message);
    uv_cond_broadcast(&hass->changed);
}

static void events_add(struct hass *hass, struct hass_events *events, yyjson_val *event)
{
    struct hass_event_text *entry = NULL;
    haft_buffer text;

    haft_buffer_init(&text, hass->allocator, EVENTS_MAX_BYTES);
    haft_json_write(event, &text);
    if (!text.status && events->n < EVENTS_MAX && events->bytes + text.size <= EVENTS_MAX_BYTES)
        entry = hass_alloc(hass->allocator, sizeof *entry + text.size);
    if (entry) {
        entry->next = NULL;
        entry->size = text.size;
        memcpy(entry->text, text.data, text.size);
        *events->last = entry;
        events->last = &entry->next;
        events->n++;
        events->bytes += entry->size;
    } else {
        events->dropped++;
    }
    haft_buffer_finish(&text);
    uv_cond_broadcast(&hass->changed);
}

/* Whether the model may see an event: with a filter, one that is about a visible entity.  Events about
 * services, devices and areas can reveal hidden entities and codes. */
static bool events_shows(const struct hass *hass, yyjson_val *event)
{
    yyjson_val *id = yyjson_obj_get(yyjson_obj_get(event, "data"), "entity_id");

    return !hass->entities || (yyjson_is_str(id) && hass_shows(hass, yyjson_get_str(id)));
}

void hass_events_put(struct hass *hass, uint64_t id, yyjson_val *event)
{
    for (struct hass_events *events = hass->events; event && events; events = events->next)
        if (events->id == id && events_shows(hass, event))
            events_add(hass, events, event);
}

/* The first of the queue, which is the caller's then; NULL if there is none. */
static struct hass_event_text *events_take(struct hass_events *events)
{
    struct hass_event_text *entry = events->first;

    if (!entry)
        return NULL;
    events->first = entry->next;
    if (!events->first)
        events->last = &events->first;
    events->n--;
    events->bytes -= entry->size;
    return entry;
}

/* ---- for tools ---- */

int hass_subscribe(haft_call *call, const char *event_type, struct hass_events **ret_events)
{
    struct hass_wait wait = hass_wait_for(call);
    struct hass *hass = wait.hass;
    struct hass_events *events = hass_alloc(hass->allocator, sizeof *events);
    bool posted;
    int status;

    if (!events)
        return hass_no_memory(call);
    *events = (struct hass_events){.type = hass_keep(hass->allocator, event_type)};
    events->last = &events->first;
    status = events->type ? hass_lock_ready(&wait, false) : hass_no_memory(call);
    if (status) {
        hass_drop(hass->allocator, events->type);
        hass_release(hass->allocator, events, sizeof *events);
        return status;
    }
    events->next = hass->events;
    hass->events = events;
    posted = events_post(hass, events);
    uv_mutex_unlock(&hass->lock);
    hass_drain(hass);
    if (!posted) {
        hass_unsubscribe(call, events);
        return hass_no_memory(call);
    }
    *ret_events = events;
    return 0;
}

void hass_unsubscribe(haft_call *call, struct hass_events *events)
{
    struct hass *hass = home_hass(call);
    struct hass_event_text *entry;
    struct hass_events **link;

    if (!events)
        return;
    uv_mutex_lock(&hass->lock);
    for (link = &hass->events; *link != events;)
        link = &(*link)->next;
    *link = events->next;
    if (events->id && hass->conn.phase == PHASE_READY)
        hass_post_number(hass, "unsubscribe_events", events->id);
    uv_mutex_unlock(&hass->lock);
    hass_drain(hass);
    while ((entry = events_take(events)))
        hass_release(hass->allocator, entry, sizeof *entry + entry->size);
    hass_drop(hass->allocator, events->type);
    hass_release(hass->allocator, events, sizeof *events);
}

/* Parses it into the call's memory; *ret_value is NULL if the model may not see it: a state can mention a hidden
 * entity, which is taken out; an event that does is left out. */
static int events_read(const struct hass_wait *wait, struct hass_event_text *entry,
                       haft_value **ret_value)
{
    haft_arena *arena = haft_call_arena(wait->call);
    yyjson_val *value;
    const char *why;
    size_t at;
    int status = hf_json_parse(entry->text, entry->size, arena, &value, &at, &why);

    hass_release(wait->hass->allocator, entry, sizeof *entry + entry->size);
    *ret_value = NULL;
    if (!status)
        status = hass_redact_value(wait->hass, arena, value, ret_value);
    if (status)
        return hass_no_memory(wait->call);
    if (*ret_value != value &&
        !yyjson_equals_str(yyjson_obj_get(value, "event_type"), "state_changed"))
        *ret_value = NULL;
    return 0;
}

int hass_next_event(haft_call *call, struct hass_events *events, unsigned ms,
                    haft_value **ret_event, uint64_t *ret_dropped)
{
    struct hass_wait wait = hass_wait_for(call);
    struct hass *hass = wait.hass;
    uint64_t ends = ms ? wait.starts + hass_ms(ms) : wait.ends;
    enum hass_woken woken = WOKEN_AGAIN;
    char refused[sizeof events->refused];
    haft_value *value = NULL;
    int status = 0;

    uv_mutex_lock(&hass->lock);
    while (woken == WOKEN_AGAIN && !status && !value) {
        struct hass_event_text *entry = events_take(events);

        if (!entry && *events->refused)
            break;
        if (!entry) {
            woken = hass_wait_moment(&wait, &hass->changed, ends);
            continue;
        }
        uv_mutex_unlock(&hass->lock);
        status = events_read(&wait, entry, &value);
        uv_mutex_lock(&hass->lock);
    }
    memcpy(refused, events->refused, sizeof refused);
    if (ret_dropped)
        *ret_dropped = events->dropped;
    uv_mutex_unlock(&hass->lock);
    if (value)
        *ret_event = value;
    if (status || value)
        return status;
    if (woken == WOKEN_AGAIN)
        return hass_fail_words(call, NULL, refused);
    return woken == WOKEN_CANCELLED ? hass_fail_woken(&wait, woken) : HASS_UNCHANGED;
}
