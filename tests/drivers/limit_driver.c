/* limit_driver.c - a server of many tools that do the same, each with a rate limit of its own.
 *
 * A call is counted in the window of its client and in the window of its tool, or in neither.  So the windows of the tools
 * tell which calls were allowed. */
#define _POSIX_C_SOURCE 200809L
#include <haft.h>
#include <stdio.h>
#include <time.h>

/* It takes a while, so that a server that is killed has calls that were allowed and not answered. */
static int answer(haft_call *call)
{
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    return haft_text(call, "answered");
}
HAFT_TOOL_BARE(answer, "Answers", .rate = {.calls = 10000, .per_ms = 3600000});

enum { TOOLS = 4096 };

int main(int argc, char **argv)
{
    static char names[TOOLS][32];
    static haft_tool tools[TOOLS];
    haft_server *server = haft_server_new("limit-driver", "1.0.0");

    for (size_t i = 0; i < TOOLS; i++) {
        snprintf(names[i], sizeof names[i], "answer_%zu", i);
        tools[i] = answer_tool;
        tools[i].name = names[i];
        haft_add(server, &tools[i]);
    }
    return haft_main(server, argc, argv);
}
