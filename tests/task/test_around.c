/* test_around.c - what surrounds a task: stages, the audit, metrics, traces. */
#include "client.h"

HAFT_STRUCT(form,
    HAFT_STRING(name, "A name"));

static int work(haft_call *call)
{
    const haft_trace *trace = haft_call_trace(call);

    return haft_text(call, "secret %s", trace ? trace->trace_id : "-");
}
HAFT_TOOL_BARE(work, "Works", .task = HAFT_TASK_OPTIONAL);

static int ask(haft_call *call)
{
    form who;
    int status = haft_elicit(call, "who", "Who?", &form_type, &who);

    return status == HAFT_ACCEPTED ? haft_error(call, "not for %s", who.name) : status;
}
HAFT_TOOL_BARE(ask, "Asks", .task = HAFT_TASK_OPTIONAL);

static int broken(haft_call *call)
{
    return haft_protocol_error(call, -32000, "broken");
}
HAFT_TOOL_BARE(broken, "Is broken", .task = HAFT_TASK_OPTIONAL);

static haft_call *pending;

static int wait(haft_call *call)
{
    pending = call;
    return HAFT_PENDING;
}
HAFT_TOOL_BARE(wait, "Waits", .task = HAFT_TASK_OPTIONAL, .task_timeout_ms = 5000);

static uint64_t fake_time = 1000000;

static uint64_t fake_clock(void)
{
    return fake_time += 1000000;
}

/* ---- a stage ---- */

static char seen[4096];
static unsigned n_before;

static int before(haft_call *call, void *data)
{
    (void)data;
    n_before++;
    return haft_call_set(call, "mark", seen);
}

static void after(haft_call *call, haft_outcome outcome, void *data)
{
    size_t size = strlen(seen);

    (void)data;
    snprintf(seen + size, sizeof seen - size, "%s%s%s ", haft_outcome_name(outcome),
             haft_call_task(call) ? "+" : "-", haft_call_get(call, "mark") ? "m" : "");
}

static const haft_stage stage =
    HAFT_INIT(haft_stage, .name = "test", .before = before, .after = after);

static char lines[16][1024];
static size_t n_lines;

static void on_line(void *context, const char *text, size_t size)
{
    (void)context;
    assert_true(n_lines < COUNT_OF(lines));
    snprintf(lines[n_lines++], sizeof *lines, "%.*s", (int)size, text);
}

/* The next line of the audit has each of these. */
static void expect_line(size_t i, const char *outcome, const char *tool, const char *id)
{
    char text[128];

    assert_true(i < n_lines);
    snprintf(text, sizeof text, "\"tool\":\"%s\",\"outcome\":\"%s\",\"task\":\"%s\",\"ms\":", tool,
             outcome, id);
    if (!strstr(lines[i], text))
        fail_msg("%s is not in %s", text, lines[i]);
}

static haft_server *serve(void)
{
    haft_server *server =
        haft_server_new_with("test", "1", HAFT_WITH(haft_server_options, .clock = fake_clock));

    assert_int_equal(haft_metrics_enable(server), 0);
    assert_int_equal(haft_audit_add(server, on_line, NULL), 0);
    assert_int_equal(haft_stage_add(server, &stage), 0);
    assert_int_equal(haft_add(server, &work_tool), 0);
    assert_int_equal(haft_add(server, &ask_tool), 0);
    assert_int_equal(haft_add(server, &broken_tool), 0);
    assert_int_equal(haft_add(server, &wait_tool), 0);
    assert_int_equal(haft_server_set_tasks(server, NULL), 0);
    seen[0] = '\0';
    n_before = 0;
    n_lines = 0;
    return server;
}

static void expect_metrics(haft_server *server, const char *const parts[], size_t n)
{
    haft_buffer text;

    haft_buffer_init(&text, NULL, 1 << 20);
    assert_int_equal(haft_metrics_write(server, &text), 0);
    haft_buffer_add(&text, "", 1);
    for (size_t i = 0; i < n; i++)
        if (!strstr(text.data, parts[i]))
            fail_msg("%s is not in %s", parts[i], text.data);
    haft_buffer_finish(&text);
}

static void run(struct client *client)
{
    for (int i = 0; i < 3; i++)
        client_run(client, 300);
}

