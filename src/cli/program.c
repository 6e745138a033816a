/* program.c - options of a program's own: added before the command line is read, and read before it
 * runs when the program has to know them. */
#include <haft/run.h>

#include "cli/arguments.h"

#include <string.h>
#include "cli/verb.h"
#include "config/program_options.h"

int haft_options_add(haft_server *server, const haft_option_table *table, void *values)
{
    return server ? hf_program_options_make(server, table, values, hf_verb_is_taken) : HAFT_EINVAL;
}

/* The first complaint is the reason; haft_main prints all of them. */
static int program_complain(haft_server *server, int status, const struct complaints *complaints)
{
    size_t size = complaints->text.size ? strcspn(complaints->text.data, "\n") : 0;

    return size ? hf_error_set(&server->error, status, "", "%.*s", (int)size, complaints->text.data)
                : hf_error_set(&server->error, status, "", "%s", haft_strerror(status));
}

static int program_read(struct command *command, int argc, char **argv,
                        struct complaints *complaints)
{
    int status = hf_arguments_read(command, argc, argv, complaints);

    if (status || hf_arguments_ask_help(command))
        return status ? status : 1;
    status = hf_settings_read(&command->settings, &command->from_program, command->given,
                              command->n_given, complaints);
    if (!status)
        status = hf_program_options_fill(command->server, &command->settings);
    hf_settings_finish(&command->settings);
    return status;
}

int haft_options_read(haft_server *server, int argc, char **argv)
{
    struct command command = {.act = hf_command_serve, .server = server};
    size_t size = ((size_t)(argc > 0 ? argc : 0) + 1) * sizeof *command.given;
    struct complaints complaints;
    int status = HAFT_ENOMEM;

    if (!server || !server->program_options)
        return HAFT_EINVAL;
    if (server->program_options->refusal.code)
        return server->program_options->refusal.code;
    hf_complaints_init(&complaints, server->allocator);
    command.given = server->allocator->alloc(server->allocator->context, size);
    if (command.given) {
        status = hf_program_settings_init(&command.from_program, server);
        if (!status)
            status = program_read(&command, argc, argv, &complaints);
        server->allocator->release(server->allocator->context, command.given, size);
    }
    if (status < 0)
        program_complain(server, status, &complaints);
    hf_complaints_finish(&complaints);
    return status;
}
