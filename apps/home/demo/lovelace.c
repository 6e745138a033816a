/* lovelace.c - dashboards and their configurations. */
#include "demo/command.h"

static void lovelace_list(struct demo_command *command)
{
    demo_result_store(command, DEMO_DASHBOARDS);
}

/* Whether there is a dashboard at the path; "" is the default one. */
static bool lovelace_exists(struct demo *demo, const char *path)
{
    struct demo_store *store = &demo->stores[DEMO_DASHBOARDS];

    for (size_t i = 0; i < store->n; i++) {
        const char *own = demo_text(demo_parse(demo, store->at[i].json), "url_path");

        if (own && !strcmp(own, path))
            return true;
    }
    return !*path;
}

/* The path of the command; NULL with the error sent. */
static const char *lovelace_path(struct demo_command *command)
{
    const char *path = demo_text(command->message, "url_path");

    path = path ? path : "";
    if (lovelace_exists(command->demo, path))
        return path;
    demo_error(command, "config_not_found",
               demo_complain(command->demo, "Unknown config specified: %s", path));
    return NULL;
}

static void lovelace_config(struct demo_command *command)
{
    const char *path = lovelace_path(command);
    struct demo_record *record = path ? demo_record(command->demo, DEMO_VIEWS, path) : NULL;

    if (record)
        demo_result_json(command, record->json);
    else if (path)
        demo_error(command, "config_not_found", "No config found.");
}

static void lovelace_tell(struct demo_command *command, const char *path)
{
    haft_buffer out = demo_buffer(command->demo);
    struct json_writer w = {.out = &out};
    struct demo_context context;

    demo_context_new(command->demo, NULL, true, &context);
    hf_json_begin_object(&w);
    if (*path)
        hf_json_text(json_key(&w, "url_path"), path);
    else
        hf_json_null(json_key(&w, "url_path"));
    hf_json_end_object(&w);
    demo_fire(command->demo, "lovelace_updated", demo_take(command->demo, &out), false, &context);
}

static void lovelace_save(struct demo_command *command)
{
    const char *path = lovelace_path(command);
    haft_buffer out;

    if (!path)
        return;
    out = demo_buffer(command->demo);
    haft_json_write(yyjson_obj_get(command->message, "config"), &out);
    if (demo_record_put(command->demo, DEMO_VIEWS, path, demo_take(command->demo, &out))) {
        demo_error_memory(command);
        return;
    }
    lovelace_tell(command, path);
    demo_result_null(command);
}

static void lovelace_delete(struct demo_command *command)
{
    const char *path = lovelace_path(command);

    if (!path)
        return;
    demo_record_remove(command->demo, DEMO_VIEWS, path);
    lovelace_tell(command, path);
    demo_result_null(command);
}

static void lovelace_nothing(struct demo_command *command)
{
    struct json_writer *w = demo_result_begin(command);

    hf_json_begin_array(w);
    hf_json_end_array(w);
    demo_result_end(command);
}

static const struct demo_field lovelace_fields[] = {
    {.name = "url_path", .kind = FIELD_TEXT_OR_NULL}, {.name = "force", .kind = FIELD_BOOL}};
static const struct demo_field lovelace_save_fields[] = {
    {.name = "url_path", .kind = FIELD_TEXT_OR_NULL},
    {.name = "config", .kind = FIELD_OBJECT, .required = true}};

const struct demo_command_row demo_commands_lovelace[] = {
    {"lovelace/dashboards/list", lovelace_list, NULL, 0},
    {"lovelace/resources", lovelace_nothing, NULL, 0},
    {"lovelace/config", lovelace_config, COMMAND_FIELDS(lovelace_fields)},
    {"lovelace/config/save", lovelace_save, COMMAND_FIELDS(lovelace_save_fields)},
    {"lovelace/config/delete", lovelace_delete, COMMAND_FIELDS(lovelace_fields)},
    {0},
};
