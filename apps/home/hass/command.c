/* command.c - commands of the WebSocket API, for tools. */
#include "hass/command.h"

#include "hass/reach.h"

/* ---- one command ---- */

/* With the lock held: it is not waited for any more. */
static void command_forget(struct hass *hass, struct command *command)
{
    for (struct command **link = &hass->commands; *link; link = &(*link)->next)
        if (*link == command) {
            *link = command->next;
            return;
        }
}

/* With the lock held. */
static enum hass_woken command_wait(const struct hass_wait *wait, struct command *command)
{
    enum hass_woken woken = WOKEN_AGAIN;

    while (command->state == COMMAND_WAITS && woken == WOKEN_AGAIN)
        woken = hass_wait_moment(wait, &wait->hass->moved, UINT64_MAX);
    if (command->state == COMMAND_WAITS)
        command_forget(wait->hass, command);
    return woken;
}

int hass_send_command(const struct hass_wait *wait, const char *type, yyjson_val *fields,
                      bool reads, struct command *ret_command)
{
    struct hass *hass = wait->hass;
    enum hass_woken woken;
    int status = hass_lock_ready(wait, reads);

    if (status)
        return status;
    *ret_command = (struct command){.state = COMMAND_WAITS};
    ret_command->id = hass_post(hass, type, fields);
    if (!ret_command->id) {
        uv_mutex_unlock(&hass->lock);
        return hass_no_memory(wait->call);
    }
    ret_command->next = hass->commands;
    hass->commands = ret_command;
    uv_mutex_unlock(&hass->lock);
    hass_drain(hass);
    uv_mutex_lock(&hass->lock);
    woken = command_wait(wait, ret_command);
    uv_mutex_unlock(&hass->lock);
    if (ret_command->state == COMMAND_WAITS)
        return hass_fail_sent(wait, woken, reads ? NULL : "command");
    if (ret_command->state == COMMAND_LOST)
        return hass_fail(wait->call,
                         "The connection to Home Assistant was lost before it answered%s.",
                         reads ? "" : "; it may have carried the command out");
    return 0;
}

void hass_command_finish(const struct hass_wait *wait, struct command *command)
{
    hass_release(wait->hass->allocator, command->result, command->result_size);
    command->result = NULL;
}

int hass_command_value(const struct hass_wait *wait, const struct command *command,
                       haft_value **ret_value)
{
    const char *why;
    size_t at;

    if (!command->result || hf_json_parse(command->result, command->result_size,
                                          haft_call_arena(wait->call), ret_value, &at, &why))
        return hass_no_memory(wait->call);
    return 0;
}

/* ---- for tools ---- */

int hass_object(haft_call *call, const char *json, yyjson_val **ret_object)
{
    haft_reason reason;

    *ret_object = haft_json_read(json ? json : "{}", json ? strlen(json) : 2, 0,
                                 haft_call_arena(call), &reason);
    if (!*ret_object)
        return hass_fail(call, "The data is not valid JSON: %s.", reason.text);
    if (!yyjson_is_obj(*ret_object))
        return hass_fail(call, "The data is not a JSON object.");
    return 0;
}

/* Whether a command changes nothing; an unknown one may. */
static bool command_reads(const char *type, yyjson_val *fields)
{
    static const char *const kinds[] = {"get_*",
                                        "*/get",
                                        "*/get_*",
                                        "*/list",
                                        "*/list_*",
                                        "*/info",
                                        "*_during_period",
                                        "trace/contexts",
                                        "lovelace/config",
                                        "lovelace/resources",
                                        "auth/current_user",
                                        "validate_config"};
    const char *method = yyjson_get_str(yyjson_obj_get(fields, "method"));

    if (!strcmp(type, "supervisor/api"))
        return !method || !strcmp(method, "get");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (hf_glob_match(kinds[i], strlen(kinds[i]), type))
            return true;
    return false;
}

int hass_command(haft_call *call, const char *type, const char *fields, const char *accepts,
                 haft_value **ret_result)
{
    struct hass_wait wait = hass_wait_for(call);
    struct command command;
    yyjson_val *object, *value = NULL;
    int status = hass_object(call, fields, &object);

    if (!status)
        status = hass_reach_command(&wait, type, object);
    if (!status)
        status = hass_send_command(&wait, type, object, command_reads(type, object), &command);
    if (status)
        return status;
    if (command.state == COMMAND_DONE) {
        status = hass_command_value(&wait, &command, &value);
        if (!status && hass_redact_value(wait.hass, haft_call_arena(call), value, &value))
            status = hass_no_memory(call);
    } else if (!accepts || strcmp(accepts, command.code) != 0) {
        status = hass_fail_words(call, command.code, command.message);
    }
    hass_command_finish(&wait, &command);
    if (!status && ret_result)
        *ret_result = value;
    return status;
}
