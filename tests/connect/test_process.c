/* test_process.c - servers in child processes: how they end, and that they do. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "connect/environment.h"
#include "connect/tap.h"

#define REQUEST "{\"id\":1}"

static void collect(void *context, const char *line, size_t size)
{
    haft_buffer *lines = context;

    haft_buffer_add(lines, line, size);
    haft_buffer_add(lines, "|", 1);
}

static const struct ending {
    const char *name, *script;
    const char *first; /* what it says before the request is sent; NULL: nothing */
    const char *log;
} endings[] = {
    {"answers", "read line; echo '{\"id\":1,\"result\":{}}'; read line", NULL,
     "message {\"id\":1,\"result\":{}}\n"},
    {"sends several lines at once", "read line; printf 'a\\r\\n\\n  \\nb\\n'; read line", NULL,
     "message a\nmessage b\n"},
    {"sends a last line without an end", "read line; printf 'last'", NULL,
     "message last\n"
     "failed 0: -17/0 the server exited with status 0 before it answered [maybe]\nclosed\n"},
    {"exits unread", "exit 3", NULL,
     "failed 0: -17/0 the server exited with status 3 before it answered\nclosed\n"},
    {"exits after reading", "read line; exit 4", NULL,
     "failed 0: -17/0 the server exited with status 4 before it answered [maybe]\nclosed\n"},
    {"is killed", "read line; kill -9 $$", NULL,
     "failed 0: -17/0 the server was terminated by signal 9 (Killed) [maybe]\nclosed\n"},
    {"writes garbage", "read line; echo 'garbage {'; read line", NULL, "message garbage {\n"},
    {"closes its input", "exec <&-; echo ready; exec sleep 1000", "message ready\n",
     "failed 0: -17/0 the server closed its input\nclosed\n"},
    {"closes its output", "read line; exec >&-; exec sleep 1000", NULL,
     "failed 0: -17/0 the server closed its output [maybe]\nclosed\n"},
    {"says too much", "read line; head -c 5000 /dev/zero | tr '\\0' x; echo; echo b; read line",
     NULL, "too long\nmessage b\n"},
    {"leaves a child with its output", "read line; sleep 1000 & exit 5", NULL,
     "failed 0: -17/0 the server exited with status 5 before it answered [maybe]\nclosed\n"},
};

static void test_endings(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(endings); i++) {
        const struct ending *row = &endings[i];
        const char *const command[] = {"sh", "-c", row->script, NULL};
        haft_reason reason = {0};
        char expected[TAP_LOG];
        struct tap tap;

        snprintf(expected, sizeof expected, "%s%s", row->first ? row->first : "", row->log);
        assert_true(tap_open(&tap, HAFT_WITH(haft_target, .command = command, .close_ms = 100),
                             NULL, &reason));
        if (row->first)
            tap_run(&tap, tap_lines(row->first), TAP_MS);
        tap_send(&tap, "tools/call", 1, REQUEST);
        tap_run(&tap, tap_lines(expected), TAP_MS);
        if (strcmp(tap.log, expected))
            fail_msg("%s:\n%s\nexpected:\n%s", row->name, tap.log, expected);
        tap_close(&tap);
    }
}

/* A write that fails is not a message that was read. */
static void test_unread(void **state)
{
    static const char *const command[] = {"sh", "-c", "exit 2", NULL};

    (void)state;
    for (int i = 0; i < 30; i++) {
        haft_reason reason = {0};
        struct tap tap;

        assert_true(tap_open(&tap, HAFT_WITH(haft_target, .command = command), NULL, &reason));
        if (i % 2) /* it is gone before the write */
            tap_run(&tap, 2, TAP_MS);
        tap_send(&tap, "server/discover", 1, REQUEST);
        tap_run(&tap, 2, TAP_MS);
        assert_null(strstr(tap.log, "[maybe]"));
        assert_non_null(strstr(tap.log, "status 2"));
        tap_close(&tap);
    }
}

/* ---- the end ---- */

static bool is_gone(pid_t pid)
{
    return kill(pid, 0) && errno == ESRCH;
}

static const struct stubborn {
    const char *name, *script;
    int64_t least, most; /* milliseconds for its end */
} stubborns[] = {
    {"ends with its input", "echo $$; cat >/dev/null", 0, 5000},
    {"ends by SIGTERM", "echo $$; exec sleep 1000", 100, 5000},
    {"ignores SIGTERM", "trap '' TERM; echo $$; while :; do sleep 1000; done", 200, 5000},
    {"ignores it and writes on", "trap '' TERM; echo $$; yes", 200, 5000},
};

