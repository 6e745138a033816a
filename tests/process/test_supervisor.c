/* test_supervisor.c - programs that the supervisor starts: what they get, how their ends are
 * reported, and what is left of them when anybody dies, which is nothing. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/supervisor.h"
#include "programs.h"
#include "support/child.h"
#include "support/failing.h"
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

/* ---- what is left ---- */

/* How many processes have a word among their arguments. */
static int count_processes(const char *word)
{
    DIR *directory = opendir("/proc");
    const struct dirent *entry;
    int n = 0;

    while (directory && (entry = readdir(directory))) {
        char path[300], text[4096] = "";
        int file;
        ssize_t size;

        if (*entry->d_name < '0' || *entry->d_name > '9')
            continue;
        snprintf(path, sizeof path, "/proc/%s/cmdline", entry->d_name);
        file = open(path, O_RDONLY | O_CLOEXEC);
        size = file >= 0 ? read(file, text, sizeof text - 1) : 0;
        if (file >= 0)
            close(file);
        n += size > 0 && memmem(text, (size_t)size, word, strlen(word));
    }
    if (directory)
        closedir(directory);
    return n;
}

static void await_processes(const char *word, int n)
{
    int64_t end = milliseconds() + SOON_MS;

    while (count_processes(word) != n) {
        if (milliseconds() > end)
            fail_msg("%d processes, not %d", count_processes(word), n);
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
    assert_int_equal(count_processes("haft-tree-stay"), TREE);
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

#define WITH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        WITH(gives_a_program_what_it_shall_have),
        WITH(says_why_a_program_does_not_start),
        WITH(explains_a_script_without_a_first_line),
        WITH(refuses_what_is_too_much),
        WITH(starts_many_at_once),
        WITH(kills_one_whose_request_waits),
        WITH(kills_what_ignores_signals_and_has_left),
        WITH(leaves_nothing_behind_a_program_that_ends),
        WITH(survives_the_death_of_the_supervisor),
        WITH(starts_in_a_new_supervisor_at_once),
        cmocka_unit_test(leaves_nothing_when_the_server_is_killed),
        cmocka_unit_test(cannot_be_read_by_programs),
        cmocka_unit_test(reports_as_lost_what_runs_when_it_is_closed),
        cmocka_unit_test(waits_for_programs_when_it_is_closed),
        WITH(confines_a_program),
        cmocka_unit_test(comes_through_failing_allocations),
    };

    programs_run(argc, argv);
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
