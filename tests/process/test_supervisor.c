/* test_supervisor.c - programs that the supervisor starts: what they get, and how their ends are
 * reported. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "programs.h"
#include "supervised_runs.h"
#include "support/failing.h"
#include "support/test.h"

/* ---- what a program gets, and how it ends ---- */

/* clang-format off */
static const struct row {
    const char *const arguments[8];
    const char *directory, *input;
    struct supervised_limits limits;
    const char *output;
    int status, signal;
} rows[] = {
    {{"echo", "a b", "", "c"}, NULL, NULL, {0}, "a b  c\n", 0, 0},
    {{"/bin/echo", "-n", "$HOME *"}, NULL, NULL, {0}, "$HOME *", 0, 0},
    {{"cat"}, NULL, "given", {0}, "given", 0, 0},
    {{"cat"}, NULL, NULL, {0}, "", 0, 0},
    {{"pwd"}, "/usr", NULL, {0}, "/usr\n", 0, 0},
    {{"env"}, NULL, NULL, {0}, "PATH=/usr/bin:/bin\nLANG=C\nGIVEN=yes\n", 0, 0},
    {{"sh", "-c", "exit 7"}, NULL, NULL, {0}, "", 7, 0},
    {{"sh", "-c", "kill -TERM $$"}, NULL, NULL, {0}, "", 0, SIGTERM},
    {{"sh", "-c", "kill -SEGV $$"}, NULL, NULL, {0}, "", 0, SIGSEGV},
    {{"sh", "-c", "ulimit -v"}, NULL, NULL, {.memory = 512 << 20}, "524288\n", 0, 0},
    {{"sh", "-c", "ulimit -t"}, NULL, NULL, {.cpu_seconds = 3}, "3\n", 0, 0},
    {{"sh", "-c", "ulimit -n; ulimit -Hn"}, NULL, NULL, {.open_files = 17}, "17\n17\n", 0, 0},
    {{"bash", "-c", "ulimit -u"}, NULL, NULL, {.processes = 500}, "500\n", 0, 0},
    {{"bash", "-c", "ulimit -f"}, NULL, NULL, {.file_size = 8 << 10}, "8\n", 0, 0},
    {{"sh", "-c", "ulimit -c"}, NULL, NULL, {0}, "0\n", 0, 0},
    {{"sh", "-c", "while :; do :; done"}, NULL, NULL, {.cpu_seconds = 1}, "", 0, SIGKILL},
    {{self, "program-words", "-x", "\"", "\xc3\xa9\n"}, NULL, NULL, {0},
     "[\"-x\",\"\\u0022\",\"\xc3\xa9\\u000a\"]\n", 0, 0},
    {{self, "program-facts"}, NULL, NULL, {0},
     "0 1 2 session group\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n", 0, 0},
};
/* clang-format on */

static void gives_a_program_what_it_shall_have(void **state)
{
    struct fixture *fixture = *state;
    struct run *run = malloc(sizeof *run);
    int here = open("/dev/null", O_RDONLY); /* not close-on-exec: it must not get it */

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct row *row = &rows[i];

        assert_int_equal(run_start(fixture->supervisor, run,
                                   (struct supervised_program){.arguments = row->arguments,
                                                               .environment = environment,
                                                               .directory = row->directory,
                                                               .limits = row->limits},
                                   row->input),
                         0);
        run_await(fixture, run);
        run_read(run);
        if (run->n_started != 1 || run->n_ended != 1 || strcmp(run->text, row->output) ||
            run->end.status != row->status || run->end.signal != row->signal || run->end.lost)
            fail_msg("row %zu: \"%s\", status %d, signal %d, %s", i, run->text, run->end.status,
                     run->end.signal, run->failure.text);
    }
    close(here);
    free(run);
}

