/* test_store.c - tasks in a store that answers late, with errors, or with nonsense. */
#include "client.h"
#include "support/late_store.h"

HAFT_STRUCT(form,
    HAFT_STRING(name, "A name"));

static int runs; /* of the handler */

static int ask(haft_call *call)
{
    form who;
    int status;

    runs++;
    haft_progress(call, 1, 2, "begun");
    status = haft_elicit(call, "who", "Who?", &form_type, &who);
    return status == HAFT_ACCEPTED ? haft_text(call, "hello %s", who.name) : status;
}
HAFT_TOOL_BARE(ask, "Asks", .task = HAFT_TASK_OPTIONAL);

static haft_server *serve(haft_store *store)
{
    haft_server *server = haft_server_new("test", "1");

    assert_int_equal(haft_add(server, &ask_tool), 0);
    assert_int_equal(haft_server_set_tasks(server, HAFT_WITH(haft_task_options, .store = store)),
                     0);
    return server;
}

/* Answers what waits, and what is asked for then. */
static void settle(struct late_store *late, int status)
{
    while (late_store_waiting(late))
        late_store_release(late, status);
}

static void late(void **state)
{
    haft_store *memory = haft_store_memory_new(NULL);
    struct late_store *store = late_store_new(memory, LATE_HELD, 0);
    haft_server *server = serve(late_store_of(store));
    struct client client;

    (void)state;
    client_open(&client, server);
    /* The id leaves only when the task is stored. */
    assert_string_equal(client_ask(&client, "tools/call", "'name':'ask'"), "");
    assert_true(late_store_release_one(store, 0, false));
    assert_string_equal(client_next(&client), "");
    assert_true(late_store_release_one(store, 0, false));
    assert_int_equal(late_store_waiting(store), 0);
    client_next(&client);
    client_expect(&client, "'resultType':'task'");
    client_keep_id(&client);
    for (int i = 0; i < 8; i++) {
        client_run(&client, 250);
        settle(store, 0);
    }
    assert_string_equal(client_task(&client, "tasks/get", ""), "");
    settle(store, 0);
    client_next(&client);
    client_expect(&client, "'status':'input_required'");
    client_task(&client, "tasks/update",
                ",'inputResponses':{'who':{'action':'accept','content':{'name':'ann'}}}");
    for (int i = 0; i < 8; i++) {
        settle(store, 0);
        client_run(&client, 250);
    }
    client_next(&client);
    client_expect(&client, "'result':{'resultType':'complete'");
    client_task(&client, "tasks/get", "");
    settle(store, 0);
    client_next(&client);
    client_expect(&client, "'text':'hello ann'");
    client_close(&client);
    late_store_set(store, LATE_AT_ONCE);
    haft_server_free(server);
    late_store_free(store);
    haft_store_free(memory);
}

/* If one of the two requests that create a task fails, or may have failed, the client gets an error, and no
 * process runs the task later. */
