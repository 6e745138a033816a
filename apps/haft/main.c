/* main.c - the program: it reads the command line and does what the command's row says. */
#include <stdio.h>
#include <string.h>

#include "commit.h" /* made by the build */
#include "program.h"
#include "show.h"

/* What stands in place of a command. */
static int act_flag(const char *flag)
{
    struct page page;

    if (!strcmp(flag, "--help") || !strcmp(flag, "-h"))
        return help_print(NULL);
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
    return call.help ? help_print(call.command) : call.command->act(&call);
}
