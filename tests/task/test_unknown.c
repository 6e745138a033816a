/* test_unknown.c - writes of an owner that the store may have applied: no result is lost, and no task ends or runs twice. */
#include "client.h"
#include "support/late_store.h"

HAFT_STRUCT(form,
    HAFT_STRING(name, "A name"));

static haft_call *running; /* a handler that is pending */
static int runs;

static int work(haft_call *call)
{
    runs++;
    running = call;
    return HAFT_PENDING;
}
HAFT_TOOL_BARE(work, "Ends when the test wants", .task = HAFT_TASK_OPTIONAL);

static int ask(haft_call *call)
{
    form who;
    int status = haft_elicit(call, "who", "Who?", &form_type, &who);

    runs++;
    return status == HAFT_ACCEPTED ? haft_text(call, "hello %s", who.name) : status;
}
HAFT_TOOL_BARE(ask, "Asks", .task = HAFT_TASK_OPTIONAL);

static haft_server *serve(haft_store *store)
{
    haft_server *server = haft_server_new("test", "1");

    assert_int_equal(haft_add(server, &work_tool), 0);
    assert_int_equal(haft_add(server, &ask_tool), 0);
    assert_int_equal(haft_server_set_tasks(server, HAFT_WITH(haft_task_options, .store = store)),
                     0);
    return server;
}

/* A server in front of a store that can lose answers, and another one beside it. */
struct unknown_case {
    haft_store *memory;
    struct late_store *store;
    haft_server *server, *other;
    struct client client, beside;
};

static void case_open(struct unknown_case *c)
{
    runs = 0;
    running = NULL;
    c->memory = haft_store_memory_new(NULL);
    c->store = late_store_new(c->memory, LATE_AT_ONCE, 0);
    c->server = serve(late_store_of(c->store));
    c->other = serve(c->memory);
    client_open(&c->client, c->server);
    client_open(&c->beside, c->other);
}

static void case_close(struct unknown_case *c)
{
    client_close(&c->client);
    client_close(&c->beside);
    haft_server_free(c->server);
    haft_server_free(c->other);
    late_store_free(c->store);
    haft_store_free(c->memory);
}

/* Lets both servers work for a while. */
static void case_run(struct unknown_case *c, int seconds)
{
    for (int i = 0; i < 4 * seconds; i++) {
        client_run(&c->client, 250);
        c->beside.wire->now = c->client.wire->now;
        client_run(&c->beside, 0);
    }
}

/* What the other server says about the task. */
static void case_expect(struct unknown_case *c, const char *part)
{
    memcpy(c->beside.id, c->client.id, sizeof c->beside.id);
    client_task(&c->beside, "tasks/get", "");
    client_expect(&c->beside, part);
}

/* Whether the index says that the task has ended. */
static bool case_is_noted(const struct unknown_case *c)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 16);
    haft_store_op get = {.kind = HAFT_STORE_GET, .key = HAFT_SLICE("task")};
    haft_store_request request = {.space = "task.index",
                                  .group = HAFT_SLICE(c->client.id),
                                  .ops = &get,
                                  .n_ops = 1,
                                  .now = c->client.wire->now,
                                  .arena = arena};
    bool noted;

    assert_int_equal(haft_store_submit(c->memory, &request), 0);
    assert_int_equal(get.status, 1);
    noted = get.ret_value.data[0] == 'o';
    haft_arena_free(arena);
    return noted;
}

static void case_finish(void)
{
    assert_non_null(running);
    assert_false(haft_call_cancelled(running));
    haft_text(running, "done");
    haft_finish(running, 0);
}

/* ---- what is written meanwhile ---- */

static void write_nothing(struct unknown_case *c)
{
    case_run(c, 7); /* longer than a third of the lease */
}

static void write_progress(struct unknown_case *c)
{
    haft_progress(running, 1, 2, "half");
    case_run(c, 1);
}

