/* rest.c - the REST API: which function answers which path, and the short ones. */
#include "demo/rest.h"

#include "base/percent.h"
#include "demo/session.h"

/* ---- answers ---- */

void demo_rest_message(struct demo_rest *rest, int status, const char *message)
{
    if (!message) {
        rest->response->body.status = HAFT_ENOMEM;
        return;
    }
    haft_buffer_clear(&rest->response->body);
    rest->w = (struct json_writer){.out = &rest->response->body};
    rest->response->status = status;
    rest->response->type = "application/json";
    hf_json_begin_object(&rest->w);
    hf_json_text(json_key(&rest->w, "message"), message);
    hf_json_end_object(&rest->w);
}

void demo_rest_text(struct demo_rest *rest, int status, const char *text)
{
    haft_buffer_clear(&rest->response->body);
    rest->response->status = status;
    rest->response->type = "text/plain; charset=utf-8";
    haft_buffer_puts(&rest->response->body, text);
}

const char *demo_rest_query(struct demo_rest *rest, const char *name)
{
    const char *at = rest->request->query ? rest->request->query : "";
    size_t length = strlen(name);
    int status;

    while (*at) {
        size_t size = strcspn(at, "&"), key = strcspn(at, "=&");

        if (key == length && !memcmp(at, name, length))
            return key == size ? ""
                               : hf_percent_decode(rest->demo->scratch, at + key + 1,
                                                   size - key - 1, true, &status);
        at += size;
        at += *at == '&';
    }
    return NULL;
}

haft_value *demo_rest_body(struct demo_rest *rest)
{
    haft_value *body;

    if (!rest->request->size)
        return demo_parse(rest->demo, "{}");
    body = haft_json_read(rest->request->body, rest->request->size, 0, rest->demo->scratch, NULL);
    if (!body)
        demo_rest_message(rest, 400, "Data should be valid JSON.");
    return body;
}

/* ---- states ---- */

static void rest_root(struct demo_rest *rest)
{
    demo_rest_message(rest, 200, "API running.");
}

static void rest_config(struct demo_rest *rest)
{
    demo_config_write(rest->demo, &rest->w);
}

static void rest_core_state(struct demo_rest *rest)
{
    static const char state[] =
        "{\"state\":\"RUNNING\",\"recorder_state\":{\"migration_in_progress\":false,\"migration_is_live\":false}}";

    hf_json_raw(&rest->w, state, sizeof state - 1);
}

static void rest_components(struct demo_rest *rest)
{
    demo_components_write(&rest->w);
}

static void rest_states(struct demo_rest *rest)
{
    struct demo *demo = rest->demo;

    hf_json_begin_array(&rest->w);
    for (size_t i = 0; i < demo->n_entities; i++)
        demo_state_write(demo, &rest->w, demo->entities[i], demo->entities[i]->state);
    hf_json_end_array(&rest->w);
}

static void rest_state(struct demo_rest *rest)
{
    struct demo_entity *entity = demo_find(rest->demo, rest->tail);

    if (entity)
        demo_state_write(rest->demo, &rest->w, entity, entity->state);
    else
        demo_rest_message(rest, 404, "Entity not found.");
}

static char *rest_attributes(struct demo_rest *rest, haft_value *attributes)
{
    yyjson_alc alc;

    if (!attributes)
        return demo_format(rest->demo, "{}");
    return yyjson_val_write_opts(attributes, 0, demo_alc(rest->demo, &alc), NULL, NULL);
}

static void rest_put_state(struct demo_rest *rest, haft_value *body, const char *text)
{
    struct demo *demo = rest->demo;
    struct demo_context context;
    char *attributes = rest_attributes(rest, yyjson_obj_get(body, "attributes"));
    bool created;

    demo_context_new(demo, NULL, true, &context);
    if (!attributes ||
        demo_write(demo, rest->tail, text, attributes,
                   yyjson_is_true(yyjson_obj_get(body, "force_update")), &context, &created)) {
        rest->response->body.status = HAFT_ENOMEM;
        return;
    }
    rest_state(rest);
    if (created) {
        rest->response->status = 201;
        /* The path of the request is this state's. */
        rest->response->location = rest->request->path;
    }
}

static void rest_set_state(struct demo_rest *rest)
{
    haft_value *body = demo_rest_body(rest), *state;
    yyjson_alc alc;
    const char *text;

    if (!body)
        return;
    state = yyjson_obj_get(body, "state");
    text = yyjson_is_str(state) ? yyjson_get_str(state)
           : state ? yyjson_val_write_opts(state, 0, demo_alc(rest->demo, &alc), NULL, NULL)
                   : NULL;
    if (!yyjson_is_obj(body))
        demo_rest_message(rest, 400, "Invalid JSON specified.");
    else if (!text || yyjson_is_null(state))
        demo_rest_message(rest, 400, "No state attribute specified.");
    else if (!demo_id_is_valid(rest->tail))
        demo_rest_message(rest, 400, "Invalid entity ID specified.");
    else if (strlen(text) > 255)
        demo_rest_message(rest, 400, "Invalid state specified.");
    else
        rest_put_state(rest, body, text);
}

static void rest_delete_state(struct demo_rest *rest)
{
    struct demo_entity *entity = demo_find(rest->demo, rest->tail);
    struct demo_context context;

    if (!entity) {
        demo_rest_message(rest, 404, "Entity not found.");
        return;
    }
    demo_context_new(rest->demo, NULL, true, &context);
    demo_remove(rest->demo, entity, &context);
    demo_rest_message(rest, 200, "Entity removed.");
}

/* ---- events ---- */

