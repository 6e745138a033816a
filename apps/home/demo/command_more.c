/* command_more.c - panels, templates, what is related to what, and what else richer clients ask for. */
#include "demo/command.h"
#include "demo/automation.h"
#include "demo/jinja.h"
#include "demo/rest.h"

/* ---- templates ---- */

void demo_rest_template(struct demo_rest *rest)
{
    haft_value *body = demo_rest_body(rest), *template;
    struct demo_jinja jinja = {.demo = rest->demo};
    char *result;

    if (!body)
        return;
    template = yyjson_obj_get(body, "template");
    if (!yyjson_is_str(template)) {
        demo_rest_message(rest, 400, "Error rendering template: 'template'");
        return;
    }
    jinja.variables = yyjson_obj_get(body, "variables");
    result = demo_jinja_render(&jinja, yyjson_get_str(template));
    if (result)
        demo_rest_text(rest, 200, result);
    else if (!*jinja.error)
        rest->response->body.status = HAFT_ENOMEM;
    else
        demo_rest_message(rest, 400,
                          demo_format(rest->demo, "Error rendering template: %s", jinja.error));
}

/* An array of the lines, each once. */
static void more_lines(struct json_writer *w, const char *lines)
{
    hf_json_begin_array(w);
    for (const char *at = lines; *at;) {
        size_t size = strcspn(at, "\n");
        bool again = false;

        for (const char *before = lines; before < at;) {
            size_t length = strcspn(before, "\n");

            again = again || (length == size && !memcmp(before, at, size));
            before += length + 1;
        }
        if (!again)
            hf_json_string(w, at, size);
        at += size + 1;
    }
    hf_json_end_array(w);
}

/* The result as its type: Home Assistant reads numbers and such out of the text. */
static void more_native(struct demo *demo, struct json_writer *w, const char *result)
{
    haft_value *value = haft_json_read(result, strlen(result), 0, demo->scratch, NULL);

    if (!strcmp(result, "True") || !strcmp(result, "False"))
        hf_json_bool(w, *result == 'T');
    else if (!strcmp(result, "None"))
        hf_json_null(w);
    else if (value && (yyjson_is_num(value) || yyjson_is_arr(value) || yyjson_is_obj(value)))
        hf_json_value(w, value);
    else
        hf_json_text(w, result);
}

char *demo_template_event(struct demo *demo, haft_value *message, const char **reterr_error)
{
    haft_buffer read = demo_buffer(demo), out = demo_buffer(demo);
    struct json_writer w = {.out = &out};
    struct demo_jinja jinja = {.demo = demo, .entities = &read};
    char *result, *lines;

    jinja.variables = yyjson_obj_get(message, "variables");
    result = demo_jinja_render(&jinja, demo_text(message, "template"));
    lines = demo_take(demo, &read);
    if (!result || !lines) {
        *reterr_error = result ? "" : jinja.error;
        haft_buffer_finish(&out);
        return NULL;
    }
    hf_json_begin_object(&w);
    more_native(demo, json_key(&w, "result"), result);
    hf_json_begin_object(json_key(&w, "listeners"));
    hf_json_bool(json_key(&w, "all"), jinja.all);
    hf_json_begin_array(json_key(&w, "domains"));
    hf_json_end_array(&w);
    more_lines(json_key(&w, "entities"), jinja.all ? "" : lines);
    hf_json_bool(json_key(&w, "time"), jinja.time);
    hf_json_end_object(&w);
    hf_json_end_object(&w);
    *reterr_error = "";
    return demo_take(demo, &out);
}

/* Remembers the latest event of a session. */
static void more_told(struct demo_session *session, int64_t id, const char *event)
{
    for (struct demo_subscription *at = session->subscriptions; at; at = at->next)
        if (at->id == id && !at->last)
            at->last = demo_dup(session->demo, event);
}

static void more_render(struct demo_command *command)
{
    const char *error;
    char *event = demo_template_event(command->demo, command->message, &error), *what;
    haft_buffer out;

    if (!event) {
        demo_error(command, *error ? "template_error" : "unknown_error",
                   *error ? error : "Unknown error");
        return;
    }
    out = demo_buffer(command->demo);
    haft_json_write(command->message, &out);
    what = demo_take(command->demo, &out);
    if (!what || demo_subscribe(command->session, command->id, DEMO_ON_TEMPLATE, what)) {
        demo_error_subscribe(command);
        return;
    }
    demo_result_null(command);
    demo_send_event(command->session, command->id, event);
    more_told(command->session, command->id, event);
}