static void halves(void **state)
{
    static const struct half {
        int status;
        bool applies;
    } rows[][2] = {
        {{HAFT_EFAIL, false}, {0, false}},          {{0, false}, {HAFT_EFAIL, false}},
        {{HAFT_ETIMEOUT, true}, {0, false}},        {{0, false}, {HAFT_ETIMEOUT, true}},
        {{HAFT_EFAIL, false}, {HAFT_EFAIL, false}}, {{HAFT_ETIMEOUT, true}, {HAFT_ETIMEOUT, true}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_store *memory = haft_store_memory_new(NULL);
        struct late_store *store = late_store_new(memory, LATE_HELD, 0);
        haft_server *server = serve(late_store_of(store)), *other = serve(memory);
        struct client client;

        runs = 0;
        client_open(&client, server);
        assert_string_equal(client_ask(&client, "tools/call", "'name':'ask'"), "");
        for (int half = 0; half < 2; half++) {
            assert_string_equal(client_next(&client), "");
            assert_true(late_store_release_one(store, rows[i][half].status, rows[i][half].applies));
        }
        client_next(&client);
        client_expect(&client, "'code':-32603");
        settle(store, 0);
        for (int passed = 0; passed < 60; passed++) { /* longer than a lease */
            client_run(&client, 1000);
            settle(store, 0);
            haft_server_run_tasks(other, client.wire->now);
        }
        assert_int_equal(runs, 0);
        client_close(&client);
        late_store_set(store, LATE_AT_ONCE);
        haft_server_free(server);
        haft_server_free(other);
        late_store_free(store);
        haft_store_free(memory);
    }
}

/* Every request that the store refuses is answered with an error. */
static void errors(void **state)
{
    static const char *const rows[][2] = {
        {"tools/call", "'name':'ask'"},
        {"tasks/get", "'taskId':'0123456789012345678901234567890123456789'"},
        {"tasks/cancel", "'taskId':'0123456789012345678901234567890123456789'"},
        {"tasks/update", "'taskId':'0123456789012345678901234567890123456789','inputResponses':{}"},
        {"subscriptions/listen",
         "'notifications':{'taskIds':['0123456789012345678901234567890123456789']}"},
    };
    haft_store *memory = haft_store_memory_new(NULL);
    struct late_store *store = late_store_new(memory, LATE_FAILS, 0);
    haft_server *server = serve(late_store_of(store));
    struct client client;

    (void)state;
    client_open(&client, server);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        client_ask(&client, rows[i][0], rows[i][1]);
        client_expect(&client,
                      "'code':-32603,'message':'Internal error: the store of tasks failed'");
    }
    /* A store that fails for a while: the task goes on when it is back. */
    late_store_set(store, LATE_AT_ONCE);
    client_create(&client, "ask", "{}");
    late_store_set(store, LATE_FAILS);
    client_run(&client, 0);
    late_store_set(store, LATE_AT_ONCE);
    client_run(&client, 500);
    client_task(&client, "tasks/get", "");
    client_expect(&client, "'status':'input_required'");
    client_close(&client);
    haft_server_free(server);
    late_store_free(store);
    haft_store_free(memory);
}

/* The id of a task leaves only if the task survives, where the store promises that. */
static void durability(void **state)
{
    haft_store *memory = haft_store_memory_new(NULL);
    struct late_store *store = late_store_new(memory, LATE_AT_ONCE, 0);
    haft_server *server = serve(late_store_of(store));
    struct client client;

    (void)state;
    client_open(&client, server);
    client_create(&client, "ask", "{}"); /* it promises nothing */
    late_store_set_durable(store, true);
    client_create(&client, "ask", "{}");
    late_store_set_durable(store, false);
    client_ask(&client, "tools/call", "'name':'ask'");
    client_expect(&client, "'code':-32603,'message':'Internal error: the store of tasks did not "
                           "save the task durably'");
    client_expect_not(&client, "taskId");
    client_run(&client, 500); /* its handler does not run */
    late_store_set_durable(store, true);
    client_create(&client, "ask", "{}");
    client_run(&client, 500);
    client_run(&client, 500);
    client_task(&client, "tasks/get", "");
    client_expect(&client, "'status':'input_required'");
    client_close(&client);
    haft_server_free(server);
    late_store_free(store);
    haft_store_free(memory);
}