static void outcomes(void **state)
{
    static const char *const queued[] = {"mcp_server_tasks{state=\"queued\"} 1\n",
                                         "mcp_server_tasks_total{state=\"created\"} 1\n",
                                         "mcp_server_calls_in_flight 0\n"};
    static const char *const ended[] = {
        "mcp_server_tasks{state=\"queued\"} 0\n",
        "mcp_server_tasks{state=\"running\"} 0\n",
        "mcp_server_tasks{state=\"waiting\"} 0\n",
        "mcp_server_tasks_total{state=\"created\"} 3\n",
        "mcp_server_tasks_total{state=\"completed\"} 2\n",
        "mcp_server_tasks_total{state=\"failed\"} 1\n",
        "mcp_server_tasks_total{state=\"cancelled\"} 0\n",
        "mcp_server_calls_total{gen_ai_tool_name=\"work\",outcome=\"task\"} 1\n",
        "mcp_server_calls_total{gen_ai_tool_name=\"work\",outcome=\"ok\"} 1\n",
        "mcp_server_calls_total{gen_ai_tool_name=\"ask\",outcome=\"input_required\"} 1\n",
        "mcp_server_calls_total{gen_ai_tool_name=\"ask\",outcome=\"error\"} 1\n",
        "mcp_server_calls_total{gen_ai_tool_name=\"broken\",outcome=\"failed\"} 1\n",
        "mcp_method_name=\"tools/call\",gen_ai_tool_name=\"work\"} 1\n",
        "mcp_server_calls_in_flight 0\n"};
    haft_server *server = serve();
    struct client client;

    (void)state;
    client_open(&client, server);
    client_create(&client, "work", "{}");
    expect_metrics(server, queued, COUNT_OF(queued));
    run(&client);
    expect_line(0, "task", "work", client.id);
    expect_line(1, "ok", "work", client.id);
    client_create(&client, "ask", "{}");
    run(&client);
    client_task(&client, "tasks/update",
                ",'inputResponses':{'who':{'action':'accept','content':{'name':'ann'}}}");
    run(&client);
    expect_line(2, "task", "ask", client.id);
    expect_line(3, "input_required", "ask", client.id);
    expect_line(4, "error", "ask", client.id);
    client_create(&client, "broken", "{}");
    run(&client);
    expect_line(6, "failed", "broken", client.id);
    assert_int_equal(n_lines, 7);
    assert_string_equal(seen, "task+m ok+ task+m input_required+ error+ task+m failed+ ");
    assert_int_equal(n_before, 3); /* not again for the runs */
    expect_metrics(server, ended, COUNT_OF(ended));
    client_close(&client);
    haft_server_free(server);
}

static void ends(void **state)
{
    haft_server *server = serve();
    struct client client;

    (void)state;
    client_open(&client, server);
    client_create(&client, "wait", "{}");
    run(&client);
    client_task(&client, "tasks/cancel", "");
    run(&client);
    haft_finish(pending, HAFT_ECANCELLED);
    expect_line(1, "cancelled", "wait", client.id);
    client_task(&client, "tasks/get", "");
    client_expect(&client, "'status':'cancelled'");
    client_create(&client, "wait", "{}");
    run(&client);
    client_run(&client, 6000);
    haft_finish(pending, 0);
    run(&client);
    expect_line(3, "timed_out", "wait", client.id);
    client_task(&client, "tasks/get", "");
    client_expect(&client, "exceeded its time limit of 5000 ms");
    client_create(&client, "work", "{}");
    client_task(&client, "tasks/cancel", ""); /* before it runs */
    run(&client);
    assert_int_equal(n_lines, 5);
    client_close(&client);
    haft_server_free(server);
}

/* The trace goes on in the task: also one that came in the headers of HTTP is in what is stored. */
static void traces(void **state)
{
    haft_server *server = serve();
    struct client client;

    (void)state;
    client_open(&client, server);
    client.capabilities = CAN_TASKS ",'traceparent':"
                                    "'00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'";
    client_create(&client, "work", "{}");
    run(&client);
    assert_non_null(strstr(lines[0], "\"trace\":\"0af7651916cd43dd8448eb211c80319c\""));
    assert_non_null(strstr(lines[1], "\"trace\":\"0af7651916cd43dd8448eb211c80319c\""));
    client_task(&client, "tasks/get", "");
    client_expect(&client, "'text':'secret 0af7651916cd43dd8448eb211c80319c'");
    client_close(&client);
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(outcomes), cmocka_unit_test(ends),
                                       cmocka_unit_test(traces)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
