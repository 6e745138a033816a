/* about.c - the commands that print help and completion scripts. */
#include "program.h"
#include "show.h"

int help_print(const struct command *command)
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
    return help_print(command);
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
