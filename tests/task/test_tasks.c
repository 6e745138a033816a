/* test_tasks.c - tasks of the extension, from the request to the end, on one thread. */
#include "client.h"
#include "support/failing.h"

HAFT_STRUCT(form,
    HAFT_STRING(name, "A name"));

HAFT_STRUCT(sum,
    HAFT_INTEGER(total, "The sum", .max = 10));

static int echo(haft_call *call)
{
    haft_progress(call, 1, 2, "half");
    return haft_text(call, "%s", haft_call_task(call) ? "in a task" : "waited for");
}
HAFT_TOOL_BARE(echo, "Says how it runs", .task = HAFT_TASK_OPTIONAL);

static int must(haft_call *call)
{
    return haft_error(call, "no luck");
}
HAFT_TOOL_BARE(must, "Must be a task", .task = HAFT_TASK_REQUIRED);

static int never(haft_call *call)
{
    return haft_text(call, "%s", haft_call_task(call) ? "in a task" : "waited for");
}
HAFT_TOOL_BARE(never, "Is never a task");

static int broken(haft_call *call)
{
    return haft_protocol_error(call, -32000, "broken by %s", "design");
}
HAFT_TOOL_BARE(broken, "Ends with an error of the protocol", .task = HAFT_TASK_OPTIONAL);

static int wrong(haft_call *call, sum *out)
{
    (void)call;
    out->total = 11;
    return 0;
}
HAFT_TOOL_OUT(wrong, sum, "Returns what its schema does not allow", .task = HAFT_TASK_OPTIONAL);

static int right(haft_call *call, sum *out)
{
    out->total = 7;
    return haft_result_meta(call, "com.example/a", "1");
}
HAFT_TOOL_OUT(right, sum, "Returns structured content", .task = HAFT_TASK_OPTIONAL);

static unsigned n_runs;

static int ask(haft_call *call)
{
    form first, second;
    int status = haft_elicit(call, "first", "First?", &form_type, &first);
    int other = haft_elicit(call, "second", "Second?", &form_type, &second);

    n_runs++;
    if (status != HAFT_ACCEPTED || other != HAFT_ACCEPTED)
        return status == HAFT_ACCEPTED ? other : status;
    return haft_text(call, "%s and %s", first.name, second.name);
}
HAFT_TOOL_BARE(ask, "Asks twice", .task = HAFT_TASK_OPTIONAL);

static int late(haft_call *call)
{
    form who;
    int status = haft_elicit(call, "who", "Who?", &form_type, &who);

    if (status != HAFT_ACCEPTED)
        return status;
    status = haft_task_begin(call);
    return status ? status
                  : haft_text(call, "%s %s", who.name, haft_call_task(call) ? "task" : "call");
}
HAFT_TOOL_BARE(late, "Asks first", .task = HAFT_TASK_OPTIONAL, .task_late = true);

static haft_call *pending;

static int wait(haft_call *call)
{
    pending = call;
    return HAFT_PENDING;
}
HAFT_TOOL_BARE(wait, "Finishes later", .task = HAFT_TASK_OPTIONAL, .task_timeout_ms = 5000);

static const haft_tool *const tools[] = {&echo_tool,   &must_tool,  &never_tool,
                                         &broken_tool, &wrong_tool, &right_tool,
                                         &ask_tool,    &late_tool,  &wait_tool};

static haft_server *serve_with(const haft_task_options *options)
{
    haft_server *server = haft_server_new_with(
        "test", "1",
        HAFT_WITH(haft_server_options,
                  .seal_key = (const unsigned char *)"0123456789abcdef0123456789abcdef"));

    for (size_t i = 0; i < COUNT_OF(tools); i++)
        assert_int_equal(haft_add(server, tools[i]), 0);
    assert_int_equal(haft_server_set_tasks(server, options), 0);
    return server;
}

