/* test_many.c - a thousand tasks on four threads: other calls are not delayed, and each task runs
 * once. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "client.h"
#include "engine/offer/server.h"

enum { TASKS = 1000, WORKERS = 4, CALLS = 200 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static bool is_open;
static atomic_uint n_began, n_ended, n_active, most_active;

/* Waits until the test opens the gate. */
static int hold(haft_call *call)
{
    unsigned active = atomic_fetch_add(&n_active, 1) + 1, most = atomic_load(&most_active);

    atomic_fetch_add(&n_began, 1);
    while (active > most && !atomic_compare_exchange_weak(&most_active, &most, active))
        ;
    pthread_mutex_lock(&lock);
    while (!is_open)
        pthread_cond_wait(&opened, &lock);
    pthread_mutex_unlock(&lock);
    atomic_fetch_sub(&n_active, 1);
    atomic_fetch_add(&n_ended, 1);
    return haft_text(call, "done");
}
HAFT_TOOL_BARE(hold, "Waits", .task = HAFT_TASK_OPTIONAL);

static int quick(haft_call *call)
{
    return haft_text(call, "%u tasks have ended", atomic_load(&n_ended));
}
HAFT_TOOL_BARE(quick, "Answers at once");

static void rest(void)
{
    nanosleep(&(struct timespec){0, 2000000}, NULL);
}

static void many(void **state)
{
    haft_server *server = haft_server_new("test", "1");
    char(*ids)[CLIENT_ID] = calloc(TASKS, sizeof *ids);
    struct client client;

    (void)state;
    assert_int_equal(haft_add(server, &hold_tool), 0);
    assert_int_equal(haft_add(server, &quick_tool), 0);
    assert_int_equal(haft_server_set_tasks(server, HAFT_WITH(haft_task_options, .workers = WORKERS,
                                                             .max_per_client = TASKS)),
                     0);
    server->tasks.hooks->start(server->tasks.service);
    client_open(&client, server);
    client.wire->now = (haft_time)time(NULL) * 1000; /* as the threads see it */
    for (size_t i = 0; i < TASKS; i++) {
        client_create(&client, "hold", "{}");
        memcpy(ids[i], client.id, sizeof ids[i]);
    }
    while (atomic_load(&n_began) < WORKERS)
        rest();
    /* All threads of tasks are taken, and the others wait; calls are answered as ever. */
    for (size_t i = 0; i < CALLS; i++) {
        client_ask(&client, "tools/call", "'name':'quick'");
        client_expect(&client, "'text':'0 tasks have ended'");
        memcpy(client.id, ids[i], sizeof client.id);
        client_task(&client, "tasks/get", "");
        client_expect(&client, "'status':'working'");
    }
    assert_int_equal(atomic_load(&n_began), WORKERS);
    client_ask(&client, "tools/call", "'name':'hold'");
    client_expect(&client, "'code':-32603");
    pthread_mutex_lock(&lock);
    is_open = true;
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < TASKS; i++) {
        memcpy(client.id, ids[i], sizeof client.id);
        while (client_task(&client, "tasks/get", ""), strstr(client.answer, "\"working\""))
            rest();
        client_expect(&client, "'status':'completed'");
    }
    assert_int_equal(atomic_load(&n_began), TASKS);
    assert_int_equal(atomic_load(&n_ended), TASKS);
    assert_in_range(atomic_load(&most_active), 1, WORKERS);
    client_close(&client);
    haft_server_free(server);
    free(ids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(many)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