static void test_end(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(stubborns); i++) {
        const struct stubborn *row = &stubborns[i];
        const char *const command[] = {"sh", "-c", row->script, NULL};
        haft_reason reason = {0};
        int64_t begun, took;
        struct tap tap;
        pid_t pid;

        assert_true(tap_open(&tap, HAFT_WITH(haft_target, .command = command, .close_ms = 100),
                             NULL, &reason));
        tap_run(&tap, 1, TAP_MS);
        pid = (pid_t)strtol(tap.log + strlen("message "), NULL, 10);
        assert_true(pid > 1);
        begun = milliseconds();
        tap_close(&tap);
        took = milliseconds() - begun;
        if (!is_gone(pid) || took < row->least || took > row->most)
            fail_msg("%s: %s after %lld ms", row->name, is_gone(pid) ? "gone" : "alive",
                     (long long)took);
    }
}

static void test_close_within_report(void **state)
{
    static const char *const command[] = {"sh", "-c", "echo a; echo b; cat", NULL};
    haft_reason reason = {0};
    struct tap tap;

    (void)state;
    assert_true(tap_open(&tap, HAFT_WITH(haft_target, .command = command), NULL, &reason));
    tap.closes = true;
    tap_run(&tap, 2, TAP_MS);
    assert_true(tap.closed);
    assert_string_equal(tap.log, "message a\n");
}

static void test_restart(void **state)
{
    char path[] = "/tmp/haft-restart-XXXXXX", script[200];
    const char *const command[] = {"sh", "-c", script, NULL};
    haft_reason reason = {0};
    struct tap tap;
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    close(fd);
    unlink(path);
    snprintf(script, sizeof script,
             "if [ -e %s ]; then echo again; cat; else : >%s; read l; exit 6; fi", path, path);
    assert_true(tap_open(&tap, HAFT_WITH(haft_target, .command = command), NULL, &reason));
    tap.restarts = true;
    tap_send(&tap, "server/discover", 1, REQUEST);
    tap_run(&tap, 2, TAP_MS);
    tap_send(&tap, "initialize", 2, "echo");
    tap_run(&tap, 3, TAP_MS);
    assert_string_equal(
        tap.log, "failed 0: -17/0 the server exited with status 6 before it answered [maybe]\n"
                 "message again\nmessage echo\n");
    tap_close(&tap);
    unlink(path);
}

/* The second process begins when the first, which is slow to end, is gone. */
static void test_restart_waits(void **state)
{
    char path[] = "/tmp/haft-restart-XXXXXX", script[300];
    const char *const command[] = {"sh", "-c", script, NULL};
    haft_reason reason = {0};
    struct tap tap;
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    close(fd);
    unlink(path);
    snprintf(script, sizeof script,
             "if mkdir %s; then trap 'sleep 0.1; rmdir %s; exit' TERM; echo first; "
             "while :; do sleep 0.01; done; else echo both; cat; fi",
             path, path);
    assert_true(tap_open(&tap, HAFT_WITH(haft_target, .command = command, .close_ms = 2000), NULL,
                         &reason));
    tap_run(&tap, 1, TAP_MS);
    assert_int_equal(tap.transport.restart(tap.transport.context), 0);
    tap_send(&tap, "initialize", 1, REQUEST);
    tap_run(&tap, 2, TAP_MS);
    assert_string_equal(tap.log, "message first\nmessage first\n");
    tap_close(&tap);
    rmdir(path);
}

/* ---- the beginning ---- */

static void test_surroundings(void **state)
{
    static const char *const command[] = {
        "sh", "-c",
        "echo one >&2; echo \"$(pwd) $TAP_TOKEN $TAP_PLAIN $TAP_API_KEY $TAP_KEYBOARD\"; cat",
        NULL};
    static const char *const own[] = {"TAP_TOKEN=mine", "PATH=/usr/bin:/bin", NULL};
    haft_reason reason = {0};
    haft_buffer errors;
    struct tap tap;

    (void)state;
    setenv("TAP_TOKEN", "secret", 1);
    setenv("TAP_PLAIN", "plain", 1);
    setenv("TAP_API_KEY", "secret", 1);
    setenv("TAP_KEYBOARD", "us", 1);
    haft_buffer_init(&errors, NULL, 1000);
    assert_true(tap_open(&tap,
                         HAFT_WITH(haft_target, .command = command, .directory = "/",
                                   .on_error_line = collect, .context = &errors),
                         NULL, &reason));
    tap_run(&tap, 1, TAP_MS);
    assert_string_equal(tap.log, "message /  plain  us\n");
    while (!errors.size)
        tap.transport.wait(tap.transport.context, 10);
    tap_close(&tap);
    assert_int_equal(errors.size, 4);
    assert_memory_equal(errors.data, "one|", 4);
    haft_buffer_finish(&errors);

    assert_true(tap_open(
        &tap, HAFT_WITH(haft_target, .command = command, .directory = "/", .environment = own),
        NULL, &reason));
    tap_run(&tap, 1, TAP_MS);
    assert_string_equal(tap.log, "message / mine   \n");
    tap_close(&tap);
}