/* ---- panels and the like ---- */

static void more_panel(struct json_writer *w, const char *path, const char *component,
                       const char *title, const char *icon)
{
    hf_json_name(w, path, strlen(path));
    hf_json_begin_object(w);
    hf_json_text(json_key(w, "component_name"), component);
    hf_json_text(json_key(w, "icon"), icon);
    hf_json_text(json_key(w, "title"), title);
    hf_json_null(json_key(w, "config"));
    hf_json_text(json_key(w, "url_path"), path);
    hf_json_bool(json_key(w, "require_admin"), false);
    hf_json_null(json_key(w, "config_panel_domain"));
    hf_json_end_object(w);
}

static void more_panels(struct demo_command *command)
{
    struct demo_store *store = &command->demo->stores[DEMO_DASHBOARDS];
    struct json_writer *w = demo_result_begin(command);

    hf_json_begin_object(w);
    more_panel(w, "lovelace", "lovelace", "Overview", "mdi:view-dashboard");
    for (size_t i = 0; i < store->n; i++) {
        haft_value *of = demo_parse(command->demo, store->at[i].json);

        if (demo_text(of, "url_path"))
            more_panel(w, demo_text(of, "url_path"), "lovelace", demo_text(of, "title"),
                       demo_text(of, "icon"));
    }
    more_panel(w, "history", "history", "history", "mdi:chart-box");
    more_panel(w, "logbook", "logbook", "logbook", "mdi:format-list-bulleted-type");
    hf_json_end_object(w);
    demo_result_end(command);
}

static void more_exposed(struct demo_command *command)
{
    struct demo *demo = command->demo;
    struct json_writer *w = demo_result_begin(command);

    hf_json_begin_object(w);
    hf_json_begin_object(json_key(w, "exposed_entities"));
    for (size_t i = 0; i < demo->n_entities; i++)
        if (demo_is_in(demo->entities[i], "light") || demo_is_in(demo->entities[i], "switch") ||
            demo_is_in(demo->entities[i], "climate") || demo_is_in(demo->entities[i], "cover")) {
            hf_json_name(w, demo->entities[i]->id, strlen(demo->entities[i]->id));
            hf_json_begin_object(w);
            hf_json_bool(json_key(w, "conversation"), true);
            hf_json_end_object(w);
        }
    hf_json_end_object(w);
    hf_json_end_object(w);
    demo_result_end(command);
}

static void more_notifications(struct demo_command *command)
{
    demo_result_store(command, DEMO_NOTIFICATIONS);
}

/* ---- what is related ---- */

/* Automations, scripts or scenes whose configuration names the id. */
static void more_configs(struct demo_command *command, const char *key, enum demo_registry which,
                         const char *domain, const char *id)
{
    struct demo *demo = command->demo;
    struct demo_store *store = &demo->stores[which];
    char *quoted = demo_format(demo, "\"%s\"", id);
    bool open = false;

    for (size_t i = 0; quoted && i < store->n; i++) {
        struct demo_entity *entity = strstr(store->at[i].json, quoted)
                                         ? demo_config_entity(demo, domain, store->at[i].id)
                                         : NULL;

        if (!entity)
            continue;
        if (!open) {
            hf_json_name(&command->w, key, strlen(key));
            hf_json_begin_array(&command->w);
        }
        open = true;
        hf_json_text(&command->w, entity->id);
    }
    if (open)
        hf_json_end_array(&command->w);
}

static void more_one(struct json_writer *w, const char *key, const char *id)
{
    if (!id)
        return;
    hf_json_name(w, key, strlen(key));
    hf_json_begin_array(w);
    hf_json_text(w, id);
    hf_json_end_array(w);
}

