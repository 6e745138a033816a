/* A sliding window against a list of all calls: exact where it promises to be, never generous where it does
 * not, and no larger than what is used. */
#include <stdlib.h>
#include <string.h>

#include "store/window.h"
#include "support/failing.h"
#include "support/test.h"

static int window_take(struct window *window, haft_rate rate, int64_t now, int64_t *ret_wait,
                       const haft_allocator *allocator, size_t *bytes)
{
    /* Both ways must count alike, so they take turns. */
    if (now % 3 && window_count_quickly(window, rate, now))
        return 1;
    hf_window_set_rate(window, rate, allocator, bytes);
    if (!hf_window_allows(window, now, ret_wait))
        return 0;
    if (hf_window_reserve(window, allocator, bytes))
        return HAFT_ENOMEM;
    hf_window_count(window, now);
    return 1;
}

static void slides(void **state)
{
    static const struct {
        int64_t at;
        int allowed;
        int64_t wait;
    } rows[] = {
        {0, 1, 0},    {10, 1, 0},    {20, 1, 0},   {20, 0, 980},    {999, 0, 1},
        {1000, 1, 0}, {1000, 0, 10}, {1010, 1, 0}, {1019, 0, 1},    {1020, 1, 0},
        {5000, 1, 0}, {5000, 1, 0},  {5000, 1, 0}, {5000, 0, 1000}, {5999, 0, 1},
        {6000, 1, 0}, {6000, 1, 0},  {6000, 1, 0}, {6000, 0, 1000},
    };
    const haft_allocator *allocator = hf_allocator_or_default(NULL);
    struct window window = {.rate = {0}};
    size_t bytes = 0;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int64_t wait = 0;
        int allowed =
            window_take(&window, (haft_rate){3, 1000}, rows[i].at, &wait, allocator, &bytes);

        assert_int_equal(allowed, rows[i].allowed);
        if (!allowed)
            assert_int_equal(wait, rows[i].wait);
    }
    hf_window_finish(&window, allocator);
}

/* How many of the calls so far are in the window that ends at `now`. */
static size_t model_count(const int64_t *times, size_t n, int64_t now, int64_t per_ms)
{
    size_t count = 0;

    while (n && now - times[n - 1] < per_ms) {
        n--;
        count++;
    }
    return count;
}

enum { STEPS = SANITIZED ? 15000 : 60000 };

/* Random walks: bursts and pauses. */
static void agrees_with_a_list_of_calls(void **state)
{
    static const haft_rate rates[] = {{1, 1},     {1, 1000},      {2, 7},         {5, 100},
                                      {100, 999}, {10000, 60000}, {10001, 60000}, {20000, 100},
                                      {12345, 1}, {50000, 1000},  {10001, 7},     {4000000, 5000}};
    const haft_allocator *allocator = hf_allocator_or_default(NULL);
    int64_t *times = malloc(STEPS * sizeof *times);

    (void)state;
    srand(7);
    for (size_t r = 0; r < COUNT_OF(rates); r++) {
        haft_rate rate = rates[r];
        bool exact = rate.calls <= WINDOW_EXACT;
        struct window window = {.rate = {0}};
        int64_t now = rand() % 100000, slice = rate.per_ms / WINDOW_SLICES + 1;
        size_t n = 0, bytes = 0;

        for (size_t i = 0; i < STEPS; i++) {
            int64_t wait = -1;
            size_t count;
            int allowed;

            if (!(rand() % 4))
                now += rand() % 3;
            if (!(rand() % 5000))
                now += rand() % (2 * (int)rate.per_ms);
            count = model_count(times, n, now, rate.per_ms);
            allowed = window_take(&window, rate, now, &wait, allocator, &bytes);
            if (exact)
                assert_int_equal(allowed, count < rate.calls);
            else if (allowed)
                assert_true(count < rate.calls);
            else /* with the calls of one slice more it would have been too many */
                assert_true(model_count(times, n, now, rate.per_ms + slice) >= rate.calls);
            if (!allowed)
                assert_true(wait > 0 && wait <= rate.per_ms + slice);
            if (allowed)
                times[n++] = now;
        }
        assert_int_equal(bytes, window.capacity * sizeof *window.times);
        hf_window_finish(&window, allocator);
    }
    free(times);
}

static void waits_as_long_as_it_says(void **state)
{
    static const haft_rate rates[] = {{3, 50}, {10500, 500}, {11000, 7}};
    const haft_allocator *allocator = hf_allocator_or_default(NULL);

    (void)state;
    for (size_t r = 0; r < COUNT_OF(rates); r++) {
        struct window window = {.rate = {0}};
        int64_t now = 12345, wait = 0;
        size_t bytes = 0;

        for (unsigned i = 0; i < rates[r].calls; i++)
            assert_int_equal(window_take(&window, rates[r], now, &wait, allocator, &bytes), 1);
        assert_int_equal(window_take(&window, rates[r], now, &wait, allocator, &bytes), 0);
        assert_int_equal(
            window_take(&window, rates[r], now + wait - 1, &(int64_t){0}, allocator, &bytes), 0);
        assert_int_equal(window_take(&window, rates[r], now + wait, &wait, allocator, &bytes), 1);
        hf_window_finish(&window, allocator);
    }
}

static void costs_what_it_uses(void **state)
{
    const haft_allocator *allocator = hf_allocator_or_default(NULL);
    struct window window = {.rate = {0}};
    size_t bytes = 0;
    int64_t wait;

    (void)state;
    assert_int_equal(window_take(&window, (haft_rate){10000, 60000}, 0, &wait, allocator, &bytes),
                     1);
    assert_int_equal(bytes, 8 * sizeof(int64_t));
    /* a rate that has changed begins anew */
    assert_int_equal(window_take(&window, (haft_rate){2, 60000}, 0, &wait, allocator, &bytes), 1);
    assert_int_equal(bytes, 2 * sizeof(int64_t));
    assert_int_equal(window_take(&window, (haft_rate){0, 60000}, 0, &wait, allocator, &bytes), 0);
    assert_int_equal(wait, 60000);
    assert_int_equal(bytes, 0);
    assert_int_equal(window_take(&window, (haft_rate){1000000, 60000}, 0, &wait, allocator, &bytes),
                     1);
    assert_int_equal(bytes, (WINDOW_SLICES + 1) * sizeof(int64_t));
    hf_window_finish(&window, allocator);
}

static void counts_nothing_without_memory(void **state)
{
    (void)state;
    for (unsigned calls = 20; calls <= 20000; calls *= 1000)
        for (size_t nth = 1; nth < 3; nth++) {
            struct window window = {.rate = {0}};
            struct failing failing;
            size_t bytes = 0;
            int64_t wait;
            int allowed = 0;

            failing_init(&failing, nth);
            for (int i = 0; i < 20; i++)
                allowed += window_take(&window, (haft_rate){calls, 1000}, 0, &wait,
                                       &failing.allocator, &bytes) == 1;
            assert_int_equal(allowed, failing.failures ? 19 : 20);
            hf_window_finish(&window, &failing.allocator);
            failing_check(&failing);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slides),
        cmocka_unit_test(agrees_with_a_list_of_calls),
        cmocka_unit_test(waits_as_long_as_it_says),
        cmocka_unit_test(costs_what_it_uses),
        cmocka_unit_test(counts_nothing_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