/* Each tool, and what clients see of its task at the end. */
static void ends(void **state)
{
    static const struct {
        const char *tool;
        const char *parts[4];
        const char *absent;
    } rows[] = {
        {"echo",
         {"'status':'completed'", "'result':{'content':[{'type':'text','text':'in a task'}]"},
         "'error'"},
        {"must", {"'status':'completed'", "'text':'no luck'}],'isError':true"}, "'error'"},
        {"broken",
         {"'status':'failed'", "'error':{'code':-32000,'message':'broken by design'}"},
         "'result':{'content'"},
        {"wrong",
         {"'status':'completed'", "does not match its output schema", "'isError':true"},
         "'error'"},
        {"right",
         {"'status':'completed'", "'structuredContent':{'total':7}", "'com.example/a':1"},
         "'error'"},
    };
    haft_server *server = serve_with(NULL);
    struct client client;

    (void)state;
    client_open(&client, server);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        client_create(&client, rows[i].tool, "{}");
        client_expect(&client, "'resultType':'task'");
        client_expect(&client, "'status':'working'");
        client_expect(&client, "'createdAt':'1970-01-01T00:");
        client_expect(&client, "'ttlMs':3600000,'pollIntervalMs':1000");
        client_task(&client, "tasks/get", "");
        client_expect(&client, "'resultType':'complete'");
        client_expect(&client, "'status':'working'");
        client_expect_not(&client, "'content'");
        client_run(&client, 0);
        client_task(&client, "tasks/get", "");
        for (size_t k = 0; k < 4 && rows[i].parts[k]; k++)
            client_expect(&client, rows[i].parts[k]);
        client_expect_not(&client, rows[i].absent);
        /* A task that has ended stays so. */
        client_task(&client, "tasks/cancel", "");
        client_expect(&client, "'result':{'resultType':'complete'");
        client_task(&client, "tasks/get", "");
        client_expect(&client, rows[i].parts[0]);
    }
    client_close(&client);
    haft_server_free(server);
}

/* Requests that are refused, or answered without a task. */
static void refusals(void **state)
{
    static const struct {
        const char *capabilities, *method, *members, *part;
    } rows[] = {
        {"{}", "tools/call", "'name':'echo'", "'text':'waited for'"},
        {CAN_TASKS, "tools/call", "'name':'never','task':{'ttl':1}", "'text':'waited for'"},
        {"{'tasks':{}}", "tools/call", "'name':'must'",
         "'code':-32021,'message':'Missing required client capability','data':{"
         "'requiredCapabilities':{'extensions':{'io.modelcontextprotocol/tasks':{}}}}"},
        {"{}", "tasks/get", "'taskId':'0'", "'code':-32021"},
        {"{}", "tasks/update", "'taskId':'0'", "'code':-32021"},
        {"{}", "tasks/cancel", "'taskId':'0'", "'code':-32021"},
        {"{}", "subscriptions/listen", "'notifications':{'taskIds':['0']}", "'code':-32021"},
        {CAN_TASKS, "tasks/get", "", "'code':-32602"},
        {CAN_TASKS, "tasks/get", "'taskId':7", "'code':-32602"},
        {CAN_TASKS, "tasks/get", "'taskId':'0'", "'code':-32602,'message':'Task not found'"},
        {CAN_TASKS, "tasks/get", "'taskId':'0123456789012345678901234567890123456789'",
         "'code':-32602,'message':'Task not found'"},
        {CAN_TASKS, "tasks/cancel", "'taskId':'0123456789012345678901234567890123456789'",
         "'code':-32602"},
        {CAN_TASKS, "tasks/update",
         "'taskId':'0123456789012345678901234567890123456789','inputResponses':{}",
         "'code':-32602"},
        {CAN_TASKS, "tasks/update", "'taskId':'0123456789012345678901234567890123456789'",
         "'code':-32602,'message':'Invalid params: \\\"inputResponses"},
        {CAN_TASKS, "tasks/update",
         "'taskId':'0123456789012345678901234567890123456789','inputResponses':{'a':1}",
         "an answer must be an object"},
        {CAN_TASKS, "tasks/result", "'taskId':'0'", "'code':-32601"},
        {CAN_TASKS, "tasks/list", "", "'code':-32601"},
        {CAN_TASKS, "server/discover", "", "'extensions':{'io.modelcontextprotocol/tasks':{}}"},
    };
    haft_server *server = serve_with(NULL);
    struct client client;

    (void)state;
    client_open(&client, server);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        client.capabilities = rows[i].capabilities;
        client_ask(&client, rows[i].method, rows[i].members);
        client_expect(&client, rows[i].part);
    }
    client_expect_not(&client, "'tasks':{'list'");
    client_close(&client);
    haft_server_free(server);
}

