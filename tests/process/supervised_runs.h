/* supervised_runs.h - programs that a supervisor starts for a test, and what became of them. */
#ifndef HAFT_TESTS_SUPERVISED_RUNS_H
#define HAFT_TESTS_SUPERVISED_RUNS_H

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/supervisor.h"
#include "support/test.h"

enum {
    OUTPUT = 64 << 10,
    SOON_MS = 20000,
    GRACE_MS = 50,
    TREE = 7 /* processes of program-tree */
};

static char self[1024];
static const char *const environment[] = {"PATH=/usr/bin:/bin", "LANG=C", "GIVEN=yes", NULL};

/* ---- a program, and what became of it ---- */

struct run {
    struct supervised child;
    struct supervised_end end;
    haft_reason failure;
    int n_started, n_failed, n_ended;
    int output; /* what it writes; -1 if nobody reads */
    char text[OUTPUT];
};

static void run_started(struct supervised *child, const haft_reason *failure)
{
    struct run *run = child->data;

    if (failure) {
        run->n_failed++;
        run->failure = *failure;
    } else {
        run->n_started++;
    }
}

static void run_ended(struct supervised *child, const struct supervised_end *end)
{
    struct run *run = child->data;

    run->n_ended++;
    run->end = *end;
}

struct fixture {
    uv_loop_t loop;
    haft_allocator allocator;
    struct supervisor *supervisor;
};

static void *fixture_alloc(void *context, size_t size)
{
    (void)context;
    return malloc(size);
}

static void fixture_release(void *context, void *memory, size_t size)
{
    (void)context;
    (void)size;
    free(memory);
}

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);

    *state = fixture;
    fixture->allocator = (haft_allocator){.alloc = fixture_alloc, .release = fixture_release};
    uv_loop_init(&fixture->loop);
    fixture->supervisor = hf_supervisor_new(&fixture->loop, &fixture->allocator);
    return !fixture->supervisor;
}

static void count_closed(void *context)
{
    ++*(int *)context;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    int closed = 0;

    hf_supervisor_close(fixture->supervisor, 0, count_closed, &closed);
    uv_run(&fixture->loop, UV_RUN_DEFAULT);
    assert_int_equal(closed, 1);
    assert_int_equal(uv_loop_close(&fixture->loop), 0);
    free(fixture);
    return 0;
}

/* Starts a program whose standard output is read, and whose input is a text. */
static int run_start(struct supervisor *supervisor, struct run *run,
                     struct supervised_program program, const char *input)
{
    int output[2], in[2];
    haft_reason reason;
    int status;

    memset(run, 0, sizeof *run);
    run->child = (struct supervised){.on_start = run_started, .on_end = run_ended, .data = run};
    assert_int_equal(pipe2(output, O_CLOEXEC), 0);
    program.fds[0] = program.fds[2] = -1;
    program.fds[1] = output[1];
    if (input) {
        assert_int_equal(pipe2(in, O_CLOEXEC), 0);
        assert_int_equal(write(in[1], input, strlen(input)), strlen(input));
        close(in[1]);
        program.fds[0] = in[0];
    }
    run->output = output[0];
    status = hf_supervisor_start(supervisor, &run->child, &program, &reason);
    if (status) {
        run->failure = reason;
        close(output[0]);
        run->output = -1;
    }
    return status;
}

static void run_read(struct run *run)
{
    size_t size = 0;
    ssize_t n;

    while (run->output >= 0 && size < sizeof run->text - 1 &&
           (n = read(run->output, run->text + size, sizeof run->text - 1 - size)) > 0)
        size += (size_t)n;
    run->text[size] = '\0';
    if (run->output >= 0)
        close(run->output);
    run->output = -1;
}

static void on_too_late(uv_timer_t *timer)
{
    (void)timer;
    fail_msg("waited too long");
}

/* Runs the loop until a counter is not zero. */
static void await_count(uv_loop_t *loop, const int *count)
{
    uv_timer_t timer;

    uv_timer_init(loop, &timer);
    uv_timer_start(&timer, on_too_late, SOON_MS, 0);
    while (!*count)
        uv_run(loop, UV_RUN_ONCE);
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(loop, UV_RUN_NOWAIT);
}

/* Until it has ended or failed. */
static void run_await(struct fixture *fixture, struct run *run)
{
    while (!run->n_ended && !run->n_failed)
        uv_run(&fixture->loop, UV_RUN_ONCE);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif
