/* test_legacy.c - the experimental tasks of 2025-11-25. */
#include "client.h"
#include "support/counting.h"

HAFT_STRUCT(form,
    HAFT_STRING(name, "A name"));

static int ask(haft_call *call)
{
    form who;
    int status = haft_elicit(call, "who", "Who?", &form_type, &who);

    return status == HAFT_ACCEPTED ? haft_text(call, "hello %s", who.name) : status;
}
HAFT_TOOL_BARE(ask, "Asks", .task = HAFT_TASK_OPTIONAL);

static int must(haft_call *call)
{
    return haft_error(call, "no luck");
}
HAFT_TOOL_BARE(must, "Must be a task", .task = HAFT_TASK_REQUIRED);

static int never(haft_call *call)
{
    return haft_text(call, "plain");
}
HAFT_TOOL_BARE(never, "Is never a task");

static void open_legacy_with(struct client *client, haft_server *server, const char *revision,
                             haft_session_options options)
{
    options.struct_size = sizeof options;
    client_open_with(client, server, options);
    client_initialize(client, revision);
}

static void open_legacy(struct client *client, haft_server *server, const char *revision)
{
    open_legacy_with(client, server, revision, (haft_session_options){.peer = NULL});
}

static void experimental(void **state)
{
    static const struct {
        const char *method, *members, *part;
    } rows[] = {
        {"tools/list", "", "'name':'ask'"},
        {"tools/list", "", "'execution':{'taskSupport':'optional'}"},
        {"tools/list", "", "'execution':{'taskSupport':'required'}"},
        {"tools/call", "'name':'must'",
         "'code':-32601,'message':'The tool must be called as a task'"},
        {"tools/call", "'name':'never','task':{}",
         "'code':-32601,'message':'The tool does not support tasks'"},
        {"tools/call", "'name':'never'", "'text':'plain'"},
        {"tasks/result", "'taskId':'0123456789012345678901234567890123456789'", "'code':-32602"},
        {"tasks/update", "'taskId':'0'", "'code':-32601"},
        {"tasks/list", "'cursor':'x'", "'code':-32602"},
    };
    haft_server *server = haft_server_new("test", "1");
    struct client client;
    char first[CLIENT_ID];

    (void)state;
    assert_int_equal(haft_add(server, &ask_tool), 0);
    assert_int_equal(haft_add(server, &must_tool), 0);
    assert_int_equal(haft_add(server, &never_tool), 0);
    assert_int_equal(haft_server_set_tasks(server, NULL), 0);
    open_legacy(&client, server, "2025-11-25");
    client_expect(&client, "'tasks':{'list':{},'cancel':{},'requests':{'tools':{'call':{}}}}");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        client_ask(&client, rows[i].method, rows[i].members);
        client_expect(&client, rows[i].part);
    }
    /* A result that is an error is a failed task. */
    client_create(&client, "must", "{}");
    client_expect(&client, "'result':{'task':{'taskId':'");
    client_expect(&client, "'ttl':60000,'pollInterval':1000}}");
    memcpy(first, client.id, sizeof first);
    client_run(&client, 0);
    client_task(&client, "tasks/get", "");
    client_expect(&client, "'status':'failed'");
    client_task(&client, "tasks/result", "");
    client_expect(&client, "'text':'no luck'}],'isError':true");
    client_expect(&client, "'io.modelcontextprotocol/related-task':{'taskId':'");
    client_task(&client, "tasks/cancel", "");
    client_expect(&client, "'code':-32602");
    /* tasks/result waits, asks, and waits again. */
    client_create(&client, "ask", "{}");
    assert_string_equal(client_task(&client, "tasks/result", ""), "");
    client_run(&client, 0);
    client_next(&client);
    client_expect(&client, "'method':'elicitation/create'");
    client_expect(&client, "'_meta':{'io.modelcontextprotocol/related-task':{'taskId':'");
    client_task(&client, "tasks/get", "");
    client_expect(&client, "'status':'input_required'");
    wire_send(client.wire, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"action\":\"accept\","
                           "\"content\":{\"name\":\"ann\"}}}");
    client_run(&client, 1000);
    client_next(&client);
    client_expect(&client, "'text':'hello ann'");
    /* Cancelling answers the task. */
    client_create(&client, "ask", "{}");
    client_task(&client, "tasks/cancel", "");
    client_expect(&client, "'status':'cancelled'");
    client_task(&client, "tasks/result", "");
    client_expect(&client, "'message':'The task was cancelled'");
    client_ask(&client, "tasks/list", "");
    client_expect(&client, first);
    client_expect(&client, client.id);
    /* A request that waits when the session ends. */
    client_create(&client, "ask", "{}");
    client_task(&client, "tasks/result", "");
    client_close(&client);
    open_legacy(&client, server, "2025-06-18");
    client_expect_not(&client, "'tasks'");
    client_ask(&client, "tools/list", "");
    client_expect_not(&client, "taskSupport");
    client_ask(&client, "tools/call", "'name':'never','task':{}");
    client_expect(&client, "'text':'plain'");
    client_ask(&client, "tasks/get", "'taskId':'0'");
    client_expect(&client, "'code':-32601");
    client_close(&client);
    haft_server_free(server);
}

