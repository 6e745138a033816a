/* test_memory.c - the HTTP endpoint when there is no memory: nobody is left without an
 * answer, and no event is left out. */
#include "engine/offer/server.h"

#include "endpoint/asking.h"

static void use_it_all(struct bench *bench)
{
    struct reply *replies = calloc(3, sizeof *replies);
    struct reply *call = replies, *stream = replies + 1, *resumed = replies + 2;

    assert_non_null(replies);
    held = NULL;
    ask(bench, "POST", "/mcp", MODERN("tools/call") "mcp-name: say\n",
        CALL(4, "say", ",'arguments':{'text':'hi'}," META));
    ask(bench, "POST", "/mcp", LEGACY, CALL(3, "count", TOKEN));
    ask(bench, "POST", "/mcp", JSON, "nonsense");
    ask(bench, "POST", "/mcp", BOTH, "[" PING "," PING "]");
    ask(bench, "POST", "/mcp", LEGACY, HELLO);
    ask_into(bench, stream, "GET", "/mcp", SESSION, "");
    ask_into(bench, call, "POST", "/mcp", SESSION, CALL(5, "hold", TOKEN));
    if (held) {
        haft_progress(held, 1, 2, NULL);
        if (call->exchange)
            haft_exchange_gone(call->exchange);
        haft_progress(held, 2, 2, NULL);
        ask_into(bench, resumed, "GET", "/mcp", SESSION "last-event-id: 1-0\n", "");
        let_go("done");
    }
    haft_endpoint_tick(bench->endpoint, bench->now += MINUTE);
    ask(bench, "DELETE", "/mcp", SESSION, "");
    if (resumed->exchange && !resumed->over)
        haft_exchange_gone(resumed->exchange);
    if (stream->exchange && !stream->over)
        haft_exchange_gone(stream->exchange);
    free(replies);
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        struct bench *bench;
        bool failed;

        failing_init(&failing, nth);
        bench = bench_open(&failing.allocator,
                           (haft_endpoint_options){.struct_size = sizeof(haft_endpoint_options)});
        if (bench->endpoint) {
            use_it_all(bench);
            failing.fail_at = 0;
            /* It is as good as ever afterwards. */
            check(bench, &(struct row){"POST", "/mcp", JSON, PING, 200, PONG, NULL}, nth);
            check(bench, &(struct row){"POST", "/mcp", LEGACY, HELLO, 200, "*", NULL}, nth);
            check(bench, &(struct row){"POST", "/mcp", SESSION, PING, 200, PONG, NULL}, nth);
        }
        failed = failing.failures;
        bench_close(bench);
        failing_check(&failing);
        if (!failed)
            break;
    }
}

/* Memory runs out while a client that has come back is told what it missed: nothing is left out,
 * but what it has not been told it can come back for. */
static void leaves_out_no_event(void **state)
{
    static char words[3000];

    (void)state;
    memset(words, 'w', sizeof words - 1);
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        struct bench *bench;
        struct reply first, second;
        bool failed;

        failing_init(&failing, 0);
        bench = bench_open(&failing.allocator,
                           (haft_endpoint_options){.struct_size = sizeof(haft_endpoint_options)});
        check(bench, &(struct row){"POST", "/mcp", LEGACY, HELLO, 200, "*", NULL}, nth);
        ask_into(bench, &first, "POST", "/mcp", SESSION, CALL(5, "hold", TOKEN));
        haft_progress(held, 1, 9, NULL);
        haft_exchange_gone(first.exchange);
        haft_progress(held, 2, 9, "short");
        haft_progress(held, 3, 9, "%s", words);
        haft_progress(held, 4, 9, "short");
        /* It rests: what it writes into is given back. */
        haft_endpoint_tick(bench->endpoint, bench->now += 6000);
        failing.fail_at = failing.calls + nth;
        ask_into(bench, &second, "GET", "/mcp", SESSION "last-event-id: 1-1\n", "");
        failing.fail_at = 0;
        failed = failing.failures;
        if (failed) {
            assert_true(second.over);
            assert_null(strstr(second.body, "id: 1-4\n"));
            ask_into(bench, &second, "GET", "/mcp", SESSION "last-event-id: 1-1\n", "");
        }
        assert_true(matches("id: 1-2\n*id: 1-3\n*id: 1-4\n*", second.body));
        let_go("here you are");
        assert_non_null(strstr(second.body, "here you are"));
        bench_close(bench);
        failing_check(&failing);
        if (!failed)
            break;
    }
}

/* The same where the client is there: its stream ends with the first event that there is no memory
 * for, and it comes back for that. */
static void ends_a_stream_that_lacks_an_event(void **state)
{
    static char words[3000];
    struct failing failing;
    struct bench *bench;
    struct reply first, second;

    (void)state;
    memset(words, 'w', sizeof words - 1);
    failing_init(&failing, 0);
    bench = bench_open(&failing.allocator,
                       (haft_endpoint_options){.struct_size = sizeof(haft_endpoint_options)});
    check(bench, &(struct row){"POST", "/mcp", LEGACY, HELLO, 200, "*", NULL}, 0);
    hf_server_set_timeout(bench->server, 60 * MINUTE);
    ask_into(bench, &first, "POST", "/mcp", SESSION, CALL(5, "hold", TOKEN));
    haft_progress(held, 1, 9, NULL);
    for (size_t nth = 1; !first.over; nth++) {
        assert_true(nth < 20);
        failing.fail_at = failing.calls + nth;
        haft_progress(held, 1 + (double)nth, 99, "%s", words);
        failing.fail_at = 0;
        haft_endpoint_tick(bench->endpoint, bench->now += 6000);
    }
    assert_null(strstr(first.body, "isError"));
    haft_progress(held, 98, 99, "late");
    assert_null(strstr(first.body, "late"));
    ask_into(bench, &second, "GET", "/mcp", SESSION "last-event-id: 1-1\n", "");
    assert_non_null(strstr(second.body, words));
    assert_non_null(strstr(second.body, "late"));
    let_go("here you are");
    assert_non_null(strstr(second.body, "here you are"));
    bench_close(bench);
    failing_check(&failing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survives_every_failing_allocation),
        cmocka_unit_test(leaves_out_no_event),
        cmocka_unit_test(ends_a_stream_that_lacks_an_event),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
