/* So many calls in so much time: exact at the edges, apart by key, bounded in keys, and exact when
 * several threads call at once. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "stage/limiter.h"
#include "support/failing.h"
#include "support/test.h"

static void windows_slide(void **state)
{
    static const struct {
        int64_t at;
        int allowed;
        int64_t wait;
    } rows[] = {
        {0, 1, 0},     {10, 1, 0},      {20, 1, 0},   {20, 0, 980}, {999, 0, 1},  {1000, 1, 0},
        {1000, 0, 10}, {1010, 1, 0},    {1019, 0, 1}, {1020, 1, 0}, {5000, 1, 0}, {5000, 1, 0},
        {5000, 1, 0},  {5000, 0, 1000}, {5999, 0, 1}, {6000, 1, 0},
    };
    struct limiter *limiter = hf_limiter_new(NULL, 10);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int64_t wait = 0;

        assert_int_equal(hf_limiter_take(limiter, "k", 1, (haft_rate){3, 1000}, rows[i].at, &wait),
                         rows[i].allowed);
        assert_int_equal(wait, rows[i].wait);
    }
    hf_limiter_free(limiter);
}

/* t takes, p peeks, g gives back; a small letter is refused where a capital is allowed. */
static void gives_back_what_was_taken(void **state)
{
    static const struct {
        const char *steps; /* at the times 0, 10, 20 ... of a window of 100 */
        int64_t wait;      /* that the last refusal tells */
    } rows[] = {
        {"PTTTpt", 60},   {"TTTGTt", 50}, {"TTTGGTTt", 30},       {"TTGGGTTTt", 70},
        {"TTTGPPTp", 30}, {"GPTTTt", 70}, {"TTTtttttttTTTt", 70}, {"TTTtttttttTTTGGTTt", 30},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct limiter *limiter = hf_limiter_new(NULL, 10);
        haft_rate rate = {3, 100};
        int64_t wait = 0, now = 0;

        for (const char *step = rows[i].steps; *step; step++, now += 10) {
            if (*step == 'G')
                hf_limiter_give_back(limiter, "k", 1, rate);
            else if (*step == 'P' || *step == 'p')
                assert_int_equal(hf_limiter_peek(limiter, "k", 1, rate, now, &wait), *step == 'P');
            else
                assert_int_equal(hf_limiter_take(limiter, "k", 1, rate, now, &wait), *step == 'T');
        }
        assert_int_equal(wait, rows[i].wait);
        /* what nobody has taken, and another limit */
        hf_limiter_give_back(limiter, "other", 5, rate);
        hf_limiter_give_back(limiter, "k", 1, (haft_rate){4, 100});
        assert_int_equal(hf_limiter_peek(limiter, "k", 1, (haft_rate){4, 100}, now, &wait), 1);
        assert_int_equal(hf_limiter_peek(limiter, "other", 5, rate, now, &wait), 1);
        assert_int_equal(hf_limiter_peek(limiter, "k", 1, rate, now - 10, &wait), 0);
        hf_limiter_free(limiter);
    }
}

static void keys_are_counted_apart(void **state)
{
    struct limiter *limiter = hf_limiter_new(NULL, 2);
    int64_t wait;

    (void)state;
    assert_int_equal(hf_limiter_take(limiter, "a", 1, (haft_rate){1, 1000}, 0, &wait), 1);
    assert_int_equal(hf_limiter_take(limiter, "b", 1, (haft_rate){1, 1000}, 0, &wait), 1);
    assert_int_equal(hf_limiter_take(limiter, "a", 1, (haft_rate){1, 1000}, 1, &wait), 0);
    assert_int_equal(hf_limiter_take(limiter, "b", 1, (haft_rate){1, 1000}, 1, &wait), 0);
    /* a third one takes the place of the one that was used longest ago */
    assert_int_equal(hf_limiter_take(limiter, "c", 1, (haft_rate){1, 1000}, 2, &wait), 1);
    assert_int_equal(hf_limiter_take(limiter, "b", 1, (haft_rate){1, 1000}, 3, &wait), 0);
    assert_int_equal(hf_limiter_take(limiter, "a", 1, (haft_rate){1, 1000}, 4, &wait), 1);
    /* another limit begins anew, and none allows nothing */
    assert_int_equal(hf_limiter_take(limiter, "b", 1, (haft_rate){2, 1000}, 5, &wait), 1);
    assert_int_equal(hf_limiter_take(limiter, "b", 1, (haft_rate){0, 1000}, 5, &wait), 0);
    hf_limiter_free(limiter);
    hf_limiter_free(NULL);
}

