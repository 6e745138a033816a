/* test_tasks.c - tasks of the extension, from the request to the end, on one thread. */
#include <haft.h>
#include <string.h>

#include "support/dialogue.h"
#include "support/test.h"

#define EXT "'_meta':{'io.modelcontextprotocol/protocolVersion':'2026-07-28'}"

static int echo(haft_call *call)
{
    haft_progress(call, 1, 2, "half");
    return haft_text(call, "%s", haft_call_task(call) ? "in a task" : "waited for");
}
HAFT_TOOL_BARE(echo, "Says how it runs", .task = HAFT_TASK_OPTIONAL);

static haft_server *serve(void)
{
    haft_server *server = haft_server_new("test", "1");

    assert_int_equal(haft_add(server, &echo_tool), 0);
    assert_int_equal(haft_server_set_tasks(server, NULL), 0);
    return server;
}

static void life(void **state)
{
    haft_server *server = serve();
    struct wire *wire = wire_open(server);
    const char *text;

    (void)state;
    wire_greet(wire, "2026-07-28");
    text = wire_call(wire, "tools/call", "\"name\":\"echo\"");
    print_message("%s\n", text);
    haft_server_run_tasks(server, 1000);
    wire_close(wire);
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(life)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
