/* test_away.c - rate limits and single uses with a store: its refusals, its absence, and little memory. */
#include <stdio.h>
#include <string.h>

#include "stage/limiter.h"
#include "stage/store_state.h"
#include "support/failing.h"
#include "support/late_store.h"
#include "support/test.h"
#include "support/wire.h"

static int hello(haft_call *call)
{
    return haft_text(call, "hello");
}
HAFT_TOOL_BARE(hello, "Greets", .quick = true);

static int confirm(haft_call *call)
{
    haft_value *content;
    int answer = haft_elicit_json(call, "sure", "Sure?", "{\"type\":\"object\",\"properties\":{}}",
                                  &content);

    return answer < HAFT_DECLINED ? answer : haft_text(call, "confirmed");
}
HAFT_TOOL_BARE(confirm, "Asks first", .quick = true);

/* A server on a store, with a limit of four calls for two replicas. */
struct away {
    haft_store *memory;
    struct late_store *late;
    haft_server *server;
    struct wire *wire;
};

static void away_open(struct away *away, haft_store_away rate, haft_store_away replay,
                      const haft_allocator *allocator)
{
    static const unsigned char key[32] = "key";

    away->memory = haft_store_memory_new(NULL);
    away->late = late_store_new(away->memory, LATE_AT_ONCE, 0);
    away->server = haft_server_new_with(
        "test", "1",
        HAFT_WITH(haft_server_options, .allocator = allocator, .seal_key = key,
                  .store = late_store_of(away->late), .store_rate = rate, .store_replay = replay,
                  .client_rate = {4, 1000}, .replicas = 2));
    assert_non_null(away->server);
    assert_int_equal(haft_add(away->server, &hello_tool), 0);
    assert_int_equal(haft_add(away->server, &confirm_tool), 0);
    assert_int_equal(haft_single_use_enable(away->server), 0);
    away->wire = wire_open(away->server);
    wire_greet(away->wire, "2026-07-28");
}

static void away_close(struct away *away)
{
    wire_close(away->wire);
    haft_server_free(away->server);
    late_store_free(away->late);
    haft_store_free(away->memory);
}

static const char *away_call(struct away *away)
{
    return wire_call(away->wire, "tools/call", "\"name\":\"hello\"");
}

/* The number of calls out of ten that pass. */
static int away_passed(struct away *away)
{
    int passed = 0;

    for (int i = 0; i < 10; i++)
        passed += strstr(away_call(away), "\"text\":\"hello\"") != NULL;
    return passed;
}

/* ---- */

static void policies_of_rates(void **state)
{
    static const struct {
        haft_store_away policy;
        int passed; /* while the store fails */
    } rows[] = {
        {HAFT_AWAY_DEFAULT, 2}, /* the limit by the number of replicas */
        {HAFT_AWAY_LOCAL, 2},
        {HAFT_AWAY_CLOSED, 0},
        {HAFT_AWAY_OPEN, 10},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct away away;

        away_open(&away, rows[i].policy, HAFT_AWAY_DEFAULT, NULL);
        late_store_set(away.late, LATE_FAILS);
        assert_int_equal(away_passed(&away), rows[i].passed);
        assert_true(hf_store_is_degraded(away.server));
        late_store_set(away.late, LATE_AT_ONCE);
        assert_int_equal(away_passed(&away), 4);
        assert_false(hf_store_is_degraded(away.server));
        away_close(&away);
    }
}

/* What the store has refused is refused without it, for as long as it said. */
static void asks_once_for_a_refusal(void **state)
{
    struct away away;
    size_t requests;

    (void)state;
    away_open(&away, HAFT_AWAY_DEFAULT, HAFT_AWAY_DEFAULT, NULL);
    assert_int_equal(away_passed(&away), 4);
    requests = late_store_requests(away.late);
    assert_int_equal(away_passed(&away), 0);
    assert_int_equal(late_store_requests(away.late), requests);
    away.wire->now += 1000;
    assert_int_equal(away_passed(&away), 4);
    assert_int_equal(late_store_requests(away.late), requests + 5);
    away_close(&away);
}

/* ---- refusals in a limiter ---- */

static void remembers_refusals(void **state)
{
    static const struct {
        const char *key;
        haft_rate rate;
        int64_t now;
        bool blocked;
        int64_t wait;
    } rows[] = {
        {"a", {3, 1000}, 0, true, 50},  {"a", {3, 1000}, 49, true, 1},
        {"a", {3, 1000}, 50, false, 0}, {"a", {4, 1000}, 0, false, 0},
        {"a", {3, 999}, 0, false, 0},   {"b", {3, 1000}, 0, false, 0},
    };
    struct limiter *limiter = hf_limiter_new(NULL, 10);

    (void)state;
    hf_limiter_block(limiter, "a", 1, (haft_rate){3, 1000}, 50);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int64_t wait = 0;

        assert_int_equal(
            hf_limiter_is_blocked(limiter, rows[i].key, 1, rows[i].rate, rows[i].now, &wait),
            rows[i].blocked);
        assert_int_equal(wait, rows[i].wait);
    }
    assert_int_equal(hf_limiter_take(limiter, "a", 1, (haft_rate){3, 1000}, 0, &(int64_t){0}), 1);
    hf_limiter_free(limiter);
}

