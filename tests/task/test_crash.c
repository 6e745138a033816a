/* test_crash.c - two servers that share a store: what happens to the tasks of one that ends. */
#include "client.h"

HAFT_STRUCT(form,
    HAFT_STRING(name, "A name"));

static haft_call *running;
static char found[64];

/* Saves what it has done, and never ends unless it finds that. */
static int work(haft_call *call)
{
    size_t size = 0;
    const char *saved = haft_task_saved(call, &size);

    if (saved) {
        snprintf(found, sizeof found, "%.*s", (int)size, saved);
        return haft_text(call, "resumed at %s", found);
    }
    if (running)
        return haft_text(call, "restarted");
    running = call;
    assert_int_equal(haft_task_save(call, "step 1", 6), 0);
    return HAFT_PENDING;
}

static int ask(haft_call *call)
{
    form who;
    int status = haft_elicit(call, "who", "Who?", &form_type, &who);

    return status == HAFT_ACCEPTED ? haft_text(call, "hello %s", who.name) : status;
}

static int call_work(haft_call *call, const void *in, void *out)
{
    (void)in;
    (void)out;
    return !strcmp(haft_call_name(call), "ask") ? ask(call) : work(call);
}

static const haft_tool tools[] = {
    HAFT_INIT(haft_tool, .name = "fail", .description = "Fails after a crash", .call = call_work,
              .task = HAFT_TASK_OPTIONAL),
    HAFT_INIT(haft_tool, .name = "restart", .description = "Runs again", .call = call_work,
              .task = HAFT_TASK_OPTIONAL, .task_crash = HAFT_TASK_RESTART),
    HAFT_INIT(haft_tool, .name = "resume", .description = "Continues", .call = call_work,
              .task = HAFT_TASK_OPTIONAL, .task_crash = HAFT_TASK_RESUME),
    HAFT_INIT(haft_tool, .name = "ask", .description = "Asks", .call = call_work,
              .task = HAFT_TASK_OPTIONAL),
};

/* With all tools but one, which may be NULL. */
static haft_server *serve_without(haft_store *store, const char *tool)
{
    haft_server *server = haft_server_new("test", "1");

    for (size_t i = 0; i < COUNT_OF(tools); i++)
        if (!tool || strcmp(tools[i].name, tool) != 0)
            assert_int_equal(haft_add(server, &tools[i]), 0);
    assert_int_equal(haft_server_set_tasks(
                         server, HAFT_WITH(haft_task_options, .store = store, .lease_ms = 3000)),
                     0);
    return server;
}

static haft_server *serve(haft_store *store)
{
    return serve_without(store, NULL);
}