/* How many subscriptions there are of a type; NULL for all types. */
static void rest_events(struct demo_rest *rest)
{
    static const char *const types[] = {
        "state_changed",           "call_service",         "service_registered",
        "service_removed",         "component_loaded",     "core_config_updated",
        "automation_triggered",    "script_started",       "lovelace_updated",
        "entity_registry_updated", "area_registry_updated"};

    hf_json_begin_array(&rest->w);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        int64_t n = 0;

        for (struct demo_session *at = rest->demo->sessions; at; at = at->next)
            for (struct demo_subscription *of = at->subscriptions; of; of = of->next)
                n += of->kind == DEMO_ON_EVENT && of->what && !strcmp(of->what, types[i]);
        if (i && !n)
            continue;
        hf_json_begin_object(&rest->w);
        hf_json_text(json_key(&rest->w, "event"), types[i]);
        hf_json_integer(json_key(&rest->w, "listener_count"), i ? n : n + 1);
        hf_json_end_object(&rest->w);
    }
    hf_json_end_array(&rest->w);
}

static void rest_fire(struct demo_rest *rest)
{
    haft_value *body = demo_rest_body(rest);
    struct demo_context context;
    haft_buffer out;

    if (!body)
        return;
    if (!yyjson_is_obj(body)) {
        demo_rest_message(rest, 400, "Event data should be a JSON object");
        return;
    }
    out = demo_buffer(rest->demo);
    haft_json_write(body, &out);
    demo_context_new(rest->demo, NULL, true, &context);
    demo_fire(rest->demo, rest->tail, demo_take(rest->demo, &out), true, &context);
    demo_rest_message(rest, 200, demo_format(rest->demo, "Event %s fired.", rest->tail));
}

/* ---- routes ---- */

static const struct rest_route {
    const char *method, *path; /* a star stands for the rest, which is not empty */
    demo_rest_handler *handler;
} rest_routes[] = {
    {"GET", "/api/", rest_root},
    {"GET", "/api/config", rest_config},
    {"GET", "/api/core/state", rest_core_state},
    {"GET", "/api/components", rest_components},
    {"GET", "/api/events", rest_events},
    {"GET", "/api/stream", demo_rest_stream},
    {"POST", "/api/events/*", rest_fire},
    {"GET", "/api/services", demo_rest_services},
    {"POST", "/api/services/*", demo_rest_call},
    {"GET", "/api/states", rest_states},
    {"GET", "/api/states/*", rest_state},
    {"POST", "/api/states/*", rest_set_state},
    {"DELETE", "/api/states/*", rest_delete_state},
    {"POST", "/api/template", demo_rest_template},
    {"GET", "/api/history/period", demo_rest_history},
    {"GET", "/api/history/period/*", demo_rest_history},
    {"GET", "/api/logbook", demo_rest_logbook},
    {"GET", "/api/logbook/*", demo_rest_logbook},
    {"GET", "/api/error_log", demo_rest_error_log},
    {"GET", "/api/calendars", demo_rest_calendars},
    {"GET", "/api/calendars/*", demo_rest_calendar},
    {"GET", "/api/camera_proxy/*", demo_rest_camera},
    {"POST", "/api/tts_get_url", demo_rest_tts},
    {"POST", "/api/config/core/check_config", demo_rest_check},
    {"GET", "/api/config/automation/config/*", demo_rest_automation},
    {"POST", "/api/config/automation/config/*", demo_rest_automation},
    {"DELETE", "/api/config/automation/config/*", demo_rest_automation},
    {"GET", "/api/config/script/config/*", demo_rest_script},
    {"POST", "/api/config/script/config/*", demo_rest_script},
    {"DELETE", "/api/config/script/config/*", demo_rest_script},
    {"GET", "/api/config/scene/config/*", demo_rest_scene},
    {"POST", "/api/config/scene/config/*", demo_rest_scene},
    {"DELETE", "/api/config/scene/config/*", demo_rest_scene},
    {"GET", "/api/hassio/*", demo_rest_supervisor},
    {"POST", "/api/hassio/*", demo_rest_supervisor},
};

static const char *rest_match(const char *pattern, const char *path)
{
    size_t size = strcspn(pattern, "*");

    if (!pattern[size])
        return strcmp(pattern, path) ? NULL : "";
    return !strncmp(pattern, path, size) && path[size] ? path + size : NULL;
}

static void rest_dispatch(struct demo_rest *rest)
{
    bool found = false;

    for (size_t i = 0; i < sizeof rest_routes / sizeof *rest_routes; i++) {
        const struct rest_route *route = &rest_routes[i];
        const char *tail = rest_match(route->path, rest->request->path);

        found = found || tail;
        if (tail && !strcmp(route->method, rest->request->method)) {
            rest->tail = tail;
            route->handler(rest);
            return;
        }
    }
    demo_rest_text(rest, found ? 405 : 404, found ? "405: Method Not Allowed" : "404: Not Found");
}

void demo_handle(struct demo *demo, const struct demo_request *request, struct demo_response *ret)
{
    struct demo_rest rest = {.demo = demo, .request = request, .response = ret};

    ret->status = 200;
    ret->type = "application/json";
    ret->location = NULL;
    ret->streams = false;
    rest.w = (struct json_writer){.out = &ret->body};
    demo_enter(demo);
    if (!request->token || strcmp(request->token, demo->token) != 0)
        demo_rest_text(&rest, 401, "401: Unauthorized");
    else
        rest_dispatch(&rest);
    if (ret->body.status)
        demo_rest_text(&rest, 500, "500 Internal Server Error\n\nServer got itself in trouble");
    demo_leave(demo);
}
