/* test_caps.c - so many calls of a tool at once, and not one more: in order, across sessions and
 * threads. */
#define _DEFAULT_SOURCE
#include <haft.h>
#include <haft/testing.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support/test.h"

/* ---- one step at a time ---- */

HAFT_STRUCT(turn_args, HAFT_INTEGER(number, "Which call it is"));

enum { CALLS = 8 };

/* The calls in the order in which they ran. */
static haft_call *ran[CALLS];
static char order[64], outcomes[256];
static size_t n_ran;

static int take_turn(haft_call *call, const turn_args *in)
{
    snprintf(order + strlen(order), sizeof order - strlen(order), "%d ", (int)in->number);
    ran[n_ran++] = call;
    return HAFT_PENDING;
}
HAFT_TOOL_IN(take_turn, turn_args, "Takes a turn", .max_running = 2, .max_waiting = 3,
             .timeout_ms = 1000);

static void on_after(haft_call *call, haft_outcome outcome, void *data)
{
    (void)call;
    (void)data;
    snprintf(outcomes + strlen(outcomes), sizeof outcomes - strlen(outcomes), "%s ",
             haft_outcome_name(outcome));
}
static const haft_stage watch = HAFT_INIT(haft_stage, .name = "watch", .after = on_after);

struct table {
    haft_server *server;
    haft_client *clients[2];
    int64_t ids[CALLS];
};

static void sit_down(struct table *table)
{
    n_ran = 0;
    order[0] = outcomes[0] = '\0';
    table->server = haft_server_new("caps", "1");
    assert_int_equal(haft_add(table->server, &take_turn_tool), 0);
    assert_int_equal(haft_stage_add(table->server, &watch), 0);
    assert_int_equal(haft_metrics_enable(table->server), 0);
    for (int i = 0; i < 2; i++)
        table->clients[i] = haft_client_new(table->server, NULL);
}

static void stand_up(struct table *table)
{
    haft_client_free(table->clients[0]);
    haft_client_free(table->clients[1]);
    haft_server_free(table->server);
}

/* Calls of one client and the other in turn. */
static void call(struct table *table, int number)
{
    char params[96];

    snprintf(params, sizeof params, "{\"name\":\"take_turn\",\"arguments\":{\"number\":%d}}",
             number);
    table->ids[number] = haft_client_send(table->clients[number % 2], "tools/call", params);
    assert_true(table->ids[number] > 0);
}

static void finish(struct table *table, size_t nth)
{
    haft_finish(ran[nth], 0);
    haft_client_advance(table->clients[0], 1);
    haft_client_advance(table->clients[1], 1);
}

static const char *answer(struct table *table, int number)
{
    haft_result result;
    int status = haft_client_wait(table->clients[number % 2], table->ids[number], 0, &result);

    return status ? haft_strerror(status) : result.text;
}

/* What the metrics say of those that wait. */
static int queued(haft_server *server)
{
    static const char name[] = "\nmcp_server_calls_queued ";
    haft_buffer text;
    int n;

    haft_buffer_init(&text, NULL, 1 << 20);
    assert_int_equal(haft_metrics_write(server, &text), 0);
    haft_buffer_add(&text, "", 1);
    assert_int_equal(sscanf(strstr(text.data, name) + sizeof name - 1, "%d\n", &n), 1);
    haft_buffer_finish(&text);
    return n;
}

static void they_wait_in_line(void **state)
{
    struct table table;

    (void)state;
    sit_down(&table);
    for (int i = 0; i < 6; i++)
        call(&table, i);
    /* Two run, three wait, and the sixth is told at once. */
    assert_string_equal(order, "0 1 ");
    assert_string_equal(answer(&table, 5), "The server is busy. Try again later.");
    assert_int_equal(queued(table.server), 3);
    finish(&table, 1);
    assert_string_equal(order, "0 1 2 ");
    assert_int_equal(queued(table.server), 2);
    finish(&table, 0);
    assert_string_equal(order, "0 1 2 3 ");
    finish(&table, 2);
    assert_string_equal(order, "0 1 2 3 4 ");
    finish(&table, 3);
    finish(&table, 4);
    /* All places are free again. */
    call(&table, 6);
    call(&table, 7);
    assert_string_equal(order, "0 1 2 3 4 6 7 ");
    finish(&table, 5);
    finish(&table, 6);
    assert_string_equal(outcomes, "failed ok ok ok ok ok ok ok ");
    assert_int_equal(queued(table.server), 0);
    stand_up(&table);
}

/* ---- in line for a thread ---- */

static haft_call *handed_over;

static int hand_over(void *context, haft_call *call)
{
    handed_over = call;
    return *(int *)context;
}

static void send_nothing(void *context, const haft_outgoing *message)
{
    (void)context;
    (void)message;
}