static void questions(void **state)
{
    haft_server *server = serve_with(NULL);
    struct client client;

    (void)state;
    n_runs = 0;
    client_open(&client, server);
    client_create(&client, "ask", "{}");
    client_run(&client, 0);
    client_task(&client, "tasks/get", "");
    client_expect(&client, "'status':'input_required'");
    client_expect(&client, "'inputRequests':{'first':{'method':'elicitation/create'");
    client_expect(&client, "'second':{'method':'elicitation/create'");
    client_expect_not(&client, "requestState");
    /* Unknown keys are ignored, and a part of the answers is enough to go on. */
    client_task(
        &client, "tasks/update",
        ",'inputResponses':{'nobody':{},'first':{'action':'accept','content':{'name':'a'}}}");
    client_expect(&client, "'result':{'resultType':'complete'");
    client_run(&client, 1000);
    assert_int_equal(n_runs, 1);
    client_task(&client, "tasks/get", "");
    client_expect(&client, "'status':'input_required'");
    client_expect(&client, "'inputRequests':{'second'");
    client_expect_not(&client, "'first'");
    /* An answer is taken once, and an invalid one is asked again under another key. */
    client_task(&client, "tasks/update",
                ",'inputResponses':{'first':{'action':'cancel'},"
                "'second':{'action':'accept','content':{'name':5}}}");
    client_run(&client, 1000);
    assert_int_equal(n_runs, 2);
    client_task(&client, "tasks/get", "");
    client_expect(&client, "'inputRequests':{'second#2'");
    client_task(&client, "tasks/update",
                ",'inputResponses':{'second':{'action':'cancel'},"
                "'second#2':{'action':'accept','content':{'name':'b'}}}");
    client_run(&client, 1000);
    client_task(&client, "tasks/get", "");
    client_expect(&client, "'status':'completed'");
    client_expect(&client, "'text':'a and b'");
    assert_int_equal(n_runs, 3);
    /* A task that waits for answers can be cancelled. */
    client_create(&client, "ask", "{}");
    client_run(&client, 0);
    client_task(&client, "tasks/cancel", "");
    client_task(&client, "tasks/get", "");
    client_expect(&client, "'status':'cancelled'");
    client_expect_not(&client, "inputRequests");
    client_close(&client);
    haft_server_free(server);
}

/* Questions before the task are asked while the client waits. */
static void late_tasks(void **state)
{
    haft_server *server = serve_with(NULL);
    struct client client;
    char members[4096], *seal;

    (void)state;
    client_open(&client, server);
    for (int i = 0; i < 2; i++) {
        client.capabilities = i ? CAN_TASKS : "{'elicitation':{}}";
        client_ask(&client, "tools/call", "'name':'late'");
        client_expect(&client, "'resultType':'input_required'");
        client_expect_not(&client, "taskId");
        seal = strstr(client.answer, "\"requestState\":\"") + 16;
        *strchr(seal, '"') = '\0';
        snprintf(members, sizeof members,
                 "'name':'late','requestState':'%s','inputResponses':{'who':{'action':'accept',"
                 "'content':{'name':'ann'}}}",
                 seal);
        client_ask(&client, "tools/call", members);
        if (!i)
            client_expect(&client, "'text':'ann call'");
    }
    client_keep_id(&client);
    client_expect_not(&client, "requestState");
    client_run(&client, 0);
    client_task(&client, "tasks/get", "");
    client_expect(&client, "'text':'ann task'");
    client_close(&client);
    haft_server_free(server);
}

static void pending_handlers(void **state)
{
    haft_server *server = serve_with(NULL);
    struct client client;

    (void)state;
    client_open(&client, server);
    client_create(&client, "wait", "{}");
    client_run(&client, 0);
    client_task(&client, "tasks/get", "");
    client_expect(&client, "'status':'working'");
    haft_progress(pending, 1, 0, NULL);
    client_run(&client, 1000);
    client_task(&client, "tasks/get", "");
    client_expect(&client, "'statusMessage':'1'");
    haft_text(pending, "done");
    haft_finish(pending, 0);
    client_task(&client, "tasks/get", "");
    client_expect(&client, "'text':'done'");
    /* Cancelled while it runs: the state changes at once, and the result is dropped. */
    client_create(&client, "wait", "{}");
    client_run(&client, 0);
    client_task(&client, "tasks/cancel", "");
    assert_true(haft_call_cancelled(pending));
    client_task(&client, "tasks/get", "");
    client_expect(&client, "'status':'cancelled'");
    haft_finish(pending, 0);
    client_task(&client, "tasks/get", "");
    client_expect(&client, "'status':'cancelled'");
    /* The time limit of the task. */
    client_create(&client, "wait", "{}");
    client_run(&client, 0);
    client_run(&client, 4999);
    assert_false(haft_call_cancelled(pending));
    client_run(&client, 1);
    assert_true(haft_call_cancelled(pending));
    client_task(&client, "tasks/get", "");
    client_expect(&client, "'status':'failed'");
    client_expect(&client, "exceeded its time limit of 5000 ms");
    haft_finish(pending, 0);
    client_close(&client);
    haft_server_free(server);
}

