/* test_retry.c - which requests are repeated, after what time, and how often. */
#include "support/test.h"
#include "upstream/retry.h"

static const struct retry_rules rules = {.max = 2, .base_ms = 200, .most_ms = 5000, .percent = 20};

static void methods(void **state)
{
    static const struct {
        const char *method;
        bool idempotent;
    } rows[] = {{"GET", true},    {"HEAD", true},  {"OPTIONS", true}, {"PUT", true},
                {"DELETE", true}, {"TRACE", true}, {"POST", false},   {"PATCH", false},
                {"get", false},   {"QUERY", false}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(hf_retry_is_idempotent(rows[i].method), rows[i].idempotent);
}

static void statuses(void **state)
{
    (void)state;
    for (int status = 100; status < 600; status++)
        assert_int_equal(hf_retry_wants(status),
                         status == 429 || status == 502 || status == 503 || status == 504);
}

static void delays(void **state)
{
    static const struct {
        unsigned n;
        int64_t after, least, most;
    } rows[] = {
        {1, -1, 100, 200},    {2, -1, 200, 400},     {3, -1, 400, 800},    {6, -1, 2500, 5000},
        {60, -1, 2500, 5000}, {1, 3000, 3000, 3000}, {6, 100, 2500, 5000}, {1, 0, 100, 200},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int64_t least = INT64_MAX, most = 0;

        for (uint32_t random = 0; random < 10000; random++) {
            int64_t delay = hf_retry_delay(&rules, rows[i].n, random, rows[i].after);

            least = delay < least ? delay : least;
            most = delay > most ? delay : most;
        }
        assert_int_equal(least, rows[i].least);
        assert_int_equal(most, rows[i].most);
    }
}

static void retry_after(void **state)
{
    static const struct {
        const char *value;
        int64_t ms;
    } rows[] = {
        {NULL, -1},
        {"", -1},
        {"0", 0},
        {"7", 7000},
        {"-1", -1},
        {"1.5", -1},
        {"1 ", -1},
        {"99999999", 86400000},
        {"99999999999999999999", -1},
        {"Sun, 06 Nov 1994 08:49:37 GMT", 0},
        {"Sun, 06 Nov 1994 08:50:37 GMT", 60000},
        {"Mon, 07 Nov 1994 08:49:37 GMT", 86400000},
        {"Mon, 07 Foo 1994 08:49:37 GMT", -1},
        {"Sunday, 06-Nov-94 08:49:37 GMT", -1},
        {"Sun, 06 Nov 1994 08:4x:37 GMT", -1},
        {"soon", -1},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (hf_retry_after(rows[i].value, 784111777) != rows[i].ms)
            fail_msg("%s: %lld", rows[i].value,
                     (long long)hf_retry_after(rows[i].value, 784111777));
}

/* At most ten at once, and then one for each five calls. */
static void budget(void **state)
{
    struct retry_budget left = {RETRY_BURST};
    unsigned taken = 0;

    (void)state;
    while (hf_retry_take(&left))
        taken++;
    assert_int_equal(taken, 10);
    for (int i = 0; i < 1000; i++) {
        hf_retry_earn(&left, &rules);
        taken += hf_retry_take(&left);
    }
    assert_int_equal(taken, 210);
    for (int i = 0; i < 1000; i++)
        hf_retry_earn(&left, &rules);
    for (taken = 0; hf_retry_take(&left);)
        taken++;
    assert_int_equal(taken, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(methods), cmocka_unit_test(statuses),
                                       cmocka_unit_test(delays), cmocka_unit_test(retry_after),
                                       cmocka_unit_test(budget)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
