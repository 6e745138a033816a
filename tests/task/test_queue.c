/* test_queue.c - when a handler begins: a tool that runs at most once waits for the store, others do not wait for it, and
 * a task that ends before its run leaves the queue at once. */
#include "client.h"
#include "support/late_store.h"

static haft_call *running; /* a handler that is pending */
static int once_runs, again_runs;

static int once(haft_call *call)
{
    once_runs++;
    running = call;
    return HAFT_PENDING;
}
HAFT_TOOL_BARE(once, "Runs at most once", .task = HAFT_TASK_OPTIONAL);

static int again(haft_call *call)
{
    again_runs++;
    return haft_text(call, "done");
}
HAFT_TOOL_BARE(again, "May run again", .task = HAFT_TASK_OPTIONAL, .task_crash = HAFT_TASK_RESTART);

struct queue_case {
    haft_store *memory;
    struct late_store *store;
    haft_server *server;
    struct client client;
};

static void case_open(struct queue_case *c, haft_task_options options)
{
    once_runs = again_runs = 0;
    running = NULL;
    c->memory = haft_store_memory_new(NULL);
    c->store = late_store_new(c->memory, LATE_AT_ONCE, 0);
    c->server = haft_server_new("test", "1");
    options.struct_size = sizeof options;
    options.store = late_store_of(c->store);
    assert_int_equal(haft_add(c->server, &once_tool), 0);
    assert_int_equal(haft_add(c->server, &again_tool), 0);
    assert_int_equal(haft_server_set_tasks(c->server, &options), 0);
    client_open(&c->client, c->server);
}

static void case_close(struct queue_case *c)
{
    late_store_set(c->store, LATE_AT_ONCE);
    while (late_store_release(c->store, 0))
        ;
    if (running) {
        haft_text(running, "done");
        haft_finish(running, 0);
    }
    client_close(&c->client);
    haft_server_free(c->server);
    late_store_free(c->store);
    haft_store_free(c->memory);
}

/* Runs tasks until the store waits for one request, the mark: the task has been read. */
static void case_reach_mark(struct queue_case *c)
{
    late_store_set(c->store, LATE_HELD);
    client_run(&c->client, 0);
    assert_true(late_store_release_one(c->store, 0, false)); /* reads the task */
    client_run(&c->client, 0);
    assert_int_equal(late_store_waiting(c->store), 1);
    assert_int_equal(once_runs, 0);
}

/* The handler begins when the store has said that it knows, and not before. */
static void marks(void **state)
{
    static const struct {
        int status; /* of the first mark */
        bool applies;
        bool is_durable;
    } rows[] = {
        {0, false, true},
        {HAFT_EFAIL, false, true},
        {HAFT_ETIMEOUT, false, true},
        {HAFT_ETIMEOUT, true, true},
        {0, false, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct queue_case c;

        case_open(&c, (haft_task_options){0});
        late_store_set_durable(c.store, true);
        client_create(&c.client, "once", "{}");
        case_reach_mark(&c);
        client_run(&c.client, 100);
        assert_int_equal(once_runs, 0);
        late_store_set_durable(c.store, rows[i].is_durable);
        assert_true(late_store_release_one(c.store, rows[i].status, rows[i].applies));
        client_run(&c.client, 0);
        assert_int_equal(once_runs, !rows[i].status && rows[i].is_durable);
        late_store_set(c.store, LATE_AT_ONCE);
        late_store_release(c.store, 0);
        client_run(&c.client, 300);
        assert_int_equal(once_runs, !rows[i].status && rows[i].is_durable ? 1 : rows[i].is_durable);
        late_store_set_durable(c.store, true);
        for (int run = 0; run < 4; run++)
            client_run(&c.client, 300);
        assert_int_equal(once_runs, 1);
        case_close(&c);
    }
}

/* No more tasks are marked than can run: the others, if the process dies now, have not begun. Tasks that can run again
 * do not wait behind them. */
static void limits(void **state)
{
    struct queue_case c;

    (void)state;
    case_open(&c, (haft_task_options){.workers = 1});
    for (int i = 0; i < 3; i++)
        client_create(&c.client, "once", "{}");
    client_create(&c.client, "again", "{}");
    late_store_set(c.store, LATE_HELD);
    client_run(&c.client, 0);
    assert_int_equal(late_store_release(c.store, 0), 4); /* reads the tasks */
    client_run(&c.client, 0);
    assert_int_equal(once_runs, 0);
    assert_int_equal(again_runs, 1);
    /* One mark, and of the other task the end; its first write is under way. */
    assert_int_equal(late_store_waiting(c.store), 2);
    late_store_set(c.store, LATE_AT_ONCE);
    while (late_store_release(c.store, 0))
        ;
    client_run(&c.client, 0);
    assert_int_equal(once_runs, 3); /* one after the other, as they are pending */
    case_close(&c);
}

/* A task that is cancelled before its run does not use the limits any more. */
static void cancelled(void **state)
{
    struct queue_case c;

    (void)state;
    case_open(&c, (haft_task_options){.max_queued = 1, .max_tasks = 1});
    for (int i = 0; i < 3; i++) { /* in the queue */
        client_create(&c.client, "once", "{}");
        client_task(&c.client, "tasks/cancel", "");
        client_expect(&c.client, "'result'");
    }
    client_create(&c.client, "once", "{}"); /* while it waits for its mark */
    case_reach_mark(&c);
    client_task(&c.client, "tasks/cancel", "");
    late_store_set(c.store, LATE_AT_ONCE);
    while (late_store_release(c.store, 0))
        ;
    client_next(&c.client);
    client_task(&c.client, "tasks/get", "");
    client_expect(&c.client, "'status':'cancelled'");
    client_create(&c.client, "again", "{}");
    late_store_set(c.store, LATE_HELD); /* while it is read */
    client_run(&c.client, 0);
    client_task(&c.client, "tasks/cancel", "");
    late_store_set(c.store, LATE_AT_ONCE);
    while (late_store_release(c.store, 0))
        ;
    client_next(&c.client);
    client_create(&c.client, "again", "{}");
    client_run(&c.client, 0);
    client_task(&c.client, "tasks/get", "");
    client_expect(&c.client, "'text':'done'");
    assert_int_equal(once_runs, 0);
    assert_int_equal(again_runs, 1);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(marks), cmocka_unit_test(limits),
                                       cmocka_unit_test(cancelled)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
