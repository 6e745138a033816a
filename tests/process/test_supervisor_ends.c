/* test_supervisor_ends.c - what is left of the programs of a supervisor when anybody dies, which is
 * nothing. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "programs.h"
#include "supervised_runs.h"
#include "support/child.h"
#include "support/test.h"

/* ---- what is left ---- */

static void await_processes(const char *word, int n)
{
    int64_t end = milliseconds() + SOON_MS;

    while (programs_count(word) != n) {
        if (milliseconds() > end)
            fail_msg("%d processes, not %d", programs_count(word), n);
        sleep_ms(5);
    }
}

/* Its standard output is that of all its processes: the end of it is their end. */
static void run_tree(struct supervisor *supervisor, struct run *run, const char *token)
{
    const char *arguments[] = {self, "program-tree", token, NULL};
    char line[6];

    assert_int_equal(
        run_start(supervisor, run,
                  (struct supervised_program){.arguments = arguments, .environment = environment},
                  NULL),
        0);
    assert_int_equal(read(run->output, line, sizeof line), 6);
    assert_memory_equal(line, "ready\n", 6);
}

static void kills_what_ignores_signals_and_has_left(void **state)
{
    struct fixture *fixture = *state;
    struct run *run = malloc(sizeof *run), *other = malloc(sizeof *other);

    run_tree(fixture->supervisor, run, "haft-tree-kill");
    run_tree(fixture->supervisor, other, "haft-tree-stay");
    while (!run->n_started || !other->n_started)
        uv_run(&fixture->loop, UV_RUN_ONCE);
    await_processes("haft-tree-kill", TREE);
    await_processes("haft-tree-stay", TREE);
    hf_supervised_kill(&run->child, SIGTERM, GRACE_MS);
    await_count(&fixture->loop, &run->n_ended);
    assert_int_equal(run->end.signal, SIGKILL);
    run_read(run); /* to its end */
    await_processes("haft-tree-kill", 0);
    /* Others are left alone. */
    assert_int_equal(programs_count("haft-tree-stay"), TREE);
    assert_int_equal(other->n_ended, 0);
    hf_supervised_kill(&other->child, SIGKILL, 0);
    await_count(&fixture->loop, &other->n_ended);
    run_read(other);
    await_processes("haft-tree-stay", 0);
    free(run);
    free(other);
}

/* A program that ends takes what it has started with it. */
static void leaves_nothing_behind_a_program_that_ends(void **state)
{
    static const char *const arguments[] = {
        "sh", "-c", "setsid sleep 987654 & sleep 987654 & (setsid sleep 987654 &) ; exit 3", NULL};
    struct fixture *fixture = *state;
    struct run *run = malloc(sizeof *run);

    run_start(fixture->supervisor, run,
              (struct supervised_program){.arguments = arguments, .environment = environment},
              NULL);
    run_await(fixture, run);
    assert_int_equal(run->end.status, 3);
    run_read(run);
    await_processes("987654", 0);
    free(run);
}

/* Killed while programs run: all are reported, all are gone, and the next one has a new supervisor. */
static void survives_the_death_of_the_supervisor(void **state)
{
    static const char *const next[] = {"echo", "again", NULL};
    struct fixture *fixture = *state;
    struct run *run = malloc(sizeof *run), *other = malloc(sizeof *other);
    pid_t first;

    run_start(
        fixture->supervisor, other,
        (struct supervised_program){.arguments = (const char *const[]){"sleep", "876543", NULL},
                                    .environment = environment},
        NULL);
    run_start(fixture->supervisor, run,
              (struct supervised_program){
                  .arguments = (const char *const[]){"sh", "-c", "sleep 876543", NULL},
                  .environment = environment},
              NULL);
    await_count(&fixture->loop, &run->n_started);
    first = hf_supervisor_pid(fixture->supervisor);
    kill(first, SIGKILL);
    await_count(&fixture->loop, &run->n_ended);
    await_count(&fixture->loop, &other->n_ended);
    assert_true(run->end.lost && other->end.lost);
    run_read(run);
    run_read(other);
    await_processes("876543", 0);
    assert_int_equal(kill(first, 0), -1); /* reaped */
    run_start(fixture->supervisor, run, (struct supervised_program){.arguments = next}, NULL);
    run_await(fixture, run);
    run_read(run);
    assert_string_equal(run->text, "again\n");
    free(run);
    free(other);
}

