/* event.c - events: to sessions that subscribed to them, and to automations before the request ends. */
#include "demo/session.h"

#include "demo/automation.h"
#include "demo/command.h"

enum { EVENT_DEPTH = 8 };

static char *event_json(struct demo *demo, const char *type, const char *data, bool remote,
                        const struct demo_context *context)
{
    haft_buffer out = demo_buffer(demo);
    struct json_writer w = {.out = &out};

    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "event_type"), type);
    hf_json_raw(json_key(&w, "data"), data, strlen(data));
    hf_json_text(json_key(&w, "origin"), remote ? "REMOTE" : "LOCAL");
    demo_time_write(json_key(&w, "time_fired"), demo->now);
    demo_context_write(json_key(&w, "context"), demo, context);
    hf_json_end_object(&w);
    return demo_take(demo, &out);
}

/* Without memory everybody who would have been told is ended: nobody misses an event unknowingly. */
static void event_lost(struct demo *demo)
{
    for (struct demo_session *session = demo->sessions; session; session = session->next)
        if (session->subscriptions)
            demo_end(session);
}

static void event_tell(struct demo_session *session, const char *type, const char *json,
                       haft_value *event)
{
    struct demo_subscription *at = session->subscriptions, *next;

    for (; at; at = next) {
        next = at->next;
        if (at->kind == DEMO_ON_EVENT && (!at->what || !strcmp(at->what, type)))
            demo_send_event(session, at->id, json);
        else if (at->kind == DEMO_ON_STREAM)
            demo_stream_tell(session, at, type, json);
        else if (at->kind == DEMO_ON_TRIGGER)
            demo_trigger_tell(session, at, event);
    }
}

/* Keeps the event for automations. */
static bool event_keep(struct demo *demo, char *json, const struct demo_context *context)
{
    struct demo_change *change = haft_arena_zalloc(demo->scratch, 1, sizeof *change);

    if (!change)
        return false;
    change->event = json;
    change->context = *context;
    change->depth = demo->run.depth + 1;
    if (demo->run.last)
        demo->run.last->next = change;
    else
        demo->run.first = change;
    demo->run.last = change;
    return true;
}

static bool event_is_awaited(const struct demo_session *sessions)
{
    for (; sessions; sessions = sessions->next)
        for (const struct demo_subscription *at = sessions->subscriptions; at; at = at->next)
            if (at->kind == DEMO_ON_EVENT || at->kind == DEMO_ON_TRIGGER ||
                at->kind == DEMO_ON_STREAM)
                return true;
    return false;
}

void demo_fire(struct demo *demo, const char *type, const char *data, bool remote,
               const struct demo_context *context)
{
    bool runs = demo->run.depth < EVENT_DEPTH && demo->stores[DEMO_AUTOMATIONS].n;
    char *json;
    haft_value *event;

    if (!runs && !event_is_awaited(demo->sessions))
        return;
    json = data ? event_json(demo, type, data, remote, context) : NULL;
    event = demo_parse(demo, json);
    if (!event || (runs && !event_keep(demo, json, context))) {
        event_lost(demo);
        return;
    }
    if (!strcmp(type, "state_changed"))
        demo_holds_look(demo, event);
    for (struct demo_session *session = demo->sessions; session; session = session->next)
        event_tell(session, type, json, event);
}

static void event_state_or_null(struct demo *demo, struct json_writer *w,
                                const struct demo_entity *entity, const struct demo_state *state)
{
    if (state)
        demo_state_write(demo, w, entity, state);
    else
        hf_json_null(w);
}

static void event_tell_entities(struct demo *demo, const struct demo_entity *entity,
                                const struct demo_state *old, const struct demo_state *new)
{
    const char *json = NULL;

    for (struct demo_session *session = demo->sessions; session; session = session->next)
        for (struct demo_subscription *at = session->subscriptions; at; at = at->next) {
            if (at->kind != DEMO_ON_ENTITIES ||
                (at->what && !demo_lists(demo_parse(demo, at->what), entity->id)))
                continue;
            json = json ? json : demo_diff_json(demo, entity, old, new);
            if (json)
                demo_send_event(session, at->id, json);
            else
                demo_end(session);
        }
}

/* Renders the templates of sessions again, and tells those whose result has changed. */
static void event_tell_templates(struct demo *demo)
{
    for (struct demo_session *session = demo->sessions; session; session = session->next)
        for (struct demo_subscription *at = session->subscriptions; at; at = at->next) {
            const char *error;
            char *json, *copy;

            if (at->kind != DEMO_ON_TEMPLATE)
                continue;
            json = demo_template_event(demo, demo_parse(demo, at->what), &error);
            if (!json || (at->last && !strcmp(json, at->last)))
                continue; /* Home Assistant writes an error to its log */
            copy = demo_dup(demo, json);
            demo_drop(demo, at->last);
            at->last = copy;
            demo_send_event(session, at->id, json);
        }
}

void demo_state_changed(struct demo *demo, const struct demo_entity *entity,
                        const struct demo_state *old, const struct demo_state *new)
{
    haft_buffer out = demo_buffer(demo);
    struct json_writer w = {.out = &out};

    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "entity_id"), entity->id);
    event_state_or_null(demo, json_key(&w, "old_state"), entity, old);
    event_state_or_null(demo, json_key(&w, "new_state"), entity, new);
    hf_json_end_object(&w);
    demo_fire(demo, "state_changed", demo_take(demo, &out), false,
              new ? &new->context : &old->context);
    event_tell_entities(demo, entity, old, new);
    event_tell_templates(demo);
}