static void says_why_a_program_does_not_start(void **state)
{
    static const struct failure_row {
        const char *arguments[2], *directory;
        int code;
        const char *text;
    } failures[] = {
        {{"no-such-program"},
         NULL,
         HAFT_ENOTFOUND,
         "no-such-program: cannot execute it: No such file or directory"},
        {{"/no/such/file"},
         NULL,
         HAFT_ENOTFOUND,
         "file: cannot execute it: No such file or directory"},
        {{"/etc/passwd"}, NULL, HAFT_EFAIL, "passwd: cannot execute it: Permission denied"},
        {{"/usr"}, NULL, HAFT_EFAIL, "usr: cannot execute it: Permission denied"},
        {{"true"},
         "/no/such",
         HAFT_ENOTFOUND,
         "true: cannot enter its directory: No such file or directory"},
        {{"true"}, "/etc/passwd", HAFT_EFAIL, "true: cannot enter its directory: Not a directory"},
    };
    struct fixture *fixture = *state;
    struct run *run = malloc(sizeof *run);

    for (size_t i = 0; i < COUNT_OF(failures); i++) {
        assert_int_equal(run_start(fixture->supervisor, run,
                                   (struct supervised_program){.arguments = failures[i].arguments,
                                                               .environment = environment,
                                                               .directory = failures[i].directory},
                                   NULL),
                         0);
        await_count(&fixture->loop, &run->n_failed);
        assert_string_equal(run->failure.text, failures[i].text);
        assert_int_equal(run->failure.code, failures[i].code);
        assert_int_equal(run->n_started + run->n_ended, 0);
        run_read(run);
    }
    free(run);
}

static void explains_a_script_without_a_first_line(void **state)
{
    struct fixture *fixture = *state;
    struct run *run = malloc(sizeof *run);
    char path[] = "/tmp/haft-script-XXXXXX";
    int file = mkstemp(path);
    const char *const arguments[] = {path, NULL};

    assert_int_equal(write(file, "echo hello\n", 11), 11);
    fchmod(file, 0700);
    close(file);
    run_start(fixture->supervisor, run, (struct supervised_program){.arguments = arguments}, NULL);
    await_count(&fixture->loop, &run->n_failed);
    assert_non_null(strstr(run->failure.text, "Exec format error (a script needs a first line"));
    run_read(run);
    unlink(path);
    free(run);
}

static void refuses_what_is_too_much(void **state)
{
    struct fixture *fixture = *state;
    struct run *run = malloc(sizeof *run);
    const char **many = calloc(SUPERVISED_WORDS + 2, sizeof *many);
    char *big = malloc(SUPERVISED_TEXT + 1);
    const char *one[] = {"echo", big, NULL};
    const char *empty[] = {"", NULL};

    memset(big, 'x', SUPERVISED_TEXT);
    big[SUPERVISED_TEXT] = '\0';
    for (size_t i = 0; i <= SUPERVISED_WORDS; i++)
        many[i] = "x";
    assert_int_equal(
        run_start(fixture->supervisor, run, (struct supervised_program){.arguments = one}, NULL),
        HAFT_ETOOBIG);
    assert_int_equal(
        run_start(fixture->supervisor, run, (struct supervised_program){.arguments = many}, NULL),
        HAFT_ETOOBIG);
    assert_int_equal(
        run_start(fixture->supervisor, run, (struct supervised_program){.arguments = empty}, NULL),
        HAFT_EINVAL);
    free(run);
    free(many);
    free(big);
}

/* ---- many at once ---- */

/* The requests are more than the socket holds; each arrives, and its end is reported. */
static void starts_many_at_once(void **state)
{
    enum { MANY = 200, BIG = 90000 };
    struct fixture *fixture = *state;
    struct run *runs = calloc(MANY, sizeof *runs);
    char *big = malloc(BIG + 1);
    const char *arguments[] = {"sh", "-c", "exit ${#1}", "sh", "abc", big, NULL};

    memset(big, 'x', BIG);
    big[BIG] = '\0';
    for (int i = 0; i < MANY; i++)
        assert_int_equal(run_start(fixture->supervisor, &runs[i],
                                   (struct supervised_program){.arguments = arguments,
                                                               .environment = environment},
                                   NULL),
                         0);
    for (int i = 0; i < MANY; i++) {
        run_await(fixture, &runs[i]);
        assert_int_equal(runs[i].end.status, 3);
        assert_int_equal(runs[i].n_ended, 1);
        close(runs[i].output);
    }
    free(runs);
    free(big);
}