static void those_without_a_thread_are_counted(void **state)
{
    static const char message[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
        "\"params\":{\"name\":\"take_turn\",\"arguments\":{\"number\":1}}}";
    int full = 0;
    struct table table;
    haft_session *session;

    (void)state;
    sit_down(&table);
    session = haft_session_new(
        table.server,
        HAFT_WITH(haft_session_options,
                  .transport = HAFT_WITH(haft_transport, .send = send_nothing, .context = &full),
                  .loop = HAFT_WITH(haft_loop, .run = hand_over, .context = &full)));
    haft_session_receive(session, message, sizeof message - 1, NULL, 0);
    assert_int_equal(queued(table.server), 1);
    haft_call_run(handed_over);
    assert_int_equal(queued(table.server), 0);
    haft_call_done(handed_over);
    haft_finish(handed_over, 0);
    /* There is no room for one; another is cancelled before a thread has it. */
    full = HAFT_EBUSY;
    haft_session_receive(session, message, sizeof message - 1, NULL, 0);
    assert_int_equal(queued(table.server), 0);
    full = 0;
    haft_session_receive(session, message, sizeof message - 1, NULL, 0);
    assert_int_equal(queued(table.server), 1);
    haft_session_free(session);
    haft_call_done(handed_over);
    assert_int_equal(queued(table.server), 0);
    stand_up(&table);
}

static void one_that_is_cancelled_never_runs(void **state)
{
    struct table table;

    (void)state;
    sit_down(&table);
    for (int i = 0; i < 5; i++)
        call(&table, i);
    assert_int_equal(haft_client_cancel(table.clients[1], table.ids[3]), 0);
    assert_string_equal(outcomes, "cancelled ");
    finish(&table, 0);
    finish(&table, 1);
    assert_string_equal(order, "0 1 2 4 ");
    finish(&table, 2);
    finish(&table, 3);
    /* One whose turn has come, and that is cancelled before its session looked. */
    call(&table, 5);
    call(&table, 6);
    call(&table, 7);
    haft_finish(ran[4], 0);
    assert_int_equal(haft_client_cancel(table.clients[1], table.ids[7]), 0);
    haft_finish(ran[5], 0);
    haft_client_advance(table.clients[0], 1);
    haft_client_advance(table.clients[1], 1);
    assert_string_equal(order, "0 1 2 4 5 6 ");
    n_ran = 0;
    call(&table, 0);
    call(&table, 1);
    assert_string_equal(order, "0 1 2 4 5 6 0 1 ");
    finish(&table, 0);
    finish(&table, 1);
    assert_int_equal(queued(table.server), 0);
    stand_up(&table);
}

static void the_deadline_runs_while_it_waits(void **state)
{
    struct table table;

    (void)state;
    sit_down(&table);
    for (int i = 0; i < 3; i++)
        call(&table, i);
    haft_client_advance(table.clients[0], 1001);
    /* One ran and one waited; the other client's time stood still. */
    assert_string_equal(outcomes, "timed_out timed_out ");
    assert_string_equal(answer(&table, 2), "timed out after 1 s");
    assert_string_equal(answer(&table, 0), "timed out after 1 s");
    /* What has timed out runs on, and holds its place until it comes back. */
    call(&table, 4);
    assert_string_equal(order, "0 1 ");
    finish(&table, 0);
    assert_string_equal(order, "0 1 4 ");
    finish(&table, 1);
    finish(&table, 2);
    stand_up(&table);
}

static void a_session_that_goes_leaves_the_line(void **state)
{
    struct table table;

    (void)state;
    sit_down(&table);
    for (int i = 0; i < 5; i++)
        call(&table, i);
    haft_client_free(table.clients[1]);
    table.clients[1] = haft_client_new(table.server, NULL);
    assert_string_equal(outcomes, "cancelled ");
    finish(&table, 1);
    finish(&table, 0);
    assert_string_equal(order, "0 1 2 4 ");
    finish(&table, 2);
    finish(&table, 3);
    stand_up(&table);
}

/* ---- all at once ---- */

enum { THREADS = 8, TURNS = 40, CAP = 3 };

static atomic_int running, most, done;

static int crowd(haft_call *caller)
{
    int now = atomic_fetch_add(&running, 1) + 1, before = atomic_load(&most);

    while (now > before && !atomic_compare_exchange_weak(&most, &before, now))
        ;
    usleep(500);
    atomic_fetch_sub(&running, 1);
    atomic_fetch_add(&done, 1);
    return haft_text(caller, "ok");
}
HAFT_TOOL_BARE(crowd, "Counts who is there", .max_running = CAP);

static haft_time real_time(void *context)
{
    struct timespec now;

    (void)context;
    usleep(100);
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (haft_time)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void *push(void *context)
{
    haft_client *client =
        haft_client_new(context, HAFT_WITH(haft_client_options, .clock = real_time));
    size_t failed = client ? 0 : TURNS;

    for (int i = 0; client && i < TURNS; i++) {
        int64_t id = haft_client_send(client, "tools/call", "{\"name\":\"crowd\"}");
        haft_result result;

        if (haft_client_wait(client, id, 60000, &result) || strcmp(result.text, "ok"))
            failed++;
    }
    haft_client_free(client);
    return (void *)failed;
}

static void it_is_exact_across_threads(void **state)
{
    haft_server *server = haft_server_new("crowd", "1");
    pthread_t threads[THREADS];
    void *failed;

    (void)state;
    assert_int_equal(haft_add(server, &crowd_tool), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, push, server), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    assert_int_equal(atomic_load(&done), THREADS * TURNS);
    assert_int_equal(atomic_load(&most), CAP);
    haft_server_free(server);
}

static void no_call_waits_where_none_may(void **state)
{
    haft_tool tool = take_turn_tool;
    struct table table;

    (void)state;
    tool.name = "alone";
    tool.max_running = 1;
    tool.max_waiting = HAFT_NO_WAITING;
    sit_down(&table);
    assert_int_equal(haft_tool_replace(table.server, "take_turn", &tool), 0);
    assert_int_equal(haft_offer_rename(table.server, HAFT_OFFER_TOOL, "alone", "take_turn"), 0);
    call(&table, 0);
    call(&table, 1);
    assert_string_equal(answer(&table, 1), "The server is busy. Try again later.");
    finish(&table, 0);
    stand_up(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_wait_in_line),
        cmocka_unit_test(those_without_a_thread_are_counted),
        cmocka_unit_test(one_that_is_cancelled_never_runs),
        cmocka_unit_test(the_deadline_runs_while_it_waits),
        cmocka_unit_test(a_session_that_goes_leaves_the_line),
        cmocka_unit_test(it_is_exact_across_threads),
        cmocka_unit_test(no_call_waits_where_none_may),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
