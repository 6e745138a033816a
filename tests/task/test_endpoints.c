/* test_endpoints.c - servers with different names in one store: each has its own tasks. */
#include "client.h"

static int runs;

static int work(haft_call *call)
{
    runs++;
    return haft_text(call, "done");
}
HAFT_TOOL_BARE(work, "Works", .task = HAFT_TASK_OPTIONAL, .task_crash = HAFT_TASK_RESTART);

static haft_server *serve(haft_store *store, const char *endpoint, bool has_tool)
{
    haft_server *server = haft_server_new("test", "1");

    if (has_tool)
        assert_int_equal(haft_add(server, &work_tool), 0);
    assert_int_equal(haft_server_set_tasks(server, HAFT_WITH(haft_task_options, .store = store,
                                                             .endpoint = endpoint)),
                     0);
    return server;
}

/* A task of the first is nobody else's, also when its process is gone. */
static void separate(void **state)
{
    static const char *const rows[][2] = {
        {"/a", "/b"}, {"/a", NULL}, {NULL, "/b"}, {"", NULL}, {"/a", "/a/"}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_store *store = haft_store_memory_new(NULL);
        haft_server *first = serve(store, rows[i][0], true);
        haft_server *next = serve(store, rows[i][0], true);
        haft_server *other = serve(store, rows[i][1], false);
        struct client one, two, three, lists;

        runs = 0;
        client_open(&one, first);
        client_open(&two, other);
        client_open(&three, next);
        client_open(&lists, other);
        client_initialize(&lists, "2025-11-25");
        client_create(&one, "work", "{}");
        memcpy(two.id, one.id, sizeof two.id);
        memcpy(three.id, one.id, sizeof three.id);
        client_task(&two, "tasks/get", "");
        client_expect(&two, "'message':'Task not found'");
        client_task(&two, "tasks/cancel", "");
        client_expect(&two, "'message':'Task not found'");
        client_ask(&lists, "tasks/list", "");
        client_expect(&lists, "'tasks':[]");
        /* The lease expires: a server with the same name takes it, the other does not. */
        two.wire->now = three.wire->now = one.wire->now + 60000;
        for (int run = 0; run < 3; run++)
            client_run(&two, 10000);
        client_task(&three, "tasks/get", "");
        client_expect(&three, "'status':'working'");
        assert_int_equal(runs, 0);
        for (int run = 0; run < 3; run++)
            client_run(&three, 10000);
        client_task(&three, "tasks/get", "");
        client_expect(&three, "'text':'done'");
        assert_int_equal(runs, 1);
        client_close(&one);
        client_close(&two);
        client_close(&three);
        client_close(&lists);
        haft_server_free(first);
        haft_server_free(next);
        haft_server_free(other);
        haft_store_free(store);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(separate)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
