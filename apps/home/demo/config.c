/* config.c - the configuration of this Home Assistant, its services as clients see them, and panels. */
#include "demo/rest.h"

static const char config_text[] =
    "{'allowlist_external_dirs':['/config/www','/media'],'allowlist_external_urls':[],'components':[],"
    "'config_dir':'/config','config_source':'storage','country':'NL','currency':'EUR','debug':false,'elevation':2,"
    "'external_url':null,'internal_url':null,'language':'en','latitude':52.3731339,'location_name':'Demo home',"
    "'longitude':4.8903147,'radius':100,'recovery_mode':false,'safe_mode':false,'state':'RUNNING','time_zone':'UTC',"
    "'unit_system':{'length':'km','accumulated_precipitation':'mm','area':'m²','mass':'g','pressure':'Pa',"
    "'temperature':'°C','volume':'L','wind_speed':'m/s'},'version':'" DEMO_VERSION
    "','whitelist_external_dirs':"
    "['/config/www','/media']}";

void demo_components_write(struct json_writer *w)
{
    static const char *const others[] = {
        "api",      "auth",    "binary_sensor", "config",     "demo",     "device_tracker",
        "frontend", "history", "http",          "logbook",    "lovelace", "person",
        "recorder", "sensor",  "sun",           "system_log", "trace",    "websocket_api",
        "zone"};

    hf_json_begin_array(w);
    for (const struct demo_domain *at = demo_domains; at->name; at++)
        hf_json_text(w, at->name);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        hf_json_text(w, others[i]);
    hf_json_end_array(w);
}

void demo_config_write(struct demo *demo, struct json_writer *w)
{
    haft_value *config = demo_parse(demo, demo_relaxed(demo, config_text));
    yyjson_obj_iter iter;
    yyjson_val *key;

    if (!config)
        w->out->status = HAFT_ENOMEM;
    hf_json_begin_object(w);
    yyjson_obj_iter_init(config, &iter);
    while ((key = yyjson_obj_iter_next(&iter))) {
        hf_json_name(w, yyjson_get_str(key), yyjson_get_len(key));
        if (yyjson_equals_str(key, "components"))
            demo_components_write(w);
        else
            hf_json_value(w, yyjson_obj_iter_get_val(key));
    }
    hf_json_end_object(w);
}

/* ---- services ---- */

static void config_number_selector(struct json_writer *w, const struct demo_field *field)
{
    hf_json_begin_object(json_key(w, "number"));
    if (field->ranged) {
        hf_json_number(json_key(w, "min"), field->min);
        hf_json_number(json_key(w, "max"), field->max);
    }
    hf_json_end_object(w);
}

static void config_select_selector(struct json_writer *w, const char *choices)
{
    hf_json_begin_object(json_key(w, "select"));
    hf_json_begin_array(json_key(w, "options"));
    while (*choices) {
        size_t size = strcspn(choices, ",");

        hf_json_string(w, choices, size);
        choices += size;
        choices += *choices == ',';
    }
    hf_json_end_array(w);
    hf_json_end_object(w);
}

static void config_selector(struct json_writer *w, const struct demo_field *field)
{
    static const char *const names[] = {
        [FIELD_TEXT] = "text",     [FIELD_TEXT_OR_NULL] = "text", [FIELD_BOOL] = "boolean",
        [FIELD_TEXTS] = "text",    [FIELD_OBJECT] = "object",     [FIELD_ARRAY] = "object",
        [FIELD_RGB] = "color_rgb", [FIELD_PAIR] = "object",       [FIELD_TIME] = "datetime",
        [FIELD_ENTITY] = "entity", [FIELD_ANY] = "object",        [FIELD_TARGET] = "target"};

    hf_json_begin_object(json_key(w, "selector"));
    if (field->kind == FIELD_INT || field->kind == FIELD_NUMBER) {
        config_number_selector(w, field);
    } else if (field->kind == FIELD_CHOICE) {
        config_select_selector(w, field->choices);
    } else {
        hf_json_name(w, names[field->kind], strlen(names[field->kind]));
        hf_json_empty_object(w);
    }
    hf_json_end_object(w);
}

static void config_fields(struct json_writer *w, const struct demo_service *service)
{
    hf_json_begin_object(json_key(w, "fields"));
    for (size_t i = 0; i < service->n; i++) {
        const struct demo_field *field = &service->fields[i];

        hf_json_name(w, field->name, strlen(field->name));
        hf_json_begin_object(w);
        if (field->required)
            hf_json_bool(json_key(w, "required"), true);
        config_selector(w, field);
        hf_json_end_object(w);
    }
    hf_json_end_object(w);
}

void demo_service_write(struct json_writer *w, const char *domain, const char *name,
                        const struct demo_service *service)
{
    hf_json_name(w, name, strlen(name));
    hf_json_begin_object(w);
    hf_json_text(json_key(w, "name"), name);
    hf_json_text(json_key(w, "description"), service->description);
    config_fields(w, service);
    if (service->flags & SERVICE_TARGET) {
        hf_json_begin_object(json_key(w, "target"));
        hf_json_begin_array(json_key(w, "entity"));
        hf_json_begin_object(w);
        if (!(service->flags & SERVICE_ANY_DOMAIN)) {
            hf_json_begin_array(json_key(w, "domain"));
            hf_json_text(w, domain);
            hf_json_end_array(w);
        }
        hf_json_end_object(w);
        hf_json_end_array(w);
        hf_json_end_object(w);
    }
    if (service->flags & (SERVICE_RESPONDS | SERVICE_RESPONDS_ONLY)) {
        hf_json_begin_object(json_key(w, "response"));
        hf_json_bool(json_key(w, "optional"), service->flags & SERVICE_RESPONDS);
        hf_json_end_object(w);
    }
    hf_json_end_object(w);
}

static void config_domain(struct demo *demo, struct json_writer *w,
                          const struct demo_domain *domain)
{
    hf_json_begin_object(w);
    for (const struct demo_service *service = domain->services; service->name; service++)
        demo_service_write(w, domain->name, service->name, service);
    demo_services_made_write(demo, w, domain->name);
    hf_json_end_object(w);
}

void demo_services_write(struct demo *demo, struct json_writer *w, bool array)
{
    if (array)
        hf_json_begin_array(w);
    else
        hf_json_begin_object(w);
    for (const struct demo_domain *at = demo_domains; at->name; at++) {
        if (array) {
            hf_json_begin_object(w);
            hf_json_text(json_key(w, "domain"), at->name);
            config_domain(demo, json_key(w, "services"), at);
            hf_json_end_object(w);
        } else {
            hf_json_name(w, at->name, strlen(at->name));
            config_domain(demo, w, at);
        }
    }
    if (array)
        hf_json_end_array(w);
    else
        hf_json_end_object(w);
}