/* What a client is told has happened survives a power failure: an answer, and a cancellation. */
static void acknowledgements(void **state)
{
    static const struct {
        const char *method, *more;
    } rows[] = {
        {"tasks/update", ",'inputResponses':{'who':{'action':'accept','content':{'name':'ann'}}}"},
        {"tasks/cancel", ""},
    };
    haft_store *memory = haft_store_memory_new(NULL);
    struct late_store *store = late_store_new(memory, LATE_AT_ONCE, 0);
    haft_server *server = serve(late_store_of(store));
    struct client client;

    (void)state;
    client_open(&client, server);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        late_store_set(store, LATE_AT_ONCE);
        client_create(&client, "ask", "{}");
        client_run(&client, 500);
        client_task(&client, "tasks/get", "");
        client_expect(&client, "'status':'input_required'");
        late_store_set(store, LATE_HELD);
        assert_string_equal(client_task(&client, rows[i].method, rows[i].more), "");
        assert_true(late_store_release_one(store, 0, false)); /* the task is read */
        assert_true(late_store_wants_durable(store));
        assert_string_equal(client_next(&client), "");
        assert_true(late_store_release_one(store, 0, false));
        client_next(&client);
        client_expect(&client, "'result':{'resultType':'complete'");
        settle(store, 0);
    }
    client_close(&client);
    settle(store, 0);
    haft_server_free(server);
    late_store_free(store);
    haft_store_free(memory);
}

static void put(haft_store *store, const char *id, const char *key, const char *text)
{
    char quoted[1024];
    haft_store_op op = {.kind = HAFT_STORE_PUT, .key = HAFT_SLICE(key)};
    haft_store_request request = {
        .space = "task", .group = {id, strlen(id)}, .ops = &op, .n_ops = 1, .now = 1000000};

    snprintf(quoted, sizeof quoted, "%s", text);
    client_quote(quoted);
    op.value = HAFT_SLICE(quoted);
    assert_int_equal(haft_store_submit(store, &request), 0);
}

/* What another program has written to the store is checked before it is used or sent. */
static void nonsense(void **state)
{
#define RECORD(state, more)                                                                        \
    "{'version':1,'state':'" state "','tool':'ask','created':1,'updated':1,'ttl':3600000,"         \
    "'limit':0,'crash':0,'began':false,'rounds':0" more "}"
    static const struct {
        const char *key, *text, *part;
    } rows[] = {
        {"task", "", "'code':-32603"},
        {"task", "{", "'code':-32603"},
        {"task", "[]", "'code':-32603"},
        {"task", "{}", "'code':-32603"},
        {"task", "{'version':2}", "'code':-32603"},
        {"task", RECORD("odd", ""), "'code':-32603"},
        {"task", RECORD("working", ",'principal':5"), "'code':-32603"},
        {"task", RECORD("working", ",'principal':'ann'"), "'message':'Task not found'"},
        {"task", RECORD("input_required", ",'questions':[]"), "'code':-32603"},
        {"task", RECORD("input_required", ",'questions':{'a':{}}"), "'code':-32603"},
        {"task", RECORD("input_required", ",'questions':{'a':{'key':'a','method':'m','params':5}}"),
         "'code':-32603"},
        {"task", RECORD("input_required", ""), "'status':'working'"},
        {"task", RECORD("completed", ""), "'status':'failed'"},
        {"outcome", "nonsense", "'message':'Internal error: the result of the task is lost'"},
        {"outcome", "{'content':[]}", "'result':{'content':[]}"},
        {"answers", "[", "'result':{'content':[]}"},
        {"call", "[]", "'result':{'content':[]}"},
    };
    haft_store *memory = haft_store_memory_new(NULL);
    haft_server *server = serve(memory);
    struct client client;

    (void)state;
    client_open(&client, server);
    client_create(&client, "ask", "{}");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        put(memory, client.id, rows[i].key, rows[i].text);
        client_task(&client, "tasks/get", "");
        client_expect(&client, rows[i].part);
    }
    client_run(&client, 0); /* the owner finds that the record is not its own */
    client_run(&client, 500);
    client_task(&client, "tasks/get", "");
    client_expect(&client, "'result':{'content':[]}");
    client_close(&client);
    haft_server_free(server);
    haft_store_free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(late),
                                       cmocka_unit_test(halves),
                                       cmocka_unit_test(errors),
                                       cmocka_unit_test(durability),
                                       cmocka_unit_test(acknowledgements),
                                       cmocka_unit_test(nonsense)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