/* Without memory the refusal is forgotten: the store is asked again. */
static void forgets_refusals_without_memory(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        struct limiter *limiter;
        int64_t wait = 0;

        failing_init(&failing, nth);
        limiter = hf_limiter_new(&failing.allocator, 4);
        if (limiter) {
            bool blocked;

            hf_limiter_block(limiter, "a", 1, (haft_rate){3, 1000}, 50);
            blocked = hf_limiter_is_blocked(limiter, "a", 1, (haft_rate){3, 1000}, 0, &wait);
            assert_int_equal(blocked, !failing.failures);
            hf_limiter_free(limiter);
        }
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
}

/* ---- little memory ---- */

/* Every allocation of calls fails in turn; the next calls are answered as if nothing had been. */
static void calls_without_memory(void **state)
{
    static const struct {
        enum late_mode mode;
        haft_store_away policy;
    } rows[] = {{LATE_AT_ONCE, HAFT_AWAY_DEFAULT},
                {LATE_FAILS, HAFT_AWAY_LOCAL},
                {LATE_FAILS, HAFT_AWAY_CLOSED},
                {LATE_FAILS, HAFT_AWAY_OPEN}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (size_t nth = 1;; nth++) {
            struct failing failing;
            struct away away;
            size_t failures;

            failing_init(&failing, 0);
            away_open(&away, rows[i].policy, rows[i].policy, &failing.allocator);
            late_store_set(away.late, rows[i].mode);
            failing.fail_at = failing.calls + nth;
            for (int k = 0; k < 6; k++)
                away_call(&away); /* there may be no memory for an answer, either */
            failures = failing.failures;
            failing.fail_at = 0;
            late_store_set(away.late, LATE_AT_ONCE);
            away.wire->now += 1000;
            assert_int_equal(away_passed(&away), 4);
            away_close(&away);
            failing_check(&failing);
            if (!failures)
                break;
        }
}

static void put_answer(char *params, size_t size, const char *question)
{
    const char *at = strstr(question, "\"requestState\":\"");

    assert_non_null(at);
    snprintf(params, size,
             "\"name\":\"confirm\",\"inputResponses\":{\"sure\":{\"action\":\"decline\"}},"
             "\"requestState\":\"%.*s\"",
             (int)strcspn(at + 16, "\""), at + 16);
}

/* Whatever fails, a state is not used twice. */
static void uses_once_without_memory(void **state)
{
    static const struct {
        enum late_mode mode;
        haft_store_away policy;
    } rows[] = {{LATE_AT_ONCE, HAFT_AWAY_DEFAULT},
                {LATE_FAILS, HAFT_AWAY_LOCAL},
                {LATE_FAILS, HAFT_AWAY_CLOSED}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (size_t nth = 1;; nth++) {
            struct failing failing;
            struct away away;
            char params[2048];
            size_t failures;
            int confirmed = 0;

            failing_init(&failing, 0);
            away_open(&away, HAFT_AWAY_OPEN, rows[i].policy, &failing.allocator);
            put_answer(
                params, sizeof params,
                wire_call(away.wire, "tools/call", "\"name\":\"confirm\",\"inputResponses\":{}"));
            late_store_set(away.late, rows[i].mode);
            failing.fail_at = failing.calls + nth;
            for (int k = 0; k < 3; k++) {
                const char *answer = wire_call(away.wire, "tools/call", params);

                confirmed += answer && strstr(answer, "confirmed");
            }
            failures = failing.failures;
            assert_true(confirmed <= 1);
            assert_true(failures || confirmed == (rows[i].policy != HAFT_AWAY_CLOSED));
            away_close(&away);
            failing_check(&failing);
            if (!failures)
                break;
        }
}

static void enables_without_memory(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        haft_server *server;

        failing_init(&failing, nth);
        server = haft_server_new_with(
            "test", "1", HAFT_WITH(haft_server_options, .allocator = &failing.allocator));
        if (server && haft_single_use_enable(server))
            assert_true(failing.failures);
        haft_server_free(server);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policies_of_rates),      cmocka_unit_test(asks_once_for_a_refusal),
        cmocka_unit_test(remembers_refusals),     cmocka_unit_test(forgets_refusals_without_memory),
        cmocka_unit_test(calls_without_memory),   cmocka_unit_test(uses_once_without_memory),
        cmocka_unit_test(enables_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
