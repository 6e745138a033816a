/* command.c - commands of the WebSocket API: ids, dispatch, and answers. */
#include "demo/command.h"

static const struct demo_command_row *const command_tables[] = {
    demo_commands_core,    demo_commands_registry, demo_commands_trace, demo_commands_todo,
    demo_commands_history, demo_commands_lovelace, demo_commands_more,
};

/* ---- answers ---- */

static void command_begin(struct demo_command *command, bool success)
{
    command->out = demo_buffer(command->demo);
    command->w = (struct json_writer){.out = &command->out};
    hf_json_begin_object(&command->w);
    hf_json_integer(json_key(&command->w, "id"), command->id);
    hf_json_text(json_key(&command->w, "type"), "result");
    hf_json_bool(json_key(&command->w, "success"), success);
}

struct json_writer *demo_result_begin(struct demo_command *command)
{
    command_begin(command, true);
    return json_key(&command->w, "result");
}

void demo_result_end(struct demo_command *command)
{
    int status;

    hf_json_end_object(&command->w);
    status = command->out.status;
    if (status == HAFT_EUTF8 || status == HAFT_EINVAL || status == HAFT_ETOOBIG) {
        haft_buffer_finish(&command->out);
        demo_error(command, "unknown_error", "Unknown error");
        return;
    }
    demo_queue(command->session, &command->out);
}

void demo_result_null(struct demo_command *command)
{
    hf_json_null(demo_result_begin(command));
    demo_result_end(command);
}

void demo_result_json(struct demo_command *command, const char *json)
{
    if (!json) {
        demo_error_memory(command);
        return;
    }
    hf_json_raw(demo_result_begin(command), json, strlen(json));
    demo_result_end(command);
}

void demo_error(struct demo_command *command, const char *code, const char *message)
{
    command_begin(command, false);
    hf_json_begin_object(json_key(&command->w, "error"));
    hf_json_text(json_key(&command->w, "code"), code);
    hf_json_text(json_key(&command->w, "message"), message ? message : "Unknown error");
    hf_json_end_object(&command->w);
    hf_json_end_object(&command->w);
    demo_queue(command->session, &command->out);
}

void demo_result_store(struct demo_command *command, enum demo_registry which)
{
    const struct demo_store *store = &command->demo->stores[which];
    struct json_writer *w = demo_result_begin(command);

    hf_json_begin_array(w);
    for (size_t i = 0; i < store->n; i++)
        hf_json_raw(w, store->at[i].json, strlen(store->at[i].json));
    hf_json_end_array(w);
    demo_result_end(command);
}

void demo_error_memory(struct demo_command *command)
{
    demo_error(command, "unknown_error", "Unknown error");
}

void demo_error_subscribe(struct demo_command *command)
{
    if (command->session->n_subscriptions >= DEMO_MAX_SUBSCRIPTIONS)
        demo_error(command, "home_assistant_error", "Too many subscriptions");
    else
        demo_error_memory(command);
}

/* ---- dispatch ---- */

static bool command_matches(const char *pattern, const char *type)
{
    size_t size = strcspn(pattern, "*");

    return pattern[size] ? !strncmp(pattern, type, size) : !strcmp(pattern, type);
}

static const struct demo_command_row *command_find(const char *type)
{
    for (size_t i = 0; i < sizeof command_tables / sizeof *command_tables; i++)
        for (const struct demo_command_row *row = command_tables[i]; row->type; row++)
            if (command_matches(row->type, type))
                return row;
    return NULL;
}

static void command_run(struct demo_command *command)
{
    const struct demo_command_row *row = command_find(command->type);
    const char *wrong;

    if (!row) {
        demo_error(command, "unknown_command", "Unknown command.");
        return;
    }
    wrong =
        demo_validate(command->demo, row->fields, row->n, command->message, "id,type", false, true);
    if (wrong)
        demo_error(command, "invalid_format", wrong);
    else
        row->run(command);
    command->session->last_id = command->id;
}

void demo_command(struct demo_session *session, haft_value *message)
{
    haft_value *id = yyjson_obj_get(message, "id");
    struct demo_command command = {.demo = session->demo, .session = session, .message = message};

    command.type = demo_text(message, "type");
    command.id = yyjson_is_int(id) ? yyjson_get_sint(id) : 0;
    if (command.id <= 0 || !command.type || !*command.type)
        demo_error(&command, "invalid_format", "Message incorrectly formatted.");
    else if (command.id <= session->last_id)
        demo_error(&command, "id_reuse", "Identifier values have to increase.");
    else
        command_run(&command);
}
