/* test_mailbox.c - what other threads put into a mailbox: in order, and only so many notices at a time. */
#define _DEFAULT_SOURCE
#include "loop/mailbox.h"

#include <stdatomic.h>
#include <string.h>

#include "support/test.h"

enum { MOST = 2, N = 7 };

struct bench {
    uv_loop_t loop;
    uv_async_t wake;
    struct mailbox mailbox;
    haft_posted notices[N];
    atomic_size_t n_put;
};

static void on_wake(uv_async_t *wake)
{
    (void)wake;
}

static void bench_open(struct bench *bench)
{
    memset(bench, 0, sizeof *bench);
    assert_int_equal(uv_loop_init(&bench->loop), 0);
    assert_int_equal(uv_async_init(&bench->loop, &bench->wake, on_wake), 0);
    assert_int_equal(hf_mailbox_init(&bench->mailbox, MOST, &bench->wake), 0);
    for (size_t i = 0; i < N; i++)
        bench->notices[i].kind = POSTED_NOTICE;
}

static void bench_close(struct bench *bench)
{
    hf_mailbox_finish(&bench->mailbox);
    uv_close((uv_handle_t *)&bench->wake, NULL);
    uv_run(&bench->loop, UV_RUN_DEFAULT);
    uv_loop_close(&bench->loop);
}

static void put_all(void *context)
{
    struct bench *bench = context;

    for (size_t i = 0; i < N; i++) {
        hf_mailbox_put(&bench->mailbox, &bench->notices[i]);
        atomic_fetch_add(&bench->n_put, 1);
    }
}

static void await_put(struct bench *bench, size_t n)
{
    while (atomic_load(&bench->n_put) < n)
        uv_sleep(1);
}

/* Whoever reports more than is taken waits, and goes on when it is. */
static void holds_so_many_notices(void **state)
{
    struct bench bench;
    uv_thread_t thread;
    size_t taken = 0;

    (void)state;
    bench_open(&bench);
    assert_int_equal(uv_thread_create(&thread, put_all, &bench), 0);
    while (taken < N) {
        size_t n = 0;

        await_put(&bench, taken + MOST < N ? taken + MOST : N);
        uv_sleep(5); /* for one too many, which would be a fault */
        for (haft_posted *posted = hf_mailbox_take(&bench.mailbox); posted;
             posted = posted->next, n++)
            assert_ptr_equal(posted, &bench.notices[taken + n]);
        assert_true(n > 0 && n <= MOST);
        taken += n;
    }
    uv_thread_join(&thread);
    assert_null(hf_mailbox_take(&bench.mailbox));
    bench_close(&bench);
}

/* Results do not wait for room, nor does anything in a mailbox that is closed. */
static void holds_back_nothing_else(void **state)
{
    struct bench bench;

    (void)state;
    for (int closed = 0; closed < 2; closed++) {
        size_t n = 0;

        bench_open(&bench);
        if (closed)
            hf_mailbox_close(&bench.mailbox);
        for (size_t i = 0; i < N; i++)
            bench.notices[i].ran = !closed;
        put_all(&bench);
        for (haft_posted *posted = hf_mailbox_take(&bench.mailbox); posted; posted = posted->next)
            n++;
        assert_int_equal(n, N);
        bench_close(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_so_many_notices),
        cmocka_unit_test(holds_back_nothing_else),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