static void memory_may_fail(void **state)
{
    struct failing memory;
    struct limiter *limiter;
    int64_t wait;

    (void)state;
    failing_init(&memory, 1);
    assert_null(hf_limiter_new(&memory.allocator, 4));
    failing_init(&memory, 2);
    limiter = hf_limiter_new(&memory.allocator, 4);
    assert_int_equal(hf_limiter_take(limiter, "a", 1, (haft_rate){3, 1000}, 0, &wait), HAFT_ENOMEM);
    assert_int_equal(hf_limiter_take(limiter, "a", 1, (haft_rate){3, 1000}, 0, &wait), 1);
    hf_limiter_free(limiter);
    failing_check(&memory);
}

/* A key costs what is called under it, not what its limit is; and all of them have a bound together. */
static void costs_what_is_counted(void **state)
{
    struct failing memory;
    struct limiter *limiter;
    char key[32];
    int64_t wait;

    (void)state;
    failing_init(&memory, 0);
    limiter = hf_limiter_new(&memory.allocator, 10000);
    for (int i = 0; i < 10000; i++) {
        snprintf(key, sizeof key, "key %d", i);
        assert_int_equal(
            hf_limiter_take(limiter, key, strlen(key), (haft_rate){10000, 60000}, 0, &wait), 1);
    }
    assert_true(memory.live_bytes < 4 << 20);
    for (int i = 0; i < 300; i++)
        for (int n = 0; n < 10000; n++) {
            snprintf(key, sizeof key, "key %d", i);
            hf_limiter_take(limiter, key, strlen(key), (haft_rate){10000, 60000}, 0, &wait);
        }
    assert_true(memory.live_bytes < 20 << 20);
    /* the one that was used last is among those that are remembered */
    assert_int_equal(
        hf_limiter_take(limiter, key, strlen(key), (haft_rate){10000, 60000}, 0, &wait), 0);
    hf_limiter_free(limiter);
    failing_check(&memory);
}

enum { THREADS = 3, TRIES = 2000, ALLOWED = 500 };

struct crowd {
    struct limiter *limiter;
    atomic_int allowed;
};

static void *hammer(void *context)
{
    struct crowd *crowd = context;
    int64_t wait;

    for (int i = 0; i < TRIES; i++)
        atomic_fetch_add(&crowd->allowed, hf_limiter_take(crowd->limiter, "key", 3,
                                                          (haft_rate){ALLOWED, 60000}, 5, &wait));
    return NULL;
}

static void a_crowd_gets_no_more(void **state)
{
    struct crowd crowd = {.limiter = hf_limiter_new(NULL, 4)};
    pthread_t threads[THREADS];

    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, hammer, &crowd), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&crowd.allowed), ALLOWED);
    hf_limiter_free(crowd.limiter);
}

/* Windows of keys that were used long ago make room, and count no longer: the latest stay. */
static void forgets_the_oldest(void **state)
{
    enum {
        CALLS = 10001,
        MANY = 3000,
        FEW = 500
    }; /* above 10,000 calls a window has 8 KB at once */
    struct limiter *limiter = hf_limiter_new(NULL, 2 * MANY);
    const haft_rate rate = {CALLS, 1000};
    int64_t wait = 0;
    char key[16];

    (void)state;
    for (int i = 0; i < MANY; i++)
        assert_int_equal(hf_limiter_take(limiter, key, (size_t)snprintf(key, sizeof key, "%d", i),
                                         rate, 5000, &wait),
                         1);
    for (int i = 0; i < CALLS; i++)
        assert_int_equal(hf_limiter_take(limiter, "busy", 4, rate, 5000, &wait), 1);
    for (int i = 0; i < FEW; i++)
        assert_int_equal(hf_limiter_take(limiter, key, (size_t)snprintf(key, sizeof key, "x%d", i),
                                         rate, 5000, &wait),
                         1);
    assert_int_equal(hf_limiter_take(limiter, "busy", 4, rate, 5000, &wait), 0);
    hf_limiter_free(limiter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forgets_the_oldest),        cmocka_unit_test(windows_slide),
        cmocka_unit_test(gives_back_what_was_taken), cmocka_unit_test(keys_are_counted_apart),
        cmocka_unit_test(memory_may_fail),           cmocka_unit_test(costs_what_is_counted),
        cmocka_unit_test(a_crowd_gets_no_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
