/* test_large.c - tasks with large results: requests about many of them do not need the memory of all. */
#include "client.h"

enum { LARGE = 1 << 20, LARGE_TASKS = 40 };

static int large(haft_call *call)
{
    char *text = malloc(LARGE);
    int status;

    assert_non_null(text);
    memset(text, 'x', LARGE);
    status = haft_text(call, "%.*s", LARGE, text);
    free(text);
    return status;
}
HAFT_TOOL_BARE(large, "Has a large result", .task = HAFT_TASK_OPTIONAL);

static void many(void **state)
{
    haft_server *server = haft_server_new("test", "1");
    struct client client, lists;
    static char members[CLIENT_TEXT / 2];
    char ids[LARGE_TASKS][CLIENT_ID];
    size_t size;

    (void)state;
    assert_int_equal(haft_add(server, &large_tool), 0);
    assert_int_equal(haft_server_set_tasks(server, NULL), 0);
    client_open(&client, server);
    size = (size_t)snprintf(members, sizeof members, "'notifications':{'taskIds':[");
    for (size_t i = 0; i < LARGE_TASKS; i++) {
        client_create(&client, "large", "{}");
        memcpy(ids[i], client.id, CLIENT_ID);
        client_run(&client, 0);
        size +=
            (size_t)snprintf(members + size, sizeof members - size, "%s'%s'", i ? "," : "", ids[i]);
    }
    snprintf(members + size, sizeof members - size, "]}");
    client_ask(&client, "subscriptions/listen", members);
    for (size_t i = 0; i < LARGE_TASKS; i++)
        client_expect(&client, ids[i]);
    client_open(&lists, server);
    client_initialize(&lists, "2025-11-25");
    client_ask(&lists, "tasks/list", "");
    for (size_t i = 0; i < LARGE_TASKS; i++)
        client_expect(&lists, ids[i]);
    client_close(&lists);
    client_close(&client);
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(many)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