static void limits(void **state)
{
    haft_server *server = serve_with(
        HAFT_WITH(haft_task_options, .max_queued = 3, .max_per_client = 2, .ttl_ms = 5000));
    struct client client, other;

    (void)state;
    client_open_with(
        &client, server,
        (haft_session_options){.struct_size = sizeof(haft_session_options), .principal = "ann"});
    client_open_with(
        &other, server,
        (haft_session_options){.struct_size = sizeof(haft_session_options), .principal = "bob"});
    client_create(&client, "echo", "{}");
    client_create(&client, "echo", "{}");
    client_ask(&client, "tools/call", "'name':'echo'");
    client_expect(&client, "'code':-32603,'message':'The client has too many unfinished tasks");
    client_create(&other, "echo", "{}");
    client_ask(&other, "tools/call", "'name':'echo'");
    client_expect(&other, "'message':'Too many tasks are waiting to run");
    /* The task of another client does not exist. */
    memcpy(other.id, client.id, sizeof other.id);
    client_task(&other, "tasks/get", "");
    client_expect(&other, "'message':'Task not found'");
    client_task(&other, "tasks/cancel", "");
    client_expect(&other, "'message':'Task not found'");
    client_task(&other, "tasks/update", ",'inputResponses':{}");
    client_expect(&other, "'message':'Task not found'");
    client_run(&client, 0);
    client_task(&client, "tasks/get", "");
    client_expect(&client, "'status':'completed'");
    client_create(&client, "echo", "{}");
    /* It expires. */
    client_run(&client, 7000);
    client_task(&client, "tasks/get", "");
    client_expect(&client, "'message':'Task not found'");
    client_close(&other);
    client_close(&client);
    haft_server_free(server);
}

static void subscriptions(void **state)
{
    haft_server *server = serve_with(NULL);
    struct client client;
    char members[512], own[CLIENT_ID];

    (void)state;
    client_open(&client, server);
    client_create(&client, "ask", "{}");
    memcpy(own, client.id, sizeof own);
    snprintf(members, sizeof members,
             "'notifications':{'taskIds':['%s','0123456789012345678901234567890123456789','x']}",
             own);
    client_ask(&client, "subscriptions/listen", members);
    client_expect(&client, "notifications/subscriptions/acknowledged");
    snprintf(members, sizeof members, "'taskIds':['%s']}", own);
    client_expect(&client, members);
    client_run(&client, 0);
    for (const char *last = ""; *client_next(&client); last = client.answer)
        (void)last;
    client_task(&client, "tasks/update",
                ",'inputResponses':{'first':{'action':'cancel'},'second':{'action':'cancel'}}");
    client_run(&client, 1000);
    client_next(&client);
    client_expect(&client, "'method':'notifications/tasks'");
    client_expect(&client, own);
    client_expect(&client, "'io.modelcontextprotocol/subscriptionId':2");
    client_close(&client);
    haft_server_free(server);
}

/* Each allocation of a task fails once: the client always gets an answer, and nothing is lost. */
static void memory(void **state)
{
    (void)state;
    for (size_t n = 1;; n++) {
        struct failing failing;
        haft_server *server;
        struct client client;

        failing_init(&failing, 0);
        server = haft_server_new_with(
            "test", "1", HAFT_WITH(haft_server_options, .allocator = &failing.allocator));
        for (size_t i = 0; i < COUNT_OF(tools); i++)
            assert_int_equal(haft_add(server, tools[i]), 0);
        assert_int_equal(haft_server_set_tasks(server, NULL), 0);
        client_open(&client, server);
        failing.fail_at = failing.calls + n;
        client_ask(&client, "tools/call", "'name':'ask'");
        assert_true(*client.answer || client.status == HAFT_ENOMEM);
        if (strstr(client.answer, "taskId")) {
            client_keep_id(&client);
            client_run(&client, 0);
            client_task(&client, "tasks/get", "");
            assert_true(*client.answer || client.status == HAFT_ENOMEM);
            client_task(
                &client, "tasks/update",
                ",'inputResponses':{'first':{'action':'cancel'},'second':{'action':'cancel'}}");
            assert_true(*client.answer || client.status == HAFT_ENOMEM);
            client_run(&client, 1000);
        }
        failing.fail_at = 0;
        client_run(&client, 1000);
        client_create(&client, "echo", "{}");
        client_run(&client, 1000);
        client_task(&client, "tasks/get", "");
        client_expect(&client, "'status':'completed'");
        client_close(&client);
        haft_server_free(server);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ends),
                                       cmocka_unit_test(refusals),
                                       cmocka_unit_test(questions),
                                       cmocka_unit_test(late_tasks),
                                       cmocka_unit_test(pending_handlers),
                                       cmocka_unit_test(limits),
                                       cmocka_unit_test(subscriptions),
                                       cmocka_unit_test(memory)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
