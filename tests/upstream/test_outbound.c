/* test_outbound.c - the loop for upstreams: which thread runs a task, and when. */
#define _POSIX_C_SOURCE 200809L /* libuv wants pthread_rwlock_t */
#include <stdatomic.h>

#include "support/test.h"
#include "upstream/outbound.h"

enum { MANY = 1000 };

struct probe {
    struct outbound_task task;
    struct outbound *outbound;
    uv_thread_t thread; /* that it ran on */
    atomic_uint n_runs;
    struct probe *posts; /* another one, by its task; NULL for none */
    bool ran_inside;     /* the other one had run when its posting returned */
    bool stops;          /* the loop */
};

static void probe_run(struct outbound_task *task)
{
    struct probe *probe = task->owner;

    probe->thread = uv_thread_self();
    if (probe->posts) {
        hf_outbound_post(probe->outbound, &probe->posts->task);
        probe->ran_inside = atomic_load(&probe->posts->n_runs) > 0;
    }
    if (probe->stops)
        uv_stop(&probe->outbound->loop);
    atomic_fetch_add(&probe->n_runs, 1);
}

static struct probe probe_of(struct outbound *outbound)
{
    return (struct probe){.outbound = outbound, .task = {.run = probe_run}};
}

static void probe_post(struct probe *probe)
{
    probe->task.owner = probe;
    hf_outbound_post(probe->outbound, &probe->task);
}

static bool probe_ran_on(const struct probe *probe, const uv_thread_t *thread)
{
    return uv_thread_equal(&probe->thread, thread);
}

static void wait_for(const struct probe *probe)
{
    while (!atomic_load(&probe->n_runs))
        uv_sleep(1);
}

static void open_outbound(struct outbound *outbound)
{
    haft_reason reason;

    assert_int_equal(hf_outbound_init(outbound), 0);
    assert_int_equal(hf_outbound_start(outbound, &reason), 0);
}

static void own_thread(void **state)
{
    struct outbound outbound;
    struct probe early = probe_of(&outbound), first = early, second = early;
    uv_thread_t self = uv_thread_self();
    haft_reason reason;

    (void)state;
    assert_int_equal(hf_outbound_init(&outbound), 0);
    assert_null(hf_outbound_lend(&outbound));
    probe_post(&early);
    assert_false(hf_outbound_is_running(&outbound));
    assert_int_equal(atomic_load(&early.n_runs), 0);
    assert_int_equal(hf_outbound_start(&outbound, &reason), 0);
    assert_true(hf_outbound_is_running(&outbound));
    second.task.owner = &second;
    first.posts = &second;
    probe_post(&first);
    wait_for(&first);
    assert_true(first.ran_inside);
    assert_true(probe_ran_on(&first, &outbound.thread));
    assert_true(probe_ran_on(&second, &outbound.thread));
    assert_false(probe_ran_on(&second, &self));
    hf_outbound_finish(&outbound);
    assert_int_equal(atomic_load(&early.n_runs), 1);
}

/* Tasks of the borrower wait for the loop, and come in order. */
static void lent(void **state)
{
    struct outbound outbound;
    struct probe first = probe_of(&outbound), second = first, last = first;
    uv_thread_t self = uv_thread_self();

    (void)state;
    open_outbound(&outbound);
    assert_ptr_equal(hf_outbound_lend(&outbound), &outbound.loop);
    assert_null(hf_outbound_lend(&outbound));
    second.task.owner = &second;
    first.posts = &second;
    last.stops = true;
    probe_post(&first);
    probe_post(&last);
    assert_int_equal(atomic_load(&first.n_runs), 0);
    uv_run(&outbound.loop, UV_RUN_DEFAULT);
    assert_int_equal(atomic_load(&second.n_runs), 1);
    assert_false(first.ran_inside);
    assert_true(probe_ran_on(&first, &self));
    assert_true(probe_ran_on(&second, &self));
    hf_outbound_return(&outbound);
    hf_outbound_finish(&outbound);
}

/* A task that the borrower posted last runs on the loop's own thread. */
static void returned(void **state)
{
    struct outbound outbound;
    struct probe probe = probe_of(&outbound);

    (void)state;
    open_outbound(&outbound);
    assert_non_null(hf_outbound_lend(&outbound));
    probe_post(&probe);
    hf_outbound_return(&outbound);
    wait_for(&probe);
    assert_true(probe_ran_on(&probe, &outbound.thread));
    hf_outbound_finish(&outbound);
}

/* Posts a task again and again, after it has run. */
static void post_many(void *context)
{
    struct probe *probe = context;

    for (unsigned i = 0; i < MANY; i++) {
        probe_post(probe);
        while (atomic_load(&probe->n_runs) == i)
            uv_sleep(0);
    }
}

/* No task is lost while the loop goes from thread to thread. */
static void lent_often(void **state)
{
    struct outbound outbound;
    struct probe probe = probe_of(&outbound), own = probe;
    uv_thread_t thread;

    (void)state;
    open_outbound(&outbound);
    assert_int_equal(uv_thread_create(&thread, post_many, &probe), 0);
    own.stops = true;
    for (unsigned i = 0; atomic_load(&probe.n_runs) < MANY; i++) {
        assert_non_null(hf_outbound_lend(&outbound));
        probe_post(&own);
        uv_run(&outbound.loop, UV_RUN_DEFAULT);
        assert_int_equal(atomic_load(&own.n_runs), i + 1);
        hf_outbound_return(&outbound);
    }
    uv_thread_join(&thread);
    hf_outbound_finish(&outbound);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_thread),
        cmocka_unit_test(lent),
        cmocka_unit_test(returned),
        cmocka_unit_test(lent_often),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