static const struct secret_name {
    const char *name;
    bool secret;
} secret_names[] = {
    {"PATH", false},
    {"HOME", false},
    {"KEYBOARD", false},
    {"XKB_KEYMAP", false},
    {"GITHUB_TOKEN", true},
    {"aws_secret_access_key", true},
    {"OPENAI_API_KEY", true},
    {"PGPASSWORD", true},
    {"GOOGLE_CREDENTIALS", true},
    {"APIKEY", true},
    {"KEY_FILE", true},
    {"", false},
    {"OPENAI_API_KEY2", true},
    {"TLS_KEYFILE", true},
    {"DB_PASS", true},
    {"MYSQL_PWD", true},
    {"npm_config__auth", true},
    {"GITHUB_PAT", true},
    {"PWD", false},
    {"OLDPWD", false},
    {"SSH_AUTH_SOCK", false},
    {"SSH_ASKPASS", false},
    {"COMPASS", false},
    {"AUTHOR", false},
};

static void test_secret_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(secret_names); i++)
        if (hf_environment_is_secret(secret_names[i].name, strlen(secret_names[i].name)) !=
            secret_names[i].secret)
            fail_msg("%s", secret_names[i].name);
}

static bool environment_has(char *const *list, const char *variable)
{
    for (; *list; list++)
        if (!strcmp(*list, variable))
            return true;
    return false;
}

static void test_named_variables(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    char **all, **some;

    (void)state;
    setenv("HAFT_T_WEATHER", "w", 1);
    setenv("HAFT_T_WEATHER_UNIT", "u", 1);
    setenv("LC_HAFT", "l", 1);
    setenv("HOME", "/h", 1);
    all = hf_environment_public(arena, NULL);
    some = hf_environment_public(arena, "=OTHER=HAFT_T_WEATHER=HOME=LC_HAFT=");
    assert_true(environment_has(all, "HAFT_T_WEATHER=w"));
    assert_false(environment_has(some, "HAFT_T_WEATHER=w"));
    assert_true(environment_has(some, "HAFT_T_WEATHER_UNIT=u"));
    assert_true(environment_has(some, "LC_HAFT=l"));
    assert_true(environment_has(some, "HOME=/h"));
    haft_arena_free(arena);
}

static const struct unable {
    const char *program, *directory, *text;
} unables[] = {
    {"/nonexistent/server", NULL, "cannot start /nonexistent/server: no such file or directory"},
    {"sh", "/nonexistent", "cannot start sh: no such file or directory"},
    {"/etc/passwd", NULL, "cannot start /etc/passwd: permission denied"},
};

static void test_unable(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(unables); i++) {
        const char *const command[] = {unables[i].program, NULL};
        haft_reason reason = {0};
        struct tap tap;

        assert_false(tap_open(
            &tap, HAFT_WITH(haft_target, .command = command, .directory = unables[i].directory),
            NULL, &reason));
        assert_int_equal(reason.code, HAFT_ECLOSED);
        assert_string_equal(reason.text, unables[i].text);
    }
}

/* A program whose standard error is closed has its descriptor for something else. */
static void test_closed_standard_error(void **state)
{
    static const char *const command[] = {"sh", "-c", "echo \"$(readlink /proc/self/fd/2)\"; cat",
                                          NULL};
    int kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10), status;
    haft_reason reason = {0};
    struct tap tap;

    (void)state;
    assert_true(tap_open(&tap, HAFT_WITH(haft_target, .command = command), NULL, &reason));
    close(STDERR_FILENO);
    status = tap.transport.restart(tap.transport.context);
    tap_run(&tap, 1, TAP_MS);
    dup2(kept, STDERR_FILENO);
    close(kept);
    assert_int_equal(status, 0);
    assert_string_equal(tap.log, "message /dev/null\n");
    tap_close(&tap);
}

/* A server that talks and never reads does not fill the client's memory. */
static void test_unread_forever(void **state)
{
    enum { MUCH = 1 << 20, TIMES = 100 };
    static const char *const command[] = {"sleep", "1000", NULL};
    char *text = malloc(MUCH + 1);
    haft_reason reason = {0};
    struct tap tap;

    (void)state;
    assert_non_null(text);
    memset(text, 'x', MUCH);
    text[MUCH] = '\0';
    assert_true(
        tap_open(&tap, HAFT_WITH(haft_target, .command = command, .close_ms = 100), NULL, &reason));
    for (int i = 0; i < TIMES; i++)
        tap_send(&tap, "ping", 0, text);
    tap_run(&tap, 2, TAP_MS);
    assert_string_equal(tap.log, "failed 0: -17/0 the server does not read its input\nclosed\n");
    tap_close(&tap);
    free(text);
}

