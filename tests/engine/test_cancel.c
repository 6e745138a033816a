/* haft_call_on_cancel: when the function is called, on which calls, and when it is not any more. */
#define _GNU_SOURCE /* pthread_barrier_t */
#include <haft.h>
#include <haft/engine.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "engine/call/inner.h"
#include "support/dialogue.h"
#include "support/test.h"

static haft_call *held;
static int n_told;
static void *told_with;

static void count_told(haft_call *call, void *context)
{
    assert_true(haft_call_cancelled(call));
    n_told++;
    told_with = context;
}

static void fail_told(haft_call *call, void *context)
{
    (void)call;
    (void)context;
    fail();
}

static int wait_for_it(haft_call *call)
{
    held = call;
    assert_ptr_equal(haft_server_data(call), &held);
    haft_call_on_cancel(call, fail_told, NULL);
    haft_call_on_cancel(call, count_told, &n_told);
    return HAFT_PENDING;
}
HAFT_TOOL_BARE(wait_for_it, "Waits until it is cancelled", .timeout_ms = 1500);

static int forget_it(haft_call *call)
{
    held = call;
    haft_call_on_cancel(call, fail_told, NULL);
    haft_call_on_cancel(call, NULL, NULL);
    return HAFT_PENDING;
}
HAFT_TOOL_BARE(forget_it, "Removes its function");

static int answer_it(haft_call *call)
{
    haft_call_on_cancel(call, fail_told, NULL);
    return haft_text(call, "done");
}
HAFT_TOOL_BARE(answer_it, "Answers without removing its function");

static haft_server *cancel_serve(void)
{
    static const haft_tool *const tools[] = {&wait_for_it_tool, &forget_it_tool, &answer_it_tool};
    haft_server *server = haft_server_new("test", "1");

    haft_server_set_data(server, &held);
    for (size_t i = 0; i < COUNT_OF(tools); i++)
        assert_int_equal(haft_add(server, tools[i]), 0);
    held = NULL;
    n_told = 0;
    told_with = NULL;
    return server;
}

/* ---- why ---- */

static void every_reason_is_told_once(void **state)
{
    static const char call[] = "R 1 tools/call {'name':'wait_for_it'}";
    static const char *const reasons[] = {"N notifications/cancelled {'requestId':1}", "+ 1501"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(reasons); i++) {
        haft_server *server = cancel_serve();
        struct wire *wire = wire_open(server);

        if (i)
            dialogue(wire, LINES(call, reasons[i], "= 1 *"));
        else
            dialogue(wire, LINES(call, reasons[i], reasons[i]));
        assert_int_equal(n_told, 1);
        assert_ptr_equal(told_with, &n_told);
        /* One that comes too late is told at once. */
        haft_call_on_cancel(held, count_told, &held);
        assert_int_equal(n_told, 2);
        assert_ptr_equal(told_with, &held);
        haft_finish(held, 0);
        wire_close(wire);
        haft_server_free(server);
        assert_int_equal(n_told, 2);
    }
}

static void drop_sent(void *context, const haft_outgoing *message)
{
    (void)context;
    (void)message;
}

