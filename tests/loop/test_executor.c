/* test_executor.c - tasks on threads of their own: as many as there is room for, each once, all
 * before the end. */
#define _DEFAULT_SOURCE
#include "loop/executor.h"

#include <stdatomic.h>
#include <unistd.h>

#include "base/base.h"
#include "support/failing.h"
#include "support/test.h"

enum { THREADS = 2, WAITING = 3, PATIENCE = 30000 };

static atomic_uint started, ended;
static atomic_bool may_go;

static void wait_for_it(void *argument)
{
    atomic_fetch_add(&started, 1);
    while (!atomic_load(&may_go))
        usleep(1000);
    atomic_fetch_add(&ended, 1);
    atomic_fetch_add((atomic_uint *)argument, 1);
}

static void wait_until(const atomic_uint *count, unsigned n)
{
    for (int i = 0; i < PATIENCE && atomic_load(count) < n; i++)
        usleep(1000);
    assert_int_equal(atomic_load(count), n);
}

static void clear(void)
{
    atomic_store(&started, 0);
    atomic_store(&ended, 0);
    atomic_store(&may_go, false);
}

/* Those that wait are refused at the limit, and taken again when there is room. */
static void takes_as_many_as_it_has_room_for(void **state)
{
    struct executor *executor = hf_executor_new(hf_allocator_or_default(NULL), THREADS, WAITING);
    haft_executor on = hf_executor_interface(executor);
    atomic_uint runs[2 * (THREADS + WAITING)] = {0};
    size_t n = 0;

    (void)state;
    clear();
    assert_non_null(executor);
    for (; n < THREADS + WAITING; n++)
        assert_int_equal(on.run(on.context, wait_for_it, &runs[n]), 0);
    wait_until(&started, THREADS);
    for (int i = 0; i < 3; i++)
        assert_int_equal(on.run(on.context, wait_for_it, &runs[0]), HAFT_EBUSY);
    assert_int_equal(atomic_load(&started), THREADS);
    atomic_store(&may_go, true);
    wait_until(&ended, THREADS + WAITING);
    /* Each is counted off a moment after it has been run. */
    for (int i = 0; n < COUNT_OF(runs); i++) {
        n += !on.run(on.context, wait_for_it, &runs[n]);
        assert_true(i < PATIENCE);
        usleep(100);
    }
    hf_executor_free(executor);
    for (size_t i = 0; i < COUNT_OF(runs); i++)
        assert_int_equal(atomic_load(&runs[i]), 1);
}

static void runs_what_it_has_taken_before_it_ends(void **state)
{
    struct executor *executor = hf_executor_new(hf_allocator_or_default(NULL), 1, WAITING);
    haft_executor on = hf_executor_interface(executor);
    atomic_uint runs[WAITING] = {0};

    (void)state;
    clear();
    atomic_store(&may_go, true);
    for (size_t i = 0; i < WAITING; i++)
        assert_int_equal(on.run(on.context, wait_for_it, &runs[i]), 0);
    hf_executor_free(executor);
    assert_int_equal(atomic_load(&ended), WAITING);
    hf_executor_free(NULL);
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        struct executor *executor;

        failing_init(&failing, nth);
        executor = hf_executor_new(&failing.allocator, THREADS, WAITING);
        assert_int_equal(!executor, failing.failures > 0);
        hf_executor_free(executor);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_as_many_as_it_has_room_for),
        cmocka_unit_test(runs_what_it_has_taken_before_it_ends),
        cmocka_unit_test(survives_every_failing_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