/* The entities of an area or a device. */
static void more_members(struct demo_command *command, const char *type, const char *id)
{
    struct demo_store *store = &command->demo->stores[DEMO_ENTRIES];
    bool open = false;

    for (size_t i = 0; i < store->n; i++) {
        const char *area = demo_area_of(command->demo, store->at[i].id);
        const char *device = demo_text(demo_parse(command->demo, store->at[i].json), "device_id");
        const char *own = !strcmp(type, "area") ? area : device;

        if (!own || strcmp(own, id) != 0)
            continue;
        if (!open)
            hf_json_begin_array(json_key(&command->w, "entity"));
        open = true;
        hf_json_text(&command->w, store->at[i].id);
    }
    if (open)
        hf_json_end_array(&command->w);
}

static void more_related(struct demo_command *command)
{
    const char *type = demo_text(command->message, "item_type");
    const char *id = demo_text(command->message, "item_id");
    struct json_writer *w = demo_result_begin(command);

    hf_json_begin_object(w);
    if (!strcmp(type, "entity")) {
        haft_value *entry = demo_record_value(command->demo, DEMO_ENTRIES, id);

        more_one(w, "area", demo_area_of(command->demo, id));
        more_one(w, "device", demo_text(entry, "device_id"));
    } else {
        more_members(command, type, id);
    }
    more_configs(command, "automation", DEMO_AUTOMATIONS, "automation", id);
    more_configs(command, "script", DEMO_SCRIPTS, "script", id);
    more_configs(command, "scene", DEMO_SCENES, "scene", id);
    hf_json_end_object(w);
    demo_result_end(command);
}

/* The configuration of an automation or a script, by its entity. */
static void more_config(struct demo_command *command)
{
    bool script = *command->type == 's';
    struct demo_entity *entity = demo_find(command->demo, demo_text(command->message, "entity_id"));
    const char *id = entity ? demo_config_id(command->demo, entity) : NULL;
    struct demo_record *record =
        id ? demo_record(command->demo, script ? DEMO_SCRIPTS : DEMO_AUTOMATIONS, id) : NULL;
    struct json_writer *w;

    if (!record) {
        demo_error(command, "not_found", "Entity not found");
        return;
    }
    w = demo_result_begin(command);
    hf_json_begin_object(w);
    hf_json_raw(json_key(w, "config"), record->json, strlen(record->json));
    hf_json_end_object(w);
    demo_result_end(command);
}

/* ---- other REST requests ---- */

void demo_rest_check(struct demo_rest *rest)
{
    static const char valid[] = "{\"result\":\"valid\",\"errors\":null,\"warnings\":null}";

    hf_json_raw(&rest->w, valid, sizeof valid - 1);
}

/* There is no Supervisor here, and Home Assistant keeps most of its paths from tokens. */
void demo_rest_supervisor(struct demo_rest *rest)
{
    size_t size = strlen(rest->tail);

    if (size > 5 && !strcmp(rest->tail + size - 5, "/logs"))
        demo_rest_text(rest, 404, "404: Not Found");
    else
        demo_rest_text(rest, 401, "401: Unauthorized");
}

static const struct demo_field more_template_fields[] = {
    {.name = "template", .kind = FIELD_TEXT, .required = true},
    {.name = "entity_ids", .kind = FIELD_TEXTS},
    {.name = "variables", .kind = FIELD_OBJECT},
    {.name = "timeout", .kind = FIELD_NUMBER},
    {.name = "strict", .kind = FIELD_BOOL},
    {.name = "report_errors", .kind = FIELD_BOOL},
};
static const struct demo_field more_related_fields[] = {
    {.name = "item_type",
     .kind = FIELD_CHOICE,
     .required = true,
     .choices = "area,automation,config_entry,device,entity,floor,group,label,scene,script"},
    {.name = "item_id", .kind = FIELD_TEXT, .required = true},
};
static const struct demo_field more_config_fields[] = {
    {.name = "entity_id", .kind = FIELD_ENTITY, .required = true}};

const struct demo_command_row demo_commands_more[] = {
    {"render_template", more_render, COMMAND_FIELDS(more_template_fields)},
    {"get_panels", more_panels, NULL, 0},
    {"homeassistant/expose_entity/list", more_exposed, NULL, 0},
    {"persistent_notification/get", more_notifications, NULL, 0},
    {"system_log/list", demo_system_log, NULL, 0},
    {"search/related", more_related, COMMAND_FIELDS(more_related_fields)},
    {"automation/config", more_config, COMMAND_FIELDS(more_config_fields)},
    {"script/config", more_config, COMMAND_FIELDS(more_config_fields)},
    {0},
};