static void the_end_of_a_session_is_told(void **state)
{
    static const char text[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
        "\"name\":\"wait_for_it\"}}";
    haft_server *server = cancel_serve();
    haft_session *session = haft_session_new(
        server,
        HAFT_WITH(haft_session_options, .transport = HAFT_WITH(haft_transport, .send = drop_sent)));

    (void)state;
    assert_int_equal(haft_session_receive(session, text, strlen(text), NULL, 1000), 0);
    assert_int_equal(n_told, 0);
    haft_session_free(session);
    assert_int_equal(n_told, 1);
    haft_finish(held, 0);
    haft_server_free(server);
    assert_int_equal(n_told, 1);
}

static void nothing_is_told_after_the_end(void **state)
{
    static const char cancel[] = "N notifications/cancelled {'requestId':1}";
    haft_server *server = cancel_serve();
    struct wire *wire = wire_open(server);

    (void)state;
    dialogue(wire, LINES("R 1 tools/call {'name':'forget_it'}", cancel));
    haft_finish(held, 0);
    dialogue(wire, LINES("R 1 tools/call {'name':'answer_it'}", "= 1 *", cancel));
    dialogue(wire, LINES("R 1 tools/call {'name':'wait_for_it'}"));
    haft_finish(held, 0);
    dialogue(wire, LINES("= 1 *", cancel));
    assert_int_equal(n_told, 0);
    wire_close(wire);
    haft_server_free(server);
    assert_int_equal(n_told, 0);
}

/* ---- calls within calls ---- */

static void calls_within_are_told(void **state)
{
    static const struct {
        int cancelled; /* which of the three */
        bool told[3];
    } rows[] = {{0, {true, true, true}}, {1, {false, true, true}}, {2, {false, false, true}}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_server *server = cancel_serve();
        haft_call *calls[3] = {0};
        int told[3] = {0};

        for (int k = 0; k < 3; k++) {
            calls[k] = hf_inner_new(server, k ? calls[k - 1] : NULL, 0);
            assert_non_null(calls[k]);
        }
        /* In an order that is not theirs. */
        for (int k = 0; k < 3; k++)
            haft_call_on_cancel(calls[(k + 1) % 3], count_told, &told[(k + 1) % 3]);
        hf_call_cancel(calls[rows[i].cancelled]);
        assert_int_equal(n_told, 3 - rows[i].cancelled);
        for (int k = 0; k < 3; k++) {
            haft_call_on_cancel(calls[k], NULL, NULL);
            assert_int_equal(haft_call_cancelled(calls[k]), rows[i].told[k]);
        }
        for (int k = 3; k--;)
            hf_inner_free(calls[k]);
        haft_server_free(server);
    }
}

/* ---- threads ---- */

enum { CANCEL_ROUNDS = 300, CANCEL_TURNS = 20 };

/* A handler on another thread, whose function uses its stack. */
struct cancel_work {
    haft_call *call;
    pthread_barrier_t ready;
};

struct cancel_wait {
    atomic_int told;
    atomic_bool there; /* false when its function must not be called */
};

static void wake(haft_call *call, void *context)
{
    struct cancel_wait *wait = context;

    (void)call;
    if (!atomic_load(&wait->there))
        abort();
    atomic_fetch_add(&wait->told, 1);
}

static void *work_until_cancelled(void *context)
{
    struct cancel_work *work = context;

    pthread_barrier_wait(&work->ready);
    for (int i = 0; i < CANCEL_TURNS || !haft_call_cancelled(work->call); i++) {
        struct cancel_wait wait = {.told = 0, .there = true};

        haft_call_on_cancel(work->call, wake, &wait);
        if (i % 3)
            sched_yield();
        haft_call_on_cancel(work->call, NULL, NULL);
        atomic_store(&wait.there, false);
        if (atomic_load(&wait.told) > 1)
            abort();
        if (atomic_load(&wait.told) && !haft_call_cancelled(work->call))
            abort();
    }
    return NULL;
}

static void threads_register_while_others_cancel(void **state)
{
    haft_server *server = cancel_serve();

    (void)state;
    for (int i = 0; i < CANCEL_ROUNDS; i++) {
        haft_call *root = hf_inner_new(server, NULL, 0), *inner = hf_inner_new(server, root, 0);
        struct cancel_work outer_work = {.call = root}, inner_work = {.call = inner};
        pthread_t outer_thread, inner_thread;

        assert_true(root && inner);
        pthread_barrier_init(&outer_work.ready, NULL, 2);
        pthread_barrier_init(&inner_work.ready, NULL, 2);
        assert_int_equal(pthread_create(&outer_thread, NULL, work_until_cancelled, &outer_work), 0);
        assert_int_equal(pthread_create(&inner_thread, NULL, work_until_cancelled, &inner_work), 0);
        pthread_barrier_wait(&outer_work.ready);
        pthread_barrier_wait(&inner_work.ready);
        if (i & 1)
            hf_call_cancel(inner);
        hf_call_cancel(root);
        pthread_join(outer_thread, NULL);
        pthread_join(inner_thread, NULL);
        pthread_barrier_destroy(&outer_work.ready);
        pthread_barrier_destroy(&inner_work.ready);
        hf_inner_detach(inner);
        hf_inner_free(inner);
        hf_inner_free(root);
    }
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_reason_is_told_once),
        cmocka_unit_test(the_end_of_a_session_is_told),
        cmocka_unit_test(nothing_is_told_after_the_end),
        cmocka_unit_test(calls_within_are_told),
        cmocka_unit_test(threads_register_while_others_cancel),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
