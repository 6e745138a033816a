/* notify.c - notifications, persistent ones, and speech.  Each one is an event that tests can see. */
#include "demo/rest.h"

static const struct demo_field notify_fields[] = {
    {.name = "message", .kind = FIELD_TEXT, .required = true},
    {.name = "title", .kind = FIELD_TEXT},
    {.name = "target", .kind = FIELD_TEXTS},
    {.name = "data", .kind = FIELD_OBJECT},
};
static const struct demo_field notify_entity_fields[] = {
    {.name = "message", .kind = FIELD_TEXT, .required = true},
    {.name = "title", .kind = FIELD_TEXT},
};
static const struct demo_field notify_create_fields[] = {
    {.name = "message", .kind = FIELD_TEXT, .required = true},
    {.name = "title", .kind = FIELD_TEXT},
    {.name = "notification_id", .kind = FIELD_TEXT},
};
static const struct demo_field notify_dismiss_fields[] = {
    {.name = "notification_id", .kind = FIELD_TEXT, .required = true}};

/* As the demo integration of Home Assistant does: the notification is the data of the event `notify`. */
static int notify_send(struct demo_call *call, struct demo_entity *entity)
{
    haft_buffer out = demo_buffer(call->demo);
    char *json, now[DEMO_TIME];

    haft_json_write(call->data, &out);
    json = demo_take(call->demo, &out);
    if (!json)
        return HAFT_ENOMEM;
    demo_fire(call->demo, "notify", json, false, &call->context);
    demo_time_text(call->demo->now, now);
    return entity ? demo_set_state(call, entity, now) : 0;
}

/* {"notification_id", "title", "message", "created_at"} */
static int notify_create(struct demo_call *call, struct demo_entity *entity)
{
    struct demo *demo = call->demo;
    const char *id = demo_text(call->data, "notification_id"),
               *title = demo_text(call->data, "title");
    char uuid[DEMO_UUID + 1];
    haft_buffer out = demo_buffer(demo);
    struct json_writer w = {.out = &out};

    (void)entity;
    demo_uuid(demo, uuid);
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "notification_id"), id ? id : uuid);
    hf_json_value(json_key(&w, "message"), yyjson_obj_get(call->data, "message"));
    if (title)
        hf_json_text(json_key(&w, "title"), title);
    else
        hf_json_null(json_key(&w, "title"));
    demo_time_write(json_key(&w, "created_at"), demo->now);
    hf_json_end_object(&w);
    return demo_record_put(demo, DEMO_NOTIFICATIONS, id ? id : uuid, demo_take(demo, &out));
}

static int notify_dismiss(struct demo_call *call, struct demo_entity *entity)
{
    const char *id = demo_text(call->data, "notification_id");

    (void)entity;
    if (id)
        demo_record_remove(call->demo, DEMO_NOTIFICATIONS, id);
    return 0;
}

static int notify_dismiss_all(struct demo_call *call, struct demo_entity *entity)
{
    struct demo_store *store = &call->demo->stores[DEMO_NOTIFICATIONS];

    (void)entity;
    while (store->n)
        demo_record_remove(call->demo, DEMO_NOTIFICATIONS, store->at[store->n - 1].id);
    return 0;
}

const struct demo_service demo_services_notify[] = {
    {"notify", "Sends a notification message using the notify service.", notify_send, 0, 0,
     SERVICE_FIELDS(notify_fields)},
    {"mobile_app_demo", "Sends a notification message using the mobile_app_demo integration.",
     notify_send, 0, 0, SERVICE_FIELDS(notify_fields)},
    {"persistent_notification", "Sends a notification that is visible in the notifications panel.",
     notify_create, SERVICE_ANY_DATA, 0, SERVICE_FIELDS(notify_fields)},
    {"send_message", "Sends a notification message.", notify_send, SERVICE_TARGET, 0,
     SERVICE_FIELDS(notify_entity_fields)},
    {0},
};

