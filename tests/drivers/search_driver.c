/* search_driver.c - a server of many tools, for which clients search. */
#define _POSIX_C_SOURCE 200809L
#include <haft.h>
#include <stdio.h>
#include <time.h>

HAFT_STRUCT(sum_args, HAFT_INTEGER(a, "One number"), HAFT_INTEGER(b, "The other"));
HAFT_STRUCT(sum_result, HAFT_INTEGER(sum, "Their sum"));

static int add(haft_call *call, const sum_args *in, sum_result *out)
{
    (void)call;
    out->sum = in->a + in->b;
    return 0;
}
HAFT_TOOL(add, sum_args, sum_result, "Adds two numbers", .annotations = {.read_only = HAFT_YES});

static int draw(haft_call *call)
{
    haft_text(call, "a picture");
    return haft_image(call, "image/png", "png", 3);
}
HAFT_TOOL_BARE(draw, "Draws a picture", .title = "Pictures",
               .annotations = {.read_only = HAFT_YES});

HAFT_STRUCT(driver_form, HAFT_STRING(name, "Your name"));

static int introduce(haft_call *call)
{
    driver_form form;
    int answer = haft_elicit(call, "who", "Who are you?", &driver_form_type, &form);

    return answer == HAFT_ACCEPTED ? haft_text(call, "You are %s", form.name) : answer;
}
HAFT_TOOL_BARE(introduce, "Asks the person for a name");

static int linger(haft_call *call)
{
    haft_progress(call, 1, 0, "lingering");
    while (!haft_call_cancelled(call))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return 0;
}
HAFT_TOOL_BARE(linger, "Reports progress and waits to be cancelled");

static int always(haft_call *call)
{
    return haft_text(call, "always here");
}
HAFT_TOOL_BARE(always, "Is always in the list");

enum { MANY = 200 };

int main(int argc, char **argv)
{
    static char names[MANY][32];
    static haft_tool many[MANY];
    haft_server *server = haft_server_new("search-driver", "1.0.0");
    const haft_tool *const tools[] = {&add_tool, &draw_tool, &introduce_tool, &linger_tool,
                                      &always_tool};

    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        haft_add(server, tools[i]);
    for (size_t i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "ship_%zu_to_port", i);
        many[i] = draw_tool;
        many[i].name = names[i];
        many[i].description = "Ships goods to a port";
        haft_add(server, &many[i]);
    }
    haft_server_set_search(server, HAFT_WITH(haft_search, .above = 50, .pinned = "always"));
    return haft_main(server, argc, argv);
}
