/* main.c - the program: it reads the command line and does what the command's row says. */
#include <stdio.h>
#include <string.h>

#include "commit.h" /* made by the build */
#include "program.h"
#include "show.h"

static int print_help(const struct command *command)
{
    struct page page;

    page_init(&page);
    help_write(command, &page.text);
    return page_print(&page);
}

int act_help(struct invocation *call)
{
    const struct command *command = NULL;

    if (call->n_operands) {
        command = command_named(call->operands[0]);
        if (!command)
            return complain(EXIT_USAGE, "unknown command %s", call->operands[0]);
    }
    return print_help(command);
}

int act_completion(struct invocation *call)
{
    struct page page;

    if (call->n_operands != 1)
        return complain(EXIT_USAGE, "completion needs the name of a shell: bash or zsh");
    page_init(&page);
    if (completion_write(call->operands[0], &page.text))
        return complain(EXIT_USAGE, "no completion script for %s; choose bash or zsh",
                        call->operands[0]);
    return page_print(&page);
}

/* What stands in place of a command. */
static int act_flag(const char *flag)
{
    struct page page;

    if (!strcmp(flag, "--help") || !strcmp(flag, "-h"))
        return print_help(NULL);
    page_init(&page);
    if (!strcmp(flag, "--version"))
        haft_buffer_printf(&page.text, "haft " HAFT_VERSION "%s\n",
                           sizeof HAFT_COMMIT > 1 ? " (commit " HAFT_COMMIT ")" : "");
    else if (!strcmp(flag, "--manual")) /* for the build, which checks that the page agrees */
        manual_write(&page.text);
    else
        return complain(EXIT_USAGE,
                        "options come after the command; `haft help` lists the commands");
    return page_print(&page);
}

int main(int argc, char **argv)
{
    struct invocation call;
    int status;

    if (argc > 1 && argv[1][0] == '-')
        return act_flag(argv[1]);
    status = options_read(&call, argc, argv);
    if (status)
        return status;
    return call.help ? print_help(call.command) : call.command->act(&call);
}