/* It has died, and nobody has looked yet: the request goes to a new one. */
static void starts_in_a_new_supervisor_at_once(void **state)
{
    static const char *const arguments[] = {"sh", "-c", "sleep 765432", NULL}, *const next[] = {
                                                                                   "echo", "again",
                                                                                   NULL};
    struct fixture *fixture = *state;
    struct run *run = malloc(sizeof *run), *other = malloc(sizeof *other);
    siginfo_t info;
    pid_t first;

    run_start(fixture->supervisor, other,
              (struct supervised_program){.arguments = arguments, .environment = environment},
              NULL);
    await_count(&fixture->loop, &other->n_started);
    first = hf_supervisor_pid(fixture->supervisor);
    kill(first, SIGKILL);
    assert_int_equal(waitid(P_PID, (id_t)first, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(
        run_start(fixture->supervisor, run, (struct supervised_program){.arguments = next}, NULL),
        0);
    assert_int_not_equal(hf_supervisor_pid(fixture->supervisor), first);
    run_await(fixture, run);
    run_read(run);
    assert_string_equal(run->text, "again\n");
    await_count(&fixture->loop, &other->n_ended);
    assert_true(other->end.lost);
    run_read(other);
    await_processes("765432", 0);
    free(run);
    free(other);
}

/* ---- the server dies ---- */

static void victim_started(struct supervised *child, const haft_reason *failure)
{
    (void)child;
    (void)failure;
}

/* Starts trees and lives until it is killed. */
static _Noreturn void be_victim(int output, const char *token)
{
    static haft_allocator allocator = {.alloc = fixture_alloc, .release = fixture_release};
    static struct supervised children[3];
    const char *arguments[] = {self, "program-tree", token, NULL};
    struct supervisor *supervisor;
    uv_loop_t loop;

    uv_loop_init(&loop);
    supervisor = hf_supervisor_new(&loop, &allocator);
    for (size_t i = 0; i < COUNT_OF(children); i++) {
        struct supervised_program program = {.arguments = arguments,
                                             .environment = environment,
                                             .fds = {-1, fcntl(output, F_DUPFD_CLOEXEC, 3), -1}};

        children[i].on_start = victim_started;
        hf_supervisor_start(supervisor, &children[i], &program, NULL);
    }
    close(output);
    for (;;)
        uv_run(&loop, UV_RUN_DEFAULT);
}

static void leaves_nothing_when_the_server_is_killed(void **state)
{
    int output[2];
    size_t seen = 0;
    char text[64], token[64];
    pid_t pid;

    (void)state;
    assert_int_equal(pipe2(output, O_CLOEXEC), 0);
    snprintf(token, sizeof token, "haft-tree-victim-%d", (int)getpid());
    pid = fork();
    if (!pid) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* also if this test fails */
        be_victim(output[1], token);
    }
    close(output[1]);
    while (seen < 3 * strlen("ready\n")) {
        ssize_t n = read(output[0], text, sizeof text);

        assert_true(n > 0);
        seen += (size_t)n;
    }
    await_processes(token, 3 * TREE);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    while (read(output[0], text, sizeof text) > 0)
        ; /* until the last of them has ended */
    close(output[0]);
    await_processes(token, 0);
}

/* Programs of the same user cannot reach the supervisor, which is a copy of the server. */
static void cannot_be_read_by_programs(void **state)
{
    int status;
    pid_t pid;

    (void)state;
    if (geteuid())
        skip(); /* another user is needed, for whom permissions hold */
    pid = fork();
    if (!pid) {
        struct fixture *fixture;
        struct run *run = calloc(1, sizeof *run);
        char script[200];
        const char *arguments[] = {"sh", "-c", script, NULL};

        /* Another user is not dumpable, which the supervisor would inherit. */
        if (setgid(65534) || setuid(65534) || prctl(PR_SET_DUMPABLE, 1) ||
            set_up((void **)&fixture))
            _exit(2);
        run_start(fixture->supervisor, run,
                  (struct supervised_program){.arguments = (const char *const[]){"true", NULL}},
                  NULL);
        run_await(fixture, run);
        close(run->output);
        snprintf(script, sizeof script,
                 "exec 2>&1; head -c1 /proc/%d/environ; ls /proc/%d/fd; cat </proc/self/environ "
                 ">/dev/null && echo sees itself",
                 (int)hf_supervisor_pid(fixture->supervisor),
                 (int)hf_supervisor_pid(fixture->supervisor));
        run_start(fixture->supervisor, run,
                  (struct supervised_program){.arguments = arguments, .environment = environment},
                  NULL);
        run_await(fixture, run);
        run_read(run);
        _exit(strstr(run->text, "Permission denied") && strstr(run->text, "sees itself") ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

/* ---- the end ---- */

static void reports_as_lost_what_runs_when_it_is_closed(void **state)
{
    struct fixture *fixture;
    struct run *run = malloc(sizeof *run), *late = malloc(sizeof *late);
    int closed = 0;

    (void)state;
    assert_int_equal(set_up((void **)&fixture), 0);
    run_tree(fixture->supervisor, run, "haft-tree-close");
    await_count(&fixture->loop, &run->n_started);
    hf_supervisor_close(fixture->supervisor, 0, count_closed, &closed);
    assert_int_equal(
        run_start(fixture->supervisor, late,
                  (struct supervised_program){.arguments = (const char *const[]){"true", NULL}},
                  NULL),
        HAFT_ECLOSED);
    uv_run(&fixture->loop, UV_RUN_DEFAULT);
    assert_int_equal(closed, 1);
    assert_int_equal(run->n_ended, 1);
    assert_true(run->end.lost);
    run_read(run);
    await_processes("haft-tree-close", 0);
    assert_int_equal(uv_loop_close(&fixture->loop), 0);
    free(fixture);
    free(run);
    free(late);
    hf_supervisor_close(NULL, 0, NULL, NULL);
}

/* A program that is asked to end may do so, and its end is reported. */
static void waits_for_programs_when_it_is_closed(void **state)
{
    static const char *const arguments[] = {
        "sh", "-c", "trap 'echo bye; exit 5' TERM; echo up; while :; do sleep 0.01; done", NULL};
    struct fixture *fixture;
    struct run *run = malloc(sizeof *run);
    char line[3];
    int closed = 0;

    (void)state;
    assert_int_equal(set_up((void **)&fixture), 0);
    run_start(fixture->supervisor, run,
              (struct supervised_program){.arguments = arguments, .environment = environment},
              NULL);
    assert_int_equal(read(run->output, line, sizeof line), 3);
    hf_supervised_kill(&run->child, SIGTERM, SOON_MS);
    hf_supervisor_close(fixture->supervisor, SOON_MS, count_closed, &closed);
    uv_run(&fixture->loop, UV_RUN_DEFAULT);
    assert_int_equal(closed, 1);
    assert_int_equal(run->end.status, 5);
    assert_false(run->end.lost);
    run_read(run);
    assert_string_equal(run->text, "bye\n");
    assert_int_equal(uv_loop_close(&fixture->loop), 0);
    free(fixture);
    free(run);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        WITH(kills_what_ignores_signals_and_has_left),
        WITH(leaves_nothing_behind_a_program_that_ends),
        WITH(survives_the_death_of_the_supervisor),
        WITH(starts_in_a_new_supervisor_at_once),
        cmocka_unit_test(leaves_nothing_when_the_server_is_killed),
        cmocka_unit_test(cannot_be_read_by_programs),
        cmocka_unit_test(reports_as_lost_what_runs_when_it_is_closed),
        cmocka_unit_test(waits_for_programs_when_it_is_closed),
    };

    programs_run(argc, argv);
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