static void write_saved(struct unknown_case *c)
{
    assert_int_equal(haft_task_save(running, "step", 4), 0);
    case_run(c, 1);
}

static void write_result(struct unknown_case *c)
{
    case_finish();
    case_run(c, 1);
}

static void write_error(struct unknown_case *c)
{
    haft_protocol_error(running, -32000, "Not today");
    haft_finish(running, HAFT_EFAIL);
    case_run(c, 1);
}

/* The store is away for longer than a lease, and nobody takes the task. */
static void write_late(struct unknown_case *c)
{
    late_store_set(c->store, LATE_FAILS);
    client_run(&c->client, 20000);
    client_run(&c->client, 250);
    c->beside.wire->now = c->client.wire->now;
}

static const struct unknown_row {
    const char *name;
    void (*write)(struct unknown_case *c);
    const char *then; /* what another server sees when answers arrive again */
    bool ends;        /* the handler has finished */
} unknown_rows[] = {
    {"renewal", write_nothing, "'status':'working'", false},
    {"progress", write_progress, "'statusMessage':'half'", false},
    {"saved bytes", write_saved, "'status':'working'", false},
    {"result", write_result, "'text':'done'", true},
    {"error", write_error, "'message':'Not today'", true},
    {"expired lease", write_late, "'status':'working'", false},
};

static void run_row(const struct unknown_row *row, enum late_mode mode)
{
    struct unknown_case c;

    case_open(&c);
    client_create(&c.client, "work", "{}");
    client_run(&c.client, 0);
    late_store_set(c.store, mode);
    row->write(&c);
    late_store_set(c.store, LATE_AT_ONCE);
    client_run(&c.client, 250); /* the owner comes first */
    client_run(&c.client, 250);
    case_run(&c, 2);
    case_expect(&c, row->then);
    if (!row->ends) {
        case_finish();
        case_run(&c, 1);
        case_expect(&c, "'text':'done'");
    }
    case_run(&c, 60); /* longer than a lease: nobody takes it */
    assert_int_equal(runs, 1);
    assert_true(case_is_noted(&c));
    case_close(&c);
}

static void owners(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(unknown_rows); i++) {
        print_message("%s\n", unknown_rows[i].name);
        run_row(&unknown_rows[i], LATE_DROPS);
        run_row(&unknown_rows[i], LATE_MUTE);
    }
}

/* The first write of a run and its question; then the answer continues the task once. */
static void questions(void **state)
{
    static const enum late_mode modes[] = {LATE_DROPS, LATE_MUTE};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        struct unknown_case c;

        case_open(&c);
        client_create(&c.client, "ask", "{}");
        late_store_set(c.store, modes[i]);
        case_run(&c, 2);
        late_store_set(c.store, LATE_AT_ONCE);
        case_run(&c, 2);
        case_expect(&c, "'inputRequests':{'who'");
        client_task(&c.beside, "tasks/update",
                    ",'inputResponses':{'who':{'action':'accept','content':{'name':'ann'}}}");
        case_run(&c, 2);
        case_expect(&c, "'text':'hello ann'");
        assert_int_equal(runs, 2);
        case_close(&c);
    }
}

/* Another process has taken the task while nobody knew: the owner drops its result. */
static void taken(void **state)
{
    struct unknown_case c;

    (void)state;
    case_open(&c);
    client_create(&c.client, "work", "{}");
    client_run(&c.client, 0);
    late_store_set(c.store, LATE_DROPS);
    case_run(&c, 40);
    case_expect(&c, "'message':'The server restarted while the task ran'");
    late_store_set(c.store, LATE_AT_ONCE);
    case_run(&c, 2);
    assert_true(haft_call_cancelled(running));
    haft_text(running, "too late");
    haft_finish(running, 0);
    case_run(&c, 2);
    case_expect(&c, "'message':'The server restarted while the task ran'");
    assert_int_equal(runs, 1);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(owners), cmocka_unit_test(questions),
                                       cmocka_unit_test(taken)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
