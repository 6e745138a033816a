/* test_stop.c - the end of a process whose store is slow: leases are released, and results are kept. */
#include "client.h"
#include "support/late_store.h"

static haft_call *running; /* a handler that is pending */
static char found[16];     /* what it had saved */

static int work(haft_call *call)
{
    size_t size = 0;
    const char *saved = haft_task_saved(call, &size);

    if (saved)
        snprintf(found, sizeof found, "%.*s", (int)size, saved);
    if (running)
        return haft_text(call, "ran again");
    running = call;
    return HAFT_PENDING;
}

static int call_work(haft_call *call, const void *in, void *out)
{
    (void)in;
    (void)out;
    return work(call);
}

static const haft_tool tools[] = {
    HAFT_INIT(haft_tool, .name = "once", .description = "Runs at most once", .call = call_work,
              .task = HAFT_TASK_OPTIONAL),
    HAFT_INIT(haft_tool, .name = "resume", .description = "Continues", .call = call_work,
              .task = HAFT_TASK_OPTIONAL, .task_crash = HAFT_TASK_RESUME),
};

static haft_server *serve(haft_store *store)
{
    haft_server *server = haft_server_new("test", "1");

    for (size_t i = 0; i < COUNT_OF(tools); i++)
        assert_int_equal(haft_add(server, &tools[i]), 0);
    assert_int_equal(haft_server_set_tasks(server, HAFT_WITH(haft_task_options, .store = store)),
                     0);
    return server;
}

/* A server in front of a slow store, and another one beside it. */
struct stop_case {
    haft_store *memory;
    struct late_store *store;
    haft_server *server, *other;
    struct client client, beside;
};

static void case_open(struct stop_case *c, const char *tool)
{
    running = NULL;
    found[0] = '\0';
    c->memory = haft_store_memory_new(NULL);
    c->store = late_store_new(c->memory, LATE_AT_ONCE, 0);
    c->server = serve(late_store_of(c->store));
    c->other = serve(c->memory);
    client_open(&c->client, c->server);
    client_open(&c->beside, c->other);
    client_create(&c->client, tool, "{}");
    memcpy(c->beside.id, c->client.id, sizeof c->beside.id);
    client_run(&c->beside, 0); /* finds that the task has an owner, and looks again later */
}

/* Lets the store answer, and sees what the other server has at once. */
static void case_expect(struct stop_case *c, const char *part)
{
    while (late_store_release(c->store, 0))
        ;
    late_store_set(c->store, LATE_AT_ONCE);
    if (c->beside.wire->now < c->client.wire->now)
        c->beside.wire->now = c->client.wire->now;
    client_run(&c->beside, 250);
    client_run(&c->beside, 250);
    client_task(&c->beside, "tasks/get", "");
    client_expect(&c->beside, part);
}

/* The same after the first one was shut down. */
static void case_stop(struct stop_case *c, const char *part)
{
    haft_server_stop_tasks(c->server, 0);
    case_expect(c, part);
}

static void case_close(struct stop_case *c, haft_call *pending)
{
    if (pending)
        haft_finish(pending, 0);
    client_close(&c->client);
    client_close(&c->beside);
    haft_server_free(c->server);
    haft_server_free(c->other);
    late_store_free(c->store);
    haft_store_free(c->memory);
}

/* A renewal is under way when the server is shut down: the lease is released nevertheless, and what the handler has saved
 * meanwhile is kept. */
static void renewal(void **state)
{
    struct stop_case c;

    (void)state;
    case_open(&c, "resume");
    client_run(&c.client, 0);
    assert_non_null(running);
    late_store_set(c.store, LATE_HELD);
    client_run(&c.client, 6000);
    assert_true(late_store_waiting(c.store) > 0);
    assert_int_equal(haft_task_save(running, "step", 4), 0);
    case_stop(&c, "'text':'ran again'");
    assert_string_equal(found, "step");
    case_close(&c, running);
}

/* A task whose handler was about to begin has not begun. */
static void marked(void **state)
{
    struct stop_case c;

    (void)state;
    case_open(&c, "once");
    late_store_set(c.store, LATE_HELD);
    client_run(&c.client, 0);
    assert_true(late_store_release_one(c.store, 0, false)); /* reads the task */
    client_run(&c.client, 0);
    assert_int_equal(late_store_waiting(c.store), 1); /* the mark */
    assert_null(running);
    case_stop(&c, "'status':'working'");
    assert_non_null(running); /* the other one runs it */
    case_close(&c, running);
}

/* The result of a handler that has finished is being written. */
static void finished(void **state)
{
    struct stop_case c;

    (void)state;
    case_open(&c, "once");
    client_run(&c.client, 0);
    assert_non_null(running);
    late_store_set(c.store, LATE_HELD);
    haft_text(running, "in time");
    haft_finish(running, 0);
    case_stop(&c, "'text':'in time'");
    case_close(&c, NULL);
}

/* A task is being created. */
static void created(void **state)
{
    struct stop_case c;

    (void)state;
    case_open(&c, "resume");
    client_run(&c.client, 0);
    haft_text(running, "done");
    haft_finish(running, 0);
    late_store_set(c.store, LATE_HELD);
    client_ask(&c.client, "tools/call", "'name':'resume'");
    haft_server_stop_tasks(c.server, 0);
    late_store_set(c.store, LATE_AT_ONCE);
    while (late_store_release(c.store, 0))
        ;
    client_next(&c.client);
    client_keep_id(&c.client);
    memcpy(c.beside.id, c.client.id, sizeof c.beside.id);
    case_expect(&c, "'text':'ran again'");
    case_close(&c, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(renewal), cmocka_unit_test(marked),
                                       cmocka_unit_test(finished), cmocka_unit_test(created)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
