/* test_late.c - `after` stages of a call that timed out, while its handler is still at work: each has
 * memory of its own. */
#include <haft.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "engine/session/session.h"
#include "support/test.h"

enum { ROUNDS = 500 };

static atomic_bool started, stop;
static pthread_t worker;
static haft_call *away;
static unsigned n_after;

/* As much as a handler can do to its memory. */
static int busy(haft_call *call)
{
    for (unsigned i = 0; !atomic_load(&stop) || i < ROUNDS; i++) {
        char *text = haft_call_printf(call, "handler %u", i % 10);

        if (!text || !haft_call_alloc(call, 24) || haft_call_set(call, "mine", text) ||
            haft_call_set(call, i % 2 ? "odd" : "even", text) || strncmp(text, "handler", 7))
            return HAFT_ENOMEM;
        haft_call_set_user_data(call, text);
        haft_request_id(call);
        if (haft_call_get(call, "theirs"))
            return HAFT_EINVAL;
        atomic_store(&started, true);
        if (i >= ROUNDS * 20)
            break;
    }
    return haft_text(call, "%s", (const char *)haft_call_get(call, "mine"));
}
HAFT_TOOL_BARE(busy, "Takes its time", .timeout_ms = 100);

static char before_value[] = "before";

static int keep(haft_call *call, void *data)
{
    (void)data;
    return haft_call_set(call, "kept", before_value);
}

static void look(haft_call *call, haft_outcome outcome, void *data)
{
    (void)data;
    assert_int_equal(outcome, HAFT_OUTCOME_TIMED_OUT);
    for (unsigned i = 0; i < ROUNDS; i++) {
        char *text = haft_call_printf(call, "after %u", i % 10);

        assert_non_null(text);
        assert_non_null(haft_call_alloc(call, 24));
        assert_int_equal(haft_call_set(call, "theirs", text), 0);
        assert_ptr_equal(haft_call_get(call, "theirs"), text);
        assert_ptr_equal(haft_call_get(call, "kept"), before_value);
        assert_non_null(haft_call_get(call, "mine"));
        assert_non_null(haft_call_arena(call));
        assert_string_equal(haft_request_id(call), "1");
        assert_non_null(haft_call_user_data(call));
        assert_string_equal(text, i % 10 == 0 ? "after 0" : text);
    }
    n_after++;
}

static const haft_stage looking =
    HAFT_INIT(haft_stage, .name = "looking", .before = keep, .after = look);

static void *work(void *context)
{
    haft_call_run(context);
    return NULL;
}

static int run_elsewhere(void *context, haft_call *call)
{
    (void)context;
    away = call;
    return pthread_create(&worker, NULL, work, call) ? HAFT_EBUSY : 0;
}

static unsigned n_answers;

static void take_message(void *context, const haft_outgoing *message)
{
    (void)context;
    assert_non_null(strstr(message->text, "timed out after 100 ms"));
    n_answers++;
}

static void after_has_memory_of_its_own(void **state)
{
    static const char text[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                               "\"params\":{\"name\":\"busy\"}}";
    haft_server *server = haft_server_new("test", "1");
    haft_session *session = haft_session_new(
        server, HAFT_WITH(haft_session_options,
                          .transport = HAFT_WITH(haft_transport, .send = take_message),
                          .loop = HAFT_WITH(haft_loop, .run = run_elsewhere)));

    (void)state;
    assert_int_equal(haft_add(server, &busy_tool), 0);
    assert_int_equal(haft_stage_add(server, &looking), 0);
    assert_int_equal(haft_session_receive(session, text, strlen(text), NULL, 1000), 0);
    while (!atomic_load(&started))
        ;
    haft_session_tick(session, 1100);
    assert_int_equal(n_after, 1);
    assert_int_equal(n_answers, 1);
    atomic_store(&stop, true);
    pthread_join(worker, NULL);
    haft_call_done(away);
    assert_int_equal(n_after, 1);
    assert_int_equal(haft_session_in_flight(session), 0);
    haft_session_free(session);
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(after_has_memory_of_its_own)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