/* Each change of the state of a task is told to the session that created it, once. */
static void notifications(void **state)
{
    static const struct {
        const char *tool, *part;
    } rows[] = {
        {"ask", "'status':'input_required'"},
        {"must", "'status':'failed'"},
    };
    haft_server *server = haft_server_new("test", "1");
    struct client client, other;

    (void)state;
    assert_int_equal(haft_add(server, &ask_tool), 0);
    assert_int_equal(haft_add(server, &must_tool), 0);
    assert_int_equal(haft_server_set_tasks(server, NULL), 0);
    open_legacy(&client, server, "2025-11-25");
    open_legacy(&other, server, "2025-11-25");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        client.notified[0] = '\0';
        client_create(&client, rows[i].tool, "{}");
        for (int n = 0; n < 4; n++) {
            client_run(&client, 500);
            client_next(&client);
        }
        snprintf(client.answer, sizeof client.answer, "%s", client.notified);
        client_expect(&client, "'method':'notifications/tasks/status','params':{'taskId':'");
        client_expect(&client, client.id);
        client_expect(&client, rows[i].part);
        client_expect(&client, "'ttl':60000");
        client_expect_not(&client, "'result'");
        client.notified[0] = '\0'; /* nothing changes any more */
        client_run(&client, 6000);
        client_next(&client);
        assert_string_equal(client.notified, "");
    }
    client_run(&other, 500);
    client_next(&other);
    assert_string_equal(other.notified, "");
    client_create(&client, "ask", "{}"); /* and the session ends */
    client_close(&client);
    client_run(&other, 500);
    client_close(&other);
    haft_server_free(server);
}

/* Whose tasks a client lists: those of its principal, or, if it is the only client of its transport, its own. */
static void lists(void **state)
{
    static const struct {
        haft_session_options options;
        bool lists;
        const char *error;
    } rows[] = {
        {{.peer = NULL}, true, NULL},
        {{.peer = "192.0.2.7"}, false, "'code':-32601"},
        {{.peer = ""}, false, "'code':-32601"},
        {{.peer = "192.0.2.7", .principal = "ann"}, true, NULL},
    };
    haft_server *server = haft_server_new("test", "1");

    (void)state;
    assert_int_equal(haft_add(server, &must_tool), 0);
    assert_int_equal(haft_server_set_tasks(server, NULL), 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct client client;

        open_legacy_with(&client, server, "2025-11-25", rows[i].options);
        client_expect(&client, rows[i].lists ? "'tasks':{'list':{},'cancel':{}"
                                             : "'tasks':{'cancel':{},'requests'");
        client_create(&client, "must", "{}");
        client_ask(&client, "tasks/list", "");
        client_expect(&client, rows[i].lists ? client.id : rows[i].error);
        client_task(&client, "tasks/get", "");
        client_expect(&client, "'status':'working'");
        client_run(&client, 0);
        client_close(&client);
    }
    haft_server_free(server);
}

static haft_call *running; /* a handler that is pending */

static int wait(haft_call *call)
{
    running = call;
    return HAFT_PENDING;
}
HAFT_TOOL_BARE(wait, "Ends when the test wants", .task = HAFT_TASK_OPTIONAL);

/* A client that waits for a result while the task reports progress uses no more memory. */
static void waits(void **state)
{
    struct counting counting;
    haft_server *server;
    struct client client;
    int64_t before = 0;

    (void)state;
    counting_init(&counting, NULL);
    server = haft_server_new_with("test", "1",
                                  HAFT_WITH(haft_server_options, .allocator = &counting.allocator));
    assert_int_equal(haft_add(server, &wait_tool), 0);
    assert_int_equal(haft_server_set_tasks(server, NULL), 0);
    open_legacy(&client, server, "2025-11-25");
    client_create(&client, "wait", "{}");
    client_run(&client, 0);
    assert_string_equal(client_task(&client, "tasks/result", ""), "");
    for (int i = 0; i < 200; i++) {
        haft_progress(running, i, 200, "step %03d of a long way", i);
        client_run(&client, 250);
        if (i == 20)
            before = atomic_load(&counting.counts->bytes);
    }
    assert_true(atomic_load(&counting.counts->bytes) <= before);
    haft_text(running, "done");
    haft_finish(running, 0);
    client_run(&client, 250);
    client_next(&client);
    client_expect(&client, "'text':'done'");
    client_close(&client);
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(experimental),
                                       cmocka_unit_test(notifications), cmocka_unit_test(lists),
                                       cmocka_unit_test(waits)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