/* ---- memory ---- */

static void test_memory(void **state)
{
    static const char *const command[] = {"sh", "-c", "while read l; do echo \"$l\"; done", NULL};

    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        haft_reason reason = {0};
        struct tap tap;

        failing_init(&failing, nth);
        if (tap_open(&tap, HAFT_WITH(haft_target, .command = command), &failing.allocator,
                     &reason)) {
            tap_send(&tap, "tools/call", 1, REQUEST);
            tap_run(&tap, 1, TAP_MS);
            assert_true(tap.reports > 0);
            tap_close(&tap);
        } else {
            assert_int_equal(reason.code, HAFT_ENOMEM);
        }
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
}

/* ---- descriptors ---- */

static void test_descriptors(void **state)
{
    int there[2], back[2], both[2];
    char seen[64] = "";
    haft_reason reason = {0};
    struct tap tap;

    (void)state;
    assert_int_equal(pipe(there), 0);
    assert_int_equal(pipe(back), 0);
    assert_true(tap_open(&tap, HAFT_WITH(haft_target, .descriptors = ((int[]){back[0], there[1]})),
                         NULL, &reason));
    tap_send(&tap, "ping", 1, REQUEST);
    assert_int_equal(read(there[0], seen, sizeof seen - 1), (ssize_t)strlen(REQUEST "\n"));
    assert_string_equal(seen, REQUEST "\n");
    assert_int_equal(write(back[1], "x\n", 2), 2);
    tap_run(&tap, 1, TAP_MS);
    close(there[0]); /* a write raises SIGPIPE, unless it is prevented */
    tap_send(&tap, "ping", 2, REQUEST);
    tap_run(&tap, 2, TAP_MS);
    close(back[1]);
    tap_run(&tap, 4, TAP_MS);
    assert_string_equal(tap.log, "message x\n"
                                 "failed 2: -17/0 the server no longer reads from the connection\n"
                                 "failed 0: -17/0 the server closed the connection\nclosed\n");
    tap_close(&tap);
    assert_int_equal(fcntl(back[0], F_GETFD), -1);
    assert_int_equal(fcntl(there[1], F_GETFD), -1);

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, both), 0);
    assert_true(tap_open(&tap, HAFT_WITH(haft_target, .descriptors = ((int[]){both[0], both[0]})),
                         NULL, &reason));
    tap_send(&tap, "ping", 1, REQUEST);
    assert_int_equal(read(both[1], seen, sizeof seen - 1), (ssize_t)strlen(REQUEST "\n"));
    close(both[1]);
    tap_run(&tap, 2, TAP_MS);
    assert_string_equal(tap.log,
                        "failed 0: -17/0 the server closed the connection [maybe]\nclosed\n");
    tap_close(&tap);
    assert_int_equal(fcntl(both[0], F_GETFD), -1);
}

static void test_descriptors_unable(void **state)
{
    int file = open("/etc/passwd", O_RDONLY), ends[2];
    haft_reason reason = {0};
    struct tap tap;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_false(tap_open(&tap, HAFT_WITH(haft_target, .descriptors = ((int[]){file, ends[1]})),
                          NULL, &reason));
    assert_int_equal(reason.code, HAFT_EINVAL);
    assert_int_equal(fcntl(file, F_GETFD), -1);
    assert_int_equal(fcntl(ends[1], F_GETFD), -1);
    close(ends[0]);
}

/* ---- a build without HTTP ---- */

static void test_no_http(void **state)
{
    haft_reason reason = {0};
    struct tap tap;

    (void)state;
    if (HAFT_HTTP)
        return; /* test_http.c */
    assert_false(
        tap_open(&tap, HAFT_WITH(haft_target, .url = "http://127.0.0.1/mcp"), NULL, &reason));
    assert_string_equal(reason.text, "this build of haft has no HTTP");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_endings),
        cmocka_unit_test(test_unread),
        cmocka_unit_test(test_end),
        cmocka_unit_test(test_close_within_report),
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_restart_waits),
        cmocka_unit_test(test_surroundings),
        cmocka_unit_test(test_secret_names),
        cmocka_unit_test(test_named_variables),
        cmocka_unit_test(test_unable),
        cmocka_unit_test(test_closed_standard_error),
        cmocka_unit_test(test_unread_forever),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_descriptors),
        cmocka_unit_test(test_descriptors_unable),
        cmocka_unit_test(test_no_http),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