/* The first process stops without a word: its lease expires. */
static void crashes(void **state)
{
    static const struct {
        const char *tool, *status, *part;
    } rows[] = {
        {"fail", "'status':'failed'",
         "'error':{'code':-32603,'message':'The server restarted while the task ran'}"},
        {"restart", "'status':'completed'", "'text':'restarted'"},
        {"resume", "'status':'completed'", "'text':'resumed at step 1'"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_store *store = haft_store_memory_new(NULL);
        haft_server *first = serve(store), *second = serve(store);
        struct client one, two;

        running = NULL;
        client_open(&one, first);
        client_open(&two, second);
        client_create(&one, rows[i].tool, "{}");
        client_run(&one, 0);
        client_run(&one, 1000); /* writes what was saved */
        assert_non_null(running);
        memcpy(two.id, one.id, sizeof two.id);
        /* The other process knows the task, and leaves it alone while there is a lease. */
        client_run(&two, 1500);
        client_task(&two, "tasks/get", "");
        client_expect(&two, "'status':'working'");
        two.wire->now = one.wire->now + 10000;
        client_run(&two, 0);
        client_run(&two, 0);
        client_task(&two, "tasks/get", "");
        client_expect(&two, rows[i].status);
        client_expect(&two, rows[i].part);
        /* The first wakes up: its handler has been cancelled, and its result is not written. */
        one.wire->now = two.wire->now;
        client_run(&one, 0);
        assert_true(haft_call_cancelled(running));
        haft_text(running, "too late");
        haft_finish(running, 0);
        client_task(&one, "tasks/get", "");
        client_expect(&one, rows[i].part);
        client_close(&one);
        client_close(&two);
        haft_server_free(first);
        haft_server_free(second);
        haft_store_free(store);
    }
}

/* A process that is shut down gives up its tasks at once, or marks them. */
static void drains(void **state)
{
    static const struct {
        const char *tool;
        bool runs; /* the handler has begun */
        const char *part;
    } rows[] = {
        {"fail", true, "'message':'The server was shut down while the task ran'"},
        {"fail", false, "'status':'working'"},
        {"restart", true, "'text':'restarted'"},
        {"resume", true, "'text':'resumed at step 1'"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_store *store = haft_store_memory_new(NULL);
        haft_server *first = serve(store), *second = serve(store);
        struct client one, two;

        running = NULL;
        client_open(&one, first);
        client_open(&two, second);
        client_create(&one, rows[i].tool, "{}");
        memcpy(two.id, one.id, sizeof two.id);
        if (rows[i].runs)
            client_run(&one, 0);
        haft_server_stop_tasks(first, 0);
        client_ask(&one, "tools/call", "'name':'restart'");
        client_expect(&one, "The server is shutting down");
        if (running)
            haft_finish(running, 0);
        client_run(&two, 1);
        client_run(&two, 1);
        client_task(&two, "tasks/get", "");
        client_expect(&two, rows[i].part);
        if (!rows[i].runs) {
            assert_non_null(running); /* it runs here, for the first time */
            haft_finish(running, 0);
        }
        client_close(&one);
        client_close(&two);
        haft_server_free(first);
        haft_server_free(second);
        haft_store_free(store);
    }
}

/* Clients can use any process: answers and cancellations reach the owner through the store. */
static void replicas(void **state)
{
    haft_store *store = haft_store_memory_new(NULL);
    haft_server *first = serve(store), *second = serve(store);
    struct client one, two;

    (void)state;
    running = NULL;
    client_open(&one, first);
    client_open(&two, second);
    client_create(&one, "ask", "{}");
    client_run(&one, 0);
    memcpy(two.id, one.id, sizeof two.id);
    client_task(&two, "tasks/get", "");
    client_expect(&two, "'inputRequests':{'who'");
    client_task(&two, "tasks/update",
                ",'inputResponses':{'who':{'action':'accept','content':{'name':'ann'}}}");
    client_run(&one, 500);
    client_task(&two, "tasks/get", "");
    client_expect(&two, "'text':'hello ann'");
    client_create(&one, "fail", "{}");
    client_run(&one, 0);
    memcpy(two.id, one.id, sizeof two.id);
    client_task(&two, "tasks/cancel", "");
    client_run(&one, 500);
    assert_true(haft_call_cancelled(running));
    client_task(&two, "tasks/get", "");
    client_expect(&two, "'status':'cancelled'");
    haft_finish(running, 0);
    /* A task that waits for an answer moves to another process with its question. */
    client_create(&one, "ask", "{}");
    client_run(&one, 0);
    memcpy(two.id, one.id, sizeof two.id);
    two.wire->now = one.wire->now + 10000;
    client_run(&two, 0);
    client_task(&two, "tasks/get", "");
    client_expect(&two, "'inputRequests':{'who'");
    client_task(&two, "tasks/update",
                ",'inputResponses':{'who':{'action':'accept','content':{'name':'bob'}}}");
    client_run(&two, 500);
    client_task(&two, "tasks/get", "");
    client_expect(&two, "'text':'hello bob'");
    client_close(&one);
    client_close(&two);
    haft_server_free(first);
    haft_server_free(second);
    haft_store_free(store);
}

/* The time at another process: it scans, and runs what it has taken. */
static void pass(struct client *client, haft_time until)
{
    client->wire->now = until;
    client_run(client, 0);
    client_run(client, 0);
}

/* During an update, a process without the tool leaves the task to one that has it. */
static void updates(void **state)
{
    static const struct {
        const char *tool;
        bool another; /* there is a process with the tool */
        const char *early, *late;
    } rows[] = {
        {"restart", true, "'status':'working'", "'text':'restarted'"},
        {"restart", false, "'status':'working'",
         "'message':'The tool of the task is not offered any more'"},
        {"ask", true, "'status':'input_required'", "'status':'input_required'"},
        /* That needs no tool. */
        {"fail", false, "'message':'The server restarted while the task ran'",
         "'message':'The server restarted while the task ran'"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_store *store = haft_store_memory_new(NULL);
        haft_server *first = serve(store), *second = serve_without(store, rows[i].tool);
        haft_server *third = serve(store);
        struct client one, two, three;

        running = NULL;
        client_open(&one, first);
        client_open(&two, second);
        client_open(&three, third);
        client_create(&one, rows[i].tool, "{}");
        client_run(&one, 0);
        client_run(&one, 1000);
        memcpy(two.id, one.id, sizeof two.id);
        pass(&two, one.wire->now + 10000);
        pass(&two, one.wire->now + 12000); /* the next scan does not take it either */
        client_task(&two, "tasks/get", "");
        client_expect(&two, rows[i].early);
        if (rows[i].another)
            pass(&three, two.wire->now);
        for (haft_time step = 0; step < 6; step++)
            pass(&two, two.wire->now + 2500);
        client_task(&two, "tasks/get", "");
        client_expect(&two, rows[i].late);
        if (running) {
            one.wire->now = two.wire->now;
            client_run(&one, 0);
            haft_finish(running, 0);
        }
        client_close(&one);
        client_close(&two);
        client_close(&three);
        haft_server_free(first);
        haft_server_free(second);
        haft_server_free(third);
        haft_store_free(store);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(crashes), cmocka_unit_test(drains),
                                       cmocka_unit_test(replicas), cmocka_unit_test(updates)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
