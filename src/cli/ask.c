/* ask.c - commands that ask the server something in process, and print what it answers. */
#include "cli/command.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stdio/channel.h"
#include "cli/local.h"
#include "cli/manifest.h"

enum { CLI_ASK_ARENA_LIMIT = 256 << 20, CLI_MEANT = 128 };

void hf_command_print(const haft_buffer *buffer)
{
    if (buffer->size)
        fwrite(buffer->data, 1, buffer->size, stdout);
}

static void print_json(yyjson_val *value)
{
    haft_buffer buffer;

    haft_buffer_init(&buffer, NULL, CLI_ASK_ARENA_LIMIT);
    haft_json_write(value, &buffer);
    haft_buffer_puts(&buffer, "\n");
    hf_command_print(&buffer);
    haft_buffer_finish(&buffer);
}

/* Prints a placeholder for a block that is not text. */
static void print_block(yyjson_val *block)
{
    const char *type = yyjson_get_str(yyjson_obj_get(block, "type"));
    yyjson_val *text = yyjson_obj_get(block, "text");
    yyjson_val *resource = yyjson_obj_get(block, "resource");
    const char *what = yyjson_get_str(yyjson_obj_get(block, "mimeType"));

    if (resource && !text)
        text = yyjson_obj_get(resource, "text");
    if (!what)
        what = yyjson_get_str(yyjson_obj_get(resource ? resource : block, "uri"));
    if (yyjson_is_str(text))
        printf("%s\n", yyjson_get_str(text));
    else
        printf("[%s%s%s]\n", type ? type : "?", what ? " " : "", what ? what : "");
}

static int cli_show_list(struct command *command, yyjson_val *result, haft_arena *arena)
{
    haft_buffer buffer;
    int status;

    if (command->json) {
        print_json(result);
        return COMMAND_OK;
    }
    haft_buffer_init(&buffer, NULL, CLI_ASK_ARENA_LIMIT);
    status = command->verbose
                 ? hf_manifest_write_details(hf_app_at(command->app, command->server, 0),
                                             yyjson_obj_get(result, "tools"), &buffer)
                 : hf_manifest_write(yyjson_obj_get(result, "tools"), arena, &buffer);
    if (status)
        fprintf(stderr, "%s: %s\n", command->program, haft_strerror(status));
    else
        hf_command_print(&buffer);
    haft_buffer_finish(&buffer);
    return status ? COMMAND_FAILED : COMMAND_OK;
}

static int show_call(struct command *command, yyjson_val *result, haft_arena *arena)
{
    size_t i, n;
    yyjson_val *block;

    (void)arena;
    if (command->json)
        print_json(result);
    else
        yyjson_arr_foreach(yyjson_obj_get(result, "content"), i, n, block)
            print_block(block);
    return yyjson_get_bool(yyjson_obj_get(result, "isError")) ? COMMAND_FAILED : COMMAND_OK;
}

typedef int show_function(struct command *command, yyjson_val *result, haft_arena *arena);

/* An error of the protocol; that a tool is not found is all that it can be about a name. */
static void print_error(const struct command *command, yyjson_val *error)
{
    haft_server *server = hf_app_at(command->app, command->server, 0);
    struct catalogue *now = hf_catalogue_take(server);
    const struct offer_list *tools = &now->lists[HAFT_OFFER_TOOL];
    char nearest[CLI_MEANT] = "";

    if (command->tool && !hf_offer_list_find(tools, command->tool, strlen(command->tool)))
        hf_app_put_nearest(server, command->tool, nearest, sizeof nearest);
    hf_catalogue_drop(now);
    fprintf(stderr, "%s: %s (%d)%s\n", command->program,
            yyjson_get_str(yyjson_obj_get(error, "message")),
            yyjson_get_int(yyjson_obj_get(error, "code")), nearest);
}

static int ask_and_show(struct command *command, struct local *local, const char *method,
                        const char *params, haft_arena *arena, show_function *show)
{
    yyjson_val *result = NULL, *error = NULL;
    int diverted = hf_stdout_divert();
    int status = hf_local_ask(local, method, params, arena, &result, &error);

    hf_stdout_restore(diverted);
    if (status) {
        fprintf(stderr, "%s: %s\n", command->program, haft_strerror(status));
        return COMMAND_MISUSED;
    }
    if (error) {
        print_error(command, error);
        return COMMAND_MISUSED;
    }
    return show(command, result, arena);
}

static int cli_ask(struct command *command, haft_server *server, const char *method,
                   const char *params, show_function *show)
{
    haft_arena *arena = haft_arena_new(NULL, CLI_ASK_ARENA_LIMIT);
    struct local local;
    int status = arena ? hf_local_open(&local, server, command->settings.workers) : HAFT_ENOMEM;

    if (status) {
        fprintf(stderr, "%s: %s\n", command->program, haft_strerror(status));
        haft_arena_free(arena);
        return COMMAND_FAILED;
    }
    status = ask_and_show(command, &local, method, params, arena, show);
    if (!hf_local_close(&local)) {
        fflush(stdout);
        if (server->process.leave)
            server->process.leave(server->process.leave_context);
        _exit(status);
    }
    haft_arena_free(arena);
    return status;
}

int hf_command_list(struct command *command, haft_server *server)
{
    server->options.page_size = 0;
    return cli_ask(command, server, "tools/list", NULL, cli_show_list);
}

int hf_command_call(struct command *command, haft_server *server)
{
    const char *arguments = command->arguments ? command->arguments : "{}";
    haft_arena *arena = haft_arena_new(NULL, CLI_ASK_ARENA_LIMIT);
    haft_reason reason = {.text = "out of memory"};
    haft_buffer params;
    struct json_writer w = {.out = &params};
    int status = COMMAND_MISUSED;

    haft_buffer_init(&params, NULL, CLI_ASK_ARENA_LIMIT);
    if (!arena || !haft_json_read(arguments, strlen(arguments), 0, arena, &reason)) {
        fprintf(stderr, "%s: the arguments are not valid JSON: %s\n", command->program,
                reason.text);
        goto out;
    }
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "name"), command->tool);
    hf_json_raw(json_key(&w, "arguments"), arguments, strlen(arguments));
    hf_json_end_object(&w);
    haft_buffer_add(&params, "", 1);
    if (params.status)
        fprintf(stderr, "%s: %s\n", command->program, haft_strerror(params.status));
    else
        status = cli_ask(command, server, "tools/call", params.data, show_call);

out:
    haft_buffer_finish(&params);
    haft_arena_free(arena);
    return status;
}
