/* test_isolated.c - tasks whose handler runs in a process of its own. */
#include "client.h"

enum { MANY = 100000, MAX_BYTES = 200000 };

HAFT_STRUCT(form,
    HAFT_STRING(name, "A name"));

/* Saves more than a packet with NUL in it, and asks; its second run has what was saved. */
static int work(haft_call *call)
{
    static char bytes[MAX_BYTES + 1];
    size_t size = 0;
    const char *saved = haft_task_saved(call, &size);
    form who;
    int status;

    if (!saved) {
        memcpy(bytes, "half\0way", 8);
        bytes[MANY - 1] = 'z';
        if (haft_task_save(call, bytes, sizeof bytes) != HAFT_ETOOBIG ||
            haft_task_save(call, "replaced", 8) || haft_task_save(call, bytes, MANY))
            return haft_error(call, "it was not saved");
        haft_progress(call, 1, 2, "half done");
    }
    status = haft_elicit(call, "who", "Who?", &form_type, &who);
    if (status != HAFT_ACCEPTED)
        return status;
    if (!saved)
        return haft_error(call, "nothing was saved");
    return haft_text(call, "%s: %s, %zu bytes, %s %c, in %s", who.name, saved, size, saved + 5,
                     saved[size - 1], haft_call_task(call));
}
HAFT_TOOL_BARE(work, "Works", .task = HAFT_TASK_REQUIRED, .task_crash = HAFT_TASK_RESUME,
               .isolate = true);

static int empty(haft_call *call)
{
    size_t size = 7;
    const void *saved = haft_task_saved(call, &size);
    form who;
    int status;

    if (!saved)
        haft_task_save(call, "", 0);
    status = haft_elicit(call, "who", "Who?", &form_type, &who);
    return status == HAFT_ACCEPTED ? haft_text(call, "%d %zu", saved != NULL, size) : status;
}
HAFT_TOOL_BARE(empty, "Saves nothing", .task = HAFT_TASK_REQUIRED, .task_crash = HAFT_TASK_RESUME,
               .isolate = true);

static int refuse(haft_call *call)
{
    return haft_protocol_error(call, -32050, "no \"%s\"", "disk");
}
HAFT_TOOL_BARE(refuse, "Refuses", .task = HAFT_TASK_OPTIONAL, .isolate = true);

static int late(haft_call *call)
{
    int status = haft_task_begin(call);

    return status ? status : haft_text(call, "in %s", haft_call_task(call) ? "a task" : "a call");
}
HAFT_TOOL_BARE(late, "Begins late", .task = HAFT_TASK_OPTIONAL, .task_late = true, .isolate = true);

static int crash(haft_call *call)
{
    haft_progress(call, 1, 2, "about to crash");
    abort();
}
HAFT_TOOL_BARE(crash, "Crashes", .task = HAFT_TASK_OPTIONAL, .isolate = true);

static haft_server *serve(bool tasks_first)
{
    const haft_tool *const tools[] = {&work_tool, &empty_tool, &refuse_tool, &late_tool,
                                      &crash_tool};
    haft_server *server = haft_server_new("test", "1");

    for (size_t i = 0; i < COUNT_OF(tools); i++)
        assert_int_equal(haft_add(server, tools[i]), 0);
    if (!tasks_first)
        assert_int_equal(haft_server_isolate(server), 0);
    assert_int_equal(
        haft_server_set_tasks(server, HAFT_WITH(haft_task_options, .max_bytes = MAX_BYTES)), 0);
    if (tasks_first)
        assert_int_equal(haft_server_isolate(server), 0);
    return server;
}

static void run(struct client *client)
{
    for (int i = 0; i < 4; i++)
        client_run(client, 500);
}

static void answer(struct client *client)
{
    run(client);
    client_task(client, "tasks/get", "");
    client_expect(client, "'status':'input_required'");
    client_task(client, "tasks/update",
                ",'inputResponses':{'who':{'action':'accept','content':{'name':'ann'}}}");
    run(client);
    client_task(client, "tasks/get", "");
}

static void saves(void **state)
{
    haft_server *server = serve(true);
    struct client client;
    char expected[256];

    (void)state;
    client_open(&client, server);
    client_create(&client, "work", "{}");
    run(&client);
    client_task(&client, "tasks/get", "");
    client_expect(&client, "'statusMessage':'half done'");
    answer(&client);
    snprintf(expected, sizeof expected, "'text':'ann: half, %d bytes, way z, in %s'", MANY,
             client.id);
    client_expect(&client, expected);
    client_create(&client, "empty", "{}");
    answer(&client);
    client_expect(&client, "'text':'1 0'");
    client_close(&client);
    haft_server_free(server);
}

static void fails(void **state)
{
    haft_server *server = serve(true);
    struct client client;

    (void)state;
    client_open(&client, server);
    client_create(&client, "refuse", "{}");
    run(&client);
    client_task(&client, "tasks/get", "");
    client_expect(&client, "'status':'failed'");
    client_expect(&client, "'code':-32050,'message':'no ");
    client_create(&client, "crash", "{}");
    run(&client);
    client_task(&client, "tasks/get", "");
    client_expect(&client, "crashed");
    client.capabilities = "{}"; /* the same for a client without tasks */
    client_ask(&client, "tools/call", "'name':'refuse'");
    client_expect(&client, "'code':-32050,'message':'no ");
    client_close(&client);
    haft_server_free(server);
}

/* Also if the processes were forked before there were tasks. */
static void begins_late(void **state)
{
    (void)state;
    for (int tasks_first = 0; tasks_first < 2; tasks_first++) {
        haft_server *server = serve(tasks_first);
        struct client client;

        client_open(&client, server);
        client_create(&client, "late", "{}");
        run(&client);
        client_task(&client, "tasks/get", "");
        client_expect(&client, "'text':'in a task'");
        client.capabilities = "{}";
        client_ask(&client, "tools/call", "'name':'late'");
        client_expect(&client, "'text':'in a call'");
        client_close(&client);
        haft_server_free(server);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(saves), cmocka_unit_test(fails),
                                       cmocka_unit_test(begins_late)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