const struct demo_service demo_services_persistent_notification[] = {
    {"create", "Shows a notification on the notifications panel.", notify_create, 0, 0,
     SERVICE_FIELDS(notify_create_fields)},
    {"dismiss", "Deletes a notification from the notifications panel.", notify_dismiss, 0, 0,
     SERVICE_FIELDS(notify_dismiss_fields)},
    {"dismiss_all", "Deletes all notifications from the notifications panel.", notify_dismiss_all,
     0, 0, NULL, 0},
    {0},
};

/* ---- speech ---- */

static const struct demo_field tts_speak_fields[] = {
    {.name = "media_player_entity_id", .kind = FIELD_ENTITY, .required = true},
    {.name = "message", .kind = FIELD_TEXT, .required = true},
    {.name = "cache", .kind = FIELD_BOOL},
    {.name = "language", .kind = FIELD_TEXT},
    {.name = "options", .kind = FIELD_OBJECT},
};

/* Where the speech would be: the same text has the same address. */
static char *tts_path(struct demo *demo, const char *message)
{
    return demo_format(demo, "/api/tts_proxy/%016llx_en_demo.mp3",
                       (unsigned long long)(demo_noise(demo, message, 0) * WHOLE_BELOW));
}

static int tts_speak(struct demo_call *call, struct demo_entity *entity)
{
    const char *language = demo_text(call->data, "language"), *path, *json;
    const char *player = demo_text(call->data, "media_player_entity_id");
    struct demo_call inner = {.demo = call->demo,
                              .domain = "media_player",
                              .name = "play_media",
                              .context = call->context};
    char now[DEMO_TIME];

    if (language && strcmp(language, "en") != 0 && strcmp(language, "de") != 0)
        return demo_fail(call, DEMO_ERROR, NULL, "Language '%s' not supported", language);
    path = tts_path(call->demo,
                    demo_text(call->data, "message") ? demo_text(call->data, "message") : "");
    json = demo_format(call->demo,
                       "'entity_id':'%s','media_content_id':'%s','media_content_type':'music',"
                       "'announce':true",
                       player ? player : "", path ? path : "");
    if (demo_call_service(&inner, demo_parse_relaxed(call->demo, json), NULL)) {
        call->failure = inner.failure;
        call->text = inner.text;
        return -1;
    }
    demo_time_text(call->demo->now, now);
    return demo_set_state(call, entity, now);
}

static int tts_clear(struct demo_call *call, struct demo_entity *entity)
{
    (void)call;
    (void)entity;
    return 0;
}

const struct demo_service demo_services_tts[] = {
    {"speak", "Speaks something using text-to-speech on a media player.", tts_speak, SERVICE_TARGET,
     0, SERVICE_FIELDS(tts_speak_fields)},
    {"clear_cache", "Removes all cached text-to-speech files and purges the memory.", tts_clear, 0,
     0, NULL, 0},
    {0},
};

void demo_rest_tts(struct demo_rest *rest)
{
    haft_value *body = demo_rest_body(rest);
    const char *message = demo_text(body, "message"), *path;
    const char *engine = demo_text(body, "engine_id");

    if (!body)
        return;
    engine = engine ? engine : demo_text(body, "platform");
    if (!engine || !message) {
        hf_json_begin_object(&rest->w);
        hf_json_text(json_key(&rest->w, "error"), "Must specify platform and message");
        hf_json_end_object(&rest->w);
        rest->response->status = 400;
        return;
    }
    if (strcmp(engine, "tts.demo") != 0 && strcmp(engine, "demo") != 0) {
        hf_json_begin_object(&rest->w);
        hf_json_text(json_key(&rest->w, "error"),
                     demo_complain(rest->demo, "Provider %s not found", engine));
        hf_json_end_object(&rest->w);
        rest->response->status = 400;
        return;
    }
    path = tts_path(rest->demo, message);
    if (!path) {
        rest->response->body.status = HAFT_ENOMEM;
        return;
    }
    hf_json_begin_object(&rest->w);
    hf_json_text(json_key(&rest->w, "url"),
                 demo_complain(rest->demo, "http://127.0.0.1:8123%s", path));
    hf_json_text(json_key(&rest->w, "path"), path);
    hf_json_end_object(&rest->w);
}