static void kills_one_whose_request_waits(void **state)
{
    enum { MANY = 40, BIG = 90000 };
    struct fixture *fixture = *state;
    struct run *runs = calloc(MANY, sizeof *runs);
    char *big = malloc(BIG + 1);
    const char *arguments[] = {"sh", "-c", "exec sleep 100", "sh", big, NULL};

    memset(big, 'x', BIG);
    big[BIG] = '\0';
    for (int i = 0; i < MANY; i++) {
        run_start(fixture->supervisor, &runs[i],
                  (struct supervised_program){.arguments = arguments, .environment = environment},
                  NULL);
        hf_supervised_kill(&runs[i].child, SIGTERM, 0);
        assert_true(hf_supervised_is_running(&runs[i].child));
    }
    for (int i = 0; i < MANY; i++) {
        run_await(fixture, &runs[i]);
        assert_int_equal(runs[i].end.signal, SIGTERM);
        close(runs[i].output);
        hf_supervised_kill(&runs[i].child, SIGTERM, 0); /* has no effect any more */
    }
    free(runs);
    free(big);
}

/* ---- the sandbox ---- */

static void confines_a_program(void **state)
{
    static const struct sandbox_row {
        const char *script, *output;
    } scripts[] = {
        {"cat /etc/shadow 2>&1 | sed 's/.*: //'", "Permission denied\n"},
        {"echo a >/usr/haft-test 2>/dev/null || echo no", "no\n"},
        {"cd /tmp; echo a >haft-test 2>/dev/null || echo no", "no\n"},
        {"ls /usr >/dev/null && echo yes", "yes\n"},
        {"sh -c 'cat </dev/null' && echo yes", "yes\n"},
    };
    struct fixture *fixture = *state;
    struct run *run = malloc(sizeof *run);

    for (size_t i = 0; i < COUNT_OF(scripts); i++) {
        const char *arguments[] = {"sh", "-c", scripts[i].script, NULL};
        struct sandbox sandbox;
        haft_reason reason;

        if (hf_sandbox_open(&sandbox, &(struct sandbox_wish){.programs = true}, &reason))
            skip();
        assert_int_equal(run_start(fixture->supervisor, run,
                                   (struct supervised_program){.arguments = arguments,
                                                               .environment = environment,
                                                               .sandbox = &sandbox},
                                   NULL),
                         0);
        hf_sandbox_close(&sandbox);
        run_await(fixture, run);
        run_read(run);
        assert_string_equal(run->text, scripts[i].output);
    }
    free(run);
}

/* ---- allocations fail ---- */

static void comes_through_failing_allocations(void **state)
{
    static const char *const arguments[] = {"echo", "x", NULL};
    struct run *run = malloc(sizeof *run);
    struct failing failing;

    (void)state;
    for (size_t nth = 1;; nth++) {
        struct supervisor *supervisor = NULL;
        uv_loop_t loop;

        failing_init(&failing, nth);
        uv_loop_init(&loop);
        if (hf_supervisor_get(&supervisor, &loop, &failing.allocator)) {
            int status = run_start(supervisor, run,
                                   (struct supervised_program){.arguments = arguments}, NULL);

            if (!status) {
                uv_run(&loop, UV_RUN_DEFAULT);
                assert_int_equal(run->n_ended, 1);
                run_read(run);
                assert_string_equal(run->text, "x\n");
            } else {
                assert_true(status == HAFT_ENOMEM || status == HAFT_EBUSY);
            }
            hf_supervisor_close(supervisor, 0, NULL, NULL);
        }
        uv_run(&loop, UV_RUN_DEFAULT);
        assert_int_equal(uv_loop_close(&loop), 0);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
    free(run);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        WITH(gives_a_program_what_it_shall_have),
        WITH(says_why_a_program_does_not_start),
        WITH(explains_a_script_without_a_first_line),
        WITH(refuses_what_is_too_much),
        WITH(starts_many_at_once),
        WITH(kills_one_whose_request_waits),
        WITH(confines_a_program),
        cmocka_unit_test(comes_through_failing_allocations),
    };

    programs_run(argc, argv);
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
